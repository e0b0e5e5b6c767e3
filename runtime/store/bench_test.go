package store_test

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// filled returns a store with n keys of 100 bytes.
func filled(b *testing.B, n int) *store.Store {
	b.Helper()
	s := open(b, store.Options{Dir: b.TempDir()})
	b.Cleanup(func() { s.Close() })
	for at := 0; at < n; at += 1000 {
		if err := s.Apply(small(at, 1000), false); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// small gives ops of about 120 bytes with ascending keys.
func small(from, n int) []engine.Op {
	ops := make([]engine.Op, n)
	for i := range ops {
		ops[i] = engine.Op{Key: fmt.Appendf(nil, "event/%012d", from+i), Value: make([]byte, 100)}
	}
	return ops
}

func BenchmarkApply(b *testing.B) {
	for _, sync := range []bool{false, true} {
		for _, n := range []int{1, 64, 512} {
			b.Run(fmt.Sprintf("sync=%v/ops=%d", sync, n), func(b *testing.B) {
				s := filled(b, 0)
				ops := small(0, n)
				for at := 0; b.Loop(); at += n {
					for i := range ops {
						ops[i].Key = fmt.Appendf(ops[i].Key[:0], "event/%012d", at+i)
					}
					if err := s.Apply(ops, sync); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/key")
			})
		}
	}
}

func BenchmarkGet(b *testing.B) {
	const n = 200_000
	s := filled(b, n)
	key := make([]byte, 0, 32)
	for i := 0; b.Loop(); i++ {
		key = fmt.Appendf(key[:0], "event/%012d", i*7919%n)
		if _, ok, err := s.Get(key); !ok || err != nil {
			b.Fatalf("Get(%s) = %v, %v, want a value", key, ok, err)
		}
	}
}

func BenchmarkScan1000(b *testing.B) {
	const n = 200_000
	s := filled(b, n)
	for i := 0; b.Loop(); i++ {
		seen := 0
		from := fmt.Appendf(nil, "event/%012d", i*7919%(n-1000))
		err := s.Scan([]byte("event/"), from, func(_, _ []byte) bool {
			seen++
			return seen < 1000
		})
		if err != nil || seen != 1000 {
			b.Fatalf("Scan = %d keys, %v, want 1000", seen, err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s := open(b, store.Options{Dir: dir})
	for at := 0; at < 1_000_000; at += 1000 {
		if err := s.Apply(small(at, 1000), false); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := open(b, store.Options{Dir: dir}).Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGetNothing asks for keys that are not there, as a check for a key that is
// used only once does.
func BenchmarkGetNothing(b *testing.B) {
	const n = 200_000
	s := filled(b, n)
	key := make([]byte, 0, 32)
	for i := 0; b.Loop(); i++ {
		key = fmt.Appendf(key[:0], "event/%012d.", i*7919%n)
		if _, ok, err := s.Get(key); ok || err != nil {
			b.Fatalf("Get(%s) = %v, %v, want nothing", key, ok, err)
		}
	}
}
