package conversation

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// What an interview stores is masked by rule at once. Later a model reads the masked texts
// and may add to the masks, never remove one. It is asked when no reply is to be written,
// and gives way to one. Until it has answered, the messages stand in this table.
var unchecked = actors.NewTable[unsearched]("unchecked")

type unsearched struct {
	Messages []messages.MessageID `json:"messages"`
	// Asked has the message of each text of the last question, which is number Asks.
	Asked  []messages.MessageID `json:"asked,omitempty"`
	Asks   int                  `json:"asks,omitempty"`
	Failed int                  `json:"failed,omitempty"` // questions in a row
}

// Bounds of the search.
const (
	checkPause  = 5 * time.Second // from a message to the question, and beyond its deadline
	mostUnread  = 6               // questions in a row, minutes to an hour apart, until the next message
	mostTexts   = 40              // in a question
	mostRunes   = 16_000          // in a question
	textRunes   = 1_800           // in one text of it
	checkQuotas = "check"
)

func checks(key string) bool { return strings.HasPrefix(key, "check:") }

func (u unsearched) key() string { return fmt.Sprintf("check:%d", u.Asks) }

// uncheck has a message searched that was stored masked, or changed.
func (a *actor) uncheck(turn *actors.Turn, d messages.MessageDelivered) {
	if a.o.Check <= 0 || !d.PIIProcessed {
		return
	}
	u, _ := unchecked.Get(turn, onlyRow)
	if len(u.Messages) == 0 || u.Failed >= mostUnread {
		u.Failed = 0
		turn.After("check", checkPause, messages.CheckDue{})
	}
	if slices.Contains(u.Messages, d.ID) { // what is asked is about another text
		a.letCheck(turn)
		u.Asks, u.Asked = u.Asks+1, nil
		turn.After("check", checkPause, messages.CheckDue{})
	} else {
		u.Messages = append(slices.Clip(u.Messages), d.ID)
	}
	unchecked.Put(turn, onlyRow, u)
}

// letCheck gives up the question that is asked; it is asked again later.
func (a *actor) letCheck(turn *actors.Turn) {
	if a.checking == "" {
		return
	}
	turn.CancelCall(a.checking)
	turn.After("check", checkPause, messages.CheckDue{})
	u, _ := unchecked.Get(turn, onlyRow)
	a.checking, u.Asked = "", nil
	unchecked.Put(turn, onlyRow, u)
}

// check asks a model what is private in the messages that none has read.
func (a *actor) check(turn *actors.Turn) {
	u, _ := unchecked.Get(turn, onlyRow)
	desk, _ := Desks.Get(turn, onlyRow)
	if t := desk.Open; t != nil && (t.State == reply.Judging || t.State == reply.Writing) {
		turn.After("check", checkPause, messages.CheckDue{})
		return
	}
	if len(u.Asked) > 0 { // no answer has come
		if u.Failed++; u.Failed >= mostUnread {
			u.Asked = nil
			unchecked.Put(turn, onlyRow, u)
			return
		}
	}
	in := prompt.Input{Task: prompt.Mask, Language: a.language(turn, a.said(turn, 1))}
	u.Messages, u.Asked, in.Lines = toCheck(turn, u.Messages)
	if len(u.Messages) == 0 || a.o.Check <= 0 {
		unchecked.Delete(turn, onlyRow)
		return
	}
	quota, _ := quotas.Get(turn, checkQuotas)
	quota, ok := quota.Take(a.o.PerHour, turn.Now())
	p, err := a.o.Prompts.Compose(in)
	switch {
	case err != nil:
		turn.Fail(err)
		return
	case !ok:
		unchecked.Put(turn, onlyRow, u)
		turn.After("check", time.Hour, messages.CheckDue{})
		return
	}
	u.Asks++
	quotas.Put(turn, checkQuotas, quota)
	unchecked.Put(turn, onlyRow, u)
	a.checking = turn.Call(messages.WorkerLLM, p.Ask(u.key()), actors.CallOptions{Deadline: a.o.Check, Tag: u.key()})
	turn.After("check", a.o.Check+checkPause, messages.CheckDue{}) // if no answer comes
}

// toCheck returns which of the messages are still there, and the texts of the first of them
// with the message of each. The rest of a very long text is left to the rules.
func toCheck(turn *actors.Turn, ids []messages.MessageID) (left, asked []messages.MessageID, lines []prompt.Line) {
	runes := 0
	for _, id := range ids {
		d, ok := message(turn, id)
		l, said := lineOf(d)
		if !ok || !said {
			continue
		}
		left = append(left, id)
		rest := string(l.Text)
		if runes > 0 && runes+utf8.RuneCountInString(rest) > mostRunes {
			continue
		}
		for rest != "" && runes < mostRunes && len(lines) < mostTexts {
			piece := text.First(messages.Text(rest), textRunes)
			rest = rest[len(piece):]
			runes += utf8.RuneCountInString(string(piece))
			asked, lines = append(asked, id), append(lines, prompt.Line{Text: piece})
		}
	}
	return left, asked, lines
}

