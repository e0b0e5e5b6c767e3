package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/messages"
)

// shelf is a stored inbox: the sequence numbers of what is not acknowledged.
type shelf []uint64

func (s shelf) load(after uint64, n int) (envs []Envelope, more bool, err error) {
	for _, seq := range s {
		switch {
		case seq <= after:
		case len(envs) == n:
			return envs, true, nil
		default:
			envs = append(envs, mail(seq))
		}
	}
	return envs, false, nil
}

func mail(seq uint64) Envelope {
	return Envelope{ID: fmt.Sprintf("m%d", seq), seq: seq, receipt: fmt.Sprintf("i%d", seq), Message: messages.BurstDue{}}
}

func hint(id string) Envelope { return Envelope{ID: id, Message: messages.PollDue{}} }

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
		{DropOldest, []Envelope{mail(1), hint("a"), mail(2), hint("b"), hint("c"), mail(3)}, []string{"a"}, []string{"m1", "m2", "b", "c", "m3"}},
		{DropNewest, []Envelope{hint("a"), hint("b"), mail(1), {ID: "t", receipt: "t/x"}, hint("c")}, []string{"c"}, []string{"a", "b", "m1", "t"}},
	} {
		m := &mailbox{limit: 2, overflow: c.policy}
		var lost []string
		for _, env := range c.push {
			if gone := m.push(env); gone != nil {
				lost = append(lost, gone.ID)
			}
		}
		wantIDs(t, fmt.Sprintf("lost by %s", c.policy), lost, c.lost...)
		wantIDs(t, fmt.Sprintf("left by %s", c.policy), popAll(t, m, nil), c.left...)
		if m.push(hint("x")) != nil || m.push(hint("y")) != nil || m.push(hint("z")) == nil {
			t.Errorf("%s: an emptied mailbox does not take exactly its limit of 2", c.policy)
		}
	}
}

func TestHeldComesFirst(t *testing.T) {
	m := &mailbox{limit: 9, overflow: DropOldest}
	m.push(mail(1))
	m.push(mail(2))
	first, _, _ := m.pop(nil)
	second, _, _ := m.pop(nil)
	m.push(mail(3))
	m.hold(second)
	m.hold(first)
	if n, more := m.depth(); n != 3 || more {
		t.Errorf("depth() = %d, %v, want 3, false", n, more)
	}
	wantIDs(t, "order", popAll(t, m, nil), "m1", "m2", "m3")
}

func TestLoadErrorLosesNothing(t *testing.T) {
	m := &mailbox{limit: 9, overflow: DropOldest, more: true}
	m.push(hint("a"))
	broken := errors.New("disk")
	if _, ok, err := m.pop(func(uint64, int) ([]Envelope, bool, error) { return nil, false, broken }); ok || !errors.Is(err, broken) {
		t.Errorf("pop() = %v, %v, want %v", ok, err, broken)
	}
	wantIDs(t, "left after the error", popAll(t, m, shelf{1, 2}), "a", "m1", "m2")
}

func TestClearFleetingKeepsDurable(t *testing.T) {
	m := &mailbox{limit: 2, overflow: DropNewest}
	for _, env := range []Envelope{hint("a"), mail(1), {ID: "t", receipt: "t/x"}, hint("b")} {
		m.push(env)
	}
	if n := m.clearFleeting(); n != 2 {
		t.Errorf("clearFleeting() = %d, want 2", n)
	}
	if m.push(hint("c")) != nil || m.push(hint("d")) != nil {
		t.Errorf("a cleared mailbox has no room for its limit of 2")
	}
	wantIDs(t, "left", popAll(t, m, nil), "m1", "t", "c", "d")
}

// Whatever order commits, deliveries, turns, held messages and reloads come in:
// durable mail is handled once and in order, at any window, and fleeting mail
// stays in order within its bound.
func TestMailboxWindowIsAView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(t, "limit")
		m := &mailbox{limit: limit, overflow: DropOldest, more: rapid.Bool().Draw(t, "more")}
		var store shelf       // committed, not acknowledged
		var undelivered shelf // committed, their push is still to come
		// After a reload a delivery may come late: its message was read from the
		// store and acknowledged. The missing receipt tells.
		late := map[uint64]bool{}
		var seq, hints, handled uint64
		var lastHint, waiting uint64
		do := map[string]func(*rapid.T){
			"commit": func(t *rapid.T) {
				// A burst larger than the window, now and then.
				for range rapid.SampledFrom([]int{1, 1, 2, mailboxWindow + 10}).Draw(t, "n") {
					seq++
					store, undelivered = append(store, seq), append(undelivered, seq)
				}
			},
			"deliver": func(t *rapid.T) {
				for range rapid.IntRange(1, 400).Draw(t, "n") {
					if len(undelivered) == 0 {
						return
					}
					if !slices.Contains(store, undelivered[0]) {
						late[undelivered[0]] = true
					}
					if lost := m.push(mail(undelivered[0])); lost != nil {
						t.Fatalf("push(mail) lost %s", lost.ID)
					}
					undelivered = undelivered[1:]
				}
			},
			"hint": func(t *rapid.T) {
				hints++
				if lost := m.push(Envelope{ID: fmt.Sprint(hints), Message: messages.PollDue{}, attempt: int(hints)}); lost == nil {
					waiting++
				}
				if waiting > uint64(limit) {
					t.Fatalf("%d fleeting messages wait, want at most %d", waiting, limit)
				}
			},
			"handle": func(t *rapid.T) {
				for range rapid.IntRange(1, 300).Draw(t, "n") {
					env, ok, err := m.pop(store.load)
					if err != nil || !ok {
						return
					}
					if !env.Durable() {
						waiting--
						if uint64(env.attempt) <= lastHint {
							t.Fatalf("fleeting %d comes after %d", env.attempt, lastHint)
						}
						lastHint = uint64(env.attempt)
						continue
					}
					if i := slices.Index(store, env.seq); i < 0 {
						if !late[env.seq] {
							t.Fatalf("m%d comes twice", env.seq)
						}
						delete(late, env.seq)
						continue
					} else if i > 0 {
						t.Fatalf("m%d comes before m%d", env.seq, store[0])
					}
					if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
						m.hold(env)
						continue
					}
					store, handled = store[1:], handled+1
				}
			},
			"reload": func(*rapid.T) { m.reload() },
		}
		t.Repeat(do)
		for len(undelivered) > 0 {
			do["deliver"](t)
		}
		for range 3 {
			for {
				env, ok, err := m.pop(store.load)
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				if late[env.seq] {
					delete(late, env.seq)
				} else if env.Durable() && (len(store) == 0 || store[0] != env.seq) {
					t.Fatalf("m%d comes, want the first of %v", env.seq, store)
				} else if env.Durable() {
					store, handled = store[1:], handled+1
				}
			}
		}
		if handled != seq || len(store) > 0 {
			t.Fatalf("handled %d, %d left, want %d and none", handled, len(store), seq)
		}
	})
}
