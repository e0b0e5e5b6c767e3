package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/messages"
)

// shelf is a stored inbox: the sequence numbers of what is there.
type shelf []uint64

func (s shelf) load(r inboxRange) (envs []Envelope, more bool, err error) {
	for _, seq := range s {
		env := mail(seq)
		switch {
		case seq <= r.after || seq > r.upTo:
		case len(envs) == r.n || len(envs) > 0 && env.size > r.bytes:
			return envs, true, nil
		default:
			env.stored = true
			r.bytes -= env.size
			envs = append(envs, env)
		}
	}
	return envs, false, nil
}

// mail is an inbox entry. One of a hundred fills the window by itself.
func mail(seq uint64) Envelope {
	size := 1000
	if seq%100 == 99 {
		size = mailboxBytes + 1
	}
	return Envelope{ID: fmt.Sprintf("m%d", seq), seq: seq, receipt: fmt.Sprintf("i%d", seq), size: size,
		Message: messages.BurstDue{}}
}

func hint(id string) Envelope { return Envelope{ID: id, Message: messages.PollDue{}} }

// pushed pushes into an open mailbox and returns what was lost.
func pushed(m *mailbox, env Envelope) *Envelope {
	lost, ok := m.put(env)
	if !ok {
		panic("the mailbox is closed")
	}
	return lost
}

func popAll(t testing.TB, m *mailbox, s shelf) (ids []string) {
	t.Helper()
	for {
		env, ok, err := m.pop(s.load)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return ids
		}
		ids = append(ids, env.ID)
	}
}

func wantIDs(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s = %q, want %q", what, got, want)
	}
}

func TestOverflowPolicies(t *testing.T) {
	settled := Envelope{ID: "s1", Message: messages.FrameSettled{}}
	resettled := Envelope{ID: "s2", Message: messages.FrameSettled{}}
	for _, c := range []struct {
		policy Overflow
		push   []Envelope
		lost   []string
		left   []string
	}{
		{DropOldest, []Envelope{hint("a"), hint("b"), hint("c"), hint("d")}, []string{"a", "b"}, []string{"c", "d"}},
		{DropNewest, []Envelope{hint("a"), hint("b"), hint("c"), hint("d")}, []string{"c", "d"}, []string{"a", "b"}},
		{Merge, []Envelope{hint("a"), settled, hint("b"), resettled}, []string{"a", "s1"}, []string{"b", "s2"}},
		{Merge, []Envelope{hint("a"), hint("b"), settled}, []string{"a"}, []string{"b", "s1"}},
		{DropOldest, []Envelope{mail(1), hint("a"), mail(2), hint("b"), hint("c"), mail(3)}, []string{"a"},
			[]string{"m1", "m2", "b", "c", "m3"}},
		{DropNewest, []Envelope{hint("a"), hint("b"), mail(1), {ID: "t", receipt: "t/x"}, hint("c")}, []string{"c"},
			[]string{"a", "b", "m1", "t"}},
	} {
		m := &mailbox{limit: 2, overflow: c.policy}
		var lost []string
		for _, env := range c.push {
			if gone, _ := m.put(env); gone != nil {
				lost = append(lost, gone.ID)
			}
		}
		wantIDs(t, fmt.Sprintf("lost by %s", c.policy), lost, c.lost...)
		wantIDs(t, fmt.Sprintf("left by %s", c.policy), popAll(t, m, nil), c.left...)
		if pushed(m, hint("x")) != nil || pushed(m, hint("y")) != nil || pushed(m, hint("z")) == nil {
			t.Errorf("%s: an emptied mailbox does not take exactly its limit of 2", c.policy)
		}
	}
}

func TestHeldComesFirst(t *testing.T) {
	m := &mailbox{limit: 9, overflow: DropOldest}
	m.put(mail(1))
	m.put(mail(2))
	first, _, _ := m.pop(nil)
	second, _, _ := m.pop(nil)
	m.put(mail(3))
	m.putBack(second)
	m.putBack(first)
	if n, more := m.depth(); n != 3 || more {
		t.Errorf("depth() = %d, %v, want 3, false", n, more)
	}
	wantIDs(t, "order", popAll(t, m, nil), "m1", "m2", "m3")
}

func TestLoadErrorLosesNothing(t *testing.T) {
	m := &mailbox{limit: 9, overflow: DropOldest, more: true, floor: 2}
	m.put(hint("a"))
	broken := errors.New("disk")
	if _, ok, err := m.pop(func(inboxRange) ([]Envelope, bool, error) { return nil, false, broken }); ok ||
		!errors.Is(err, broken) {
		t.Errorf("pop() = %v, %v, want %v", ok, err, broken)
	}
	wantIDs(t, "left after the error", popAll(t, m, shelf{1, 2}), "m1", "m2", "a")
}

