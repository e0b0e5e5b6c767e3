package outbound

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// shows returns a window whose field shows lines.
func shows(field string) (read messages.FrameRead) {
	read.Input = messages.Rect{W: 100, H: 30}
	for _, l := range strings.Split(field, "\n") {
		read.Field = append(read.Field, messages.Line{Text: messages.Text(l)})
	}
	return read
}

func TestReadField(t *testing.T) {
	const ours = "I can be there at nine tomorrow"
	for _, c := range []struct {
		field, want string
		typed       bool
		is          Field
	}{
		{"", ours, false, FieldEmpty},
		{"", ours, true, FieldEmpty},
		{"Message", ours, false, FieldEmpty},
		{"☺\nReply\n+", ours, false, FieldEmpty},
		{"I hate him and want to quit\nmessage", ours, false, FieldOther},
		{"Aa\nmy PIN is 4711", ours, false, FieldOther},
		{ours, ours, true, FieldOurs},
		{"☺\n" + ours + "\n➤", ours, true, FieldOurs},
		{"I hate him\n" + ours, ours, true, FieldOther},
		{ours + "\nmessage", ours, true, FieldOther},
		{"I can be", ours, true, FieldPart},
		{"Reply\n" + ours, "Reply\n" + ours, true, FieldOurs},
		{"Sure.\nMessage", "Sure.\nMessage", true, FieldOurs},
		{"message", "I got your message", false, FieldEmpty}, // the placeholder is no end of our text
		{"Message", "I got your message", true, FieldEmpty},
		{"Reply", "Reply\n" + ours, true, FieldEmpty}, // nor a beginning that may be taken out
		{"Reply", "Reply", true, FieldOurs},
		{"返信", "返信", false, FieldEmpty},
		{"メッセージを入力\n@@のら@", ours, false, FieldEmpty}, // icons, as they are read
		{"メッセージを入カ\n@@のら@", ours, false, FieldEmpty},
		{"メッセージを入力\n明日は", ours, false, FieldOther},
		{"@@のら@", ours, false, FieldOther},
		{ours + "\n@@の@", ours, true, FieldOurs},
		{ours + "\n明日は!", ours, true, FieldOther},
		{"ok", ours + "\nok", true, FieldOurs}, // a field of one line
		{"at six\nok", ours + "\nat six\nok", true, FieldOurs},
		{"ok", ours + "\nok", false, FieldOther},
		{"ok", ours + "\nlook", true, FieldOther},
		{"no", ours + "\nok", true, FieldOther},
		{"oh ok", ours + "\nok", true, FieldOther},
	} {
		if got := readField(shows(c.field), c.want, c.typed); got != c.is {
			t.Errorf("%q for %q, typed %v: %s, want %s", c.field, c.want, c.typed, got, c.is)
		}
	}
}

// TestAFieldThatReadsEmpty: a text that cannot be seen in the field is typed once.
func TestAFieldThatReadsEmpty(t *testing.T) {
	for _, c := range []struct {
		text, before string // in the field before
		reads        func(field string) string
		typed        int
		outcome      messages.SendOutcome
	}{
		{"Reply\nI can be there at nine tomorrow", "", nil, 1, messages.SendConfirmed},
		{"Sure.\nMessage", "", nil, 1, messages.SendConfirmed},
		{"Reply", "", nil, 1, messages.SendConfirmed},
		{"👍👍", "", func(string) string { return "" }, 1, messages.SendUnknown},
		{"See you there", "", func(string) string { return "Message" }, 1, messages.SendUnknown},
		{"See you there", "I want to quit\nmessage\n", nil, 0, messages.SendNot},
	} {
		w := plainWindow{field: c.before, reads: c.reads, text: c.text}
		if w.play(); w.typed != c.typed || w.ended.Outcome != c.outcome {
			t.Errorf("%q: typed %d times, %s %s", c.text, w.typed, w.ended.Outcome, w.ended.Reason)
		}
		if c.before != "" && w.field != c.before {
			t.Errorf("%q: the draft is %q", c.text, w.field)
		}
	}
}

// TestPaused: nothing is typed, and Enter is not pressed on what was typed: it is
// cleared, and sent once sending resumes.
func TestPaused(t *testing.T) {
	for _, c := range []struct {
		state  State
		field  Field
		typed  bool
		want   State
		effect EffectKind
	}{
		{Verifying, FieldEmpty, false, Queued, LeaveKeyboard},
		{Verifying, FieldOurs, true, Clearing, ClearField},
		{Checking, FieldOurs, true, Clearing, ClearField},
		{Settling, FieldOurs, true, Clearing, ClearField},
	} {
		s := Reply{State: c.state, Typed: c.typed}
		s.Text = "See you there"
		seen := Event{Kind: OnSeen, Hold: messages.CodePaused, View: View{Here: true, Field: c.field}}
		s, effects := DefaultRules().Step(s, seen, s.Began)
		if s.State != c.want || len(effects) == 0 || effects[0].Kind != c.effect {
			t.Errorf("%s over %s: %s, %+v; want %s, %s", c.state, c.field, s.State, effects, c.want, c.effect)
		}
		if s.State == Clearing {
			if s, _ = DefaultRules().Step(s, Event{Kind: OnCleared}, s.Began); s.State != Settling {
				t.Errorf("%s over %s: %s once cleared, want settling", c.state, c.field, s.State)
			}
			seen.View.Field = FieldEmpty
			for range DefaultRules().Looks { // it may still be drawn
				s, _ = DefaultRules().Step(s, seen, s.Began)
			}
			if s.State != Queued || s.Typed {
				t.Errorf("%s over %s: %s, typed %v, want it to wait", c.state, c.field, s.State, s.Typed)
			}
		}
	}
}

// plainWindow takes all keys, and shows its field as reads says.
type plainWindow struct {
	text, field string
	reads       func(field string) string
	typed       int
	ended       Effect
}

func (w *plainWindow) play() {
	now := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	rules, s := DefaultRules(), Reply{State: Queued}
	s.Text = messages.Text(w.text)
	s, effects := rules.Step(s, Event{Kind: OnDue}, now)
	for i := 0; i < 2000 && s.State != Done; i++ {
		e := Event{Kind: OnDue}
		if last := effects[len(effects)-1]; last.Kind == Wait {
			now = now.Add(last.For)
		}
		switch s.State {
		case Leasing:
			e.Kind = OnGiven
		case Verifying, Checking, Settling:
			field := w.field
			if w.reads != nil {
				field = w.reads(field)
			}
			e = Event{Kind: OnSeen, View: View{Here: true, Field: readField(shows(field), w.text, s.Typed)}}
		case Typing:
			w.typed, w.field, e.Kind = w.typed+1, w.field+w.text, OnTyped
		case Entering:
			w.field, e.Kind = "", OnEntered
		case Clearing:
			w.field, e.Kind = "", OnCleared
		case Confirming:
			e.Kind = OnOwn
			if w.field != "" { // nothing was sent
				e.Kind = OnDue
			}
		}
		s, effects = rules.Step(s, e, now)
	}
	w.ended = effects[len(effects)-1]
}
