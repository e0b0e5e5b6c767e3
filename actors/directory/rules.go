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
	// Title is the title in its window: the reading that most readings agree on.
	Title messages.Text `json:"title"`
	Group bool          `json:"group,omitempty"` // the title ends with a count of members
	// Settled says that Group is known; an adopted conversation has had no reading.
	Settled bool `json:"settled,omitempty"`
	// Named is the name that a person gave it, "" for none.
	Named    messages.Text `json:"named,omitempty"`
	Readings []Reading     `json:"readings,omitempty"` // of its title
	// From is the conversation that it was told apart from by hand, "" for none.
	From messages.ConversationID `json:"from,omitempty"`
	// Into is the conversation that it was merged into, "" for none.
	Into messages.ConversationID `json:"into,omitempty"`
	// Moving: its ledger is on its way to Into. Coming: a part of From's is on its way here.
	Moving bool `json:"moving,omitempty"`
	Coming bool `json:"coming,omitempty"`
	// Moves counts the beginnings and the ends of merges and divisions. Earlier views of it,
	// and earlier comparisons with it, no longer count.
	Moves int `json:"moves,omitempty"`
}

// Name is what people call the conversation.
func (k Known) Name() messages.Text {
	if k.Named != "" {
		return k.Named
	}
	return k.Title
}

// Reading is one of the readings of a title.
type Reading struct {
	Title messages.Text `json:"title"`
	Group bool          `json:"group,omitempty"`
	Votes int           `json:"votes"` // up to votesMost
}

// TitleLongest is how many characters of a title count.
const TitleLongest = 64

// Limits of the readings of a title.
const (
	votesMost    = consensus * votesSure // more readings of the same do not count
	votesSure    = 2                     // of a reading at Rules.TitleAlike or above
	readingsMost = 8                     // how many are kept; the rarest is dropped
)

// members is the count of members behind a group's name.
var members = regexp.MustCompile(`\s*[(（][0-9０-９]+[)）]$`)

// Read makes a conversation's title from a line: it collapses white space, and removes
// invisible and control characters and a count of members. group says that there was such
// a count. The title is "" if the line is unreadable.
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
	if all := []rune(s); len(all) > TitleLongest {
		s = strings.TrimSpace(string(all[:TitleLongest]))
	}
	return messages.Text(s), group
}

// Decision says which conversation a title belongs to. It has a Conversation, New,
// Compare, Search or Why.
type Decision struct {
	Conversation messages.ConversationID
	New          bool                      // it belongs to a conversation never seen before
	Compare      []messages.ConversationID // their overlap with the frame decides
	Search       bool                      // ask whether anybody has shown what the frame shows
	Why          events.UnknownReason      // nothing does
	Of           []messages.ConversationID // whose it may be
	Learn        bool                      // count the reading as one of the conversation's title
}

// consensus is how many readings in a row must agree before a title counts without
// support by the bubbles.
const consensus = 3

// meant are the conversations that a title may mean.
type meant struct {
	equal []messages.ConversationID // whose title is exactly this
	alike []messages.ConversationID // whose title this may be a misreading of
	often []messages.ConversationID // of these, read so as often as their title
}

func (m meant) all() []messages.ConversationID { return append(slices.Clone(m.equal), m.alike...) }

// begun lists what other conversations share with one that has just begun. A weak overlap
// proves nothing beyond those of the same title: one of a like title counts as another
// transcript.
func (m meant) begun(list []messages.Shared) (out []messages.Shared) {
	for _, s := range list {
		switch little := s.Overlap == messages.OverlapWeak || s.Overlap == messages.OverlapAll; {
		case !little || slices.Contains(m.equal, s.Conversation):
			out = append(out, s)
		case slices.Contains(m.alike, s.Conversation):
			out = append(out, messages.Shared{Conversation: s.Conversation, Overlap: messages.OverlapOther})
		}
	}
	return out
}

// whom lists the conversations that a title may mean. Merged ones count as those they
// were merged into.
func whom(known map[messages.ConversationID]Known, title messages.Text, group bool) (m meant) {
	for _, id := range slices.Sorted(maps.Keys(known)) {
		k, left := known[id], Resolve(known, id)
		switch {
		case k.is(title, group):
			for _, c := range append(unread(known, left), left) {
				if !slices.Contains(m.equal, c) {
					m.equal = append(m.equal, c)
				}
			}
		case k.resembles(title):
			m.alike = append(m.alike, left)
			if k.oftenRead(title, group) {
				m.often = append(m.often, left)
			}
		}
	}
	slices.Sort(m.equal)
	slices.Sort(m.alike)
	m.alike = slices.DeleteFunc(slices.Compact(m.alike), func(id messages.ConversationID) bool {
		return slices.Contains(m.equal, id)
	})
	return m
}

