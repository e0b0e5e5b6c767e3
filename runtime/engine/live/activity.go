package live

import (
	"sync"
	"sync/atomic"
	"time"
)

// activity shows work that no counter of the engine shows: between taking a message and
// staging its turn, or between a commit and its deliveries.
type activity struct {
	begun, ended atomic.Uint64
	watched      atomic.Bool
	poke         chan struct{} // receives after an end, while watched
}

func newActivity() *activity { return &activity{poke: make(chan struct{}, 1)} }

func (a *activity) begin() { a.begun.Add(1) }

func (a *activity) end() {
	a.ended.Add(1)
	if a.watched.Load() {
		select {
		case a.poke <- struct{}{}:
		default:
		}
	}
}

// quiet reports whether look returned true while nothing was under way. If not, the work
// will end, with a poke.
func (a *activity) quiet(look func() bool) bool {
	begun := a.begun.Load()
	return a.ended.Load() == begun && look() && a.begun.Load() == begun
}

// group counts goroutines that run foreign code and may never return.
type group struct {
	mu   sync.Mutex
	n    int
	zero chan struct{} // closed when n falls to 0; nil if nobody waits
}

func (g *group) run(fn func()) {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
	go func() {
		defer func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.n--; g.n == 0 && g.zero != nil {
				close(g.zero)
				g.zero = nil
			}
		}()
		fn()
	}()
}

// wait waits until all have returned, at most d.
func (g *group) wait(d time.Duration) {
	g.mu.Lock()
	if g.n == 0 {
		g.mu.Unlock()
		return
	}
	if g.zero == nil {
		g.zero = make(chan struct{})
	}
	zero := g.zero
	g.mu.Unlock()
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-zero:
	case <-limit.C:
	}
}
