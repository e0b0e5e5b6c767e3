package text

import (
	"errors"
	"math"
	"regexp"
	"strconv"
)

// Size is a number of bytes, written "128MiB".
type Size int64

// The largest unit comes first. Powers of 1000 are read but not written.
var sizeUnits = [...]struct {
	name  string
	bytes Size
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3},
}

var sizeForm = regexp.MustCompile(`^([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([A-Za-z]+)$`)

// String returns the exact number in the largest fitting unit.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s >= u.bytes && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(raw []byte) error {
	m := sizeForm.FindStringSubmatch(string(raw))
	for _, u := range sizeUnits {
		if m == nil || u.name != m[2] {
			continue
		}
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n <= math.MaxInt64/int64(u.bytes) {
			*s = Size(n) * u.bytes
			return nil
		}
		if x, err := strconv.ParseFloat(m[1], 64); err == nil && x*float64(u.bytes) < math.MaxInt64 {
			*s = Size(x * float64(u.bytes))
			return nil
		}
	}
	return errors.New("want a size such as 128MiB or 2GiB")
}
