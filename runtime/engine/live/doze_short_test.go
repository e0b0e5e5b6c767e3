//go:build !long

package live

// touched is how many conversations are touched once, sleepersHeap how many bytes
// the heap may have once they sleep.
const touched, sleepersHeap = 2_000, 16 << 20
