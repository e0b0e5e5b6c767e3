package when

import "time"

// day is a calendar date, as midnight in UTC, so that adding days is not affected by a
// zone's clock changes.
type day = time.Time

// date makes a day; a month or day out of bounds overflows into the next one.
func date(year, month, dom int) day {
	return time.Date(year, time.Month(month), dom, 0, 0, 0, 0, time.UTC)
}

// exists reports whether a month has this day.
func exists(year, month, dom int) bool {
	return month >= 1 && month <= 12 && dom >= 1 && date(year, month, dom).Day() == dom
}

// monday returns the first day of a day's week.
func monday(d day) day { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) }

// addMonths adds months. If the month is too short, it returns that month's last day.
func addMonths(d day, n int) day {
	first := date(d.Year(), int(d.Month())+n, 1)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(d.Day(), last)-1)
}

// moment is the instant at which clocks in a zone show a time of day. Hours may exceed
// 24. A time that the clocks skip is the moment when they jump; of a time that they show
// twice, the first counts.
func moment(d day, hour, minute, second int, zone *time.Location) time.Time {
	t := time.Date(d.Year(), d.Month(), d.Day(), hour, minute, second, 0, zone)
	wall := time.Date(d.Year(), d.Month(), d.Day(), hour, minute, second, 0, time.UTC)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	switch shown := t.Add(time.Duration(offset) * time.Second).UTC(); {
	case shown.After(wall) && !start.IsZero():
		return start.In(zone)
	case shown.Before(wall) && !end.IsZero():
		return end.In(zone)
	}
	if start.IsZero() {
		return t
	}
	_, earlier := start.Add(-time.Nanosecond).Zone()
	if first := t.Add(time.Duration(offset-earlier) * time.Second); earlier > offset && first.Before(start) {
		return first
	}
	return t
}

// isNight reports whether it is before five in the morning.
func isNight(t time.Time) bool { return t.Hour() < 5 }
