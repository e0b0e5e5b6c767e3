package replay

import (
	"slices"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// recorder keeps what comes out of a replay.
type recorder struct {
	got      []delivered
	place    []messages.Occurrence              // of each in got
	incoming map[string]messages.IncomingBubble // that went into ingress, by the message's id
	sent     []said
	// claimed are texts that were taken for what Kehai has sent before they were messages.
	claimed []delivered
	gaps    []messages.ConversationID // in which messages may be missing, as was told
	// changed holds what was published of messages after their delivery.
	changed []messages.MessageChanged
	lines   bool // each line of a text is a message: profile seed joins them
}

func newRecorder() recorder { return recorder{incoming: map[string]messages.IncomingBubble{}} }

func (r *recorder) delivered(m messages.MessageDelivered) {
	for _, part := range m.Parts {
		for _, text := range r.texts(part.Text) {
			r.add(delivered{id: m.Conversation, occurrence: part.Occurrence, sender: string(m.Sender), kind: part.Kind,
				text: text, partial: part.Partial}, part.Occurrence)
		}
	}
}

// dropped records what was stopped as an echo, in the place where it would have come out.
func (r *recorder) dropped(d events.Dropped) {
	h, ok := r.incoming[d.Cause]
	if !ok || d.Detail.Rule != events.RuleEcho {
		return
	}
	for _, text := range r.texts(h.Text) {
		d := delivered{id: h.Conversation, sender: string(h.Sender), kind: h.Kind, text: text, echo: true}
		r.add(d, h.Occurrence)
	}
}

// claimedSent records what was taken for a text that Kehai has sent, though not on the own side.
func (r *recorder) claimedSent(e events.EchoMessage) {
	if e.Side == messages.SideIncoming {
		r.claimed = append(r.claimed, delivered{id: e.Conversation, kind: messages.KindText, text: string(e.Text.Text)})
	}
}

// completed replaces a part by the whole text, once that is known.
func (r *recorder) completed(m messages.MessageChanged) {
	for i := range r.got {
		if h := &r.got[i]; h.id == m.Conversation && h.occurrence == m.Occurrence && !h.echo {
			h.text, h.kind = string(m.New), messages.KindText
		}
	}
}

// texts are the messages in a text.
func (r *recorder) texts(t messages.Text) []string {
	if !r.lines {
		return []string{string(t)}
	}
	return strings.Split(string(t), "\n")
}

// add keeps the order in which messages came out. Only dropped ones are inserted: before
// later occurrences of the same conversation, and after earlier ones.
func (r *recorder) add(h delivered, at messages.Occurrence) {
	i := len(r.got)
	for j := len(r.got) - 1; j >= 0; j-- {
		if r.got[j].id != h.id {
			continue
		}
		if !(h.echo || r.got[j].echo) || r.place[j] <= at {
			break
		}
		i = j
	}
	r.got = slices.Insert(r.got, i, h)
	r.place = slices.Insert(r.place, i, at)
}
