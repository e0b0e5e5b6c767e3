package ocr

import (
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// How many texts of a frame show where clock times stand, and how many frames decide it.
const (
	clockTexts  = 3
	clockFrames = 2
	clockMost   = 8
)

// clocksInside decides whether the bubbles of a window hold their clock times: nearly all
// texts of a frame end in one, or had one that was cut off as pixels. Earlier frames
// count more than a frame with few texts. learnt includes this frame.
func clocksInside(bubbles []messages.Bubble, cut []bool, known int) (yes bool, learnt int) {
	texts, ends := 0, 0
	for i, b := range bubbles {
		if b.Kind != messages.KindText || len(b.Lines) == 0 || b.Clipped {
			continue
		}
		texts++
		if _, _, ok := text.CutClock(string(b.Lines[len(b.Lines)-1].Text)); ok || i < len(cut) && cut[i] {
			ends++
		}
	}
	most := 4*ends >= 3*texts
	if texts >= clockTexts {
		if known--; most {
			known += 2
		}
		known = min(max(known, -clockMost), clockMost)
	}
	if known >= clockFrames || known <= -clockFrames {
		return known > 0, known
	}
	return most && texts >= clockTexts, known
}

// withoutClock takes the clock time off the end of a bubble's text. A bubble with nothing
// else holds what cannot be read, such as a picture or a voice message.
func withoutClock(b messages.Bubble) messages.Bubble {
	if b.Kind != messages.KindText || len(b.Lines) == 0 {
		return b
	}
	last := len(b.Lines) - 1
	before, clock, ok := text.CutClock(string(b.Lines[last].Text))
	if !ok {
		return b
	}
	b.Lines = moved(b.Lines, 0, 0)
	if b.Lines[last].Text = messages.Text(before); before == "" {
		b.Lines = b.Lines[:last]
	}
	b.Stamp = clock
	if b.Text = messages.Text(join(b.Lines)); b.Text == "" {
		b.Kind = messages.KindUnreadable
	}
	return b
}

// withoutHead takes the line off the top of an incoming bubble in which an application writes the name of who wrote,
// as the title has it, and the time.
func withoutHead(b messages.Bubble, title string) messages.Bubble {
	if b.Kind != messages.KindText || b.Side != messages.SideIncoming || len(b.Lines) < 2 || title == "" {
		return b
	}
	name, clock, ok := text.CutClock(string(b.Lines[0].Text))
	if !ok || name == "" || !text.OCREqual(name, title) {
		return b
	}
	b.Lines = moved(b.Lines[1:], 0, 0)
	b.Text, b.Stamp = messages.Text(join(b.Lines)), clock
	return b
}
