package actors_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

func TestTurnCollects(t *testing.T) {
	tn := turn(rows{})
	tn.Send("a/b", messages.PollDue{})
	tn.Send("a/b", messages.Started{})
	tn.After("k", -time.Second, messages.PollDue{})
	tn.Cancel("k")
	id := tn.Call("ocr", messages.PollDue{}, actors.CallOptions{Deadline: actors.DefaultDeadline, Retries: 2, Tag: "t"})
	tn.Call("ocr", messages.PollDue{}, actors.CallOptions{Deadline: time.Second})
	tn.Drop("stage", "rule", events.Detail{Count: 2})
	tn.Publish(messages.BurstDue{})
	people.Put(tn, "a", person{})
	people.Delete(tn, "a")
	got, err := tn.Finish()
	want := &actors.Outcome{
		Writes: []actors.Write{{Key: "people\x00a", Value: []byte(`1 {"name":"","age":0}`)},
			{Key: "people\x00a", Delete: true}},
		Sends:  []actors.Send{{To: "a/b", Message: messages.PollDue{}}, {To: "a/b", Message: messages.Started{}}},
		Timers: []actors.Timer{{Key: "k", Gen: "m7.1", Message: messages.PollDue{}}, {Key: "k", Cancel: true}},
		Calls: []actors.Call{
			{ID: "m7.2", Worker: "ocr", Request: messages.PollDue{},
				Options: actors.CallOptions{Deadline: 30 * time.Second, Retries: 2, Tag: "t"}},
			{ID: "m7.3", Worker: "ocr", Request: messages.PollDue{},
				Options: actors.CallOptions{Deadline: time.Second}},
		},
		Verdicts: []events.Verdict{{Stage: "stage", Outcome: events.OutcomeDropped,
			Detail: events.Detail{Rule: "rule", Count: 2}}},
		Events: []messages.Message{messages.BurstDue{}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Finish() = %+v, %v, want %+v", got, err, want)
	}
	if id != "m7.2" {
		t.Errorf("Call() = %q, want the id of the call, m7.2", id)
	}
	if got.Empty() {
		t.Errorf("Empty() of %+v = true, want false", got)
	}
	if out, err := turn(rows{}).Finish(); err != nil || !out.Empty() {
		t.Errorf("Finish() of an idle turn = %+v, %v, want an empty one", out, err)
	}
}

func TestTurnErrorsStick(t *testing.T) {
	for name, do := range map[string]func(*actors.Turn){
		"send to a bad address": func(tn *actors.Turn) { tn.Send("B/x", messages.PollDue{}) },
		"send nothing":          func(tn *actors.Turn) { tn.Send("a/b", nil) },
		"timer without a key":   func(tn *actors.Turn) { tn.After("", 0, messages.PollDue{}) },
		"timer with NUL":        func(tn *actors.Turn) { tn.After("a\x00", 0, messages.PollDue{}) },
		"timer with nothing":    func(tn *actors.Turn) { tn.After("k", 0, nil) },
		"call of a bad kind": func(tn *actors.Turn) {
			tn.Call("o/cr", messages.PollDue{}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		},
		"call with nothing": func(tn *actors.Turn) {
			tn.Call("ocr", nil, actors.CallOptions{Deadline: actors.DefaultDeadline})
		},
		"call without a deadline": func(tn *actors.Turn) {
			tn.Call("ocr", messages.PollDue{}, actors.CallOptions{Retries: 1})
		},
		"private text in an address": func(tn *actors.Turn) { tn.Send("", messages.IncomingBubble{Text: "s3cret"}) },
	} {
		tn := turn(rows{})
		do(tn)
		tn.Fail(errors.New("later"))
		tn.Send("a/b", messages.PollDue{})
		out, err := tn.Finish()
		if err == nil || out != nil || err.Error() == "later" || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Finish() after %s = %v, %v, want its own error", name, out, err)
		}
	}
}

func TestIDsComeOutTheSameAgain(t *testing.T) {
	ids := func(cause actors.Cause) (list []string) {
		tn := actors.NewTurn(cause, rows{})
		return append(list, tn.NewID(), tn.NewID())
	}
	first := actors.Cause{Self: "a/b", ID: "m1", Attempt: 1}
	again := actors.Cause{Self: "a/b", ID: "m1", Attempt: 2}
	if got, want := ids(again), ids(first); !reflect.DeepEqual(got, want) {
		t.Errorf("NewID() at the second attempt = %q, want %q", got, want)
	}
	seen := map[string]bool{}
	for _, c := range []actors.Cause{first, {Self: "a/b", ID: "m2"}, {Self: "a/c", ID: "m1"},
		{Self: "a/b", ID: "m1.1"}} {
		for _, id := range ids(c) {
			if seen[id] || len(id) != 16 {
				t.Errorf("NewID() = %q in %+v, want 16 letters that no other has", id, c)
			}
			seen[id] = true
		}
	}
}

func TestRefuse(t *testing.T) {
	cause := errors.New("no such window")
	err := actors.Refuse(messages.CodeWindowGone, cause)
	var refusal *actors.Refusal
	if !errors.As(err, &refusal) || refusal.Code != messages.CodeWindowGone || !errors.Is(err, cause) ||
		err.Error() != cause.Error() {
		t.Errorf("Refuse() = %v, want a refusal of window_gone that wraps %v", err, cause)
	}
}

func TestFuncs(t *testing.T) {
	want := errors.New("x")
	if err := actors.Func(func(*actors.Turn, messages.Message) error { return want }).Receive(nil, nil); err != want {
		t.Errorf("Func.Receive() = %v, want %v", err, want)
	}
	on := actors.On(func(_ *actors.Turn, m messages.PollDue) error { return want })
	if of, other := on(nil, messages.PollDue{}), on(nil, messages.Started{}); of != want || other != nil {
		t.Errorf("On(PollDue) = %v of one and %v of another type, want %v and nil", of, other, want)
	}
	f := actors.WorkerFunc(func(_ context.Context, m messages.Message) (messages.Message, error) { return m, want })
	if m, err := f.Do(context.Background(), messages.PollDue{}); m != messages.Message(messages.PollDue{}) ||
		err != want {
		t.Errorf("WorkerFunc.Do() = %v, %v, want the request and %v", m, err, want)
	}
}

// A turn that somebody kept loses nothing silently.
func TestATurnIsOverWithItsMessage(t *testing.T) {
	table := actors.NewTable[int]("numbers")
	for name, do := range map[string]func(*actors.Turn){
		"Send":   func(tn *actors.Turn) { tn.Send("a/b", messages.PollDue{}) },
		"After":  func(tn *actors.Turn) { tn.After("k", 0, messages.PollDue{}) },
		"Cancel": func(tn *actors.Turn) { tn.Cancel("k") },
		"Call": func(tn *actors.Turn) {
			tn.Call("ocr", messages.PollDue{}, actors.CallOptions{Deadline: actors.DefaultDeadline})
		},
		"CancelCall": func(tn *actors.Turn) { tn.CancelCall("id") },
		"Drop":       func(tn *actors.Turn) { tn.Drop(events.StageOCR, "r", events.Detail{}) },
		"Pass":       func(tn *actors.Turn) { tn.Pass(events.StageOCR, "r", events.Detail{}) },
		"Publish":    func(tn *actors.Turn) { tn.Publish(messages.PollDue{}) },
		"NewID":      func(tn *actors.Turn) { tn.NewID() },
		"Now":        func(tn *actors.Turn) { tn.Now() },
		"Self":       func(tn *actors.Turn) { tn.Self() },
		"Cause":      func(tn *actors.Turn) { tn.Cause() },
		"Fail":       func(tn *actors.Turn) { tn.Fail(errors.New("x")) },
		"Put":        func(tn *actors.Turn) { table.Put(tn, "k", 1) },
		"Get":        func(tn *actors.Turn) { table.Get(tn, "k") },
		"Delete":     func(tn *actors.Turn) { table.Delete(tn, "k") },
		"All": func(tn *actors.Turn) {
			for range table.All(tn) {
				return
			}
		},
	} {
		kept := turn(rows{})
		do(kept) // as long as it lasts
		out, _ := kept.Finish()
		before := actors.Outcome{}
		if out != nil {
			before = *out
		}
		func() {
			defer func() {
				if got := recover(); got != actors.ErrTurnOver {
					t.Errorf("%s after Finish: panic = %v, want %v", name, got, actors.ErrTurnOver)
				}
			}()
			defer func() {
				if out != nil && !reflect.DeepEqual(before, *out) {
					t.Errorf("%s after Finish changed %+v", name, out)
				}
			}()
			do(kept)
		}()
	}
}
