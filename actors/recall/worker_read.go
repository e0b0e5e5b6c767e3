package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

// NewReader returns a constructor of workers that read what is new in a conversation's
// memory.
func NewReader(l *Library) func() (actors.Worker, error) {
	return func() (actors.Worker, error) {
		return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
			m, ok := request.(messages.ReadEvents)
			if !ok {
				return nil, fmt.Errorf("recall: unexpected %s", request.MessageType())
			}
			return l.Read(ctx, m)
		}), nil
	}
}

// maxUnindexed is how many changes the index may not have heard of yet. They are read again
// after all else.
const maxUnindexed = 64

// Read returns the events that changed after a place, in the order of the changes. If
// these are not known any more, it returns all events in the order of time.
func (l *Library) Read(ctx context.Context, m messages.ReadEvents) (messages.EventsRead, error) {
	out := messages.EventsRead{Conversation: m.Conversation, Reached: m.After}
	rows := l.rows.Load()
	if rows == nil {
		return out, ErrNoRows
	}
	talk, known, err := (*rows).Talk(m.Conversation)
	if err != nil || !known {
		return out, err
	}
	at := &out.Reached
	anew := messages.Reached{Changes: talk.Changes, Print: talk.Print, Anew: true}
	if back, ok, err := (*rows).Change(m.Conversation, talk.Changes-min(talk.Changes, maxUnindexed)); err != nil {
		return out, err
	} else if ok {
		anew.Changes, anew.Print = back.At.Changes, back.At.Print
	}
	if !at.Anew {
		on, err := l.goesOn(*rows, m.Conversation, *at, talk.At)
		if err != nil {
			return out, err
		}
		if !on {
			*at = anew
		}
	}
	if at.Anew {
		return out, l.readAnew(ctx, *rows, m, &out)
	}
	for at.Changes < talk.Changes && len(out.Events) < m.Most && ctx.Err() == nil {
		change, ok, err := (*rows).Change(m.Conversation, at.Changes+1)
		if err != nil || !ok {
			out.Reached, out.More = anew, true
			return out, err
		}
		ids := change.IDs[min(at.Part, len(change.IDs)):]
		n := min(len(ids), m.Most-len(out.Events))
		if err := l.take(*rows, m.Conversation, ids[:n], &out); err != nil {
			return out, err
		}
		if at.Part += n; n == len(ids) {
			*at = messages.Reached{Changes: change.At.Changes, Print: change.At.Print}
		}
	}
	out.More = at.Changes < talk.Changes
	return out, ctx.Err()
}

// goesOn reports whether all changes after a place are still known.
func (l *Library) goesOn(rows Rows, c messages.ConversationID, from messages.Reached, to memory.At) (bool, error) {
	switch {
	case from.Changes == to.Changes:
		return from.Print == to.Print, nil
	case from.Changes > to.Changes || to.Changes-from.Changes > memory.KeptChanges-1:
		return false, nil
	case from.Changes == 0:
		_, ok, err := rows.Change(c, 1)
		return ok, err
	}
	change, ok, err := rows.Change(c, from.Changes)
	return ok && change.At.Print == from.Print, err
}

func (l *Library) take(rows Rows, c messages.ConversationID, ids []messages.MessageID, out *messages.EventsRead) error {
	for _, id := range ids {
		e, ok, err := rows.Event(c, id)
		switch {
		case err != nil:
			return err
		case ok:
			out.Events = append(out.Events, messages.GrownEvent{Event: e.Event, Thread: e.Thread})
		default:
			out.Events = append(out.Events, messages.GrownEvent{Event: messages.Event{ID: id}, Gone: true})
		}
	}
	return nil
}

// readAnew takes the next events in the order of time.
func (l *Library) readAnew(ctx context.Context, rows Rows, m messages.ReadEvents, out *messages.EventsRead) error {
	if err := l.have(ctx, []messages.ConversationID{m.Conversation}); err != nil {
		return err
	}
	out.Anew = true
	at := &out.Reached
	type place struct {
		at time.Time
		id messages.MessageID
	}
	var next []place
	x := l.index.Load()
	for n := m.Most; ; n *= 2 {
		next = next[:0]
		docs := x.Timeline(string(m.Conversation), at.After, time.Time{}, n)
		for _, d := range docs {
			e := x.Entry(d)
			_, id, _ := strings.Cut(e.ID, "\x00")
			p := place{e.At, messages.MessageID(id)}
			if p.at.After(at.After) || p.at.Equal(at.After) && p.id > at.ID {
				next = append(next, p)
			}
		}
		// Events of one moment are in no order: all of the last one's must be there.
		if len(docs) < n || len(next) > m.Most && !next[len(next)-1].at.Equal(next[m.Most-1].at) {
			break
		}
	}
	slices.SortFunc(next, func(a, b place) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	out.More = len(next) > m.Most
	next = next[:min(len(next), m.Most)]
	for _, p := range next {
		if err := l.take(rows, m.Conversation, []messages.MessageID{p.id}, out); err != nil {
			return err
		}
		at.After, at.ID = p.at, p.id
	}
	if !out.More {
		*at = messages.Reached{Changes: at.Changes, Print: at.Print}
		talk, _, err := rows.Talk(m.Conversation)
		out.More = talk.Changes > at.Changes
		return err
	}
	return ctx.Err()
}
