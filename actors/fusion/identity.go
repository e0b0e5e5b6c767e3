package fusion

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Limits of a title.
const (
	titleLongest = 64 // characters that count
	titleFuzzy   = 8  // characters that a title needs to be recognised though misread
)

// members is the count of members behind a group's name.
var members = regexp.MustCompile(`\s*[(（][0-9０-９]+[)）]$`)

// Name makes a conversation's name from a title. It collapses white space and
// removes invisible and control characters and a count of members. It is "" if
// the title is unreadable.
func (r Rules) Name(title messages.Line) string {
	if title.Confidence > 0 && title.Confidence < r.Title {
		return ""
	}
	s := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c == utf8.RuneError || unicode.IsControl(c) || unicode.In(c, unicode.Cf) && c != 0x200D:
			return -1
		}
		return c
	}, string(title.Text))
	s = strings.Join(strings.Fields(s), " ")
	if short := members.ReplaceAllString(s, ""); short != "" {
		s = short
	}
	if all := []rune(s); len(all) > titleLongest {
		s = strings.TrimSpace(string(all[:titleLongest]))
	}
	return s
}

// unsure reports that a title may be misread.
func (r Rules) unsure(title messages.Line) bool {
	return title.Confidence > 0 && title.Confidence < r.TitleNew
}

// Identify finds the known conversation that a name means. Names that differ only
// in case, width or spaces are the same. A misread name is recognised if it is
// long, or if the window still shows what current, the conversation passed on
// last, has shown. Otherwise the name is new. ok is false if several known ones
// are equally likely: a guess could mix two people up.
func Identify(name string, known []string, current string, continued bool) (found string, ok bool) {
	exact := plain(name)
	var near []string
	for _, k := range known {
		switch {
		case plain(k) == exact:
			return k, true
		case !text.OCREqual(name, k):
		case k == current && continued:
			return k, true
		case min(utf8.RuneCountInString(name), utf8.RuneCountInString(k)) >= titleFuzzy && text.LineEqual(name, k):
			near = append(near, k)
		}
	}
	switch len(near) {
	case 0:
		return name, true
	case 1:
		return near[0], true
	}
	return "", false
}

func plain(s string) string { return strings.ReplaceAll(text.Normalize(s), " ", "") }

// Conversation is the identity of a name within an application.
func Conversation(app, name string) messages.ConversationID {
	return messages.ConversationID(app + ":" + name)
}
