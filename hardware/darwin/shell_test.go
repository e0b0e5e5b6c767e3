package darwin

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

type turnLock struct{ sync.Mutex }

func (g *turnLock) enter() func() {
	g.Lock()
	return g.Unlock
}

func TestElsewhere(t *testing.T) {
	if runtime.GOOS == "darwin" {
		return
	}
	for name, open := range map[string]func() error{
		"OpenScreen":     func() error { _, err := OpenScreen(); return err },
		"OpenRecognizer": func() error { _, err := OpenRecognizer(); return err },
		"OpenStructure":  func() error { _, err := OpenStructure(); return err },
		"OpenUsage":      func() error { _, err := OpenUsage(UsageOptions{}); return err },
		"OpenTypist":     func() error { _, err := OpenTypist(TypistOptions{}); return err },
		"Permissions":    func() error { _, err := Permissions(); return err },
		"Ask":            func() error { _, err := Ask(); return err },
	} {
		if err := open(); !errors.Is(err, hardware.ErrUnavailable) || !strings.Contains(err.Error(), "macOS only") {
			t.Errorf("%s() = %v, want %v and why", name, err, hardware.ErrUnavailable)
		}
	}
}

func TestPermissions(t *testing.T) {
	w := newWorld(t)
	w.trusted = false
	got := w.api.permissions()
	if len(got) != 2 || got[0].Name != ScreenRecording || !got[0].Granted || got[1].Name != Accessibility ||
		got[1].Granted || len(w.asked) > 0 {
		t.Errorf("permissions() = %+v, want Screen Recording granted, Accessibility not, and nobody asked", got)
	}
}

// TestPreflightIsWrong: the system says no to some programs that have the permission. Titles of other
// programs' windows show that they have it.
func TestPreflightIsWrong(t *testing.T) {
	w, s := fakeScreen(t)
	w.allowed = false
	own, menu := shownWindow(8, 300, 200), shownWindow(9, 300, 200)
	own[keyPID], menu[keyLayer] = os.Getpid(), 24
	chat := w.windows[0]
	chat[keyTitle] = ""
	w.windows = []map[string]any{own, menu, chat}
	if _, err := s.Windows(t.Context()); !errors.Is(err, hardware.ErrPermission) {
		t.Errorf("Windows() without a title of another program = %v, want %v", err, hardware.ErrPermission)
	}
	chat[keyTitle] = "花子"
	if _, err := s.Capture(t.Context(), "42"); err != nil {
		t.Errorf("Capture() with such a title = %v, want nil", err)
	}
	if !w.api.permissions()[0].Granted {
		t.Error("permissions() says denied, want what Capture found")
	}
	chat[keyTitle] = ""
	if _, err := s.Capture(t.Context(), "42"); err != nil {
		t.Errorf("Capture() once it was seen to be allowed = %v, want nil", err)
	}
	w.picture = painted(200, 120, color.RGBA{})
	if _, err := s.Capture(t.Context(), "42"); !errors.Is(err, hardware.ErrPermission) || w.api.recording.Load() {
		t.Errorf("Capture() of nothing = %v, want %v and no longer allowed", err, hardware.ErrPermission)
	}
}

// TestAsk asks once for each permission that is missing.
func TestAsk(t *testing.T) {
	w, _ := fakeScreen(t)
	if got := w.api.askAll(); len(w.asked) > 0 || !got[0].Granted || !got[1].Granted {
		t.Errorf("askAll() = %+v after asking for %q, want nobody asked", got, w.asked)
	}
	w.allowed, w.trusted, w.windows[0][keyTitle] = false, false, ""
	w.picture = painted(200, 120, color.RGBA{})
	if got := w.api.askAll(); !slices.Equal(w.asked, []string{ScreenRecording, Accessibility}) || got[0].Granted {
		t.Errorf("askAll() = %+v after asking for %q, want both asked for, none granted", got, w.asked)
	}
	w.picture = painted(200, 120, bubble)
	if got := w.api.askAll(); !got[0].Granted {
		t.Errorf("askAll() = %+v where another program's window can be captured, want that granted", got)
	}
}

