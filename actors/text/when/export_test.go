package when

// String returns the precision's name in lower case.
func (p Precision) String() string {
	names := [...]string{"none", "second", "minute", "hour", "part of day", "day", "days", "week", "month", "season",
		"year", "years"}
	return names[min(int(p), len(names)-1)]
}
