package runtime

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
)

// window is a watched window and its driver.
type window struct {
	cfg    config.Window
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
func (s *settings) builtin(cfg config.Config) {
	s.screens["drawn"] = func(w config.Window) (hardware.Screen, string, error) { return s.drawn.open(cfg, w) }
	s.recognizers["drawn"] = func() (hardware.Recognizer, error) { return drawn.NewRecognizer(s.drawn.windows...), nil }
	s.recognizers["tesseract"] = func() (hardware.Recognizer, error) { return tesseract.Open(tesseract.Options{}) }
	s.probes["tesseract"] = func() error {
		_, err := tesseract.Probe(tesseract.Options{})
		return err
	}
}
