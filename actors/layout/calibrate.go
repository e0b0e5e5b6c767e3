package layout

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"maps"
	"math"
	"slices"
)

// ErrCalibrate marks a picture from which no layout can be proposed. The text says what
// kind of picture is needed.
var ErrCalibrate = errors.New("layout: no layout comes of this picture")

// Calibrate proposes a layout from a screenshot of one chat window, which shows
// at least one bubble of each side on a plain background. scale is captured pixels
// per logical pixel. What a picture cannot show (tokens, kinds, sizes) is taken
// from [Line].
//
// The background is the most frequent colour near the left and right edges. Where these
// columns have other colours, there are the header and the input. A bubble's fill is a
// colour in long runs whose edges line up: own bubbles at the right, incoming ones at the
// left. Anything that lines up in the middle is a date or a notice.
func Calibrate(img *image.RGBA, scale float64) (Layout, error) {
	s, own, incoming, err := look(img, scale)
	if err != nil {
		return Layout{}, err
	}
	l := s.propose(*own, *incoming)
	return l, l.Validate()
}

// look finds the background, the message area and the fills of both sides.
func look(img *image.RGBA, scale float64) (s shot, own, incoming *fill, err error) {
	fail := func(err error) (shot, *fill, *fill, error) { return shot{}, nil, nil, err }
	if img == nil || !(scale >= 0.25) || scale > 16 {
		return fail(fmt.Errorf("%w: want a picture and a scale from 0.25 to 16", ErrCalibrate))
	}
	s = shot{img: img, w: img.Rect.Dx(), h: img.Rect.Dy(), scale: scale}
	if s.w < max(Pixels(120, scale), 60) || s.h < max(Pixels(160, scale), 80) {
		return fail(fmt.Errorf("%w: %d×%d pixels at scale %v are too small for a chat window",
			ErrCalibrate, s.w, s.h, scale))
	}
	if !s.findBackground() {
		return fail(fmt.Errorf("%w: no plain background reaches from the left edge to the right one: "+
			"where a list of chats stands beside the chat, use `kehai layout learn`, which finds the chat, or "+
			"cut the picture to it; where messages stand on a picture or a gradient, give the chat a plain one",
			ErrCalibrate))
	}
	if !s.findArea() {
		return fail(fmt.Errorf("%w: no message area between a header and an input: "+
			"take the screenshot of one chat alone; where a list of chats stands beside it, "+
			"cut the picture to the chat, and write under pane in the layout what the window has around it",
			ErrCalibrate))
	}
	own, incoming = s.fills()
	middle := s.w / 2
	switch {
	case own == nil && s.written(middle+s.w/10, s.edges()[1], incoming):
		return fail(noFill("right", "your own messages"))
	case own == nil:
		return fail(fmt.Errorf("%w: no bubble stands at the right: let the window show a message of your own",
			ErrCalibrate))
	case incoming == nil && s.written(s.edges()[0], middle-s.w/10, own):
		return fail(noFill("left", "messages of the other side"))
	case incoming == nil:
		return fail(fmt.Errorf("%w: no bubble stands at the left: let the window show a message of the other side",
			ErrCalibrate))
	}
	return s, own, incoming, nil
}

// Join adds the colours of another picture of the same window, such as one without the
// focus or in the dark. Places and sizes stay those of l.
func (l Layout) Join(img *image.RGBA, scale float64) (Layout, error) {
	s, own, incoming, err := look(img, scale)
	if err != nil {
		return Layout{}, err
	}
	t := s.propose(*own, *incoming).Themes[0]
	l.Themes = slices.Clone(l.Themes)
	for i := range l.Themes {
		to := &l.Themes[i]
		if to.Name != t.Name {
			continue
		}
		near := func(c rgb) Near { return Near{int(c[0]), int(c[1]), int(c[2]), 14} }
		to.OwnColours = append(slices.Clone(to.OwnColours), near(own.colour))
		to.IncomingColours = append(slices.Clone(to.IncomingColours), near(incoming.colour))
		return l, l.Validate()
	}
	l.Themes = append(l.Themes, t)
	for i := range l.Themes { // light and dark, told by the background
		if l.Themes[i].Brightness = (Range{darkest, 255}); l.Themes[i].Name == "dark" {
			l.Themes[i].Brightness = Range{0, darkest - 1}
		}
	}
	return l, l.Validate()
}

// darkest is the least luma of a light background.
const darkest = 96

// noFill is the error for a picture in which one side's text is directly on the
// background.
func noFill(side, whose string) error {
	return fmt.Errorf("%w: there is text at the %s, but no bubble with a fill around it: it stands on the background, "+
		"with an outline or a shadow at most, and colours cannot tell such bubbles: choose a theme of the application "+
		"that fills the bubbles of %s", ErrCalibrate, side, whose)
}

