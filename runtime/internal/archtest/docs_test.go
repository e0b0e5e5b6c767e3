package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// onePackageComment checks that each package has one comment of at least two
// lines. Tests of a package from outside (package x_test) belong to it. An example may say
// it in one: its program is what it has to tell.
func onePackageComment(t *tree) (found []string) {
	where := map[string][]string{}
	lines := map[string]int{}
	var dirs []string
	for _, f := range t.gos {
		if f.test {
			continue
		}
		if !slices.Contains(dirs, f.dir) {
			dirs = append(dirs, f.dir)
		}
		if text := f.syntax.Doc.Text(); text != "" {
			where[f.dir] = append(where[f.dir], f.name)
			lines[f.dir] = strings.Count(text, "\n")
		}
	}
	for _, dir := range dirs {
		switch n := len(where[dir]); {
		case n == 0:
			found = append(found, dir+": no package comment: say in doc.go what it is for, "+
				"its main type, where to go next")
		case n > 1:
			found = append(found, fmt.Sprintf("%s: package comments in %s: keep one, in doc.go", dir,
				strings.Join(where[dir], " and ")))
		case lines[dir] < 2 && !within(dir, "testkit/examples"):
			found = append(found, fmt.Sprintf("%s/%s: the package comment has one line: say what it is for, "+
				"its main type, where to go next", dir, where[dir][0]))
		}
	}
	return found
}

// layoutTold checks that the package comment names each table and each setting that
// the package keeps in the store: in quotes, or first in a line of a list.
func layoutTold(t *tree) (found []string) {
	about := map[string]string{}
	for _, f := range t.gos {
		if !f.test {
			about[f.dir] += f.syntax.Doc.Text()
		}
	}
	for _, f := range t.gos {
		if f.test || !within(f.dir, "actors") && !within(f.dir, "runtime") {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			lit := f.stored(n)
			if lit == nil {
				return true
			}
			name, _ := strconv.Unquote(lit.Value) // parsed, so quoted
			if doc := about[f.dir]; !strings.Contains(doc, lit.Value) && !strings.Contains(doc, "\n\t"+name+" ") {
				found = append(found, fmt.Sprintf("%s: %q is stored and not in the package comment: say there what it "+
					"holds", t.at(lit), name))
			}
			return true
		})
	}
	return found
}

// stored is the name in a NewTable of package actors or in a constant that ends in
// Setting; nil for all else.
func (f *goFile) stored(n ast.Node) *ast.BasicLit {
	var value ast.Expr
	switch x := n.(type) {
	case *ast.CallExpr:
		typed, ok := x.Fun.(*ast.IndexExpr)
		if !ok || len(x.Args) != 1 {
			return nil
		}
		if pkg, name, _ := f.imported(typed.X); pkg != module+"/actors" || name != "NewTable" {
			return nil
		}
		value = x.Args[0]
	case *ast.ValueSpec:
		if len(x.Names) != 1 || len(x.Values) != 1 || !strings.HasSuffix(x.Names[0].Name, "Setting") {
			return nil
		}
		value = x.Values[0]
	}
	lit, ok := value.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	return lit
}

// publicRoots are the trees that hosts may import.
var publicRoots = []string{"messages", "actors", "runtime", "hardware", "testkit"}

// selfExplaining are methods whose meaning is fixed by an interface of the
// standard library.
var selfExplaining = []string{"String", "Error", "Unwrap", "Is", "Len", "Less", "Swap", "MarshalJSON", "UnmarshalJSON",
	"MarshalText", "UnmarshalText"}

// exportsDocumented checks that each exported identifier that a host can reach
// has a comment: its own, or one of its group of constants or variables.
func exportsDocumented(t *tree) (found []string) {
	for _, f := range t.gos {
		public := slices.ContainsFunc(publicRoots, func(root string) bool { return within(f.dir, root) })
		if f.test || !public || strings.Contains("/"+f.dir+"/", "/internal/") {
			continue
		}
		missing := func(n *ast.Ident) {
			found = append(found, fmt.Sprintf("%s: %s has no comment: say what its name cannot (unit, range, zero, "+
				"errors, who may call it)", t.at(n), n.Name))
		}
		for _, decl := range f.syntax.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc.Text() == "" && exportedReceiver(d) &&
					!(d.Recv != nil && slices.Contains(selfExplaining, d.Name.Name)) {
					missing(d.Name)
				}
			case *ast.GenDecl:
				for _, name := range undocumented(d) {
					missing(name)
				}
			}
		}
	}
	return found
}

// exportedReceiver reports a function, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

func undocumented(d *ast.GenDecl) (names []*ast.Ident) {
	group := d.Doc.Text() != ""
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc.Text() == "" && (!group || d.Lparen.IsValid()) {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			if d.Tok == token.IMPORT || group || s.Doc.Text() != "" || s.Comment.Text() != "" {
				continue
			}
			for _, name := range s.Names {
				if name.IsExported() {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
