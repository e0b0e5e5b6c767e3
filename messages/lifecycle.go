package messages

// Started is the first message of every activation of an actor: after the
// runtime started, after a restart, and when a message woke it. It is the
// place to arm fleeting timers.
type Started struct{}

// MessageType implements [Message].
func (Started) MessageType() Type { return Type{"started", 1} }

// FailureKind says why a call has no result.
type FailureKind string

// Kinds of a failed call.
const (
	FailureError    FailureKind = "error"    // the worker returned an error
	FailureTimeout  FailureKind = "timeout"  // the worker missed its deadline
	FailurePanic    FailureKind = "panic"    // the worker panicked
	FailureOverload FailureKind = "overload" // the worker's queue was full
	FailureUnknown  FailureKind = "unknown"  // there is no such worker

	// The caller gave the call up and gets no answer: only observers see this.
	FailureCancelled FailureKind = "cancelled"
)

// CallFailed is the last answer of a call whose budget of attempts is spent.
// The asking actor always gets either the worker's result or this.
type CallFailed struct {
	Call     string      `json:"call"`     // the id that Turn.Call returned
	Tag      string      `json:"tag"`      // what the caller passed along
	Worker   string      `json:"worker"`   // worker kind
	Request  string      `json:"request"`  // stable name of the request's type
	Kind     FailureKind `json:"kind"`     // of the last attempt
	Code     string      `json:"code"`     // machine-readable cause given by the worker, may be empty
	Detail   string      `json:"detail"`   // for people; never private text
	Attempts int         `json:"attempts"` // at least 1
}

// Reason is the worker's code, or the kind of the failure if it gave none.
func (f CallFailed) Reason() string {
	if f.Code != "" {
		return f.Code
	}
	return string(f.Kind)
}

// MessageType implements [Message].
func (CallFailed) MessageType() Type { return Type{"call_failed", 1} }
