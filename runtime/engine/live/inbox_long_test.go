//go:build long

package live_test

// heavyMessages wait in one inbox after a crash; heavyHeap is how many bytes they
// may take while they are handled.
const heavyMessages, heavyHeap = 256, 64 << 20
