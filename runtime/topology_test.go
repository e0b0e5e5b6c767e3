package runtime

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/parts"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/testkit/actortest"
)

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

// TestPlacesOfTheKinds pins where the actors of each kind live. The place decides the shard,
// and with it the stored keys of a kind's rows, mail and timers: what was stored under the old
// place is not looked for under the new one. A kind changes its place only together with a
// migration of what is stored, and with a data directory of the version before it in
// testdata/older.
func TestPlacesOfTheKinds(t *testing.T) {
	want := map[string]place{
		messages.ActorPoller:       here,
		messages.ActorStructure:    here,
		messages.ActorFusion:       here,
		messages.ActorDirectory:    anywhere,
		messages.ActorDedup:        anywhere,
		messages.ActorIngress:      anywhere,
		messages.ActorBurst:        anywhere,
		messages.ActorConversation: anywhere,
		messages.ActorJudge:        anywhere,
		messages.ActorRecall:       anywhere,
		messages.ActorGrowth:       anywhere,
		messages.ActorInsight:      anywhere,
		messages.ActorProject:      anywhere,
		messages.ActorOwner:        here,
		messages.ActorOutbound:     here,
		messages.ActorCatchUp:      here,
		messages.ActorKeyboard:     here,
		messages.ActorStall:        here,
		messages.ActorCamera:       here,
		messages.ActorUsage:        here,
		messages.ActorFocus:        here,
		messages.ActorHistory:      here,
		messages.ActorNotifier:     here,
	}
	rows, _ := topology(&parts.Parts{Config: watched(), Pauses: &pause.State{}})
	got := map[string]place{}
	for _, row := range rows {
		got[row.kind] = row.lives
	}
	if !maps.Equal(got, want) {
		t.Errorf("here is false, anywhere true: the kinds live in %v, want %v: another place needs a migration",
			got, want)
	}
}

// TestWhoAsksAModelKeepsToItsZone: a conversation that began where no question may leave the machine must
// not be asked about where one may.
func TestWhoAsksAModelKeepsToItsZone(t *testing.T) {
	rows, _ := topology(&parts.Parts{Config: watched(), Pauses: &pause.State{}})
	models := []string{messages.WorkerLLM, messages.WorkerLearner, messages.WorkerEmbedder}
	for _, row := range rows {
		asks := slices.ContainsFunc(arrows()[row.kind], func(a arrow) bool { return slices.Contains(models, a.kind) })
		if row.lives == anywhere && row.with.asks != asks {
			t.Errorf("%s keeps to its zone: %v, and asks a model: %v", row.kind, row.with.asks, asks)
		}
	}
}

// TestTopologyUsesTheRules asks each actor of a runtime for one of its numbers.
func TestTopologyUsesTheRules(t *testing.T) {
	c := watched()
	c.Data = t.TempDir()
	c.OCR.Engine, c.Windows[0].Structure = config.OCRDrawn, "rows"
	c.Rules.Capture.Deadline, c.Rules.Fusion.Threshold = 7*time.Second, 63
	c.Rules.Fusion.Changed = 64
	c.Rules.Ledger.FirstAtMost, c.Rules.Ingress.ShortWindow, c.Burst.Quiet = 1, 3*time.Second, 2*time.Second
	r, err := New(c, WithStructure("rows", func(config.Window) (hardware.Structure, string, error) {
		return noRows{}, "rows", nil
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
	h.Send(messages.FrameRead{Window: "line@mac-a", Title: messages.Line{Text: "Hana"}, Bubbles: bubbles,
		Size: size, Scale: 1, At: h.Now()})
	h.Send(messages.Identified{Window: "line@mac-a", At: h.Now(), Conversation: "line:Hana", Name: "Hana"})
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
	heard := messages.IncomingBubble{
		Conversation: "line:Hana", Kind: messages.KindText, Text: "うん", Window: "line@mac-a",
	}
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
