package memory

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Route is a way to find events.
type Route string

// Routes, in the order in which they are named.
const (
	Recent  Route = "recent"
	Lexical Route = "lexical"
	Chain   Route = "chain"
	Threads Route = "threads"
	Links   Route = "links"
	InTime  Route = "time"
)

// Routes are all of them, with the time that each has.
func Routes() []Timed {
	return []Timed{
		{Recent, 250 * time.Millisecond}, {Lexical, 600 * time.Millisecond}, {Chain, 200 * time.Millisecond},
		{Threads, 350 * time.Millisecond}, {Links, 350 * time.Millisecond}, {InTime, 400 * time.Millisecond},
	}
}

// Timed is a route and its time.
type Timed struct {
	Route Route
	Time  time.Duration
}

// Mode is how a question is planned.
type Mode string

// Modes.
const (
	Associative Mode = "associative"
	AboutTime   Mode = "about_time" // the question names a time
)

// Run says how a recall came to what it came to. It names events by their IDs and has
// no text of any.
type Run struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Mode       Mode      `json:"mode"`
	Routes     []Report  `json:"routes"`
	Candidates int       `json:"candidates"`
	Chosen     []Chosen  `json:"chosen,omitempty"` // the best first
}

// Report is what became of a route.
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
	Context      bool                    `json:"context,omitempty"` // whoever asked had it before him
}

// Hit is that a route found an event.
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
