package drawn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Options describe a new window. Start from [DefaultOptions].
type Options struct {
	// Ref is the window's id on its screen.
	Ref string
	// Conversation is the one shown first.
	Conversation string
	// Size is the pane's, in logical pixels, 1 to MaxSide a side.
	Size image.Point
	// Scale is captured pixels per logical pixel, 1 to 3.
	Scale int
	// Theme is Light or Dark.
	Theme Theme
	// Beside shows a rail and a list of chats left of the pane, as LINE's main
	// window does. The window is then PaneLeft wider. OpBeside and OpAlone change
	// it.
	Beside bool
	// Fonts to write with; nil means Fonts().
	Fonts *FontSet
	// Now is the clock for the times of messages and for the step of Drive. Required.
	Now func() time.Time
	// Journal is the file that keeps the changes; "" keeps nothing. Only one window
	// may use it at a time.
	Journal string
}

// DefaultOptions are a light window named drawn of 480×720 pixels that shows Hana.
func DefaultOptions(now func() time.Time) Options {
	return Options{Ref: "drawn", Conversation: "Hana", Size: image.Pt(480, 720), Scale: 1, Theme: Light, Now: now}
}

func (o Options) check() error {
	switch {
	case o.Now == nil:
		return errors.New("drawn: options: Now is missing: give the window a clock")
	case o.Ref == "" || o.Conversation == "" || o.Theme == (Theme{}):
		return errors.New("drawn: options: Ref, Conversation and Theme must be given: start from DefaultOptions")
	case o.Scale < 1 || o.Scale > 3:
		return fmt.Errorf("drawn: options: scale is %d, want 1 to 3", o.Scale)
	case o.Size.X < 1 || o.Size.Y < 1 || o.Size.X > MaxSide || o.Size.Y > MaxSide:
		return fmt.Errorf("drawn: options: size is %v, want 1 to %d a side", o.Size, MaxSide)
	}
	return nil
}

// Window is a chat window. All methods may be called concurrently.
type Window struct {
	ref   string
	first string // the conversation shown first
	now   func() time.Time
	scale int
	theme Theme
	fonts *FontSet

	mu                           sync.Mutex
	text, timestamp, pill, title *face
	s                            *state
	cache                        *glyphCache
	journal                      *journal // nil: none
	step                         func(now time.Time) error
	picture                      *image.RGBA // of s; nil: not drawn yet
	seen                         int         // messages seen so far
	changed                      []Changed   // what captures have shown to have changed
	lastShown                    int         // bubbles that the last capture showed whole
	appended                     int         // messages since then
	closed                       bool
	touched                      time.Time // by a person's hands; zero if never
	all                          bool      // the whole draft is selected
}

// New opens a window. A journal restores its former state.
func New(o Options) (*Window, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Fonts == nil {
		o.Fonts = Fonts()
	}
	w := &Window{
		ref: o.Ref, first: o.Conversation, now: o.Now, scale: o.Scale, theme: o.Theme, fonts: o.Fonts,
		text: newFace(o.Fonts, textPx*o.Scale), timestamp: newFace(o.Fonts, timestampPx*o.Scale),
		pill: newFace(o.Fonts, pillPx*o.Scale), title: newFace(o.Fonts, titlePx*o.Scale),
		s:     &state{shown: o.Conversation, convs: map[string]conversation{}, size: o.Size, beside: o.Beside},
		cache: newGlyphCache(),
	}
	if o.Journal == "" {
		return w, nil
	}
	j, err := openJournal(o.Journal, func(c Change) error {
		if err := w.s.check(c); err != nil {
			return err
		}
		w.s.apply(c, w.grown, w.limit)
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.journal = j
	return w, nil
}

// Close closes the journal. Captures then fail with hardware.ErrWindowGone.
func (w *Window) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	if w.journal == nil {
		return nil
	}
	return w.journal.close()
}

// Drive makes every Capture call step first, with the time of the capture. An
// error of step fails the capture. step may use the window but not Capture.
func (w *Window) Drive(step func(now time.Time) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.step = step
}

// Apply writes a change to the journal and applies it. A change that is refused
// (ErrChange) or cannot be written is not applied. A zero At means now.
func (w *Window) Apply(c Change) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Op.byHand() {
		w.touched, w.all = w.now(), false
	}
	return w.apply(c)
}

// apply is Apply for who holds the lock.
func (w *Window) apply(c Change) error {
	if w.closed {
		return fmt.Errorf("drawn: %s: %w", c.Op, hardware.ErrWindowGone)
	}
	if c.At.IsZero() {
		c.At = w.now()
	}
	c.At = c.At.Round(0)
	if c.Script != nil {
		script := *c.Script
		c.Script = &script
	}
	if err := w.s.check(c); err != nil {
		return err
	}
	switch c.Op {
	case OpAppend, OpSend, OpUnsend, OpEdit: // the next run may show another one first
		c.Conversation = cmp.Or(c.Conversation, w.s.shown)
	}
	if w.journal != nil {
		if err := w.journal.write(c); err != nil {
			return err
		}
	}
	w.s.apply(c, w.grown, w.limit)
	if c.Op != OpMark {
		w.picture = nil
	}
	if c.Op == OpAppend {
		w.appended++
	}
	return nil
}

