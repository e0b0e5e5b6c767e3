package runtime

import (
	"fmt"
	"image"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/messages"
)

// window is a watched window and its driver.
type window struct {
	cfg    WindowConfig
	screen hardware.Screen
	ref    string
}

// openWindows opens the drivers of the configured windows.
func (r *Runtime) openWindows(p *plan) (map[messages.WindowID]window, error) {
	windows := map[messages.WindowID]window{}
	err := r.cfg.CheckDrivers(slices.Sorted(maps.Keys(r.set.screens)), slices.Sorted(maps.Keys(r.set.recognizers)))
	if err != nil {
		return nil, err
	}
	for _, w := range r.cfg.Windows {
		screen, ref, err := r.set.screens[w.Driver](w)
		if err != nil {
			return nil, fmt.Errorf("runtime: window %s: %w", w.Name, err)
		}
		if c, ok := screen.(io.Closer); ok {
			p.closers = append(p.closers, c)
		}
		windows[messages.WindowID(w.Name+"@"+r.cfg.Node)] = window{cfg: w, screen: screen, ref: ref}
	}
	return windows, nil
}

// openStructures opens the accessibility trees of the windows that name one.
func (r *Runtime) openStructures(p *plan) (map[messages.WindowID]structure.Source, error) {
	if err := r.cfg.CheckStructures(slices.Sorted(maps.Keys(r.set.structures))); err != nil {
		return nil, err
	}
	sources := map[messages.WindowID]structure.Source{}
	for _, w := range r.cfg.Windows {
		if w.Structure == "" {
			continue
		}
		tree, ref, err := r.set.structures[w.Structure](w)
		if err != nil {
			return nil, fmt.Errorf("runtime: window %s: structure: %w", w.Name, err)
		}
		if c, ok := tree.(io.Closer); ok {
			p.closers = append(p.closers, c)
		}
		sources[messages.WindowID(w.Name+"@"+r.cfg.Node)] = structure.Source{Structure: tree, Ref: ref}
	}
	return sources, nil
}

// builtin adds the drivers that need no display: drawn windows, the recognizer
// that knows what they drew, and Tesseract.
func (s *settings) builtin(cfg Config) {
	all := &drawnWindows{scripts: s.scripts}
	s.screens["drawn"] = func(w WindowConfig) (hardware.Screen, string, error) { return all.open(cfg, w) }
	s.recognizers["drawn"] = func() (hardware.Recognizer, error) { return drawn.NewRecognizer(all.windows...), nil }
	s.recognizers["tesseract"] = func() (hardware.Recognizer, error) { return tesseract.Open(tesseract.Options{}) }
	s.probes["tesseract"] = func() error {
		_, err := tesseract.Probe(tesseract.Options{})
		return err
	}
}

// drawnWindows are the windows that one runtime draws.
type drawnWindows struct {
	windows []*drawn.Window
	scripts *scripts
}

func (d *drawnWindows) open(cfg Config, w WindowConfig) (hardware.Screen, string, error) {
	chat, err := readScript(w.Script)
	if err != nil {
		return nil, "", err
	}
	if err := d.scripts.check(chat); err != nil {
		return nil, "", fmt.Errorf("script %s: %w", w.Script, err)
	}
	dir := filepath.Join(cfg.Data, "windows")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", fmt.Errorf("make the window's journal: %w", err)
	}
	theme := drawn.Light
	if w.Theme == "dark" {
		theme = drawn.Dark
	}
	win, err := drawn.New(drawn.Options{
		Ref: w.Name, Conversation: chat.Conversation(), Size: image.Pt(w.Size[0], w.Size[1]), Scale: w.Scale,
		Theme: theme, Now: time.Now, Journal: filepath.Join(dir, w.Name+".jsonl"),
	})
	if err != nil {
		return nil, "", err
	}
	host := func(e script.Event) {
		d.scripts.take(errand{messages.WindowID(w.Name + "@" + cfg.Node), w.App, win, chat.ID(), e})
	}
	if _, err := script.Play(win, chat, script.Options{Speed: w.Speed, Host: host}); err != nil {
		win.Close()
		return nil, "", err
	}
	screen, err := drawn.NewScreen(win)
	if err != nil {
		return nil, "", err
	}
	d.windows = append(d.windows, win)
	return drawnScreen{screen, win}, w.Name, nil
}

// drawnScreen closes its window's journal with it.
type drawnScreen struct {
	hardware.Screen
	io.Closer
}

func readScript(path string) (script.Script, error) {
	if path == "" {
		return script.Default(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return script.Script{}, fmt.Errorf("script: %w", err)
	}
	defer f.Close()
	s, err := script.Parse(f)
	if err != nil {
		return s, fmt.Errorf("script %s: %w", path, err)
	}
	return s, nil
}
