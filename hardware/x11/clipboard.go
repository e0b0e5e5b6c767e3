package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// maxClipboard bounds the pasted text and the restored text, in bytes. Larger
// texts need incremental transfer (INCR), which is not implemented.
const maxClipboard = 200 << 10

// How long the clipboard waits for its previous owner, and for programs that read
// everything new on it.
const (
	previousTimeout = 300 * time.Millisecond
	offerQuiet      = 80 * time.Millisecond
	offerTimeout    = time.Second
)

// pasteTimeout is how long the clipboard waits for another request, by what has
// been read so far. A browser on a busy machine takes seconds between two, and now and
// then reads once more than usual before it pastes: what is taken away too early is
// missing in the field.
var pasteTimeout = [...]time.Duration{unread: 2 * time.Second, halfRead: 5 * time.Second, newRead: 2 * time.Second,
	allRead: 700 * time.Millisecond}

// pasteAtMost bounds the whole wait for a paste.
const pasteAtMost = 20 * time.Second

// clipboard owns the CLIPBOARD selection during a paste, and after it with the
// previous text.
type clipboard struct {
	display string
	pasting sync.Mutex // one paste at a time

	mu     sync.Mutex
	closed bool
	s      *session
	owner  xproto.Window
	ids    map[string]xproto.Atom
	text   []byte        // what is offered; nil offers nothing
	by     readers       // programs that read the text
	asked  chan struct{} // a program made any request, even for the list of targets
	answer chan xproto.SelectionNotifyEvent
}

// Atoms of the selection protocol. The last one asks clipboard histories not to
// store what they see.
var selectionAtoms = []string{"CLIPBOARD", "TARGETS", "UTF8_STRING", "TEXT", "text/plain;charset=utf-8",
	"KEHAI_CLIPBOARD", "x-kde-passwordManagerHint"}

// PasteText puts text on the clipboard and calls paste, which makes a window paste
// it. It waits until that has happened and restores the previous text; other
// previous content is lost. If no program asked for the text it wraps
// hardware.ErrNoField and leaves the clipboard empty, because a slow window must
// not paste the previous text. A browser asks for the text even if none of its
// fields has the focus, so a nil error does not prove that the text was typed.
func (d *Display) PasteText(ctx context.Context, text string, paste func(context.Context) error) error {
	if len(text) > maxClipboard {
		return fmt.Errorf("x11: %d bytes are too many for the clipboard (split the text below %d): %w", len(text),
			maxClipboard, hardware.ErrUnavailable)
	}
	c := &d.clip
	c.pasting.Lock()
	defer c.pasting.Unlock()
	err := c.pasteText(ctx, text, paste)
	switch {
	case err != nil && ctx.Err() != nil && !errors.Is(err, hardware.ErrPartlyTyped):
		return ctx.Err()
	case errors.Is(err, io.EOF):
		return lost(err)
	}
	return err
}

func (c *clipboard) pasteText(ctx context.Context, text string, paste func(context.Context) error) error {
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.raw.Close() })
	defer stop()
	before, err := c.read(ctx, s)
	if err != nil {
		return err
	}
	if err := c.offer(s, []byte(text)); err != nil {
		return err
	}
	// Clipboard histories and browsers read the text at once, without a paste.
	if err := c.settle(ctx); err != nil {
		c.end(s, before)
		return err
	}
	c.mu.Lock()
	c.by.paste()
	c.mu.Unlock()
	if err := paste(ctx); err != nil {
		if !errors.Is(err, hardware.ErrNotActive) {
			before = nil
		}
		c.end(s, before)
		return err
	}
	far, err := c.wait(ctx)
	if err != nil || far < newRead {
		before = nil
	}
	seen := c.end(s, before)
	switch {
	case err != nil:
		return fmt.Errorf("x11: pasting was interrupted: %w: %w", err, hardware.ErrPartlyTyped)
	case far >= newRead:
		return nil
	case seen:
		return fmt.Errorf("x11: the text was read, but maybe not to be pasted (look at the window, click into the "+
			"text field): %w", hardware.ErrPartlyTyped)
	}
	return fmt.Errorf("x11: nothing asked for the text (click into the text field first): %w", hardware.ErrNoField)
}

// open returns the session that owns the clipboard.
func (c *clipboard) open(ctx context.Context) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fmt.Errorf("x11: the display is closed: %w", hardware.ErrUnavailable)
	}
	if c.s != nil && c.s.alive() {
		return c.s, nil
	}
	if old := c.s; old != nil {
		c.s = nil
		old.close()
	}
	s, err := connect(ctx, c.display, c.event)
	if err != nil {
		return nil, err
	}
	c.ids = map[string]xproto.Atom{}
	for _, name := range selectionAtoms {
		if c.ids[name], err = s.atom(name); err != nil {
			break
		}
	}
	if err == nil {
		c.owner, err = xproto.NewWindowId(s.x)
	}
	if err == nil {
		err = xproto.CreateWindowChecked(s.x, 0, c.owner, s.root, -1, -1, 1, 1, 0,
			xproto.WindowClassInputOnly, 0, xproto.CwOverrideRedirect, []uint32{1}).Check()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	c.s, c.text = s, nil
	return s, nil
}

