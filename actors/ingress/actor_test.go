package ingress

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func spawn(t actortest.T, r Rules, opts ...actortest.Option) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, New(r), append([]actortest.Option{actortest.Address("ingress/line:Hana"),
		actortest.Start(start)}, opts...)...)
}

func said(n messages.Occurrence, s messages.Text, seen time.Time) messages.IncomingBubble {
	return messages.IncomingBubble{
		Conversation: "line:Hana", Occurrence: n, Sender: "Hana", Kind: messages.KindText, Text: s,
		Window: "line@a", Side: messages.SideIncoming, Fresh: true, SeenAt: seen,
	}
}

func told(s messages.Text, trace string) messages.TextSent {
	return messages.TextSent{Conversation: "line:Hana", Text: s, Trace: trace, At: start}
}

// wantPassed expects these messages to have gone to burst, unchanged.
func wantPassed(t *testing.T, h *actortest.Harness, want ...messages.IncomingBubble) {
	t.Helper()
	var sent []actortest.Sent
	for _, w := range want {
		sent = append(sent, actortest.To("burst/line:Hana", w))
	}
	h.WantSent(sent...)
}

// TestReturnedGreeting: text alone swallows the answer of a friend who greets
// back; side and place do not.
func TestReturnedGreeting(t *testing.T) {
	for _, p := range []profile{seed, standard} {
		h := spawn(t, rulesOf(p))
		h.Send(told("おはよう", "t1"))
		h.Advance(30 * sec)
		greeting := said(2, "おはよう！", h.Now())
		echo := said(1, "おはよう", h.Now())
		echo.Side = ""
		h.Send(echo)
		h.WantDropped(events.StageIngress, events.RuleEcho, events.Detail{Match: "equal", Age: 30 * time.Second})
		h.Published()
		greeting.Text = "おはよう"
		h.Send(greeting)
		if p == seed {
			h.WantDropped(events.StageIngress, events.RuleEcho, events.Detail{Match: "equal", Age: 30 * time.Second})
			wantPassed(t, h)
			h.WantPublished()
			continue
		}
		h.WantNothingDropped()
		wantPassed(t, h, greeting)
		h.WantPublished(
			events.EchoGuardMiss{Conversation: "line:Hana", Occurrence: 2, Runes: 4, Active: 1, LastSendAge: 30 * sec,
				Matched: true, At: h.Now(), Text: "おはよう"},
			events.Accepted{Conversation: "line:Hana", Occurrence: 2, Window: "line@a", At: h.Now()},
		)
	}
}

func TestTheSameAgain(t *testing.T) {
	for _, p := range []profile{seed, standard} {
		h := spawn(t, rulesOf(p))
		first, second := said(1, "OK", start), said(2, "OK", start.Add(5*sec))
		h.Send(first)
		h.Advance(5 * sec)
		h.Send(second)
		if p == seed {
			h.WantDropped(events.StageIngress, events.RuleShort, events.Detail{Match: "equal", Age: 5 * time.Second})
			wantPassed(t, h, first)
			h.Advance(15 * sec) // 20 s after the first: what was stopped extends nothing
			third := said(3, "OK", h.Now())
			h.Send(third)
			wantPassed(t, h, third)
			continue
		}
		wantPassed(t, h, first, second)
		h.WantPublished(
			events.Accepted{Conversation: "line:Hana", Occurrence: 1, Window: "line@a", At: start},
			events.Accepted{Conversation: "line:Hana", Occurrence: 2, Window: "line@a", Spared: "short", At: h.Now()},
		)
		h.Send(second)
		h.WantDropped(events.StageIngress, events.RuleRepeat)
		wantPassed(t, h)
	}
}

