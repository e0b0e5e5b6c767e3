package actors_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// pane is the window of a conversation. A person may show another chat in it, and type.
type pane struct {
	away    bool   // another chat is shown
	field   string // one for all chats of the window
	bubbles []line
	touched time.Time // by a person

	entered map[messages.Sending]int // how often our Enter sent it
}

// line is a bubble of the conversation.
type line struct {
	side messages.Side
	text messages.Text
	id   messages.MessageID // of somebody else's
	of   messages.Sending   // of ours
}

// glimpse is what a picture shows.
type glimpse struct {
	away    bool
	field   string
	bubbles int
	at      time.Time
}

// panes are the windows of the simulation, and the workers that see and touch them.
type panes struct {
	w       *talkWorld
	now     func() time.Time
	list    map[messages.WindowID]*pane
	shots   map[*image.RGBA]glimpse
	wrong   []string // what must never happen
	texts   map[messages.Sending]string
	refused int // steps of the hands
}

// broken says how a call fails, if it does: before or after it was carried out.
func (p *panes) broken() (before, after error) {
	if p.w.rng.Float64() >= p.w.faults.call {
		return nil, nil
	}
	err := []error{errors.New("worker: closed"), fmt.Errorf("worker: %w", engine.ErrHang)}[p.w.rng.IntN(2)]
	if p.w.rng.IntN(2) == 0 {
		return err, nil
	}
	return nil, err
}

func (p *panes) capture(_ context.Context, m messages.Message) (messages.Message, error) {
	if before, after := p.broken(); before != nil || after != nil {
		return nil, errors.Join(before, after)
	}
	w := m.(messages.CaptureWindow).Window
	g, shot := p.list[w], image.NewRGBA(image.Rect(0, 0, 1, 1))
	p.shots[shot] = glimpse{g.away, g.field, len(g.bubbles), p.now()}
	return messages.FrameCaptured{Frame: messages.Frame{Window: w, Image: shot, Scale: 1, At: p.now()}}, nil
}

func (p *panes) read(_ context.Context, m messages.Message) (messages.Message, error) {
	if before, after := p.broken(); before != nil || after != nil {
		return nil, errors.Join(before, after)
	}
	frame := m.(messages.ReadFrame).Frame
	g := p.shots[frame.Image]
	out := messages.FrameRead{Window: frame.Window, Title: messages.Line{Text: messages.Text(frame.Window)},
		Input: messages.Rect{W: 100, H: 40}, Header: messages.Rect{W: 100, H: 20}}
	if g.field != "" {
		out.Field = []messages.Line{{Text: messages.Text(g.field)}}
	}
	if g.away {
		out.Title.Text = "somebody else"
		out.Bubbles = []messages.Bubble{{Side: messages.SideIncoming, Text: "別の人との話です"}}
		return out, nil
	}
	for i, l := range p.list[frame.Window].bubbles[max(0, g.bubbles-visible):g.bubbles] {
		out.Bubbles = append(out.Bubbles, messages.Bubble{Side: l.side, Text: l.text,
			Key: messages.PixelKey(1 + max(0, g.bubbles-visible) + i)})
	}
	return out, nil
}

// touch is the worker that presses keys. Like the real one it refuses where the window changed since the look.
func (p *panes) touch(_ context.Context, m messages.Message) (messages.Message, error) {
	var look messages.Look
	switch m := m.(type) {
	case messages.TypeText:
		look = m.Look
	case messages.PressEnter:
		look = m.Look
	case messages.ClearField:
		look = m.Look
	}
	w, was := p.list[look.Frame.Window], p.shots[look.Frame.Image]
	if was.away != w.away || was.field != w.field {
		p.refused++
		return nil, actors.Refuse(string(messages.SendChanged), errors.New("the window changed"))
	}
	before, after := p.broken()
	if before != nil {
		return nil, before
	}
	switch m := m.(type) {
	case messages.TypeText:
		if p.now().Sub(w.touched) < m.Idle {
			p.refused++
			return nil, actors.Refuse(string(messages.SendBusy), errors.New("somebody types"))
		}
		p.texts[m.Of] = string(m.Text)
		text := []rune(m.Text)
		if after != nil {
			text = text[:p.w.rng.IntN(len(text)+1)]
		}
		w.field += string(text)
	case messages.PressEnter:
		if w.touched.After(was.at) {
			p.refused++
			return nil, actors.Refuse(string(messages.SendBusy), errors.New("somebody types"))
		}
		p.enter(w, look.Frame.Window, m.Of)
	case messages.ClearField:
		w.field = ""
	}
	if after != nil {
		return nil, after
	}
	return messages.HandsDone{Window: look.Frame.Window}, nil
}

