package when

import "time"

// shifted reads a distance from now: 30分後, two years ago, in two and a half hours.
func (p *parser) shifted(i int, c context) (fields, int) {
	n, few, u, end := p.amount(i)
	if u == noUnit {
		return fields{}, i
	}
	if p.is(i, "何") { // 何年か前, 何年も前; 何年前 asks
		if !p.is(end, "か", "も") {
			return fields{}, i
		}
		end++
	}
	for p.is(end, "くらい", "ぐらい", "ほど", "以上", "も", "or") {
		if p.is(end, "or") && !p.is(end+1, "so") {
			break
		}
		if p.is(end, "or") {
			end++
		}
		end++
	}
	switch {
	case p.is(end, "ago", "earlier", "前", "まえ", "前の"),
		p.is(end, "back") && u >= daily && p.clause(end+1) && !p.is(i-1, "my", "your", "his", "her", "our", "their"):
		return p.behind(i, end+1, n, few, u, -1)
	case p.is(end, "後", "あと", "したら", "たったら", "経ったら", "経過後", "later", "hence"):
		return p.behind(i, end+1, n, few, u, 1)
	case p.is(end, "from") && p.is(end+1, "now", "today"):
		return p.behind(i, end+2, n, few, u, 1)
	case c.prep == "in" && !c.the && p.at(i).kind != term && p.at(end-1).kind == word:
		if p.is(end, "time") {
			end++
		}
		return p.behind(i, end, n, few, u, 1)
	case p.is(i-1, "あと") && p.is(end, "で"):
		return p.behind(i, end+1, n, few, u, 1)
	}
	return fields{}, i
}

// farthest is the longest distance in hours, minutes or seconds.
const farthest = 100 * 366 * 24 * time.Hour

// behind makes the fields of a distance. It begins at i and ends at end.
func (p *parser) behind(i, end int, n float64, few int, u unit, sign int) (fields, int) {
	whole := n == float64(int(n))
	f := fields{same: sign > 0, few: few}
	by := sign * int(n)
	switch {
	case u == daily && !whole:
		return p.behind(i, end, 24*n, 0, hourly, sign)
	case u == yearly && !whole:
		return p.behind(i, end, 12*n, 0, monthly, sign)
	case u == daily:
		f.has, f.days = hasDays, by
	case u == decadal:
		return p.behind(i, end, 10*n, 10*few, yearly, sign)
	case u == weekly && whole:
		f.has, f.weeks = hasWeeks, by
	case u == monthly && whole:
		f.has, f.months = hasMonths, by
	case u == yearly:
		f.has, f.years = hasYears, by
	case u <= hourly:
		grain := [...]Precision{seconds: Second, minutes: Minute, hourly: Hour}[u]
		length := [...]time.Duration{seconds: time.Second, minutes: time.Minute, hourly: time.Hour}[u]
		if n*float64(length) > float64(farthest) {
			return fields{}, i
		}
		f.has, f.grain = hasDistance, grain
		f.distance = time.Duration(sign) * time.Duration(n*float64(length))
		if !whole && u == hourly {
			f.grain = Minute
		}
	default:
		return fields{}, i
	}
	return f, end
}

// amount reads how many of a unit: "two and a half hours", 1時間半, 数日, "a few days". For 数
// and "a few" n is two, and few is how many more there may be.
func (p *parser) amount(i int) (n float64, few int, u unit, end int) {
	switch {
	case p.is(i, "半年"):
		return 6, 0, monthly, i + 1
	case p.is(i, "半時間"):
		return 30, 0, minutes, i + 1
	case p.is(i, "半日"):
		return 12, 0, hourly, i + 1
	case p.is(i, "half") && p.is(i+1, "a", "an"):
		return 0.5, 0, units[p.at(i+2).text], i + 3
	}
	n, few, end = p.quantity(i)
	if end == i {
		return 0, 0, noUnit, i
	}
	if more, to := p.upTo(end, n); to > end {
		few, end = more, to
	}
	if p.is(end, "and") && p.is(end+1, "a") && p.is(end+2, "half") {
		n, end = n+0.5, end+3
	}
	u = units[unpossessed(p.at(end).text)]
	if p.is(end, "fortnight", "fortnights") {
		n, few, u = 2*n, 2*few, weekly
	}
	if u == noUnit && p.is(end, "h", "m") && p.glued(end, "h", "m") {
		u = map[string]unit{"h": hourly, "m": minutes}[p.at(end).text]
	}
	end++
	switch {
	case p.is(end, "半"):
		n, end = n+0.5, end+1
	case p.is(end, "and") && p.is(end+1, "a") && p.is(end+2, "half"):
		n, end = n+0.5, end+3
	case u == hourly && p.at(end).kind == number && units[p.at(end+1).text] == minutes && p.at(end).n >= 0:
		n, u, end = 60*n+float64(p.at(end).n), minutes, end+2
	case u == hourly && p.is(end, "and") && p.at(end+1).kind == number && units[p.at(end+2).text] == minutes &&
		p.at(end+1).n >= 0:
		n, u, end = 60*n+float64(p.at(end+1).n), minutes, end+3
	}
	return n, few, u, end
}

// upTo reads the second number of "two or three", 2〜3 and 二、三, and returns how much
// greater it is.
func (p *parser) upTo(i int, n float64) (more, end int) {
	if !p.is(i, "-", "~", "、", "or", "to", "か", "から") {
		return 0, i
	}
	last, _, end := p.quantity(i + 1)
	if end == i+1 || last <= n || last > n+5 || last != float64(int(last)) || n != float64(int(n)) {
		return 0, i
	}
	return int(last - n), end
}

// unpossessed removes the ending of "in two hours' time" and "a year's".
func unpossessed(s string) string {
	if len(s) > 2 && s[len(s)-2:] == "'s" {
		return s[:len(s)-2]
	}
	return s
}

// quantity reads a number in digits or words.
func (p *parser) quantity(i int) (n float64, few, end int) {
	t := p.at(i)
	switch {
	case t.kind == number && t.n >= 0:
		if d := p.at(i + 2); p.glued(i+1, ".") && d.kind == number && !d.spaced && d.digits == 1 {
			return float64(t.n) + float64(d.n)/10, 0, i + 3
		}
		return float64(t.n), 0, i + 1
	case p.is(i, "数", "何"):
		return 2, 3, i + 1
	case p.is(i, "a") && p.is(i+1, "few"):
		return 2, 3, i + 2
	case p.is(i, "few", "several", "some"):
		return 2, 3, i + 1
	case p.is(i, "a") && p.is(i+1, "couple"):
		if end = i + 2; p.is(end, "of") {
			end++
		}
		return 2, 0, end
	case t.kind == word && counts[t.text] > 0:
		whole, end := p.countWords(i)
		return float64(whole), 0, end
	}
	return 0, 0, i
}

// countWords reads a number below 100 in words, such as twenty-five.
func (p *parser) countWords(i int) (n, end int) {
	n, end = counts[p.at(i).text], i+1
	if n < 20 {
		return n, end
	}
	next := end
	if p.is(next, "-") {
		next++
	}
	if ones := counts[p.at(next).text]; ones > 0 && ones < 10 && !p.is(next, "a", "an") {
		return n + ones, next + 1
	}
	return n, end
}
