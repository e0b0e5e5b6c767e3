package ocr

import (
	"context"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// marks reads the lines between the bubbles of a frame. Lines that the layout does
// not know as marks are left out.
func (s *session) marks(ctx context.Context) (out []messages.Mark, err error) {
	if !s.layout.Marks.Known() {
		return nil, nil
	}
	for _, box := range s.segments.Marks {
		line, fresh, err := s.line(ctx, messages.DoubtfulBetween, s.pane.InsideMark(box),
			segment.EnlargementOfSmall(s.pane.Scale()))
		if err != nil {
			return out, err
		}
		kind := markKind(s.layout, string(line.Text))
		s.leftOut.addIf(fresh && kind == "" && line.Text != "", messages.OtherBetween, 0)
		if kind != "" {
			out = append(out, messages.Mark{Kind: kind,
				Box: messages.Rect{X: box.Min.X, Y: box.Min.Y, W: box.Dx(), H: box.Dy()}})
		}
	}
	return out, nil
}

func markKind(l *layout.Layout, line string) messages.MarkKind {
	switch {
	case l.Marks.IsUnsent(line):
		return messages.MarkUnsent
	case l.Marks.IsUnread(line):
		return messages.MarkUnread
	case l.Marks.IsDate(line):
		return messages.MarkDate
	}
	return ""
}
