package runtime

import (
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// plan is what a runtime will run.
type plan struct {
	kinds     []engine.Kind
	workers   []engine.WorkerKind
	activate  []messages.Address
	windows   []messages.WindowID
	listeners []func(Event)
	closers   []io.Closer
	readings  *ocr.Cache // what was read lately, by its pixels
}

func (p *plan) close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	p.closers = nil
	return errors.Join(errs...)
}

// topology is the one table of actors: which kinds there are, what makes them,
// and what their full mailbox does. Where a kind lives is its key: windows are
// bound to their node ("line@mac-a"), conversations are not.
//
//	poller/WINDOW         a source; asks capture and ocr, tells fusion       fleeting
//	structure/WINDOW      a source, where a window names a structure driver; tells fusion   fleeting
//	fusion/WINDOW         frames that were read → detections                 durable from here
//	dedup/CONVERSATION    the ledger: which bubbles are new
//	ingress/CONVERSATION  stops echoes of what was sent, and repeats
//	burst/CONVERSATION    joins what comes in quick succession
//	conversation/ID       keeps and publishes what was delivered
//
//	camera, pcusage, focus, focushistory, notifier: see watchDesk
//
//	capture (one a window), ocr (a pool), structure (one a window that names a driver): workers
//	llm: workers that ask a language model, if llm.tier or the host allows one
func (r *Runtime) topology() (plan, error) {
	var p plan
	windows, err := r.openWindows(&p)
	if err != nil {
		return p, errors.Join(err, p.close())
	}
	cfg := r.cfg
	layoutOf, err := cfg.Layouts()
	if err != nil {
		return p, errors.Join(err, p.close())
	}
	recognizer, isolated, err := r.recognizers()
	if err != nil {
		return p, errors.Join(err, p.close())
	}
	trees, err := r.openStructures(&p)
	if err != nil {
		return p, errors.Join(err, p.close())
	}
	seed := cfg.Profile == config.ProfileSeed
	ledger, gate := cfg.DedupOptions(), cfg.IngressRules()
	ledger.HashKey, gate.HashKey = r.set.hashKey, r.set.hashKey
	p.kinds = []engine.Kind{
		{Name: "poller", Source: true, Overflow: engine.Merge, New: func(a messages.Address) actors.Actor {
			window := messages.WindowID(a.Key())
			o := cfg.PollerOptions()
			o.Interval = time.Duration(windows[window].cfg.Poll)
			o.Excluded = func(img *image.RGBA, scale float64) []image.Rectangle {
				return segment.Quiet(img, scale, layoutOf(window))
			}
			return poller.New(o)(a)
		}},
		{Name: "fusion", New: func(a messages.Address) actors.Actor {
			window := messages.WindowID(a.Key())
			lay, w := layoutOf(window), windows[window].cfg
			return fusion.New(fusion.Options{
				App: w.App, Only: cfg.Read.Only, Seed: seed, Interval: time.Duration(w.Poll), HashKey: r.set.hashKey, Rules: cfg.Rules.FusionRules(),
				Clean: fusion.Sanitizer{IsToken: lay.IsToken, Names: lay.Names},
			})(a)
		}},
		{Name: "dedup", New: dedup.New(ledger)},
		{Name: "ingress", New: ingress.New(gate)},
		{Name: "burst", New: burst.New(cfg.BurstRules())},
		{Name: "conversation", New: conversation.New(conversation.Options{})},
	}
	p.readings = ocr.NewCache(cfg.OCR.Cache)
	sources := map[messages.WindowID]capture.Source{}
	for id, w := range windows {
		sources[id] = capture.Source{Screen: w.screen, Ref: w.ref}
	}
	reader := func(open OpenRecognizer) func() (actors.Worker, error) {
		if open == nil {
			return nil
		}
		return func() (actors.Worker, error) {
			o := cfg.OCROptions()
			o.Layouts, o.Cache, o.Open = layoutOf, p.readings, open
			return ocr.NewWorker(o), nil
		}
	}
	p.workers = []engine.WorkerKind{
		{Name: "capture", Size: max(1, len(windows)), Answers: answers(messages.FrameCaptured{}),
			New: capture.New(r.admin.Pauses.Guard(capture.Fixed(sources)), r.now)},
		{Name: "ocr", Size: cfg.OCR.Workers, Answers: answers(messages.FrameRead{}), New: reader(recognizer), Isolated: reader(isolated)},
	}
	p.windows = slices.Sorted(maps.Keys(windows))
	for _, id := range p.windows {
		p.activate = append(p.activate, messages.To("poller", string(id)))
	}
	if len(trees) > 0 {
		p.watchRows(trees, windows, cfg.Rules.StructureOptions(), r.now)
	}
	if err := r.askModel(&p); err != nil {
		return p, errors.Join(err, p.close())
	}
	if err := r.watchDesk(&p); err != nil {
		return p, errors.Join(err, p.close())
	}
	p.join(r.set)
	r.names = r.logNames(p)
	p.listeners = append(p.listeners, r.metrics.Listen, r.seen.Listen)
	if r.set.eventLog != nil {
		p.listeners = append(p.listeners, telemetry.Log(*r.set.eventLog, r.names))
	}
	p.listeners = append(p.listeners, r.set.listeners...)
	return p, nil
}

