package live

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// forbidden are identifiers of protoactor that must not be used, and why.
var forbidden = map[string]string{
	"Stash": "it is replayed on restart only, in reverse, without senders: mail waits " +
		"in the engine",
	"SetReceiveTimeout":                  "it changes the context from the timer's goroutine: use Engine.After",
	"CancelReceiveTimeout":               "see SetReceiveTimeout",
	"RequestFuture":                      "a future wakes one of its waiters only: post a message to the asker",
	"StopFuture":                         "see RequestFuture: wait for the supervisor's down",
	"PoisonFuture":                       "see RequestFuture: wait for the supervisor's down",
	"NewFuture":                          "see RequestFuture",
	"ReenterAfter":                       "its closure may run for an incarnation that is gone",
	"NewRestartingStrategy":              "it restarts at once and for ever: the supervisor is the strategy",
	"RestartingSupervisorStrategy":       "see NewRestartingStrategy",
	"NewExponentialBackoffStrategy":      "it is neither exponential nor capped: the supervisor is the strategy",
	"NewOneForOneStrategy":               "it ends in a silent stop: the supervisor is the strategy",
	"NewAllForOneStrategy":               "it panics below a guardian: the supervisor is the strategy",
	"DefaultSupervisorStrategy":          "it ends in a silent stop: the supervisor is the strategy",
	"Bounded":                            "it spins when full: activations bound their mail",
	"BoundedDropping":                    "it drops silently: activations bound their mail",
	"Unbounded":                          "it grows without bound: use newMailbox",
	"UnboundedLockfree":                  "it grows without bound: use newMailbox",
	"UnboundedPriority":                  "it ignores the priority of requests",
	"UnboundedPriorityMpsc":              "it ignores the priority of requests",
	"WithMetricProviders":                "it registers a callback per actor and never removes it",
	"WithDefaultPrometheusProvider":      "it serves HTTP on every interface",
	"WithDeveloperSupervisionLogging":    "it prints to standard output",
	"Shutdown":                           "it stops nothing and panics the second time: System.Stop",
	"NewDefaultDispatcher":               "it starts a goroutine per wake-up: use the dispatcher",
	"NewSynchronizedDispatcher":          "it runs actors on the sender's goroutine",
	"Spawn":                              "a child without its address as name: use supervisor.spawn",
	"SpawnPrefix":                        "a child without its address as name: use supervisor.spawn",
	"github.com/asynkron/protoactor-go/": "only its packages actor and eventstream",
}

// allowedIn are the files that may use what is forbidden elsewhere.
var allowedIn = map[string][]string{
	"Root": {"system.go"}, // the guardian is the only actor that the root context spawns
}

// protoactor is what this package may import of it.
var protoactor = []string{"github.com/asynkron/protoactor-go/actor", "github.com/asynkron/protoactor-go/eventstream"}

// breaches lists what a source file uses against the rules.
func breaches(name string, src any) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, 0)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		ok := !strings.HasPrefix(path, "github.com/asynkron/protoactor-go")
		for _, p := range protoactor {
			ok = ok || path == p
		}
		if !ok {
			found = append(found, path+": "+forbidden["github.com/asynkron/protoactor-go/"])
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		at := fset.Position(sel.Pos()).String()
		if why, bad := forbidden[sel.Sel.Name]; bad {
			found = append(found, at+" uses "+sel.Sel.Name+": "+why)
		}
		if files, limited := allowedIn[sel.Sel.Name]; limited && files[0] != filepath.Base(name) {
			found = append(found, at+" uses "+sel.Sel.Name+": only "+files[0]+" may")
		}
		return true
	})
	return found, nil
}

func TestOnlyTheSoundPartsOfProtoactorAreUsed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found, err := breaches(name, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			t.Error(f)
		}
		checked++
	}
	if checked < 5 {
		t.Errorf("checked %d files, want the package's", checked)
	}
}

func TestTheGuardFindsBreaches(t *testing.T) {
	for src, want := range map[string]int{
		`package p; import "github.com/asynkron/protoactor-go/persistence"; var _ = persistence.Using`:                            1,
		`package p; import "github.com/asynkron/protoactor-go/scheduler"; var _ = scheduler.NewTimerScheduler`:                    1,
		`package p; import "github.com/asynkron/protoactor-go/actor"; func f(c actor.Context) { c.Stash() }`:                      1,
		`package p; import "github.com/asynkron/protoactor-go/actor"; func f(s *actor.ActorSystem) { s.Root.Spawn(nil) }`:         2,
		`package p; import "github.com/asynkron/protoactor-go/actor"; func f(c actor.Context) { c.SpawnNamed(nil, "a") }`:         0,
		`package p; import "github.com/asynkron/protoactor-go/actor"; var _ = actor.NewRestartingStrategy; var _ = actor.Bounded`: 2,
	} {
		if found, err := breaches("other.go", src); err != nil || len(found) != want {
			t.Errorf("breaches(%s) = %q, %v, want %d", src, found, err, want)
		}
	}
}
