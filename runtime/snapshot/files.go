package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/web"
)

// Files keeps the debugging files: each is a name in the folder of a window.
type Files interface {
	Write(window, name string, data []byte) error
	Remove(window, name string) error
}

// HoldFiles stops the writing of debugging files until release is called.
func (s *Windows) HoldFiles() (release func()) {
	s.files.Lock()
	return s.files.Unlock
}

// WriteFiles keeps the debugging files of all windows up to date until ctx ends.
func (s *Windows) WriteFiles(ctx context.Context, to Files, log zerolog.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
		s.writeChanged(to, log)
	}
}

func (s *Windows) writeChanged(to Files, log zerolog.Logger) {
	s.files.Lock()
	defer s.files.Unlock()
	for _, w := range s.takeChanged() {
		if err := w.writeFiles(to, fileName(w.read.Window)); err != nil {
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

func (w *window) writeFiles(to Files, folder string) error {
	rec := w.record()
	if w.frame.Image != nil {
		rec.Frame, rec.Masked = frameFile, maskedFile
	}
	if w.newShot && w.frame.Image == nil {
		if err := errors.Join(to.Remove(folder, frameFile), to.Remove(folder, maskedFile)); err != nil {
			return err
		}
	} else if w.newShot {
		masked := web.Masked(w.frame.Image, w.read.Bubbles)
		if err := errors.Join(writePNG(to, folder, frameFile, w.frame.Image),
			writePNG(to, folder, maskedFile, masked)); err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	return to.Write(folder, recordFile, append(raw, '\n'))
}

func writePNG(to Files, folder, name string, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	return to.Write(folder, name, b.Bytes())
}
