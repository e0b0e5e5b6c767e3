package web

import (
	"net/http"
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
	// have at least 16 characters.
	Token string
	// Status describes the runtime now. Required.
	Status func() Status
	// Messages returns the newest n delivered messages whose Seq is greater than
	// after, oldest first. What was published must be found. Required.
	Messages func(after uint64, n int) ([]Message, error)
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
}

// Message is a delivered message as the page shows it.
type Message struct {
	Seq          uint64                  `json:"seq"` // place in the event log
	ID           messages.MessageID      `json:"id"`
	Conversation messages.ConversationID `json:"conversation"`
	Sender       messages.Text           `json:"sender"`
	Kind         messages.Kind           `json:"kind"`
	Text         messages.Text           `json:"text"`
	Parts        int                     `json:"parts"` // bubbles that became this message
	SeenAt       time.Time               `json:"seen_at"`
	DeliveredAt  time.Time               `json:"delivered_at"`
}

// MessageOf makes the page's form of an event; false if it is no delivered
// message.
func MessageOf(p engine.Published) (Message, bool) {
	d, ok := p.Message.(messages.MessageDelivered)
	if !ok {
		return Message{}, false
	}
	return Message{
		Seq: p.Seq, ID: d.ID, Conversation: d.Conversation, Sender: d.Sender, Kind: d.Kind, Text: d.Text,
		Parts: len(d.Parts), SeenAt: d.SeenAt, DeliveredAt: d.DeliveredAt,
	}, true
}
