package rank

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/when"
)

// Sought is what kind of thing a question asks for.
type Sought uint8

// Kinds of things.
const (
	Anything Sought = iota
	Moment          // when, how long ago
	Place           // where
	Person          // who
	Amount          // how many, how long, how much
)

// Question is how a question is read.
type Question struct {
	// Terms are what to look for, the rarest kinds first; equal keys are one term.
	Terms []lexical.Weighted
	// Words counts terms that are words or pairs of letters: the first of Terms.
	Words int
	// Speakers are the people in the scope whom the question names.
	Speakers []string
	// Spans are the times that it names.
	Spans []when.Span
	// Life are the stages of a life that it names.
	Life when.Life
	// Sought is what it asks for.
	Sought Sought
}

// maxTerms and maxOthers are how many words and other terms of a long question are used:
// the rarest ones.
const (
	maxTerms  = 24
	maxOthers = 20
)

// maxQuestion is how many bytes of a question are read: of a longer one its beginning and
// its end, where long messages often ask.
const maxQuestion = 4 << 10

// Plan reads a question. The speakers are the people who may be meant; now, with its
// zone, is when it is asked.
func Plan(question string, speakers []string, now time.Time, w Weights) Question {
	if len(question) > maxQuestion {
		first, last := question[:maxQuestion/2], question[len(question)-maxQuestion/2:]
		question = strings.ToValidUTF8(first, "") + "\n" + strings.ToValidUTF8(last, "")
	}
	folded := text.Normalize(question)
	q := Question{Sought: sought(folded), Life: when.Lives(question)}
	for _, f := range when.Find(question, now, when.Past) {
		if f.To.Sub(f.From) <= 3*366*24*time.Hour {
			q.Spans = append(q.Spans, f.Span)
		}
	}
	rest := folded
	for _, s := range speakers {
		if name := text.Normalize(s); name != "" && mentions(folded, name) {
			q.Speakers = append(q.Speakers, s)
			rest = strings.ReplaceAll(rest, name, " ")
		}
	}
	for _, ask := range asking {
		rest = strings.ReplaceAll(rest, ask, " ")
	}
	q.terms(lexical.Terms(rest), w)
	if q.Words == 0 {
		q.terms(lexical.Terms(folded), w)
	}
	return q
}

// mentions reports whether a text contains a name; a Latin one must be a whole word.
func mentions(s, name string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(name):])
		if !latin(name) || !latinLetter(before) && !latinLetter(after) {
			return true
		}
		from = i + len(name)
	}
}

func latinLetter(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

func latin(s string) bool { return s[0] < utf8.RuneSelf }

// terms weighs the terms of a question. Common words count only if there are no others.
func (q *Question) terms(terms []lexical.Term, w Weights) {
	all := !slices.ContainsFunc(terms, func(t lexical.Term) bool {
		return !t.Common && (t.Kind == lexical.Word || t.Kind == lexical.Pair)
	})
	grams := map[string]int{}
	for _, t := range terms {
		if t.Kind == lexical.Gram {
			grams[t.Surface]++
		}
	}
	var words, others []lexical.Weighted
	for _, t := range terms {
		weight, list := 1.0, &words
		switch {
		case t.Kind == lexical.Gram:
			weight, list = w.Gram/float64(grams[t.Surface]), &others
		case t.Kind == lexical.Letter:
			weight, list = w.Letter, &others
			if all || t.Surface[0] >= 0xF0 { // an emoji
				weight = 1
			}
		case t.Kind == lexical.Pair && t.Common:
			weight, list = w.Kana, &others
			if all {
				weight = 1
			}
		case t.Common && !all:
			continue
		}
		if weight > 0 && !slices.ContainsFunc(*list, func(x lexical.Weighted) bool { return x.Key == t.Key }) {
			*list = append(*list, lexical.Weighted{Key: t.Key, Weight: weight})
		}
	}
	q.Words = len(words)
	q.Terms = append(words, others...)
}

// asking are Japanese question words, which would only find other questions. They are
// removed before the terms of a question are read, longer ones first.
var asking = longestFirst(`教えてください 教えて下さい 教えてくれ 教えて 覚えていますか 覚えてますか 覚えてる 覚えている 何でしたか 何ですか
	何だった 何だっけ なんでしたっけ なんだっけ でしたっけ だったっけ だっけ ましたっけ ましたか ですか でしたか ますか んですか
	のですか んでしたか どんな どこ どれ どの どう どちら どっち いつ だれ 誰が 誰と 誰に 誰の 誰 何を 何が 何に 何の 何と 何か 何時 何日
	何月 何年 何曜日 何回 何人 何個 何冊 何匹 何 なぜ どうして いくつ いくら と言って と言った って言って って言った 言っていた 言ってた
	について に関して ください 下さい していますか していた`)

func longestFirst(s string) []string {
	list := strings.Fields(s)
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// soughtBy are words that show what a question asks for, the surest first. The text is
// folded.
var soughtBy = []struct {
	what  Sought
	words []string
}{
	{Amount, []string{"how many", "how much", "how long", "how old", "how often", "何人", "何回", "何個", "何冊", "何匹", "いくつ",
		"いくら", "どれくらい", "どのくらい", "何歳"}},
	{Moment, []string{"when ", "what date", "what day", "what year", "what month", "which year", "which month",
		"what time", "いつ", "何時", "何日", "何月", "何年", "何曜日"}},
	{Place, []string{"where ", "which city", "which country", "what city", "what country", "what place", "which place",
		"どこ", "どの国", "どの街", "どの町", "何県"}},
	{Person, []string{"who ", "whom ", "whose ", "who's ", "誰", "だれ", "どなた"}},
}

func sought(folded string) Sought {
	for _, s := range soughtBy {
		for _, w := range s.words {
			if i := strings.Index(folded, w); i >= 0 && (i == 0 || !latinLetter(rune(folded[i-1])) || !latin(w)) {
				return s.what
			}
		}
	}
	return Anything
}
