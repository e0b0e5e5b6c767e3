package x11

import (
	"context"
	"fmt"
	"sync"

	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// keeper holds the connection that owns the redirections. The server ends a
// redirection together with this connection, or with the window.
type keeper struct {
	display string

	mu     sync.Mutex
	s      *session
	frames map[xproto.Window]xproto.Window // of the windows that were captured
	closed bool
}

// knows reports whether the frame is already redirected.
func (k *keeper) knows(w, frame xproto.Window) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.s != nil && k.s.alive() && k.frames[w] == frame
}

// redirect makes the server keep the pixels of a frame. begun is false if another
// call was faster.
func (k *keeper) redirect(ctx context.Context, w, frame xproto.Window) (begun bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return false, fmt.Errorf("x11: the display is closed: %w", hardware.ErrUnavailable)
	}
	if k.s != nil && !k.s.alive() {
		k.s.close()
		k.s = nil
	}
	if k.s == nil {
		s, err := connect(ctx, k.display, nil)
		if err != nil {
			return false, err
		}
		k.s, k.frames = s, map[xproto.Window]xproto.Window{}
	}
	if k.frames[w] == frame {
		return false, nil
	}
	stop := context.AfterFunc(ctx, func() { _ = k.s.raw.Close() })
	defer stop()
	if err := composite.RedirectWindowChecked(k.s.x, frame, composite.RedirectAutomatic).Check(); err != nil {
		return false, err
	}
	k.frames[w] = frame
	return true, nil
}

// forget drops what is known about a window, since its id may be reused.
func (k *keeper) forget(w xproto.Window) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.frames, w)
}

func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.s != nil {
		k.s.close()
		k.s = nil
	}
}
