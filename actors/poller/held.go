package poller

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// held is a frame that fusion could not settle.
type held struct {
	hash  messages.FrameHash
	times int       // that it was read
	until time.Time // when it may be read again
}

// rests reports that a frame is the held one, and not to be read yet.
func (h *held) rests(hash messages.FrameHash, now time.Time) bool {
	return h != nil && h.hash == hash && now.Before(h.until)
}
