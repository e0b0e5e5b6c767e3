package fusion

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"
	"time"
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

	At time.Time `json:"at,omitzero"` // when it was passed on
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
		if b.Low {
			n[8] |= 2
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

// is reports that m and o are one bubble, by its pixels or by what it says; a
// misread letter does not count.
func (m Mark) is(o Mark) bool {
	switch {
	case m.Side != o.Side:
		return false
	case m.Key == o.Key && m.Key != 0:
		return true
	}
	return m.Text != "" && o.Text != "" && (m.Text == o.Text || text.OCREqual(string(m.Text), string(o.Text)))
}

// shared counts the bubbles of v that l shows too, each of which accounts for
// one.
func (l Last) shared(v Last) int {
	n, rest := 0, slices.Clone(l.Marks)
	for _, m := range v.Marks {
		if i := slices.IndexFunc(rest, m.is); i >= 0 {
			n, rest = n+1, slices.Delete(rest, i, i+1)
		}
	}
	return n
}

// Weights of a run of bubbles; a text counts by its characters.
const (
	runProof   = 8 // from here on a run proves whose it is
	runPicture = 3 // a sticker may be anybody's
	runText    = 8 // at most, of one text
)

// run is the weight of the heaviest unbroken run of bubbles that both show.
// Everybody says OK: one short text alone proves nothing, and neither do two in
// different places.
func (l Last) run(v Last) (best int) {
	row := make([]int, len(l.Marks)+1)
	for _, m := range v.Marks {
		for j := len(l.Marks) - 1; j >= 0; j-- {
			if !m.is(l.Marks[j]) {
				row[j+1] = 0
				continue
			}
			row[j+1] = row[j] + m.weight()
			best = max(best, row[j+1])
		}
	}
	return best
}

func (m Mark) weight() int {
	if m.Text == "" {
		return runPicture
	}
	return min(runText, utf8.RuneCountInString(string(m.Text)))
}

// continues reports that v certainly belongs to the conversation that showed l.
func (l Last) continues(v Last) bool { return l.same(v) || l.run(v) >= runProof }

// resembles reports that nothing speaks against v being of the conversation
// that showed l: enough where the two have almost the same name.
func (l Last) resembles(v Last) bool {
	return l.shared(v) > min(1, len(l.Marks)-1, len(v.Marks)-1) || l.run(v) >= 4
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

// claims reports that v looks like a view of the conversation that showed l: at
// least half of its bubbles are l's, or a run of them that proves it.
func (l Last) claims(v Last) bool {
	return l.Name != "" && (2*l.shared(v) >= len(v.Marks) || l.run(v) >= runProof)
}

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
	maxTorn      = 4
	maxTornKnown = 6
)

// known is what steady needs to know.
type known struct {
	current Last // passed on last
	own     Last // passed on last of the view's conversation; no name if none
	held    Last // waits; no name if none
	torn    int  // frames in a row that looked torn
	// contested says that a frame since has shown held's bubbles under another
	// title: held passes only if its own title comes again.
	contested bool
	// others lists what was passed on last of all conversations. It is asked for
	// only where a view does not continue its own.
	others func(yield func(Last) bool)
}

// steady decides whether a view is of one piece, and what becomes of the view
// that waits. An application may draw the header before the bubbles or after
// them, and a capture in between would put one person's words into another's
// conversation. So a view passes at once only if it shows a run of bubbles that
// its conversation has shown before. One that shows what another conversation
// has shown is read again. Otherwise the next frame decides: the same title again
// and it passes, another title over the same bubbles and it was torn.
func steady(k known, v Last) (held, view Fate) {
	waits := k.held.Name != ""
	limit := maxTorn
	if k.own.Name != "" {
		limit = maxTornKnown
	}
	continues := k.own.continues(v)
	switch {
	case k.current.Name == "":
		return Pass, Pass
	case k.torn < limit && k.another(v, continues):
		return Wait, Torn
	}
	switch {
	case !waits:
	case k.held.Name != v.Name:
		if k.contested || k.held.claims(v) {
			held = Discard
		}
	case !k.held.continues(v) && k.current.Name != k.held.Name:
		held = Discard // the header came first
	}
	confirmed := waits && held == Pass && k.held.Name == v.Name
	if !continues && !confirmed && k.torn < limit {
		return held, Wait
	}
	return held, Pass
}

// another reports that a conversation other than the view's claims it, and has
// shown more of it than its own has.
func (k known) another(v Last, continues bool) bool {
	own := k.own.shared(v)
	rival := func(l Last) bool { return l.Name != v.Name && l.claims(v) && own < max(1, l.shared(v)) }
	switch {
	case rival(k.current) || rival(k.held):
		return true
	case continues || k.others == nil:
		return false
	}
	for l := range k.others {
		if rival(l) && l.continues(v) {
			return true
		}
	}
	return false
}
