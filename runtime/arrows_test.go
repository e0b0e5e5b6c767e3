package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// link is an arrow of one message type.
type link struct{ from, to, what string }

func (l link) String() string { return fmt.Sprintf("%s → %s: %s", l.from, l.to, l.what) }

// links are the arrows that go out of one kind.
func links(from string, out sends) (list []link) {
	for _, arrow := range out {
		for _, m := range arrow.what {
			list = append(list, link{from, arrow.kind, fmt.Sprintf("%T", m)})
		}
	}
	return list
}

// TestArrowsAreTrue compares the arrows of the topology with the source of the actors,
// and where that does not name who gets a message, with what a played day sends: what
// is declared is sent, what is sent is declared, and who is sent something takes it.
func TestArrowsAreTrue(t *testing.T) {
	if testing.Short() { // it reads source, on one goroutine
		return
	}
	r, kinds, workers := everything(t)
	source := map[string]facts{} // by kind
	read := sourcesOf(t, kinds, workers)
	declared := map[link]bool{}
	add := func(list []link) {
		for _, l := range list {
			declared[l] = true
		}
	}
	for _, row := range kinds {
		source[row.kind] = read[packageOf(row.make(messages.To(row.kind, "line@mac-a")))]
	}
	for _, row := range workers {
		add(links(row.kind, answers(kinds, row)))
	}
	for kind, out := range arrows() {
		add(links(kind, out))
	}
	seen := play(t, r, kinds, workers)

	t.Run("sent", func(t *testing.T) {
		wantDeclared(t, declared, source, seen)
	})
	t.Run("declared", func(t *testing.T) {
		answered := map[string]bool{}
		for _, row := range workers {
			if w, err := row.make(); err == nil && read[packageOf(w)].made[fmt.Sprintf("%T", row.answers)] {
				answered[row.kind] = true
			}
		}
		for l := range declared {
			f, isActor := source[l.from]
			switch {
			case seen[l], isActor && f.sent[[2]string{l.to, l.what}]:
			case l.from == host && fromOutside(read, l):
			case !isActor && answered[l.from]:
			case l.to == host && (f.published[l.what] || f.sent[[2]string{"", l.what}]):
			default:
				t.Errorf("%s is declared, but nothing sends it", l)
			}
		}
	})
	t.Run("taken", func(t *testing.T) { wantTaken(t, declared, source) })
}

// wantDeclared checks that the topology knows all that actors send, publish for good,
// or have sent in a played day.
func wantDeclared(t *testing.T, declared map[link]bool, source map[string]facts, seen map[link]bool) {
	stored := durable()
	for l := range seen {
		if !declared[l] {
			t.Errorf("%s was sent, and is not declared", l)
		}
	}
	for kind, f := range source {
		for s := range f.sent {
			l := link{kind, s[0], s[1]}
			if l.to == "" && !slices.ContainsFunc(slices.Collect(maps.Keys(declared)), func(d link) bool {
				return d.from == kind && d.what == l.what
			}) {
				t.Errorf("%s sends %s, to whom it computes, and no such arrow is declared", kind, l.what)
			}
			if l.to != "" && !declared[l] {
				t.Errorf("%s is sent, and is not declared", l)
			}
		}
		for what := range f.published {
			if l := (link{kind, host, what}); stored[what] && !declared[l] {
				t.Errorf("%s is published for good, and is not declared", l)
			}
		}
	}
}

// wantTaken checks that an actor takes what it is sent, and is sent what it takes.
func wantTaken(t *testing.T, declared map[link]bool, source map[string]facts) {
	for l := range declared {
		if f, ok := source[l.to]; ok && !f.taken[l.what] && !source[l.from].called[[2]string{l.to, l.what}] {
			t.Errorf("%s is declared, but %s does not take it", l, l.to)
		}
	}
	for kind, f := range source {
		for what := range f.taken {
			if f.timers[what] || what == "messages.Started" || what == "messages.CallFailed" {
				continue
			}
			if what == "messages.LLMProgress" && f.called[[2]string{messages.WorkerLLM, "messages.AskLLM"}] {
				continue // a worker's report of a call, which its answer stands for
			}
			if what == "messages.SendDone" && source[messages.ActorOutbound].taken == nil {
				continue // from an actor that types, which a host may bring
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(declared)), func(l link) bool {
				return l.to == kind && l.what == what
			}) {
				t.Errorf("%s takes %s, and nobody is declared to send it", kind, what)
			}
		}
	}
}

