package when

import "time"

// days is a stretch of days; to is excluded.
type days struct {
	from, to  day
	precision Precision
}

func oneDay(d day) days { return days{d, d.AddDate(0, 0, 1), Day} }

// resolve turns fields into a span. It returns false if the time does not exist or is
// outside the years 1 to 9999.
func (f fields) resolve(now time.Time, d Direction) (s Span, ok bool) {
	now = now.Round(0)
	today := date(now.Year(), int(now.Month()), now.Day())
	switch {
	case f.has == 0 || f.has == hasPart && f.part == anyPart || f.gone && d == Future:
		return Span{}, false
	case f.has == hasLately && f.distance != 0:
		s, ok = Span{now.Add(f.distance), now, Hour}, d == Past
	case f.has&hasDistance != 0:
		s, ok = f.far(now), true
	case f.has&dated == 0:
		s, ok = f.anyDay(today, now, d)
	default:
		if f.custom && dayFirst(now.Location()) {
			f.month, f.day = f.day, f.month
		}
		var on days
		if on, ok = f.on(today, now, d); ok && f.reach != itself && d == Past {
			on, ok = f.reached(on, today)
		}
		if !ok {
			return Span{}, false
		}
		if f.has&(hasClock|hasPart) != 0 && on.precision == Day {
			s = f.within(on.from, now, d)
		} else {
			s = Span{moment(on.from, 0, 0, 0, now.Location()), moment(on.to, 0, 0, 0, now.Location()), on.precision}
		}
	}
	if !ok || s.From.Year() < 1 || s.To.Year() > 9999 || !s.From.Before(s.To) {
		return Span{}, false
	}
	return s, true
}

// far returns a distance from now: the exact moment if it is in the future, and half a
// unit around it if it is in the past.
func (f fields) far(now time.Time) Span {
	unit := map[Precision]time.Duration{Second: time.Second, Minute: time.Minute, Hour: time.Hour}[f.grain]
	at, more := now.Add(f.distance), time.Duration(f.few)*unit
	if f.distance < 0 {
		return Span{at.Add(-more - unit/2), at.Add(unit - unit/2), f.grain}
	}
	return Span{at, at.Add(more + unit), f.grain}
}

// anyDay returns a clock time or a part of a day without a date.
func (f fields) anyDay(today day, now time.Time, d Direction) (Span, bool) {
	if d == Past {
		for n := range 3 {
			if s := f.within(today.AddDate(0, 0, -n), now, d); !s.From.After(now) {
				return s, true
			}
		}
		return Span{}, false
	}
	for n := -1; n < 3; n++ { // yesterday's night may still last
		s := f.within(today.AddDate(0, 0, n), now, d)
		if s.From.After(now) || f.has&hasClock == 0 && s.To.After(now) {
			return s, true
		}
	}
	return Span{}, false
}

// within narrows a day to the clock time or the part of the day.
func (f fields) within(on day, now time.Time, d Direction) Span {
	zone := now.Location()
	if f.has&hasClock == 0 {
		h := hours[f.part]
		return Span{moment(on, h.from, 0, 0, zone), moment(on, h.to, 0, 0, zone), PartOfDay}
	}
	from := moment(on, f.hourOf(on, now, d), f.minute-f.less, f.second, zone)
	length := map[Precision]time.Duration{Second: time.Second, Minute: time.Minute, Hour: time.Hour}[f.fine]
	return Span{from, from.Add(length), f.fine}
}

// hourOf returns the hour that a clock means on a day: the part of the day decides, or
// else the likelier half.
func (f fields) hourOf(on day, now time.Time, d Direction) int {
	h := f.hour
	switch {
	case h == 0 && (f.part == noonish || f.part == afternoon):
		return 12
	case f.literal || h > 12 || h == 0 && f.part < night:
		return h
	case f.part == am || f.part == dawn || f.part == morning:
		return h % 12
	case f.part == night || f.part == late:
		if h%12 < 5 {
			return h%12 + 24
		}
		return h + 12
	case f.part == noonish:
		if h < 6 {
			return h + 12
		}
		return h
	case f.part != anyPart:
		return h%12 + 12
	}
	at := func(hour int) time.Time { return moment(on, hour, f.minute-f.less, f.second, now.Location()) }
	today := on.Year() == now.Year() && on.YearDay() == now.YearDay()
	switch {
	case d == Future && today && isNight(now) && at(h%12).After(now):
		return h % 12
	case h < 6:
		return h + 12
	case d == Future && today && !at(h).After(now) && h < 12 && at(h+12).After(now):
		return h + 12
	case d == Past && today && h < 12 && f.has&dated == 0 && !at(h+12).After(now):
		return h + 12
	case d == Past && f.has&dated == 0 && h < 12 && !today:
		return h + 12
	}
	return h
}

