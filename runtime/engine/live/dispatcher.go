package live

import (
	"runtime"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// stuckAfter is how long runs wait until one more worker is added, because all others seem to block.
const stuckAfter = 2 * time.Millisecond

// dispatcher runs mailboxes on a few goroutines with one queue. protoactor's own
// dispatcher starts a goroutine per wake-up, which costs several times as much.
type dispatcher struct {
	size       int // workers, as long as none blocks
	throughput int
	// crowded reports whether workers should let others run between two runs: on few processors
	// the committer would wait for one until Go preempts a worker, after 10 ms. Nil: never.
	crowded func() bool

	mu       sync.Mutex
	arrived  *sync.Cond
	queue    []func()
	head     int
	workers  int
	idle     int // workers that wait and were not signalled
	taken    uint64
	seen     uint64 // taken, plus one for a worker just added, when the watchdog last looked
	watching bool
	watch    *time.Timer
	started  bool
	closed   bool
	gone     chan struct{} // closed when the last worker of a closed dispatcher leaves
}

var _ actor.Dispatcher = (*dispatcher)(nil)

func newDispatcher(size, throughput int) *dispatcher {
	d := &dispatcher{size: size, throughput: throughput, gone: make(chan struct{})}
	d.arrived = sync.NewCond(&d.mu)
	return d
}

// Throughput implements [actor.Dispatcher]: the turns of one run.
func (d *dispatcher) Throughput() int { return d.throughput }

// Schedule implements [actor.Dispatcher]. Runs before start wait for it; runs after close
// are dropped.
func (d *dispatcher) Schedule(run func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	if d.head > 32 && d.head*2 > len(d.queue) {
		n := copy(d.queue, d.queue[d.head:])
		clear(d.queue[n:])
		d.queue, d.head = d.queue[:n], 0
	}
	d.queue = append(d.queue, run)
	if d.started {
		d.wakeWorker()
	}
}

// wakeWorker finds a worker for one run: an idle one, a new one, or a busy one soon.
func (d *dispatcher) wakeWorker() {
	switch {
	case d.idle > 0:
		d.idle--
		d.arrived.Signal()
	case d.workers < d.size:
		d.addWorker()
	case !d.watching:
		d.watching, d.seen = true, d.taken
		if d.watch == nil {
			d.watch = time.AfterFunc(stuckAfter, d.watchdog)
		} else {
			d.watch.Reset(stuckAfter)
		}
	}
}

func (d *dispatcher) addWorker() {
	d.workers++
	go d.work()
}

// watchdog adds a worker when no run was taken since it last looked. There are never more
// workers than size plus the runs that block.
func (d *dispatcher) watchdog() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.head == len(d.queue) {
		d.watching = false
		return
	}
	stuck := d.taken <= d.seen
	d.seen = d.taken
	if stuck {
		d.addWorker()
		d.seen++
	}
	d.watch.Reset(stuckAfter)
}

func (d *dispatcher) start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.started = true
	for range len(d.queue) - d.head {
		d.wakeWorker()
	}
}

func (d *dispatcher) work() {
	left := false
	defer func() {
		if !left { // the run ended the goroutine
			d.mu.Lock()
			d.leave()
			if !d.closed && d.head < len(d.queue) {
				d.wakeWorker()
			}
			d.mu.Unlock()
		}
	}()
	for {
		run := d.take()
		if run == nil {
			left = true
			return
		}
		run()
		if d.crowded != nil && d.crowded() {
			runtime.Gosched()
		}
	}
}

// take waits for the next run; nil tells the worker to leave.
func (d *dispatcher) take() func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		if d.closed {
			d.leave()
			return nil
		}
		if d.head < len(d.queue) {
			run := d.queue[d.head]
			d.queue[d.head] = nil
			if d.head++; d.head == len(d.queue) {
				d.queue, d.head = d.queue[:0], 0
			}
			d.taken++
			return run
		}
		if d.workers > d.size && d.idle > 0 {
			d.leave()
			return nil
		}
		d.idle++
		d.arrived.Wait()
	}
}

func (d *dispatcher) leave() {
	d.workers--
	if d.closed && d.workers == 0 {
		close(d.gone)
	}
}

// close drops what waits; gone is closed when the runs under way have ended.
func (d *dispatcher) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.closed = true
	d.queue, d.head = nil, 0
	if d.watch != nil {
		d.watch.Stop()
	}
	if d.workers == 0 {
		close(d.gone)
	}
	d.arrived.Broadcast()
}
