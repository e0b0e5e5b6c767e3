package runtime

import (
	"fmt"
	"io"
	"maps"
	"os/exec"
	goruntime "runtime"
	"slices"

	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/darwin"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/hardware/x11"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// noHands is what is said of a window that nobody types into.
const noHands = "none"

// window is a watched window and its driver.
type window struct {
	cfg    config.Window
	screen hardware.Screen
	ref    string
	typist hardware.Typist
	hands  string // what the typist is called
}

// openWindows opens the drivers of the configured windows.
func (r *Runtime) openWindows(p *plan) (map[messages.WindowID]window, error) {
	windows := map[messages.WindowID]window{}
	for _, w := range r.cfg.Windows {
		screen, ref, err := r.set.screens[w.Driver](w)
		if err != nil {
			return nil, fmt.Errorf("runtime: window %s: %w", w.Name, err)
		}
		if c, ok := screen.(io.Closer); ok {
			p.closers = append(p.closers, c)
		}
		seen := window{cfg: w, screen: screen, ref: ref, typist: hardware.NoTypist{}, hands: noHands}
		if t, ok := r.set.typists[w.Driver]; ok {
			if seen.typist, err = t.open(w); err != nil {
				return nil, fmt.Errorf("runtime: window %s: typist: %w", w.Name, err)
			}
			seen.hands = t.name
			if c, ok := seen.typist.(io.Closer); ok {
				p.closers = append(p.closers, c)
			}
		}
		p.typists = append(p.typists, control.Typist{Window: w.ID(r.cfg.Node), Name: seen.hands})
		windows[w.ID(r.cfg.Node)] = seen
	}
	return windows, nil
}

// openStructures opens the accessibility trees of the windows that name one.
func (r *Runtime) openStructures(p *plan) (map[messages.WindowID]structure.Source, error) {
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
		sources[w.ID(r.cfg.Node)] = structure.Source{Structure: tree, Ref: ref}
	}
	return sources, nil
}

// CheckDrivers returns an error wrapping [config.ErrConfig] where a configuration
// names a driver or an engine that New would not know with these options.
func CheckDrivers(cfg Config, opts ...Option) error {
	set := newSettings(cfg, opts)
	return cfg.CheckDrivers(set.names())
}

// drivers are what touches the world, by the names in the configuration.
type drivers struct {
	screens     map[string]OpenScreen
	structures  map[string]OpenStructure
	recognizers map[string]recognizer
	ocrCommand  func(engine string) *exec.Cmd // nil: the program cannot read in another process
	usages      map[string]OpenUsage
	typists     map[string]typist // by the name of the screen's driver
	notifier    hardware.Notifier // nil: there is none
	drawn       *drawnWindows
}

// typist is a driver that types, and what it is called.
type typist struct {
	name string
	open OpenTypist
}

// recognizer is an OCR engine. The probe of a built-in one says what is missing, and
// what mends it.
type recognizer struct {
	open  OpenRecognizer
	probe func() error
}

// builtin are the drivers that need no display (drawn windows, the recognizer that
// knows what they drew, and Tesseract), and who counts how this system is used.
func builtin(cfg config.Config) drivers {
	windows := &drawnWindows{host: script.NewHost()}
	return drivers{
		screens: map[string]OpenScreen{"drawn": func(w config.Window) (hardware.Screen, string, error) {
			return windows.open(cfg, w)
		}},
		structures: map[string]OpenStructure{},
		recognizers: map[string]recognizer{
			config.OCRDrawn: {open: func() (hardware.Recognizer, error) {
				return drawn.NewRecognizer(windows.windows...), nil
			}},
			config.OCRTesseract: {
				open: func() (hardware.Recognizer, error) { return tesseract.Open(tesseract.Options{}) },
				probe: func() error {
					_, err := tesseract.Probe(tesseract.Options{})
					return err
				},
			},
		},
		usages: map[string]OpenUsage{config.UsageSystem: openUsage},
		typists: map[string]typist{"drawn": {"drawn", func(config.Window) (hardware.Typist, error) {
			return drawn.NewTypist(windows.windows...), nil
		}}},
		drawn: windows,
	}
}

// names are what there is to choose from.
func (d *drivers) names() config.Drivers {
	return config.Drivers{
		config.DriverScreen:    slices.Collect(maps.Keys(d.screens)),
		config.DriverStructure: slices.Collect(maps.Keys(d.structures)),
		config.DriverOCR:       slices.Collect(maps.Keys(d.recognizers)),
		config.DriverUsage:     append(slices.Collect(maps.Keys(d.usages)), config.UsageNone),
	}
}

// OpenUsage opens a driver that counts how the computer is used. It is called
// by the usage worker, and again after a failure; a driver that is an io.Closer
// is closed with its worker.
type OpenUsage func() (hardware.Usage, error)

// WithUsage adds a driver that counts how the computer is used, under its name
// in the configuration (focus.usage: NAME), or replaces a built-in one.
func WithUsage(name string, open OpenUsage) Option {
	return func(s *settings) { s.usages[name] = open }
}

// WithNotifier shows notices about attention on the desktop, unless focus.notify
// is none. Without it they are events, and on the live page, only.
func WithNotifier(n hardware.Notifier) Option { return func(s *settings) { s.notifier = n } }

func openUsage() (hardware.Usage, error) {
	if goruntime.GOOS == "darwin" {
		return darwin.OpenUsage(darwin.UsageOptions{})
	}
	return x11.OpenUsage(x11.Options{})
}
