package fusion

import (
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	return spawnWith(t, DefaultOptions())
}

// with are the default options after a change.
func with(change func(*Options)) Options {
	o := DefaultOptions()
	change(&o)
	return o
}

func spawnWith(t *testing.T, o Options, opts ...actortest.Option) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, New(o), append([]actortest.Option{actortest.Address("fusion/line@mac"),
		actortest.Partner("directory", directory)}, opts...)...)
}

// idOf is the id that the directory of these tests has for a name.
func idOf(name messages.Text) messages.ConversationID { return messages.ConversationID("line:" + name) }

// directory knows everybody by the very name. "Not listed" is not to be read, and
// "Somebody" might be several people.
func directory(m messages.Message) messages.Message {
	q := m.(messages.Identify)
	answer := messages.Identified{Window: q.Window, Frame: q.Frame, At: q.At}
	switch name := messages.Text(strings.TrimSpace(string(q.Title.Text))); name {
	case "":
		answer.Why = events.UnknownTitle
	case "Somebody":
		answer.Why = events.UnknownAlike
	case "Not listed":
		answer.Unlisted, answer.Name = true, name
	default:
		answer.Conversation, answer.Name = idOf(name), name
	}
	return answer
}

// read is a reading whose hash and pixel keys follow from its words. One letter
// stands for a text that proves its conversation. The title is certain.
func read(title messages.Text, words string) messages.FrameRead {
	h := fnv.New64a()
	h.Write([]byte(string(title) + "\x00" + words))
	m := messages.FrameRead{
		Window: "line@mac", Hash: messages.FrameHash(h.Sum64()), Title: messages.Line{Text: title},
		Size: messages.Rect{W: 600, H: 800}, Scale: 2,
	}
	for _, w := range strings.Fields(words) {
		k := fnv.New64a()
		k.Write([]byte(w))
		said := w
		if len(w) == 1 {
			said = strings.Repeat(w, runProof)
		}
		m.Bubbles = append(m.Bubbles, messages.Bubble{
			Side: messages.SideIncoming, Kind: messages.KindText, Text: messages.Text(said),
			Key: messages.PixelKey(k.Sum64()),
		})
	}
	return m
}

func detection(m messages.FrameRead, name messages.Text) actortest.Sent {
	id := idOf(name)
	return actortest.To(messages.To("dedup", string(id)), messages.Detection{
		Window: "line@mac", Conversation: id, Title: name, Bubbles: m.Bubbles, Size: m.Size, Scale: m.Scale,
		Score: 62, SeenAt: m.At,
	})
}

// send has a frame captured a second after the last, and read.
func send(h *actortest.Harness, m messages.FrameRead) messages.FrameRead {
	h.Advance(time.Second)
	m.At = h.Now()
	h.Send(m)
	return m
}

var readAgain = actortest.To("poller/line@mac", messages.ReadAgain{Window: "line@mac"})

func settled(m messages.FrameRead) actortest.Sent {
	return actortest.To("poller/line@mac", messages.FrameSettled{Window: "line@mac", Hash: m.Hash})
}

func TestPassesWhatChanged(t *testing.T) {
	h := spawn(t)
	first, second := read("Hana", "a b c"), read("Hana", "b c d")
	first = send(h, first)
	h.WantSent(detection(first, "Hana"), settled(first))
	h.WantCommits(1)
	first = send(h, first)
	h.WantSent(settled(first))
	h.WantDropped(events.StageFusion, events.RuleUnchanged, events.Detail{Score: 35, Of: 60})
	h.WantCommits(0)
	h.Crash()
	first = send(h, first)
	h.WantSent(settled(first))
	second = send(h, second)
	h.WantSent(detection(second, "Hana"), settled(second))
	h.CrashBeforeCommit()
	first = send(h, first) // fleeting: lost, and sent again by the next poll
	h.WantSent()
	first = send(h, first)
	h.WantSent(detection(first, "Hana"), settled(first))
}

func TestNoBubblesSettle(t *testing.T) {
	h := spawn(t)
	m := read("Hana", "")
	m = send(h, m)
	h.WantSent(settled(m))
	h.WantCommits(0)
}

// TestChangeOfConversation: one that shows something known passes at once.
// Otherwise the next frame must show the same title over some of the same bubbles.
func TestChangeOfConversation(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	send(h, read("Ken", "x y z"))
	h.WantSent(readAgain)
	ken := send(h, read("Ken", "x y z"))
	h.WantSent(detection(ken, "Ken"), settled(ken))
	h.Crash()
	hana := send(h, read("Hana", "b c d"))
	h.WantSent(detection(hana, "Hana"), settled(hana))
	ken = send(h, read("Ken", "x y z")) // nothing new, but back again
	h.WantSent(detection(ken, "Ken"), settled(ken))
	h.WantNothingDropped()
}

