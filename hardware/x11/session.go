package x11

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// session is one connection, used by one call at a time. Redirections and the
// clipboard outlive a call, so each has a session of its own.
type session struct {
	x    *xgb.Conn
	root xproto.Window
	raw  io.Closer
	has  map[string]bool // extensions

	atoms  map[string]xproto.Atom // cache
	seg    segment                // shared memory, empty until the first capture
	noSHM  bool
	events func(xgb.Event) // called by the reader

	readerDone chan struct{} // closed when the connection has ended
	closing    sync.Once
}

// The extensions in use. xgb's own Init is not called: it writes package variables
// that the readers of other connections read without a lock.
var extensions = []string{"Composite", "MIT-SHM", "MIT-SCREEN-SAVER"}

var quiet sync.Once

// connect opens a session. events may be nil.
func connect(ctx context.Context, display string, events func(xgb.Event)) (*session, error) {
	// Everything that xgb would print is also returned as an error.
	quiet.Do(func() { xgb.Logger.SetOutput(io.Discard) })
	raw, addr, err := dial(ctx, display)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	var x *xgb.Conn
	if cookie := cookieFor(addr); cookie != nil {
		x, err = xgb.NewConnNetWithCookieHex(raw, hex.EncodeToString(cookie))
	} else {
		x, err = xgb.NewConnNet(raw)
	}
	if err != nil {
		_ = raw.Close()
		if !stop() && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if strings.Contains(err.Error(), "refused") {
			return nil, fmt.Errorf("x11: the X server refused this user (set XAUTHORITY to the session's "+
				"authority file): %w: %w", err, hardware.ErrPermission)
		}
		return nil, fmt.Errorf("x11: greeting the X server: %w: %w", err, hardware.ErrNoDisplay)
	}
	s := &session{
		x: x, raw: raw, has: map[string]bool{}, atoms: map[string]xproto.Atom{},
		events: events, readerDone: make(chan struct{}),
	}
	go s.read()
	err = s.greet(addr.screen)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *session) greet(screen int) error {
	roots := xproto.Setup(s.x).Roots
	if screen >= len(roots) {
		return fmt.Errorf("x11: the display has no screen %d (name one below %d in DISPLAY): %w", screen, len(roots),
			hardware.ErrNoDisplay)
	}
	s.x.DefaultScreen = screen
	s.root = roots[screen].Root
	for _, name := range extensions {
		reply, err := xproto.QueryExtension(s.x, uint16(len(name)), name).Reply()
		if err != nil {
			return err
		}
		if reply.Present {
			s.x.ExtLock.Lock()
			s.x.Extensions[name] = reply.MajorOpcode
			s.x.ExtLock.Unlock()
			s.has[name] = true
		}
	}
	if s.has["Composite"] {
		// The server may refuse later requests if the version was never queried.
		v, err := composite.QueryVersion(s.x, 0, 4).Reply()
		if err != nil {
			return err
		}
		s.has["Composite"] = v.MajorVersion > 0 || v.MinorVersion >= 2
	}
	return nil
}

// read drains events, so that their queue never fills up.
func (s *session) read() {
	defer close(s.readerDone)
	for {
		ev, xerr := s.x.WaitForEvent()
		if ev == nil && xerr == nil {
			return
		}
		if ev != nil && s.events != nil {
			s.events(ev)
		}
	}
}

func (s *session) alive() bool {
	select {
	case <-s.readerDone:
		return false
	default:
		return true
	}
}

// close ends the connection and waits for its reader.
func (s *session) close() {
	s.closing.Do(func() {
		_ = s.raw.Close()
		<-s.readerDone
		s.x.Close()
		s.seg.free()
	})
}

func (s *session) atom(name string) (xproto.Atom, error) {
	if a, ok := s.atoms[name]; ok {
		return a, nil
	}
	reply, err := xproto.InternAtom(s.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	s.atoms[name] = reply.Atom
	return reply.Atom, nil
}

// property reads a property of at most 64 KiB; empty if it is not set.
func (s *session) property(w xproto.Window, name string) ([]byte, error) {
	get, err := s.askProperty(w, name)
	if err != nil {
		return nil, err
	}
	return get()
}

// askProperty sends a request for a property; the returned func waits for the
// reply. Sending many requests before waiting costs one round trip.
func (s *session) askProperty(w xproto.Window, name string) (func() ([]byte, error), error) {
	a, err := s.atom(name)
	if err != nil {
		return nil, err
	}
	cookie := xproto.GetProperty(s.x, false, w, a, xproto.GetPropertyTypeAny, 0, 16<<10)
	return func() ([]byte, error) {
		reply, err := cookie.Reply()
		if err != nil {
			return nil, err
		}
		return reply.Value, nil
	}, nil
}

func words(b []byte) []uint32 {
	list := make([]uint32, len(b)/4)
	for i := range list {
		list[i] = xgb.Get32(b[4*i:])
	}
	return list
}

func firstWord(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return xgb.Get32(b)
}

// isGone reports whether err means that the window no longer exists.
func isGone(err error) bool {
	var window xproto.WindowError
	var drawable xproto.DrawableError
	return errors.As(err, &window) || errors.As(err, &drawable)
}

func isMatch(err error) bool {
	var match xproto.MatchError
	return errors.As(err, &match)
}
