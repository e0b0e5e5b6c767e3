package calibrate

import (
	"fmt"
	"image"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// Proposal is a layout made from a screenshot.
type Proposal struct {
	YAML          []byte      // for a file that windows name as their layout
	Found         *image.RGBA // the screenshot with what the layout finds in it
	Own, Incoming int         // bubbles found of each side
	Neither       int
}

// Layout proposes a layout for windows that look like a screenshot: one chat window with
// bubbles of both sides on a plain ground. scale is its pixels per logical pixel, 2 on a
// Retina display. Errors say what is missing. It is also an error if the layout does not
// find bubbles of both sides in the screenshot itself; what it does find is returned too.
func Layout(screenshot *image.RGBA, scale float64) (Proposal, error) {
	l, err := layout.Calibrate(screenshot, scale)
	if err != nil {
		return Proposal{}, err
	}
	var c Proposal
	if c.YAML, err = l.YAML("A window layout proposed from a screenshot. Lengths are logical pixels."); err != nil {
		return c, err
	}
	found, segments, err := segment.Overlay(screenshot, scale, &l)
	if err != nil {
		return c, err
	}
	c.Found = found
	for _, s := range segments.Shapes {
		switch s.Bubble.Side {
		case messages.SideOwn:
			c.Own++
		case messages.SideIncoming:
			c.Incoming++
		default:
			c.Neither++
		}
	}
	if c.Own == 0 || c.Incoming == 0 {
		return c, fmt.Errorf("%w: the layout that it gives finds %d own and %d incoming bubbles "+
			"and %d of neither side: "+
			"take the picture of the chat alone, with messages of both sides in bubbles that have a fill; "+
			"where a list of chats or a border stands beside the chat, cut the picture to the chat, "+
			"and write under pane in the layout what the window has around it",
			layout.ErrCalibrate, c.Own, c.Incoming, c.Neither)
	}
	return c, nil
}
