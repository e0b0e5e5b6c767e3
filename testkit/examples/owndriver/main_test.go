package main

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
)

func Example() {
	main()
	// Output: Hana: I can wait
}

// Every driver passes the suite of package hardwaretest; what a fixture leaves out
// is not checked.
func TestPhone(t *testing.T) {
	hardwaretest.Screen(t, func(t *testing.T) hardwaretest.ScreenFixture {
		look := drawn.DefaultOptions(time.Now)
		look.Fonts = drawn.FindFonts()
		window, err := drawn.New(look)
		if err != nil {
			t.Fatal(err)
		}
		return hardwaretest.ScreenFixture{Screen: phone{window}, Ref: "chat"}
	})
}
