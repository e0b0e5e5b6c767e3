package runtime

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/focus"
	"github.com/kehai-run/kehai/actors/focus/camera"
	"github.com/kehai-run/kehai/actors/focus/history"
	"github.com/kehai-run/kehai/actors/focus/notifier"
	"github.com/kehai-run/kehai/actors/focus/pcusage"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/darwin"
	"github.com/kehai-run/kehai/hardware/x11"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/feed"
)

// OpenUsage opens a driver that counts how the computer is used. It is called
// by the usage worker, and again after a failure; a driver that is an io.Closer
// is closed with its worker.
type OpenUsage func() (hardware.Usage, error)

// WithUsage adds a driver that counts how the computer is used, under its name
// in the configuration (focus.usage: NAME), or replaces a built-in one.
func WithUsage(name string, open OpenUsage) Option {
	return func(s *settings) { s.usages[name] = open }
}

// WithNotifier shows notices about attention on the desktop, unless focus.notify
// is none. Without it they are events, and on the live page, only.
func WithNotifier(n hardware.Notifier) Option { return func(s *settings) { s.notifier = n } }

func builtinUsages() map[string]OpenUsage {
	return map[string]OpenUsage{config.UsageSystem: func() (hardware.Usage, error) {
		if goruntime.GOOS == "darwin" {
			return darwin.OpenUsage(darwin.UsageOptions{})
		}
		return x11.OpenUsage(x11.Options{})
	}}
}

// desk is where the person of this node sits.
func (r *Runtime) desk() messages.DeskID { return messages.DeskID(r.cfg.Node) }

// watchDesk adds the actors of attention:
//
//	camera/DESK        a source; landmarks of the feed → snapshots               fleeting
//	pcusage/DESK       a source; asks usage                                      fleeting
//	focus/DESK         a source; judges both, asks llm                           durable from here
//	focushistory/DESK  keeps changes
//	notifier/DESK      says that a state lasts
//
//	usage, notify: workers, one each
func (r *Runtime) watchDesk(p *plan) error {
	cfg := r.cfg.Focus
	if !cfg.Enabled {
		return nil
	}
	if err := r.cfg.CheckUsages(slices.Sorted(maps.Keys(r.set.usages))); err != nil {
		return err
	}
	seed := r.cfg.Profile == config.ProfileSeed
	show := r.set.notifier
	if cfg.Notify == config.NotifyNone {
		show = nil
	}
	p.kinds = append(p.kinds,
		engine.Kind{Name: camera.Kind, Source: true, Fleeting: 64, New: camera.New(camera.Options{Literal: seed})},
		engine.Kind{Name: focus.Kind, Source: true, New: func(a messages.Address) actors.Actor {
			return focus.New(focus.Options{
				Rules: cfg.RulesFor(r.cfg.Profile), Literal: seed, LLM: cfg.LLM && r.hasWorker(messages.WorkerLLM),
				Deadline: r.llmPatience(),
				Tell:     []string{history.Kind, notifier.Kind},
			})(a)
		}},
		engine.Kind{Name: history.Kind, New: history.New(history.Options{Keep: time.Duration(cfg.Keep)})},
		engine.Kind{Name: notifier.Kind, New: notifier.New(notifier.Options{
			Times: cfg.Times,
			Show:  show != nil,
		})},
	)
	watched := []string{camera.Kind, focus.Kind, history.Kind}
	if open := r.set.usages[cfg.Usage]; open != nil {
		p.kinds = append(p.kinds, engine.Kind{Name: pcusage.Kind, Source: true, New: pcusage.New(pcusage.Options{})})
		p.workers = append(p.workers, engine.WorkerKind{
			Name: pcusage.WorkerKind, Size: 1, Answers: answers(messages.UsageRead{}), New: r.admin.Pauses.GuardUsage(pcusage.NewWorker(open)),
		})
		watched = append(watched, pcusage.Kind)
	}
	if show != nil {
		p.workers = append(p.workers, engine.WorkerKind{
			Name: notifier.WorkerKind, Size: 1, Answers: answers(messages.NoticeShown{}), New: notifier.NewWorker(show),
		})
	}
	for _, kind := range watched {
		p.activate = append(p.activate, messages.To(kind, string(r.desk())))
	}
	return nil
}

// hasWorker reports a worker kind of the finished plan.
func (r *Runtime) hasWorker(name string) bool {
	return slices.ContainsFunc(r.plan.workers, func(k engine.WorkerKind) bool { return k.Name == name })
}

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