// on returns the day or days that the dated items mean.
func (f fields) on(today day, now time.Time, d Direction) (days, bool) {
	switch {
	case f.has&hasLately != 0:
		return f.lately(today, d)
	case f.has&hasAround != 0:
		return f.around(today)
	case f.has&hasDecade != 0 && f.era > 0:
		return f.ofEra(today)
	case f.has&hasDecade != 0 && f.has&hasEdge != 0:
		return f.edgeOfDecade()
	case f.has&hasDecade != 0:
		return days{date(f.decade, 1, 1), date(f.decade+10, 1, 1), Years}, f.decade > 0
	case f.has&hasDays != 0:
		return f.onDays(today)
	case f.has&hasWeekend != 0:
		return f.onWeekend(today, d), true
	case f.has&hasWeeks != 0:
		return f.onWeeks(today)
	case f.has&hasSeason != 0:
		return f.onSeason(today, d), true
	case f.has&hasEdge != 0:
		return f.onEdge(today, d)
	case f.has&hasDay != 0:
		return f.onDate(today, d)
	case f.has&(hasMonth|hasMonths) != 0:
		return f.onMonth(today, d)
	case f.has&(hasYear|hasYears) != 0:
		return f.onYear(today)
	}
	return f.onWeekday(today, now, d), true
}

// within10k bounds counts of units to what the calendar can hold.
func within10k(n int) bool { return n > -4_000_000 && n < 4_000_000 }

func (f fields) onDays(today day) (days, bool) {
	if !within10k(f.days) {
		return days{}, false
	}
	if f.has&hasYears != 0 {
		today = addMonths(today, 12*f.years)
	}
	on := oneDay(today.AddDate(0, 0, f.days))
	switch {
	case f.few > 0 && f.days < 0:
		on.from, on.precision = on.from.AddDate(0, 0, -f.few), Days
	case f.few > 0:
		on.to, on.precision = on.to.AddDate(0, 0, f.few), Days
	}
	return on, true
}

func (f fields) onWeekend(today day, d Direction) days {
	saturday := monday(today).AddDate(0, 0, 5)
	switch {
	case f.has&hasWeeks != 0:
		saturday = saturday.AddDate(0, 0, 7*f.weeks)
	case f.side == before, f.side == open && d == Past && saturday.After(today):
		saturday = saturday.AddDate(0, 0, -7)
	case f.side == after && !saturday.After(today):
		saturday = saturday.AddDate(0, 0, 7)
	}
	return days{saturday, saturday.AddDate(0, 0, 2), Days}
}

func (f fields) onWeeks(today day) (days, bool) {
	if !within10k(f.weeks) {
		return days{}, false
	}
	first := monday(today).AddDate(0, 0, 7*f.weeks)
	switch {
	case f.has&hasWeekday != 0:
		return oneDay(first.AddDate(0, 0, (int(f.weekday)+6)%7)), true
	case f.same && f.few == 0:
		return oneDay(today.AddDate(0, 0, 7*f.weeks)), true
	case f.few > 0 && f.weeks < 0:
		return days{first.AddDate(0, 0, -7*f.few), first.AddDate(0, 0, 7), Week}, true
	}
	return days{first, first.AddDate(0, 0, 7+7*f.few), Week}, true
}

func (f fields) onSeason(today day, d Direction) days {
	in := func(year int) days {
		month := 3 + 3*f.season
		return days{date(year, month, 1), date(year, month+3, 1), Season}
	}
	if f.has&(hasYear|hasYears) != 0 {
		return in(f.yearOf(today))
	}
	on := choose(today, f.side, d, in)
	if f.turns > 0 {
		return in(on.from.Year() - f.turns)
	}
	return on
}

// choose finds the stretch of days that a side or direction means, among those of the
// years around today.
func choose(today day, s side, d Direction, in func(year int) days) days {
	if s == before || s == open && d == Past {
		for year := today.Year(); ; year-- {
			on := in(year)
			if s == before && !on.to.After(today) || s == open && !on.from.After(today) || year < today.Year()-1 {
				return on
			}
		}
	}
	for year := today.Year() - 1; ; year++ {
		on := in(year)
		if s == after && on.from.After(today) || s == open && on.to.After(today) || year > today.Year()+1 {
			return on
		}
	}
}

// yearOf returns the year that is named, or else this year.
func (f fields) yearOf(today day) int {
	if f.has&hasYear != 0 {
		return f.year
	}
	return today.Year() + f.years
}

