package admin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

var (
	_ control.ReplyBackend = Backend{}
	_ control.ReplyBackend = (*control.Client)(nil)
)

// desk is what is stored about the replies of one conversation.
type desk struct {
	reply.Desk
	bases map[string]conversation.Basis
	said  map[messages.MessageID]messages.MessageDelivered
}

// Drafts implements [control.ReplyBackend].
func (b Backend) Drafts(ctx context.Context) ([]control.Draft, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	leaving, err := b.leaving(e)
	if err != nil {
		return nil, err
	}
	list := []control.Draft{}
	err = eachDesk(ctx, e, func(c messages.ConversationID, d desk) {
		turns := d.Unknown
		if d.Open != nil {
			turns = append(turns, *d.Open)
		}
		for _, t := range turns {
			switch t.State {
			case reply.Judging, reply.Writing, reply.Held, reply.Drafted, reply.Unknown:
				list = append(list, d.draft(c, t))
			case reply.Sending:
				draft := d.draft(c, t)
				draft.Waits = leaving[draft.ID]
				list = append(list, draft)
			}
		}
	})
	for i := range list { // also of one that was merged, while what is stored has yet to follow
		list[i].Called = b.Label(list[i].Conversation)
	}
	return list, err
}

// leaving is why replies that are to be sent are not typed yet, "" for one that outbound
// works on or has not received yet.
func (b Backend) leaving(e *engine.Engine) (map[control.DraftID]messages.SendReason, error) {
	paused := b.Pauses.SendingStamp()
	why := map[control.DraftID]messages.SendReason{}
	add := func(_ messages.Address, _ string, r outbound.Reply) error {
		id := control.NewDraftID(r.Conversation, r.Turn, r.Epoch)
		switch {
		case r.State != outbound.Queued && r.State != outbound.Leasing && r.State != outbound.Verifying:
		case paused != nil:
			why[id] = messages.CodePaused
		default:
			why[id] = r.Reason
		}
		return nil
	}
	return why, engine.ReadTable(e, outbound.Kind, outbound.Replies, add)
}

// eachDesk yields the replies of each conversation. Rows come by conversation.
func eachDesk(ctx context.Context, e *engine.Engine, yield func(messages.ConversationID, desk)) error {
	var now desk
	var of messages.ConversationID
	var failed error
	flush := func() {
		if of != "" && (now.Open != nil || len(now.Unknown) > 0) {
			yield(of, now)
		}
		now = desk{bases: map[string]conversation.Basis{},
			said: map[messages.MessageID]messages.MessageDelivered{}}
	}
	err := e.ReadRows(conversation.Kind, func(row engine.Row) bool {
		if c := messages.ConversationID(row.Actor.Key()); c != of {
			flush()
			of = c
		}
		if failed = ctx.Err(); failed == nil {
			failed = now.take(row)
		}
		return failed == nil
	})
	if err = errors.Join(err, failed); err == nil {
		flush()
	}
	return err
}

// StillSends reports whether a conversation's desk, as this machine has it, is sending a reply.
func (b Backend) StillSends(of messages.Sending) (bool, error) {
	e, err := b.Engine()
	if err != nil {
		return false, err
	}
	raw, ok, err := e.ReadRow(messages.To(conversation.Kind, string(of.Conversation)),
		conversation.Desks.Row(conversation.DeskKey))
	if err != nil || !ok {
		return false, err
	}
	d, err := conversation.Desks.Decode(raw)
	return err == nil && d.StillSends(of), err
}

// DiskOf names the store of the machine that shows a window: one that is replaced comes back with another one, and one
// that is no member any more sends nothing that a majority has to confirm.
func (b Backend) DiskOf(w messages.WindowID) string {
	e, err := b.Engine()
	if err != nil {
		return "" // nothing runs
	}
	node := string(w[strings.LastIndexByte(string(w), '@')+1:])
	if b.Live != nil && b.Live.Cluster != nil && !b.Live.Cluster.Belongs(node) {
		return ""
	}
	return e.StoreOf(messages.To(messages.ActorOutbound, string(w)))
}

// take reads a row.
func (d *desk) take(row engine.Row) (err error) {
	switch row.Table {
	case conversation.Desks.Name():
		d.Desk, err = conversation.Desks.Decode(row.Value)
	case conversation.Bases.Name():
		d.bases[row.Key], err = conversation.Bases.Decode(row.Value)
	case conversation.Messages.Name():
		// Tables come in the order of their names: the desk is known.
		if d.Open == nil && len(d.Unknown) == 0 {
			return nil
		}
		var m messages.MessageDelivered
		m, err = conversation.Messages.Decode(row.Value)
		d.said[m.ID] = m
	}
	return err
}

