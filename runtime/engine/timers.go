package engine

import (
	"container/heap"
	"sync"
	"time"
)

// timers calls functions when they are due. Each has a key, under which it can be
// replaced and cancelled. It owns no goroutine: the driver calls fire.
//
// The time that goes by and the calendar may move apart: a machine that sleeps
// stops the one, and somebody may set the other. A fleeting timer waits for its
// time to go by. A durable one, which means a time of day to people, is due when
// the calendar says so, and at the latest when its time has gone by.
type timers struct {
	mu      sync.Mutex
	heap    timerHeap
	byKey   map[string]*timerEntry
	order   uint64
	changed chan struct{}
	// Time and calendar at the same moment, when they last were found apart.
	time, calendar time.Time
}

type timerEntry struct {
	key      string
	due      time.Time
	calendar time.Time // when a durable timer is due by the calendar
	order    uint64    // of setting: ties fire in this order
	durable  bool
	fn       func()
	index    int
}

// maxApart is how far the calendar may be ahead before durable timers are looked
// at again.
const maxApart = time.Second

func newTimers() *timers {
	return &timers{byKey: map[string]*timerEntry{}, changed: make(chan struct{}, 1)}
}

// arm sets the function of a key, replacing an earlier one.
func (t *timers) arm(key string, due time.Time, durable bool, fn func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(key)
	t.order++
	e := &timerEntry{key: key, due: due, calendar: wall(due), order: t.order, durable: durable, fn: fn}
	t.byKey[key] = e
	heap.Push(&t.heap, e)
	if t.heap[0] == e {
		select {
		case t.changed <- struct{}{}:
		default:
		}
	}
}

func (t *timers) cancel(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(key)
}

func (t *timers) remove(key string) {
	if e, ok := t.byKey[key]; ok {
		delete(t.byKey, key)
		heap.Remove(&t.heap, e.index)
	}
}

// fire calls what is due, in the order of due times, outside the lock. now is the
// time that has gone by, calendar what the calendar says.
func (t *timers) fire(now, calendar time.Time) int {
	t.adjust(now, calendar)
	n := 0
	for {
		t.mu.Lock()
		if len(t.heap) == 0 || t.heap[0].due.After(now) {
			t.mu.Unlock()
			return n
		}
		e := heap.Pop(&t.heap).(*timerEntry)
		delete(t.byKey, e.key)
		t.mu.Unlock()
		e.fn()
		n++
	}
}

// adjust brings the durable timers nearer when the calendar has gone ahead.
func (t *timers) adjust(now, calendar time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	apart := calendar.Sub(t.calendar) - now.Sub(t.time)
	if t.calendar.IsZero() || apart.Abs() > maxApart {
		t.time, t.calendar = now, calendar
	} else {
		return
	}
	for _, e := range t.heap {
		if due := now.Add(e.calendar.Sub(calendar)); e.durable && due.Before(e.due) {
			e.due = due
		}
	}
	heap.Init(&t.heap)
}

func (t *timers) next() (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.heap) == 0 {
		return time.Time{}, false
	}
	return t.heap[0].due, true
}

// durableBefore counts the durable timers due until a time.
func (t *timers) durableBefore(at time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, e := range t.heap {
		if e.durable && !e.due.After(at) {
			n++
		}
	}
	return n
}

type timerHeap []*timerEntry

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if !h[i].due.Equal(h[j].due) {
		return h[i].due.Before(h[j].due)
	}
	return h[i].order < h[j].order
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	e := x.(*timerEntry)
	e.index = len(*h)
	*h = append(*h, e)
}
func (h *timerHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