// enter sends what stands in the field, by our key.
func (p *panes) enter(w *pane, id messages.WindowID, of messages.Sending) {
	switch {
	case w.field == "":
		return
	case w.field != p.texts[of]:
		p.wrong = append(p.wrong, fmt.Sprintf("%q was sent, want %q", w.field, p.texts[of]))
	case w.away || messages.WindowID(of.Conversation) != id:
		p.wrong = append(p.wrong, fmt.Sprintf("%+v was sent to somebody else", of))
	}
	if w.entered[of]++; w.entered[of] > 1 {
		p.wrong = append(p.wrong, fmt.Sprintf("turn %d.%d was sent %d times", of.Turn, of.Epoch, w.entered[of]))
	}
	w.bubbles, w.field = append(w.bubbles, line{side: messages.SideOwn, text: messages.Text(w.field), of: of}), ""
}

// person does something at a window.
func (p *panes) person(w *pane) {
	if w.touched = p.now(); w.field != "" && p.w.rng.IntN(2) == 0 {
		w.field = "" // also a text of ours
		return
	}
	switch p.w.rng.IntN(3) {
	case 0:
		w.field += notOurs
	default:
		w.away = !w.away
	}
}

// leave has nobody at a window any more, which shows its conversation. What a person typed is gone.
func (w *pane) leave() {
	w.away, w.touched = false, time.Time{}
	if strings.Contains(w.field, notOurs) {
		w.field = ""
	}
}

const notOurs = "ちょっと待って"

// onlooker stands for what reads a window: it tells whose it is, and passes on each bubble once, a message
// after it has waited for others to join. It looks
// when it is told to, and for a while after a text is announced.
type onlooker struct{ p *panes }

var seenRows = actors.NewTable[int]("seen")

const (
	lookEvery = 7 * time.Second
	lookFor   = 10 * time.Minute
	joinFor   = 2 * time.Second // what our side wrote is passed on before a message that waits for others
)

// Receive implements [actors.Actor].
func (o onlooker) Receive(t *actors.Turn, msg messages.Message) error {
	self := messages.WindowID(t.Self().Key())
	switch m := msg.(type) {
	case messages.Started:
	case messages.AskConversation:
		whose := messages.ConversationShown{Key: m.Key}
		if m.Read.Title.Text == messages.Text(self) {
			whose.Conversation = messages.ConversationID(self)
		}
		t.Send(messages.To(outbound.Kind, string(self)), whose)
	case messages.TextSent:
		if m.Window == self {
			seenRows.Put(t, "until", int(t.Now().Add(lookFor).Unix()))
			t.After("look", lookEvery, messages.PollDue{})
		}
	case messages.BurstDue:
		o.pass(t, self)
	case messages.PollDue:
		o.look(t, self)
	default:
		return fmt.Errorf("unexpected %s", msg.MessageType())
	}
	return nil
}

// pass passes on the messages that were seen.
func (o onlooker) pass(t *actors.Turn, self messages.WindowID) {
	c := messages.ConversationID(self)
	seen, _ := seenRows.Get(t, "seen")
	for n, _ := seenRows.Get(t, "passed"); n < seen; n++ {
		l := o.p.list[self].bubbles[n]
		if l.side == messages.SideOwn {
			continue
		}
		t.Send(messages.To(messages.ActorConversation, string(c)), messages.InboundMessage{ID: l.id,
			Conversation: c, Sender: "Hana", Kind: messages.KindText, Text: l.text, SeenAt: t.Now(), Window: self,
			Parts: []messages.Part{{Kind: messages.KindText, Text: l.text, Occurrence: messages.Occurrence(n + 1)}}})
	}
	seenRows.Put(t, "passed", seen)
}

func (o onlooker) look(t *actors.Turn, self messages.WindowID) {
	w, c := o.p.list[self], messages.ConversationID(self)
	n, _ := seenRows.Get(t, "seen")
	if !w.away {
		for ; n < len(w.bubbles); n++ {
			if l := w.bubbles[n]; l.side == messages.SideOwn {
				t.Send(messages.To(messages.ActorIngress, string(c)), messages.OwnMessage{Conversation: c,
					Occurrence: messages.Occurrence(n + 1), Kind: messages.KindText, Text: l.text, Window: self,
					SeenAt: t.Now()})
			}
		}
		seenRows.Put(t, "seen", n)
		t.After("pass", joinFor, messages.BurstDue{})
	}
	if until, _ := seenRows.Get(t, "until"); w.away || t.Now().Unix() < int64(until) {
		t.After("look", lookEvery, messages.PollDue{})
	}
}
