package recording

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Seed keeps what the ids of conversations are made of.
func (t *Taps) Seed(draw func() string) func() string {
	return func() string {
		seed := draw()
		if r := t.Now(); r != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.add(Entry{Kind: Seed, Key: seed}, "")
		}
		return seed
	}
}

// Screen keeps what a window's screen shows.
func (t *Taps) Screen(id messages.WindowID, s hardware.Screen) hardware.Screen {
	return screen{s, t, string(id)}
}

type screen struct {
	hardware.Screen
	taps *Taps
	id   string
}

// Capture implements [hardware.Screen].
func (s screen) Capture(ctx context.Context, ref string) (hardware.Capture, error) {
	r := s.taps.Now()
	if r == nil {
		return s.Screen.Capture(ctx, ref)
	}
	e := Entry{Kind: Frame, At: r.now()}
	got, err := s.Screen.Capture(ctx, ref)
	e.Code, e.Scale = hardware.Code(err), got.Scale
	if err != nil {
		got.Image = nil
	}
	r.put(s.id, e, got.Image)
	return got, err
}

// Tree keeps what a window's accessibility tree tells.
func (t *Taps) Tree(id messages.WindowID, s hardware.Structure) hardware.Structure {
	if namer, ok := s.(hardware.ChatNamer); ok {
		return namedTree{tree{s, t, string(id)}, namer}
	}
	return tree{s, t, string(id)}
}

type tree struct {
	hardware.Structure
	taps *Taps
	id   string
}

// Tree is the answer of an accessibility tree. Names is nil where the driver knows none.
type Tree struct {
	Rows  int      `json:"rows"`
	Names []string `json:"names,omitempty"`
}

// Rows implements [hardware.Structure].
func (t tree) Rows(ctx context.Context, ref string) (int, error) {
	r := t.taps.Now()
	if r == nil {
		return t.Structure.Rows(ctx, ref)
	}
	e := Entry{Kind: Rows, At: r.now()}
	n, err := t.Structure.Rows(ctx, ref)
	e.Code, e.Data = hardware.Code(err), plain(Tree{Rows: n})
	r.put(t.id, e, nil)
	return n, err
}

type namedTree struct {
	tree
	namer hardware.ChatNamer
}

// Chat implements [hardware.ChatNamer].
func (t namedTree) Chat(ctx context.Context, ref string) (int, []string, error) {
	r := t.taps.Now()
	if r == nil {
		return t.namer.Chat(ctx, ref)
	}
	e := Entry{Kind: Rows, At: r.now()}
	n, names, err := t.namer.Chat(ctx, ref)
	e.Code, e.Data = hardware.Code(err), plain(Tree{n, names})
	r.put(t.id, e, nil)
	return n, names, err
}

// reads is the key of a context's window.
type reads struct{}

// Worker wraps the OCR worker so that engine calls carry the window they read.
func (t *Taps) Worker(kind string, w actors.Worker) actors.Worker {
	if kind != messages.WorkerOCR {
		return w
	}
	return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
		if ask, ok := request.(messages.ReadFrame); ok {
			ctx = context.WithValue(ctx, reads{}, string(ask.Frame.Window))
		}
		return w.Do(ctx, request)
	})
}

// Actors wraps the kinds of actors, to keep when their turns began.
func (t *Taps) Actors(kinds []engine.Kind) []engine.Kind {
	kinds = slices.Clone(kinds)
	for i, k := range kinds {
		if k.New == nil { // it is refused
			continue
		}
		kinds[i].New = func(self messages.Address) actors.Actor { return actor{k.New(self), t, self} }
	}
	return kinds
}

type actor struct {
	actors.Actor
	taps *Taps
	self messages.Address
}

// Receive implements [actors.Actor].
func (a actor) Receive(turn *actors.Turn, msg messages.Message) error {
	if r := a.taps.Now(); r != nil {
		r.turn(a.self, turn.Now(), msg.MessageType())
	}
	return a.Actor.Receive(turn, msg)
}

