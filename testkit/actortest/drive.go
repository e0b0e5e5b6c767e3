package actortest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// maxTurns is how many turns one message may cause before the test fails because it does not end.
const maxTurns = 10_000

// Send gives the actor a message as a host does, and runs all turns that can
// run now. While the actor rests after a failure the message waits.
func (h *Harness) Send(msg messages.Message) {
	h.t.Helper()
	h.SendFrom("", msg)
}

// SendFrom gives the actor a message of another actor.
func (h *Harness) SendFrom(from messages.Address, msg messages.Message) {
	h.t.Helper()
	h.post(from, msg, "")
}

// SendOnce is Send with a key; a second message with that key does nothing.
func (h *Harness) SendOnce(key string, msg messages.Message) {
	h.t.Helper()
	h.post("", msg, key)
}

func (h *Harness) post(from messages.Address, msg messages.Message, key string) {
	h.t.Helper()
	h.posting = true
	done, err := h.Engine().Post(from, h.o.address, msg, key)
	h.posting = false
	if err != nil {
		h.t.Fatalf("Send(%s): %v", show(msg), err)
	}
	h.settle()
	select {
	case err := <-done:
		if err != nil {
			h.t.Fatalf("Send(%s): %v", show(msg), err)
		}
	default: // the store is low on space, or a crash came first
	}
}

// Start makes the actor live without a message, as the runtime does with actors of its
// topology: it gets messages.Started.
func (h *Harness) Start() {
	h.t.Helper()
	if err := h.Engine().Activate(h.o.address); err != nil {
		h.t.Fatalf("Start: %v", err)
	}
	h.settle()
}

// Advance moves the clock by d, from timer to timer, and runs what they cause.
func (h *Harness) Advance(d time.Duration) {
	h.t.Helper()
	end := h.Now().Add(d)
	for range maxTurns {
		h.settle()
		due, ok := h.engine.NextTimer()
		if !ok || due.After(end) {
			h.clock.Set(end)
			return
		}
		if due.After(h.Now()) {
			h.clock.Set(due)
		}
		h.engine.FireTimers()
	}
	h.t.Fatalf("Advance(%v): %d timers have fired and there is no end", d, maxTurns)
}

// SetClock sets the clock, forwards or backwards, and fires what is due then.
func (h *Harness) SetClock(now time.Time) {
	h.t.Helper()
	h.clock.Set(now)
	h.engine.FireTimers()
	h.settle()
}

// Now is the virtual time.
func (h *Harness) Now() time.Time { return h.clock.Now() }

// Restart ends the rest after a failure at once, without time passing.
func (h *Harness) Restart() {
	h.t.Helper()
	if h.resting {
		h.restart(h.act)
	}
	h.settle()
}

// Crash kills the process between two turns and starts it again: the actor's fields,
// fleeting timers and open fleeting calls are gone; durable timers, calls and mail come
// again.
func (h *Harness) Crash() {
	h.t.Helper()
	h.boot()
	h.settle()
}

// CrashBeforeCommit lets the next turn run (messages.Started does not count) and kills
// the process before its commit, so the turn has no effect. A durable message comes again
// at once; a fleeting one is lost.
func (h *Harness) CrashBeforeCommit() { h.crashCommit = true }

// FailNextCommit makes the store refuse the next commit of a turn. The turn is
// taken back, and its message comes again after the backoff.
func (h *Harness) FailNextCommit() { h.failCommit = true }

// WantFailure announces that one more turn will fail, with an error or a panic
// whose text holds part.
func (h *Harness) WantFailure(part string) { h.expected = append(h.expected, part) }

// Answer gives the oldest open call its worker's result.
func (h *Harness) Answer(result messages.Message) {
	h.t.Helper()
	if len(h.open) == 0 {
		h.t.Fatalf("Answer(%s): no call is open", show(result))
	}
	h.AnswerCall(h.open[0].ID, result)
}

// AnswerCall gives the open call with an id its worker's result.
func (h *Harness) AnswerCall(id string, result messages.Message) {
	h.t.Helper()
	job := h.take(id)
	entry, err := h.codec.Lookup(result)
	if err != nil {
		h.t.Fatalf("Answer(%s): %v", show(result), err)
	}
	if request, err := h.codec.Lookup(job.Request); err == nil && request.Durable && !entry.Durable {
		h.t.Fatalf("Answer(%s): the request %T is durable, its answer must be so too", show(result), job.Request)
	}
	h.engine.FinishJob(job, messages.To(job.Worker, "test"), result, "", nil, 0)
	h.settle()
}

// Report tells the actor what the worker of the oldest open call reports.
func (h *Harness) Report(m messages.Message) {
	h.t.Helper()
	if len(h.open) == 0 {
		h.t.Fatalf("Report(%s): no call is open", show(m))
	}
	h.ReportCall(h.open[0].ID, m)
}

// ReportCall tells the actor what the worker of the open call with an id reports.
func (h *Harness) ReportCall(id string, m messages.Message) {
	h.t.Helper()
	if err := h.engine.Report(h.find(id), m); err != nil {
		h.t.Fatalf("Report(%s): %v", show(m), err)
	}
	h.settle()
}

