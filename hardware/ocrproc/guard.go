package ocrproc

import (
	"context"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

const (
	// maxHung is how many calls may hang in this process. From then on all
	// calls go to other processes.
	maxHung = 2
	// grace is what a call gets after its deadline to return by itself.
	grace = 150 * time.Millisecond
)

// Guard opens recognizers that read in this process, which is faster, until
// calls hang: a call that does not return soon after its context ended is
// abandoned, and after two of them every further call goes to another process.
// While one hangs, a second call is let in only if no more than two could hang.
// All methods may be called concurrently.
type Guard struct {
	here, there func() (hardware.Recognizer, error)
	moved       func()

	mu      sync.Mutex
	hung    int // calls abandoned here, ever
	running int // calls under way here
}

// NewGuard makes a guard. here opens a recognizer of this process, there one of
// another. moved, which may be nil, is called once, when calls go to other
// processes for good.
func NewGuard(here, there func() (hardware.Recognizer, error), moved func()) *Guard {
	return &Guard{here: here, there: there, moved: moved}
}

// Open opens a recognizer. Where the one of this process reads straight from
// frames it is a hardware.CropRecognizer.
func (g *Guard) Open() (hardware.Recognizer, error) {
	g.mu.Lock()
	gone := g.hung >= maxHung
	g.mu.Unlock()
	if gone {
		return g.there()
	}
	engine, err := g.here()
	if err != nil {
		return nil, err
	}
	if _, ok := engine.(hardware.CropRecognizer); ok {
		return &guardedCrop{guarded{guard: g, here: engine}}, nil
	}
	return &guarded{guard: g, here: engine}, nil
}

// enter reports whether a call may run here.
func (g *Guard) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.hung > 0 && g.hung+g.running >= maxHung {
		return false
	}
	g.running++
	return true
}

// leave notes the end of a call here, or that it is abandoned.
func (g *Guard) leave(hangs bool) {
	g.mu.Lock()
	g.running--
	over := false
	if hangs {
		g.hung++
		over = g.hung == maxHung
	}
	g.mu.Unlock()
	if over && g.moved != nil {
		g.moved()
	}
}

// guarded is one recognizer of a guard.
type guarded struct {
	guard  *Guard
	here   hardware.Recognizer // nil once abandoned or closed
	there  hardware.Recognizer // nil until it is needed
	closed bool
}

type result struct {
	lines []messages.Line
	err   error
}

// Recognize implements [hardware.Recognizer].
func (r *guarded) Recognize(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	return r.read(ctx,
		func(engine hardware.Recognizer) ([]messages.Line, error) { return engine.Recognize(ctx, img, hint) },
		func() ([]messages.Line, error) { return r.elsewhere(ctx, img, hint) })
}

// read calls the engine of this process, or another one if that is not to be
// called.
func (r *guarded) read(ctx context.Context, here func(hardware.Recognizer) ([]messages.Line, error), there func() ([]messages.Line, error)) ([]messages.Line, error) {
	switch {
	case r.closed:
		return nil, fmt.Errorf("%w: ocrproc: the recognizer is closed; open another", hardware.ErrUnavailable)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r.here == nil || !r.guard.enter():
		return there()
	}
	engine := r.here
	done := make(chan result, 1)
	panicked := make(chan any, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				panicked <- p
			}
		}()
		lines, err := here(engine)
		done <- result{lines, err}
	}()
	ended := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case got := <-done:
			r.guard.leave(false)
			return got.lines, got.err
		case p := <-panicked:
			r.guard.leave(false)
			panic(p) // as if it had been called here
		case <-ended:
			ended = nil
			timer := time.NewTimer(grace)
			defer timer.Stop()
			late = timer.C
		case <-late:
			r.here = nil
			r.guard.leave(true)
			go func() { // whoever abandons a call cleans up after it
				select {
				case <-done:
				case <-panicked:
				}
				_ = engine.Close() // nobody is left to tell
			}()
			return nil, fmt.Errorf("ocrproc: the engine hangs past its deadline: %w", ctx.Err())
		}
	}
}

func (r *guarded) elsewhere(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	if r.there == nil {
		engine, err := r.guard.there()
		if err != nil {
			return nil, err
		}
		r.there = engine
	}
	return r.there.Recognize(ctx, img, hint)
}

// Close closes what is open. It may be called twice.
func (r *guarded) Close() error {
	r.closed = true
	var first error
	for _, engine := range []*hardware.Recognizer{&r.here, &r.there} {
		if *engine != nil {
			if err := (*engine).Close(); err != nil && first == nil {
				first = err
			}
			*engine = nil
		}
	}
	return first
}
