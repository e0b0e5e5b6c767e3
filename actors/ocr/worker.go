package ocr

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Worker reads frames. It opens its recognizer at the first bubble that is not
// in the cache and keeps it. One worker serves one goroutine; workers may
// share a layout and a cache.
type Worker struct {
	layout     layout.Layout
	cache      *Cache
	factory    func() (hardware.Recognizer, error)
	recognizer hardware.Recognizer
}

var _ actors.Worker = (*Worker)(nil)

// NewWorker makes a worker. factory opens a recognizer that this worker alone
// uses and closes.
func NewWorker(l layout.Layout, cache *Cache, factory func() (hardware.Recognizer, error)) *Worker {
	return &Worker{layout: l, cache: cache, factory: factory}
}

// Do answers messages.ReadFrame with messages.FrameRead. A frame without
// pixels (hardware.ErrEmptyFrame) and a driver that is not installed are
// refused with the driver's code. An error of the recognizer fails the whole
// request and closes the recognizer; what was read before stays in the cache,
// so that a retry goes on where this stopped.
func (w *Worker) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	out, err := w.do(ctx, request)
	if err == nil {
		return out, nil
	}
	if code := hardware.Code(err); code != "error" {
		return nil, actors.Refuse(code, err)
	}
	return nil, err
}

func (w *Worker) do(ctx context.Context, request messages.Message) (messages.Message, error) {
	r, ok := request.(messages.ReadFrame)
	if !ok {
		return nil, fmt.Errorf("ocr: %T is not a request for this worker, want messages.ReadFrame", request)
	}
	start := time.Now()
	frame := r.Frame
	segments, err := Segment(frame.Image, frame.Scale, &w.layout)
	if err != nil {
		return nil, err
	}
	size := frame.Image.Rect.Size()
	out := messages.FrameRead{
		Window: frame.Window, Hash: r.Hash, Scale: frame.Scale, At: frame.At,
		Size:    messages.Rect{W: size.X, H: size.Y},
		Bubbles: make([]messages.Bubble, 0, len(segments.Shapes)),
	}
	s := session{ctx: ctx, w: w, frame: frame}
	if s.pixels, err = open(frame.Image, frame.Scale); err != nil {
		return nil, err
	}
	if out.Title, err = s.title(segments.Title); err != nil {
		return nil, fmt.Errorf("ocr: read the title: %w", err)
	}
	for i, shape := range segments.Shapes {
		bubble, err := s.bubble(shape)
		if err != nil {
			return nil, fmt.Errorf("ocr: read bubble %d of %d: %w", i+1, len(segments.Shapes), err)
		}
		out.Bubbles = append(out.Bubbles, bubble)
	}
	out.Read, out.Cached = s.read, s.cached
	out.Took = time.Since(start)
	return out, nil
}

// Close closes the recognizer. The worker can be used again afterwards and
// opens another one.
func (w *Worker) Close() error {
	if w.recognizer == nil {
		return nil
	}
	r := w.recognizer
	w.recognizer = nil
	return r.Close()
}

// session is one request on its way.
type session struct {
	ctx          context.Context
	w            *Worker
	frame        messages.Frame
	pixels       pixels
	read, cached int
}

// bubble adds the text to a shape. Pictures are not read: letters in a photo
// are not a message.
func (s *session) bubble(shape Shape) (messages.Bubble, error) {
	b := shape.Bubble
	if b.Kind != messages.KindText {
		return b, nil
	}
	key := cacheKey{pixels: b.Key, factor: enlargement(s.frame.Scale)}
	known, ok := s.w.cache.lookup(key)
	if ok {
		s.cached++
	} else {
		lines, err := s.recognize(rect(b.Box), true, func() prepared { return prepareShape(s.pixels, shape, s.frame.Scale) })
		if err != nil {
			return b, err
		}
		s.read++
		known = reading{moved(lines, -b.Box.X, -b.Box.Y)}
		s.w.cache.store(key, known)
	}
	b.Lines = moved(known.lines, b.Box.X, b.Box.Y)
	b.Text = messages.Text(join(b.Lines))
	if b.Text == "" {
		b.Kind = messages.KindUnreadable
	}
	return b, nil
}