// read returns the text on the clipboard; nil if there is none.
func (c *clipboard) read(ctx context.Context, s *session) ([]byte, error) {
	owner, err := xproto.GetSelectionOwner(s.x, c.ids["CLIPBOARD"]).Reply()
	if err != nil || owner.Owner == 0 {
		return nil, err
	}
	if owner.Owner == c.owner {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.text, nil
	}
	select { // an answer that arrived too late for the previous call
	case <-c.answer:
	default:
	}
	xproto.ConvertSelection(s.x, c.owner, c.ids["CLIPBOARD"], c.ids["UTF8_STRING"], c.ids["KEHAI_CLIPBOARD"],
		xproto.TimeCurrentTime)
	late := time.NewTimer(previousTimeout)
	defer late.Stop()
	select {
	case ev := <-c.answer:
		if ev.Property == 0 {
			return nil, nil
		}
	case <-late.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	reply, err := xproto.GetProperty(s.x, true, c.owner, c.ids["KEHAI_CLIPBOARD"], c.ids["UTF8_STRING"], 0,
		maxClipboard/4).Reply()
	if err != nil || reply.BytesAfter > 0 || reply.Format != 8 {
		return nil, err
	}
	return bytes.Clone(reply.Value), nil
}

func (c *clipboard) offer(s *session, text []byte) error {
	c.mu.Lock()
	c.text = text
	c.by.offer()
	c.mu.Unlock()
	select {
	case <-c.asked:
	default:
	}
	xproto.SetSelectionOwner(s.x, c.owner, c.ids["CLIPBOARD"], xproto.TimeCurrentTime)
	got, err := xproto.GetSelectionOwner(s.x, c.ids["CLIPBOARD"]).Reply()
	if err == nil && got.Owner != c.owner {
		err = fmt.Errorf("x11: another program holds the clipboard (try again): %w", hardware.ErrUnavailable)
	}
	return err
}

// settle waits until the programs that always read new text have read it, and no
// requests arrive.
func (c *clipboard) settle(ctx context.Context) error {
	late := time.NewTimer(offerTimeout)
	defer late.Stop()
	quiet := time.NewTimer(offerQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.asked:
			quiet.Reset(offerQuiet)
		case <-quiet.C:
			c.mu.Lock()
			waits := c.by.late()
			c.mu.Unlock()
			if !waits {
				return nil
			}
		case <-late.C:
			return nil
		}
	}
}

// wait returns once no request has arrived for a while. far is how far the paste
// has come.
func (c *clipboard) wait(ctx context.Context) (far progress, err error) {
	late := time.NewTimer(pasteAtMost)
	defer late.Stop()
	for {
		c.mu.Lock()
		far = c.by.progress()
		c.mu.Unlock()
		quiet := time.NewTimer(pasteTimeout[far])
		select {
		case <-ctx.Done():
			quiet.Stop()
			return far, ctx.Err()
		case <-c.asked:
			quiet.Stop()
		case <-quiet.C:
			return far, nil
		case <-late.C:
			quiet.Stop()
			return far, nil
		}
	}
}

// end puts text back on the clipboard; nil leaves it empty. seen reports whether
// any program read the pasted text.
func (c *clipboard) end(s *session, text []byte) (seen bool) {
	c.mu.Lock()
	c.text = text
	seen = c.by.seen()
	c.by.end()
	c.mu.Unlock()
	if text == nil {
		xproto.SetSelectionOwner(s.x, 0, c.ids["CLIPBOARD"], xproto.TimeCurrentTime)
	}
	return seen
}

// event answers requests of other programs. It runs on the session's reader.
func (c *clipboard) event(ev xgb.Event) {
	switch ev := ev.(type) {
	case xproto.SelectionNotifyEvent:
		select {
		case c.answer <- ev:
		default:
		}
	case xproto.SelectionRequestEvent:
		c.serve(ev)
	case xproto.SelectionClearEvent:
		c.mu.Lock()
		c.text = nil
		c.mu.Unlock()
	}
}

func (c *clipboard) serve(ev xproto.SelectionRequestEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s == nil {
		return
	}
	select {
	case c.asked <- struct{}{}:
	default:
	}
	to := ev.Property
	if to == 0 {
		to = ev.Target
	}
	kind, format, data := c.reply(ev.Target)
	if ev.Target == c.ids["UTF8_STRING"] || ev.Target == c.ids["TEXT"] ||
		ev.Target == c.ids["text/plain;charset=utf-8"] {
		c.by.read(ev.Requestor)
	}
	if kind == 0 {
		to = 0
	} else {
		xproto.ChangeProperty(c.s.x, xproto.PropModeReplace, ev.Requestor, to, kind, format,
			uint32(len(data))*8/uint32(format), data)
	}
	answer := xproto.SelectionNotifyEvent{Time: ev.Time, Requestor: ev.Requestor, Selection: ev.Selection,
		Target: ev.Target, Property: to}
	xproto.SendEvent(c.s.x, false, ev.Requestor, 0, string(answer.Bytes()))
}

// reply is the property that answers a request for target; kind 0 refuses.
func (c *clipboard) reply(target xproto.Atom) (kind xproto.Atom, format byte, data []byte) {
	switch {
	case c.text == nil:
		return 0, 8, nil
	case target == c.ids["TARGETS"]:
		for _, name := range []string{"TARGETS", "UTF8_STRING", "TEXT", "text/plain;charset=utf-8",
			"x-kde-passwordManagerHint"} {
			data = append(data, 0, 0, 0, 0)
			xgb.Put32(data[len(data)-4:], uint32(c.ids[name]))
		}
		return xproto.AtomAtom, 32, data
	case target == c.ids["x-kde-passwordManagerHint"]:
		return c.ids["UTF8_STRING"], 8, []byte("secret")
	case target == c.ids["UTF8_STRING"], target == c.ids["TEXT"], target == c.ids["text/plain;charset=utf-8"]:
		if target == c.ids["TEXT"] {
			target = c.ids["UTF8_STRING"]
		}
		return target, 8, c.text
	}
	return 0, 8, nil
}

func (c *clipboard) close() {
	c.mu.Lock()
	c.closed = true
	s := c.s
	c.s = nil
	c.mu.Unlock()
	if s != nil {
		s.close()
	}
}
