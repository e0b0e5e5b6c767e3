package when

// numeric reads an item that begins with a number in digits.
func (p *parser) numeric(i int, c context) (fields, int) {
	t := p.at(i)
	if t.n < 0 || !p.loose(i) {
		return fields{}, i
	}
	for _, read := range []func(int, context) (fields, int){
		p.fullDate, p.dateThenYear, p.colon, p.slash, p.clockJapanese, p.clockEnglish, p.shifted, p.seasonsAgo,
		p.dateJapanese, p.dayFirst, p.decade, p.bareYear, p.bareHour,
	} {
		if f, end := read(i, c); end > i {
			return f, end
		}
	}
	return fields{}, i
}

// fullDate reads 2026-05-03, 2026/5/3 and 2026.5.3.
func (p *parser) fullDate(i int, _ context) (fields, int) {
	sep := p.at(i + 1).text
	if p.at(i).digits != 4 || !p.glued(i+1, "-", "/", ".") || !p.glued(i+3, sep) {
		return fields{}, i
	}
	m, d := p.at(i+2), p.at(i+4)
	if m.kind != number || d.kind != number || m.digits < 1 || m.digits > 2 || d.digits < 1 || d.digits > 2 ||
		m.spaced || d.spaced || p.counted(i+5) {
		return fields{}, i
	}
	if p.glued(i+5, "t") { // 2026-05-03T18:00
		if f, end := p.colon(i+6, context{}); end > i+6 && !p.at(i+6).spaced {
			return fields{has: hasYear | hasMonth | hasDay, year: p.at(i).n, month: m.n, day: d.n}.take(f), end
		}
	}
	return fields{has: hasYear | hasMonth | hasDay, year: p.at(i).n, month: m.n, day: d.n}, i + 5
}

// scores are words that precede the result of a game or a proportion.
var scores = asSet("won", "lost", "beat", "win", "wins", "lose", "score", "scored", "led", "lead", "ratio", "aspect",
	"odds", "by", "スコア")

// colon reads 18:00, 9:30 pm, 23:59:59.
func (p *parser) colon(i int, c context) (fields, int) {
	h, m := p.at(i), p.at(i+2)
	if h.digits < 1 || h.digits > 2 || !p.glued(i+1, ":") || m.spaced || m.digits != 2 || h.n > 29 || m.n > 59 {
		return fields{}, i
	}
	f := fields{has: hasClock, hour: h.n, minute: m.n, fine: Minute, literal: h.n == 0 || h.n > 12 ||
		h.digits == 2 && h.n < 10}
	end := i + 3
	if s := p.at(i + 4); p.glued(i+3, ":") && s.digits == 2 && !s.spaced && s.n < 60 {
		f.second, f.fine, end = s.n, Second, i+5
	}
	if p.counted(end) && !p.is(end, "-") || p.is(end, "で") && p.is(end+1, "勝", "負") {
		return fields{}, i
	}
	for k := i - 1; k >= i-3 && c.so.has == 0; k-- {
		if scores[p.at(k).text] {
			return fields{}, i
		}
	}
	return p.half(f, end)
}

// half reads am and pm after a clock.
func (p *parser) half(f fields, end int) (fields, int) {
	var next int
	letter := p.at(end).text
	switch {
	case p.is(end, "am", "pm"):
		letter, next = letter[:1], end+1
	case p.is(end, "a", "p") && p.glued(end+1, ".") && p.glued(end+2, "m"):
		if next = end + 3; p.glued(next, ".") {
			next++
		}
	case p.is(end, "o'clock"):
		return f, end + 1
	default:
		return f, end
	}
	if f.hour > 12 || f.hour == 0 && letter == "p" || f.literal && f.hour == 24 {
		return f, next
	}
	f.has |= hasPart
	f.literal = false
	if f.part = am; letter == "p" {
		f.part = afternoon
	}
	return f, next
}

// slash reads 5/3 where it can only be a date.
func (p *parser) slash(i int, c context) (fields, int) {
	m, d := p.at(i), p.at(i+2)
	if m.digits < 1 || m.digits > 2 || !p.glued(i+1, "/") || d.spaced || d.digits < 1 || d.digits > 2 ||
		p.counted(i+3) {
		return fields{}, i
	}
	end := i + 3
	if !p.is(end, "に", "の", "(", "（", "から", "まで", "までに", "は") && c.prep != "on" && c.prep != "by" &&
		c.prep != "until" && c.prep != "since" {
		return fields{}, i
	}
	f := fields{has: hasMonth | hasDay, month: m.n, day: d.n}
	if f.month > 12 {
		f.month, f.day = f.day, f.month
	}
	return f, end
}

