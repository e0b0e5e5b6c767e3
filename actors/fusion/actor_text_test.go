package fusion

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

func spawnSeed(t *testing.T) *actortest.Harness {
	t.Helper()
	return spawnWith(t, with(func(o *Options) {
		o.Strategy, o.Clean, o.HashKey = ByText{}, line(), []byte("key")
	}))
}

func textOf(m messages.FrameRead, name, lines string) actortest.Sent {
	return actortest.To(messages.To("dedup", "line:"+name), messages.Detection{
		Window: "line@mac", Conversation: messages.ConversationID("line:" + name), Title: messages.Text(name),
		Text: messages.Text(strings.ReplaceAll(lines, " ", "\n")), Size: m.Size, Scale: m.Scale,
		Score: 62, SeenAt: m.At,
	})
}

// wantEvents takes the events and expects these types.
func wantEvents(t *testing.T, h *actortest.Harness, want ...string) []messages.Message {
	t.Helper()
	got := h.Published()
	var names []string
	for _, m := range got {
		names = append(names, m.MessageType().Name)
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("published %q, want %q", names, want)
	}
	return got
}

func TestSeed(t *testing.T) {
	h := spawnSeed(t)
	send(h, read("Hana", "aaaa bbbb"))
	h.WantSent(readAgain) // the baseline
	h.WantDropped(events.StageFusion, events.RuleBaseline)
	m := send(h, read("Hana", "aaaa bbbb"))
	h.WantSent(textOf(m, "Hana", "aaaa bbbb"), settled(m))
	wantEvents(t, h, "text_delta")

	m = send(h, read("Hana", "aaaa bbbb cccc"))
	h.WantSent(textOf(m, "Hana", "cccc"), settled(m))
	got := wantEvents(t, h, "cursor_truncation", "text_delta")
	if cut := got[0].(events.CursorTruncation); cut.Discarded != 2 || cut.Kept != 1 {
		t.Errorf("cursor_truncation %d discarded, %d kept, want 2 and 1", cut.Discarded, cut.Kept)
	}
	if d := got[1].(events.TextDelta); d.Lines != 1 || d.Text.Text != "cccc" || d.Text.Runes != 4 {
		t.Errorf("text_delta %+v, want the line cccc", d)
	}

	m = send(h, read("Hana", "aaaa bbbb cccc"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleUnchanged, events.Detail{Score: 35, Of: 60})
	wantEvents(t, h, "text_unchanged")
	h.WantCommits(2)

	m = send(h, read("Hana", "xxxx yyyy"))
	h.WantSent(textOf(m, "Hana", "xxxx yyyy"), settled(m))
	wantEvents(t, h, "cursor_not_found", "text_delta")
	m = send(h, read("Ken", "xxxx yyyy zzzz")) // the cursor is Hana's
	h.WantSent(textOf(m, "Ken", "zzzz"), settled(m))
	wantEvents(t, h, "text_delta")
	h.WantNothingDropped()
}

// TestSeedLosesWhatLooksKnown: the seed's cursor ends at the last line that is
// the same as any of its lines.
func TestSeedLosesWhatLooksKnown(t *testing.T) {
	h := spawnSeed(t)
	send(h, read("Hana", "aaaa okok"))
	send(h, read("Hana", "aaaa okok"))
	h.Sent()
	m := send(h, read("Hana", "aaaa okok bbbb okok"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleBaseline)
	h.WantDropped(events.StageFusion, events.RuleNoNews)
}

// TestCursorOutlives a reset of the baseline, a restart and a crash.
func TestCursorOutlives(t *testing.T) {
	h := spawnSeed(t)
	send(h, read("Hana", "aaaa bbbb"))
	send(h, read("Hana", "aaaa bbbb"))
	h.Sent()
	for name, end := range map[string]func(){
		"reset": func() { h.Send(messages.ResetBaseline{Window: "line@mac"}) },
		"crash": h.Crash,
	} {
		end()
		send(h, read("Hana", "aaaa bbbb"))
		m := send(h, read("Hana", "aaaa bbbb"))
		h.WantSent(readAgain, settled(m))
		cursor, _ := actortest.Stored(h, cursors, "cursor")
		if len(cursor.Lines) != 2 || cursor.Conversation != "line:Hana" {
			t.Errorf("after a %s the cursor has %d lines of %s, want 2 of line:Hana", name,
				len(cursor.Lines), cursor.Conversation)
		}
	}
	h.CrashBeforeCommit()
	send(h, read("Hana", "aaaa bbbb cccc"))
	h.WantSent()
	send(h, read("Hana", "aaaa bbbb cccc"))
	h.WantSent(readAgain)
	m := send(h, read("Hana", "aaaa bbbb cccc"))
	h.WantSent(textOf(m, "Hana", "cccc"), settled(m))
	h.FailNextCommit()
	send(h, read("Hana", "aaaa bbbb cccc dddd"))
	h.Advance(time.Minute)
	h.WantSent()
	send(h, read("Hana", "aaaa bbbb cccc dddd"))
	m = send(h, read("Hana", "aaaa bbbb cccc dddd"))
	h.WantSent(readAgain, textOf(m, "Hana", "dddd"), settled(m))
}

func TestSeedEcho(t *testing.T) {
	h := spawnSeed(t)
	send(h, read("Hana", "aaaa"))
	send(h, read("Hana", "aaaa"))
	h.Send(messages.TextSent{Conversation: "line:Hana", Text: "hello there", Trace: "t"})
	h.Crash()
	h.Sent()
	send(h, read("Hana", "aaaa"))
	h.Sent()
	h.Published()
	m := read("Hana", "aaaa x")
	m.Bubbles[1].Text = "hello there" // masking has failed
	m = send(h, m)
	h.WantSent(settled(m))
	got := wantEvents(t, h, "cursor_truncation", "text_delta", "echo_message")
	e := got[2].(events.EchoMessage)
	if e.Trace != "t" || e.Match != "equal" || e.Age != 2*time.Second || e.Text.Runes != 11 || e.Text.Hash == "" {
		t.Errorf("echo_message %+v, want the sending t 2s ago and 11 characters", e)
	}
	cursor, _ := actortest.Stored(h, cursors, "cursor")
	if len(cursor.Lines) != 2 {
		t.Errorf("the cursor has %d lines after an echo, want 2: it was passed on as one", len(cursor.Lines))
	}
}

func TestSeedSanitizes(t *testing.T) {
	h := spawnSeed(t)
	send(h, read("Hana", "aaaa"))
	send(h, read("Hana", "aaaa"))
	h.Sent()
	m := send(h, read("Hana", "aaaa 12:34 bbbb 既読"))
	h.WantSent(textOf(m, "Hana", "bbbb"), settled(m))
	m = send(h, read("Hana", "aaaa 12:34 bbbb 既読 Read"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleBaseline)
	h.WantDropped(events.StageSanitize, events.RuleTokens)
}

// TestSeedReadsTheOtherSide: own bubbles and what has no text are not read.
func TestSeedReadsTheOtherSide(t *testing.T) {
	h := spawnSeed(t)
	send(h, read("Hana", "aaaa"))
	m := read("Hana", "aaaa bbbb cccc")
	m.Bubbles[1].Side = messages.SideOwn
	m.Bubbles[2].Kind, m.Bubbles[2].Text = messages.KindSticker, ""
	h.Sent()
	m = send(h, m)
	h.WantSent(textOf(m, "Hana", "aaaa"), settled(m))
}

// TestPlaceless: without boxes and keys text decides in profile default too. There
// the cursor is a sequence, and drift is no news.
func TestPlaceless(t *testing.T) {
	bare := func(words string) messages.FrameRead {
		m := read("Hana", words)
		for i := range m.Bubbles {
			m.Bubbles[i].Key = 0
		}
		return m
	}
	h := spawn(t)
	m := send(h, bare("aaaa okok"))
	h.WantSent(textOf(m, "Hana", "aaaa okok"), settled(m))
	m = send(h, bare("aaaa okok bbbb okok"))
	h.WantSent(textOf(m, "Hana", "bbbb okok"), settled(m))
	h.Crash()
	m = send(h, bare("aaaa okok bbbb okok"))
	h.WantSent(settled(m))
	h.WantDropped(events.StageFusion, events.RuleNoNews)
	m = send(h, bare("okok aaaa bbbb okok aaaa"))
	h.WantSent(textOf(m, "Hana", "aaaa"), settled(m))
}

// TestDropsTellWhy: a drop of fusion has the score and says whether the text
// changed.
func TestDropsTellWhy(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "a b"))
	send(h, read("Hana", "a b"))
	for _, m := range h.Reported() {
		if d, ok := m.(events.Dropped); ok {
			if d.Stage != "fusion" || d.Detail.Score != 35 || d.Detail.Changed != "0" ||
				d.Detail.Conversation != "line:Hana" {
				t.Errorf("dropped at %s with %+v, want fusion, score 35, unchanged", d.Stage, d.Detail)
			}
			return
		}
	}
	t.Errorf("nothing was dropped, want the frame with the same content")
}

// TestEchoInAView: an own message whose side is misread stays an own one.
func TestEchoInAView(t *testing.T) {
	h := spawn(t)
	send(h, read("Hana", "good_morning"))
	h.Sent()
	h.Send(messages.TextSent{Conversation: "line:Hana", Text: "hello", Trace: "t"})
	h.CrashBeforeCommit()
	send(h, read("Hana", "good_morning hello"))
	m := send(h, read("Hana", "good_morning hello"))
	h.WantSent(actortest.To(messages.ActorPoller+"/line@mac", messages.FrameHeld{Window: "line@mac", Hash: m.Hash}))
	h.Advance(ownLate)
	m = send(h, read("Hana", "good_morning hello"))
	want := detection(m, "Hana")
	d := want.Message.(messages.Detection)
	d.Bubbles = append([]messages.Bubble(nil), d.Bubbles...)
	d.Bubbles[1].Side = messages.SideOwn
	want.Message = d
	h.WantSent(want, settled(m))
	e := wantEvents(t, h, "echo_message")[0].(events.EchoMessage)
	if e.Side != messages.SideIncoming || e.Trace != "t" {
		t.Errorf("echo_message %+v, want an incoming side and trace t", e)
	}
	h.Crash()
	h.Advance(time.Hour)
	m = send(h, read("Hana", "good_morning hello"))
	h.WantSent(settled(m)) // still the same view
	wantEvents(t, h, "text_unchanged")
}
