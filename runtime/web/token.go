package web

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/kehai-run/kehai/runtime/private"
)

// tokenAge is how long a token in a file holds.
const tokenAge = 30 * 24 * time.Hour

// fileToken returns the token in a file that nobody else may read, so that an open page
// and a client survive a restart. A missing, old or exposed token is replaced; deleting
// the file revokes it at the next start.
func fileToken(path string, now time.Time) (string, error) {
	info, err := os.Stat(path)
	if err == nil && private.CheckFile(path) == nil && now.Sub(info.ModTime()) < tokenAge {
		raw, err := os.ReadFile(path)
		if token := strings.TrimSpace(string(raw)); err == nil && len(token) >= 32 {
			return token, nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("web: token: %w", err)
	}
	token := randomHex()
	next := path + ".new"
	_ = os.Remove(next) // of a start that was killed here
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("web: token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return "", fmt.Errorf("web: token: %w", err)
	}
	return token, nil
}
