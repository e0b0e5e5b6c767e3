package segment_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// tally counts blocks.
type tally struct {
	shown, found, right, sided, wrong int
	titles, areas, pictures           int
}

func (t *tally) add(o tally) {
	t.shown += o.shown
	t.found += o.found
	t.right += o.right
	t.sided += o.sided
	t.wrong += o.wrong
	t.titles += o.titles
	t.areas += o.areas
	t.pictures += o.pictures
}

func (t tally) String() string {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return fmt.Sprintf("%d pictures, %d blocks: precision %.4f, recall %.4f; "+
		"sides right %.4f, wrong %d; panes %.3f, titles %.3f", t.pictures, t.shown, share(t.right, t.found),
		share(t.right, t.shown), share(t.sided, t.right), t.wrong, share(t.areas, t.pictures),
		share(t.titles, t.pictures))
}

// like is the share of two boxes that both cover.
func like(a, b image.Rectangle) float64 {
	in := a.Intersect(b)
	both := in.Dx() * in.Dy()
	return float64(both) / float64(a.Dx()*a.Dy()+b.Dx()*b.Dy()-both)
}

// judge compares what is found in a window with what it shows. What the edges of
// the area cut does not count.
func judge(t *testing.T, c *chatpage.Client) (n tally) {
	t.Helper()
	l, _ := layout.ByName("auto")
	pane, err := segment.Open(c.Image, c.Scale, &l)
	if err != nil {
		t.Fatal(err)
	}
	got := pane.Find()
	n.pictures = 1
	area := pane.Area.Add(pane.At)
	if like(area, c.Area) > 0.95 {
		n.areas++
	}
	if title := got.Title.Add(pane.At); like(title, c.Title) > 0.5 {
		n.titles++
	}
	taken := make([]bool, len(got.Shapes))
	for _, truth := range c.Truth {
		whole := truth.Box.In(c.Area.Inset(3))
		if whole {
			n.shown++
		}
		for i, s := range got.Shapes {
			if taken[i] || like(s.Box().Add(pane.At), truth.Box.Intersect(c.Area)) < 0.75 {
				continue
			}
			taken[i] = true
			if !whole {
				break
			}
			n.found++
			n.right++
			switch s.Bubble.Side {
			case truth.Side:
				n.sided++
			case messages.SideNeither:
			default:
				n.wrong++
			}
			break
		}
	}
	for i, s := range got.Shapes {
		if !taken[i] && !s.Bubble.Clipped {
			n.found++
		}
	}
	return n
}

// TestAutoFindsBlocks draws windows of applications that do not exist, with fills,
// outlines, shadows, gradients and photographs, beside lists, at three scales.
func TestAutoFindsBlocks(t *testing.T) {
	pictures := uint64(60)
	if testing.Short() {
		pictures = 8
	}
	var all tally
	for seed := range pictures {
		c := chatpage.Random(t, seed)
		n := judge(t, c)
		if all.add(n); n.right != n.shown || n.found != n.shown || n.sided != n.right || n.areas+n.titles < 2 {
			t.Logf("seed %d, %s at scale %v: %s", seed, c.Look, c.Scale, n)
		}
	}
	t.Log(all)
	least := func(what string, n, of int) {
		if 100*n < 99*of {
			t.Errorf("%s %d of %d, want 99 %%", what, n, of)
		}
	}
	least("found right", all.right, all.found)
	least("right of those shown", all.right, all.shown)
	least("sides right", all.sided, all.right)
	least("panes", all.areas, all.pictures)
	least("names", all.titles, all.pictures)
	if all.wrong > 0 {
		t.Errorf("%d blocks on the wrong side, want none: what is unsure is of neither", all.wrong)
	}
}
