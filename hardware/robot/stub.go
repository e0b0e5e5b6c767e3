//go:build !cgo || !((linux && robotgo) || darwin || windows)

package robot

import (
	"context"
	"fmt"
	"image"

	"github.com/kehai-run/kehai/hardware"
)

// Built reports that this program was built with cgo, so that a Robot can act.
const Built = false

const missing = "this program was built without robotgo (build with CGO_ENABLED=1, a C compiler and, on Linux, " +
	"-tags robotgo; on Debian: apt-get install gcc libc6-dev libx11-dev libxtst-dev)"

// Robot fails every call in this build.
type Robot struct{ hardware.NoTypist }

// Open fails, wrapping hardware.ErrUnavailable, and says how to build a robot.
func Open(opt Options) (*Robot, error) {
	if err := opt.validate(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("robot: %s: %w", missing, hardware.ErrUnavailable)
}

// ClickAt fails.
func ClickAt(context.Context, image.Point) error {
	return fmt.Errorf("robot: %s: %w", missing, hardware.ErrUnavailable)
}

// Windows fails.
func (r *Robot) Windows(context.Context) ([]hardware.Window, error) {
	return nil, fmt.Errorf("robot: %s: %w", missing, hardware.ErrUnavailable)
}

// Capture fails.
func (r *Robot) Capture(context.Context, string) (hardware.Capture, error) {
	return hardware.Capture{}, fmt.Errorf("robot: %s: %w", missing, hardware.ErrUnavailable)
}

var (
	_ hardware.Typist  = (*Robot)(nil)
	_ hardware.Pointer = (*Robot)(nil)
	_ hardware.Wheel   = (*Robot)(nil)
	_ hardware.Screen  = (*Robot)(nil)
)
