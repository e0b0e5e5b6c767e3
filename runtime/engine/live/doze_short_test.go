//go:build !long

package live

// touched is how many conversations are touched once, sleepersHeap how many bytes
// the heap may have once they sleep.
const touched, sleepersHeap = 10_000, 20 << 20
