package insight

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Rules say when a card is sure.
type Rules struct {
	// Interviews with the theme that make it certain, 1 to 1000. Default 10.
	Conversations int `yaml:"conversations" min:"1" max:"1000"`

	// Quotes that make it certain, 1 to 1000. Default 2.
	Quotes int `yaml:"quotes" min:"1" max:"1000"`
}

// DefaultRules returns the default rules of the configuration.
func DefaultRules() Rules { return Rules{Conversations: 10, Quotes: 2} }

// Confidence is how sure a theme is that so many interviews have, with so many quotes.
func (r Rules) Confidence(conversations, quotes int) (float64, messages.InsightLevel) {
	part := func(n, of int) float64 { return min(1, float64(n)/float64(max(1, of))) }
	c := 0.7*part(conversations, r.Conversations) + 0.3*part(quotes, r.Quotes)
	c = math.Round(c*1e6) / 1e6 // 0.7 is 0.7, however it is summed
	switch {
	case c >= 0.7:
		return c, messages.InsightHigh
	case c >= 0.4:
		return c, messages.InsightMedium
	}
	return c, messages.InsightLow
}

// mostKeywords are how many keywords of an interview without themes become cards.
const mostKeywords = 5

// Cards returns the cards of a project from its analyses, the surest first.
func Cards(of map[messages.ConversationID]Analysis, r Rules) []messages.InsightCard {
	order := slices.SortedFunc(maps.Keys(of), func(a, b messages.ConversationID) int {
		return cmp.Or(of[a].At.Compare(of[b].At), cmp.Compare(a, b))
	})
	var decks []*deck
	for _, c := range order {
		v := of[c]
		for _, t := range v.named() {
			words := termsOf(string(t.Theme))
			i := slices.IndexFunc(decks, func(d *deck) bool { return d.same(t.Theme, words) })
			if i < 0 {
				i = len(decks)
				decks = append(decks, &deck{first: t.Theme, words: words})
			}
			decks[i].add(c, v.At, t)
		}
	}
	cards := []messages.InsightCard{}
	for _, d := range decks {
		cards = append(cards, d.card(r))
	}
	slices.SortStableFunc(cards, func(a, b messages.InsightCard) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(b.Messages, a.Messages)) // then as they were named first
	})
	return cards
}

// named returns the themes of an interview: its keywords if a model named none.
func (v Analysis) named() []Theme {
	if len(v.Themes) > 0 {
		return v.Themes
	}
	var list []Theme
	for _, k := range v.Keywords[:min(mostKeywords, len(v.Keywords))] {
		list = append(list, Theme{Theme: k.Text, Quotes: []messages.Text{k.Quote}, Messages: k.Count})
	}
	return list
}

// deck collects one theme.
type deck struct {
	first messages.Text
	words map[string]bool // of its first name
	parts []part
}

// part is what one interview adds: two themes of it may be one card.
type part struct {
	of     messages.ConversationID
	at     time.Time
	themes []Theme
}

func (d *deck) add(c messages.ConversationID, at time.Time, t Theme) {
	if n := len(d.parts); n > 0 && d.parts[n-1].of == c {
		d.parts[n-1].themes = append(d.parts[n-1].themes, t)
		return
	}
	d.parts = append(d.parts, part{c, at, []Theme{t}})
}

// sharedWords is how much of the words of two names must be the same.
const sharedWords = 0.5

// same reports whether a name means this theme.
func (d *deck) same(name messages.Text, words map[string]bool) bool {
	if text.Compact(string(d.first)) == text.Compact(string(name)) {
		return true
	}
	both := 0
	for w := range words {
		if d.words[w] {
			both++
		}
	}
	all := len(words) + len(d.words) - both
	return both > 0 && float64(both) >= sharedWords*float64(all)
}

// card is the deck at present, and how it came to be.
func (d *deck) card(r Rules) messages.InsightCard {
	sum := sha256.Sum256([]byte("card\x00" + text.Compact(string(d.first))))
	c := messages.InsightCard{ID: "i-" + hex.EncodeToString(sum[:6]), KeywordOnly: true,
		Quotes: []messages.InsightQuote{}}
	severities, rated := 0, 0
	for _, p := range d.parts {
		worst := 0
		seen := map[messages.Text]bool{}
		for _, t := range p.themes {
			if c.Theme == "" || c.KeywordOnly && t.Severity > 0 {
				c.Theme, c.JTBD, c.Summary, c.KeywordOnly = t.Theme, t.JTBD, t.Summary, t.Severity == 0
			}
			c.Messages += t.Messages
			worst = max(worst, t.Severity)
			for _, q := range t.Quotes {
				if !seen[q] {
					seen[q] = true
					c.Quotes = append(c.Quotes, messages.InsightQuote{Text: q, Conversation: p.of, At: p.at})
				}
			}
		}
		if worst > 0 {
			severities, rated = severities+worst, rated+1
		}
		c.Frequency++
		c.Confidence, c.Level = r.Confidence(c.Frequency, len(c.Quotes))
		c.Growth = append(c.Growth, messages.InsightPoint{At: p.at, Frequency: c.Frequency, Quotes: len(c.Quotes),
			Confidence: c.Confidence, Level: c.Level})
	}
	if rated > 0 {
		c.Severity = int(math.Round(float64(severities) / float64(rated)))
	}
	return c
}

// runs are the words of a Japanese name that mean something: rows of Chinese characters
// and of katakana.
var runs = regexp.MustCompile(`[\p{Han}々]+|[\p{Katakana}ー]+`)

// termsOf returns the words of a name: English ones by their stem.
func termsOf(name string) map[string]bool {
	words := map[string]bool{}
	for _, t := range lexical.Terms(name) {
		if t.Kind == lexical.Word && !t.Common {
			words[strconv.FormatUint(uint64(t.Key), 36)] = true
		}
	}
	for _, w := range runs.FindAllString(text.Normalize(name), -1) {
		words[w] = true
	}
	return words
}
