package testkit_test

import (
	"testing"
	"testing/synctest"

	"github.com/kehai-run/kehai/testkit"
)

// A test of a whole runtime: a friend writes, the process is killed, nothing is
// lost and nothing comes twice. Hours of virtual time take milliseconds.
func ExampleStart() {
	test := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			sys := testkit.Start(t)
			sys.Friend("Hana", "hello")
			sys.WantMessages("hello")
			sys.Crash()
			sys.Friend("Hana", "hello") // she really writes it again
			sys.WantMessages("hello", "hello")
		})
	}
	_ = test // declare it as func TestHost(t *testing.T), and go test calls it
}
