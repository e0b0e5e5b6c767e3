package testkit_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit"
)

func TestMessagesArriveOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := testkit.Start(t)
		sys.Me("Hana", "anybody there?")
		sys.Friend("Hana", "hello")
		sys.WantMessages("hello")
		sys.Friend("Hana", "OK", "OK")
		sys.WantMessages("hello", "OK", "OK")
	})
}

func TestCrashesAndRestartsAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := testkit.Start(t)
		sys.Friend("Hana", "one")
		sys.WantMessages("one")
		sys.Crash()
		sys.WantMessages("one")
		sys.Friend("Hana", "two")
		sys.Advance(1100 * time.Millisecond) // seen, and waiting in the burst
		sys.Crash()
		sys.Restart()
		sys.Friend("Hana", "three")
		sys.WantMessages("one", "two", "three")
	})
}

func TestFaultsLoseNothing(t *testing.T) {
	for name, fault := range map[string]testkit.Fault{
		"ocr error":       {Worker: "ocr", Every: 2},
		"ocr panic":       {Worker: "ocr", How: testkit.Panic, Every: 2},
		"ocr hang":        {Worker: "ocr", How: testkit.Hang, Every: 3},
		"ocr garbage":     {Worker: "ocr", How: testkit.Garbage, Every: 2},
		"capture error":   {Worker: "capture", Every: 3},
		"commits refused": {Worker: testkit.Store, Every: 4, Times: 5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sys := testkit.Start(t, testkit.WithFaults(fault))
				var want []string
				for _, line := range []string{"a", "b", "b", "c", "d", "e"} {
					line += " is the line"
					want = append(want, line)
					sys.Friend("Hana", line)
					sys.Advance(3 * time.Second)
				}
				sys.WantMessages(want...)
				if sys.Heal(); restarts(sys) == 0 {
					t.Errorf("no actor or worker was restarted: the fault did not strike")
				}
			})
		})
	}
}

func restarts(sys *testkit.System) int {
	n := 0
	for _, ev := range sys.Events() {
		if _, ok := ev.(events.ActorRestarted); ok {
			n++
		}
	}
	return n
}
