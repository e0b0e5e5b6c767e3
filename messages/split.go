package messages

// Split moves messages from a conversation to a new one, at a person's request. It goes
// to directory/APPLICATION, which makes the new one.
type Split struct {
	Conversation ConversationID `json:"conversation"` // the ID of the new one
	From         ConversationID `json:"from"`
	Name         Text           `json:"name,omitempty"` // given by a person; "" for none
	Occurrences  []Occurrence   `json:"occurrences"`    // of the messages
}

// MessageType implements [Message].
func (Split) MessageType() Type { return Type{"split_conversation", 1} }

// Subject implements [About].
func (m Split) Subject() ConversationID { return m.Conversation }

// SplitLedger makes dedup/CONVERSATION move a part of its ledger to another conversation:
// these messages, and what our side said after them.
type SplitLedger struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
	Occurrences  []Occurrence   `json:"occurrences"`
	App          string         `json:"app,omitempty"`   // whose directory is told once it is there
	Moves        int            `json:"moves,omitempty"` // views from before count no longer, see [Detection]
}

// MessageType implements [Message].
func (SplitLedger) MessageType() Type { return Type{"split_ledger", 1} }

// Subject implements [About].
func (m SplitLedger) Subject() ConversationID { return m.Conversation }

// LedgerSplit hands a part of a ledger to dedup/CONVERSATION.
type LedgerSplit struct {
	Conversation ConversationID `json:"conversation"`
	From         ConversationID `json:"from"`
	Next         Occurrence     `json:"next"`    // that From assigns next
	Entries      Text           `json:"entries"` // of package ledger, as JSON
	Occurrences  []Occurrence   `json:"occurrences"`
	App          string         `json:"app,omitempty"`
	New          ConversationID `json:"new,omitempty"` // for which it is, even if that was merged since
}

// MessageType implements [Message].
func (LedgerSplit) MessageType() Type { return Type{"ledger_split", 1} }

// Subject implements [About].
func (m LedgerSplit) Subject() ConversationID { return m.Conversation }

// ForgetView tells fusion/WINDOW that what it showed of a conversation may now belong to
// another, so that the next frame is compared with both.
type ForgetView struct {
	Conversation ConversationID `json:"conversation"`
}

// MessageType implements [Message].
func (ForgetView) MessageType() Type { return Type{"forget_view", 1} }

// Subject implements [About].
func (m ForgetView) Subject() ConversationID { return m.Conversation }

// SplitTalk makes conversation/CONVERSATION move what was said at some places to another
// one, where the places are shifted by Offset.
type SplitTalk struct {
	Conversation ConversationID `json:"conversation"`
	Into         ConversationID `json:"into"`
	Offset       Occurrence     `json:"offset"`
	Occurrences  []Occurrence   `json:"occurrences"`
}

// MessageType implements [Message].
func (SplitTalk) MessageType() Type { return Type{"split_talk", 1} }

// Subject implements [About].
func (m SplitTalk) Subject() ConversationID { return m.Conversation }

// TalkSplit gives what was said to conversation/CONVERSATION, which is new.
type TalkSplit struct {
	Conversation ConversationID     `json:"conversation"`
	From         ConversationID     `json:"from"`
	Messages     []MessageDelivered `json:"messages"`
	// Rest is what it is in [TalkJoined]; the last message has it.
	Rest Text `json:"rest,omitempty"`
}

// MessageType implements [Message].
func (TalkSplit) MessageType() Type { return Type{"talk_split", 1} }

// Subject implements [About].
func (m TalkSplit) Subject() ConversationID { return m.Conversation }
