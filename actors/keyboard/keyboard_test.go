package keyboard

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func given(h *actortest.Harness, w messages.WindowID) actortest.Sent {
	return actortest.To(messages.To("outbound", string(w)), messages.KeyboardGiven{Until: h.Now().Add(Hold)})
}

// TestOneAtATime: nobody has it beside another, and nobody waits for ever, with
// crashes around each step.
func TestOneAtATime(t *testing.T) {
	kill := map[string]func(h *actortest.Harness, step func()){
		"none":          func(h *actortest.Harness, step func()) { step() },
		"before commit": func(h *actortest.Harness, step func()) { h.CrashBeforeCommit(); step() },
		"after commit":  func(h *actortest.Harness, step func()) { step(); h.Crash() },
	}
	for name, kill := range kill {
		t.Run(name, func(t *testing.T) {
			h := actortest.Spawn(t, New, actortest.Address("keyboard/mac-a"))
			ask := func(w messages.WindowID) { kill(h, func() { h.Send(messages.AskKeyboard{Window: w}) }) }
			leave := func(w messages.WindowID) { kill(h, func() { h.Send(messages.LeaveKeyboard{Window: w}) }) }
			ask("a")
			h.WantSent(given(h, "a"))
			ask("b")
			ask("c")
			ask("b")
			h.WantSent()
			h.Advance(time.Minute)
			ask("a")
			h.WantSent(given(h, "a"))
			leave("c")
			leave("a")
			h.WantSent(given(h, "b"))
			ask("a")
			h.WantSent()
			h.Advance(Hold) // b is broken
			h.WantSent(given(h, "a"))
			leave("b")
			leave("a")
			h.WantSent()
			h.WantNoTimer("due")
			actortest.WantStored(h, Leases, "lease", Lease{})
			h.WantDeadLetters(0)
		})
	}
}

// TestScrolling: what types in a window and what scrolls in it are two who ask. The message
// says which, whoever sent it; in one of an older version the sender's address does.
func TestScrolling(t *testing.T) {
	scrolls, types := messages.To(messages.ActorCatchUp, "a"), messages.To(messages.ActorOutbound, "a")
	for name, c := range map[string]struct {
		from     func(messages.Address) messages.Address
		askedFor func(messages.Address) string
	}{
		"by the message": {
			func(messages.Address) messages.Address { return messages.To("other", "a") }, messages.Address.Kind},
		"by the sender": {
			func(a messages.Address) messages.Address { return a }, func(messages.Address) string { return "" }},
	} {
		t.Run(name, func(t *testing.T) {
			h := actortest.Spawn(t, New, actortest.Address("keyboard/mac-a"))
			ask := func(who messages.Address) {
				h.SendFrom(c.from(who), messages.AskKeyboard{Window: "a", For: c.askedFor(who)})
			}
			leave := func(who messages.Address) {
				h.SendFrom(c.from(who), messages.LeaveKeyboard{Window: "a", For: c.askedFor(who)})
			}
			ask(scrolls)
			h.WantSent(actortest.To(scrolls, messages.KeyboardGiven{Until: h.Now().Add(Hold)}))
			ask(types)
			leave(types)
			ask(types)
			h.WantSent()
			h.Crash()
			leave(scrolls)
			h.WantSent(actortest.To(types, messages.KeyboardGiven{Until: h.Now().Add(Hold)}))
		})
	}
}

func TestUnexpected(t *testing.T) {
	h := actortest.Spawn(t, New, actortest.Address("keyboard/mac-a"))
	h.WantFailure("keyboard: unexpected poll_due")
	h.Send(messages.PollDue{})
}

// TestLease plays random askers: a window that is given the keyboard holds it, and each
// waiting window is in the list once.
func TestLease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Lease
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			w := rapid.SampledFrom([]messages.WindowID{"a", "b", "c"}).Draw(t, "w")
			before := l.Window
			var to messages.WindowID
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				var ok bool
				if l, ok = l.Ask(w, now); ok != (before == "" || before == w) || ok && l.Window != w {
					t.Fatalf("Ask(%s) of what %q has = %v, has %q", w, before, ok, l.Window)
				}
			case 1:
				if l, to = l.Leave(w, now); before != w && (to != "" || l.Window != before) {
					t.Fatalf("Leave(%s) took it from %q", w, before)
				}
			default:
				now = now.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "s")) * time.Second)
				l, to = l.Expire(now)
				if l.Window != "" && !now.Before(l.Until) {
					t.Fatalf("%q still has it after its time", l.Window)
				}
			}
			seen := map[messages.WindowID]bool{l.Window: true}
			for _, w := range l.Waiting {
				if seen[w] || l.Window == "" {
					t.Fatalf("%+v: %s waits twice, or beside a free keyboard", l, w)
				}
				seen[w] = true
			}
			if to != "" && to != l.Window {
				t.Fatalf("%s was told to have it, %s has it", to, l.Window)
			}
		}
	})
}
