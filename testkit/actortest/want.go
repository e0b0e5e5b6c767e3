package actortest

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Sent is a message that left the actor.
type Sent struct {
	To      messages.Address
	Message messages.Message
}

// To is what [Harness.WantSent] expects.
func To(to messages.Address, msg messages.Message) Sent { return Sent{To: to, Message: msg} }

func (s Sent) String() string { return fmt.Sprintf("%s ← %s", s.To, show(s.Message)) }

// Call is a call to a worker. Zero Options match any.
type Call struct {
	ID      string // given by the engine; not compared
	Worker  string
	Request messages.Message
	Options actors.CallOptions
}

// Ask is what [Harness.WantCalls] expects: a request to a worker kind and, if
// given, how hard to try.
func Ask(worker string, request messages.Message, opts ...actors.CallOptions) Call {
	c := Call{Worker: worker, Request: request}
	for _, o := range opts {
		c.Options = o
	}
	return c
}

func (c Call) String() string {
	s := fmt.Sprintf("%s ← %s", c.Worker, show(c.Request))
	if c.Options != (actors.CallOptions{}) {
		s += fmt.Sprintf(" %+v", c.Options)
	}
	return s
}

// WantSent takes all messages that were sent, and expects exactly these, in
// order.
func (h *Harness) WantSent(want ...Sent) {
	h.t.Helper()
	got := h.Sent()
	compare(h.t, "sent", got, want, func(g, w Sent) string {
		if g.To != w.To {
			return fmt.Sprintf("to %s, want %s", g.To, w.To)
		}
		return diff(g.Message, w.Message)
	})
}

// Sent takes all messages that were sent, for tests that look at them closer.
func (h *Harness) Sent() []Sent {
	sent := h.seen.sent
	h.seen.sent = nil
	return sent
}

// WantCalls takes all calls that were made, and expects exactly these, in order. After a
// crash a durable call is made again.
func (h *Harness) WantCalls(want ...Call) {
	h.t.Helper()
	compare(h.t, "called", h.Calls(), want, diffCall)
}

// WantCancelled takes all calls that were given up before they were answered, and expects
// exactly these, in order.
func (h *Harness) WantCancelled(want ...Call) {
	h.t.Helper()
	got := h.seen.cancelled
	h.seen.cancelled = nil
	compare(h.t, "cancelled", got, want, diffCall)
}

func diffCall(g, w Call) string {
	switch {
	case g.Worker != w.Worker:
		return fmt.Sprintf("worker %s, want %s", g.Worker, w.Worker)
	case w.Options != (actors.CallOptions{}) && g.Options != w.Options:
		return fmt.Sprintf("options %+v, want %+v", g.Options, w.Options)
	}
	return diff(g.Request, w.Request)
}

func callOf(j *engine.Job) Call {
	return Call{ID: j.ID, Worker: j.Worker, Request: j.Request, Options: j.Options}
}

// Calls takes all calls that were made.
func (h *Harness) Calls() []Call {
	calls := h.seen.calls
	h.seen.calls = nil
	return calls
}

// WantPublished takes all events that the actor published, and expects exactly
// these, in order.
func (h *Harness) WantPublished(want ...messages.Message) {
	h.t.Helper()
	compare(h.t, "published", h.Published(), want, diff)
}

// Published takes all events that the actor published.
func (h *Harness) Published() []messages.Message {
	published := h.seen.published
	h.seen.published = nil
	return published
}

// WantDropped takes the oldest drop, and expects this stage, this rule ("" for any), and
// in the detail the nonzero fields of want.
func (h *Harness) WantDropped(stage events.Stage, rule events.Rule, want ...events.Detail) {
	h.t.Helper()
	if len(h.seen.dropped) == 0 {
		h.t.Errorf("nothing was dropped, want %q", dropName(stage, rule))
		return
	}
	got := h.seen.dropped[0]
	h.seen.dropped = h.seen.dropped[1:]
	if got.Stage != stage || rule != "" && got.Detail.Rule != rule {
		h.t.Errorf("dropped %q, want %q", dropName(got.Stage, got.Detail.Rule), dropName(stage, rule))
		return
	}
	for _, w := range want {
		g, w := reflect.ValueOf(got.Detail), reflect.ValueOf(w)
		for i := range w.NumField() {
			if w.Field(i).IsZero() {
				continue
			}
			if d := diffValue(w.Type().Field(i).Name, g.Field(i), w.Field(i)); d != "" {
				h.t.Errorf("dropped %q: %s", dropName(stage, rule), d)
			}
		}
	}
}

