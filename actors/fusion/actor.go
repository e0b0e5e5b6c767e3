// Package fusion decides what of a frame that was read goes on: whose
// conversation it shows, and whether anything happened. [New] makes the actor
// fusion/WINDOW. Everything after it is durable.
package fusion

import (
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Options of fusion.
type Options struct {
	App string // what conversation ids begin with
}

// titles are the conversations known in the window: normalised title → title.
var titles = actors.NewTable[messages.Text]("titles")

// New makes the constructor.
func New(o Options) func(messages.Address) actors.Actor {
	return func(messages.Address) actors.Actor { return actor{o} }
}

type actor struct{ o Options }

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.FrameRead:
		a.read(turn, m)
	default:
		return fmt.Errorf("fusion: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a actor) read(turn *actors.Turn, m messages.FrameRead) {
	title, ok := a.title(turn, strings.TrimSpace(string(m.Title.Text)))
	if !ok {
		turn.Drop("fusion", "unknown conversation")
		return
	}
	id := messages.ConversationID(a.o.App + ":" + string(title))
	turn.Send(messages.To("dedup", string(id)), messages.Detection{
		Window: m.Window, Conversation: id, Title: title, Bubbles: m.Bubbles, Size: m.Size, Scale: m.Scale,
		Score: 62, SeenAt: m.At,
	})
	turn.Send(messages.To("poller", string(m.Window)), messages.FrameSettled{Window: m.Window, Hash: m.Hash})
}

// title finds the known title that a reading means, or learns a new one.
func (a actor) title(turn *actors.Turn, read string) (messages.Text, bool) {
	key := text.Compact(read)
	if key == "" {
		return "", false
	}
	if known, ok := titles.Get(turn, key); ok {
		return known, true
	}
	for _, known := range titles.All(turn) {
		if text.OCREqual(read, string(known)) {
			return known, true
		}
	}
	titles.Put(turn, key, messages.Text(read))
	return messages.Text(read), true
}
