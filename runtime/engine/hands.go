package engine

import (
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
)

// Hands remembers what is in hand when the process dies. A message or a call may kill it,
// by a crash of C code or by using up all memory, and would kill it again at each start.
// Its methods may be called concurrently; they must be fast and must not block.
// [store.OpenHands] keeps them in a file.
type Hands interface {
	// Suspects returns the deliveries and calls in flight at earlier crashes, with
	// their counts of crashes since they last succeeded.
	Suspects() map[uint64]int
	// Take records that something is in hand, Drop that it no longer is. A place is above
	// 0; 0 means that none was free.
	Take(id uint64) (place int)
	Drop(place int)
	// Survived forgets how often something was in hand.
	Survived(id uint64)
}

// inHand decides when durable deliveries and calls are taken in hand. A delivery or
// call that was in hand when a process died is a suspect. Only one suspect is in hand
// at a time, so that the next death blames nothing else.
type inHand struct {
	hands Hands // nil: nothing is remembered
	left  atomic.Int32

	mu       sync.Mutex
	suspects map[uint64]int // how often each was in hand when a process died
	tried    uint64         // the one in hand; 0: none
	waiting  []func()       // called when it no longer is
}

func newInHand(h Hands) *inHand {
	x := &inHand{hands: h}
	if h != nil {
		x.suspects = h.Suspects()
		x.left.Store(int32(len(x.suspects)))
	}
	return x
}

// suspect reports whether there are any suspects.
func (x *inHand) suspect() bool { return x.left.Load() > 0 }

// handID names a receipt among those in hand. It is never 0.
func handID(receipt string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(receipt))
	return max(h.Sum64(), 1)
}

// admit reports whether something may be taken in hand now, and how many processes
// have died with it. If not, again is called when it may be. Everything admitted
// must be settled.
func (x *inHand) admit(receipt string, again func()) (deaths int, ok bool) {
	if !x.suspect() || receipt == "" {
		return 0, true
	}
	id := handID(receipt)
	x.mu.Lock()
	defer x.mu.Unlock()
	deaths, suspect := x.suspects[id]
	switch {
	case !suspect:
		return 0, true
	case x.tried != 0:
		x.waiting = append(x.waiting, again)
		return 0, false
	}
	x.tried = id
	return deaths, true
}

// settle records that this process survived what was admitted.
func (x *inHand) settle(receipt string) {
	if !x.suspect() || receipt == "" {
		return
	}
	id := handID(receipt)
	x.mu.Lock()
	if x.tried != id {
		x.mu.Unlock()
		return
	}
	delete(x.suspects, id)
	x.left.Store(int32(len(x.suspects)))
	waiting := x.waiting
	x.tried, x.waiting = 0, nil
	x.mu.Unlock()
	x.hands.Survived(id)
	for _, again := range waiting {
		again()
	}
}

// take records that something is in hand, drop that it no longer is.
func (x *inHand) take(receipt string) (place int) {
	if x.hands == nil || receipt == "" {
		return 0
	}
	return x.hands.Take(handID(receipt))
}

func (x *inHand) drop(place int) {
	if place > 0 {
		x.hands.Drop(place)
	}
}

// killer is the reason not to try something again that was in hand in so many deaths.
func killer(deaths int, what string) string {
	return fmt.Sprintf("the process ended by itself %d times while %s: "+
		"look for a crash of C code, a call of os.Exit, or memory that ran out", deaths, what)
}
