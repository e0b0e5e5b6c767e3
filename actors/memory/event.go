package memory

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"hash/fnv"
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
}

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
// the newest gets no links, because its neighbours are unknown.
func (t Talk) Next(m messages.Event, now time.Time) (Event, Talk) {
	if len(m.Text) > MaxText {
		m.Text = messages.Text(strings.ToValidUTF8(string(m.Text[:MaxText]), ""))
	}
	e := Event{Event: m, KeptAt: now}
	t.Events++
	if m.At.Before(t.Last) {
		return e, t
	}
	if t.Thread == "" || m.At.Sub(t.Last) > pause {
		t = Talk{At: t.At, Events: t.Events, Thread: m.ID}
	}
	t.Last, e.Thread = m.At, t.Thread
	if m.Own {
		e.ReplyTo, t.Own = t.Other, m.ID
	} else {
		e.ReplyTo, t.Other = t.Own, m.ID
	}
	return e, t
}

// Again returns a stored event with its current wording.
func (e Event) Again(m messages.Event) Event {
	if len(m.Text) > MaxText {
		m.Text = messages.Text(strings.ToValidUTF8(string(m.Text[:MaxText]), ""))
	}
	m.At = e.At // the time at which it was first said
	e.Event = m
	return e
}
