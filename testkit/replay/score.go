package replay

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Counts counts what a replay has shown, and what became of it. Bubbles of a joined
// message count singly.
type Counts struct {
	Expected      int `json:"expected"`      // messages of the friend that a capture showed whole
	Delivered     int `json:"delivered"`     // bubbles that came out
	Missed        int `json:"missed"`        // expected, and did not come out
	Doubled       int `json:"doubled"`       // came out again, or was written by nobody
	FalseEcho     int `json:"false_echo"`    // missed because it was taken for an echo
	EchoLeaked    int `json:"echo_leaked"`   // an own message that came out as the friend's
	Misattributed int `json:"misattributed"` // came out in another conversation, or as somebody else's
	OrderErrors   int `json:"order_errors"`  // came out earlier or later than it was said

	// messages that a capture showed edited or taken back, after another had shown them
	Changes        int `json:"changes"`
	ChangesMissed  int `json:"changes_missed"`  // of these, not published
	ChangesDoubled int `json:"changes_doubled"` // published again, or of a message that did not change

	// How the texts of messages that came out compare with what was written.
	Exact   int `json:"exact"`   // every letter
	Near    int `json:"near"`    // at most a fifth of the letters are wrong
	Garbled int `json:"garbled"` // more are wrong, or a part came out as if it were the whole
	// Misnamed came out under a misread name that is nobody else's.
	Misnamed int `json:"misnamed"`
	Partial  int `json:"partial"` // a part, marked as one, of a message of which no capture showed all
	Letters  int `json:"letters"` // of exact, near and garbled ones
	Wrong    int `json:"wrong"`   // of these
}

// Errors is the sum of all error columns.
func (t Counts) Errors() int {
	return t.Missed + t.Doubled + t.FalseEcho + t.EchoLeaked + t.Misattributed + t.OrderErrors +
		t.ChangesMissed + t.ChangesDoubled + t.Garbled + t.Misnamed
}

// columns are the numbers of a tally by their names.
func (t *Counts) columns() []column {
	return []column{
		{"expected", &t.Expected}, {"delivered", &t.Delivered}, {"missed", &t.Missed}, {"doubled", &t.Doubled},
		{"false_echo", &t.FalseEcho}, {"echo_leaked", &t.EchoLeaked}, {"misattributed", &t.Misattributed},
		{"order_errors", &t.OrderErrors}, {"changes", &t.Changes}, {"changes_missed", &t.ChangesMissed},
		{"changes_doubled", &t.ChangesDoubled}, {"exact", &t.Exact}, {"near", &t.Near}, {"garbled", &t.Garbled},
		{"misnamed", &t.Misnamed},
		{"partial", &t.Partial}, {"letters", &t.Letters}, {"wrong", &t.Wrong},
	}
}

type column struct {
	name string
	n    *int
}

// Add adds another tally.
func (t *Counts) Add(o Counts) {
	for i, c := range o.columns() {
		*t.columns()[i].n += *c.n
	}
}

// Problem is one error of a replay.
type Problem struct {
	What         string // name of the tally's column, FailedTurn or DeadLetter
	Conversation string
	Text         messages.Text // said or, where nobody said it, delivered; of what failed the reason
}

// What failed, in a [Problem].
const (
	FailedTurn = "failed_turn"
	DeadLetter = "dead_letter"
)

// said is a message of the friend that was shown.
type said struct {
	conversation string
	kind         messages.Kind
	texts        []string // all that it has said: it may have been edited
	// free may come out or not: it was first shown by scrolling back, above messages that
	// were shown before, so it is history.
	free bool
	// partial: it is higher than the window, and no captures have shown all of it.
	partial bool
}

// delivered is a bubble that came out or, with echo, was taken for an echo.
type delivered struct {
	conversation, sender string
	kind                 messages.Kind
	text                 string
	echo                 bool
	partial              bool
	// id and occurrence name it for changes; 0 where it was dropped.
	id         messages.ConversationID
	occurrence messages.Occurrence
}

// Line is a message of a friend's that somebody else's window has shown or Kehai has delivered.
type Line struct {
	Conversation, Text string
	Kind               messages.Kind // of what was delivered
	Free               bool          // it may come out or not
}

// Score compares, as a replay does, what friends wrote in a real window with what Kehai passed on,
// both in order. own holds the texts of the window's owner by conversation.
func Score(wrote, passed []Line, own map[string][]string) (Counts, []Problem) {
	var all []said
	var got []delivered
	for _, l := range wrote {
		all = append(all, said{conversation: l.Conversation, kind: messages.KindText, texts: []string{l.Text},
			free: l.Free})
	}
	for _, l := range passed {
		got = append(got, delivered{conversation: l.Conversation, sender: l.Conversation, kind: l.Kind, text: l.Text,
			id: messages.ConversationID(l.Conversation)})
	}
	return score(all, got, own, nil)
}

