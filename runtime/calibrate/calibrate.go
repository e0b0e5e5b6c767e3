package calibrate

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// ErrNames marks a window in which names say whose a message is, and none is known as one's own.
var ErrNames = errors.New("names stand beside its messages and say whose they are: " +
	"give yours as the window shows it, --me NAME")

// Proposal is a layout made from screenshots.
type Proposal struct {
	YAML          []byte      // for a file that windows name as their layout
	Found         *image.RGBA // the first screenshot with what the layout finds in it
	Own, Incoming int         // bubbles found of each side, in all of them
	Neither       int
	Rows          int // of Neither, those without a bubble: a name says whose they are

	layout layout.Layout
}

// Reader says which recognizer reads: Open opens it.
type Reader = ocr.Options

// Read reads a screenshot as a window with this layout would be read.
func (p Proposal) Read(ctx context.Context, o Reader, scale float64, screenshot *image.RGBA) (
	read messages.FrameRead, err error) {
	o.Cache, o.Confidence = ocr.NewCache(0), ocr.DefaultThresholds()
	o.Layouts = func(messages.WindowID) *layout.Layout { return &p.layout }
	w := ocr.NewWorker(o)
	defer func() { err = errors.Join(err, w.Close()) }()
	answer, err := w.Do(ctx, messages.ReadFrame{Frame: messages.Frame{Image: screenshot, Scale: scale}})
	read, _ = answer.(messages.FrameRead)
	return read, err
}

// Layout proposes a layout for windows that look like screenshots: one chat window, with
// bubbles of both sides on a plain ground, with and without the focus, light and dark. scale
// is their pixels per logical pixel, 2 on a Retina display. Errors say what is missing. It is
// also an error if the layout does not find bubbles of both sides in each screenshot; what it
// does find is returned too.
func Layout(scale float64, screenshots ...*image.RGBA) (Proposal, error) {
	l, err := layout.Calibrate(screenshots[0], scale)
	for i := 1; i < len(screenshots) && err == nil; i++ {
		if l, err = l.Join(screenshots[i], scale); err != nil {
			err = fmt.Errorf("picture %d: %w", i+1, err)
		}
	}
	if err != nil {
		return Proposal{}, err
	}
	var p Proposal
	if p.YAML, err = l.YAML("A window layout proposed from screenshots. Lengths are logical pixels."); err != nil {
		return p, err
	}
	for i, img := range screenshots {
		if err := p.try(&l, scale, i, img); err != nil {
			return p, err
		}
	}
	return p, nil
}

// try counts what a layout finds in a screenshot.
func (p *Proposal) try(l *layout.Layout, scale float64, i int, screenshot *image.RGBA) error {
	p.layout = *l
	picture, segments, err := segment.Overlay(screenshot, scale, l)
	if err != nil {
		return err
	}
	if p.Found == nil {
		p.Found = picture
	}
	own, incoming, neither, rows := 0, 0, 0, 0
	for _, s := range segments.Shapes {
		if s.Row {
			rows++
		}
		switch s.Bubble.Side {
		case messages.SideOwn:
			own++
		case messages.SideIncoming:
			incoming++
		default:
			neither++
		}
	}
	p.Own, p.Incoming, p.Neither, p.Rows = p.Own+own, p.Incoming+incoming, p.Neither+neither, p.Rows+rows
	switch {
	case rows > 0 && l.Find == layout.FindAuto: // only a reader can tell
		return nil
	case own > 0 && incoming > 0:
		return nil
	case l.Find == layout.FindAuto:
		return fmt.Errorf("%w: picture %d shows %d own and %d incoming bubbles and %d of neither side: "+
			"let the window show messages of both", layout.ErrCalibrate, i+1, own, incoming, neither)
	}
	return fmt.Errorf("%w: the layout that it gives finds %d own and %d incoming bubbles and %d of neither side "+
		"in picture %d: take the picture of the chat alone, with messages of both sides in bubbles that have a fill; "+
		"where a list of chats or a border stands beside the chat, cut the picture to the chat, "+
		"and write under pane in the layout what the window has around it; "+
		"or use `kehai layout learn`, which needs no fill and finds the chat by itself",
		layout.ErrCalibrate, own, incoming, neither, i+1)
}

