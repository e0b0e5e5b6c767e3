package engine_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// rig drives an engine with one actor by hand, for what needs two goroutines
// elsewhere: here the other one is a call at the right moment.
type rig struct {
	*engine.Engine
	engine.Control
	act  *engine.Activation
	jobs []*engine.Job
	disk *disk

	published func(engine.Published)
}

// disk is a store whose next Apply may fail, and that calls scanned after a scan.
type disk struct {
	mem.Store
	fail    bool
	scanned func()
	most    int // rows of the longest scan
}

func (d *disk) Scan(prefix, from []byte, yield func(k, v []byte) bool) error {
	rows := 0
	err := d.Store.Scan(prefix, from, func(k, v []byte) bool {
		rows++
		return yield(k, v)
	})
	d.most = max(d.most, rows)
	if d.scanned != nil {
		d.scanned()
	}
	return err
}

func (r *rig) Wake(act *engine.Activation) { r.act = act }
func (r *rig) WakeWorkers(string)          {}

func (d *disk) Apply(ops []engine.Op, sync bool) error {
	if d.fail {
		d.fail = false
		return errors.New("disk says no")
	}
	return d.Store.Apply(ops, sync)
}

func newRig(t *testing.T, fn receive) *rig {
	t.Helper()
	return rigOn(t, &disk{}, fn)
}

