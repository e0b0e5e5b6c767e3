package conversation

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/messages"
)

// Into says which conversation this one was merged into.
type Into struct {
	Conversation messages.ConversationID `json:"conversation"`
	Offset       messages.Occurrence     `json:"offset"` // of places there
	Twice        []messages.Occurrence   `json:"twice,omitempty"`
	Gone         bool                    `json:"gone,omitempty"` // what was said is there
}

// intos has one row, [DeskKey].
var intos = actors.NewTable[Into]("into")

// rest is what moves along with the messages when a conversation is merged into another.
type rest struct {
	Own       []Own                `json:"own,omitempty"`
	Vault     map[string]string    `json:"vault,omitempty"` // originals by their placeholders
	Names     []string             `json:"names,omitempty"`
	Reminders []Reminder           `json:"reminders,omitempty"`
	Open      []messages.MessageID `json:"open,omitempty"`  // to be answered
	Draft     *reply.Turn          `json:"draft,omitempty"` // waits for a person
	Basis     Basis                `json:"basis,omitzero"`  // of the draft
	Interview *Interview           `json:"interview,omitempty"`
}

func (r rest) none() bool {
	return len(r.Own)+len(r.Vault)+len(r.Names)+len(r.Reminders)+len(r.Open) == 0 && r.Draft == nil &&
		r.Interview == nil
}

// Bounds of what goes in one turn.
const (
	batch      = 100     // messages
	batchBytes = 1 << 20 // of text
)

// moves hands what was said to another conversation, or takes it in.
func (a *actor) moves(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.JoinTalk:
		return a.joinTalk(turn, m)
	case messages.TalkJoined:
		return a.joined(turn, m)
	case messages.SplitTalk:
		return a.split(turn, m)
	case messages.TalkSplit:
		return a.takeIn(turn, m)
	}
	return nil
}

// forward passes on what still arrives for a conversation that was merged into another.
func (a *actor) forward(turn *actors.Turn, msg messages.Message) bool {
	into, ok := intos.Get(turn, onlyRow)
	if !ok || !into.Gone {
		return false
	}
	switch m := msg.(type) {
	case messages.InboundMessage:
		m = into.moved(m)
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.Revised:
		m.Conversation, m.Occurrence = into.Conversation, m.Occurrence+into.Offset
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.OwnMessage:
		m.Conversation, m.Occurrence = into.Conversation, m.Occurrence+into.Offset
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.Say:
		m.Conversation = into.Conversation
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.InterviewBegins:
		m.Conversation = into.Conversation
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.StopInterview:
		m.Conversation = into.Conversation
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.TalkJoined:
		m.Conversation = into.Conversation
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.SplitTalk:
		m.Conversation, m.Offset, m.Occurrences = into.Conversation, m.Offset-into.Offset, slices.Clone(m.Occurrences)
		for i := range m.Occurrences {
			m.Occurrences[i] += into.Offset
		}
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.TalkSplit:
		m.Conversation = into.Conversation
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	case messages.JoinTalk:
		return false
	}
	return true
}

// moved is a message as the other conversation stores it.
func (i Into) moved(m messages.InboundMessage) messages.InboundMessage {
	m.Conversation, m.Parts = i.Conversation, slices.Clone(m.Parts)
	for p := range m.Parts {
		m.Parts[p].Occurrence += i.Offset
	}
	return m
}

// joinTalk starts handing what was said over to another conversation, once.
func (a *actor) joinTalk(turn *actors.Turn, m messages.JoinTalk) error {
	if into, ok := intos.Get(turn, onlyRow); ok && into.Gone {
		return nil
	}
	return a.join(turn, Into{Conversation: m.Into, Offset: m.Offset, Twice: m.Twice})
}

// joinNow continues once the outcome of a reply that was being sent is known.
func (a *actor) joinNow(turn *actors.Turn) error {
	into, ok := intos.Get(turn, onlyRow)
	if !ok || into.Gone {
		return nil
	}
	return a.join(turn, into)
}

