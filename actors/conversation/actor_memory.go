package conversation

import (
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// remembered has two rows: recall was told of everything that was stored before recall
// existed, and keeps no acknowledgements.
var remembered = actors.NewTable[bool]("remembered")

const acknowledged = "acknowledged"

// ownID is the event id of a message of our side.
func ownID(o Own) messages.MessageID {
	if o.Occurrence == 0 {
		return messages.MessageID(fmt.Sprintf("own:turn:%d", o.Turn))
	}
	return messages.MessageID(fmt.Sprintf("own:%d", o.Occurrence))
}

// remember makes recall keep a message, or its present wording. Fixed acknowledgements say
// nothing that could be asked for.
func (a *actor) remember(turn *actors.Turn, l line, w messages.WindowID) {
	if !a.o.Memory {
		return
	}
	if _, known := remembered.Get(turn, onlyRow); !known {
		remembered.Put(turn, onlyRow, true)
		remembered.Put(turn, acknowledged, true)
	}
	if l.Own && reply.Acknowledges(l.Text) { // it was kept if it was misread first
		a.unremember(turn, l.id)
		return
	}
	a.tellRecall(turn, []messages.Event{a.event(turn, l, w)})
}

func (a *actor) event(turn *actors.Turn, l line, w messages.WindowID) messages.Event {
	e := messages.Event{ID: l.id, Source: string(w), Own: l.Own, Speaker: l.Name, Text: l.Text, At: l.At,
		Answered: l.answered}
	if !l.Own && a.set(turn, w).Mode == reply.Interview {
		e.Text = messages.Text(pii.Mask(string(l.Text), pii.Japanese).Text)
	}
	return e
}

func (a *actor) tellRecall(turn *actors.Turn, list []messages.Event) {
	turn.Send(messages.To(messages.ActorRecall, string(a.id)), messages.Remember{Conversation: a.id, Events: list})
}

// unremember makes recall forget a message that was taken back.
func (a *actor) unremember(turn *actors.Turn, id messages.MessageID) {
	if a.o.Memory {
		turn.Send(messages.To(messages.ActorRecall, string(a.id)), messages.TakeBack{Conversation: a.id, ID: id})
	}
}

// rememberAll tells recall what was stored before there was a memory.
func (a *actor) rememberAll(turn *actors.Turn) {
	if !a.o.Memory {
		return
	}
	if _, known := remembered.Get(turn, onlyRow); known {
		a.unacknowledge(turn)
		return
	}
	var list []messages.Event
	for _, l := range a.lines(turn, 2*a.o.Keep) {
		if !l.Own || !reply.Acknowledges(l.Text) {
			list = append(list, a.event(turn, l, ""))
		}
	}
	const some = 100
	for len(list) > 0 {
		n := min(some, len(list))
		a.tellRecall(turn, list[:n])
		list = list[n:]
		remembered.Put(turn, onlyRow, true)
		remembered.Put(turn, acknowledged, true)
	}
}

// unacknowledge takes back acknowledgements that an older version had remembered.
func (a *actor) unacknowledge(turn *actors.Turn) {
	if _, done := remembered.Get(turn, acknowledged); done {
		return
	}
	for _, l := range a.lines(turn, 2*a.o.Keep) {
		if l.Own && reply.Acknowledges(l.Text) {
			a.unremember(turn, l.id)
		}
	}
	remembered.Put(turn, acknowledged, true)
}

// longestWait is how long a reply waits for recall.
const longestWait = 2500 * time.Millisecond

// material is what was recalled for a reply.
type material struct{ messages.Recalled }

// gather asks memory for what helps to write a reply. It reports whether the reply has to
// wait for that.
func (a *actor) gather(turn *actors.Turn, t *reply.Turn) (waits bool) {
	key := replyKey(t)
	if !a.o.Memory || a.material.Key == key {
		return false
	}
	if a.gathers == key {
		return true
	}
	if _, led := a.leads(turn); led {
		return false // it asks, and tells nothing
	}
	ask := messages.Recall{Conversation: a.id, Key: key, Except: t.Messages}
	s, _ := a.settings(turn, t)
	lines := a.lines(turn, s.Context)
	var said []messages.Said
	for _, l := range lines {
		ask.Context = append(ask.Context, l.id)
		said = append(said, l.Said)
	}
	for _, id := range t.Messages {
		if d, ok := message(turn, id); ok {
			l, _ := lineOf(d)
			ask.Text += l.Text + "\n"
		}
	}
	ask.Text, ask.Group = text.Ends(ask.Text, longestLine), isGroup(s.Group, said)
	if ask.Text == "" || ask.Text == "\n" {
		return false
	}
	a.gathers, a.material = key, material{}
	turn.Send(messages.To(messages.ActorRecall, string(a.id)), ask)
	turn.After("material", longestWait, messages.MaterialDue{Key: key})
	return true
}

// recalled continues the reply with what was recalled, or with nothing if recall took too
// long.
func (a *actor) recalled(turn *actors.Turn, m messages.Recalled) {
	if a.gathers == "" || m.Key != a.gathers {
		return // for a reply that was given up, or written without it
	}
	t := a.awaiting(turn, m.Key)
	if t == nil {
		return
	}
	turn.Cancel("material")
	desk, _ := Desks.Get(turn, onlyRow)
	m.Found = slices.DeleteFunc(slices.Clone(m.Found), func(f messages.Memory) bool {
		return slices.Contains(desk.Waiting, f.ID) // it came while memory searched; see answerable
	})
	a.gathers, a.material = "", material{m}
	a.write(turn, t)
}

// let drops what was recalled for a reply.
func (a *actor) let(turn *actors.Turn) {
	if a.gathers != "" {
		turn.Cancel("material")
	}
	a.gathers, a.material = "", material{}
}

// notes are the recalled events that are not among the messages that the model reads
// anyway.
func (m material) notes() (list []messages.Memory) {
	for _, f := range m.Found {
		if !f.Context {
			list = append(list, f)
		}
	}
	return list
}

// longestNote is how much of an event a model reads, in characters.
const longestNote = 500

// notes returns them as a model may see them.
func (a *actor) notes(turn *actors.Turn) (lines []prompt.Line) {
	var said []messages.Said
	for _, k := range a.material.About {
		said = append(said, messages.Said{Own: k.Own, Name: k.Speaker, Text: text.First(k.Text, longestNote)})
	}
	for _, f := range a.material.notes() {
		note := text.First(f.Text, longestNote)
		switch {
		case f.Former:
			note = "(no longer so) " + note
		case f.State != "":
			note = "(now) " + f.State + " — " + note
		}
		said = append(said, messages.Said{Own: f.Own, Name: f.Speaker, At: f.At, Text: note})
	}
	for _, l := range a.masked(turn, said) {
		lines = append(lines, prompt.Line{Note: true, Own: l.Own, Name: l.Name, At: l.At.In(a.o.Zone), Text: l.Text})
	}
	return lines
}

// covering is the least share of a question's words that an event must contain for a
// fixed text to name it as the answer.
const covering = 0.6

// names returns the event that answers the newest message, if that is a question and one
// event clearly answers it: what says how it is now before all others, and nothing that
// is outdated.
func (m material) names(said []messages.Said) *messages.Memory {
	if !rank.Asks(string(last(said))) {
		return nil
	}
	clear := func(f messages.Memory) bool {
		return f.Covers >= covering && !f.Former && !rank.Asks(string(f.Text))
	}
	at := slices.IndexFunc(m.Found, func(f messages.Memory) bool { return f.State != "" && clear(f) })
	if at < 0 {
		at = slices.IndexFunc(m.Found, clear)
	}
	if at < 0 {
		return nil
	}
	return &m.Found[at]
}
