package messages

import "time"

// Event is one remembered message, of either side.
type Event struct {
	ID      MessageID `json:"id"`               // of its conversation
	Source  string    `json:"source,omitempty"` // where it came from: a window, "import"
	Own     bool      `json:"own,omitempty"`    // of our side
	Speaker Text      `json:"speaker,omitempty"`
	Text    Text      `json:"text"`
	At      time.Time `json:"at"` // when it was said
	// Answered is the newest message of the other side that this one of ours was written
	// for, "" if nobody knows.
	Answered MessageID `json:"answered,omitempty"`
}

// Imported is the source of events that were said elsewhere.
const Imported = "import"

// Remember makes recall/CONVERSATION keep events. A known ID is the same event in its
// present wording.
type Remember struct {
	Conversation ConversationID `json:"conversation"`
	Events       []Event        `json:"events"`
}

// MessageType implements [Message].
func (Remember) MessageType() Type { return Type{"remember", 1} }

// Subject implements [About].
func (m Remember) Subject() ConversationID { return m.Conversation }

// TakeBack makes recall/CONVERSATION forget an event that its sender took back.
type TakeBack struct {
	Conversation ConversationID `json:"conversation"`
	ID           MessageID      `json:"id"`
}

// MessageType implements [Message].
func (TakeBack) MessageType() Type { return Type{"take_back", 1} }

// Subject implements [About].
func (m TakeBack) Subject() ConversationID { return m.Conversation }

// KeepApart tells recall/CONVERSATION that an event which a run recalled has nothing to do
// with its question, or, with Undo, that it has after all.
type KeepApart struct {
	Conversation ConversationID `json:"conversation"`
	Run          string         `json:"run"`
	Of           ConversationID `json:"of"` // the event's
	ID           MessageID      `json:"id"`
	Undo         bool           `json:"undo,omitempty"`
}

// MessageType implements [Message].
func (KeepApart) MessageType() Type { return Type{"keep_apart", 1} }

// Subject implements [About].
func (m KeepApart) Subject() ConversationID { return m.Conversation }

// EventsKept says that events are stored in this wording and can be found from now on. It
// is published by the turn that stores them. It is fleeting, because the stored rows are
// what counts.
type EventsKept Remember

// MessageType implements [Message].
func (EventsKept) MessageType() Type { return Type{"events_kept", 1} }

// EventsGone says that events were deleted.
type EventsGone struct {
	Conversation ConversationID `json:"conversation"`
	IDs          []MessageID    `json:"ids"`
}

// MessageType implements [Message].
func (EventsGone) MessageType() Type { return Type{"events_gone", 1} }

// MemoryAt says how far a conversation's memory has come, right behind what changed it: an
// index that has seen all up to here need not read it again.
type MemoryAt struct {
	Conversation ConversationID `json:"conversation"`
	Changes      uint64         `json:"changes"` // that there have been
	Print        uint64         `json:"print"`   // of all of them, one upon the other
}

// MessageType implements [Message].
func (MemoryAt) MessageType() Type { return Type{"memory_at", 1} }

// Recall asks recall/CONVERSATION for what helps to answer. The result is [Recalled]. It
// comes later than the time limit of all routes only if the actor died meanwhile.
type Recall struct {
	Conversation ConversationID `json:"conversation"`
	Key          string         `json:"key"` // comes back
	Text         Text           `json:"text"`
	Group        bool           `json:"group,omitempty"` // then other conversations are out of reach
	// Except are the events to be answered; Context are events that the sender has at hand anyway.
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
	About []Known  `json:"about,omitempty"`
}

// Known is what a conversation's memory knows, whatever is asked: what somebody likes, how
// he has been of late, what was talked about before.
type Known struct {
	Own     bool `json:"own,omitempty"`     // it is about our side
	Speaker Text `json:"speaker,omitempty"` // whom else it is about; "" is what was talked about
	Text    Text `json:"text"`              // in words
}

// MessageType implements [Message].
func (Recalled) MessageType() Type { return Type{"recalled", 1} }

// Memory is an event that was recalled.
type Memory struct {
	Event
	Conversation ConversationID `json:"conversation"`
	Context      bool           `json:"context,omitempty"` // it was in Context
	Covers       float64        `json:"covers"`            // share of the question's words that it contains, 0 to 1

	State  Text `json:"state,omitempty"`  // what it says that still holds, such as "home: Kyoto"
	Former bool `json:"former,omitempty"` // it is outdated
}

// SearchMemory asks a worker for the results of one route.
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

// MemoryFound answers [SearchMemory] with the results of a route, the best first.
type MemoryFound struct {
	Route string        `json:"route"`
	Key   string        `json:"key"`
	Hits  []MemoryHit   `json:"hits,omitempty"`
	About []Known       `json:"about,omitempty"` // of the route state
	Took  time.Duration `json:"took"`
}

// MessageType implements [Message].
func (MemoryFound) MessageType() Type { return Type{"memory_found", 1} }

// MemoryHit is an event that a route found.
type MemoryHit struct {
	Memory
	Score float64 `json:"score"`          // of the route; scores of two routes are not comparable
	Rare  bool    `json:"rare,omitempty"` // it contains a word of the question that hardly any other event has
}

// RecallDue is recall's own timer: the results that have arrived by then are used.
type RecallDue struct {
	Key string `json:"key"`
}

// MessageType implements [Message].
func (RecallDue) MessageType() Type { return Type{"recall_due", 1} }

// MaterialDue is a conversation's own timer: a reply is then written without what has not
// been recalled.
type MaterialDue struct {
	Key string `json:"key"`
}

// MessageType implements [Message].
func (MaterialDue) MessageType() Type { return Type{"material_due", 1} }
