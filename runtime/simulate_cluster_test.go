package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// sendingWorld is three simulated machines. The first one shows a conversation, in which it answers what a
// friend asks; each step of that can meet a fault.
type sendingWorld struct {
	*testkit.Machines
	window *drawn.Window
	screen *drawn.Screen
	stores []*mem.Store

	fault  fault
	at     int // the step at which it begins
	steps  int // since the answer was handed out to be sent; -1: it was not
	began  time.Time
	struck bool
	hands  int  // calls of the hands under way
	alone  bool // the machine was cut off when the last of them began
	failed error
	done   []messages.SendDone
}

// fault is done to the machine that sends, for a while.
type fault struct {
	name string
	do   func(*sendingWorld) error
	last time.Duration
	end  func(*sendingWorld) error
	cuts bool // no majority hears the machine, or it hears none
	lost bool // with the machine the answer may be lost
}

const sender = 0 // the machine with the window

var sendingFaults = []fault{
	{name: "killed", do: (*sendingWorld).kill, last: 3 * time.Second, end: (*sendingWorld).restart},
	{name: "paused", do: func(w *sendingWorld) error { w.Pause(sender); return nil }, last: 8 * time.Second,
		end: func(w *sendingWorld) error { w.Unpause(sender); return nil }},
	{name: "cut off", do: func(w *sendingWorld) error { w.Isolate(sender); return nil }, last: 8 * time.Second,
		end: (*sendingWorld).Heal, cuts: true},
	{name: "not heard", do: func(w *sendingWorld) error { w.Cut(sender, 1); w.Cut(sender, 2); return nil },
		last: 8 * time.Second, end: (*sendingWorld).Heal, cuts: true},
	{name: "hears nobody", do: func(w *sendingWorld) error { w.Cut(1, sender); w.Cut(2, sender); return nil },
		last: 8 * time.Second, end: (*sendingWorld).Heal, cuts: true},
	{name: "killed, and another cut off", do: func(w *sendingWorld) error { w.Isolate(1); return w.kill() },
		last: 5 * time.Second, end: (*sendingWorld).Heal},
	{name: "replaced by a new machine", do: (*sendingWorld).kill, last: 3 * time.Second, end: (*sendingWorld).replace,
		lost: true},
}

func (w *sendingWorld) kill() error    { w.Kill(sender); return nil }
func (w *sendingWorld) restart() error { return w.Restart(sender) }

func (w *sendingWorld) replace() error {
	w.stores[sender] = mem.New()
	replaced, err := w.Replace(sender)
	if err == nil && !replaced {
		err = errors.New("the others have no leader")
	}
	return err
}

const (
	asked    = "明日は何時にどこで会いますか"
	answered = "15時に渋谷駅で会いましょう"
)

// answers is a model that always gives the same answer.
type answers struct{}

func (answers) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	if q.Purpose == "judge" {
		return runtime.LLMReply{Text: `{"should_respond": true, "confidence": 0.9, "reason": "asked"}`}, nil
	}
	return runtime.LLMReply{Text: answered, Model: "scripted"}, nil
}

func newSendingWorld(t *testing.T, seed uint64) *sendingWorld {
	t.Helper()
	w := &sendingWorld{steps: -1}
	o := engine.SimClusterOptions{Seed: seed, Start: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), Between: w.between}
	for i := range 3 {
		o.Nodes = append(o.Nodes, fmt.Sprint("mac-", i))
		w.stores = append(w.stores, mem.New())
	}
	o.Node = func(name string) engine.SimOptions {
		return engine.SimOptions{Latency: 200 * time.Millisecond,
			Engine: engine.Options{Store: w.stores[name[len(name)-1]-'0'], Sync: true}}
	}
	look := drawn.DefaultOptions(func() time.Time {
		if w.Machines == nil {
			return o.Start
		}
		return w.Now()
	})
	look.Ref, look.Fonts = "line", drawn.FindFonts()
	var err error
	if w.window, err = drawn.New(look); err != nil {
		t.Fatal(err)
	}
	if w.screen, err = drawn.NewScreen(w.window); err != nil {
		t.Fatal(err)
	}
	if w.Machines, err = testkit.SimulateCluster(o, w.machine); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	w.Advance(5 * time.Second)
	return w
}

// machine makes what a node runs. Only the first one has a window.
func (w *sendingWorld) machine(node string) (*runtime.Runtime, error) {
	cfg := config.Default()
	cfg.Node, cfg.OCR.Engine, cfg.Dedup.FirstSight = node, config.OCRDrawn, "all"
	cfg.Replies.Policy, cfg.Replies.Auto = "auto", []string{"line:Hana"}
	if node != "mac-0" {
		cfg.Windows = nil
	}
	return runtime.New(cfg,
		runtime.WithLLM(answers{}), runtime.WithLocalLLM(),
		runtime.WithScreen("drawn", func(config.Window) (hardware.Screen, string, error) {
			return w.screen, "line", nil
		}),
		runtime.WithTypist("drawn", "drawn", func(config.Window) (hardware.Typist, error) {
			return faultyHands{drawn.NewTypist(w.window), w}, nil
		}),
		runtime.WithWorkerWrapper(w.counted),
		runtime.WithRecognizer(config.OCRDrawn,
			func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w.window), nil }),
		runtime.WithListener(func(ev runtime.Event) {
			switch m := ev.Message.(type) {
			case messages.ReplyChanged:
				if m.State == messages.ReplySending {
					w.steps = max(w.steps, 0)
				}
			case messages.SendDone:
				w.done = append(w.done, m)
			}
		}))
}

