package web

import (
	"context"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
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
	Messages func(after uint64, n int) ([]Entry, error)
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

// Entry is an entry of the page's list: a delivered message, or what became of
// one. Where it is a mark, Text is what the message says now.
type Entry struct {
	Seq  uint64 `json:"seq"` // place in the event log
	Mark Mark   `json:"mark,omitempty"`
	Old  string `json:"old,omitempty"` // what it said before it was edited or taken back
	control.Message
}

// EntryOf makes the page's form of an event; false if the list does not show it.
func EntryOf(p engine.Published) (Entry, bool) {
	switch m := p.Message.(type) {
	case messages.MessageDelivered:
		return Entry{Seq: p.Seq, Message: control.NewMessage(p.Seq, m)}, true
	case messages.MessageChanged:
		mark := MarkEdited
		if m.Kind == messages.ChangeUnsent {
			mark = MarkUnsent
		}
		return Entry{Seq: p.Seq, Mark: mark, Old: string(m.Old), Message: control.Message{
			ID: m.Message, Conversation: m.Conversation, Sender: string(m.Sender), Kind: messages.KindText,
			Text: string(m.New), Parts: []control.Part{},
			SeenAt: control.Stamp{Time: m.SeenAt}, DeliveredAt: control.Stamp{Time: m.ChangedAt},
		}}, true
	case messages.TranscriptGap:
		return Entry{Seq: p.Seq, Mark: MarkGap, Message: control.Message{
			Conversation: m.Conversation, Parts: []control.Part{},
			SeenAt: control.Stamp{Time: m.SeenAt}, DeliveredAt: control.Stamp{Time: p.At},
		}}, true
	}
	return Entry{}, false
}
