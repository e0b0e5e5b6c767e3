package datadir

import (
	"path/filepath"
	"strings"

	"github.com/kehai-run/kehai/runtime/control"
)

// FeedSocket returns where face trackers connect to the Kehai of a data directory.
func FeedSocket(data string) (string, error) {
	path, err := control.SocketPath(data)
	if err != nil {
		return "", err
	}
	if filepath.Base(path) == "kehai.sock" {
		return filepath.Join(filepath.Dir(path), "focus.sock"), nil
	}
	return strings.TrimSuffix(path, ".sock") + ".feed", nil // a short path elsewhere
}
