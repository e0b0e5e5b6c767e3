package ocr

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Limits of one frame. Anything beyond them is dropped, and the reading says so.
const (
	maxShapes = 256  // bubbles of a frame
	maxLines  = 400  // lines of a bubble
	maxRunes  = 4000 // of a line
	maxBurst  = 9    // frames of a change
)

// session reads one frame. It lives during one call of [Worker.Do].
type session struct {
	w            *Worker
	pane         *segment.Pane
	layout       *layout.Layout
	segments     segment.Segments
	read, cached int
	unread       counter         // what is beyond a limit, and lines below the threshold
	leftOut      counter         // what belongs to no message
	asJapanese   []messages.Line // of a bubble, where Latin letters were read after it
}

// all reads title, bubbles and marks into out, in pixels of the pane.
func (s *session) all(ctx context.Context, out *messages.FrameRead) (err error) {
	if out.Title, err = s.title(ctx, s.segments.Title); err != nil {
		return fmt.Errorf("ocr: read the title: %w", err)
	}
	if !s.segments.Title.Empty() {
		out.Name = s.pane.Key(s.segments.Title)
	}
	shapes := s.segments.Shapes
	if n := len(shapes) - maxShapes; n > 0 {
		s.unread.add(messages.OmittedBubbles, n, maxShapes)
		shapes = shapes[n:]
	}
	out.Bubbles = make([]messages.Bubble, 0, len(shapes))
	for i, shape := range shapes {
		bubble, err := s.bubble(ctx, shape)
		if err != nil {
			return fmt.Errorf("ocr: read bubble %d of %d: %w", i+1, len(shapes), err)
		}
		out.Bubbles = append(out.Bubbles, bubble)
	}
	if out.Marks, err = s.marks(ctx); err != nil {
		return fmt.Errorf("ocr: read what stands between bubbles: %w", err)
	}
	if len(shapes) == 0 && s.w.o.WholeFrames {
		if out.Bubbles, err = s.whole(ctx); err != nil {
			return fmt.Errorf("ocr: read a window without bubbles: %w", err)
		}
	}
	return nil
}

// learn takes off the clock times inside of bubbles, and notes what the frame shows of
// its window's looks.
func (s *session) learn(out *messages.FrameRead, known messages.Learnt) {
	learnt := segment.Learn(known, s.segments.Shapes)
	if shapes := s.segments.Shapes; len(shapes) > 0 && shapes[0].Row { // then all are
		out.Rows = true
		title := string(out.Title.Text)
		header := s.pane.Key(s.segments.Title)
		sidesByName(out.Bubbles, title, s.layout.Me, s.w.o.Cache.rowsOf(out.Window, header))
		if rows := learntRows(out.Bubbles, title); len(rows) > 0 {
			s.w.o.Cache.keepRows(out.Window, learntSides{rows: rows, header: header,
				title: out.Title.Text, column: s.segments.Rows})
			learnt.Rows = s.segments.Rows.RowColumn
		}
	}
	shapes := s.segments.Shapes[len(s.segments.Shapes)-min(len(s.segments.Shapes), maxShapes):]
	cut := make([]bool, len(shapes))
	for i, shape := range shapes {
		cut[i] = shape.Clock
	}
	var inside bool
	if inside, learnt.Clocks = clocksInside(out.Bubbles, cut, known.Clocks); inside {
		for i, b := range out.Bubbles {
			if i < len(cut) && !cut[i] {
				out.Bubbles[i] = withoutClock(b)
			}
		}
	}
	for i, b := range out.Bubbles {
		out.Bubbles[i] = withoutHead(b, string(out.Title.Text))
	}
	out.Learnt = learnt
}

// doubt counts lines below the threshold, by their place.
func (s *session) doubt(where messages.Omission, lines int) {
	s.unread.add(where, lines, hundredths(s.w.o.Confidence.Fallback))
}

