package replay

import (
	"cmp"
	"hash/fnv"
	"image"
	"image/color"
	"slices"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/recording"
)

// redaction makes other pictures and texts of those of a recording. At first it learns where text
// stands in which frame, while everything is given as it was; then it draws.
type redaction struct {
	words   words
	crops   bool // the engine says where in a frame it reads
	drawing bool
	lines   map[int][]messages.Line // of a frame, by its entry
	recent  []handed                // frames that were captured last
}

// handed is a picture that was given to the runtime.
type handed struct {
	end   *uint8 // of its pixels: parts of it share that
	entry int
}

// recentFrames are remembered: a frame is read soon after it was captured.
const recentFrames = 16

func (r *redaction) draws() bool { return r != nil && r.drawing }

func endOf(img *image.RGBA) *uint8 { return &img.Pix[:cap(img.Pix)][cap(img.Pix)-1] }

// captured notes a picture, and redraws it.
func (r *redaction) captured(entry int, img *image.RGBA, scale float64) *image.RGBA {
	if r.drawing {
		img = redrawn(img, r.lines[entry], max(1, int(scale+0.5)))
	}
	if r.recent = append(r.recent, handed{endOf(img), entry}); len(r.recent) > recentFrames {
		r.recent = slices.Delete(r.recent, 0, 1)
	}
	return img
}

// entryOf is the frame that a picture is a part of.
func (r *redaction) entryOf(img *image.RGBA) (int, bool) {
	end := endOf(img)
	for _, h := range slices.Backward(r.recent) {
		if h.end == end {
			return h.entry, true
		}
	}
	return 0, false
}

// learnFrame learns what was read in a frame.
func (r *redaction) learnFrame(frame *image.RGBA, lines []messages.Line) {
	if i, ok := r.entryOf(frame); ok {
		r.learn(i, lines)
	}
}

func (r *redaction) learn(entry int, lines []messages.Line) {
	for _, l := range lines {
		l.Text = messages.Text(r.words.replace(string(l.Text)))
		if !slices.Contains(r.lines[entry], l) {
			r.lines[entry] = append(r.lines[entry], l)
		}
	}
}

// listen learns from what was read where no engine says in which place.
func (r *redaction) listen(ev runtime.Event) {
	m, ok := ev.Message.(events.FrameSeen)
	if !ok || r.drawing || r.crops {
		return
	}
	if i, ok := r.entryOf(m.Frame.Image); ok {
		r.learn(i, []messages.Line{m.Read.Title})
		for _, b := range m.Read.Bubbles {
			r.learn(i, b.Lines)
		}
	}
}

// spread gives frames that nobody read the lines of those read before and after, where the pixels are
// the same: else a text would seem to come and go.
func (r *redaction) spread(rec *recording.Recording) {
	var frames []int
	for i, e := range rec.Entries {
		if e.Kind == recording.Frame && e.Code == "" && rec.Shown(i) == i {
			frames = append(frames, i)
		}
	}
	read := slices.DeleteFunc(slices.Clone(frames), func(i int) bool { return len(r.lines[i]) == 0 })
	for _, i := range frames {
		if len(r.lines[i]) > 0 {
			continue
		}
		img, err := rec.Picture(i)
		if err != nil {
			continue // nobody will see it
		}
		next, _ := slices.BinarySearch(read, i)
		for _, at := range []int{next - 1, next} {
			if at < 0 || at == len(read) || rec.Entries[read[at]].Window != rec.Entries[i].Window {
				continue
			}
			other, err := rec.Picture(read[at])
			if err != nil {
				continue
			}
			for _, l := range r.lines[read[at]] {
				if samePixels(img, other, boxOf(l)) && !slices.Contains(r.lines[i], l) {
					r.lines[i] = append(r.lines[i], l)
				}
			}
		}
	}
}

func samePixels(a, b *image.RGBA, box image.Rectangle) bool {
	if a.Rect != b.Rect || !box.In(a.Rect) {
		return false
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		from, to := a.PixOffset(box.Min.X, y), a.PixOffset(box.Max.X, y)
		if !slices.Equal(a.Pix[from:to], b.Pix[from:to]) {
			return false
		}
	}
	return true
}

// read gives the lines that a part of a redrawn frame shows.
func (r *redaction) read(frame *image.RGBA, box image.Rectangle) (lines []messages.Line) {
	i, ok := r.entryOf(frame)
	if !ok {
		return nil
	}
	for _, l := range r.lines[i] {
		if image.Pt(l.Box.X+l.Box.W/2, l.Box.Y+l.Box.H/2).In(box) {
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b messages.Line) int {
		return cmp.Or(cmp.Compare(a.Box.Y+a.Box.H/2, b.Box.Y+b.Box.H/2), cmp.Compare(a.Box.X, b.Box.X))
	})
	return lines
}