// TestShortVisit: nobody stayed in the conversation until the next frame.
func TestShortVisit(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	ken := send(h, read("Ken", "x y z"))
	h.Crash()
	hana := send(h, read("Hana", "b c d"))
	h.WantSent(readAgain, detection(ken, "Ken"), detection(hana, "Hana"), settled(hana))
	h.WantNothingDropped()
}

// TestHeaderFirst: the new title stands over the old bubbles for a moment.
func TestHeaderFirst(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	inconsistent := send(h, read("Ken", "a b c"))
	for range 2 * maxInconsistent { // the same frame decides nothing more
		h.Send(inconsistent)
	}
	h.WantDropped(events.StageFusion, events.RuleTorn)
	h.WantNothingDropped()
	send(h, read("Ken", "x y z"))
	for _, s := range h.Sent() {
		if s != readAgain {
			t.Errorf("sent %v, want only %v", s, readAgain)
		}
	}
	ken := send(h, read("Ken", "x y z"))
	h.WantSent(detection(ken, "Ken"), settled(ken))
}

// TestHeaderFirstUnseen: the old bubbles were not seen before.
func TestHeaderFirstUnseen(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	send(h, read("Ken", "d e f"))
	h.Sent()
	send(h, read("Ken", "x y z"))
	h.WantDropped(events.StageFusion, events.RuleTornHeld)
	h.WantSent(readAgain)
	ken := send(h, read("Ken", "x y z"))
	h.WantSent(detection(ken, "Ken"), settled(ken))
}

// TestTwoConversationsAlike: Ken really got the same messages.
func TestTwoConversationsAlike(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	ken := read("Ken", "a b c")
	for range maxInconsistent {
		send(h, ken)
		h.WantSent(readAgain)
	}
	ken = send(h, ken)
	h.WantSent(detection(ken, "Ken"), settled(ken))
	hana := send(h, read("Hana", "a b c"))
	h.WantSent(detection(hana, "Hana"), settled(hana))
}

// TestBubblesFirst: the new bubbles stand under the old title for a moment.
func TestBubblesFirst(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	send(h, read("Hana", "x y z"))
	h.Crash()
	for range maxInconsistent { // it takes some frames to be sure whose they are
		send(h, read("Ken", "x y z"))
	}
	h.WantSent(slices.Repeat([]actortest.Sent{readAgain}, 1+maxInconsistent)...)
	ken := send(h, read("Ken", "x y z"))
	h.WantSent(detection(ken, "Ken"), settled(ken))
	for range maxInconsistent {
		h.WantDropped(events.StageFusion, events.RuleTorn)
	}
	h.WantDropped(events.StageFusion, events.RuleTornHeld)
	h.WantNothingDropped()
}

// TestMuchWasSaid: nothing of the last view is left, and the title stays.
func TestMuchWasSaid(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	jump := send(h, read("Hana", "d e f"))
	h.WantSent(readAgain)
	h.Send(jump) // the same frame decides nothing
	h.WantSent(readAgain)
	jump = send(h, jump)
	h.WantSent(detection(jump, "Hana"), settled(jump))

	first := send(h, read("Hana", "g h i"))
	h.WantSent(readAgain)
	h.Crash()
	next := send(h, read("Hana", "j k l"))
	h.WantSent(detection(first, "Hana"), detection(next, "Hana"), settled(next))

	first = send(h, read("Hana", "m n o"))
	send(h, read("Ken", "x y z"))
	h.WantSent(readAgain, detection(first, "Hana"), readAgain)
	ken := send(h, read("Ken", "y z w"))
	h.WantNothingDropped()
	got := h.Sent()
	if len(got) != 3 || got[2] != settled(ken) {
		t.Errorf("sent %v, want two detections of Ken's and that they are settled", got)
	}
}

// TestBubblesFirstAmongRepeats: Hana's bubbles stand under Ken's title for a
// moment, and both of them laugh a lot.
func TestBubblesFirstAmongRepeats(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "OK hh a hh OK ok"))
	send(h, read("Ken", "x hh y はい z"))
	send(h, read("Ken", "x hh y はい z"))
	h.Sent()
	send(h, read("Ken", "OK hh a hh OK ok"))
	h.WantDropped(events.StageFusion, events.RuleTorn)
	h.WantSent(readAgain)
	h.Crash()
	hana := send(h, read("Hana", "OK hh a hh OK ok b"))
	h.WantSent(detection(hana, "Hana"), settled(hana))
	ken := send(h, read("Ken", "hh y はい z w"))
	h.WantSent(detection(ken, "Ken"), settled(ken))
	h.WantNothingDropped()
}