func TestMissCarriesAHash(t *testing.T) {
	keyed := DefaultRules()
	keyed.HashKey = []byte("key")
	h := spawn(t, keyed)
	h.Send(told("駅に着きました", "t1"))
	h.Advance(3 * sec)
	h.Send(said(1, "himitsu", h.Now()))
	r := Rules{HashKey: []byte("key")}
	h.WantPublished(
		events.EchoGuardMiss{Conversation: "line:Hana", Occurrence: 1, Hash: r.hash("himitsu"), Runes: 7, Active: 1,
			LastSendAge: 3 * sec, At: h.Now(), Text: "himitsu"},
		events.Accepted{Conversation: "line:Hana", Occurrence: 1, Window: "line@a", At: h.Now()},
	)
}

// TestCrashes kills the process around every step; nothing is lost or twice.
func TestCrashes(t *testing.T) {
	kill := map[string]func(h *actortest.Harness, step func()){
		"none":          func(h *actortest.Harness, step func()) { step() },
		"before commit": func(h *actortest.Harness, step func()) { h.CrashBeforeCommit(); step() },
		"commit fails":  func(h *actortest.Harness, step func()) { h.FailNextCommit(); step(); h.Restart() },
		"after commit":  func(h *actortest.Harness, step func()) { step(); h.Crash() },
	}
	for name, kill := range kill {
		t.Logf("killed: %s", name)
		h := spawn(t, rulesOf(seed))
		kill(h, func() { h.Send(told("今から向かいます", "t1")) })
		h.Advance(5 * sec)
		a, b, c := said(1, "待ってるね", h.Now()), said(2, "今から向かいます", h.Now()), said(3, "待ってるね", h.Now())
		kill(h, func() { h.Send(a) })
		kill(h, func() { h.Send(b) })
		kill(h, func() { h.Send(c) })
		wantPassed(t, h, a)
		h.WantDropped(events.StageIngress, events.RuleEcho, events.Detail{Match: "equal", Age: 5 * time.Second})
		h.WantDropped(events.StageIngress, events.RuleShort, events.Detail{Match: "equal"})
		h.WantNothingDropped()
		h.WantDeadLetters(0)
		actortest.WantRows(h, Sends, map[string]Sent{actors.RowKey(1): {Text: "今から向かいます", Trace: "t1", At: start}})
		actortest.WantRows(h, Incoming, map[string]Entry{actors.RowKey(1): {Text: "待ってるね", Single: true,
			Side: messages.SideIncoming, At: start.Add(5 * sec)}})
		actortest.WantStored(h, LastOccurrences, "last", 3)
	}
}

// TestAnUncommittedClaimIsReleased: what was not handed on holds nobody up.
func TestAnUncommittedClaimIsReleased(t *testing.T) {
	h := spawn(t, rulesOf(seed))
	a := said(1, "待ってるね", start)
	h.FailNextCommit()
	h.Send(a)
	wantPassed(t, h)
	h.Advance(time.Minute) // tried again
	wantPassed(t, h, a)
	h.WantNothingDropped()
}

func TestForgetting(t *testing.T) {
	small := DefaultRules()
	small.Sends, small.Entries = 3, 3
	h := spawn(t, small)
	for i := range 5 {
		h.Send(told(messages.Text(of(10*i, 8)), fmt.Sprint(i)))
		h.Send(said(messages.Occurrence(i+1), messages.Text(of(1000+10*i, 8)), h.Now()))
		h.Advance(sec)
	}
	sent, heard := map[string]Sent{}, map[string]Entry{}
	for i := 2; i < 5; i++ {
		at := start.Add(time.Duration(i) * sec)
		sent[actors.RowKey(uint64(i+1))] = Sent{Text: messages.Text(of(10*i, 8)), Trace: fmt.Sprint(i), At: at}
		heard[actors.RowKey(uint64(i+1))] = Entry{Text: messages.Text(of(1000+10*i, 8)), Single: true,
			Side: messages.SideIncoming, At: at}
	}
	actortest.WantRows(h, Sends, sent)
	actortest.WantRows(h, Incoming, heard)

	h.Crash()
	h.SetClock(start.Add(24 * sec)) // the last is 20 s old
	h.Send(said(6, "。", h.Now()))
	actortest.WantRows(h, Incoming, map[string]Entry{})
	actortest.WantRows(h, Sends, sent)
	h.SetClock(start.Add(10*time.Minute + 3*sec)) // the first is 10 min 1 s old
	h.Send(said(7, "。", h.Now()))
	delete(sent, actors.RowKey(3))
	delete(sent, actors.RowKey(4))
	actortest.WantRows(h, Sends, sent)
}

