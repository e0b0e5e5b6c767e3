package fusion

import (
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func spawn(t *testing.T) *actortest.Harness {
	t.Helper()
	return actortest.Spawn(t, New(Options{}), actortest.Address("fusion/line@mac"))
}

var at = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// read is a reading whose hash and pixel keys follow from its words.
func read(title messages.Text, words string) messages.FrameRead {
	h := fnv.New64a()
	h.Write([]byte(string(title) + "\x00" + words))
	m := messages.FrameRead{
		Window: "line@mac", Hash: messages.FrameHash(h.Sum64()), Title: messages.Line{Text: title, Confidence: 0.9},
		Size: messages.Rect{W: 600, H: 800}, Scale: 2, At: at,
	}
	for _, w := range strings.Fields(words) {
		k := fnv.New64a()
		k.Write([]byte(w))
		m.Bubbles = append(m.Bubbles, messages.Bubble{
			Side: messages.SideIncoming, Kind: messages.KindText, Text: messages.Text(w), Key: messages.PixelKey(k.Sum64()),
		})
	}
	return m
}

func detection(m messages.FrameRead, name messages.Text) actortest.Sent {
	id := Conversation("line", string(name))
	return actortest.To(messages.To("dedup", string(id)), messages.Detection{
		Window: "line@mac", Conversation: id, Title: name, Bubbles: m.Bubbles, Size: m.Size, Scale: m.Scale, Score: 62, SeenAt: at,
	})
}

func settled(m messages.FrameRead) actortest.Sent {
	return actortest.To("poller/line@mac", messages.FrameSettled{Window: "line@mac", Hash: m.Hash})
}

func TestPassesWhatChanged(t *testing.T) {
	h := spawn(t)
	first, second := read("Hana", "a b"), read("Hana", "b c")
	h.Send(first)
	h.WantSent(detection(first, "Hana"), settled(first))
	h.WantCommits(1)
	h.Send(first)
	h.WantSent(settled(first))
	h.WantDropped("fusion", "score 35 is below 60: other pixels, the same content")
	h.WantCommits(0)
	h.Crash()
	h.Send(first)
	h.WantSent(settled(first))
	h.Send(second)
	h.WantSent(detection(second, "Hana"), settled(second))
	h.CrashBeforeCommit()
	h.Send(first) // fleeting: lost, and sent again by the next poll
	h.WantSent()
	h.Send(first)
	h.WantSent(detection(first, "Hana"), settled(first))
}

func TestNoBubblesSettle(t *testing.T) {
	h := spawn(t)
	m := read("Hana", "")
	h.Send(m)
	h.WantSent(settled(m))
	h.WantCommits(0)
}

func TestUnknownConversation(t *testing.T) {
	h := spawn(t)
	m := read("", "a b")
	h.Send(m)
	h.WantDropped("fusion", "unknown conversation")
	h.Send(m) // the same frame is reported once
	h.WantNothingDropped()
	h.Send(read(" ", "a c"))
	h.WantDropped("fusion", "unknown conversation")
	h.WantSent()
	h.WantCommits(0)
}

func TestMisreadTitle(t *testing.T) {
	h := spawn(t)
	h.Send(read("田中一郎", "a b"))
	h.Sent()
	m := read("田中ー郎", "a b c")
	h.Send(m)
	h.WantSent(detection(m, "田中一郎"), settled(m))
}

func TestChangeOfConversation(t *testing.T) {
	h := spawn(t)
	hana, ken := read("Hana", "a b c"), read("Ken", "x y z")
	h.Send(hana)
	h.Sent()
	h.Send(ken)
	h.WantSent(detection(ken, "Ken"), settled(ken))
	h.Crash()
	h.Send(hana)
	h.WantSent(detection(hana, "Hana"), settled(hana))
	h.WantNothingDropped()
}

// TestHeaderFirst: the new title stands over the old bubbles for a moment.
func TestHeaderFirst(t *testing.T) {
	h := spawn(t)
	h.Send(read("Hana", "a b c"))
	h.Sent()
	h.Send(read("Ken", "a b c"))
	h.WantSent()
	h.WantDropped("fusion", "torn frame: another title over the same bubbles; it is read again")
	ken := read("Ken", "x y z")
	h.Send(ken)
	h.WantSent(detection(ken, "Ken"), settled(ken))
}

// TestTwoConversationsAlike: Ken has really got the same messages.
func TestTwoConversationsAlike(t *testing.T) {
	h := spawn(t)
	h.Send(read("Hana", "a b c"))
	h.Sent()
	ken := read("Ken", "a b c")
	for range maxTorn {
		h.Send(ken)
		h.WantSent()
	}
	h.Send(ken)
	h.WantSent(detection(ken, "Ken"), settled(ken))
}

// TestBubblesFirst: the new bubbles stand under the old title for a moment.
func TestBubblesFirst(t *testing.T) {
	h := spawn(t)
	h.Send(read("Hana", "a b c"))
	h.Sent()
	h.Send(read("Hana", "x y z"))
	h.WantSent()
	ken := read("Ken", "x y z")
	h.Send(ken)
	h.WantSent(detection(ken, "Ken"), settled(ken))
	h.WantDropped("fusion", "torn frame: other bubbles under the same title; they were read again")
}

// TestMuchWasSaid: nothing of the last view is left, and the title stays.
func TestMuchWasSaid(t *testing.T) {
	h := spawn(t)
	h.Send(read("Hana", "a b c"))
	h.Sent()
	jump := read("Hana", "d e f")
	h.Send(jump)
	h.WantSent()
	h.Send(jump)
	h.WantSent(detection(jump, "Hana"), settled(jump))

	first, next := read("Hana", "g h i"), read("Hana", "j k l")
	h.Send(first)
	h.WantSent()
	h.Send(next)
	h.WantSent(detection(first, "Hana"), detection(next, "Hana"), settled(next))

	first, ken := read("Hana", "m n o"), read("Ken", "x y z")
	h.Send(first)
	h.Send(ken)
	h.WantSent(detection(first, "Hana"), detection(ken, "Ken"), settled(ken))
	h.WantNothingDropped()
}
