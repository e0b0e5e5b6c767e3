package memory

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Event is a stored event.
type Event struct {
	messages.Event
	KeptAt time.Time `json:"kept_at"` // when it was first stored
	// ReplyTo is the event of the other side that this one seems to answer.
	ReplyTo messages.MessageID `json:"reply_to,omitempty"`
	// Thread is the first event of its stretch of talk.
	Thread messages.MessageID `json:"thread,omitempty"`
}

// Key is the key of an event's row. It keeps what an ID may be made of out of the key, since
// an ID may come from anywhere; it hides nothing from somebody who can guess the ID.
func Key(id messages.MessageID) string {
	sum := sha256.Sum256([]byte(id))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}

// RowOf is the key of the row of something that has a name made of words, such as
// [Topic.Key]. Under a key it reveals nothing of the name; without one, as in a
// store where nothing is sealed, it is the name. For the name "" it tells one key
// from another.
func RowOf(key []byte, name string) string {
	if len(key) == 0 {
		return name
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(name))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)[:15]))
}

// PrintOf tells the words of an event from others.
func PrintOf(t messages.Text) string { return Key(messages.MessageID(t)) }

// MaxText is how many bytes of an event are kept; a longer one is cut.
const MaxText = 1 << 20

// Talk is how far a conversation has come: it links the next event, and tells readers
// what is new. The zero value has no event.
type Talk struct {
	At
	Events int64              `json:"events"` // that are kept
	Last   time.Time          `json:"last,omitzero"`
	Thread messages.MessageID `json:"thread,omitempty"`
	Own    messages.MessageID `json:"own,omitempty"`   // the newest event of our side
	Other  messages.MessageID `json:"other,omitempty"` // and of another
	// Pairs is what each of the others and our side said to one another, those who spoke
	// last at the end; at most [MostPairs].
	Pairs []Pair `json:"pairs,omitempty"`
}

// Pair is what one of the others and our side said last to one another.
type Pair struct {
	Speaker messages.Text      `json:"speaker,omitempty"`
	Own     messages.MessageID `json:"own,omitempty"` // the newest event of our side for them
}

// MostPairs is how many speakers of one stretch of talk are told apart. One who has
// been silent for longer is taken for a new one.
const MostPairs = 16

// At is how far the memory of a conversation has come.
type At struct {
	Changes uint64 `json:"changes,omitempty"` // that there have been
	Print   uint64 `json:"print,omitempty"`   // a hash chained over all of them
}

// Change is what one turn changed: events that were stored or removed.
type Change struct {
	IDs []messages.MessageID `json:"ids"`
	At  At                   `json:"at"` // after it
}

// KeptChanges is how many changes of a conversation are kept. A reader further behind
// reads all of its events.
const KeptChanges = 1024

// Changed returns the talk after a change of events, and that change. Even the same
// events give a new fingerprint each time.
func (t Talk) Changed(list []messages.Event, now time.Time) (Talk, Change) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, t.Changes, t.Print, now.UnixNano())
	c := Change{}
	for _, e := range list {
		_, _ = fmt.Fprintf(h, "\x00%s\x00%s", e.ID, string(e.Text))
		c.IDs = append(c.IDs, e.ID)
	}
	c.At = At{Changes: t.Changes + 1, Print: h.Sum64()}
	t.At = c.At
	return t, c
}

// pause is the silence between two stretches of talk.
const pause = 3 * time.Hour

// Next returns an event in its stored form, and the talk after it. An event older than
// the newest gets no links but what it is known to answer, because its neighbours are
// unknown. to is who said that; it counts only where it is known what an event answers.
//
// Another one answers what our side said last to them. Where our side says something and
// it is not known for whom, it is for all, and answers who spoke last.
func (t Talk) Next(m messages.Event, to messages.Text, now time.Time) (Event, Talk) {
	if len(m.Text) > MaxText {
		m.Text = messages.Text(strings.ToValidUTF8(string(m.Text[:MaxText]), ""))
	}
	e := Event{Event: m, KeptAt: now, ReplyTo: m.Answered}
	t.Events++
	if m.At.Before(t.Last) {
		return e, t
	}
	if t.Thread == "" || m.At.Sub(t.Last) > pause {
		t = Talk{At: t.At, Events: t.Events, Thread: m.ID}
	}
	t.Last, e.Thread = m.At, t.Thread
	switch {
	case !m.Own:
		p := t.pair(m.Speaker)
		e.ReplyTo, t.Other = cmp.Or(p.Own, t.Own), m.ID
		t = t.with(p)
	case m.Answered != "":
		t.Own = m.ID
		t = t.with(Pair{to, m.ID})
	default:
		e.ReplyTo, t.Own = t.Other, m.ID
		t.Pairs = slices.Clone(t.Pairs)
		for i := range t.Pairs {
			t.Pairs[i].Own = m.ID
		}
	}
	return e, t
}

// pair is what one of the others and our side said last.
func (t Talk) pair(speaker messages.Text) Pair {
	for _, p := range t.Pairs {
		if p.Speaker == speaker {
			return p
		}
	}
	return Pair{Speaker: speaker}
}

// with puts a pair at the end.
func (t Talk) with(p Pair) Talk {
	t.Pairs = slices.DeleteFunc(slices.Clone(t.Pairs), func(o Pair) bool { return o.Speaker == p.Speaker })
	t.Pairs = append(t.Pairs, p)
	t.Pairs = t.Pairs[max(0, len(t.Pairs)-MostPairs):]
	return t
}

// Again returns a stored event with its current wording. What it answers may be known
// only now. When it was first said stays, but for an import that corrects one.
func (e Event) Again(m messages.Event) Event {
	if len(m.Text) > MaxText {
		m.Text = messages.Text(strings.ToValidUTF8(string(m.Text[:MaxText]), ""))
	}
	if m.Source != messages.Imported || e.Source != messages.Imported || m.At.IsZero() || m.At.Equal(e.At) {
		m.At = e.At
	}
	m.Answered = cmp.Or(m.Answered, e.Answered)
	e.ReplyTo = cmp.Or(m.Answered, e.ReplyTo)
	e.Event = m
	return e
}
