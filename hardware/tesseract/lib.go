//go:build (linux || darwin) && (amd64 || arm64)

package tesseract

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// handle is a TessBaseAPI*, TessResultIterator* or TessPageIterator*: an opaque
// pointer into the C library's memory.
type handle uintptr

// library holds the functions of capi.h that this package uses.
type library struct {
	path string

	tessVersion func() *byte
	create      func() handle
	delete      func(h handle)
	end         func(h handle)
	init3       func(h handle, datapath, language string) int32
	setVariable func(h handle, name, value string) int32
	setPageMode func(h handle, mode int32)
	setImage    func(h handle, pix *byte, width, height, bytesPerPixel, bytesPerLine int32)
	setDPI      func(h handle, ppi int32)
	recognize   func(h handle, monitor uintptr) int32
	clear       func(h handle)
	iterator    func(h handle) handle
	iterDelete  func(it handle)
	iterNext    func(it handle, level int32) int32
	iterText    func(it handle, level int32) *byte
	iterConf    func(it handle, level int32) float32
	iterPage    func(it handle) handle
	pageBox     func(it handle, level int32, left, top, right, bottom *int32) int32
	pageFinal   func(it handle, level, element int32) int32
	deleteText  func(text *byte)
}

// Levels of the result: RIL_TEXTLINE and RIL_SYMBOL.
const (
	levelLine   = 2
	levelSymbol = 4
)

// loaded remembers libraries by name: a process loads a shared library once and
// never unloads it.
var loaded = struct {
	sync.Mutex
	byName map[string]*library
}{byName: map[string]*library{}}

func load(name string) (*library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if lib := loaded.byName[name]; lib != nil {
		return lib, nil
	}
	names := []string{name}
	if name == "" {
		names = libraryNames()
	}
	limitThreads()
	for _, n := range names {
		so, err := purego.Dlopen(n, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			continue
		}
		lib, err := bind(so)
		if err != nil {
			return nil, fmt.Errorf("%w: tesseract: %s: %w; %s", hardware.ErrUnavailable, n, err, mend())
		}
		lib.path = pathOf(n)
		loaded.byName[name] = lib
		return lib, nil
	}
	return nil, fmt.Errorf("%w: tesseract: cannot load %s; %s", hardware.ErrUnavailable, strings.Join(names, ", "),
		mend())
}

func libraryNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{
			"/opt/homebrew/lib/libtesseract.5.dylib", "/usr/local/lib/libtesseract.5.dylib",
			"/opt/local/lib/libtesseract.5.dylib",
			"libtesseract.5.dylib", "libtesseract.dylib",
		}
	}
	return []string{"libtesseract.so.5", "libtesseract.so.4", "libtesseract.so"}
}

// limitThreads puts OMP_THREAD_LIMIT=1 into the C environment, which the OpenMP
// runtime reads when it is loaded. Without cgo, os.Setenv does not reach the C
// environment. An existing value stays.
func limitThreads() {
	libc, err := purego.Dlopen(libcName(), purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return // slower, not wrong
	}
	address, err := purego.Dlsym(libc, "setenv")
	if err != nil {
		return
	}
	var setenv func(name, value string, overwrite int32) int32
	purego.RegisterFunc(&setenv, address)
	setenv("OMP_THREAD_LIMIT", "1", 0)
}

func libcName() string {
	if runtime.GOOS == "darwin" {
		return "/usr/lib/libSystem.B.dylib"
	}
	return "libc.so.6"
}

func bind(so uintptr) (*library, error) {
	lib := &library{}
	for _, f := range []struct {
		name string
		to   any
	}{
		{"TessVersion", &lib.tessVersion},
		{"TessBaseAPICreate", &lib.create},
		{"TessBaseAPIDelete", &lib.delete},
		{"TessBaseAPIEnd", &lib.end},
		{"TessBaseAPIInit3", &lib.init3},
		{"TessBaseAPISetVariable", &lib.setVariable},
		{"TessBaseAPISetPageSegMode", &lib.setPageMode},
		{"TessBaseAPISetImage", &lib.setImage},
		{"TessBaseAPISetSourceResolution", &lib.setDPI},
		{"TessBaseAPIRecognize", &lib.recognize},
		{"TessBaseAPIClear", &lib.clear},
		{"TessBaseAPIGetIterator", &lib.iterator},
		{"TessResultIteratorDelete", &lib.iterDelete},
		{"TessResultIteratorNext", &lib.iterNext},
		{"TessResultIteratorGetUTF8Text", &lib.iterText},
		{"TessResultIteratorConfidence", &lib.iterConf},
		{"TessResultIteratorGetPageIterator", &lib.iterPage},
		{"TessPageIteratorBoundingBox", &lib.pageBox},
		{"TessPageIteratorIsAtFinalElement", &lib.pageFinal},
		{"TessDeleteText", &lib.deleteText},
	} {
		address, err := purego.Dlsym(so, f.name)
		if err != nil {
			return nil, fmt.Errorf("it has no %s", f.name)
		}
		purego.RegisterFunc(f.to, address)
	}
	return lib, nil
}

