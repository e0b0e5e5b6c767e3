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
	// Addr is host:port, such as DefaultAddr. The host must be a loopback address or
	// localhost, port 0 takes a free one. Required.
	Addr string
	// Token opens the page, and is its only key, also in its address; "" means keys of 128
	// bits that Sessions keep. A given one must have at least 16 characters, all of them
	// visible ASCII. It should be random: whoever else answers an open page can tell from its
	// question whether a guess may be right.
	Token string
	// Sessions are the keys that open the page. nil keeps them in memory.
	Sessions *Sessions
	// Status describes the runtime now. Required.
	Status func() Status
	// Timeline returns the newest n entries whose Seq is greater than after, oldest
	// first, each as it was when it was published. Every published entry must be found.
	// Required.
	Timeline func(after uint64, n int) ([]control.Entry, error)
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
	// Talk serves the chat page and the interface below /v1; nil means that there is
	// neither.
	Talk Talker
	// Faces takes what the camera page sees, as lines of a face tracker; nil means that
	// attention is not judged.
	Faces http.HandlerFunc
	// Tracker is the folder with the face tracker of the camera page; "" means that there
	// is none.
	Tracker Tracker
	// Mask replaces private data in a text, for guests; nil means that no guest is let in.
	Mask func(string) string
	// Now is the clock of the page; nil means time.Now.
	Now func() time.Time
	// Health returns nil, or what is wrong and what to do about it; errors.Join lists
	// several. The page shows them as a banner, and /healthz to everybody with a key, meters too,
	// so they must not hold private text. nil means always healthy.
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
	Recording   *Recording          `json:"recording,omitempty"`
	Cluster     *control.Cluster    `json:"cluster,omitempty"` // nil: it is alone
	Model       string              `json:"model,omitempty"`   // why no language model answers, "" if one does
}

// Recording says that what windows show is kept for a replay.
type Recording struct {
	Windows []string  `json:"windows"`
	Since   time.Time `json:"since"`
}

// Paused is a window that a person has paused; "" stands for all.
type Paused struct {
	Window messages.WindowID `json:"window"`
	Since  time.Time         `json:"since"`
}
