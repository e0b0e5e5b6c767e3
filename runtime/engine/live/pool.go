package live

import (
	"sync"

	"github.com/kehai-run/kehai/runtime/engine"
)

// maxHanging is how many calls of a pool may hang. After that the pool's workers are
// isolated ones. If it has none, the next slot whose call hangs makes no new worker until
// a call returns.
const maxHanging = 2

// place is where the calls of a worker run.
type place int

const (
	shared   place = iota // in this process: a call that hangs keeps its goroutine for good
	isolated              // see engine.WorkerKind.Isolated
	places
)

// pool is the slots of one worker kind. It counts the calls that hang, so that slots know
// whether to make another worker, shared or isolated.
type pool struct {
	kind  engine.WorkerKind
	slots []*child

	mu      sync.Mutex
	hung    int         // shared calls given up, ever
	running int         // shared calls of jobs under way
	hanging [places]int // calls given up that have not returned
	moved   sync.Once   // reports once that the workers are isolated from now on
}

func (p *pool) wake() {
	for _, c := range p.slots {
		c.post(wake{})
	}
}

// stuck counts the calls in a place that were given up and have not returned.
func (p *pool) stuck(at place) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hanging[at]
}

// enter counts a call. It refuses a shared call that belongs in an isolated worker: when
// maxHanging calls have hung, or might end up hanging.
func (p *pool) enter(at place) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at == isolated {
		return true
	}
	if p.kind.Isolated != nil && p.hung > 0 && p.hung+p.running >= maxHanging {
		return false
	}
	p.running++
	return true
}

// leave uncounts a call that never began.
func (p *pool) leave(at place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at == shared {
		p.running--
	}
}

// mustIsolate reports whether new workers are isolated from now on.
func (p *pool) mustIsolate() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kind.Isolated != nil && p.hung >= maxHanging
}

// giveUp abandons a call unless it has returned already.
func (p *pool) giveUp(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.returned {
		return false
	}
	c.givenUp = true
	p.hanging[c.at]++
	p.uncount(c)
	if c.at == shared {
		p.hung++
	}
	return true
}

// returned records that a call has returned, and reports whether it was given up before.
func (p *pool) returned(c *call) (late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.returned = true
	if !c.givenUp {
		p.uncount(c)
	}
	return c.givenUp
}

// uncount undoes enter. The caller holds the lock.
func (p *pool) uncount(c *call) {
	if c.job != nil && c.at == shared {
		p.running--
	}
}
