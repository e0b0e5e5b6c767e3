package messages

import "time"

// Rect is a rectangle in image pixels, origin top left.
type Rect struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Side is who wrote a bubble, judged by its place and its colour.
type Side string

// Sides of a bubble.
const (
	SideOwn      Side = "own"
	SideIncoming Side = "incoming"
	SideNeither  Side = "neither" // neither colour nor position says
)

// Kind says what a bubble is.
type Kind string

// Kinds of bubbles.
const (
	KindText       Kind = "text"
	KindSticker    Kind = "sticker"
	KindImage      Kind = "image"
	KindFile       Kind = "file"
	KindCall       Kind = "call"
	KindUnreadable Kind = "unreadable" // something is there that OCR could not read
)

// PixelKey identifies the exact pixels of a bubble's inside. Equal keys mean
// equal pixels; it is independent of the bubble's position.
type PixelKey uint64

// Line is one recognised line. Confidence is 0 to 1. Box is in frame pixels. Foreign says that it is
// written in no language that the engine knows: its text is made up. Doubtful says that figures in it were read in two
// ways.
type Line struct {
	Text       Text    `json:"text"`
	Confidence float64 `json:"confidence"`
	Box        Rect    `json:"box"`
	Foreign    bool    `json:"foreign,omitempty"`
	Doubtful   bool    `json:"doubtful,omitempty"`
}

// Bubble is one message as it stands in a frame.
type Bubble struct {
	Side    Side     `json:"side"`
	Kind    Kind     `json:"kind"`
	Box     Rect     `json:"box"`
	Key     PixelKey `json:"key"`
	Sender  Text     `json:"sender,omitempty"`  // display name beside the bubble, if shown
	Named   bool     `json:"named,omitempty"`   // a name is shown, whether or not it could be read
	Stamp   string   `json:"stamp,omitempty"`   // clock time beside the bubble, if read
	Low     bool     `json:"low,omitempty"`     // a line of its text is doubtful
	Foreign bool     `json:"foreign,omitempty"` // unreadable, as it is in no language that the engine knows
	Clipped bool     `json:"clipped,omitempty"` // cut by the edge of the message area: its text is not whole
	Text    Text     `json:"text"`              // lines joined
	Lines   []Line   `json:"lines,omitempty"`
}

// MarkKind says what a line between bubbles is.
type MarkKind string

// Kinds of marks.
const (
	MarkDate   MarkKind = "date"   // what follows was written on another day than what stands above
	MarkUnread MarkKind = "unread" // what follows has not been read by the user yet
	MarkUnsent MarkKind = "unsent" // a message that stood here was taken back
)

// Mark is a line that the application itself writes between bubbles.
type Mark struct {
	Kind MarkKind `json:"kind"`
	Box  Rect     `json:"box"`
}

// ReadFrame asks an OCR worker to find and read the bubbles of a frame. More
// are later captures of the same change: all of them together decide what each
// bubble says.
type ReadFrame struct {
	Frame  Frame
	Hash   FrameHash
	More   []Frame
	Field  bool   // read what stands in the input field too
	Learnt Learnt // what earlier frames taught about the window
}

// MessageType implements [Message].
func (ReadFrame) MessageType() Type { return Type{"read_frame", 1} }

// FrameRead is the OCR worker's result. Bubbles are ordered top to bottom.
type FrameRead struct {
	Window  WindowID
	Hash    FrameHash
	Title   Line // the conversation's name in the window's header; empty text if unreadable
	Bubbles []Bubble
	Marks   []Mark // top to bottom
	Rows    bool   `json:",omitempty"` // they stand in no bubbles: one without a name goes on from the one above
	Bare    int    // blocks of text outside any bubble, so nothing marks them as messages
	Size    Rect   // of the frame
	Scale   float64
	At      time.Time // of the capture
	// Watched is when the window was last seen to show what was read before, zero if
	// unknown. The poller adds it.
	Watched time.Time
	Away    bool // the window could not be captured since then; the poller adds it too
	Lost    bool // and that not because watching was paused
	Read    int  // bubbles that cost an OCR call
	Cached  int  // bubbles known from an earlier frame
	Took    time.Duration
	Unread  []Omitted    // what could not be read
	LeftOut []Omitted    // read, but not part of a message
	Header  Rect         // where the title stands
	Name    PixelKey     `json:",omitempty"` // the title's pixels, whatever was read there; 0 if unknown
	Input   Rect         // of the input below the messages; empty if none was found
	Field   []Line       // its lines, top to bottom, if requested
	Learnt  Learnt       // what is known of the window with this frame
	Burst   []BurstFrame // one per frame that was read; empty if there was only one
}

