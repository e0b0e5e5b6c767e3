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
	waitAtMost(context.Background(), broken, wg)
}

// HandlerLimit is how long the handlers of a host may take to end once their context has.
const HandlerLimit = 5 * time.Second

// WaitHandlers is WaitUnless for a group that runs code of a host, which may never return:
// it also gives up after [HandlerLimit].
func WaitHandlers(broken context.Context, wg *sync.WaitGroup) {
	limit, cancel := context.WithTimeout(context.Background(), HandlerLimit)
	defer cancel()
	waitAtMost(limit, broken, wg)
}

func waitAtMost(limit, broken context.Context, wg *sync.WaitGroup) {
	within, over := context.WithCancel(limit)
	defer over()
	defer context.AfterFunc(broken, func() { time.AfterFunc(brokenLimit, over) })()
	WaitOr(wg, within)
}