// title reads the conversation's name, an empty line if there is none.
func (s *session) title(box image.Rectangle) (messages.Line, error) {
	if box.Empty() {
		return messages.Line{}, nil
	}
	key := cacheKey{pixels: boxKey(s.pixels, box), title: true, factor: enlargement(s.frame.Scale)}
	known, ok := s.w.cache.lookup(key)
	if !ok {
		lines, err := s.recognize(box, false, func() prepared { return prepareBox(s.pixels, box, s.frame.Scale) })
		if err != nil {
			return messages.Line{}, err
		}
		known = reading{moved(lines, -box.Min.X, -box.Min.Y)}
		s.w.cache.store(key, known)
	}
	lines := moved(known.lines, box.Min.X, box.Min.Y)
	if len(lines) == 0 {
		return messages.Line{}, nil
	}
	out := lines[0]
	out.Text = messages.Text(join(lines))
	return out, nil
}

// boxKey identifies the pixels of a rectangle.
func boxKey(p pixels, box image.Rectangle) messages.PixelKey {
	h := xxhash.New()
	fmt.Fprint(h, box.Size())
	for y := box.Min.Y; y < box.Max.Y; y++ {
		h.Write(p.row(y)[4*box.Min.X : 4*box.Max.X])
	}
	return messages.PixelKey(h.Sum64())
}

// recognize reads one box of the frame; boxes of the lines are frame pixels.
func (s *session) recognize(box image.Rectangle, block bool, prepare func() prepared) ([]messages.Line, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	if s.w.recognizer == nil {
		r, err := s.w.factory()
		if err != nil {
			return nil, fmt.Errorf("open a recognizer: %w", err)
		}
		s.w.recognizer = r
	}
	hint := hardware.Hint{Scale: s.frame.Scale, Block: block}
	var lines []messages.Line
	var err error
	if whole, ok := s.w.recognizer.(hardware.CropRecognizer); ok {
		lines, err = s.crop(whole, box, hint)
	} else {
		lines, err = s.prepared(prepare(), hint)
	}
	if err != nil && s.ctx.Err() == nil {
		// Its state is unknown now; the error that matters is the first one.
		_ = s.w.Close()
	}
	return lines, err
}

// crop leaves language, contrast and spacing to the engine.
func (s *session) crop(r hardware.CropRecognizer, box image.Rectangle, hint hardware.Hint) ([]messages.Line, error) {
	corner := s.frame.Image.Rect.Min // Segment counts from the first pixel, the engine as the image does
	lines, err := r.RecognizeCrop(s.ctx, s.frame.Image, box.Add(corner), hint)
	if err != nil {
		return nil, err
	}
	return moved(accept(lines, nil, strings.TrimSpace), -corner.X, -corner.Y), nil
}

// prepared reads as Japanese, and once more with Latin letters if most of what
// came out is Latin.
func (s *session) prepared(p prepared, hint hardware.Hint) ([]messages.Line, error) {
	w := s.w.recognizer
	hint.Lang = hardware.LangJapanese
	lines, err := w.Recognize(s.ctx, p.img, hint)
	if err != nil {
		return nil, err
	}
	var other []messages.Line
	if mostlyLatin(lines) {
		hint.Lang = hardware.LangLatin
		other = lines
		if lines, err = w.Recognize(s.ctx, p.img, hint); err != nil {
			return nil, err
		}
		if len(lines) == 0 {
			lines = other
		}
	}
	out := accept(lines, other, clean)
	for i := range out {
		out[i].Box = p.toFrame(out[i].Box)
	}
	return out, nil
}

// moved copies lines with their boxes shifted, so that what the cache holds is
// never changed.
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
