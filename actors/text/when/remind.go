package when

import (
	"strings"
	"time"
	"unicode"
)

// Reminder is what somebody asked to be reminded of.
type Reminder struct {
	Span           // as it was said
	At   time.Time // when to remind; after the moment of the request
	What string    // in the words of the request, "" if it says only when
}

// longestRequest is the longest text that can be a request, in bytes.
const longestRequest = 4000

// remindAt is the hour of a day at which one reminds somebody of a day.
const remindAt = 9

// Remind recognises a request to be reminded: 「明日9時に会議って教えて」, "remind me in two
// hours to call Bob". It returns false for texts that ask for something else, for
// times that are over, for recurring ones, and for texts of over 4,000 bytes. The zone
// of now is the zone of the text.
func Remind(text string, now time.Time) (Reminder, bool) {
	if len(text) > longestRequest {
		return Reminder{}, false
	}
	found := Find(text, now, Future)
	if len(found) == 0 {
		return Reminder{}, false
	}
	p := parser{tokens: lex(text)}
	for _, ask := range []func(*parser, []Found) (asked, bool){askEnglish, askJapanese} {
		a, ok := ask(&p, found)
		if !ok {
			continue
		}
		span, ok := a.when.resolve(now, Future)
		if !ok {
			continue
		}
		at := a.when.tell(span, now)
		if !at.After(now) {
			continue
		}
		return Reminder{Span: span, At: at, What: a.what(text)}, true
	}
	return Reminder{}, false
}

// tell is the moment at which to remind somebody of a span.
func (f fields) tell(s Span, now time.Time) time.Time {
	on := date(s.From.Year(), int(s.From.Month()), s.From.Day())
	switch {
	case s.Precision < PartOfDay:
		return s.From
	case s.Precision == PartOfDay:
		return moment(on, hours[f.part].tell, 0, 0, now.Location())
	}
	return moment(on, remindAt, 0, 0, now.Location())
}

// asked is a request: when, and which stretches of the text say neither when nor
// that it is a request.
type asked struct {
	when fields
	cut  []stretch
}

// stretch is a piece of a text in bytes.
type stretch struct{ start, end int }

// what is the text without what was cut.
func (a asked) what(text string) string {
	var b strings.Builder
	at := 0
	for _, c := range a.cut {
		b.WriteString(text[at:max(at, c.start)])
		b.WriteString(" ")
		at = max(at, c.end)
	}
	b.WriteString(text[at:])
	return bare(b.String())
}

// bare removes what only tied a matter to the request.
func bare(s string) string {
	japanese := strings.IndexFunc(s, func(r rune) bool { return r >= 0x3040 && r < 0xA000 }) >= 0
	for {
		was := s
		s = strings.TrimFunc(s, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(",.!?、。！？「」:;-ー", r)
		})
		if japanese {
			for _, tie := range []string{"ということを", "っていうのを", "ように", "ことを", "のを", "って", "ので", "を", "と", "に"} {
				if !strings.HasSuffix(s, "のこと") {
					s = strings.TrimSuffix(s, tie)
				}
			}
		} else {
			for _, tie := range []string{"please", "pls", "to", "that", "about", "and", "for", "can you", "could you",
				"of", "hey"} {
				if rest, ok := cutWord(s, tie); ok {
					s = rest
				}
			}
			s = strings.TrimSuffix(strings.TrimSuffix(s, " please"), " to")
		}
		if s == was {
			return s
		}
	}
}

// cutWord removes a word, in any case, from the beginning of s.
func cutWord(s, w string) (string, bool) {
	if len(s) < len(w) || !strings.EqualFold(s[:len(w)], w) {
		return s, false
	}
	rest := s[len(w):]
	if rest == "" || strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ",") {
		return rest, true
	}
	return s, false
}
