package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const module = "github.com/kehai-run/kehai"

// tree is the repository's files by slash-separated path, and the Go files among
// them parsed. Files of testdata folders are text only.
type tree struct {
	text map[string]string
	fset *token.FileSet
	gos  []*goFile // by path
	bad  []string  // findings about files that do not parse
}

type goFile struct {
	path, dir, name string
	syntax          *ast.File
	test            bool
	imports         []string          // paths
	names           map[string]string // path by the name it has in the file
}

func newTree(text map[string]string) *tree {
	t := &tree{text: text, fset: token.NewFileSet()}
	for _, p := range slices.Sorted(maps.Keys(text)) {
		if path.Ext(p) != ".go" || strings.Contains("/"+p, "/testdata/") {
			continue
		}
		syntax, err := parser.ParseFile(t.fset, p, text[p], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.bad = append(t.bad, fmt.Sprintf("%v: make it compile", err))
			continue
		}
		f := &goFile{path: p, dir: path.Dir(p), name: path.Base(p), syntax: syntax,
			test: strings.HasSuffix(p, "_test.go"), names: map[string]string{}}
		for _, spec := range syntax.Imports {
			full, _ := strconv.Unquote(spec.Path.Value) // parsed, so quoted
			name := path.Base(full)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			f.imports = append(f.imports, full)
			f.names[name] = full
		}
		t.gos = append(t.gos, f)
	}
	return t
}

// readTree reads the files under a folder, without what starts with a dot and
// what .gitignore names at the top.
func readTree(root string) (*tree, error) {
	ignored := map[string]bool{}
	ignore, err := os.ReadFile(path.Join(root, ".gitignore"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(ignore)) {
		ignored[strings.Trim(strings.TrimSpace(line), "/")] = true
	}
	text := map[string]string{}
	files := os.DirFS(root)
	err = fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p == ".":
			return nil
		case strings.HasPrefix(d.Name(), ".") || ignored[p]:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || strings.HasSuffix(p, ".test") || strings.HasSuffix(p, ".out"):
			return nil
		}
		data, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) || len(data) > 1<<20 {
			data = nil // a picture or the like: it has a place but no text
		}
		text[p] = string(data)
		return nil
	})
	return newTree(text), err
}

// at is "path:line".
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// imported returns the package and the name that a selector has when its left side is an imported
// package: "time" and "Now".
func (f *goFile) imported(n ast.Node) (pkg, name string, ok bool) {
	sel, isSel := n.(*ast.SelectorExpr)
	if !isSel {
		return "", "", false
	}
	x, isIdent := sel.X.(*ast.Ident)
	if !isIdent {
		return "", "", false
	}
	pkg, ok = f.names[x.Name]
	return pkg, sel.Sel.Name, ok
}

// within reports that a folder is another one or below it.
func within(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

// actorRoot is the folder of an actor, "actors/poller" of
// "actors/poller/inner"; "" outside of actors and for actors itself.
func actorRoot(dir string) string {
	parts := strings.SplitN(dir, "/", 3)
	if len(parts) < 2 || parts[0] != "actors" {
		return ""
	}
	return "actors/" + parts[1]
}