// What waits in memory is bounded in bytes; the rest waits in the store.
func TestAWindowIsBoundedInBytes(t *testing.T) {
	m := &mailbox{limit: 9, overflow: DropOldest}
	store := shelf{99, 100, 199, 200}
	for _, seq := range store {
		m.put(mail(seq))
	}
	if n, more := m.depth(); n != 1 || !more {
		t.Errorf("behind one of %d bytes %d entries wait in memory, more %v, want 1, true", mailboxBytes+1, n, more)
	}
	wantIDs(t, "all", popAll(t, m, store), "m99", "m100", "m199", "m200")
}

// Nobody who pushes waits for a load, and nothing pushed meanwhile is lost.
func TestPushWhileLoading(t *testing.T) {
	m := &mailbox{limit: 9, overflow: DropOldest, more: true, floor: 1}
	env, ok, err := m.pop(func(r inboxRange) ([]Envelope, bool, error) {
		m.put(hint("a")) // as if by the committer: this would wait for ever
		m.put(mail(2))
		return shelf{1}.load(r)
	})
	if !ok || err != nil || env.ID != "m1" {
		t.Fatalf("pop() = %s, %v, %v, want m1", env.ID, ok, err)
	}
	wantIDs(t, "left", popAll(t, m, shelf{1, 2}), "a", "m2")
}

// What waits in the store keeps its place before a fleeting message that was
// pushed after it.
func TestFleetingWaitsBehindTheStore(t *testing.T) {
	m := &mailbox{limit: 9, overflow: DropOldest, more: true, floor: 2}
	m.put(hint("first")) // behind what is from before the start
	for seq := range uint64(mailboxWindow + 10) {
		m.put(mail(seq + 3))
	}
	m.put(hint("then"))
	m.put(mail(mailboxWindow + 100))
	store := shelf{1, 2}
	for seq := range uint64(mailboxWindow + 10) {
		store = append(store, seq+3)
	}
	store = append(store, mailboxWindow+100)
	ids := popAll(t, m, store)
	first, then := slices.Index(ids, "first"), slices.Index(ids, "then")
	if len(ids) != len(store)+2 || first != 2 || then != len(ids)-2 {
		t.Errorf("%d messages, the fleeting ones at %d and %d, want %d, 2 and %d",
			len(ids), first, then, len(store)+2, len(store))
	}
}

func TestClearFleetingKeepsDurable(t *testing.T) {
	m := &mailbox{limit: 2, overflow: DropNewest}
	for _, env := range []Envelope{hint("a"), mail(1), {ID: "t", receipt: "t/x"}, hint("b")} {
		m.put(env)
	}
	if n := m.clearFleeting(); n != 2 {
		t.Errorf("clearFleeting() = %d, want 2", n)
	}
	if pushed(m, hint("c")) != nil || pushed(m, hint("d")) != nil {
		t.Errorf("a cleared mailbox has no room for its limit of 2")
	}
	wantIDs(t, "left", popAll(t, m, nil), "m1", "t", "c", "d")
}

// inbox is what the mailbox shows a window of, as a test sees it.
type inbox struct {
	m                      *mailbox
	sent, delivered        uint64 // committed and pushed, up to
	handled, acknowledged  uint64
	hints, lastHint, waits int
	limit                  int
	before                 []uint64 // of each hint: the newest entry delivered before it
}

func (b *inbox) commit(n int) { b.sent += uint64(n) }

// deliver pushes what was committed; the committer does so before it commits
// an acknowledgement.
func (b *inbox) deliver(t *rapid.T, n int) {
	for ; n > 0 && b.delivered < b.sent; n-- {
		b.delivered++
		if lost := pushed(b.m, mail(b.delivered)); lost != nil {
			t.Fatalf("push(mail) lost %s", lost.ID)
		}
	}
}

func (b *inbox) hint(t *rapid.T) {
	b.hints++
	b.before = append(b.before, b.delivered)
	if pushed(b.m, Envelope{Message: messages.PollDue{}, attempt: b.hints}) == nil {
		b.waits++
	}
	if b.waits > b.limit {
		t.Fatalf("%d fleeting messages wait, want at most %d", b.waits, b.limit)
	}
}

// waitsBefore reports that a fleeting message waits that was sent before an entry.
func (b *inbox) waitsBefore(seq uint64) bool {
	return slices.ContainsFunc(b.m.queue, func(env Envelope) bool {
		return !env.Durable() && b.before[env.attempt-1] < seq
	})
}

