package actors

import (
	"context"

	"github.com/kehai-run/kehai/messages"
)

// Actor decides what one message means. Receive reads and changes state only
// through the turn and through the actor's own fields, which are a cache: after
// an error or a panic the value is thrown away and a new one is made, so
// whatever must last belongs in a [Table].
//
// Receive never blocks, reads no clock, starts no goroutine and touches no
// network; slow or failing work is a [Turn.Call]. It is called by one goroutine
// at a time. An error undoes the whole turn; the message comes again until its
// budget is spent and is then quarantined with the error.
type Actor interface {
	Receive(turn *Turn, msg messages.Message) error
}

// Func makes an actor of a function without fields.
type Func func(turn *Turn, msg messages.Message) error

// Receive implements [Actor].
func (f Func) Receive(turn *Turn, msg messages.Message) error { return f(turn, msg) }

// On makes an actor that handles messages of one type and ignores all others.
func On[M messages.Message](receive func(turn *Turn, msg M) error) Func {
	return func(turn *Turn, msg messages.Message) error {
		if m, ok := msg.(M); ok {
			return receive(turn, m)
		}
		return nil
	}
}

// Worker does what may be slow or fail: capture, OCR, an LLM, typing. It serves
// one request at a time. After an error, a panic or a missed deadline the value
// is thrown away and a new one is made; the request is tried again within its
// budget. A worker that also implements io.Closer is closed when it is thrown
// away, except while a hung Do still runs.
type Worker interface {
	Do(ctx context.Context, request messages.Message) (messages.Message, error)
}

// Reporter is a worker that can report progress. Each call of report tells the caller how
// far the work is, and replaces earlier reports: a slow caller gets only the latest.
// Reports are of a fleeting type. They reach the caller in order and before the result,
// if at all: none arrives after the attempt failed or the call was cancelled. report
// never blocks. It may be called from any goroutine, and does nothing once DoReporting
// has returned or its context has ended.
type Reporter interface {
	Worker
	DoReporting(ctx context.Context, request messages.Message, report func(messages.Message)) (messages.Message, error)
}

// Do makes a worker serve a request, with reports if it is a [Reporter]. Workers that
// wrap another one use it to pass the reports on.
func Do(
	ctx context.Context, w Worker, request messages.Message, report func(messages.Message),
) (messages.Message, error) {
	if r, ok := w.(Reporter); ok {
		return r.DoReporting(ctx, request, report)
	}
	return w.Do(ctx, request)
}

// WorkerFunc makes a worker of a function without state.
type WorkerFunc func(ctx context.Context, request messages.Message) (messages.Message, error)

// Do implements [Worker].
func (f WorkerFunc) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	return f(ctx, request)
}

// Refusal is an error of a worker that is an answer: the worker is fine, but the request
// cannot be served (the window is gone, the key is missing). It is not retried and
// restarts nothing; the caller gets CallFailed with the code.
type Refusal struct {
	Code string // machine-readable, for example "window_gone"
	Err  error
}

// Refuse makes a [Refusal]. Without an error its text is the code.
func Refuse(code string, err error) error { return &Refusal{Code: code, Err: err} }

// RefuseKnown makes a [Refusal] of a driver's error that has a code of its own; one whose
// code is "error", and so the worker's failure, is returned as it is.
func RefuseKnown(code string, err error) error {
	if code == "error" {
		return err
	}
	return Refuse(code, err)
}

func (r *Refusal) Error() string {
	if r.Err == nil {
		return r.Code
	}
	return r.Err.Error()
}

func (r *Refusal) Unwrap() error { return r.Err }
