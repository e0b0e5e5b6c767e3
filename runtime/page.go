package runtime

import (
	"context"
	"slices"

	"github.com/kehai-run/kehai/runtime/web"
)

// startPage opens the live page, if it is on.
func (r *Runtime) startPage(ctx context.Context, spawn func(func() error)) error {
	if !r.cfg.Web.Enabled {
		return nil
	}
	page, err := web.New(web.Options{
		Addr: r.cfg.Web.Addr, Status: r.pageStatus, Messages: r.pageMessages, Health: r.Healthy,
		Metrics: r.metrics.Handler(), Log: r.log,
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.page = page
	r.mu.Unlock()
	spawn(func() error { return page.Serve(ctx) })
	return nil
}

func (r *Runtime) pageStatus() web.Status {
	s := r.Inspect()
	return web.Status{
		Version: s.Version, Node: s.Node, Started: s.StartedAt.Time, Windows: r.plan.windows,
		Actors: s.Actors, Pools: s.Pools, DeadLetters: s.DeadLetters,
	}
}

// pageMessages reads the newest messages from the event log.
func (r *Runtime) pageMessages(after uint64, n int) ([]web.Message, error) {
	e, err := r.running()
	if err != nil {
		return nil, err
	}
	var list []web.Message
	err = e.ReadLog(after, func(ev Event) bool {
		if m, ok := web.MessageOf(ev); ok {
			if list = append(list, m); len(list) > n {
				list = slices.Delete(list, 0, 1)
			}
		}
		return true
	})
	return list, err
}