func rigOn(t *testing.T, d *disk, fn receive) *rig {
	t.Helper()
	r := &rig{disk: d}
	e, err := engine.New(engine.Options{
		Store: r.disk, Codec: testCodec(t), Driver: r,
		Listener: func(p engine.Published) {
			if r.published != nil {
				r.published(p)
			}
		},
		Clock: engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		Kinds: []engine.Kind{{Name: "actor", New: func(messages.Address) actors.Actor { return actors.Func(fn) }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Engine, r.Control = e, e.Control()
	r.Divert(nil, func(j *engine.Job) bool { r.jobs = append(r.jobs, j); return true })
	r.Background(func(fn func()) { fn() })
	if r.Recover() != nil || r.Activate("actor/a") != nil {
		t.Fatal("the engine does not start")
	}
	return r
}

// run steps and commits until the actor is idle, and restarts it at once.
func (r *rig) run() {
	for range 100 {
		progress, failure := r.Step(r.act)
		if failure != nil {
			r.Restart(r.act)
		}
		if n, _ := r.Commit(100); n == 0 && progress == engine.Idle {
			return
		}
	}
}

// A commit fails while the next turn runs on what it would have written: that
// turn is void, whatever it wants.
func TestCommitFailsWhileATurnRuns(t *testing.T) {
	var r *rig
	var seen []int
	r = newRig(t, func(turn *actors.Turn, m messages.Message) error {
		n, ok := m.(number)
		if !ok {
			return nil
		}
		sum, _ := counts.Get(turn, "sum")
		counts.Put(turn, "sum", sum+n.N)
		if seen = append(seen, sum); n.N == 2 && len(seen) == 2 {
			r.disk.fail = true
			r.Commit(100) // of the first turn
		}
		return nil
	})
	r.run()
	for n := 1; n <= 2; n++ {
		if _, err := r.Post("", "actor/a", number{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.Commit(100)
	for range 2 {
		if _, failure := r.Step(r.act); failure != nil {
			t.Fatal(failure)
		}
	}
	if _, failure := r.Step(r.act); failure == nil {
		t.Fatalf("Step() after a failed commit is fine, want the failure")
	}
	r.Restart(r.act)
	r.run()
	raw, _, _ := r.disk.Get([]byte("s/actor/a\x00counts\x00sum"))
	if sum, err := counts.Decode(raw); sum != 3 || err != nil || len(seen) != 4 {
		t.Errorf("the sum is %d (%v) after turns that saw %v, want 3 and four turns", sum, err, seen)
	}
}

// A commit moves rows from memory to the store while the next turn reads them: they
// are seen in one of the two.
func TestRowsAreSeenWhileTheyAreCommitted(t *testing.T) {
	var r *rig
	var seen []string
	r = newRig(t, func(turn *actors.Turn, m messages.Message) error {
		switch n := m.(type) {
		case number:
			counts.Put(turn, "sum", n.N)
		case flush:
			r.disk.scanned = func() { r.Commit(100) }
			for key := range counts.All(turn) {
				seen = append(seen, key)
			}
			r.disk.scanned = nil
		}
		return nil
	})
	r.run()
	for _, m := range []messages.Message{number{1}, flush{}} {
		if _, err := r.Post("", "actor/a", m, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.Commit(100)
	for range 2 {
		if _, failure := r.Step(r.act); failure != nil {
			t.Fatal(failure)
		}
	}
	if !slices.Equal(seen, []string{"sum"}) {
		t.Errorf("the second turn saw rows %q, want the one of the first", seen)
	}
}

// The committer releases a turn that it has committed, and the actor's own
// goroutine the next one that needs no commit. Only the lock keeps their deliveries
// in order, so everything that leaves a turn must leave it under the lock.
func TestWhatLeavesATurnLeavesItInOrder(t *testing.T) {
	r := newRig(t, func(turn *actors.Turn, m messages.Message) error {
		if m.MessageType() == (messages.Started{}).MessageType() {
			return nil
		}
		turn.Publish(m)
		turn.Send("other/a", m)
		turn.Call("calc", ask{1}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		turn.Call("calc", messages.PollDue{}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		return nil
	})
	r.run()
	var left []string
	leaves := func(what string) {
		left = append(left, what)
		if !r.act.Releasing() {
			t.Errorf("%s leaves its turn outside of the lock that keeps the order", what)
		}
	}
	r.Divert(func(env engine.Envelope) bool {
		if env.To == "other/a" {
			leaves("mail")
			return true
		}
		return false
	}, func(*engine.Job) bool {
		leaves("call")
		return true
	})
	r.published = func(p engine.Published) {
		if p.From != "" {
			leaves("event")
		}
	}
	for _, m := range []messages.Message{number{1}, messages.PollDue{}} {
		if _, err := r.Post("", "actor/a", m, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.run()
	if want := []string{"event", "mail", "call", "call", "event", "mail", "call", "call"}; !slices.Equal(left, want) {
		t.Errorf("what has left the turns is %q, want %q", left, want)
	}
}

// An actor that is stepped while its rows are deleted would write them again.
func TestForgetKeepsTheActorsConcernedFromStepping(t *testing.T) {
	handled := 0
	r := newRig(t, func(turn *actors.Turn, m messages.Message) error {
		if n, ok := m.(number); ok {
			handled++
			counts.Put(turn, "sum", n.N)
		}
		return nil
	})
	r.run()
	for n := range 3 {
		if _, err := r.Post("", "actor/a", number{n}, ""); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			r.run()
		}
	}
	r.Commit(100)
	r.Step(r.act) // waits for its commit
	stepped := false
	err := handOver(func(ctx context.Context) error {
		_, err := r.Forget(ctx, engine.Forgetting{Conversation: "a",
			Begins: func() {
				progress, failure := r.Step(r.act)
				stepped = progress != engine.Idle || failure != nil
			}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for took := 1; took > 0; {
		took, _ = r.Commit(100)
	}
	r.run()
	if stepped || handled != 2 {
		t.Errorf("stepped meanwhile = %v, %d messages were handled, want none and 2 from before", stepped, handled)
	}
	if left := keys(t, r.disk, "s/actor/a"); len(left) > 0 {
		t.Errorf("rows %q are left", left)
	}
}

// A driver is told once a quarter of a batch waits for its commit.
func TestCrowded(t *testing.T) {
	const quarter = 128
	r := newRig(t, func(*actors.Turn, messages.Message) error { return nil })
	for n := range quarter {
		if r.Crowded() {
			t.Fatalf("Crowded() with %d waiting, want not before %d", n, quarter)
		}
		if _, err := r.Post("", "actor/a", number{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if !r.Crowded() {
		t.Errorf("Crowded() = false with %d waiting", quarter)
	}
	if r.Commit(1); r.Crowded() {
		t.Errorf("Crowded() with %d waiting, want not", quarter-1)
	}
}

// carrier is a message whose memory a test can watch.
type carrier struct{ P *[64]byte }

func (carrier) MessageType() messages.Type { return messages.Type{Name: "test_carrier", Version: 1} }

func TestCommittedTurnsAreNotKeptInMemory(t *testing.T) {
	r := newRig(t, func(*actors.Turn, messages.Message) error { return nil })
	load := new([64]byte)
	watched := weak.Make(load)
	msg := messages.Message(carrier{load})
	for range 5 { // so that the committer's queue has room for more and is not copied
		if _, err := r.Post("", "actor/a", msg, ""); err != nil {
			t.Fatal(err)
		}
		msg = number{1}
	}
	r.Commit(100)
	for range 2 { // Started and the message
		if _, failure := r.Step(r.act); failure != nil {
			t.Fatal(failure)
		}
	}
	runtime.GC()
	if watched.Value() != nil {
		t.Error("a message that was committed, delivered and handled is still in memory")
	}
	runtime.KeepAlive(r)
}

// A worker that was given up may still answer: only the first answer counts.
func TestSecondAnswerOfAJobIsVoid(t *testing.T) {
	var answers []messages.Message
	r := newRig(t, func(turn *actors.Turn, m messages.Message) error {
		switch m.(type) {
		case number:
			turn.Call("calc", messages.PollDue{}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		case twice, messages.CallFailed:
			answers = append(answers, m)
		}
		return nil
	})
	if _, err := r.Post("", "actor/a", number{1}, ""); err != nil {
		t.Fatal(err)
	}
	r.Commit(100)
	r.run()
	if len(r.jobs) != 1 {
		t.Fatalf("%d calls were made, want 1", len(r.jobs))
	}
	if r.FinishJob(r.jobs[0], "calc/a", twice{2}, "", nil, 0) {
		t.Errorf("FinishJob(result) = true, want that the worker may go on")
	}
	if r.FinishJob(r.jobs[0], "calc/a", nil, messages.FailureTimeout, errors.New("late"), 0) {
		t.Errorf("FinishJob(again) = true, want that it changes nothing")
	}
	r.run()
	if len(answers) != 1 || answers[0] != messages.Message(twice{2}) {
		t.Errorf("answers = %v, want one", answers)
	}
}

// bundle is a carrier that is fleeting.
type bundle struct{ P *[64]byte }

func (bundle) MessageType() messages.Type { return messages.Type{Name: "test_bundle", Version: 1} }

// What a turn has sent is its receiver's alone, though the sender may have no other turn
// for long.
func TestWhatATurnHasSentIsNotKeptInMemory(t *testing.T) {
	for _, msg := range []messages.Message{messages.PollDue{}, number{1}} { // the first is fleeting
		load := new([64]byte)
		watched := weak.Make(load)
		r := newRig(t, func(turn *actors.Turn, m messages.Message) error {
			if m == msg {
				turn.Send("unknown/a", bundle{load})
				load = nil
			}
			return nil
		})
		r.run()
		mail := []messages.Message{msg, number{2}} // the turn about the second waits for its commit
		if msg == (messages.PollDue{}) {
			mail = mail[:1]
		}
		for _, m := range mail {
			if _, err := r.Post("", "actor/a", m, ""); err != nil {
				t.Fatal(err)
			}
		}
		r.Commit(len(mail)) // the mail, if it is stored
		for range mail {
			if _, failure := r.Step(r.act); failure != nil {
				t.Fatal(failure)
			}
		}
		r.Commit(1)
		r.Step(r.act)
		if load != nil {
			t.Fatalf("%T was not handled", msg)
		}
		runtime.GC()
		if watched.Value() != nil {
			t.Errorf("what a turn about a %T has sent is still in memory", msg)
		}
		runtime.KeepAlive(r)
	}
}
