// Package tesseract reads text with the system's libtesseract, loaded at run
// time: no cgo, no headers. Its main type is [Recognizer], one open engine for
// one goroutine; [Probe] reports what is installed and how to install the rest.
// Next: lib.go finds and binds the library, tessdata.go the language data.
//
// The library's own threads make it several times slower on the small pictures
// of single bubbles. OMP_THREAD_LIMIT=1 switches them off. This package puts it
// into the C environment before it loads the library, unless it is already set
// there. A host that loads an OpenMP library first must set it itself.
//
// A recognition cannot be interrupted: the context is checked before each call,
// and a call takes some tens of milliseconds a bubble. A crash inside the C
// library ends the process, so package ocrproc runs it in another one.
//
// Figures of a bubble that the Japanese engine may misread are cut out and read in English as well (figures.go,
// parts.go). A line in which that does not tell what they are is doubtful.
//
// A typed space between Japanese letters is returned as U+3000. The narrow spaces
// between them come from the library and mean nothing.
package tesseract

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Options names the files to use. The zero value searches the usual places.
type Options struct {
	Library  string // path or name of the shared library
	Tessdata string // directory that holds jpn.traineddata and eng.traineddata
}

// Recognizer is one open engine. It opens a second one when first asked for
// mostly Latin text. It serves one goroutine at a time.
type Recognizer struct {
	lib     *library
	data    string
	engines map[string]handle // by language string
	further string            // languages that are installed besides, "" for none
	closed  bool
}

var _ hardware.Recognizer = (*Recognizer)(nil)

// Open loads the library and the Japanese engine. Errors wrap
// [hardware.ErrUnavailable] or [hardware.ErrNoLanguage] and say what to
// install.
func Open(o Options) (*Recognizer, error) {
	lib, err := load(o.Library)
	if err != nil {
		return nil, err
	}
	data, err := tessdata(o.Tessdata)
	if err != nil {
		return nil, err
	}
	installed, err := listLanguages(data)
	if err != nil {
		return nil, err
	}
	r := &Recognizer{lib: lib, data: data, engines: map[string]handle{}, further: further(installed)}
	if _, err := r.engine(hardware.LangJapanese); err != nil {
		return nil, err
	}
	return r, nil
}

// languages of an engine. Japanese alone reads Japanese best: with English added,
// pure Japanese gets several times as many errors.
func languages(lang hardware.Lang) string {
	if lang == hardware.LangLatin {
		return "jpn+eng"
	}
	return "jpn"
}

func (r *Recognizer) engine(lang hardware.Lang) (handle, error) { return r.open(languages(lang)) }

// open opens an engine, once.
func (r *Recognizer) open(langs string) (handle, error) {
	if h, ok := r.engines[langs]; ok {
		return h, nil
	}
	if err := haveLanguages(r.data, langs); err != nil {
		return 0, err
	}
	h := r.lib.create()
	if h == 0 {
		return 0, fmt.Errorf("%w: tesseract: out of memory for the %s engine", hardware.ErrUnavailable, langs)
	}
	if r.lib.init(h, r.data, langs) != 0 {
		r.lib.delete(h)
		return 0, fmt.Errorf("%w: tesseract: %s in %s is damaged or of another version: %s", hardware.ErrNoLanguage,
			langs, r.data, mend())
	}
	r.engines[langs] = h
	return h, nil
}

// Page segmentation modes of the library.
const (
	modeBlock = 6
	modeLine  = 7
)

// assumedDPI stops the library from guessing a resolution.
const assumedDPI = 150

// Recognize implements [hardware.Recognizer]. [hardware.LangAuto] is read as
// Japanese.
func (r *Recognizer) Recognize(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.closed {
		return nil, fmt.Errorf("%w: tesseract: the recognizer is closed; open another", hardware.ErrUnavailable)
	}
	if img == nil || img.Rect.Empty() {
		return nil, fmt.Errorf("tesseract: %w", hardware.ErrEmptyFrame)
	}
	size := img.Rect.Size()
	if img.Stride < size.X || len(img.Pix) < img.Stride*(size.Y-1)+size.X {
		return nil, fmt.Errorf("tesseract: %w: %d bytes are too few for %d×%d pixels", hardware.ErrEmptyFrame,
			len(img.Pix), size.X, size.Y)
	}
	if size.X > math.MaxInt16 || size.Y > math.MaxInt16 {
		return nil, fmt.Errorf("tesseract: a picture of %d×%d pixels is too large: give one bubble at a time", size.X,
			size.Y)
	}
	h, err := r.engine(hint.Lang)
	if err != nil {
		return nil, err
	}
	mode := modeLine
	if hint.Block {
		mode = modeBlock
	}
	lines, symbols, err := r.lib.read(h, img.Pix, size.X, size.Y, img.Stride, mode)
	if err != nil {
		return nil, err
	}
	if hint.Block && !askedAgain(lines, hint) {
		if err := r.figures(img, lines, symbols); err != nil {
			return nil, err
		}
	}
	if doubted(lines, hint) {
		if lines, err = r.judge(h, img, lines, mode); err != nil {
			return nil, err
		}
	}
	for i := range lines {
		lines[i].Box.X += img.Rect.Min.X
		lines[i].Box.Y += img.Rect.Min.Y
	}
	return lines, nil
}

// judge marks the lines of a picture that are foreign. It reads them in the further languages that are
// installed, if there are any, and returns that reading if nothing in it is foreign.
func (r *Recognizer) judge(h handle, img *image.Gray, lines []messages.Line, mode int) ([]messages.Line, error) {
	more := enlarged(img)
	if more == nil {
		return lines, nil
	}
	again, _, err := r.lib.read(h, more.Pix, more.Rect.Dx(), more.Rect.Dy(), more.Stride, mode)
	if lines = marked(lines, again); err != nil || !slices.ContainsFunc(lines, isForeign) || r.further == "" {
		return lines, err
	}
	further, err := r.open(r.further)
	if err != nil {
		return nil, err
	}
	size := img.Rect.Size()
	other, _, err := r.lib.read(further, img.Pix, size.X, size.Y, img.Stride, mode)
	if err != nil || len(other) == 0 {
		return lines, err
	}
	again, _, err = r.lib.read(further, more.Pix, more.Rect.Dx(), more.Rect.Dy(), more.Stride, mode)
	if other = marked(other, again); err != nil || slices.ContainsFunc(other, isForeign) {
		return lines, err
	}
	return other, nil
}

// Close frees the engines. It may be called twice.
func (r *Recognizer) Close() error {
	for langs, h := range r.engines {
		r.lib.end(h)
		r.lib.delete(h)
		delete(r.engines, langs)
	}
	r.closed = true
	return nil
}

// Info is what [Probe] found.
type Info struct {
	Library   string   // path, or name if the path is unknown
	Version   string   // of the library
	Tessdata  string   // directory of the language data
	Languages []string // sorted
}

// Probe reports what is installed. Errors wrap [hardware.ErrUnavailable] or
// [hardware.ErrNoLanguage] and contain the command that fixes them; Info holds
// what was found until then.
func Probe(o Options) (Info, error) {
	lib, err := load(o.Library)
	if err != nil {
		return Info{}, err
	}
	info := Info{Library: lib.path, Version: lib.version()}
	if info.Tessdata, err = tessdata(o.Tessdata); err != nil {
		return info, err
	}
	if info.Languages, err = listLanguages(info.Tessdata); err != nil {
		return info, err
	}
	return info, haveLanguages(info.Tessdata, languages(hardware.LangLatin))
}
