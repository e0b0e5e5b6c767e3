package runtime

import (
	"context"

	"github.com/kehai-run/kehai/runtime/web"
)

// startPage opens the live page, if it is on.
func (r *Runtime) startPage(ctx context.Context, spawn func(func() error)) error {
	if !r.cfg.Web.Enabled {
		return nil
	}
	page, err := web.New(r.admin.Page(web.Options{Addr: r.cfg.Web.Addr, Health: r.Healthy, Metrics: r.metrics.Handler(), Log: r.log}))
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.page = page
	r.mu.Unlock()
	spawn(func() error { return page.Serve(ctx) })
	return nil
}
