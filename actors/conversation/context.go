package conversation

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// line is a message of either side and its place in the transcript.
type line struct {
	messages.Said
	id    messages.MessageID // the event that memory keeps of it
	place messages.Occurrence
	// answered is the newest message that our side answered with it, "" if that is not known.
	answered messages.MessageID
}

// lineOf is the present text of a delivered message, false if nothing of it is left.
func lineOf(d messages.MessageDelivered) (line, bool) {
	said := utterances(d)
	l := line{Said: messages.Said{Name: d.Sender, At: d.SeenAt}, id: d.ID}
	for _, p := range d.Parts {
		l.place = max(l.place, p.Occurrence)
	}
	l.Text = messages.Text(strings.Join(said, "\n"))
	return l, len(said) > 0
}

// utterances are the present texts of the parts that are left of a delivered message.
func utterances(d messages.MessageDelivered) (said []string) {
	for _, p := range d.Parts {
		now := p.Text
		if p.Edited != "" {
			now = p.Edited
		}
		switch {
		case p.Unsent:
		case now != "":
			said = append(said, string(now))
		default:
			said = append(said, "["+string(p.Kind)+"]")
		}
	}
	return said
}

// lineOfOwn is the line of a message of our side.
func lineOfOwn(o Own) line {
	return line{Said: messages.Said{Own: true, At: o.At, Text: o.Text}, id: ownID(o), place: o.Occurrence,
		answered: o.Answered}
}

// newest returns the n newest lines in the order of the transcript.
func newest(lines []line, n int) []line {
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.place - b.place) })
	return lines[max(0, len(lines)-n):]
}

// isGroup reports whether several people are on the other side.
func isGroup(g Group, said []messages.Said) bool {
	if g == GroupYes || g == GroupNo {
		return g == GroupYes
	}
	var first messages.Text
	for _, s := range said {
		switch {
		case s.Own || s.Name == "":
		case first == "":
			first = s.Name
		case s.Name != first:
			return true
		}
	}
	return false
}

// languageOf is the language of the other side's newest message, or of earlier ones if the
// newest has none. l is the one before all of them.
func languageOf(said []messages.Said, l text.Language) text.Language {
	for _, s := range said {
		if !s.Own && !marked(string(s.Text)) {
			l = text.LanguageOf(string(s.Text), l)
		}
	}
	return text.LanguageOf("", l)
}

// marked reports a text like [image], which nobody said.
func marked(s string) bool {
	return strings.HasPrefix(s, "[") && strings.IndexByte(s, ']') == len(s)-1
}

// last is the newest message of the other side.
func last(said []messages.Said) messages.Text {
	for _, s := range slices.Backward(said) {
		if !s.Own {
			return s.Text
		}
	}
	return ""
}

// agesOut reports whether a held reply is too old to be sent without being judged again.
func agesOut(written, now time.Time) bool { return now.Sub(written) >= stale }

// stale is the age after which a reply is not sent automatically.
const stale = 30 * time.Minute

// Limits of what a judge reads, in characters.
const (
	longestLine    = 2_000
	longestContext = 24_000
)

// bounded returns the newest lines, cut to what a judge reads.
func bounded(said []messages.Said) []messages.Said {
	length := 0
	for i := range slices.Backward(said) {
		said[i].Name, said[i].Text = cut(said[i].Name), cut(said[i].Text)
		length += utf8.RuneCountInString(string(said[i].Name)) + utf8.RuneCountInString(string(said[i].Text))
		if length > longestContext {
			return said[i+1:]
		}
	}
	return said
}

// cut returns the beginning of a line.
func cut(t messages.Text) messages.Text { return text.First(t, longestLine) }
