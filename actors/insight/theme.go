package insight

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/messages"
)

// Theme is something that a participant told about.
type Theme struct {
	Theme    messages.Text   `json:"theme"`
	JTBD     messages.Text   `json:"jtbd,omitempty"` // what they want to get done
	Summary  messages.Text   `json:"summary,omitempty"`
	Severity int             `json:"severity"` // 1 to 5
	Quotes   []messages.Text `json:"quotes"`   // at least one, as it was said
	Messages int             `json:"messages"` // lines that the quotes come from
}

// Bounds of an answer.
const (
	mostThemes = 8
	mostQuotes = 5        // of a theme in one interview
	maxAnswer  = 16 << 10 // bytes from its end that are read
	maxTheme   = 60       // characters
	maxText    = 400
	maxQuote   = 300
	minQuote   = 2
)

// ParseThemes reads a model's answer: its last JSON object with themes. ok is false if
// there is none. A theme without a name, or without a quote that stands in lines, is left
// out. A severity that is no number is 3, and one outside of 1 to 5 is clamped.
func ParseThemes(answer string, lines []messages.Text) (themes []Theme, ok bool) {
	fields := lenient.LastWithin(answer, "themes", maxAnswer)
	var list []map[string]json.RawMessage
	if fields == nil || json.Unmarshal(fields["themes"], &list) != nil || list == nil {
		return nil, false
	}
	seen := map[string]bool{}
	for _, raw := range list {
		t := Theme{Theme: maskedText(raw["theme"], maxTheme), JTBD: maskedText(raw["jtbd"], maxText),
			Summary: maskedText(raw["summary"], maxText), Severity: severity(raw["severity"])}
		key := text.Compact(string(t.Theme))
		t.Quotes, t.Messages = evidence(raw["evidence"], lines)
		if key == "" || len(t.Quotes) == 0 || seen[key] || len(themes) == mostThemes {
			continue
		}
		seen[key] = true
		themes = append(themes, t)
	}
	return themes, true
}

// maskedText is a text of a model, masked as all that is said in an interview.
func maskedText(raw json.RawMessage, most int) messages.Text {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return messages.Text(pii.Mask(lenient.OneLine(s, most), pii.LabelsFor(s)).Text)
}

func severity(raw json.RawMessage) int {
	var n *float64
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return 3
	}
	return int(min(max(math.Round(*n), 1), 5))
}

// evidence returns the quotes that stand in lines, and from how many lines they come.
func evidence(raw json.RawMessage, lines []messages.Text) (quotes []messages.Text, from int) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	in := map[int]bool{}
	for _, one := range list {
		var s string
		if json.Unmarshal(one, &s) != nil {
			continue
		}
		q, line := Verbatim(s, lines)
		if q == "" || slices.Contains(quotes, q) || len(quotes) == mostQuotes {
			continue
		}
		quotes, in[line] = append(quotes, q), true
	}
	return quotes, len(in)
}

// still returns the findings of an earlier analysis that lines still prove. A model's text
// about a theme rests on all its quotes: without one of them, the theme keeps only its name.
func still(before Analysis, lines []messages.Text) (themes []Theme, keywords []messages.Keyword) {
	for _, t := range before.Themes {
		in := map[int]bool{}
		quotes := slices.DeleteFunc(slices.Clone(t.Quotes), func(q messages.Text) bool {
			found, line := Verbatim(string(q), lines)
			if found != "" {
				in[line] = true
			}
			return found == ""
		})
		if len(quotes) == 0 {
			continue
		}
		if len(quotes) < len(t.Quotes) {
			t.JTBD, t.Summary = "", ""
		}
		t.Quotes, t.Messages = quotes, len(in)
		themes = append(themes, t)
	}
	for _, k := range before.Keywords {
		if q, _ := Verbatim(string(k.Quote), lines); q != "" {
			keywords = append(keywords, k)
		}
	}
	return themes, keywords
}

// label is what masking puts in the place of private data.
var label = regexp.MustCompile(`\[[^\[\]\n]{1,40}\]`)

// Verbatim finds a quote in what was said, and returns it as it stands there with the
// number of its line; "" if it does not. Only white space and quotation marks around it do
// not count.
func Verbatim(quote string, lines []messages.Text) (messages.Text, int) {
	quote = text.First(text.Unquote(quote), maxQuote)
	if utf8.RuneCountInString(text.Compact(label.ReplaceAllString(quote, ""))) < minQuote {
		return "", 0
	}
	for i, l := range lines {
		if q, ok := text.Within(quote, string(l)); ok {
			return messages.Text(q), i
		}
	}
	return "", 0
}