// TestAnotherAttemptRenews: the window of a sending counts from its last try.
func TestAnotherAttemptRenews(t *testing.T) {
	h := spawn(t, DefaultRules())
	h.Send(told("おはよう", "t1"))
	h.Advance(9 * time.Minute)
	h.Send(told("おはよう", "t1"))
	h.Send(told("おはよう", "t2"))
	at := h.Now()
	actortest.WantRows(h, Sends, map[string]Sent{actors.RowKey(2): {Text: "おはよう", Trace: "t1", At: at},
		actors.RowKey(3): {Text: "おはよう", Trace: "t2", At: at}})
	h.Advance(2 * time.Minute)
	echo := said(1, "おはよう", h.Now())
	echo.Side = messages.SideOwn
	h.Send(echo)
	h.WantDropped(events.StageIngress, events.RuleEcho, events.Detail{Match: "equal", Age: 2 * time.Minute})
}

// TestAnEchoThatWaited: a message is judged by when it was seen, not by when a
// runtime that was down gets to it.
func TestAnEchoThatWaited(t *testing.T) {
	h := spawn(t, DefaultRules())
	h.Send(told("おはよう", "t1"))
	h.SetClock(start.Add(time.Hour))
	echo := said(1, "おはよう", start.Add(2*sec))
	echo.Side = messages.SideNeither
	h.Send(echo)
	h.WantDropped(events.StageIngress, events.RuleEcho, events.Detail{Match: "equal", Age: 2 * time.Second})
}

func TestMisaddressed(t *testing.T) {
	for _, m := range []messages.Message{
		messages.TextSent{Conversation: "line:Ken", Text: "himitsu"},
		messages.IncomingBubble{Conversation: "line:Ken", Occurrence: 1, Text: "himitsu"},
	} {
		h := spawn(t, DefaultRules())
		for range 5 {
			h.WantFailure("of another conversation came here: its sender must address ingress/CONVERSATION")
		}
		h.Send(m)
		h.Advance(time.Hour)
		h.WantDeadLetters(1)
	}
}

func TestUnexpected(t *testing.T) {
	h := spawn(t, DefaultRules())
	h.WantFailure("ingress: unexpected poll_due")
	h.Send(messages.PollDue{})
}

// TestMemoryIsBounded plays random streams over a small memory, with clocks
// set back and crashes: the tables never grow past the bounds, what the actor
// caches is what a new one reads, and nothing is lost.
func TestMemoryIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := DefaultRules()
		o.Sends, o.Entries = rapid.IntRange(1, 5).Draw(t, "sends"), rapid.IntRange(1, 5).Draw(t, "entries")
		var live *actor
		create := New(o)
		h := actortest.Spawn(t, func(a messages.Address) actors.Actor {
			live = create(a).(*actor)
			return live
		}, actortest.Address("ingress/line:Hana"))
		for n := range messages.Occurrence(rapid.IntRange(1, 30).Draw(t, "n")) {
			s := messages.Text(genText().Draw(t, "text"))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				h.Send(told(s, rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "trace")))
			case 1:
				h.Crash()
			case 2:
				h.SetClock(h.Now().Add(time.Duration(rapid.IntRange(-3600, 3600).Draw(t, "s")) * sec))
			default:
				h.Sent()
				m := said(n+1, s, h.Now().Add(-time.Duration(rapid.IntRange(0, 60).Draw(t, "late"))*sec))
				h.Send(m)
				h.WantSent(actortest.To("burst/line:Hana", m))
			}
			h.Published()
			sent, heard := rows(h, Sends), rows(h, Incoming)
			if len(sent) > o.Sends || len(heard) > o.Entries {
				t.Fatalf("%d rows of sent and %d of heard, want at most %d and %d", len(sent), len(heard), o.Sends,
					o.Entries)
			}
			if live != nil && live.memory != nil {
				checkCache(t, live.memory, sent, heard)
			}
		}
		h.WantNothingDropped()
	})
}

