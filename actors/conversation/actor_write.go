package conversation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
)

// vaults has one row: the originals of what was masked for a model.
var vaults = actors.NewTable[pii.Vault]("vault")

// quotas has one row: how often a model was asked for replies.
var quotas = actors.NewTable[prompt.Quota]("quota")

// settings returns those of the open turn, for the window of its newest message.
func (a *actor) settings(turn *actors.Turn, t *reply.Turn) (s Settings, newest messages.MessageDelivered) {
	for _, id := range t.Messages {
		if d, ok := message(turn, id); ok {
			newest = d
		}
	}
	for _, r := range a.remindersOf(turn, t) {
		if newest.Window == "" {
			newest.Window = r.Window
		}
	}
	if v, led := a.leads(turn); led && newest.Window == "" {
		newest.Window = v.Window
	}
	return a.set(turn, newest.Window), newest
}

// askJudge asks whether to answer. A reminder needs no judgement.
func (a *actor) askJudge(turn *actors.Turn, t *reply.Turn) {
	s, newest := a.settings(turn, t)
	if len(a.remindersOf(turn, t)) > 0 {
		a.judged(turn, messages.ReplyJudged{Conversation: a.id, Turn: t.ID, Epoch: t.Epoch, Respond: true,
			Confidence: 1, Reason: "a reminder was asked for", Source: judgedByReminder})
		return
	}
	v, led := a.leads(turn)
	if led || newest.Window.Channel() != "" {
		because, source := messages.Text("who writes here waits for an answer"), judgedByChannel
		if newest.Window.Channel() == "" {
			because, source = "an interview is led here", judgedByInterview
		}
		a.judged(turn, messages.ReplyJudged{Conversation: a.id, Turn: t.ID, Epoch: t.Epoch,
			Respond: !led || a.lead(turn, v, t), Confidence: 1, Reason: because, Source: source})
		return
	}
	said := a.said(turn, s.Context)
	revision, _ := revisions.Get(turn, string(newest.ID))
	turn.Send(messages.To(messages.ActorJudge, string(a.id)), messages.JudgeReply{
		Conversation: a.id, Turn: t.ID, Epoch: t.Epoch, Latest: newest.ID, Revision: revision, Written: newest.SeenAt,
		Group: isGroup(s.Group, said), Lines: bounded(a.masked(turn, said)),
	})
}

// Sources where no judgement was needed.
const (
	judgedByReminder  messages.JudgeSource = "reminder"
	judgedByChannel   messages.JudgeSource = "channel"
	judgedByInterview messages.JudgeSource = "interview"
)

// masked returns messages as a model may see them.
func (a *actor) masked(turn *actors.Turn, said []messages.Said) []messages.Said {
	if !a.o.Mask {
		return said
	}
	if v, led := a.leads(turn); led { // it keeps no originals
		for i, s := range said {
			said[i].Text, _ = private(s.Text, known(v, a.sender(turn)))
			if s.Name != "" {
				said[i].Name = messages.Text(pii.LabelsFor(string(s.Text)).Label(pii.Name))
			}
		}
		return said
	}
	vault := a.vault(turn)
	held, names := len(vault.Originals), slices.Clone(vault.Names)
	name := a.o.Name(a.id)
	vault.Names = slices.DeleteFunc(slices.Clone(names), func(s string) bool { // as older versions kept it
		return name != "" && strings.HasSuffix(s, ":"+name)
	})
	vault.Know(name)
	for _, s := range said {
		vault.Know(string(s.Name))
	}
	for i := range said {
		said[i].Name = messages.Text(vault.MaskName(string(said[i].Name)).Text)
		said[i].Text = messages.Text(vault.Mask(string(said[i].Text)).Text)
	}
	more := slices.ContainsFunc(vault.Names, func(name string) bool { return !slices.Contains(names, name) })
	if more || len(vault.Originals) != held { // the order alone is not worth a commit for which a question waits
		vaults.Put(turn, onlyRow, vault)
	}
	return said
}

func (a *actor) vault(turn *actors.Turn) pii.Vault {
	vault, _ := vaults.Get(turn, onlyRow)
	vault.Key, vault.Labels = a.o.Key(string(a.id)), pii.Japanese
	return vault
}

