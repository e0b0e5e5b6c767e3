package conversation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
)

// say delivers a message that came in by a channel, and gives it its place in the
// transcript.
func (a *actor) say(turn *actors.Turn, m messages.Say) {
	in := messages.InboundMessage{
		ID: m.ID, Conversation: a.id, Sender: m.Sender, Kind: messages.KindText, Text: m.Text, SeenAt: m.At,
		Window: m.Channel.Place(),
		Parts:  []messages.Part{{Kind: messages.KindText, Text: m.Text, SeenAt: m.At}},
	}
	in.ContentHash = ContentHash(a.key(), m.Text)
	if _, known := ids.Get(turn, string(m.ID)); !known {
		in.Parts[0].Occurrence = a.nextPlace(turn)
		usage, _ := usages.Get(turn, onlyRow)
		usages.Put(turn, onlyRow, usage.Person())
	}
	a.deliver(turn, in)
}

// nextPlace returns the next message's place in a conversation without a window.
func (a *actor) nextPlace(turn *actors.Turn) messages.Occurrence {
	head, _ := Heads.Get(turn, "head")
	head.Place++
	Heads.Put(turn, "head", head)
	return head.Place
}

// key returns the conversation's own key, nil if there is none.
func (a *actor) key() []byte {
	if a.o.Key == nil {
		return nil
	}
	return a.o.Key(string(a.id))
}

// ContentHash identifies a text of a conversation without revealing it. It is keyed,
// because a plain hash of a phone number can be guessed. It is "" without a key.
func ContentHash(key []byte, t messages.Text) string {
	if len(key) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("content\x00" + string(t)))
	return hex.EncodeToString(mac.Sum(nil))
}

// handOut turns a reply into a message of our side. On a channel, a reply is sent once it
// is stored.
func (a *actor) handOut(turn *actors.Turn, e reply.Effect) {
	desk, _ := Desks.Get(turn, onlyRow)
	a.keepOwn(turn, Own{Occurrence: a.nextPlace(turn), Text: e.Text, Turn: e.Turn, At: turn.Now(),
		Answered: answered(desk.Turn(e.Turn))})
	a.step(turn, reply.Event{Kind: reply.OnConfirmed, Turn: e.Turn, Epoch: e.Epoch})
}

// handedOut returns the place of a reply that a channel has delivered, 0 for any other
// reply.
func (a *actor) handedOut(turn *actors.Turn, t reply.Turn) messages.Occurrence {
	head, _ := Heads.Get(turn, "head")
	if own, ok := OwnMessages.Get(turn, RowKey(head.Own)); ok && t.State == reply.Sent && own.Turn == t.ID {
		return own.Occurrence
	}
	return 0
}

// Find reads a kept message by its id; get reads a row of the conversation.
func Find(id messages.MessageID, get func(row string) ([]byte, bool, error)) (
	m messages.MessageDelivered, ok bool, err error) {
	raw, ok, err := get(ids.Row(string(id)))
	if err != nil || !ok {
		return m, false, err
	}
	n, err := ids.Decode(raw)
	if err != nil {
		return m, false, err
	}
	if raw, ok, err = get(Messages.Row(RowKey(n))); err != nil || !ok {
		return m, false, err
	}
	m, err = Messages.Decode(raw)
	return m, err == nil, err
}