// clockJapanese reads 9時, 三時半, 18時05分30秒 and 9時5分前.
func (p *parser) clockJapanese(i int, c context) (fields, int) {
	t := p.at(i)
	if !p.is(i+1, "時") || t.n > 29 || t.digits > 2 {
		return fields{}, i
	}
	end := i + 2
	f := fields{has: hasClock, hour: t.n, fine: Hour, literal: t.n == 0 || t.n > 12}
	if t.digits == 0 && t.n == 1 && c.so.has == 0 && p.at(end).kind != number &&
		!p.is(end, "半", "に", "ごろ", "頃", "ちょうど", "から", "まで") { // 一時 is also "for a while"
		return fields{}, i
	}
	switch m := p.at(end); {
	case p.is(end, "半"):
		f.minute, f.fine, end = 30, Minute, end+1
	case m.kind == number && m.n >= 0 && m.n < 60 && p.is(end+1, "分") && p.is(end+2, "前", "まえ"):
		f.less, f.fine, end = m.n, Minute, end+3
	case m.kind == number && m.n >= 0 && m.n < 60 && p.is(end+1, "分"):
		f.minute, f.fine, end = m.n, Minute, end+2
		if s := p.at(end); s.kind == number && s.n >= 0 && s.n < 60 && p.is(end+1, "秒") {
			f.second, f.fine, end = s.n, Second, end+2
		}
	}
	if p.is(end, "ごろ", "頃", "ころ", "くらい", "ぐらい", "ちょうど", "きっかり", "ぴったり", "すぎ", "過ぎ") {
		end++
	}
	return f, end
}

// clockEnglish reads 9am, 9.30 p.m., 9 o'clock.
func (p *parser) clockEnglish(i int, _ context) (fields, int) {
	h, m := p.at(i), p.at(i+2)
	if h.digits < 1 || h.digits > 2 || h.n > 24 {
		return fields{}, i
	}
	f := fields{has: hasClock, hour: h.n, fine: Hour, literal: h.n == 0 || h.n > 12}
	end := i + 1
	if p.glued(end, ".") && !m.spaced && m.digits == 2 && m.n < 60 {
		f.minute, f.fine, end = m.n, Minute, i+3
	}
	g, next := p.half(f, end)
	if next == end {
		return fields{}, i
	}
	return g, next
}

// dateJapanese reads 2018年, 5月, 3日, and years of an era after its name.
func (p *parser) dateJapanese(i int, c context) (fields, int) {
	n := p.at(i).n
	switch p.at(i + 1).text {
	case "年", "年末", "年始":
		f := fields{has: hasYear, year: n}
		if c.so.has != 0 {
			return fields{}, i
		}
		if n < 1000 {
			return p.shortJapanese(i)
		}
		if g, end := p.yearTo(f, i+2); p.is(i+1, "年") && end > i+2 {
			return g, end
		}
		if p.is(i+1, "年末", "年始") {
			f = f.take(japanese[p.at(i+1).text])
		}
		return f, i + 2
	case "年度":
		if n < 1000 || n > 2999 || c.so.has != 0 {
			return fields{}, i
		}
		return fields{has: hasYear | hasEdge, year: n, edge: fiscalYear}, i + 2
	case "年代":
		return decadeOf(n, p.at(i).digits, i, i+2)
	case "月", "月末", "月初", "月初め":
		if n < 1 || n > 12 || p.is(i+2, "間") {
			return fields{}, i
		}
		f := fields{has: hasMonth, month: n}
		if !p.is(i+1, "月") {
			f = f.take(japanese[p.at(i+1).text])
		}
		return f, i + 2
	case "日":
		if n < 1 || n > 31 || !p.dated(i+2, c) {
			return fields{}, i
		}
		return fields{has: hasDay, day: n}, i + 2
	}
	return fields{}, i
}

// dated reports whether 3日 is a date, not a duration: a month comes before it, or what
// follows belongs to a date.
func (p *parser) dated(end int, c context) bool {
	switch {
	case c.so.has&hasDay != 0:
		return false
	case c.so.has&(hasMonth|hasMonths) != 0:
		return true
	}
	if p.at(end-2).digits == 0 && p.at(end-2).n == 1 { // 一日に三回
		return false
	}
	switch {
	case p.is(end, "に"):
		return !(p.at(end+1).kind == number && p.is(end+2, "回", "度", "分")) // 3日に1回
	case p.is(end, "の"):
		_, time := p.item(end+1, fields{has: hasDay})
		return time > end+1
	case p.is(end, "は", "まで", "までに", "から", "(", "（", "、"):
		return true
	}
	next, time := p.item(end, fields{has: hasDay})
	return time > end && next.has&(hasClock|hasPart|hasWeekday) != 0
}

