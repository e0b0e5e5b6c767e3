package runtime_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// lostWorld is three simulated machines without windows, which answer what is asked on the page. The one that has
// the conversation is lost with its disk at one step.
type lostWorld struct {
	*testkit.Machines
	stores map[string]*mem.Store
	at     int // the step
	steps  int // since the question was asked; -1: it was not
	lost   int // the machine, -1: none yet
}

var talksOfLost = []messages.ConversationID{"c-1", "c-2", "c-3", "c-4"}

func newLostWorld(t *testing.T, seed uint64, at int) *lostWorld {
	t.Helper()
	w := &lostWorld{stores: map[string]*mem.Store{}, at: at, steps: -1, lost: -1}
	o := engine.SimClusterOptions{Seed: seed, Start: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), Between: w.between}
	for i := range 3 {
		o.Nodes = append(o.Nodes, fmt.Sprint("mac-", i))
	}
	o.Node = func(name string) engine.SimOptions {
		w.stores[name] = mem.New()
		return engine.SimOptions{Latency: 200 * time.Millisecond,
			Engine: engine.Options{Store: w.stores[name], Sync: true}}
	}
	var err error
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

func (w *lostWorld) machine(node string) (*runtime.Runtime, error) {
	cfg := config.Default()
	cfg.Node, cfg.Windows = node, nil
	return runtime.New(cfg, runtime.WithLLM(answers{}), runtime.WithLocalLLM())
}

// between kills the machine that has the conversation.
func (w *lostWorld) between() {
	if w.steps < 0 || w.lost >= 0 {
		return
	}
	if w.steps++; w.steps != w.at {
		return
	}
	has := w.Replica(0).Holder(messages.To(messages.ActorConversation, string(talksOfLost[0])))
	if _, err := fmt.Sscanf(has, "mac-%d", &w.lost); err != nil {
		w.lost = 1 // that would have got it
	}
	w.Kill(w.lost)
}

// play asks in several conversations, and lets everything come to its end: a new machine takes the place of the lost
// one, or none.
func (w *lostWorld) play(replaced bool) error {
	stored := map[messages.ConversationID]<-chan error{}
	for _, c := range talksOfLost {
		say := messages.Say{Conversation: c, Channel: messages.ChannelWeb, ID: "w1", Text: asked, At: w.Now()}
		done, err := w.Node(1).Inject(messages.To(messages.ActorConversation, string(c)), say, "1")
		if err != nil {
			return err
		}
		stored[c] = done
	}
	w.steps = 0
	for range 100 {
		w.Advance(100 * time.Millisecond)
	}
	if w.lost >= 0 && replaced {
		if ok, err := w.Replace(w.lost); err != nil || !ok {
			return errors.Join(err, fmt.Errorf("replaced: %t", ok))
		}
	}
	w.Advance(time.Minute)
	var errs []error
	for _, c := range talksOfLost {
		select {
		case err := <-stored[c]:
			if err == nil {
				errs = append(errs, w.answered(c))
			}
		default: // nobody was told that it is stored
		}
	}
	return errors.Join(errs...)
}

// answered wants one answer in a conversation.
func (w *lostWorld) answered(c messages.ConversationID) error {
	n, other := 0, w.stores[fmt.Sprint("mac-", (w.lost+1)%3)]
	err := other.Scan([]byte("s/conversation/"+string(c)+"\x00own\x00"), nil, func(_, _ []byte) bool {
		n++
		return true
	})
	if err == nil && n != 1 {
		err = fmt.Errorf("%s has %d answers, want 1", c, n)
	}
	return err
}

// TestALostMachineSilencesNobody: whoever was told that a question is stored gets its answer, though the machine that
// worked on it is lost with its disk at any step.
func TestALostMachineSilencesNobody(t *testing.T) {
	calm := newLostWorld(t, 1, -1)
	if err := calm.play(false); err != nil {
		t.Fatal(err)
	}
	stride := 7
	if testing.Short() {
		stride = 53
	}
	for name, replaced := range map[string]bool{"and replaced": true, "for good": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at := 1; at <= calm.steps; at += stride {
				w := newLostWorld(t, uint64(at), at)
				if err := w.play(replaced); err != nil {
					t.Errorf("lost at step %d of %d, %s: %v", at, calm.steps, name, err)
				}
			}
		})
	}
}