// pathOf finds the file behind a library name if the system reports it.
func pathOf(name string) string {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return name
	}
	defer maps.Close()
	for s := bufio.NewScanner(maps); s.Scan(); {
		if i := strings.IndexByte(s.Text(), '/'); i >= 0 && strings.Contains(s.Text()[i:], "/libtesseract") {
			return s.Text()[i:]
		}
	}
	return name
}

func (l *library) version() string { return goString(l.tessVersion()) }

// init opens a language and returns 0 if it worked.
func (l *library) init(h handle, data, langs string) int32 {
	l.setVariable(h, "debug_file", "/dev/null") // keep standard error clean
	return l.init3(h, data, langs)
}

// read recognises one picture. The library copies the pixels. The symbols of a line are those that it has read, nil
// where nobody asks for them: the line has neither Japanese letters nor figures.
func (l *library) read(h handle, pix []byte, width, height, stride, mode int) (out []messages.Line,
	symbols [][]symbol, err error) {
	l.setPageMode(h, int32(mode))
	l.setImage(h, &pix[0], int32(width), int32(height), 1, int32(stride))
	defer l.clear(h)
	l.setDPI(h, assumedDPI)
	if code := l.recognize(h, 0); code != 0 {
		return nil, nil, fmt.Errorf("tesseract: recognition of %d×%d pixels failed with code %d", width, height, code)
	}
	it := l.iterator(h)
	if it == 0 {
		return nil, nil, nil // no text
	}
	defer l.iterDelete(it)
	for {
		if line, of, ok := l.line(it, pix, width, height, stride); ok {
			out, symbols = append(out, line), append(symbols, of)
		}
		if l.iterNext(it, levelLine) == 0 {
			return out, symbols, nil
		}
	}
}

// line reads the iterator's current line; false if it holds no text.
func (l *library) line(it handle, pix []byte, width, height, stride int) (line messages.Line, symbols []symbol,
	ok bool) {
	c := l.iterText(it, levelLine)
	if c == nil {
		return messages.Line{}, nil, false
	}
	text := strings.TrimSpace(strings.ToValidUTF8(goString(c), "\uFFFD"))
	l.deleteText(c)
	if text == "" {
		return messages.Line{}, nil, false
	}
	var left, top, right, bottom int32
	l.pageBox(l.iterPage(it), levelLine, &left, &top, &right, &bottom)
	confidence := min(max(float64(l.iterConf(it, levelLine))/100, 0), 1)
	inJapanese := strings.ContainsFunc(text, func(r rune) bool { return letter(string(r)) })
	if inJapanese || figure(text) {
		symbols = l.symbols(it)
	}
	if inJapanese {
		x0, y0, x1, y1 := max(int(left), 0), max(int(top), 0), min(int(right), width), min(int(bottom), height)
		text = spaced(text, symbols,
			func(wide int) [][2]int { return blankColumns(pix, stride, x0, y0, x1, y1, wide) })
	}
	return messages.Line{
		Text:       messages.Text(text),
		Confidence: confidence,
		Box:        messages.Rect{X: int(left), Y: int(top), W: int(right - left), H: int(bottom - top)},
	}, symbols, true
}

// symbols reads the characters of the iterator's current line and leaves the
// iterator at the last one.
func (l *library) symbols(it handle) (out []symbol) {
	for {
		if c := l.iterText(it, levelSymbol); c != nil {
			s := symbol{text: goString(c), confidence: float64(l.iterConf(it, levelSymbol)) / 100}
			l.deleteText(c)
			var left, top, right, bottom int32
			l.pageBox(l.iterPage(it), levelSymbol, &left, &top, &right, &bottom)
			s.left, s.right = int(left), int(right)
			out = append(out, s)
		}
		if l.pageFinal(l.iterPage(it), levelLine, levelSymbol) != 0 || l.iterNext(it, levelSymbol) == 0 {
			return out
		}
	}
}

// goString copies a C string; "" for nil.
func goString(c *byte) string {
	if c == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(c), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(c, n))
}
