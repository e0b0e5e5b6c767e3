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
	Only      Only   // conversations that are read; of others nothing is kept
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

// Held is a view that the next reading decides on.
type Held struct {
	View      Last               `json:"view"`
	Detection messages.Detection `json:"detection"`
}

var (
	lasts   = actors.NewTable[Last]("last")
	current = actors.NewTable[string]("current")
	helds   = actors.NewTable[Held]("held")
)

type actor struct {
	o      Options
	window messages.WindowID

	torn    int                // torn frames in a row, all with one title
	tornAs  string             // that title
	tornAt  time.Time          // when the last of them was captured
	unknown messages.FrameHash // of the frame last reported to be unknown
	shut    Last               // what was seen last, if it is on no list: here only, never stored
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
	name, _ := current.Get(turn, "current")
	k := known{}
	if k.current, _ = lasts.Get(turn, name); a.shut.Name != "" {
		k.current = a.shut
	}
	view := viewOf("", m.Bubbles)
	var ok bool
	if view.Name, ok = identify(turn, m, k.current, view); !ok {
		if a.unknown != m.Hash {
			turn.DropWith("fusion", "unknown conversation", messages.Detail{Rule: "unknown", Window: a.window, Frame: m.Hash})
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
	if waits && held.Detection.SeenAt.Equal(m.At) || a.torn > 0 && a.tornAt.Equal(m.At) {
		a.again(turn) // the same frame decides nothing
		return
	}
	if a.tornAs != view.Name {
		a.torn = 0
	}
	k.own, _ = lasts.Get(turn, view.Name)
	k.held, k.torn = held.View, a.torn
	ofHeld, ofView := steady(k, view)
	if waits && ofHeld != Wait {
		if ofHeld == Discard {
			turn.DropWith("fusion", "torn frame: its bubbles were another conversation's; they were read again", messages.Detail{Rule: "torn", Window: a.window, Frame: m.Hash})
		} else if !held.View.same(view) {
			a.pass(turn, held.Detection, held.View)
		}
		helds.Delete(turn, "held")
	}
	if !a.o.Only.Allows(a.o.App, view.Name) {
		a.unlisted(turn, m, view)
		return
	}
	switch ofView {
	case Torn:
		a.torn, a.tornAs, a.tornAt = a.torn+1, view.Name, m.At
		turn.DropWith("fusion", "torn frame: another title over the same bubbles; it is read again", messages.Detail{Rule: "torn", Window: a.window, Frame: m.Hash})
		a.again(turn)
	case Wait:
		helds.Put(turn, "held", Held{view, a.detection(m, view.Name)})
		a.again(turn)
	default:
		a.torn, a.shut = 0, Last{}
		a.pass(turn, a.detection(m, view.Name), view)
		a.settle(turn, m)
	}
}

// unlisted lets a view go that is on no list.
func (a *actor) unlisted(turn *actors.Turn, m messages.FrameRead, view Last) {
	if a.shut.Name != view.Name {
		turn.DropWith("fusion", "a conversation that is not listed in read.only", messages.Detail{Rule: "unlisted", Window: a.window, Frame: m.Hash})
	}
	a.shut = view
	a.settle(turn, m)
}

// identify finds the conversation's name.
func identify(turn *actors.Turn, m messages.FrameRead, last, view Last) (string, bool) {
	name := Name(m.Title)
	if name == "" {
		return "", false
	}
	if _, exact := lasts.Get(turn, name); exact {
		return name, true
	}
	var names []string
	for k := range lasts.All(turn) {
		names = append(names, k)
	}
	return Identify(name, names, last.Name, last.continues(view))
}

func (a *actor) detection(m messages.FrameRead, name string) messages.Detection {
	return messages.Detection{
		Window: a.window, Conversation: Conversation(a.o.App, name), Title: messages.Text(name), Bubbles: m.Bubbles,
		Size: m.Size, Scale: m.Scale, SeenAt: m.At,
	}
}

// pass sends a view on if it says anything new.
func (a *actor) pass(turn *actors.Turn, d messages.Detection, view Last) {
	name, _ := current.Get(turn, "current")
	last, _ := lasts.Get(turn, view.Name)
	signal := TextChanged
	if name == view.Name && view.same(last) {
		signal = TextUnchanged
	}
	if d.Score = Score(signal); d.Score < a.o.Threshold {
		turn.DropWith("fusion", fmt.Sprintf("score %d is below %d: other pixels, the same content", d.Score, a.o.Threshold), messages.Detail{
			Rule: "unchanged", Window: a.window, Conversation: d.Conversation, Score: d.Score,
		})
		return
	}
	turn.Pass("fusion", messages.Detail{Rule: "changed", Window: a.window, Conversation: d.Conversation, Score: d.Score})
	turn.Send(messages.To("dedup", string(d.Conversation)), d)
	lasts.Put(turn, view.Name, view)
	if name != view.Name {
		current.Put(turn, "current", view.Name)
	}
}

func (a *actor) settle(turn *actors.Turn, m messages.FrameRead) {
	turn.Send(messages.To("poller", string(a.window)), messages.FrameSettled{Window: a.window, Hash: m.Hash})
}

// again has the window captured and read again.
func (a *actor) again(turn *actors.Turn) {
	turn.Send(messages.To("poller", string(a.window)), messages.ResetBaseline{Window: a.window})
}
