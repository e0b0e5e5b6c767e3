package burst

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Rules say when a buffer is passed on.
type Rules struct {
	Quiet time.Duration // without another part
	Cap   time.Duration // since the first part, whatever comes
	Parts int           // at most so many
}

// Buffer holds the parts that wait, all of one sender.
type Buffer struct {
	Sender messages.Text   `json:"sender"`
	Parts  []messages.Part `json:"parts"`
	First  time.Time       `json:"first"` // when the first part came
}

// Add returns what must be passed on before and after h is taken, and the
// buffer that waits. An empty buffer has no parts.
func (r Rules) Add(b Buffer, h messages.Heard, now time.Time) (flushed []Buffer, rest Buffer) {
	if len(b.Parts) > 0 && (b.Sender != h.Sender || !now.Before(b.First.Add(r.Cap))) {
		flushed, b = append(flushed, b), Buffer{}
	}
	if len(b.Parts) == 0 {
		b = Buffer{Sender: h.Sender, First: now}
	}
	b.Parts = append(slices.Clip(b.Parts), messages.Part{
		Kind: h.Kind, Text: h.Text, Occurrence: h.Occurrence, SeenAt: h.SeenAt, Partial: h.Partial,
	})
	if len(b.Parts) >= r.Parts {
		return append(flushed, b), Buffer{}
	}
	return flushed, b
}

// mark notes the trace of an occurrence in the buffers that hold it.
func mark(o messages.Occurrence, trace string, buffers ...Buffer) {
	for _, b := range buffers {
		for i := range b.Parts {
			if b.Parts[i].Occurrence == o {
				b.Parts[i].Trace = trace
			}
		}
	}
}

// why names the rule by which the arrival of h made a buffer go on.
func (r Rules) why(b Buffer, h messages.Heard) string {
	switch {
	case len(b.Parts) >= r.Parts:
		return "full"
	case b.Sender != h.Sender:
		return "sender"
	}
	return "cap"
}

// Wait is how long a buffer that has just got a part is kept.
func (r Rules) Wait(b Buffer, now time.Time) time.Duration {
	return max(0, min(r.Quiet, b.First.Add(r.Cap).Sub(now)))
}

// Message makes one message of a buffer, its parts in the order of their
// occurrences.
func Message(id messages.MessageID, conversation messages.ConversationID, b Buffer) messages.InboundMessage {
	parts := slices.Clone(b.Parts)
	slices.SortStableFunc(parts, func(x, y messages.Part) int { return cmp.Compare(x.Occurrence, y.Occurrence) })
	m := messages.InboundMessage{
		ID: id, Conversation: conversation, Sender: b.Sender, Kind: messages.KindText, Parts: parts, SeenAt: parts[0].SeenAt,
	}
	var texts []string
	for _, p := range parts {
		m.Partial = m.Partial || p.Partial
		if m.Kind == messages.KindText {
			m.Kind = p.Kind
		}
		if p.Text != "" {
			texts = append(texts, string(p.Text))
		}
	}
	m.Text = messages.Text(strings.Join(texts, "\n"))
	return m
}