// turn keeps when a turn began whose actor is the windows', their conversations' or their applications'.
// What it decides depends on that: which frame came first, and what had waited long enough.
func (r *Recorder) turn(self messages.Address, at time.Time, handled messages.Type) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := Entry{Kind: Turn, Name: string(self), Key: handled.String()}
	switch {
	case r.out == nil || r.full:
		return
	case self.Kind() == messages.ActorDirectory || r.windows[self.Key()] != nil:
		e.At = at.Sub(r.began)
		r.add(e, "")
	case r.talks[self.Key()]:
		e.At = at.Sub(r.began)
		r.add(e, self.Key())
	}
}

// Recognizer keeps what engines read.
func (t *Taps) Recognizer(start func() (hardware.Recognizer, error)) func() (hardware.Recognizer, error) {
	if start == nil {
		return nil
	}
	return func() (hardware.Recognizer, error) {
		engine, err := start()
		if err != nil {
			return nil, err
		}
		if crops, ok := engine.(hardware.CropRecognizer); ok {
			return cropReader{reader{engine, t}, crops}, nil
		}
		return reader{engine, t}, nil
	}
}

type reader struct {
	hardware.Recognizer
	taps *Taps
}

// Recognize implements [hardware.Recognizer].
func (e reader) Recognize(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	lines, err := e.Recognizer.Recognize(ctx, img, hint)
	if r := e.taps.Now(); r != nil {
		r.reading(ctx, "", GrayKey(img, hint), image.Point{}, lines, err)
	}
	return lines, err
}

func (r *Recorder) reading(ctx context.Context, how, key string, corner image.Point, lines []messages.Line,
	err error) {
	id, _ := ctx.Value(reads{}).(string)
	entry := Entry{Kind: Reading, At: r.now(), Name: how, Key: key, Code: hardware.Code(err)}
	if err == nil {
		entry.Data = plain(Moved(lines, image.Point{}.Sub(corner)))
	}
	r.put(id, entry, nil)
}

type cropReader struct {
	reader
	crops hardware.CropRecognizer
}

// RecognizeCrop implements [hardware.CropRecognizer].
func (e cropReader) RecognizeCrop(ctx context.Context, frame *image.RGBA, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, error) {
	lines, err := e.crops.RecognizeCrop(ctx, frame, box, hint)
	if r := e.taps.Now(); r != nil {
		r.reading(ctx, Crop, CropKey(frame, box, hint), box.Min, lines, err)
	}
	return lines, err
}

// Moved moves the boxes of lines.
func Moved(lines []messages.Line, by image.Point) []messages.Line {
	out := make([]messages.Line, len(lines))
	for i, l := range lines {
		l.Box.X, l.Box.Y = l.Box.X+by.X, l.Box.Y+by.Y
		out[i] = l
	}
	return out
}

// GrayKey names a prepared picture and what an engine was told of it.
func GrayKey(img *image.Gray, hint hardware.Hint) string {
	return keyOf(hint, img.Rect.Size(), func(w io.Writer) {
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			w.Write(img.Pix[img.PixOffset(img.Rect.Min.X, y):][:img.Rect.Dx()])
		}
	})
}

// CropKey names a part of a frame and what an engine was told of it.
func CropKey(frame *image.RGBA, box image.Rectangle, hint hardware.Hint) string {
	box = box.Intersect(frame.Rect)
	return keyOf(hint, box.Size(), func(w io.Writer) {
		for y := box.Min.Y; y < box.Max.Y; y++ {
			w.Write(frame.Pix[frame.PixOffset(box.Min.X, y):][:4*box.Dx()])
		}
	})
}

