package runtime

import (
	"context"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

var update = flag.Bool("update", false, "rewrite the drawing in package messages")

// TestPipelineGolden compares the drawing in the doc of package messages with the
// topology; -update draws it again.
func TestPipelineGolden(t *testing.T) {
	const path = "../messages/doc.go"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "// Who sends what to whom:\n//\n", "//\n// A double line"
	head, rest, ok := strings.Cut(string(doc), from)
	drawn, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no drawing between %q and %q", path, from, to)
	}
	want := drawing(t)
	if *update {
		if err := os.WriteFile(path, []byte(head+from+want+to+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if drawn != want {
		t.Errorf("%s draws\n%s\nwant the topology, which -update draws:\n%s", path, drawn, want)
	}
}

// drawing is the topology as a comment: one line an arrow, a double one for what
// is durable.
func drawing(t *testing.T) string {
	t.Helper()
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	kinds, _ := (&parts{cfg: watched(), pauses: &admin.Pauses{}}).topology()
	var b strings.Builder
	for _, row := range kinds {
		name := row.kind
		for _, arrow := range row.sends {
			for _, durable := range []bool{false, true} {
				var what []string
				for _, m := range arrow.what {
					entry, err := codec.Lookup(m)
					if err != nil {
						t.Fatal(err)
					}
					if entry.Durable == durable {
						what = append(what, reflect.TypeOf(m).Name())
					}
				}
				if len(what) > 0 {
					line := map[bool]string{false: "──", true: "══"}[durable]
					fmt.Fprintf(&b, "//\t%-13s%s%s%s► %s\n", name, line, strings.Join(what, ", "), line, arrow.kind)
					name = ""
				}
			}
		}
	}
	return b.String()
}

// A store is opened without the topology too, and what is bound to this node must
// be found in the same place.
func TestOfflineKnowsWhatIsBoundToThisNode(t *testing.T) {
	var want []string
	kinds, _ := (&parts{cfg: watched(), pauses: &admin.Pauses{}}).topology()
	for _, row := range kinds {
		if row.lives == here {
			want = append(want, row.kind)
		}
	}
	if got := slices.Sorted(slices.Values(admin.Here)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("admin.Here = %q, want the kinds that the topology says are here: %q", got, want)
	}
}

// TestTopologyTellsWhatIsSent plays a chat and looks at what goes from actor to
// actor: the table must know all of it.
func TestTopologyTellsWhatIsSent(t *testing.T) {
	window, err := drawn.New(drawn.Options{Ref: "line", Conversation: "Hana", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer window.Close()
	screen, err := drawn.NewScreen(window)
	if err != nil {
		t.Fatal(err)
	}
	cfg := watched()
	cfg.OCR.Engine, cfg.Dedup.FirstSight = config.OCRDrawn, "all"
	r, err := New(cfg,
		WithScreen("drawn", func(w config.Window) (hardware.Screen, string, error) { return screen, w.Name, nil }),
		WithRecognizer(config.OCRDrawn, func() (hardware.Recognizer, error) {
			return drawn.NewRecognizer(window),
				nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	kinds, _ := (&parts{cfg: cfg, pauses: &admin.Pauses{}}).topology()
	for _, row := range kinds {
		for _, arrow := range row.sends {
			for _, m := range arrow.what {
				known[fmt.Sprintf("%s → %s: %T", row.kind, arrow.kind, m)] = true
			}
		}
	}
	seen := map[string]bool{}
	sim, err := r.Simulate(engine.SimOptions{
		Seed: 1, Start: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), Engine: engine.Options{Store: mem.New()},
		Divert: func(env engine.Envelope) bool {
			from, to := env.From.Kind(), env.To.Kind()
			isActor := slices.ContainsFunc(kinds, func(row actorRow) bool { return row.kind == from })
			if isActor && from != to { // no answer, and no timer
				seen[fmt.Sprintf("%s → %s: %T", from, to, env.Message)] = true
			}
			return false
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	for _, change := range []func() error{
		func() error { return window.Append("Hana", drawn.Friend, "駅に着いた") },
		func() error { return window.Append("Hana", drawn.Friend, "どこにいるの") },
		func() error { return window.Edit("Hana", 0, "駅に着きました") },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		sim.Advance(time.Minute)
	}
	for what := range seen {
		if !known[what] {
			t.Errorf("%s is not in the topology", what)
		}
	}
	if len(seen) < 6 {
		t.Errorf("only %d kinds of messages went from actor to actor: %v", len(seen), seen)
	}
}

// watched is the default configuration on the node mac-a.
func watched() config.Config {
	c := config.Default()
	c.Data, c.Node = "/data", "mac-a"
	return c
}

// spawned runs one actor of the kind that a runtime has under a name.
func spawned(t *testing.T, r *Runtime, address messages.Address) *actortest.Harness {
	t.Helper()
	i := slices.IndexFunc(r.plan.kinds, func(k engine.Kind) bool { return k.Name == address.Kind() })
	if i < 0 {
		t.Fatalf("the runtime has no kind %s", address.Kind())
	}
	h := actortest.Spawn(t, r.plan.kinds[i].New, actortest.Address(address))
	h.Start()
	return h
}

// TestTopologyUsesTheRules asks each actor of a runtime for one of its numbers.
func TestTopologyUsesTheRules(t *testing.T) {
	c := watched()
	c.OCR.Engine, c.Windows[0].Structure = config.OCRDrawn, "rows"
	c.Rules.Capture.Deadline, c.Rules.Fusion.Threshold = 7*time.Second, 63
	c.Rules.Fusion.Changed = 64
	c.Rules.Ledger.FirstAtMost, c.Rules.Ingress.ShortWindow, c.Burst.Quiet = 1, 3*time.Second, 2*time.Second
	r, err := New(c, WithStructure("rows", func(config.Window) (hardware.Structure, string, error) {
		return noRows{},
			"rows", nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer r.plan.close()
	wait := actors.CallOptions{Deadline: 7 * time.Second}
	spawned(t, r, "poller/line@mac-a").WantCalls(actortest.Ask("capture", messages.CaptureWindow{Window: "line@mac-a"},
		wait))
	spawned(t, r, "structure/line@mac-a").WantCalls(actortest.Ask("structure", messages.CountRows{Window: "line@mac-a"},
		wait))

	bubbles := []messages.Bubble{
		{Side: messages.SideIncoming, Kind: messages.KindText, Text: "駅に着いた", Key: 1,
			Box: messages.Rect{X: 60, Y: 100, W: 90, H: 30}},
		{Side: messages.SideIncoming, Kind: messages.KindText, Text: "どこにいるの", Key: 2,
			Box: messages.Rect{X: 60, Y: 150, W: 90, H: 30}},
	}
	size := messages.Rect{W: 480, H: 720}
	h := spawned(t, r, "fusion/line@mac-a")
	h.Send(messages.FrameRead{Window: "line@mac-a", Title: messages.Line{Text: "Hana", Confidence: 1}, Bubbles: bubbles,
		Size: size, Scale: 1, At: h.Now()})
	if i := slices.IndexFunc(h.Sent(), func(s actortest.Sent) bool {
		d, ok := s.Message.(messages.Detection)
		return ok && d.Score == 64
	}); i < 0 {
		t.Error("fusion passed nothing on with the score 64")
	}

	h = spawned(t, r, "dedup/line:Hana")
	h.Send(messages.Detection{Window: "line@mac-a", Conversation: "line:Hana", Title: "Hana", Bubbles: bubbles,
		Size: size, Scale: 1, SeenAt: h.Now()})
	if n := len(h.Sent()); n != 1 {
		t.Errorf("the first sight of two messages passes %d on, want 1", n)
	}

	h = spawned(t, r, "ingress/line:Hana")
	heard := messages.Heard{Conversation: "line:Hana", Kind: messages.KindText, Text: "うん", Window: "line@mac-a"}
	for _, pause := range []time.Duration{0, 3 * time.Second} {
		h.Advance(pause)
		heard.Occurrence++
		heard.SeenAt = h.Now()
		h.Send(heard)
	}
	if n := len(h.Sent()); n != 2 {
		t.Errorf("of two short texts 3 s apart %d pass, want 2", n)
	}
	heard.Occurrence++
	h = spawned(t, r, "burst/line:Hana")
	h.Send(heard)
	h.WantTimer("due", 2*time.Second)
}

// noRows is a list without rows.
type noRows struct{}

func (noRows) Rows(context.Context, string) (int, error) { return 0, nil }
