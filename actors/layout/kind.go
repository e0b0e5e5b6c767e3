package layout

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
)

var duration = regexp.MustCompile(`^(?:[0-9]{1,2}:)?[0-9]{1,3}:[0-9]{2}$`)

// IsCall reports that the lines of a bubble are those of a call. indent is how
// far inside the bubble its text begins, in logical pixels.
func (k Kinds) IsCall(lines []string, indent int) bool {
	found := false
	for _, line := range lines {
		line = strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case hasCompact(k.Call.Tokens, line):
			found = true
		case duration.MatchString(strings.ReplaceAll(line, " ", "")):
		default:
			return false
		}
	}
	return found && indent >= k.Call.Indent
}

// IsFile reports that the lines of a bubble are those of a file.
func (k Kinds) IsFile(lines []string, indent int) bool {
	if indent < k.File.Indent {
		return false
	}
	for i, line := range lines {
		if !hasSuffix(k.File.Suffixes, line) {
			continue
		}
		for j, other := range lines {
			if j != i && holdsAny(k.File.Beside, other) {
				return true
			}
		}
	}
	return false
}

func hasCompact(list []string, line string) bool {
	line = text.Compact(line)
	for _, token := range list {
		if text.Compact(token) == line {
			return true
		}
	}
	return false
}

func hasSuffix(list []string, line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	for _, suffix := range list {
		if strings.HasSuffix(line, strings.ToLower(suffix)) && len(line) > len(suffix) {
			return true
		}
	}
	return false
}

func holdsAny(list []string, line string) bool {
	for _, word := range list {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
