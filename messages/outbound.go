package messages

import "time"

// TextSent says that Kehai is about to send a text into a conversation, so that
// the text is recognised when it is read back from the screen. It goes to
// ingress/CONVERSATION and to fusion/WINDOW of every window.
//
// The sender commits it before the call that presses the first key, or in the
// same turn. So it reaches ingress ahead of anything that is read afterwards.
//
// Trace names the sending: another attempt with the same text and Trace renews
// the first. At is when the sender decided; the time within which a text counts
// as an echo begins with the turn that records it. Window is whose sender waits for the
// bubble, "" for a host. Older versions stored it without the window: then its sender's
// address names it. Stands means that a bubble of our side showed the same before. Entered
// renews it once more, before Enter is pressed: of two texts that a bubble may show, one that
// was entered is the likelier. Turn is the turn of the conversation that wrote it, 0 for a
// host's text.
type TextSent struct {
	Conversation ConversationID `json:"conversation"`
	Text         Text           `json:"text"`
	Trace        string         `json:"trace,omitempty"`
	At           time.Time      `json:"at"`
	Window       WindowID       `json:"window,omitempty"`
	Stands       bool           `json:"stands,omitempty"`
	Entered      bool           `json:"entered,omitempty"`
	Turn         int64          `json:"turn,omitempty"`
}

// MessageType implements [Message].
func (TextSent) MessageType() Type { return Type{"text_sent", 1} }

// Subject implements [About].
func (m TextSent) Subject() ConversationID { return m.Conversation }

// SendReply asks to type a text into the window of a conversation and send it, once. It
// goes from conversation/CONVERSATION to outbound/WINDOW. The answer, once for each Turn
// and Epoch, is [SendDone]. After one that says unknown, another may say confirmed, if
// the bubble is seen after all.
type SendReply struct {
	Conversation ConversationID `json:"conversation"`
	Window       WindowID       `json:"window"`
	Turn         int64          `json:"turn"`          // turn of the conversation's desk
	Epoch        int            `json:"epoch"`         // of the turn
	Key          string         `json:"key,omitempty"` // of a host's own sending, whose Turn and Epoch are 0
	Text         Text           `json:"text"`
	At           time.Time      `json:"at"` // when it was decided
}

// MessageType implements [Message].
func (SendReply) MessageType() Type { return Type{"send_reply", 1} }

// Subject implements [About].
func (m SendReply) Subject() ConversationID { return m.Conversation }

// StopSending withdraws a [SendReply]. The SendDone of that reply answers it: not sent,
// or what happened before it could be stopped.
type StopSending struct {
	Conversation ConversationID `json:"conversation"`
	Window       WindowID       `json:"window"`
	Turn         int64          `json:"turn"`
	Epoch        int            `json:"epoch"`
	Key          string         `json:"key,omitempty"`
}

// MessageType implements [Message].
func (StopSending) MessageType() Type { return Type{"stop_sending", 1} }

// Subject implements [About].
func (m StopSending) Subject() ConversationID { return m.Conversation }

// EndSending tells outbound/WINDOW that the program is about to end: nothing new is
// typed, and what is in the field already is removed.
type EndSending struct{}

// MessageType implements [Message].
func (EndSending) MessageType() Type { return Type{"end_sending", 1} }

// SendOutcome is how a sending ended.
type SendOutcome string

// Outcomes of a sending.
const (
	SendConfirmed SendOutcome = "confirmed" // its own bubble was seen
	SendNot       SendOutcome = "not_sent"  // nothing of it stands in the window
	SendUnknown   SendOutcome = "unknown"   // it may have been sent; Kehai never sends it again by itself
)

// SendReason says why a reply was not confirmed. Never private.
type SendReason string

// Reasons given by Kehai itself. The others are the codes of package hardware, such as
// window_gone, and [CodePaused].
const (
	SendBusy        SendReason = "session_typing_busy" // a person types, or unsent text stands in the field
	SendElsewhere   SendReason = "elsewhere"           // the window shows another conversation, or an unknown one
	SendMovedOn     SendReason = "moved_on"            // its place is not visible: too much has come since
	SendNoField     SendReason = "no_field"            // no input field was found, or it did not take the text
	SendChanged     SendReason = "changed"             // the window changed before a key was pressed
	SendStopped     SendReason = "stopped"             // by [StopSending]
	SendEnding      SendReason = "ending"              // by [EndSending]; it goes on at the next start
	SendNoLease     SendReason = "no_lease"            // no majority of the cluster confirms that it is to be sent here
	SendNoTypist    SendReason = "no_typist"           // nothing can type into the window
	SendBlind       SendReason = "no_presence"         // nothing can tell whether a person uses the keyboard
	SendUnconfirmed SendReason = "unconfirmed"         // its bubble was not seen in time
	SendFailed      SendReason = "failed"              // the typist failed
	SendSilent      SendReason = "no_answer"           // the machine with the window has not said what became of it
)

