package when

// english reads an item that begins with an English word.
func (p *parser) english(i int, c context) (fields, int) {
	w := p.text(i)
	if f, ok := english[w]; ok {
		return f, i + 1
	}
	switch w {
	case "day", "week", "month", "night", "weekend", "year", "spring", "summer", "autumn", "fall", "winter":
		if f, end := p.afterNext(i); end > i {
			return f, end
		}
	case "this", "next", "last", "past", "coming", "previous":
		if f, end := p.rowOf(i, c); end > i {
			return f, end
		}
		return p.qualified(i, c)
	case "end", "beginning", "start", "early", "mid", "late", "middle":
		return p.edgeEnglish(i, c)
	case "between":
		return p.between(i)
	case "other":
		if c.the && p.is(i+1, "day") {
			return fields{has: hasLately, days: -14}, i + 2
		}
	case "first", "second", "third", "fourth":
		if f, end := p.rowOf(i, c); end > i {
			return f, end
		}
	case "r", "h", "s":
		return p.shortEra(i)
	case "fifties", "sixties", "seventies", "eighties", "nineties":
		if c.the {
			return fields{has: hasDecade, decade: decades[w]}, i + 1
		}
	}
	for _, read := range []func(int, context) (fields, int){
		p.feast, p.shifted, p.seasonsAgo, p.clockWords, p.weekday, p.monthFirst, p.dayWord, p.season, p.dayPart,
	} {
		if f, end := read(i, c); end > i {
			return f, end
		}
	}
	return fields{}, i
}

// afterNext reads "day after tomorrow", "day before yesterday", "week after next".
func (p *parser) afterNext(i int) (fields, int) {
	switch {
	case p.is(i, "day") && p.is(i+1, "after") && p.is(i+2, "tomorrow", "tmrw"):
		return dayShift(2), i + 3
	case p.is(i, "day") && p.is(i+1, "before") && p.is(i+2, "yesterday"):
		return dayShift(-2), i + 3
	case p.is(i, "week") && p.is(i+1, "after") && p.is(i+2, "next"):
		return weekShift(2), i + 3
	case p.is(i, "month") && p.is(i+1, "after") && p.is(i+2, "next"):
		return monthShift(2), i + 3
	case p.is(i, "week", "month") && p.is(i+1, "before") && p.is(i+2, "last"):
		if p.is(i, "week") {
			return weekShift(-2), i + 3
		}
		return monthShift(-2), i + 3
	case p.is(i+1, "before") && p.is(i+2, "last"):
		switch n, season := seasons[p.at(i).text]; {
		case season:
			return fields{has: hasSeason, season: n, side: before, turns: 1}, i + 3
		case p.is(i, "night"):
			return partAt(-2, night), i + 3
		case p.is(i, "weekend"):
			return fields{has: hasWeeks | hasWeekend, weeks: -2}, i + 3
		case p.is(i, "year"):
			return yearShift(-2), i + 3
		}
	case p.is(i, "weekend"):
		return fields{has: hasWeekend}, i + 1
	}
	return fields{}, i
}

// rowOf reads "first week of May" and "last Friday of October".
func (p *parser) rowOf(i int, c context) (fields, int) {
	n, counted := ordinals[p.at(i).text]
	if p.is(i, "last") {
		n, counted = -1, true
	}
	f, end := fields{has: hasEdge, nth: n, edge: nthWeek}, i+2
	if d, ok := weekdays[p.at(i+1).text]; ok {
		f.edge, f.weekday = nthWeekday, d
	} else if !p.is(i+1, "week") {
		return fields{}, i
	}
	if !counted || !c.the || !p.is(end, "of", "in") {
		return fields{}, i
	}
	if m := monthNames[p.text(end+1)]; m > 0 {
		return p.yearBehind(f.take(fields{has: hasMonth, month: m}), end+2)
	}
	switch {
	case p.is(end+1, "last") && p.is(end+2, "month"):
		return f.take(monthShift(-1)), end + 3
	case p.is(end+1, "this", "the") && p.is(end+2, "month"):
		return f.take(monthShift(0)), end + 3
	case p.is(end+1, "next") && p.is(end+2, "month"):
		return f.take(monthShift(1)), end + 3
	}
	return fields{}, i
}

