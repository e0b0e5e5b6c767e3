package ocr

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
)

func fullPage(tb testing.TB, scale int) *page {
	p := newPage(tb, lightPage, scale, 720, "Hana")
	for i := 0; p.y < 560*scale; i++ {
		p.say(said{[]messages.Side{messages.SideIncoming, messages.SideOwn}[i%2], japaneseLines[i]})
	}
	return p
}

func BenchmarkSegment(b *testing.B) {
	l := layout.Line()
	for _, scale := range []int{1, 2} {
		b.Run(fmt.Sprintf("x%d", scale), func(b *testing.B) {
			p := fullPage(b, scale)
			for b.Loop() {
				if got, err := Segment(p.img, float64(scale), &l); err != nil || len(got.Shapes) < 5 {
					b.Fatalf("Segment() = %d shapes, %v, want a full window", len(got.Shapes), err)
				}
			}
		})
	}
}

func BenchmarkPrepare(b *testing.B) {
	p := fullPage(b, 1)
	shapes := segment(b, p).Shapes
	px, err := open(p.img, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		prepareShape(px, shapes[0], 1)
	}
}

// BenchmarkRead reads with Tesseract: one new bubble in a known window, and a
// whole unknown window.
func BenchmarkRead(b *testing.B) {
	for _, scale := range []int{1, 2} {
		for _, known := range []bool{true, false} {
			b.Run(fmt.Sprintf("x%d/known=%v", scale, known), func(b *testing.B) {
				p := fullPage(b, scale)
				w := tesseractWorker(b)
				do(b, w, p.frame())
				key := segment(b, p).Shapes[0].Bubble.Key
				read := 0
				for b.Loop() {
					if known {
						forget(w.cache, cacheKey{pixels: key, factor: enlargement(float64(scale))})
					} else {
						w.cache = NewCache(512)
					}
					read = do(b, w, p.frame()).Read
				}
				b.ReportMetric(float64(read), "bubbles/op")
			})
		}
	}
}

func forget(c *Cache, k cacheKey) {
	if e, ok := c.byKey[k]; ok {
		c.order.Remove(e)
		delete(c.byKey, k)
	}
}