// bubble adds to a shape what is written in it. Pictures are not read: letters in
// a photo are not a message.
func (s *session) bubble(ctx context.Context, shape segment.Shape) (b messages.Bubble, err error) {
	b = shape.Bubble
	if b.Kind == messages.KindText {
		key := cacheKey{pixels: b.Key, cut: shape.Clock, factor: segment.Enlargement(s.pane.Scale())}
		known, ok := s.w.o.Cache.lookup(key)
		if ok {
			s.cached++
		} else {
			var pictures []pictured
			s.asJapanese = nil
			lines, doubtful, err := s.recognize(ctx, shape.Box(), true, func() segment.Prepared {
				pictures = s.emoji(&shape)
				return s.pane.Prepare(shape)
			})
			if err != nil {
				return b, err
			}
			if lines, doubtful, err = s.larger(ctx, shape, lines, doubtful); err != nil {
				return b, err
			}
			lines = withEmoji(lostCounters(lines, s.asJapanese), pictures)
			beside, err := s.besideIcon(ctx, shape)
			if err != nil {
				return b, err
			}
			s.read++
			unknown, weak := foreigners(lines, s.w.o.Confidence.Fallback)
			s.doubt(messages.DoubtfulInBubble, doubtful-weak)
			s.unread.add(messages.ForeignInBubble, unknown, 0)
			known = reading{lines: moved(lines, -b.Box.X, -b.Box.Y), beside: moved(beside, -b.Box.X, -b.Box.Y)}
			s.w.o.Cache.store(key, known)
		}
		b = s.withText(shape, known)
	}
	if b.Sender, err = s.sender(ctx, shape.Name); err != nil {
		return b, err
	}
	if s.layout.Bubble.ReadTimestamp {
		small := segment.EnlargementOfSmall(s.pane.Scale())
		line, _, err := s.line(ctx, messages.DoubtfulBeside, shape.Timestamp, small)
		if err != nil {
			return b, err
		}
		b.Stamp = text.ClockTime(string(line.Text))
	}
	return b, nil
}

// larger reads a shape again, enlarged more, if lines of it were read unsurely, and once more if some could not be
// read at all. The surest reading counts.
func (s *session) larger(ctx context.Context, shape segment.Shape, lines []messages.Line, doubtful int,
) ([]messages.Line, int, error) {
	if _, whole := s.w.recognizer.(hardware.CropRecognizer); whole {
		return lines, doubtful, nil // it enlarges by itself
	}
	scale := s.pane.Scale()
	for _, step := range []struct {
		factor float64
		wanted bool
	}{
		{segment.EnlargementOfUnsure(scale), doubtful > 0 || unsure(lines)},
		{segment.EnlargementOfDoubtful(scale), doubtful > 0},
	} {
		if !step.wanted {
			continue
		}
		again, still, err := s.recognize(ctx, shape.Box(), true, func() segment.Prepared {
			return s.pane.PrepareBy(shape, step.factor)
		})
		if err != nil {
			return nil, 0, err
		}
		if surer(again, still, lines, doubtful) {
			lines, doubtful = again, still
		}
	}
	return lines, doubtful, nil
}

// besideIcon reads a bubble without the icon at its left, if there is one, because
// an engine reads the icon as a letter. The layout's kinds say whether it matters.
func (s *session) besideIcon(ctx context.Context, shape segment.Shape) ([]messages.Line, error) {
	rest, ok := s.pane.WithoutIcon(shape)
	if !ok {
		return nil, nil
	}
	lines, _, err := s.recognize(ctx, rest.Box(), true, func() segment.Prepared { return s.pane.Prepare(rest) })
	return lines, err
}

// withText makes a bubble of what was read in a shape.
func (s *session) withText(shape segment.Shape, known reading) messages.Bubble {
	b := shape.Bubble
	b.Lines = moved(known.beside, b.Box.X, b.Box.Y)
	if kind := otherKind(b, s.layout.Kinds, s.pane.Scale()); kind != "" {
		b.Kind, b.Text = kind, messages.Text(join(b.Lines))
		return b
	}
	b.Lines = s.unquoted(moved(known.lines, b.Box.X, b.Box.Y), shape.Quotes)
	b = withText(b, s.layout.Kinds, s.pane.Scale(), func() bool { return s.pane.Pictorial(shape) })
	b.Low = b.Kind == messages.KindText && s.w.o.Confidence.low(b.Lines)
	return b
}

// unquoted leaves out the lines in the frames inside a bubble, unless it has no others.
func (s *session) unquoted(lines []messages.Line, quotes []image.Rectangle) []messages.Line {
	var out []messages.Line
	for _, l := range lines {
		box := segment.Rect(l.Box)
		middle := box.Min.Add(box.Max).Div(2)
		if !slices.ContainsFunc(quotes, func(r image.Rectangle) bool { return middle.In(r) }) {
			out = append(out, l)
		}
	}
	if n := len(lines) - len(out); n > 0 && len(out) > 0 {
		s.leftOut.add(messages.OtherQuote, n, 0)
		return out
	}
	return lines
}

