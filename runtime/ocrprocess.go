package runtime

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/ocrproc"
	"github.com/kehai-run/kehai/runtime/config"
)

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
// OCRProcess reads what comes in, and exits. Without the option ocr.isolation
// cannot be process, and an engine that hangs cannot be moved out.
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

// OCRCommand is this program as the process that reads with an engine.
func OCRCommand(engine string) *exec.Cmd {
	path, err := os.Executable()
	if goruntime.GOOS == "linux" {
		path, err = "/proc/self/exe", nil // the running program, also after an update replaced its file
	}
	return &exec.Cmd{Path: path, Args: []string{os.Args[0], ocrVerb, engine}, Err: err}
}

// WithOCRCommand says which process reads with an engine: one that calls
// [ServeOCR] with that engine and its standard input and output.
func WithOCRCommand(command func(engine string) *exec.Cmd) Option {
	return func(s *settings) { s.ocrCommand = command }
}

// ServeOCR reads for another process: requests come from in, until it ends.
// The caller must exit afterwards, as the engine may still be inside a call.
func ServeOCR(engine string, in io.Reader, out io.Writer, opts ...Option) error {
	set := newSettings(config.Default(), opts)
	r, ok := set.recognizers[engine]
	if !ok || engine == config.OCRDrawn {
		return fmt.Errorf("runtime: no OCR engine %q can read in a process of its own: want %s", engine,
			strings.Join(isolable(set), " or "))
	}
	return ocrproc.Serve(in, out, r.open)
}

// isolable are the engines that need nothing of the process that captures.
func isolable(set settings) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(set.recognizers)),
		func(name string) bool { return name == config.OCRDrawn })
}

// recognizers are how OCR workers open their engine: at first, and once its
// calls hang. isolated is nil if this program cannot read in another process.
func (r *Runtime) recognizers() (open, isolated OpenRecognizer, err error) {
	engine := r.cfg.OCR.Engine
	here := r.set.recognizers[engine].open
	switch {
	case r.cfg.OCR.Isolation != config.IsolationProcess:
	case engine == config.OCRDrawn:
		return nil, nil, r.cfg.Wrong("ocr.isolation",
			"the engine drawn knows only windows of its own process: want inprocess, or another engine")
	case r.set.ocrCommand == nil:
		return nil, nil, r.cfg.Wrong("ocr.isolation",
			"this program cannot start itself to read text: "+
				"call runtime.OCRProcess first thing in main and give New what it returns, or want inprocess")
	}
	if r.set.ocrCommand == nil || engine == config.OCRDrawn {
		return here, nil, nil
	}
	there := func() (hardware.Recognizer, error) {
		return ocrproc.New(func() *exec.Cmd { return r.ocrCommand(engine) }), nil
	}
	if r.cfg.OCR.Isolation == config.IsolationProcess {
		return there, nil, nil
	}
	return here, there, nil
}

// warnOfHangs says what a host has left out.
func (r *Runtime) warnOfHangs() {
	if r.set.ocrCommand == nil && r.cfg.OCR.Engine != config.OCRDrawn && len(r.cfg.Windows) > 0 {
		r.log.Warn().Str("engine", r.cfg.OCR.Engine).
			Str("hint", "call runtime.OCRProcess first thing in main and give New what it returns").
			Msg("OCR stops if its engine hangs three times: " +
				"this program cannot start a process of its own to read text")
	}
}

// ocrCommand keeps the keys of the store and of the language model from the
// process.
func (r *Runtime) ocrCommand(engine string) *exec.Cmd {
	cmd := r.set.ocrCommand(engine)
	if cmd == nil {
		return &exec.Cmd{Err: errors.New("runtime: the host's OCR command is nil")}
	}
	for _, name := range [...]string{r.cfg.Encryption.KeyEnv, r.cfg.LLM.KeyEnv} {
		if name != "" {
			cmd.Env = slices.DeleteFunc(cmd.Environ(), func(v string) bool { return strings.HasPrefix(v, name+"=") })
		}
	}
	return cmd
}
