package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// DefaultAddr is where the page listens unless told otherwise.
const DefaultAddr = "127.0.0.1:7411"

// Options say what the page shows. The functions are called from any goroutine
// but never from [Server.Listen]; they may block for a moment.
type Options struct {
	// Addr is host:port; "" means DefaultAddr. The host must be a loopback
	// address or localhost, port 0 takes a free one.
	Addr string
	// Token opens the page; "" means a random one of 128 bits. A given one must
	// have at least 16 characters, all of them visible ASCII.
	Token string
	// Status describes the runtime now. Required.
	Status func() Status
	// Messages returns the newest n delivered messages whose Seq is greater than
	// after, oldest first. What was published must be found. Required.
	Messages func(after uint64, n int) ([]Message, error)
	// Attention describes the person at the desk now. nil means that attention is
	// not judged.
	Attention func() (Attention, error)
	// Changes returns the changes of the reported state since a time, oldest first,
	// and the one before them. nil if Attention is.
	Changes func(since time.Time) ([]AttentionChange, error)
	// Pipeline describes what the stages made of the newest frame of a window, as
	// something that becomes JSON; nil if there is nothing to tell. nil as a whole
	// means that the page shows no details.
	Pipeline func(messages.WindowID) any
	// Act does what a person asks for on the page; the text of its error is shown
	// there. nil means that the page only shows.
	Act func(context.Context, Act) error
	// Now is the time by which the page draws; nil means time.Now.
	Now func() time.Time
	// Health returns nil, or what is wrong and what to do about it; errors.Join
	// lists several. The page shows them as a banner. /healthz shows them without
	// token: they must not hold private text. nil means always healthy.
	Health func() error
	// Metrics serves /metrics; nil means that there are none.
	Metrics http.Handler
	Log     zerolog.Logger
}

// Status describes the runtime at one moment.
type Status struct {
	Version     string              `json:"version"`
	Node        string              `json:"node"`
	Started     time.Time           `json:"started"`
	Windows     []messages.WindowID `json:"windows"` // that are watched
	Actors      []engine.ActorInfo  `json:"actors"`
	Pools       []engine.PoolInfo   `json:"pools"`
	DeadLetters int                 `json:"dead_letters"`
	Paused      []Paused            `json:"paused"` // windows that are not watched for a while
}

// Paused is a window that a person has paused; "" stands for all.
type Paused struct {
	Window messages.WindowID `json:"window"`
	Since  time.Time         `json:"since"`
}

// Mark says what an entry of the list of messages is.
type Mark string

// Marks.
const (
	MarkNone   Mark = ""       // a delivered message
	MarkEdited Mark = "edited" // a delivered message was changed
	MarkUnsent Mark = "unsent" // a delivered message was taken back
	MarkGap    Mark = "gap"    // messages may have gone by unseen
)

// Message is an entry of the page's list: a delivered message, or what became of
// one.
type Message struct {
	Seq          uint64                  `json:"seq"` // place in the event log
	Mark         Mark                    `json:"mark,omitempty"`
	ID           messages.MessageID      `json:"id"` // of the delivered message
	Conversation messages.ConversationID `json:"conversation"`
	Sender       messages.Text           `json:"sender"`
	Kind         messages.Kind           `json:"kind"`
	Text         messages.Text           `json:"text"`          // what it says now
	Old          messages.Text           `json:"old,omitempty"` // what it said before it was edited or taken back
	Parts        int                     `json:"parts"`         // bubbles that became this message
	Partial      bool                    `json:"partial,omitempty"`
	SeenAt       time.Time               `json:"seen_at"`
	DeliveredAt  time.Time               `json:"delivered_at"`
}

// MessageOf makes the page's form of an event; false if the list does not show
// it.
func MessageOf(p engine.Published) (Message, bool) {
	switch m := p.Message.(type) {
	case messages.MessageDelivered:
		return Message{
			Seq: p.Seq, ID: m.ID, Conversation: m.Conversation, Sender: m.Sender, Kind: m.Kind, Text: m.Text,
			Parts:   len(m.Parts),
			Partial: slices.ContainsFunc(m.Parts, func(p messages.Part) bool { return p.Partial }),
			SeenAt:  m.SeenAt, DeliveredAt: m.DeliveredAt,
		}, true
	case messages.MessageChanged:
		mark := MarkEdited
		if m.Kind == messages.ChangeUnsent {
			mark = MarkUnsent
		}
		return Message{
			Seq: p.Seq, Mark: mark, ID: m.Message, Conversation: m.Conversation, Sender: m.Sender,
			Kind: messages.KindText, Text: m.New, Old: m.Old, SeenAt: m.SeenAt, DeliveredAt: m.ChangedAt,
		}, true
	case messages.TranscriptGap:
		return Message{Seq: p.Seq, Mark: MarkGap, Conversation: m.Conversation, SeenAt: m.SeenAt, DeliveredAt: p.At},
			true
	}
	return Message{}, false
}
