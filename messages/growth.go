package messages

import "time"

// Grow tells growth/CONVERSATION that there is something new in its memory.
type Grow struct {
	Conversation ConversationID `json:"conversation"`
}

// MessageType implements [Message].
func (Grow) MessageType() Type { return Type{"grow", 1} }

// Subject implements [About].
func (m Grow) Subject() ConversationID { return m.Conversation }

// ReadEvents asks a worker what has changed in a conversation's memory. The result is
// [EventsRead].
type ReadEvents struct {
	Conversation ConversationID `json:"conversation"`
	After        Reached        `json:"after"`
	Most         int            `json:"most"` // events at once
}

// MessageType implements [Message].
func (ReadEvents) MessageType() Type { return Type{"read_events", 1} }

// Subject implements [About].
func (m ReadEvents) Subject() ConversationID { return m.Conversation }

// Reached is how far a reader of a conversation's memory has come. The zero value has
// read nothing.
type Reached struct {
	Changes uint64 `json:"changes,omitempty"` // that are read
	Print   uint64 `json:"print,omitempty"`
	Part    int    `json:"part,omitempty"` // events of the next change that are read
	// Anew means that all events are read, in the order of time, because the changes are
	// not known any more; After and ID are the last one so far. Changes and Print are then
	// where that began.
	Anew  bool      `json:"anew,omitempty"`
	After time.Time `json:"after,omitzero"`
	ID    MessageID `json:"id,omitempty"`
}

// EventsRead answers [ReadEvents].
type EventsRead struct {
	Conversation ConversationID `json:"conversation"`
	Events       []GrownEvent   `json:"events,omitempty"`
	Reached      Reached        `json:"reached"`
	More         bool           `json:"more,omitempty"`
	Anew         bool           `json:"anew,omitempty"` // they are some of all; what is in no part is gone
}

// MessageType implements [Message].
func (EventsRead) MessageType() Type { return Type{"events_read", 1} }

// Subject implements [About].
func (m EventsRead) Subject() ConversationID { return m.Conversation }

// GrownEvent is an event as it reads now.
type GrownEvent struct {
	Event
	Thread MessageID `json:"thread,omitempty"` // the first event of its stretch of talk
	Gone   bool      `json:"gone,omitempty"`   // it is not remembered any more; only its ID is set
}

// GrowEvents is growth's own job: what the rules learn from events.
type GrowEvents struct {
	Conversation ConversationID `json:"conversation"`
	Events       []GrownEvent   `json:"events"`
	// Part counts the jobs. One behind a later one, such as a dead letter that is sent
	// again, may hold what is not said any more.
	Part uint64 `json:"part,omitempty"`
}

// MessageType implements [Message].
func (GrowEvents) MessageType() Type { return Type{"grow_events", 1} }

// Subject implements [About].
func (m GrowEvents) Subject() ConversationID { return m.Conversation }

// GrowthFailed becomes the dead letter of a job that failed for good. Sent again, it
// begins the job anew.
type GrowthFailed struct {
	Conversation ConversationID `json:"conversation"`
	Job          string         `json:"job"`
	Reason       string         `json:"reason"`
}

// MessageType implements [Message].
func (GrowthFailed) MessageType() Type { return Type{"growth_failed", 1} }

// Subject implements [About].
func (m GrowthFailed) Subject() ConversationID { return m.Conversation }

// GrowthNext follows [GrowthFailed]: the lane goes on with the next job.
type GrowthNext struct {
	Conversation ConversationID `json:"conversation"`
	Job          string         `json:"job"`
}

// MessageType implements [Message].
func (GrowthNext) MessageType() Type { return Type{"growth_next", 1} }

// Subject implements [About].
func (m GrowthNext) Subject() ConversationID { return m.Conversation }

// GrowthDue is growth's own timer: more is to be read, a model to be asked, or what rests on
// events that are gone to be removed.
type GrowthDue struct {
	Model bool `json:"model,omitempty"`
	Gone  bool `json:"gone,omitempty"`
}

// MessageType implements [Message].
func (GrowthDue) MessageType() Type { return Type{"growth_due", 1} }
