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

// Mark is what is remembered of a bubble to recognise it.
type Mark struct {
	Side messages.Side     `json:"side"`
	Key  messages.PixelKey `json:"key"`
	Text messages.Text     `json:"text,omitempty"` // normalised
}

// View is what a window shows of a conversation. Stored is the one that was
// passed on last.
type View struct {
	Conversation messages.ConversationID `json:"conversation"`
	Digest       uint64                  `json:"digest"`
	Moves        int                     `json:"moves,omitempty"` // of the answer that named the conversation
	Marks        []Mark                  `json:"marks"`

	At   time.Time `json:"at,omitzero"`   // when it was passed on
	Left time.Time `json:"left,omitzero"` // when it was last seen in the window, if that shows another now
	// Anchor is where the last stretch ended that is certainly this conversation's, if
	// the view has not been seen to go on from there: it may be a namesake's.
	Anchor []Mark `json:"anchor,omitempty"`
	// Steps counts how often the window has shown it to go on since then, without
	// another conversation in between.
	Steps int `json:"steps,omitempty"`
	// Apart: the window was not watched all the while when the anchor went out of view.
	// Then no step counts: a stranger's chat goes on too.
	Apart bool `json:"apart,omitempty"`
	// Looks are the pixels of its header, the latest last.
	Looks []Look `json:"looks,omitempty"`
}

