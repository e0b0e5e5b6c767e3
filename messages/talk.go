package messages

import "time"

// JudgeReply asks whether a conversation's newest messages want an answer. It goes from
// conversation/CONVERSATION to judge/CONVERSATION; the answer is [ReplyJudged]. A new
// question replaces one of the same conversation that is not answered yet.
type JudgeReply struct {
	Conversation ConversationID `json:"conversation"`
	Turn         int64          `json:"turn"`  // of the conversation's desk
	Epoch        int            `json:"epoch"` // of the turn
	Latest       MessageID      `json:"latest"`
	Revision     int            `json:"revision,omitempty"` // how often the newest message was changed
	Written      time.Time      `json:"written"`            // when the newest message was written
	Group        bool           `json:"group,omitempty"`
	Lines        []Said         `json:"lines"` // the newest messages of both sides, oldest first
}

// MessageType implements [Message].
func (JudgeReply) MessageType() Type { return Type{"judge_reply", 1} }

// Subject implements [About].
func (m JudgeReply) Subject() ConversationID { return m.Conversation }

// Said is one message of either side as a language model may see it: masked if the model
// must not see private data.
type Said struct {
	Own  bool      `json:"own,omitempty"`
	Name Text      `json:"name,omitempty"`
	At   time.Time `json:"at"`
	Text Text      `json:"text"`
}

// JudgeSource is where a judgement comes from.
type JudgeSource string

// JudgedByModel marks a judgement made by a language model. All others are made by rule,
// and their confidence means nothing.
const JudgedByModel JudgeSource = "model"

// ReplyJudged answers [JudgeReply].
type ReplyJudged struct {
	Conversation ConversationID `json:"conversation"`
	Turn         int64          `json:"turn"`
	Epoch        int            `json:"epoch"`
	Respond      bool           `json:"respond"`
	Confidence   float64        `json:"confidence"` // 0 to 1
	Reason       Text           `json:"reason"`
	Source       JudgeSource    `json:"source"` // model, default (no model) or failure
}

// MessageType implements [Message].
func (ReplyJudged) MessageType() Type { return Type{"reply_judged", 1} }

// Subject implements [About].
func (m ReplyJudged) Subject() ConversationID { return m.Conversation }

// JudgeAgain says that a judgement has expired: the conversation asks again if the turn
// still waits.
type JudgeAgain struct {
	Conversation ConversationID `json:"conversation"`
	Turn         int64          `json:"turn"`
	Epoch        int            `json:"epoch"`
}

// MessageType implements [Message].
func (JudgeAgain) MessageType() Type { return Type{"judge_again", 1} }

// Subject implements [About].
func (m JudgeAgain) Subject() ConversationID { return m.Conversation }

// ReplyFate says what became of the answer that a judgement asked for.
type ReplyFate struct {
	Conversation ConversationID `json:"conversation"`
	Fate         Fate           `json:"fate"`
}

// Fate of an answer.
type Fate string

// Fates.
const (
	FateDelivered Fate = "delivered"
	FateFailed    Fate = "failed"
	FateForget    Fate = "forget" // a person answered or rejected the reply, or a message was taken back
)

// MessageType implements [Message].
func (ReplyFate) MessageType() Type { return Type{"reply_fate", 1} }

// Subject implements [About].
func (m ReplyFate) Subject() ConversationID { return m.Conversation }

// JudgementDue is the judge's own timer: for a waiting question, or a judgement that
// expires. Then Turn and Epoch say which question it answered; older versions left that out.
type JudgementDue struct {
	Turn  int64 `json:"turn,omitempty"`
	Epoch int   `json:"epoch,omitempty"`
}

// MessageType implements [Message].
func (JudgementDue) MessageType() Type { return Type{"judgement_due", 1} }

// JudgementOld is the judge's own timer to delete a judgement that expired a day ago.
type JudgementOld struct{}

// MessageType implements [Message].
func (JudgementOld) MessageType() Type { return Type{"judgement_old", 1} }