// restored is a model's text with the originals restored and invisible characters
// removed.
func (a *actor) restored(turn *actors.Turn, t messages.Text) messages.Text {
	if !a.o.Mask {
		return t
	}
	return messages.Text(stream.Rule{}.Final(a.vault(turn).Restore(string(t))))
}

// invents reports whether a restored text has placeholders that stand for nothing: the model made them up.
func (a *actor) invents(turn *actors.Turn, t messages.Text) bool {
	if _, led := a.leads(turn); led || !a.o.Mask {
		return false
	}
	return a.vault(turn).Unknown(string(t))
}

// judged handles the judgement.
func (a *actor) judged(turn *actors.Turn, m messages.ReplyJudged) {
	desk, _ := Desks.Get(turn, onlyRow)
	if t := desk.Open; t == nil || t.ID != m.Turn || t.Epoch != m.Epoch || t.State != reply.Judging {
		a.late(turn)
		return
	}
	_, newest := a.settings(turn, desk.Open)
	Bases.Put(turn, RowKey(m.Turn), Basis{Window: newest.Window, ReplyBasis: messages.ReplyBasis{
		Confidence: m.Confidence, Reason: a.restored(turn, m.Reason), Source: m.Source,
	}})
	a.step(turn, reply.Event{Kind: reply.OnVerdict, Turn: m.Turn, Epoch: m.Epoch, Respond: m.Respond})
}

func (a *actor) tellJudge(turn *actors.Turn, fate messages.Fate) {
	turn.Send(messages.To(messages.ActorJudge, string(a.id)),
		messages.ReplyFate{Conversation: a.id, Fate: fate})
}

// question is what a model is asked for a turn's reply.
func (a *actor) question(turn *actors.Turn, t *reply.Turn) (prompt.Prompt, int, error) {
	s, _ := a.settings(turn, t)
	said := a.answerable(turn, s.Context)
	in := prompt.Input{Task: prompt.Reply, Language: a.language(turn, said), Tone: s.Tone, Persona: s.Persona,
		Now: turn.Now().In(a.o.Zone)}
	in.Lines = a.notes(turn)
	for _, l := range a.masked(turn, said) {
		in.Lines = append(in.Lines, prompt.Line{Own: l.Own, Name: l.Name, At: l.At.In(a.o.Zone), Text: l.Text})
	}
	if list := a.remindersOf(turn, t); len(list) > 0 {
		note := []messages.Said{{Text: "It is time for the reminder that was asked for: " + whats(list)}}
		in.Lines = append(in.Lines, prompt.Line{Note: true, Text: a.masked(turn, note)[0].Text})
	}
	a.instruct(turn, &in)
	p, err := a.o.Prompts.Compose(in)
	return p, len(said), err
}

// answerable are the n newest lines but for what waits for the next turn, which would be
// answered twice.
func (a *actor) answerable(turn *actors.Turn, n int) (list []messages.Said) {
	desk, _ := Desks.Get(turn, onlyRow)
	v, led := a.leads(turn)
	for _, l := range a.lines(turn, n+len(desk.Waiting)) {
		if !slices.Contains(desk.Waiting, l.id) && (!led || l.place > v.Since) {
			list = append(list, l.Said)
		}
	}
	if led && len(list) == 0 {
		list = append(list, messages.Said{Text: interview.Start})
	}
	return list
}

// replyKey tells apart the answers to different questions.
func replyKey(t *reply.Turn) string { return fmt.Sprintf("reply:%d:%d", t.ID, t.Epoch) }

// write asks a model for a reply. Without a model the call fails at once, and a fixed
// text is used.
func (a *actor) write(turn *actors.Turn, t *reply.Turn) {
	key := replyKey(t)
	if a.asked == key || a.fixed(turn, t, "") {
		return
	}
	if a.counted != key { // before memory is asked, in a turn that stores anyway
		a.counted, a.tooMany = key, !a.count(turn)
	}
	if a.gather(turn, t) {
		return
	}
	if a.tooMany {
		a.fallBack(turn, t, reply.TooMany)
		return
	}
	p, lines, err := a.question(turn, t)
	if err != nil {
		turn.Fail(err)
		return
	}
	a.rests = messages.ReplyBasis{Lines: lines, Prompt: p.Version, Run: a.material.Run,
		Recalled: len(a.material.notes())}
	a.letCheck(turn) // the reply is more urgent
	ask := p.Ask(key)
	ask.Retry = true
	a.call = turn.Call(messages.WorkerLLM, ask, actors.CallOptions{Deadline: a.o.Write, Tag: key})
	a.asked, a.writing, a.echoes = key, stream.NewAssembler(stream.DefaultRule(), stream.Every), p.MayEcho
	turn.Publish(messages.ReplyWriting{Conversation: a.id, Turn: t.ID, Epoch: t.Epoch}) // it can be stopped
	s, _ := a.settings(turn, t)
	a.persona = s.Persona
}

