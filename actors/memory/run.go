package memory

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Route is a way to find events.
type Route string

// Routes, in the order in which they are listed.
const (
	Recent  Route = "recent"
	Lexical Route = "lexical"
	Chain   Route = "chain"
	Threads Route = "threads"
	Links   Route = "links"
	InTime  Route = "time"
	States  Route = "state"
	// Vectors finds what means the like, where there is a model that says so.
	Vectors Route = "vectors"
)

// Routes lists the routes that need no model, each with its usual time limit.
func Routes() []Timed { return DefaultRules().Routes.List(false) }

// Timed is a route and its time.
type Timed struct {
	Route Route
	Time  time.Duration
}

// Mode is how a question is answered.
type Mode string

// Modes.
const (
	Associative Mode = "associative"
	AboutTime   Mode = "about_time" // the question names a time
)

// Run explains the result of a recall. It names events by ID and contains no text.
type Run struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Mode       Mode      `json:"mode"`
	Routes     []Report  `json:"routes"`
	Candidates int       `json:"candidates"`
	Chosen     []Chosen  `json:"chosen,omitempty"` // the best first

	Selection  *Selection `json:"selection,omitempty"` // nil: no model was asked
	Cue        Cue        `json:"cue,omitempty"`       // what the question is about
	Background []string   `json:"told,omitempty"`      // what is known, whatever is asked, as [BackgroundPrint]
}

// BackgroundPrint tells one thing that is known from all others, without its words.
func BackgroundPrint(k messages.Known) string { return PrintOf(k.Speaker + "\x00" + k.Text) }

// Report is the result of a route.
type Report struct {
	Route  Route         `json:"route"`
	Hits   int           `json:"hits"`
	Took   time.Duration `json:"took,omitempty"`
	Failed string        `json:"failed,omitempty"` // why it was left out: timeout, panic, error …
}

// Chosen is an event that was recalled, and why.
type Chosen struct {
	Conversation messages.ConversationID `json:"conversation"`
	ID           messages.MessageID      `json:"id"`
	Score        float64                 `json:"score"`
	Routes       []Hit                   `json:"routes"`
	Context      bool                    `json:"context,omitempty"` // it was in the asker's context
}

// Hit records that a route found an event.
type Hit struct {
	Route Route   `json:"route"`
	Score float64 `json:"score"` // of the route; not comparable between routes
}

// Choose notes what was chosen.
func (r Run) Choose(list []Candidate) Run {
	for _, c := range list {
		r.Chosen = append(r.Chosen, Chosen{c.Conversation, c.ID, c.Score, c.Routes, c.Context})
	}
	return r
}
