package actors

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Cause is why a turn happens.
type Cause struct {
	Self    messages.Address
	From    messages.Address // "" for the engine, a timer or a host
	ID      string           // of the message; the same when it is tried again
	Trace   string           // of the message that began the chain
	Attempt int              // 1 for the first
	Call    string           // id of the call that this answers, or ""
	Tag     string           // of that call
	Now     time.Time
}

// Reader reads the actor's own rows as they stand before the turn. Keys are
// "table\x00key".
type Reader interface {
	Get(key string) (value []byte, ok bool, err error)
	// Rows returns the rows whose keys have a prefix, in a map that the caller may
	// change.
	Rows(prefix string) (map[string][]byte, error)
}

// PartialReader is a Reader that can go on without the rows whose keys are out of reach.
type PartialReader interface {
	Reader
	// RowsInReach is Rows without these, and says of each why it cannot be read for now.
	RowsInReach(prefix string) (rows map[string][]byte, away map[string]error, err error)
}

// Turn collects what one message causes. It is valid during Receive only, for the
// goroutine that runs it. Errors (a damaged row, a bad address) stick: they fail the turn
// when Receive returns, so reads and sends need no checks. Used later, it panics with
// [ErrTurnOver], because its writes and sends would be lost.
type Turn struct {
	*draft // nil when it is over
}

// draft is what a turn knows and has collected.
type draft struct {
	cause  Cause
	reader Reader
	writes map[string]int // key → place of its last write in out.Writes; nil while there are few
	out    Outcome
	ids    int
	err    error

	reached map[string]*reached // tables that were read as far as they are in reach; nil: none

	// Space for the first of each: most turns need no more.
	send [1]Send
	row  [1]Write
}

// ErrTurnOver is what a turn panics with when it is used after its end.
var ErrTurnOver = errors.New("actors: a Turn was used after its Receive had returned: keep no Turn in a field, " +
	"and give none to a goroutine; what takes long is a Call, what comes later an After")

// NewTurn is for the engine and for tests of tables.
func NewTurn(cause Cause, reader Reader) *Turn { return new(Space).NewTurn(cause, reader) }

// Space is the memory of one turn at a time. It is for the engine.
type Space struct{ draft draft }

// NewTurn begins another turn. The one before must be over, and nobody may need its
// [Outcome] any more.
func (s *Space) NewTurn(cause Cause, reader Reader) *Turn {
	s.draft = draft{cause: cause, reader: reader}
	return &Turn{&s.draft}
}

// Clear lets go of what the turn before wanted, which nobody may need any more.
func (s *Space) Clear() { s.draft = draft{} }

// Now is the engine's time at the start of the turn.
func (t *Turn) Now() time.Time { return t.Cause().Now }

// Self is the actor's address.
func (t *Turn) Self() messages.Address { return t.Cause().Self }

// Cause tells where the message came from.
func (t *Turn) Cause() Cause {
	t.check()
	return t.cause
}

// Send sends a message when the turn has committed. Messages of one actor to
// another arrive in the order in which they were sent, be they durable or
// fleeting. A fleeting one may be lost: in a crash, or when the receiver's mailbox
// is full. A message that failed is tried again before those behind it. Timers and
// answers of workers keep no order with messages.
func (t *Turn) Send(to messages.Address, msg messages.Message) {
	t.check()
	if err := to.Validate(); err != nil {
		t.Fail(fmt.Errorf("actors: send %T: %w", msg, err))
		return
	}
	if msg == nil {
		t.Fail(fmt.Errorf("actors: send to an actor of kind %s: nil message", to.Kind()))
		return
	}
	if t.out.Sends == nil {
		t.out.Sends = t.send[:0]
	}
	t.out.Sends = append(t.out.Sends, Send{To: to, Message: msg})
}

// After sends msg to the actor itself once d has passed since Now. A timer with
// the same key is replaced. A fleeting timer dies with the actor's activation; a
// durable one survives, and fires late rather than never.
func (t *Turn) After(key string, d time.Duration, msg messages.Message) {
	t.check()
	if key == "" || strings.ContainsRune(key, 0) || msg == nil {
		t.Fail(fmt.Errorf("actors: timer %q with %T: want a key without NUL and a message", key, msg))
		return
	}
	t.out.Timers = append(t.out.Timers, Timer{Key: key, After: max(d, 0), Gen: t.sub(), Message: msg})
}

