package engine_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// printing is a rig whose actor archive/all has a printer asked for what it is sent,
// and fails on the failure of that.
func printing(t *testing.T, s engine.Store, clock engine.Clock, retries int) *rig {
	t.Helper()
	codec, err := messages.NewCodec(messages.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{}
	e, err := engine.New(engine.Options{
		Store: s, Codec: codec, Driver: r, Clock: clock,
		Kinds: []engine.Kind{{Name: "archive", New: func(messages.Address) actors.Actor {
			return actors.Func(func(turn *actors.Turn, m messages.Message) error {
				switch m := m.(type) {
				case diary:
					turn.Call("printer", m, actors.CallOptions{Deadline: actors.DefaultDeadline, Retries: retries})
				case messages.CallFailed:
					return errors.New("cannot bear it")
				}
				return nil
			})
		}}},
		Workers: []engine.WorkerKind{{Name: "printer", Size: 1, New: func() (actors.Worker, error) {
			return nil, errors.New("nobody makes one here")
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Engine, r.Control = e, e.Control()
	if err := errors.Join(r.Recover(), r.Activate("archive/all")); err != nil {
		t.Fatal(err)
	}
	return r
}

// ask has diaries printed.
func (r *rig) ask(t *testing.T, list ...diary) {
	t.Helper()
	for _, d := range list {
		if _, err := r.Post("", "archive/all", d, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.Commit(100)
	r.run()
}

// A call that waits for a worker, or rests between two attempts, is not asked any
// more once it is forgotten.
func TestAForgottenCallIsNotAskedAgain(t *testing.T) {
	clock := engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	r := printing(t, mem.New(), clock, 9)
	r.ask(t, diary{"line:Hana", "rests"}, diary{"line:Hana", "waits"}, diary{"line:Ken", "stays"})
	failed := func(job *engine.Job) {
		r.FinishJob(job, "printer/1", nil, messages.FailureError, errors.New("no paper"), 0)
	}
	failed(r.TakeJob("printer"))
	if _, err := forget(t, r.Control, engine.Forgetting{Conversation: "line:Hana"}); err != nil {
		t.Fatal(err)
	}
	clock.Set(clock.Now().Add(time.Minute))
	r.FireTimers()
	job := r.TakeJob("printer")
	if job == nil || job.Request != messages.Message(diary{"line:Ken", "stays"}) {
		t.Fatalf("after Forget the printer is asked %v, want Ken's", job)
	}
	failed(job)
	clock.Set(clock.Now().Add(time.Minute))
	r.FireTimers()
	if job := r.TakeJob("printer"); job == nil || job.Attempt != 2 {
		t.Errorf("the second attempt is %v, want Ken's", job)
	}
	if job := r.TakeJob("printer"); job != nil {
		t.Errorf("the printer is asked %v too, want nothing", job.Request)
	}
	if p := r.Pools()[0]; p.Waiting != 0 || p.Busy != 1 || p.Resting != 0 {
		t.Errorf("the pool holds %+v, want one job under way", p)
	}
}

// What a call is about is known of its answer too, though that may not say so: not
// as a dead letter, and not when it is sent again from there.
func TestAFailureIsForgottenWithItsRequest(t *testing.T) {
	for _, step := range []string{"dead letter", "sent again", "dead letter once more"} {
		clock := engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		s := mem.New()
		r := printing(t, s, clock, 0)
		settle := func() { // what fails is tried until it is a dead letter
			for range 2 * engine.MaxAttempts {
				r.run()
				clock.Set(clock.Now().Add(time.Minute))
				r.FireTimers()
			}
		}
		r.ask(t, diary{"line:Hana", "a"}, diary{"line:Ken", "b"})
		for range 2 {
			r.FinishJob(r.TakeJob("printer"), "printer/1", nil, messages.FailureError, errors.New("words of hers"), 0)
		}
		settle()
		dead, err := r.DeadLetters()
		if err != nil || len(dead) != 2 {
			t.Fatalf("DeadLetters() = %v, %v, want both failures", dead, err)
		}
		if step != "dead letter" {
			err := committing(r.Control, func() error { return r.RetryDeadLetter(t.Context(), dead[0].ID) })
			if err != nil {
				t.Fatal(err)
			}
		}
		if step == "dead letter once more" {
			settle()
		}
		if _, err := forget(t, r.Control, engine.Forgetting{Conversation: "line:Hana"}); err != nil {
			t.Fatal(err)
		}
		if hers, left := holding(t, s, `"line:Hana"`), holding(t, s, "words of hers"); hers != 0 || left != 1 {
			t.Errorf("%s: %d rows name Hana, %d hold a failure, want none of hers and Ken's", step, hers, left)
		}
	}
}

// holding counts the rows that hold some bytes.
func holding(t *testing.T, s engine.Store, what string) (n int) {
	t.Helper()
	err := s.Scan(nil, nil, func(_, v []byte) bool {
		if bytes.Contains(v, []byte(what)) {
			n++
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A call whose row is gone, as after a commit of another node, is asked no worker.
func TestACallWithoutItsRowIsNotAsked(t *testing.T) {
	store := mem.New()
	r := printing(t, store, engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), 0)
	r.ask(t, diary{"line:Hana", "gone"})
	r.Commit(100)
	for _, k := range keys(t, store, "c/") {
		if err := r.ApplyOfAnother(engine.Op{Key: []byte(k), Delete: true}); err != nil {
			t.Fatal(err)
		}
	}
	r.ask(t, diary{"line:Hana", "stays"})
	job := r.TakeJob("printer")
	if job == nil || job.Request != messages.Message(diary{"line:Hana", "stays"}) {
		t.Errorf("the printer is asked %v, want what stays", job)
	}
}

// However much a worker reports, one report of it waits.
func TestOneReportWaits(t *testing.T) {
	r := printing(t, mem.New(), engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), 0)
	r.ask(t, diary{"line:Hana", "a"})
	r.Commit(100)
	job := r.TakeJob("printer")
	before := r.Actors()[0].Mailbox
	for range 100 {
		if err := r.Report(job, messages.ReadNow{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.Actors()[0].Mailbox - before; n != 1 {
		t.Errorf("%d reports wait, want 1", n)
	}
}
