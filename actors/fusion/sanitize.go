package fusion

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Sanitizer removes from a text what the application itself has written. The
// zero value knows no words of an application and no names.
type Sanitizer struct {
	IsToken func(line string) bool // the application's own words; layout.Layout.IsToken is one
	Names   []string               // display names that may stand at the start of a line
}

// Raw is a line as it was read. Inside says that it stands in a bubble. Then it
// is content, even if it is only a time, a number or an emoji.
type Raw struct {
	Text   string
	Inside bool
}

// Clean returns the lines that somebody wrote. If all lines look like the
// application's, the last one that is not one of its words stays: it may be a
// message "42".
func (s Sanitizer) Clean(lines []Raw) []string {
	var out, letters []string
	spare := ""
	for _, line := range lines {
		content := strings.TrimSpace(line.Text)
		if !line.Inside {
			content = s.unnamed(content)
		}
		switch {
		case content == "":
		case line.Inside:
			out = append(out, content)
		case s.isToken(content):
		case latinLetter(content):
			letters = append(letters, content)
			spare = content
		default:
			spare = content
			if !Noise(content) {
				out = append(out, content)
			}
		}
	}
	switch {
	case len(out) > 0:
		return out // single letters beside a text are noise
	case len(letters) > 0:
		return letters
	case spare != "":
		return []string{spare}
	}
	return nil
}

func (s Sanitizer) isToken(line string) bool { return s.IsToken != nil && s.IsToken(line) }

// unnamed removes names from the start of a line where they stand alone or before
// white space or a colon.
func (s Sanitizer) unnamed(line string) string {
	for {
		before := line
		for _, name := range s.Names {
			rest, ok := strings.CutPrefix(line, name)
			if !ok || name == "" {
				continue
			}
			if r, _ := utf8.DecodeRuneInString(rest); rest == "" || unicode.IsSpace(r) || r == ':' || r == '：' {
				line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), ":："))
			}
		}
		if line == before {
			return line
		}
	}
}

var (
	weekday = `(?:[月火水木金土日](?:曜日?)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|` +
		`thu(?:rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)`
	month = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|` +
		`aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	date = regexp.MustCompile(`(?i)^(?:` +
		`(?:\d{4}年\s*)?\d{1,2}月\s*\d{1,2}日` + `|` + `(?:\d{4}[/.-])?\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?` + `|` +
		`(?:` + weekday + `,?\s+)?` + month + `\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s*\d{4})?` + `|` +
		`(?:` + weekday + `,?\s+)?\d{1,2}\s+` + month + `(?:,?\s*\d{4})?` +
		`)\s*(?:[(（]?` + weekday + `[)）]?)?$|^[月火水木金土日]曜日?$`)

	number = regexp.MustCompile(`^[+-]?\d[\d\s,.]*$`)
)

// Noise reports whether a line outside a bubble is only a clock time, a date, a
// number or symbols.
func Noise(line string) bool {
	s := strings.TrimSpace(norm.NFKC.String(line))
	return text.ClockTime(s) != "" || date.MatchString(s) || number.MatchString(s) ||
		!strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// latinLetter reports whether a line is one Latin letter.
func latinLetter(line string) bool {
	s := norm.NFKC.String(line)
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && unicode.Is(unicode.Latin, r)
}

// Unwrap joins the lines of one bubble that the window has wrapped. Boxes show
// which line continues another; without boxes a line goes on unless it ends a
// sentence.
func Unwrap(lines []messages.Line) []string {
	var out []string
	for i, line := range lines {
		content := strings.TrimSpace(string(line.Text))
		switch n := len(out); {
		case content == "":
		case n > 0 && goesOn(lines[:i], line):
			out[n-1] = glue(out[n-1], content)
		default:
			out = append(out, content)
		}
	}
	return out
}

// goesOn reports whether a line continues the one before it.
func goesOn(before []messages.Line, line messages.Line) bool {
	i := len(before) - 1
	for i > 0 && strings.TrimSpace(string(before[i].Text)) == "" {
		i--
	}
	above := before[i]
	if above.Box.H > 0 && line.Box.H > 0 {
		h := min(above.Box.H, line.Box.H)
		gap, shift := line.Box.Y-(above.Box.Y+above.Box.H), line.Box.X-above.Box.X
		return 5*gap < 4*h && -h < shift && shift < h
	}
	return !endsSentence(strings.TrimSpace(string(above.Text)))
}

func endsSentence(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "」』）)\"'”’"))
	return strings.ContainsRune("。．.！!？?…♪～〜♡♥w笑", r) || unicode.Is(unicode.So, r)
}

// glue joins two parts of a line, with a space if both scripts use spaces.
func glue(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if spaced(last) && spaced(first) {
		return a + " " + b
	}
	return a + b
}

// spaced reports whether a character belongs to a script with spaces between words.
func spaced(r rune) bool {
	return r > ' ' && r < 0x2E80 && !slices.Contains([]rune{'-', '/'}, r)
}
