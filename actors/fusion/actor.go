package fusion

import (
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the window.
const Kind = "fusion"

// Options of a fusion.
type Options struct {
	App       string // prefix of conversation ids, "line"; "" means the window's name before "@"
	Threshold int    // score from which a frame is passed on; 0 means 60
}

// New makes the constructor of fusions.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Threshold <= 0 {
		o.Threshold = Threshold
	}
	return func(self messages.Address) actors.Actor {
		a := &actor{o: o, window: messages.WindowID(self.Key())}
		if a.o.App == "" {
			a.o.App, _, _ = strings.Cut(self.Key(), "@")
		}
		return a
	}
}

// Title is a conversation known in a window.
type Title struct {
	Conversation messages.ConversationID `json:"conversation"`
}

var (
	titles = actors.NewTable[Title]("titles")
	lasts  = actors.NewTable[Last]("last")
)

type actor struct {
	o      Options
	window messages.WindowID

	held    *waiting
	torn    int                // torn readings in a row
	unknown messages.FrameHash // of the frame last reported to be unknown
}

// waiting is a view that the next reading decides on.
type waiting struct {
	view Last
	read messages.FrameRead
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.FrameRead:
		a.read(turn, m)
	default:
		return fmt.Errorf("fusion: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) read(turn *actors.Turn, m messages.FrameRead) {
	last, _ := lasts.Get(turn, "last")
	view := viewOf("", m.Bubbles)
	var ok bool
	if view.Name, ok = a.identify(turn, m, last, last.shared(view) > 0); !ok {
		if a.unknown != m.Hash {
			turn.Drop("fusion", "unknown conversation")
		}
		a.unknown = m.Hash
		return
	}
	if len(m.Bubbles) == 0 {
		a.settle(turn, m)
		return
	}
	step := steady(last, a.heldView(), a.torn, view)
	switch step {
	case Torn:
		a.torn++
		turn.Drop("fusion", "torn frame: another title over the same bubbles; it is read again")
		return
	case Hold:
		a.held = &waiting{view, m}
		return
	case PassBoth:
		if !a.held.view.same(view) {
			last = a.pass(turn, a.held.read, a.held.view, last)
		}
	case Pass:
		if a.held != nil {
			turn.Drop("fusion", "torn frame: other bubbles under the same title; they were read again")
		}
	}
	a.held, a.torn = nil, 0
	a.pass(turn, m, view, last)
	a.settle(turn, m)
}

func (a *actor) heldView() *Last {
	if a.held == nil {
		return nil
	}
	return &a.held.view
}

// identify finds the conversation's name.
func (a *actor) identify(turn *actors.Turn, m messages.FrameRead, last Last, continued bool) (string, bool) {
	name := Name(m.Title)
	if name == "" {
		return "", false
	}
	var known []string
	for k := range titles.All(turn) {
		known = append(known, k)
	}
	return Identify(name, known, last.Name, continued)
}

// pass sends a view on if it says anything new, and returns what was passed on
// last.
func (a *actor) pass(turn *actors.Turn, m messages.FrameRead, view, last Last) Last {
	signal := TextChanged
	if view.same(last) {
		signal = TextUnchanged
	}
	score := Score(signal)
	if score < a.o.Threshold {
		turn.Drop("fusion", fmt.Sprintf("score %d is below %d: other pixels, the same content", score, a.o.Threshold))
		return last
	}
	id := Conversation(a.o.App, view.Name)
	turn.Send(messages.To("dedup", string(id)), messages.Detection{
		Window: a.window, Conversation: id, Title: messages.Text(view.Name), Bubbles: m.Bubbles,
		Size: m.Size, Scale: m.Scale, Score: score, SeenAt: m.At,
	})
	if _, known := titles.Get(turn, view.Name); !known {
		titles.Put(turn, view.Name, Title{id})
	}
	lasts.Put(turn, "last", view)
	return view
}

func (a *actor) settle(turn *actors.Turn, m messages.FrameRead) {
	turn.Send(messages.To("poller", string(a.window)), messages.FrameSettled{Window: a.window, Hash: m.Hash})
}
