package ledger

import (
	"math/bits"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// relate says how an observation relates to an entry. Unless fuzzy, texts are
// equal or not.
func relate(o *observation, e *Entry, fuzzy bool) relation {
	switch {
	case o.Gone && e.Gone:
		return onNotice
	case o.Gone:
		return onMessage
	case e.vacant():
		return unrelated
	case !sidesAgree(o.Side, e.Side):
		return relateSides(o, e, fuzzy)
	case o.clipped:
		return relateClipped(o, e)
	case o.Key == e.Key && o.Key != 0 && o.Partial == e.Partial:
		return samePixels
	case o.Partial || e.Partial:
		return relateParts(o, e)
	}
	return relateKinds(o, e, fuzzy)
}

// relateKinds compares whole bubbles with other pixels. Files and calls have words.
func relateKinds(o *observation, e *Entry, fuzzy bool) relation {
	const isText = messages.KindText
	switch {
	case o.Kind == messages.KindUnreadable || e.Kind == messages.KindUnreadable:
		if sameSize(o, e) {
			return sameOutline
		}
		return unreadable
	case o.Kind == isText && e.Kind == isText:
		return relateTexts(o, e, fuzzy)
	case o.Kind == isText || e.Kind == isText:
		return different
	case o.Kind != e.Kind || o.text().norm == "" || e.text().norm == "":
		return otherPicture
	case equal(o.text(), e.text(), fuzzy):
		return sameText
	}
	return different
}

// score is the weight of a relation.
func score(r relation, o *observation, e *Entry, rarity Score) Score {
	w := weights[r]
	sum := w.score
	if w.rarity {
		sum += rarity
	}
	if w.clock {
		sum += clockScore(o, e)
	}
	return sum
}

// relateSides compares bubbles of different sides. The same text on the other side is
// more likely a misread side than a new message: own words must not be reported as
// somebody else's.
func relateSides(o *observation, e *Entry, fuzzy bool) relation {
	if o.Kind == messages.KindText && e.Kind == messages.KindText && !o.clipped &&
		o.text().runes >= minSided && equal(o.text(), e.text(), fuzzy) {
		return otherSide
	}
	return unrelated
}

// relateClipped compares a bubble whose lower part alone is visible. That is little evidence,
// so a difference never rules an entry out.
func relateClipped(o *observation, e *Entry) relation {
	switch f := o.text(); {
	case f.compact == "" || !strings.HasSuffix(e.text().compact, f.compact):
		return otherTail
	case f.runes < minTail:
		return shortTail
	}
	return sameTail
}

// relateParts compares bubbles higher than the window. Two views of one share some of its
// lines.
func relateParts(o *observation, e *Entry) relation {
	if o.Kind == e.Kind && o.Kind != messages.KindText {
		return samePart
	}
	a, b := o.text(), e.text()
	if a.compact != "" && b.compact != "" &&
		(strings.Contains(a.compact, b.compact) || strings.Contains(b.compact, a.compact)) {
		return samePart
	}
	shorter := min(len(a.grams), len(b.grams))
	common := a.grams.Similarity(b.grams) * float64(len(a.grams)+len(b.grams)) / 2
	if shorter > 0 && common >= float64(shorter)/partGrams {
		return samePart
	}
	return different
}

func relateTexts(o *observation, e *Entry, fuzzy bool) relation {
	a, b := o.text(), e.text()
	switch {
	case equal(a, b, fuzzy), clockOnly(o, e):
		return sameText
	case (o.Low || e.Low) && sameSize(o, e):
		return sameOutline
	case !fuzzy:
		return different
	case similar(a, b):
		return similarText
	case sameSize(o, e) && sharesLetters(a, b):
		return similarLetters
	}
	return different
}

// replaces reports whether an observation may be an entry with another text, as far as
// this can be told.
func replaces(o *observation, e *Entry) bool {
	return o.Kind == messages.KindText && e.Kind == messages.KindText && !o.clipped && !o.Partial && !e.Partial &&
		!o.Gone && !e.vacant() && sidesAgree(o.Side, e.Side)
}

// inPlaceOf reports whether an observation stands where an entry stood, with another
// text. It is only asked about the newest entry: older ones have known neighbours.
func inPlaceOf(o *observation, e *Entry) bool {
	return replaces(o, e) && clockScore(o, e) >= 0 && o.Above != 0 && abs(o.Above-e.Above) <= 1
}

func sidesAgree(a, b messages.Side) bool {
	return a == b || a == messages.SideNeither || b == messages.SideNeither
}

// clockScore is the weight of the clock times beside two bubbles.
func clockScore(o *observation, e *Entry) Score {
	switch {
	case o.Stamp == "" || e.Stamp == "":
		return 0
	case o.Stamp == e.Stamp:
		return sameClock
	}
	return otherClock
}

// sameSize allows for a bubble's tail, which is narrower than a letter.
func sameSize(o *observation, e *Entry) bool {
	return o.H > 0 && abs(o.W-e.W) <= max(sizeSlack, min(o.H/tailShare, tailAtMost)) &&
		abs(o.H-e.H) <= sizeSlack
}

func abs(n int) int { return max(n, -n) }

// clockOnly reports whether two texts of bubbles of one size differ only by a clock time
// at the end of one: whether a window holds its times in its bubbles may be seen only
// after some frames. Somebody who adds a time to a message makes its bubble larger.
func clockOnly(o *observation, e *Entry) bool {
	a, b := o.text(), e.text()
	if a.runes < b.runes {
		a, b = b, a
	}
	if b.runes == 0 || a.runes < b.runes+minClock || !sameSize(o, e) {
		return false
	}
	before, _, ok := text.CutClock(a.norm)
	if !ok {
		before, ok = text.CutFaintClock(a.norm)
	}
	return ok && equal(formOf(messages.Text(before)), b, true)
}

// equal is text.OCREqual after two quick tests that rule most pairs out.
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

// similar reports whether two texts share half of their trigrams.
func similar(a, b *form) bool {
	if 2*min(len(a.grams), len(b.grams)) < max(len(a.grams), len(b.grams)) {
		return false
	}
	return a.grams.Similarity(b.grams) >= similarGrams
}

// sharesLetters reports whether enough letters of two texts are in both.
func sharesLetters(a, b *form) bool {
	return letterShare*bits.OnesCount64(a.letters&b.letters) >= bits.OnesCount64(a.letters|b.letters) && a.letters != 0
}
