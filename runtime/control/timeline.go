package control

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Event says what an [Entry] is. In JSON a message has no event.
type Event string

// Kinds of entries.
const (
	EventMessage Event = ""                // a delivered message
	EventChanged Event = "message_changed" // a delivered message was edited or taken back, or is complete now
	EventGap     Event = "transcript_gap"  // messages may have gone by unseen
	EventReply   Event = "reply"           // a text of ours that was sent, or may have been
)

// Entry is one line of the timeline as people and scripts read it: a delivered message,
// or what else must be known to read the messages right. Everything that lists messages
// lists entries. Exactly one of the four bodies is set; in JSON its fields stand beside
// those of the entry.
type Entry struct {
	Seq          uint64                  `json:"seq,omitempty"`   // place in the event log
	Event        Event                   `json:"event,omitempty"` // which body is set
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"`    // the conversation's name, as "line:Hana"
	LoggedAs     string                  `json:"logged_as,omitempty"` // its name in the log
	// SeenAt is when it was first seen on the screen; of a reply, when it was, or when
	// Kehai stopped waiting for that.
	SeenAt Stamp  `json:"seen_at"`
	Trace  string `json:"-"` // of the turn that published it

	Message *Message `json:"-"`
	Change  *Change  `json:"-"`
	Gap     *Gap     `json:"-"`
	Reply   *Reply   `json:"-"`
}

// RewriteNames replaces each name of a person or a conversation in an entry. as gets the
// conversation with each name. The bodies are changed in place.
func (e *Entry) RewriteNames(as func(conversation, name string) string) {
	name := func(s *string) { *s = as(string(e.Conversation), *s) }
	if app, title, ok := strings.Cut(e.Called, ":"); ok {
		name(&title)
		e.Called = app + ":" + title
	} else {
		name(&e.Called)
	}
	if e.Message != nil {
		name(&e.Message.Sender)
	}
	if e.Change != nil {
		name(&e.Change.Sender)
	}
}

// RewriteTexts does the same for each text that somebody wrote, or that tells of one.
func (e *Entry) RewriteTexts(as func(conversation, text string) string) {
	text := func(s *string) { *s = as(string(e.Conversation), *s) }
	if e.Message != nil {
		text(&e.Message.Text)
		for i := range e.Message.Parts {
			text(&e.Message.Parts[i].Text)
			text(&e.Message.Parts[i].Edited)
		}
	}
	if e.Change != nil {
		text(&e.Change.Old)
		text(&e.Change.New)
	}
	if r := e.Reply; r != nil {
		text(&r.Text)
		if r.Basis != nil {
			text((*string)(&r.Basis.Reason))
		}
	}
}

// Message is the body of a delivered message.
type Message struct {
	ID          messages.MessageID `json:"id"`
	Sender      string             `json:"sender"`
	Kind        messages.Kind      `json:"kind"`
	Text        string             `json:"text"`
	Parts       []Part             `json:"parts"`
	DeliveredAt Stamp              `json:"delivered_at"`
	Partial     bool               `json:"partial,omitempty"` // text is not all of it, see its parts
}

// Part is one bubble of a message.
type Part struct {
	Kind       messages.Kind       `json:"kind"`
	Text       string              `json:"text"`
	Occurrence messages.Occurrence `json:"occurrence"`
	SeenAt     Stamp               `json:"seen_at"`
	Trace      string              `json:"-"` // of the detection that first showed it
	// Partial says that the bubble was higher than the window: Text is what was read.
	Partial bool `json:"partial,omitempty"`
	// Late says that it went by unseen and was read by scrolling back.
	Late bool `json:"late,omitempty"`

	// What became of it after the delivery.
	Edited    string `json:"edited,omitempty"` // what it says now
	Unsent    bool   `json:"unsent,omitempty"` // its sender took it back
	ChangedAt *Stamp `json:"changed_at,omitempty"`
}

