package when

// english reads an item that begins with an English word.
func (p *parser) english(i int, c context) (fields, int) {
	w := p.text(i)
	if f, ok := english[w]; ok {
		return f, i + 1
	}
	switch w {
	case "weekend":
		return fields{has: hasWeekend}, i + 1
	case "day", "week", "month":
		return p.afterNext(i)
	case "this", "next", "last", "past", "coming", "previous":
		return p.qualified(i, c)
	case "end", "beginning", "start", "early", "mid", "late":
		return p.edgeEnglish(i)
	}
	for _, read := range []func(int, context) (fields, int){
		p.shifted, p.clockWords, p.weekday, p.monthFirst, p.dayWord, p.season, p.dayPart,
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
	switch what {
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
	if m := monthNames[what]; m > 0 {
		f := fields{has: hasMonth, month: m, side: s}
		if s == open {
			f = f.take(yearShift(0))
		}
		if d, next := p.dayNumber(end); next > end {
			f, end = f.take(d), next
		}
		return f, end
	}
	if n, ok := seasons[what]; ok {
		f := fields{has: hasSeason, season: n, side: s}
		if s == open {
			f = f.take(yearShift(0))
		}
		return f, end
	}
	return fields{}, i
}

// edgeEnglish reads "end of the month", "early May", "mid-May".
func (p *parser) edgeEnglish(i int) (fields, int) {
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
		if m := monthNames[p.text(end)]; m > 0 {
			return p.yearBehind(f.take(fields{has: hasMonth, month: m}), end+1)
		}
		return fields{}, i
	}
	switch {
	case p.is(end+1, "month"):
		return f.take(monthShift(n)), end + 2
	case p.is(end+1, "year") && ofYear != noEdge:
		return edgeOf(ofYear).take(yearShift(n)), end + 2
	}
	return fields{}, i
}

// hourWord is an hour in words, 0 if it is none.
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
	if p.is(year, "last", "next") && p.is(year+1, "year") {
		by := 1
		if p.is(year, "last") {
			by = -1
		}
		return f.take(yearShift(by)), year + 2
	}
	switch c.prep {
	case "in", "during", "since", "until", "till", "before", "after", "by":
		if p.clause(end) {
			return f, end
		}
	}
	return fields{}, i
}

// dayPart reads "in the morning", "at night", and "morning" behind a day.
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
