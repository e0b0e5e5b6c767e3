package messages

import "time"

// Detail is what a stage's verdict rests on: enough to retell it, and nothing
// that was said. Every field may be empty.
type Detail struct {
	Rule         string         `json:"rule,omitempty"` // name of the rule that decided
	Window       WindowID       `json:"window,omitempty"`
	Conversation ConversationID `json:"conversation,omitempty"`
	Occurrences  []Occurrence   `json:"occurrences,omitempty"` // the messages that the verdict is about
	// Known says for each bubble of a view, top to bottom, what it was taken
	// for; 0 stands for nothing known. Of a burst it says whose lines were repeated.
	Known   []Occurrence `json:"known,omitempty"`
	Message MessageID    `json:"message,omitempty"`
	Frame   FrameHash    `json:"frame,omitempty"`
	// Signals make up the score of a frame.
	Signals []Signalled `json:"signals,omitempty"`
	Score   int         `json:"score,omitempty"`
	// Confidence names how sure the score is: "high", "medium" or "low".
	Confidence string        `json:"confidence,omitempty"`
	Changed    string        `json:"pixel_text_changed,omitempty"` // "1" if a frame said something else than the one before, "0" if not
	Match      string        `json:"match,omitempty"`              // how a text matched an earlier one: "equal", "similar" …
	Age        time.Duration `json:"age,omitempty"`                // nanoseconds since what it matched
}

// Signalled is one signal that something was said, and what it counts.
type Signalled struct {
	Signal string `json:"signal"` // "text_changed", "rows_grew" …
	Score  int    `json:"score"`
}

// Passed reports that a stage let something go on.
type Passed struct {
	Actor  Address
	Stage  string
	Cause  string // id of the message that was being handled
	Detail Detail
	At     time.Time
}

// MessageType implements [Message].
func (Passed) MessageType() Type { return Type{"passed", 1} }
