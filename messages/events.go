package messages

import "time"

// The types in this file report what happened. They go to event listeners
// (log, metrics, page, host), never to an actor, and hold no private text
// outside fields of type [Text].

// ActorStarted reports an activation.
type ActorStarted struct {
	Actor Address
	At    time.Time
}

// MessageType implements [Message].
func (ActorStarted) MessageType() Type { return Type{"actor_started", 1} }

// ActorRestarted reports a restart by supervision.
type ActorRestarted struct {
	Actor  Address
	Reason string
	Delay  time.Duration // backoff before the restart
	Count  int           // restarts since the process started
	At     time.Time
}

// MessageType implements [Message].
func (ActorRestarted) MessageType() Type { return Type{"actor_restarted", 1} }

// ActorStopped reports an ordered stop.
type ActorStopped struct {
	Actor Address
	At    time.Time
}

// MessageType implements [Message].
func (ActorStopped) MessageType() Type { return Type{"actor_stopped", 1} }

// ActorUnhealthy reports that an actor spent its restart budget (Healthy
// false) and is retried slowly, or that it works again (Healthy true).
type ActorUnhealthy struct {
	Actor   Address
	Healthy bool
	Reason  string
	At      time.Time
}

// MessageType implements [Message].
func (ActorUnhealthy) MessageType() Type { return Type{"actor_unhealthy", 1} }

// MessageFailed reports a turn that ended in an error or a panic.
type MessageFailed struct {
	Actor   Address
	ID      string // of the message, "" if fleeting
	Type    Type
	Attempt int // 1 for the first
	Fatal   bool
	Reason  string
	Stack   string // of a panic
	At      time.Time
}

// MessageType implements [Message].
func (MessageFailed) MessageType() Type { return Type{"message_failed", 1} }

// MessageQuarantined reports a message that became a dead letter.
type MessageQuarantined struct {
	Actor  Address
	ID     string // of the dead letter
	Type   string
	Reason string
	At     time.Time
}

// MessageType implements [Message].
func (MessageQuarantined) MessageType() Type { return Type{"message_quarantined", 1} }

// MessageOverflowed reports a fleeting message that a full mailbox dropped or
// merged, as the mailbox's policy declares.
type MessageOverflowed struct {
	Actor  Address
	Type   Type
	Policy string
	At     time.Time
}

// MessageType implements [Message].
func (MessageOverflowed) MessageType() Type { return Type{"message_overflowed", 1} }

// Dropped reports that a stage decided to let something go no further.
type Dropped struct {
	Actor  Address
	Stage  string
	Reason string
	Cause  string // id of the message that was being handled
	Detail Detail
	At     time.Time
}

// MessageType implements [Message].
func (Dropped) MessageType() Type { return Type{"dropped", 1} }

// CallFinished reports one attempt of a call.
type CallFinished struct {
	Worker  Address
	Call    string
	Caller  Address
	Attempt int
	Failure FailureKind // "" for a result
	Code    string      // of a refusal: the worker is well, the request cannot be served
	Detail  string
	Took    time.Duration
	At      time.Time
}

// MessageType implements [Message].
func (CallFinished) MessageType() Type { return Type{"call_finished", 1} }

// CommitFailed reports a batch of turns that the store refused. The turns are
// undone, their messages come again.
type CommitFailed struct {
	Turns  int
	Reason string
	At     time.Time
}

// MessageType implements [Message].
func (CommitFailed) MessageType() Type { return Type{"commit_failed", 1} }

// StoreLow reports that durable work is paused until there is space again.
type StoreLow struct {
	Free, Need uint64 // bytes
	At         time.Time
}

// MessageType implements [Message].
func (StoreLow) MessageType() Type { return Type{"store_low", 1} }

// StoreRecovered reports that durable work goes on.
type StoreRecovered struct {
	Free uint64
	At   time.Time
}

// MessageType implements [Message].
func (StoreRecovered) MessageType() Type { return Type{"store_recovered", 1} }

// CodePaused is the code of a window that is not captured because a person has
// paused watching.
const CodePaused = "paused"

// CaptureState reports that a window became capturable (Code "") or not. It is
// published once per change.
type CaptureState struct {
	Window WindowID
	Code   string // "" when captures work, else the driver's error code
	Detail string
	At     time.Time
}

// MessageType implements [Message].
func (CaptureState) MessageType() Type { return Type{"capture_state", 1} }

// FrameSeen hands the newest read frame to the live page. The image is shared
// and must not be changed.
type FrameSeen struct {
	Frame Frame
	Read  FrameRead
}

// MessageType implements [Message].
func (FrameSeen) MessageType() Type { return Type{"frame_seen", 1} }

// Accepted reports that ingress let a message pass.
type Accepted struct {
	Conversation ConversationID
	Occurrence   Occurrence
	Window       WindowID
	Channel      Channel
	Spared       string // text window that would have stopped it, had its place not proved it new; "" for none
	At           time.Time
}

// MessageType implements [Message].
func (Accepted) MessageType() Type { return Type{"ingress_accepted", 1} }

// EchoGuardMiss reports that a message was not taken for an echo although
// Kehai has lately sent something into the conversation.
type EchoGuardMiss struct {
	Conversation ConversationID
	Occurrence   Occurrence
	Hash         string        // keyed hash of the text, "" without a key
	Runes        int           // length of the text
	Active       int           // texts sent within the window
	LastSendAge  time.Duration // since the newest of them
	Matched      bool          // the text is that of an echo, its side says incoming
	Text         Text          `json:"-"`
	At           time.Time
}

// MessageType implements [Message].
func (EchoGuardMiss) MessageType() Type { return Type{"echo_guard_miss", 1} }