// Cancel forgets the timer with the key. Once the turn has committed its
// message does not arrive any more, even if it was already under way.
func (t *Turn) Cancel(key string) {
	t.check()
	t.out.Timers = append(t.out.Timers, Timer{Key: key, Cancel: true})
}

// Call asks a worker of a kind and returns the call's id. The answer comes as a
// message: the worker's result, or messages.CallFailed. A durable request is
// asked again after a crash, so workers see it at least once; its answer is
// accepted once. Before it, what a [Reporter] reports may come: a fleeting message
// with the call's id in its [Cause].
func (t *Turn) Call(worker string, request messages.Message, opts CallOptions) string {
	t.check()
	if a := messages.To(worker, "-"); a.Validate() != nil || a.Kind() != worker || request == nil {
		t.Fail(fmt.Errorf("actors: call %q with %T: want a worker kind and a request", worker, request))
		return ""
	}
	if opts.Deadline <= 0 {
		t.Fail(fmt.Errorf("actors: call %q with a deadline of %s: want one above 0, such as actors.DefaultDeadline",
			worker, opts.Deadline))
		return ""
	}
	id := t.sub()
	t.out.Calls = append(t.out.Calls, Call{ID: id, Worker: worker, Request: request, Options: opts})
	return id
}

// CancelCall gives up a call that this actor has made. The worker's context ends, and
// once the turn has committed, neither an answer nor a report arrives any more, even if
// it was already under way. It has no effect on a call that was answered or is unknown.
func (t *Turn) CancelCall(id string) {
	t.check()
	if id == "" || strings.ContainsRune(id, 0) {
		t.Fail(fmt.Errorf("actors: cancel call %q: want an id that Call has returned", id))
		return
	}
	t.out.Calls = append(t.out.Calls, Call{ID: id, Cancel: true})
}

// Drop records that something is not passed on, by which rule and on what evidence, so
// that a person can ask later what became of a message. Nothing in it may contain private
// words.
func (t *Turn) Drop(stage events.Stage, rule events.Rule, d events.Detail) {
	t.check()
	d.Rule = rule
	t.out.Verdicts = append(t.out.Verdicts, events.Verdict{Stage: stage, Outcome: events.OutcomeDropped, Detail: d})
}

// Pass records that something is passed on, as Drop does. Like a drop it is stored with
// the turn's other changes; alone it does not make a turn commit.
func (t *Turn) Pass(stage events.Stage, rule events.Rule, d events.Detail) {
	t.check()
	d.Rule = rule
	t.out.Verdicts = append(t.out.Verdicts, events.Verdict{Stage: stage, Outcome: events.OutcomePassed, Detail: d})
}

// Publish hands an event to the runtime's listeners when the turn has
// committed. A durable type is also kept in the event log, in commit order, and
// reaches acknowledged subscriptions.
func (t *Turn) Publish(event messages.Message) {
	t.check()
	t.out.Events = append(t.out.Events, event)
}

// NewID makes an identifier that is unique in the store, and the same when this message
// is tried again.
func (t *Turn) NewID() string {
	t.check()
	return digest(string(t.cause.Self) + "\x00" + t.sub())
}

// Fail makes the turn fail with err; the first error wins.
func (t *Turn) Fail(err error) {
	t.check()
	if t.err == nil {
		t.err = err
	}
}

// Finish ends the turn, and returns what it wants or the error that sticks to it.
// It is for the engine.
func (t *Turn) Finish() (*Outcome, error) {
	d := t.draft
	t.draft = nil
	switch {
	case d == nil:
		return nil, ErrTurnOver
	case d.err != nil:
		return nil, d.err
	}
	return &d.out, nil
}

// check panics if the turn is over: that is a host's bug, and its effects would be lost.
func (t *Turn) check() {
	if t.draft == nil {
		panic(ErrTurnOver)
	}
}

// maxID bounds the ids derived from causes. Without it, those of a timer that sets itself
// again would grow without end.
const maxID = 48

func (t *Turn) sub() string {
	t.ids++
	id := t.cause.ID
	if len(id) > maxID {
		id = "h" + digest(id)
	}
	return fmt.Sprintf("%s.%d", id, t.ids)
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}
