package runtime

import (
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/parts"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// plan is what a runtime will run.
type plan struct {
	kinds     []engine.Kind
	workers   []engine.WorkerKind
	llm       func() *control.LLM // the questions to the language model; nil where none is set up
	activate  []messages.Address
	windows   []messages.WindowID
	listeners []func(Event)
	closers   []io.Closer
	drivers   *drivers.Opened
	readings  *ocr.Cache // recent readings, by their pixels
}

func (p *plan) close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	p.closers = nil
	return errors.Join(errs...)
}

// makePlan opens the drivers that the configuration names, and makes a plan from the
// topology and what the host adds. If it fails, everything is closed again.
func (r *Runtime) makePlan() (plan, error) {
	p := plan{readings: ocr.NewCache(r.cfg.OCR.Cache)}
	made, err := r.open(&p)
	if err != nil {
		return plan{}, errors.Join(err, p.close())
	}
	r.tap(made)
	kinds, workers := topology(made)
	p.build(kinds, workers)
	p.windows = slices.Sorted(maps.Keys(made.Windows))
	p.join(r.set)
	p.kinds = r.set.taps.Actors(p.kinds)
	if err := bare.Check(p.kinds, p.workers, p.activate); err != nil {
		return plan{}, errors.Join(err, p.close())
	}
	r.core.Health.Kinds = p.known(kinds, workers)
	r.names = names.InLog(r.cfg, r.hashKey, p.windows, p.workers)
	p.listeners = append(p.listeners, r.metrics.Listen, r.seen.Listen, r.admin.Book.Listen, r.admin.Talks.Listen,
		func(ev Event) { r.admin.Memory.Hear(ev.Message) })
	events := r.log.Level(max(r.log.GetLevel(), zerolog.WarnLevel)) // failures at least
	if r.set.eventLog != nil {
		events = *r.set.eventLog
	}
	p.listeners = append(p.listeners, telemetry.Log(events, r.names))
	p.listeners = append(append(p.listeners, r.set.taps.Listen), r.set.listeners...)
	return p, nil
}

// known are all kinds, including switched-off ones: sending to these is no mistake.
func (p *plan) known(kinds []actorRow, workers []workerRow) (names []string) {
	for _, k := range kinds {
		names = append(names, k.kind)
	}
	for _, k := range p.kinds {
		names = append(names, k.Name)
	}
	for _, k := range workers {
		names = append(names, k.kind)
	}
	for _, k := range p.workers {
		names = append(names, k.Name)
	}
	return names
}

// open opens the drivers and the language model that the configuration names.
func (r *Runtime) open(p *plan) (*parts.Parts, error) {
	c := &parts.Parts{
		Config: r.cfg, HashKey: r.hashKey, VaultKey: r.admin.VaultKey, RowKey: r.admin.RowKey,
		Now: r.now, Masks: r.masks(), Pauses: r.admin.Pauses,
		Allow: r.key, Alone: func() bool { return r.barrier == nil },
		Disk:     func(w messages.WindowID) string { return r.admin.DiskOf(w) },
		Readings: p.readings, Adopted: r.adoptedOf, Called: r.Called,
		Bound:  func(c messages.ConversationID, name string) bool { return r.admin.Bound(c, name) },
		Seed:   func() string { return r.seed() },
		Memory: r.admin.Memory, Scope: func(c messages.ConversationID, group bool) recall.Scope {
			return r.admin.Scope(c, group)
		},
	}
	var err error
	if p.drivers, err = r.set.Open(r.cfg); err != nil {
		return nil, err
	}
	p.closers = append(p.closers, p.drivers, r.set.taps)
	c.Windows, c.Trees = p.drivers.Windows, p.drivers.Trees
	if c.LayoutOf, err = r.cfg.Layouts(); err != nil {
		return nil, err
	}
	if c.Recognizer, c.Isolated, err = r.set.OCR(r.cfg); err != nil {
		return nil, err
	}
	if c.Model, err = r.openModel(p); err != nil {
		return nil, err
	}
	embedder, err := drivers.OpenEmbedder(r.cfg, r.set.llm.Transport)
	switch {
	case errors.Is(err, config.ErrNoKey):
		r.log.Warn().Err(err).Msg("the model of memory.embedding has no key: words alone find what is remembered")
	case err != nil:
		return nil, err
	case embedder != nil:
		r.admin.Memory.Embed(embedder)
		p.closers = append(p.closers, embedder)
	}
	if c.Prompts, err = datadir.Prompts(r.cfg); err != nil {
		return nil, err
	}
	_, none := c.Model.(llm.None)
	c.Asks = !none || slices.ContainsFunc(r.set.workers, func(k engine.WorkerKind) bool {
		return k.Name == messages.WorkerLLM
	})
	if !r.cfg.Focus.Enabled {
		return c, nil
	}
	if r.cfg.Focus.Notify != config.NotifyNone {
		c.Notifier = r.set.Notifier
	}
	c.Usage = r.set.Usages[r.cfg.Focus.Usage]
	return c, nil
}

// build takes over the rows that are on.
func (p *plan) build(kinds []actorRow, workers []workerRow) {
	for _, row := range kinds {
		if !row.on {
			continue
		}
		p.kinds = append(p.kinds, engine.Kind{
			Name: row.kind, New: row.make, About: row.with.about, SubjectOf: row.with.subject, Here: row.lives == here,
			Kept: row.with.kept, Source: row.with.source, Overflow: row.with.overflow, Fleeting: row.with.fleeting,
			Unfinished: row.with.begun, Zoned: row.with.asks,
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
			if k.About == nil && k.SubjectOf == nil && k.Kept == nil { // its rows are about the same
				k.About, k.SubjectOf, k.Kept = p.kinds[i].About, p.kinds[i].SubjectOf, p.kinds[i].Kept
				k.Unfinished = p.kinds[i].Unfinished
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
		p.workers[i] = parts.Wrapped(p.workers[i], set.wrapWorker)
	}
}
