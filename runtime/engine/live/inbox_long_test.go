//go:build long

package live_test

import "time"

// heavyMessages wait in one inbox after a crash; heavyHeap is how many bytes they
// may take while they are handled.
const heavyMessages, heavyHeap = 256, 64 << 20

// heavyWait is how long the first of them may take.
const heavyWait = time.Second