// watchRows adds the structure pollers of the windows that have a tree.
func (p *plan) watchRows(trees map[messages.WindowID]structure.Source, windows map[messages.WindowID]window, o structure.Options, now func() time.Time) {
	p.kinds = append(p.kinds, engine.Kind{Name: structure.Kind, Source: true, Overflow: engine.Merge, New: func(a messages.Address) actors.Actor {
		o := o
		o.Interval = time.Duration(windows[messages.WindowID(a.Key())].cfg.Poll)
		return structure.New(o)(a)
	}})
	p.workers = append(p.workers, engine.WorkerKind{
		Name: structure.Kind, Size: len(trees), Answers: answers(messages.RowsCounted{}), New: structure.NewWorker(trees, now),
	})
	for _, id := range slices.Sorted(maps.Keys(trees)) {
		p.activate = append(p.activate, messages.To(structure.Kind, string(id)))
	}
}

func answers(m messages.Message) []messages.Type { return []messages.Type{m.MessageType()} }

// join puts in what the host adds or replaces, and wraps the workers.
func (p *plan) join(set settings) {
	for _, k := range set.kinds {
		i := slices.IndexFunc(p.kinds, func(o engine.Kind) bool { return o.Name == k.Name })
		if i < 0 {
			p.kinds = append(p.kinds, k)
		} else {
			p.kinds[i] = k
		}
	}
	for _, k := range set.workers {
		i := slices.IndexFunc(p.workers, func(o engine.WorkerKind) bool { return o.Name == k.Name })
		if i < 0 {
			p.workers = append(p.workers, k)
		} else {
			p.workers[i] = k
		}
	}
	p.activate = append(p.activate, set.activate...)
	for i := range p.workers {
		k := &p.workers[i]
		k.New, k.Isolated = wrapped(k.Name, k.New, set.wrapWorker), wrapped(k.Name, k.Isolated, set.wrapWorker)
	}
}

// wrapped makes workers as make does, in the host's wrappers; nil of nil.
func wrapped(name string, make func() (actors.Worker, error), wrappers []func(string, actors.Worker) actors.Worker) func() (actors.Worker, error) {
	if make == nil {
		return nil
	}
	return func() (actors.Worker, error) {
		w, err := make()
		if err != nil {
			return nil, fmt.Errorf("runtime: worker %s: %w", name, err)
		}
		outer := w
		for _, wrap := range wrappers {
			outer = wrap(name, outer)
		}
		if c, ok := w.(io.Closer); ok {
			return closing{outer, c}, nil
		}
		return outer, nil
	}
}

// closing closes a worker whatever it is wrapped in.
type closing struct {
	actors.Worker
	io.Closer
}
