package seat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// joining is one more member of a cluster, which listens at an address.
func joining(t *testing.T, of *Seat, node, at string, role cluster.Role) Options {
	t.Helper()
	_, data := entered(t, of, cluster.Peer{Node: node, Address: at, Role: role})
	return Options{Data: data, Node: node, Listen: at}
}

// three are running members, of which the first decides and the third is what its role says.
func three(t *testing.T, third cluster.Role) (a, b, c *Seat) {
	t.Helper()
	a, keysA := founder(t)
	b, keysB := opened(t, joining(t, a, "mac-b", free(t), cluster.Voter))
	c, keysC := opened(t, joining(t, a, "mac-c", free(t), third))
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() {
		stop()
		all.Wait()
		_, _, _ = a.Close(), b.Close(), c.Close()
	})
	for _, s := range []*Seat{a, b, c} {
		var err error
		broken := func(error) {}
		switch s {
		case a:
			_, _, err = a.Start(mem.New(), nil, keysA, broken)
		case b:
			_, _, err = b.Start(mem.New(), nil, keysB, broken)
		default:
			if third == cluster.Witness {
				err = c.Witness(mem.New(), broken)
			} else {
				_, _, err = c.Start(mem.New(), nil, keysC, broken)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if s != c || third != cluster.Witness { // which arranges nothing by itself here
			all.Go(func() { _ = s.Run(ctx) })
		} else {
			all.Go(func() { everySecond(ctx, func() { s.round(ctx) }) })
		}
	}
	await(func() bool {
		voters := 0
		for _, p := range b.member.Status().Peers {
			if p.Role == cluster.Voter {
				voters++
			}
		}
		return voters == 3 && b.Belongs("mac-c") // whom it would not let in otherwise
	})
	if leader := b.member.Status().Leader; leader != "mac-a" {
		t.Fatalf("%q decides, want the founder: this test shows nothing", leader)
	}
	return a, b, c
}

func await(is func() bool) {
	for tick := time.NewTicker(20 * time.Millisecond); !is(); <-tick.C {
	}
}

// The machine that decides can be taken out by another one. While those that are left choose a new one, it is not said
// that they cannot.
func TestExpelsWhoDecides(t *testing.T) {
	a, b, _ := three(t, cluster.Voter)
	_ = a.Close()
	if err := b.unplace(t.Context(), "mac-a"); err != nil {
		t.Errorf("unplace() = %v, want that the others go on", err)
	}
}

// A witness that was elected lets another one decide: it could not say that a member is dead.
func TestAWitnessDoesNotDecide(t *testing.T) {
	a, _, w := three(t, cluster.Witness)
	if err := a.member.Transfer(t.Context(), "mac-c"); err != nil {
		t.Fatal(err)
	}
	await(func() bool { st := w.member.Status(); return st.Ready && st.Leader == "mac-c" })
	if err := w.arrange(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := w.member.Status(); st.Leader == "mac-c" {
		t.Error("the witness decides on")
	}
}

// The last member says before it leaves what its models would be told; another one puts its store aside, and need not.
func TestTheLastMemberSaysWhatItsModelsWouldBeTold(t *testing.T) {
	stores := map[string]engine.Store{"mac-a": mem.New(), "mac-b": mem.New()}
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	c, err := engine.NewSimCluster(engine.SimClusterOptions{Nodes: []string{"mac-a", "mac-b"}, Seed: 1,
		Zone: func(name string) string { return map[string]string{"mac-b": "local"}[name] },
		Node: func(name string) engine.SimOptions {
			return engine.SimOptions{Engine: engine.Options{Store: stores[name], Codec: codec,
				Kinds: []engine.Kind{{Name: "thinker", Zoned: true, New: func(messages.Address) actors.Actor {
					return actors.Func(func(*actors.Turn, messages.Message) error { return nil })
				}}}}}
		}})
	if err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	if _, err := c.Node(1).Inject("thinker/x", messages.Embed{}, ""); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	s, _ := founder(t)
	closed := func() (engine.Store, error) { return nil, errors.New("it is opened") }
	if n, err := Unfit(s.o, closed); n != 0 || err != nil {
		t.Errorf("Unfit() before the first start = %d, %v, want that it does not look", n, err)
	}
	if err := private.Write(s.generationFile(), []byte("1\n")); err != nil {
		t.Fatal(err)
	}
	for zone, want := range map[string]int{"": 1, "local": 0} {
		o := s.o
		o.Zone = zone
		n, err := Unfit(o, func() (engine.Store, error) { return kept{stores["mac-a"]}, nil })
		if err != nil || n != want {
			t.Errorf("Unfit() with zone %q = %d, %v, want %d", zone, n, err, want)
		}
	}
	second(t, s)
	n, err := Unfit(s.o, closed)
	if n != 0 || err != nil {
		t.Errorf("Unfit() of one of two = %d, %v, want that it does not look", n, err)
	}
}

// kept is a store that stays open.
type kept struct{ engine.Store }

func (kept) Close() error { return nil }

// without takes the machine out of its own book, as another member does.
func without(t *testing.T, s *Seat) {
	t.Helper()
	b := s.id.Book().Without(s.id.Node(), time.Now())
	b.Version++
	if err := s.id.Keep(b); err != nil {
		t.Fatal(err)
	}
}

// Who was taken out of two is not the last member: both would have all that is stored, and answer.
func TestWhoWasTakenOutOfTwo(t *testing.T) {
	s, _ := founder(t)
	admitted(t, s)
	without(t, s)
	if aside, err := Leave(t.Context(), s.o, false); aside != "" || !errors.Is(err, ErrRemoved) {
		t.Errorf("Leave() = %q, %v, want that it was taken out", aside, err)
	}
}

// Who decided alone and was taken out stops: nobody can have it decide no more.
func TestWhoDecidedAndWasTakenOutStops(t *testing.T) {
	s, ring := founder(t)
	var why error
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { why = err }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for end := time.Now().Add(10 * time.Second); !s.member.Status().Ready; <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not decide")
		}
	}
	admitted(t, s)
	if err := s.arrange(t.Context()); why != nil {
		t.Errorf("as a member it stops: %v, %v", why, err)
	}
	without(t, s)
	if err := s.arrange(t.Context()); err != nil || !errors.Is(why, ErrRemoved) {
		t.Errorf("taken out it stops with %v, %v, want that it was taken out", why, err)
	}
}

// Of two members the one that decides cannot leave while it is off, and is told how it can.
func TestTheOneOfTwoThatDecidesIsToldHowToLeave(t *testing.T) {
	s, _ := founder(t)
	admitted(t, s)
	_, err := Leave(t.Context(), s.o, false)
	if err == nil || !strings.Contains(err.Error(), "`kehai cluster remove mac-a` there") {
		t.Errorf("Leave() = %v, want how it can leave", err)
	}
}
