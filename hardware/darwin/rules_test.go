package darwin

import (
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

func decode(units []uint16) string { return string(utf16.Decode(units)) }

func TestParseRef(t *testing.T) {
	for _, tt := range []struct {
		ref  string
		want windowID
		ok   bool
	}{
		{"1", 1, true}, {"4294967295", math.MaxUint32, true},
		{"", 0, false}, {"0", 0, false}, {"01", 0, false}, {"+1", 0, false}, {"4294967296", 0, false},
		{"7-none", 0, false}, {"-1", 0, false},
	} {
		if id, ok := parseRef(tt.ref); ok != tt.ok || ok && id != tt.want {
			t.Errorf("parseRef(%q) = %d, %v, want %d, %v", tt.ref, id, ok, tt.want, tt.ok)
		}
	}
}

// goEntry is a dictionary of Go values.
type goEntry map[string]any

func (e goEntry) number(key string) float64 {
	if v, ok := e[key].(float64); ok {
		return v
	}
	return math.NaN()
}
func (e goEntry) text(key string) string { s, _ := e[key].(string); return s }
func (e goEntry) inner(key string) entry { d, _ := e[key].(goEntry); return d }

func TestDecodeWindow(t *testing.T) {
	full := goEntry{
		keyNumber: 42.0, keyPID: 77.0, keyApp: "LINE", keyTitle: "花子", keyLayer: 0.0, keyAlpha: 0.5, keyOnScreen: 1.0,
		keySharing: 0.0,
		keyBounds:  goEntry{"X": -10.5, "Y": 20.0, "Width": 300.0, "Height": 400.5},
	}
	want := windowInfo{id: 42, pid: 77, app: "LINE", title: "花子", bounds: rect{-10.5, 20, 300, 400.5}, alpha: 0.5,
		onScreen: true}
	if got, ok := decodeWindow(full); !ok || got != want {
		t.Errorf("decodeWindow(full) = %+v, %v, want %+v", got, ok, want)
	}
	if got, want := want.box(), image.Rect(-11, 20, 290, 421); got != want {
		t.Errorf("box() = %v, want %v", got, want)
	}
	want = windowInfo{id: 1, alpha: 1, shared: true}
	if got, ok := decodeWindow(goEntry{keyNumber: 1.0}); !ok || got != want {
		t.Errorf("decodeWindow(number alone) = %+v, %v, want %+v", got, ok, want)
	}
	for _, bad := range []any{nil, 0.0, -1.0, 5e9, math.Inf(1), math.NaN(), "7"} {
		if got, ok := decodeWindow(goEntry{keyNumber: bad}); ok {
			t.Errorf("decodeWindow(number %v) = %+v, want none", bad, got)
		}
	}
}

func FuzzDecodeWindow(f *testing.F) {
	f.Add(42.0, 7.0, 0.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0)
	f.Add(math.Inf(1), math.NaN(), 1e300, -1.0, 0.0, math.Inf(-1), 0.0, 1e20, 0.0)
	f.Fuzz(func(t *testing.T, number, pid, layer, alpha, shown, x, y, width, height float64) {
		w, ok := decodeWindow(goEntry{
			keyNumber: number, keyPID: pid, keyLayer: layer, keyAlpha: alpha, keyOnScreen: shown,
			keyBounds: goEntry{"X": x, "Y": y, "Width": width, "Height": height},
		})
		if !ok {
			return
		}
		if w.id == 0 || w.pid < 0 {
			t.Fatalf("decodeWindow = %+v, want an id and no negative pid", w)
		}
		if id, ok := parseRef(w.id.ref()); !ok || id != w.id {
			t.Fatalf("parseRef(%q) = %d, %v, want %d", w.id.ref(), id, ok, w.id)
		}
		if w.ordinary() && w.capturable() == nil && w.box().Empty() {
			t.Fatalf("window %+v can be captured but has the box %v", w, w.box())
		}
	})
}

func TestCapturable(t *testing.T) {
	fine := windowInfo{id: 1, bounds: rect{0, 0, 10, 10}, alpha: 1, onScreen: true, shared: true}
	for _, tt := range []struct {
		name   string
		change func(*windowInfo)
		want   error
	}{
		{"fine", func(*windowInfo) {}, nil},
		{"off screen", func(w *windowInfo) { w.onScreen = false }, hardware.ErrMinimised},
		{"no area", func(w *windowInfo) { w.bounds.H = 0 }, hardware.ErrEmptyFrame},
		{"not shared, by what the system says", func(w *windowInfo) { w.shared = false }, nil},
	} {
		w := fine
		tt.change(&w)
		if err := w.capturable(); !errors.Is(err, tt.want) {
			t.Errorf("%s: capturable() = %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestFront(t *testing.T) {
	menu := windowInfo{id: 1, layer: 24, bounds: rect{0, 0, 900, 600}, alpha: 1, onScreen: true}
	glass := windowInfo{id: 2, bounds: rect{0, 0, 900, 600}, onScreen: true}
	chat := windowInfo{id: 3, bounds: rect{0, 0, 900, 600}, alpha: 1, onScreen: true}
	small := windowInfo{id: 4, bounds: rect{0, 0, 66, 20}, alpha: 1, onScreen: true}
	if w, ok := front([]windowInfo{menu, glass, small, chat}); !ok || w.id != 3 {
		t.Errorf("front() = %d, %v, want 3", w.id, ok)
	}
	if w, ok := front([]windowInfo{menu, glass}); ok {
		t.Errorf("front(no ordinary window) = %d, want none", w.id)
	}
}

func TestToPixels(t *testing.T) {
	for _, tt := range []struct {
		box  rect
		want image.Rectangle
	}{
		{rect{0, 0, 1, 1}, image.Rect(0, 0, 200, 100)},
		{rect{0, 0.9, 0.5, 0.1}, image.Rect(0, 0, 100, 10)},        // upper left
		{rect{0.5, 0, 0.5, 0.25}, image.Rect(100, 75, 200, 100)},   // lower right
		{rect{0.101, 0.501, 0.1, 0.1}, image.Rect(20, 39, 41, 50)}, // grown to whole pixels
		{rect{-0.5, -0.5, 3, 3}, image.Rect(0, 0, 200, 100)},       // cut
		{rect{math.NaN(), 0, 1, 1}, image.Rectangle{}},
		{rect{math.Inf(1), 0, math.Inf(-1), 1}, image.Rectangle{}},
	} {
		if got := toPixels(tt.box, 200, 100); got != tt.want {
			t.Errorf("toPixels(%v) = %v, want %v", tt.box, got, tt.want)
		}
	}
}

func FuzzToPixels(f *testing.F) {
	f.Add(0.1, 0.2, 0.3, 0.4, uint16(200), uint16(100))
	f.Add(math.Inf(1), math.NaN(), -1e300, 1e-300, uint16(1), uint16(65535))
	f.Fuzz(func(t *testing.T, x, y, w, h float64, width, height uint16) {
		got := toPixels(rect{x, y, w, h}, int(width), int(height))
		if !got.In(image.Rect(0, 0, int(width), int(height))) {
			t.Fatalf("toPixels(%v) = %v, want it inside of %d×%d", rect{x, y, w, h}, got, width, height)
		}
	})
}

func TestLines(t *testing.T) {
	seen := []observation{
		{"下", 0.5, rect{0, 0, 0.5, 0.2}},
		{" 右 ", 1.5, rect{0.6, 0.72, 0.2, 0.2}},
		{"左", 0.3, rect{0.1, 0.7, 0.2, 0.2}},
		{"  ", 1, rect{0, 0, 1, 1}},
		{"外", 1, rect{0.9, 0, 0.1, 0.1}}, // outside of within
	}
	got := lines(seen, 100, 100, image.Pt(10, 20), image.Rect(10, 20, 95, 130))
	want := []messages.Line{
		{Text: "左", Confidence: 0.3, Box: messages.Rect{X: 20, Y: 30, W: 20, H: 20}},
		{Text: "右", Confidence: 1, Box: messages.Rect{X: 70, Y: 28, W: 20, H: 20}},
		{Text: "下", Confidence: 0.5, Box: messages.Rect{X: 10, Y: 100, W: 50, H: 20}},
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines() = %+v, want %+v", got, want)
	}
}

func TestStrokes(t *testing.T) {
	long := strings.Repeat("あ", 45)
	for _, tt := range []struct {
		text string
		want []string // text of each stroke; ⏎ for Shift+Return
	}{
		{"", nil},
		{"今日", []string{"今日"}},
		{"a\nb", []string{"a", "⏎", "b"}},
		{"a\r\nb\rc\n", []string{"a", "⏎", "b", "⏎", "c", "⏎"}},
		{"a\tb\x1b\x00", []string{"a b"}},
		{long, []string{long[:60], long[60:120], long[120:]}},
		{strings.Repeat("a", 19) + "😀", []string{strings.Repeat("a", 19), "😀"}}, // no half of a pair
	} {
		var got []string
		for _, s := range strokes(tt.text) {
			if s.code == keyReturn && s.flags == flagShift && s.units == nil {
				got = append(got, "⏎")
				continue
			}
			got = append(got, decode(s.units))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("strokes(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzStrokes(f *testing.F) {
	f.Add("今日は\r\n😀\t\x00")
	f.Fuzz(func(t *testing.T, text string) {
		var got strings.Builder
		for _, s := range strokes(text) {
			if s.code == keyReturn {
				got.WriteByte('\n')
				continue
			}
			if len(s.units) == 0 || len(s.units) > maxUnits {
				t.Fatalf("strokes(%q) has a piece of %d units", text, len(s.units))
			}
			got.WriteString(decode(s.units))
		}
		if again := strokes(got.String()); len(again) != len(strokes(text)) {
			t.Fatalf("strokes(%q) types %q, which is typed in %d pieces, want %d", text, got.String(), len(again),
				len(strokes(text)))
		}
		if n, want := strings.Count(got.String(), "\n"),
			strings.Count(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n"); n != want {
			t.Fatalf("strokes(%q) has %d line breaks, want %d", text, n, want)
		}
	})
}

func TestKeyStroke(t *testing.T) {
	for _, k := range []hardware.Key{hardware.KeyEnter, hardware.KeyTab, hardware.KeyEscape, hardware.KeyBackspace,
		hardware.KeySelectAll} {
		if _, ok := keyStroke(k); !ok {
			t.Errorf("keyStroke(%q) is not known", k)
		}
	}
	if s, ok := keyStroke("hyper"); ok {
		t.Errorf("keyStroke(hyper) = %v, want none", s)
	}
}

func TestCounterWraps(t *testing.T) {
	c := counter{last: math.MaxUint32 - 1}
	for _, tt := range []struct {
		now  uint32
		want uint64
	}{{math.MaxUint32, 1}, {2, 4}, {2, 4}, {10, 12}} {
		if got := c.see(tt.now); got != tt.want {
			t.Errorf("see(%d) = %d, want %d", tt.now, got, tt.want)
		}
	}
}

func TestSince(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		want    time.Duration
	}{{0, 0}, {1.5, 1500 * time.Millisecond}, {-1, -1}, {math.NaN(), -1}, {math.Inf(1), -1}, {1e300, -1}} {
		if got := since(tt.seconds); got != tt.want {
			t.Errorf("since(%v) = %v, want %v", tt.seconds, got, tt.want)
		}
	}
}

func TestPermissionText(t *testing.T) {
	for _, name := range []string{ScreenRecording, Accessibility} {
		err := denied(name)
		if !errors.Is(err, hardware.ErrPermission) {
			t.Errorf("denied(%q) = %v, want %v", name, err, hardware.ErrPermission)
		}
		for _, part := range []string{name, "System Settings", "terminal", "signature"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("denied(%q) = %q, want it to name %q", name, err, part)
			}
		}
	}
}

func TestOnScreen(t *testing.T) {
	if got, want := onScreen(rect{100, 50, 400, 300}, image.Pt(9, 19), 2), (point{104.75, 59.75}); got != want {
		t.Errorf("onScreen() = %v, want %v", got, want)
	}
}

func TestMatchWindow(t *testing.T) {
	here, there := rect{10, 20, 300, 400}, rect{500, 20, 300, 400}
	want := windowInfo{title: "花子", bounds: here}
	for _, tt := range []struct {
		name  string
		among []candidate
		want  int
	}{
		{"none", nil, -1},
		{"frame", []candidate{{"x", there}, {"y", rect{11, 19, 300, 401}}}, 1},
		{"frame and title", []candidate{{"x", here}, {"花子", here}}, 1},
		{"two of one frame", []candidate{{"x", here}, {"y", here}}, -1},
		{"title", []candidate{{"花子", there}, {"x", there}}, 0},
		{"two of one title", []candidate{{"花子", there}, {"花子", there}}, -1},
		{"frame before title", []candidate{{"花子", there}, {"x", here}}, 1},
	} {
		if got := matchWindow(want, tt.among); got != tt.want {
			t.Errorf("%s: matchWindow() = %d, want %d", tt.name, got, tt.want)
		}
	}
	want.title = ""
	if got := matchWindow(want, []candidate{{"", there}}); got != -1 {
		t.Errorf("matchWindow(no title) = %d, want -1", got)
	}
}

func TestSystemErrors(t *testing.T) {
	for _, tt := range []struct {
		err  systemError
		want error
	}{
		{systemError{"com.apple.ScreenCaptureKit.SCStreamErrorDomain", -3801, "no"}, hardware.ErrPermission},
		{systemError{"com.apple.ScreenCaptureKit.SCStreamErrorDomain", -3811, "no"},
			systemError{"com.apple.ScreenCaptureKit.SCStreamErrorDomain", -3811, "no"}},
		{systemError{"other", -3801, "no"}, systemError{"other", -3801, "no"}},
	} {
		if err := kitError(tt.err); !errors.Is(err, tt.want) {
			t.Errorf("kitError(%v) = %v, want %v", tt.err, err, tt.want)
		}
	}
	for code, want := range map[int32]error{axDisabled: hardware.ErrPermission,
		axInvalidElement: hardware.ErrWindowGone, axNoValue: errAbsent, axSuccess: nil} {
		if err := axError(code); !errors.Is(err, want) {
			t.Errorf("axError(%d) = %v, want %v", code, err, want)
		}
	}
	for _, code := range []int32{axCannotComplete, -25200, 5} {
		if err := axError(code); err == nil || errors.Is(err, errAbsent) {
			t.Errorf("axError(%d) = %v, want an error", code, err)
		}
	}
}
