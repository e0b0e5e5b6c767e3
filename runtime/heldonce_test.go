package runtime_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestHeldOnce: what is held while a like name may be a misreading is held no longer once it was delivered. A person
// who settled it otherwise would have it delivered a second time.
func TestHeldOnce(t *testing.T) {
	for _, crash := range []time.Duration{0, time.Second, 4 * time.Second} {
		t.Run(fmt.Sprint(crash), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				for i, name := range []string{"Hana", "Hama", "Hana (3)"} {
					c.call(family3[i], name)
				}
				c.says("one", 3)
				c.says("two", 3)
				c.said["three"]++
				c.Friend("three", text("three", 1))
				if crash > 0 {
					c.Advance(crash)
					c.Crash()
				}
				c.want(0)
				if list, err := c.Runtime.Held(context.Background()); err != nil || len(list) > 0 {
					t.Errorf("Held() = %+v, %v, want nothing: all of it was delivered", list, err)
				}
			})
		})
	}
}
