package messages

import "time"

// Identify asks directory/APPLICATION whose conversation a frame shows. It comes
// from fusion/WINDOW, which keeps the frame until [Identified] comes back. Both are
// fleeting: a frame whose answer is lost is still on the window, and read again.
type Identify struct {
	Window WindowID
	Frame  FrameHash
	At     time.Time // of the capture
	Title  Line      // as it was read
	Empty  bool      // it shows no bubble, so that it is no first sight of anybody
	// Shows is the conversation that the window has shown last, if the frame goes on
	// from that; "" if it does not.
	Shows ConversationID
	// Readings in a row that had this title and told nobody, this one included.
	Readings int
	// Compared says that Shared answers the Compare of an earlier answer, and
	// Searched that it lists whoever has shown what the frame shows.
	Compared, Searched bool
	Shared             []Shared
}

// MessageType implements [Message].
func (Identify) MessageType() Type { return Type{"identify", 1} }

// Overlap says how much of a frame's bubbles a conversation has shown before.
type Overlap string

// Overlaps.
const (
	OverlapNone Overlap = ""     // nothing to compare: too few bubbles on either side
	OverlapSame Overlap = "same" // a run of them is, which only this conversation can show
	OverlapWeak Overlap = "weak" // what both show is the same, but anybody may have written it
	// OverlapGap: nothing is the same, but so much may have come while nobody looked.
	OverlapGap Overlap = "gap"
	// OverlapBack: nothing is the same, but the window was scrolled back.
	OverlapBack Overlap = "back"
	// OverlapApart: nothing is the same, and nobody can have written so much meanwhile.
	OverlapApart Overlap = "apart"
	OverlapOther Overlap = "other" // it is another transcript
)

// Shared is the overlap of a frame with one conversation.
type Shared struct {
	Conversation ConversationID
	Overlap      Overlap
}

// AskOverlap asks dedup/CONVERSATION how much of a frame its transcript has shown. It
// answers with [OverlapTold] to fusion/WINDOW.
type AskOverlap struct {
	Window  WindowID
	Frame   FrameHash
	At      time.Time // of the capture
	Bubbles []Bubble
	Marks   []Mark
	Size    Rect
	Scale   float64
	Watched bool // the window has shown this conversation until a moment ago
	// Unbroken says that the window has shown nothing else since the frame before, which
	// showed it under the same title.
	Unbroken bool
}

// MessageType implements [Message].
func (AskOverlap) MessageType() Type { return Type{"ask_overlap", 1} }

// OverlapTold answers [AskOverlap]. [OverlapGap] says there only that nothing is the
// same in a window that is not scrolled back.
type OverlapTold struct {
	Frame        FrameHash
	At           time.Time // as asked
	Conversation ConversationID
	Overlap      Overlap
}

// MessageType implements [Message].
func (OverlapTold) MessageType() Type { return Type{"overlap_told", 1} }

// Identified answers [Identify]. It has a Conversation; or Compare, which asks for
// the overlap with some conversations; or Search, which asks who has shown this
// before; or it is Unlisted, so that nothing may be kept; or Why says why the
// conversation is unknown, and Of whose it may be. It has none of these for an empty
// frame of a conversation never seen before.
type Identified struct {
	Window       WindowID
	Frame        FrameHash
	At           time.Time // as asked
	Conversation ConversationID
	Name         Text             // what it is called
	Merged       []ConversationID // that went into it
	Compare      []ConversationID
	Search       bool
	Unlisted     bool
	Why          UnknownReason
	Of           []ConversationID
}

// UnknownReason says why a conversation is unknown; package events has them all.
type UnknownReason string

// MessageType implements [Message].
func (Identified) MessageType() Type { return Type{"identified", 1} }

// Introduce tells directory/APPLICATION a name that somebody is sure of, such as
// a host that is about to write to it. It gets an id if it has none yet. It is fleeting,
// as there is no key yet to seal the name under; whoever sends it repeats it until the
// name is known.
type Introduce struct {
	Name Text `json:"name"`
}

// MessageType implements [Message].
func (Introduce) MessageType() Type { return Type{"introduce", 1} }

// Rename gives a conversation a name by hand. It goes to directory/APPLICATION.
// An empty name takes it back: what its window shows is its name again.
type Rename struct {
	Conversation ConversationID `json:"conversation"`
	Name         Text           `json:"name"`
}

// MessageType implements [Message].
func (Rename) MessageType() Type { return Type{"rename_conversation", 1} }

// Subject implements [About].
func (m Rename) Subject() ConversationID { return m.Conversation }

// SettleHeld says whose the readings are that fusion/WINDOW holds, by hand. It goes to
// directory/APPLICATION. An older version left Conversation out for somebody new.
type SettleHeld struct {
	Window       WindowID       `json:"window"`
	Held         uint64         `json:"held"`
	Title        Text           `json:"title"` // that they were read under
	Conversation ConversationID `json:"conversation,omitempty"`
}

// MessageType implements [Message].
func (SettleHeld) MessageType() Type { return Type{"settle_held", 1} }

// Subject implements [About].
func (m SettleHeld) Subject() ConversationID { return m.Conversation }

// SettleNew is [SettleHeld] for somebody new, whose id is proposed, so that the name is
// sealed under its key from the first byte.
type SettleNew struct {
	Window       WindowID       `json:"window"`
	Held         uint64         `json:"held"`
	Title        Text           `json:"title"` // that they were read under
	Conversation ConversationID `json:"conversation"`
}

// MessageType implements [Message].
func (SettleNew) MessageType() Type { return Type{"settle_held_new", 1} }

// Subject implements [About].
func (m SettleNew) Subject() ConversationID { return m.Conversation }

// HeldSettled tells fusion/WINDOW whose the readings are that it holds.
type HeldSettled struct {
	Held         uint64         `json:"held"`
	Conversation ConversationID `json:"conversation"`
	Name         Text           `json:"name"` // what it is called
}

// MessageType implements [Message].
func (HeldSettled) MessageType() Type { return Type{"held_settled", 1} }

// Subject implements [About].
func (m HeldSettled) Subject() ConversationID { return m.Conversation }
