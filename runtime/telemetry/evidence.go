package telemetry

import (
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
)

// evidence writes what the rules on text and rows have found, and reports whether the
// event was one of these. It is long because it is a table, like write.
func (w *writer) evidence(p engine.Published) bool {
	l := w.line(zerolog.DebugLevel, p, "")
	in := func(window messages.WindowID, c messages.ConversationID) *zerolog.Event {
		return l.Str("window", string(window)).Str("conversation", w.names.Conversation(c))
	}
	switch m := p.Message.(type) {
	case events.CursorTruncation:
		in(m.Window, m.Conversation).Int("discarded", m.Discarded).Int("kept", m.Kept)
	case events.CursorNotFound:
		in(m.Window, m.Conversation).Int("lines", m.Lines)
	case events.TextDelta:
		in(m.Window, m.Conversation).Int("lines", m.Lines)
		l.mark("text", m.Text)
	case events.TextUnchanged:
		in(m.Window, m.Conversation)
		l.mark("prev", m.Previous)
		l.mark("curr", m.Current)
	case events.FuzzyDedupHit:
		l.Str("conversation", w.names.Conversation(m.Conversation))
		l.mark("query", m.Query)
		l.mark("matched", m.Matched)
	case events.EchoMessage:
		in(m.Window, m.Conversation).Str("text_hash", m.Text.Hash).Int("runes", m.Text.Runes).
			Str("match", m.Match).Int64("age_ms", m.Age.Milliseconds()).Str("side", string(m.Side))
		l.text("text", m.Text.Text)
	case events.MessageUnreadable:
		l = w.line(zerolog.WarnLevel, p, "")
		in(m.Window, m.Conversation).Int("rows", m.Rows).Int("delta", m.Delta).Int("attempts", m.Attempts)
		l.hint("a message came that could not be read; look at the window")
		return true
	case events.ConversationUnknown:
		l = w.line(zerolog.WarnLevel, p, "")
		l.Str("window", string(m.Window)).Str("reason", string(m.Why)).Int("bubbles", m.Bubbles)
		l.hint("messages are missed: " + describe.UnknownHint(m.Why))
		return true
	case events.IdentityState:
		if m.Why == "" {
			l = w.line(zerolog.InfoLevel, p, "")
		}
		l.Str("window", string(m.Window)).Str("reason", string(m.Why))
	case events.SidesState:
		l = w.line(zerolog.InfoLevel, p, "")
		if m.Unknown {
			l = w.line(zerolog.WarnLevel, p, "")
		}
		l.Str("window", string(m.Window)).Int("bubbles", m.Bubbles).Int("bare", m.Bare).Bool("unknown", m.Unknown)
		if m.Unknown {
			l.hint(describe.SidesHint(m))
			return true
		}
	case messages.MessageChanged:
		l = w.line(zerolog.InfoLevel, p, "")
		l.Str("id", string(m.Message)).Str("conversation", w.names.Conversation(m.Conversation)).
			Int64("occurrence", int64(m.Occurrence)).
			Str("kind", string(m.Kind)).Int("runes", utf8.RuneCountInString(string(m.New)))
		l.text("old", m.Old)
		l.text("new", m.New)
	case events.StructureState:
		if m.Code != "" {
			l = w.line(zerolog.WarnLevel, p, "")
		}
		l.Str("window", string(m.Window)).Str("error_code", m.Code)
		if m.Code != "" {
			l.Str("reason", m.Detail)
			l.hint("reading goes on without the window's rows; see: kehai doctor")
			return true
		}
	default:
		return false
	}
	l.send()
	return true
}

// mark writes what identifies a text.
func (l line) mark(name string, m events.TextMark) {
	l.Str(name+"_hash", m.Hash).Int(name+"_runes", m.Runes)
	l.text(name+"_text", m.Text)
}
