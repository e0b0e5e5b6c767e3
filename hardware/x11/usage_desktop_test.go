//go:build desktop

package x11

import (
	"image"
	"testing"

	"github.com/kehai-run/kehai/hardware/hardwaretest"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

func TestUsageConforms(t *testing.T) {
	hardwaretest.Usage(t, func(t *testing.T) hardwaretest.UsageFixture {
		desk := managed(t)
		d := open(t, Options{Display: desk.Display})
		w := show(t, desktop.Connect(t, desk.Display), d, "secret plan", "Editor", image.Rect(100, 100, 500, 400))
		if err := d.Activate(t.Context(), ref(w)); err != nil {
			t.Fatalf("Activate() = %v", err)
		}
		u := openUsage(t, Options{Display: desk.Display})
		h := handsAt(t, desk.Display)
		return hardwaretest.UsageFixture{
			Usage: u, App: "Editor", Secret: []string{"secret plan"}, Close: u.Close,
			Touch: func(keys, mouse int) {
				for range keys {
					h.press(deviceKeyPress, 38, h.keyboard)
				}
				for range mouse {
					h.move(3, 0)
				}
			},
			Await: func(what string, condition func() bool) { desktop.Eventually(t, what, condition) },
			Break: desk.StopServer,
			Mend:  func() { desk.RestartServer(t) },
		}
	})
}
