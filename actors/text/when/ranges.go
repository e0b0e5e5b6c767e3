package when

import (
	"strings"
	"time"
)

// reach says that the time from or up to a year is meant, not the year.
type reach int8

const (
	itself     reach = iota
	since            // from its first day until today
	sinceEnd         // from the day after it until today
	until            // up to its last day
	untilStart       // up to the day before it
)

// reaches are the prepositions, and what follows a year in Japanese, that make it a bound.
var reaches = map[string]reach{"since": since, "after": sinceEnd, "until": until, "till": until, "before": untilStart,
	"以降": since, "以来": since, "から": since, "まで": until, "以前": untilStart}

// longAgo is how many years a time reaches back that has no beginning.
const longAgo = 100

// bounded reads whether a year that ends at end, and begins at i with its preposition, is
// a bound.
func (p *parser) bounded(f fields, i, end int) (fields, int) {
	if f.has&hasYear == 0 || f.has&hasDay != 0 || f.few > 0 || f.reach != itself {
		return f, end
	}
	if r := reaches[p.at(i).text]; r != itself {
		f.reach = r
	} else if r := reaches[p.at(end).text]; r != itself && p.at(end).kind == term {
		f.reach = r
		end++
	}
	return f, end
}

// reached returns what a bound means to one who looks back.
func (f fields) reached(on days, today day) (days, bool) {
	tomorrow := today.AddDate(0, 0, 1)
	switch f.reach {
	case since:
		on.to = tomorrow
	case sinceEnd:
		on.from, on.to = on.to, tomorrow
	case untilStart:
		on.to = on.from
	}
	if f.reach == until || f.reach == untilStart {
		on.from = date(max(1, on.to.Year()-longAgo), 1, 1)
	}
	on.precision = Years
	return on, on.from.Before(on.to)
}

// yearTo reads the second year of "2015 to 2017" and 2015年から2017年.
func (p *parser) yearTo(f fields, end int) (fields, int) {
	t := p.at(end + 1)
	if !p.is(end, "to", "until", "till", "through", "-", "~", "から") || t.digits != 4 || t.n <= f.year || t.n > 2999 {
		return f, end
	}
	f.few = t.n - f.year
	end += 2
	if p.is(end, "年") {
		end++
	}
	return f, end
}

// between reads "between 2015 and 2017".
func (p *parser) between(i int) (fields, int) {
	from, to := p.at(i+1), p.at(i+3)
	if from.digits != 4 || from.n < 1000 || !p.is(i+2, "and") || to.digits != 4 || to.n <= from.n || to.n > 2999 ||
		!p.clause(i+4) {
		return fields{}, i
	}
	return fields{has: hasYear, year: from.n, few: to.n - from.n}, i + 4
}

// twoDigits is the year that people mean by the last two digits of one, 0 if it could be
// of an era.
func twoDigits(t token) int {
	switch {
	case t.digits != 2 || t.n >= 30 && t.n < 50:
		return 0
	case t.n < 30:
		return 2000 + t.n
	}
	return 1900 + t.n
}

// shortYear reads '98.
func (p *parser) shortYear(i int) (fields, int) {
	t := p.at(i + 1)
	year := twoDigits(t)
	if !p.is(i, "'") || t.spaced || year == 0 || p.is(i+2, "'") || !p.clause(i+2) {
		return fields{}, i
	}
	return fields{has: hasYear, year: year}, i + 2
}

// shortJapanese reads the year of 19年の夏 and 19年3月. Without what follows it would be
// years of something.
func (p *parser) shortJapanese(i int) (fields, int) {
	year, then := twoDigits(p.at(i)), i+2
	if p.is(then, "の") {
		then++
	}
	f, known := japanese[p.at(then).text]
	month := p.at(then).kind == number && p.is(then+1, "月") && !p.is(then+2, "間")
	if year == 0 || !month && (!known || f.has != hasSeason) {
		return fields{}, i
	}
	return fields{has: hasYear, year: year}, i + 2
}

