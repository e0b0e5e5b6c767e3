package text

import "time"

// Inside reports whether an age is less than a window in either direction. A negative age
// comes from frames handled out of order, or a clock set back.
func Inside(age, window time.Duration) bool { return age < window && age > -window }
