package insight

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// token is a word of a text, or what stands between two phrases.
type token struct {
	text  string
	class class
}

// class is what a word is in a phrase.
type class uint8

const (
	boundary class = iota
	content        // says something by itself
	attached       // only together with content: a number, a prefix, a suffix
)

// Bounds of keywords.
const (
	mostFound     = 12 // keywords of an interview
	longestPhrase = 5  // words; longer rows of words are no phrases
	minPhrase     = 2  // characters
	maxSentence   = 200
)

// phrase is a keyword while it is counted.
type phrase struct {
	text  string
	words []string
	lines map[int]bool
}

// rank returns the keywords of tokenised lines by RAKE, the best first. said are the lines
// as they were said.
func rank(lines [][]token, said []messages.Text) []messages.Keyword {
	found := map[string]*phrase{}
	length, number := map[string]int{}, map[string]int{} // of the phrases that have a word
	for i, tokens := range lines {
		for _, p := range phrases(tokens) {
			for _, w := range p.words {
				number[w]++
				length[w] += len(p.words)
			}
			key := strings.Join(p.words, " ")
			if found[key] == nil {
				p.lines = map[int]bool{}
				found[key] = &p
			}
			found[key].lines[i] = true
		}
	}
	list := []messages.Keyword{}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		p := found[key]
		score := 0.0
		for _, w := range p.words {
			score += float64(length[w]) / float64(number[w])
		}
		first := slices.Min(slices.Collect(maps.Keys(p.lines)))
		list = append(list, messages.Keyword{Text: written(said[first], p.text), Score: score * float64(len(p.lines)),
			Count: len(p.lines), Quote: sentence(said[first], p.text)})
	}
	slices.SortStableFunc(list, func(a, b messages.Keyword) int { return cmp.Compare(b.Score, a.Score) })
	return list[:min(mostFound, len(list))]
}

// written returns a phrase as a line has it, in its letters' case.
func written(line messages.Text, phrase string) messages.Text {
	at := strings.Index(strings.ToLower(string(line)), phrase)
	if at >= 0 && at+len(phrase) <= len(line) && strings.EqualFold(string(line[at:at+len(phrase)]), phrase) {
		return line[at : at+len(phrase)]
	}
	return messages.Text(phrase)
}

// phrases returns the phrases of one line.
func phrases(tokens []token) (list []phrase) {
	var now []token
	end := func() {
		if p, ok := phraseOf(now); ok {
			list = append(list, p)
		}
		now = nil
	}
	for _, t := range tokens {
		if t.class == boundary {
			end()
			continue
		}
		now = append(now, t)
	}
	end()
	return list
}

// phraseOf joins a row of words; ok is false if it says nothing.
func phraseOf(row []token) (p phrase, ok bool) {
	for i, t := range row {
		if i > 0 && latin(row[i-1].text) && latin(t.text) {
			p.text += " "
		}
		p.text += t.text
		p.words = append(p.words, stem(t.text))
		ok = ok || t.class == content
	}
	return p, ok && len(row) <= longestPhrase && len([]rune(p.text)) >= minPhrase
}

func latin(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.Is(unicode.Latin, r) && r != '\'' && r != '-' }) < 0
}

// stem is what two forms of a word have in common.
func stem(w string) string {
	if latin(w) {
		for k := range termsOf(w) {
			return k
		}
	}
	return w
}

// sentences end with these.
var sentences = regexp.MustCompile(`(?:[^。．！？!?\n.]|\.\S)+[。．！？!?.]*`)

// sentence returns the sentence of a line that has a phrase, as it was said.
func sentence(line messages.Text, phrase string) messages.Text {
	for _, s := range sentences.FindAllString(string(line), -1) {
		if strings.Contains(text.Normalize(s), phrase) {
			return messages.Text(text.First(strings.TrimSpace(s), maxSentence))
		}
	}
	return messages.Text(text.First(strings.TrimSpace(string(line)), maxSentence))
}

// weak are English words that begin no topic, in addition to the words that lexical passes over.
var weak = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`go goes going went gone come comes came coming make makes made making take takes
		took taking give gives gave use uses used using want wants wanted need needs needed think thinks thought know
		knows knew feel feels felt try tries tried trying say says said tell tells told see sees saw look looks looked
		keep keeps kept let lets put puts always often sometimes usually never ever already still even much many lot
		lots bit maybe perhaps quite rather almost every everything everybody nothing nobody something somebody anything
		anybody one ones first last next new old good bad better best worse worst big small long short right really
		because though although while since until till yet us back away please thank thanks sorry today tomorrow
		yesterday now soon later`) {
		set[w] = true
	}
	return set
}()

// word finds English words and what stands between them.
var word = regexp.MustCompile(`\p{Latin}[\p{Latin}'’-]*|[0-9]+|[^\p{Latin}0-9\s]+`)

// english splits a normalised line into words.
func english(line string) (list []token) {
	for _, w := range word.FindAllString(line, -1) {
		t := token{text: strings.TrimRight(w, "'’-")}
		switch {
		case latin(w) && !weak[w] && !lexical.Common(strings.NewReplacer("'", "", "’", "").Replace(w)):
			t.class = content
		case w[0] >= '0' && w[0] <= '9':
			t.class = attached
		}
		list = append(list, t)
	}
	return list
}