// checked masks what a model found.
func (a *actor) checked(turn *actors.Turn, m messages.LLMAnswer) {
	u, _ := unchecked.Get(turn, onlyRow)
	if m.Key != u.key() {
		a.late(turn)
		return
	}
	p, err := a.o.Prompts.Compose(prompt.Input{Task: prompt.Mask, Language: text.English})
	claims, readable := pii.ParseClaims(string(m.Text))
	if err != nil || !readable || p.Echoes(string(m.Text)) {
		a.unreadable(turn, m.Key)
		return
	}
	a.checking = ""
	found := map[messages.MessageID][]pii.Claim{}
	var names []pii.Claim
	for _, c := range claims {
		if c.N > len(u.Asked) {
			continue
		}
		found[u.Asked[c.N-1]] = append(found[u.Asked[c.N-1]], c.Claim)
		if c.Kind == pii.Name {
			names = append(names, c.Claim)
		}
	}
	a.maskFurther(turn, found, names)
	u.Messages = slices.DeleteFunc(u.Messages, func(id messages.MessageID) bool { return slices.Contains(u.Asked, id) })
	u.Asked, u.Failed = nil, 0
	if len(u.Messages) == 0 {
		u.Messages = nil
		turn.Cancel("check")
	} else {
		turn.After("check", checkPause, messages.CheckDue{})
	}
	unchecked.Put(turn, onlyRow, u) // the number of the last question stays
}

// unreadable asks again later. Texts that no model reads stay masked by rule.
func (a *actor) unreadable(turn *actors.Turn, key string) {
	u, _ := unchecked.Get(turn, onlyRow)
	if key != u.key() {
		a.late(turn)
		return
	}
	a.checking, u.Asked = "", nil
	turn.Cancel("check")
	if u.Failed++; u.Failed < mostUnread {
		turn.After("check", time.Minute<<u.Failed, messages.CheckDue{})
	}
	unchecked.Put(turn, onlyRow, u)
}

// maskFurther masks claims in the messages that they are about, and names in all that the
// interview stored.
func (a *actor) maskFurther(turn *actors.Turn, found map[messages.MessageID][]pii.Claim, names []pii.Claim) {
	changed := false
	for row, d := range Messages.All(turn) {
		if claims := slices.Concat(found[d.ID], names); d.PIIProcessed && len(claims) > 0 {
			changed = a.maskMessage(turn, row, d, claims) || changed
		}
	}
	v, _ := Interviews.Get(turn, onlyRow)
	for row, o := range OwnMessages.All(turn) {
		masked := pii.Further(string(o.Text), names, pii.LabelsFor(string(o.Text))).Text
		if o.Occurrence > v.Since && masked != string(o.Text) {
			o.Text = messages.Text(masked)
			OwnMessages.Put(turn, row, o)
			a.remember(turn, lineOfOwn(o), v.Window)
		}
	}
	if changed {
		a.analyse(turn)
	}
}

// maskMessage masks claims in a stored message, and reports whether that changed it.
func (a *actor) maskMessage(turn *actors.Turn, row string, d messages.MessageDelivered, claims []pii.Claim) bool {
	hide := func(t messages.Text) messages.Text {
		masked := pii.Further(string(t), claims, pii.LabelsFor(string(t)))
		d.Masked = withKinds(d.Masked, masked.Spans)
		return messages.Text(masked.Text)
	}
	d.Parts = slices.Clone(d.Parts)
	d.Text = hide(d.Text)
	type change struct{ was, now messages.Text }
	var changes []change
	for i, p := range d.Parts {
		c := change{was: p.Text}
		d.Parts[i].Text = hide(p.Text)
		if c.now = d.Parts[i].Text; p.Edited != "" {
			d.Parts[i].Edited = hide(p.Edited)
			c = change{p.Edited, d.Parts[i].Edited}
		}
		if c.was == c.now {
			continue
		}
		changes = append(changes, c)
		turn.Publish(messages.MessageChanged{Conversation: a.id, Message: d.ID, Occurrence: p.Occurrence,
			Kind: messages.ChangeMasked, Sender: d.Sender, New: c.now, SeenAt: d.SeenAt, ChangedAt: turn.Now()})
	}
	if len(changes) == 0 {
		return false
	}
	Messages.Put(turn, row, d)
	for _, c := range changes {
		a.reviseItems(turn, c.was, c.now)
	}
	if l, left := lineOf(d); left {
		a.remember(turn, l, d.Window)
	}
	return true
}
