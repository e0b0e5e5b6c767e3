package admin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/privacy"
	"github.com/kehai-run/kehai/runtime/web"
)

// Page fills in what the live page shows of a running Kehai, and what a person can
// do on it.
func (b Backend) Page(o web.Options) web.Options {
	o.Status, o.Timeline, o.Act, o.Pipeline = b.pageStatus, b.pageTimeline, b.pageAct, b.pagePipeline
	o.Talk = b
	o.Sessions, o.Mask = b.sessions(), privacy.Masked
	if b.Config.Focus.Enabled {
		o.Attention, o.Changes = b.pageAttention, b.pageChanges
	}
	return o
}

// sessions are the keys of the page, nil where there is no data directory.
func (b Backend) sessions() *web.Sessions {
	if info, err := os.Stat(b.Config.Data); err != nil || !info.IsDir() { // a host may have none
		return nil
	}
	return b.Keys
}

// Keys are the keys of the page in a data directory.
func Keys(data string) *web.Sessions {
	return web.NewSessions(filepath.Join(data, "page.sessions"), nil)
}

// PageKeys implements [control.PageBackend].
func (b Backend) PageKeys(context.Context) ([]control.PageKey, error) {
	s := b.sessions()
	if s == nil {
		return nil, control.ErrNoPage
	}
	return s.List(), nil
}

// MakePageKey implements [control.PageBackend].
func (b Backend) MakePageKey(_ context.Context, role control.PageRole) (control.NewPageKey, error) {
	s := b.sessions()
	switch {
	case s == nil || b.page() == nil:
		return control.NewPageKey{}, control.ErrNoPage
	case role != control.RoleOwner && role != control.RoleMeter:
		return control.NewPageKey{}, fmt.Errorf("%w: %q", control.ErrNoRole, role)
	}
	return s.Make(role)
}

// PageLink implements [control.PageBackend].
func (b Backend) PageLink(ctx context.Context, guestOf messages.ConversationID) (string, error) {
	page := b.page()
	switch {
	case page == nil:
		return "", control.ErrNoPage
	case guestOf == "":
		return page.URL(), nil
	}
	t, err := b.Talk(ctx, guestOf, control.TalkQuery{Limit: 1})
	if err == nil && t.Channel != messages.ChannelWeb {
		err = control.ErrNotChannel
	}
	if err != nil {
		return "", err
	}
	return page.GuestURL(t.Conversation)
}

// page is the live page of a running Kehai, nil if it has none.
func (b Backend) page() *web.Server {
	if b.Live == nil {
		return nil
	}
	return b.Live.Page()
}

// RevokePageKey implements [control.PageBackend].
func (b Backend) RevokePageKey(_ context.Context, id string) error {
	s := b.sessions()
	if s == nil {
		return control.ErrNoPage
	}
	return s.Revoke(id)
}

// windows lists the configured windows.
func (b Backend) windows() (list []messages.WindowID) {
	for _, w := range b.Config.Windows {
		list = append(list, w.ID(b.Config.Node))
	}
	slices.Sort(list)
	return list
}

// desk is where the person of this node sits.
func (b Backend) desk() messages.DeskID { return messages.DeskID(b.Config.Node) }

func (b Backend) pageStatus() web.Status {
	s := b.Live.Status()
	status := web.Status{
		Version: s.Version, Node: s.Node, Started: s.StartedAt.Time, Windows: b.windows(),
		Actors: s.Actors, Pools: s.Pools, DeadLetters: s.DeadLetters, Model: modelNotice(s.LLM),
	}
	if rec := s.Recording; rec != nil {
		status.Recording = &web.Recording{Windows: rec.Windows, Since: rec.Since.Time}
	}
	if c, err := b.Cluster(context.Background()); err == nil {
		status.Cluster = &c
	}
	for _, p := range s.Paused {
		status.Paused = append(status.Paused, web.Paused{Window: p.Window, Since: p.Since.Time})
	}
	return status
}

// modelNotice says in a line that no language model answers, and what helps; "" if one
// does, or none was asked yet.
func modelNotice(m *control.LLM) string {
	switch {
	case m == nil:
		return "No language model is set up: rules alone judge, and replies are fixed texts. For others: " +
			describe.ModelAdvice(messages.LLMNoModel) + "."
	case m.Off != "":
		return "The language model is not asked: " + m.Off
	case len(m.Failing) > 0:
		var list []string
		for _, f := range m.Failing {
			list = append(list, fmt.Sprintf("%s fails (%s): %s", f.Model, f.Code, f.Mend))
		}
		return "The language model " + strings.Join(list, "; ") + "."
	case m.Breaker == "open":
		return "The language model fails and is left alone for a while; kehai doctor asks it."
	}
	return ""
}

// pageAttention describes this node's desk, also before its first judgement.
func (b Backend) pageAttention() (web.Attention, error) {
	a := web.Attention{Desk: b.desk()}
	if since := b.Pauses.Desk(); since != nil {
		a.Paused = since
	}
	desks, err := b.FocusDesks(context.Background())
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
func (b Backend) pageChanges(since time.Time) ([]web.AttentionChange, error) {
	var list []web.AttentionChange
	err := b.FocusChanges(context.Background(), func(c control.FocusChange) error {
		if c.Desk != b.desk() {
			return nil
		}
		if c.At.Before(since) {
			list = list[:0] // only the last one before that time shows what held then
		}
		list = append(list, web.AttentionChange{At: c.At, State: c.State, Confidence: c.Confidence,
			Source: c.Source, Paused: c.Paused})
		return nil
	})
	return list, err
}

// pagePipeline tells what became of the newest frame of a window.
func (b Backend) pagePipeline(id messages.WindowID) any {
	if rec, ok := b.Live.Seen.Record(id); ok {
		return rec
	}
	return nil
}

// pageAct does what a person asks for on the page.
func (b Backend) pageAct(ctx context.Context, a web.Act) error {
	switch a.Verb {
	case web.PauseWindow:
		return b.Pause(ctx, string(a.Window))
	case web.ResumeWindow:
		return b.Resume(ctx, string(a.Window))
	case web.PauseAttention:
		return b.pauseDesk(ctx, true)
	case web.ResumeAttention:
		return b.pauseDesk(ctx, false)
	case web.MuteNotices:
		var until time.Time
		if a.For > 0 {
			until = time.Now().Add(a.For)
		}
		return b.PauseNotices(ctx, until)
	case web.UnmuteNotices:
		return b.ResumeNotices(ctx)
	}
	return fmt.Errorf("admin: the page asks for %q, which nobody can do", a.Verb)
}

// pageTimeline reads the newest entries of the event log in the form in which they were
// published; the page itself combines related entries.
func (b Backend) pageTimeline(after uint64, n int) ([]control.Entry, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	var list []control.Entry
	err = e.ReadLog(after, func(p engine.Published) bool {
		if entry, ok := control.EntryOf(p); ok {
			entry.Called = b.Label(entry.Conversation)
			if list = append(list, entry); len(list) > n {
				list = slices.Delete(list, 0, 1)
			}
		}
		return true
	})
	return list, err
}
