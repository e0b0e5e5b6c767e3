package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/web"
)

// filesDir is the folder of the debugging files in a data folder.
const filesDir = "debug"

// Delete deletes the debugging files in a data folder.
func Delete(data string) error {
	if err := os.RemoveAll(filepath.Join(data, filesDir)); err != nil {
		return fmt.Errorf("snapshot: delete the debugging files: %w", err)
	}
	return nil
}

// HoldFiles stops the writing of debugging files until release is called.
func (s *Windows) HoldFiles() (release func()) {
	s.files.Lock()
	return s.files.Unlock
}

// WriteFiles keeps the debugging files of all windows in a data folder up to date
// until ctx ends.
func (s *Windows) WriteFiles(ctx context.Context, data string, log zerolog.Logger) error {
	dir := filepath.Join(data, filesDir)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
		s.writeChanged(dir, log)
	}
}

func (s *Windows) writeChanged(dir string, log zerolog.Logger) {
	s.files.Lock()
	defer s.files.Unlock()
	for _, w := range s.takeChanged() {
		if err := w.writeFiles(filepath.Join(dir, fileName(w.read.Window))); err != nil {
			log.Warn().Err(err).Str("window", string(w.read.Window)).Msg("debug_files_failed")
		}
	}
}

func (s *Windows) takeChanged() (list []window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.windows {
		if w.changed {
			list = append(list, *w)
			w.changed, w.newShot = false, false
		}
	}
	return list
}

// fileName makes a folder's name of a window's.
func fileName(w messages.WindowID) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '@' {
			return r
		}
		return '_'
	}, string(w))
}

const (
	frameFile  = "frame.png"
	maskedFile = "masked.png"
	recordFile = "latest-pipeline.json"
)

func (w *window) writeFiles(dir string) error {
	if err := private.Make(dir, private.Closed); err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	rec := w.record()
	if w.frame.Image != nil {
		rec.Frame, rec.Masked = frameFile, maskedFile
	}
	if w.newShot {
		if w.frame.Image == nil {
			for _, name := range []string{frameFile, maskedFile} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
					return fmt.Errorf("snapshot: debugging files: %w", err)
				}
			}
		} else if err := errors.Join(
			writePNG(filepath.Join(dir, frameFile), w.frame.Image),
			writePNG(filepath.Join(dir, maskedFile), web.Masked(w.frame.Image, w.read.Bubbles)),
		); err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	return writePrivate(filepath.Join(dir, recordFile), append(raw, '\n'))
}

func writePNG(path string, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	return writePrivate(path, b.Bytes())
}

// writePrivate replaces a file as a whole; only this user may read it.
func writePrivate(path string, data []byte) error {
	tmp := path + ".tmp"
	err := os.Remove(tmp) // left by a crash, perhaps with another mode
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	return nil
}