// join hands what was said over to another conversation, in as many turns as it takes.
// It waits for a reply that is being typed.
func (a *actor) join(turn *actors.Turn, into Into) error {
	intos.Put(turn, onlyRow, into)
	list, own, more := a.slice(turn, into)
	if more {
		if err := a.tellJoined(turn, into, list, rest{Own: own}); err != nil {
			return err
		}
		turn.After("join", 0, messages.JoinTalk{Conversation: a.id, Into: into.Conversation, Offset: into.Offset,
			Twice: into.Twice})
		return nil
	}
	desk, _ := Desks.Get(turn, onlyRow)
	r := rest{Own: own, Open: slices.Clone(desk.Waiting), Interview: handInterview(turn, desk.Open)}
	for _, m := range Reminders.All(turn) { // a step may end some of them
		r.Reminders = append(r.Reminders, m)
	}
	if t := desk.Open; t != nil {
		r.Open = append(slices.Clone(t.Messages), r.Open...)
		if t.State == reply.Drafted || t.State == reply.Held {
			draft := *t
			r.Draft = &draft
			r.Basis, _ = Bases.Get(turn, RowKey(t.ID))
		}
		a.step(turn, reply.Event{Kind: reply.OnPerson})
		if desk, _ = Desks.Get(turn, onlyRow); desk.Open != nil {
			// It is being sent: the rest follows once its outcome is known.
			return a.tellJoined(turn, into, list, rest{Own: own})
		}
	}
	return a.hand(turn, into, list, r)
}

// slice takes out what goes next: messages and our side as the other conversation has
// them, as much as one turn may hand over. more says that there is more.
func (a *actor) slice(turn *actors.Turn, into Into) (list []messages.MessageDelivered, own []Own, more bool) {
	size, n := 0, 0
	full := func() bool { return n >= batch || size >= batchBytes }
	for key, d := range Messages.All(turn) {
		if full() {
			return list, own, true
		}
		Messages.Delete(turn, key)
		ids.Delete(turn, string(d.ID))
		if n++; into.both(d) {
			continue
		}
		size += len(d.Text)
		for _, p := range d.Parts {
			size += len(p.Text)
		}
		d.InboundMessage = into.moved(d.InboundMessage)
		list = append(list, d)
	}
	for key, o := range OwnMessages.All(turn) {
		if full() {
			return list, own, true
		}
		OwnMessages.Delete(turn, key)
		if n++; slices.Contains(into.Twice, o.Occurrence) && o.Occurrence != 0 {
			continue
		}
		if o.Occurrence != 0 {
			o.Occurrence += into.Offset
		}
		size += len(o.Text)
		own = append(own, o)
	}
	return list, own, false
}

// tellJoined hands a slice to the other conversation.
func (a *actor) tellJoined(turn *actors.Turn, into Into, list []messages.MessageDelivered, r rest) error {
	m := messages.TalkJoined{Conversation: into.Conversation, From: a.id, Messages: list}
	if !r.none() {
		raw, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("conversation: join: %w", err)
		}
		m.Rest = messages.Text(raw)
	}
	if len(list) > 0 || m.Rest != "" {
		turn.Send(messages.To(Kind, string(into.Conversation)), m)
	}
	return nil
}

// hand sends the last of what is stored to another conversation, and deletes all here.
func (a *actor) hand(turn *actors.Turn, into Into, list []messages.MessageDelivered, r rest) error {
	for _, m := range Reminders.All(turn) {
		turn.Cancel(remindTimer(m.Number))
	}
	vault, _ := vaults.Get(turn, onlyRow)
	r.Vault, r.Names = vault.Originals, vault.Names
	if err := a.tellJoined(turn, into, list, r); err != nil {
		return err
	}
	a.clear(turn)
	a.tellJudge(turn, messages.FateForget) // what it judged is there
	into.Gone, into.Twice = true, nil
	intos.Put(turn, onlyRow, into)
	return nil
}

// both reports whether the other conversation has the whole message.
func (i Into) both(d messages.MessageDelivered) bool {
	return len(d.Parts) > 0 && !slices.ContainsFunc(d.Parts, func(p messages.Part) bool {
		return !slices.Contains(i.Twice, p.Occurrence)
	})
}

// clear deletes what this conversation has stored.
func (a *actor) clear(turn *actors.Turn) {
	Messages.Clear(turn)
	ids.Clear(turn)
	revisions.Clear(turn)
	OwnMessages.Clear(turn)
	placesOfOwn.Clear(turn)
	Desks.Clear(turn)
	Bases.Clear(turn)
	usages.Clear(turn)
	owners.Clear(turn)
	vaults.Clear(turn)
	quotas.Clear(turn)
	unchecked.Clear(turn)
	Reminders.Clear(turn)
	Heads.Clear(turn)
	Interviews.Clear(turn)
	turn.Cancel("decide")
	turn.Cancel("check")
}

