package actors

import (
	"fmt"
	"strconv"
	"time"
)

// RowKey is the key of row n in a numbered table. Keys sort by number.
func RowKey(n uint64) string { return fmt.Sprintf("%016d", n) }

// RowNumber is n of [RowKey]. The error wraps [ErrRow].
func RowNumber(key string) (uint64, error) {
	n, err := strconv.ParseUint(key, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: its key %q is no number: the store is damaged: restore a backup", ErrRow, key)
	}
	return n, nil
}

// PlaceKey is the key of a row with a position; negative positions sort before 0.
func PlaceKey(pos int64) string { return fmt.Sprintf("%016x", uint64(pos)^1<<63) }

// TimeKey is the key of a row with a time. Keys sort by time, from the year 1678 on.
func TimeKey(at time.Time) string { return fmt.Sprintf("%020d", uint64(at.UnixNano())+1<<63) }