// qualified reads what follows this, next and last.
func (p *parser) qualified(i int, c context) (fields, int) {
	n, s := 0, open
	switch p.at(i).text {
	case "next", "coming":
		n, s = 1, after
	case "last", "past", "previous":
		n, s = -1, before
	}
	what, end := p.text(i+1), i+2
	if m, few, u, to := p.amount(i + 1); n < 0 && to > i+2 && m >= 2 {
		return p.lately(i, to, m, few, u)
	}
	if f, to := p.feastAt(i + 1); to > i+1 {
		if f.side = s; s == open {
			f = f.take(yearShift(0))
		}
		return f, to
	}
	switch what {
	case "time":
		if f, to := p.yearAway(end); s == open && p.is(i, "this") && to > end {
			return f.take(fields{has: hasAround}), to
		}
		return fields{}, i
	case "week":
		return weekShift(n), end
	case "weekend":
		return fields{has: hasWeeks | hasWeekend, weeks: n}, end
	case "month":
		return monthShift(n), end
	case "year":
		return yearShift(n), end
	case "night", "evening", "morning", "afternoon":
		if n == 1 || n == -1 && (what == "morning" || what == "afternoon") {
			return fields{}, i
		}
		return partAt(n, dayparts[what]), end
	}
	if d, ok := weekdays[what]; ok {
		if s == before {
			return fields{has: hasWeekday, weekday: d, side: before}, end
		}
		if c.so.has&hasWeeks != 0 {
			return fields{}, i
		}
		return fields{has: hasWeekday | hasWeeks, weekday: d, weeks: n}, end
	}
	return p.ofSide(i, s)
}

// ofSide reads the month or season after this, next and last at i.
func (p *parser) ofSide(i int, s side) (fields, int) {
	f, end := fields{side: s}, i+2
	what := p.text(i + 1)
	if n, ok := seasons[what]; ok {
		f.has, f.season = hasSeason, n
	} else if m := monthNames[what]; m > 0 {
		f.has, f.month = hasMonth, m
		if d, next := p.dayNumber(end); next > end {
			f, end = f.take(d), next
		}
	} else {
		return fields{}, i
	}
	if s == open {
		f = f.take(yearShift(0))
	}
	return f, end
}

// edgeEnglish reads "end of the month", "early May", "mid-May".
func (p *parser) edgeEnglish(i int, c context) (fields, int) {
	var e, ofYear edge
	end := i + 1
	switch p.at(i).text {
	case "end":
		e, ofYear = lastDay, yearEnd
	case "beginning", "start":
		e, ofYear = firstDay, yearStart
	case "early":
		e, ofYear = firstThird, noEdge
	case "mid":
		e, ofYear = secondThird, noEdge
	case "middle":
		if e, ofYear = secondThird, noEdge; !p.is(end, "of") {
			return fields{}, i
		}
		end++
	case "late":
		e, ofYear = lastThird, noEdge
	}
	if ofYear != noEdge {
		if !p.is(end, "of") {
			return fields{}, i
		}
		end++
	} else if p.is(end, "-", "in") {
		end++
	}
	f, n := edgeOf(e), 0
	switch p.at(end).text {
	case "next":
		n = 1
	case "last":
		n = -1
	case "this":
	case "the":
		if p.is(end+1, "month") && ofYear != noEdge {
			return f, end + 2
		}
		if p.is(end+1, "year") && ofYear != noEdge {
			return edgeOf(ofYear), end + 2
		}
		return fields{}, i
	default:
		return p.edgeOfNamed(i, end, f, ofYear, c)
	}
	switch {
	case p.is(end+1, "month"):
		return f.take(monthShift(n)), end + 2
	case p.is(end+1, "year") && ofYear != noEdge:
		return edgeOf(ofYear).take(yearShift(n)), end + 2
	case p.is(end+1, "year") && p.is(i, "early", "late", "mid", "middle"):
		return f.take(yearShift(n)), end + 2
	}
	return fields{}, i
}