// sender reads the name above a bubble. An uncertain name stays unknown.
func (s *session) sender(ctx context.Context, box image.Rectangle) (messages.Text, error) {
	line, fresh, err := s.line(ctx, messages.DoubtfulInName, box, segment.EnlargementOfSmall(s.pane.Scale()))
	name := string(line.Text)
	switch {
	case err != nil, name == "":
		return "", err
	case line.Confidence < s.w.o.Confidence.Accept:
		s.leftOut.addIf(fresh, messages.DoubtfulName, hundredths(s.w.o.Confidence.Accept))
		return "", nil
	case s.layout.IsToken(name) || text.ClockTime(name) != "":
		s.leftOut.addIf(fresh, messages.OtherTokenName, 0)
		return "", nil
	}
	return line.Text, nil
}

// title reads the conversation's name, an empty line if there is none.
func (s *session) title(ctx context.Context, box image.Rectangle) (messages.Line, error) {
	line, _, err := s.line(ctx, messages.DoubtfulInTitle, box, segment.Enlargement(s.pane.Scale()))
	return line, err
}

// field reads what stands in the input. Icons there are read as letters; callers must expect that.
func (s *session) field(ctx context.Context, out *messages.FrameRead) error {
	lines, _, err := s.lines(ctx, messages.DoubtfulInWindow, segment.Rect(out.Input), true,
		segment.Enlargement(s.pane.Scale()))
	if err != nil {
		return fmt.Errorf("ocr: read the input: %w", err)
	}
	out.Field = lines
	return nil
}

// line reads one line of text outside bubbles, an empty one if box is empty.
// fresh says that it was not in the cache.
func (s *session) line(ctx context.Context, where messages.Omission, box image.Rectangle,
	factor float64) (out messages.Line, fresh bool, err error) {
	lines, fresh, err := s.lines(ctx, where, box, false, factor)
	if err != nil || len(lines) == 0 {
		return messages.Line{}, fresh, err
	}
	out = lines[0]
	// Readings of a name differ in their spaces, which would make two conversations of one.
	out.Text = messages.Text(strings.ReplaceAll(join(lines), string(wideSpace), ""))
	for _, l := range lines {
		out.Confidence = min(out.Confidence, l.Confidence)
	}
	return out, fresh, nil
}

// lines reads a rectangle, once for the same pixels.
func (s *session) lines(ctx context.Context, where messages.Omission, box image.Rectangle, block bool,
	factor float64) (lines []messages.Line, fresh bool, err error) {
	if box.Empty() {
		return nil, false, nil
	}
	key := cacheKey{pixels: s.pane.Key(box), plain: true, block: block, factor: factor}
	known, ok := s.w.o.Cache.lookup(key)
	if !ok {
		read, doubtful, err := s.recognize(ctx, box, block,
			func() segment.Prepared { return s.pane.PrepareBox(box, factor) })
		if err != nil {
			return nil, true, err
		}
		s.doubt(where, doubtful)
		read = s.w.o.Confidence.believed(read)
		known = reading{lines: moved(read, -box.Min.X, -box.Min.Y)}
		s.w.o.Cache.store(key, known)
	}
	return moved(known.lines, box.Min.X, box.Min.Y), !ok, nil
}

// whole reads a frame without bubbles as a whole, masked.
func (s *session) whole(ctx context.Context) ([]messages.Bubble, error) {
	area := s.pane.Area
	if area.Empty() || !s.pane.HasInk(area) {
		return nil, nil
	}
	part := *s
	part.pane = s.pane.Mask()
	area = area.Intersect(image.Rectangle{Max: part.pane.Image().Rect.Max})
	lines, fresh, err := part.lines(ctx, messages.DoubtfulInWindow, area, true, segment.Enlargement(s.pane.Scale()))
	if err != nil {
		return nil, err
	}
	bubbles, left := assign(lines, part.pane, s.layout)
	for i := range bubbles {
		bubbles[i].Low = s.w.o.Confidence.low(bubbles[i].Lines)
	}
	s.unread = part.unread
	if fresh {
		s.read++
		s.leftOut.join(left)
	} else {
		s.cached++
	}
	return bubbles, nil
}