// JudgementMade reports one judgement. The judge publishes it in the turn that records
// it.
type JudgementMade struct {
	Conversation ConversationID `json:"conversation"`
	Message      MessageID      `json:"message"` // the newest one that was judged
	Respond      bool           `json:"respond"`
	Confidence   float64        `json:"confidence"`
	Reason       Text           `json:"reason"`
	Source       JudgeSource    `json:"source"`
	Prompt       string         `json:"prompt,omitempty"` // version of the texts that the model was asked with
	NextCheck    time.Time      `json:"next_check"`
	At           time.Time      `json:"at"`
}

// MessageType implements [Message].
func (JudgementMade) MessageType() Type { return Type{"judgement_made", 1} }

// Subject implements [About].
func (m JudgementMade) Subject() ConversationID { return m.Conversation }

// FollowOwner asks owner/NODE for the owner's state, now and at each change. A
// conversation follows while it works on a reply; after a restart, owner also wakes its
// followers.
type FollowOwner struct {
	Conversation ConversationID `json:"conversation"`
	On           bool           `json:"on"` // false: no more
}

// MessageType implements [Message].
func (FollowOwner) MessageType() Type { return Type{"follow_owner", 1} }

// Subject implements [About].
func (m FollowOwner) Subject() ConversationID { return m.Conversation }

// OwnerState is what the owner does and allows at present.
type OwnerState struct {
	Attention Attention `json:"attention,omitempty"` // "" where attention is off
	Paused    bool      `json:"paused,omitempty"`    // nothing is to be sent
}

// MessageType implements [Message].
func (OwnerState) MessageType() Type { return Type{"owner_state", 1} }

// PauseSending stops every reply from being sent until [ResumeSending], including one
// that is being typed: the text is removed before Enter.
type PauseSending struct{}

// MessageType implements [Message].
func (PauseSending) MessageType() Type { return Type{"pause_sending", 1} }

// ResumeSending ends [PauseSending].
type ResumeSending struct{}

// MessageType implements [Message].
func (ResumeSending) MessageType() Type { return Type{"resume_sending", 1} }

// DraftVerb is what a person does with a draft.
type DraftVerb string

// Verbs.
const (
	DraftApprove DraftVerb = "approve" // send it
	DraftEdit    DraftVerb = "edit"    // put another text in its place
	DraftReject  DraftVerb = "reject"  // send nothing
	DraftHold    DraftVerb = "hold"    // keep it until a person comes back to it
)

// DraftCommand is what a person wants done with a draft. A command that names an older
// epoch is refused, because the person saw another text.
type DraftCommand struct {
	Conversation ConversationID `json:"conversation"`
	Turn         int64          `json:"turn"`
	Epoch        int            `json:"epoch"`
	Do           DraftVerb      `json:"do"`
	Text         Text           `json:"text,omitempty"` // of DraftEdit
}

// MessageType implements [Message].
func (DraftCommand) MessageType() Type { return Type{"draft_command", 1} }

// Subject implements [About].
func (m DraftCommand) Subject() ConversationID { return m.Conversation }

// DecideDue is a conversation's own timer to decide on a held reply again.
type DecideDue struct{}

// MessageType implements [Message].
func (DecideDue) MessageType() Type { return Type{"decide_due", 1} }

// CheckDue is a conversation's own timer to have a model look for private data in what an
// interview stored masked.
type CheckDue struct{}

// MessageType implements [Message].
func (CheckDue) MessageType() Type { return Type{"check_due", 1} }

// ReminderDue is a conversation's own timer for a reminder.
type ReminderDue struct {
	Number int64 `json:"number"` // of the conversation's reminders
}

// MessageType implements [Message].
func (ReminderDue) MessageType() Type { return Type{"reminder_due", 1} }

// CancelReminder forgets a reminder that is not due yet.
type CancelReminder struct {
	Conversation ConversationID `json:"conversation"`
	Number       int64          `json:"number"`
}

// MessageType implements [Message].
func (CancelReminder) MessageType() Type { return Type{"cancel_reminder", 1} }

// Subject implements [About].
func (m CancelReminder) Subject() ConversationID { return m.Conversation }