// WantNothingDropped expects that no drop is left.
func (h *Harness) WantNothingDropped() {
	h.t.Helper()
	for _, d := range h.seen.dropped {
		h.t.Errorf("dropped %q, want nothing dropped", dropName(d.Stage, d.Detail.Rule))
	}
	h.seen.dropped = nil
}

func dropName(stage events.Stage, rule events.Rule) string {
	if rule == "" {
		return string(stage)
	}
	return string(stage) + ": " + string(rule)
}

// WantTimer expects that the timer with a key fires d from now.
func (h *Harness) WantTimer(key string, d time.Duration) {
	h.t.Helper()
	if got, ok := h.timer(key); !ok {
		h.t.Errorf("timer %q is not set, want it in %v; set are: %s", key, d, h.timers())
	} else if got != d {
		h.t.Errorf("timer %q fires in %v, want in %v", key, got, d)
	}
}

// WantNoTimer expects that the timer with a key is not set.
func (h *Harness) WantNoTimer(key string) {
	h.t.Helper()
	if d, ok := h.timer(key); ok {
		h.t.Errorf("timer %q fires in %v, want it not set", key, d)
	}
}

func (h *Harness) timer(key string) (time.Duration, bool) {
	for _, t := range h.Engine().Timers() {
		if t.Actor == h.o.address && t.Key == key {
			return t.Due.Sub(h.Now()), true
		}
	}
	return 0, false
}

func (h *Harness) timers() string {
	var names []string
	for _, t := range h.Engine().Timers() {
		if t.Actor == h.o.address {
			names = append(names, fmt.Sprintf("%q in %v", t.Key, t.Due.Sub(h.Now())))
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// WantCommits expects that the actor has caused n transactions since the last call.
// Storing what the test sends does not count.
func (h *Harness) WantCommits(n int) {
	h.t.Helper()
	if h.seen.commits != n {
		h.t.Errorf("the actor cost %d commits, want %d", h.seen.commits, n)
	}
	h.seen.commits = 0
}

// WantDeadLetters expects n dead letters in the store.
func (h *Harness) WantDeadLetters(n int) {
	h.t.Helper()
	list := h.DeadLetters()
	if len(list) == n {
		return
	}
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "\n\t%s %s after %d attempts: %s", d.ID, d.Type, d.Attempts, d.Error)
	}
	h.t.Errorf("%d dead letters, want %d%s", len(list), n, b.String())
}

// DeadLetters lists the dead letters in the store.
func (h *Harness) DeadLetters() []engine.DeadLetter {
	h.t.Helper()
	list, err := h.Engine().DeadLetters()
	if err != nil {
		h.t.Fatalf("%v", err)
	}
	return list
}

// Reported takes what the engine itself reported: restarts, failed turns, low space and
// the like.
func (h *Harness) Reported() []messages.Message {
	reported := h.seen.reported
	h.seen.reported = nil
	return reported
}

// WantOverflowed takes what the full mailbox lost, and expects n messages.
func (h *Harness) WantOverflowed(n int) {
	h.t.Helper()
	if len(h.seen.lost) != n {
		h.t.Errorf("the mailbox lost %d messages, want %d", len(h.seen.lost), n)
	}
	h.seen.lost = nil
}

// compare reports how two lists differ, element by element.
func compare[V any](t T, what string, got, want []V, diff func(got, want V) string) {
	t.Helper()
	differ := len(got) != len(want)
	var b strings.Builder
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want):
			fmt.Fprintf(&b, "\n\tgot  %s\n\twant no more", text(got[i]))
		case i >= len(got):
			fmt.Fprintf(&b, "\n\tgot  no more\n\twant %s", text(want[i]))
		default:
			if d := diff(got[i], want[i]); d != "" {
				differ = true
				fmt.Fprintf(&b, "\n\tgot  %s\n\twant %s\n\tat   %s", text(got[i]), text(want[i]), d)
			} else {
				fmt.Fprintf(&b, "\n\tboth %s", text(got[i]))
			}
		}
	}
	if differ {
		t.Errorf("%s %d, want %d:%s", what, len(got), len(want), b.String())
	}
}