// draft describes a turn's reply.
func (d desk) draft(c messages.ConversationID, t reply.Turn) control.Draft {
	basis := d.bases[conversation.RowKey(t.ID)]
	draft := control.Draft{
		ID: control.NewDraftID(c, t.ID, t.Epoch), Conversation: c, State: t.State, Text: string(t.Text),
		Rule: basis.Rule, Confidence: basis.Confidence, Reason: string(basis.ReplyBasis.Reason),
		Judged: basis.Source, Lines: basis.Lines, Model: basis.Model, Prompt: basis.Prompt, Fallback: basis.Fallback,
		NotSent: basis.Reason, WrittenAt: control.Stamp{Time: basis.WrittenAt}, Answers: []control.Answered{},
	}
	for _, id := range t.Messages {
		a := control.Answered{Message: id}
		if m, ok := d.said[id]; ok {
			now := saidOf(m)
			a.Sender, a.Text, a.Edited, a.Unsent = now.Sender, now.Content, now.Edited, now.Unsent
		}
		draft.Answers = append(draft.Answers, a)
	}
	return draft
}

// DraftDo implements [control.ReplyBackend].
func (b Backend) DraftDo(ctx context.Context, id control.DraftID, do messages.DraftVerb, text string) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if whole := (stream.Rule{}).Final(text); do == messages.DraftEdit &&
		(whole == "" || whole != stream.DefaultRule().Final(text)) {
		return control.ErrDraftText
	}
	c, turn, epoch, ok := id.Split()
	if !ok {
		return control.ErrNoDraft
	}
	list, err := b.Drafts(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(d control.Draft) bool { return d.ID == id })
	switch {
	case at < 0:
		return control.ErrNoDraft
	case list[at].State == reply.Sending:
		return control.ErrDraftLeaves
	case list[at].Unwritten() && do != messages.DraftReject:
		return control.ErrUnwritten
	case do == messages.DraftApprove:
		if err := b.mayHandOut(e, c); err != nil {
			return err
		}
	}
	return e.Inject(ctx, messages.To(conversation.Kind, string(c)), messages.DraftCommand{
		Conversation: c, Turn: turn, Epoch: epoch, Do: do, Text: messages.Text(text),
	}, "")
}

// mayHandOut refuses to approve what a channel would hand out at once while sending is
// paused. In windows an approved reply waits for the end of the pause.
func (b Backend) mayHandOut(e *engine.Engine, c messages.ConversationID) error {
	_, k, err := names.Find(e, c)
	if errors.Is(err, control.ErrNoConversation) || err == nil && channelOf(k) == "" {
		return nil
	}
	if err == nil && b.Pauses.Key(func() error { return nil }) != nil {
		return control.ErrSendingPaused
	}
	return err
}

// Reminders implements [control.ReplyBackend].
func (b Backend) Reminders(context.Context) ([]control.Reminder, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	list := []control.Reminder{}
	add := func(a messages.Address, _ string, r conversation.Reminder) error {
		c := messages.ConversationID(a.Key())
		list = append(list, control.Reminder{ID: control.NewReminderID(c, r.Number), Conversation: c,
			At: control.Stamp{Time: r.At}, What: string(r.What), Due: r.Due})
		return nil
	}
	err = engine.ReadTable(e, conversation.Kind, conversation.Reminders, add)
	for i := range list {
		list[i].Called = b.Label(list[i].Conversation)
	}
	return list, err
}

// CancelReminder implements [control.ReplyBackend].
func (b Backend) CancelReminder(ctx context.Context, id control.ReminderID) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	list, err := b.Reminders(ctx)
	if err != nil {
		return err
	}
	for _, r := range list {
		if c, n, ok := id.Split(); ok && r.ID == id && !r.Due {
			return e.Inject(ctx, messages.To(conversation.Kind, string(c)),
				messages.CancelReminder{Conversation: c, Number: n}, "")
		}
	}
	return control.ErrNoReminder
}

// Judgements implements [control.ReplyBackend].
func (b Backend) Judgements(context.Context) ([]control.Judgement, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	known, err := names.Known(e)
	if err != nil {
		return nil, err
	}
	list := []control.Judgement{}
	err = engine.ReadTable(e, judge.Kind, judge.Rows, func(a messages.Address, _ string, row judge.Row) error {
		c := messages.ConversationID(a.Key())
		if directory.Resolve(known, c) != c { // it went into another one, which is judged
			return nil
		}
		j := control.Judgement{Scope: string(judge.ScopeOf(c, "")), Conversation: c, Asking: row.Asked != nil,
			OnItsWay: row.Pending != nil}
		newest := row.Cache
		if row.Pending != nil {
			newest = row.Pending
		}
		if newest != nil {
			j.ShouldRespond, j.Confidence, j.Reason = newest.ShouldRespond, newest.Confidence, string(newest.Reason)
			j.Source, j.Message = messages.JudgeSource(newest.Source), newest.Latest
			j.JudgedAt, j.NextCheckAt = control.Stamp{Time: newest.UpdatedAt}, control.Stamp{Time: newest.NextCheckAt}
		}
		list = append(list, j)
		return nil
	})
	return list, err
}

// pauseSending stops or resumes the sending of replies. It is durable: while no Kehai
// runs it waits for the next start.
func (b Backend) pauseSending(ctx context.Context, paused bool) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if err := b.Pauses.SetSending(ctx, e, paused); err != nil { // no key is pressed from here on
		return err
	}
	var m messages.Message = messages.ResumeSending{}
	if paused {
		m = messages.PauseSending{}
	}
	return e.Inject(ctx, messages.To(owner.Kind, b.Config.Node), m, "")
}
