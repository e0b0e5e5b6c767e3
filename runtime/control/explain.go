package control

import (
	"errors"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/describe"
)

// Errors of a [Backend] that a person can mend.
var (
	ErrNoMessage = errors.New("control: no such message")
	ErrNoWindow  = errors.New("control: no such window")
	// ErrNoConversation and ErrNotClear are about who a conversation is.
	ErrNoConversation = errors.New("control: no such conversation")
	ErrOneAlready     = errors.New("control: both names are of one conversation already")
	ErrNotClear       = errors.New("control: several conversations have this name")
	ErrCalled         = errors.New("control: a conversation cannot be called this")
)

// Paused is a window that is not watched for a while; "" stands for all.
type Paused struct {
	Window messages.WindowID `json:"window"`
	Since  Stamp             `json:"since"`
}

// DefaultFound is how many matches of a text are enough for most questions.
const DefaultFound = 5

// WhyQuery says what a person misses or wants explained: a message by its id, or anything
// that was read, by its text.
type WhyQuery struct {
	ID           string
	Text         string
	Conversation messages.ConversationID // "" is all
	Limit        int                     // of what Text finds, the best so many; 1 or more
}

// Why is everything known about the subject of a query.
type Why struct {
	Paths []Path `json:"paths"` // the best match first
	// Notes say what else may explain that a message is missing.
	Notes []string `json:"notes,omitempty"`
	// Recent are drops of the last minutes that are not stored, such as frames that were not
	// passed on. Only a running Kehai knows them.
	Recent []Step `json:"recent,omitempty"`
}

// Path is how one message, or one bubble, went through the stages. It contains private
// text.
type Path struct {
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"` // the conversation's name, as "line:Hana"
	Entry        *Entry                  `json:"entry,omitempty"`  // if it stands on the timeline
	Occurrences  []messages.Occurrence   `json:"occurrences,omitempty"`
	Text         string                  `json:"text"`
	Similarity   float64                 `json:"likeness,omitempty"` // to the text asked for, 0 to 1
	Outcome      events.Outcome          `json:"outcome"`
	Why          string                  `json:"why"`
	Steps        []Step                  `json:"steps"`
}

// Step is one decision on a path.
type Step struct {
	At      Stamp            `json:"at"`
	Stage   events.Stage     `json:"stage"`
	Actor   messages.Address `json:"actor,omitempty"`
	Outcome events.Outcome   `json:"outcome"`
	What    string           `json:"what"` // for people
	Trace   string           `json:"trace,omitempty"`
	Count   int              `json:"count,omitempty"` // of equal ones in a row, if more than one
	Detail  events.Detail    `json:"detail,omitzero"`
	Matched []Matched        `json:"matched,omitempty"`
}

// NewStep makes the step of a verdict.
func NewStep(v events.Verdict) Step {
	return Step{
		At: Stamp{v.At}, Stage: v.Stage, Actor: v.Actor, Outcome: v.Outcome, What: describe.Verdict(v), Trace: v.Trace,
		Detail: v.Detail,
	}
}

// Matched is an earlier message that a verdict rests on.
type Matched struct {
	Occurrence messages.Occurrence `json:"occurrence"`
	Side       messages.Side       `json:"side,omitempty"`
	Text       string              `json:"text"`
}
