package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxColumns  = 120  // a tab counts as four
	maxFunction = 60   // lines, from func to the closing brace
	maxExample  = 80   // lines of a program in testkit/examples
	maxRoot     = 2000 // lines of package runtime
	maxFiles    = 15   // of package runtime

	// excuse is how the doc comment of a longer function begins its reason.
	excuse = "is long because"
)

// unbreakable matches lines that nobody can break: an address alone, and what
// speaks to the Go command.
var unbreakable = regexp.MustCompile(`^\s*(//\s*)?\S+://\S+$|^//go:`)

// linesFit checks that no line of Go, JavaScript or CSS is wider than a screen. What a
// generator wrote is its own affair, and so are the texts in testdata folders and, in tests,
// long ones between backquotes: what is compared stands there as it is.
func linesFit(t *tree) (found []string) {
	check := func(path string, skipped map[int]bool) {
		number := 0
		for line := range strings.Lines(t.text[path]) {
			number++
			line = strings.TrimSuffix(line, "\n")
			columns := columnsOf(line)
			if columns > maxColumns && !skipped[number] && !unbreakable.MatchString(line) {
				found = append(found, fmt.Sprintf("%s:%d: %d columns: break the line, no later than after %d",
					path, number, columns, maxColumns))
			}
		}
	}
	for _, f := range t.gos {
		if ast.IsGenerated(f.syntax) {
			continue
		}
		quoted := map[int]bool{}
		if f.test {
			quoted = t.quoted(f)
		}
		check(f.path, quoted)
	}
	for _, p := range slices.Sorted(maps.Keys(t.text)) {
		if ext := path.Ext(p); (ext == ".js" || ext == ".css") && !strings.Contains("/"+p, "/testdata/") {
			check(p, nil)
		}
	}
	return found
}

func columnsOf(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }

// quoted are the lines of a file that consist of a text between backquotes for more
// than a third of a screen.
func (t *tree) quoted(f *goFile) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
			first := t.fset.Position(lit.Pos()).Line
			for i, part := range strings.Split(lit.Value, "\n") {
				if columnsOf(part) > maxColumns/3 {
					lines[first+i] = true
				}
			}
		}
		return true
	})
	return lines
}

// functionsFit checks that a function of production code can be read at once, or
// that its doc comment says why not.
func functionsFit(t *tree) (found []string) {
	for _, f := range t.gos {
		if f.test || ast.IsGenerated(f.syntax) {
			continue
		}
		for _, decl := range f.syntax.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := t.fset.Position(d.End()).Line - t.fset.Position(d.Pos()).Line + 1
			doc := strings.Join(strings.Fields(d.Doc.Text()), " ")
			if lines > maxFunction && !strings.Contains(doc, excuse+" ") {
				found = append(found, fmt.Sprintf("%s: %s has %d lines: take steps out of it that have a name, "+
					"or say in its comment that it %s …", t.at(d), d.Name.Name, lines, excuse))
			}
		}
	}
	return found
}

// filesFit checks that an example can be read at once, and that package runtime stays
// what a host calls. What is longer has a part that stands on its own.
func filesFit(t *tree) (found []string) {
	root, files := 0, 0
	for _, f := range t.gos {
		lines := strings.Count(t.text[f.path], "\n")
		switch dir := path.Dir(f.path); {
		case f.test:
		case path.Dir(dir) == "testkit/examples" && lines > maxExample:
			found = append(found, fmt.Sprintf("%s has %d lines: an example has at most %d", f.path, lines, maxExample))
		case dir == "runtime":
			root, files = root+lines, files+1
		}
	}
	if root > maxRoot || files > maxFiles {
		found = append(found, fmt.Sprintf("package runtime has %d lines in %d files, at most %d in %d: what a host "+
			"does not call belongs in a package below it", root, files, maxRoot, maxFiles))
	}
	return found
}
