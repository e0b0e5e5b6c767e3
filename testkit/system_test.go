package testkit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit"
)

func TestMessagesArriveOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := testkit.Start(t)
		sys.Me("Hana", "anybody there?")
		sys.Friend("Hana", "hello")
		sys.WantMessages("hello")
		sys.Friend("Hana", "OK", "OK")
		sys.WantMessages("hello", "OK", "OK")
	})
}

func TestCrashesAndRestartsAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := testkit.Start(t)
		sys.Friend("Hana", "one")
		sys.WantMessages("one")
		sys.Crash()
		sys.WantMessages("one")
		sys.Friend("Hana", "two")
		sys.Advance(1100 * time.Millisecond) // seen, and waiting in the burst
		sys.Crash()
		sys.Restart()
		sys.Friend("Hana", "three")
		sys.WantMessages("one", "two", "three")
	})
}

// TestNoBubbleFits: while the window shows text and no bubble, nothing of it
// arrives; status says so after some seconds, with what helps, until bubbles fit
// again.
func TestNoBubbleFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := testkit.Start(t)
		problems := func() string { return strings.Join(sys.Runtime.Inspect().Problems, "; ") }
		sys.Friend("Hana", "hello", "are you there?", "I am at the station")
		sys.WantMessages("hello", "are you there?", "I am at the station")
		happens := func(op drawn.Op) {
			t.Helper()
			if err := sys.Window.Apply(drawn.Change{Op: op}); err != nil {
				t.Fatal(err)
			}
		}
		for _, turn := range []struct{ away, back drawn.Op }{{drawn.OpBlur, drawn.OpFocus},
			{drawn.OpChats, drawn.OpChat}} {
			happens(turn.away)
			sys.Advance(3 * time.Second)
			if got := problems(); got != "" {
				t.Errorf("%s: after 3 s the status says %q, want nothing yet", turn.away, got)
			}
			sys.Advance(5 * time.Second)
			if got := problems(); !strings.Contains(got, "text is seen, but none of it stands in a bubble") ||
				!strings.Contains(got, "kehai layout calibrate") {
				t.Errorf("%s: after 8 s the status says %q, want that text stands in no bubble, and what helps",
					turn.away, got)
			}
			happens(turn.back)
			sys.Advance(3 * time.Second)
			if got := problems(); got != "" {
				t.Errorf("%s: the status says %q, want nothing any more", turn.back, got)
			}
		}
		sys.Friend("Hana", "here you are")
		sys.WantMessages("hello", "are you there?", "I am at the station", "here you are")
		for _, m := range sys.Events() {
			if c, ok := m.(messages.MessageChanged); ok {
				t.Errorf("published %s of message %d, want no change", c.Kind, c.Occurrence)
			}
		}
	})
}

func TestFaultsLoseNothing(t *testing.T) {
	for name, fault := range map[string]testkit.Fault{
		"ocr error":       {Worker: "ocr", Every: 2},
		"ocr panic":       {Worker: "ocr", How: testkit.Panic, Every: 2},
		"ocr hang":        {Worker: "ocr", How: testkit.Hang, Every: 3},
		"ocr garbage":     {Worker: "ocr", How: testkit.Garbage, Every: 2},
		"capture error":   {Worker: "capture", Every: 3},
		"commits refused": {Worker: testkit.Store, Every: 4, Times: 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sys := testkit.Start(t, testkit.WithFaults(fault))
				var want []string
				for _, line := range []string{"a", "b", "b", "c", "d", "e"} {
					line += " is the line"
					want = append(want, line)
					sys.Friend("Hana", line)
					sys.Advance(3 * time.Second)
				}
				sys.WantMessages(want...)
				if sys.Heal(); restarts(sys) == 0 {
					t.Errorf("no actor or worker was restarted: the fault did not strike")
				}
			})
		})
	}
}

func restarts(sys *testkit.System) int {
	n := 0
	for _, ev := range sys.Events() {
		if _, ok := ev.(events.ActorRestarted); ok {
			n++
		}
	}
	return n
}

// refusal is a test that stops at the first Fatal, and keeps its words.
type refusal struct {
	testing.TB
	said string
}

func (r *refusal) Helper() {}

func (r *refusal) Fatal(args ...any) { r.said = fmt.Sprint(args...); panic(r) }

func (r *refusal) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

func refused(t testing.TB, start func(testing.TB)) string {
	r := &refusal{TB: t}
	func() {
		defer func() {
			if got := recover(); got != nil && got != r {
				panic(got)
			}
		}()
		start(r)
	}()
	return r.said
}

func TestStartRefuses(t *testing.T) {
	if got := refused(t, func(t testing.TB) { testkit.Start(t) }); !strings.Contains(got, "synctest.Test") {
		t.Errorf("Start outside a bubble said %q, want what to do", got)
	}
	synctest.Test(t, func(t *testing.T) {
		const want = `workers of kind "orc", which this runtime does not have`
		got := refused(t, func(t testing.TB) { testkit.Start(t, testkit.WithFaults(testkit.Fault{Worker: "orc"})) })
		if !strings.Contains(got, want) || !strings.Contains(got, `"ocr"`) {
			t.Errorf("Start with a fault of orc said %q, want %q and the kinds there are", got, want)
		}
	})
}

// A host's own handler is given again what it had not acknowledged when the process died.
func TestASubscriptionOfTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []uint64
		down := true
		seqs := func() []uint64 {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(got)
		}
		s := testkit.Start(t, testkit.WithSubscription("host", func(_ context.Context, ev runtime.Event) error {
			if _, ok := ev.Message.(messages.MessageDelivered); !ok {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if got = append(got, ev.Seq); down {
				return errors.New("the host's database is down")
			}
			return nil
		}))
		s.Friend("Hana", "hello")
		s.WantMessages("hello")
		if len(seqs()) < 2 {
			t.Fatalf("the handler that fails got %d events, want it again and again", len(seqs()))
		}
		s.Crash()
		before := len(seqs())
		mu.Lock()
		down = false
		mu.Unlock()
		s.Advance(time.Minute)
		if len(seqs()) <= before || seqs()[len(seqs())-1] != seqs()[0] {
			t.Fatalf("after the crash the handler got %v, want %d again", seqs()[before:], seqs()[0])
		}
		acknowledged := len(seqs())
		s.Crash()
		s.Advance(time.Minute)
		if len(seqs()) != acknowledged {
			t.Errorf("after it was acknowledged the handler got %v", seqs()[acknowledged:])
		}
	})
}

// TestRemember: what a memory is given is recalled as it was said, also after a kill.
func TestRemember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := testkit.Start(t)
		sys.Remember(sys.ID("Hana"), "Hana: my dog is called Sputnik", "me: what a name for a dog")
		sys.Crash()
		r, err := sys.Runtime.Recall(t.Context(), control.RecallQuery{Conversation: sys.ID("Hana"), K: 2,
			Text: "the dog"})
		if err != nil || len(r.Found) != 2 {
			t.Fatalf("recalled %+v, %v, want both lines", r.Found, err)
		}
		for _, f := range r.Found {
			if f.Own != (f.Speaker == "") || f.Own != strings.HasPrefix(f.Text, "what") || f.At.After(time.Now()) {
				t.Errorf("recalled %+v, want who said it", f)
			}
		}
	})
}
