package actortest_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// A counter adds numbers up. It tells its listener the sum, asks a worker to
// print it when told to, and forgets it after a quiet minute.
type (
	add     struct{ N int }
	print   struct{} // fleeting
	page    struct{ Sum int }
	printed struct{ Pages int }
	quiet   struct{}
	sum     struct{ Sum int }
)

func (add) MessageType() messages.Type     { return messages.Type{Name: "test_add", Version: 1} }
func (print) MessageType() messages.Type   { return messages.Type{Name: "test_print", Version: 1} }
func (page) MessageType() messages.Type    { return messages.Type{Name: "test_page", Version: 1} }
func (printed) MessageType() messages.Type { return messages.Type{Name: "test_printed", Version: 1} }
func (quiet) MessageType() messages.Type   { return messages.Type{Name: "test_quiet", Version: 1} }
func (sum) MessageType() messages.Type     { return messages.Type{Name: "test_sum", Version: 1} }

var types = messages.Table{
	messages.Durable[add](nil).AboutNobody(), messages.Fleeting[print](), messages.Durable[page](nil).AboutNobody(),
	messages.Durable[printed](nil).AboutNobody(), messages.Durable[quiet](nil).AboutNobody(),
	messages.Durable[sum](nil).AboutNobody(),
}

var sums = actors.NewTable[int]("sums")

type counter struct{ asked int }

func newCounter(messages.Address) actors.Actor { return &counter{} }

func (c *counter) Receive(t *actors.Turn, m messages.Message) error {
	total, _ := sums.Get(t, "all")
	switch m := m.(type) {
	case add:
		if m.N == 0 {
			return errors.New("zero is no number to add")
		}
		sums.Put(t, "all", total+m.N)
		t.Send("listener/a", sum{total + m.N})
		t.After("quiet", time.Minute, quiet{})
	case print:
		if c.asked++; total == 0 {
			t.Drop("print", "empty", events.Detail{})
			return nil
		}
		t.Call("printer", page{total}, actors.CallOptions{Deadline: actors.DefaultDeadline, Retries: 2, Tag: "p"})
	case printed:
		t.Publish(m)
	case messages.CallFailed:
		t.Drop("print", "failed", events.Detail{Code: m.Code, Note: string(m.Kind)})
	case quiet:
		sums.Delete(t, "all")
	}
	return nil
}

// example stands for the *testing.T that an example does not have.
type example struct{}

func (example) Helper()                     {}
func (example) Cleanup(func())              {}
func (example) Errorf(f string, a ...any)   { fmt.Printf(f+"\n", a...) }
func (t example) Fatalf(f string, a ...any) { t.Errorf(f, a...); panic("failed") }

func ExampleSpawn() {
	var t example // in a test: t *testing.T

	h := actortest.Spawn(t, newCounter, actortest.Address("counter/a"), actortest.WithMessages(types))
	h.Send(add{2})
	h.Send(add{3})
	h.WantSent(actortest.To("listener/a", sum{2}), actortest.To("listener/a", sum{5}))
	h.WantTimer("quiet", time.Minute)
	h.WantCommits(2)

	h.Crash()
	h.Send(add{4})
	h.WantSent(actortest.To("listener/a", sum{9}))

	total, _ := actortest.Stored(h, sums, "all")
	fmt.Println("stored:", total)
	h.Advance(time.Minute)
	_, kept := actortest.Stored(h, sums, "all")
	fmt.Println("kept after a quiet minute:", kept)
	// Output:
	// stored: 9
	// kept after a quiet minute: false
}

func ExampleHarness_CrashBeforeCommit() {
	var t example

	h := actortest.Spawn(t, newCounter, actortest.WithMessages(types))
	h.CrashBeforeCommit()
	h.Send(add{2}) // runs, dies, comes again
	h.WantSent(actortest.To("listener/a", sum{2}))

	total, _ := actortest.Stored(h, sums, "all")
	fmt.Println("stored:", total)
	// Output: stored: 2
}

func ExampleHarness_Answer() {
	var t example

	h := actortest.Spawn(t, newCounter, actortest.WithMessages(types))
	h.Send(add{7})
	h.Send(print{})
	h.WantCalls(actortest.Ask("printer", page{7}))
	h.Answer(printed{Pages: 1})
	h.WantPublished(printed{Pages: 1})

	h.Send(print{})
	h.FailCall(messages.FailureTimeout, "", "out of paper")
	h.WantDropped("print", "failed", events.Detail{Note: "timeout"})
	fmt.Println("dead letters:", len(h.DeadLetters()))
	// Output: dead letters: 0
}

func ExampleHarness_WantSent() {
	var t example

	h := actortest.Spawn(t, newCounter, actortest.WithMessages(types))
	h.Send(add{2})
	h.Send(add{3})
	h.WantSent(actortest.To("listener/a", sum{2}), actortest.To("listener/a", sum{6}))
	// Output:
	// sent 2, want 2:
	// 	both listener/a ← test_sum {"Sum":2}
	// 	got  listener/a ← test_sum {"Sum":5}
	// 	want listener/a ← test_sum {"Sum":6}
	// 	at   .Sum: 5, want 6
}
