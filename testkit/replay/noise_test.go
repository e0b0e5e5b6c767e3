package replay

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

func TestGarble(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	words := strings.Repeat("明日の会議は10時から Room 5 です ", 400)
	wrong := text.EditDistance([]rune(words), []rune(garble(words, 0.03, rng)))
	if n := len([]rune(words)); wrong < n*2/100 || wrong > n*4/100 {
		t.Errorf("garble() made %d errors in %d characters at 3 %%, want 2 to 4 %%", wrong, n)
	}
	if got := garble(words, 0, rng); got != words {
		t.Error("garble() at 0 changed the text, want it as it is")
	}
	for range 1000 {
		if got := garble("7", 0.5, rng); strings.TrimSpace(got) == "" {
			t.Fatalf("garble(7) = %q, want something left", got)
		}
	}
}

// The nth reading of some pixels is always the same, and unlike the others.
func TestNoiseJitters(t *testing.T) {
	lines := []messages.Line{{Text: "The weather looks great this weekend", Confidence: 1},
		{Text: "明日の朝は早いからもう寝るね", Confidence: 1}}
	read := func(n *noise, pixels uint64) string {
		out := ""
		for _, l := range n.misread(pixels, lines) {
			out += string(l.Text) + "\n"
			if l.Confidence < 0.25 || l.Confidence > 1 {
				t.Errorf("misread() = confidence %v, want 0.25 to 1: a line is not lost", l.Confidence)
			}
		}
		return out
	}
	a, b := newNoise(0.1, 7), newNoise(0.1, 7)
	known := map[string]bool{}
	for i := range 20 {
		first := read(a, 5)
		if again := read(b, 5); again != first {
			t.Errorf("reading %d = %q and %q, want the same of one seed", i, first, again)
		}
		known[first] = true
		read(b, uint64(100+i)) // other pixels count apart
	}
	if len(known) < 18 {
		t.Errorf("%d different readings of 20, want nearly all", len(known))
	}
	if string(lines[0].Text) != "The weather looks great this weekend" {
		t.Error("misread() changed its argument")
	}
}
