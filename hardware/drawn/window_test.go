package drawn

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

func TestOutruns(t *testing.T) {
	w := open(t, Options{})
	say := func(text string) Change { return Change{Op: OpAppend, Who: Friend, Text: messages.Text(text)} }
	grow := func(n int) {
		for i := range n {
			must(t, w.Apply(say(fmt.Sprint("line ", i))))
		}
	}
	grow(40)
	if w.Outruns(say("more")) {
		t.Error("Outruns() = true before any capture, want false")
	}
	picture(t, w)
	before := w.lastShown
	for n := 0; !w.Outruns(say("more")); n++ {
		if n > before {
			t.Fatalf("Outruns() = false although all %d bubbles of the last capture are gone", before)
		}
		grow(1)
	}
	if left := w.shown(w.s); 2*left < before {
		t.Errorf("%d of %d bubbles are left in view, want at least half", left, before)
	}
	picture(t, w)
	if w.Outruns(say("more")) {
		t.Error("Outruns() = true right after a capture, want false")
	}
}

// TestOutrunsNothingUnseen must not make a friend wait for ever.
func TestOutrunsNothingUnseen(t *testing.T) {
	w := open(t, Options{})
	say := Change{Op: OpAppend, Who: Friend, Text: "x"}
	must(t, w.Apply(say))
	picture(t, w)
	for _, c := range []Change{{Op: OpHide}, {Op: OpResize}} {
		must(t, w.Apply(c))
		must(t, w.Apply(say))
		if w.Outruns(say) {
			t.Errorf("Outruns() = true after %s, want false: no capture will come", c.Op)
		}
	}
}