// between begins and ends the fault.
func (w *sendingWorld) between() {
	if w.steps < 0 || w.failed != nil {
		return
	}
	w.steps++
	switch {
	case w.fault.do == nil:
	case w.steps == w.at:
		w.struck, w.began = true, w.Now()
		w.failed = w.fault.do(w)
	case w.struck && w.Now().Sub(w.began) >= w.fault.last && (w.hands == 0 || !w.Dead(sender)): // the dead leave first
		w.struck = false
		w.failed = w.fault.end(w)
	}
}

// counted says how many calls of the hands are under way.
func (w *sendingWorld) counted(kind string, worker actors.Worker) actors.Worker {
	if kind != messages.WorkerHands {
		return worker
	}
	return actors.WorkerFunc(func(ctx context.Context, m messages.Message) (messages.Message, error) {
		w.hands++
		defer func() { w.hands-- }()
		w.alone = w.struck && w.fault.cuts
		return worker.Do(ctx, m)
	})
}

// faultyHands are hands before and after each of whose keys there is a step too.
type faultyHands struct {
	*drawn.Typist
	w *sendingWorld
}

func (h faultyHands) Type(ctx context.Context, ref, text string) error {
	return h.press(true, func() error { return h.Typist.Type(ctx, ref, text) })
}

func (h faultyHands) Press(ctx context.Context, ref string, key hardware.Key) error {
	return h.press(key == hardware.KeyEnter, func() error { return h.Typist.Press(ctx, ref, key) })
}

// press presses a key unless the machine is dead; one that stands still presses it later. A machine that is cut
// off gets no lease for one that sends something.
func (h faultyHands) press(sends bool, key func() error) error {
	w := h.w
	if sends && w.struck && w.alone {
		w.failed = fmt.Errorf("a key was pressed %v after the machine was cut off", w.Now().Sub(w.began))
	}
	w.between()
	for w.Paused(sender) {
		w.Advance(100 * time.Millisecond)
	}
	if w.Dead(sender) {
		return errors.New("the machine is dead")
	}
	err := key()
	w.between()
	return err
}

// sent is how often the answer stands in the conversation.
func (w *sendingWorld) sent() (n int) {
	for _, m := range w.window.Transcript("Hana") {
		if m.Who == drawn.Me && m.Text == answered {
			n++
		}
	}
	return n
}

// play asks the question, and lets everything come to its end.
func (w *sendingWorld) play() error {
	if err := w.window.Switch("Hana"); err != nil {
		return err
	}
	err := w.window.Apply(drawn.Change{Op: drawn.OpAppend, Conversation: "Hana", Who: drawn.Friend, Text: asked})
	if err != nil {
		return err
	}
	for range 300 {
		w.Advance(time.Second)
		if w.failed != nil {
			return w.failed
		}
		if n := w.sent(); n > 1 {
			return fmt.Errorf("the answer was sent %d times", n)
		}
		if len(w.done) > 0 && !w.struck && w.steps >= w.at {
			break
		}
	}
	if n := w.sent(); !w.fault.lost && (n != 1 || len(w.done) != 1 || w.done[0].Outcome != messages.SendConfirmed) {
		return fmt.Errorf("the answer was sent %d times, with the outcomes %+v", n, w.done)
	}
	return nil
}

// TestSendingInASimulatedCluster has a fault begin at each step of a sending: between what is stored, what the
// log brings, each call of the hands and each of their keys. The answer is sent once at most, and once
// in the end unless the machine was lost. KEHAI_STRIDE=n takes each nth step only.
func TestSendingInASimulatedCluster(t *testing.T) {
	calm := newSendingWorld(t, 1)
	if err := calm.play(); err != nil {
		t.Fatal(err)
	}
	stride := 9
	if testing.Short() {
		stride = 53
	}
	if n, err := strconv.Atoi(os.Getenv("KEHAI_STRIDE")); err == nil && n > 0 {
		stride = n
	}
	for i, f := range sendingFaults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			for at := 1 + i%stride; at <= calm.steps && !t.Failed(); at += stride {
				w := newSendingWorld(t, uint64(at))
				w.fault, w.at = f, at
				if err := w.play(); err != nil {
					t.Errorf("at step %d of %d: %v", at, calm.steps, err)
				}
				n++
			}
			t.Logf("%d of %d steps", n, calm.steps)
		})
	}
}

// TestAnsweredFromAnotherMachine has a conversation move to a machine that does not show it: its answers are
// still sent, by the machine that does.
func TestAnsweredFromAnotherMachine(t *testing.T) {
	w := newSendingWorld(t, 1)
	if err := w.play(); err != nil {
		t.Fatal(err)
	}
	w.Kill(sender)
	w.Advance(10 * time.Second)
	if err := w.Restart(sender); err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
	moved := messages.To(messages.ActorConversation, string(w.done[0].Conversation))
	owner := func() string { return w.Replica(1).Holder(moved) }
	if at := owner(); at != "mac-1" && at != "mac-2" {
		t.Fatalf("the conversation is owned by %q, want that it has moved", at)
	}
	c := drawn.Change{Op: drawn.OpAppend, Conversation: "Hana", Who: drawn.Friend, Text: "何か持っていきましょうか"}
	if err := w.window.Apply(c); err != nil {
		t.Fatal(err)
	}
	w.Advance(2 * time.Minute)
	if n := w.sent(); n != 2 {
		t.Errorf("the answer was sent %d times, want once for each question", n)
	}
	if at := owner(); at == "mac-0" {
		t.Error("the conversation has moved back: this test shows nothing")
	}
}
