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
	// Compared says that Shared answers the Compare of an earlier answer.
	Compared bool
	Shared   []Shared
}

// MessageType implements [Message].
func (Identify) MessageType() Type { return Type{"identify", 1} }

// Overlap says how much of a frame's bubbles a conversation has shown before.
type Overlap string

// Overlaps.
const (
	OverlapNone  Overlap = ""      // nothing to compare: too few bubbles on either side
	OverlapOther Overlap = "other" // its bubbles are others
	OverlapWeak  Overlap = "weak"  // some are the same, which anybody may have written
	OverlapSame  Overlap = "same"  // a run of them is, which only this conversation can show
)

// Shared is the overlap of a frame with one conversation.
type Shared struct {
	Conversation ConversationID
	Overlap      Overlap
}

// Identified answers [Identify]. It has a Conversation; or Compare, which asks for
// the overlap with some conversations; or it is Unlisted, so that nothing may be
// kept; or Why says why the conversation is unknown. It has none of these for an
// empty frame of a conversation never seen before.
type Identified struct {
	Window       WindowID
	Frame        FrameHash
	At           time.Time // as asked
	Conversation ConversationID
	Name         Text // what it is called
	Compare      []ConversationID
	Unlisted     bool
	Why          string // a reason of package events
}

// MessageType implements [Message].
func (Identified) MessageType() Type { return Type{"identified", 1} }

// Introduce tells directory/APPLICATION a name that somebody is sure of, such as
// a host that is about to write to it. It gets an id if it has none yet.
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
