package runtime_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime"
)

// A program that reads text in processes of its own asks first whether it is
// one of them.
func ExampleOCRProcess() {
	isolated := runtime.OCRProcess() // does not return in a process that reads

	cfg := runtime.Default()
	cfg.Data, cfg.Windows = os.TempDir(), nil
	cfg.OCR.Isolation = runtime.IsolationProcess
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
