package ocr

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// TestNothingIsLeftOutSilently: a reading says how many lines it did not
// believe, once for the same pixels.
func TestNothingIsLeftOutSilently(t *testing.T) {
	f := &fake{read: func(int, hardware.Hint) ([]messages.Line, error) {
		return []messages.Line{line("himitsu", 0.24, 0), line("himitsu", 0.1, 30)}, nil
	}}
	w := NewWorker(Always(layout.Line()), NewCache(64), f.open)
	got := do(t, w, talkFrame(t, 64))
	want := []string{"lines below confidence 0.25 in the title: 2", "lines below confidence 0.25 in a bubble: 12"}
	if !slices.Equal(got.Dropped, want) {
		t.Errorf("dropped %q, want %q", got.Dropped, want)
	}
	if again := do(t, w, talkFrame(t, 64)); len(again.Dropped) > 0 {
		t.Errorf("the same frame dropped %q again, want nothing", again.Dropped)
	}
	f.read = func(int, hardware.Hint) ([]messages.Line, error) { return []messages.Line{line("himitsu", 0.3, 0)}, nil }
	if got := do(t, NewWorker(Always(layout.Line()), NewCache(64), f.open).Believe(Belief{Fallback: 0.35}), talkFrame(t, 64)); len(got.Dropped) != 2 ||
		got.Dropped[0] != "lines below confidence 0.35 in the title: 1" {
		t.Errorf("dropped %q, want those below 0.35", got.Dropped)
	}
}

func TestTally(t *testing.T) {
	var c tally
	c.add("b", 2)
	c.add("a", 0)
	c.addIf(false, "a")
	c.addIf(true, "c")
	c.add("b", 3)
	if got, want := c.report("many "), []string{"many b: 5", "many c: 1"}; !slices.Equal(got, want) {
		t.Errorf("report = %q, want %q", got, want)
	}
}