func keyOf(hint hardware.Hint, size image.Point, pixels func(io.Writer)) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v %v %v %v\n", hint.Scale, hint.Lang, hint.Block, size)
	pixels(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Model keeps what a language model answers.
func (t *Taps) Model(m llm.Model) llm.Model {
	if _, none := m.(llm.None); none {
		return m
	}
	return model{m, t}
}

type model struct {
	of   llm.Model
	taps *Taps
}

var _ llm.Reporter = model{} // else a reply is no longer streamed

// Answered is the answer of a model, or why there was none.
type Answered struct {
	Reply llm.Reply `json:"reply"`
	Code  llm.Code  `json:"code,omitempty"`
	Text  string    `json:"text,omitempty"`
}

// Generate implements [llm.Model].
func (m model) Generate(ctx context.Context, q llm.Question) (llm.Reply, error) {
	r := m.taps.Now()
	if r == nil {
		return m.of.Generate(ctx, q)
	}
	at := r.now()
	reply, err := m.of.Generate(ctx, q)
	r.answer(at, q, reply, err)
	return reply, err
}

// Stream implements [llm.Reporter].
func (m model) Stream(ctx context.Context, q llm.Question, progress func(llm.Chunk)) (llm.Reply, error) {
	s, ok := m.of.(llm.Reporter)
	if !ok {
		return m.Generate(ctx, q)
	}
	r := m.taps.Now()
	if r == nil {
		return s.Stream(ctx, q, progress)
	}
	at := r.now()
	reply, err := s.Stream(ctx, q, progress)
	r.answer(at, q, reply, err)
	return reply, err
}

// answer seals an answer with [Unknown]: a question does not say in which conversation it is asked.
func (r *Recorder) answer(at time.Duration, q llm.Question, reply llm.Reply, err error) {
	answered := Answered{Reply: reply}
	if failed := (*llm.Error)(nil); errors.As(err, &failed) {
		answered.Code, answered.Text = failed.Code, failed.Text
	} else if err != nil {
		answered.Code = llm.NoModel
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		r.add(Entry{Kind: Answer, At: at, Took: r.since() - at, Name: string(q.Purpose), Key: QuestionKey(q),
			Data: plain(answered)}, Unknown)
	}
}

// Usage keeps how the computer is used.
func (t *Taps) Usage(start func() (hardware.Usage, error)) func() (hardware.Usage, error) {
	if start == nil {
		return nil
	}
	return func() (hardware.Usage, error) {
		u, err := start()
		if err != nil {
			return nil, err
		}
		return usage{u, t}, nil
	}
}

type usage struct {
	hardware.Usage
	taps *Taps
}

// What an [Entry] of Usage names.
const (
	UsedApp   = "app"
	UsedIdle  = "idle"
	UsedInput = "input"
)

// ActiveApp implements [hardware.Usage]. The title of a window is not kept.
func (u usage) ActiveApp(ctx context.Context) (hardware.App, error) {
	app, err := u.Usage.ActiveApp(ctx)
	u.keep(UsedApp, hardware.App{Name: app.Name, PID: app.PID}, err)
	return app, err
}

// Idle implements [hardware.Usage].
func (u usage) Idle(ctx context.Context) (time.Duration, error) {
	d, err := u.Usage.Idle(ctx)
	u.keep(UsedIdle, d, err)
	return d, err
}

// Input implements [hardware.Usage].
func (u usage) Input(ctx context.Context) (hardware.Input, error) {
	in, err := u.Usage.Input(ctx)
	u.keep(UsedInput, in, err)
	return in, err
}

// Close implements [io.Closer].
func (u usage) Close() error {
	if c, ok := u.Usage.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (u usage) keep(what string, value any, err error) {
	r := u.taps.Now()
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		r.add(Entry{Kind: Usage, At: r.since(), Name: what, Code: hardware.Code(err), Data: plain(value)}, "")
	}
}

// QuestionKey names a question.
func QuestionKey(q llm.Question) string {
	sum := sha256.Sum256([]byte(string(q.Purpose) + "\x00" + q.System + "\x00" + q.Prompt))
	return hex.EncodeToString(sum[:16])
}