// flatSide is the side of a square of one colour that is kept, in logical pixels: thicker than strokes.
const flatSide = 8

// redrawn keeps only what is flat of a picture, such as grounds and bubbles, and draws bars in the
// places of texts: others for each text. What was not read as text and is drawn with strokes thicker
// than flatSide stays.
func redrawn(img *image.RGBA, lines []messages.Line, scale int) *image.RGBA {
	out := &image.RGBA{Pix: slices.Clone(img.Pix), Stride: img.Stride, Rect: img.Rect}
	for _, l := range lines {
		box := boxOf(l).Inset(-2 * scale).Intersect(out.Rect)
		fill(out, box, commonest(img, box))
	}
	flatten(out, flatSide*scale)
	for _, l := range lines {
		bars(out, boxOf(l).Intersect(out.Rect), string(l.Text))
	}
	return out
}

func boxOf(l messages.Line) image.Rectangle {
	return image.Rect(l.Box.X, l.Box.Y, l.Box.X+l.Box.W, l.Box.Y+l.Box.H)
}

func fill(img *image.RGBA, box image.Rectangle, c color.RGBA) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			img.SetRGBA(x, y, c)
		}
	}
}

// commonest is the colour that most pixels of a box have.
func commonest(img *image.RGBA, box image.Rectangle) (most color.RGBA) {
	counts := map[color.RGBA]int{}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			c := img.RGBAAt(x, y)
			if counts[c]++; counts[c] > counts[most] {
				most = c
			}
		}
	}
	return most
}

// flatten gives each pixel that is in no square of one colour the colour of its left neighbour, or of
// the upper one where there is none.
func flatten(img *image.RGBA, side int) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	at := func(x, y int) color.RGBA { return img.RGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y) }
	sides := make([]int, w*h) // of the largest square that ends in a pixel
	keep := make([]int, w*h)  // how many rows upwards from a pixel are kept, by squares that end there
	for y := range h {
		for x := range w {
			n, c := 1, at(x, y)
			if x > 0 && y > 0 && at(x-1, y) == c && at(x, y-1) == c && at(x-1, y-1) == c {
				n = 1 + min(sides[y*w+x-1], sides[(y-1)*w+x], sides[(y-1)*w+x-1])
			}
			if sides[y*w+x] = n; n >= side {
				for i := range side {
					keep[y*w+x-i] = side
				}
			}
		}
	}
	for x := range w {
		left := 0
		for y := h - 1; y >= 0; y-- {
			left = max(left-1, keep[y*w+x])
			keep[y*w+x] = left
		}
	}
	first := commonest(img, img.Rect)
	for y := range h {
		for x := range w {
			c := first
			switch {
			case keep[y*w+x] > 0:
				continue
			case x > 0:
				c = at(x-1, y)
			case y > 0:
				c = at(x, y-1)
			}
			img.SetRGBA(img.Rect.Min.X+x, img.Rect.Min.Y+y, c)
		}
	}
}

// bars draws a text that nobody can read: cells as many as letters, in the colour that stands out.
func bars(img *image.RGBA, box image.Rectangle, text string) {
	letters := []rune(text)
	if box.Empty() || len(letters) == 0 {
		return
	}
	ink := color.RGBA{A: 255}
	if g := img.RGBAAt(box.Min.X, box.Min.Y); int(g.R)+int(g.G)+int(g.B) < 3*128 {
		ink = color.RGBA{255, 255, 255, 255}
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	for i, r := range letters {
		if h.Write([]byte{byte(i)}); r == ' ' || r == '　' {
			continue
		}
		left, right := box.Min.X+i*box.Dx()/len(letters), box.Min.X+(i+1)*box.Dx()/len(letters)
		bits := h.Sum64()
		for row := range 4 { // the first and the last are never empty, so that the text is as high as it was
			top, bottom := box.Min.Y+row*box.Dy()/4, box.Min.Y+(row+1)*box.Dy()/4
			if row == 0 || row == 3 || bits>>row&1 == 1 {
				end := left + max(1, (right-left)*int(2+bits>>(8*row)&1)/4)
				fill(img, image.Rect(left, top, end, max(top+1, bottom-1)), ink)
			}
		}
	}
}