// Hides reports whether a change would move a bubble out of view, wholly or in
// part, before any capture has shown it. The message that the change itself
// unsends or edits does not count. A change that Apply would refuse hides nothing.
func (w *Window) Hides(c Change) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.s.check(c) != nil {
		return false
	}
	view := w.frame(w.s).view()
	var waiting []*bubble
	for _, p := range w.layout(w.s) {
		if !p.captured && done(p, view) {
			waiting = append(waiting, p.bubble)
		}
	}
	if len(waiting) == 0 {
		return false
	}
	then := w.s.clone()
	c.Script = nil
	then.apply(c, w.grown, w.limit)
	still := map[*bubble]bool{}
	view = w.frame(then).view()
	for _, p := range w.layout(then) {
		still[p.bubble] = done(p, view)
	}
	var touched *bubble
	if c.Op == OpEdit || c.Op == OpUnsend {
		touched = w.s.conversation(c.Conversation).bubbles[c.Index]
	}
	for _, b := range waiting {
		if b != touched && !still[b] {
			return true
		}
	}
	return false
}

// Outruns reports whether an append, not the first since the last capture, would
// leave in view less than half of what that capture showed. That is more than a
// person writes between two captures, and too little for a reader to know where
// the rest belongs. Other changes outrun nothing. Neither does any change in a
// window that cannot be captured, as no reader waits there.
func (w *Window) Outruns(c Change) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Op != OpAppend || w.s.check(c) != nil {
		return false
	}
	if w.appended == 0 || w.lastShown == 0 || w.s.hidden || w.frame(w.s).view().Empty() {
		return false
	}
	then := w.s.clone()
	c.Script = nil
	then.apply(c, w.grown, w.limit)
	return 2*w.shown(then) < w.lastShown
}

// shown counts the bubbles in view that a capture has shown.
func (w *Window) shown(s *state) int {
	view := w.frame(s).view()
	n := 0
	for _, p := range w.layout(s) {
		if p.captured && done(p, view) {
			n++
		}
	}
	return n
}

// done reports whether a capture of this view shows as much of a bubble as any can:
// the whole, or the end of one that is higher than the view.
func done(p placed, view image.Rectangle) bool {
	return whole(p, view) ||
		p.box.Dy() > view.Dy() && p.box.Max.Y <= view.Max.Y && p.box.Max.Y > view.Min.Y
}

// whole ignores the width: a window can be narrower than its bubbles.
func whole(p placed, view image.Rectangle) bool {
	return p.box.Min.Y >= view.Min.Y && p.box.Max.Y <= view.Max.Y
}

// Capture calls the step of Drive and returns the window's picture, the same one
// as before if nothing has changed.
func (w *Window) Capture(ctx context.Context) (hardware.Capture, error) {
	if err := ctx.Err(); err != nil {
		return hardware.Capture{}, err
	}
	w.mu.Lock()
	step, closed := w.step, w.closed
	w.mu.Unlock()
	now := w.now()
	if step != nil && !closed {
		if err := step(now); err != nil {
			return hardware.Capture{}, fmt.Errorf("drawn: window %s: %w", w.ref, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	size := w.frame(w.s).size
	switch {
	case w.closed:
		return hardware.Capture{}, fmt.Errorf("drawn: window %s: %w", w.ref, hardware.ErrWindowGone)
	case w.s.hidden:
		return hardware.Capture{}, fmt.Errorf("drawn: window %s: %w", w.ref, hardware.ErrMinimised)
	case size.X == 0 || size.Y == 0:
		return hardware.Capture{}, fmt.Errorf("drawn: window %s: %w", w.ref, hardware.ErrEmptyFrame)
	}
	if w.picture == nil {
		bubbles := w.layout(w.s)
		w.picture = w.render(w.s, bubbles)
		w.recordSeen(bubbles, now)
	}
	if w.appended > 0 || w.lastShown == 0 {
		w.lastShown, w.appended = w.shown(w.s), 0
	}
	return hardware.Capture{Image: w.picture, Scale: float64(w.scale)}, nil
}

// size returns the size of a capture. The caller holds the lock.
func (w *Window) size() image.Point {
	size := w.frame(w.s).size
	if w.s.beside && !w.s.chats {
		size.X += PaneLeft * w.scale
	}
	return size
}

// Ref is the window's id on its screen.
func (w *Window) Ref() string { return w.ref }

// Title is the name of the shown conversation.
func (w *Window) Title() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.s.shown
}

// Draft is what the input field holds.
func (w *Window) Draft() messages.Text {
	w.mu.Lock()
	defer w.mu.Unlock()
	return messages.Text(w.s.draft)
}

// Script is where the script stands, zero if none has played.
func (w *Window) Script() Script {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.s.script
}

// FromScript finds the message that an event of the current script appended.
func (w *Window) FromScript(conversation string, event int) (index int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, b := range w.s.conversation(conversation).bubbles {
		if b.origin == event {
			return i, true
		}
	}
	return 0, false
}

// Entry is a message of a transcript.
type Entry struct {
	Who    Who
	Kind   messages.Kind
	Text   messages.Text
	Unsent bool
}

// Transcript lists the messages of a conversation, "" for the one shown.
func (w *Window) Transcript(conversation string) (list []Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.s.conversation(conversation).bubbles {
		list = append(list, Entry{Who: b.who, Kind: b.kind, Text: messages.Text(b.text), Unsent: b.unsent})
	}
	return list
}
