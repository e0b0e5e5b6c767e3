package ocr

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// TestNothingIsLeftOutSilently: a reading says how many lines it dropped, even when
// it reads the same pixels again.
func TestNothingIsLeftOutSilently(t *testing.T) {
	f := &fake{read: func(int, hardware.Hint) ([]messages.Line, error) {
		return []messages.Line{line("himitsu", 0.24, 0), line("himitsu", 0.1, 30)}, nil
	}}
	w := NewWorker(Options{Layouts: Always(layout.Line()), Cache: NewCache(64), Open: f.open})
	var got messages.FrameRead
	for range emptyTries {
		got = do(t, w, talkFrame(t, 64))
	}
	want := []string{"lines below confidence 0.25 in the title: 2", "lines below confidence 0.25 in a bubble: 12"}
	if !slices.Equal(got.Dropped, want) {
		t.Errorf("dropped %q, want %q", got.Dropped, want)
	}
	if again := do(t, w, talkFrame(t, 64)); len(again.Dropped) > 0 {
		t.Errorf("the same frame dropped %q again, want nothing", again.Dropped)
	}
	f.read = func(int, hardware.Hint) ([]messages.Line, error) {
		return []messages.Line{line("himitsu", 0.3, 0)}, nil
	}
	if got := do(t, NewWorker(Options{Layouts: Always(layout.Line()), Cache: NewCache(64), Open: f.open,
		Confidence: Thresholds{Fallback: 0.35}}), talkFrame(t, 64)); len(got.Dropped) != 2 ||
		got.Dropped[0] != "lines below confidence 0.35 in the title: 1" {
		t.Errorf("dropped %q, want those below 0.35", got.Dropped)
	}
}

func TestCounter(t *testing.T) {
	var c counter
	c.add("b", 2)
	c.add("a", 0)
	c.addIf(false, "a")
	c.addIf(true, "c")
	c.add("b", 3)
	if got, want := c.report("many "), []string{"many b: 5", "many c: 1"}; !slices.Equal(got, want) {
		t.Errorf("report = %q, want %q", got, want)
	}
}

// TestDoubtfulBubblesAreMarked: in a bubble, in a window without bubbles, and where
// a further frame of a burst won.
func TestDoubtfulBubblesAreMarked(t *testing.T) {
	for confidence, want := range map[float64]bool{0.39: true, 0.40: false} {
		f := &fake{read: func(int, hardware.Hint) ([]messages.Line, error) {
			return []messages.Line{line("はい", 0.9, 0), line("どうも", confidence, 30)}, nil
		}}
		w := NewWorker(Options{Layouts: Always(layout.Line()), Cache: NewCache(64), Open: f.open, WholeFrames: true})
		for range 2 { // from the cache too
			for i, b := range do(t, w, talkFrame(t, 64)).Bubbles {
				if b.Low != want {
					t.Errorf("a line of confidence %v in bubble %d: low = %v, want %v", confidence, i, b.Low, want)
				}
			}
		}
		p := chatpage.New(t, chatpage.Light, 1, 720, "")
		p.Write(60, 100, "はい", p.Palette.Ink)
		if got := do(t, w, p.Frame()); len(got.Bubbles) == 0 || got.Bubbles[0].Low != want {
			t.Errorf("a line of confidence %v without bubbles: %+v, want one with low = %v",
				confidence, got.Bubbles, want)
		}
	}
	bad, good := messages.Bubble{Key: 1, Text: "a", Low: true}, messages.Bubble{Key: 1, Text: "b"}
	if got := Consensus([][]messages.Bubble{{bad}, {good}, {good}}, Majority); got[0].Low || got[0].Text != "b" {
		t.Errorf("Consensus of one doubtful and two sure = %+v, want the sure one", got[0])
	}
}
