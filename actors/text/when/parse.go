package when

import (
	"strings"
	"time"
	"unicode"
)

// parser reads expressions from tokens. Each of its methods takes the index at which
// it begins and returns where it ends, which is the same index if it found nothing.
type parser struct{ tokens []token }

// at returns the ith token, or an empty one beyond the ends.
func (p *parser) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{spaced: true}
	}
	return p.tokens[i]
}

// text returns the ith token's text, without a possessive ending.
func (p *parser) text(i int) string {
	return strings.TrimSuffix(p.at(i).text, "'s")
}

// is reports whether the ith token is one of some texts.
func (p *parser) is(i int, texts ...string) bool {
	got := p.at(i).text
	if got == "" {
		return false
	}
	for _, t := range texts {
		if got == t {
			return true
		}
	}
	return false
}

// glued reports whether the ith token is one of some texts, right after the one before.
func (p *parser) glued(i int, texts ...string) bool { return !p.at(i).spaced && p.is(i, texts...) }

// expression reads as many items as go together. Recurring times are read without fields.
func (p *parser) expression(i int) (f fields, end int) {
	for end = i; p.recurs(end); {
		end++
	}
	if end > i {
		if _, _, u, to := p.amount(end); u != noUnit {
			end = to
		} else if _, ok := dayparts[p.text(end)]; ok || units[p.text(end)] != noUnit || p.is(end, "の", "、") {
			end++
		}
		_, end = p.expression(end)
		return fields{}, end
	}
	for {
		from := end
		if end > i && (p.is(end, "の", "は", "、", ",") || p.is(end, "に") && p.at(end+1).kind == number) {
			from++
		}
		g, to := p.item(from, f)
		if to == from && from > end {
			from = end
			g, to = p.item(from, f)
		}
		if to == from && f.has != 0 && (p.recurs(end) || p.is(end, "に") && p.recurs(end+1)) {
			return fields{}, end
		}
		if to == from {
			return p.bounded(f, i, end)
		}
		joined, ok := f.with(g)
		if !ok {
			return p.bounded(f, i, end)
		}
		f, end = joined, to
	}
}

// recurs reports whether a word makes what follows recur.
func (p *parser) recurs(i int) bool {
	return p.is(i, "every", "each", "毎", "毎日", "毎朝", "毎晩", "毎週", "毎月", "毎年")
}

// item reads one item, with the prepositions before it. f is what was read so far.
func (p *parser) item(i int, f fields) (g fields, end int) {
	if g, end := p.bracketed(i, f); end > i {
		return g, end
	}
	c := context{so: f}
	j := i
	for ; j < i+2 && prepositions[p.at(j).text]; j++ {
		c.prep = p.at(j).text
	}
	if p.is(j, "the") {
		c.the = true
		j++
	}
	if p.is(j, "'") && p.at(j+1).kind == number && !p.at(j+1).spaced {
		return p.apostrophe(i, j, c)
	}
	switch t := p.at(j); t.kind {
	case number:
		g, end = p.numeric(j, c)
	case term:
		g, end = p.japanese(j, c)
	case word:
		g, end = p.english(j, c)
	default:
		end = j
	}
	if end == j {
		return fields{}, i
	}
	return g, end
}

// apostrophe reads '98 and "the '90s" at j; the item begins at i.
func (p *parser) apostrophe(i, j int, c context) (fields, int) {
	if g, end := p.decade(j+1, c); end > j+1 {
		return g, end
	}
	if g, end := p.shortYear(j); end > j && c.so.has&(hasYear|hasYears) == 0 {
		return g, end
	}
	return fields{}, i
}

// context is what comes before an item.
type context struct {
	prep string // the last preposition
	the  bool
	so   fields // the items before it
}

// starts reports whether no preposition and no item comes before.
func (c context) starts() bool { return c.prep == "" && c.so.has == 0 }

// bracketed reads the weekday after a date: (月).
func (p *parser) bracketed(i int, f fields) (fields, int) {
	if f.has&(hasDay|hasDays) == 0 || !p.is(i, "(", "（") {
		return fields{}, i
	}
	d := strings.Index("日月火水木金土", p.at(i+1).text)
	if d < 0 || p.at(i+1).text == "" || !p.is(i+2, ")", "）") {
		return fields{}, i
	}
	return weekdayOf(time.Weekday(d / len("日"))), i + 3
}

// clause reports whether a number before i cannot be counting something at i.
func (p *parser) clause(i int) bool {
	t := p.at(i)
	switch t.kind {
	case word:
		return clauses[t.text]
	case number:
		return false
	case term:
		return true
	}
	switch t.text {
	case "%", "$", "€", "£", "¥", "°", "/", ":", "-", "+", "*", "=", "~":
		return false
	case ".", ",":
		return p.at(i+1).spaced || p.at(i+1).kind != number
	}
	return true
}

// counted reports whether a thing or money follows, right after a time.
func (p *parser) counted(i int) bool {
	if p.at(i).spaced {
		return false
	}
	return p.is(i, "%", "$", "€", "円", "点", "対") || p.is(i, ":", "/", ".", "-", ",") &&
		p.at(i+1).kind == number && !p.at(i+1).spaced
}

// loose reports whether a number stands alone: nothing attached makes it part of another
// number, a price or a name.
func (p *parser) loose(i int) bool {
	if p.at(i).spaced || i == 0 {
		return true
	}
	switch before := p.at(i - 1); before.kind {
	case word, number:
		return false
	case term:
		return true
	default:
		if before.text == "," && p.at(i-2).kind == number && !before.spaced {
			return false
		}
		return !strings.Contains("¥$€£#-/.:+*=&@_", before.text)
	}
}

// alone reports whether a term of one character is not the end of a longer word.
func (p *parser) alone(i int) bool {
	before := p.at(i - 1)
	if p.at(i).spaced || i == 0 {
		return true
	}
	r := []rune(before.text + " ")[0]
	return !(before.kind == other && unicode.Is(unicode.Han, r) || before.kind == number && before.digits == 0)
}
