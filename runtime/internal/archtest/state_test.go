package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// statefulVars are package-level variables that may change, and why.
var statefulVars = map[string]string{
	"cmd/kehai.dialMembers":     "tests put a proxy between members, which no flag may offer",
	"runtime/datadir.crowd":     "how many processors Go uses is set for a process",
	"hardware/darwin.selectors": "a cache of names that the system never forgets",
	"hardware/robot.one":        "robotgo's state is the process's, so one call at a time uses it",
	"hardware/tesseract.loaded": "a shared library is loaded once for a process",
	"hardware/x11.quiet":        "the X library has one logger for a process",
	"messages.writers":          "a pool of buffers, whose loss nobody notices",
	"runtime/engine.turns":      "a pool of buffers, whose loss nobody notices",
	"runtime/engine.heads":      "a pool of buffers, whose loss nobody notices",
}

// noHiddenState checks that no package has init functions or variables that
// change: tables, sentinel errors, compiled patterns and embedded files are
// set once, where they are declared.
func noHiddenState(t *tree) (found []string) {
	packages := map[string][]*goFile{}
	var dirs []string
	for _, f := range t.gos {
		if !f.test {
			if packages[f.dir] == nil {
				dirs = append(dirs, f.dir)
			}
			packages[f.dir] = append(packages[f.dir], f)
		}
	}
	for _, dir := range dirs {
		vars := map[string]bool{}
		for _, f := range packages[dir] {
			found = append(found, t.declared(f, vars)...)
		}
		for _, f := range packages[dir] {
			found = append(found, t.written(f, vars)...)
		}
	}
	return found
}

// declared collects a file's package-level variables, and finds init functions
// and variables made to be changed.
func (t *tree) declared(f *goFile, vars map[string]bool) (found []string) {
	for _, decl := range f.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				found = append(found, t.at(d)+": func init: do it where the package is used, called by hand")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || d.Tok != token.VAR {
					continue
				}
				for _, name := range v.Names {
					if name.Name == "_" || statefulVars[f.dir+"."+name.Name] != "" {
						continue
					}
					vars[name.Name] = true
					if why := f.stateful(d, v); why != "" {
						found = append(found,
							fmt.Sprintf("%s: var %s %s: make it a field of what uses it, "+
								"or list it in statefulVars with the reason", t.at(name), name.Name, why))
					}
				}
			}
		}
	}
	return found
}

// stateful says why a variable looks made to be changed, "" if it does not.
func (f *goFile) stateful(d *ast.GenDecl, v *ast.ValueSpec) (why string) {
	embedded := strings.Contains(comments(d.Doc)+comments(v.Doc), "//go:embed ")
	if len(v.Values) == 0 && !embedded {
		return "has no value where it is declared"
	}
	check := func(n ast.Node) bool {
		if _, isFunc := n.(*ast.FuncLit); isFunc {
			return false // what a function makes is its own
		}
		pkg, name, ok := f.imported(n)
		if ok && (pkg == "sync" && !onceFunc(name) || pkg == "sync/atomic") {
			why = "holds " + pkg + "." + name
		}
		if _, isChan := n.(*ast.ChanType); isChan {
			why = "holds a channel"
		}
		return true
	}
	if v.Type != nil {
		ast.Inspect(v.Type, check)
	}
	for _, value := range v.Values {
		ast.Inspect(value, check)
	}
	return why
}

// onceFunc reports the functions of sync that make a constant on first use.
func onceFunc(name string) bool {
	return name == "OnceFunc" || name == "OnceValue" || name == "OnceValues"
}

// comments is the text of a comment group with its directives, which Text drops.
func comments(g *ast.CommentGroup) string {
	var b strings.Builder
	if g != nil {
		for _, c := range g.List {
			b.WriteString(c.Text + "\n")
		}
	}
	return b.String()
}

// written finds functions that change package-level variables. A name that a
// function also declares for itself is left alone.
func (t *tree) written(f *goFile, vars map[string]bool) (found []string) {
	for _, decl := range f.syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		local := localNames(fn)
		report := func(n ast.Node, e ast.Expr) {
			if name := root(e); vars[name] && !local[name] {
				found = append(found, fmt.Sprintf("%s: %s changes var %s: pass it in, make it a field, "+
					"or list it in statefulVars with the reason", t.at(n), fn.Name.Name, name))
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch s := n.(type) {
			case *ast.AssignStmt:
				for _, e := range s.Lhs {
					report(s, e)
				}
			case *ast.IncDecStmt:
				report(s, s.X)
			case *ast.CallExpr:
				if id, ok := s.Fun.(*ast.Ident); ok &&
					(id.Name == "delete" || id.Name == "clear" || id.Name == "copy") && len(s.Args) > 0 {
					report(s, s.Args[0])
				}
			}
			return true
		})
	}
	return found
}

// root is the variable that a left side changes: x of x, x.f, x[i], *x.
func root(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// localNames are the names that a function declares anywhere.
func localNames(fn *ast.FuncDecl) map[string]bool {
	local := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.Field: // parameters, results, receivers
			for _, name := range s.Names {
				local[name.Name] = true
			}
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE {
					local[id.Name] = true
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{s.Key, s.Value} {
				if id, ok := e.(*ast.Ident); ok && s.Tok == token.DEFINE {
					local[id.Name] = true
				}
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				local[name.Name] = true
			}
		}
		return true
	})
	return local
}
