package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/actors/attention/landmarks"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/feed"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/runtime/web"
)

// services are all of them. The first one that fails ends the run.
func (r *Runtime) services(e *engine.Engine, now first) []follow.Service {
	a, at := follow.NewService, follow.At
	return []follow.Service{
		a("live page", r.cfg.Web.Enabled, r.openPage),
		a("feed of face trackers", r.cfg.Focus.Enabled && r.set.store == nil, r.openFeed),
		a("control socket", r.set.store == nil,
			at(func(ctx context.Context) error { return control.Serve(ctx, r.cfg.Data, r.Backend()) })),
		a("cluster", r.set.cluster != nil, at(func(ctx context.Context) error { return r.set.cluster.Run(ctx) })),
		a("receipts", r.set.cluster != nil,
			at(func(ctx context.Context) error { return r.admin.FollowReceipts(ctx, r.log) })),
		a("key of the log", now.logKey,
			at(func(ctx context.Context) error { return names.KeepLogKey(ctx, e, r.hashKey, r.log) })),
		a("adoption", now.adopts, at(func(context.Context) error { return names.Adopt(e, r.cfg.Apps(), r.adoptedOf) })),
		a("adopted", now.adopted, at(func(ctx context.Context) error { return names.KeepAdopted(ctx, e, r.log) })),
		a("debugging files", r.cfg.Debug.Text,
			at(func(ctx context.Context) error {
				return r.seen.WriteFiles(ctx, r.admin.Debug, r.admin.Called, r.log)
			})),
		a("scripts", true, at(func(ctx context.Context) error { r.set.Drawn.Serve(ctx); return nil })),
		a("memory", true, at(r.admin.ServeMemory(r.log))),
		a("splits", true, at(func(ctx context.Context) error { return r.admin.FinishSplits(ctx, r.log) })),
		a("maintenance", true, at(func(ctx context.Context) error { return r.admin.Maintain(ctx, r.log) })),
	}
}

// openPage opens the live page.
func (r *Runtime) openPage(context.Context) (follow.Serve, error) {
	o := r.admin.Page(web.Options{
		Addr: r.cfg.Web.Addr, Health: r.Healthy, Metrics: r.metrics.Handler(), Log: r.log,
		Tracker: web.TrackerIn(r.cfg.Data),
	})
	if r.cfg.Focus.Enabled {
		o.Faces = r.faces
	}
	page, err := web.New(o)
	if errors.Is(err, web.ErrPortInUse) && !r.cfg.IsSet("web.addr") && o.Addr == web.DefaultAddr {
		o.Addr = "127.0.0.1:0" // nobody asked for that port, and a second Kehai may run
		page, err = web.New(o)
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.page = page
	r.mu.Unlock()
	return page.Serve, nil
}

// faces passes on what the camera page sees.
func (r *Runtime) faces(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	trackers := r.trackers
	r.mu.Unlock()
	if trackers == nil {
		http.Error(w, "Kehai has not started yet.", http.StatusServiceUnavailable)
		return
	}
	trackers.Lines(w, req)
}

// seat takes this machine's place among others, if it has one.
func (r *Runtime) seat(st engine.Store, keys engine.Sealer) (*engine.Replica, engine.Sealer, func() error, error) {
	if r.set.cluster == nil {
		return bare.Alone(st, keys)
	}
	r.set.cluster.Forgets(r.admin.Forgotten)
	replica, keys, err := r.set.cluster.Start(st, r.plan.kinds, keys, r.core.StoreStopped)
	if err == nil {
		r.barrier = replica.Barrier
	}
	return replica, keys, r.set.cluster.Close, err
}

// key presses a key of a sending, or refuses. In a cluster that needs a lease.
func (r *Runtime) key(ctx context.Context, of messages.Sending, press func() error) error {
	if r.barrier == nil {
		return r.admin.Pauses.Key(press)
	}
	return pause.Lease{Now: r.now, Then: r.admin.Pauses.Key, Barrier: r.barrier, Sends: r.admin.StillSends}.Key(ctx,
		of, press)
}

// desk is where the person of this node sits.
func (r *Runtime) desk() messages.DeskID { return messages.DeskID(r.cfg.Node) }

// openFeed opens the feed of face trackers.
func (r *Runtime) openFeed(ctx context.Context) (follow.Serve, error) {
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
	}, Check: func(points []messages.Point) error {
		_, err := landmarks.Measure(points)
		return err
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
	r.mu.Lock()
	r.trackers = server
	r.mu.Unlock()
	return server.Serve, nil
}
