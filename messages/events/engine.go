package events

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// ActorStarted reports an activation.
type ActorStarted struct {
	Actor messages.Address
	At    time.Time
}

// MessageType implements [messages.Message].
func (ActorStarted) MessageType() messages.Type { return v1("actor_started") }

// ActorRestarted reports a restart by supervision.
type ActorRestarted struct {
	Actor     messages.Address
	Forgotten bool `json:",omitempty"` // nothing failed: what the actor knew was deleted on purpose
	Reason    string
	Delay     time.Duration // backoff before the restart
	Count     int           // restarts since the process started
	At        time.Time
}

// MessageType implements [messages.Message].
func (ActorRestarted) MessageType() messages.Type { return v1("actor_restarted") }

// ActorStopped reports an ordered stop.
type ActorStopped struct {
	Actor messages.Address
	At    time.Time
}

// MessageType implements [messages.Message].
func (ActorStopped) MessageType() messages.Type { return v1("actor_stopped") }

// ActorUnhealthy reports that an actor spent its restart budget (Healthy
// false) and is retried slowly, that its turn does not end (Blocked), that it waits for a key out of
// reach (Key says of which, and what helps; it names no person), or that it works again (Healthy true).
type ActorUnhealthy struct {
	Actor   messages.Address
	Healthy bool
	Blocked bool `json:",omitempty"`
	Reason  string
	Key     string `json:",omitempty"`
	At      time.Time
}

// Deletions is the kind in the address of a deletion that waits for a key, followed by the conversation. No actor
// has it.
const Deletions = "forgetting"

// MessageType implements [messages.Message].
func (ActorUnhealthy) MessageType() messages.Type { return v1("actor_unhealthy") }

// MessageFailed reports a turn that ended in an error or a panic.
type MessageFailed struct {
	Actor   messages.Address
	ID      string // of the message, "" if fleeting
	Type    messages.Type
	Attempt int // 1 for the first
	Fatal   bool
	Reason  string
	Stack   string // of a panic
	At      time.Time
}

// MessageType implements [messages.Message].
func (MessageFailed) MessageType() messages.Type { return v1("message_failed") }

// MessageQuarantined reports a message that became a dead letter.
type MessageQuarantined struct {
	Actor  messages.Address
	ID     string // of the dead letter
	Type   string
	Reason string
	At     time.Time
}

// MessageType implements [messages.Message].
func (MessageQuarantined) MessageType() messages.Type { return v1("message_quarantined") }

// MessageOverflowed reports a fleeting message that a full mailbox dropped or
// merged, as the mailbox's policy declares.
type MessageOverflowed struct {
	Actor  messages.Address
	Type   messages.Type
	Policy string
	At     time.Time
}

// MessageType implements [messages.Message].
func (MessageOverflowed) MessageType() messages.Type { return v1("message_overflowed") }

// CallFinished reports one attempt of a call.
type CallFinished struct {
	Worker  messages.Address
	Call    string
	Caller  messages.Address
	Attempt int
	Failure messages.FailureKind // "" for a result
	Code    string               // of a refusal: the worker is well, the request cannot be served
	Detail  string
	Took    time.Duration
	At      time.Time
}

// MessageType implements [messages.Message].
func (CallFinished) MessageType() messages.Type { return v1("call_finished") }

// CommitFailed reports a batch of turns that the store refused. The turns are
// undone, their messages come again.
type CommitFailed struct {
	Turns  int
	Reason string
	At     time.Time
}

// MessageType implements [messages.Message].
func (CommitFailed) MessageType() messages.Type { return v1("commit_failed") }

// StoreLow reports that durable work is paused until there is space again.
type StoreLow struct {
	Free, Need uint64 // bytes
	At         time.Time
}

// MessageType implements [messages.Message].
func (StoreLow) MessageType() messages.Type { return v1("store_low") }

// StoreRecovered reports that durable work goes on.
type StoreRecovered struct {
	Free uint64
	At   time.Time
}

// MessageType implements [messages.Message].
func (StoreRecovered) MessageType() messages.Type { return v1("store_recovered") }
