package messages

// Merge makes two conversations one, by hand: Conversation becomes part of Into. It goes
// to directory/APPLICATION.
type Merge struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
}

// MessageType implements [Message].
func (Merge) MessageType() Type { return Type{"merge_conversations", 1} }

// Subject implements [About].
func (m Merge) Subject() ConversationID { return m.Conversation }

// JoinLedger makes dedup/CONVERSATION hand its ledger over to another conversation, and
// forward what arrives later.
type JoinLedger struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
	App          string         `json:"app,omitempty"` // whose directory is told once it is there
}

// MessageType implements [Message].
func (JoinLedger) MessageType() Type { return Type{"join_ledger", 1} }

// Subject implements [About].
func (m JoinLedger) Subject() ConversationID { return m.Conversation }

// LedgerJoined hands a ledger to dedup/CONVERSATION.
type LedgerJoined struct {
	Conversation ConversationID `json:"conversation"`
	From         ConversationID `json:"from"`
	Next         Occurrence     `json:"next"`    // the next one From would have given out
	Entries      Text           `json:"entries"` // of package ledger, as JSON
	App          string         `json:"app,omitempty"`
}

// MessageType implements [Message].
func (LedgerJoined) MessageType() Type { return Type{"ledger_joined", 1} }

// Subject implements [About].
func (m LedgerJoined) Subject() ConversationID { return m.Conversation }

// LedgerMoved tells directory/APPLICATION that the ledger of a conversation is where it
// belongs since that was merged into another one, or, with Split, divided off from one.
type LedgerMoved struct {
	Conversation ConversationID `json:"conversation"`
	Split        bool           `json:"split,omitempty"`
}

// MessageType implements [Message].
func (LedgerMoved) MessageType() Type { return Type{"ledger_moved", 1} }

// Subject implements [About].
func (m LedgerMoved) Subject() ConversationID { return m.Conversation }

// JoinSent makes ingress/CONVERSATION hand over what was sent, so that its echo is
// recognised in the other conversation, and forward what is sent later.
type JoinSent struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
}

// MessageType implements [Message].
func (JoinSent) MessageType() Type { return Type{"join_sent", 1} }

// Subject implements [About].
func (m JoinSent) Subject() ConversationID { return m.Conversation }

// SentJoined hands the texts that were sent over to ingress/CONVERSATION.
type SentJoined struct {
	Conversation ConversationID `json:"conversation"`
	Sent         Text           `json:"sent"` // rows of package ingress, as JSON
}

// MessageType implements [Message].
func (SentJoined) MessageType() Type { return Type{"sent_joined", 1} }

// Subject implements [About].
func (m SentJoined) Subject() ConversationID { return m.Conversation }

// JoinTalk makes conversation/CONVERSATION hand over what was said, and forward what
// arrives later. Occurrences are moved by Offset.
type JoinTalk struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
	Offset       Occurrence     `json:"offset"`
	Twice        []Occurrence   `json:"twice,omitempty"` // that Into has too
}

// MessageType implements [Message].
func (JoinTalk) MessageType() Type { return Type{"join_talk", 1} }

// Subject implements [About].
func (m JoinTalk) Subject() ConversationID { return m.Conversation }

// TalkJoined hands messages over to conversation/CONVERSATION.
type TalkJoined struct {
	Conversation ConversationID     `json:"conversation"`
	From         ConversationID     `json:"from"`
	Messages     []MessageDelivered `json:"messages"`
	// Rest holds our own messages, the originals of masks, reminders and the open draft,
	// as JSON of package conversation.
	Rest Text `json:"rest,omitempty"`
}

// MessageType implements [Message].
func (TalkJoined) MessageType() Type { return Type{"talk_joined", 1} }

// Subject implements [About].
func (m TalkJoined) Subject() ConversationID { return m.Conversation }
