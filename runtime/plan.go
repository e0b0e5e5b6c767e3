package runtime

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/actors/attention/history"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/actors/attention/usage"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// plan is what a runtime will run.
type plan struct {
	kinds     []engine.Kind
	workers   []engine.WorkerKind
	llm       func() *control.LLM // what the language model was asked; nil where none is set up
	activate  []messages.Address
	windows   []messages.WindowID
	listeners []func(Event)
	closers   []io.Closer
	drivers   *drivers.Opened
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

// parts are what the actors and workers of a runtime are made of.
type parts struct {
	cfg                  config.Config
	variant              config.Variant // where the profiles differ
	hashKey              []byte
	masks                bool // a model sees masked messages only
	now                  func() time.Time
	pauses               *admin.Pauses
	windows              map[messages.WindowID]drivers.Window
	trees                map[messages.WindowID]structure.Source
	layoutOf             func(messages.WindowID) *layout.Layout
	recognizer, isolated OpenRecognizer
	readings             *ocr.Cache
	model                llm.Model // llm.None where nobody may be asked
	prompts              *prompt.Catalogue
	called               func(messages.ConversationID) string       // what people call it
	adopted              func(app string) []messages.ConversationID // of an older version
	asks                 bool                                       // somebody answers attention's questions
	usage                OpenUsage                                  // nil: nobody counts
	notifier             hardware.Notifier
}

// makePlan opens what the configuration names and makes a plan of the topology and
// of what the host adds. What was opened is closed if it fails.
func (r *Runtime) makePlan() (plan, error) {
	p := plan{readings: ocr.NewCache(r.cfg.OCR.Cache)}
	parts, err := r.open(&p)
	if err != nil {
		return plan{}, errors.Join(err, p.close())
	}
	p.build(parts.topology())
	p.windows = slices.Sorted(maps.Keys(parts.windows))
	p.join(r.set)
	r.names = admin.LogNames(r.cfg, r.hashKey, p.windows, p.workers)
	p.listeners = append(p.listeners, r.metrics.Listen, r.seen.Listen, r.admin.Book.Listen)
	if r.set.eventLog != nil {
		p.listeners = append(p.listeners, telemetry.Log(*r.set.eventLog, r.names))
	}
	p.listeners = append(p.listeners, r.set.listeners...)
	return p, nil
}

// open opens the drivers and the language model that the configuration names.
func (r *Runtime) open(p *plan) (*parts, error) {
	c := &parts{
		cfg: r.cfg, variant: r.cfg.Variant(), hashKey: r.hashKey, now: r.now, masks: r.masks(),
		pauses: r.admin.Pauses, readings: p.readings, adopted: r.adoptedOf, called: r.Called,
	}
	var err error
	if p.drivers, err = r.set.Open(r.cfg); err != nil {
		return nil, err
	}
	p.closers = append(p.closers, p.drivers)
	c.windows, c.trees = p.drivers.Windows, p.drivers.Trees
	if c.layoutOf, err = r.cfg.Layouts(); err != nil {
		return nil, err
	}
	if c.recognizer, c.isolated, err = r.set.OCR(r.cfg); err != nil {
		return nil, err
	}
	if c.model, err = r.openModel(p); err != nil {
		return nil, err
	}
	if c.prompts, err = r.cfg.Prompts(); err != nil {
		return nil, err
	}
	_, none := c.model.(llm.None)
	c.asks = !none || slices.ContainsFunc(r.set.workers, func(k engine.WorkerKind) bool {
		return k.Name == messages.WorkerLLM
	})
	if !r.cfg.Focus.Enabled {
		return c, nil
	}
	if r.cfg.Focus.Notify != config.NotifyNone {
		c.notifier = r.set.Notifier
	}
	c.usage = r.set.Usages[r.cfg.Focus.Usage]
	return c, nil
}

func keysOf[V any](of map[messages.WindowID]V) (keys []string) {
	for _, id := range slices.Sorted(maps.Keys(of)) {
		keys = append(keys, string(id))
	}
	return keys
}

func (p *parts) windowKeys() []string { return keysOf(p.windows) }
func (p *parts) treeKeys() []string   { return keysOf(p.trees) }
func (p *parts) deskKey() []string    { return []string{p.cfg.Node} }

// poll is the time between two looks at a window.
func (p *parts) poll(w messages.WindowID) time.Duration {
	return p.windows[w].Config.Poll
}

func (p *parts) poller(a messages.Address) actors.Actor {
	window := messages.WindowID(a.Key())
	o := p.cfg.PollerOptions()
	o.Interval = p.poll(window)
	o.Excluded = func(img *image.RGBA, scale float64) []image.Rectangle {
		return segment.Quiet(img, scale, p.layoutOf(window))
	}
	return poller.New(o)(a)
}

func (p *parts) structure(a messages.Address) actors.Actor {
	o := p.cfg.Rules.StructureOptions()
	o.Interval = p.poll(messages.WindowID(a.Key()))
	return structure.New(o)(a)
}

func (p *parts) fusion(a messages.Address) actors.Actor {
	window := messages.WindowID(a.Key())
	lay := p.layoutOf(window)
	return fusion.New(fusion.Options{
		App: p.windows[window].Config.App, Strategy: p.variant.Fusion, Interval: p.poll(window),
		HashKey: p.hashKey, Rules: p.cfg.Rules.FusionRules(),
		Clean: fusion.Sanitizer{IsToken: lay.IsToken, Names: lay.Names},
	})(a)
}

// newActor makes the value of an actor.
type newActor = func(messages.Address) actors.Actor

func (p *parts) directory() newActor {
	return directory.New(directory.Options{
		Rules: p.cfg.Rules.OCR.Rules, Only: p.cfg.Read.Only, Adopt: p.adopted,
	})
}

func (p *parts) ledger() newActor {
	o := p.cfg.DedupOptions()
	o.HashKey = p.hashKey
	return dedup.New(o)
}

func (p *parts) gate() newActor {
	o := p.cfg.IngressRules()
	o.HashKey = p.hashKey
	return ingress.New(o)
}

func (p *parts) sender() newActor {
	o := outbound.Options{Rules: outbound.DefaultRules(), Desk: p.cfg.Node, Read: p.cfg.OCR.Timeout}
	for _, w := range p.windowKeys() {
		o.Windows = append(o.Windows, messages.WindowID(w))
	}
	return outbound.New(o)
}

func (p *parts) burst() newActor   { return burst.New(p.cfg.BurstRules()) }
func (p *parts) camera() newActor  { return camera.New(camera.Options{Literal: p.variant.Literal}) }
func (p *parts) pcusage() newActor { return usage.New(usage.Options{}) }

// newWorker makes a worker.
type newWorker = func() (actors.Worker, error)

func (p *parts) capturer() newWorker {
	sources := map[messages.WindowID]capture.Source{}
	for id, w := range p.windows {
		sources[id] = capture.Source{Screen: w.Screen, Ref: w.Ref}
	}
	return capture.New(p.pauses.Guard(capture.Fixed(sources)), p.now)
}

// hands make workers that type.
func (p *parts) hands() newWorker {
	targets := map[messages.WindowID]outbound.Target{}
	for id, w := range p.windows {
		targets[id] = outbound.Target{Typist: w.Typist, Screen: w.Screen, Ref: w.Ref}
	}
	return outbound.NewHands(outbound.Fixed(targets), p.now, p.pauses.Key)
}

// reader makes workers that read with an engine; nil of nil.
func (p *parts) reader(open OpenRecognizer) newWorker {
	if open == nil {
		return nil
	}
	return func() (actors.Worker, error) {
		o := p.cfg.OCROptions()
		o.Layouts, o.Cache, o.Open = p.layoutOf, p.readings, open
		return ocr.NewWorker(o), nil
	}
}

func (p *parts) rowCounter() newWorker   { return structure.NewWorker(p.trees, p.now) }
func (p *parts) usageCounter() newWorker { return p.pauses.GuardUsage(usage.NewWorker(p.usage)) }
func (p *parts) shower() newWorker       { return notify.NewWorker(p.notifier) }

func (p *parts) asker() (actors.Worker, error) { return llm.NewWorker(p.model), nil }

// focus waits for a language model a little longer than that has itself, so that
// it can say why it did not answer, and not beyond the next judgement.
func (p *parts) focus(a messages.Address) actors.Actor {
	return attention.New(attention.Options{
		Rules: p.variant.Attention, Literal: p.variant.Literal, LLM: p.cfg.Focus.LLM && p.asks,
		Deadline: min(p.cfg.LLM.Timeout+500*time.Millisecond, 9*time.Second),
		Tell:     []string{history.Kind, notify.Kind, owner.Kind},
	})(a)
}

func (p *parts) history() newActor {
	return history.New(history.Options{Keep: p.cfg.Focus.Keep})
}

func (p *parts) notices() newActor {
	return notify.New(notify.Options{Times: p.cfg.Focus.Times, Show: p.notifier != nil})
}

// build takes over the rows that are on.
func (p *plan) build(kinds []actorRow, workers []workerRow) {
	for _, row := range kinds {
		if !row.on {
			continue
		}
		p.kinds = append(p.kinds, engine.Kind{
			Name: row.kind, New: row.make, About: row.with.about, Here: row.lives == here,
			Source: row.with.source, Overflow: row.with.overflow, Fleeting: row.with.fleeting,
		})
		for _, key := range row.keys {
			p.activate = append(p.activate, messages.To(row.kind, key))
		}
	}
	for _, row := range workers {
		if row.on {
			p.workers = append(p.workers, engine.WorkerKind{
				Name: row.kind, Size: row.size, Answers: []messages.Type{row.answers.MessageType()},
				New: row.make, Isolated: row.isolated,
			})
		}
	}
}

// join puts in what the host adds or replaces, and wraps the workers.
func (p *plan) join(set settings) {
	for _, k := range set.kinds {
		i := slices.IndexFunc(p.kinds, func(o engine.Kind) bool { return o.Name == k.Name })
		if i < 0 {
			p.kinds = append(p.kinds, k)
		} else {
			if k.About == nil { // its rows are about the same
				k.About = p.kinds[i].About
			}
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

// wrapped makes workers as create does, in the host's wrappers; nil of nil.
func wrapped(name string, create newWorker, wrappers []func(string, actors.Worker) actors.Worker) newWorker {
	if create == nil {
		return nil
	}
	return func() (actors.Worker, error) {
		w, err := create()
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

// DoReporting implements [actors.Reporter].
func (c closing) DoReporting(
	ctx context.Context, request messages.Message, report func(messages.Message),
) (messages.Message, error) {
	return actors.Do(ctx, c.Worker, request, report)
}
