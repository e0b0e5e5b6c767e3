package outbound

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/messages"
)

// world is a window, a person, and hands that may break at any key: what the rules of a
// reply cannot see.
type world struct {
	t     *rapid.T
	rules Rules
	reply Reply
	now   time.Time

	here    bool   // the window shows the reply's conversation
	field   string // of the window, whichever conversation it shows
	bubbles []Mark // of the reply's conversation
	slow    []Mark // of ours, not drawn yet
	view    int    // bubbles that the window shows
	back    int    // bubbles that the window is scrolled back by
	touched time.Time

	sent, elsewhere int // bubbles with the reply's text that our keys made, in its conversation and in others
	mixed           int // that our Enter sent with what a person had typed
	done            []Effect
	announced       bool
	calls           []EffectKind // under way: a crash loses them, or loses only their answers
	alarm           time.Time    // of the durable timer
	looked          *snapshot    // what the next step of the hands is compared with
}

// snapshot is what a look saw.
type snapshot struct {
	here  bool
	field string
	at    time.Time
}

const words = "明日の15時に駅で会いましょう"

func newWorld(t *rapid.T) *world {
	w := &world{t: t, rules: DefaultRules(), now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), here: true,
		bubbles: []Mark{{Side: messages.SideIncoming, Text: "どこで会いますか"}}}
	w.view = rapid.IntRange(2, 30).Draw(t, "view")
	w.reply = Reply{State: Queued}
	w.reply.Text = words
	w.alarm = w.now
	return w
}

// step gives the rules an event and carries out the quick effects.
func (w *world) step(e Event) {
	if w.reply.State == Done {
		return
	}
	var effects []Effect
	w.reply, effects = w.rules.Step(w.reply, e, w.now)
	for _, do := range effects {
		switch do.Kind {
		case AskKeyboard, LookAtWindow, TypeText, PressEnter, ClearField:
			if do.Kind == LookAtWindow { // of an earlier look nobody takes the answer
				w.calls = slices.DeleteFunc(w.calls, func(k EffectKind) bool { return k == LookAtWindow })
			}
			w.calls = append(w.calls, do.Kind)
		case Announce:
			w.announced = true
		case Wait:
			w.alarm = w.now.Add(do.For)
		case Finish:
			w.done = append(w.done, do)
		}
	}
}

// see returns what a look finds.
func (w *world) see() Event {
	w.looked = &snapshot{w.here, w.field, w.now}
	read := messages.FrameRead{Input: messages.Rect{W: 100, H: 40}}
	if w.field != "" {
		read.Field = []messages.Line{{Text: messages.Text(w.field)}}
	}
	tail := []Mark{{Side: messages.SideIncoming, Text: "別の人との話です"}}
	if w.here {
		end := max(1, len(w.bubbles)-w.back)
		tail = w.bubbles[max(0, end-w.view):end]
	}
	return Event{Kind: OnSeen, Tail: append([]Mark(nil), tail...),
		View: View{Here: w.here, Field: readField(read, words, w.reply.Typed)}}
}

// same reports whether the hands may act, as their worker does.
func (w *world) same() bool {
	return w.looked != nil && w.looked.here == w.here && w.looked.field == w.field
}

// answer performs the oldest call; broken means that its worker breaks on the way.
func (w *world) answer(broken, lost bool) {
	if len(w.calls) == 0 {
		return
	}
	call := w.calls[0]
	w.calls = w.calls[1:]
	tell := func(e Event) {
		if !lost {
			w.step(e)
		}
	}
	switch call {
	case AskKeyboard:
		w.step(Event{Kind: OnGiven}) // durable: it is not lost
	case LookAtWindow:
		if broken {
			tell(Event{Kind: OnUnseen, Code: messages.CodeWindowGone})
		} else {
			tell(w.see())
		}
	case TypeText:
		switch {
		case !w.same():
			tell(Event{Kind: OnFailed, Code: "changed"})
		case w.now.Sub(w.touched) < w.rules.Idle:
			tell(Event{Kind: OnFailed, Code: string(messages.SendBusy)})
		case broken:
			w.field += string([]rune(words)[:rapid.IntRange(0, len([]rune(words))).Draw(w.t, "typed")])
			tell(Event{Kind: OnFailed})
		default:
			if !w.announced {
				w.t.Fatal("a key was pressed before all who read knew the text")
			}
			if w.field != "" {
				w.t.Fatal("typed behind what a person has typed")
			}
			w.field += words
			tell(Event{Kind: OnTyped})
		}
	case PressEnter:
		switch {
		case !w.same():
			tell(Event{Kind: OnFailed, Code: "changed"})
		case w.touched.After(w.looked.at):
			tell(Event{Kind: OnFailed, Code: string(messages.SendBusy)})
		default:
			if !broken || rapid.Bool().Draw(w.t, "pressed") {
				w.enter()
			}
			if broken {
				tell(Event{Kind: OnFailed})
			} else {
				tell(Event{Kind: OnEntered})
			}
		}
	case ClearField:
		switch {
		case !w.same():
			tell(Event{Kind: OnFailed, Code: "changed"})
		case broken:
			tell(Event{Kind: OnFailed})
		default:
			w.field = ""
			tell(Event{Kind: OnCleared})
		}
	}
}