// checkCache compares the index with the rows.
func checkCache(t *rapid.T, m *Memory, sent []Sent, heard []Entry) {
	t.Helper()
	var cachedSent []Sent
	for _, s := range m.sent {
		cachedSent = append(cachedSent, s.Sent)
	}
	var cachedHeard []Entry
	for i, e := range m.incoming {
		cachedHeard = append(cachedHeard, e.Entry)
		if !slices.Contains(m.exact[e.key()], m.first+uint64(i)) {
			t.Fatalf("row %d is not found by its text", m.first+uint64(i))
		}
	}
	found := 0
	for _, list := range m.exact {
		found += len(list)
	}
	if !slices.Equal(cachedSent, sent) || !slices.Equal(cachedHeard, heard) || found != len(heard) ||
		len(m.sends) != len(sent) {
		t.Fatalf("the actor has %+v and %+v, %d of them by text; want the rows %+v and %+v", cachedSent, cachedHeard,
			found, sent, heard)
	}
}

// rows returns the rows with numbers that such a test can reach, in order.
func rows[V any](h *actortest.Harness, table actors.Table[V]) []V {
	var out []V
	for n := range uint64(40) {
		if v, ok := actortest.Stored(h, table, actors.RowKey(n)); ok {
			out = append(out, v)
		}
	}
	return out
}

// TestStoredForms pins what is in stores already.
func TestStoredForms(t *testing.T) {
	s, err := Sends.Decode([]byte(`1 {"text":"おはよう","trace":"t","at":"2026-01-01T00:00:00Z"}`))
	if want := (Sent{Text: "おはよう", Trace: "t", At: start}); err != nil || s != want {
		t.Errorf("Decode(sent) = %+v, %v, want %+v", s, err, want)
	}
	e, err := Incoming.Decode([]byte(`1 {"text":"おはよう","rest":"r","single":true,"channel":"push","side":"own",` +
		`"at":"2026-01-01T00:00:00Z"}`))
	if want := (Entry{"おはよう", "r", true, "push", messages.SideOwn, start}); err != nil || e != want {
		t.Errorf("Decode(heard) = %+v, %v, want %+v", e, err, want)
	}
}

// full is a memory of 2,000 texts of the last 20 s.
func full(r Rules, length int) *Memory {
	m := &Memory{}
	for i := range 128 {
		m.addSent(r, m.nextSent(), Sent{Text: messages.Text(of(3*i, 20)), At: start})
	}
	for i := range 2000 {
		e, _ := r.entryOf(stale(of(7*i, length)), start)
		m.addIncoming(m.nextIncoming(), e)
	}
	return m
}

func BenchmarkDecide(b *testing.B) {
	r := rulesOf(seed)
	for _, length := range []int{25, 400} {
		m := full(r, length)
		for name, read := range map[string]string{
			"equal": of(7*1000, length), "similar": of(7*1000, length-1) + "x", "new": of(16000, length-1) + "x",
		} {
			h := stale(read)
			b.Run(fmt.Sprintf("%d_%s", length, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r.Decide(m, 0, h, start)
				}
			})
		}
	}
}

func BenchmarkHeard(b *testing.B) {
	h := spawn(b, DefaultRules())
	n := 0
	for b.Loop() {
		n++
		h.Send(said(messages.Occurrence(n), messages.Text(of(n%2000, 20)), h.Now()))
		h.Sent()
		h.Published()
	}
}

// A change of a message is no message: nothing stops it.
func TestRevisedPasses(t *testing.T) {
	h := actortest.Spawn(t, New(DefaultRules()), actortest.Address("ingress/line:Hana"))
	r := messages.Revised{Conversation: "line:Hana", Occurrence: 1, Change: messages.ChangeEdited, Text: "x"}
	h.CrashBeforeCommit()
	h.Send(r)
	h.WantSent(actortest.To("burst/line:Hana", r))
}
