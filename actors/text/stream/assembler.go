package stream

import (
	"strings"
	"time"
)

// Every is the shortest pause between two publications of an unfinished reply.
const Every = 150 * time.Millisecond

// Throttle spaces events by at least Every. The first passes at once; events that come too
// early are due together at the end of the pause.
type Throttle struct {
	Every time.Duration
	last  time.Time // of the last that passed, the zero time before the first
}

// Pass reports whether an event may pass now, and if not, how long it has to wait. Even
// if the clock goes back, it never waits longer than Every.
func (t *Throttle) Pass(now time.Time) (wait time.Duration, ok bool) {
	if !t.last.IsZero() {
		if since := now.Sub(t.last); since >= 0 && since < t.Every {
			return t.Every - since, false
		}
	}
	t.last = now
	return 0, true
}

// Frame is what is shown of a reply at one moment. It replaces all frames
// before it.
type Frame struct {
	Epoch int    // counts the attempts at the reply, from 0
	Text  string // from its beginning
	Done  bool   // this is the final text
}

// Assembler puts a reply together from its pieces. The zero value is not ready:
// make it with [NewAssembler], and do not copy it. It is not for concurrent use.
type Assembler struct {
	rule     Rule
	throttle Throttle
	epoch    int
	text     strings.Builder // of the epoch
	frame    Frame           // published last
	done     bool
}

// NewAssembler makes an assembler for one reply.
func NewAssembler(rule Rule, every time.Duration) *Assembler {
	return &Assembler{rule: rule, throttle: Throttle{Every: every}}
}

// Add takes the next piece. A piece of a later epoch starts the text over. A piece of an
// earlier epoch is late and is dropped, as is anything after the end. A piece may end
// inside a character.
func (a *Assembler) Add(epoch int, piece string) {
	if a.done || epoch < a.epoch {
		return
	}
	if epoch > a.epoch {
		a.epoch = epoch
		a.text.Reset()
	}
	a.text.WriteString(piece)
}

// Set is like Add, with everything that an epoch has so far.
func (a *Assembler) Set(epoch int, text string) {
	if !a.done && epoch >= a.epoch {
		a.epoch = epoch
		a.text.Reset()
		a.text.WriteString(text)
	}
}

// Next returns the frame to publish now. ok is false if nothing new may be shown. If only
// the throttle holds a frame back, wait says when to ask again.
func (a *Assembler) Next(now time.Time) (f Frame, wait time.Duration, ok bool) {
	f = Frame{Epoch: a.epoch, Text: a.rule.Shown(a.text.String())}
	if a.done || f.Text == "" || f == a.frame {
		return Frame{}, 0, false
	}
	if wait, ok = a.throttle.Pass(now); !ok {
		return Frame{}, wait, false
	}
	a.frame = f
	return f, 0, true
}

// Withhold says that the frame that Next returned last was not published: it is due again.
func (a *Assembler) Withhold() { a.frame = Frame{} }

// End returns the last frame, which is due at once and carries the final text.
func (a *Assembler) End() Frame {
	a.done = true
	a.frame = Frame{Epoch: a.epoch, Text: a.rule.Final(a.text.String()), Done: true}
	return a.frame
}

// Full reports whether more pieces of this epoch would not change the final text.
func (a *Assembler) Full() bool { return a.rule.Full(a.text.String()) }