// TestTimeout is one for all elements: on a hanging application each would take six seconds.
func TestTimeout(t *testing.T) {
	w := newWorld(t)
	w.api.pool(w.api.prepare)
	if w.timeout != axTimeout {
		t.Errorf("prepare() sets the timeout to %v s, want %v", w.timeout, axTimeout)
	}
	_, window := w.withChat()
	lists := w.thing(window.attributes["AXChildren"].([]obj)[0]).(axElement).attributes["AXChildren"].([]obj)
	asked := 0
	copied := w.api.ax.copy
	w.api.ax.copy = func(element, attribute obj, to *obj) int32 {
		if slices.ContainsFunc(lists, func(o obj) bool { return sameElement(w, o, element) }) {
			asked++
			return axCannotComplete
		}
		return copied(element, attribute, to)
	}
	w.windows = []map[string]any{shownWindow(42, 100, 60)}
	if _, err := (&Structure{w.api}).Rows(t.Context(), "42"); !errors.Is(err, errSilent) || asked != 2 {
		t.Errorf("Rows() of a hanging application = %v after %d calls without an answer, want %v after 2", err, asked,
			errSilent)
	}
}

// withVision gives the world text recognition. check sees the picture.
func (w *world) withVision(supported []string, seen []observation, check func(cgImage, []string)) {
	w.classes["VNRecognizeTextRequest"], w.classes["VNImageRequestHandler"] = true, true
	texts := func(list []string) (out []obj) {
		for _, s := range list {
			out = append(out, w.put(s))
		}
		return out
	}
	w.methods["respondsToSelector:"] = func(obj, []any) any { return true }
	w.methods["supportedRecognitionLanguagesAndReturnError:"] = func(obj, []any) any { return texts(supported) }
	w.methods["initWithCGImage:options:"] = func(to obj, args []any) any {
		w.thing(to).(instance).props["image"] = args[0]
		return to
	}
	w.methods["performRequests:error:"] = func(to obj, args []any) any {
		request := w.thing(w.items(args[0].(obj))[0]).(instance)
		var order []string
		for _, o := range w.items(request.props["RecognitionLanguages:"].(obj)) {
			order = append(order, w.thing(o).(string))
		}
		if request.props["RecognitionLevel:"] != 0 || request.props["UsesLanguageCorrection:"] != true ||
			request.props["MinimumTextHeight:"] != float32(0) {
			w.t.Errorf("the request is %v, want accurate with correction and no least height", request.props)
		}
		if seen == nil {
			*args[1].(*obj) = w.put(instance{"NSError",
				map[string]any{"domain": "com.apple.vis", "code": 3, "localizedDescription": "no"}})
			return false
		}
		check(w.thing(w.thing(to).(instance).props["image"].(obj)).(cgImage), order)
		var results []obj
		for _, o := range seen {
			candidate := w.put(instance{"VNRecognizedText",
				map[string]any{"string": o.text, "confidence": float32(o.confidence)}})
			results = append(results, w.put(instance{"VNRecognizedTextObservation",
				map[string]any{"boundingBox": o.box, "topCandidates:": []obj{candidate}}}))
		}
		request.props["results"] = w.put(results)
		return true
	}
}