// count counts a question to a model, false if this hour has had enough of them.
func (a *actor) count(turn *actors.Turn) bool {
	quota, _ := quotas.Get(turn, onlyRow)
	quota, ok := quota.Take(a.o.PerHour, turn.Now())
	if ok {
		quotas.Put(turn, onlyRow, quota)
	}
	return ok
}

// awaiting is the turn that waits for the answer to a key, nil if there is none.
func (a *actor) awaiting(turn *actors.Turn, key string) *reply.Turn {
	desk, _ := Desks.Get(turn, onlyRow)
	if t := desk.Open; t != nil && t.State == reply.Writing && replyKey(t) == key {
		return t
	}
	a.late(turn)
	return nil
}

// answered handles the model's text.
func (a *actor) answered(turn *actors.Turn, m messages.LLMAnswer) {
	if checks(m.Key) {
		a.checked(turn, m)
		return
	}
	t := a.awaiting(turn, m.Key)
	if t == nil {
		return
	}
	p, _, err := a.question(turn, t)
	if err != nil {
		turn.Fail(err)
		return
	}
	s, _ := a.settings(turn, t)
	written, ok := reply.Usable(string(m.Text), s.Persona, p.Echoes)
	if !ok {
		a.fallBack(turn, t, reply.Unusable)
		return
	}
	// The restored words are the other side's and were not checked yet.
	written, ok = reply.Usable(string(a.restored(turn, written)), s.Persona, func(string) bool { return false })
	if !ok || a.invents(turn, written) {
		a.fallBack(turn, t, reply.Unusable)
		return
	}
	if written, ok = a.asks(turn, written); !ok {
		a.fallBack(turn, t, reply.Unusable)
		return
	}
	a.wrote(turn, t, written, func(b *messages.ReplyBasis) { b.Model = m.Model })
}

// failed uses a fixed text in place of one that the model did not write.
func (a *actor) failed(turn *actors.Turn, m messages.CallFailed) {
	if checks(m.Tag) {
		a.unreadable(turn, m.Tag)
		return
	}
	if t := a.awaiting(turn, m.Tag); t != nil {
		a.fallBack(turn, t, m.Reason())
	}
}

func (a *actor) fallBack(turn *actors.Turn, t *reply.Turn, why string) {
	if a.fixed(turn, t, why) {
		return
	}
	s, _ := a.settings(turn, t)
	said := a.said(turn, s.Context)
	language := a.language(turn, said)
	fixed := reply.Acknowledgement(language)
	named := a.material.names(said)
	if named != nil {
		fixed = reply.Recalling(*named, language, turn.Now().In(a.o.Zone))
	}
	if list := a.remindersOf(turn, t); len(list) > 0 {
		reminding := reply.Reminding(whats(list), language)
		if fixed = fixed + " " + reminding; !asksMore(t, list) {
			fixed = reminding
		}
	}
	a.wrote(turn, t, fixed, func(b *messages.ReplyBasis) {
		b.Fallback, b.Prompt, b.Run, b.Recalled = why, "", a.material.Run, 0
		if named != nil {
			b.Recalled = 1
		}
	})
}

// wrote decides what happens with a reply, once the owner's state is known.
func (a *actor) wrote(turn *actors.Turn, t *reply.Turn, written messages.Text, note func(*messages.ReplyBasis)) {
	written = messages.Text(stream.DefaultRule().Final(string(written)))
	basis, _ := Bases.Get(turn, RowKey(t.ID))
	if q := a.rests; a.asked == replyKey(t) {
		basis.Lines, basis.Prompt, basis.Run, basis.Recalled = q.Lines, q.Prompt, q.Run, q.Recalled
	}
	note(&basis.ReplyBasis)
	basis.WrittenAt = turn.Now()
	Bases.Put(turn, RowKey(t.ID), basis)
	d := a.outcome(turn, t, written)
	a.note(turn, t, d)
	shown := written
	if d.Action != reply.Send {
		shown = ""
	}
	a.showAll(turn, t, shown)
	a.step(turn, reply.Event{Kind: reply.OnWrote, Turn: t.ID, Epoch: t.Epoch, Action: d.Action, Text: written})
}

