package fusion

import (
	"fmt"
	"strings"
	"time"

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

// Held is a view that the next reading decides on.
type Held struct {
	View      Last               `json:"view"`
	Detection messages.Detection `json:"detection"`
}

var (
	titles = actors.NewTable[Title]("titles")
	lasts  = actors.NewTable[Last]("last")
	helds  = actors.NewTable[Held]("held")
)

type actor struct {
	o      Options
	window messages.WindowID

	torn    int                // torn frames in a row
	tornAt  time.Time          // when the last of them was captured
	unknown messages.FrameHash // of the frame last reported to be unknown
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
		a.again(turn)
		return
	}
	if len(m.Bubbles) == 0 {
		a.settle(turn, m)
		return
	}
	held, waits := helds.Get(turn, "held")
	if waits && held.Detection.SeenAt.Equal(m.At) {
		a.again(turn) // the same reading decides nothing
		return
	}
	switch steady(last, held.View, a.torn, view) {
	case Torn:
		if !a.tornAt.Equal(m.At) {
			a.torn, a.tornAt = a.torn+1, m.At
			turn.Drop("fusion", "torn frame: another title over the same bubbles; it is read again")
		}
		a.again(turn)
		return
	case Hold:
		helds.Put(turn, "held", Held{view, a.detection(m, view.Name)})
		a.again(turn)
		return
	case PassBoth:
		if !held.View.same(view) {
			last = a.pass(turn, held.Detection, held.View, last)
		}
	case Pass:
		if waits {
			turn.Drop("fusion", "torn frame: other bubbles under the same title; they were read again")
		}
	}
	if waits {
		helds.Delete(turn, "held")
	}
	a.torn = 0
	a.pass(turn, a.detection(m, view.Name), view, last)
	a.settle(turn, m)
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

func (a *actor) detection(m messages.FrameRead, name string) messages.Detection {
	return messages.Detection{
		Window: a.window, Conversation: Conversation(a.o.App, name), Title: messages.Text(name), Bubbles: m.Bubbles,
		Size: m.Size, Scale: m.Scale, SeenAt: m.At,
	}
}

// pass sends a view on if it says anything new, and returns what was passed on
// last.
func (a *actor) pass(turn *actors.Turn, d messages.Detection, view, last Last) Last {
	signal := TextChanged
	if view.same(last) {
		signal = TextUnchanged
	}
	if d.Score = Score(signal); d.Score < a.o.Threshold {
		turn.Drop("fusion", fmt.Sprintf("score %d is below %d: other pixels, the same content", d.Score, a.o.Threshold))
		return last
	}
	turn.Send(messages.To("dedup", string(d.Conversation)), d)
	if _, known := titles.Get(turn, view.Name); !known {
		titles.Put(turn, view.Name, Title{d.Conversation})
	}
	lasts.Put(turn, "last", view)
	return view
}

func (a *actor) settle(turn *actors.Turn, m messages.FrameRead) {
	turn.Send(messages.To("poller", string(a.window)), messages.FrameSettled{Window: a.window, Hash: m.Hash})
}

// again has the window captured and read again.
func (a *actor) again(turn *actors.Turn) {
	turn.Send(messages.To("poller", string(a.window)), messages.ResetBaseline{Window: a.window})
}
