package poller

import (
	"time"

	"github.com/kehai-run/kehai/actors/backoff"
	"github.com/kehai-run/kehai/messages"
)

// job is the one changed frame that is on its way from the capture to fusion's
// commit. Nothing is captured meanwhile: what a frame shows may have scrolled
// away in the next one, and a crash must find it still on the window.
type job struct {
	frame    messages.Frame
	hash     messages.FrameHash
	more     []messages.Frame // later captures of the same change, read with it
	lacking  int              // captures that are still to come before it is read
	stage    stage
	asked    time.Time // when OCR got it
	failures int       // of OCR in a row
	counted  int       // of these, without refusals
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

// may reports whether OCR may have the frame now.
func (j *job) may(now time.Time) bool {
	return j.stage == captured && j.lacking == 0 && !now.Before(j.until)
}

// failed notes that OCR could not read the frame, and reports whether that was
// once too often.
func (j *job) failed(refused bool, now time.Time, o Options) (giveUp bool) {
	j.stage = captured
	j.failures++
	j.until = now.Add(backoff.Delay(o.Interval, o.Backoff, j.failures))
	if refused {
		return false
	}
	j.counted++
	return j.counted >= o.Tries
}
