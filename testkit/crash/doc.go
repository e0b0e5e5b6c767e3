// Package crash kills a host program again and again and checks what it has kept. The
// host is its own test binary: three actors, a pool of failing workers and a
// subscription. It is written only against package runtime and what that exports, as any
// host is, and knows nothing of chat windows.
//
// Everything is behind the build tag crash; start with TestForeignHost. The test
// that kills Kehai itself stands in cmd/kehai.
package crash
