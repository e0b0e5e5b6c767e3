package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// WorkerKind is one pool of workers.
type WorkerKind struct {
	Name string
	// Size is how many workers serve the pool, at least 1.
	Size int
	// Queue bounds the waiting fleeting requests; 0 means 64, or Size if that is more.
	// Durable requests always wait.
	Queue int
	// Answers are the types that a worker may answer with; empty means any. An answer of
	// another type counts as an error of the worker.
	Answers []messages.Type
	// New makes a worker: at start and after each failure.
	New func() (actors.Worker, error)
	// Isolated makes a worker whose calls leave nothing behind when they hang, such as
	// one in another process. Once two calls of the pool have hung, all new workers are
	// made by it. Nil: there are none.
	Isolated func() (actors.Worker, error)
}

const defaultQueue = 64

// Job is one attempt of a call.
type Job struct {
	ID      string
	Caller  messages.Address
	Worker  string // worker kind
	Request messages.Message
	Options actors.CallOptions
	Attempt int // from 1

	receipt     string
	incarnation uint64
	asker       *Activation // asker of a fleeting call; it does not sleep before the answer
	trace       string
	ask         *ask              // shared by the attempts of the call
	reports     reports           // guarded by ask.mu
	place       int               // in [Hands]
	dead        *deadLetterChange // of a call that killed the process
	done        atomic.Bool
}

// again is the next attempt of the same call.
func (j *Job) again() *Job {
	return &Job{
		ID: j.ID, Caller: j.Caller, Worker: j.Worker, Request: j.Request, Options: j.Options,
		Attempt: j.Attempt + 1, receipt: j.receipt, incarnation: j.incarnation, asker: j.asker, trace: j.trace,
		ask: j.ask,
	}
}

// pool is the queue of one worker kind.
type pool struct {
	kind WorkerKind

	mu       sync.Mutex
	queue    []*Job
	fleeting int
	busy     int // jobs under way
	resting  int // calls that wait for their next attempt
}

func (p *pool) limit() int {
	if p.kind.Queue > 0 {
		return p.kind.Queue
	}
	return max(defaultQueue, p.kind.Size)
}

func (e *Engine) performCall(t *effect, call actors.Call) {
	job := &Job{
		ID: call.ID, Caller: t.act.addr, Worker: call.Worker, Request: call.Request, Options: call.Options,
		Attempt: 1, trace: t.cause.Trace,
	}
	if e.isDurable(call.Request) {
		job.receipt = ofActor(keyCall, t.act.addr, call.ID)
	} else {
		job.incarnation, job.asker = t.incarnation, t.act
		t.act.asking.Add(1)
	}
	e.submitJob(job)
}

func (e *Engine) submitJob(job *Job) {
	if !e.mine(job.Caller) {
		return
	}
	if !e.asks.begin(job) {
		return // already under way
	}
	if job.Cancelled() {
		e.giveUp(job)
		return
	}
	if e.divertJob(job) {
		return
	}
	p := e.pools[job.Worker]
	if p == nil {
		e.drop(events.StageDeliver, events.RuleNoWorker, messages.To(job.Worker, "pool"), job.ID)
		detail := fmt.Sprintf("this runtime has no workers of kind %q", job.Worker)
		e.answerFailed(job, messages.FailureUnknown, "", detail)
		return
	}
	p.mu.Lock()
	if job.receipt == "" && p.fleeting >= p.limit() {
		p.mu.Unlock()
		detail := fmt.Sprintf("%d requests already wait for %s", p.limit(), job.Worker)
		e.answerFailed(job, messages.FailureOverload, "", detail)
		return
	}
	if job.receipt == "" {
		p.fleeting++
	}
	p.queue = append(p.queue, job)
	p.mu.Unlock()
	e.driver.WakeWorkers(job.Worker)
}

// TakeJob hands the next waiting job of a pool to a driver, nil if there is none. Every
// job taken must be finished with FinishJob.
func (c Control) TakeJob(kind string) *Job {
	p := c.e.pools[kind]
	for {
		job := p.next()
		if job == nil {
			return nil
		}
		if c.e.void(job) {
			p.leave()
			c.e.giveUp(job)
			continue
		}
		deaths, ok := c.e.inHand.admit(job.receipt, func() { c.e.requeue(p, job) })
		switch {
		case !ok:
			p.putAside(job)
		case deaths >= MaxAttempts:
			p.leave()
			c.e.bury(job, deaths)
			c.e.inHand.settle(job.receipt)
		default:
			job.place = c.e.inHand.take(job.receipt)
			return job
		}
	}
}

