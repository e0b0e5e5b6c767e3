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

// remindAt is the hour at which to remind somebody of a whole day.
const remindAt = 9

// Reminders recognises requests to be reminded: 「明日9時に会議って教えて」, "remind me in two hours
// to call Bob". Each sentence is read by itself; a text with a request in one sentence
// and its time in another is read as a whole. Requests for something else, requests
// quoted from somebody else, past or recurring times, conditions and texts over 4,000
// bytes do not count. The zone of now is the zone of the text.
func Reminders(text string, now time.Time) (list []Reminder) {
	if len(text) > longestRequest {
		return nil
	}
	parts := sentences(text)
	for _, s := range parts {
		if r, ok := remindIn(text[s.start:s.end], now); ok {
			list = append(list, r)
		}
	}
	if len(list) == 0 && len(parts) > 1 {
		if r, ok := remindIn(text, now); ok {
			list = append(list, r)
		}
	}
	return list
}

// remindIn recognises the request of a sentence.
func remindIn(text string, now time.Time) (Reminder, bool) {
	text, before := lead(text)
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
		at, what := a.when.tell(span, now).Add(-before), a.what(text)
		if !at.After(now) || what == "" && !a.firm && span.Precision >= Day { // "tell me tomorrow": something
			continue
		}
		return Reminder{Span: span, At: at, What: what}, true
	}
	return Reminder{}, false
}

// tell returns the moment at which to remind somebody of a span.
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
	when  fields
	firm  bool // it asks for a reminder and for nothing else
	cut   []stretch
	after int // the matter is after this, if anything is
}

// stretch is a piece of a text in bytes.
type stretch struct{ start, end int }

// what returns the matter: the text after the request or, if there is none, before it.
func (a asked) what(text string) string {
	if a.after > 0 {
		if what := a.rest(text, a.after); what != "" {
			return what
		}
	}
	return a.rest(text, 0)
}

// rest returns the text from a byte on, without what was cut.
func (a asked) rest(text string, at int) string {
	var b strings.Builder
	for _, c := range a.cut {
		if c.start > at {
			b.WriteString(text[at:c.start])
			b.WriteString(" ")
		}
		at = max(at, c.end)
	}
	b.WriteString(text[at:])
	return bare(b.String())
}

// bare removes words that only connect a matter to the request.
func bare(s string) string {
	japanese := strings.IndexFunc(s, func(r rune) bool { return r >= 0x3040 && r < 0xA000 }) >= 0
	for {
		was := s
		s = strings.TrimFunc(s, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(",.!?、。！？「」:：;-ー", r)
		})
		if japanese {
			s = forgetting.ReplaceAllString(politeJapanese.ReplaceAllString(s, ""), "")
			for _, tie := range []string{"ということを", "っていうのを", "ように", "よう", "ことを", "のを", "って", "ので", "を", "と", "に"} {
				if !strings.HasSuffix(s, "のこと") {
					s = strings.TrimSuffix(s, tie)
				}
			}
		} else {
			s = politeAfter.ReplaceAllString(s, "")
			for _, tie := range []string{"please", "pls", "to", "that", "about", "and", "for", "can you", "could you",
				"would you", "will you", "of", "hey", "hi", "also", "ok", "okay", "so", "then", "thanks", "kindly"} {
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
