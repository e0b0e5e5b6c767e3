package outbound

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// TestEachCode: what a refusal of the hands means for a text being typed, and for an
// Enter. If no key was pressed, the text is typed again later; otherwise the window is
// read first.
func TestEachCode(t *testing.T) {
	const again, read, ended = "typed again", "the window is read", "ended"
	for code, want := range map[string]struct {
		reason messages.SendReason
		does   string
		press  bool
	}{
		messages.CodePermission:  {"permission", again, false},
		messages.CodeWindowGone:  {"window_gone", again, false},
		messages.CodeMinimised:   {"minimised", again, false},
		messages.CodeEmptyFrame:  {"empty_frame", again, false},
		messages.CodeNoDisplay:   {"no_display", again, false},
		messages.CodeNotActive:   {"not_active", again, false},
		messages.CodeNoField:     {"no_field", again, false},
		"changed":                {"changed", again, false},
		messages.CodePaused:      {"paused", again, false},
		"ending":                 {"ending", again, false},
		"session_typing_busy":    {"session_typing_busy", again, false},
		messages.CodeUnavailable: {"no_typist", ended, false},
		"no_presence":            {"no_presence", ended, false},
		messages.CodePartlyTyped: {"failed", read, true},
		messages.CodeNoLanguage:  {"failed", read, false},
		"error":                  {"failed", read, false},
		"elsewhere":              {"failed", read, false},
		"":                       {"failed", read, false},
	} {
		now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
		before := Reply{State: Typing, Began: now, Typed: true, Read: true, Before: []Mark{{Text: "a"}}}
		s, effects := DefaultRules().Step(before, Event{Kind: OnFailed, Code: code}, now)
		got := read
		switch {
		case s.State == Queued && !s.Typed && !s.Read && s.Before == nil:
			got = again
		case s.State == Done && effects[len(effects)-1].Outcome == messages.SendNot:
			got = ended
		case s.State != Settling || !s.Typed || !s.Read:
			t.Errorf("%q while typing: %+v, want it in doubt", code, s)
		}
		if got != want.does || s.Reason != want.reason || s.Pressed != want.press {
			t.Errorf("%q while typing: %s, %s, pressed %v, want %+v", code, got, s.Reason, s.Pressed, want)
		}
		before = Reply{State: Entering, Began: now, Typed: true, Entered: true}
		s, _ = DefaultRules().Step(before, Event{Kind: OnFailed, Code: code}, now)
		if s.State != Settling || s.Entered != (want.does == read) || s.Reason != want.reason {
			t.Errorf("%q at Enter: %s, entered %v, %s, want the window read, entered %v, %s", code, s.State, s.Entered,
				s.Reason, want.does == read, want.reason)
		}
	}
}
