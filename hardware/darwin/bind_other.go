//go:build !(darwin && (amd64 || arm64))

package darwin

import (
	"fmt"
	"runtime"

	"github.com/kehai-run/kehai/hardware"
)

func load() (*api, error) {
	return nil,
		fmt.Errorf("darwin: these drivers run on macOS only, this is %s/%s; choose the drivers of this system: %w",
			runtime.GOOS, runtime.GOARCH, hardware.ErrUnavailable)
}