// viewOf sums up the bubbles of a view.
func viewOf(c messages.ConversationID, bubbles []messages.Bubble) View {
	h := fnv.New64a()
	word := func(s string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	v := View{Conversation: c}
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

// showing is the same view with other bubbles.
func (l View) showing(bubbles []messages.Bubble) View {
	v := viewOf(l.Conversation, bubbles)
	v.Moves = l.Moves
	return v
}

// is reports whether m and o are one bubble, by its pixels or by its text, in which
// letters may be misread.
func (m Mark) is(o Mark) bool {
	switch {
	case m.Side != o.Side:
		return false
	case m.Key == o.Key && m.Key != 0:
		return true
	}
	return m.Text != "" && o.Text != "" && (m.Text == o.Text || text.OCREqual(string(m.Text), string(o.Text)))
}

// looks reports whether m and o are one bubble and drawn alike: pixels tell apart texts that are
// alike, as long as the window is drawn as before.
func (m Mark) looks(o Mark) bool { return m.is(o) && (m.Key == 0 || o.Key == 0 || m.Key == o.Key) }

// shared counts the bubbles of v that l shows too. Each of them accounts for one.
func (l View) shared(v View) int {
	n, rest := 0, slices.Clone(l.Marks)
	for _, m := range v.Marks {
		if i := slices.IndexFunc(rest, m.is); i >= 0 {
			n, rest = n+1, slices.Delete(rest, i, i+1)
		}
	}
	return n
}

// Weights of a run of bubbles. A text counts by its characters.
const (
	runProof   = 8 // a run of this weight proves its conversation
	runPicture = 3 // anybody may send the same sticker
	runText    = 8 // at most, of one text
)

// run is the weight of the heaviest unbroken run of bubbles that both show.
// Everybody says OK, so one short text proves nothing, and neither do two in
// different places.
func (l View) run(v View) (best int) {
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

// linked is v with the anchor that it has after l. A page that shares too little with
// the one before may come after a gap, and may be that of a stranger of the same name:
// the title does not tell. It is linked again once the anchor comes into view, or the
// conversation has gone on for [linkSteps] in a window that was watched all the while
// (unbroken): nothing brings back what a long text has moved out of view. What has only been
// edited in its place (edited) is linked as before.
func (l View) linked(v View, unbroken, edited bool) View {
	anchor := View{Marks: l.Anchor}
	if len(l.Anchor) == 0 {
		anchor.Marks = l.Marks
	}
	v.Anchor, v.Steps, v.Apart = nil, 0, false
	if len(anchor.Marks) == 0 || anchor.leads(v) || edited && len(l.Anchor) == 0 {
		return v
	}
	v.Anchor = anchor.Marks
	leads := len(l.Anchor) > 0 && (edited || l.leads(v))
	v.Apart = l.Apart || !leads && !unbroken
	switch {
	case v.Apart || len(l.Anchor) == 0:
	case l.grown(v):
		v.Steps = l.Steps + 1
	case leads:
		v.Steps = l.Steps
	}
	if v.Steps >= linkSteps {
		v.Anchor, v.Steps = nil, 0
	}
	return v
}

// linkSteps is how often a conversation must be seen to go on after a gap before it
// is written to again.
const linkSteps = 3

// leads reports whether v shows a run of l that proves it, or all of an l that is too
// short for that.
func (l View) leads(v View) bool {
	all := 0
	for _, m := range l.Marks {
		all += m.weight()
	}
	return l.run(v) >= min(runProof, all)
}

func (m Mark) weight() int {
	if m.Text == "" {
		return runPicture
	}
	return min(runText, utf8.RuneCountInString(string(m.Text)))
}

// continues reports whether v certainly belongs to the conversation that showed l.
func (l View) continues(v View) bool { return l.same(v) || l.run(v) >= runProof }

// edited reports whether v is l with another text in one place, and no page of somebody
// else's: the text is much the same, or there is enough around it that is.
func (l View) edited(v View) bool {
	if len(l.Marks) != len(v.Marks) {
		return false
	}
	around, own, others := 0, false, 0
	var was, is []rune
	for i, m := range v.Marks {
		o := l.Marks[i]
		switch {
		case m.Side != o.Side:
			return false
		case m.is(o):
			around, own = around+1, own || m.Side == messages.SideOwn
		default:
			others++
			was, is = []rune(o.Text), []rune(m.Text)
		}
	}
	return others == 1 && (own || around >= 2 || 2*text.EditDistance(was, is) <= max(len(was), len(is)))
}

// text is everything that the bubbles say, normalised.
func (l View) text() string {
	var out []string
	for _, m := range l.Marks {
		out = append(out, string(m.Text))
	}
	return strings.Join(out, "\n")
}

// same reports whether nothing has changed.
func (l View) same(v View) bool { return l.Conversation == v.Conversation && l.Digest == v.Digest }

// claims reports whether v looks like a view of the conversation that showed l: at
// least half of its bubbles are l's, or a run of them that proves it.
func (l View) claims(v View) bool {
	return l.Conversation != "" && (2*l.shared(v) >= len(v.Marks) || l.run(v) >= runProof)
}

// left reports whether v may be what is left of l under a new header: old bubbles stay
// until others are drawn, so most of them are there.
func (l View) left(v View) bool {
	n := l.shared(v)
	return 2*n >= len(l.Marks) || n > 1 && l.run(v) >= runProof
}

// Fate says what happens to a view.
type Fate int

// Fates.
const (
	Pass         Fate = iota
	Wait              // for the next frame to show whose bubbles they are
	Inconsistent      // read again: the title is new, the bubbles are another's
	Discard           // it was inconsistent
)

// How many frames in a row may look inconsistent. After that the view is accepted
// as it is. A conversation that had other bubbles before needs more.
const (
	maxInconsistent      = 4
	maxInconsistentKnown = 6
)

// known is what consistency needs to know.
type known struct {
	current      View          // passed on last
	own          View          // passed on last of the view's conversation; of nobody's if none
	pending      View          // waits; of nobody's if none
	title        messages.Text // what the view's conversation is called
	unlisted     bool          // it is not to be read
	inconsistent int           // frames in a row that looked inconsistent
	// contested says that a later frame has shown the pending bubbles under another
	// title. Then the pending view passes only if its own title comes again.
	contested bool
	// refuted: two have. Then its own title says nothing any more.
	refuted bool
	// certain: the title was not read from pixels.
	certain bool
	// drawn: the pane was empty before, under the title that it has now.
	drawn bool
	// others lists the views passed on last, of all conversations. It is called
	// only if a view does not continue its own conversation.
	others func(yield func(View) bool)
}

// consistency decides whether the title and bubbles of a view belong together,
// and what happens to the pending view. An application may draw the header before
// or after the bubbles. A capture in between would put one person's words into
// another's conversation. So a view passes at once only if it shows a run of
// bubbles that its conversation has shown before. One that shows what another
// conversation has shown is read again. Otherwise the next frame decides. With
// the same title again the view passes; with another title over the same bubbles
// it was inconsistent.
func consistency(k known, v View) (pending, view Fate) {
	waits := k.pending.Conversation != ""
	limit := maxInconsistent
	if k.own.Conversation != "" {
		limit = maxInconsistentKnown
	}
	continues := k.own.continues(v)
	switch {
	case k.current.Conversation == "" && k.certain:
		return Pass, Pass
	case k.inconsistent < limit && !k.drawn && k.another(v, continues):
		return Wait, Inconsistent
	}
	switch {
	case !waits:
	case k.pending.Conversation != v.Conversation:
		if k.contested || k.pending.claims(v) {
			pending = Discard
		}
	case k.current.Conversation == "" && k.pending.leads(v) && !k.refuted: // nothing was shown that could be left
	case k.refuted, !k.drawn && !k.pending.continues(v) && k.current.Conversation != k.pending.Conversation:
		pending = Discard // the header came first
	}
	confirmed := waits && pending == Pass && k.pending.Conversation == v.Conversation
	if !continues && !confirmed && k.inconsistent < limit {
		return pending, Wait
	}
	return pending, Pass
}

// another reports whether a conversation other than the view's claims it and has
// shown more of it.
func (k known) another(v View, continues bool) bool {
	own := k.own.shared(v)
	rival := func(l View) bool {
		return l.Conversation != v.Conversation && l.claims(v) && l.left(v) && own < max(1, l.shared(v))
	}
	switch {
	case rival(k.current) || rival(k.pending):
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
