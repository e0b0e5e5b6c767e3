package poller

import (
	"fmt"
	"image"
	"reflect"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/backoff"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the window.
const Kind = messages.ActorPoller

// Rules are the times of looking at a window. Start with [DefaultRules].
type Rules struct {
	// Time after which one look, or one count of rows, is given up, 1s to 5m.
	// Default 30s.
	Deadline time.Duration `yaml:"deadline" min:"1s" max:"5m"`

	// Consecutive capture timeouts before the baseline is dropped, and the window
	// counts as changed, 1 to 100. Default 2.
	Late int `yaml:"late" min:"1" max:"100"`

	// Longest pause while looks fail, 1s to 1h; it begins with poll and doubles.
	// Default 30s.
	Backoff time.Duration `yaml:"backoff" min:"1s" max:"1h"`

	// Time between the captures of ocr.burst, 10ms to 1s, and not more than poll.
	// Default 120ms.
	Gap time.Duration `yaml:"gap" min:"10ms" max:"1s"`

	// Calls in a row that fail on one capture before it is given up, 1 to 100.
	// Default 5.
	Tries int `yaml:"tries" min:"1" max:"100"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules {
	return Rules{Deadline: 30 * time.Second, Late: 2, Backoff: 30 * time.Second, Gap: 120 * time.Millisecond, Tries: 5}
}

// Options of a poller. Start with [DefaultOptions].
type Options struct {
	Rules
	Interval    time.Duration // from the start of one poll to the next
	ReadTime    time.Duration // deadline of a reading
	ReadRetries int           // immediate ones, of a failed reading
	Burst       int           // captures of one change that are read together
	TellResets  bool          // fusion is told when the baseline is reset
	// Excluded returns the rectangles of a frame that its hash ignores, such as a
	// blinking caret, in the image's coordinates; nil means none.
	Excluded func(img *image.RGBA, scale float64) []image.Rectangle
}

// DefaultOptions poll once a second.
func DefaultOptions() Options {
	return Options{
		Rules: DefaultRules(), Interval: time.Second, ReadTime: time.Minute, ReadRetries: 1, Burst: 1,
	}
}

// New makes the constructor of pollers.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Excluded == nil {
		o.Excluded = func(*image.RGBA, float64) []image.Rectangle { return nil }
	}
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, window: messages.WindowID(self.Key())}
	}
}

// actor polls one window. Everything it knows dies with it, and the next poll
// finds it again.
type actor struct {
	o      Options
	window messages.WindowID

	capture  string // id of the call under way; "" means none
	began    time.Time
	failures int // captures failed in a row
	late     int // deadlines missed in a row
	state    *string
	typed    typing

	settled  *messages.FrameHash // nothing to do while the window looks like this
	watched  time.Time           // capture of the last frame that was settled
	away     bool                // it could not be captured since
	lost     bool                // and that was no pause
	deferred *deferred           // what fusion could not settle, nil for nothing
	job      *job                // the changed frame under way, nil for none
}

// looks holds in its one row what the window's frames have taught about its looks.
var looks = actors.NewTable[messages.Learnt]("looks")

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
		a.learn(turn, m.Hash)
		a.settle(m.Hash)
	case messages.FrameHeld:
		a.deferFrame(m.Hash)
	case messages.ReadAgain:
		a.reset()
	case messages.ResetBaseline:
		a.reset()
		a.tellReset(turn)
	case messages.Typing:
		a.typing(turn, m.Until)
	case messages.ReadNow:
		a.readNow(turn)
	case messages.CallFailed:
		a.callFailed(turn, m)
	default:
		return fmt.Errorf("poller: unexpected %s", msg.MessageType())
	}
	return nil
}

func (a *actor) poll(turn *actors.Turn) {
	a.capture = turn.Call(messages.WorkerCapture, messages.CaptureWindow{Window: a.window},
		actors.CallOptions{Deadline: a.o.Deadline})
	a.began, a.typed.skipped = turn.Now(), false
	turn.After("poll", a.o.Interval, messages.PollDue{})
}

func (a *actor) pollDue(turn *actors.Turn) {
	a.push(turn)
	// The engine answers every call, but a flooded mailbox may lose the answer.
	busy := a.capture != "" && turn.Now().Sub(a.began) <= 2*a.o.Deadline
	switch {
	case busy:
		turn.Drop(events.StagePoller, events.RuleCaptureBusy, events.Detail{})
	case a.job != nil && a.job.missing == 0:
		turn.Drop(events.StagePoller, events.RuleReadingBusy, events.Detail{})
	case a.typed.on(turn.Now()):
		a.skip(turn)
		return
	default:
		a.poll(turn)
		return
	}
	turn.After("poll", a.o.Interval, messages.PollDue{})
}

func (a *actor) captured(turn *actors.Turn, frame messages.Frame) {
	if turn.Cause().Call != a.capture {
		return
	}
	if frame.Image == nil {
		a.captureFailed(turn, messages.CallFailed{Kind: messages.FailureError,
			Detail: "the capture worker answered without an image"})
		return
	}
	a.capture, a.failures, a.late = "", 0, 0
	a.report(turn, "", "")
	if a.typed.on(turn.Now()) {
		a.skip(turn)
		return
	}
	if a.job != nil && a.job.missing > 0 {
		a.job.more = append(a.job.more, frame)
		a.job.missing--
		a.gather(turn)
		return
	}
	hash := Hash(frame.Image, a.o.Excluded(frame.Image, frame.Scale))
	if a.settled != nil && *a.settled == hash {
		a.watched, a.away, a.lost = frame.At, false, false
		return
	}
	if !a.deferred.waits(hash, turn.Now()) {
		a.job = &job{frame: frame, hash: hash, missing: max(a.o.Burst-1, 0)}
		a.gather(turn)
	}
}

// gather captures the missing frames of a burst, and goes on once it is complete.
func (a *actor) gather(turn *actors.Turn) {
	if a.job.missing > 0 {
		turn.After("poll", min(a.o.Gap, a.o.Interval), messages.PollDue{})
		return
	}
	a.push(turn)
}

// push takes the job one step further if it can.
func (a *actor) push(turn *actors.Turn) {
	j := a.job
	switch {
	case j == nil:
	case j.stage == settling && j.sent >= a.o.Tries:
		turn.Drop(events.StagePoller, events.RuleUnsettled, events.Detail{Count: a.o.Tries})
		a.job = nil
	case j.stage == settling:
		// Fusion was restarted or has not answered yet.
		j.sent++
		turn.Send(messages.To(messages.ActorFusion, string(a.window)), j.result)
	case j.stage == reading && turn.Now().Sub(j.asked) > a.answerLost():
		j.stage = captured
		a.readFrame(turn)
	case j.ready(turn.Now()):
		a.readFrame(turn)
	}
}

func (a *actor) readFrame(turn *actors.Turn) {
	a.job.stage, a.job.asked = reading, turn.Now()
	learnt, _ := looks.Get(turn, "")
	request := messages.ReadFrame{Frame: a.job.frame, Hash: a.job.hash, More: a.job.more, Learnt: learnt}
	turn.Call(messages.WorkerOCR, request,
		actors.CallOptions{Deadline: a.o.ReadTime, Retries: a.o.ReadRetries})
}

// answerLost is the time after which OCR can no longer answer.
func (a *actor) answerLost() time.Duration {
	return time.Duration(a.o.ReadRetries+2) * (a.o.ReadTime + time.Minute)
}

func (a *actor) read(turn *actors.Turn, m messages.FrameRead) {
	if a.job == nil || a.job.stage != reading || a.job.hash != m.Hash {
		return
	}
	turn.Publish(events.FrameSeen{Frame: a.job.frame, Read: m})
	for _, o := range m.Unread {
		turn.Drop(events.StageOCR, events.RuleUnread, events.Omitted(o))
	}
	for _, o := range m.LeftOut {
		turn.Drop(events.StageMask, events.RuleLeftOut, events.Omitted(o))
	}
	m.Watched, m.Away, m.Lost, a.away, a.lost = a.watched, a.away, a.lost, false, false
	a.job.stage, a.job.result = settling, m
	a.job.frame.Image, a.job.more = nil, nil // OCR is done with them
	a.push(turn)
}

// learn keeps what a frame teaches about the window once fusion has settled it: one that
// fusion holds may show something else.
func (a *actor) learn(turn *actors.Turn, hash messages.FrameHash) {
	if a.job == nil || a.job.hash != hash || a.job.result.Learnt.Empty() {
		return
	}
	if known, _ := looks.Get(turn, ""); !reflect.DeepEqual(known, a.job.result.Learnt) {
		looks.Put(turn, "", a.job.result.Learnt)
	}
}

// settle ends a job: everything in its frame is committed.
func (a *actor) settle(hash messages.FrameHash) {
	a.settled, a.deferred = &hash, nil
	if a.job != nil && a.job.hash == hash {
		a.watched = a.job.frame.At
		a.job = nil
	}
}

// deferFrame ends a job that fusion cannot settle. The frame waits before it is
// read again, longer each time. A frame that was settled before is read again too
// when it comes back, so that fusion learns that its trouble is over.
func (a *actor) deferFrame(hash messages.FrameHash) {
	if a.job == nil || a.job.hash != hash || a.job.stage != settling {
		return
	}
	a.job, a.settled = nil, nil
	if a.deferred == nil || a.deferred.hash != hash {
		a.deferred = &deferred{hash: hash}
	}
	a.deferred.times++
	a.deferred.until = a.began.Add(backoff.Delay(a.o.Interval, a.o.Backoff, a.deferred.times))
}

// reset makes the next poll count as changed, even if fusion has the present
// frame.
func (a *actor) reset() {
	a.settled, a.deferred = nil, nil
	if a.job != nil && a.job.stage == settling {
		a.job = nil
	}
}

// tellReset lets fusion forget what it has read last.
func (a *actor) tellReset(turn *actors.Turn) {
	if a.o.TellResets {
		turn.Send(messages.To(messages.ActorFusion, string(a.window)), messages.ResetBaseline{Window: a.window})
	}
}

// readNow has the window captured and read as soon as nothing else is under way.
func (a *actor) readNow(turn *actors.Turn) {
	a.reset()
	if a.capture == "" && a.job == nil && !a.typed.on(turn.Now()) {
		a.poll(turn)
	}
}

func (a *actor) callFailed(turn *actors.Turn, m messages.CallFailed) {
	switch {
	case m.Worker == messages.WorkerOCR && a.job != nil && a.job.stage == reading:
		if a.job.failed(m.Code != "", turn.Now(), a.o) {
			turn.Drop(events.StageOCR, events.RuleGivenUp, events.Detail{Count: a.o.Tries, Code: m.Reason()})
			a.job = nil
		} else {
			turn.Drop(events.StageOCR, events.RuleTriedAgain, events.Detail{Count: m.Attempts, Code: m.Reason()})
		}
	case m.Worker == messages.WorkerCapture && m.Call == a.capture:
		a.captureFailed(turn, m)
	}
}

func (a *actor) captureFailed(turn *actors.Turn, m messages.CallFailed) {
	a.capture, a.away = "", a.away || m.Kind != messages.FailureTimeout
	a.lost = a.lost || m.Kind != messages.FailureTimeout && m.Code != messages.CodePaused
	if a.job != nil {
		a.job.missing = 0 // the next poll reads the burst as far as it got
	}
	if m.Code == messages.CodePaused { // no failure: the next poll keeps its time
		a.failures, a.late = 0, 0
		a.report(turn, m.Code, m.Detail)
		return
	}
	a.failures++
	if m.Kind != messages.FailureTimeout {
		a.late = 0
	} else if a.late++; a.late >= a.o.Late && a.settled != nil {
		a.settled = nil
		turn.Drop(events.StagePoller, events.RuleBaselineReset, events.Detail{Count: a.late})
		a.tellReset(turn)
	}
	a.report(turn, m.Reason(), m.Detail)
	turn.After("poll", backoff.Delay(a.o.Interval, a.o.Backoff, a.failures), messages.PollDue{})
}

// report publishes when the window can no longer be captured, or can again.
func (a *actor) report(turn *actors.Turn, code, detail string) {
	if a.state != nil && *a.state == code {
		return
	}
	a.state = &code
	turn.Publish(events.CaptureState{Window: a.window, Code: code, Detail: detail, At: turn.Now()})
}
