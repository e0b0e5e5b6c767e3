package segment

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestSidesOfSigns weighs signs that agree and signs that do not.
func TestSidesOfSigns(t *testing.T) {
	for _, c := range []struct {
		name string
		signs
		want messages.Side
	}{
		{"nothing", signs{}, messages.SideNeither},
		{"at the right", signs{place: 0.8}, messages.SideOwn},
		{"at the left", signs{place: -0.6}, messages.SideIncoming},
		{"wide, alone", signs{place: -0.2}, messages.SideNeither},
		{"wide, in line at the left", signs{place: 0.1, column: -1}, messages.SideIncoming},
		{"wide, its colour is the other side's", signs{place: -0.1, fill: 1}, messages.SideOwn},
		{"wide, its colour was the other side's", signs{place: 0.2, known: -1}, messages.SideIncoming},
		{"all at the left, colours known", signs{place: -0.8, column: -1, known: 1, fill: 1}, messages.SideOwn},
		{"the theme has changed sides", signs{place: 0.8, column: 1, fill: 1, known: -1}, messages.SideOwn},
		{"a portrait against a wide place", signs{place: 0.2, avatar: -1}, messages.SideIncoming},
		{"a clock time alone", signs{stamp: 1}, messages.SideNeither},
		{"place against colour", signs{place: -1, column: -0.5, fill: 1}, messages.SideNeither},
	} {
		if got := sideOf(c.score()); got != c.want {
			t.Errorf("%s: side %s with score %.2f, want %s", c.name, got, c.score(), c.want)
		}
	}
}

func shapesOf(paint colour, score float64, n int) (list []Shape) {
	for range n {
		list = append(list, Shape{Bubble: messages.Bubble{Kind: messages.KindText}, Score: score, paint: paint})
	}
	return list
}

// TestLearn: colours are learnt from what is sure, kept in bounds, and given up when the
// sides are others.
func TestLearn(t *testing.T) {
	const white, green = colour(0xFFFFFF), colour(0x9DF6C3)
	frame := append(shapesOf(white, -5, 3), shapesOf(green, 5, 2)...)
	known := messages.Learnt{}
	for range learntLeast {
		known = Learn(known, frame)
	}
	if got := [2]float64{knownFill(known, white), knownFill(known, green)}; got != [2]float64{-1, 1} {
		t.Errorf("after %d frames the colours say %v, want -1, 1", learntLeast, got)
	}
	if got := Learn(known, shapesOf(0x101010, 1, 9)); len(got.Fills) != 2 {
		t.Errorf("what is unsure taught %v", got.Fills)
	}
	for range 100 {
		known = Learn(known, frame)
	}
	if again := Learn(known, frame); len(again.Fills) != 2 || again.Fills[0] != known.Fills[0] {
		t.Errorf("a window that stays the same teaches %v after %v, want nothing new", again.Fills, known.Fills)
	}
	for range 40 {
		known = Learn(known, shapesOf(white, 5, 1))
	}
	if got := knownFill(known, white); got != 1 {
		t.Errorf("after it has changed sides a colour says %v, want 1", got)
	}
	for i := range 2 * learntFills {
		known = Learn(known, shapesOf(colour(i*0x0F0F0F), 5, 1))
	}
	if len(known.Fills) != learntFills {
		t.Errorf("%d colours are kept, want %d", len(known.Fills), learntFills)
	}
	if got := knownFill(messages.Learnt{}, white); got != 0 {
		t.Errorf("a window of which nothing is known says %v, want 0", got)
	}
}