// edgeOfNamed reads the month, year or decade after "early", "mid-", "end of".
func (p *parser) edgeOfNamed(i, end int, f fields, ofYear edge, c context) (fields, int) {
	if m := monthNames[p.text(end)]; m > 0 {
		return p.yearBehind(f.take(fields{has: hasMonth, month: m}), end+1)
	}
	t := p.at(end)
	if n, ok := decades[t.text]; ok && c.the && ofYear == noEdge {
		return f.take(fields{has: hasDecade, decade: n}), end + 1
	}
	if t.kind != number {
		return fields{}, i
	}
	if g, next := p.decade(end, context{the: true}); next > end && ofYear == noEdge {
		return f.take(g), next
	}
	if t.digits != 4 || t.n < 1000 || t.n > 2999 || !p.clause(end+1) {
		return fields{}, i
	}
	if ofYear != noEdge {
		f = edgeOf(ofYear)
	}
	return f.take(fields{has: hasYear, year: t.n}), end + 1
}

// hourWord returns an hour in words, 0 if there is none.
func (p *parser) hourWord(i int) int {
	if n := counts[p.at(i).text]; n <= 12 && !p.is(i, "a", "an") {
		return n
	}
	return 0
}

// clockWords reads "nine", "nine thirty", "half past nine", "ten to nine".
func (p *parser) clockWords(i int, c context) (fields, int) {
	f := fields{has: hasClock, fine: Minute}
	by, end := 0, i
	switch {
	case p.is(i, "half") && p.is(i+1, "past"):
		by, end = 30, i+1
	case p.is(i, "quarter"):
		by, end = 15, i+1
	case p.is(i, "a") && p.is(i+1, "quarter"):
		by, end = 15, i+2
	case counts[p.at(i).text] > 0 && !p.is(i, "a", "an"):
		if by, end = p.countWords(i); p.is(end, "minutes", "minute", "mins") {
			end++
		}
	}
	if end > i && p.is(end, "past", "to") {
		hour, next := p.hourWord(end+1), end+2
		if t := p.at(end + 1); t.digits > 0 && t.digits <= 2 && t.n <= 12 {
			hour = t.n
		}
		if hour > 0 && by < 60 && (p.is(end, "past") || p.clause(next)) {
			if f.hour, f.minute = hour, by; p.is(end, "to") {
				f.minute, f.less = 0, by
			}
			return p.half(f, next)
		}
	}
	hour := p.hourWord(i)
	if hour == 0 {
		return fields{}, i
	}
	f.hour, f.fine, end = hour, Hour, i+1
	if m, next := p.countWords(end); counts[p.at(end).text] >= 10 && m < 60 {
		f.minute, f.fine, end = m, Minute, next
	}
	if g, next := p.half(f, end); next > end {
		return g, next
	}
	if f.fine == Minute && f.minute >= 10 && p.clause(end) { // nine thirty
		return f, end
	}
	if c.the || !p.clause(end) {
		return fields{}, i
	}
	g, to := hourBehind(hour, c, i, end)
	if to > i {
		g.minute, g.fine = f.minute, f.fine
	}
	return g, to
}

// weekday reads a weekday without a word before it.
func (p *parser) weekday(i int, c context) (fields, int) {
	d, ok := weekdays[p.text(i)]
	if !ok {
		return fields{}, i
	}
	end := i + 1
	if doubtful[p.text(i)] && c.starts() {
		if g, next := p.item(end, fields{has: hasWeekday}); next == end ||
			g.has&(hasClock|hasPart|hasMonth|hasDay|hasWeeks) == 0 {
			return fields{}, i
		}
	}
	return weekdayOf(d), end
}

