package directory

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Rules say which titles are believed, by the engine's confidence. A confidence of
// 0 means that the title was not read from pixels, so that it is certain.
type Rules struct {
	// Confidence below which the title of a window is unreadable, 0.01 to 1.
	// Default 0.25.
	Title float64 `yaml:"title" min:"0.01" max:"1" atmost:"title_new"`

	// Confidence below which a title must be that of a known conversation, 0.01 to
	// 1, at least title. Default 0.4.
	TitleNew float64 `yaml:"title_new" min:"0.01" max:"1"`

	// Confidence below which a title that differs by a stroke or a letter from a
	// known one never begins another conversation, 0.01 to 1; title_new holds for it
	// too. Default 0.6.
	TitleAlike float64 `yaml:"title_alike" min:"0.01" max:"1"`
}

// DefaultRules returns the rules of both profiles.
func DefaultRules() Rules { return Rules{Title: 0.25, TitleNew: 0.40, TitleAlike: 0.60} }

// Known is what the directory knows of a conversation.
type Known struct {
	App string `json:"app"`
	// Title is what its window calls it: the reading that most of them agree on.
	Title messages.Text `json:"title"`
	Group bool          `json:"group,omitempty"` // the title ends with a count of members
	// Settled says that Group is known; an adopted conversation has had no reading.
	Settled bool `json:"settled,omitempty"`
	// Named is the name that a person gave it, "" for none.
	Named    messages.Text `json:"named,omitempty"`
	Readings []Reading     `json:"readings,omitempty"` // of its title
	// Into is the conversation that it was merged into, "" for none.
	Into messages.ConversationID `json:"into,omitempty"`
}

// Name is what people call the conversation.
func (k Known) Name() messages.Text {
	if k.Named != "" {
		return k.Named
	}
	return k.Title
}

// Reading is one of the ways in which a title was read.
type Reading struct {
	Title messages.Text `json:"title"`
	Group bool          `json:"group,omitempty"`
	Votes int           `json:"votes"` // up to votesMost
}

// Limits of a title and its readings.
const (
	titleLongest = 64 // characters that count
	votesMost    = 4  // more readings say no more
	votesSure    = 2  // of a reading at Rules.TitleAlike or above
	readingsMost = 8  // that are kept; the rarest goes
)

// members is the count of members behind a group's name.
var members = regexp.MustCompile(`\s*[(（][0-9０-９]+[)）]$`)

// Read makes a conversation's title from a line: white space collapsed, invisible
// and control characters and a count of members removed. group says that there was
// such a count. The title is "" if the line is unreadable.
func (r Rules) Read(line messages.Line) (title messages.Text, group bool) {
	if line.Confidence > 0 && line.Confidence < r.Title {
		return "", false
	}
	s := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c == utf8.RuneError || unicode.IsControl(c) || unicode.In(c, unicode.Cf) && c != 0x200D:
			return -1
		}
		return c
	}, string(line.Text))
	s = strings.Join(strings.Fields(s), " ")
	if short := members.ReplaceAllString(s, ""); short != "" && short != s {
		s, group = short, true
	}
	if all := []rune(s); len(all) > titleLongest {
		s = strings.TrimSpace(string(all[:titleLongest]))
	}
	return messages.Text(s), group
}

// Decision says whose a title is. It has a Conversation, New, Compare or Why.
type Decision struct {
	Conversation messages.ConversationID
	New          bool                      // it is that of a conversation never seen before
	Compare      []messages.ConversationID // whose overlap with the frame decides
	Why          events.UnknownReason      // nothing does
	Learn        bool                      // the reading is one of the conversation's title
}

// Decide says whose a title is. An equal title is that of a known conversation,
// unless others are called almost alike. Then, and if it is only almost equal, the
// frame decides: one that shows a run of bubbles of exactly one of them is its.
// Bubbles of nobody's begin another conversation if the title is read well. What
// remains is held: a guess could mix two people up.
//
// Over bubbles that the one conversation of this title has not shown, an equal title
// is still its: a window that was scrolled, or not seen for long, shows such a gap
// too. Nothing is typed there until fusion has seen the two sides of the gap meet.
func (r Rules) Decide(q messages.Identify, known map[messages.ConversationID]Known) Decision {
	title, group := r.Read(q.Title)
	if title == "" {
		return Decision{Why: events.UnknownTitle}
	}
	var equal, alike []messages.ConversationID
	for _, id := range slices.Sorted(maps.Keys(known)) {
		switch k := known[id]; {
		case k.Into != "":
		case k.is(title, group):
			equal = append(equal, id)
		case k.resembles(title):
			alike = append(alike, id)
		}
	}
	switch {
	case len(equal) == 1 && len(alike) == 0:
		return Decision{Conversation: equal[0], Learn: true}
	case len(equal)+len(alike) == 0 && q.Title.Confidence > 0 && q.Title.Confidence < r.TitleNew:
		return Decision{Why: events.UnknownUnsure}
	case len(equal)+len(alike) == 0:
		return Decision{New: true}
	case !q.Compared:
		return Decision{Compare: append(equal, alike...)}
	}
	return r.compared(q, equal, alike)
}

