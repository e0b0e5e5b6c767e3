package interview

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Phase is a state of the machine.
type Phase string

// Phases, in the order in which they follow each other; Fallback stands apart.
const (
	Intro        Phase = "intro"
	Enumerate    Phase = "enumerate"
	Recommend    Phase = "recommend"
	Choose       Phase = "choose"
	Deepening    Phase = "deepening"
	SummaryCheck Phase = "summary_check"
	Done         Phase = messages.InterviewDone
	Fallback     Phase = "fallback"
)

// EventKind says what happened.
type EventKind string

// Kinds of events. Everything that a person wrote is an event of kind Said; its words tell the meaning.
const (
	Said      EventKind = "said"
	Stop      EventKind = "stop"
	Failed    EventKind = "failed"
	Recovered EventKind = "recovered"
)

// Event is something that happened in an interview.
type Event struct {
	Kind  EventKind
	Texts []string // of Said, masked: what was said one after the other, at least one
}

// State is an interview so far. The zero value has not begun.
type State struct {
	Phase        Phase     `json:"state"`         // "" is intro
	Turns        int       `json:"turns"`         // answers; fallback may go beyond max_turns
	Deep         int       `json:"deep"`          // deepening questions asked, 0 to max_deep
	Asked        int       `json:"asked"`         // questions that fallback has asked
	FallbackMode bool      `json:"fallback_mode"` // it went through fallback
	Left         Phase     `json:"left,omitempty"`
	Items        []Item    `json:"items,omitempty"`  // what was named, in order
	Chosen       string    `json:"chosen,omitempty"` // the item that the person chose
	FinishedAt   time.Time `json:"finished_at,omitzero"`
	Reason       Reason    `json:"reason,omitempty"` // why it is done
}

// Reason says why an interview is done.
type Reason string

// Reasons.
const (
	Completed     Reason = "completed"
	TurnLimit     Reason = "max_turns"
	FallbackAsked Reason = "fallback"
	Stopped       Reason = "stopped"
)

// Reply is what the assistant says next, "" for nothing.
type Reply string

// Replies.
const (
	ModelReply Reply = "model"    // the language model, in the state's phase
	Question   Reply = "question" // Result.Ask, or the fixed question number State.Asked
	Thanks     Reply = "thanks"   // the closing text after fixed questions
	Closing    Reply = "closing"  // the closing text
)

// Result is what is to be done after an event.
type Result struct {
	Reply  Reply
	Ask    string  // the question of must_ask that is to be put, "" for none
	Finish *Finish // not nil for the one event that ends the interview
}

// Finish ends an interview: its analysis starts, and it counts for its project.
type Finish struct {
	At     time.Time
	Reason Reason
}

// FixedQuestions is how many questions fallback asks before those of must_ask.
const FixedQuestions = 3

// enough is how many different items end the enumeration.
const enough = 3

// Machine leads interviews of one project.
type Machine struct {
	Project Project
	Resume  bool // a language model that answers again ends fallback
}

// row is a row of the table.
type row struct {
	from []Phase // nil is any
	on   []input // nil is any
	when string  // a name of guards, "" is always
	to   Phase   // same and left are replaced
}

// Places in the table that stand for other phases.
const (
	same Phase = "same"
	left Phase = "left"
)

// spoken are the inputs that answer a question in one way or the other.
var spoken = []input{answer, ending, closing, skip}

// table is the table of the package comment.
var table = []row{
	{[]Phase{Done}, nil, "", Done},
	{nil, []input{stop}, "", Done},
	{[]Phase{Fallback}, spoken, "asks_more", Fallback},
	{[]Phase{Fallback}, spoken, "", Done},
	{[]Phase{Fallback}, []input{recovered}, "may_resume", left},
	{[]Phase{Fallback}, nil, "", Fallback},
	{nil, []input{failed}, "", Fallback},
	{nil, []input{start, recovered}, "", same},
	{nil, []input{answer, ending, closing}, "last_turn", Done},
	{[]Phase{Intro, Enumerate, Recommend, Choose}, []input{answer, ending, closing}, "asks_now", Deepening},
	{[]Phase{Intro}, []input{ending}, "", Recommend},
	{[]Phase{Intro}, spoken, "", Enumerate},
	{[]Phase{Enumerate}, []input{ending, closing, skip}, "", Recommend},
	{[]Phase{Enumerate}, []input{answer}, "three_items", Recommend},
	{[]Phase{Enumerate}, []input{answer}, "", Enumerate},
	{[]Phase{Recommend}, spoken, "", Choose},
	{[]Phase{Choose}, spoken, "deepens", Deepening},
	{[]Phase{Choose}, spoken, "", SummaryCheck},
	{[]Phase{Deepening}, spoken, "deepens", Deepening},
	{[]Phase{Deepening}, spoken, "", SummaryCheck},
	{[]Phase{SummaryCheck}, spoken, "", Done},
}