// fromOutside says whether the runtime injects what an arrow from the host tells: to
// that kind, or, where the source does not name the kind, to one that it computes.
func fromOutside(read map[string]facts, l link) bool {
	named, made := false, false
	for path, f := range read {
		if !strings.Contains(path, "/runtime") {
			continue
		}
		if f.injected[[2]string{l.to, l.what}] {
			return true
		}
		for i := range f.injected {
			named = named || i[0] != "" && i[1] == l.what
		}
		made = made || f.made[l.what]
	}
	return made && !named
}

// everything is a runtime in which each row is on.
func everything(t *testing.T) (*Runtime, []actorRow, []workerRow) {
	t.Helper()
	o := drawn.DefaultOptions(time.Now)
	o.Ref = "line"
	window, err := drawn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { window.Close() })
	screen, err := drawn.NewScreen(window)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []messages.Text{"駅に着いた", "どこにいるの"} {
		if err := window.Append("Hana", drawn.Friend, text); err != nil {
			t.Fatal(err)
		}
	}
	cfg := watched()
	cfg.OCR.Engine, cfg.Dedup.FirstSight = config.OCRDrawn, "all"
	cfg.Windows[0].Structure, cfg.Focus.Enabled, cfg.Focus.Usage = "rows", true, "person"
	cfg.Memory.Embedder, cfg.Memory.Embedding.Model = "ollama", "nobody answers"
	r, err := New(cfg,
		WithScreen("drawn", func(w config.Window) (hardware.Screen, string, error) { return screen, w.Name, nil }),
		WithTypist("drawn", "drawn", func(config.Window) (hardware.Typist, error) {
			return drawn.NewTypist(window), nil
		}),
		WithStructure("rows", func(config.Window) (hardware.Structure, string, error) {
			return noRows{}, "rows", nil
		}),
		WithUsage("person", func() (hardware.Usage, error) { return person{}, nil }),
		WithNotifier(person{}),
		WithRecognizer(config.OCRDrawn, func() (hardware.Recognizer, error) {
			return drawn.NewRecognizer(window), nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	var p plan
	made, err := r.open(&p)
	if err != nil {
		t.Fatal(err)
	}
	kinds, workers := topology(made)
	for _, row := range kinds {
		if !row.on {
			t.Errorf("the actors %s are off: configure everything", row.kind)
		}
	}
	for _, row := range workers {
		if !row.on {
			t.Errorf("the workers %s are off: configure everything", row.kind)
		}
	}
	return r, kinds, workers
}

// person presses keys now and then, and is shown notices.
type person struct{}

func (person) ActiveApp(context.Context) (hardware.App, error) {
	return hardware.App{Name: "Code"}, nil
}
func (person) Idle(context.Context) (time.Duration, error)  { return 30 * time.Second, nil }
func (person) Notify(context.Context, string, string) error { return nil }
func (person) Input(context.Context) (hardware.Input, error) {
	return hardware.Input{Keys: 1, SinceKey: 30 * time.Second}, nil
}

// play has a chat read while somebody falls asleep before it, and tells what went from
// whom to whom. Timers, and what actors ask of workers, are not mail.
func play(t *testing.T, r *Runtime, kinds []actorRow, workers []workerRow) map[link]bool {
	t.Helper()
	seen := map[link]bool{}
	var hana messages.ConversationID
	known := func(kind string) bool {
		return slices.ContainsFunc(kinds, func(row actorRow) bool { return row.kind == kind }) ||
			slices.ContainsFunc(workers, func(row workerRow) bool { return row.kind == kind })
	}
	sim, err := r.Simulate(engine.SimOptions{
		Seed: 1, Start: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), Engine: engine.Options{Store: mem.New()},
		Divert: func(env engine.Envelope) bool {
			if d, ok := env.Message.(messages.Detection); ok {
				hana = d.Conversation
			}
			if env.From != env.To && known(env.From.Kind()) && !isFailure(env.Message) {
				seen[link{env.From.Kind(), env.To.Kind(), fmt.Sprintf("%T", env.Message)}] = true
			}
			return false
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	sim.Advance(30 * time.Second)
	err = sim.Deliver("outbound/line@mac-a", messages.SendReply{Conversation: hana, Window: "line@mac-a",
		Key: "day", Text: "改札の前にいます"})
	if err != nil {
		t.Fatal(err)
	}
	err = sim.Deliver("catchup/line@mac-a", messages.CatchUp{Conversation: hana, Window: "line@mac-a",
		At: time.Date(2026, 1, 1, 9, 0, 30, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	for range 36 {
		asleep := messages.CameraSnapshot{FaceDetected: messages.Just(true), PerclosDrowsy: messages.Just(true),
			Yawning: messages.Just(true)}
		if err := sim.Deliver("camera/mac-a", asleep); err != nil {
			t.Fatal(err)
		}
		sim.Advance(5 * time.Second)
	}
	return seen
}

func isFailure(m messages.Message) bool { _, failed := m.(messages.CallFailed); return failed }

// facts are what the source of a package says about messages, by their Go types.
type facts struct {
	sent      map[[2]string]bool // to a kind; "" is one that is computed
	called    map[[2]string]bool // those of sent that are calls
	injected  map[[2]string]bool // from outside of the actors
	published map[string]bool
	timers    map[string]bool
	taken     map[string]bool // cases of Receive
	made      map[string]bool // composite literals
}

func packageOf(v any) string {
	typ := reflect.TypeOf(v)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	return typ.PkgPath()
}

// sourcesOf reads the packages of the actors and workers, and of the runtime.
func sourcesOf(t *testing.T, kinds []actorRow, workers []workerRow) map[string]facts {
	t.Helper()
	const module = "github.com/kehai-run/kehai"
	paths := []string{module + "/runtime", module + "/runtime/admin", module + "/runtime/names",
		module + "/runtime/pause", module + "/runtime/feed"}
	for _, row := range kinds {
		paths = append(paths, packageOf(row.make(messages.To(row.kind, "line@mac-a"))))
	}
	for _, row := range workers {
		w, err := row.make()
		if err != nil {
			t.Fatalf("make a worker %s: %v", row.kind, err)
		}
		paths = append(paths, packageOf(w))
	}
	slices.Sort(paths)
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export"},
		slices.Compact(paths)...)...)
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	type goPackage struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	all := map[string]goPackage{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(all[path].Export)
	})
	read := map[string]facts{}
	for _, path := range slices.Compact(paths) {
		var files []*ast.File
		for _, name := range all[path].GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(all[path].Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		if _, err := (&types.Config{Importer: imports}).Check(path, fset, files, info); err != nil {
			t.Fatal(err)
		}
		read[path] = factsOf(t, info, files)
	}
	return read
}

func factsOf(t *testing.T, info *types.Info, files []*ast.File) facts {
	f := facts{
		map[[2]string]bool{}, map[[2]string]bool{}, map[[2]string]bool{},
		map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{},
	}
	name := func(e ast.Expr) string {
		return types.TypeString(info.Types[e].Type, func(p *types.Package) string { return p.Name() })
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			f.made[name(n)] = true
		case *ast.FuncDecl:
			if n.Name.Name == "Receive" && n.Recv != nil {
				takes(n, name, f.taken)
			}
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && sel.Sel.Name == "Inject" && len(n.Args) == 4 {
				f.injected[[2]string{kindOf(info, n.Args[1]), name(n.Args[2])}] = true
			}
			if !ok || info.Types[sel.X].Type == nil || name(sel.X) != "*actors.Turn" {
				break
			}
			switch sel.Sel.Name {
			case "Send", "Call":
				s := [2]string{kindOf(info, n.Args[0]), name(n.Args[1])}
				f.sent[s], f.called[s] = true, sel.Sel.Name == "Call"
			case "After":
				f.timers[name(n.Args[2])] = true
			case "Publish":
				f.published[name(n.Args[0])] = true
			}
		}
		return true
	}
	for _, file := range files {
		ast.Inspect(file, visit)
	}
	return f
}

// takes collects the cases of a type switch on messages.
func takes(receive *ast.FuncDecl, name func(ast.Expr) string, taken map[string]bool) {
	ast.Inspect(receive, func(n ast.Node) bool {
		if s, ok := n.(*ast.TypeSwitchStmt); ok {
			for _, c := range s.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					taken[name(e)] = true
				}
			}
			return false
		}
		return true
	})
}

// kindOf is the kind that a worker's name or messages.To names; "" of what is computed.
func kindOf(info *types.Info, e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 2 {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "To" {
			e = call.Args[0]
		}
	}
	if v := info.Types[e].Value; v != nil {
		return constant.StringVal(v)
	}
	return ""
}
