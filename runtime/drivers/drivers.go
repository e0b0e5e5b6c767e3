// Package drivers opens what a Kehai sees, reads, counts and types with. A [Set] is what
// there is to choose from; [Set.Open] opens what a configuration names. Nothing is stored
// here but the journals of drawn windows.
package drivers

import (
	"errors"
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
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/hardware/x11"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// OpenScreen opens the driver of one watched window and returns it with the
// driver's own name of the window. It is called once by New for each window; if
// the screen is an io.Closer it is closed at the end of Run.
type OpenScreen func(w config.Window) (screen hardware.Screen, ref string, err error)

// OpenTypist opens what types into one watched window, with the same ref as its
// screen. It is called once by New for each window, after the screen was opened; if
// the typist is an io.Closer it is closed at the end of Run. A typist that is also a
// hardware.Pointer clicks into the field before it types; one that is a
// hardware.Presence waits while a person types, and without it nothing is sent; one that is a hardware.Focus gives
// the keyboard back to the window that had it.
type OpenTypist func(w config.Window) (hardware.Typist, error)

// OpenStructure opens the accessibility tree of one watched window and returns it
// with the driver's own name of the window. It is called once by New for each
// window that names the driver; if the structure is an io.Closer it is closed at
// the end of Run.
type OpenStructure func(w config.Window) (structure hardware.Structure, ref string, err error)

// OpenRecognizer makes one OCR engine. It is called by each OCR worker, and
// again after a failure.
type OpenRecognizer func() (hardware.Recognizer, error)

// OpenUsage opens a driver that counts how the computer is used. It is called
// by the usage worker, and again after a failure; a driver that is an io.Closer
// is closed with its worker.
type OpenUsage func() (hardware.Usage, error)

// Set holds the drivers there are to choose from, by their names in the configuration.
type Set struct {
	Screens     map[string]OpenScreen
	Structures  map[string]OpenStructure
	Recognizers map[string]Recognizer
	OCRCommand  func(engine string) *exec.Cmd // nil: the program cannot read in another process
	Usages      map[string]OpenUsage
	Typists     map[string]Typist // by the name of the screen's driver
	Notifier    hardware.Notifier // nil: there is none
	Drawn       *Drawn
}

// Typist is a driver that types, and what it is called.
type Typist struct {
	Name string
	Open OpenTypist
}

// Recognizer is an OCR engine. The probe of a built-in one says what is missing, and how
// to install it. Languages, which may be nil, says which languages it reads, and what adds another.
type Recognizer struct {
	Open      OpenRecognizer
	Probe     func() error
	Languages func() string
}

// Builtin are the drivers that need no display (drawn windows, the recognizer that knows
// what they drew, and Tesseract), and the counter of how this system is used.
func Builtin(cfg config.Config) Set {
	windows := NewDrawn()
	s := Set{
		Screens: map[string]OpenScreen{nameDrawn: func(w config.Window) (hardware.Screen, string, error) {
			return windows.open(cfg, w)
		}},
		Structures: map[string]OpenStructure{},
		Recognizers: map[string]Recognizer{
			config.OCRDrawn: {Open: func() (hardware.Recognizer, error) {
				return drawn.NewRecognizer(windows.windows...), nil
			}},
			config.OCRTesseract: {
				Open: func() (hardware.Recognizer, error) { return tesseract.Open(tesseract.Options{}) },
				Probe: func() error {
					_, err := tesseract.Probe(tesseract.Options{})
					return err
				},
				Languages: func() string { return tesseract.Languages(tesseract.Options{}) },
			},
		},
		Usages: map[string]OpenUsage{config.UsageSystem: openUsage},
		Typists: map[string]Typist{nameDrawn: {nameDrawn, func(config.Window) (hardware.Typist, error) {
			return drawn.NewTypist(windows.windows...), nil
		}}},
		Drawn: windows,
	}
	if goruntime.GOOS == "darwin" {
		s.Recognizers[config.OCRVision] = Recognizer{Open: openVision, Probe: func() error {
			r, err := openVision()
			if err != nil {
				return fmt.Errorf("%w (or install Tesseract and set ocr.engine to tesseract)", err)
			}
			return r.(io.Closer).Close()
		}}
	}
	return s
}

func openVision() (hardware.Recognizer, error) { return darwin.OpenRecognizer() }

func openUsage() (hardware.Usage, error) {
	if goruntime.GOOS == "darwin" {
		return darwin.OpenUsage(darwin.UsageOptions{})
	}
	return x11.OpenUsage(x11.Options{})
}

// Names lists the drivers that can be chosen.
func (s *Set) Names() config.Drivers {
	return config.Drivers{
		config.DriverScreen:    slices.Collect(maps.Keys(s.Screens)),
		config.DriverStructure: slices.Collect(maps.Keys(s.Structures)),
		config.DriverOCR:       slices.Collect(maps.Keys(s.Recognizers)),
		config.DriverUsage:     append(slices.Collect(maps.Keys(s.Usages)), config.UsageNone),
	}
}

// Opened is what was opened for a configuration, by window.
type Opened struct {
	Windows map[messages.WindowID]Window
	Trees   map[messages.WindowID]structure.Source
	Typists []control.Typist // who types into which window, in the order of the configuration

	closers []io.Closer
}

// Window is a watched window and its driver.
type Window struct {
	Config config.Window
	Screen hardware.Screen
	Ref    string
	Typist hardware.Typist
	Hands  string // what the typist is called
}

// noHands is the typist's name of a window that nobody types into.
const noHands = "none"

// Typed reports whether somebody types into a window.
func (w Window) Typed() bool { return w.Hands != noHands }

// Drawn reports whether Kehai draws the window itself.
func (w Window) Drawn() bool { return w.Config.Driver == nameDrawn }

// Close closes all that was opened.
func (o *Opened) Close() error {
	var errs []error
	for _, c := range o.closers {
		errs = append(errs, c.Close())
	}
	o.closers = nil
	return errors.Join(errs...)
}

// keep remembers a driver to be closed at the end, if it can be.
func (o *Opened) keep(driver any) {
	if c, ok := driver.(io.Closer); ok {
		o.closers = append(o.closers, c)
	}
}

// Open opens the drivers of the configured windows, after checking their names with
// [config.Config.CheckDrivers]. If one fails, the others are closed again.
func (s *Set) Open(cfg config.Config) (*Opened, error) {
	o := &Opened{Windows: map[messages.WindowID]Window{}, Trees: map[messages.WindowID]structure.Source{}}
	err := cfg.CheckDrivers(s.Names())
	if err != nil {
		return nil, err
	}
	for _, w := range cfg.Windows {
		if err := s.open(o, w, w.ID(cfg.Node)); err != nil {
			return nil, errors.Join(fmt.Errorf("runtime: window %s: %w", w.Name, err), o.Close())
		}
	}
	return o, nil
}

// open opens one window: its screen, its typist, and its accessibility tree.
func (s *Set) open(o *Opened, w config.Window, id messages.WindowID) error {
	screen, ref, err := s.Screens[w.Driver](w)
	if err != nil {
		return err
	}
	o.keep(screen)
	seen := Window{Config: w, Screen: screen, Ref: ref, Typist: hardware.NoTypist{}, Hands: noHands}
	if t, ok := s.Typists[w.Driver]; ok {
		if seen.Typist, err = t.Open(w); err != nil {
			return fmt.Errorf("typist: %w", err)
		}
		o.keep(seen.Typist)
		seen.Hands = t.Name
	}
	o.Typists = append(o.Typists, control.Typist{Window: id, Name: seen.Hands})
	o.Windows[id] = seen
	if w.Structure == "" {
		return nil
	}
	tree, ref, err := s.Structures[w.Structure](w)
	if err != nil {
		return fmt.Errorf("structure: %w", err)
	}
	o.keep(tree)
	o.Trees[id] = structure.Source{Structure: tree, Ref: ref}
	return nil
}
