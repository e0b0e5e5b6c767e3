package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Measures of parts of a message that is higher than the window, in characters.
const (
	partOverlap = 20 // that two parts must have in common, in a row, and each only once
	partTorn    = 60 // at the edge of a part that may be misread, because a line is cut there
	partWrong   = 8  // one in so many of what they have in common may be misread
)

// joinBeginning takes the beginning of a message that the lower edge cuts: it is left out of
// the view, but the end of that message may be known. If something stands above it, it is
// all there, and the message is complete.
func (l *Ledger) joinBeginning(v View, now time.Time) {
	i := len(v.Bubbles) - 1
	if i < 0 || !v.Bubbles[i].Clipped || !cutBelow(v, i) || 2*v.Bubbles[i].Box.H < v.Size.H {
		return
	}
	o := observeBubble(v, i, now)
	above := i > 0 || slices.ContainsFunc(v.Marks, func(m messages.Mark) bool { return m.Box.Y < o.y })
	for j := range l.entries {
		e := &l.entries[j]
		if !e.Partial || e.Gone || e.Kind != messages.KindText || o.Kind != messages.KindText || e.Side != o.Side {
			continue
		}
		if whole, ok := joinTexts(o.Text, e.Text); ok {
			o.Text, o.form, o.Partial = whole, nil, !above
			e.take(&o)
			l.dirty[e.Pos] = true
			return
		}
	}
}

// joinPart takes in a further part of a message that is partly known.
func (e *Entry) joinPart(o *observation) {
	for _, parts := range [][2]messages.Text{{o.Text, e.Text}, {e.Text, o.Text}} {
		if more, ok := joinTexts(parts[0], parts[1]); ok && len(more) > len(e.Text) {
			part := *o
			part.Text, part.form = more, nil
			e.take(&part)
			return
		}
	}
}

// take takes over a longer part, or the whole.
func (e *Entry) take(o *observation) {
	if o.Partial {
		e.adoptText(o)
		return
	}
	e.complete(o)
}

// joinTexts joins two texts if the second begins inside the first, or before its end. What
// repeats itself has no certain place.
func joinTexts(first, second messages.Text) (messages.Text, bool) {
	a, b := []rune(first), []rune(second)
	for k := 0; k <= partTorn && k+partOverlap <= len(b); k++ {
		common := string(b[k : k+partOverlap])
		if strings.Count(string(first), common) != 1 || strings.Count(string(second), common) != 1 {
			continue
		}
		at := len([]rune(string(first)[:strings.Index(string(first), common)]))
		n := min(len(a)-at, len(b)-k)
		if at <= k || partWrong*text.EditDistance(a[at:at+n], b[k:k+n]) > n {
			continue
		}
		return messages.Text(string(a[:at]) + string(b[k:])), true
	}
	return "", false
}
