package admin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// Learned implements [control.MemoryBackend].
func (b Backend) Learned(ctx context.Context, c messages.ConversationID) (control.Learned, error) {
	out := control.Learned{States: []control.Known{}, Names: []control.Named{}, Moods: []control.Mood{}}
	e, err := b.Engine()
	if err != nil {
		return out, err
	}
	if c, err = b.Which(ctx, string(c)); err != nil {
		return out, err
	}
	var bad error
	moments := map[messages.ConversationID][]memory.Moment{}
	err = b.learnedRows(ctx, e, c, func(row engine.Row, unopened error) {
		if unopened != nil {
			out.Closed++
			out.Why = cmp.Or(out.Why, unopened.Error())
			return
		}
		of := messages.ConversationID(row.Actor.Key())
		switch row.Table {
		case growth.Topics.Name():
			t, err := growth.Topics.Decode(row.Value)
			bad = errors.Join(bad, err)
			for _, s := range t.States {
				out.States = append(out.States, b.known(of, t, s))
			}
		case growth.Entities.Name():
			n, err := growth.Entities.Decode(row.Value)
			bad = errors.Join(bad, err)
			out.Names = append(out.Names, control.Named{Conversation: of, Called: b.Label(of), Kind: n.Type,
				Name: string(n.Name), Events: n.Events})
		case growth.Moments.Name():
			m, err := growth.Moments.Decode(row.Value)
			bad = errors.Join(bad, err)
			moments[of] = append(moments[of], m)
		}
	})
	for of, list := range moments {
		out.Moods = append(out.Moods, b.moods(of, list)...)
	}
	slices.SortFunc(out.States, func(x, y control.Known) int {
		return cmp.Or(x.From.Compare(y.From.Time), cmp.Compare(x.Conversation, y.Conversation),
			cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Speaker, y.Speaker), cmp.Compare(x.Topic, y.Topic))
	})
	slices.SortFunc(out.Names, func(x, y control.Named) int {
		return cmp.Or(cmp.Compare(len(y.Events), len(x.Events)), cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Conversation, y.Conversation))
	})
	slices.SortFunc(out.Moods, func(x, y control.Mood) int {
		return cmp.Or(cmp.Compare(x.Conversation, y.Conversation), cmp.Compare(x.Speaker, y.Speaker))
	})
	return out, errors.Join(err, bad, ctx.Err())
}

// learnedRows reads what has grown from a conversation and those merged into it; unopened is why a row has no value: no
// key opens it, or that is out of reach.
func (b Backend) learnedRows(ctx context.Context, e *engine.Engine, c messages.ConversationID,
	each func(row engine.Row, unopened error)) (err error) {
	actors := []messages.Address{""} // all
	if c != "" {
		known, err := names.Known(e)
		if err != nil {
			return err
		}
		actors = nil
		for _, of := range append(directory.Merged(known, c), c) {
			actors = append(actors, messages.To(growth.Kind, string(of)))
		}
	}
	for _, a := range actors {
		var bad error
		failed := e.EachRowOf(growth.Kind, a, func(row engine.Row, unopened error) bool {
			if unopened != nil && !errors.Is(unopened, engine.ErrNoKey) && !errors.Is(unopened, engine.ErrKeyAway) {
				bad = cmp.Or(bad, unopened)
			} else {
				each(row, unopened)
			}
			return ctx.Err() == nil
		})
		err = cmp.Or(err, failed, bad)
	}
	return err
}

func (b Backend) known(of messages.ConversationID, t memory.Topic, s memory.State) control.Known {
	k := control.Known{Conversation: of, Called: b.Label(of), Kind: string(t.Kind), Own: t.Subject == "",
		Speaker: string(t.Subject), Topic: string(t.Name), Text: string(s.Body), Status: string(s.Status),
		Dislike: t.Kind == memory.Preference && !s.Like, From: control.Stamp{Time: s.From}, End: string(s.End),
		Confirmed: control.Stamp{Time: s.Confirmed}, Evidence: s.Evidence}
	if t.Kind == memory.Summary { // its name is an id
		k.Topic, k.Own = "talk", false
	}
	if !s.Until.IsZero() {
		k.Until = &control.Stamp{Time: s.Until}
	}
	return k
}

func (b Backend) moods(of messages.ConversationID, list []memory.Moment) (moods []control.Mood) {
	for _, m := range growth.Moods(list, time.Now()) {
		moods = append(moods, control.Mood{Conversation: of, Called: b.Label(of), Own: m.Subject == "",
			Speaker: string(m.Subject), Mood: m.Word})
	}
	return moods
}

// learnedFrom adds what rests on an event, and how that came about.
func (b Backend) learnedFrom(e *engine.Engine, m *control.Remembered) error {
	of := messages.To(growth.Kind, string(m.Conversation))
	rests, ok, err := readRow(Remembered{e}, growth.Kind, m.Conversation, growth.Events, memory.Key(m.ID))
	if err != nil || !ok {
		return err
	}
	named, err := Remembered{e}.Named(m.Conversation, m.ID)
	if err != nil {
		return err
	}
	for _, n := range named {
		m.Names = append(m.Names, control.Named{Conversation: m.Conversation, Kind: n.Type, Name: string(n.Name),
			Events: n.Events})
	}
	topics := map[string]memory.Topic{}
	for _, key := range append(slices.Clone(rests.Topics), rests.Talk) {
		t, err := Remembered{e}.Topic(m.Conversation, key)
		if err != nil {
			return err
		}
		topics[key] = t
		for _, s := range topics[key].States {
			if slices.Contains(s.Evidence, m.ID) {
				m.Learned = append(m.Learned, b.known(m.Conversation, topics[key], s))
			}
		}
		if key == rests.Talk {
			continue // what else was said is no link
		}
		if err := b.sameTopic(e, topics[key], m); err != nil {
			return err
		}
	}
	var bad error
	err = e.ReadRowsOf(of, func(row engine.Row) bool {
		if row.Table != growth.Revisions.Name() {
			return true
		}
		r, err := growth.Revisions.Decode(row.Value)
		bad = err
		if t, ok := topics[r.Topic]; ok && err == nil {
			m.Changes = append(m.Changes, b.changed(m.Conversation, t, r))
		}
		return bad == nil
	})
	return errors.Join(err, bad)
}

// maxSameTopic is how many other events of a topic are shown, the newest.
const maxSameTopic = 8

// sameTopic adds the other events that say something of a topic.
func (b Backend) sameTopic(e *engine.Engine, t memory.Topic, m *control.Remembered) error {
	for _, c := range t.Claims[max(0, len(t.Claims)-maxSameTopic):] {
		if c.Event == m.ID || slices.ContainsFunc(m.Links, func(l control.Link) bool {
			return l.Label == control.LinkSameTopic && l.Event.ID == c.Event
		}) {
			continue
		}
		other, ok, err := Remembered{e}.Event(m.Conversation, c.Event)
		if err != nil {
			return err
		}
		if ok {
			m.Links = append(m.Links, b.link(control.LinkSameTopic, m.Conversation, other.Event))
		}
	}
	return nil
}

func (b Backend) changed(of messages.ConversationID, t memory.Topic, r memory.Revision) control.Changed {
	c := control.Changed{At: control.Stamp{Time: r.At}, Reason: r.Reason}
	if r.Before != nil {
		k := b.known(of, t, *r.Before)
		c.Before = &k
	}
	if r.After != nil {
		k := b.known(of, t, *r.After)
		c.After = &k
	}
	return c
}