// score compares what was said with what was delivered. Both are in order, and
// what was taken for an echo stands where it would have come out; own holds the
// texts of the window's owner by conversation, and claimed are texts that were taken
// for what Kehai had sent, before they were messages at all.
//
// Within a conversation the two are aligned like the letters of two words, by the
// least sum of differences; see [difference]. For the rest, the first explanation
// that fits counts: said and delivered alike, but at another place in the order;
// delivered in another conversation; an own message; else doubled.
func score(all []said, got []delivered, own map[string][]string, claimed []delivered) (t Counts, problems []Problem) {
	s := scorer{said: all, delivered: got, own: own, partner: make([]int, len(got)), met: make([]bool, len(all))}
	for i := range s.partner {
		s.partner[i] = -1
	}
	whose(all, got)
	for _, name := range s.names() {
		s.lay(name)
	}
	s.explain()
	s.takenForSent(claimed)
	for i, m := range all {
		if !m.free {
			s.t.Expected++
		}
		if !s.met[i] && !m.free {
			s.report(&s.t.Missed, "missed", m.conversation, m.texts[0])
		}
	}
	return s.t, s.problems
}

type scorer struct {
	said      []said
	delivered []delivered
	own       map[string][]string
	partner   []int // of delivered: index of what was said, or -1
	met       []bool
	t         Counts
	problems  []Problem
	counted   []int // of said: false echoes
}

func (s *scorer) report(column *int, what, conversation, text string) {
	*column++
	s.problems = append(s.problems, Problem{What: what, Conversation: conversation, Text: messages.Text(text)})
}

