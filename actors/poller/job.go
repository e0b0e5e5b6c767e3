package poller

import (
	"time"

	"github.com/kehai-run/kehai/actors/backoff"
	"github.com/kehai-run/kehai/messages"
)

// job is the one changed frame between its capture and fusion's commit. Nothing
// else is captured meanwhile. Messages of this frame may scroll away in the next
// one, and after a crash the window must still show them.
type job struct {
	frame    messages.Frame
	hash     messages.FrameHash
	more     []messages.Frame // later captures of the same change, read with it
	missing  int              // captures that are still to come before it is read
	stage    stage
	asked    time.Time // when OCR got it
	failures int       // of OCR in a row
	charged  int       // of these, without refusals: they count towards Rules.Tries
	until    time.Time // when it may be tried again
	result   messages.FrameRead
	sent     int // times the result went to fusion
}

type stage int

const (
	captured stage = iota // not with OCR: new, or resting after a failure
	reading               // OCR has it
	settling              // fusion has the result
)

// ready reports whether OCR may have the frame now.
func (j *job) ready(now time.Time) bool {
	return j.stage == captured && j.missing == 0 && !now.Before(j.until)
}

// failed notes that OCR could not read the frame, and reports whether to give up.
func (j *job) failed(refused bool, now time.Time, o Options) (giveUp bool) {
	j.stage = captured
	j.failures++
	j.until = now.Add(backoff.Delay(o.Interval, o.Backoff, j.failures))
	if refused {
		return false
	}
	j.charged++
	return j.charged >= o.Tries
}

// deferred is a frame that fusion could not settle.
type deferred struct {
	hash  messages.FrameHash
	times int       // that it was read
	until time.Time // when it may be read again
}

// waits reports whether a frame is the deferred one and is not to be read yet.
func (h *deferred) waits(hash messages.FrameHash, now time.Time) bool {
	return h != nil && h.hash == hash && now.Before(h.until)
}
