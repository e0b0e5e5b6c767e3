package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// debugRecord is latest-pipeline.json: what was read last in a window, and what
// each stage made of it. It holds private text.
type debugRecord struct {
	Window    messages.WindowID `json:"window"`
	At        control.Stamp     `json:"at"` // of the capture
	Trace     string            `json:"trace"`
	Frame     string            `json:"frame,omitempty"`  // file with the picture, beside this one
	Masked    string            `json:"masked,omitempty"` // and with all but incoming bubbles painted over
	Hash      string            `json:"hash"`
	Size      messages.Rect     `json:"size"`
	Scale     float64           `json:"scale"`
	Title     messages.Line     `json:"title"`
	Name      string            `json:"name"` // of the conversation, as the title tells it
	Bubbles   []messages.Bubble `json:"bubbles"`
	Read      int               `json:"read"`
	Cached    int               `json:"cached"`
	TookMS    int64             `json:"took_ms"`
	Score     int               `json:"score"`
	Signal    string            `json:"signal,omitempty"`
	Changed   string            `json:"pixel_text_changed,omitempty"`
	Cursor    string            `json:"cursor,omitempty"` // what the text cursor did, where the profile has one
	Verdicts  []control.Step    `json:"verdicts"`
	DropStage string            `json:"drop_stage,omitempty"` // of the last drop, if there is one
}

// writeDebug keeps the debugging files of all windows up to date until ctx ends.
func (s *sights) writeDebug(ctx context.Context, dir string, log zerolog.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		}
		s.writeChanged(dir, log)
	}
}

func (s *sights) writeChanged(dir string, log zerolog.Logger) {
	s.files.Lock()
	defer s.files.Unlock()
	for _, w := range s.takeChanged() {
		if err := w.writeFiles(filepath.Join(dir, fileName(w.read.Window))); err != nil {
			log.Warn().Err(err).Str("window", string(w.read.Window)).Msg("debug_files_failed")
		}
	}
}

func (s *sights) takeChanged() (list []sight) {
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

func (w *sight) writeFiles(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("runtime: debugging files: %w", err)
	}
	rec := w.record()
	if w.newShot {
		if w.frame.Image == nil {
			for _, name := range []string{frameFile, maskedFile} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
					return fmt.Errorf("runtime: debugging files: %w", err)
				}
			}
		} else if err := errors.Join(
			writePNG(filepath.Join(dir, frameFile), w.frame.Image),
			writePNG(filepath.Join(dir, maskedFile), masked(w.frame.Image, w.read.Bubbles)),
		); err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return fmt.Errorf("runtime: debugging files: %w", err)
	}
	return writePrivate(filepath.Join(dir, recordFile), append(raw, '\n'))
}

func (w *sight) record() debugRecord {
	r := w.read
	rec := debugRecord{
		Window: r.Window, At: control.Stamp{Time: r.At}, Trace: w.trace, Hash: fmt.Sprintf("%016x", uint64(r.Hash)),
		Size: r.Size, Scale: r.Scale, Title: r.Title, Name: w.name, Bubbles: r.Bubbles, Read: r.Read, Cached: r.Cached,
		TookMS: r.Took.Milliseconds(), Verdicts: w.steps,
	}
	if w.frame.Image != nil {
		rec.Frame, rec.Masked = frameFile, maskedFile
	}
	for _, s := range w.steps {
		if s.Stage == "fusion" && s.Detail.Score > 0 {
			rec.Score, rec.Signal, rec.Changed = s.Detail.Score, s.Detail.Rule, s.Detail.Changed
		}
		if s.Outcome == "cursor" {
			rec.Cursor = s.What
		}
		if s.Outcome == "dropped" {
			rec.DropStage = s.Stage
		}
	}
	return rec
}

// masked paints everything that is no incoming bubble white.
func masked(img *image.RGBA, bubbles []messages.Bubble) *image.RGBA {
	out := image.NewRGBA(img.Rect)
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	for _, b := range bubbles {
		if b.Side == messages.SideIncoming {
			box := image.Rect(b.Box.X, b.Box.Y, b.Box.X+b.Box.W, b.Box.Y+b.Box.H).Add(img.Rect.Min)
			draw.Draw(out, box, img, box.Min, draw.Src)
		}
	}
	return out
}

func writePNG(path string, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("runtime: debugging files: %w", err)
	}
	return writePrivate(path, b.Bytes())
}

// writePrivate replaces a file as a whole; only this user may read it.
func writePrivate(path string, data []byte) error {
	tmp := path + ".tmp"
	err := os.Remove(tmp) // left by a crash, perhaps with another mode
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("runtime: debugging files: %w", err)
	}
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("runtime: debugging files: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return fmt.Errorf("runtime: debugging files: %w", err)
	}
	return nil
}
