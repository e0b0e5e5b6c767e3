package when

import "time"

// Direction says which way to read an expression that could mean the past or the future,
// such as "on Friday".
type Direction uint8

// Directions.
const (
	Future Direction = iota // the next one: appointments and reminders
	Past                    // the latest one: memories
)

// Precision is how exactly a time is named.
type Precision uint8

// Precisions, the finest first.
const (
	Second Precision = iota + 1
	Minute
	Hour
	PartOfDay // morning, evening
	Day
	Days // a weekend, a third of a month, "a few days ago"
	Week
	Month
	Season
	Year
	Years // a decade, "a few years ago"
)

// Span is a stretch of time, From included and To excluded. Both are in the zone of
// the moment that it was found from, in the years 1 to 9999, and From is before To.
type Span struct {
	From, To  time.Time
	Precision Precision
}

// Found is an expression of time in a text.
type Found struct {
	Span
	Start, End int // bytes of the text, a leading preposition included

	fields fields
}

// Find returns the expressions of time in a text, in order and without overlap. The zone
// of now is the zone of the text. It takes time proportional to the text's length,
// whatever the text is.
func Find(text string, now time.Time, d Direction) []Found {
	p := parser{tokens: lex(text)}
	var list []Found
	for i := 0; i < len(p.tokens); {
		f, end := p.expression(i)
		if end == i {
			i++
			continue
		}
		if span, ok := f.resolve(now, d); ok {
			list = append(list, Found{Span: span, Start: p.tokens[i].start, End: p.tokens[end-1].end, fields: f})
		}
		i = end
	}
	return list
}
