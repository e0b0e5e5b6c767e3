package ocrproc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Limits on the data that passes between the processes.
const (
	maxSide   = math.MaxInt16
	maxPixels = 64 << 20
	maxAnswer = 8 << 20
	maxLines  = 20000
	maxReason = 1000
)

// ErrWire marks bytes that are neither a valid request nor a valid answer.
var ErrWire = errors.New("ocrproc: not in the form of the protocol")

// header is what follows a request's length: version, language, block, a zero,
// the scale's bits, width and height; then the pixels, row by row.
const (
	version    = 1
	headerSize = 4 + 8 + 4 + 4
)

var languages = []hardware.Lang{hardware.LangAuto, hardware.LangJapanese, hardware.LangLatin}

// request is one picture to read.
type request struct {
	img  *image.Gray
	hint hardware.Hint
}

func (r request) check() error {
	if r.img == nil || r.img.Rect.Empty() {
		return fmt.Errorf("ocrproc: %w", hardware.ErrEmptyFrame)
	}
	size := r.img.Rect.Size()
	if r.img.Stride < size.X || len(r.img.Pix) < r.img.Stride*(size.Y-1)+size.X {
		return fmt.Errorf("ocrproc: %w: %d bytes are too few for %d×%d pixels", hardware.ErrEmptyFrame, len(r.img.Pix),
			size.X, size.Y)
	}
	if size.X > maxSide || size.Y > maxSide || size.X*size.Y > maxPixels {
		return fmt.Errorf("ocrproc: a picture of %d×%d pixels is too large: give one bubble at a time", size.X, size.Y)
	}
	return nil
}

// append adds the request's wire form to b.
func (r request) append(b []byte) []byte {
	size := r.img.Rect.Size()
	b = binary.BigEndian.AppendUint32(b, uint32(headerSize+size.X*size.Y))
	block := byte(0)
	if r.hint.Block {
		block = 1
	}
	b = append(b, version, byte(max(slices.Index(languages, r.hint.Lang), 0)), block, 0)
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(r.hint.Scale))
	b = binary.BigEndian.AppendUint32(b, uint32(size.X))
	b = binary.BigEndian.AppendUint32(b, uint32(size.Y))
	for y := range size.Y {
		b = append(b, r.img.Pix[y*r.img.Stride:y*r.img.Stride+size.X]...)
	}
	return b
}

// readRequest reads one request. It returns io.EOF if no request begins.
func readRequest(in io.Reader) (request, error) {
	body, err := readBody(in, headerSize, headerSize+maxPixels)
	if err != nil {
		return request{}, err
	}
	w, h := binary.BigEndian.Uint32(body[12:]), binary.BigEndian.Uint32(body[16:])
	scale := math.Float64frombits(binary.BigEndian.Uint64(body[4:]))
	switch {
	case body[0] != version, int(body[1]) >= len(languages), body[2] > 1, body[3] != 0:
		return request{}, fmt.Errorf("%w: unknown version or flags", ErrWire)
	case w == 0, h == 0, w > maxSide, h > maxSide, uint64(w)*uint64(h) != uint64(len(body)-headerSize):
		return request{}, fmt.Errorf("%w: %d bytes for %d×%d pixels", ErrWire, len(body)-headerSize, w, h)
	case math.IsNaN(scale), math.IsInf(scale, 0):
		return request{}, fmt.Errorf("%w: scale is no number", ErrWire)
	}
	return request{
		img:  &image.Gray{Pix: body[headerSize:], Stride: int(w), Rect: image.Rect(0, 0, int(w), int(h))},
		hint: hardware.Hint{Lang: languages[body[1]], Block: body[2] == 1, Scale: scale},
	}, nil
}

// readBody reads a length from lo to hi, and that many bytes. It allocates memory
// only as data arrives.
func readBody(in io.Reader, lo, hi uint32) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: it breaks off", ErrWire)
		}
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n < lo || n > hi {
		return nil, fmt.Errorf("%w: a length of %d, want %d to %d", ErrWire, n, lo, hi)
	}
	body, err := io.ReadAll(io.LimitReader(in, int64(n)))
	if err == nil && len(body) < int(n) {
		err = fmt.Errorf("%w: it breaks off", ErrWire)
	}
	return body, err
}

// answer is the result of a request, or of opening the engine.
type answer struct {
	Lines []messages.Line `json:"lines,omitempty"`
	Error string          `json:"error,omitempty"`
	Code  string          `json:"code,omitempty"` // hardware.Code of the error
}

func failed(err error) answer {
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if r := []rune(text); len(r) > maxReason {
		text = string(r[:maxReason]) + "…"
	}
	return answer{Error: text, Code: hardware.Code(err)}
}

// err is the error that the answer carries, with the driver's error wrapped.
func (a answer) err() error {
	if a.Error == "" {
		return nil
	}
	return remote{a.Error, hardware.ErrorOf(a.Code)}
}

// remote is an error from the other process.
type remote struct {
	text string
	is   error // the driver error that it wraps; nil if none
}

func (r remote) Error() string { return "ocr process: " + r.text }
func (r remote) Unwrap() error { return r.is }

// writeAnswer writes one answer. If it is too large, it writes an error instead.
func writeAnswer(out io.Writer, a answer) error {
	if len(a.Lines) > maxLines {
		a = answer{Error: fmt.Sprintf("%d lines in one picture, want at most %d", len(a.Lines), maxLines),
			Code: "error"}
	}
	body, err := json.Marshal(a)
	if err == nil && len(body) > maxAnswer {
		body, err = json.Marshal(answer{Error: fmt.Sprintf("%d bytes of text in one picture, want at most %d",
			len(body), maxAnswer), Code: "error"})
	}
	if err != nil {
		return err
	}
	_, err = out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}

func readAnswer(in io.Reader) (answer, error) {
	body, err := readBody(in, 2, maxAnswer)
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return answer{}, fmt.Errorf("%w: an answer that is no JSON", ErrWire) // the error would quote it
	}
	if len(a.Lines) > maxLines {
		return answer{}, fmt.Errorf("%w: %d lines", ErrWire, len(a.Lines))
	}
	return a, nil
}
