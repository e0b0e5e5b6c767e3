package outbound

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// look is one reading of the window: capture it, read it, and ask whose conversation it
// is.
type look struct {
	key   string // of this look
	call  string // under way
	frame messages.Frame
	read  messages.FrameRead
}

// Deadlines of a look.
const (
	captureTime = 15 * time.Second
)

// seen is what the hands compare with.
func (l look) seen() messages.Look {
	return messages.Look{Frame: l.frame, Header: l.read.Header, Field: l.read.Input}
}

func (a *actor) beginLook(turn *actors.Turn) {
	call := turn.Call(messages.WorkerCapture, messages.CaptureWindow{Window: a.window},
		actors.CallOptions{Deadline: captureTime})
	a.look = &look{key: call, call: call}
}

func (a *actor) captured(turn *actors.Turn, frame messages.Frame) {
	if a.look == nil || turn.Cause().Call != a.look.call {
		return
	}
	a.look.frame = frame
	a.look.call = turn.Call(messages.WorkerOCR, messages.ReadFrame{Frame: frame, Field: true},
		actors.CallOptions{Deadline: a.o.Read, Retries: 1})
}

func (a *actor) read(turn *actors.Turn, m messages.FrameRead) {
	if a.look == nil || turn.Cause().Call != a.look.call {
		return
	}
	a.look.read, a.look.call = m, ""
	turn.Send(messages.To(messages.ActorFusion, string(a.window)), messages.AskConversation{Key: a.look.key, Read: m})
}

// whose ends a look: it is now known what the window shows.
func (a *actor) whose(turn *actors.Turn, m messages.ConversationShown) {
	if a.look == nil || a.look.key != m.Key {
		return
	}
	row, s, ok := a.active(turn)
	if a.last, a.look = *a.look, nil; !ok {
		return
	}
	a.happened(turn, row, Event{Kind: OnSeen, Hold: a.hold(turn), Tail: marksOf(a.last.read), View: View{
		Here: m.Conversation == s.Conversation, MovedOn: m.MovedOn == s.Conversation,
		Field: readField(a.last.read, string(s.Text), s.Typed),
	}})
	if a.step == "" {
		a.last = look{} // the hands no longer need its picture
	}
}

// hold returns why nothing may be sent now, or "" if it may.
func (a *actor) hold(turn *actors.Turn) messages.SendReason {
	if a.ending {
		return messages.SendEnding
	}
	if owner, _ := owners.Get(turn, "now"); owner.Paused {
		return messages.CodePaused
	}
	return ""
}

func (a *actor) handsDone(turn *actors.Turn) {
	if turn.Cause().Call != a.step || a.step == "" {
		return
	}
	a.step = ""
	row, s, ok := a.active(turn)
	if !ok {
		return
	}
	kinds := map[State]EventKind{Typing: OnTyped, Entering: OnEntered, Clearing: OnCleared}
	if kind, ok := kinds[s.State]; ok {
		a.happened(turn, row, Event{Kind: kind})
	}
}

func (a *actor) callFailed(turn *actors.Turn, m messages.CallFailed) {
	switch {
	case a.look != nil && m.Call == a.look.call:
		a.look = nil
		a.tellActive(turn, Event{Kind: OnUnseen, Code: m.Code})
	case a.step != "" && m.Call == a.step:
		a.step = ""
		code := m.Code
		if m.Kind == messages.FailureUnknown { // this runtime has no hands
			code = messages.CodeUnavailable
		}
		a.tellActive(turn, Event{Kind: OnFailed, Code: code})
	}
}
