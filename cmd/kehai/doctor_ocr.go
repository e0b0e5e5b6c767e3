package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/ocrproc"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// ocrMend is the command that installs OCR here.
func ocrMend() string {
	if goruntime.GOOS == "darwin" {
		return "brew install tesseract tesseract-lang"
	}
	return "sudo apt-get install tesseract-ocr tesseract-ocr-jpn"
}

// ocrTimeout is how long the engine may take to open and to read two pictures.
const ocrTimeout = 30 * time.Second

// checkOCR finds the engine and makes it read.
func checkOCR(ctx context.Context, cfg config.Config) finding {
	if cfg.OCR.Engine == config.OCRVision {
		return checkVision(ctx)
	}
	f := finding{what: "OCR", need: cfg.OCR.Engine == config.OCRTesseract}
	info, err := tesseract.Probe(tesseract.Options{})
	if err != nil {
		f.text, f.mend = err.Error(), ocrMend()
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, ocrTimeout)
	defer cancel()
	lang, err := unreadable(ctx, config.OCRTesseract)
	switch {
	case err == nil:
		f.ok = true
		f.text = fmt.Sprintf("Tesseract %s with %s", info.Version, strings.Join(info.Languages, ", "))
	case errors.Is(err, hardware.ErrUnavailable):
		f.text, f.mend = err.Error(), ocrMend()
	case ctx.Err() != nil:
		f.text = fmt.Sprintf("Tesseract %s does not read a picture within %v: %v", info.Version, ocrTimeout, err)
		f.mend = "try again when the machine is less busy"
	default:
		file := filepath.Join(info.Tessdata, lang+".traineddata")
		f.text = fmt.Sprintf("Tesseract %s cannot use %s: %v", info.Version, file, err)
		f.mend = languageMend(info.Tessdata, lang)
	}
	return f
}

// checkVision makes the recognizer of macOS read.
func checkVision(ctx context.Context) finding {
	ctx, cancel := context.WithTimeout(ctx, ocrTimeout)
	defer cancel()
	if _, err := unreadable(ctx, config.OCRVision); err != nil {
		return finding{what: "OCR", need: true, text: "Vision does not read: " + err.Error(),
			mend: "use macOS 13 or newer, or " + ocrMend() + " and ocr: {engine: tesseract}"}
	}
	return fine("OCR", "Vision, which comes with macOS, with Japanese and English")
}

// unreadable makes the engine read, and names the language that it cannot use. It runs in
// a process of its own, because a damaged language file can end it.
func unreadable(ctx context.Context, engine string) (lang string, err error) {
	r := ocrproc.New(func() *exec.Cmd { return runtime.OCRCommand(engine) })
	defer func() { err = errors.Join(err, r.Close()) }()
	picture := image.NewGray(image.Rect(0, 0, 96, 48))
	for i := range picture.Pix {
		picture.Pix[i] = 255
		if x := i % picture.Stride; x%16 < 4 && x > 8 { // strokes, because without them nothing is read
			picture.Pix[i] = 0
		}
	}
	for _, l := range []struct {
		hint hardware.Lang
		name string
	}{{hardware.LangJapanese, "jpn"}, {hardware.LangLatin, "eng"}} {
		if _, err := r.Recognize(ctx, picture, hardware.Hint{Lang: l.hint}); err != nil {
			return l.name, err
		}
	}
	return "", nil
}

// languageMend is what replaces a damaged language file.
func languageMend(dir, lang string) string {
	if prefix := os.Getenv("TESSDATA_PREFIX"); prefix != "" && strings.HasPrefix(dir, filepath.Clean(prefix)) {
		return "replace the file by a good copy, or unset TESSDATA_PREFIX to use the system's own"
	}
	if goruntime.GOOS == "darwin" {
		return "brew reinstall tesseract tesseract-lang"
	}
	return "sudo apt-get install --reinstall tesseract-ocr-" + lang
}