// compared decides by what the frame shares with those that may be meant.
func (r Rules) compared(q messages.Identify, equal, alike []messages.ConversationID) Decision {
	overlap := map[messages.ConversationID]messages.Overlap{}
	for _, s := range q.Shared {
		overlap[s.Conversation] = s.Overlap
	}
	count := func(list []messages.ConversationID, o messages.Overlap) (n int, last messages.ConversationID) {
		for _, id := range list {
			if overlap[id] == o {
				n, last = n+1, id
			}
		}
		return n, last
	}
	same, shown := count(append(slices.Clone(equal), alike...), messages.OverlapSame)
	_, its := count(equal, messages.OverlapSame)
	weak, _ := count(alike, messages.OverlapWeak)
	switch {
	case same == 1:
		// The bubbles prove it. A title that is another's was misread, or has
		// changed before the bubbles did.
		return Decision{Conversation: shown, Learn: len(equal) == 0 || shown == its}
	case len(equal) == 1:
		return Decision{Conversation: equal[0], Learn: true}
	case len(equal) > 1 || same > 1 || weak > 0:
		return Decision{Why: events.UnknownAlike}
	case q.Title.Confidence > 0 && q.Title.Confidence < max(r.TitleAlike, r.TitleNew):
		return Decision{Why: events.UnknownUnsure}
	}
	return Decision{New: true}
}

// is reports that a title is this conversation's, to the letter.
func (k Known) is(title messages.Text, group bool) bool {
	return letters(k.Title) == letters(title) && (k.Group == group || !k.Settled)
}

// resembles reports that a title may be a misreading of this conversation's, or
// the other way round, or is known as one.
func (k Known) resembles(title messages.Text) bool {
	return Alike(string(k.Title), string(title)) || slices.ContainsFunc(k.Readings, func(o Reading) bool {
		return letters(o.Title) == letters(title)
	})
}

// letters is a title of which only what is drawn alike, such as full width, is the
// same.
func letters(title messages.Text) string { return norm.NFKC.String(string(title)) }

// perLetter is how many letters of a title may hold one that is misread.
const perLetter = 6

// Alike reports that a title may be the misreading of another: they differ in
// case, width or spaces, in letters that look the same, or in one of up to six.
func Alike(a, b string) bool {
	a, b = Plain(a), Plain(b)
	if a == b || text.OCREqual(a, b) {
		return true
	}
	ra, rb := []rune(a), []rune(b)
	return text.EditDistance(ra, rb) <= max(1, max(len(ra), len(rb))/perLetter)
}

// Plain is a name without case, width and spaces.
func Plain(s string) string { return strings.ReplaceAll(text.Normalize(s), " ", "") }

// Learn counts a reading of a title, and reports whether that changes anything.
// The title is what most readings agree on. Among those that were read often
// enough it is the newest, so that a new name counts in the end.
func (k *Known) Learn(r Rules, line messages.Line) (changed bool) {
	title, group := r.Read(line)
	if title == "" {
		return false
	}
	votes := 1
	if line.Confidence == 0 || line.Confidence >= r.TitleAlike {
		votes = votesSure
	}
	if !k.Settled && letters(k.Title) == letters(title) {
		k.Group, k.Settled, changed = group, true, true
	}
	i := slices.IndexFunc(k.Readings, func(o Reading) bool { return o.Title == title && o.Group == group })
	if i < 0 {
		k.Readings = append(slices.Clone(k.Readings), Reading{Title: title, Group: group})
		i = len(k.Readings) - 1
	} else if k.Readings[i].Votes >= votesMost && k.Title == title && k.Group == group {
		return changed
	} else {
		k.Readings = slices.Clone(k.Readings) // rows are shared with who read them
	}
	won := &k.Readings[i]
	won.Votes = min(won.Votes+votes, votesMost)
	if won.Votes == votesMost || won.Votes > k.votes() {
		for j := range k.Readings {
			if j != i && won.Votes == votesMost {
				k.Readings[j].Votes = min(k.Readings[j].Votes, votesMost/2)
			}
		}
		k.Title, k.Group, k.Settled = title, group, true
	}
	if len(k.Readings) > readingsMost {
		rarest := 0
		for j, o := range k.Readings {
			if j != i && (rarest == i || o.Votes < k.Readings[rarest].Votes) {
				rarest = j
			}
		}
		k.Readings = slices.Delete(k.Readings, rarest, rarest+1)
	}
	return true
}

// votes are those for the present title.
func (k *Known) votes() int {
	for _, o := range k.Readings {
		if o.Title == k.Title && o.Group == k.Group {
			return o.Votes
		}
	}
	return 0
}
