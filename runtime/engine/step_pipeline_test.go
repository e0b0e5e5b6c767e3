package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// tally keeps a row per number, deletes the row before it, and tells how many
// rows it sees.
func tally(turn *actors.Turn, m messages.Message) error {
	var n int
	switch m := m.(type) {
	case hint:
		n = m.N
	case number:
		n = m.N
	default:
		return errors.New("restart")
	}
	counts.Put(turn, fmt.Sprintf("%03d", n), n)
	counts.Delete(turn, fmt.Sprintf("%03d", n-2))
	rows := 0
	for key, v := range counts.All(turn) {
		if rows++; key != fmt.Sprintf("%03d", v) {
			return fmt.Errorf("row %s holds %d", key, v)
		}
	}
	turn.Send("other/a", number{rows})
	return nil
}

// Turns run ahead of their commits, on what earlier ones left, and stop when
// too many wait; nothing leaves them before.
func TestTurnsRunAheadOfTheirCommits(t *testing.T) {
	space := &volume{Store: mem.New(), free: 1 << 40}
	turns := 0
	h := step(t, func(turn *actors.Turn, m messages.Message) error { turns++; return tally(turn, m) },
		actortest.Store(space))
	h.Send(hint{0})
	h.Send(hint{1})
	h.WantSent(actortest.To("other/a", number{1}), actortest.To("other/a", number{2}))
	space.free = 0
	for n := range 100 {
		h.Send(hint{n + 2})
	}
	h.WantSent()
	if turns != 2+64 {
		t.Errorf("%d turns ran ahead, want 64", turns-2)
	}
	space.free = 1 << 40
	h.Settle()
	sent := h.Sent()
	if len(sent) != 100 || turns != 102 {
		t.Fatalf("%d turns sent %d messages, want 102 and 100", turns, len(sent))
	}
	for i, s := range sent {
		if want := (number{2}); s.Message != messages.Message(want) {
			t.Errorf("turn %d saw %v rows, want %v", i, s.Message, want)
		}
	}
	actortest.WantRows(h, counts, map[string]int{"100": 100, "101": 101})
	h.WantCommits(102)
}

// A commit that fails takes back what ran on it; all of it comes again in
// order.
func TestFailedCommitTakesBackWhatRanOnIt(t *testing.T) {
	space := &volume{Store: mem.New(), free: 1 << 40}
	var ran []int
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		if n, ok := m.(number); ok {
			ran = append(ran, n.N)
		}
		return tally(turn, m)
	}, actortest.Store(space))
	h.Send(number{0})
	h.Sent()
	h.WantFailure("restart")
	h.Send(flush{})
	for n := 1; n <= 3; n++ {
		h.Send(number{n}) // stored; they wait behind the one that failed
	}
	for range 3 {
		h.WantFailure("restart")
		h.Restart()
	}
	space.free = 0
	h.WantFailure("restart")
	h.Restart() // the fifth time: its quarantine waits for space
	h.Restart()
	h.WantSent()
	h.FailNextCommit()
	space.free = 1 << 40
	h.Settle()
	h.WantSent()
	actortest.WantRows(h, counts, map[string]int{"000": 0})
	h.WantDeadLetters(0)
	h.WantFailure("restart")
	h.Restart()
	h.Restart()
	h.WantDeadLetters(1)
	h.WantSent(actortest.To("other/a", number{2}), actortest.To("other/a", number{2}),
		actortest.To("other/a", number{2}))
	actortest.WantRows(h, counts, map[string]int{"002": 2, "003": 3})
	if got, want := fmt.Sprint(ran), "[0 1 2 3 1 2 3]"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

// The store may fail to read at any moment: the actor rests and the message
// comes again.
func TestReadErrorIsAFailureLikeAnyOther(t *testing.T) {
	space := &volume{Store: mem.New(), free: 1 << 40}
	h := step(t, echo, actortest.Store(space))
	space.bad = "s/" // its state
	h.WantFailure("cannot read")
	h.Send(number{1})
	space.bad = ""
	h.FailNextCommit()
	h.Restart()
	space.badScan = "i/" // its inbox, read again after the failed commit
	h.WantFailure("read inbox: cannot read")
	h.Restart()
	space.badScan, space.bad = "", "i/" // the receipt of what was read
	h.WantFailure("read receipt: cannot read")
	h.Restart()
	space.bad = "a/" // the attempts so far
	h.WantFailure("read receipt: cannot read")
	h.Restart()
	h.WantSent()
	space.bad = ""
	h.Restart()
	h.WantSent(actortest.To("other/a", number{1}))
	actortest.WantStored(h, counts, "n", 1)
	h.WantDeadLetters(0)
}

type unwritable struct{ Panic bool }