// names lists the conversations.
func (s *scorer) names() []string {
	var names []string
	for _, m := range s.said {
		names = append(names, m.conversation)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Costs of a missing partner, and of taking an echo for a message.
const (
	costAlone = 0.6
	costEcho  = 0.3
	costNever = 1e6
)

// lay finds the cheapest monotone pairing within one conversation.
func (s *scorer) lay(name string) {
	var us, them []int
	for i, m := range s.said {
		if m.conversation == name {
			us = append(us, i)
		}
	}
	for j, h := range s.delivered {
		if h.conversation == name {
			them = append(them, j)
		}
	}
	n, m := len(us), len(them)
	cost := make([][]float64, n+1)
	pair := make([][]float64, n)
	for i := range cost {
		cost[i] = make([]float64, m+1)
	}
	for i := n; i >= 0; i-- {
		if i < n {
			pair[i] = make([]float64, m)
		}
		for j := m; j >= 0; j-- {
			switch {
			case i == n && j == m:
			case i == n:
				cost[i][j] = s.aloneHeard(them[j]) + cost[i][j+1]
			case j == m:
				cost[i][j] = s.aloneSaid(us[i]) + cost[i+1][j]
			default:
				pair[i][j] = s.pair(us[i], them[j])
				cost[i][j] = min(pair[i][j]+cost[i+1][j+1], s.aloneSaid(us[i])+cost[i+1][j],
					s.aloneHeard(them[j])+cost[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch cost[i][j] {
		case pair[i][j] + cost[i+1][j+1]:
			s.take(us[i], them[j])
			i, j = i+1, j+1
		case s.aloneSaid(us[i]) + cost[i+1][j]:
			i++
		default:
			j++
		}
	}
}

func (s *scorer) aloneSaid(i int) float64 {
	if s.said[i].free {
		return 0
	}
	return costAlone
}

func (s *scorer) aloneHeard(j int) float64 {
	if s.delivered[j].echo {
		return 0
	}
	return costAlone
}

func (s *scorer) pair(i, j int) float64 {
	d := difference(s.said[i], s.delivered[j])
	if s.delivered[j].echo {
		d += costEcho
	}
	return d
}

// take pairs the jth delivered with the ith said.
func (s *scorer) take(i, j int) {
	m, h := s.said[i], s.delivered[j]
	s.partner[j] = i
	switch {
	case h.echo && m.free:
		return
	case h.echo:
		s.counted = append(s.counted, i)
		s.report(&s.t.FalseEcho, "false_echo", m.conversation, m.texts[0])
		return // and it stays missed
	}
	s.met[i] = true
	s.read(m, h)
	switch {
	case h.sender == m.conversation:
	case text.Difference([]rune(h.sender), []rune(m.conversation)) <= farName && !s.called(h.sender):
		s.report(&s.t.Misnamed, "misnamed", m.conversation, h.sender)
	default:
		s.report(&s.t.Misattributed, "misattributed", m.conversation, m.texts[0])
	}
}

// farName is the largest difference of a name from a misread one.
const farName = 0.5

// called reports whether somebody has exactly this name.
func (s *scorer) called(name string) bool {
	return slices.ContainsFunc(s.said, func(m said) bool { return m.conversation == name })
}

// whose finds the conversation behind each id under which messages came out: the one
// with its name, or else, if the name may be misread, the one in which most of its
// texts were said. If several ids belong to one person, the id with the most
// messages counts; the others are nobody's.
func whose(all []said, got []delivered) {
	type claim struct {
		name   string
		texts  int
		called bool
	}
	claims := map[messages.ConversationID]claim{}
	for _, h := range got {
		if _, done := claims[h.id]; done {
			continue
		}
		best := claim{name: h.conversation}
		for _, name := range (&scorer{said: all}).names() {
			c := claim{name: name, called: name == h.conversation}
			for _, o := range got {
				if o.id == h.id && !o.echo && slices.ContainsFunc(all, func(m said) bool {
					return m.conversation == name && difference(m, o) < maxDifference
				}) {
					c.texts++
				}
			}
			near := text.Difference([]rune(name), []rune(h.conversation)) <= farName
			if c.called || near && !best.called && c.texts > best.texts {
				best = c
			}
		}
		claims[h.id] = best
	}
	for i, h := range got {
		mine := claims[h.id]
		got[i].conversation = mine.name
		for id, c := range claims {
			more := cmp.Or(cmp.Compare(c.texts, mine.texts), strings.Compare(string(h.id), string(id)))
			if id != h.id && c.name == mine.name && more > 0 {
				got[i].conversation = "" // a person became two
			}
		}
	}
}

// maxDifference is the largest difference at which two are the same although out of
// order.
const maxDifference = 0.3

// explain finds a reason for everything delivered without a partner.
func (s *scorer) explain() {
	for j, h := range s.delivered {
		if h.echo {
			continue
		}
		s.t.Delivered++
		if s.partner[j] >= 0 {
			continue
		}
		if i := s.left(h, true); i >= 0 {
			s.met[i], s.partner[j] = true, i
			s.read(s.said[i], h)
			if !s.said[i].free {
				s.report(&s.t.OrderErrors, "order_errors", h.conversation, s.said[i].texts[0])
			}
			continue
		}
		if s.isOwn(h) {
			s.report(&s.t.EchoLeaked, "echo_leaked", h.conversation, h.text)
			continue
		}
		if i := s.left(h, false); i >= 0 {
			s.met[i], s.partner[j] = true, i
			s.read(s.said[i], h)
			s.report(&s.t.Misattributed, "misattributed", s.said[i].conversation, s.said[i].texts[0])
			continue
		}
		s.report(&s.t.Doubled, "doubled", h.conversation, h.text)
	}
}

// takenForSent finds what was missed because it was taken for a text that Kehai sent. Each
// such text accounts for one message, and an own bubble that was missing for another.
func (s *scorer) takenForSent(claimed []delivered) {
	for _, h := range claimed {
		i := s.left(h, true)
		if i < 0 || s.said[i].free || slices.Contains(s.counted, i) {
			continue
		}
		s.counted = append(s.counted, i)
		s.report(&s.t.FalseEcho, "false_echo", h.conversation, s.said[i].texts[0])
	}
}

// left finds something said but not delivered that is similar to h, in its conversation or in
// another.
func (s *scorer) left(h delivered, here bool) int {
	best, at := maxDifference, -1
	for i, m := range s.said {
		if s.met[i] || (m.conversation == h.conversation) != here {
			continue
		}
		if d := difference(m, h); d < best {
			best, at = d, i
		}
	}
	return at
}

func (s *scorer) isOwn(h delivered) bool {
	return h.kind == messages.KindText && slices.ContainsFunc(s.own[h.conversation], func(o string) bool {
		return difference(said{kind: messages.KindText, texts: []string{o}}, h) < maxDifference
	})
}

// difference says how unlike a message and a bubble are: 0 for the same, up to 1,
// or costNever if they cannot be one. Pictures are recognised by their kind. A text
// without any letter or digit, which OCR cannot read, may come out unreadable or as
// anything else that was read.
func difference(m said, h delivered) float64 {
	picture := func(k messages.Kind) bool { return k == messages.KindSticker || k == messages.KindImage }
	if m.kind != messages.KindText {
		if picture(m.kind) && picture(h.kind) {
			return 0
		}
		return costNever
	}
	best := float64(costNever)
	for _, t := range m.texts {
		if h.partial && isPart(t, h.text) {
			best = min(best, 0.01)
		}
		best = min(best, differenceOfTexts(t, h))
	}
	return best
}

func differenceOfTexts(t string, h delivered) float64 {
	wordless := !strings.ContainsFunc(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
	switch {
	case wordless && h.kind == messages.KindUnreadable:
		return 0
	case h.kind != messages.KindText:
		return costNever
	case text.Normalize(t) == text.Normalize(h.text):
		return 0
	case wordless:
		return 0.55
	case text.OCREqual(t, h.text):
		return 0.02
	}
	a, b := []rune(text.Compact(t)), []rune(text.Compact(h.text))
	longest := max(len(a), len(b))
	n := text.EditDistance(a, b)
	d := float64(n) / float64(max(longest, 1))
	switch {
	case longest <= 2: // one wrong letter is all of it
		return max(d, 0.9)
	case 2*n <= longest+1:
		return max(d, 0.04)
	}
	return costNever
}

// sortProblems orders problems by column, as the tally has them.
func sortProblems(list []Problem) {
	columns := new(Counts).columns()
	place := func(p Problem) int {
		return slices.IndexFunc(columns, func(c column) bool { return c.name == p.What })
	}
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Compare(place(a), place(b)) })
}
