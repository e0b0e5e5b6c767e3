package ocr

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Worker reads frames. It opens its recognizer at the first bubble that is not
// in the cache and keeps it. One worker serves one goroutine; workers may
// share a layout and a cache.
type Worker struct {
	layouts    func(messages.WindowID) *layout.Layout
	cache      *Cache
	factory    func() (hardware.Recognizer, error)
	recognizer hardware.Recognizer
	rule       Rule
	belief     Belief
}

var _ actors.Worker = (*Worker)(nil)

// NewWorker makes a worker. layouts gives the layout of each window, nil where
// there is none; it is called by Do only. factory opens a recognizer that this
// worker alone uses and closes.
func NewWorker(layouts func(messages.WindowID) *layout.Layout, cache *Cache, factory func() (hardware.Recognizer, error)) *Worker {
	return &Worker{layouts: layouts, cache: cache, factory: factory, belief: DefaultBelief()}
}

// Decide sets the rule by which the frames of a burst decide; Majority is the
// one of a new worker. It returns the worker.
func (w *Worker) Decide(rule Rule) *Worker {
	w.rule = rule
	return w
}

// Believe sets which lines are believed. It returns the worker.
func (w *Worker) Believe(b Belief) *Worker {
	standard := DefaultBelief()
	w.belief = Belief{Accept: cmp.Or(b.Accept, standard.Accept), Fallback: cmp.Or(b.Fallback, standard.Fallback)}
	return w
}

// Always is the layouts of a worker whose windows all look alike.
func Always(l layout.Layout) func(messages.WindowID) *layout.Layout {
	return func(messages.WindowID) *layout.Layout { return &l }
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
	out, err := w.read(ctx, r.Frame)
	if err != nil {
		return nil, err
	}
	if len(r.More) > 0 {
		if err := w.burst(ctx, r, &out); err != nil {
			return nil, err
		}
	}
	out.Hash = r.Hash
	out.Took = time.Since(start)
	return out, nil
}

// burst reads the further frames of a signal and lets all of them decide what
// each bubble of the first says. A further frame that cannot be read has no
// vote.
func (w *Worker) burst(ctx context.Context, r messages.ReadFrame, out *messages.FrameRead) error {
	frames := [][]messages.Bubble{out.Bubbles}
	out.Burst = []messages.BurstFrame{{Characters: characters(out.Bubbles)}}
	for i, f := range r.More {
		if i >= maxBurst-1 {
			out.Dropped = append(out.Dropped, fmt.Sprintf("burst: %d frames beyond the first %d were not read", len(r.More)-i, maxBurst))
			break
		}
		more, err := w.read(ctx, f)
		if ctx.Err() != nil {
			return err
		}
		detail := messages.BurstFrame{Delay: f.At.Sub(r.Frame.At), Failed: err != nil}
		if err == nil {
			detail.Characters = characters(more.Bubbles)
			frames = append(frames, more.Bubbles)
			out.Read += more.Read
			out.Cached += more.Cached
			out.Dropped = append(out.Dropped, more.Dropped...)
			out.LeftOut = append(out.LeftOut, more.LeftOut...)
		}
		out.Burst = append(out.Burst, detail)
	}
	out.Bubbles = Consensus(frames, w.rule)
	return nil
}

// read is one frame, without its hash.
func (w *Worker) read(ctx context.Context, frame messages.Frame) (messages.FrameRead, error) {
	l := w.layouts(frame.Window)
	if l == nil {
		return messages.FrameRead{}, fmt.Errorf("ocr: no layout is known for window %s: name one in its configuration", frame.Window)
	}
	segments, err := Segment(frame.Image, frame.Scale, l)
	if err != nil {
		return messages.FrameRead{}, err
	}
	size := frame.Image.Rect.Size()
	out := messages.FrameRead{
		Window: frame.Window, Scale: frame.Scale, At: frame.At, Size: messages.Rect{W: size.X, H: size.Y},
		Bubbles: make([]messages.Bubble, 0, len(segments.Shapes)),
	}
	s := session{ctx: ctx, w: w, frame: frame, layout: l, segments: segments}
	if s.pixels, err = open(frame.Image, frame.Scale); err != nil {
		return out, err
	}
	if out.Title, err = s.title(segments.Title); err != nil {
		return out, fmt.Errorf("ocr: read the title: %w", err)
	}
	shapes := segments.Shapes
	if n := len(shapes) - maxShapes; n > 0 {
		s.drop("%d bubbles above the lowest %d were not read", n, maxShapes)
		shapes = shapes[n:]
	}
	for i, shape := range shapes {
		bubble, err := s.bubble(shape)
		if err != nil {
			return out, fmt.Errorf("ocr: read bubble %d of %d: %w", i+1, len(shapes), err)
		}
		out.Bubbles = append(out.Bubbles, bubble)
	}
	if out.Marks, err = s.marks(); err != nil {
		return out, fmt.Errorf("ocr: read what stands between bubbles: %w", err)
	}
	if len(shapes) == 0 {
		if out.Bubbles, err = s.bare(); err != nil {
			return out, fmt.Errorf("ocr: read a window without bubbles: %w", err)
		}
	}
	out.Read, out.Cached = s.read, s.cached
	out.Dropped = append(s.dropped, s.doubtful.report(fmt.Sprintf("lines below confidence %.2f ", w.belief.Fallback))...)
	out.LeftOut = s.leftOut.report("")
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
