// Package crash kills a host program again and again and checks what it has kept.
// The host is its own test binary: three actors, a pool of workers that fail and a
// subscription, written against what every host may import, package runtime and
// what that hands out. It knows nothing of chat windows.
//
// Everything is behind the build tag crash; start with TestForeignHost. The test
// that kills Kehai itself stands in cmd/kehai.
package crash
