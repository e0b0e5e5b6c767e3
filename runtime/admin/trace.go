package admin

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/snapshot"
	"github.com/kehai-run/kehai/runtime/trace"
)

// Timeline implements [control.Backend].
func (b Backend) Timeline(ctx context.Context, q control.Query, yield func(control.Entry) error) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if q.Conversation, err = b.Which(ctx, string(q.Conversation)); err != nil {
		return err
	}
	return trace.Timeline(ctx, e, q, func(entry control.Entry) error {
		entry.LoggedAs, entry.Called = b.Names.Hidden(entry.Conversation), b.Label(entry.Conversation)
		return yield(entry)
	})
}

// Verdicts implements [control.Backend].
func (b Backend) Verdicts(ctx context.Context, q control.Query, yield func(events.Verdict) error) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if q.Conversation, err = b.Which(ctx, string(q.Conversation)); err != nil {
		return err
	}
	return trace.Verdicts(ctx, e, q, yield)
}

// Trace implements [control.Backend].
func (b Backend) Trace(ctx context.Context, id messages.MessageID) (control.Path, error) {
	e, err := b.Engine()
	if err != nil {
		return control.Path{}, err
	}
	ev, err := trace.Gather(e, "")
	if err != nil {
		return control.Path{}, err
	}
	if p, ok := ev.Delivered(id); ok {
		b.call(&p)
		return p, ctx.Err()
	}
	return control.Path{}, fmt.Errorf("%w: %s was not delivered, or is kept no longer: "+
		"kehai messages --json lists ids, kehai why finds what was not delivered", control.ErrNoMessage, id)
}

// call adds what people call the conversation of a path.
func (b Backend) call(p *control.Path) {
	if p.Called = b.Label(p.Conversation); p.Entry != nil {
		p.Entry.Called = p.Called
	}
}

// Why implements [control.Backend].
func (b Backend) Why(ctx context.Context, q control.WhyQuery) (control.Why, error) {
	why := control.Why{Paths: []control.Path{}}
	e, err := b.Engine()
	if err != nil {
		return why, err
	}
	if q.ID == "" && q.Limit < 1 {
		return why, fmt.Errorf("why: %d matches: want 1 or more, such as control.DefaultFound", q.Limit)
	}
	if q.Conversation, err = b.Which(ctx, string(q.Conversation)); err != nil {
		return why, err
	}
	ev, err := trace.Gather(e, q.Conversation)
	if err != nil {
		return why, err
	}
	ev.Recalled = func(run string) (control.Recollection, error) { return b.Run(ctx, run) }
	if q.ID != "" {
		if why.Paths = ev.ByID(q.ID); len(why.Paths) == 0 {
			return why, fmt.Errorf("%w: %s: want the id of a message or a reply, as kehai messages "+
				"--json lists it, or of a dead letter; kehai why --text finds others", control.ErrNoMessage, q.ID)
		}
	} else {
		why.Paths = append(why.Paths, ev.ByText(q, b.shown())...)
	}
	for i := range why.Paths {
		b.call(&why.Paths[i])
	}
	b.addNotes(&why, ev, ev.OnChannels(q.Conversation, why.Paths))
	return why, ctx.Err()
}

// addNotes tells what is known beside the paths. Where no window has a part in these,
// nothing of windows is told.
func (b Backend) addNotes(why *control.Why, ev *trace.Evidence, onChannels bool) {
	if onChannels {
		why.Notes = b.keptNote()
		if b.Live != nil {
			why.Notes = append(why.Notes, b.Live.Problems()...)
		}
		return
	}
	why.Notes = b.notes()
	if b.Live == nil {
		why.Notes = append(why.Notes, "Kehai does not run: nothing is read.")
	} else {
		why.Recent = b.Live.Seen.Drops()
		why.Notes = append(append(why.Notes, b.Live.Seen.Notes(time.Now())...), b.Live.Problems()...)
	}
	why.Notes = append(why.Notes, b.lastRead(ev))
}

// lastRead tells what was read last, by whatever run.
func (b Backend) lastRead(ev *trace.Evidence) string {
	c, text, at, ok := ev.LastRead()
	if !ok {
		return "Nothing was ever read, as far as is still known."
	}
	return fmt.Sprintf("Last read, %s, in %s: 「%s」", control.Stamp{Time: at}, cmp.Or(b.Label(c), string(c)), text)
}

// shown is what stands on the screen at the moment, as far as a running Kehai knows.
func (b Backend) shown() []snapshot.Text {
	if b.Live == nil {
		return nil
	}
	return b.Live.Seen.Shown()
}

// notes say what keeps messages from being read, as far as the store knows.
func (b Backend) notes() (notes []string) {
	for _, p := range b.Pauses.List() {
		what := "All windows are"
		if p.Window != "" {
			what = fmt.Sprintf("Window %s is", p.Window)
		}
		notes = append(notes, fmt.Sprintf("%s paused since %s: kehai resume goes on.", what, p.Since))
	}
	if n := len(b.Config.Read.Only); n > 0 {
		notes = append(notes, fmt.Sprintf("Only %d conversations are read (read.only in the configuration).", n))
	}
	return append(notes, b.keptNote()...)
}

// keptNote says how long decisions are kept, if not for ever.
func (b Backend) keptNote() (notes []string) {
	if keep := b.Config.Retention.Verdicts; keep > 0 {
		notes = append(notes, fmt.Sprintf("Decisions are kept for %s (retention.verdicts).", describe.Span(keep)))
	}
	return notes
}