// SendDone says what became of a [SendReply]. It goes to
// conversation/CONVERSATION unless it has a Key, and is published.
type SendDone struct {
	Conversation ConversationID `json:"conversation"`
	Turn         int64          `json:"turn"`
	Epoch        int            `json:"epoch"`
	Key          string         `json:"key,omitempty"`
	Outcome      SendOutcome    `json:"outcome"`
	Reason       SendReason     `json:"reason,omitempty"`     // unless SendConfirmed
	Occurrence   Occurrence     `json:"occurrence,omitempty"` // of SendConfirmed
	Text         Text           `json:"text,omitempty"`       // of a sending with a Key, while it is kept
	At           time.Time      `json:"at"`
}

// MessageType implements [Message].
func (SendDone) MessageType() Type { return Type{"send_done", 1} }

// Subject implements [About].
func (m SendDone) Subject() ConversationID { return m.Conversation }

// TaskDone says that work for a conversation is done, so that a text must be seen to be
// sent there. It goes to stall/NODE: from outbound for each reply that it takes, and from a
// host for tasks of its own ([Inject] of the runtime), whose Trace is the key with which it
// sends the text.
//
// [Inject]: https://pkg.go.dev/github.com/kehai-run/kehai/runtime#Runtime.Inject
type TaskDone struct {
	Conversation ConversationID `json:"conversation"`
	Trace        string         `json:"trace"`
}

// MessageType implements [Message].
func (TaskDone) MessageType() Type { return Type{"task_done", 1} }

// Subject implements [About].
func (m TaskDone) Subject() ConversationID { return m.Conversation }

// SendTried tells stall/NODE how an attempt to send a text ended: Reason is "" if its
// bubble was seen.
type SendTried struct {
	Conversation ConversationID `json:"conversation"`
	Trace        string         `json:"trace"`
	Reason       SendReason     `json:"reason,omitempty"`
}

// MessageType implements [Message].
func (SendTried) MessageType() Type { return Type{"send_tried", 1} }

// Subject implements [About].
func (m SendTried) Subject() ConversationID { return m.Conversation }

// StallDue is the watch's own timer.
type StallDue struct{}

// MessageType implements [Message].
func (StallDue) MessageType() Type { return Type{"stall_due", 1} }

// StallReason is why nothing was sent about a task that is done.
type StallReason string

// Reasons of a stall.
const (
	StalledTypingBusy StallReason = "stalled_typing_busy" // a person types; it may still go out
	StalledNoSend     StallReason = "stalled_no_send"     // final
)

// SendStalled is published when nothing was seen to be sent about a task in time, once for
// each reason; and, with Over, when that was told and it went out after all.
type SendStalled struct {
	Conversation ConversationID `json:"conversation"`
	Trace        string         `json:"trace"`
	Reason       StallReason    `json:"reason"`
	Final        bool           `json:"final"` // nothing more is told of it, unless it goes out after all
	Over         bool           `json:"over,omitempty"`
	Since        time.Time      `json:"since"` // the completion
	At           time.Time      `json:"at"`
}

// MessageType implements [Message].
func (SendStalled) MessageType() Type { return Type{"send_stalled", 1} }

// Subject implements [About].
func (m SendStalled) Subject() ConversationID { return m.Conversation }

// OwnMessage is a bubble of our own side, found by the conversation's ledger. It passes
// ingress, which knows what Kehai sent, on its way to conversation and, if it has a
// Trace, to outbound.
type OwnMessage struct {
	Conversation ConversationID `json:"conversation"`
	Occurrence   Occurrence     `json:"occurrence"`
	Kind         Kind           `json:"kind"`
	Text         Text           `json:"text"`
	Window       WindowID       `json:"window"`
	Trace        string         `json:"trace,omitempty"` // of the sending that it confirms; "": a person wrote it
	Turn         int64          `json:"turn,omitempty"`  // that wrote it; 0: a person or a host did
	SeenAt       time.Time      `json:"seen_at"`
}

