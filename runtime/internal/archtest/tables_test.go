package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
)

// tablesOnce checks that only an actor (or an example of one) declares tables, each name once in its
// folder and below: two declarations could come to disagree about the form of a row.
func tablesOnce(t *tree) (found []string) {
	known := map[string]string{} // where, by actor and name
	for _, f := range t.gos {
		if f.test {
			continue
		}
		owner := actorRoot(f.dir)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			pkg, name, _ := f.imported(n)
			if pkg == module+"/actors" && name == "NewTable" && owner == "" && !within(f.dir, "testkit/examples") {
				found = append(found, t.at(n)+": a table outside of actors: export that of its actor, and read by it")
			}
			if _, call := n.(*ast.CallExpr); !call || f.stored(n) == nil {
				return true
			}
			key := cmp.Or(owner, f.dir) + " " + f.stored(n).Value
			if at := known[key]; at != "" {
				found = append(found, fmt.Sprintf("%s: a second table %s beside %s: declare it once", t.at(n),
					f.stored(n).Value, at))
			}
			known[key] = t.at(n)
			return true
		})
	}
	return found
}
