package growth

import (
	"cmp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/actors/text/when"
	"github.com/kehai-run/kehai/messages"
)

// Learned is what an event says about one topic.
type Learned struct {
	Kind    memory.Kind
	Subject messages.Text
	Name    messages.Text
	Claim   memory.Claim
}

// subject is whom an event is about: whoever says it, "" for our own side.
func subject(e messages.Event) messages.Text {
	if e.Own {
		return ""
	}
	return e.Speaker
}

// longestRead is how much of an event the rules read, in bytes. Nobody tells facts about
// himself in more words than that.
const longestRead = 4000

// Learn returns what an event says, by rules alone. open returns the tasks that are not done.
func Learn(e messages.Event, open func() []memory.Topic) (list []Learned) {
	if len(e.Text) > longestRead {
		return nil
	}
	whose := subject(e)
	add := func(kind memory.Kind, whose messages.Text, name, body, quote string, op memory.Op, sure bool) {
		list = append(list, Learned{kind, whose, messages.Text(name), memory.Claim{Event: e.ID, At: e.At, Op: op,
			Body: messages.Text(body), Quote: messages.Text(quote), Sure: sure}})
	}
	elsewhere := false // what has no subject is about another person, named before
	for _, s := range sentences(quoted.ReplaceAllString(string(e.Text), "")) {
		elsewhere = (elsewhere || person.MatchString(s)) && !self.MatchString(s)
		implied := elsewhere && !person.MatchString(s)
		if len(when.Find(s, e.At, when.Past)) == 0 { // and not which day suits better
			s = rather.ReplaceAllString(s, "$1")
		}
		if asks(s) {
			continue
		}
		settled, told := false, false
		if t, op, ok := settles(s, open); ok {
			add(memory.Task, t.Subject, string(t.Name), string(t.Name), s, op, false)
			settled = true
		}
		for _, f := range claims(s, implied) {
			add(f.kind, whose, f.name, f.body, s, f.op, f.sure)
			told = told || f.kind == memory.Fact
		}
		if !settled && !told && (!implied || owes.MatchString(s)) && plans(s, e.At) {
			add(memory.Task, whose, s, s, s, memory.Holds, false)
		}
	}
	return list
}

// claims are what the patterns read in a sentence, nothing in one that is about another person.
func claims(s string, implied bool) (list []finding) {
	if implied {
		return nil
	}
	for _, clause := range clauses(s) {
		for _, r := range patterns {
			for _, f := range r.read(clause) {
				if f.kind = r.kind; f.kind == memory.Fact && kinship.MatchString(f.name) {
					f.kind = memory.Relation
				}
				list = append(list, f)
			}
		}
	}
	return list
}

// clauses splits what somebody likes from what they say behind it in the same sentence, in English,
// where the subject is not repeated.
func clauses(s string) (list []string) {
	for {
		m := joined.FindStringSubmatch(s)
		if m == nil {
			return append(list, s)
		}
		list, s = append(list, m[1]), "I "+m[2]
	}
}

// maxTelling is how much of a sentence a summary has, in runes.
const maxTelling = 80

// Tells returns what the summary of a stretch of talk may have of an event: its longest
// sentence that asks nothing. learned says that something was learned from the event.
func Tells(e messages.GrownEvent, learned bool) (l Learned, ok bool) {
	const enough = 8 // runes
	if e.Thread == "" || len(e.Text) > longestRead {
		return l, false
	}
	best := ""
	for _, s := range sentences(string(e.Text)) {
		if len(s) > len(best) && !asks(s) && utf8.RuneCountInString(s) >= enough {
			best = s
		}
	}
	if best == "" {
		return l, false
	}
	who := cmp.Or(subject(e.Event), "you")
	return Learned{memory.Summary, "", messages.Text(e.Thread), memory.Claim{Event: e.ID, At: e.At, Op: memory.Holds,
		Body: who + ": " + messages.Text(lenient.OneLine(best, maxTelling)), Sure: learned}}, true
}

// quoted are the words of somebody else, not what a thing is called.
var quoted = re(`「[^「」]{8,}」|“[^“”]{8,}”`)

