package ledger

import "github.com/kehai-run/kehai/messages"

// Score is the weight of an alignment. Only differences matter: the highest sum wins.
type Score int32

// impossible is below every sum of scores.
const impossible Score = -1 << 20

// relation is how an observation compares with an entry.
type relation uint8

const (
	unrelated      relation = iota // they cannot be one
	different                      // another message: edited, misread, or a wrong alignment
	samePixels                     // the same message, identical pixels
	sameText                       // the same message by its words
	samePart                       // parts of the same message, which is higher than the window
	sameTail                       // a clipped bubble that ends as the message does
	shortTail                      // the same, but too short to tell much
	otherTail                      // a clipped bubble that ends differently, which proves little
	sameOutline                    // one of them is unreadable or doubtful; they have the same size
	unreadable                     // one of them is unreadable
	otherPicture                   // pictures whose pixels differ: they may be animated
	similarText                    // texts that may be one, edited or misread
	similarLetters                 // bubbles of one size whose texts share letters
	otherSide                      // a known text on the other side
	onNotice                       // a notice where one is known
	onMessage                      // a notice in the place of a message
)

// weights of each relation.
var weights = [...]struct {
	score  Score
	rarity bool // plus how much finding the entry again tells
	clock  bool // plus what the clock times beside them tell
	sure   bool // the same beyond doubt
}{
	unrelated:      {score: impossible},
	different:      {score: -8},
	samePixels:     {score: 5, rarity: true, clock: true, sure: true},
	sameText:       {score: 3, rarity: true, clock: true, sure: true},
	samePart:       {score: 6, sure: true},
	sameTail:       {score: 6},
	shortTail:      {score: 1},
	otherTail:      {score: 0},
	sameOutline:    {score: 4},
	unreadable:     {score: 2},
	otherPicture:   {score: 3, clock: true},
	similarText:    {score: 1},
	similarLetters: {score: 0},
	otherSide:      {score: 1},
	onNotice:       {score: 3},
	onMessage:      {score: 0},
}

// Weights of what is not a pair, and of pairs whose place says more.
const (
	sameClock  Score = 1  // of a pair whose clock times are equal
	otherClock Score = -4 // of a pair whose clock times differ

	editedInPlace Score = -2 // instead of different, in a view that has not moved
	editedNewest  Score = 2  // at least, where the newest entry stood in the last view

	extraBubble Score = -6  // an unknown bubble between known ones
	extraNoRoom Score = -24 // the same where there was no room for one
	missing     Score = -5  // a known message that is not there

	missingNotice Score = -12 // the same where a window leaves notices

	unknownBefore     Score = -2  // for unknown bubbles before all that is known …
	eachUnknownBefore Score = -1  // … and for each of them, up to maxUnknownBefore
	unknownInside     Score = -10 // the same in the middle of what is known
	scrolledBack      Score = -8  // for a place before the tail's end, if the window is at its newest position

	anchoring Score = 8 // needed by an alignment without a certain pair: two of the same outline
)

const maxUnknownBefore = 8

// Rarity is how much it proves to find an entry again: the longer its text the more, and
// the more often it is in the tail the less.
const (
	rarityBase    Score = 4
	rarityPicture Score = 4  // counts as a text of this length
	rarityLongest Score = 16 // characters that count
)

// Thresholds of similarity.
const (
	minTail         = 4   // characters of a clipped bubble that prove much
	minSided        = 4   // characters of a text that is recognised on the other side
	partGrams       = 4   // one in so many of the shorter text's trigrams, of two parts of one bubble
	letterShare     = 3   // one in so many of all letters is common to texts that may be one
	sizeSlack       = 1   // logical pixels between two captures of one bubble …
	tailShare       = 6   // … or this part of its height in width, for its tail …
	tailAtMost      = 20  // … but no more than so many
	similarGrams    = 0.5 // share of trigrams, of texts that may be one
	farDifference   = 0.5 // share of characters, above which no text is a misread form of the other
	minClock        = 3   // characters of a clock time without what stands between them
	minFar          = 6   // characters of the longer of two such texts
	otherDifference = 0.3 // share of characters, above which a text that was drawn again is another
	resizedBy       = 8   // logical pixels that no tail of a bubble makes
	countlessFrom   = 3   // bubbles with one text that fill a view
	sameGapSlack    = 1   // logical pixels between two positions of a window's last bubble that are one
)

// rarities returns the rarity of each entry.
func rarities(tail []Entry) []Score {
	type content struct {
		side messages.Side
		text string
		key  messages.PixelKey
	}
	of := func(e *Entry) content {
		switch {
		case e.vacant():
			return content{side: e.Side, text: "\x00"}
		case e.Kind == messages.KindText:
			return content{side: e.Side, text: e.text().compact}
		}
		return content{side: e.Side, key: e.Key}
	}
	count := make(map[content]Score, len(tail))
	for j := range tail {
		count[of(&tail[j])]++
	}
	out := make([]Score, len(tail))
	for j := range tail {
		e := &tail[j]
		length := rarityPicture
		if e.Kind == messages.KindText {
			length = min(rarityLongest, Score(e.text().runes))
		}
		out[j] = (rarityBase + length) / count[of(e)]
	}
	return out
}
