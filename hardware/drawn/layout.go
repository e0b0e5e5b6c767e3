package drawn

import (
	"fmt"
	"hash/fnv"
	"image"
	"slices"
	"time"

	"golang.org/x/image/math/fixed"

	"github.com/kehai-run/kehai/messages"
)

// Measures of a window in logical pixels.
const (
	headerHeight = 52
	barHeight    = 84 // at most 15 % of the window
	bubbleLeft   = 56 // left edge of incoming bubbles
	bubbleRight  = 27 // right edge of own bubbles, from the window's
	padLeft      = 13 // bubble's edge to text
	padRight     = 14 // keeps own text clear of the sampling strip at 38 ± 1
	padY         = 9
	lineHeight   = 21
	minBubble    = 42
	radius       = 16
	avatarLeft   = 10
	avatarSize   = 36
	stickerSize  = 104
	pillHeight   = 22
	dateHeight   = 44 // pill with the room around it
	gapGroup     = 6  // between bubbles of one person
	gapTurn      = 14
	bottomGap    = 14

	textPx, timestampPx, pillPx, titlePx = 15, 11, 12, 17
)

// measured is the layout of one bubble for one width of window.
type measured struct {
	width int // of the window, physical pixels; 0: not laid out
	lines []string
	size  image.Point // of the bubble, physical
}

// placed is one bubble in a frame. Its box is in physical pixels and may extend
// beyond the message area.
type placed struct {
	*bubble
	index int
	box   image.Rectangle
	first bool   // of its person's group: it has the tail and, if incoming, the avatar
	date  string // of the pill above it; "" means none
	read  bool   // own, and the friend has written since
}

// frame knows where things are in a window of one size.
type frame struct {
	size  image.Point // physical
	scale int
}

func (f frame) header() image.Rectangle {
	return image.Rect(0, 0, f.size.X, min(headerHeight*f.scale, f.size.Y))
}

// bar is the input bar.
func (f frame) bar() image.Rectangle {
	h := min(barHeight*f.scale, f.size.Y*15/100)
	return image.Rect(0, f.size.Y-h, f.size.X, f.size.Y)
}

// view is the message area.
func (f frame) view() image.Rectangle {
	r := image.Rect(0, f.header().Max.Y, f.size.X, f.bar().Min.Y)
	if r.Min.Y > r.Max.Y {
		r.Max.Y = r.Min.Y
	}
	return r
}

func (w *Window) frame(s *state) frame {
	return frame{size: s.size.Mul(w.scale), scale: w.scale}
}

// layout places the bubbles of the shown conversation that touch the view,
// top to bottom.
func (w *Window) layout(s *state) []placed {
	f := w.frame(s)
	view := f.view()
	if view.Empty() || s.hidden || s.chats {
		return nil
	}
	conv := s.convs[s.shown]
	scroll := 0
	if conv.scroll > 0 {
		scroll = min(conv.scroll, w.limit(s)) * f.scale
	}
	var out []placed
	y := view.Max.Y - bottomGap*f.scale + scroll // bottom edge of bubble i
	i := len(conv.bubbles) - 1
	read := false
	for ; i >= 0 && y > view.Min.Y; i-- {
		b := conv.bubbles[i]
		h := w.measure(b, f).Y
		p := placed{bubble: b, index: i, read: read, box: w.box(b, f, y-h)}
		newDay, first := joint(conv.bubbles, i)
		p.first = first
		if newDay {
			p.date = dateLabel(b.at, w.fonts.Japanese())
		}
		read = read || b.who == Friend
		if y-h-dateHeight*f.scale < view.Max.Y {
			out = append(out, p)
		}
		y -= h + above(conv.bubbles, i)*f.scale
	}
	if i < 0 && y > view.Min.Y { // fewer than fit: they start at the top
		for j := range out {
			out[j].box = out[j].box.Sub(image.Pt(0, y-view.Min.Y))
		}
	}
	slices.Reverse(out)
	return out
}

// limit is how far the shown conversation can be scrolled back, logical.
func (w *Window) limit(s *state) int {
	f := w.frame(s)
	bubbles := s.convs[s.shown].bubbles
	total := bottomGap * f.scale
	for i, b := range bubbles {
		total += w.measure(b, f).Y + above(bubbles, i)*f.scale
	}
	return max(0, total-f.view().Dy()) / f.scale
}

// grown is the height that the newest bubble of the shown conversation adds.
func (w *Window) grown(s *state) int {
	f := w.frame(s)
	bubbles := s.convs[s.shown].bubbles
	i := len(bubbles) - 1
	return w.measure(bubbles[i], f).Y/f.scale + above(bubbles, i)
}

// above is the logical distance from the bubble before, with the date pill.
func above(bubbles []*bubble, i int) int {
	newDay, first := joint(bubbles, i)
	switch {
	case newDay:
		return dateHeight
	case first || bubbles[i].unsent:
		return gapTurn
	}
	return gapGroup
}

// joint says whether bubble i starts a day, and whether it starts its person's
// group.
func joint(bubbles []*bubble, i int) (newDay, first bool) {
	if i == 0 {
		return true, true
	}
	b, p := bubbles[i], bubbles[i-1]
	newDay = b.at.Year() != p.at.Year() || b.at.YearDay() != p.at.YearDay()
	return newDay, newDay || p.who != b.who || p.unsent
}

func dateLabel(t time.Time, japanese bool) string {
	if !japanese {
		return t.Format("Mon, Jan 2")
	}
	return fmt.Sprintf("%d月%d日(%s)", t.Month(), t.Day(), []string{"日", "月", "火", "水", "木", "金", "土"}[t.Weekday()])
}

// measure breaks a bubble's text into lines and measures it, once per width.
func (w *Window) measure(b *bubble, f frame) image.Point {
	if b.measured.width == f.size.X {
		return b.measured.size
	}
	l := measured{width: f.size.X}
	switch {
	case b.unsent:
		l.lines = []string{w.notice(b)}
		l.size = image.Pt(w.pill.width(l.lines[0]).Ceil()+24*f.scale, pillHeight*f.scale)
	case b.kind == messages.KindSticker:
		l.size = image.Pt(stickerSize*f.scale, stickerSize*f.scale)
	default:
		room := (f.size.X - (bubbleLeft+bubbleRight)*f.scale) * 72 / 100
		room = max(room-(padLeft+padRight)*f.scale, textPx*f.scale)
		l.lines = wrap(b.text, fixed.I(room), w.text.width)
		wide := fixed.Int26_6(0)
		for _, line := range l.lines {
			wide = max(wide, w.text.width(line))
		}
		l.size = image.Pt(max(wide.Ceil()+(padLeft+padRight)*f.scale, minBubble*f.scale),
			(len(l.lines)*lineHeight+2*padY)*f.scale)
	}
	b.measured = l
	return l.size
}

func (w *Window) box(b *bubble, f frame, y int) image.Rectangle {
	size := b.measured.size
	x := bubbleLeft * f.scale
	switch {
	case b.unsent:
		x = (f.size.X - size.X) / 2
	case b.who == Me:
		x = f.size.X - bubbleRight*f.scale - size.X
	}
	return image.Rectangle{Max: size}.Add(image.Pt(x, y))
}

func (w *Window) notice(b *bubble) string {
	switch {
	case !w.fonts.Japanese():
		return "Message unsent"
	case b.who == Me:
		return "メッセージの送信を取り消しました"
	}
	return "相手がメッセージの送信を取り消しました"
}

// hue picks one of n colours for a name, always the same.
func hue(name string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % uint32(n))
}