// written reports whether there are lines of text between two columns of the message
// area: rows that change often between the background and other colours. Rows with the
// other side's fill, which may be nil, do not count.
func (s *shot) written(from, to int, other *fill) bool {
	rows := 0
	for y := s.top; y < s.bottom; y++ {
		jumps, inside := 0, false
		for x := from; x < to; x++ {
			if other != nil && s.at(x, y) == other.colour {
				jumps = 0
				break
			}
			if ink := !s.at(x, y).near(s.background, 3*backgroundOff); ink != inside {
				jumps, inside = jumps+1, ink
			}
		}
		if jumps >= 6 {
			rows++
		}
	}
	return rows >= Pixels(6, s.scale)
}

// rgb is an opaque colour.
type rgb [3]uint8

func (c rgb) near(o rgb, off int) bool {
	for i := range c {
		if !within(int(c[i])-int(o[i]), off) {
			return false
		}
	}
	return true
}

func (c rgb) less(o rgb) int { return slices.Compare(c[:], o[:]) }

func (c rgb) spread() (lo, hi int) { return int(min(c[0], c[1], c[2])), int(max(c[0], c[1], c[2])) }

func (c rgb) luma() int {
	return (299*int(c[0]) + 587*int(c[1]) + 114*int(c[2]) + 500) / 1000
}

// shot is a screenshot and the findings so far, in captured pixels.
type shot struct {
	img         *image.RGBA
	w, h        int
	scale       float64
	background  rgb
	top, bottom int // of the message area
}

func (s *shot) at(x, y int) rgb {
	i := y*s.img.Stride + 4*x
	return rgb{s.img.Pix[i], s.img.Pix[i+1], s.img.Pix[i+2]}
}

// edges returns two columns that show only background.
func (s *shot) edges() [2]int {
	m := Pixels(4, s.scale)
	return [2]int{m, s.w - 1 - m}
}

const backgroundOff = 10

func (s *shot) findBackground() bool {
	count := map[rgb]int{}
	for _, x := range s.edges() {
		for y := s.h / 4; y < s.h*3/4; y++ {
			count[s.at(x, y)]++
		}
	}
	most := 0
	for c, n := range count {
		if n > most || n == most && c.less(s.background) < 0 {
			most, s.background = n, c
		}
	}
	inside := 0
	for c, n := range count {
		if c.near(s.background, backgroundOff) {
			inside += n
		}
	}
	return inside*10 >= 6*2*(s.h*3/4-s.h/4)
}

// findArea takes the rows from the first to the last run in which both edges are
// background.
func (s *shot) findArea() bool {
	need := Pixels(8, s.scale)
	edges := s.edges()
	run := 0
	s.top = -1
	for y := range s.h {
		if !s.at(edges[0], y).near(s.background, backgroundOff) ||
			!s.at(edges[1], y).near(s.background, backgroundOff) {
			run = 0
			continue
		}
		if run++; run >= need {
			s.bottom = y + 1
			if s.top < 0 {
				s.top = y + 1 - run
			}
		}
	}
	return s.top >= 0 && s.bottom-s.top > s.h/4
}

// fill is a colour that appears in long runs.
type fill struct {
	colour      rgb
	count       int
	left, right map[int]int // number of rows that begin and end at a column
	rows        int
	x0, x1      int // the most frequent begin and end
}

// longRuns collects the long runs of each colour in the message area, without the
// background.
func (s *shot) longRuns() map[rgb]*fill {
	long := Pixels(10, s.scale)
	all := map[rgb]*fill{}
	for y := s.top; y < s.bottom; y++ {
		row := map[rgb][2]int{} // first and last pixel of each colour's long runs
		for x := 0; x < s.w; {
			c, start := s.at(x, y), x
			for x < s.w && s.at(x, y) == c {
				x++
			}
			if x-start < long || c.near(s.background, backgroundOff) {
				continue
			}
			if all[c] == nil {
				all[c] = &fill{colour: c, left: map[int]int{}, right: map[int]int{}}
			}
			all[c].count += x - start
			if ends, ok := row[c]; ok {
				start = ends[0]
			}
			row[c] = [2]int{start, x}
		}
		for c, ends := range row {
			f := all[c]
			f.rows++
			f.left[ends[0]]++
			f.right[ends[1]]++
		}
	}
	return all
}