// putAside returns a job that cannot be done now.
func (p *pool) putAside(*Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	p.resting++
}

// requeue queues a job that was put aside.
func (e *Engine) requeue(p *pool, job *Job) {
	p.mu.Lock()
	p.resting--
	p.queue = append(p.queue, job)
	p.mu.Unlock()
	e.driver.WakeWorkers(job.Worker)
}

// bury answers a call that has killed the process as often as a message may fail. The
// request becomes a dead letter when the answer is handled.
func (e *Engine) bury(job *Job, deaths int) {
	reason := killer(deaths, "worker "+job.Worker+" was asked this")
	rec := deadRecord{
		Actor: job.Caller, Trace: job.trace, Attempts: deaths, Error: reason, At: wall(e.clock.Now()),
		Call: &deadCall{ID: job.ID, Worker: job.Worker, Deadline: job.Options.Deadline,
			Retries: job.Options.Retries, Tag: job.Options.Tag},
	}
	var err error
	if rec.Msg, err = e.codec.Encode(job.Request); err != nil {
		rec.Error += "; " + err.Error()
	}
	job.dead = &deadLetterChange{record: rec, typeName: job.Request.MessageType().Name}
	e.answerFailed(job, messages.FailurePanic, "", reason)
}

// next takes the first job of the queue, nil if there is none.
func (p *pool) next() *Job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		return nil
	}
	job := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	if job.receipt == "" {
		p.fleeting--
	}
	p.busy++
	return job
}

// leave ends a job that was taken but not started.
func (p *pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
}

// void reports whether a call was cancelled, or that a durable one is in the store no
// more, because it was forgotten, or answered while it was asked twice: nobody
// waits for its answer, and no worker may see it. A call that cannot be looked up
// is asked.
func (e *Engine) void(job *Job) bool {
	if job.receipt == "" || job.Cancelled() {
		return job.Cancelled()
	}
	_, ok, err := e.store.Get([]byte(job.receipt))
	return err == nil && !ok
}

// Perform runs a job on a worker, passes on what it reports, and returns its
// result. A panic becomes an error. The caller has to notice a call that outlives
// the context, which ends early when the call is cancelled.
func (c Control) Perform(
	ctx context.Context, w actors.Worker, job *Job,
) (result messages.Message, kind messages.FailureKind, err error) {
	return perform(ctx, w, job, func(m messages.Message) error { return c.Report(job, m) })
}

// perform is Perform, with another way for the reports.
func perform(
	ctx context.Context, w actors.Worker, job *Job, report func(messages.Message) error,
) (result messages.Message, kind messages.FailureKind, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, kind = nil, messages.FailurePanic
			err = fmt.Errorf("%w\n%s", &crash{value: r}, debug.Stack())
		}
	}()
	ctx, end := context.WithCancel(ctx)
	defer end()
	if !job.ask.started(end) {
		return nil, messages.FailureError, context.Canceled
	}
	var wrong atomic.Pointer[error]
	result, err = actors.Do(ctx, w, job.Request, func(m messages.Message) {
		if err := report(m); err != nil {
			wrong.CompareAndSwap(nil, &err)
		}
	})
	if bad := wrong.Load(); bad != nil && err == nil {
		err = *bad
	}
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		return nil, messages.FailureTimeout, Foreign(err)
	case err != nil:
		return nil, messages.FailureError, Foreign(err)
	case result == nil:
		err = fmt.Errorf("worker %s answered %s with nothing", job.Worker, job.Request.MessageType())
		return nil, messages.FailureError, err
	}
	return result, "", nil
}

