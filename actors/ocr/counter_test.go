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
	w := NewWorker(Options{Confidence: DefaultThresholds(),
		Layouts: always(layout.Line()), Cache: NewCache(64), Open: f.open})
	var got messages.FrameRead
	for range emptyTries {
		got = do(t, w, talkFrame(t, 64))
	}
	want := []messages.Omitted{{What: messages.DoubtfulInTitle, Count: 2, Of: 25},
		{What: messages.DoubtfulInBubble, Count: 12, Of: 25}}
	if !slices.Equal(got.Unread, want) {
		t.Errorf("unread %v, want %v", got.Unread, want)
	}
	if again := do(t, w, talkFrame(t, 64)); len(again.Unread) > 0 {
		t.Errorf("the same frame left %v unread again, want nothing", again.Unread)
	}
	f.read = func(int, hardware.Hint) ([]messages.Line, error) {
		return []messages.Line{line("himitsu", 0.3, 0)}, nil
	}
	if got := do(t, NewWorker(Options{Layouts: always(layout.Line()), Cache: NewCache(64), Open: f.open,
		Confidence: Thresholds{Accept: 0.4, Fallback: 0.35}}), talkFrame(t, 64)); len(got.Unread) != 2 ||
		got.Unread[0] != (messages.Omitted{What: messages.DoubtfulInTitle, Count: 1, Of: 35}) {
		t.Errorf("unread %v, want those below 0.35", got.Unread)
	}
}

func TestCounter(t *testing.T) {
	var c counter
	c.add("b", 2, 7)
	c.add("a", 0, 0)
	c.addIf(false, "a", 0)
	c.addIf(true, "c", 0)
	c.join(counter{{What: "b", Count: 3, Of: 7}})
	if want := (counter{{What: "b", Count: 5, Of: 7}, {What: "c", Count: 1}}); !slices.Equal(c, want) {
		t.Errorf("counted %v, want %v", c, want)
	}
}

// TestDoubtfulBubblesAreMarked: in a bubble, in a window without bubbles, and where
// a further frame of a burst won.
func TestDoubtfulBubblesAreMarked(t *testing.T) {
	for confidence, want := range map[float64]bool{0.39: true, 0.40: false} {
		f := &fake{read: func(int, hardware.Hint) ([]messages.Line, error) {
			return []messages.Line{line("はい", 0.9, 0), line("どうも", confidence, 30)}, nil
		}}
		w := NewWorker(Options{Confidence: DefaultThresholds(),
			Layouts: always(layout.Line()), Cache: NewCache(64), Open: f.open, WholeFrames: true})
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
