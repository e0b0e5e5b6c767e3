package events

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Stage names a step of the pipeline that decides. Most are the kind of an actor.
type Stage string

// Stages.
const (
	StageCapture      Stage = "capture"
	StagePoller       Stage = messages.ActorPoller
	StageOCR          Stage = "ocr"
	StageMask         Stage = "mask" // what is masked before OCR
	StageStructure    Stage = messages.ActorStructure
	StageDirectory    Stage = messages.ActorDirectory
	StageFusion       Stage = messages.ActorFusion
	StageSanitize     Stage = "sanitize" // fusion's filter of an application's own words
	StageDedup        Stage = messages.ActorDedup
	StageIngress      Stage = messages.ActorIngress
	StageBurst        Stage = messages.ActorBurst
	StageConversation Stage = messages.ActorConversation
	StageJudge        Stage = messages.ActorJudge
	StageRecall       Stage = messages.ActorRecall
	StageOutbound     Stage = messages.ActorOutbound
	StageCatchUp      Stage = messages.ActorCatchUp

	StageCamera   Stage = messages.ActorCamera
	StageUsage    Stage = messages.ActorUsage
	StageFocus    Stage = messages.ActorFocus
	StageNotifier Stage = messages.ActorNotifier

	// Stages of the engine.
	StageDeliver Stage = "deliver" // of a message to its actor
	StageRecover Stage = "recover" // of stored mail after a start
)

// Outcome says how far something came. A verdict's is passed or dropped; the others are
// where a message's path through the pipeline ended.
type Outcome string

// Outcomes.
const (
	OutcomeSeen       Outcome = "seen"
	OutcomePassed     Outcome = "passed"
	OutcomeDropped    Outcome = "dropped"
	OutcomeWaiting    Outcome = "waiting"
	OutcomeDelivered  Outcome = "delivered"
	OutcomeDeadLetter Outcome = "dead_letter"
	OutcomeOwnSide    Outcome = "own_side" // it is the owner's own message
	OutcomeHistory    Outcome = "history"  // it was said before Kehai watched
	OutcomeVisible    Outcome = "visible"  // on the screen; nothing more is known
	OutcomeCursor     Outcome = "cursor"   // the lines passed on last were looked for
)

// Verdict is a stage's decision to let something pass or to drop it. Turn.Pass and
// Turn.Drop make it, the store keeps it, and listeners, the command line and the page
// show it. It contains no words of a message.
type Verdict struct {
	Seq     uint64           `json:"seq,omitempty"` // orders stored verdicts, 0 for one that is not stored
	Actor   messages.Address `json:"actor"`
	Stage   Stage            `json:"stage"`
	Outcome Outcome          `json:"outcome,omitempty"` // passed or dropped
	// Reason is the verdict as a sentence, "" if it passed. It is made from the rule
	// where people read it. Rows from before rules had names contain one.
	Reason string    `json:"reason"`
	Cause  string    `json:"cause"` // id of the message that was being handled
	Trace  string    `json:"trace,omitempty"`
	At     time.Time `json:"at"`
	Detail Detail    `json:"detail,omitzero"`
}

// Passed reports whether the stage let it pass.
func (v Verdict) Passed() bool { return v.Outcome == OutcomePassed }

// Passed reports a verdict that lets something pass.
type Passed struct{ Verdict }

// MessageType implements [messages.Message].
func (Passed) MessageType() messages.Type { return v1("passed") }

// Dropped reports a verdict that stops something.
type Dropped struct{ Verdict }

// MessageType implements [messages.Message].
func (Dropped) MessageType() messages.Type { return v1("dropped") }

// Detail is the evidence of a verdict: enough to describe it, without any words of a
// message. Every field may be empty.
type Detail struct {
	Rule         Rule                    `json:"rule,omitempty"` // that decided
	Window       messages.WindowID       `json:"window,omitempty"`
	Conversation messages.ConversationID `json:"conversation,omitempty"`
	Occurrences  []messages.Occurrence   `json:"occurrences,omitempty"` // the messages that the verdict is about
	// Known says what each bubble of a view was recognised as, top to bottom; 0 means
	// unknown. In a burst it names the messages whose lines were repeated.
	Known   []messages.Occurrence `json:"known,omitempty"`
	Message messages.MessageID    `json:"message,omitempty"`
	Frame   messages.FrameHash    `json:"frame,omitempty"`
	// Signals make up the score of a frame.
	Signals []Signalled `json:"signals,omitempty"`
	Score   int         `json:"score,omitempty"`
	// Confidence names how sure the score is: "high", "medium" or "low".
	Confidence string `json:"confidence,omitempty"`
	// "1" if a frame's text differs from the one before, "0" if not
	Changed string        `json:"pixel_text_changed,omitempty"`
	Match   Match         `json:"match,omitempty"`
	Age     time.Duration `json:"age,omitempty"` // nanoseconds since what it matched
	// what the rule counts: polls, attempts, bubbles, lines
	Count int `json:"count,omitempty"`
	Of    int `json:"of,omitempty"` // what Count or Score is compared with
	// for a failure, the driver's code or how the call failed; for something unread, a
	// [messages.Omission]
	Code string `json:"code,omitempty"`
	Note string `json:"note,omitempty"` // words of the driver or worker; nothing private
}

// Match says how what the verdict is about was recognised, in the words of the actor that recognised it: how a
// text is like an earlier one ([MatchEqual], [MatchSimilar], or how an echo was found), what stood
// before a gap ([BorderOwn] and others), the kind of a change, the outcome of a reply, or the end of
// a scroll back. The rule says which of them it is.
type Match string

// How a text is like one that was heard before.
const (
	MatchEqual   Match = "equal"
	MatchSimilar Match = "similar"
)

// Omitted is the detail of something that a reading leaves out.
func Omitted(o messages.Omitted) Detail {
	return Detail{Code: string(o.What), Count: o.Count, Of: o.Of}
}

// Signalled is one sign that something was said, and its weight.
type Signalled struct {
	Signal string `json:"signal"` // "text_changed", "rows_grew" …
	Score  int    `json:"score"`
}
