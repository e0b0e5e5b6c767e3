package poller

import (
	"fmt"
	"image"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the window.
const Kind = "poller"

// Options of a poller. The zero value polls once a second.
type Options struct {
	Interval    time.Duration // from the start of one poll to the next; 0 means 1 s
	Deadline    time.Duration // of a capture; 0 means 30 s
	ReadTime    time.Duration // deadline of a reading; 0 means 60 s
	ReadRetries int           // of a failed reading, at once; 0 means 1, below 0 none
	MaxBackoff  time.Duration // longest pause while captures fail; 0 means 30 s
	// Excluded returns the rectangles of a frame that its hash leaves out, such
	// as a blinking caret; nil means none. layout.Layout.Excluded is one.
	Excluded func(size image.Point, scale float64) []image.Rectangle
}

func (o Options) withDefaults() Options {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&o.Interval, time.Second)
	def(&o.Deadline, 30*time.Second)
	def(&o.ReadTime, time.Minute)
	def(&o.MaxBackoff, 30*time.Second)
	switch {
	case o.ReadRetries == 0:
		o.ReadRetries = 1
	case o.ReadRetries < 0:
		o.ReadRetries = 0
	}
	if o.Excluded == nil {
		o.Excluded = func(image.Point, float64) []image.Rectangle { return nil }
	}
	return o
}

// New makes the constructor of pollers.
func New(o Options) func(messages.Address) actors.Actor {
	o = o.withDefaults()
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, window: messages.WindowID(self.Key())}
	}
}

// actor polls one window. Everything it knows dies with it and is found again
// by the next poll.
type actor struct {
	o      Options
	window messages.WindowID

	capture  string // id of the capture under way, "" for none
	began    time.Time
	failures int // captures failed in a row
	late     int // of these, missed deadlines in a row
	state    *string

	settled *messages.FrameHash // nothing to do while the window looks like this
	reading *seen               // the frame that OCR has
	asked   time.Time           // when it got it
	waiting *seen               // the newest frame that came meanwhile
	rest    resting
}

type seen struct {
	frame messages.Frame
	hash  messages.FrameHash
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
		a.poll(turn)
	case messages.PollDue:
		a.pollDue(turn)
	case messages.FrameCaptured:
		a.captured(turn, m.Frame)
	case messages.FrameRead:
		a.read(turn, m)
	case messages.FrameSettled:
		a.settled = &m.Hash
	case messages.ResetBaseline:
		a.settled = nil
	case messages.CallFailed:
		a.callFailed(turn, m)
	default:
		return fmt.Errorf("poller: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) poll(turn *actors.Turn) {
	a.capture = turn.Call("capture", messages.CaptureWindow{Window: a.window}, actors.CallOptions{Deadline: a.o.Deadline})
	a.began = turn.Now()
	turn.After("poll", a.o.Interval, messages.PollDue{})
}

func (a *actor) pollDue(turn *actors.Turn) {
	// The engine answers every call, but a flooded mailbox may lose the answer.
	if lost := 2 * a.o.Deadline; a.capture == "" || turn.Now().Sub(a.began) > lost {
		a.poll(turn)
		return
	}
	turn.Drop("poller", "poll skipped: the last capture is still under way")
	turn.After("poll", a.o.Interval, messages.PollDue{})
}

func (a *actor) captured(turn *actors.Turn, frame messages.Frame) {
	if turn.Cause().Call != a.capture {
		return
	}
	if frame.Image == nil {
		a.captureFailed(turn, messages.CallFailed{Kind: messages.FailureError, Detail: "the capture worker answered without an image"})
		return
	}
	a.capture, a.failures, a.late = "", 0, 0
	a.report(turn, "", "")
	s := &seen{frame, Hash(frame.Image, a.o.Excluded(frame.Image.Rect.Size(), frame.Scale))}
	a.waiting = nil
	switch {
	case a.settled != nil && *a.settled == s.hash:
	case a.reading == nil, turn.Now().Sub(a.asked) > a.answerLost():
		a.readFrame(turn, s)
	case a.reading.hash != s.hash:
		a.waiting = s
	}
}

func (a *actor) readFrame(turn *actors.Turn, s *seen) {
	if s == nil || a.rest.holds(s.hash, turn.Now()) {
		return
	}
	a.reading, a.asked = s, turn.Now()
	turn.Call("ocr", messages.ReadFrame{Frame: s.frame, Hash: s.hash},
		actors.CallOptions{Deadline: a.o.ReadTime, Retries: a.o.ReadRetries})
}

// answerLost is the time after which OCR cannot answer any more.
func (a *actor) answerLost() time.Duration {
	return time.Duration(a.o.ReadRetries+2) * (a.o.ReadTime + time.Minute)
}

func (a *actor) read(turn *actors.Turn, m messages.FrameRead) {
	if a.reading == nil || a.reading.hash != m.Hash {
		return
	}
	a.rest = resting{}
	turn.Send(messages.To("fusion", string(a.window)), m)
	turn.Publish(messages.FrameSeen{Frame: a.reading.frame, Read: m})
	a.next(turn)
}

// next reads the newest frame that came while OCR was busy.
func (a *actor) next(turn *actors.Turn) {
	s := a.waiting
	a.reading, a.waiting = nil, nil
	a.readFrame(turn, s)
}

func (a *actor) callFailed(turn *actors.Turn, m messages.CallFailed) {
	switch {
	case m.Worker == "ocr" && a.reading != nil:
		turn.Drop("ocr", fmt.Sprintf("reading failed after %d attempts and is tried again: %s", m.Attempts, stateCode(m)))
		a.rest = a.rest.failed(a.reading.hash, m.Code, turn.Now(), a.o.Interval, a.o.MaxBackoff)
		a.next(turn)
	case m.Worker == "capture" && m.Call == a.capture:
		a.captureFailed(turn, m)
	}
}

func (a *actor) captureFailed(turn *actors.Turn, m messages.CallFailed) {
	a.capture = ""
	a.failures++
	if m.Kind != messages.FailureTimeout {
		a.late = 0
	} else if a.late++; a.late >= abandoned && a.settled != nil {
		a.settled = nil
		turn.Drop("poller", fmt.Sprintf("baseline reset: %d captures in a row missed their deadline", a.late))
	}
	a.report(turn, stateCode(m), m.Detail)
	turn.After("poll", backoff(a.o.Interval, a.o.MaxBackoff, a.failures), messages.PollDue{})
}

// report publishes a change of whether the window can be captured.
func (a *actor) report(turn *actors.Turn, code, detail string) {
	if a.state != nil && *a.state == code {
		return
	}
	a.state = &code
	turn.Publish(messages.CaptureState{Window: a.window, Code: code, Detail: detail, At: turn.Now()})
}
