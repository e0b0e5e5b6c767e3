package runtime

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/drivers"
)

// OpenScreen opens one watched window.
type OpenScreen = drivers.OpenScreen

// OpenTypist opens what types into one watched window, after its screen.
type OpenTypist = drivers.OpenTypist

// OpenStructure opens the accessibility tree of one watched window.
type OpenStructure = drivers.OpenStructure

// OpenRecognizer makes an OCR engine for one worker.
type OpenRecognizer = drivers.OpenRecognizer

// OpenUsage opens what counts how the computer is used.
type OpenUsage = drivers.OpenUsage

// WithScreen adds a screen driver under the name that windows have in their
// configuration (driver: NAME), or replaces a built-in one.
func WithScreen(driver string, open OpenScreen) Option {
	return func(s *settings) { s.Screens[driver] = open }
}

// WithTypist adds what types into the windows of a screen driver, or replaces a
// built-in one. name is what status calls it. Replies for windows of a driver
// without a typist are not sent, and say so.
func WithTypist(driver, name string, open OpenTypist) Option {
	return func(s *settings) { s.Typists[driver] = drivers.Typist{Name: name, Open: open} }
}

// WithStructure adds a structure driver under the name that windows have in
// their configuration (structure: NAME). Windows that name none are watched by
// their pixels alone.
func WithStructure(driver string, open OpenStructure) Option {
	return func(s *settings) { s.Structures[driver] = open }
}

// WithRecognizer adds an OCR engine under its name in the configuration
// (ocr.engine: NAME), or replaces a built-in one.
func WithRecognizer(name string, open OpenRecognizer) Option {
	return func(s *settings) { s.Recognizers[name] = drivers.Recognizer{Open: open} }
}

// WithUsage adds a driver that counts how the computer is used, under its name
// in the configuration (focus.usage: NAME), or replaces a built-in one.
func WithUsage(name string, open OpenUsage) Option {
	return func(s *settings) { s.Usages[name] = open }
}

// WithNotifier shows notices about attention on the desktop, unless focus.notify
// is none. Without it they are events, and on the live page, only.
func WithNotifier(n hardware.Notifier) Option { return func(s *settings) { s.Notifier = n } }

// WithLives lets the scripts of drawn windows end this runtime: restart asks for
// an ordered stop, crash for an end at once, and both for a new runtime after it.
// fn is called from within a capture and must return soon; what it asks for, the
// host does by ending the contexts of [Runtime.RunUntil]. Without it a script
// that holds restart or crash is an error in New, script.ErrHost. The other verbs
// of a host, send and reset_baseline, need nothing.
func WithLives(fn func(crash bool)) Option { return func(s *settings) { s.Drawn.Lives(fn) } }

// CheckDrivers returns an error wrapping [config.ErrConfig] where a configuration
// names a driver or an engine that New would not know with these options.
func CheckDrivers(cfg Config, opts ...Option) error {
	set := newSettings(cfg, opts)
	return cfg.CheckDrivers(set.Names())
}

// ocrVerb is the first argument of a process that reads text for another one.
const ocrVerb = "ocr-worker"

// OCRProcess lets a program read text in processes of its own. Call it first
// thing in main, with the options that add recognizers, and give New what it
// returns:
//
//	func main() {
//		isolated := runtime.OCRProcess()
//		rt, err := runtime.New(cfg, isolated)
//		…
//
// Such a process is this program with the arguments "ocr-worker ENGINE": then
// OCRProcess reads what comes in, and exits. Without the option a crash of the engine is one of
// the host, and one that hangs cannot be moved out.
func OCRProcess(opts ...Option) Option {
	if len(os.Args) == 3 && os.Args[1] == ocrVerb {
		if err := ServeOCR(os.Args[2], os.Stdin, os.Stdout, opts...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	return WithOCRCommand(OCRCommand)
}

// OCRCommand is this program as the process that reads with an engine. Its Env has no secrets.
func OCRCommand(engine string) *exec.Cmd {
	path, err := os.Executable()
	if goruntime.GOOS == "linux" {
		path, err = "/proc/self/exe", nil // the running program, also after an update replaced its file
	}
	env := hardware.ChildEnv(os.Environ(), hardware.ChildReading)
	return &exec.Cmd{Path: path, Args: []string{os.Args[0], ocrVerb, engine}, Env: env, Err: err}
}

// WithOCRCommand says which process reads with an engine: one that calls
// [ServeOCR] with that engine and its standard input and output.
func WithOCRCommand(command func(engine string) *exec.Cmd) Option {
	return func(s *settings) { s.OCRCommand = command }
}

// ServeOCR reads for another process: requests come from in, until it ends.
// The caller must exit afterwards, as the engine may still be inside a call.
func ServeOCR(engine string, in io.Reader, out io.Writer, opts ...Option) error {
	set := newSettings(config.Default(), opts)
	return set.ServeOCR(engine, in, out)
}

// warnOfHangs says what a host has left out.
func (r *Runtime) warnOfHangs() {
	if r.set.OCRHangs(r.cfg) {
		r.log.Warn().Str("engine", r.cfg.OCR.Engine).
			Str("hint", "call runtime.OCRProcess first thing in main and give New what it returns").
			Msg("OCR stops if its engine hangs three times: no process of this program's own can read text")
	}
}
