package messages

import "time"

// ConversationID names a conversation across all channels, for example
// "line:Hana".
type ConversationID string

// Occurrence numbers the messages of a conversation's transcript, both sides,
// from 1. It never repeats and never goes back.
type Occurrence int64

// Detection is what fusion lets through: everything visible of a conversation
// in one frame or, where only text can tell what is new, the new lines. It is the
// first durable message of the pipeline.
type Detection struct {
	Window       WindowID       `json:"window"`
	Conversation ConversationID `json:"conversation"`
	Title        Text           `json:"title"`
	Bubbles      []Bubble       `json:"bubbles"`         // top to bottom
	Marks        []Mark         `json:"marks,omitempty"` // top to bottom
	Rows         bool           `json:"rows,omitempty"`  // as in [FrameRead]
	Text         Text           `json:"text,omitempty"`  // new lines; then there are no bubbles
	Size         Rect           `json:"size"`            // of the frame, pixels
	Scale        float64        `json:"scale"`
	Score        int            `json:"score"` // 0 to 100
	SeenAt       time.Time      `json:"seen_at"`
	Watched      time.Time      `json:"watched,omitzero"` // as in [FrameRead]
	// Moves comes from the answer that gave the view to the conversation. If that was
	// divided since, the view may be the other's.
	Moves int `json:"moves,omitempty"`
	// Anew: the transcript begins anew, without what it has shown before.
	Anew bool `json:"anew,omitempty"`
}

// MessageType implements [Message].
func (Detection) MessageType() Type { return Type{"detection", 1} }

// Subject implements [About].
func (m Detection) Subject() ConversationID { return m.Conversation }

// Channel is a way by which a conversation's messages come in; "" is reading
// them from the screen.
type Channel string

// IncomingBubble is one incoming message, found by the conversation's ledger. It goes
// through ingress to burst unchanged.
type IncomingBubble struct {
	Conversation ConversationID `json:"conversation"`
	Occurrence   Occurrence     `json:"occurrence"`
	Sender       Text           `json:"sender"`
	Kind         Kind           `json:"kind"`
	Text         Text           `json:"text"`
	Window       WindowID       `json:"window"`
	Channel      Channel        `json:"channel,omitempty"`
	Side         Side           `json:"side,omitempty"` // evidence of who wrote it; "" is none
	// the bubble is higher than the window; Text is the part that was read
	Partial bool `json:"partial,omitempty"`
	// its place in the transcript proves it new, so no comparison of texts may drop it
	Fresh  bool      `json:"fresh,omitempty"`
	Late   bool      `json:"late,omitempty"` // it went by unseen and was read by scrolling back
	SeenAt time.Time `json:"seen_at"`
}

// MessageType implements [Message].
func (IncomingBubble) MessageType() Type { return Type{"heard", 1} }

// Subject implements [About].
func (m IncomingBubble) Subject() ConversationID { return m.Conversation }

// ChangeKind says what became of a message after it was read.
type ChangeKind string

// Kinds of changes.
const (
	ChangeEdited ChangeKind = "edited"
	ChangeUnsent ChangeKind = "unsent" // its sender took it back
	// ChangeCompleted: the whole message has been read now. Before, it was higher than
	// the window or unreadable, so only a part was delivered, or only the fact that it
	// came.
	ChangeCompleted ChangeKind = "completed"
	// ChangeMasked: a model found private data in an interview's message beyond what rules
	// found. Old is empty, New has a label in its place.
	ChangeMasked ChangeKind = "masked"
)

// Revised says that an incoming message now reads differently from what was passed on.
// The conversation's ledger sends it along the path of [IncomingBubble], and it never overtakes
// one.
type Revised struct {
	Conversation ConversationID `json:"conversation"`
	Occurrence   Occurrence     `json:"occurrence"`
	Change       ChangeKind     `json:"change"`
	Text         Text           `json:"text,omitempty"` // that it says now
	Window       WindowID       `json:"window"`
	SeenAt       time.Time      `json:"seen_at"` // when it was first seen like this
}

// MessageType implements [Message].
func (Revised) MessageType() Type { return Type{"revised", 1} }

// Subject implements [About].
func (m Revised) Subject() ConversationID { return m.Conversation }

// LedgerDue is the ledger's own timer, for a bubble that may become readable and for a
// change that has to last.
type LedgerDue struct{}

// MessageType implements [Message].
func (LedgerDue) MessageType() Type { return Type{"ledger_due", 1} }