func TestRecognize(t *testing.T) {
	w := newWorld(t)
	var order []string
	var rows [][]byte
	w.withVision([]string{"en-US", "ja-JP"}, []observation{{"了解", 0.5, rect{0.25, 0.5, 0.5, 0.5}}},
		func(img cgImage, languages []string) {
			order = languages
			for y := range img.height {
				rows = append(rows, img.data[y*img.stride:][:img.width])
			}
		})
	r, err := openRecognizer(w.api)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, 10, 10)).SubImage(image.Rect(2, 3, 6, 7)).(*image.Gray)
	for i := range img.Rect.Dy() {
		for x := range 4 {
			img.SetGray(2+x, 3+i, color.Gray{Y: byte(10*i + x)})
		}
	}
	got, err := r.Recognize(t.Context(), img, hardware.Hint{})
	want := []messages.Line{{Text: "了解", Confidence: 0.5, Box: messages.Rect{X: 3, Y: 3, W: 2, H: 2}}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Recognize() = %+v, %v, want %+v", got, err, want)
	}
	if len(rows) != 4 || !bytes.Equal(rows[3], []byte{30, 31, 32, 33}) {
		t.Errorf("Vision saw %v, want the picture's rows", rows)
	}
	if !slices.Equal(order, []string{"ja-JP", "en-US"}) {
		t.Errorf("languages are %v, want Japanese first", order)
	}
	if _, err := r.Recognize(t.Context(), img, hardware.Hint{Lang: hardware.LangLatin}); err != nil ||
		order[0] != "en-US" {
		t.Errorf("Recognize(Latin) = %v with %v, want English first", err, order)
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	if _, err := r.Recognize(t.Context(), img, hardware.Hint{}); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Recognize(closed) = %v, want %v", err, hardware.ErrUnavailable)
	}
}

