package memory

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Vector is the stored vector of an event.
type Vector struct {
	messages.EventVector
	Model string `json:"model"`
}

// Embedding is how far a conversation's events have vectors.
type Embedding struct {
	Model   string           `json:"model"`
	Length  int              `json:"length,omitempty"` // of its vectors, in bytes
	Reached messages.Reached `json:"reached,omitzero"`
	Kept    uint64           `json:"kept,omitempty"`   // how often vectors were stored
	Asking  bool             `json:"asking,omitempty"` // a worker has been asked
	Wanted  bool             `json:"wanted,omitempty"` // there is more since
	Failed  string           `json:"failed,omitempty"` // why the last answer is missing
	Tries   int              `json:"tries,omitempty"`  // in a row that failed
}

// Of returns how far it is with a model. Vectors of another model do not count.
func (e Embedding) Of(model string) Embedding {
	if e.Model == model {
		return e
	}
	return Embedding{Model: model, Kept: e.Kept, Asking: e.Asking, Wanted: e.Asking}
}

// pauses between two tries: the first one, and the longest.
const (
	firstPause   = 10 * time.Second
	longestPause = 30 * time.Minute
)

// Pause is how long to wait after a failure.
func (e Embedding) Pause() time.Duration {
	pause := firstPause
	for range min(e.Tries, 16) - 1 {
		pause = min(2*pause, longestPause)
	}
	return pause
}
