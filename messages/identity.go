package messages

import "time"

// Identify asks directory/APPLICATION whose conversation a frame shows. It comes from
// fusion/WINDOW, which keeps the frame until [Identified] comes back. Both are fleeting:
// if the answer is lost, the window still shows the frame, and it is read again.
type Identify struct {
	Window WindowID
	Frame  FrameHash
	At     time.Time // of the capture
	Title  Line      // as it was read
	Names  []Text    `json:",omitempty"` // texts of the accessibility tree that begin with the name
	Empty  bool      // no bubbles, so this is nobody's first sight
	// Blank: under this title the pane was empty before, and nothing was said yet. Others may
	// have been told the same.
	Blank bool
	// Shows is the conversation last shown in the window, if this frame continues it; ""
	// if it does not.
	Shows ConversationID
	// Moves comes from the answer by which the window showed it.
	Moves int `json:",omitempty"`
	// Still: the header has the very pixels that it had then, however its title is read.
	Still bool `json:",omitempty"`
	// Look is the conversation that the window has shown again and again under a header of
	// these pixels, "" for none. Namesakes share it.
	Look ConversationID `json:",omitempty"`
	// Unlike are conversations that the window has shown under headers of other pixels only.
	Unlike []ConversationID `json:",omitempty"`
	// Beside are conversations that the window has shown under their own header after what it holds
	// under this one: this is none of their names.
	Beside []ConversationID `json:",omitempty"`
	// Readings counts the readings in a row, this one included, that had this title and
	// identified nobody.
	Readings int
	// Compared: Shared answers the Compare of an earlier answer. Searched: Shared lists
	// the conversations that have shown what this frame shows.
	Compared, Searched bool
	// Asked comes from the answer that asked for the comparison.
	Asked  int `json:",omitempty"`
	Shared []Shared
}

// MessageType implements [Message].
func (Identify) MessageType() Type { return Type{"identify", 1} }

// Overlap says how much of a frame's bubbles a conversation has shown before.
type Overlap string

// Overlaps.
const (
	OverlapNone Overlap = ""     // nothing to compare: one of both has no bubbles
	OverlapSame Overlap = "same" // a run of bubbles that only this conversation can show
	OverlapWeak Overlap = "weak" // the same bubbles, but anybody may have written them
	// OverlapAll: several bubbles that anybody may have written, and it has shown no others.
	OverlapAll Overlap = "all"
	// OverlapGap: nothing matches, but enough time has passed for that much to have come
	// unseen.
	OverlapGap Overlap = "gap"
	// OverlapBack: nothing matches, but the window was scrolled back, or shows no whole bubble.
	OverlapBack Overlap = "back"
	// OverlapApart: it may be another transcript. Too little time has passed for that much to have come, or
	// there would be room for what is missing.
	OverlapApart Overlap = "apart"
	OverlapOther Overlap = "other" // it is another transcript
)

// Shared is the overlap of a frame with one conversation.
type Shared struct {
	Conversation ConversationID
	Overlap      Overlap
}

// AskOverlap asks dedup/CONVERSATION how much of a frame its transcript has shown. It
// answers with [OverlapAnswer] to fusion/WINDOW.
type AskOverlap struct {
	Window  WindowID
	Frame   FrameHash
	At      time.Time // of the capture
	Bubbles []Bubble
	Marks   []Mark
	Size    Rect
	Scale   float64
	Watched bool // the window showed this conversation until a moment ago
	// Unbroken: since the frame before, which showed this conversation under the same
	// title, the window has shown nothing else.
	Unbroken bool
}

// MessageType implements [Message].
func (AskOverlap) MessageType() Type { return Type{"ask_overlap", 1} }

// OverlapAnswer answers [AskOverlap]. Here [OverlapGap] means only that nothing matches in
// a window that is not scrolled back.
type OverlapAnswer struct {
	Frame        FrameHash
	At           time.Time // as asked
	Conversation ConversationID
	Overlap      Overlap
}

// MessageType implements [Message].
func (OverlapAnswer) MessageType() Type { return Type{"overlap_told", 1} }

// Identified answers [Identify]. It holds one of these: the Conversation; Compare, the
// conversations to measure the overlap with; Search, to look for conversations that have
// shown this before; Unlisted, so nothing may be kept; or Why the conversation is
// unknown, with Of, the candidates. All are empty for a frame without bubbles under a
// title never seen before.
type Identified struct {
	Window       WindowID
	Frame        FrameHash
	At           time.Time // as asked
	Conversation ConversationID
	Name         Text // what it is called
	// Moves counts how often the conversation was merged or divided, and Asked how often
	// any was: what was seen or compared before counts no longer.
	Moves, Asked int              `json:",omitempty"`
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

// Introduce tells directory/APPLICATION a name that is certain, such as one that a host
// is about to write to. The directory gives it an id if it has none, and publishes
// ConversationCalled. Introduce is fleeting, because there is no key yet to seal the name
// with: the sender repeats it until it hears of that.
type Introduce struct {
	Name Text `json:"name"`
}

// MessageType implements [Message].
func (Introduce) MessageType() Type { return Type{"introduce", 1} }

// Rename gives a conversation a name by hand. It goes to directory/APPLICATION. An empty
// name undoes that: the conversation is called by its window's title again.
type Rename struct {
	Conversation ConversationID `json:"conversation"`
	Name         Text           `json:"name"`
}

// MessageType implements [Message].
func (Rename) MessageType() Type { return Type{"rename_conversation", 1} }

// Subject implements [About].
func (m Rename) Subject() ConversationID { return m.Conversation }

// SettleHeld says by hand to which conversation the readings held by fusion/WINDOW
// belong. It goes to directory/APPLICATION. Older versions left Conversation empty for a
// new one.
type SettleHeld struct {
	Window       WindowID       `json:"window"`
	Held         uint64         `json:"held"`
	Title        Text           `json:"title"` // under which they were read
	Conversation ConversationID `json:"conversation,omitempty"`
}

// MessageType implements [Message].
func (SettleHeld) MessageType() Type { return Type{"settle_held", 1} }

// Subject implements [About].
func (m SettleHeld) Subject() ConversationID { return m.Conversation }

// SettleNew is [SettleHeld] for a new conversation. It proposes the id, so that the name
// is sealed under its key from the first byte.
type SettleNew struct {
	Window       WindowID       `json:"window"`
	Held         uint64         `json:"held"`
	Title        Text           `json:"title"` // under which they were read
	Conversation ConversationID `json:"conversation"`
}

// MessageType implements [Message].
func (SettleNew) MessageType() Type { return Type{"settle_held_new", 1} }

// Subject implements [About].
func (m SettleNew) Subject() ConversationID { return m.Conversation }

// HeldSettled tells fusion/WINDOW to which conversation its held readings belong.
type HeldSettled struct {
	Held         uint64         `json:"held"`
	Conversation ConversationID `json:"conversation"`
	Name         Text           `json:"name"`            // what it is called
	Moves        int            `json:"moves,omitempty"` // as in [Identified]
}

// MessageType implements [Message].
func (HeldSettled) MessageType() Type { return Type{"held_settled", 1} }

// Subject implements [About].
func (m HeldSettled) Subject() ConversationID { return m.Conversation }