func TestRecognizeCrop(t *testing.T) {
	w := newWorld(t)
	frame := image.NewRGBA(image.Rect(0, 0, 100, 80))
	for i := range frame.Pix {
		frame.Pix[i] = 255
	}
	frame.SetRGBA(40, 30, bubble)
	box := image.Rect(40, 30, 60, 40) // with the margin of scale 2: 68×58 pixels
	whole := rect{0, 0, 1, 1}
	w.withVision([]string{"ja-JP"}, []observation{{"はい", 0.9, whole}}, func(img cgImage, _ []string) {
		if img.width != 68 || img.height != 58 {
			t.Errorf("Vision saw %d×%d, want 68×58", img.width, img.height)
		}
		if got := img.data[24*img.stride+24*4:][:4]; !bytes.Equal(got, []byte{195, 246, 157, 255}) {
			t.Errorf("Vision saw %v behind the margin, want the box's first pixel", got)
		}
	})
	r, err := openRecognizer(w.api)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.RecognizeCrop(t.Context(), frame, box, hardware.Hint{Scale: 2})
	want := []messages.Line{{Text: "はい", Confidence: float64(float32(0.9)),
		Box: messages.Rect{X: 40, Y: 30, W: 20, H: 10}}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("RecognizeCrop() = %+v, %v, want %+v", got, err, want)
	}
	if got, err := r.RecognizeCrop(t.Context(), frame, image.Rect(500, 500, 600, 600), hardware.Hint{}); len(got) > 0 ||
		err != nil {
		t.Errorf("RecognizeCrop(outside) = %v, %v, want nothing", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.RecognizeCrop(ctx, frame, box, hardware.Hint{}); !errors.Is(err, context.Canceled) {
		t.Errorf("RecognizeCrop(cancelled) = %v, want %v", err, context.Canceled)
	}
}

func TestRecognizerErrors(t *testing.T) {
	w := newWorld(t)
	if _, err := openRecognizer(w.api); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("openRecognizer(no Vision) = %v, want %v", err, hardware.ErrUnavailable)
	}
	w.withVision([]string{"en-US"}, nil, nil)
	if _, err := openRecognizer(w.api); !errors.Is(err, hardware.ErrNoLanguage) {
		t.Errorf("openRecognizer(English only) = %v, want %v", err, hardware.ErrNoLanguage)
	}
	r := &Recognizer{a: w.api}
	if _, err := r.Recognize(t.Context(), image.NewGray(image.Rect(0, 0, 9, 9)), hardware.Hint{}); !errors.Is(err,
		systemError{"com.apple.vis", 3, "no"}) {
		t.Errorf("Recognize(failing) = %v, want Vision's error", err)
	}
	if _, err := r.Recognize(t.Context(), &image.Gray{Stride: 9, Rect: image.Rect(0, 0, 9, 9)},
		hardware.Hint{}); !errors.Is(err, hardware.ErrEmptyFrame) {
		t.Errorf("Recognize(no pixels) = %v, want %v", err, hardware.ErrEmptyFrame)
	}
	if got, err := r.Recognize(t.Context(), image.NewGray(image.Rect(0, 0, 2, 9)), hardware.Hint{}); got != nil ||
		err != nil {
		t.Errorf("Recognize(2 pixels wide) = %v, %v, want nothing", got, err)
	}
}

// withChat gives process 77 an accessible window: a list of chats beside one of messages.
func (w *world) withChat() (app, window axElement) {
	box := func(x, y, width, height float64, more map[string]any) axElement {
		more["AXPosition"], more["AXSize"] = point{x, y}, size{width, height}
		return axElement{attributes: more}
	}
	rows := func(n int) (list []obj) {
		for range n {
			list = append(list, w.put(box(0, 0, 9, 9, map[string]any{"AXRole": "AXRow"})))
		}
		return append(list, w.put(box(0, 0, 9, 0, map[string]any{"AXRole": "AXRow"})),
			w.put(box(0, 0, 9, 9, map[string]any{"AXRole": "AXColumn"})))
	}
	chats := w.put(box(10, 20, 30, 60, map[string]any{"AXRole": "AXTable", "AXChildren": rows(9)}))
	talk := w.put(box(40, 20, 70, 40, map[string]any{"AXRole": "AXList", "AXChildren": rows(5)}))
	split := w.put(axElement{attributes: map[string]any{"AXRole": "AXSplitGroup", "AXChildren": []obj{chats, talk}}})
	window = box(10, 20, 100, 60, map[string]any{"AXRole": "AXWindow", "AXTitle": "花子", "AXChildren": []obj{split}})
	app = axElement{attributes: map[string]any{"AXWindows": []obj{w.put(window)}, "AXFrontmost": true}}
	w.elements[77] = w.put(app)
	return app, window
}

// withArea puts a text area below the list of messages.
func (w *world) withArea(window axElement) {
	window.attributes["AXChildren"] = append(window.attributes["AXChildren"].([]obj), w.put(axElement{
		attributes: map[string]any{"AXRole": "AXTextArea", "AXPosition": point{45, 65}, "AXSize": size{60, 10}}}))
}

func TestStructureRows(t *testing.T) {
	w, _ := fakeScreen(t)
	_, window := w.withChat()
	s := &Structure{w.api}
	if n, err := s.Rows(t.Context(), "42"); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Rows(42) without a text area = %d, %v, want %v", n, err, hardware.ErrUnavailable)
	}
	w.withArea(window)
	if n, err := s.Rows(t.Context(), "42"); n != 5 || err != nil {
		t.Errorf("Rows(42) = %d, %v, want 5", n, err)
	}
	if _, err := s.Rows(t.Context(), "43"); !errors.Is(err, hardware.ErrWindowGone) {
		t.Errorf("Rows(43) = %v, want %v", err, hardware.ErrWindowGone)
	}
	w.windows[0][keyBounds], w.windows[0][keyTitle] = map[string]any{"X": 900.0, "Y": 900.0, "Width": 5.0,
		"Height": 5.0}, "x"
	if _, err := s.Rows(t.Context(), "42"); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Rows(no such accessible window) = %v, want %v", err, hardware.ErrUnavailable)
	}
	w.elements[77] = w.put(axElement{code: axDisabled})
	if _, err := s.Rows(t.Context(), "42"); !errors.Is(err, hardware.ErrPermission) {
		t.Errorf("Rows(disabled) = %v, want %v", err, hardware.ErrPermission)
	}
	w.trusted = false
	if _, err := s.Rows(t.Context(), "42"); !errors.Is(err, hardware.ErrPermission) {
		t.Errorf("Rows(not trusted) = %v, want %v", err, hardware.ErrPermission)
	}
}

