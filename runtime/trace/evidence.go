package trace

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// place is where a message is in a transcript, and which occurrence it is.
type place struct {
	conversation messages.ConversationID
	occurrence   messages.Occurrence
}

// dead is a dead letter and its message; the message is nil if it cannot be read.
type dead struct {
	engine.DeadLetter
	message messages.Message
}

// Evidence is everything that the store can tell about messages.
type Evidence struct {
	known     map[messages.ConversationID]directory.Known
	verdicts  []events.Verdict
	delivered []control.Entry // messages
	of        map[place]int   // index in delivered
	replies   []*replied      // oldest first
	ours      map[place]*replied
	judged    []messages.JudgementMade
	entries   map[place]ledger.Entry
	buffered  map[messages.ConversationID]burst.Buffer
	sent      map[messages.ConversationID][]ingress.Sent
	mail      []engine.Envelope
	dead      []dead
	held      []heldText

	// Recalled reads the memories that a reply was given; nil leaves them out.
	Recalled func(run string) (control.Recollection, error)
}

func newEvidence() *Evidence {
	return &Evidence{
		of: map[place]int{}, ours: map[place]*replied{}, entries: map[place]ledger.Entry{},
		buffered: map[messages.ConversationID]burst.Buffer{}, sent: map[messages.ConversationID][]ingress.Sent{},
	}
}

// Gather reads the evidence of one conversation, or of all if it is "".
func Gather(e *engine.Engine, c messages.ConversationID) (*Evidence, error) {
	ev := newEvidence()
	known, err := names.Known(e)
	if err != nil {
		return nil, err
	}
	ev.known = known
	mine := func(of messages.ConversationID) bool { return c == "" || ev.left(of) == c }
	steps := []func() error{
		func() error {
			return e.ReadLog(0, func(p engine.Published) bool {
				ev.take(p, mine)
				return true
			})
		},
		func() error {
			return e.ReadVerdicts(func(v events.Verdict) bool {
				if mine(ConversationOf(v)) {
					ev.verdicts = append(ev.verdicts, v)
				}
				return true
			})
		},
		func() error {
			return e.ReadMail(func(env engine.Envelope) bool {
				if of, _ := mentionsIn(env.Message); mine(of) && of != "" {
					ev.mail = append(ev.mail, env)
				}
				return true
			})
		},
		func() error { return ev.addDead(e, mine) },
		func() error { return ev.addHeld(e, c) },
		func() error { return skim(e, dedup.Kind, dedup.Tail, mine, ev.addEntry) },
		func() error {
			return skim(e, burst.Kind, burst.Buffers, mine,
				func(c messages.ConversationID, b burst.Buffer) { ev.buffered[c] = b })
		},
		func() error {
			return skim(e, ingress.Kind, ingress.Sends, mine, func(c messages.ConversationID, s ingress.Sent) {
				ev.sent[c] = append(ev.sent[c], s)
			})
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return ev, nil
}

// left returns the conversation that c was merged into, or c itself.
func (ev *Evidence) left(c messages.ConversationID) messages.ConversationID {
	return directory.Resolve(ev.known, c)
}

// take keeps an event that a person may ask about.
func (ev *Evidence) take(p engine.Published, mine func(messages.ConversationID) bool) {
	if of, ok := p.Message.(messages.About); !ok || !mine(of.Subject()) {
		return
	}
	entry, ok := control.EntryOf(p)
	if !ok || entry.Message == nil {
		ev.takeReply(p, entry)
		return
	}
	for _, part := range entry.Message.Parts {
		ev.of[place{entry.Conversation, part.Occurrence}] = len(ev.delivered)
	}
	ev.delivered = append(ev.delivered, entry)
}

func (ev *Evidence) addDead(e *engine.Engine, mine func(messages.ConversationID) bool) error {
	list, err := e.DeadLetters()
	for _, d := range list {
		m, merr := e.DecodeDeadLetter(d)
		if of, _ := mentionsIn(m); merr == nil && mine(of) {
			ev.dead = append(ev.dead, dead{d, m})
		} else if merr != nil && mine(messages.ConversationID(d.Actor.Key())) {
			ev.dead = append(ev.dead, dead{d, nil})
		}
	}
	return err
}

func (ev *Evidence) addEntry(c messages.ConversationID, e ledger.Entry) {
	ev.entries[place{c, e.Occurrence}] = e
}

// skim reads a table of the actors of the conversations in question.
func skim[V any](e *engine.Engine, kind string, t actors.Table[V], mine func(messages.ConversationID) bool,
	yield func(messages.ConversationID, V)) error {
	return engine.SkimTable(e, kind, t, func(a messages.Address, _ string, v V) {
		if c := messages.ConversationID(a.Key()); mine(c) {
			yield(c, v)
		}
	})
}

// mention is something that was read, wherever it is stored now.
type mention struct {
	place
	text string
	at   time.Time
}

// mentionsIn returns what a message of the pipeline holds, and its conversation.
func mentionsIn(m messages.Message) (c messages.ConversationID, list []mention) {
	switch m := m.(type) {
	case messages.Detection:
		for _, b := range m.Bubbles {
			list = append(list, mention{place{m.Conversation, 0}, string(b.Text), m.SeenAt})
		}
		if m.Text != "" {
			list = append(list, mention{place{m.Conversation, 0}, string(m.Text), m.SeenAt})
		}
		return m.Conversation, list
	case messages.IncomingBubble:
		return m.Conversation, []mention{{place{m.Conversation, m.Occurrence}, string(m.Text), m.SeenAt}}
	case messages.InboundMessage:
		for _, p := range m.Parts {
			list = append(list, mention{place{m.Conversation, p.Occurrence}, string(p.Text), p.SeenAt})
		}
		return m.Conversation, list
	case messages.MessageDelivered: // parked by a subscription
		return mentionsIn(m.InboundMessage)
	}
	return "", nil
}

// everything lists all mentions in the evidence, most of them several times.
func (ev *Evidence) everything() (list []mention) {
	for _, d := range ev.delivered {
		for _, p := range d.Message.Parts {
			list = append(list, mention{place{d.Conversation, p.Occurrence}, p.Text, p.SeenAt.Time})
		}
	}
	for at, e := range ev.entries {
		list = append(list, mention{at, string(e.Text), e.SeenAt})
	}
	for c, b := range ev.buffered {
		for _, p := range b.Parts {
			list = append(list, mention{place{c, p.Occurrence}, string(p.Text), p.SeenAt})
		}
	}
	for _, env := range ev.mail {
		_, in := mentionsIn(env.Message)
		list = append(list, in...)
	}
	for _, d := range ev.dead {
		_, in := mentionsIn(d.message)
		list = append(list, in...)
	}
	return list
}
