package catchup

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// world is a window that can be scrolled, its ledger and a person.
type world struct {
	t       *testing.T
	h       *actortest.Harness
	at, end int // how far it is scrolled back, and how far it can be
	known   int // where what is known begins
	person  bool
	later   bool // the window shows something else
	turned  int  // times that the wheel was turned
	told    []messages.CaughtUp
	pause   int             // seconds without anything to do
	lazy    int             // times that more is loaded once it is scrolled to the end
	since   time.Time       // when that began, zero if it has not
	idles   []time.Duration // for which nobody must have been there, if any will not do
}

func open(t *testing.T, rules Rules, more ...actortest.Option) *world {
	w := &world{t: t, end: 3000, known: 1500}
	w.h = actortest.Spawn(t, New(Options{Rules: rules, Desk: "mac-a", Read: time.Minute}),
		append(more, actortest.Address("catchup/line@mac-a"))...)
	return w
}

func (w *world) ask() {
	w.h.Send(messages.CatchUp{Conversation: "c-1", Window: "line@mac-a", After: 7, At: w.h.Now()})
}

func (w *world) frame() messages.Frame {
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	img.SetRGBA(0, 0, color.RGBA{R: uint8(w.at), G: uint8(w.at >> 8)})
	return messages.Frame{Window: "line@mac-a", Image: img, Scale: 1, At: w.h.Now()}
}

// read is a reading of the window: a bubble every 50 pixels.
func (w *world) read() messages.FrameRead {
	m := messages.FrameRead{Window: "line@mac-a", Title: messages.Line{Text: "Hana"},
		Size: messages.Rect{W: 400, H: 600}}
	first := (w.at + 500 + 49) / 50
	for n := first; n >= 0 && n*50 >= w.at; n-- {
		m.Bubbles = append(m.Bubbles, messages.Bubble{Key: messages.PixelKey(n + 1), Kind: messages.KindText,
			Text: messages.Text(fmt.Sprint("message ", n)),
			Box:  messages.Rect{X: 20, Y: 550 + w.at - n*50, W: 200, H: 40}})
	}
	return m
}

// step answers what the actor has asked for, or lets a second pass.
func (w *world) step() {
	sent, calls := w.h.Sent(), w.h.Calls()
	for _, s := range sent {
		w.receive(s)
	}
	for _, c := range calls {
		w.answer(c)
	}
	if len(calls) > 0 || len(sent) > 0 {
		w.pause = 0
		return
	}
	w.pause++
	w.h.Advance(time.Second)
}

func (w *world) receive(s actortest.Sent) {
	switch m := s.Message.(type) {
	case messages.AskKeyboard:
		w.h.Send(messages.KeyboardGiven{Until: w.h.Now().Add(time.Minute)})
	case messages.AskConversation:
		shown := messages.ConversationShown{Key: m.Key, MovedOn: "c-1"}
		if w.later {
			shown.MovedOn = ""
		}
		w.h.Send(shown)
	case messages.ViewBack:
		step := messages.BackMore
		if w.at+500 >= w.known {
			step = messages.BackReached
		}
		w.h.Send(messages.ViewBackSeen{Key: m.Key, Step: step})
	case messages.CaughtUp:
		w.told = append(w.told, m)
	}
}

func (w *world) answer(c actortest.Call) {
	switch m := c.Request.(type) {
	case messages.TurnWheel:
		if len(w.idles) > 0 && !slices.Contains(w.idles, m.Idle) {
			w.t.Errorf("the wheel is turned once nobody was there for %v, want %v", m.Idle, w.idles)
		}
		switch {
		case w.person:
			w.h.FailCall(messages.FailureError, string(messages.SendBusy), "somebody is there")
			return
		case m.Steps != 0:
			w.turned++
			if w.lazy > 0 && w.at == w.end && m.Steps > 0 && w.since.IsZero() {
				w.since = w.h.Now()
			}
			w.at = min(max(0, w.at+m.Steps*60), w.end)
		}
		w.h.AnswerCall(c.ID, messages.HandsDone{Window: m.Window})
	case messages.CaptureWindow:
		w.load()
		w.h.AnswerCall(c.ID, messages.FrameCaptured{Frame: w.frame()})
	case messages.ReadFrame:
		w.h.AnswerCall(c.ID, w.read())
	}
}

// load loads what is older, seconds after somebody scrolled against the end of what there is. What is shown stays
// where it is.
func (w *world) load() {
	if !w.since.IsZero() && w.h.Now().Sub(w.since) >= 9*time.Second {
		w.end, w.lazy, w.since = w.end+400, w.lazy-1, time.Time{}
	}
}