// ReplyChanged reports a new state of a reply: a draft was made or edited, is held, is
// being sent, was sent. [ReplyJudging] says that a draft was given up because of newer
// messages. The end of a turn is told too where it was still judged or written: with
// [ReplyWithdrawn] where the person wrote in the window, or the message was taken back.
// The conversation publishes it in the turn that records the change.
type ReplyChanged struct {
	Conversation ConversationID `json:"conversation"`
	Turn         int64          `json:"turn"`
	Epoch        int            `json:"epoch"`
	State        ReplyState     `json:"state"`
	Text         Text           `json:"text,omitempty"`
	Rule         ReplyRule      `json:"rule,omitempty"`    // that decided it
	Answers      []MessageID    `json:"answers,omitempty"` // the messages that it answers
	Notify       bool           `json:"notify,omitempty"`  // the owner wants to be told
	Reason       SendReason     `json:"reason,omitempty"`  // why it was not sent
	Basis        ReplyBasis     `json:"basis"`
	Window       WindowID       `json:"window,omitempty"`     // where it goes
	Occurrence   Occurrence     `json:"occurrence,omitempty"` // set when a channel handed it out
	At           time.Time      `json:"at"`
}

// ReplyState is the state of a conversation's turn that answers messages. It is stored.
type ReplyState string

// States. The last three end a turn.
const (
	ReplyNone         ReplyState = "none"
	ReplyJudging      ReplyState = "judging"
	ReplyDeclined     ReplyState = "declined"
	ReplyBeingWritten ReplyState = "writing"
	ReplyHeld         ReplyState = "held"
	ReplyDrafted      ReplyState = "draft"
	ReplySending      ReplyState = "sending"
	ReplyUnknown      ReplyState = "unknown" // it may have been sent; Kehai does not send it again
	ReplySent         ReplyState = "sent"    // its bubble was seen, or a channel has handed it out
	ReplyWithdrawn    ReplyState = "withdrawn"
	ReplyRejected     ReplyState = "rejected"
)

// Ends reports a final state.
func (s ReplyState) Ends() bool { return s == ReplySent || s == ReplyWithdrawn || s == ReplyRejected }

// ReplyRule names why a reply is sent, held or left to a person. It is stored; package
// conversation/reply lists them all.
type ReplyRule string

// ReplyWriting shows how much of a reply a model has written. The first report has no text
// and says that a model was asked. Each report replaces the ones before; a higher Attempt
// starts over. The last one is Done and has the text that is stored, or none if the reply
// does not go out by itself or was given up; of the former nothing is shown. Those with a
// text come every 150 ms at most, except for the last.
type ReplyWriting struct {
	Conversation ConversationID `json:"conversation"`
	Turn         int64          `json:"turn"`
	Epoch        int            `json:"epoch"` // of the turn
	Attempt      int            `json:"attempt"`
	Text         Text           `json:"text"`
	Done         bool           `json:"done,omitempty"`
}

// MessageType implements [Message].
func (ReplyWriting) MessageType() Type { return Type{"reply_writing", 1} }

// ShowDue is a conversation's own timer to publish more of a reply.
type ShowDue struct{}

// MessageType implements [Message].
func (ShowDue) MessageType() Type { return Type{"show_due", 1} }

// ReplyBasis says what a reply rests on.
type ReplyBasis struct {
	Confidence float64     `json:"confidence"`       // of the judgement that an answer is wanted, 0 to 1
	Reason     Text        `json:"reason,omitempty"` // of the judgement
	Source     JudgeSource `json:"source,omitempty"`
	Lines      int         `json:"lines,omitempty"`    // messages that the model read
	Model      string      `json:"model,omitempty"`    // "": a fixed text
	Prompt     string      `json:"prompt,omitempty"`   // version of the texts that the model was asked with
	Fallback   string      `json:"fallback,omitempty"` // why a fixed text was used: an [LLMCode], or "unusable"
	WrittenAt  time.Time   `json:"written_at,omitzero"`
	Run        string      `json:"run,omitempty"`      // the retrieval run behind it
	Recalled   int         `json:"recalled,omitempty"` // events of that run that the model read
}

// MessageType implements [Message].
func (ReplyChanged) MessageType() Type { return Type{"reply_changed", 1} }

// Subject implements [About].
func (m ReplyChanged) Subject() ConversationID { return m.Conversation }
