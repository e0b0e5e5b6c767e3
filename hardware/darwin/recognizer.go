package darwin

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Recognizer reads text with Vision: accurate, Japanese and English, with
// language correction. It needs no permission. One value serves one goroutine
// at a time; several may work in parallel. A recognition cannot be interrupted:
// the context is checked before it.
type Recognizer struct {
	a      *api
	closed bool
}

var _ hardware.CropRecognizer = (*Recognizer)(nil)

// OpenRecognizer checks that Vision reads Japanese, as it does since macOS 13.
// Otherwise the error wraps [hardware.ErrNoLanguage].
func OpenRecognizer() (*Recognizer, error) {
	a, err := load()
	if err != nil {
		return nil, err
	}
	return openRecognizer(a)
}

func openRecognizer(a *api) (*Recognizer, error) {
	var err error
	a.pool(func() { err = a.readsJapanese() })
	if err != nil {
		return nil, err
	}
	return &Recognizer{a: a}, nil
}

func (a *api) readsJapanese() error {
	request := a.textRequest(hardware.LangJapanese)
	if request == 0 {
		return fmt.Errorf("darwin: this macOS has no text recognition; use macOS 13 or newer, or Tesseract: %w",
			hardware.ErrUnavailable)
	}
	defer a.send(request, "release")
	// - (NSArray<NSString *> *)supportedRecognitionLanguagesAndReturnError:(NSError **)error, macOS 12
	const supported = "supportedRecognitionLanguagesAndReturnError:"
	if a.sendBool(request, "respondsToSelector:", a.selector(supported)) {
		var failure obj
		for _, language := range a.list(a.send(request, supported, &failure)) {
			if a.text(language) == "ja-JP" {
				return nil
			}
		}
	}
	return fmt.Errorf("darwin: Vision does not read Japanese here; use macOS 13 or newer, or Tesseract: %w",
		hardware.ErrNoLanguage)
}

// textRequest makes a VNRecognizeTextRequest, which the caller releases; 0 if
// there is no such class.
func (a *api) textRequest(lang hardware.Lang) obj {
	request := a.send(a.send(a.class("VNRecognizeTextRequest"), "alloc"), "init")
	var order []obj
	for _, l := range languages(lang) {
		order = append(order, a.string(l))
	}
	const accurate = 0 // VNRequestTextRecognitionLevelAccurate
	// @property VNRequestTextRecognitionLevel (NSInteger) recognitionLevel
	a.send(request, "setRecognitionLevel:", accurate)
	a.send(request, "setUsesLanguageCorrection:", true) // @property BOOL usesLanguageCorrection
	// @property NSArray<NSString *> *recognitionLanguages
	a.send(request, "setRecognitionLanguages:", a.array(order...))
	// @property float minimumTextHeight: the default misses small text in tall pictures
	a.send(request, "setMinimumTextHeight:", float32(0))
	return request
}

// Recognize implements [hardware.Recognizer].
func (r *Recognizer) Recognize(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	if img == nil || img.Rect.Empty() {
		return nil, fmt.Errorf("darwin: the picture to read is empty: %w", hardware.ErrEmptyFrame)
	}
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if !fits(img.Pix, width, height, img.Stride, 1) {
		return nil, fmt.Errorf("darwin: the picture to read has %d bytes for %d×%d pixels: %w", len(img.Pix), width,
			height, hardware.ErrEmptyFrame)
	}
	seen, err := r.read(img.Pix, width, height, img.Stride, 1, hint)
	return lines(seen, width, height, img.Rect.Min, img.Rect), err
}

// marginPoints is the space around a crop, in logical pixels.
const marginPoints = 12

// RecognizeCrop implements [hardware.CropRecognizer].
func (r *Recognizer) RecognizeCrop(ctx context.Context, frame *image.RGBA, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	if frame == nil || frame.Rect.Empty() || !fits(frame.Pix, frame.Rect.Dx(), frame.Rect.Dy(), frame.Stride, 4) {
		return nil, fmt.Errorf("darwin: the frame to read is empty: %w", hardware.ErrEmptyFrame)
	}
	box = box.Intersect(frame.Rect)
	if box.Empty() {
		return nil, nil
	}
	margin := marginPoints
	if hint.Scale > 1 {
		margin = int(math.Round(marginPoints * min(hint.Scale, 4)))
	}
	img := padded(frame, box, margin)
	width, height := img.Rect.Dx(), img.Rect.Dy()
	seen, err := r.read(img.Pix, width, height, img.Stride, 4, hint)
	return lines(seen, width, height, box.Min.Sub(image.Pt(margin, margin)), box), err
}

func (r *Recognizer) ready(ctx context.Context) error {
	if r.closed {
		return fmt.Errorf("darwin: the recognizer is closed; open another: %w", hardware.ErrUnavailable)
	}
	return ctx.Err()
}

// Close implements [hardware.Recognizer]. Vision keeps nothing open.
func (r *Recognizer) Close() error {
	r.closed = true
	return nil
}

// smallest is the shortest side that Vision accepts.
const smallest = 3

func (r *Recognizer) read(pix []byte, width, height, stride, bytes int, hint hardware.Hint) ([]observation, error) {
	if width < smallest || height < smallest {
		return nil, nil
	}
	var seen []observation
	var err error
	r.a.pool(func() {
		var picture obj
		if picture, err = r.a.picture(pix, width, height, stride, bytes); err != nil {
			return
		}
		defer r.a.cf.release(picture)
		seen, err = r.a.observe(picture, hint.Lang)
	})
	return seen, err
}

// observe runs one request on a CGImage.
func (a *api) observe(picture obj, lang hardware.Lang) ([]observation, error) {
	request := a.textRequest(lang)
	defer a.send(request, "release")
	options := a.send(a.class("NSDictionary"), "dictionary") // + (instancetype)dictionary
	// - (instancetype)initWithCGImage:(CGImageRef)image options:(NSDictionary<VNImageOption, id> *)options
	handler := a.send(a.send(a.class("VNImageRequestHandler"), "alloc"), "initWithCGImage:options:", picture, options)
	defer a.send(handler, "release")
	var failure obj
	// - (BOOL)performRequests:(NSArray<VNRequest *> *)requests error:(NSError **)error
	if !a.sendBool(handler, "performRequests:error:", a.array(request), &failure) {
		return nil, fmt.Errorf("darwin: Vision: %w", a.failure(failure))
	}
	found := a.list(a.send(request, "results")) // @property NSArray<VNRecognizedTextObservation *> *results
	out := make([]observation, 0, len(found))
	for _, o := range found {
		// - (NSArray<VNRecognizedText *> *)topCandidates:(NSUInteger)maxCandidateCount
		best := a.list(a.send(o, "topCandidates:", uint(1)))
		if len(best) == 0 {
			continue
		}
		out = append(out, observation{
			text:       a.text(a.send(best[0], "string")),           // @property NSString *string
			confidence: float64(a.sendFloat(best[0], "confidence")), // @property VNConfidence (float) confidence
			box:        a.sendRect(o, "boundingBox"),                // @property CGRect boundingBox
		})
	}
	return slices.Clip(out), nil
}
