//go:build cgo && ((linux && robotgo) || darwin || windows)

package robot

import (
	"context"
	"fmt"
	"image"
	"strconv"
	"time"

	"github.com/go-vgo/robotgo"

	"github.com/kehai-run/kehai/hardware"
)

// own is the desktop that robotgo itself knows: processes, the active window, and
// a clipboard that does not report when it was read. Refs are process ids.
type own struct{}

// Active is the active window. It must be called with the lock held.
func (own) Active(ctx context.Context) (hardware.Window, error) {
	if err := ctx.Err(); err != nil {
		return hardware.Window{}, err
	}
	// Without an active window robotgo would describe an earlier one.
	if !robotgo.IsValid() {
		return hardware.Window{}, nil
	}
	pid := robotgo.GetPid()
	x, y, w, h := robotgo.GetClient(pid)
	box := image.Rect(x, y, x+w, y+h)
	return hardware.Window{Ref: strconv.Itoa(pid), Title: robotgo.GetTitle(), PID: pid, Box: box}, nil
}

// Windows lists the active window.
func (o own) Windows(ctx context.Context) ([]hardware.Window, error) {
	w, err := o.Active(ctx)
	if err != nil || w.Ref == "" {
		return nil, err
	}
	return []hardware.Window{w}, nil
}

// How long a window may take to become active.
const (
	ownTimeout = 3 * time.Second
	ownPoll    = 25 * time.Millisecond
)

// Activate brings a process's window to the front.
func (o own) Activate(ctx context.Context, ref string) error {
	pid, err := strconv.Atoi(ref)
	if err != nil || pid <= 0 {
		return fmt.Errorf("robot: %q is no process id: %w", ref, hardware.ErrWindowGone)
	}
	for deadline := time.Now().Add(ownTimeout); ; {
		active, err := o.Active(ctx)
		if err != nil || active.Ref == ref {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("robot: process %s (another window holds the keyboard: close dialogs, unlock the "+
				"screen): %w", ref, hardware.ErrNotActive)
		}
		if err := robotgo.ActivePid(pid); err != nil {
			return fmt.Errorf("robot: process %s has no window: %w: %w", ref, err, hardware.ErrWindowGone)
		}
		if err := hardware.Pause(ctx, ownPoll); err != nil {
			return err
		}
	}
}

// ownPaste is how long a program has to paste.
const ownPaste = 400 * time.Millisecond

// PasteText assumes that the text was pasted after ownPaste.
func (own) PasteText(ctx context.Context, text string, paste func(context.Context) error) error {
	before, err := robotgo.ReadAll()
	if err != nil {
		before = ""
	}
	if err := robotgo.WriteAll(text); err != nil {
		return fmt.Errorf("robot: clipboard: %w: %w", err, hardware.ErrUnavailable)
	}
	err = paste(ctx)
	if err == nil {
		if err = hardware.Pause(ctx, ownPaste); err != nil {
			err = fmt.Errorf("robot: pasting was interrupted: %w: %w", err, hardware.ErrPartlyTyped)
		}
	}
	// Whether the text was pasted does not depend on this: an error here would make
	// the caller paste it again.
	_ = robotgo.WriteAll(before)
	return err
}