// unread lists conversations that a person split off from another and whose own title has not
// been read. It may be any title that the other has.
func unread(known map[messages.ConversationID]Known, from messages.ConversationID) (
	list []messages.ConversationID) {
	for id, k := range known {
		if k.From != "" && len(k.Readings) == 0 && k.Into == "" && Resolve(known, k.From) == from {
			list = append(list, id)
		}
	}
	return list
}

// titled is the title that a window shows: what was read, or what it is called over a header
// of the same pixels.
func (r Rules) titled(q messages.Identify, known map[messages.ConversationID]Known) (messages.Text, bool) {
	if k, ok := known[Resolve(known, q.Look)]; ok && (q.Title.Confidence > 0 || q.Title.Text == "") {
		return k.Title, k.Group
	}
	return r.Read(q.Title)
}

// Decide says which conversation a title belongs to. The bubbles decide: a frame that
// continues what a conversation has shown belongs to it, however the title was read. An
// equal title is enough if nothing speaks against it: it is unique, the new bubbles may
// have come unseen, and it was well read, again and again where an alike one may have been
// misread, or is certain, see [Rules.Spelled]. Another transcript under the same title
// belongs to a namesake, once the title was read again and again. Bubbles that another
// conversation has shown are not given away while its own title may be a misreading.
// Everything else is held, because a guess could mix two people up.
func (r Rules) Decide(q messages.Identify, known map[messages.ConversationID]Known) Decision {
	if k, ok := known[q.Shows]; ok && q.Still && k.Into == "" { // a merged one may have been split since
		return Decision{Conversation: q.Shows, Learn: true}
	}
	title, group := r.titled(q, known)
	if title == "" {
		return Decision{Why: events.UnknownTitle}
	}
	m := whom(known, title, group)
	if q.Blank {
		q.Shared = m.begun(q.Shared)
	}
	switch {
	case slices.Contains(m.equal, q.Shows):
		return Decision{Conversation: q.Shows, Learn: true}
	case len(m.all()) > 0 && !q.Compared:
		return Decision{Compare: m.all()}
	case len(m.all()) > 0:
		return r.compared(q, m, known)
	case !q.Searched && !q.Empty:
		return Decision{Search: true}
	case len(q.Shared) > 0 && q.Readings < consensus: // the bubbles may still be about to change
		return Decision{Why: events.UnknownUnsure, Of: whose(q.Shared)}
	case len(q.Shared) == 1 && q.Shared[0].Overlap == messages.OverlapSame: // it has another name now
		return Decision{Conversation: q.Shared[0].Conversation, Learn: true}
	case len(mayBe(q, whose(q.Shared), known)) > 0:
		return Decision{Why: events.UnknownUnsure, Of: mayBe(q, whose(q.Shared), known)}
	case q.Title.Confidence > 0 && q.Title.Confidence < r.TitleNew:
		return Decision{Why: events.UnknownUnsure, Of: whose(q.Shared)}
	}
	return Decision{New: true}
}

func whose(list []messages.Shared) (out []messages.ConversationID) {
	for _, s := range list {
		out = append(out, s.Conversation)
	}
	return out
}

// misnamed returns the conversations of a list whose title was not read often enough to be
// certainly theirs. A new conversation must not begin with what one of them has shown: under
// the present title it may be the same conversation, whose own title was misread.
func misnamed(list []messages.ConversationID, known map[messages.ConversationID]Known) (
	out []messages.ConversationID) {
	for _, id := range list {
		if k := known[Resolve(known, id)]; k.Named == "" && k.votes() < votesMost {
			out = append(out, id)
		}
	}
	return out
}

// mayBe returns the conversations of a list that may have another name now: the misnamed ones,
// and those that have shown nothing but what is shown now. One that was shown since under its
// old name has no other.
func mayBe(q messages.Identify, list []messages.ConversationID, known map[messages.ConversationID]Known) (
	out []messages.ConversationID) {
	list = except(list, withoutMerged(q.Beside, known))
	all := having(q.Shared, list, []messages.Overlap{messages.OverlapAll})
	return append(all, except(misnamed(list, known), all)...)
}

// having lists those of a list that share one of some overlaps.
func having(shared []messages.Shared, list []messages.ConversationID, o []messages.Overlap) (
	out []messages.ConversationID) {
	overlap := map[messages.ConversationID]messages.Overlap{}
	for _, s := range shared {
		overlap[s.Conversation] = s.Overlap
	}
	for _, id := range list {
		if slices.Contains(o, overlap[id]) {
			out = append(out, id)
		}
	}
	return out
}