// Change is the body of a change of a delivered message.
type Change struct {
	Kind       messages.ChangeKind `json:"kind"`
	Sender     string              `json:"sender"`
	Message    messages.MessageID  `json:"message"`
	Occurrence messages.Occurrence `json:"occurrence"` // of its part
	Old        string              `json:"old"`
	New        string              `json:"new,omitempty"` // "" if it was taken back
	ChangedAt  Stamp               `json:"changed_at"`
}

// Gap is the body of an entry that says where messages may be missing: between After
// and the next occurrence.
type Gap struct {
	Window  messages.WindowID   `json:"window"`
	Visible int                 `json:"visible"`           // whole bubbles that the window showed after it
	Passed  int                 `json:"passed"`            // of those, passed on as new
	After   messages.Occurrence `json:"after,omitempty"`   // the last one before it; 0 if it is not known
	Screens int                 `json:"screens,omitempty"` // it may hide, as far as can be told; at least
	What    string              `json:"what"`              // the same for people
}

// Reply is the body of a text sent by Kehai: its own bubble was seen, or it is unknown
// whether it was sent.
type Reply struct {
	ID         DraftID              `json:"reply,omitempty"` // "" of a host's own text, which has a key
	Key        string               `json:"key,omitempty"`
	State      ReplyState           `json:"state"`
	Text       string               `json:"text"`
	Answers    []messages.MessageID `json:"answers,omitempty"`    // the messages that it answers
	Occurrence messages.Occurrence  `json:"occurrence,omitempty"` // of its bubble, where that is known
	Reason     messages.SendReason  `json:"reason,omitempty"`     // why it is unknown
	Rule       messages.ReplyRule   `json:"rule,omitempty"`       // by which it was sent without a person
	Basis      *messages.ReplyBasis `json:"basis,omitempty"`      // nil of a host's own
}

// ReplyState says how sure it is that a reply went out.
type ReplyState = messages.ReplyState

// States of a reply on the timeline.
const (
	ReplySent    = messages.ReplySent    // its bubble was seen
	ReplyUnknown = messages.ReplyUnknown // it may have been sent; Kehai does not send it again
)

// EntryOf makes the entry of an event in the form in which it was published; false if the
// event is not on the timeline.
func EntryOf(p engine.Published) (Entry, bool) {
	e := Entry{Seq: p.Seq, Trace: p.Trace}
	switch m := p.Message.(type) {
	case messages.MessageDelivered:
		e.Conversation, e.SeenAt, e.Message = m.Conversation, Stamp{m.SeenAt}, messageOf(m)
	case messages.MessageChanged:
		e.Event, e.Conversation, e.SeenAt = EventChanged, m.Conversation, Stamp{m.SeenAt}
		e.Change = &Change{Kind: m.Kind, Sender: string(m.Sender), Message: m.Message, Occurrence: m.Occurrence,
			Old: string(m.Old), New: string(m.New), ChangedAt: Stamp{m.ChangedAt}}
	case messages.TranscriptGap:
		e.Event, e.Conversation, e.SeenAt = EventGap, m.Conversation, Stamp{m.SeenAt}
		e.Gap = &Gap{Window: m.Window, Visible: m.Visible, Passed: m.Passed, After: m.After, Screens: m.Screens,
			What: describe.Gap(m)}
	case messages.ReplyChanged:
		if s := m.State; s != ReplySent && s != ReplyUnknown {
			return Entry{}, false
		}
		e.Event, e.Conversation, e.SeenAt = EventReply, m.Conversation, Stamp{m.At}
		e.Reply = &Reply{ID: NewDraftID(m.Conversation, m.Turn, m.Epoch), State: m.State,
			Text: string(m.Text), Answers: m.Answers, Rule: m.Rule, Basis: &m.Basis}
		if e.Reply.State == ReplyUnknown {
			e.Reply.Reason = m.Reason
		}
	case messages.SendDone:
		if m.Key == "" || m.Outcome == messages.SendNot { // ReplyChanged tells of the others
			return Entry{}, false
		}
		e.Event, e.Conversation, e.SeenAt = EventReply, m.Conversation, Stamp{m.At}
		e.Reply = &Reply{Key: m.Key, State: ReplySent, Text: string(m.Text), Occurrence: m.Occurrence}
		if m.Outcome == messages.SendUnknown {
			e.Reply.State, e.Reply.Reason = ReplyUnknown, m.Reason
		}
	default:
		return Entry{}, false
	}
	return e, true
}

