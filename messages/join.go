package messages

// Merge makes two conversations one, by hand: that of Conversation goes into Into. It
// goes to directory/APPLICATION.
type Merge struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
}

// MessageType implements [Message].
func (Merge) MessageType() Type { return Type{"merge_conversations", 1} }

// Subject implements [About].
func (m Merge) Subject() ConversationID { return m.Conversation }

// JoinLedger has dedup/CONVERSATION hand its ledger to another conversation. What comes
// to it later goes there too.
type JoinLedger struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
}

// MessageType implements [Message].
func (JoinLedger) MessageType() Type { return Type{"join_ledger", 1} }

// Subject implements [About].
func (m JoinLedger) Subject() ConversationID { return m.Conversation }

// LedgerJoined hands a ledger to dedup/CONVERSATION.
type LedgerJoined struct {
	Conversation ConversationID `json:"conversation"`
	From         ConversationID `json:"from"`
	Next         Occurrence     `json:"next"`    // that From would have given out
	Entries      Text           `json:"entries"` // of package ledger, as JSON
}

// MessageType implements [Message].
func (LedgerJoined) MessageType() Type { return Type{"ledger_joined", 1} }

// Subject implements [About].
func (m LedgerJoined) Subject() ConversationID { return m.Conversation }

// JoinSent has ingress/CONVERSATION hand what was sent to another conversation, so that
// its echo is told there too. What is sent later goes there as well.
type JoinSent struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
}

// MessageType implements [Message].
func (JoinSent) MessageType() Type { return Type{"join_sent", 1} }

// Subject implements [About].
func (m JoinSent) Subject() ConversationID { return m.Conversation }

// SentJoined hands what was sent to ingress/CONVERSATION.
type SentJoined struct {
	Conversation ConversationID `json:"conversation"`
	Sent         Text           `json:"sent"` // rows of package ingress, as JSON
}

// MessageType implements [Message].
func (SentJoined) MessageType() Type { return Type{"sent_joined", 1} }

// Subject implements [About].
func (m SentJoined) Subject() ConversationID { return m.Conversation }

// JoinTalk has conversation/CONVERSATION hand what was said in it to another one. What
// comes to it later goes there too, its occurrences moved by Offset.
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

// TalkJoined hands what was said to conversation/CONVERSATION.
type TalkJoined struct {
	Conversation ConversationID     `json:"conversation"`
	From         ConversationID     `json:"from"`
	Messages     []MessageDelivered `json:"messages"`
	// Rest are the rows of our side, what masks stand for, reminders and the open draft,
	// as JSON of package conversation.
	Rest Text `json:"rest,omitempty"`
}

// MessageType implements [Message].
func (TalkJoined) MessageType() Type { return Type{"talk_joined", 1} }

// Subject implements [About].
func (m TalkJoined) Subject() ConversationID { return m.Conversation }
