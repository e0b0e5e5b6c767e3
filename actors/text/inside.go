package text

import "time"

// Inside holds for ages below a window. A negative age is one frame handled
// after a later one, or a clock set back; what is a window away is no neighbour
// either way.
func Inside(age, window time.Duration) bool { return age < window && age > -window }