// guards are the conditions of the table. The state is the one before the event.
var guards = map[string]func(m Machine, s State, items []Item) bool{
	"":            func(Machine, State, []Item) bool { return true },
	"asks_more":   func(m Machine, s State, _ []Item) bool { return s.Asked < FixedQuestions+len(m.unasked(s)) },
	"may_resume":  func(m Machine, _ State, _ []Item) bool { return m.Resume },
	"last_turn":   func(m Machine, s State, _ []Item) bool { return s.Turns+1 >= m.Project.Limits.MaxTurns },
	"asks_now":    func(m Machine, s State, _ []Item) bool { return m.presses(s) },
	"three_items": func(_ Machine, _ State, items []Item) bool { return len(items) >= enough },
	"deepens":     func(m Machine, s State, _ []Item) bool { return s.Deep < m.Project.Limits.MaxDeep },
}

// word is the question of must_ask that fallback puts as it stands, "" for a fixed one.
func (m Machine) word(s State) string {
	n, left := s.Asked-FixedQuestions, m.unasked(s)
	if n < 1 || n > len(left) {
		return ""
	}
	return left[n-1]
}

// unasked are the must_ask questions that no model has asked yet; fallback asks them.
func (m Machine) unasked(s State) []string {
	return m.Project.MustAsk[min(s.deepened(), len(m.Project.MustAsk)):]
}

// deepened is how many deepening questions were put in fact: the one that failed was not.
func (s State) deepened() int {
	if s.Left == Deepening {
		return max(0, s.Deep-1)
	}
	return s.Deep
}

// presses reports that the turns which are left behind the next one are just enough for the
// questions that must be asked: each takes one, that of its answer.
func (m Machine) presses(s State) bool {
	left := len(m.Project.MustAsk) - s.Deep
	return left > 0 && s.Turns+1+left >= m.Project.Limits.MaxTurns
}

// find returns the row for an input.
func (m Machine) find(s State, in input, items []Item) row {
	for _, r := range table {
		if (r.from == nil || slices.Contains(r.from, s.Phase)) && (r.on == nil || slices.Contains(r.on, in)) &&
			guards[r.when](m, s, items) {
			return r
		}
	}
	return row{to: same} // not reached: the last rows of each phase take every input
}

// Step returns the interview after an event. It changes nothing that s refers to. An
// event after the end changes nothing.
func (m Machine) Step(s State, e Event, now time.Time) (State, Result) {
	if s.Phase == "" {
		s.Phase = Intro
	}
	in, said := inputOf(e)
	items := s.Items
	if said != "" && (s.Phase == Intro || s.Phase == Enumerate || s.Phase == Fallback && s.Asked == 1) {
		items = addItems(items, said)
	}
	r := m.find(s, in, items)
	to := r.to
	switch to {
	case same:
		to = s.Phase
	case left:
		to = s.Left
	}
	if s.Phase == Done {
		return s, Result{}
	}
	if said != "" || in == closing {
		s.Turns++
	}
	s.Items = items
	if said != "" && (s.Phase == Recommend || s.Phase == Choose) {
		s.choose(said)
	}
	return m.enter(s, to, in, now)
}

// enter makes the move to a phase and says what the assistant does there.
func (m Machine) enter(s State, to Phase, in input, now time.Time) (State, Result) {
	from := s.Phase
	s.Phase = to
	switch {
	case to == Done:
		s.FinishedAt = now
		s.Reason = Completed
		reply := Closing
		switch {
		case in == stop:
			s.Reason = Stopped
		case from == Fallback:
			s.Reason, reply = FallbackAsked, Thanks
		case from != SummaryCheck:
			s.Reason = TurnLimit
		}
		return s, Result{Reply: reply, Finish: &Finish{At: now, Reason: s.Reason}}
	case to == Fallback && from != Fallback:
		s.FallbackMode, s.Left = true, from
		if s.Asked < FixedQuestions+len(m.unasked(s)) { // after a recovery it continues where it was
			s.Asked++
		}
		return s, Result{Reply: Question, Ask: m.word(s)}
	case to == Fallback && slices.Contains(spoken, in):
		s.Asked++
		return s, Result{Reply: Question, Ask: m.word(s)}
	case to == Fallback:
		return s, Result{}
	case from == Fallback: // what is said next goes on in the phase that it left
		put := max(0, s.Asked-FixedQuestions) // those of must_ask, which nobody puts again
		s.Deep, s.Asked, s.Left = s.deepened()+put, s.Asked-put, ""
		return s, Result{}
	case in == recovered:
		return s, Result{}
	}
	ask := ""
	if to == Deepening {
		if slices.Contains(spoken, in) {
			s.Deep++
		}
		if n := s.Deep - 1; n >= 0 && n < len(m.Project.MustAsk) {
			ask = m.Project.MustAsk[n]
		}
	}
	return s, Result{Reply: ModelReply, Ask: ask}
}
