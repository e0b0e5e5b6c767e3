package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
)

// part is what moves to another conversation in one turn.
type part struct {
	messages []messages.MessageDelivered // as they are here
	own      []Own
	more     bool // there is more to move next
}

// split moves the messages at some places to another conversation, newest first, one part
// in each turn. It also moves the reminders they asked for, a draft that answers only them,
// and the originals of what is masked in them. If a reply also answers messages that stay,
// this conversation decides anew about those. A reply that is being sent stays.
func (a *actor) split(turn *actors.Turn, m messages.SplitTalk) error {
	p := a.part(turn, m)
	if len(p.messages) == 0 && len(p.own) == 0 {
		return nil
	}
	r := rest{Own: slices.Clone(p.own)}
	for i := range r.Own {
		r.Own[i].Occurrence += m.Offset
	}
	into := Into{Conversation: m.Into, Offset: m.Offset}
	var list []messages.MessageDelivered
	gone := map[messages.MessageID]bool{}
	for _, d := range p.messages {
		gone[d.ID] = true
		moved := d
		moved.InboundMessage = into.moved(d.InboundMessage)
		list = append(list, moved)
	}
	a.unanswer(turn, p.messages, gone, &r)
	for key, rem := range Reminders.All(turn) {
		if gone[rem.Message] && !rem.Due {
			r.Reminders = append(r.Reminders, rem)
			Reminders.Delete(turn, key)
			turn.Cancel(remindTimer(rem.Number))
		}
	}
	a.takeOut(turn, p, gone)
	for _, d := range p.messages {
		if l, ok := lineOf(d); ok {
			a.reviseItems(turn, l.Text, "")
		}
	}
	a.analyse(turn)
	a.shareVault(turn, p, &r)
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("conversation: split: %w", err)
	}
	turn.Send(messages.To(Kind, string(m.Into)), messages.TalkSplit{Conversation: m.Into, From: a.id,
		Messages: list, Rest: messages.Text(raw)})
	if p.more {
		turn.Send(messages.To(Kind, string(a.id)), m)
	}
	return nil
}

// part finds what is left here to move.
func (a *actor) part(turn *actors.Turn, m messages.SplitTalk) (p part) {
	size := 0
	full := func(n int, text string) bool {
		size += len(text)
		p.more = p.more || n == batch || n > 0 && size > batchBytes
		return p.more
	}
	var all []messages.MessageDelivered
	for _, d := range Messages.All(turn) {
		if slices.ContainsFunc(d.Parts, func(p messages.Part) bool {
			return slices.Contains(m.Occurrences, p.Occurrence)
		}) {
			all = append(all, d)
		}
	}
	for _, d := range slices.Backward(all) {
		if full(len(p.messages), said(d)) {
			break
		}
		p.messages = append(p.messages, d)
	}
	slices.Reverse(p.messages)
	for _, o := range OwnMessages.All(turn) {
		if o.Occurrence == 0 || !slices.Contains(m.Occurrences, o.Occurrence) {
			continue
		}
		if full(len(p.own), string(o.Text)) {
			break
		}
		p.own = append(p.own, o)
	}
	return p
}

// said returns all that a message says, and used to say.
func said(d messages.MessageDelivered) string {
	var all strings.Builder
	for _, p := range d.Parts {
		all.WriteString(string(p.Text) + "\n" + string(p.Edited) + "\n")
	}
	return all.String()
}