// FailCall fails the oldest open call for good, as if all its attempts had failed in this
// way. With a code it is the worker's refusal (actors.Refuse), which is not retried.
func (h *Harness) FailCall(kind messages.FailureKind, code, detail string) {
	h.t.Helper()
	if len(h.open) == 0 {
		h.t.Fatalf("FailCall(%q, %q, %q): no call is open", kind, code, detail)
	}
	job := h.take(h.open[0].ID)
	err := errors.New(detail)
	if code != "" {
		err = actors.Refuse(code, err)
	} else {
		job.Attempt = job.Options.Retries + 1
	}
	h.engine.FinishJob(job, messages.To(job.Worker, "test"), nil, kind, err, 0)
	h.settle()
}

func (h *Harness) find(id string) *engine.Job {
	h.t.Helper()
	i := slices.IndexFunc(h.open, func(j *engine.Job) bool { return j.ID == id })
	if i < 0 {
		h.t.Fatalf("no call %q is open", id)
	}
	return h.open[i]
}

func (h *Harness) take(id string) *engine.Job {
	h.t.Helper()
	job := h.find(id)
	h.open = slices.DeleteFunc(h.open, func(j *engine.Job) bool { return j == job })
	return job
}

// closeCancelled closes the calls that the actor has given up, as their workers
// would.
func (h *Harness) closeCancelled() {
	h.open = slices.DeleteFunc(h.open, func(j *engine.Job) bool {
		if !j.Cancelled() {
			return false
		}
		h.seen.cancelled = append(h.seen.cancelled, callOf(j))
		h.engine.FinishJob(j, messages.To(j.Worker, "test"), nil, messages.FailureError, context.Canceled, 0)
		return true
	})
}

// Settle runs all turns that can run now, for tests that changed something
// behind the harness, for example with [Harness.Engine].
func (h *Harness) Settle() {
	h.t.Helper()
	h.settle()
}

// Engine is the engine that runs the actor; a crash makes a new one.
func (h *Harness) Engine() *engine.Engine { return h.engine.Engine() }

// settle commits, and steps the actor, until nothing is possible now.
func (h *Harness) settle() {
	h.t.Helper()
	h.note(false)
	for range maxTurns {
		if h.commit() {
			continue
		}
		h.closeCancelled()
		if h.ready && !h.resting {
			h.step()
			continue
		}
		if len(h.said) == 0 {
			return
		}
		h.hear()
	}
	h.t.Fatalf("%d turns have run without an end: does %s send to itself?", maxTurns, h.o.address)
}

// hear delivers the answers of partners.
func (h *Harness) hear() {
	h.t.Helper()
	next := h.said[0]
	h.said = h.said[1:]
	h.posting = true
	_, err := h.Engine().Post(next.To, h.o.address, next.Message, "")
	h.posting = false
	if err != nil {
		h.t.Fatalf("%s of a partner: %v", show(next.Message), err)
	}
	h.note(false)
}

// note records for whom something new waits for the committer.
func (h *Harness) note(turn bool) {
	for h.Engine().Left(0).Writing > len(h.queue) {
		h.queue = append(h.queue, turn)
	}
}

// commit commits what has waited longest, and reports whether there was anything.
func (h *Harness) commit() bool {
	if len(h.queue) == 0 {
		return false
	}
	h.posting = !h.queue[0]
	n, _ := h.engine.Commit(1)
	h.posting = false
	h.queue = h.queue[n:]
	h.note(true)
	return n > 0
}

func (h *Harness) step() {
	h.t.Helper()
	h.turn, h.stack = nil, ""
	before := h.seen
	progress, failure := h.engine.Step(h.act)
	h.note(true)
	if _, started := h.turn.(messages.Started); h.crashCommit && h.turn != nil && !started {
		h.crashCommit = false
		h.seen = before
		h.boot()
		return
	}
	if failure != nil {
		h.failed(failure)
	} else if progress != engine.Stepped {
		h.ready = false
	}
}

func (h *Harness) failed(f *engine.Failure) {
	h.t.Helper()
	h.resting = true
	h.forget()
	act := h.act
	h.engine.After("restart", f.Delay, func() { h.restart(act) })
	switch {
	case errors.Is(f, errCommit):
	case len(h.expected) > 0 && strings.Contains(f.Reason, h.expected[0]):
		h.expected = h.expected[1:]
	case len(h.expected) > 0:
		h.t.Errorf("the turn of %s failed: %s, want a failure with %q%s", show(h.turn), f.Reason,
			h.expected[0], h.trace())
		h.expected = h.expected[1:]
	default:
		h.t.Errorf("the turn of %s failed: %s (announce it with WantFailure if it should)%s",
			show(h.turn), f.Reason, h.trace())
	}
}

func (h *Harness) trace() string {
	if h.stack == "" {
		return ""
	}
	return "\n" + h.stack
}

// forget closes fleeting calls: their answers belong to an activation that is
// over.
func (h *Harness) forget() {
	h.open = slices.DeleteFunc(h.open, func(j *engine.Job) bool {
		entry, err := h.codec.Lookup(j.Request)
		return err == nil && !entry.Durable
	})
}

func (h *Harness) restart(act *engine.Activation) {
	if h.act == act && h.resting {
		h.resting = false
		h.engine.Restart(act)
	}
}
