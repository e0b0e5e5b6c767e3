package layout

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
)

var duration = regexp.MustCompile(`^(?:[0-9]{1,2}:)?[0-9]{1,3}:[0-9]{2}$`)

// IsCall reports whether the lines of a bubble show a call. indent is the distance from
// the bubble's left edge to its text, in logical pixels.
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

// IsFile reports whether the lines of a bubble show a file.
func (k Kinds) IsFile(lines []string, indent int) bool {
	if indent < k.File.Indent {
		return false
	}
	for i, line := range lines {
		if !hasSuffix(k.File.Suffixes, line) {
			continue
		}
		for j, other := range lines {
			if j != i && containsAny(k.File.Beside, other) {
				return true
			}
		}
	}
	return false
}

func hasCompact(list []string, line string) bool {
	line = text.Compact(line)
	return slices.ContainsFunc(list, func(token string) bool { return text.Compact(token) == line })
}

func hasSuffix(list []string, line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return slices.ContainsFunc(list, func(suffix string) bool {
		return strings.HasSuffix(line, strings.ToLower(suffix)) && len(line) > len(suffix)
	})
}

func containsAny(list []string, line string) bool {
	return slices.ContainsFunc(list, func(word string) bool { return strings.Contains(line, word) })
}
