package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// A call that waits for a worker, or rests between two attempts, is not asked any
// more once it is forgotten.
func TestAForgottenCallIsNotAskedAgain(t *testing.T) {
	codec, err := messages.NewCodec(messages.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	clock := engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	r := &rig{}
	e, err := engine.New(engine.Options{
		Store: mem.New(), Codec: codec, Driver: r, Clock: clock,
		Kinds: []engine.Kind{{Name: "archive", New: func(messages.Address) actors.Actor {
			return actors.Func(func(turn *actors.Turn, m messages.Message) error {
				if d, ok := m.(diary); ok {
					turn.Call("printer", d, actors.CallOptions{Retries: 9})
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
	r.Control = e.Control()
	if err := errors.Join(r.Recover(), r.Activate("archive/all")); err != nil {
		t.Fatal(err)
	}
	for _, d := range []diary{{"line:Hana", "rests"}, {"line:Hana", "waits"}, {"line:Ken", "stays"}} {
		if _, err := r.Post("", "archive/all", d, ""); err != nil {
			t.Fatal(err)
		}
	}
	r.Commit(100)
	r.run()
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
	if p := e.Pools()[0]; p.Waiting != 0 || p.Busy != 1 || p.Resting != 0 {
		t.Errorf("the pool holds %+v, want one job under way", p)
	}
}
