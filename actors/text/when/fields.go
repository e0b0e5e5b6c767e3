package when

import "time"

// set names the items that fields hold.
type set uint32

const (
	hasDays   set = 1 << iota // days from today
	hasWeeks                  // weeks from this one
	hasMonths                 // months from this one
	hasYears                  // years from this one
	hasWeekday
	hasYear
	hasMonth
	hasDay
	hasSeason
	hasEdge
	hasWeekend
	hasDecade
	hasPart
	hasClock
	hasAround   // about the same day of another year
	hasLately   // from then until today
	hasDistance // a duration from now
)

// dated are the items that say which day or days are meant.
const dated = hasDays | hasWeeks | hasMonths | hasYears | hasWeekday | hasYear | hasMonth | hasDay | hasSeason |
	hasEdge | hasWeekend | hasDecade | hasAround | hasLately

// side says which of several weekdays, seasons or months without a year is meant.
type side int8

const (
	open   side = iota // as the direction says
	before             // the latest one that is over
	after              // the next one that has not begun
)

// part is a part of the day.
type part uint8

const (
	anyPart part = iota
	am
	dawn
	morning
	noonish
	afternoon
	dusk
	evening
	night
	late
)

// hours are the bounds of the parts of a day, above 24 on the next day, and the hour at
// which to remind somebody in that part.
var hours = [...]struct{ from, to, tell int }{
	am: {0, 12, 9}, dawn: {4, 7, 6}, morning: {5, 12, 8}, noonish: {11, 14, 12}, afternoon: {12, 18, 13},
	dusk: {16, 19, 17}, evening: {17, 22, 18}, night: {18, 28, 20}, late: {23, 28, 23},
}

// edge is a part of a month or year.
type edge uint8

const (
	noEdge edge = iota
	firstThird
	secondThird
	lastThird
	firstDay // of the month, or of the year with no month
	lastDay  // of the same
	firstHalf
	lastHalf
	nthWeek    // of a month, from the first day
	nthWeekday // of a month
	yearEnd    // 年末; from here on, parts of a year
	yearStart  // 年始
	yearBegins // 年明け
	fiscalYear // from April
	goldenWeek // the holidays around May 3
	obon       // in the middle of August
	easter
	thanksgiving // as in the United States
)

// ofYear reports whether an edge belongs to a year and needs no month.
func (e edge) ofYear() bool { return e >= yearEnd }

// fields are what an expression says, item by item.
type fields struct {
	has set

	days, weeks, months, years int
	same                       bool // the same day then, not the whole week, month or year
	few                        int  // extra units: a few

	weekday time.Weekday
	season  int // 0 spring to 3 winter
	side    side

	year, month, day int
	era              int // 1 + index of eras, 0 none
	edge             edge
	nth              int // of weeks or weekdays in a month, -1 the last
	decade           int // first year
	turns            int // how many seasons or feasts before the latest one
	reach            reach
	gone             bool // only of the past, as 夏休み alone
	custom           bool // month and day may be the other way round, as the zone has it

	part                 part
	hour, minute, second int
	fine                 Precision // of the clock
	literal              bool      // by 24 hours
	less                 int       // minutes to subtract

	distance time.Duration
	grain    Precision // of the distance
}

// goes lists what each item can be combined with.
var goes = map[set]set{
	hasDays:     hasYears | hasWeekday,
	hasWeeks:    hasWeekday | hasWeekend,
	hasMonths:   hasDay | hasEdge | hasWeekday,
	hasYears:    hasMonth | hasDay | hasSeason | hasEdge | hasDays | hasWeekday | hasAround,
	hasYear:     hasMonth | hasDay | hasSeason | hasEdge | hasWeekday,
	hasMonth:    hasYear | hasYears | hasDay | hasEdge | hasWeekday,
	hasDay:      hasYear | hasYears | hasMonth | hasMonths | hasWeekday,
	hasWeekday:  hasDays | hasWeeks | hasYears | hasYear | hasMonth | hasMonths | hasDay,
	hasSeason:   hasYear | hasYears,
	hasEdge:     hasMonths | hasMonth | hasYear | hasYears | hasDecade,
	hasWeekend:  hasWeeks,
	hasDecade:   hasEdge,
	hasAround:   hasYears,
	hasLately:   0,
	hasDistance: 0,
	hasPart:     dated&^(hasSeason|hasDecade|hasAround|hasLately) | hasClock,
	hasClock:    dated&^(hasSeason|hasDecade|hasAround|hasLately) | hasPart,
}

// with adds the items of g, unless one is already there or contradicts one that is.
func (f fields) with(g fields) (fields, bool) {
	if f.has == 0 {
		return g, true
	}
	for bit := set(1); bit <= hasDistance; bit <<= 1 {
		if g.has&bit != 0 && f.has&^goes[bit]&^hasTime(bit) != 0 {
			return f, false
		}
	}
	if f.side != open && g.side != open {
		return f, false
	}
	return f.take(g), true
}

// hasTime returns what may accompany any day: a clock and a part of the day.
func hasTime(bit set) set {
	if bit&(hasDistance|hasDecade|hasSeason|hasAround|hasLately) != 0 {
		return 0
	}
	return (hasPart | hasClock) &^ bit
}

// take copies the items of g.
func (f fields) take(g fields) fields {
	f.has |= g.has
	f.days, f.weeks, f.months, f.years = f.days+g.days, f.weeks+g.weeks, f.months+g.months, f.years+g.years
	f.same, f.few, f.side = f.same || g.same, f.few+g.few, f.side+g.side
	f.weekday, f.season = f.weekday+g.weekday, f.season+g.season
	f.year, f.month, f.day, f.era = f.year+g.year, f.month+g.month, f.day+g.day, f.era+g.era
	f.edge, f.decade, f.part = f.edge+g.edge, f.decade+g.decade, f.part+g.part
	f.nth, f.turns = f.nth+g.nth, f.turns+g.turns
	f.reach, f.gone, f.custom = f.reach+g.reach, f.gone || g.gone, f.custom || g.custom
	f.hour, f.minute, f.second = f.hour+g.hour, f.minute+g.minute, f.second+g.second
	f.fine, f.literal, f.less = f.fine+g.fine, f.literal || g.literal, f.less+g.less
	f.distance, f.grain = f.distance+g.distance, f.grain+g.grain
	return f
}
