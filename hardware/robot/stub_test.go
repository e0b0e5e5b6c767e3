//go:build !cgo || (linux && !robotgo)

package robot

import (
	"errors"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

func TestStubSaysHowToBuild(t *testing.T) {
	_, err := Open(Options{})
	if !errors.Is(err, hardware.ErrUnavailable) || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
		t.Errorf("Open() without cgo = %v, want %v and how to build it", err, hardware.ErrUnavailable)
	}
}