// joined takes in what was said in another conversation. Messages that wait for an answer
// there wait here; a draft stays a draft if there is none here.
func (a *actor) joined(turn *actors.Turn, m messages.TalkJoined) error {
	a.insert(turn, m.Messages)
	if m.Rest == "" {
		a.analyse(turn)
		return nil
	}
	var r rest
	if err := json.Unmarshal([]byte(m.Rest), &r); err != nil {
		return fmt.Errorf("conversation: join: %w", err)
	}
	for _, o := range r.Own {
		a.keepOwn(turn, o)
	}
	if len(r.Vault) > 0 {
		vault := a.vault(turn)
		if vault.Originals == nil {
			vault.Originals = map[string]string{}
		}
		for placeholder, original := range r.Vault {
			if _, taken := vault.Originals[placeholder]; !taken {
				vault.Originals[placeholder] = original
			}
		}
		for _, name := range r.Names {
			vault.Know(name)
		}
		vaults.Put(turn, onlyRow, vault)
	}
	renumbered := a.remindAlso(turn, r.Reminders)
	for i, id := range r.Open {
		if other, ok := renumbered[id]; ok {
			r.Open[i] = other
		}
	}
	a.joinInterview(turn, m.From, r.Interview)
	a.reopen(turn, r)
	a.analyse(turn)
	return nil
}

// insert adds messages in the order of their places.
func (a *actor) insert(turn *actors.Turn, list []messages.MessageDelivered) {
	head, _ := Heads.Get(turn, "head")
	var all []messages.MessageDelivered
	before := map[string]messages.MessageID{}
	for key, d := range Messages.All(turn) {
		before[key] = d.ID
		all = append(all, d)
	}
	mine, one := sender(all)
	_, alone := sender(list)
	for _, d := range list {
		if _, known := ids.Get(turn, string(d.ID)); known {
			continue
		}
		if one && alone && mine != "" { // one person, and not two in a group
			d.Sender = mine
		}
		all = append(all, d)
		a.uncheck(turn, d)
		head.Count++
		if !d.DeliveredAt.Before(head.LastAt) {
			head.LastID, head.LastAt = d.ID, d.DeliveredAt
		}
	}
	slices.SortStableFunc(all, func(x, y messages.MessageDelivered) int { return int(placeOf(x) - placeOf(y)) })
	all = all[max(0, len(all)-a.o.Keep):]
	for i, d := range all { // most have their places already
		n := head.Count - int64(len(all)) + int64(i) + 1
		if key := RowKey(n); before[key] != d.ID {
			Messages.Put(turn, key, d)
			ids.Put(turn, string(d.ID), n)
		}
		delete(before, RowKey(n))
	}
	for key := range before { // of those that are too many
		Messages.Delete(turn, key)
	}
	Heads.Put(turn, "head", head)
}

// sender is the one who wrote all of these, false if there are several.
func sender(list []messages.MessageDelivered) (name messages.Text, one bool) {
	for _, d := range list {
		if name != "" && d.Sender != name {
			return "", false
		}
		name = d.Sender
	}
	return name, true
}

func placeOf(d messages.MessageDelivered) (o messages.Occurrence) {
	for _, p := range d.Parts {
		o = max(o, p.Occurrence)
	}
	return o
}

// remindAlso takes reminders over and returns their new numbers.
func (a *actor) remindAlso(turn *actors.Turn, list []Reminder) map[messages.MessageID]messages.MessageID {
	head, _ := Heads.Get(turn, "head")
	renumbered := map[messages.MessageID]messages.MessageID{}
	for _, r := range list {
		head.Reminders++
		renumbered[reply.ReminderID(r.Number)] = reply.ReminderID(head.Reminders)
		r.Number = head.Reminders
		Reminders.Put(turn, RowKey(r.Number), r)
		if !r.Due {
			turn.After(remindTimer(r.Number), max(0, r.At.Sub(turn.Now())), messages.ReminderDue{Number: r.Number})
		}
	}
	Heads.Put(turn, "head", head)
	return renumbered
}

// reopen opens a turn for what waited for an answer in the other conversation.
func (a *actor) reopen(turn *actors.Turn, r rest) {
	before, _ := Desks.Get(turn, onlyRow)
	if r.Draft == nil || before.Open != nil {
		for _, id := range r.Open {
			a.step(turn, reply.Event{Kind: kindOf(id), Message: id})
		}
		return
	}
	after := before
	after.Last++
	draft := *r.Draft
	draft.ID, draft.Epoch, draft.Messages = after.Last, 1, r.Open
	after.Open = &draft
	Desks.Put(turn, onlyRow, after)
	Bases.Put(turn, RowKey(draft.ID), r.Basis)
	a.tell(turn, before, after, reply.Event{Kind: reply.OnWrote})
	a.follow(turn, before, after)
}