// handle takes one message; one that fails comes again first. It reports
// whether there was one.
func (b *inbox) handle(t *rapid.T, fails bool) bool {
	var store shelf
	for seq := b.acknowledged + 1; seq <= b.sent; seq++ {
		store = append(store, seq)
	}
	env, ok, err := b.m.pop(store.load)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case !ok:
		return false
	case !env.Durable():
		if b.waits--; env.attempt <= b.lastHint {
			t.Fatalf("fleeting %d comes after %d", env.attempt, b.lastHint)
		}
		if before := b.before[env.attempt-1]; b.handled < before {
			t.Fatalf("fleeting %d comes after m%d, before m%d", env.attempt, b.handled, before)
		}
		b.lastHint = env.attempt
	case env.stored && env.seq <= b.handled: // the missing receipt tells
	case env.seq != b.handled+1:
		t.Fatalf("m%d comes after m%d (read from the store: %v)", env.seq, b.handled, env.stored)
	case b.waitsBefore(env.seq):
		t.Fatalf("m%d comes before a fleeting message that was sent earlier", env.seq)
	case fails:
		b.m.putBack(env)
	default:
		b.handled++
	}
	return true
}

// Whatever order commits, deliveries, turns, held messages and reloads come in:
// durable mail is handled once and in order, at any window, and fleeting mail
// stays in order within its bound.
func TestMailboxWindowIsAView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(t, "limit")
		b := &inbox{limit: limit, m: &mailbox{limit: limit, overflow: DropOldest, more: rapid.Bool().Draw(t, "more")}}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				n, bytes := 0, 0
				for _, env := range b.m.queue {
					if env.Durable() {
						n++
						bytes += env.size
					}
				}
				if n != b.m.durable || bytes != b.m.bytes || n > mailboxWindow || n > 1 && bytes > mailboxBytes {
					t.Fatalf("%d durable messages of %d bytes in memory, counted %d of %d, want them equal and at "+
						"most %d of %d", n, bytes, b.m.durable, b.m.bytes, mailboxWindow, mailboxBytes)
				}
			},
			// A burst larger than the window, now and then.
			"commit": func(t *rapid.T) {
				b.commit(rapid.SampledFrom([]int{1, 1, 2, mailboxWindow + 10}).Draw(t, "n"))
			},
			"deliver": func(t *rapid.T) { b.deliver(t, rapid.IntRange(1, 400).Draw(t, "n")) },
			"hint":    func(t *rapid.T) { b.hint(t) },
			"handle": func(t *rapid.T) {
				for n := rapid.IntRange(1, 300).Draw(t, "n"); n > 0 &&
					b.handle(t, n == 1 && rapid.Bool().Draw(t, "fails")); n-- {
				}
			},
			"acknowledge": func(*rapid.T) { b.acknowledged = min(b.handled, b.delivered) },
			"crash":       func(*rapid.T) { b.m.reload() },
			"commit fails": func(*rapid.T) {
				b.handled = b.acknowledged
				b.m.reload()
			},
		})
		b.deliver(t, int(b.sent))
		for b.handle(t, false) {
		}
		if b.handled != b.sent || b.waits != 0 {
			t.Fatalf("handled %d of %d, %d fleeting messages left", b.handled, b.sent, b.waits)
		}
	})
}

func (m *mailbox) put(env Envelope) (lost *Envelope, ok bool) { return m.push(&env) }

// A timer that was set anew is not the one that has rung and waits: it has to be armed.
func TestATimerSetAnewIsNotInTheMailbox(t *testing.T) {
	act := &Activation{addr: "a/x"}
	act.box.limit = 1
	rung := Envelope{To: act.addr, receipt: "t/a/x\x00k", timer: "k", gen: "1", stored: true}
	answer := Envelope{To: act.addr, receipt: "c/a/x\x00id", call: "id", stored: true}
	act.box.push(&rung)
	act.box.putBack(answer)
	e := &Engine{clock: NewManualClock(goldenTime), activations: map[messages.Address]*Activation{act.addr: act}}
	anew, other, sleeper := rung, answer, rung
	anew.gen, other.receipt, sleeper.To = "2", "c/a/x\x00other", "a/y"
	r := e.resuming()
	for i, c := range []struct {
		env  Envelope
		want bool
	}{{rung, true}, {answer, true}, {anew, false}, {other, false}, {sleeper, false}, {rung, true}} {
		if got := r.queuedNow(&c.env); got != c.want {
			t.Errorf("%d: queuedNow(%q, set as %q) = %v, want %v", i, c.env.receipt, c.env.gen, got, c.want)
		}
	}
}
