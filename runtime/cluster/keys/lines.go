package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kehai-run/kehai/runtime/private"
)

// lines is a file to which lines are added, and the set of them.
type lines struct {
	path string
	mu   sync.Mutex
	all  map[string]bool
}

func readLines(path string) (*lines, error) {
	l := &lines{path: path, all: map[string]bool{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	whole := string(raw)
	if n := strings.LastIndexByte(whole, '\n'); n+1 < len(whole) { // a crash cut the last one
		whole = whole[:n+1]
		if err := private.Write(path, []byte(whole)); err != nil {
			return nil, err
		}
	}
	for line := range strings.Lines(whole) {
		l.all[strings.TrimSuffix(line, "\n")] = true
	}
	return l, nil
}

func (l *lines) has(line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[line]
}

// add adds a line, which survives a power cut once it returns nil.
func (l *lines) add(line string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[line] {
		return nil
	}
	if strings.ContainsAny(line, "\r\n") || line == "" {
		return fmt.Errorf("keys: %q is no line", line)
	}
	if err := private.Make(filepath.Dir(l.path), private.Closed); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	_, err = f.WriteString(line + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	l.all[line] = true
	return nil
}
