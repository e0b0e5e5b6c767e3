package ingress

import (
	"encoding/json"
	"fmt"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// intos has one row, "into": the conversation that this one was merged into.
var intos = actors.NewTable[messages.ConversationID]("into")

// forward passes on what is sent to a conversation that was merged into another.
func (a *actor) forward(turn *actors.Turn, msg messages.Message) bool {
	into, ok := intos.Get(turn, "into")
	if !ok {
		return false
	}
	switch m := msg.(type) {
	case messages.TextSent:
		m.Conversation = into
		turn.Send(messages.To(Kind, string(into)), m)
	case messages.SentJoined:
		m.Conversation = into
		turn.Send(messages.To(Kind, string(into)), m)
	case messages.JoinSent:
	default: // a message heard before
		return false
	}
	return true
}

// join copies what was sent to another conversation's gate. It also stays here until it
// is too old, for messages that were heard earlier but arrive later.
func (a *actor) join(turn *actors.Turn, m messages.JoinSent) error {
	if err := a.ready(turn, m, m.Conversation); err != nil {
		return err
	}
	intos.Put(turn, "into", m.Into)
	list := make([]Sent, 0, len(a.memory.sent))
	for _, s := range a.memory.sent {
		list = append(list, s.Sent)
	}
	if len(list) == 0 {
		return nil
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("ingress: join: %w", err)
	}
	turn.Send(messages.To(Kind, string(m.Into)),
		messages.SentJoined{Conversation: m.Into, Sent: messages.Text(raw)})
	return nil
}

// joined takes over what was sent to another conversation.
func (a *actor) joined(turn *actors.Turn, m messages.SentJoined) error {
	if err := a.ready(turn, m, m.Conversation); err != nil {
		return err
	}
	var list []Sent
	if err := json.Unmarshal([]byte(m.Sent), &list); err != nil {
		return fmt.Errorf("ingress: join: %w", err)
	}
	for _, s := range list {
		a.keep(turn, s)
	}
	return nil
}