// eraPart reads 平成の終わり, 昭和の初め and 平成の頃.
func (p *parser) eraPart(i, era int) (fields, int) {
	f, end := fields{has: hasDecade, era: era + 1}, i+1
	if p.is(end, "時代") {
		return f, end + 1
	}
	if p.is(end, "末") {
		return f.take(edgeOf(lastThird)), end + 1
	}
	if !p.is(end, "の") {
		return fields{}, i
	}
	if p.is(end+1, "頃", "ころ", "ごろ", "時代") {
		return f, end + 2
	}
	switch g := japanese[p.at(end+1).text]; {
	case g.has == hasEdge && g.edge >= firstThird && g.edge <= lastThird, g.has == hasEdge && g.edge >= firstHalf &&
		g.edge <= lastHalf:
		return f.take(g), end + 2
	}
	return fields{}, i
}

// ofEra returns an era, or its first or last three years, its middle third, or a half.
func (f fields) ofEra(today day) (days, bool) {
	e := eras[f.era-1]
	from, to := date(e.year, e.month, e.day), today.AddDate(0, 0, 1)
	over := f.era < len(eras)
	if over {
		next := eras[f.era]
		to = date(next.year, next.month, next.day)
	}
	length := int64(to.Sub(from))
	part := func(n, of int64) day { return from.Add(time.Duration(n * length / of)).Truncate(24 * time.Hour) }
	switch f.edge {
	case firstThird:
		to = from.AddDate(3, 0, 0)
	case secondThird:
		from, to = part(1, 3), part(2, 3)
	case lastThird:
		from = to.AddDate(-3, 0, 0)
	case firstHalf:
		to = part(1, 2)
	case lastHalf:
		from = part(1, 2)
	}
	return days{from, to, Years}, from.Before(to) && (over || f.edge == noEdge || f.edge == firstThird)
}

// seasonsAgo reads "two summers ago": the last one is one summer ago.
func (p *parser) seasonsAgo(i int, _ context) (fields, int) {
	n, few, end := p.quantity(i)
	season, ok := seasons[strings.TrimSuffix(p.at(end).text, "s")]
	if end == i || few > 0 || !ok || n < 1 || n > 100 || n != float64(int(n)) || !p.is(end+1, "ago", "back") {
		return fields{}, i
	}
	return fields{has: hasSeason, season: season, side: before, turns: int(n) - 1}, end + 2
}

// dateThenYear reads 3/5/2021 and 3.5.2021. Which of both numbers is the month depends on
// the zone, unless one cannot be; with dots it is the second.
func (p *parser) dateThenYear(i int, _ context) (fields, int) {
	a, b, y := p.at(i), p.at(i+2), p.at(i+4)
	sep := p.at(i + 1).text
	if a.digits < 1 || a.digits > 2 || !p.glued(i+1, "/", "-", ".") || b.digits < 1 || b.digits > 2 || b.spaced ||
		!p.glued(i+3, sep) || y.digits != 4 || y.spaced || y.n < 1000 || y.n > 2999 || p.counted(i+5) {
		return fields{}, i
	}
	f := fields{has: hasYear | hasMonth | hasDay, year: y.n, month: a.n, day: b.n}
	switch {
	case a.n > 12, sep == ".":
		f.month, f.day = b.n, a.n
	case b.n <= 12:
		f.custom = true
	}
	return f, i + 5
}

// dayFirst reports whether people in a zone write the day before the month: where English
// is written outside of America and Asia. Where the name tells nothing, the month is first.
func dayFirst(zone *time.Location) bool {
	area, _, _ := strings.Cut(zone.String(), "/")
	switch area {
	case "Europe", "Africa", "Australia", "Atlantic", "Indian", "GB", "NZ", "Eire":
		return true
	}
	switch zone.String() {
	case "Pacific/Auckland", "Asia/Kolkata", "Asia/Calcutta", "Asia/Singapore", "Asia/Hong_Kong", "Asia/Dubai",
		"Asia/Jakarta", "Asia/Bangkok", "America/Sao_Paulo", "America/Mexico_City", "America/Argentina/Buenos_Aires":
		return true
	}
	return false
}
