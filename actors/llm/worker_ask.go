package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"
)

// maxJitter is the longest random addition to the pause before a retry.
const maxJitter = 500 * time.Millisecond

// Generate asks the model. Its error is an [Error], or wraps that of ctx. A panic of the
// model is passed on without its words.
func (c *Client) Generate(ctx context.Context, q Question) (Reply, error) {
	return c.Stream(ctx, q, nil)
}

// Stream is Generate, and tells progress how far the answer is: in one call at a
// time, at most every 150 ms, and with the whole text before it returns. Thoughts
// are not in it. With a nil progress the answer is not streamed.
//
// A question that allows it is asked once more after a failure that may pass, and
// not streamed then: before the first token nobody notices; after it the answer
// starts over with the next epoch.
func (c *Client) Stream(ctx context.Context, q Question, progress func(Chunk)) (Reply, error) {
	q = c.bounded(q)
	if c.o.Simulate {
		failure := &Error{Code: Simulated, Text: "KEHAI_SIMULATE_LLM_ERROR makes every question fail"}
		c.count(q, string(Simulated), Reply{})
		return Reply{}, failure
	}
	out := newPublisher(progress)
	defer out.close()
	reply, err := c.attempt(ctx, q, out)
	var failure *Error
	if err != nil && q.Retry && errors.As(err, &failure) && failure.Retryable() && ctx.Err() == nil {
		reply, err = c.again(ctx, q, out, failure)
	}
	if err != nil {
		return Reply{}, err
	}
	out.finish(reply.Text)
	return reply, nil
}

// again is the second attempt. If the breaker has opened meanwhile, the first failure is
// more informative.
func (c *Client) again(ctx context.Context, q Question, out *publisher, first *Error) (Reply, error) {
	pause := first.RetryAfter + time.Duration(float64(maxJitter)*(0.2+0.8*c.o.Jitter()))
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return Reply{}, first
	}
	c.retried(q)
	reply, err := c.attempt(ctx, q, nil)
	if errors.Is(err, ErrBreakerOpen) || errors.Is(err, ErrRateLimited) {
		return Reply{}, first
	}
	if out != nil {
		out.anew()
	}
	reply.Retried = true
	return reply, err
}

// attempt asks once, streamed if progress is wanted.
func (c *Client) attempt(ctx context.Context, q Question, out *publisher) (Reply, error) {
	ticket, refused := c.begin(q)
	if refused != nil {
		c.count(q, string(refused.Code), Reply{})
		return Reply{}, refused
	}
	ended := false
	defer func() {
		if !ended { // a panic
			r := recover()
			c.end(q, ticket, &Error{Code: Unavailable, Text: "the model panicked"})
			c.count(q, "panic", Reply{})
			panic(harmless(r))
		}
	}()
	within, cancel, alive := c.limit(ctx, q, out != nil)
	defer cancel()
	reply, failure := c.ask(within, q, out, alive)
	ended = true
	if failure != nil && ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		c.abandon(ticket)
		c.count(q, "cancelled", Reply{})
		return Reply{}, fmt.Errorf("llm: %w", ctx.Err())
	}
	c.end(q, ticket, failure)
	if failure == nil {
		c.count(q, "ok", reply)
		return reply, nil
	}
	c.count(q, string(failure.Code), reply)
	if failure.Code == Timeout && ctx.Err() != nil {
		return Reply{}, fmt.Errorf("llm: %s: %w", failure.Text, ctx.Err())
	}
	return Reply{}, failure
}

// limit ends an attempt in time. A streamed one may take long as a whole but may not be
// silent: alive reports a sign of life.
func (c *Client) limit(ctx context.Context, q Question, streamed bool) (
	within context.Context, cancel context.CancelFunc, alive func(),
) {
	silence := c.o.For(q.Purpose)
	if !streamed {
		within, cancel = context.WithTimeout(ctx, silence)
		return within, cancel, func() {}
	}
	whole, done := context.WithTimeout(ctx, maxAnswerTime)
	within, stop := context.WithCancelCause(whole)
	timer := time.AfterFunc(silence, func() { stop(context.DeadlineExceeded) })
	cancel = func() {
		timer.Stop()
		stop(nil)
		done()
	}
	return within, cancel, func() {
		if within.Err() == nil {
			timer.Reset(silence)
		}
	}
}

