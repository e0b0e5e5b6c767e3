package messages

import "time"

// Event is what is remembered: one message of either side.
type Event struct {
	ID      MessageID `json:"id"`               // of its conversation
	Source  string    `json:"source,omitempty"` // where it came from: a window, "import"
	Own     bool      `json:"own,omitempty"`    // of our side
	Speaker Text      `json:"speaker,omitempty"`
	Text    Text      `json:"text"`
	At      time.Time `json:"at"` // when it was said
}

// Remember has recall/CONVERSATION keep events. An ID that is known is the same event
// as it reads now.
type Remember struct {
	Conversation ConversationID `json:"conversation"`
	Events       []Event        `json:"events"`
}

// MessageType implements [Message].
func (Remember) MessageType() Type { return Type{"remember", 1} }

// Subject implements [About].
func (m Remember) Subject() ConversationID { return m.Conversation }

// TakeBack has recall/CONVERSATION forget an event that its sender took back.
type TakeBack struct {
	Conversation ConversationID `json:"conversation"`
	ID           MessageID      `json:"id"`
}

// MessageType implements [Message].
func (TakeBack) MessageType() Type { return Type{"take_back", 1} }

// Subject implements [About].
func (m TakeBack) Subject() ConversationID { return m.Conversation }

// EventsKept says that events are stored as they read here, from now on to be found.
// It is published with the turn that stores them, and fleeting: the rows count.
type EventsKept Remember

// MessageType implements [Message].
func (EventsKept) MessageType() Type { return Type{"events_kept", 1} }

// EventsGone says that events are no more.
type EventsGone struct {
	Conversation ConversationID `json:"conversation"`
	IDs          []MessageID    `json:"ids"`
}

// MessageType implements [Message].
func (EventsGone) MessageType() Type { return Type{"events_gone", 1} }

// Recall asks recall/CONVERSATION for what helps to answer. What comes back is
// [Recalled], later than after all routes' time only if the actor died meanwhile.
type Recall struct {
	Conversation ConversationID `json:"conversation"`
	Key          string         `json:"key"` // comes back
	Text         Text           `json:"text"`
	Group        bool           `json:"group,omitempty"` // then nothing from elsewhere is seen
	// Except are the events that are to be answered, Context those that whoever asks
	// has before him anyway.
	Except  []MessageID `json:"except,omitempty"`
	Context []MessageID `json:"context,omitempty"`
}

// MessageType implements [Message].
func (Recall) MessageType() Type { return Type{"recall", 1} }

// Recalled answers [Recall]: the events that help most, the best first.
type Recalled struct {
	Key   string   `json:"key"`
	Run   string   `json:"run"` // the stored retrieval run
	Found []Memory `json:"found,omitempty"`
}

// MessageType implements [Message].
func (Recalled) MessageType() Type { return Type{"recalled", 1} }

// Memory is an event that was recalled.
type Memory struct {
	Event
	Conversation ConversationID `json:"conversation"`
	Context      bool           `json:"context,omitempty"` // whoever asked has it before him
	Covers       float64        `json:"covers"`            // share of the question's words that it has, 0 to 1
}

// SearchMemory asks a worker for what one route finds.
type SearchMemory struct {
	Route        string         `json:"route"`
	Key          string         `json:"key"`
	Conversation ConversationID `json:"conversation"`
	Text         Text           `json:"text"`
	Group        bool           `json:"group,omitempty"`
	At           time.Time      `json:"at"`
	Except       []MessageID    `json:"except,omitempty"`
}

// MessageType implements [Message].
func (SearchMemory) MessageType() Type { return Type{"search_memory", 1} }

// MemoryFound answers [SearchMemory]: what a route found, the best first.
type MemoryFound struct {
	Route string        `json:"route"`
	Key   string        `json:"key"`
	Hits  []MemoryHit   `json:"hits,omitempty"`
	Took  time.Duration `json:"took"`
}

// MessageType implements [Message].
func (MemoryFound) MessageType() Type { return Type{"memory_found", 1} }

// MemoryHit is an event that a route found.
type MemoryHit struct {
	Memory
	Score float64 `json:"score"`          // of the route; scores of two routes are not comparable
	Rare  bool    `json:"rare,omitempty"` // it has a word of the question that hardly any other has
}

// RecallDue is recall's own timer: what has come by then must do.
type RecallDue struct {
	Key string `json:"key"`
}

// MessageType implements [Message].
func (RecallDue) MessageType() Type { return Type{"recall_due", 1} }

// MaterialDue is a conversation's own timer: a reply is written without what was not
// recalled by then.
type MaterialDue struct {
	Key string `json:"key"`
}

// MessageType implements [Message].
func (MaterialDue) MessageType() Type { return Type{"material_due", 1} }
