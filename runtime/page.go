package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/web"
)

// startPage opens the live page, if it is on.
func (r *Runtime) startPage(ctx context.Context, spawn func(func() error)) error {
	if !r.cfg.Web.Enabled {
		return nil
	}
	o := web.Options{
		Addr: r.cfg.Web.Addr, Status: r.pageStatus, Messages: r.pageMessages, Health: r.Healthy,
		Metrics: r.metrics.Handler(), Log: r.log, Act: r.pageAct, Pipeline: r.pagePipeline,
	}
	if r.cfg.Focus.Enabled {
		o.Attention, o.Changes = r.pageAttention, r.pageChanges
	}
	page, err := web.New(o)
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
	status := web.Status{
		Version: s.Version, Node: s.Node, Started: s.StartedAt.Time, Windows: r.plan.windows,
		Actors: s.Actors, Pools: s.Pools, DeadLetters: s.DeadLetters,
	}
	for _, p := range s.Paused {
		status.Paused = append(status.Paused, web.Paused{Window: p.Window, Since: p.Since.Time})
	}
	return status
}

// pageAttention describes this node's desk, also before its first judgement.
func (r *Runtime) pageAttention() (web.Attention, error) {
	a := web.Attention{Desk: r.desk()}
	if since := r.pauses.desk(); since != nil {
		a.Paused = since
	}
	e, err := r.running()
	if err != nil {
		return a, err
	}
	desks, err := r.stored(e).FocusDesks(context.Background())
	for _, d := range desks {
		if d.Desk != a.Desk {
			continue
		}
		a.State, a.Since, a.SeenAt = d.State, d.Since.Time, d.SeenAt.Time
		a.Confidence, a.Source, a.Reasoning = d.Confidence, d.Source, messages.Text(d.Reasoning)
		if a.Muted = d.Paused; d.PausedUntil != nil {
			a.MutedUntil = &d.PausedUntil.Time
		}
	}
	return a, err
}

// pageChanges reads the history of this node's desk.
func (r *Runtime) pageChanges(since time.Time) ([]web.AttentionChange, error) {
	e, err := r.running()
	if err != nil {
		return nil, err
	}
	var list []web.AttentionChange
	err = r.stored(e).FocusChanges(context.Background(), func(c control.FocusChange) error {
		if c.Desk != r.desk() {
			return nil
		}
		if c.At.Before(since) {
			list = list[:0] // only the last one before it says what held then
		}
		list = append(list, web.AttentionChange{At: c.At, State: c.State, Confidence: c.Confidence, Source: c.Source, Paused: c.Paused})
		return nil
	})
	return list, err
}

// pagePipeline tells what became of the newest frame of a window.
func (r *Runtime) pagePipeline(id messages.WindowID) any {
	if rec, ok := r.seen.Record(id); ok {
		return rec
	}
	return nil
}

// pageAct does what a person asks for on the page.
func (r *Runtime) pageAct(ctx context.Context, a web.Act) error {
	e, err := r.running()
	if err != nil {
		return err
	}
	s := r.stored(e)
	switch a.Verb {
	case web.PauseWindow:
		return s.Pause(ctx, string(a.Window))
	case web.ResumeWindow:
		return s.Resume(ctx, string(a.Window))
	case web.PauseAttention:
		return s.pauseDesk(ctx, true)
	case web.ResumeAttention:
		return s.pauseDesk(ctx, false)
	case web.MuteNotices:
		var until time.Time
		if a.For > 0 {
			until = time.Now().Add(a.For)
		}
		return s.PauseNotices(ctx, until)
	case web.UnmuteNotices:
		return s.ResumeNotices(ctx)
	}
	return fmt.Errorf("runtime: the page asks for %q, which nobody can do", a.Verb)
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