func (f fields) onYear(today day) (days, bool) {
	year := f.yearOf(today)
	if year < 1 || year > 9998 {
		return days{}, false
	}
	switch {
	case f.same && f.few == 0 && f.has == f.has&^(hasMonth|hasDay|hasWeekday):
		return oneDay(addMonths(today, 12*f.years)), true
	case f.few > 0 && f.years < 0:
		return days{date(year-f.few, 1, 1), date(year+1, 1, 1), Years}, year > f.few
	case f.few > 0:
		return days{date(year, 1, 1), date(year+1+f.few, 1, 1), Years}, true
	}
	on := days{date(year, 1, 1), date(year+1, 1, 1), Year}
	if f.era > 0 {
		if e := eras[f.era-1]; year == e.year {
			on.from = date(e.year, e.month, e.day)
		}
		if f.era < len(eras) && year == eras[f.era].year {
			on.to = date(year, eras[f.era].month, eras[f.era].day)
		}
	}
	return on, true
}

func (f fields) onMonth(today day, d Direction) (days, bool) {
	in := func(year int) days {
		return days{date(year, f.month, 1), date(year, f.month+1, 1), Month}
	}
	switch {
	case f.has&hasMonths != 0 && !within10k(f.months):
		return days{}, false
	case f.has&hasMonths != 0 && f.same && f.few == 0:
		return oneDay(addMonths(today, f.months)), true
	case f.has&hasMonths != 0:
		first := date(today.Year(), int(today.Month())+f.months, 1)
		on := days{first, first.AddDate(0, 1, 0), Month}
		if f.few > 0 && f.months < 0 {
			on.from = on.from.AddDate(0, -f.few, 0)
		} else if f.few > 0 {
			on.to = on.to.AddDate(0, f.few, 0)
		}
		return on, true
	case f.has&(hasYear|hasYears) != 0:
		return in(f.yearOf(today)), f.yearOf(today) > 0 && f.yearOf(today) < 9999
	}
	return choose(today, f.side, d, in), true
}

func (f fields) onDate(today day, d Direction) (days, bool) {
	switch {
	case f.has&hasMonths != 0:
		if !within10k(f.months) {
			return days{}, false
		}
		first := date(today.Year(), int(today.Month())+f.months, 1)
		return oneDay(first.AddDate(0, 0, f.day-1)), exists(first.Year(), int(first.Month()), f.day)
	case f.has&hasMonth == 0 && f.has&(hasYear|hasYears) != 0:
		return days{}, false
	case f.has&hasMonth == 0:
		return f.dayOfSomeMonth(today, d)
	case f.has&(hasYear|hasYears) != 0:
		year := f.yearOf(today)
		return oneDay(date(year, f.month, f.day)), year > 0 && year < 9999 && exists(year, f.month, f.day)
	case !exists(2000, f.month, f.day):
		return days{}, false
	}
	step := 1
	if f.side == before || f.side == open && d == Past {
		step = -1
	}
	for n := range 10 { // the 29th of February may be eight years away
		year := today.Year() + step*n
		on := date(year, f.month, f.day)
		late := step > 0 && (on.After(today) || f.side == open && on.Equal(today))
		early := step < 0 && (on.Before(today) || f.side == open && on.Equal(today))
		if exists(year, f.month, f.day) && (late || early) {
			return oneDay(on), true
		}
	}
	return days{}, false
}

// dayOfSomeMonth returns a day without a month: in the nearest month that has it, on the
// named weekday if there is one.
func (f fields) dayOfSomeMonth(today day, d Direction) (days, bool) {
	step := 1
	if d == Past {
		step = -1
	}
	for n := range 120 {
		first := date(today.Year(), int(today.Month())+step*n, 1)
		on := first.AddDate(0, 0, f.day-1)
		near := step > 0 && !on.Before(today) || step < 0 && !on.After(today)
		fits := f.has&hasWeekday == 0 || on.Weekday() == f.weekday
		if near && fits && exists(first.Year(), int(first.Month()), f.day) {
			return oneDay(on), true
		}
	}
	return days{}, false
}

func (f fields) onWeekday(today day, now time.Time, d Direction) days {
	away := (int(f.weekday) - int(today.Weekday()) + 7) % 7
	on := today.AddDate(0, 0, away)
	switch {
	case f.side == before, f.side == open && d == Past:
		if away > 0 {
			on = on.AddDate(0, 0, -7)
		} else if f.side == before || f.has&hasClock == 0 || f.within(on, now, d).From.After(now) {
			on = on.AddDate(0, 0, -7)
		}
	case away == 0 && (f.side == after || f.has&(hasClock|hasPart) == 0 || !f.within(on, now, d).From.After(now)):
		on = on.AddDate(0, 0, 7)
	}
	return oneDay(on)
}
