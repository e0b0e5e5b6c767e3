//go:build desktop

package desktop

import (
	"image"
	"testing"

	"github.com/jezek/xgb/xproto"
)

// A display stays a test's own while its server is stopped: another test's server
// does not take it.
func TestStoppedServerKeepsItsDisplay(t *testing.T) {
	first := Start(t)
	first.StopServer()
	if second := Start(t); second.Display == first.Display {
		t.Errorf("another desktop has display %s too", second.Display)
	}
	first.RestartServer(t)
	Connect(t, first.Display)
}

// A server may ask for a window's contents at any moment, even while the test
// changes them. In the end the window shows the whole last pattern.
func TestChangeWhileExposed(t *testing.T) {
	desk := Start(t)
	c := Connect(t, desk.Display)
	w := c.Open("window", "Window", image.Rect(20, 20, 420, 320))
	other := Connect(t, desk.Display)
	for range 100 {
		for range 3 {
			xproto.ClearArea(other.x, true, xproto.Window(w.ID), 0, 0, 0, 0)
		}
		w.Change()
		w.shown()
	}
}