// fills returns the fill of own and of incoming bubbles, nil where there is
// none.
func (s *shot) fills() (own, incoming *fill) {
	all := s.longRuns()
	best := map[bool]float64{}
	for _, c := range slices.SortedFunc(maps.Keys(all), rgb.less) {
		f := all[c]
		if f.rows < Pixels(15, s.scale) || f.count*500 < s.w*(s.bottom-s.top) {
			continue
		}
		var leftRows, rightRows int
		f.x0, leftRows = peak(f.left)
		f.x1, rightRows = peak(f.right)
		before, after := f.x0, s.w-f.x1
		if d := before - after; within(d, s.w*6/100) {
			continue
		}
		mine := after < before
		straight := float64(leftRows)
		if mine {
			straight = float64(rightRows)
		}
		// Bubbles have straight sides in common; avatars and stickers do not.
		score := float64(f.count) * math.Pow(straight/float64(f.rows), 2)
		if score <= best[mine] {
			continue
		}
		best[mine] = score
		if mine {
			own = f
		} else {
			incoming = f
		}
	}
	return own, incoming
}

// peak returns the value that is most frequent together with its neighbours.
func peak(count map[int]int) (at, rows int) {
	for _, x := range slices.Sorted(maps.Keys(count)) {
		if n := count[x-1] + count[x] + count[x+1]; n > rows || n == rows && count[x] > count[at] {
			at, rows = x, n
		}
	}
	return at, rows
}

// propose makes a layout from the findings, in logical pixels.
func (s *shot) propose(own, incoming fill) Layout {
	logical := func(n int) int { return int(math.Round(float64(n) / s.scale)) }
	l := Line()
	l.Name, l.Pane = "calibrated", Pane{}
	l.Header.Height = logical(s.top)
	l.Header.Title = Box{X: 12, Y: 4, W: -120, H: max(l.Header.Height-8, 1)}
	fromRight, fromLeft := logical(s.w-own.x1), logical(incoming.x0)
	l.Strip.FromRight, l.Strip.Ratio = fromRight+10, 0
	share := math.Floor(float64(s.bottom)/float64(s.h)*100)/100 - 0.02
	l.Separator.CutFrom = math.Round(min(max(share, l.Separator.ScanTo), 0.84)*100) / 100
	l.Bubble.LeftWithin, l.Bubble.RightWithin = fromLeft+40, fromRight+21
	l.Bubble.Avatars = max(fromLeft-8, 0)
	l.Exclude = nil
	input := logical(s.h - s.bottom)
	if input > 0 {
		l.Exclude = append(l.Exclude, Box{Y: -input})
	}
	if l.Bubble.Avatars > 0 {
		l.Exclude = append(l.Exclude, Box{Y: l.Header.Height, W: l.Bubble.Avatars, H: -input})
	}
	theme := Theme{Name: "light", Brightness: Range{0, 255}, Own: Green{Min: 255}, Separator: s.separator(l.Strip)}
	if s.background.luma() < darkest {
		theme.Name = "dark"
	}
	r, g, b := int(own.colour[0]), int(own.colour[1]), int(own.colour[2])
	if g >= r+16 && g >= b+16 {
		theme.Own = Green{Min: max(g-45, 0), OverRed: (g - r) / 2, OverBlue: (g - b) / 2}
	} else {
		theme.OwnColours = []Near{{r, g, b, 14}}
	}
	if lo, hi := incoming.colour.spread(); hi-lo <= 20 && !greyHolds(lo, hi, own.colour) {
		theme.Incoming = Grey{Min: max(lo-10, 0), Max: min(hi+10, 255), Spread: hi - lo + 10}
	} else {
		theme.IncomingColours = []Near{{int(incoming.colour[0]), int(incoming.colour[1]), int(incoming.colour[2]), 14}}
		theme.Incoming = Grey{} // black alone
	}
	l.Themes = []Theme{theme}
	return l
}

func greyHolds(lo, hi int, c rgb) bool {
	return Grey{Min: lo - 10, Max: hi + 10, Spread: hi - lo + 10}.Has(c[0], c[1], c[2])
}

// separator returns the range around the most frequent colour of the strip below the
// messages, or light greys if there is no input.
func (s *shot) separator(strip Strip) Grey {
	count := map[rgb]int{}
	from, to := strip.Columns(s.w, s.scale)
	for y := s.bottom; y < s.h; y++ {
		for x := from; x < to; x++ {
			count[s.at(x, y)]++
		}
	}
	if len(count) == 0 {
		return Line().Themes[0].Separator
	}
	c := slices.MaxFunc(slices.SortedFunc(maps.Keys(count), rgb.less),
		func(a, b rgb) int { return cmp.Compare(count[a], count[b]) })
	lo, hi := c.spread()
	return Grey{Min: max(lo-10, 0), Max: min(hi+10, 255), Spread: hi - lo + 12}
}
