package follow

import (
	"context"
	"sync"
	"time"
)

// WaitOr waits for a group, or until abort ends.
func WaitOr(wg *sync.WaitGroup, abort context.Context) {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-abort.Done():
	}
}

// brokenLimit is how long goroutines may take to end once the store has stopped.
const brokenLimit = time.Second

// WaitUnless waits for a group, but gives up a second after broken ends: a stopped store
// may hold its callers for ever.
func WaitUnless(broken context.Context, wg *sync.WaitGroup) {
	patience, over := context.WithCancel(context.Background())
	defer over()
	defer context.AfterFunc(broken, func() { time.AfterFunc(brokenLimit, over) })()
	WaitOr(wg, patience)
}