// recognize reads one box of the pane. The boxes of the lines are in pixels of the
// pane. doubtful counts the lines below the threshold.
func (s *session) recognize(ctx context.Context, box image.Rectangle, block bool,
	prepare func() segment.Prepared) (lines []messages.Line, doubtful int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if s.w.recognizer == nil {
		r, err := s.w.o.Open()
		if err != nil {
			return nil, 0, fmt.Errorf("open a recognizer: %w", err)
		}
		s.w.recognizer = r
	}
	hint := hardware.Hint{Scale: s.pane.Scale(), Block: block}
	if whole, ok := s.w.recognizer.(hardware.CropRecognizer); ok {
		lines, doubtful, err = s.crop(ctx, whole, box, hint)
	} else {
		lines, doubtful, err = s.prepared(ctx, prepare(), hint)
	}
	if err != nil && ctx.Err() == nil {
		// Its state is unknown now. The first error is the one that matters.
		_ = s.w.Close()
	}
	return lines, doubtful, err
}

// crop leaves language, contrast and spacing to the engine.
func (s *session) crop(ctx context.Context, r hardware.CropRecognizer, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, int, error) {
	picture := s.pane.Image()
	corner := picture.Rect.Min // a pane counts from its first pixel, the engine as the image does
	lines, err := r.RecognizeCrop(ctx, picture, box.Add(corner), hint)
	if err != nil {
		return nil, 0, err
	}
	lines, doubtful := s.w.o.Confidence.accept(s.bounded(lines), nil, strings.TrimSpace)
	return moved(lines, -corner.X, -corner.Y), doubtful, nil
}

// prepared reads as Japanese. If the result is mostly Latin, it reads once more
// with Latin letters.
func (s *session) prepared(ctx context.Context, p segment.Prepared,
	hint hardware.Hint) ([]messages.Line, int, error) {
	w := s.w.recognizer
	hint.Lang = hardware.LangJapanese
	lines, err := w.Recognize(ctx, p.Image, hint)
	if err != nil {
		return nil, 0, err
	}
	lines = s.bounded(lines)
	var other []messages.Line
	if mostlyLatin(lines) {
		hint.Lang = hardware.LangLatin
		other = lines
		if lines, err = w.Recognize(ctx, p.Image, hint); err != nil {
			return nil, 0, err
		}
		if lines = s.bounded(lines); len(lines) == 0 {
			lines = other
		}
		for _, l := range other {
			l.Box = p.ToPane(l.Box)
			s.asJapanese = append(s.asJapanese, l)
		}
	}
	out, doubtful := s.w.o.Confidence.accept(lines, other, clean)
	for i := range out {
		out[i].Box = p.ToPane(out[i].Box)
	}
	return out, doubtful, nil
}

// bounded keeps the first lines if there are too many, and the beginnings of lines
// that are too long.
func (s *session) bounded(lines []messages.Line) []messages.Line {
	if n := len(lines) - maxLines; n > 0 {
		s.unread.add(messages.OmittedLines, n, maxLines)
		lines = lines[:maxLines]
	}
	for i, l := range lines {
		if len(l.Text) <= maxRunes {
			continue
		}
		if r := []rune(string(l.Text)); len(r) > maxRunes {
			s.unread.add(messages.OmittedCharacters, len(r)-maxRunes, maxRunes)
			lines = append([]messages.Line(nil), lines...) // the engine's own stay as they are
			lines[i].Text = messages.Text(r[:maxRunes])
		}
	}
	return lines
}

// moved returns copies of lines with shifted boxes: what the cache holds must not change.
func moved(lines []messages.Line, dx, dy int) []messages.Line {
	if len(lines) == 0 {
		return nil
	}
	out := make([]messages.Line, len(lines))
	for i, l := range lines {
		l.Box.X += dx
		l.Box.Y += dy
		out[i] = l
	}
	return out
}

// shift turns the pane's coordinates of everything that was read into those of the frame.
func shift(out *messages.FrameRead, dx, dy int) {
	if dx == 0 && dy == 0 {
		return
	}
	move := func(r *messages.Rect) { r.X, r.Y = r.X+dx, r.Y+dy }
	if out.Title.Text != "" {
		move(&out.Title.Box)
	}
	for i := range out.Bubbles {
		b := &out.Bubbles[i]
		move(&b.Box)
		b.Lines = moved(b.Lines, dx, dy)
	}
	for i := range out.Marks {
		move(&out.Marks[i].Box)
	}
	move(&out.Header)
	if out.Input.H > 0 {
		move(&out.Input)
	}
	out.Field = moved(out.Field, dx, dy)
}