// Learn makes a layout for a window whose places and colours are found by themselves, and
// teaches it the colours of two messages in the first screenshot: mine and theirs are any
// points inside of them. It is an error if no message stands there, if one is still taken
// for the other side's, or if both sides are not found in each screenshot. Where messages
// are rows with names the error is [ErrNames]. The findings are returned in any case.
func Learn(scale float64, mine, theirs image.Point, screenshots ...*image.RGBA) (Proposal, error) {
	l := learnt()
	p := Proposal{}
	_ = p.try(&l, scale, 0, screenshots[0]) // for a picture of it: whether it knows the sides does not matter yet
	if p.Rows > 0 {
		return p, fmt.Errorf("%w: %w", layout.ErrCalibrate, ErrNames)
	}
	own, err := at(&l, scale, screenshots[0], mine, "yours")
	if err != nil {
		return p, err
	}
	incoming, err := at(&l, scale, screenshots[0], theirs, "theirs")
	if err != nil {
		return p, err
	}
	if own.Box() == incoming.Box() {
		return p, fmt.Errorf("%w: both points stand in one message: want one in a message of each side",
			layout.ErrCalibrate)
	}
	if own, incoming := near(own), near(incoming); own != incoming { // an outline alone teaches no colour
		l.Themes[0].OwnColours, l.Themes[0].IncomingColours = []layout.Near{own}, []layout.Near{incoming}
	}
	if p, err = written(l, scale, screenshots); err != nil {
		return p, err
	}
	for _, c := range []struct {
		at   image.Point
		side messages.Side
	}{{mine, messages.SideOwn}, {theirs, messages.SideIncoming}} {
		if s, err := at(&l, scale, screenshots[0], c.at, ""); err != nil || s.Bubble.Side != c.side {
			return p, fmt.Errorf("%w: the message at %d,%d is still taken for one of side %s, want %s: "+
				"the bubbles of both sides have one colour and stand alike", layout.ErrCalibrate, c.at.X, c.at.Y,
				s.Bubble.Side, c.side)
		}
	}
	return p, nil
}

// LearnName makes a layout as [Learn] does, for a window with a name beside each
// message: me is the name beside one's own messages. It is an error if a screenshot
// shows no such message.
func LearnName(scale float64, me string, screenshots ...*image.RGBA) (Proposal, error) {
	l := learnt()
	l.Me = append([]string{me}, l.Me...)
	p, err := written(l, scale, screenshots)
	if err == nil && p.Rows == 0 {
		err = fmt.Errorf("%w: no name stands beside its messages: use --mine and --theirs", layout.ErrCalibrate)
	}
	return p, err
}

func learnt() layout.Layout {
	l, _ := layout.ByName(layout.FindAuto)
	l.Name = "learnt"
	return l
}

// written writes a layout and tries it in each screenshot.
func written(l layout.Layout, scale float64, screenshots []*image.RGBA) (p Proposal, err error) {
	p.YAML, err = l.YAML("A window in which messages are found by themselves. The lists of colours say whose " +
		"they are, and the names under me where they have no bubbles.")
	if err != nil {
		return p, err
	}
	for i, img := range screenshots {
		if err := p.try(&l, scale, i, img); err != nil {
			return p, err
		}
	}
	return p, nil
}

// at finds the message at a point of a screenshot.
func at(l *layout.Layout, scale float64, img *image.RGBA, point image.Point, whose string) (segment.Shape, error) {
	pane, err := segment.Open(img, scale, l)
	if err != nil {
		return segment.Shape{}, err
	}
	var places strings.Builder
	shapes := pane.Find().Shapes
	for _, s := range shapes {
		box := s.Box().Add(pane.At)
		if point.In(box) {
			return s, nil
		}
		middle := box.Min.Add(box.Max).Div(2)
		fmt.Fprintf(&places, " %d,%d", middle.X, middle.Y)
	}
	if len(shapes) == 0 {
		places.WriteString(" nowhere: let the window show a conversation")
	}
	return segment.Shape{}, fmt.Errorf("%w: no message was found at %d,%d, which should be one of %s; "+
		"messages are at%s", layout.ErrCalibrate, point.X, point.Y, whose, places.String())
}

func near(s segment.Shape) layout.Near {
	r, g, b := s.Fill()
	return layout.Near{R: int(r), G: int(g), B: int(b), Off: 3}
}