func TestUsage(t *testing.T) {
	w, _ := fakeScreen(t)
	w.counters[eventKeyDown], w.counters[eventWheel] = 100, 50
	u, titled := openUsage(w.api, UsageOptions{}), openUsage(w.api, UsageOptions{Titles: true})
	w.counters[eventKeyDown], w.counters[eventWheel], w.counters[eventMoved] = 103, 51, 7
	w.elapsed[eventKeyDown], w.elapsed[eventAny] = 12, 3
	if in, err := u.Input(t.Context()); err != nil ||
		in != (hardware.Input{Keys: 3, Mouse: 8, SinceKey: 12 * time.Second}) {
		t.Errorf("Input() = %+v, %v, want 3 keys, 8 mouse, 12s", in, err)
	}
	if d, err := u.Idle(t.Context()); err != nil || d != 3*time.Second {
		t.Errorf("Idle() = %v, %v, want 3s", d, err)
	}
	if app, err := u.ActiveApp(t.Context()); err != nil || app != (hardware.App{Name: "LINE", PID: 77}) {
		t.Errorf("ActiveApp() = %+v, %v, want LINE without a title", app, err)
	}
	if app, err := titled.ActiveApp(t.Context()); err != nil || app.Title != "花子" {
		t.Errorf("ActiveApp(titles) = %+v, %v, want the title", app, err)
	}
	w.windows = nil
	if app, err := u.ActiveApp(t.Context()); err != nil || app != (hardware.App{}) {
		t.Errorf("ActiveApp(no window) = %+v, %v, want none", app, err)
	}
}

func fakeTypist(t *testing.T) (*world, *Typist, axElement, axElement) {
	w, s := fakeScreen(t)
	app, window := w.withChat()
	return w, &Typist{screen: s, a: w.api, pause: func(ctx context.Context,
		_ time.Duration) error {
		return ctx.Err()
	}}, app, window
}

func TestType(t *testing.T) {
	w, typist, _, window := fakeTypist(t)
	if err := typist.Type(t.Context(), "42", "はい\nOK"); err != nil {
		t.Fatalf("Type() = %v, want nil", err)
	}
	want := []string{
		"key 0 true 0x0 はい", "key 0 false 0x0 はい",
		"key 36 true 0x20000", "key 36 false 0x20000",
		"key 0 true 0x0 OK", "key 0 false 0x0 OK",
	}
	if !slices.Equal(w.events, want) {
		t.Errorf("Type() posts %q, want %q", w.events, want)
	}
	if window.attributes["AXRaise"] != nil {
		t.Error("Type() raised a window that was in front already")
	}
}

func TestActivateRaises(t *testing.T) {
	w, typist, app, window := fakeTypist(t)
	other := shownWindow(7, 100, 60)
	other[keyPID] = 5
	w.windows = []map[string]any{other, w.windows[0]}
	app.attributes["AXFrontmost"] = false
	steps := 0
	typist.pause = func(context.Context, time.Duration) error {
		if steps++; steps == 3 { // the system takes its time
			slices.Reverse(w.windows)
		}
		return nil
	}
	if err := typist.Activate(t.Context(), "42"); err != nil || steps != 3 {
		t.Errorf("Activate() = %v after %d steps, want nil after 3", err, steps)
	}
	if window.attributes["AXRaise"] != true || app.attributes["AXFrontmost"] != 1.0 {
		t.Error("Activate() did not raise the window and its application")
	}
}