// MessageType implements [Message].
func (OwnMessage) MessageType() Type { return Type{"own_message", 1} }

// Subject implements [About].
func (m OwnMessage) Subject() ConversationID { return m.Conversation }

// AskKeyboard asks keyboard/DESK for the desk's keyboard, which one window can hold at a
// time. The answer is [KeyboardGiven]. A holder that asks again gets it for a new period.
// For is the kind of the actor that asks for the window, [ActorOutbound] or [ActorCatchUp]:
// the two count as two who ask. Older versions stored it empty: then the sender's kind counts.
type AskKeyboard struct {
	Window WindowID `json:"window"`
	For    string   `json:"for,omitempty"`
}

// MessageType implements [Message].
func (AskKeyboard) MessageType() Type { return Type{"ask_keyboard", 1} }

// KeyboardGiven gives a window the keyboard, until it sends [LeaveKeyboard], or at most
// until Until.
type KeyboardGiven struct {
	Until time.Time `json:"until"`
}

// MessageType implements [Message].
func (KeyboardGiven) MessageType() Type { return Type{"keyboard_given", 1} }

// LeaveKeyboard returns the keyboard, or stops waiting for it. For is as in [AskKeyboard].
type LeaveKeyboard struct {
	Window WindowID `json:"window"`
	For    string   `json:"for,omitempty"`
}

// MessageType implements [Message].
func (LeaveKeyboard) MessageType() Type { return Type{"leave_keyboard", 1} }

// KeyboardDue is the keyboard's own timer.
type KeyboardDue struct{}

// MessageType implements [Message].
func (KeyboardDue) MessageType() Type { return Type{"keyboard_due", 1} }

// SendDue is a sender's own timer: to try again, or to stop waiting for a bubble.
type SendDue struct{}

// MessageType implements [Message].
func (SendDue) MessageType() Type { return Type{"send_due", 1} }

// AskConversation asks fusion/WINDOW which conversation a reading shows, judged by its title and
// its bubbles. The answer, [ConversationShown], goes to outbound/WINDOW, or to
// catchup/WINDOW, which has it scrolled.
type AskConversation struct {
	Key    string
	Read   FrameRead
	Scroll bool
}

// MessageType implements [Message].
func (AskConversation) MessageType() Type { return Type{"ask_whose", 1} }

// ConversationShown answers [AskConversation].
type ConversationShown struct {
	Key          string
	Conversation ConversationID // "" unless it is certain
	// MovedOn is the conversation it would be, if its known messages have scrolled out of
	// view.
	MovedOn ConversationID
}

// MessageType implements [Message].
func (ConversationShown) MessageType() Type { return Type{"whose", 1} }

// Look is what a window showed when an action was decided. A hands worker refuses to
// press a key with the code [SendChanged] if the header or the input field looks
// different now, and with [SendBusy] if a person has used the keyboard or the mouse
// since.
type Look struct {
	Frame  Frame
	Header Rect // in pixels of the frame
	Field  Rect
}

// TypeText asks a hands worker to type into the input field of a window.
type TypeText struct {
	Look Look
	Text Text
	Idle time.Duration // how long nobody may have used the keyboard or the mouse
	Of   Sending
}

// MessageType implements [Message].
func (TypeText) MessageType() Type { return Type{"type_text", 1} }

// PressEnter asks a hands worker to send the text in the field.
type PressEnter struct {
	Look Look
	Of   Sending
}

// Sending names what is being sent, as its [SendReply] does: the token with which the hands ask,
// before each text and each Enter, whether it is still to be sent, and here.
type Sending struct {
	Conversation ConversationID
	Turn         int64
	Epoch        int
	Key          string
}

// MessageType implements [Message].
func (PressEnter) MessageType() Type { return Type{"press_enter", 1} }

// ClearField asks a hands worker to empty the field.
type ClearField struct{ Look Look }

// MessageType implements [Message].
func (ClearField) MessageType() Type { return Type{"clear_field", 1} }

// HandsDone is the hands worker's answer: all keys were pressed.
type HandsDone struct{ Window WindowID }

// MessageType implements [Message].
func (HandsDone) MessageType() Type { return Type{"hands_done", 1} }
