package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/kehai-run/kehai/messages"
)

// ask is what the attempts of one call share.
type ask struct {
	mu        sync.Mutex
	cancelled bool
	end       context.CancelFunc // ends the attempt under way; nil: there was none
}

// started notes how to end the attempt that begins. It reports false if the call
// was cancelled.
func (a *ask) started(end context.CancelFunc) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end = end
	return !a.cancelled
}

// asks are the calls that may still be cancelled, by the address of the caller and
// the id: durable ones without an answer, and fleeting ones whose answer was not
// handled yet.
type asks struct {
	mu   sync.Mutex
	open map[string]*ask
}

func (j *Job) key() string { return ofActor(keyCall, j.Caller, j.ID) }

// begin counts the first attempt of a call. It returns false for a durable call that is
// open already.
func (x *asks) begin(job *Job) bool {
	if job.ask != nil {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	key := job.key()
	if _, ok := x.open[key]; ok {
		return false
	}
	job.ask = &ask{}
	x.open[key] = job.ask
	return true
}

func (x *asks) end(job *Job) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if key := job.key(); x.open[key] == job.ask {
		delete(x.open, key)
	}
}

// cancel gives up a call: no further attempt begins, the one under way ends, and its
// results are ignored.
func (x *asks) cancel(key string) {
	x.mu.Lock()
	a := x.open[key]
	x.mu.Unlock()
	if a == nil {
		return
	}
	a.mu.Lock()
	a.cancelled = true
	end := a.end
	a.mu.Unlock()
	if end != nil {
		end()
	}
}

// Cancelled reports whether nobody waits for the answer any more.
func (j *Job) Cancelled() bool {
	j.ask.mu.Lock()
	defer j.ask.mu.Unlock()
	return j.ask.cancelled
}

// giveUp ends a call that was cancelled or is no longer in the store.
func (e *Engine) giveUp(job *Job) {
	e.asks.end(job)
	if job.asker != nil {
		job.asker.asking.Add(-1)
	}
}

// cancelCall performs a cancellation that a turn asked for. The mark told the actor's
// turns since then.
func (e *Engine) cancelCall(act *Activation, id string) {
	e.asks.cancel(ofActor(keyCall, act.addr, id))
	act.mu.Lock()
	delete(act.givenUp, id)
	act.mu.Unlock()
}

// reports is what an attempt has reported. At most one report waits in the caller's
// mailbox; it shows the latest when it is handled.
type reports struct {
	latest messages.Message
	queued bool // a delivery waits that will take the latest
	closed bool // the attempt is over: nothing more is taken
}

// close ends the reports of an attempt. A waiting report stays, unless the call was
// cancelled, and comes before the answer. It reports whether the call was cancelled.
func (j *Job) close(good bool) (cancelled bool) {
	j.ask.mu.Lock()
	defer j.ask.mu.Unlock()
	j.reports.closed = true
	if !good {
		j.reports.latest = nil
	}
	return j.ask.cancelled
}

// Report passes on what a worker reports of a job before its result, unless the job is
// over. It may be called concurrently. An error says that the worker must not report
// this, because its type is not fleeting.
func (c Control) Report(job *Job, m messages.Message) error {
	if err := c.e.checkReport(job, m); err != nil {
		return err
	}
	r := &job.reports
	job.ask.mu.Lock() // also while it is delivered: the answer must not overtake it
	defer job.ask.mu.Unlock()
	if r.closed || job.ask.cancelled {
		return nil
	}
	r.latest = m
	if r.queued {
		return nil
	}
	r.queued = true
	env := c.e.envelope(job, m)
	env.ID, env.job, env.report = c.e.fleetingID(), job, true
	c.e.deliver(&env)
	return nil
}

func (e *Engine) checkReport(job *Job, m messages.Message) error {
	if m == nil {
		return fmt.Errorf("engine: worker %s reports nothing", job.Worker)
	}
	entry, err := e.codec.Lookup(m)
	if err == nil && entry.Durable {
		err = fmt.Errorf("engine: worker %s reports with the durable type %s", job.Worker, entry.Type)
	}
	return err
}

// takeReport is the latest report of a job, if it still counts.
func (j *Job) takeReport() (m messages.Message, ok bool) {
	j.ask.mu.Lock()
	defer j.ask.mu.Unlock()
	m = j.reports.latest
	j.reports.latest, j.reports.queued = nil, false
	return m, m != nil && !j.ask.cancelled
}

// unwanted reports whether a worker's message is void, because its call was given up, or
// because it is a report of a call that is over. For a report it takes the latest.
func (e *Engine) unwanted(act *Activation, env *Envelope) (bool, error) {
	job := env.job
	if job == nil {
		return false, nil
	}
	act.mu.Lock()
	givenUp := act.givenUp[env.call]
	act.mu.Unlock()
	if !env.report {
		e.asks.end(job)
		return givenUp || job.Cancelled(), nil
	}
	if job.receipt != "" {
		if _, ok, err := e.read(act, job.receipt); err != nil || !ok {
			return !ok && err == nil, err
		}
	}
	m, ok := job.takeReport()
	env.Message = m
	return givenUp || !ok, nil
}