// outcome is what happens with a text as the reply, as far as the owner's state is known.
func (a *actor) outcome(turn *actors.Turn, t *reply.Turn, written messages.Text) reply.Decision {
	if _, known := owners.Get(turn, onlyRow); !known && a.o.Owner != "" {
		return reply.Decision{Action: reply.Hold}
	}
	return a.decision(turn, t, written)
}

// decision is what happens with a written reply now.
func (a *actor) decision(turn *actors.Turn, t *reply.Turn, written messages.Text) reply.Decision {
	s, newest := a.settings(turn, t)
	basis, _ := Bases.Get(turn, RowKey(t.ID))
	owner, _ := owners.Get(turn, onlyRow)
	usage, _ := usages.Get(turn, onlyRow)
	situation := reply.Situation{
		Mode: s.Mode, Policy: s.Policy, Listed: s.Listed, When: s.When, Limits: s.Limits, Usage: usage,
		Quiet: s.Quiet, Paused: owner.Paused, NoModel: basis.Fallback != "", Drawn: s.Drawn, NoTypist: !s.Typist,
	}
	situation.Foreign = basis.Fallback == "" && a.foreign(turn, s, newest, written)
	situation.Unsure = basis.Source == messages.JudgedByModel && basis.Confidence <= 0
	if newest.Window.Channel() == "" {
		situation.Command = reply.Commands(written)
	}
	if a.o.Attends && newest.Window.Channel() == "" { // a channel's reply does not use the owner's desk
		situation.Attention = &owner.Attention
	}
	return reply.Decide(situation, turn.Now().In(a.o.Zone))
}

// foreign reports whether a reply is in another script than what was said lately.
func (a *actor) foreign(turn *actors.Turn, s Settings, newest messages.MessageDelivered, written messages.Text) bool {
	return reply.Foreign(written, []messages.Said{{Text: newest.Text}}) &&
		reply.Foreign(written, a.said(turn, s.Context))
}

// note records the rule of a decision, counts what is sent automatically, and makes sure
// that a held reply is decided again.
func (a *actor) note(turn *actors.Turn, t *reply.Turn, d reply.Decision) {
	basis, _ := Bases.Get(turn, RowKey(t.ID))
	if basis.Rule != d.Rule {
		basis.Rule = d.Rule
		Bases.Put(turn, RowKey(t.ID), basis)
	}
	switch {
	case d.Action == reply.Send:
		usage, _ := usages.Get(turn, onlyRow)
		usages.Put(turn, onlyRow, usage.Automatic(turn.Now()))
	case !d.Again.IsZero():
		turn.After("decide", max(time.Second, d.Again.Sub(turn.Now())), messages.DecideDue{})
	}
}

// ownerIs handles the owner's state, but not that of the node where the conversation was before.
func (a *actor) ownerIs(turn *actors.Turn, m messages.OwnerState) {
	of, known := follows.Get(turn, onlyRow)
	from := turn.Cause().From
	if desk, _ := Desks.Get(turn, onlyRow); !following(desk) || known && from != "" && from != of {
		return
	}
	owners.Put(turn, onlyRow, m)
	a.decide(turn)
	a.show(turn)
}

// decide decides on a held reply. One that has waited for long is judged again first.
func (a *actor) decide(turn *actors.Turn) {
	desk, _ := Desks.Get(turn, onlyRow)
	t := desk.Open
	if t == nil || t.State != reply.Held || t.ByHand {
		return
	}
	d := a.decision(turn, t, t.Text)
	if basis, _ := Bases.Get(turn, RowKey(t.ID)); d.Action == reply.Send && agesOut(basis.WrittenAt, turn.Now()) {
		a.step(turn, reply.Event{Kind: reply.OnAgain, Turn: t.ID, Epoch: t.Epoch})
		return
	}
	a.note(turn, t, d)
	a.step(turn, reply.Event{Kind: reply.OnDecided, Turn: t.ID, Epoch: t.Epoch, Action: d.Action})
}