// TranscriptGap says that messages may be missing: the conversation is known, but nothing
// visible is, so more than a screenful went by unseen. Visible and Passed count whole
// bubbles; those passed follow as [IncomingBubble]. Screens is how many screenfuls that may
// have been, by the pace of the conversation; at least one.
type TranscriptGap struct {
	Conversation ConversationID `json:"conversation"`
	Window       WindowID       `json:"window"`
	Visible      int            `json:"visible"`
	Passed       int            `json:"passed"`
	After        Occurrence     `json:"after,omitempty"` // the last one before it; those passed follow
	Screens      int            `json:"screens,omitempty"`
	Unseen       time.Duration  `json:"unseen,omitempty"` // how long the window was not seen; 0 is unknown
	Why          CatchUpEnd     `json:"why,omitempty"`    // it was not read by scrolling back
	SeenAt       time.Time      `json:"seen_at"`
}

// MessageType implements [Message].
func (TranscriptGap) MessageType() Type { return Type{"transcript_gap", 1} }

// Subject implements [About].
func (m TranscriptGap) Subject() ConversationID { return m.Conversation }

// BurstDue is burst's own timer.
type BurstDue struct{}

// MessageType implements [Message].
func (BurstDue) MessageType() Type { return Type{"burst_due", 1} }

// TrimDue makes a conversation delete what was delivered before a time.
type TrimDue struct{ Before time.Time }

// MessageType implements [Message].
func (TrimDue) MessageType() Type { return Type{"trim_due", 1} }

// MessageID identifies a delivered message; unique in a store.
type MessageID string

// Part is one bubble of a coalesced message.
type Part struct {
	Kind       Kind       `json:"kind"`
	Text       Text       `json:"text"`
	Occurrence Occurrence `json:"occurrence"`
	SeenAt     time.Time  `json:"seen_at"`
	Trace      string     `json:"trace,omitempty"` // of the detection that first showed it

	// Partial says that the bubble is higher than the window: Text is what was
	// read of it.
	Partial bool `json:"partial,omitempty"`
	// Late says that it went by unseen and was read by scrolling back.
	Late bool `json:"late,omitempty"`

	// The present text of a delivered part, or that it was taken back, as the
	// conversation stores it. The event of a delivery has neither. See [MessageChanged].
	Edited Text `json:"edited,omitempty"` // what it says now
	Unsent bool `json:"unsent,omitempty"`
}

// InboundMessage is one message, or one burst of messages, of one sender.
type InboundMessage struct {
	ID           MessageID      `json:"id"`
	Conversation ConversationID `json:"conversation"`
	Sender       Text           `json:"sender"`
	Kind         Kind           `json:"kind"` // of the first part that is not text, else text
	Text         Text           `json:"text"` // the parts' texts, one a line
	Parts        []Part         `json:"parts"`
	SeenAt       time.Time      `json:"seen_at"` // first part
	// Window shows the conversation, or is the place of a channel: answers go there. ""
	// means nowhere.
	Window WindowID `json:"window,omitempty"`
	// Partial: some part of Text is incomplete.
	Partial bool `json:"partial,omitempty"`
	// Masked are the kinds of private data that labels replace in Text. The originals are
	// stored nowhere.
	Masked []string `json:"masked,omitempty"`
	// PIIProcessed: Text was searched for private data.
	PIIProcessed bool `json:"pii_processed,omitempty"`
	// ContentHash is a keyed hash of the original text of a channel's message.
	ContentHash string `json:"content_hash,omitempty"`
}

// MessageType implements [Message].
func (InboundMessage) MessageType() Type { return Type{"inbound_message", 1} }

// Subject implements [About].
func (m InboundMessage) Subject() ConversationID { return m.Conversation }

// MessageDelivered says that a message has come. The conversation publishes it in
// the turn that commits the message.
type MessageDelivered struct {
	InboundMessage
	DeliveredAt time.Time `json:"delivered_at"`
}

// MessageType implements [Message].
func (MessageDelivered) MessageType() Type { return Type{"message_delivered", 1} }

// MessageChanged says that a delivered message was edited or taken back, or that
// all of it is known now. The conversation publishes it in the turn that records
// the change. It is not another delivery: the message keeps its id.
//
// Each change is published once. A change that happened while the message was
// out of view is published when it is seen again. A text that was changed back
// meanwhile, or changed before it was first read, is not published.
type MessageChanged struct {
	Conversation ConversationID `json:"conversation"`
	Message      MessageID      `json:"message"`    // that was delivered
	Occurrence   Occurrence     `json:"occurrence"` // its part
	Kind         ChangeKind     `json:"kind"`
	Sender       Text           `json:"sender"`
	Old          Text           `json:"old"`           // what was delivered or published last
	New          Text           `json:"new,omitempty"` // "" if it was taken back
	SeenAt       time.Time      `json:"seen_at"`       // when it was first seen like this
	ChangedAt    time.Time      `json:"changed_at"`    // when it was published
}

// MessageType implements [Message].
func (MessageChanged) MessageType() Type { return Type{"message_changed", 1} }

// Subject implements [About].
func (m MessageChanged) Subject() ConversationID { return m.Conversation }