func messageOf(d messages.MessageDelivered) *Message {
	m := &Message{ID: d.ID, Sender: string(d.Sender), Kind: d.Kind, Text: string(d.Text), Parts: []Part{},
		DeliveredAt: Stamp{d.DeliveredAt}, Partial: d.Partial}
	for _, p := range d.Parts {
		m.Parts = append(m.Parts, Part{Kind: p.Kind, Text: string(p.Text), Occurrence: p.Occurrence,
			SeenAt: Stamp{p.SeenAt}, Trace: p.Trace, Partial: p.Partial, Late: p.Late})
	}
	return m
}

// Where is what a person reads as the conversation.
func (e Entry) Where() string { return cmp.Or(e.Called, string(e.Conversation)) }

// Apply records in a message what became of one of its parts.
func (m *Message) Apply(c Change) {
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Occurrence != c.Occurrence {
			continue
		}
		if c.Kind == messages.ChangeMasked {
			m.mask(p, c.New)
			continue
		}
		p.ChangedAt = &c.ChangedAt
		if c.Kind == messages.ChangeUnsent {
			p.Unsent = true
		} else {
			p.Edited = c.New
		}
	}
}

// mask replaces the text of a part, which is the same message with less in it.
func (m *Message) mask(p *Part, text string) {
	if p.Edited != "" {
		p.Edited = text
	}
	var said []string
	for i := range m.Parts {
		if other := &m.Parts[i]; other == p {
			other.Text = text
		}
		if m.Parts[i].Text != "" {
			said = append(said, m.Parts[i].Text)
		}
	}
	m.Text = strings.Join(said, "\n")
}

// Query selects entries. The zero value selects all.
type Query struct {
	Conversation messages.ConversationID
	Since        time.Time // published at or after
	After        uint64    // place in the event log
	Limit        int       // the newest so many; 0: all
}

// head is an entry without its body.
type head Entry

// MarshalJSON implements [json.Marshaler].
func (e Entry) MarshalJSON() ([]byte, error) {
	switch {
	case e.Message != nil:
		return json.Marshal(struct {
			head
			*Message
		}{head(e), e.Message})
	case e.Change != nil:
		return json.Marshal(struct {
			head
			*Change
		}{head(e), e.Change})
	case e.Gap != nil:
		return json.Marshal(struct {
			head
			*Gap
		}{head(e), e.Gap})
	case e.Reply != nil:
		return json.Marshal(struct {
			head
			*Reply
		}{head(e), e.Reply})
	}
	return nil, fmt.Errorf("control: the entry %d says nothing", e.Seq)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *Entry) UnmarshalJSON(raw []byte) error {
	var h head
	if err := json.Unmarshal(raw, &h); err != nil {
		return err
	}
	*e = Entry(h)
	switch e.Event {
	case EventMessage:
		e.Message = &Message{}
		return json.Unmarshal(raw, e.Message)
	case EventChanged:
		e.Change = &Change{}
		return json.Unmarshal(raw, e.Change)
	case EventGap:
		e.Gap = &Gap{}
		return json.Unmarshal(raw, e.Gap)
	case EventReply:
		e.Reply = &Reply{}
		return json.Unmarshal(raw, e.Reply)
	}
	return fmt.Errorf("control: an entry of the unknown kind %q", e.Event)
}
