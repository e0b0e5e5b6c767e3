package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// impure are packages whose use makes a rule depend on more than its arguments. What
// makes a constant at its first use, as sync.OnceValue does, is as good as one.
var impure = []string{
	"os", "net", "sync", "context", "log", "github.com/rs/zerolog",
}

// clockwork are the functions of package time that read or wait for the clock.
var clockwork = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// workerFile reports that a file belongs to a worker, which may block.
func workerFile(name string) bool {
	return name == "worker.go" || strings.HasPrefix(name, "worker_")
}

// rulesArePure checks the files of actors: only actor.go and actor_*.go see a
// turn, and only workers may use what blocks, shares or reads the clock.
func rulesArePure(t *tree) (found []string) {
	for _, f := range t.gos {
		if f.test || actorRoot(f.dir) == "" {
			continue
		}
		for _, full := range f.imports {
			for _, p := range impure {
				if (full == p || strings.HasPrefix(full, p+"/")) && !workerFile(f.name) && !f.onlyOnce(full) {
					found = append(found, fmt.Sprintf("%s: imports %s: take what it needs as an argument, "+
						"or move the work to worker.go (or worker_*.go)", f.path, full))
				}
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			pkg, name, ok := f.imported(n)
			switch {
			case !ok:
			case pkg == "time" && slices.Contains(clockwork, name) && !workerFile(f.name):
				found = append(found, fmt.Sprintf("%s: time.%s: take now as an argument; only actor.go knows it, "+
					"from Turn.Now", t.at(n), name))
			case pkg == module+"/actors" && name == "Turn" && f.name != "actor.go" &&
				!strings.HasPrefix(f.name, "actor_"):
				found = append(found, fmt.Sprintf("%s: actors.Turn: return a decision here, "+
					"and let actor.go carry it out", t.at(n)))
			}
			return true
		})
	}
	return found
}

// computing are packages that the race run leaves uninstrumented (COMPUTES of the Makefile).
var computing = []string{"actors/dedup/ledger", "actors/ocr/emojifont", "actors/ocr/segment", "actors/text"}

const computesLine = "$(addprefix " + module + "/actors/,dedup/ledger ocr/emojifont ocr/segment text/...)"

// computingIsAlone checks that what the race detector does not look at has nothing for it to find:
// no goroutine, channel, lock or atomic value.
func computingIsAlone(t *tree) (found []string) {
	if text, ok := t.text["Makefile"]; ok && !strings.Contains(text, computesLine) {
		found = append(found, "Makefile: COMPUTES and the packages looked at here differ: name the same")
	}
	for _, f := range t.gos {
		if f.test || !slices.ContainsFunc(computing, func(dir string) bool { return within(f.dir, dir) }) {
			continue
		}
		for _, full := range f.imports {
			if full == "sync" || full == "sync/atomic" {
				found = append(found, fmt.Sprintf("%s: imports %s: take the package out of COMPUTES", f.path, full))
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.GoStmt, *ast.ChanType:
				found = append(found, t.at(n)+": goroutines: take the package out of COMPUTES")
			}
			return true
		})
	}
	return found
}

// onlyOnce reports that a file uses package sync for constants alone.
func (f *goFile) onlyOnce(full string) bool {
	once := full == "sync"
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if pkg, name, ok := f.imported(n); ok && pkg == "sync" && !onceFunc(name) {
			once = false
		}
		return once
	})
	return once
}

// testsNeverWait checks that no test sleeps or is skipped. A sleep in a bubble
// of synctest costs no time, so a file that uses one may.
func testsNeverWait(t *tree) (found []string) {
	for _, f := range t.gos {
		if !f.test {
			continue
		}
		bubble := f.names["synctest"] == "testing/synctest"
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if pkg, name, ok := f.imported(n); ok && pkg == "time" && name == "Sleep" && !bubble {
				found = append(found, t.at(n)+
					": time.Sleep: wait for the event itself (a channel, a commit), step the actor, "+
					"or use testing/synctest")
			}
			if sel, ok := n.(*ast.SelectorExpr); ok &&
				(sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "SkipNow") {
				if x, ok := sel.X.(*ast.Ident); ok &&
					(x.Name == "t" || x.Name == "b" || x.Name == "f" || x.Name == "tb") {
					found = append(found, t.at(n)+": "+x.Name+"."+sel.Sel.Name+
						": make the test run everywhere, or put it behind a build tag that a make target sets")
				}
			}
			return true
		})
	}
	return found
}
