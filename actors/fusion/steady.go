package fusion

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Mark is what is remembered of a bubble to know it again.
type Mark struct {
	Side messages.Side     `json:"side"`
	Key  messages.PixelKey `json:"key"`
	Text messages.Text     `json:"text,omitempty"` // normalised
}

// Last is the view passed on last.
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

// shared counts the bubbles of v that l shows too, by their pixels or by what
// they say; a misread letter does not count.
func (l Last) shared(v Last) int {
	n := 0
	for _, m := range v.Marks {
		same := func(o Mark) bool {
			return m.Side == o.Side && (m.Key == o.Key && m.Key != 0 || m.Text == o.Text && m.Text != "")
		}
		near := func(o Mark) bool {
			return m.Side == o.Side && o.Text != "" && text.OCREqual(string(m.Text), string(o.Text))
		}
		if slices.ContainsFunc(l.Marks, same) || m.Text != "" && slices.ContainsFunc(l.Marks, near) {
			n++
		}
	}
	return n
}

// same reports that nothing has changed.
func (l Last) same(v Last) bool { return l.Name == v.Name && l.Digest == v.Digest }

// Step says what to do with a view.
type Step int

// Steps.
const (
	Pass     Step = iota
	Hold          // wait for the next reading to show whose bubbles they are
	PassBoth      // the held one first
	Torn          // read again: the title is new, the bubbles are still the old ones
)

// maxTorn is how many frames in a row may look torn: then it was no tear.
const maxTorn = 3

// steady decides whether a view is of one piece. An application may draw the
// header before the bubbles or after them, and a capture in between would put
// one person's words into another's conversation:
//
//   - another conversation with the bubbles of the last one is torn;
//   - the same conversation with nothing of what it showed is held until the next
//     reading has the same title (then both pass: much was said), or another title
//     over the same bubbles (then the held one was torn).
//
// torn counts the torn frames so far; held is the view that waits, without a
// name if there is none.
func steady(last, held Last, torn int, v Last) Step {
	pass := Pass
	if held.Name != "" && !(held.Name != v.Name && 2*held.shared(v) >= len(v.Marks)) {
		pass = PassBoth
	}
	switch {
	case last.Name == "" || len(v.Marks) == 0:
		return pass
	case last.Name != v.Name:
		if 2*last.shared(v) >= len(v.Marks) && torn < maxTorn {
			return Torn
		}
		return pass
	case held.Name == "" && len(last.Marks) > 0 && last.shared(v) == 0:
		return Hold
	}
	return pass
}
