package trace

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// timeline is the event log as people read it: the entry of a message or reply says what
// happened to it, and a gap is where the transcript has it.
type timeline struct {
	changes   map[messages.MessageID][]control.Change
	fates     map[sending]fate
	first     map[sending]uint64         // where a reply was first mentioned
	after     map[uint64][]control.Entry // gaps, by the place of the message that they follow
	elsewhere map[uint64]bool            // log places of those gaps, and of changes shown in other entries
}

// sending names one sending of a text.
type sending struct {
	conversation messages.ConversationID
	turn         int64
	epoch        int
	key          string
}

// fate is how a sending ended.
type fate struct {
	state      control.ReplyState
	occurrence messages.Occurrence
}

// logReader reads the event log after a place, like engine.Engine.ReadLog.
type logReader func(after uint64, yield func(engine.Published) bool) error

// resolved reads the events of a conversation that was merged into another one as events
// of the other.
func resolved(read logReader, known map[messages.ConversationID]directory.Known) logReader {
	return func(after uint64, yield func(engine.Published) bool) error {
		return read(after, func(p engine.Published) bool {
			to := func(c *messages.ConversationID) { *c = directory.Resolve(known, *c) }
			switch m := p.Message.(type) {
			case messages.MessageDelivered:
				to(&m.Conversation)
				p.Message = m
			case messages.MessageChanged:
				to(&m.Conversation)
				p.Message = m
			case messages.TranscriptGap:
				to(&m.Conversation)
				p.Message = m
			case messages.ReplyChanged:
				to(&m.Conversation)
				p.Message = m
			case messages.SendDone:
				to(&m.Conversation)
				p.Message = m
			}
			return yield(p)
		})
	}
}

// newTimeline reads what the entries after a place depend on.
func newTimeline(ctx context.Context, read logReader, q control.Query) (*timeline, error) {
	t := &timeline{changes: map[messages.MessageID][]control.Change{}, fates: map[sending]fate{},
		first: map[sending]uint64{}, after: map[uint64][]control.Entry{}, elsewhere: map[uint64]bool{}}
	listed := map[messages.MessageID]bool{}
	var gaps []control.Entry
	last := map[uint64]uint64{} // gap to the last message before it
	err := read(q.After, func(p engine.Published) bool {
		t.sent(p)
		entry, ok := control.EntryOf(p)
		if !ok || !within(q, p, entry) {
			return ctx.Err() == nil
		}
		switch {
		case entry.Change != nil && listed[entry.Change.Message]:
			t.changes[entry.Change.Message] = append(t.changes[entry.Change.Message], *entry.Change)
			t.elsewhere[entry.Seq] = true
		case entry.Gap != nil && entry.Gap.After > 0:
			gaps = append(gaps, entry)
		case entry.Message != nil:
			listed[entry.Message.ID] = true
			for _, g := range gaps {
				if g.Conversation == entry.Conversation && before(entry.Message, g.Gap.After) {
					last[g.Seq] = entry.Seq
				}
			}
		}
		return ctx.Err() == nil
	})
	for _, g := range gaps {
		if at := last[g.Seq]; at > 0 {
			t.after[at], t.elsewhere[g.Seq] = append(t.after[at], g), true
		}
	}
	return t, errors.Join(err, ctx.Err())
}

// before reports whether a message, or its first part, comes before a gap.
func before(m *control.Message, gap messages.Occurrence) bool {
	return slices.ContainsFunc(m.Parts, func(p control.Part) bool { return p.Occurrence <= gap })
}

// within reports whether a query selects an entry.
func within(q control.Query, p engine.Published, e control.Entry) bool {
	at := p.At
	if e.Message != nil {
		at = e.Message.DeliveredAt.Time
	}
	return (q.Conversation == "" || e.Conversation == q.Conversation) && !at.Before(q.Since)
}

// sent notes how a sending ended.
func (t *timeline) sent(p engine.Published) {
	switch m := p.Message.(type) {
	case messages.SendDone:
		if m.Outcome == messages.SendConfirmed {
			t.fates[sending{m.Conversation, m.Turn, m.Epoch, m.Key}] = fate{control.ReplySent, m.Occurrence}
		}
	case messages.ReplyChanged:
		if s := (sending{m.Conversation, m.Turn, m.Epoch, ""}); m.State == control.ReplySent {
			t.fates[s] = fate{control.ReplySent, t.fates[s].occurrence}
		}
	}
}

// fold adds to an entry what happened to it; false if another entry shows this one.
func (t *timeline) fold(e *control.Entry) bool {
	switch {
	case e.Message != nil:
		for _, c := range t.changes[e.Message.ID] {
			e.Message.Apply(c)
		}
	case e.Reply != nil:
		s := sending{conversation: e.Conversation, key: e.Reply.Key}
		if _, turn, epoch, ok := e.Reply.ID.Split(); ok {
			s.turn, s.epoch = turn, epoch
		}
		if at, told := t.first[s]; told && at != e.Seq {
			return false
		}
		t.first[s] = e.Seq
		if f, ok := t.fates[s]; ok {
			e.Reply.State, e.Reply.Reason = f.state, ""
			e.Reply.Occurrence = cmp.Or(f.occurrence, e.Reply.Occurrence)
		}
	}
	return !t.elsewhere[e.Seq]
}

// Timeline yields what a query selects from the event log, oldest first. The entry of a
// message or a reply says what happened to it.
func Timeline(ctx context.Context, e *engine.Engine, q control.Query, yield func(control.Entry) error) error {
	known, err := names.Known(e)
	if err != nil {
		return err
	}
	return readTimeline(ctx, resolved(e.ReadLog, known), q, yield)
}

// readTimeline yields what a query selects from the event log.
func readTimeline(ctx context.Context, read logReader, q control.Query, yield func(control.Entry) error) error {
	t, err := newTimeline(ctx, read, q)
	if err != nil {
		return err
	}
	var newest []control.Entry // the last q.Limit, when there is a limit
	show := yield
	if q.Limit > 0 {
		show = func(entry control.Entry) error {
			if newest = append(newest, entry); len(newest) > q.Limit {
				newest = newest[1:]
			}
			return nil
		}
	}
	var failed error
	err = read(q.After, func(p engine.Published) bool {
		entry, ok := control.EntryOf(p)
		if failed = ctx.Err(); failed == nil && ok && within(q, p, entry) && t.fold(&entry) {
			failed = show(entry)
		}
		for _, gap := range t.after[p.Seq] {
			if failed == nil {
				failed = show(gap)
			}
		}
		return failed == nil
	})
	for _, entry := range newest {
		if failed == nil {
			failed = yield(entry)
		}
	}
	return errors.Join(err, failed)
}