// enter sends what stands in the field, by our key.
func (w *world) enter() {
	if w.field == "" {
		return
	}
	switch {
	case !w.here:
		w.elsewhere++
	case w.field != words:
		w.mixed++
	default:
		w.sent++
	}
	drawn := len(w.bubbles)
	w.send()
	if rapid.Bool().Draw(w.t, "slow") {
		w.slow = append(w.slow, w.bubbles[drawn:]...)
		w.bubbles = w.bubbles[:drawn]
	}
}

// send makes a bubble of the field. Applications then show the newest messages.
func (w *world) send() {
	if w.here {
		w.back = 0
		w.bubbles = append(w.bubbles, Mark{Side: messages.SideOwn, Text: messages.Text(w.field)})
	}
	w.field = ""
}

// person does something at the window.
func (w *world) person(what int) {
	was := w.touched
	w.touched = w.now
	switch what {
	case 0:
		w.field += "ちょっと待って"
	case 1: // Enter; also on a text of ours
		if w.field == words && w.here {
			w.sent++
		}
		if w.field != "" {
			w.send()
		}
	case 2:
		w.field = ""
	case 3:
		w.here = !w.here
	case 5: // scrolling takes longer than the poller needs to read what was sent before
		if slices.ContainsFunc(w.bubbles, func(m Mark) bool { return m.Text == words }) {
			w.step(Event{Kind: OnOwn})
		}
		w.back = rapid.IntRange(0, 3).Draw(w.t, "back")
	case 4: // the friend writes: no hand, but a new bubble
		w.touched = was
		w.bubbles = append(w.bubbles, Mark{Side: messages.SideIncoming, Text: "了解です"})
	}
}

func (w *world) crash() {
	lost := w.calls
	w.calls = nil
	for _, c := range lost {
		if c == AskKeyboard {
			w.calls = append(w.calls, c)
		}
	}
	w.step(Event{Kind: OnRestart})
}

func (w *world) check() {
	state := fmt.Sprintf("%+v, field %q, calls %v", w.reply.State, w.field, w.calls)
	switch {
	case w.sent > 1:
		w.t.Fatalf("sent %d times: %s", w.sent, state)
	case w.elsewhere > 0:
		w.t.Fatalf("sent to somebody else: %s", state)
	case w.mixed > 0:
		w.t.Fatalf("sent with what a person had typed: %s", state)
	case len(w.done) > 1:
		w.t.Fatalf("ended %d times: %s", len(w.done), state)
	}
	if len(w.done) == 1 && w.done[0].Outcome == messages.SendNot && w.sent > 0 {
		w.t.Fatalf("said not to be sent, and was: %s", state)
	}
}

// TestModel plays random keys, persons, broken hands and crashes. A reply is sent at most
// once, in its own conversation, with nothing added, and its reported outcome is true.
// Once everybody leaves the window alone, it is sent or reported as not sent.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(0, 80).Draw(t, "n") {
			if rapid.IntRange(0, 9).Draw(t, "drawn") == 9 {
				w.bubbles, w.slow = append(w.bubbles, w.slow...), nil
			}
			switch rapid.IntRange(0, 14).Draw(t, "what") {
			case 0:
				w.person(rapid.IntRange(0, 5).Draw(t, "person"))
			case 1:
				w.crash()
			case 2, 3:
				w.answer(true, false)
			case 4:
				w.answer(rapid.Bool().Draw(t, "broken"), true)
				w.crash()
			case 5:
				w.pass(time.Duration(rapid.IntRange(1, 20_000).Draw(t, "ms")) * time.Millisecond)
			case 6:
				if rapid.IntRange(0, 9).Draw(t, "stop") == 9 {
					w.step(Event{Kind: OnStop})
				}
			default: // what goes well is what happens most
				if len(w.calls) > 0 {
					w.answer(false, false)
				} else {
					w.pass(max(w.alarm.Sub(w.now), 0))
				}
			}
			w.check()
		}
		w.here, w.back, w.bubbles = true, 0, append(w.bubbles, w.slow...)
		if w.field != "" && w.field != words && !strings.HasPrefix(words, w.field) {
			w.field = ""
		}
		w.slow, w.touched = nil, time.Time{}
		for i := 0; w.reply.State != Done; i++ {
			if i > 400 {
				t.Fatalf("never ended: %+v, field %q", w.reply.State, w.field)
			}
			if len(w.calls) > 0 {
				w.answer(false, false)
			} else {
				w.pass(time.Second)
			}
			if w.reply.State == Confirming && w.sent == 1 {
				w.step(Event{Kind: OnOwn})
			}
			w.check()
		}
		if w.done[0].Outcome == messages.SendConfirmed && w.sent == 0 {
			t.Fatal("confirmed what was not sent")
		}
	})
}

// pass lets time pass, and the timer fire.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	if len(w.calls) == 0 && !w.alarm.IsZero() && !w.now.Before(w.alarm) {
		w.alarm = time.Time{}
		w.step(Event{Kind: OnDue})
	} else if len(w.calls) == 0 && w.alarm.IsZero() { // the watch over what was lost
		w.step(Event{Kind: OnDue})
	}
}
