package fusion

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Mark is what is remembered of a bubble to know it again.
type Mark struct {
	Side messages.Side     `json:"side"`
	Key  messages.PixelKey `json:"key"`
	Text messages.Text     `json:"text,omitempty"` // normalised
}

// Last is the view of a conversation that was passed on last.
type Last struct {
	Name   string `json:"name"` // of the conversation
	Digest uint64 `json:"digest"`
	Marks  []Mark `json:"marks"`
}

// viewOf sums up the bubbles of a view.
func viewOf(name string, bubbles []messages.Bubble) Last {
	h := fnv.New64a()
	word := func(s string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	v := Last{Name: name}
	for _, b := range bubbles {
		var n [9]byte
		binary.LittleEndian.PutUint64(n[:], uint64(b.Key))
		if b.Clipped {
			n[8] = 1
		}
		h.Write(n[:])
		for _, s := range []string{string(b.Side), string(b.Kind), string(b.Sender), b.Stamp, string(b.Text)} {
			word(s)
		}
		v.Marks = append(v.Marks, Mark{b.Side, b.Key, messages.Text(text.Normalize(string(b.Text)))})
	}
	v.Digest = h.Sum64()
	return v
}

// shows reports that one of the bubbles of l is m, by its pixels or by what it
// says; a misread letter does not count.
func (l Last) shows(m Mark) bool {
	same := func(o Mark) bool {
		return m.Side == o.Side && (m.Key == o.Key && m.Key != 0 || m.Text == o.Text && m.Text != "")
	}
	near := func(o Mark) bool {
		return m.Side == o.Side && o.Text != "" && text.OCREqual(string(m.Text), string(o.Text))
	}
	return slices.ContainsFunc(l.Marks, same) || m.Text != "" && slices.ContainsFunc(l.Marks, near)
}

// shared counts the bubbles of v that l shows too.
func (l Last) shared(v Last) int {
	n := 0
	for _, m := range v.Marks {
		if l.shows(m) {
			n++
		}
	}
	return n
}

// continues reports that v belongs to the conversation that showed l. One short
// text alone proves nothing: everybody says OK.
func (l Last) continues(v Last) bool {
	n := 0
	for _, m := range v.Marks {
		if l.shows(m) {
			if n++; n > 1 || utf8.RuneCountInString(string(m.Text)) >= 4 {
				return true
			}
		}
	}
	return n > 0 && (len(v.Marks) == 1 || len(l.Marks) == 1)
}

// text is everything that the bubbles say, normalised.
func (l Last) text() string {
	var out []string
	for _, m := range l.Marks {
		out = append(out, string(m.Text))
	}
	return strings.Join(out, "\n")
}

// same reports that nothing has changed.
func (l Last) same(v Last) bool { return l.Name == v.Name && l.Digest == v.Digest }

// covers reports that at least half of v's bubbles are l's.
func (l Last) covers(v Last) bool { return l.Name != "" && 2*l.shared(v) >= len(v.Marks) }

// Fate says what becomes of a view.
type Fate int

// Fates.
const (
	Pass    Fate = iota
	Wait         // for the next frame to show whose bubbles they are
	Torn         // read again: the title is new, the bubbles are another's
	Discard      // it was torn
)

// How many frames in a row may look torn: then it was no tear. It takes longer to
// believe of a conversation that had other bubbles before.
const (
	maxTorn      = 2
	maxTornKnown = 6
)

// known is what steady needs to know.
type known struct {
	current Last // passed on last
	own     Last // passed on last of the view's conversation; no name if none
	held    Last // waits; no name if none
	torn    int  // frames in a row that looked torn
}

// steady decides whether a view is of one piece, and what becomes of the view
// that waits. An application may draw the header before the bubbles or after
// them, and a capture in between would put one person's words into another's
// conversation. So a view passes at once only if it shows something that its
// conversation has shown before. Otherwise the next frame decides: the same
// title again and it passes, another title over the same bubbles and it was torn.
func steady(k known, v Last) (held, view Fate) {
	other := k.current.Name != v.Name
	waits := k.held.Name != ""
	limit := maxTorn
	if k.own.Name != "" {
		limit = maxTornKnown
	}
	ambiguous := other && k.current.covers(v) || waits && k.held.Name != v.Name && k.held.covers(v)
	switch {
	case k.current.Name == "":
		return Pass, Pass
	case ambiguous && k.own.shared(v) < max(1, k.current.shared(v)) && k.torn < limit:
		return Wait, Torn
	}
	switch {
	case !waits:
	case k.held.Name != v.Name:
		if k.held.covers(v) {
			held = Discard
		}
	case !k.held.continues(v) && k.current.Name != k.held.Name:
		held = Discard // the header came first
	}
	confirmed := waits && held == Pass && k.held.Name == v.Name
	if !k.own.continues(v) && !confirmed && k.torn < limit {
		return held, Wait
	}
	return held, Pass
}
