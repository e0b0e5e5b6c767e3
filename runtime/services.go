package runtime

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/feed"
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

// desk is where the person of this node sits.
func (r *Runtime) desk() messages.DeskID { return messages.DeskID(r.cfg.Node) }

// FeedSocket is where face trackers connect to the Kehai of a data directory.
func FeedSocket(data string) (string, error) {
	path, err := control.SocketPath(data)
	if err != nil {
		return "", err
	}
	if filepath.Base(path) == "kehai.sock" {
		return filepath.Join(filepath.Dir(path), "focus.sock"), nil
	}
	return strings.TrimSuffix(path, ".sock") + ".feed", nil // a short path elsewhere
}

// startFeed opens the feed of face trackers, if attention is judged.
func (r *Runtime) startFeed(ctx context.Context, spawn func(func() error)) error {
	cfg := r.cfg.Focus
	if !cfg.Enabled || r.set.store != nil {
		return nil
	}
	socket, err := FeedSocket(r.cfg.Data)
	if err != nil {
		return err
	}
	o := feed.Options{Socket: socket, Addr: cfg.FeedAddr, Sink: func(m messages.Message) error {
		if r.admin.Pauses.Desk() != nil {
			return admin.ErrPaused
		}
		return r.Inject(ctx, messages.To(camera.Kind, string(r.desk())), m, "")
	}, Trouble: func(err error) {
		r.log.Warn().Err(err).Msg("face trackers cannot connect for now")
	}}
	if o.Addr != "" {
		if o.Token, err = feed.Token(filepath.Join(r.cfg.Data, "feed.token")); err != nil {
			return err
		}
	}
	server, err := feed.New(o)
	if err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	spawn(func() error { return server.Serve(ctx) })
	return nil
}
