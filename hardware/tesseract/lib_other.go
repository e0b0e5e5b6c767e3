//go:build !((linux || darwin) && (amd64 || arm64))

package tesseract

import (
	"fmt"
	"runtime"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

type handle uintptr

// library is never created here: load always fails.
type library struct{ path string }

func load(string) (*library, error) {
	return nil, fmt.Errorf("%w: tesseract: not on %s/%s; give the runtime another recognizer", hardware.ErrUnavailable,
		runtime.GOOS, runtime.GOARCH)
}

func (*library) version() string                   { return "" }
func (*library) create() handle                    { return 0 }
func (*library) init(handle, string, string) int32 { return -1 }
func (*library) end(handle)                        {}
func (*library) delete(handle)                     {}
func (*library) read(handle, []byte, int, int, int, int) ([]messages.Line, [][]symbol, error) {
	return nil, nil, hardware.ErrUnavailable
}
