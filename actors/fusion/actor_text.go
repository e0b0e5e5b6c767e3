package fusion

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// seen is the text of the window in its last reading. It dies with the
// activation: the first reading after that is compared with nothing.
type seen struct {
	baseline bool // there was a first reading
	lines    []string
}

// placeless reports whether no bubble has a place.
func placeless(bubbles []messages.Bubble) bool {
	return !slices.ContainsFunc(bubbles, func(b messages.Bubble) bool { return b.Key != 0 || b.Box.H > 0 })
}

// linesOf returns what the other side's bubbles say, top to bottom.
func linesOf(bubbles []messages.Bubble) []string {
	var out []string
	for _, b := range bubbles {
		if b.Side == messages.SideOwn {
			continue
		}
		lines := b.Lines
		if len(lines) == 0 || b.Box.H > 0 {
			lines = nil
			for l := range strings.Lines(string(b.Text)) {
				lines = append(lines, messages.Line{Text: messages.Text(l)})
			}
		}
		list := Unwrap(lines)
		if b.Box.H > 0 && len(list) > 1 { // one box, one bubble
			whole := list[0]
			for _, part := range list[1:] {
				whole = glue(whole, part)
			}
			list = []string{whole}
		}
		out = append(out, list...)
	}
	return out
}

// texts passes on the new text of a reading, by the rules of profile seed.
func (a *actor) texts(turn *actors.Turn, m messages.FrameRead, title messages.Text, view View) {
	if !a.seen.baseline {
		// The first reading is an empty baseline, so that the next one counts as
		// changed.
		a.seen = seen{baseline: true}
		turn.Drop(events.StageFusion, events.RuleBaseline, events.Detail{Window: a.window, Frame: m.Hash})
		a.readAgain(turn)
		return
	}
	a.emit(turn, a.detection(m, title, view), view)
	a.settle(turn, m)
}

// emit decides about one text: score, cursor, delta, echo, sanitizing.
func (a *actor) emit(turn *actors.Turn, d messages.Detection, view View) {
	before, lines := a.seen.lines, linesOf(d.Bubbles)
	a.seen = seen{baseline: true, lines: lines}
	d.Bubbles = nil
	signal := TextChanged
	if slices.Equal(before, lines) {
		signal = TextUnchanged
		a.unchanged(turn, d.Conversation, strings.Join(before, "\n"), strings.Join(lines, "\n"))
	}
	d.Score = a.score(signal, d)
	if d.Score < a.o.Rules.Threshold {
		a.belowThreshold(turn, d, signal)
		return
	}
	var news []string
	cursor, _ := cursors.Get(turn, "cursor")
	if signal == TextChanged {
		cut := a.cut(turn, cursor, d.Conversation, lines)
		news = a.o.Strategy.news(before, cut)
	}
	if len(news) == 0 {
		turn.Drop(events.StageFusion, events.RuleNoNews, a.detail(d, signal))
		return
	}
	turn.Publish(events.TextDelta{
		Window: a.window, Conversation: d.Conversation, Lines: len(news),
		Text: a.mark(strings.Join(news, "\n")), At: turn.Now(),
	})
	cursors.Put(turn, "cursor", a.o.Rules.CursorOf(d.Conversation, lines))
	known, _ := echoes.Get(turn, string(d.Conversation))
	if echo, ok := known.Text(a.o.Rules, d.Conversation, messages.Text(strings.Join(news, "\n")), d.SeenAt); ok {
		a.echoed(turn, d, echo)
		return
	}
	raw := make([]Raw, len(news))
	for i, line := range news {
		raw[i] = Raw{Text: line}
	}
	clean := a.o.Clean.Clean(raw)
	if len(clean) == 0 {
		turn.Drop(events.StageSanitize, events.RuleTokens, a.detail(d, signal))
		return
	}
	d.Text = messages.Text(strings.Join(clean, "\n"))
	a.send(turn, d, view)
}

// cut applies the cursor of the last emission and reports what it did.
func (a *actor) cut(turn *actors.Turn, cursor Cursor, c messages.ConversationID, lines []string) Cut {
	cut := a.o.Rules.Cut(cursor, c, lines, a.o.Strategy.ends)
	switch cut.Use {
	case CursorFound:
		turn.Publish(events.CursorTruncation{
			Window: a.window, Conversation: c, Discarded: cut.Discarded, Kept: len(cut.Kept), At: turn.Now(),
		})
	case CursorNotFound:
		turn.Publish(events.CursorNotFound{Window: a.window, Conversation: c, Lines: len(lines), At: turn.Now()})
	}
	return cut
}

// echoed reports a text that was recognised as one that was sent.
func (a *actor) echoed(turn *actors.Turn, d messages.Detection, e Echo) {
	turn.Publish(events.EchoMessage{
		Window: a.window, Conversation: d.Conversation, Text: a.mark(string(e.Text)), Trace: e.Trace,
		Match: string(e.Match), Age: e.Age, Side: e.Side, At: turn.Now(),
	})
	turn.Drop(events.StageFusion, events.RuleEcho, events.Detail{
		Window: a.window, Conversation: d.Conversation, Match: events.Match(e.Match), Age: e.Age, Score: d.Score,
	})
}

// unchanged reports that pixels differ but say the same.
func (a *actor) unchanged(turn *actors.Turn, c messages.ConversationID, before, now string) {
	turn.Publish(events.TextUnchanged{
		Window: a.window, Conversation: c, Previous: a.mark(before), Current: a.mark(now), At: turn.Now(),
	})
}

func (a *actor) mark(s string) events.TextMark {
	return events.TextMark{Hash: text.Hash(a.o.HashKey, s), Runes: utf8.RuneCountInString(s), Text: messages.Text(s)}
}
