package testkit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
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

// A test of what a host recalls: the memory holds what was said, also after a kill.
func ExampleSystem_Remember() {
	test := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			sys := testkit.Start(t)
			sys.Remember("shop:4711", "Anna: The blue bicycle squeaks.", "me: I can look at it.", "Anna: Thanks!")
			sys.Crash()
			found, err := sys.Runtime.Recall(t.Context(), control.RecallQuery{Conversation: "shop:4711", K: 1,
				Text: "What is wrong with the bicycle?"})
			if err != nil || len(found.Found) != 1 || found.Found[0].Text != "The blue bicycle squeaks." {
				t.Errorf("recalled %+v, %v, want what Anna said of the bicycle", found.Found, err)
			}
		})
	}
	_ = test // declare it as func TestHost(t *testing.T), and go test calls it
}

// A test of a host's own handler: what it had not acknowledged when its process died
// comes again.
func ExampleWithSubscription() {
	test := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			got, failing := 0, true
			sys := testkit.Start(t, testkit.WithSubscription("host", func(_ context.Context, ev runtime.Event) error {
				if _, ok := ev.Message.(messages.MessageDelivered); !ok {
					return nil
				}
				if got++; failing {
					return errors.New("the host's database is down")
				}
				return nil
			}))
			sys.Friend("Hana", "hello")
			sys.Advance(time.Minute)
			before := got
			failing = false
			sys.Crash()
			sys.Advance(time.Minute)
			if got != before+1 {
				t.Errorf("the handler got the message %d times after the crash, want it once more", got-before)
			}
		})
	}
	_ = test // declare it as func TestHost(t *testing.T), and go test calls it
}
