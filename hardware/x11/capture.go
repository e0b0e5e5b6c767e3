package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// Capture returns the current pixels of one window without its decoration, even
// if other windows cover it. It wraps hardware.ErrWindowGone, ErrMinimised,
// ErrEmptyFrame or ErrNoDisplay. A window on another workspace counts as
// minimised.
func (d *Display) Capture(ctx context.Context, ref string) (hardware.Capture, error) {
	w, err := parseRef(ref)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return hardware.Capture{}, err
	}
	var c hardware.Capture
	err = d.with(ctx, func(s *session) error {
		img, err := d.capture(ctx, s, w)
		if err != nil {
			return err
		}
		c = hardware.Capture{Image: img, Scale: d.scale(s)}
		return nil
	})
	if isGone(err) {
		err = gone(w)
	}
	if errors.Is(err, hardware.ErrWindowGone) {
		d.keeper.forget(w)
	}
	return c, err
}

// errMoved means that the window changed between two requests.
var errMoved = errors.New("x11: the window kept changing its size or place")

func (d *Display) capture(ctx context.Context, s *session, w xproto.Window) (img *image.RGBA, err error) {
	for range 2 {
		fresh, err := d.redirected(ctx, s, w)
		if err != nil {
			return nil, err
		}
		if fresh {
			img, err = d.settled(ctx, s, w)
		} else {
			img, err = d.grab(ctx, s, w)
		}
		if !isMatch(err) {
			return img, err
		}
		// The frame is not in memory, or no longer: a compositor has ended, or the
		// window's id belonged to another window before.
		d.keeper.forget(w)
	}
	return nil, fmt.Errorf("x11: window %s is not kept in memory by the X server: %w", formatRef(w),
		hardware.ErrEmptyFrame)
}

// How often and how soon a capture is retried if the window changed meanwhile;
// the wait doubles.
const (
	grabTries = 8
	grabPause = time.Millisecond
)

// grab captures a window that is redirected.
func (d *Display) grab(ctx context.Context, s *session, w xproto.Window) (img *image.RGBA, err error) {
	for i := range grabTries {
		if i > 0 {
			if err := hardware.Pause(ctx, grabPause<<i); err != nil {
				return nil, err
			}
		}
		if err = s.visible(w); err != nil {
			return nil, err
		}
		img, err = s.grabOnce(w, s.noSHM || d.opt.NoSHM)
		if !isMatch(err) && !errors.Is(err, errMoved) {
			return img, err
		}
	}
	if isMatch(err) {
		return nil, err
	}
	return nil, fmt.Errorf("x11: window %s: %w: %w", formatRef(w), err, hardware.ErrEmptyFrame)
}

// visible fails with ErrMinimised if the window has no pixels to capture, or is
// no longer drawn.
func (s *session) visible(w xproto.Window) error {
	state, err := s.askProperty(w, "WM_STATE")
	if err != nil {
		return err
	}
	attributes, err := xproto.GetWindowAttributes(s.x, w).Reply()
	value, e := state()
	if err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	const iconic = 3
	if attributes.Class != xproto.WindowClassInputOutput || attributes.MapState != xproto.MapStateViewable ||
		firstWord(value) == iconic {
		return fmt.Errorf("x11: window %s (restore it, and keep it on the visible workspace; other windows may "+
			"cover it): %w", formatRef(w), hardware.ErrMinimised)
	}
	return nil
}

// grabOnce reads the window's part of the memory behind its top-level frame.
// After errMoved or a match error the next attempt may succeed.
func (s *session) grabOnce(w xproto.Window, noSHM bool) (*image.RGBA, error) {
	frame, err := s.frame(w)
	if err != nil {
		return nil, err
	}
	source, border := xproto.Drawable(w), 0
	if s.has["Composite"] {
		pixmap, err := xproto.NewPixmapId(s.x)
		if err != nil {
			return nil, err
		}
		named := composite.NameWindowPixmapChecked(s.x, frame, pixmap)
		outer, err := xproto.GetGeometry(s.x, xproto.Drawable(frame)).Reply()
		if e := named.Check(); e != nil {
			return nil, e
		}
		defer xproto.FreePixmap(s.x, pixmap)
		if err != nil {
			return nil, err
		}
		source, border = xproto.Drawable(pixmap), int(outer.BorderWidth)
	} else {
		frame = w
	}
	area := xproto.GetGeometry(s.x, source)
	inner := xproto.GetGeometry(s.x, xproto.Drawable(w))
	offset := xproto.TranslateCoordinates(s.x, w, frame, 0, 0)
	have, err := area.Reply()
	size, e1 := inner.Reply()
	at, e2 := offset.Reply()
	if err := errors.Join(e1, e2, err); err != nil {
		if isGone(e1) || isGone(e2) {
			return nil, err
		}
		if err2 := err; isGone(err2) {
			return nil, errMoved
		}
		return nil, err
	}
	box := image.Rect(0, 0, int(size.Width), int(size.Height)).Add(image.Pt(int(at.DstX)+border, int(at.DstY)+border))
	if box.Dx() <= 1 || box.Dy() <= 1 {
		return nil, fmt.Errorf("x11: window %s is %dx%d (make it larger): %w", formatRef(w), box.Dx(), box.Dy(),
			hardware.ErrEmptyFrame)
	}
	if !box.In(image.Rect(0, 0, int(have.Width), int(have.Height))) {
		return nil, errMoved
	}
	if err := s.format(have.Depth); err != nil {
		return nil, err
	}
	return s.image(source, box, noSHM)
}