// dayNumber reads 3, 3rd or third.
func (p *parser) dayNumber(i int) (fields, int) {
	t := p.at(i)
	if n := ordinals[t.text]; n > 0 && p.clause(i+1) {
		return fields{has: hasDay, day: n}, i + 1
	}
	if t.digits < 1 || t.digits > 2 || t.n < 1 || t.n > 31 || p.counted(i+1) {
		return fields{}, i
	}
	if p.glued(i+1, "st", "nd", "rd", "th") {
		return fields{has: hasDay, day: t.n}, i + 2
	}
	if !p.clause(i+1) && !p.is(i+1, ",") {
		return fields{}, i
	}
	if p.is(i+1, "am", "pm") || p.is(i+1, "o'clock") {
		return fields{}, i
	}
	return fields{has: hasDay, day: t.n}, i + 1
}

// monthFirst reads May 3rd, May 2018, in May.
func (p *parser) monthFirst(i int, c context) (fields, int) {
	m := monthNames[p.text(i)]
	if m == 0 {
		return fields{}, i
	}
	f, end := fields{has: hasMonth, month: m}, i+1
	if p.glued(end, ".") && len(p.at(i).text) < 5 {
		end++
	}
	day := end
	if p.is(day, "the") {
		day++
	}
	if d, next := p.dayNumber(day); next > day {
		return p.yearBehind(f.take(d), next)
	}
	if g, next := p.yearBehind(f, end); next > end {
		return g, next
	}
	year := end
	if p.is(year, "of") {
		year++
	}
	if g, next := p.yearAway(year); next > year && !p.is(end, "this") {
		return f.take(g), next
	}
	switch c.prep {
	case "in", "since", "until", "till", "by", "before", "after", "during", "from", "of":
		return f, i + 1
	}
	if c.so.has&(hasYear|hasYears) != 0 || c.so.has == hasDay {
		return f, i + 1
	}
	return fields{}, i
}

// dayWord reads "the third of May", "on the third".
func (p *parser) dayWord(i int, c context) (fields, int) {
	n := ordinals[p.at(i).text]
	if n == 0 || !c.the {
		return fields{}, i
	}
	return p.dayThen(i, i+1, n, true, c)
}

// season reads "in the summer", "summer of 2018", "summer 2018".
func (p *parser) season(i int, c context) (fields, int) {
	n, ok := seasons[p.text(i)]
	if !ok {
		return fields{}, i
	}
	f, end := seasonOf(n), i+1
	year := end
	if p.is(year, "of") {
		year++
	}
	if t := p.at(year); t.digits == 4 && t.n >= 1000 && t.n < 3000 && p.clause(year+1) {
		return f.take(fields{has: hasYear, year: t.n}), year + 1
	}
	if g, next := p.shortYear(year); next > year {
		return f.take(g), next
	}
	if g, next := p.yearAway(year); next > year {
		return f.take(g), next
	}
	switch c.prep {
	case "in", "during", "since", "until", "till", "before", "after", "by":
		if p.clause(end) {
			return f, end
		}
	}
	return fields{}, i
}

// yearAway reads the year after a month or season: last year, two years ago.
func (p *parser) yearAway(i int) (fields, int) {
	if p.is(i, "last", "next", "this") && p.is(i+1, "year") {
		return yearShift(map[string]int{"last": -1, "next": 1}[p.at(i).text]), i + 2
	}
	if f, end := p.shifted(i, context{}); end > i && f.has == hasYears {
		return f, end
	}
	return fields{}, i
}

// dayPart reads "in the morning", "at night", and "morning" after a day.
func (p *parser) dayPart(i int, c context) (fields, int) {
	d, ok := dayparts[p.text(i)]
	switch {
	case !ok:
	case c.so.has&dated != 0 && c.prep == "", c.prep == "in" && c.the, c.prep == "at" && d == night && !c.the,
		c.prep == "during" && c.the:
		return partOf(d), i + 1
	}
	return fields{}, i
}