// sentences splits a text at the ends of sentences and lines. It returns the first of them.
func sentences(s string) (list []string) {
	from := 0
	end := func(to int) {
		if one := strings.Trim(s[from:to], " 　\t\r\n。.!！〜~ー…♪"); one != "" {
			list = append(list, one)
		}
		from = to
	}
	for i, r := range s {
		switch r {
		case '。', '！', '!', '\n', '？', '?':
			end(i + len(string(r)))
		case '.':
			if i+1 == len(s) || s[i+1] == ' ' {
				end(i + 1)
			}
		}
	}
	end(len(s))
	return list[:min(len(list), mostSentences)]
}

// asks reports whether a sentence asks, supposes or passes on something, instead of
// telling it.
func asks(s string) bool {
	return rank.Asks(s) || unsure.MatchString(s)
}

// content are the words of a text that tell something, each with its weight: what things
// are called, and, in Japanese, what is done.
func content(s string) (things, deeds map[string]int) {
	things, deeds = map[string]int{}, map[string]int{}
	for _, t := range lexical.Terms(s) {
		if !t.Common && t.Kind == lexical.Word {
			things[t.Surface[:min(len(t.Surface), 5)]] = len(t.Surface) // "booked" is "book"
		}
	}
	for _, m := range runs.FindAllStringIndex(s, -1) {
		run, behind := s[m[0]:m[1]], s[m[1]:]
		han := !strings.ContainsFunc(run, func(r rune) bool { return !unicode.Is(unicode.Han, r) })
		switch {
		case !han:
			things[run] = utf8.RuneCountInString(run)
		case utf8.RuneCountInString(run) == 1 && inflected.MatchString(behind) && !particle.MatchString(behind):
			deeds[run] = 1
		default:
			for _, r := range run {
				things[string(r)] = 1
			}
		}
	}
	return things, deeds
}

var (
	runs      = re(`[\p{Katakana}ー]{2,}|\p{Han}+`)
	inflected = re(`^[ぁ-んー]`)
	particle  = re(`^[をはがもにでのとへや]`)
)

// shared is the share of a task's words that a sentence has too, 0 if it names none of
// its things.
func shared(task, sentence string) float64 {
	ours, did := content(task)
	theirs, done := content(sentence)
	both, all, named := 0, 0, false
	for w, n := range ours {
		all += n
		if theirs[w] > 0 {
			both, named = both+n, true
		}
	}
	for w, n := range did {
		all += n
		if done[w] > 0 {
			both += n
		}
	}
	if !named {
		return 0
	}
	return float64(both) / float64(all)
}

// How much of a task's words must come again in what settles it.
const (
	doneShare   = 0.4
	cancelShare = 0.15
)

// settles finds the open task that a sentence says is done or cancelled: the one with
// most of its words, the newest of equal ones.
func settles(s string, open func() []memory.Topic) (best memory.Topic, op memory.Op, ok bool) {
	least := doneShare
	switch {
	case cancelled.MatchString(s):
		op, least = memory.Ends, cancelShare
	case past.MatchString(s):
		op = memory.Done
	default:
		return best, "", false
	}
	for _, t := range open() {
		if n := shared(task(string(t.Name), t.States[len(t.States)-1].From), s); n >= least {
			best, ok, least = t, true, n
		}
	}
	return best, op, ok
}

// task is what a task is about: without when, and that it has to be.
func task(s string, at time.Time) string {
	var b strings.Builder
	from := 0
	for _, f := range when.Find(s, at, when.Future) {
		b.WriteString(s[from:f.Start] + " ")
		from = f.End
	}
	return must.ReplaceAllString(b.String()+s[from:], "")
}

// plans reports whether a sentence says what its speaker will do or has to do.
func plans(s string, at time.Time) bool {
	last := s[clauseOf(s, len(s)):]
	switch {
	case weather.MatchString(s) || reported.MatchString(s) || happens.MatchString(last) || spared.MatchString(s):
		return false
	case must.MatchString(s):
		return true
	case past.MatchString(last) || !will.MatchString(last) || states.MatchString(last) || habit.MatchString(s) ||
		subjects.MatchString(last) && !mine.MatchString(last):
		return false
	}
	for _, f := range when.Find(s, at, when.Future) {
		clause, _, _ := strings.Cut(s[clauseOf(s, f.Start):], "、")
		if f.From.After(at) && f.Precision <= when.Month && !past.MatchString(clause) {
			return true
		}
	}
	return false
}

// clauseOf is where the clause of a sentence begins that holds a place, in bytes.
func clauseOf(s string, place int) int {
	if i := strings.LastIndex(s[:place], "、"); i >= 0 {
		return i + len("、")
	}
	return 0
}
