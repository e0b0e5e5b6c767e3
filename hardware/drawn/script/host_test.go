package script

import (
	"context"
	"slices"
	"testing"
)

// Requests from two windows are carried out one at a time, in order. Restart and
// crash do not wait for them.
func TestHostServesInOrder(t *testing.T) {
	var got []string
	ctx, cancel := context.WithCancel(t.Context())
	h := NewHost()
	h.Lives = func(crash bool) {
		if got = append(got, "restart"); crash {
			got[len(got)-1] = "crash"
		}
	}
	note := func(window string) func(Event) {
		return h.For(func(_ context.Context, e Event) {
			if got = append(got, window+" "+string(e.Do)); e.Do == ResetBaseline {
				cancel()
			}
		})
	}
	one, two := note("one"), note("two")
	one(Event{Do: Send})
	two(Event{Do: Send})
	two(Event{Do: Crash})
	one(Event{Do: Restart})
	one(Event{Do: ResetBaseline})
	two(Event{Do: Send}) // after the end
	h.Serve(ctx)
	if want := []string{"crash", "restart", "one send", "two send", "one reset_baseline"}; !slices.Equal(got, want) {
		t.Errorf("Serve() did %q, want %q", got, want)
	}
}
