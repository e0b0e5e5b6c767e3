package drivers

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/ocrproc"
	"github.com/kehai-run/kehai/runtime/config"
)

// ServeOCR reads with an engine for another process, until in ends.
func (s *Set) ServeOCR(engine string, in io.Reader, out io.Writer) error {
	r, ok := s.Recognizers[engine]
	if !ok || engine == config.OCRDrawn {
		return fmt.Errorf("runtime: no OCR engine %q can read in a process of its own: want %s", engine,
			strings.Join(s.isolable(), " or "))
	}
	return ocrproc.Serve(in, out, r.Open)
}

// isolable are the engines that need nothing from the process that captures.
func (s *Set) isolable() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Recognizers)),
		func(name string) bool { return name == config.OCRDrawn })
}

// ProbeOCR says what is missing for the engine that reads the windows.
func (s *Set) ProbeOCR(cfg config.Config) error {
	probe := s.Recognizers[cfg.OCR.Engine].Probe
	if probe == nil || len(cfg.Windows) == 0 {
		return nil
	}
	if err := probe(); err != nil {
		return fmt.Errorf("runtime: no OCR: %w", err)
	}
	return nil
}

// Languages says which languages the engine that reads the windows knows, and what adds another; nil if
// nobody can say.
func (s *Set) Languages(cfg config.Config) func() string {
	return s.Recognizers[cfg.OCR.Engine].Languages
}

// OCR returns how OCR workers open their engine: at first, and after its calls hang.
// isolated is nil if this program cannot read in another process.
func (s *Set) OCR(cfg config.Config) (open, isolated OpenRecognizer, err error) {
	engine := cfg.OCR.Engine
	here := s.Recognizers[engine].Open
	switch {
	case cfg.OCR.Isolation != config.IsolationProcess:
	case engine == config.OCRDrawn:
		return nil, nil, cfg.Wrong("ocr.isolation",
			"the engine drawn knows only windows of its own process: want inprocess, or another engine")
	case s.OCRCommand == nil:
		return nil, nil, cfg.Wrong("ocr.isolation",
			"this program cannot start itself to read text: "+
				"call runtime.OCRProcess first thing in main and give New what it returns, or want inprocess")
	}
	if s.OCRCommand == nil || engine == config.OCRDrawn {
		return here, nil, nil
	}
	there := func() (hardware.Recognizer, error) {
		return ocrproc.New(func() *exec.Cmd { return s.ocrCommand(cfg) }), nil
	}
	if cfg.OCR.Isolation == config.IsolationInProcess {
		return here, there, nil
	}
	return there, nil, nil
}

// OCRHangs reports whether an engine that hangs stops OCR, because no other process can
// read.
func (s *Set) OCRHangs(cfg config.Config) bool {
	return s.OCRCommand == nil && cfg.OCR.Engine != config.OCRDrawn && len(cfg.Windows) > 0
}

// ocrCommand withholds the keys of the store and of the models also from a process of
// the host's own.
func (s *Set) ocrCommand(cfg config.Config) *exec.Cmd {
	cmd := s.OCRCommand(cfg.OCR.Engine)
	if cmd == nil {
		return &exec.Cmd{Err: errors.New("runtime: the host's OCR command is nil")}
	}
	for _, name := range [...]string{cfg.Encryption.KeyEnv, cfg.LLM.KeyEnv, cfg.Memory.Embedding.KeyEnv} {
		if name != "" {
			cmd.Env = slices.DeleteFunc(cmd.Environ(), func(v string) bool { return strings.HasPrefix(v, name+"=") })
		}
	}
	return cmd
}
