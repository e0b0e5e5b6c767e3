package when

import (
	"unicode"
	"unicode/utf8"
)

// feasts are the English names of days and times of a year.
var feasts = map[string]fields{
	"christmas": feastDay(12, 25), "xmas": feastDay(12, 25), "halloween": feastDay(10, 31),
	"valentine's": feastDay(2, 14), "valentines": feastDay(2, 14), "easter": edgeOf(easter),
	"thanksgiving": edgeOf(thanksgiving),
}

// feast reads "at Christmas", "Christmas 2022", "New Year's Eve", "Thanksgiving last
// year".
func (p *parser) feast(i int, c context) (fields, int) {
	f, end := p.feastAt(i)
	if end == i {
		return f, i
	}
	for _, read := range []func(int) (fields, int){p.yearAway, func(at int) (fields, int) {
		return p.yearBehind(fields{}, at)
	}} {
		at := end
		if p.is(at, "of") {
			at++
		}
		if g, next := read(at); next > at {
			return f.take(g), next
		}
	}
	long := end > i+1
	if p.clause(end) && (long || c.prep != "" || c.so.has&(hasYear|hasYears) != 0 || p.is(i-1, "for", "over")) {
		return f, end
	}
	return fields{}, i
}

// feastAt reads the name of a feast.
func (p *parser) feastAt(i int) (fields, int) {
	if p.is(i, "new") && p.is(i+1, "year's", "years") {
		switch {
		case p.is(i+2, "eve"):
			return feastDay(12, 31), i + 3
		case p.is(i+2, "day"):
			return feastDay(1, 1), i + 3
		}
		return fields{}, i
	}
	f, ok := feasts[p.at(i).text]
	if !ok {
		return fields{}, i
	}
	switch end := i + 1; {
	case p.is(end, "eve") && f == feastDay(12, 25):
		return feastDay(12, 24), end + 1
	case p.is(end, "day") && !p.is(i, "easter"), p.is(end, "sunday", "weekend") && p.is(i, "easter"):
		return f, end + 1
	case p.is(i, "valentine's", "valentines"): // it is also a name
		return fields{}, i
	}
	return f, i + 1
}

// shortEra reads R5年 and H30年, and H30, S63, R5 where they can be nothing else.
func (p *parser) shortEra(i int) (fields, int) {
	n := p.at(i + 1)
	if n.kind != number || n.spaced || n.digits == 0 || n.n < 1 || n.n > 64 {
		return fields{}, i
	}
	e, end := map[string]int{"s": 2, "h": 3, "r": 4}[p.at(i).text], i+3
	if !p.is(i+2, "年") {
		if end = i + 2; !p.eraAlone(i, n, e) {
			return fields{}, i
		}
	}
	return fields{has: hasYear, era: e + 1, year: eras[e].year + n.n - 1}, end
}

// eraAlone reports whether R5 is a year though 年 is not behind it: no Latin word is beside
// it, it is within its era, and a particle follows or it is the whole text.
func (p *parser) eraAlone(i int, n token, era int) bool {
	most := []int{2: 64, 3: 31, 4: 99}[era]
	if n.n > most || era < 4 && n.digits != 2 || p.at(i-1).kind == word || p.at(i-1).kind == number {
		return false
	}
	_, season := japanese[p.at(i+2).text]
	return i == 0 && i+2 == len(p.tokens) || season || p.is(i+2, "の", "に", "頃", "ごろ", "ころ", "から", "まで", "以降", "以前")
}

// lately makes the fields of "the last two weeks" and この3日間, from now back. It begins
// at i and ends at end.
func (p *parser) lately(i, end int, n float64, few int, u unit) (fields, int) {
	by := -(int(n) + few)
	if p.is(end, "間") {
		end++
	}
	f := fields{has: hasLately}
	switch u {
	case daily:
		f.days = by
	case weekly:
		f.days = 7 * by
	case monthly:
		f.months = by
	case yearly:
		f.months = 12 * by
	case decadal:
		f.months = 120 * by
	default:
		return fields{}, i
	}
	return f, end
}

func isKatakana(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.Katakana, r) || r == 'ー'
}

// katakanaEnds reports whether a term ends in katakana, so that more katakana after it
// would make another word, such as クリスマスツリー.
func katakanaEnds(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.Is(unicode.Katakana, r) || r == 'ー'
}