// over runs until the actor has nothing left to do.
func (w *world) over() {
	w.t.Helper()
	for range 4000 {
		if _, ok := actortest.Stored(w.h, Jobs, "c-1"); !ok && w.pause > 0 {
			w.step()
			return
		}
		w.step()
	}
	j, _ := actortest.Stored(w.h, Jobs, "c-1")
	w.t.Fatalf("it never ends: %+v", j)
}

// killedAt is over with a kill at one of the first steps, -1 for none.
func (w *world) killedAt(kill, steps int) {
	w.t.Helper()
	for i := range steps {
		if i == kill {
			w.h.Crash()
			w.h.Calls() // nobody answers them any more
			w.h.Start()
		}
		w.step()
	}
	w.over()
}

func (w *world) want(why messages.CatchUpEnd, at int) {
	w.t.Helper()
	if n := len(w.told); n == 0 || w.told[n-1].Why != why || w.told[n-1].Later || w.told[n-1].After != 7 {
		w.t.Errorf("the ledger is told %+v, want %s at last", w.told, why)
	}
	if w.at != at {
		w.t.Errorf("the window is scrolled back by %d, want %d", w.at, at)
	}
	w.h.WantDeadLetters(0)
}

// TestReached: wherever it is killed, the window is scrolled back to what is known, and
// then to its newest position.
func TestReached(t *testing.T) {
	for kill := -1; kill < 90; kill += 3 {
		w := open(t, DefaultRules())
		w.ask()
		w.killedAt(kill, 90)
		w.want(messages.CatchUpReached, 0)
	}
}

func TestEnds(t *testing.T) {
	for why, change := range map[messages.CatchUpEnd]func(w *world, r *Rules){
		messages.CatchUpLimit: func(_ *world, r *Rules) { r.Screens = 2 },
		messages.CatchUpTop:   func(w *world, _ *Rules) { w.end, w.known = 700, 5000 },
		messages.CatchUpLate:  func(w *world, r *Rules) { w.later, r.Wait = true, 10*time.Minute },
	} {
		r := DefaultRules()
		w := &world{}
		change(w, &r)
		made := open(t, r)
		if w.end > 0 {
			made.end, made.known = w.end, w.known
		}
		made.later = w.later
		made.ask()
		made.over()
		made.want(why, 0)
	}
}

// TestPerson: once a person touches anything, nothing is turned, not even back; it goes on
// when the person has left.
func TestPerson(t *testing.T) {
	w := open(t, DefaultRules())
	w.ask()
	for w.at < 300 {
		w.step()
	}
	w.person = true
	turned, at := w.turned, w.at
	for range 300 {
		w.step()
	}
	if w.turned != turned || w.at != at {
		t.Errorf("the wheel was turned %d times while somebody was there, want none", w.turned-turned)
	}
	want := messages.CaughtUp{Conversation: "c-1", Window: "line@mac-a", After: 7, Why: messages.CatchUpPerson,
		Later: true}
	if !slices.Equal(w.told, []messages.CaughtUp{want}) {
		t.Errorf("the ledger is told %+v, want %+v", w.told, want)
	}
	w.person = false
	w.over()
	w.want(messages.CatchUpReached, 0)
}

// TestLoads: an application that loads what is older only once it is scrolled to the end of what it has is waited for.
func TestLoads(t *testing.T) {
	for kill := -1; kill < 90; kill += 7 {
		w := open(t, DefaultRules())
		w.end, w.known, w.lazy = 700, 1500, 2
		w.ask()
		w.killedAt(kill, 90)
		w.want(messages.CatchUpReached, 0)
	}
}

// TestLowered: a window that was left at an older position is turned to its newest one, wherever it is killed, and
// later than for a gap; no ledger hears of it. A gap that is found meanwhile is read, and who is there is left alone.
func TestLowered(t *testing.T) {
	lower := messages.CatchUp{Conversation: "c-1", Window: "line@mac-a", Lower: true}
	for kill := -1; kill < 30; kill++ {
		w := open(t, DefaultRules())
		w.at, w.idles = 900, []time.Duration{2 * DefaultRules().Idle}
		lower.At = w.h.Now()
		w.h.Send(lower)
		w.killedAt(kill, 30)
		if w.at != 0 || len(w.told) > 0 || w.turned == 0 {
			t.Errorf("killed at %d: scrolled back by %d after %d turns, the ledger is told %+v", kill, w.at, w.turned,
				w.told)
		}
		w.h.WantDeadLetters(0)
	}
	for gapAt := range 30 {
		w := open(t, DefaultRules())
		w.at = 900
		w.h.Send(lower)
		for i := range 30 {
			if i == gapAt {
				w.ask()
				w.h.Send(lower)
			}
			w.step()
		}
		w.over()
		w.want(messages.CatchUpReached, 0)
	}
	w := open(t, DefaultRules())
	w.at, w.person = 900, true
	w.h.Send(lower)
	for range 300 {
		w.step()
	}
	if w.at != 900 || w.turned > 0 || len(w.told) > 0 {
		t.Errorf("with somebody there: scrolled back by %d after %d turns, the ledger is told %+v", w.at, w.turned,
			w.told)
	}
	w.person = false
	if w.over(); w.at != 0 {
		t.Errorf("then the window is scrolled back by %d, want 0", w.at)
	}
}

