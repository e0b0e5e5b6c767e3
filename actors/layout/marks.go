package layout

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

// Marks are the lines that the application writes between bubbles: words for dates, in
// addition to dates in numbers; the line above unread messages; and the notice that a
// message was taken back. Without words, nothing between bubbles is read.
type Marks struct {
	Dates  []string `yaml:"dates"`
	Unread []string `yaml:"unread"`
	Unsent []string `yaml:"unsent"`
}

// Known reports whether a layout says anything about marks.
func (m Marks) Known() bool { return len(m.Dates)+len(m.Unread)+len(m.Unsent) > 0 }

// markSimilarity is the least trigram similarity of a misread mark.
const markSimilarity = 0.6

// IsUnsent reports whether a line says that a message was taken back.
func (m Marks) IsUnsent(line string) bool { return similar(m.Unsent, line) }

// IsUnread reports whether a line is the one above unread messages.
func (m Marks) IsUnread(line string) bool { return similar(m.Unread, line) }

const month = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|` +
	`aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`

// date is a date in numbers: 1月2日, 2026/1/2, 2. 1. 2026, Jan 2, 2 January.
var date = regexp.MustCompile(`(?i)[0-9]+\s*月\s*[0-9]+\s*日|[0-9]{1,4}\s?[./-]\s?[0-9]{1,2}\s?[./-]\s?[0-9]{1,4}|` +
	`\b` + month + `\s?[0-9]{1,2}\b|\b[0-9]{1,2}\.?\s?` + month)

// IsDate reports whether a line is a date.
func (m Marks) IsDate(line string) bool {
	if len(m.Dates) == 0 {
		return false
	}
	return date.MatchString(line) || hasCompact(m.Dates, line)
}

// similar reports whether a line contains one of the tokens, perhaps misread.
func similar(tokens []string, line string) bool {
	line = text.Compact(line)
	return slices.ContainsFunc(tokens, func(token string) bool {
		token = text.Compact(token)
		return strings.Contains(line, token) || text.Similarity(line, token) >= markSimilarity
	})
}