// TestBubblesFirstUnseen is the same with bubbles that nobody has seen before:
// they wait for the next title.
func TestBubblesFirstUnseen(t *testing.T) {
	h := spawn(t)
	send(h, read("Ken", "x hh y OK z"))
	h.Sent()
	send(h, read("Ken", "OK hh a hh OK ok"))
	h.WantSent(readAgain)
	h.Crash()
	for range maxInconsistent {
		send(h, read("Hana", "OK hh a hh OK ok"))
	}
	h.WantSent(slices.Repeat([]actortest.Sent{readAgain}, maxInconsistent)...)
	hana := send(h, read("Hana", "OK hh a hh OK ok b"))
	h.WantSent(detection(hana, "Hana"), settled(hana))
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		before, now string
		want        int
		continues   bool
	}{
		{"a b c", "b c d", 2 * runText, true},
		{"a b c", "x y z", 0, false},
		{"OK OK はい", "OK OK x", 4, false},
		{"OK x OK", "OK y OK", 2, false}, // in different places
		{"x hh y", "hh z hh", 2, false},  // one, though it is shown twice
		{"OK はい", "OK はい", 4, true},      // the same view
		{"了解です はい うん", "x 了解です はい うん", 8, true},
		{"了解です x はい うん", "了解です はい うん", 4, false},
	} {
		before, now := viewOf("Hana", read("", c.before).Bubbles), viewOf("Hana", read("", c.now).Bubbles)
		if got := before.run(now); got != c.want || before.continues(now) != c.continues {
			t.Errorf("run(%q, %q) = %d, continues %v, want %d, %v", c.before, c.now, got,
				before.continues(now), c.want, c.continues)
		}
	}
}

// TestASurerReadingIsPassedOn: the ledger waits for it, though the words are the
// same.
func TestASurerReadingIsPassedOn(t *testing.T) {
	h := spawn(t)
	low := read("Hana", "a b")
	low.Bubbles[1].Low = true
	low = send(h, low)
	h.WantSent(detection(low, "Hana"), settled(low))
	h.Crash()
	low = send(h, low)
	h.WantSent(settled(low))
	sure := send(h, read("Hana", "a b"))
	h.WantSent(detection(sure, "Hana"), settled(sure))
}

// TestContested: the next frame shows the pending bubbles under another title, and
// the one after that shows quite different ones.
func TestContested(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	send(h, read("Ken", "p q r")) // Hana's, never seen before
	send(h, read("Hana", "p q r"))
	h.WantDropped(events.StageFusion, events.RuleTorn)
	h.Crash()
	send(h, read("Hana", "u v w"))
	h.WantDropped(events.StageFusion, events.RuleTornHeld)
	for _, s := range h.Sent() {
		if d, ok := s.Message.(messages.Detection); ok {
			t.Errorf("passed on %+v, want nothing yet", d)
		}
	}
	hana := send(h, read("Hana", "u v w"))
	h.WantSent(detection(hana, "Hana"), settled(hana))
}

// TestFirstSightIsReadAgain: a title that was read from pixels once is not believed, not
// even where nothing has been shown before.
func TestFirstSightIsReadAgain(t *testing.T) {
	h := spawn(t)
	pixels := func(title messages.Text, words string) messages.FrameRead {
		m := read(title, words)
		m.Title.Confidence = 0.9
		return send(h, m)
	}
	pixels("Ken", "a b")
	pixels("Hana", "a b") // Ken was misread
	h.WantDropped(events.StageFusion, events.RuleTorn)
	pixels("Hana", "c d")
	h.WantDropped(events.StageFusion, events.RuleTornHeld)
	h.WantSent(readAgain, readAgain, readAgain)
	hana := pixels("Hana", "c d")
	h.WantSent(detection(hana, "Hana"), settled(hana))
}

// TestRefuted: a title over bubbles that were read under another one twice since then says
// nothing when it comes again; nor does it count once nobody knows whose the other is, and
// the window shows somebody else.
func TestRefuted(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	send(h, read("Ken", "p q r")) // somebody's whose title was misread
	send(h, read("Ren", "p q r"))
	h.Crash()
	send(h, read("Ren", "p q r"))
	for range 2 {
		h.WantDropped(events.StageFusion, events.RuleTorn)
	}
	send(h, read("Ken", "p q r"))
	h.WantDropped(events.StageFusion, events.RuleTornHeld)
	h.WantSent(readAgain, readAgain, readAgain, readAgain)

	h = spawn(t)
	send(h, read("Hana", "a b c"))
	h.Sent()
	send(h, read("Ken", "p q r"))
	somebody := send(h, read("Somebody", "p q r"))
	h.Sent()
	hana := send(h, read("Hana", "b c d"))
	h.WantDropped(events.StageFusion, events.RuleUnknown)
	h.WantSent(detection(hana, "Hana"), settled(hana))
	if _, ok := actortest.Stored(h, HeldReadings, actors.RowKey(1)); !ok {
		t.Errorf("what nobody knows of is not held, at %v", somebody.At)
	}
}
