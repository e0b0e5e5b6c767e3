package drawn

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"image"
	"slices"

	"github.com/kehai-run/kehai/messages"
)

// glyphCache maps drawn pixels back to text: whole bubbles by the hash of their
// ink, single lines (title, times, dates, notices) by their pixels.
type glyphCache struct {
	bubbles map[uint64][]inkLine // boxes relative to the ink's corner
	order   []uint64             // of bubbles, oldest first
	lines   []sample             // widest first
	known   map[uint64]bool      // hashes of lines
}

// inkLine is a line and the rectangle of its ink.
type inkLine struct {
	text string
	box  image.Rectangle
}

// sample is the pixels of one drawn line.
type sample struct {
	text string
	size image.Point
	pix  []byte // RGBA rows
	key  uint64
}

// Limits of a cache. The oldest bubble goes first; lines are cleared together.
const (
	maxBubbles = 8192
	maxLines   = 2048
)

func newGlyphCache() *glyphCache {
	return &glyphCache{bubbles: map[uint64][]inkLine{}, known: map[uint64]bool{}}
}

// addBubble adds the visible part of a bubble. It leaves out lines that are not
// wholly visible, as no reader could be sure of them.
func (k *glyphCache) addBubble(img *image.RGBA, visible image.Rectangle, lines []inkLine) {
	key, ink, ok := inkOf(img, visible)
	if !ok {
		return
	}
	var in []inkLine
	for _, l := range lines {
		if !l.box.Empty() && l.box.In(visible) {
			in = append(in, inkLine{l.text, l.box.Sub(ink.Min)})
		}
	}
	if _, ok := k.bubbles[key]; !ok {
		if len(k.order) == maxBubbles {
			delete(k.bubbles, k.order[0])
			k.order = slices.Delete(k.order, 0, 1)
		}
		k.order = append(k.order, key)
	}
	k.bubbles[key] = in
}

func (k *glyphCache) addLine(img *image.RGBA, text string, ink image.Rectangle) {
	if ink.Empty() {
		return
	}
	s := sample{text: text, size: ink.Size()}
	for y := ink.Min.Y; y < ink.Max.Y; y++ {
		o := img.PixOffset(ink.Min.X, y)
		s.pix = append(s.pix, img.Pix[o:o+4*ink.Dx()]...)
	}
	h := fnv.New64a()
	h.Write(binary.AppendUvarint(nil, uint64(ink.Dx())))
	h.Write(s.pix)
	s.key = h.Sum64()
	if k.known[s.key] {
		return
	}
	if len(k.lines) == maxLines {
		k.lines = nil
		clear(k.known)
	}
	k.known[s.key] = true
	at, _ := slices.BinarySearchFunc(k.lines, s, func(a, b sample) int {
		return cmp.Or(cmp.Compare(b.size.X, a.size.X), cmp.Compare(a.key, b.key))
	})
	k.lines = slices.Insert(k.lines, at, s)
}

// read finds the text inside box.
func (k *glyphCache) read(img *image.RGBA, box image.Rectangle) []messages.Line {
	box = box.Intersect(img.Rect)
	if key, ink, ok := inkOf(img, box); ok {
		if lines, ok := k.bubbles[key]; ok {
			return toLines(lines, ink.Min)
		}
	}
	var found []inkLine
	for _, s := range k.lines {
		found = s.find(img, box, found)
	}
	slices.SortStableFunc(found, func(a, b inkLine) int {
		return cmp.Or(cmp.Compare(a.box.Min.Y, b.box.Min.Y), cmp.Compare(a.box.Min.X, b.box.Min.X))
	})
	return toLines(found, image.Point{})
}

// find appends every place of the sample in box that does not overlap a wider one
// found before.
func (s sample) find(img *image.RGBA, box image.Rectangle, found []inkLine) []inkLine {
	row := 4 * s.size.X
	for y := box.Min.Y; y+s.size.Y <= box.Max.Y; y++ {
	next:
		for x := box.Min.X; x+s.size.X <= box.Max.X; x++ {
			o := img.PixOffset(x, y)
			for i := range s.size.Y {
				if !bytes.Equal(img.Pix[o+i*img.Stride:][:row], s.pix[i*row:][:row]) {
					continue next
				}
			}
			r := image.Rectangle{Max: s.size}.Add(image.Pt(x, y))
			if !slices.ContainsFunc(found, func(f inkLine) bool { return f.box.Overlaps(r) }) {
				found = append(found, inkLine{s.text, r})
			}
		}
	}
	return found
}

func toLines(in []inkLine, at image.Point) []messages.Line {
	var out []messages.Line
	for _, l := range in {
		b := l.box.Add(at)
		out = append(out, messages.Line{
			Text: messages.Text(l.text), Confidence: 1,
			Box: messages.Rect{X: b.Min.X, Y: b.Min.Y, W: b.Dx(), H: b.Dy()},
		})
	}
	return out
}

// inkOf finds the ink in box and hashes its pixels. The most frequent colour is
// the fill. Ink has fill on all four sides, however far away, so that a box may be
// some pixels larger or smaller than its bubble.
func inkOf(img *image.RGBA, box image.Rectangle) (key uint64, ink image.Rectangle, ok bool) {
	if box.Empty() {
		return 0, ink, false
	}
	fill := mostFrequent(img, box)
	w, h := box.Dx(), box.Dy()
	at := func(x, y int) uint32 {
		return binary.LittleEndian.Uint32(img.Pix[img.PixOffset(box.Min.X+x, box.Min.Y+y):])
	}
	top, bottom := make([]int, w), make([]int, w) // first and last row of fill in each column
	for x := range w {
		top[x], bottom[x] = h, -1
	}
	for y := range h {
		for x := range w {
			if at(x, y) == fill {
				top[x], bottom[x] = min(top[x], y), y
			}
		}
	}
	for y := range h {
		l, r := 0, w-1
		for l < w && at(l, y) != fill {
			l++
		}
		for r > l && at(r, y) != fill {
			r--
		}
		for x := l + 1; x < r; x++ {
			if at(x, y) != fill && top[x] < y && y < bottom[x] {
				ink = ink.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if ink.Empty() {
		return 0, ink, false
	}
	ink = ink.Add(box.Min)
	sum := fnv.New64a()
	sum.Write(binary.AppendUvarint(nil, uint64(ink.Dx())))
	for y := ink.Min.Y; y < ink.Max.Y; y++ {
		o := img.PixOffset(ink.Min.X, y)
		sum.Write(img.Pix[o : o+4*ink.Dx()])
	}
	return sum.Sum64(), ink, true
}

// mostFrequent is the colour of most pixels, the smallest value among equals.
func mostFrequent(img *image.RGBA, box image.Rectangle) uint32 {
	count := map[uint32]int{}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		o := img.PixOffset(box.Min.X, y)
		row := img.Pix[o : o+4*box.Dx()]
		run, last := 0, binary.LittleEndian.Uint32(row)
		for x := 0; x < len(row); x += 4 {
			c := binary.LittleEndian.Uint32(row[x:])
			if c != last {
				count[last] += run
				run, last = 0, c
			}
			run++
		}
		count[last] += run
	}
	best, n := uint32(0), -1
	for c, m := range count {
		if m > n || m == n && c < best {
			best, n = c, m
		}
	}
	return best
}