// compared decides by the overlap of the frame with the candidates.
func (r Rules) compared(q messages.Identify, m meant, known map[messages.ConversationID]Known) Decision {
	if d, ok := proven(q, m); ok {
		return d
	}
	if d, ok := elsewhere(q, m, having(q.Shared, m.equal, onlyWeak), known); ok {
		return d
	}
	read := r.trust(q)
	switch strangers := len(having(q.Shared, m.all(), onlyOther)) == len(m.all()); {
	case strangers && read.sure && (read.certain || q.Blank):
		return Decision{New: true}
	case strangers:
		return Decision{Why: events.UnknownUnsure, Of: m.all()}
	case len(m.equal) == 0:
		parted := []messages.Overlap{messages.OverlapGap, messages.OverlapApart}
		apart := len(having(q.Shared, m.alike, []messages.Overlap{messages.OverlapWeak, messages.OverlapBack})) == 0 &&
			len(misnamed(having(q.Shared, m.alike, parted), known)) == 0
		return r.alike(q, m.alike, read.sure, apart)
	}
	switch may, rivals := possible(q, m, known); len(may) {
	case 0:
		if len(m.equal) == 1 {
			return Decision{Why: events.UnknownNamesake, Of: m.equal}
		}
	case 1:
		if d, ok := onlyOne(q, m, may, rivals, read, known); ok {
			return d
		}
	}
	return Decision{Why: events.UnknownAlike, Of: m.all()}
}

// Lists of one overlap.
var (
	onlyWeak  = []messages.Overlap{messages.OverlapWeak}
	onlyOther = []messages.Overlap{messages.OverlapOther}
)

// trust is how far a title was read well: sure is one reading of it, certain are several that agree.
type trust struct{ sure, certain bool }

// trust judges the title of a frame. One that was not read but told, by the accessibility tree, has
// no confidence and is right.
func (r Rules) trust(q messages.Identify) trust {
	told := q.Title.Confidence == 0
	return trust{
		sure:    told || q.Look != "" || q.Title.Confidence >= max(r.TitleAlike, r.TitleNew),
		certain: told || q.Readings >= consensus,
	}
}

// proven decides by bubbles that only one candidate has shown: its title was misread, or was drawn
// before the bubbles. ok is false if they prove nothing.
func proven(q messages.Identify, m meant) (d Decision, ok bool) {
	shown := []messages.Overlap{messages.OverlapSame}
	same, its := having(q.Shared, m.all(), shown), having(q.Shared, m.equal, shown)
	switch {
	case len(same) == 1:
		return Decision{Conversation: same[0], Learn: len(m.equal) == 0 || len(its) == 1}, true
	case len(its) == 1: // others received the same messages
		return Decision{Conversation: its[0], Learn: true}, true
	case len(same) > 0:
		return Decision{Why: events.UnknownAlike, Of: same}, true
	}
	return Decision{}, false
}

// onlyOne decides about the one conversation of exactly this title that nothing rules out, may[0],
// beside rivals whose titles are like it. ok is false if that decides nothing.
func onlyOne(q messages.Identify, m meant, may, rivals []messages.ConversationID, read trust,
	known map[messages.ConversationID]Known) (d Decision, ok bool) {
	its := func(o ...messages.Overlap) bool { return len(having(q.Shared, may, o)) == 1 }
	var (
		overMisnamed = q.Title.Confidence > 0 && its(messages.OverlapNone) &&
			len(misnamed(having(q.Shared, m.all(), onlyWeak), known)) > 0
		misnamedItself = its(messages.OverlapBack) && len(misnamed(may, known)) == 1
		misread        = q.Look == "" &&
			(len(rivals) > 0 && !read.certain || len(having(q.Shared, m.often, unproven)) > 0)
		alone          = len(m.equal) == 1 && (read.sure || len(m.alike) == 0 || !its(messages.OverlapGap))
		othersRuledOut = its(messages.OverlapWeak, messages.OverlapNone) &&
			len(having(q.Shared, m.equal, onlyOther)) == len(m.equal)-1
	)
	switch {
	case overMisnamed: // the bubbles may be theirs
		return Decision{Why: events.UnknownAlike, Of: append(may, rivals...)}, true
	case misnamedItself: // nor is its own title certain
		return Decision{Why: events.UnknownUnsure, Of: may}, true
	case misread: // by one letter it would be a rival's
		return Decision{Why: events.UnknownAlike, Of: append(may, rivals...)}, true
	case !read.sure && !read.certain: // or a stranger's
		return Decision{Why: events.UnknownUnsure, Of: may}, true
	case alone, othersRuledOut:
		return Decision{Conversation: may[0], Learn: true}, true
	}
	return Decision{}, false
}