// FinishJob handles the result of an attempt. Only the first call for an attempt counts,
// so a late answer of an abandoned worker changes nothing. It reports whether the worker
// must be restarted.
func (c Control) FinishJob(
	job *Job, worker messages.Address,
	result messages.Message, kind messages.FailureKind, err error, took time.Duration,
) (restart bool) {
	if !job.done.CompareAndSwap(false, true) {
		return false
	}
	p := c.e.pools[job.Worker]
	if p != nil { // else it was diverted
		c.e.inHand.drop(job.place)
		c.e.inHand.settle(job.receipt)
		p.mu.Lock()
		p.busy--
		p.mu.Unlock()
	}
	if err == nil {
		if terr := c.e.checkAnswer(job, result); terr != nil {
			kind, err = messages.FailureError, terr
		}
	}
	cancelled := job.close(err == nil)
	detail, code := "", ""
	var refusal *actors.Refusal
	if err != nil {
		detail = firstLine(err.Error())
		if errors.As(err, &refusal) {
			code = refusal.Code
		}
	}
	failure := kind
	if cancelled {
		failure, code, detail = messages.FailureCancelled, "", "its caller has given it up"
	}
	c.e.report(events.CallFinished{
		Worker: worker, Call: job.ID, Caller: job.Caller, Attempt: job.Attempt,
		Failure: failure, Code: code, Detail: detail, Took: took, At: c.e.clock.Now(),
	})
	switch {
	case cancelled:
		c.e.giveUp(job)
		return kind == messages.FailurePanic // other results may be consequences of that
	case err == nil:
		c.e.answer(job, result)
		return false
	case refusal != nil:
		c.e.answerFailed(job, kind, code, detail)
		return false
	case job.Attempt <= job.Options.Retries:
		c.e.retry(p, job)
	default:
		c.e.answerFailed(job, kind, "", detail)
	}
	return true
}

func (e *Engine) retry(p *pool, job *Job) {
	rest := func(n int) {
		if p == nil {
			return
		}
		p.mu.Lock()
		p.resting += n
		p.mu.Unlock()
	}
	rest(1)
	next := job.again()
	key := fmt.Sprintf("r%s\x00%s\x00%d", job.Caller, job.ID, job.incarnation)
	due := e.clock.Now().Add(backoff(job.Attempt, e.jitter()))
	e.timers.arm(key, due, false, func() {
		rest(-1)
		e.submitJob(next)
	})
}

// checkAnswer refuses an answer of a type that the worker must not give, and a
// fleeting answer to a durable request.
func (e *Engine) checkAnswer(job *Job, result messages.Message) error {
	entry, err := e.codec.Lookup(result)
	if err != nil {
		return err
	}
	if p := e.pools[job.Worker]; p != nil && len(p.kind.Answers) > 0 && !slices.Contains(p.kind.Answers, entry.Type) {
		return fmt.Errorf("engine: worker %s answers %s with %s, which it must not",
			job.Worker, job.Request.MessageType(), entry.Type)
	}
	if job.receipt != "" && !entry.Durable {
		return fmt.Errorf("engine: worker %s answers a durable request with the fleeting type %s",
			job.Worker, entry.Type)
	}
	return nil
}

func (e *Engine) answer(job *Job, result messages.Message) {
	env := e.envelope(job, result)
	env.ID, env.receipt, env.stored, env.dead = job.ID+".r", job.receipt, job.receipt != "", job.dead
	if job.receipt != "" {
		e.asks.end(job)
	} else {
		env.job = job // it can be cancelled until it is handled
	}
	e.deliver(&env)
	if job.asker != nil {
		job.asker.asking.Add(-1)
	}
}

// envelope carries what a worker says to the caller of a job.
func (e *Engine) envelope(job *Job, m messages.Message) Envelope {
	return Envelope{
		From: messages.To(job.Worker, "pool"), To: job.Caller, Trace: job.trace, At: e.clock.Now(), Message: m,
		call: job.ID, tag: job.Options.Tag, incarnation: job.incarnation,
	}
}

func (e *Engine) answerFailed(job *Job, kind messages.FailureKind, code, detail string) {
	e.answer(job, messages.CallFailed{
		Call: job.ID, Tag: job.Options.Tag, Worker: job.Worker, Request: job.Request.MessageType().Name,
		Kind: kind, Code: code, Detail: detail, Attempts: job.Attempt,
	})
}

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' || i > 300 {
			return s[:i]
		}
	}
	return s
}
