package messages

import "time"

// CatchUp asks catchup/WINDOW to scroll the transcript back to what is known of a
// conversation: messages went by unseen. Meanwhile its ledger holds what came after them.
// The answer is [CaughtUp].
type CatchUp struct {
	Conversation ConversationID `json:"conversation"`
	Window       WindowID       `json:"window"`
	After        Occurrence     `json:"after"` // the last one before the gap
	At           time.Time      `json:"at"`
	// Lower: nothing is known to have gone by. The window shows an older position, where nothing new comes into
	// view: it is only turned to its newest one. There is no answer, and After is 0.
	Lower bool `json:"lower,omitempty"`
}

// MessageType implements [Message].
func (CatchUp) MessageType() Type { return Type{"catch_up", 1} }

// Subject implements [About].
func (m CatchUp) Subject() ConversationID { return m.Conversation }

// CatchUpEnd says why scrolling back has stopped.
type CatchUpEnd string

// Why scrolling back stopped. Names are stored, so none is changed or reused.
const (
	CatchUpReached CatchUpEnd = "reached"  // what was known was found again
	CatchUpPerson  CatchUpEnd = "busy"     // somebody uses the mouse or the keyboard; it goes on later
	CatchUpLimit   CatchUpEnd = "limit"    // so many screens were read without finding it
	CatchUpTop     CatchUpEnd = "top"      // the window scrolls no further, and it was not there
	CatchUpLost    CatchUpEnd = "lost"     // two views had nothing in common
	CatchUpLate    CatchUpEnd = "timeout"  // for too long somebody was there, or the window showed something else
	CatchUpFailed  CatchUpEnd = "failed"   // the window could not be scrolled or read
	CatchUpSlow    CatchUpEnd = "too_slow" // it takes longer than what came after the gap is held; it goes on
)

// CaughtUp tells a ledger that its window is no longer scrolled back.
type CaughtUp struct {
	Conversation ConversationID `json:"conversation"`
	Window       WindowID       `json:"window"`
	After        Occurrence     `json:"after"`
	Why          CatchUpEnd     `json:"why"`
	Later        bool           `json:"later,omitempty"` // it will be tried again
}

// MessageType implements [Message].
func (CaughtUp) MessageType() Type { return Type{"caught_up", 1} }

// Subject implements [About].
func (m CaughtUp) Subject() ConversationID { return m.Conversation }

// ViewBack shows a ledger what its window shows, scrolled back. The answer is
// [ViewBackSeen].
type ViewBack struct {
	Key  string
	View Detection
}

// MessageType implements [Message].
func (ViewBack) MessageType() Type { return Type{"view_back", 1} }

// BackStep is what a view showed, scrolled back.
type BackStep string

// What a view showed.
const (
	BackReached BackStep = "reached" // what was known before the gap, too
	BackMore    BackStep = "more"    // what came after the gap, or nothing new
	BackNear    BackStep = "near"    // perhaps the last of what was known before: more of it tells
	BackLost    BackStep = "lost"    // nothing known
	BackClosed  BackStep = "closed"  // there is no gap
)

// ViewBackSeen answers [ViewBack].
type ViewBackSeen struct {
	Key  string
	Step BackStep
}

// MessageType implements [Message].
func (ViewBackSeen) MessageType() Type { return Type{"view_back_seen", 1} }

// TurnWheel asks a hands worker to turn the mouse wheel over a point of a window. It
// refuses with [SendBusy] if a person has used the keyboard or the mouse for less than
// Idle. The answer is [HandsDone].
type TurnWheel struct {
	Window WindowID
	X, Y   int // in pixels of a capture; both 0: somewhere amid the messages
	Steps  int // towards older messages, negative towards newer ones; 0: only whether somebody is there
	Idle   time.Duration
	Last   bool // the keyboard goes back to the window that had it
}

// MessageType implements [Message].
func (TurnWheel) MessageType() Type { return Type{"turn_wheel", 1} }

// CatchUpDue is the timer of a catch-up.
type CatchUpDue struct{}

// MessageType implements [Message].
func (CatchUpDue) MessageType() Type { return Type{"catch_up_due", 1} }