// unproven are the overlaps that neither prove a conversation nor rule it out.
var unproven = []messages.Overlap{
	messages.OverlapNone, messages.OverlapWeak, messages.OverlapGap, messages.OverlapBack,
}

// possible are the conversations with exactly a title and those of like ones that nothing
// rules out. A header of other pixels does, unless the conversation may have another name
// now, or has several.
func possible(q messages.Identify, m meant, known map[messages.ConversationID]Known) (
	equal, alike []messages.ConversationID) {
	q.Unlike = withoutMerged(q.Unlike, known)
	equal, alike = having(q.Shared, m.equal, unproven), having(q.Shared, m.alike, unproven)
	renamed := having(q.Shared, m.alike, onlyWeak)
	return except(equal, q.Unlike), except(alike, except(q.Unlike, renamed))
}

// withoutMerged is a list without those that others were merged into, who may have several headers.
func withoutMerged(list []messages.ConversationID, known map[messages.ConversationID]Known) []messages.ConversationID {
	return slices.DeleteFunc(slices.Clone(list), func(c messages.ConversationID) bool {
		return len(Merged(known, c)) > 0
	})
}

// except is a list without those of another.
func except(list, others []messages.ConversationID) []messages.ConversationID {
	return slices.DeleteFunc(slices.Clone(list), func(id messages.ConversationID) bool {
		return slices.Contains(others, id)
	})
}

// elsewhere decides about bubbles that conversations of quite other titles have shown, and
// those of this title have not. ok is false if that decides nothing.
func elsewhere(q messages.Identify, m meant, its []messages.ConversationID,
	known map[messages.ConversationID]Known) (d Decision, ok bool) {
	var others, same []messages.ConversationID
	for _, s := range q.Shared {
		switch id := Resolve(known, s.Conversation); {
		case slices.Contains(m.all(), id):
		case s.Overlap == messages.OverlapSame:
			same = append(same, id)
			fallthrough
		default:
			others = append(others, id)
		}
	}
	switch {
	case len(its) > 0 || len(others) == 0:
		return Decision{}, false
	case q.Readings < consensus: // the title or the bubbles may still be about to change
		return Decision{Why: events.UnknownUnsure, Of: others}, true
	case len(same) == 1 && len(others) == 1:
		return Decision{Conversation: same[0], Learn: len(m.equal) == 0}, true
	case len(mayBe(q, others, known)) > 0:
		return Decision{Why: events.UnknownUnsure, Of: others}, true
	}
	return Decision{}, false
}

// alike decides about a title that no conversation has exactly, when no candidate has shown a
// run of the bubbles. Readings that keep agreeing are not misreadings.
func (r Rules) alike(q messages.Identify, alike []messages.ConversationID, sure, apart bool) Decision {
	switch {
	case !sure:
		return Decision{Why: events.UnknownUnsure, Of: alike}
	case apart && q.Readings >= consensus:
		return Decision{New: true}
	}
	return Decision{Why: events.UnknownAlike, Of: alike}
}

// is reports whether a title is exactly this conversation's.
func (k Known) is(title messages.Text, group bool) bool {
	return letters(k.Title) == letters(title) && (k.Group == group || !k.Settled)
}

// resembles reports whether a title may be a misreading of this conversation's or of one of
// its known readings, or the other way round.
func (k Known) resembles(title messages.Text) bool {
	return Alike(string(k.Title), string(title)) || slices.ContainsFunc(k.Readings, func(o Reading) bool {
		return Alike(string(o.Title), string(title))
	})
}

// oftenRead reports whether a title was read as often as what counts as the title.
func (k Known) oftenRead(title messages.Text, group bool) bool {
	return slices.ContainsFunc(k.Readings, func(o Reading) bool {
		return letters(o.Title) == letters(title) && o.Group == group && o.Votes >= max(k.votes(), votesSure)
	})
}

// letters is a title in a form in which look-alikes, such as full width, are equal.
func letters(title messages.Text) string { return norm.NFKC.String(string(title)) }

// perLetter is the number of letters of a title for each one that may be misread.
const perLetter = 6

// Alike reports whether a title may be a misreading of another: they differ in case,
// width or spaces, in letters that look the same, or in one letter of up to six.
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

// Learn counts a reading of a title, and reports whether that changes anything. The title
// is the one that most readings agree on. Among those read often enough it is the newest,
// so that a new name counts in the end.
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
		k.Readings = slices.Clone(k.Readings) // rows are shared with those who read them
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

// votes counts the readings of the present title.
func (k *Known) votes() int {
	for _, o := range k.Readings {
		if o.Title == k.Title && o.Group == k.Group {
			return o.Votes
		}
	}
	return 0
}
