//go:build speed

package ocr

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/testkit/speed"
)

// TestSpeed measures what a changed frame costs before it is read: finding its
// bubbles, and masking. It compares that with a loop that only reads the pixels.
func TestSpeed(t *testing.T) {
	for _, scale := range []int{1, 2} {
		p := fullPage(t, scale)
		sum := uint64(0)
		read := func() { sum += plainRead(p.Image.Pix) }
		for _, rule := range []string{layout.RuleFullWidth, layout.RuleStrip} {
			l := layout.Line()
			l.OwnRows.Rule = rule
			speed.Compare(t, speed.Row{
				Name: fmt.Sprintf("classify rows and mask, ×%d, %s", scale, rule),
				Ours: func() {
					if pane, err := segment.Open(p.Image, float64(scale), &l); err != nil || pane.Mask() == nil {
						t.Error(err)
					}
				},
				Peer: read, Against: "plain read", Within: 6,
			})
		}
		l := layout.Line()
		speed.Compare(t, speed.Row{
			Name: fmt.Sprintf("find bubbles, ×%d", scale),
			Ours: func() {
				pane, err := segment.Open(p.Image, float64(scale), &l)
				if err != nil || len(pane.Find().Shapes) < 5 {
					t.Errorf("Open() = %v, and less than a full window was found", err)
				}
			},
			Peer: read, Against: "plain read", Within: 10,
		})
		auto, _ := layout.ByName("auto")
		speed.Compare(t, speed.Row{
			Name: fmt.Sprintf("find bubbles without a layout, ×%d", scale),
			Ours: func() {
				pane, err := segment.Open(p.Image, float64(scale), &auto)
				if err != nil || len(pane.Find().Shapes) < 5 {
					t.Errorf("Open() = %v, and less than a full window was found", err)
				}
			},
			Peer: func() {
				pane, err := segment.Open(p.Image, float64(scale), &l)
				if err != nil || len(pane.Find().Shapes) < 5 {
					t.Errorf("Open() = %v, and less than a full window was found", err)
				}
			},
			Against: "by a layout", Within: 6,
		})
		if sum == 0 {
			t.Error("the peer saw no pixels")
		}
	}
}

func plainRead(pix []byte) (sum uint64) {
	for len(pix) >= 8 {
		sum += binary.LittleEndian.Uint64(pix)
		pix = pix[8:]
	}
	return sum
}

// TestSpeedOfOneNewBubble reads a window with one new bubble, and one in which
// every bubble is new.
func TestSpeedOfOneNewBubble(t *testing.T) {
	for _, scale := range []int{1, 2} {
		p := fullPage(t, scale)
		w := tesseractWorker(t)
		all := do(t, w, p.Frame()).Read
		line := layout.Line()
		pane, err := segment.Open(p.Image, float64(scale), &line)
		if err != nil {
			t.Fatal(err)
		}
		key := cacheKey{pixels: pane.Find().Shapes[0].Bubble.Key, factor: segment.Enlargement(float64(scale))}
		read := func(want int) {
			if got := do(t, w, p.Frame()).Read; got != want {
				t.Errorf("read %d bubbles, want %d", got, want)
			}
		}
		speed.Compare(t, speed.Row{
			Name:    fmt.Sprintf("OCR of one new bubble, ×%d", scale),
			Ours:    func() { forget(w.o.Cache, key); read(1) },
			Peer:    func() { w.o.Cache = NewCache(512); read(all) },
			Against: fmt.Sprintf("all %d bubbles", all), Within: 1. / 5,
		})
	}
}

func forget(c *Cache, k cacheKey) {
	if e, ok := c.byKey[k]; ok {
		c.order.Remove(e)
		delete(c.byKey, k)
	}
}
