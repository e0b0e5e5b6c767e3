package ledger

import (
	"cmp"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Entry is one message of the transcript.
type Entry struct {
	// Pos orders the transcript and means nothing else: messages found before or between
	// known ones get a position there, and the next occurrence.
	Pos        int64               `json:"pos"`
	Occurrence messages.Occurrence `json:"occurrence"`
	Side       messages.Side       `json:"side"`
	Kind       messages.Kind       `json:"kind"`
	Text       messages.Text       `json:"text,omitempty"`
	Key        messages.PixelKey   `json:"key"`
	Sender     messages.Text       `json:"sender,omitempty"` // as shown, "" if no name was
	Named      bool                `json:"named,omitempty"`  // a name is shown: not the one above
	Stamp      string              `json:"stamp,omitempty"`
	W          int                 `json:"w,omitempty"`
	H          int                 `json:"h,omitempty"`
	// Above is the room above it in logical pixels, see [roomAbove]; 0: unknown.
	Above   int       `json:"above,omitempty"`
	SeenAt  time.Time `json:"seen_at"`           // first capture
	Since   time.Time `json:"since"`             // when it entered the ledger
	Seen    int       `json:"seen,omitempty"`    // number of views that showed it while it waited
	Waiting bool      `json:"waiting,omitempty"` // to be passed on
	Low     bool      `json:"low,omitempty"`     // the text is doubtful
	Fresh   bool      `json:"fresh,omitempty"`   // its place proves it new
	Partial bool      `json:"partial,omitempty"` // higher than the window: the text is a part
	Gone    bool      `json:"gone,omitempty"`    // taken back
	// Passed is the text that was passed on, where it has been read otherwise since without a proof of an edit.
	Passed messages.Text `json:"passed,omitempty"`
	// Published is the text that was passed on, while Text is a change that was not.
	Published messages.Text       `json:"told,omitempty"`
	Change    messages.ChangeKind `json:"change,omitempty"` // to be passed on if it lasts, see [Ledger.Revise]
	// Between are other texts that it had since Published, to be passed on before the change.
	Between [maxBetween]messages.Text `json:"between,omitzero"`
	Moving  bool                      `json:"moving,omitempty"` // it had more than that: none is passed on
	Changed time.Time                 `json:"changed,omitzero"` // when it was first seen
	Gap     bool                      `json:"gap,omitempty"`    // messages may be missing before it
	Own     bool                      `json:"own,omitempty"`    // a new own message, to be reported, see [Ledger.Own]
	Back    bool                      `json:"back,omitempty"`   // read after the open gap: new once that is closed
	Late    bool                      `json:"late,omitempty"`   // it went by unseen and was read by scrolling back
	// Chat is the conversation that a joined entry came from, where it was another chat;
	// "" is this one.
	Chat messages.ConversationID `json:"chat,omitempty"`

	form *form
}

// State is the state of an entry. The table in the package comment lists the transitions.
type State uint8

// States of an entry.
const (
	Settled   State = iota // passed on, or not meant to be: an own message, or history
	Waiting                // to be passed on
	Withdrawn              // taken back while it waits
	Edited                 // it has another text that was not passed on yet
	Completed              // it is complete now, which was not passed on yet
	Unsent                 // taken back, which was not passed on yet
	Removed                // taken back
)

var stateNames = [...]string{"settled", "waiting", "withdrawn", "edited", "completed", "unsent", "removed"}

// String is the name in the state table.
func (s State) String() string { return stateNames[s] }

// State derives the state from what is stored of an entry.
func (e *Entry) State() State {
	switch {
	case e.Waiting && e.Gone:
		return Withdrawn
	case e.Waiting:
		return Waiting
	case e.Change == messages.ChangeUnsent:
		return Unsent
	case e.Gone:
		return Removed
	case e.Change == messages.ChangeEdited:
		return Edited
	case e.Change == messages.ChangeCompleted:
		return Completed
	}
	return Settled
}

// uncertain reports whether waiting may tell more.
func (e *Entry) uncertain() bool {
	return e.Kind == messages.KindUnreadable || e.Side == messages.SideNeither || e.Low
}

// vacant reports whether only a notice can be in the entry's place.
func (e *Entry) vacant() bool { return e.Gone && e.Change == "" }

// noteUnsent records that the message was taken back.
func (e *Entry) noteUnsent(at time.Time) {
	e.Gone = true
	e.noteChange(messages.ChangeUnsent, at)
}

// noteEdit records that the message has the text of an observation.
func (e *Entry) noteEdit(o *observation) {
	e.noteChange(messages.ChangeEdited, o.Since)
	e.adoptText(o)
}

// noteChange keeps the published text until the change is published. Changes that nobody
// wants to know are not recorded: of a message that is not incoming, or of a text that
// has not been passed on yet.
func (e *Entry) noteChange(change messages.ChangeKind, at time.Time) {
	if e.Side != messages.SideIncoming || e.Waiting && change == messages.ChangeEdited {
		e.clearChange()
		return
	}
	switch e.Change {
	case "":
		e.Published = cmp.Or(e.Passed, e.Text)
	case messages.ChangeEdited:
		e.pass(e.Text)
	}
	e.Change, e.Changed = change, at
}

// maxBetween edits follow each other so fast that none lasts, and are passed on all the same;
// what changes more often is moving by itself.
const maxBetween = 3

// pass notes that the message had a text for a moment.
func (e *Entry) pass(t messages.Text) {
	for i := range e.Between {
		if e.Between[i] == "" && !e.Moving {
			e.Between[i] = t
			return
		}
	}
	e.Between, e.Moving = [maxBetween]messages.Text{}, true
}

// complete replaces a text that is only a part, or unreadable. If the message was passed
// on, that is a change. If the bubble has another size as well, an edit may have made it
// readable.
func (e *Entry) complete(o *observation) {
	if !e.Waiting && e.Side == messages.SideIncoming && o.Kind == messages.KindText {
		e.Change, e.Changed = messages.ChangeCompleted, o.Since
		if !e.Partial && !sameSize(o, e) {
			e.Change = messages.ChangeEdited
		}
	}
	e.Kind, e.Partial, e.Low = o.Kind, o.Partial, o.Low
	e.adoptText(o)
}

// restore undoes a change that was recorded but not published.
func (e *Entry) restore(text messages.Text) {
	e.Gone = false
	e.clearChange()
	e.Text, e.form = text, nil
}

// clearChange drops a recorded change that is published, or that nobody wants to know.
func (e *Entry) clearChange() {
	e.Published, e.Change, e.Changed = "", "", time.Time{}
	e.Between, e.Moving = [maxBetween]messages.Text{}, false
}

func (e *Entry) adoptText(o *observation) { e.Text, e.form = o.Text, o.form }

// adoptReading takes over another reading of a text that was passed on.
func (e *Entry) adoptReading(o *observation) {
	if e.Passed == "" && e.Change == "" && e.Side == messages.SideIncoming {
		e.Passed = e.Text
	}
	if e.adoptText(o); e.Text == e.Passed {
		e.Passed = ""
	}
}

// adoptLook takes over the bubble's present look.
func (e *Entry) adoptLook(o *observation) {
	e.Key, e.W, e.H = o.Key, o.W, o.H
	if o.Above != 0 {
		e.Above = o.Above
	}
	if e.Side == messages.SideNeither {
		e.Side = o.Side
	}
}

// adoptLabels takes over the labels beside the bubble, if there were none before.
func (e *Entry) adoptLabels(o *observation) {
	if e.Stamp == "" {
		e.Stamp = o.Stamp
	}
	if e.Sender == "" && !o.clipped && e.Side == messages.SideIncoming && (o.Named || !e.Named) {
		e.Sender, e.Named = o.Sender, o.Named
	}
}

// form holds what comparing a text needs, made once.
type form struct {
	norm, compact string
	runes         int // of compact
	letters       uint64
	grams         text.Grams
}

// maxCompared is how many characters of a text are compared: the beginning and the end of
// a longer one.
const maxCompared = 512

func formOf(t messages.Text) *form {
	if len(t) > maxCompared {
		if r := []rune(t); len(r) > maxCompared {
			t = messages.Text(string(r[:maxCompared*3/4]) + string(r[len(r)-maxCompared/4:]))
		}
	}
	f := &form{norm: text.Normalize(string(t)), compact: text.Compact(string(t))}
	for _, r := range f.compact {
		f.runes++
		f.letters |= 1 << (uint32(r) * 0x9E3779B1 >> 26)
	}
	f.grams = text.GramsOf(f.compact)
	return f
}

func (e *Entry) text() *form {
	if e.form == nil {
		e.form = formOf(e.Text)
	}
	return e.form
}
