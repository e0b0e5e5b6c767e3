package dedup

import (
	"math/bits"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Scores of laying one bubble on one entry. Only their differences matter: an
// alignment has the highest sum.
const (
	never     = -1 << 20
	scoreBase = 3  // the same message; more by its worth, see [worth]
	scoreKey  = 2  // the same pixels
	scorePart = 6  // parts of the same bubble
	scoreLook = 4  // unreadable, of the same size
	scoreKind = 3  // pictures whose pixels differ: they may be animated
	scoreDim  = 2  // unreadable
	scoreNear = 1  // similar texts, or a known text on the other side
	scoreNot  = -8 // known to be another one: edited, misread, or a wrong alignment
	scoreSwap = -2 // the same, in a view that cannot have moved
	scoreGone = 0  // a notice that a message was taken back, in the place of one
	scoreTime = -4 // the clock times beside them differ

	scoreExtra   = -6  // a bubble between known ones
	scoreNoRoom  = -24 // the same where there was no room for one
	scoreMissing = -5  // a known one that is not there
	scoreLead    = -2  // bubbles before all that is known, and -1 for each
	scoreIsle    = -10 // the same in the middle of what is known
	scorePinned  = 8   // for a window at its newest position, not to be scrolled back
)

// worth says for each entry how much finding it again tells: the more the
// longer its text is, and the less the more often it stands in the tail.
func worth(tail []Entry) []int {
	type content struct {
		side messages.Side
		text string
		key  messages.PixelKey
	}
	of := func(e *Entry) content {
		if e.taken() {
			return content{side: e.Side, text: "\x00"}
		}
		if e.Kind == messages.KindText {
			return content{side: e.Side, text: e.text().compact}
		}
		return content{side: e.Side, key: e.Key}
	}
	count := make(map[content]int, len(tail))
	for j := range tail {
		count[of(&tail[j])]++
	}
	out := make([]int, len(tail))
	for j := range tail {
		e := &tail[j]
		length := 4
		if e.Kind == messages.KindText {
			length = min(16, e.text().runes)
		}
		out[j] = (4 + length) / count[of(e)]
	}
	return out
}

// edited reports that s may be e with another text: it stands in its place. It
// is asked about the newest entry only; an older one has known ones around it.
func edited(s *sight, e *Entry) bool {
	return swapped(s, e) && stamps(s, e) >= 0 && s.Above != 0 && abs(s.Above-e.Above) <= 1
}

// swapped reports that s may be e with another text, as far as they tell.
func swapped(s *sight, e *Entry) bool {
	return s.Kind == messages.KindText && e.Kind == messages.KindText && !s.clipped && !s.Partial && !e.Partial &&
		!s.Gone && !e.taken() && sidesAgree(s.Side, e.Side)
}

// similar is the trigram similarity above which texts may be one, edited.
const similar = 0.5

// compare returns the score of laying s on e, and whether they are the same
// beyond doubt. Unless fuzzy, texts are equal or not.
func compare(s *sight, e *Entry, worth int, fuzzy bool) (score int, same bool) {
	switch {
	case s.Gone && e.Gone:
		return scoreKind, false
	case s.Gone:
		return scoreGone, false
	case e.taken():
		return never, false
	}
	if !sidesAgree(s.Side, e.Side) {
		// A text that changes sides is more likely a misread side than news:
		// own words must not come out as somebody else's.
		if s.Kind == messages.KindText && e.Kind == messages.KindText && !s.clipped && s.text().runes >= 4 && equal(s.text(), e.text(), fuzzy) {
			return scoreNear, false
		}
		return never, false
	}
	switch {
	case s.clipped:
		return compareClipped(s, e), false
	case s.Key == e.Key && s.Key != 0 && s.Partial == e.Partial:
		return scoreBase + scoreKey + worth + stamps(s, e), true
	case s.Partial || e.Partial:
		return comparePartial(s, e)
	case s.Kind == messages.KindUnreadable || e.Kind == messages.KindUnreadable:
		if sameSize(s, e) {
			return scoreLook, false
		}
		return scoreDim, false
	case s.Kind != messages.KindText && e.Kind != messages.KindText:
		if a, b := s.text().norm, e.text().norm; s.Kind == e.Kind && a != "" && b != "" { // files and calls have words
			if equal(s.text(), e.text(), fuzzy) {
				return scoreBase + worth + stamps(s, e), true
			}
			return scoreNot, false
		}
		return scoreKind + stamps(s, e), false
	case s.Kind != e.Kind:
		return scoreNot, false
	case equal(s.text(), e.text(), fuzzy):
		return scoreBase + worth + stamps(s, e), true
	case (s.Low || e.Low) && sameSize(s, e):
		return scoreLook, false
	case !fuzzy:
		return scoreNot, false
	case alike(s.text(), e.text()):
		return scoreNear, false
	case sameSize(s, e) && sharesLetters(s.text(), e.text()):
		return 0, false
	}
	return scoreNot, false
}

func sidesAgree(a, b messages.Side) bool {
	return a == b || a == messages.SideNeither || b == messages.SideNeither
}

func stamps(s *sight, e *Entry) int {
	switch {
	case s.Stamp == "" || e.Stamp == "":
		return 0
	case s.Stamp == e.Stamp:
		return 1
	}
	return scoreTime
}

// sameSize allows for a tail, which is narrower than a letter.
func sameSize(s *sight, e *Entry) bool {
	return s.H > 0 && abs(s.W-e.W) <= max(1, min(s.H/6, 20)) && abs(s.H-e.H) <= 1
}

func abs(n int) int { return max(n, -n) }

// compareClipped judges a bubble of which only the lower part is visible. It
// says little, so nothing speaks against an entry either.
func compareClipped(s *sight, e *Entry) int {
	switch f := s.text(); {
	case f.compact == "" || !strings.HasSuffix(e.text().compact, f.compact):
		return 0
	case f.runes < 4:
		return scoreNear
	}
	return scorePart
}

// comparePartial judges bubbles higher than the window: two views of one share
// some of its lines.
func comparePartial(s *sight, e *Entry) (int, bool) {
	a, b := s.text(), e.text()
	if s.Kind == e.Kind && s.Kind != messages.KindText {
		return scorePart, true
	}
	if a.compact != "" && b.compact != "" && (strings.Contains(a.compact, b.compact) || strings.Contains(b.compact, a.compact)) {
		return scorePart, true
	}
	small := min(len(a.grams), len(b.grams))
	if common := a.grams.Similarity(b.grams) * float64(len(a.grams)+len(b.grams)) / 2; small > 0 && common >= float64(small)/4 {
		return scorePart, true
	}
	return scoreNot, false
}

// equal is text.OCREqual behind two tests that rule most pairs out.
func equal(a, b *form, fuzzy bool) bool {
	if a.norm == b.norm || !fuzzy {
		return a.norm == b.norm
	}
	short, long := min(a.runes, b.runes), max(a.runes, b.runes)
	switch {
	case short < 4 && short != long: // only look-alike letters may differ
		return false
	case short >= 4 && long-short > max(2, long/5):
		return false
	case bits.OnesCount64(a.letters^b.letters) > 4+long/3:
		return false
	}
	return text.OCREqual(a.norm, b.norm)
}

func alike(a, b *form) bool {
	if 2*min(len(a.grams), len(b.grams)) < max(len(a.grams), len(b.grams)) {
		return false
	}
	return a.grams.Similarity(b.grams) >= similar
}

// sharesLetters reports that at least a third of the letters of both are common.
func sharesLetters(a, b *form) bool {
	return 3*bits.OnesCount64(a.letters&b.letters) >= bits.OnesCount64(a.letters|b.letters) && a.letters != 0
}