// unanswer makes the other conversation responsible for answering the messages that move,
// except those that a reply on its way already answers. So each is answered once.
func (a *actor) unanswer(turn *actors.Turn, list []messages.MessageDelivered, gone map[messages.MessageID]bool,
	r *rest) {
	desk, _ := Desks.Get(turn, onlyRow)
	open := slices.Clone(desk.Waiting)
	if t := desk.Open; t != nil && t.State != reply.Sending {
		open = append(slices.Clone(t.Messages), open...)
		goes := !slices.ContainsFunc(t.Messages, func(id messages.MessageID) bool { return !gone[id] })
		if goes && (t.State == reply.Drafted || t.State == reply.Held) {
			draft := *t
			r.Draft = &draft
			r.Basis, _ = Bases.Get(turn, RowKey(t.ID))
		}
	}
	for _, d := range list {
		if slices.Contains(open, d.ID) {
			r.Open = append(r.Open, d.ID)
		}
		a.step(turn, reply.Event{Kind: reply.OnChanged, Message: d.ID, Unsent: true})
	}
	if len(list) > 0 { // also a judgement that no reply is wanted is about what goes
		a.tellJudge(turn, messages.FateForget)
	}
}

// takeOut deletes here what moves, and makes memory forget it. The messages that stay are
// renumbered.
func (a *actor) takeOut(turn *actors.Turn, p part, gone map[messages.MessageID]bool) {
	for _, d := range p.messages {
		a.unremember(turn, d.ID)
		ids.Delete(turn, string(d.ID))
		revisions.Delete(turn, string(d.ID))
	}
	for _, o := range p.own {
		a.unremember(turn, ownID(o))
		if n, known := placesOfOwn.Get(turn, placeKey(o.Occurrence)); known {
			dropOwn(turn, n, o)
		}
	}
	if len(p.messages) == 0 {
		return
	}
	var kept []messages.MessageDelivered
	for _, d := range Messages.All(turn) {
		if !gone[d.ID] {
			kept = append(kept, d)
		}
	}
	Messages.Clear(turn)
	head, _ := Heads.Get(turn, "head")
	head.Count -= int64(len(p.messages))
	head.LastID, head.LastAt = "", time.Time{}
	for i, d := range kept {
		n := head.Count - int64(len(kept)) + int64(i) + 1
		Messages.Put(turn, RowKey(n), d)
		ids.Put(turn, string(d.ID), n)
		if head.LastID == "" || !d.DeliveredAt.Before(head.LastAt) {
			head.LastID, head.LastAt = d.ID, d.DeliveredAt
		}
	}
	Heads.Put(turn, "head", head)
}

// shareVault passes on the originals and names that the moved messages contain, and forgets
// them where no remaining message contains them.
func (a *actor) shareVault(turn *actors.Turn, p part, r *rest) {
	vault, ok := vaults.Get(turn, onlyRow)
	if !ok {
		return
	}
	var goes, stays strings.Builder
	for _, d := range p.messages {
		goes.WriteString(said(d) + string(d.Sender) + "\n")
	}
	for _, o := range p.own {
		goes.WriteString(string(o.Text) + "\n")
	}
	for _, d := range Messages.All(turn) {
		stays.WriteString(said(d) + string(d.Sender) + "\n")
	}
	for _, o := range OwnMessages.All(turn) {
		stays.WriteString(string(o.Text) + "\n")
	}
	if desk, _ := Desks.Get(turn, onlyRow); desk.Open != nil {
		stays.WriteString(string(desk.Open.Text))
	}
	r.Vault = map[string]string{}
	kept := map[string]string{}
	for placeholder, original := range vault.Originals {
		there := strings.Contains(goes.String(), original)
		if there {
			r.Vault[placeholder] = original
		}
		if !there || strings.Contains(stays.String(), original) {
			kept[placeholder] = original
		}
	}
	vault.Originals = kept
	vault.Names = slices.DeleteFunc(slices.Clone(vault.Names), func(name string) bool {
		if !strings.Contains(goes.String(), name) {
			return false
		}
		r.Names = append(r.Names, name)
		return !strings.Contains(stays.String(), name)
	})
	vaults.Put(turn, onlyRow, vault)
}

// takeIn takes over what was said in another conversation before this one was split from
// it, and makes memory remember it here.
func (a *actor) takeIn(turn *actors.Turn, m messages.TalkSplit) error {
	for _, d := range m.Messages {
		if l, left := lineOf(d); left {
			a.remember(turn, l, d.Window)
		}
	}
	return a.joined(turn, messages.TalkJoined(m))
}
