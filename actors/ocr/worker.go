package ocr

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Options of a [Worker].
type Options struct {
	// Layouts gives the layout of each window, nil where there is none. Required.
	Layouts func(messages.WindowID) *layout.Layout
	// Cache of readings; workers may share one. Required.
	Cache *Cache
	// Open opens a recognizer that one worker alone uses and closes. Required.
	Open func() (hardware.Recognizer, error)

	Burst      Rule       // by which the frames of a burst decide; zero means Majority
	Confidence Thresholds // as in [DefaultThresholds]
	// WholeFrames has a frame without bubbles read as a whole, as in profile seed.
	// Nothing shows then that such a text is a message.
	WholeFrames bool
}

// Worker reads frames. It opens its recognizer for the first bubble that is not in
// the cache, and keeps it. One goroutine at a time may use a worker.
type Worker struct {
	o          Options
	recognizer hardware.Recognizer
}

var _ actors.Worker = (*Worker)(nil)

// NewWorker makes a worker.
func NewWorker(o Options) *Worker {
	return &Worker{o: o}
}

// Do answers messages.ReadFrame with messages.FrameRead. A frame without
// pixels (hardware.ErrEmptyFrame) and a driver that is not installed are
// refused with the driver's code, one without the pane with [messages.CodePane]. An error
// of the recognizer fails the whole request and closes the recognizer. The cache keeps
// what was read before, so that a retry continues from there.
func (w *Worker) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	out, err := w.do(ctx, request)
	if err == nil {
		return out, nil
	}
	if errors.Is(err, segment.ErrPane) {
		return nil, actors.Refuse(messages.CodePane, err)
	}
	return nil, actors.RefuseKnown(hardware.Code(err), err)
}

func (w *Worker) do(ctx context.Context, request messages.Message) (messages.Message, error) {
	r, ok := request.(messages.ReadFrame)
	if !ok {
		return nil, fmt.Errorf("ocr: %T is not a request for this worker, want messages.ReadFrame", request)
	}
	start := time.Now()
	known := w.o.Cache.known(r.Frame.Window, r.Learnt)
	out, err := w.read(ctx, r.Frame, r.Field, known)
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

// burst reads the further frames of a change. All frames then decide the text of
// each bubble in the first. A further frame that cannot be read has no vote.
func (w *Worker) burst(ctx context.Context, r messages.ReadFrame, out *messages.FrameRead) error {
	frames := [][]messages.Bubble{out.Bubbles}
	unread, leftOut := counter(out.Unread), counter(out.LeftOut)
	out.Burst = []messages.BurstFrame{{Characters: characters(out.Bubbles)}}
	for i, f := range r.More {
		if i >= maxBurst-1 {
			unread.add(messages.OmittedFrames, len(r.More)-i, maxBurst)
			break
		}
		more, err := w.read(ctx, f, false, out.Learnt)
		if ctx.Err() != nil {
			return err
		}
		detail := messages.BurstFrame{Delay: f.At.Sub(r.Frame.At), Failed: err != nil}
		if err == nil {
			detail.Characters = characters(more.Bubbles)
			frames = append(frames, more.Bubbles)
			out.Read += more.Read
			out.Cached += more.Cached
			unread.join(more.Unread)
			leftOut.join(more.LeftOut)
		}
		out.Burst = append(out.Burst, detail)
	}
	out.Bubbles, out.Unread, out.LeftOut = Consensus(frames, w.o.Burst), unread, leftOut
	return nil
}

// read is one frame, without its hash; with field also what stands in its input. known
// is what earlier frames taught.
func (w *Worker) read(ctx context.Context, frame messages.Frame, field bool,
	known messages.Learnt) (messages.FrameRead, error) {
	l := w.o.Layouts(frame.Window)
	if l == nil {
		return messages.FrameRead{}, fmt.Errorf("ocr: no layout is known for window %s: name one in its configuration",
			frame.Window)
	}
	pane, err := segment.Open(frame.Image, frame.Scale, l)
	if err != nil {
		return messages.FrameRead{}, err
	}
	size := frame.Image.Rect.Size()
	out := messages.FrameRead{
		Window: frame.Window, Scale: frame.Scale, At: frame.At, Size: messages.Rect{W: size.X, H: size.Y},
	}
	pane.Known, pane.Rows = known, w.o.Cache.columnOf(frame.Window, known.Rows)
	s := session{w: w, pane: pane, layout: l, segments: pane.Find()}
	out.Bare = s.segments.Bare
	out.Header, out.Input = pane.HeaderBox(), pane.InputBox()
	if err := s.all(ctx, &out); err != nil {
		return out, err
	}
	if l.Find == layout.FindAuto {
		s.learn(&out, known)
	}
	if field {
		if err := s.field(ctx, &out); err != nil {
			return out, err
		}
	}
	out.Read, out.Cached = s.read, s.cached
	out.Unread, out.LeftOut = s.unread, s.leftOut
	shift(&out, pane.At.X, pane.At.Y)
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
