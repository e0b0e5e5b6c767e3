package runtime_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// A program that reads text in processes of its own asks first whether it is
// one of them.
func ExampleOCRProcess() {
	isolated := runtime.OCRProcess() // does not return in a process that reads

	cfg := config.Default()
	cfg.Data, cfg.Windows = os.TempDir(), nil
	cfg.OCR.Isolation = config.IsolationProcess
	_, err := runtime.New(cfg, isolated)
	fmt.Println(err)
	// Output: <nil>
}

func TestServeOCRRefusesWhatCannotReadElsewhere(t *testing.T) {
	for _, engine := range []string{"drawn", "telepathy"} {
		var out bytes.Buffer
		err := runtime.ServeOCR(engine, strings.NewReader(""), &out)
		if err == nil || !strings.Contains(err.Error(), "want tesseract") || out.Len() > 0 {
			t.Errorf("ServeOCR(%s) = %v, wrote %d bytes, want an error that names tesseract", engine, err, out.Len())
		}
	}
}

func TestOCRCommandIsThisProgram(t *testing.T) {
	cmd := runtime.OCRCommand("tesseract")
	if cmd.Err != nil || len(cmd.Args) != 3 || cmd.Args[1] != "ocr-worker" || cmd.Args[2] != "tesseract" {
		t.Errorf("OCRCommand() = %q, %v, want this program with ocr-worker tesseract", cmd.Args, cmd.Err)
	}
}

// TestAHostThatCannotIsolateIsTold: at the start, not when OCR has stopped.
func TestAHostThatCannotIsolateIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		engine string
		opts   []runtime.Option
		want   bool
	}{
		"no process": {"own", nil, true},
		"a process":  {"own", []runtime.Option{runtime.WithOCRCommand(runtime.OCRCommand)}, false},
		"drawn":      {config.OCRDrawn, nil, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			testkit.Start(t, testkit.WithConfig(func(cfg *config.Config) { cfg.OCR.Engine = c.engine }),
				testkit.WithRuntime(append(c.opts, runtime.WithLogger(zerolog.New(zerolog.SyncWriter(&log))),
					runtime.WithRecognizer("own", func() (hardware.Recognizer, error) {
						return drawn.NewRecognizer(), nil
					}))...))
			synctest.Wait()
			if got := strings.Contains(log.String(), "runtime.OCRProcess"); got != c.want {
				t.Errorf("%s: told = %v, want %v; log:\n%s", name, got, c.want, log.String())
			}
		})
	}
}
