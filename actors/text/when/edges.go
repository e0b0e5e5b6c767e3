package when

import "time"

// onEdge returns a part of a month or year, or a feast whose date changes each year.
func (f fields) onEdge(today day, d Direction) (days, bool) {
	year := f.yearOf(today)
	named := f.has&(hasYear|hasYears) != 0
	ofMonth := func(year int) days { on, _ := f.edgeOfMonth(date(year, f.month, 1)); return on }
	ofYear := func(year int) days { return edgeOfYear(f.edge, year) }
	switch {
	case !within10k(f.months) || named && (year < 1 || year > 9998):
		return days{}, false
	case f.edge.ofYear() && named:
		return ofYear(year), true
	case f.edge.ofYear():
		on := choose(today, f.side, d, ofYear)
		if f.turns > 0 {
			on = ofYear(on.from.Year() - f.turns)
		}
		return on, true
	case f.has&hasMonth != 0 && named:
		return f.edgeOfMonth(date(year, f.month, 1))
	case f.has&hasMonth != 0:
		return choose(today, f.side, d, ofMonth), true
	case f.has&hasMonths == 0 && named:
		return partOfYear(f.edge, year)
	}
	first := date(today.Year(), int(today.Month())+f.months, 1)
	on, ok := f.edgeOfMonth(first)
	if f.has&hasMonths == 0 && d == Past && on.from.After(today) {
		return f.edgeOfMonth(first.AddDate(0, -1, 0))
	} else if f.has&hasMonths == 0 && d == Future && !on.to.After(today) {
		return f.edgeOfMonth(first.AddDate(0, 1, 0))
	}
	return on, ok
}

// edgeOfMonth returns a part of the month that begins on first.
func (f fields) edgeOfMonth(first day) (days, bool) {
	next := first.AddDate(0, 1, 0)
	from := func(n int) day { return first.AddDate(0, 0, n) }
	switch f.edge {
	case firstThird:
		return days{first, from(10), Days}, true
	case secondThird:
		return days{from(10), from(20), Days}, true
	case lastThird:
		return days{from(20), next, Days}, true
	case firstHalf:
		return days{first, from(15), Days}, true
	case lastHalf:
		return days{from(15), next, Days}, true
	case firstDay:
		return oneDay(first), true
	case nthWeek:
		if f.nth < 0 {
			return days{next.AddDate(0, 0, -7), next, Week}, true
		}
		return days{from(7 * (f.nth - 1)), from(7 * f.nth), Week}, true
	case nthWeekday:
		return oneDay(nthWeekdayOf(first, f.weekday, f.nth)), true
	}
	return oneDay(next.AddDate(0, 0, -1)), true
}

// nthWeekdayOf returns the nth of a weekday in a month, up to the fourth, or the last if
// n is negative.
func nthWeekdayOf(first day, w time.Weekday, n int) day {
	if n < 0 {
		last := first.AddDate(0, 1, -1)
		return last.AddDate(0, 0, -((int(last.Weekday()) - int(w) + 7) % 7))
	}
	return first.AddDate(0, 0, (int(w)-int(first.Weekday())+7)%7+7*(n-1))
}

// partOfYear returns a third or half of a year. A year's first and last days are separate
// edges.
func partOfYear(e edge, year int) (days, bool) {
	months := func(from, to int) (days, bool) {
		return days{date(year, from, 1), date(year, to, 1), Season}, true
	}
	switch e {
	case firstThird:
		return months(1, 5)
	case secondThird:
		return months(5, 9)
	case lastThird:
		return months(9, 13)
	case firstHalf:
		return months(1, 7)
	case lastHalf:
		return months(7, 13)
	}
	return days{}, false
}

func edgeOfYear(e edge, year int) days {
	span := func(month, day, length int) days {
		from := date(year, month, day)
		return days{from, from.AddDate(0, 0, length), Days}
	}
	switch e {
	case yearStart:
		return span(1, 1, 3)
	case yearBegins:
		return span(1, 1, 15)
	case fiscalYear:
		return days{date(year, 4, 1), date(year+1, 4, 1), Year}
	case goldenWeek:
		return span(4, 29, 8)
	case obon:
		return span(8, 11, 7)
	case easter:
		sunday := easterOf(year)
		return days{sunday.AddDate(0, 0, -2), sunday.AddDate(0, 0, 2), Days}
	case thanksgiving:
		return oneDay(nthWeekdayOf(date(year, 11, 1), time.Thursday, 4))
	}
	return span(12, 28, 4)
}

// easterOf returns Easter Sunday of the western churches (Meeus, Astronomical Algorithms,
// chapter 8).
func easterOf(year int) day {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return date(year, n/31, n%31+1)
}

// edgeOfDecade returns the first four, the middle three or the last three years of a
// decade.
func (f fields) edgeOfDecade() (days, bool) {
	years := func(from, to int) (days, bool) {
		return days{date(f.decade+from, 1, 1), date(f.decade+to, 1, 1), Years}, f.decade > 0
	}
	switch f.edge {
	case firstThird:
		return years(0, 4)
	case secondThird:
		return years(4, 7)
	case lastThird:
		return years(7, 10)
	case firstHalf:
		return years(0, 5)
	case lastHalf:
		return years(5, 10)
	}
	return days{}, false
}

// around returns the two weeks before and after the same day of another year.
func (f fields) around(today day) (days, bool) {
	if f.has&hasYears == 0 || !within10k(f.years) {
		return days{}, false
	}
	then := addMonths(today, 12*f.years)
	return days{then.AddDate(0, 0, -14), then.AddDate(0, 0, 15), Month}, true
}

// lately returns the time from so many days or months ago until today.
func (f fields) lately(today day, d Direction) (days, bool) {
	if d != Past || !within10k(f.days) || !within10k(f.months) {
		return days{}, false
	}
	from := addMonths(today, f.months).AddDate(0, 0, f.days)
	p := Days
	switch length := today.Sub(from); {
	case length > 300*24*time.Hour:
		p = Years
	case length > 60*24*time.Hour:
		p = Season
	case length > 20*24*time.Hour:
		p = Month
	}
	return days{from, today.AddDate(0, 0, 1), p}, true
}