// TestTheKeyOfAnother: a job that waits is out of reach, also at a start. Another one is done, and it goes on once its
// key is back.
func TestTheKeyOfAnother(t *testing.T) {
	for name, crash := range map[string]bool{"running": false, "started": true} {
		keys, r := actortest.NewKeys(), DefaultRules()
		r.Wait = 30 * time.Minute
		w := open(t, r, actortest.SealedFor(keys, SubjectOf))
		w.h.Send(messages.CatchUp{Conversation: "c-2", Window: "line@mac-a", After: 7, At: w.h.Now()})
		for n := 0; ; n++ {
			if j, _ := actortest.Stored(w.h, Jobs, "c-2"); n > 9 && j.State == Queued {
				break
			}
			w.step()
		}
		keys.TakeAway("c-2")
		if crash {
			w.h.Crash()
			w.h.Start()
		}
		w.ask()
		w.over()
		w.want(messages.CatchUpReached, 0)
		w.told = nil
		w.h.Advance(r.Wait)
		if w.step(); len(w.told) > 0 {
			t.Errorf("%s: out of reach the ledger is told %+v, want nothing", name, w.told)
		}
		keys.GiveBack()
		for range 30 {
			w.step()
		}
		if w.want(messages.CatchUpLate, 0); len(w.told) != 1 || w.told[0].Conversation != "c-2" {
			t.Errorf("%s: the ledger is told %+v, want the end of c-2 once", name, w.told)
		}
		w.h.WantNoTimer("due")
	}
}

// TestTheKeyboardIsOutOfReach: the job that has scrolled back is out of reach. Nothing is turned before it is back, and
// then it is done.
func TestTheKeyboardIsOutOfReach(t *testing.T) {
	keys := actortest.NewKeys()
	w := open(t, DefaultRules(), actortest.SealedFor(keys, SubjectOf))
	w.ask()
	for w.at < 300 {
		w.step()
	}
	keys.TakeAway("c-1")
	w.h.Crash()
	w.h.Calls() // nobody answers them any more
	w.h.Sent()
	const waits = "may have the keyboard"
	w.h.WantFailure(waits)
	w.h.Start()
	w.h.Send(messages.CatchUp{Conversation: "c-2", Window: "line@mac-a", After: 9, At: w.h.Now()})
	w.h.WantFailure(waits)
	w.h.Restart()
	if calls := w.h.Calls(); len(calls) > 0 || len(w.h.Sent()) > 0 {
		t.Errorf("%v is asked, want nothing", calls)
	}
	keys.GiveBack()
	w.h.Restart()
	w.over()
	w.want(messages.CatchUpReached, 0)
}

// TestAbout: the row of a window tells of a conversation, and is sealed for the window.
func TestAbout(t *testing.T) {
	row, raw := working.Row("now"), []byte(`1 "c-1"`)
	if !About("c-1", row, raw) || About("c-2", row, raw) || SubjectOf(row, raw) != "" {
		t.Errorf("the row %q is about c-2 or not about c-1", row)
	}
	if row = Jobs.Row("c-1"); !About("c-1", row, nil) || About("now", row, nil) || SubjectOf(row, nil) != "c-1" {
		t.Errorf("the row %q is not about c-1 alone", row)
	}
}

func TestUnexpected(t *testing.T) {
	w := open(t, DefaultRules())
	w.h.WantFailure("catchup: unexpected poll_due")
	w.h.Send(messages.PollDue{})
}

// TestMovedBy: what looks the same tells how far, unless it stands there twice.
func TestMovedBy(t *testing.T) {
	w := &world{t: t}
	w.h = actortest.Spawn(t, New(Options{Rules: DefaultRules()}), actortest.Address("catchup/line@mac-a"))
	before := w.read().Bubbles
	w.at = 100
	if got := movedBy(before, w.read().Bubbles); !got.Known || got.By != 100 || got.Room < 400 {
		t.Errorf("movedBy() = %+v, want 100", got)
	}
	w.at = 2000
	if got := movedBy(before, w.read().Bubbles); got.Known {
		t.Errorf("movedBy() of other messages = %+v, want nothing known", got)
	}
	before[1].Key = before[0].Key
	if got := movedBy(before[:2], before[:2]); got.Known {
		t.Errorf("movedBy() of twins = %+v, want nothing known", got)
	}
}