// Learnt is what the frames of a window have taught about its looks, nothing where its
// layout says all. It holds no word.
type Learnt struct {
	Fills []LearntFill `json:"fills,omitempty"` // a bounded number, the latest last
	// Clocks is above 0 if bubbles have ended in their clock time, below 0 if not.
	Clocks int `json:"clocks,omitempty"`
	// Rows is where the messages of an application without bubbles stand.
	Rows RowColumn `json:"rows,omitzero"`
}

// Empty reports whether nothing is known.
func (l Learnt) Empty() bool { return len(l.Fills) == 0 && l.Clocks == 0 && l.Rows == (RowColumn{}) }

// RowColumn is where rows stand, in pixels of the pane; zero where there are none.
type RowColumn struct {
	From int `json:"from"` // right of the portraits
	Left int `json:"left"` // where lines begin
}

// LearntFill counts the frames in which bubbles of a colour were of a side.
type LearntFill struct {
	Colour   uint32 `json:"colour"` // red, green and blue, the lowest byte first
	Own      int    `json:"own,omitempty"`
	Incoming int    `json:"incoming,omitempty"`
}

// Seen is the count of a side.
func (f LearntFill) Seen(own bool) int {
	if own {
		return f.Own
	}
	return f.Incoming
}

// Count adds a frame, up to a limit; beyond it the other side loses one.
func (f *LearntFill) Count(own bool, limit int) {
	side, other := &f.Incoming, &f.Own
	if own {
		side, other = other, side
	}
	if *side < limit {
		*side++
	} else {
		*other = max(*other-1, 0)
	}
}

// Omitted is something in a frame that its reading leaves out.
type Omitted struct {
	What  Omission
	Count int
	Of    int // the limit, or hundredths of a confidence that was too low
}

// Omission names what a reading leaves out. Names are stored with verdicts, so none is
// changed or reused.
type Omission string

// What could not be read: beyond a limit, or lines whose confidence is too low.
const (
	OmittedBubbles    Omission = "bubbles"    // above the lowest Of
	OmittedLines      Omission = "lines"      // of bubbles, beyond the first Of
	OmittedCharacters Omission = "characters" // of lines, beyond the first Of
	OmittedFrames     Omission = "frames"     // of a change, beyond the first Of
	DoubtfulInBubble  Omission = "doubtful_in_bubble"
	DoubtfulInTitle   Omission = "doubtful_in_title"
	DoubtfulInName    Omission = "doubtful_in_name"
	DoubtfulBeside    Omission = "doubtful_beside"  // a bubble
	DoubtfulBetween   Omission = "doubtful_between" // bubbles
	DoubtfulInWindow  Omission = "doubtful_in_window"
	ForeignInBubble   Omission = "foreign_in_bubble" // lines in no language that the engine knows
)

// What was read but is not part of a message.
const (
	OtherBetween   Omission = "between" // lines between bubbles
	OtherOutside   Omission = "outside" // lines outside the messages
	OtherMiddle    Omission = "middle"  // lines in the middle
	OtherToken     Omission = "token"   // words of the application's own
	OtherTokenName Omission = "token_name"
	OtherClock     Omission = "clock" // times of day beside a line
	OtherQuote     Omission = "quote" // lines of a frame inside a bubble: a quote or a preview
	DoubtfulName   Omission = "doubtful_name"
)

// BareDue is fusion's own timer: text has stood outside any bubble for a while.
type BareDue struct{}

// MessageType implements [Message].
func (BareDue) MessageType() Type { return Type{"bare_due", 1} }

// BurstFrame is one of the frames that decided together on a text.
type BurstFrame struct {
	Delay      time.Duration // from the first frame
	Characters int           // read in its bubbles
	Failed     bool          // it could not be read and had no vote
}

// MessageType implements [Message].
func (FrameRead) MessageType() Type { return Type{"frame_read", 1} }