// format fails if the server's pixels are not 32 bits with blue first.
func (s *session) format(depth byte) error {
	setup := xproto.Setup(s.x)
	bits := 0
	for _, f := range setup.PixmapFormats {
		if f.Depth == depth {
			bits = int(f.BitsPerPixel)
		}
	}
	if bits != 32 || setup.ImageByteOrder != xproto.ImageOrderLSBFirst || depth != 24 && depth != 32 {
		return fmt.Errorf("x11: the screen has %d bits a pixel (set the display to 24-bit colour): %w", depth,
			hardware.ErrUnavailable)
	}
	return nil
}

func (s *session) image(from xproto.Drawable, box image.Rectangle, noSHM bool) (*image.RGBA, error) {
	x, y, w, h := int16(box.Min.X), int16(box.Min.Y), uint16(box.Dx()), uint16(box.Dy())
	size := 4 * box.Dx() * box.Dy()
	if !noSHM && s.has["MIT-SHM"] {
		if err := s.seg.fit(s, size); err != nil {
			s.noSHM = true
		} else {
			_, err := shm.GetImage(s.x, from, x, y, w, h, ^uint32(0), xproto.ImageFormatZPixmap, s.seg.seg, 0).Reply()
			if err != nil {
				return nil, err
			}
			return rgba(s.seg.data[:size], box.Dx(), box.Dy()), nil
		}
	}
	reply, err := xproto.GetImage(s.x, xproto.ImageFormatZPixmap, from, x, y, w, h, ^uint32(0)).Reply()
	if err != nil {
		return nil, err
	}
	if len(reply.Data) < size {
		return nil, fmt.Errorf("x11: %d of %d bytes came: %w", len(reply.Data), size, hardware.ErrEmptyFrame)
	}
	return rgba(reply.Data[:size], box.Dx(), box.Dy()), nil
}

// redirected makes sure that the window's frame is kept in memory. fresh says
// that this began just now, so that covered parts have yet to be painted.
func (d *Display) redirected(ctx context.Context, s *session, w xproto.Window) (fresh bool, err error) {
	if err := s.visible(w); err != nil {
		return false, err
	}
	if !s.has["Composite"] {
		return false, nil
	}
	frame, err := s.frame(w)
	if err != nil {
		return false, err
	}
	if d.keeper.knows(w, frame) {
		return false, nil
	}
	composited, err := s.composited()
	if err != nil || composited {
		return false, err
	}
	return d.keeper.redirect(ctx, w, frame)
}

// composited reports whether a compositor runs. If so, all windows are in memory.
func (s *session) composited() (bool, error) {
	a, err := s.atom(fmt.Sprintf("_NET_WM_CM_S%d", s.x.DefaultScreen))
	if err != nil {
		return false, err
	}
	owner, err := xproto.GetSelectionOwner(s.x, a).Reply()
	if err != nil {
		return false, err
	}
	return owner.Owner != 0, nil
}

// How long an application has to paint what was covered when redirection began:
// until two captures one step apart are equal.
const (
	settleFirst = 150 * time.Millisecond
	settleStep  = 50 * time.Millisecond
	settleSteps = 17
)

func (d *Display) settled(ctx context.Context, s *session, w xproto.Window) (*image.RGBA, error) {
	if err := hardware.Pause(ctx, settleFirst); err != nil {
		return nil, err
	}
	last, err := d.grab(ctx, s, w)
	for i := 0; i < settleSteps && err == nil; i++ {
		if err := hardware.Pause(ctx, settleStep); err != nil {
			return nil, err
		}
		var img *image.RGBA
		if img, err = d.grab(ctx, s, w); err != nil {
			break
		}
		if img.Rect == last.Rect && bytes.Equal(img.Pix, last.Pix) {
			return img, nil
		}
		last = img
	}
	return last, err
}