// harmless is the value of a panic without private words. Those of the Go runtime have
// none.
func harmless(r any) any {
	if e, ok := r.(runtime.Error); ok {
		return e
	}
	return fmt.Sprintf("llm: the model panicked with a %T", r)
}

// ask waits for a slot and asks. A question that exceeds its time keeps its slot, so that
// a model that hangs is not asked more and more.
func (c *Client) ask(ctx context.Context, q Question, out *publisher, alive func()) (Reply, *Error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return Reply{}, &Error{Code: Timeout, Text: "the questions before this one have not come back in time",
			queued: c.overdue.Load() == 0}
	}
	defer func() { <-c.slots }()
	inTime := context.AfterFunc(ctx, func() { c.overdue.Add(1) })
	defer func() {
		if !inTime() {
			c.overdue.Add(-1)
		}
	}()
	reply, err := c.listen(ctx, q, out, alive)
	if failure := failureOf(err); failure != nil {
		return reply, failure
	}
	reply.Text = answerOf(reply.Text)
	switch {
	case reply.Cut && (q.JSON || strings.TrimSpace(reply.Text) == ""):
		return reply, &Error{Code: Malformed, cut: true, Text: fmt.Sprintf(
			"the answer was cut after %d tokens: raise llm.max_tokens, above all for a model that thinks first",
			q.MaxTokens)}
	case strings.TrimSpace(reply.Text) == "":
		return reply, &Error{Code: Malformed, Text: "the answer is empty"}
	case len(reply.Text) > maxResponse:
		return reply, &Error{Code: Malformed, Text: "the answer is too long"}
	}
	return reply, nil
}

// listen asks the model, streamed if it can be.
func (c *Client) listen(ctx context.Context, q Question, out *publisher, alive func()) (Reply, error) {
	s, ok := c.model.(Streamer)
	if out == nil || !ok {
		return c.model.Generate(ctx, q)
	}
	var filter thoughts
	reply, err := s.Stream(ctx, q, func(piece string) {
		alive()
		if piece == "" {
			return
		}
		text, anew := filter.add(piece)
		if anew {
			out.anew()
		}
		out.add(text)
	})
	return reply, err
}

func (c *Client) bounded(q Question) Question {
	if q.Model = c.o.Models.For(q.Purpose); q.Model == "" {
		q.Model = c.o.Model
	}
	if q.MaxTokens <= 0 || q.MaxTokens > c.o.MaxTokens {
		q.MaxTokens = c.o.MaxTokens
	}
	if !(q.Temperature > 0) { // NaN too
		q.Temperature = c.o.Temperature
	}
	q.Temperature = math.Min(q.Temperature, 2)
	return q
}

// begin asks the breaker.
func (c *Client) begin(q Question) (Ticket, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next, ticket, wait, ok := c.breaker.Ask(c.o.Breaker, c.o.Now())
	c.breaker = next
	switch {
	case ok:
		return ticket, nil
	case next.Limited:
		return 0, &Error{Code: RateLimited, Text: "not asked, because the server wants a pause", RetryAfter: wait}
	}
	return 0, &Error{Code: BreakerOpen, Text: "not asked, because the questions before failed (" +
		string(c.last[q.Model]) + ")", RetryAfter: wait}
}

// end tells the breaker, and reports when a model begins to fail, fails in another way or
// answers again.
func (c *Client) end(q Question, ticket Ticket, failure *Error) {
	o, pause := outcome(failure), time.Duration(0)
	if o == Failed {
		pause = failure.RetryAfter
	}
	code := Code("")
	if failure != nil && !failure.Content {
		code = failure.Code
	} else {
		failure = nil
	}
	c.mu.Lock()
	changed := o != Abandoned && c.last[q.Model] != code
	if changed {
		c.last[q.Model] = code
	}
	if o != Abandoned && failure != nil {
		c.why[q.Model] = failure.Text
	}
	c.breaker = c.breaker.Done(c.o.Breaker, c.o.Now(), ticket, o, pause)
	c.mu.Unlock()
	if changed && c.o.Changed != nil {
		c.o.Changed(failure)
	}
}

func (c *Client) abandon(ticket Ticket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.breaker = c.breaker.Done(c.o.Breaker, c.o.Now(), ticket, Abandoned, 0)
}
