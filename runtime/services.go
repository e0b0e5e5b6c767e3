package runtime

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/feed"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/runtime/web"
)

// service runs beside the actors. Its open acquires what must be there before the actors
// start, such as an address, and returns a function that serves until its context ends.
type service struct {
	name string
	on   bool
	open func(context.Context) (serve, error)
}

type serve = func(context.Context) error

// services are all of them. The first one that fails ends the run.
func (r *Runtime) services(e *engine.Engine, now first) []service {
	at := func(fn serve) func(context.Context) (serve, error) {
		return func(context.Context) (serve, error) { return fn, nil }
	}
	return []service{
		{"live page", r.cfg.Web.Enabled, r.openPage},
		{"feed of face trackers", r.cfg.Focus.Enabled && r.set.store == nil, r.openFeed},
		{"control socket", r.set.store == nil,
			at(func(ctx context.Context) error { return control.Serve(ctx, r.cfg.Data, r.Backend()) })},
		{"key of the log", now.logKey,
			at(func(ctx context.Context) error { return names.KeepLogKey(ctx, e, r.hashKey, r.log) })},
		{"adoption", now.adopts, at(func(context.Context) error { return names.Adopt(e, r.cfg.Apps(), r.adoptedOf) })},
		{"adopted", now.adopted, at(func(ctx context.Context) error { return names.KeepAdopted(ctx, e, r.log) })},
		{"debugging files", r.cfg.Debug.Text,
			at(func(ctx context.Context) error { return r.seen.WriteFiles(ctx, r.admin.Debug, r.log) })},
		{"scripts", true, at(func(ctx context.Context) error { r.set.Drawn.Serve(ctx); return nil })},
		{"memory", true, at(r.admin.ServeMemory(r.log))},
		{"splits", true, at(func(ctx context.Context) error { return r.admin.FinishSplits(ctx, r.log) })},
		{"upkeep", true, at(func(ctx context.Context) error { return r.admin.Upkeep(ctx, r.log) })},
	}
}

// group runs services and subscriptions; failed collects their errors.
type group struct {
	all    sync.WaitGroup // the services
	failed chan error
}

// named is the serving function of an opened service.
type named struct {
	name  string
	serve serve
}

// open opens the services that are on. If one fails, those opened before it are returned
// too.
func (g *group) open(ctx context.Context, list []service) (opened []named, err error) {
	for _, s := range list {
		if !s.on {
			continue
		}
		fn, err := s.open(ctx)
		if err != nil {
			return opened, err
		}
		opened = append(opened, named{s.name, fn})
	}
	return opened, nil
}

func (g *group) serve(ctx context.Context, opened []named) {
	for _, s := range opened {
		g.spawn(&g.all, s.name, func() error { return s.serve(ctx) })
	}
}

func (g *group) spawn(wg *sync.WaitGroup, name string, fn func() error) {
	wg.Go(func() {
		if err := fn(); err != nil {
			g.failed <- fmt.Errorf("runtime: %s: %w", name, err)
		}
	})
}

// openPage opens the live page.
func (r *Runtime) openPage(context.Context) (serve, error) {
	page, err := web.New(r.admin.Page(web.Options{
		Addr: r.cfg.Web.Addr, Health: r.Healthy, Metrics: r.metrics.Handler(), Log: r.log,
	}))
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.page = page
	r.mu.Unlock()
	return page.Serve, nil
}

// desk is where the person of this node sits.
func (r *Runtime) desk() messages.DeskID { return messages.DeskID(r.cfg.Node) }

// openFeed opens the feed of face trackers.
func (r *Runtime) openFeed(ctx context.Context) (serve, error) {
	cfg := r.cfg.Focus
	socket, err := datadir.FeedSocket(r.cfg.Data)
	if err != nil {
		return nil, err
	}
	o := feed.Options{Socket: socket, Addr: cfg.FeedAddr, Sink: func(m messages.Message) error {
		if r.admin.Pauses.Desk() != nil {
			return pause.ErrPaused
		}
		return r.Inject(ctx, messages.To(camera.Kind, string(r.desk())), m, "")
	}, Trouble: func(err error) {
		r.log.Warn().Err(err).Msg("face trackers cannot connect for now")
	}}
	if o.Addr != "" {
		if o.Token, err = feed.Token(filepath.Join(r.cfg.Data, "feed.token")); err != nil {
			return nil, err
		}
	}
	server, err := feed.New(o)
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	return server.Serve, nil
}