func (unwritable) MessageType() messages.Type {
	return messages.Type{Name: "test_unwritable", Version: 1}
}

func (u unwritable) MarshalJSON() ([]byte, error) {
	if u.Panic {
		panic("no JSON")
	}
	return nil, errors.New("no JSON")
}

func TestMessageThatCannotBeWrittenFailsTheTurn(t *testing.T) {
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		turn.Send("other/a", unwritable{Panic: m == messages.Message(hint{1})})
		return nil
	}, actortest.WithMessages(messages.Table{messages.Durable[unwritable](nil).AboutNobody()}))
	for n, want := range []string{"no JSON", "panic with a string"} { // a panic's value may be private
		h.WantFailure(want)
		h.Send(hint{n})
		h.Restart()
		h.WantSent()
	}
}

// nobody drives nothing.
type nobody struct{}

func (nobody) Wake(*engine.Activation) {}
func (nobody) WakeWorkers(string)      {}

func TestNewRefuses(t *testing.T) {
	actor := func(messages.Address) actors.Actor { return actors.Func(echo) }
	worker := func() (actors.Worker, error) { return nil, nil }
	good := engine.Options{Store: mem.New(), Codec: testCodec(t), Clock: engine.SystemClock{}, Driver: nobody{}}
	for name, change := range map[string]func(*engine.Options){
		"no store":  func(o *engine.Options) { o.Store = nil },
		"no codec":  func(o *engine.Options) { o.Codec = nil },
		"no clock":  func(o *engine.Options) { o.Clock = nil },
		"no driver": func(o *engine.Options) { o.Driver = nil },
		"a kind twice": func(o *engine.Options) {
			o.Kinds = []engine.Kind{{Name: "a", New: actor}, {Name: "a", New: actor}}
		},
		"a bad kind":     func(o *engine.Options) { o.Kinds = []engine.Kind{{Name: "A", New: actor}} },
		"a slash":        func(o *engine.Options) { o.Kinds = []engine.Kind{{Name: "a/b", New: actor}} },
		"no constructor": func(o *engine.Options) { o.Kinds = []engine.Kind{{Name: "a"}} },
		"a bad worker":   func(o *engine.Options) { o.Workers = []engine.WorkerKind{{Name: "w/x", New: worker}} },
		"a worker twice": func(o *engine.Options) {
			o.Workers = []engine.WorkerKind{{Name: "w", New: worker}, {Name: "w", New: worker}}
		},
		"no worker either": func(o *engine.Options) { o.Workers = []engine.WorkerKind{{Name: "w"}} },
	} {
		o := good
		change(&o)
		if e, err := engine.New(o); err == nil || e != nil {
			t.Errorf("New with %s = %v, %v, want an error", name, e, err)
		}
	}
	if _, err := engine.New(good); err != nil {
		t.Errorf("New(good) = %v", err)
	}
}