// dayFirst reads 3rd, 3 May 2018, 3rd of May.
func (p *parser) dayFirst(i int, c context) (fields, int) {
	n, end := p.at(i).n, i+1
	ordinal := p.glued(end, "st", "nd", "rd", "th")
	if ordinal {
		end++
	}
	if p.at(i).digits < 1 || p.at(i).digits > 2 || n < 1 || n > 31 {
		return fields{}, i
	}
	return p.dayThen(i, end, n, ordinal, c)
}

// dayThen reads what follows the number of a day: a month, or nothing if an ordinal can
// only be a day.
func (p *parser) dayThen(i, end, n int, ordinal bool, c context) (fields, int) {
	f := fields{has: hasDay, day: n}
	month := end
	if p.is(month, "of") {
		month++
	}
	if m := monthNames[p.text(month)]; m > 0 && (ordinal || month == end) {
		return p.yearBehind(f.take(fields{has: hasMonth, month: m}), month+1)
	}
	if p.is(end, "of") && (p.is(end+1, "this", "next", "last") && p.is(end+2, "month") ||
		p.is(end+1, "the") && p.is(end+2, "month")) {
		g, to := monthShift(0), end+3
		switch p.at(end + 1).text {
		case "next":
			g = monthShift(1)
		case "last":
			g = monthShift(-1)
		case "the":
			return f, to
		}
		return f.take(g), to
	}
	switch c.prep {
	case "on", "by", "until", "till", "since", "before", "after":
		if ordinal && c.the && p.clause(end) && !p.is(end, "of") {
			return f, end
		}
	case "":
		if ordinal && c.so.has == hasWeekday && p.clause(end) && !p.is(end, "of") { // Friday the 13th
			return f, end
		}
	}
	return fields{}, i
}

// yearBehind reads the year of a date: May 3, 2018.
func (p *parser) yearBehind(f fields, end int) (fields, int) {
	i := end
	if p.is(i, ",") {
		i++
	}
	if t := p.at(i); t.digits == 4 && t.n >= 1000 && t.n < 3000 && p.clause(i+1) {
		return f.take(fields{has: hasYear, year: t.n}), i + 1
	}
	if g, next := p.shortYear(i); next > i {
		return f.take(g), next
	}
	return f, end
}

// decade reads 1990s and 90s.
func (p *parser) decade(i int, c context) (fields, int) {
	if !p.glued(i+1, "s", "'s") || !c.the && c.prep == "" {
		return fields{}, i
	}
	return decadeOf(p.at(i).n, p.at(i).digits, i, i+2)
}

// decadeOf makes a decade of 1990 or 90. It begins at i and ends at end.
func decadeOf(n, digits, i, end int) (fields, int) {
	switch {
	case n%10 != 0 || digits != 4 && digits != 2:
		return fields{}, i
	case digits == 2 && n >= 30:
		n += 1900
	case digits == 2:
		n += 2000
	}
	return fields{has: hasDecade, decade: n}, end
}

// bareYear reads a year after a preposition or a season: in 2018.
func (p *parser) bareYear(i int, c context) (fields, int) {
	t := p.at(i)
	if t.digits != 4 || t.n < 1000 || t.n > 2999 {
		return fields{}, i
	}
	if g, end := p.yearTo(fields{has: hasYear, year: t.n}, i+1); end > i+1 && c.prep != "" && p.clause(end) {
		return g, end
	}
	if !p.clause(i + 1) {
		return fields{}, i
	}
	switch c.prep {
	case "in", "since", "from", "until", "till", "before", "after", "during", "of", "around", "by":
		return fields{has: hasYear, year: t.n}, i + 1
	}
	if c.so.has&(hasSeason|hasMonth) != 0 && c.so.has&(hasYear|hasYears) == 0 {
		return fields{has: hasYear, year: t.n}, i + 1
	}
	return fields{}, i
}

// bareHour reads the hour after "at".
func (p *parser) bareHour(i int, c context) (fields, int) {
	t := p.at(i)
	if t.digits < 1 || t.digits > 2 || t.n > 24 || c.the || !p.clause(i+1) {
		return fields{}, i
	}
	return hourBehind(t.n, c, i, i+1)
}

// hourBehind makes a clock time of an hour after a preposition.
func hourBehind(n int, c context, i, end int) (fields, int) {
	switch c.prep {
	case "at", "until", "till", "before", "after":
	case "by", "around", "about", "from":
		if c.so.has&dated == 0 {
			return fields{}, i
		}
	default:
		return fields{}, i
	}
	return fields{has: hasClock, hour: n, fine: Hour, literal: n == 0 || n > 12}, end
}
