package messages

// Embed tells recall/CONVERSATION that some of its events may have no vector of the
// present model. It is its own timer too.
type Embed struct{}

// MessageType implements [Message].
func (Embed) MessageType() Type { return Type{"embed", 1} }

// EmbedEvents asks a worker for the vectors of what has changed in a conversation's memory.
// The result is [EventsEmbedded].
type EmbedEvents struct {
	Conversation ConversationID `json:"conversation"`
	Model        string         `json:"model"`
	After        Reached        `json:"after"`
	Most         int            `json:"most"` // events at once
}

// MessageType implements [Message].
func (EmbedEvents) MessageType() Type { return Type{"embed_events", 1} }

// Subject implements [About].
func (m EmbedEvents) Subject() ConversationID { return m.Conversation }

// EventsEmbedded answers [EmbedEvents]. Events that have no vector, such as one without text, are missing.
type EventsEmbedded struct {
	Conversation ConversationID `json:"conversation"`
	Model        string         `json:"model"`
	Vectors      []EventVector  `json:"vectors,omitempty"`
	Reached      Reached        `json:"reached"`
	More         bool           `json:"more,omitempty"`
}

// MessageType implements [Message].
func (EventsEmbedded) MessageType() Type { return Type{"events_embedded", 1} }

// Subject implements [About].
func (m EventsEmbedded) Subject() ConversationID { return m.Conversation }

// EventVector is what an event means to a model, in the form of package vector.
type EventVector struct {
	ID     MessageID `json:"id"`
	Print  string    `json:"print"` // of the words that were read
	Vector []byte    `json:"vector"`
}

// VectorsKept says that vectors are stored and can be searched from now on.
type VectorsKept struct {
	Conversation ConversationID `json:"conversation"`
	Kept         uint64         `json:"kept"` // how often there were such vectors, this time included
	Model        string         `json:"model"`
	Vectors      []EventVector  `json:"vectors"`
}

// MessageType implements [Message].
func (VectorsKept) MessageType() Type { return Type{"vectors_kept", 1} }