func TestInjectRefuses(t *testing.T) {
	h := step(t, echo)
	for _, c := range []struct {
		to   messages.Address
		msg  messages.Message
		want string
	}{
		{"actor", number{}, "want kind/key"},
		{"stranger/a", number{}, `no actor kind "stranger"`},
		{"actor/test", unlisted{}, "add it to a table"},
		{"actor/test", nil, "nil message"},
		{"actor/test", unwritable{}, "add it to a table"},
	} {
		if err := h.Engine().Inject(context.Background(), c.to, c.msg, ""); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("Inject(%s, %T) = %v, want an error with %q", c.to, c.msg, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := h.Engine().Inject(ctx, "actor/test", number{1}, ""); !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "may still be stored") {
		t.Errorf("Inject(canceled) = %v, want that it may still be stored", err)
	}
	h.Settle()
	h.WantSent(actortest.To("other/a", number{1}))
	if err := h.Engine().Inject(context.Background(), "actor/test", hint{2}, ""); err != nil {
		t.Errorf("Inject(fleeting) = %v", err)
	}
	h.Settle()
	h.WantSent(actortest.To("other/a", hint{2}))
}

// Requests of hosts that meet in one transaction see each other.
func TestRequestsOfOneBatch(t *testing.T) {
	store := load(t, goldenStore)
	e, err := engine.New(engine.Options{
		Store: store, Codec: testCodec(t), Driver: nobody{},
		Clock: engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		Kinds: []engine.Kind{{Name: "keeper", New: func(messages.Address) actors.Actor { return actors.Func(echo) }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := e.Control()
	if err := c.Recover(); err != nil {
		t.Fatal(err)
	}
	inbox := "i/keeper/は/な\x00"
	before := len(keys(t, store, inbox))
	var done []<-chan error
	for range 3 {
		d, err := e.Post("", "keeper/は/な", number{1}, "a new key")
		if err != nil {
			t.Fatal(err)
		}
		done = append(done, d)
	}
	list, err := e.DeadLetters()
	if err != nil || len(list) != 1 {
		t.Fatalf("DeadLetters() = %+v, %v, want one", list, err)
	}
	for range 3 {
		if err := handOver(func(ctx context.Context) error { return e.RetryDeadLetter(ctx, list[0].ID) }); err != nil {
			t.Fatal(err)
		}
	}
	if n, _ := c.Commit(100); n != 6 {
		t.Fatalf("Commit() took %d, want all 6 in one batch", n)
	}
	for i, d := range done {
		if err := <-d; err != nil {
			t.Errorf("injection %d = %v, want none", i, err)
		}
	}
	if got := len(keys(t, store, inbox)) - before; got != 2 {
		t.Errorf("%d messages were stored, want 2: one injection and one dead letter", got)
	}
	for _, x := range []struct {
		inject func(context.Context, messages.Address, messages.Message, string) error
		key    string
		want   error
	}{
		{e.InjectNew, "a new key", engine.ErrInjected},
		{e.InjectNew, "another", nil},
		{e.InjectNew, "", nil},
		{e.Inject, "another", nil},
	} {
		told := make(chan error, 1)
		go func() { told <- x.inject(t.Context(), "keeper/は/な", number{2}, x.key) }()
		for n := 0; n == 0; n, _ = c.Commit(100) {
			<-c.CommitReady()
		}
		if err := <-told; !errors.Is(err, x.want) {
			t.Errorf("injected with the key %q = %v, want %v", x.key, err, x.want)
		}
	}
	if got := len(keys(t, store, inbox)) - before; got != 4 {
		t.Errorf("%d messages are stored, want 4: no key is stored twice", got)
	}
}

// Calls that no worker can take are answered, not forgotten.
func TestCallWithoutWorkerIsAnswered(t *testing.T) {
	var failed []string
	release := 0
	s, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{
		Store: mem.New(), Codec: testCodec(t),
		Workers: []engine.WorkerKind{{Name: "calc", Queue: 2, New: func() (actors.Worker, error) {
			return actors.WorkerFunc(func(_ context.Context, m messages.Message) (messages.Message, error) {
				release++
				return messages.PollDue{}, nil
			}), nil
		}}},
		Kinds: []engine.Kind{{Name: "asker", New: func(messages.Address) actors.Actor {
			return actors.Func(func(turn *actors.Turn, m messages.Message) error {
				switch m := m.(type) {
				case number:
					turn.Call("nobody", ask(m), actors.CallOptions{Deadline: actors.DefaultDeadline, Tag: "t"})
					for range 5 {
						turn.Call("calc", messages.PollDue{}, actors.CallOptions{Deadline: actors.DefaultDeadline})
					}
					for range 5 {
						// durable: waits, is answered with a fleeting type
						turn.Call("calc", ask{2}, actors.CallOptions{Deadline: actors.DefaultDeadline})
					}
				case messages.CallFailed:
					failed = append(failed, fmt.Sprint(m.Kind, " ", m.Worker, " ", m.Tag))
				}
				return nil
			})
		}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Inject("asker/a", number{1}, ""); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	got := strings.Join(failed, ", ")
	if strings.Count(got, "unknown nobody t") != 1 || strings.Count(got, "overload calc") != 3 || len(failed) != 9 ||
		release != 7 {
		t.Errorf("%d calls ran, failed are %s; want 7, one without a worker, 3 of a full queue and 5 with a wrong "+
			"answer", release, got)
	}
	if left := s.Engine().Left(0); !left.None() {
		t.Errorf("Left() = %+v, want none", left)
	}
}

// What turns send that need no store leaves at once, but after what waits before it; and it
// stays their own, although they use the same memory one after the other.
func TestLightTurnsKeepTheirPlace(t *testing.T) {
	space := &volume{Store: mem.New(), free: 1 << 40}
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		if m, ok := m.(hint); ok {
			if m.N%3 == 2 {
				counts.Put(turn, "last", m.N)
			}
			turn.Send("other/a", m)
		}
		return nil
	}, actortest.Store(space))
	space.free = 0
	h.Send(hint{0})
	h.Send(hint{1})
	h.WantSent(actortest.To("other/a", hint{0}), actortest.To("other/a", hint{1}))
	for n := range 60 {
		h.Send(hint{n + 2})
	}
	h.WantSent()
	space.free = 1 << 40
	h.Settle()
	sent := h.Sent()
	if len(sent) != 60 {
		t.Fatalf("%d messages left after the commits, want 60", len(sent))
	}
	for i, s := range sent {
		if want := (hint{i + 2}); s.Message != messages.Message(want) {
			t.Errorf("message %d = %v, want %v", i, s.Message, want)
		}
	}
}