// TestActive: what is given the keyboard back is the topmost window that a person works in.
func TestActive(t *testing.T) {
	w, typist, _, _ := fakeTypist(t)
	other := shownWindow(7, 300, 200)
	for _, c := range []struct {
		windows []map[string]any
		want    string
	}{
		{w.windows, "42"},
		{append([]map[string]any{other}, w.windows...), "7"},
		{append([]map[string]any{shownWindow(8, 10, 10)}, w.windows...), "42"}, // no ordinary window
		{nil, ""},
	} {
		w.windows = c.windows
		if got, err := typist.Active(t.Context()); err != nil || got != c.want {
			t.Errorf("Active() over %d windows = %q, %v, want %q", len(c.windows), got, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := typist.Active(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Active() after the end of its context = %v", err)
	}
}

func TestTypistRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(w *world)
		also   error
	}{
		{"covered for good", func(w *world) {
			w.windows = append([]map[string]any{shownWindow(7, 300, 200)},
				w.windows...)
		}, hardware.ErrNotActive},
		{"gone", func(w *world) { w.windows = nil }, hardware.ErrWindowGone},
		{"minimised", func(w *world) { w.windows[0][keyOnScreen] = false }, hardware.ErrMinimised},
		{"not trusted", func(w *world) { w.trusted = false }, hardware.ErrPermission},
		{"no events", func(w *world) { w.api.event.key = func(obj, uint16, bool) obj { return 0 } },
			hardware.ErrPermission},
	} {
		w, typist, _, _ := fakeTypist(t)
		tt.change(w)
		for what, err := range map[string]error{
			"Type":  typist.Type(t.Context(), "42", "はい"),
			"Press": typist.Press(t.Context(), "42", hardware.KeyEnter),
		} {
			if !errors.Is(err, hardware.ErrNotActive) || !errors.Is(err, tt.also) || len(w.events) > 0 {
				t.Errorf("%s: %s() = %v after %q, want %v and %v and nothing typed", tt.name, what, err, w.events,
					hardware.ErrNotActive, tt.also)
			}
		}
	}
}

func TestTypeIsInterrupted(t *testing.T) {
	for _, tt := range []struct {
		name      string
		interrupt func(w *world, cancel func())
	}{
		{"another window", func(w *world, _ func()) {
			w.windows = append([]map[string]any{shownWindow(7, 300, 200)}, w.windows...)
		}},
		{"cancelled", func(_ *world, cancel func()) { cancel() }},
		{"closed", func(w *world, _ func()) { w.windows = nil }},
	} {
		w, typist, _, _ := fakeTypist(t)
		ctx, cancel := context.WithCancel(t.Context())
		w.onPost = func() {
			if len(w.events) == 2 {
				tt.interrupt(w, cancel)
			}
		}
		err := typist.Type(ctx, "42", "はい\nOK")
		cancel()
		if !errors.Is(err, hardware.ErrPartlyTyped) || errors.Is(err, hardware.ErrNotActive) || len(w.events) != 2 {
			t.Errorf("%s: Type() = %v after %q, want only %v after the first piece", tt.name, err, w.events,
				hardware.ErrPartlyTyped)
		}
	}
}

func TestClick(t *testing.T) {
	w, typist, _, _ := fakeTypist(t)
	if err := typist.Click(t.Context(), "42", image.Pt(9, 19)); err != nil {
		t.Fatalf("Click() = %v, want nil", err)
	}
	want := []string{"mouse 5 {14.75 29.75} 0 0x0", "mouse 1 {14.75 29.75} 0 0x0", "mouse 2 {14.75 29.75} 0 0x0"}
	if !slices.Equal(w.events, want) {
		t.Errorf("Click() posts %q, want %q", w.events, want)
	}
	if err := typist.Click(t.Context(), "42", image.Pt(200, 5)); !errors.Is(err, hardware.ErrNotActive) ||
		len(w.events) != 3 {
		t.Errorf("Click(outside) = %v, want %v and no event", err, hardware.ErrNotActive)
	}
}

func TestTurn(t *testing.T) {
	w, typist, _, _ := fakeTypist(t)
	if err := typist.Turn(t.Context(), "42", image.Pt(9, 19), 13); err != nil {
		t.Fatalf("Turn() = %v, want nil", err)
	}
	want := []string{"mouse 5 {14.75 29.75} 0 0x0", "wheel 1 1 10 0 0 0x0", "wheel 1 1 3 0 0 0x0"}
	if !slices.Equal(w.events, want) {
		t.Errorf("Turn() posts %q, want %q", w.events, want)
	}
	if err := typist.Turn(t.Context(), "42", image.Pt(200, 5), -1); !errors.Is(err, hardware.ErrNotActive) ||
		len(w.events) != 3 {
		t.Errorf("Turn(outside) = %v, want %v and no event", err, hardware.ErrNotActive)
	}
}

// sameElement reports whether an element is that one, or a copy of it.
func sameElement(w *world, a, b obj) bool {
	return reflect.ValueOf(w.thing(a).(axElement).attributes).Pointer() ==
		reflect.ValueOf(w.thing(b).(axElement).attributes).Pointer()
}
