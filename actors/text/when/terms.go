package when

import "strings"

// japanese reads an item that begins with a term of the Japanese dictionary.
func (p *parser) japanese(i int, c context) (fields, int) {
	t := p.at(i).text
	switch t {
	case "次の", "今度の":
		return p.sided(i, after)
	case "前の", "この前の", "こないだの", "この間の":
		return p.sided(i, before)
	case "この", "ここ":
		if n, few, u, to := p.amount(i + 1); u >= daily && to > i+1 {
			return p.lately(i, to, n, few, u)
		}
		if f, ok := japanese[p.at(i+1).text]; ok && f.has == hasSeason {
			return f.take(yearShift(0)), i + 2
		}
		return fields{}, i
	case "あと":
		if f, end := p.shifted(i+1, context{}); end > i+1 && f.same {
			return f, end
		}
		return fields{}, i
	case "数", "何", "半年", "半時間", "半日":
		return p.shifted(i, context{})
	case "末":
		if c.so.has&(hasMonth|hasMonths) != 0 && c.so.has&hasDay == 0 {
			return edgeOf(lastDay), i + 1
		}
		return fields{}, i
	}
	if f, end := p.eraYear(i, c); end > i {
		return f, end
	}
	f, ok := japanese[t]
	if !ok {
		return fields{}, i
	}
	if !p.fits(i, f, c) {
		if f.gone = true; !strings.HasSuffix(t, "休み") || !c.starts() {
			return fields{}, i
		}
	}
	if f.has == hasYears|hasEdge && c.so.has != 0 {
		return fields{}, i
	}
	if f.has == hasPart && p.is(i+1, "中") { // 午前中 has its own entry; 昼中 is no word
		return fields{}, i
	}
	return f, i + 1
}

// sided reads what follows "next" or "last" in Japanese.
func (p *parser) sided(i int, s side) (fields, int) {
	f, ok := japanese[p.at(i+1).text]
	if !ok || f.has != hasWeekday && f.has != hasSeason && f.has != hasWeekend {
		return fields{}, i
	}
	f.side = s
	return f, i + 2
}

// eraYear reads 令和5年 and 平成元年.
func (p *parser) eraYear(i int, c context) (fields, int) {
	for e, era := range eras {
		if !p.is(i, era.name) || c.so.has != 0 {
			continue
		}
		if f, end := p.eraPart(i, e); end > i {
			return f, end
		}
		f := fields{has: hasYear, era: e + 1}
		switch n := p.at(i + 1); {
		case n.text == "元年":
			f.year = era.year
			return f, i + 2
		case n.kind == number && n.n > 0 && n.n < 100 && p.is(i+2, "年", "年末", "年始"):
			f.year = era.year + n.n - 1
			if !p.is(i+2, "年") {
				f = f.take(japanese[p.at(i+2).text])
			}
			return f, i + 3
		}
	}
	return fields{}, i
}

// fits reports whether a term means a time where it is, and is not part of another word.
func (p *parser) fits(i int, f fields, c context) bool {
	t := p.at(i)
	switch t.text {
	case "あす", "きょう", "きのう", "けさ":
		if before := p.at(i - 1); !t.spaced && before.kind == other && before.text >= "ぁ" && before.text <= "ん" {
			return false
		}
	}
	if len([]rune(t.text)) == 1 && !p.alone(i) {
		return false
	}
	next := p.at(i + 1)
	numbered := next.kind == number && !p.is(i+2, "人", "つ", "個", "本", "杯") ||
		p.is(i+1, "の") && p.at(i+2).kind == number && p.is(i+3, "時", ":")
	switch {
	case f.has == hasSeason:
		return c.so.has&(hasYear|hasYears) != 0 || p.is(i+1, "に", "まで", "までに", "から")
	case f.has == hasPart:
		return c.so.has&dated != 0 || numbered || p.is(i+1, "に", "から", "まで", "までに")
	case f.has == hasAround:
		return c.so.has&hasYears != 0
	case f.has == hasLately:
		return c.starts()
	case f.has == hasEdge && t.text == "頭":
		return c.so.has&(hasMonth|hasMonths|hasYear|hasYears) != 0 && p.is(i+1, "に", "から", "まで", "頃", "ごろ")
	case f.has == hasEdge && !f.edge.ofYear() && f.edge != lastDay && f.edge != firstDay:
		return c.so.has&(hasMonth|hasMonths|hasYear|hasYears|hasDecade) != 0 && c.so.has&(hasDay|hasEdge) == 0
	case katakanaEnds(t.text):
		return next.kind != other || !isKatakana(next.text) || next.spaced
	}
	return true
}
