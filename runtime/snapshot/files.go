package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/web"
)

// Files keeps the debugging files: each is a name in the folder of a window.
type Files interface {
	// Write keeps a file that shows one of these conversations.
	Write(window, name string, shows []string, data []byte) error
	Remove(window, name string) error
}

// HoldFiles stops the writing of debugging files until release is called.
func (s *Windows) HoldFiles() (release func()) {
	s.files.Lock()
	return s.files.Unlock
}

// Called lists the ids of an application's conversations that have a name.
type Called func(app, name string) []string

// WriteFiles keeps the debugging files of all windows up to date until ctx ends.
func (s *Windows) WriteFiles(ctx context.Context, to Files, called Called, log zerolog.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
		s.writeChanged(to, called, log)
	}
}

func (s *Windows) writeChanged(to Files, called Called, log zerolog.Logger) {
	s.files.Lock()
	defer s.files.Unlock()
	for _, w := range s.takeChanged() {
		id := w.read.Window
		out := showing{to, called(s.o.Apps[id], w.name)}
		if !slices.Equal(out.shows, s.shows[id]) { // a frame is seen before it is known whom it shows
			w.newShot, s.shows[id] = true, out.shows
		}
		if err := w.writeFiles(out, fileName(id)); err != nil {
			delete(s.shows, id)
			log.Warn().Err(err).Str("window", string(id)).Msg("debug_files_failed")
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

// showing are the files of a window that shows one of some conversations.
type showing struct {
	Files
	shows []string
}

func (f showing) write(window, name string, data []byte) error {
	return f.Write(window, name, f.shows, data)
}

func (w *window) writeFiles(to showing, folder string) error {
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
	return to.write(folder, recordFile, append(raw, '\n'))
}

func writePNG(to showing, folder, name string, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("snapshot: debugging files: %w", err)
	}
	return to.write(folder, name, b.Bytes())
}
