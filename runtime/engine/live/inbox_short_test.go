//go:build !long

package live_test

import "time"

// heavyMessages wait in one inbox after a crash; heavyHeap is how many bytes they
// may take while they are handled.
const heavyMessages, heavyHeap = 12, 8 << 20

// heavyWait is no measure on a machine that runs all tests at once.
const heavyWait = time.Minute
