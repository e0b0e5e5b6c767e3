//go:build darwin && live

package darwin

import (
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
)

// These run on a Mac, in the logged-in person's session, with both permissions
// granted to the terminal and any window open:
//
//	go test -tags live -v -run Live ./hardware/darwin
//
// They write no window's text anywhere; pictures go to KEHAI_LIVE_DIR if set.

func TestLivePermissions(t *testing.T) {
	list, err := Permissions()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		t.Logf("%s: %v", p.Name, p.Granted)
		if !p.Granted {
			t.Errorf("%s is not granted: %s", p.Name, p.How)
		}
	}
}

func TestLiveCapture(t *testing.T) {
	s, err := OpenScreen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // ScreenCaptureKit may never answer
	defer cancel()
	list, err := s.Windows(ctx)
	if err != nil || len(list) == 0 {
		t.Fatalf("Windows() = %d windows, %v, want some", len(list), err)
	}
	w := list[min(1, len(list)-1)] // the first is the terminal
	id, _ := parseRef(w.Ref)
	captures := map[string]func() (*image.RGBA, error){
		"CGWindowListCreateImage": func() (*image.RGBA, error) { return s.a.oldPicture(id) },
		"ScreenCaptureKit":        func() (*image.RGBA, error) { return s.a.screenshot(ctx, id) },
	}
	for name, capture := range captures {
		var img *image.RGBA
		var err error
		s.a.pool(func() { img, err = capture() })
		if errors.Is(err, hardware.ErrUnavailable) {
			t.Logf("%s: %v", name, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		scale := scaleOf(img.Rect.Size(), float64(w.Box.Dx()), float64(w.Box.Dy()))
		t.Logf("%s: %s, %v points, %v pixels, scale %v", name, w.App, w.Box.Size(), img.Rect.Size(), scale)
		if scale != 1 && scale != 2 {
			t.Errorf("%s: scale = %v, want 1 or 2", name, scale)
		}
		save(t, name, img)
	}
	if c, err := s.Capture(ctx, w.Ref); err != nil || c.Image.Rect.Empty() {
		t.Errorf("Capture(%q) = %v, want a picture", w.Ref, err)
	}
	if _, err := s.Capture(t.Context(), "4294967295"); !errors.Is(err, hardware.ErrWindowGone) {
		t.Errorf("Capture(no such window) = %v, want %v", err, hardware.ErrWindowGone)
	}
}

func save(t *testing.T, name string, img image.Image) {
	dir := os.Getenv("KEHAI_LIVE_DIR")
	if dir == "" {
		return
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".png"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Error(err)
	}
}

// TestLiveRecognizer needs no permission.
func TestLiveRecognizer(t *testing.T) {
	window, err := drawn.New(drawn.DefaultOptions(func() time.Time {
		return time.Date(2026, 10, 2, 14, 3, 0, 0, time.UTC)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := window.Append("Hana", drawn.Friend, "See you at ten"); err != nil {
		t.Fatal(err)
	}
	c, err := window.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRecognizer()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	lines, err := r.RecognizeCrop(t.Context(), c.Image, c.Image.Rect, hardware.Hint{Scale: c.Scale, Block: true})
	t.Logf("%v for %v pixels", time.Since(began), c.Image.Rect.Size())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		t.Logf("%q %.2f %+v", string(l.Text), l.Confidence, l.Box)
		if strings.Contains(string(l.Text), "See you at ten") {
			return
		}
	}
	t.Errorf("RecognizeCrop() = %d lines, want one with %q", len(lines), "See you at ten")
}

func TestLiveStructure(t *testing.T) {
	screen, err := OpenScreen()
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenStructure()
	if err != nil {
		t.Fatal(err)
	}
	list, err := screen.Windows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, w := range list {
		n, err := s.Rows(t.Context(), w.Ref)
		if errors.Is(err, hardware.ErrPermission) {
			t.Fatal(err)
		}
		if err == nil {
			counted++
		}
		t.Logf("%s: %d rows, %v", w.App, n, err)
	}
	if counted == 0 {
		t.Error("no window has a list: open a chat, in front, with a field to write in")
	}
}

func TestLiveUsage(t *testing.T) {
	u, err := OpenUsage(UsageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	app, err := u.ActiveApp(t.Context())
	if err != nil || app.Name == "" || app.Title != "" {
		t.Errorf("ActiveApp() = %+v, %v, want a name and no title", app, err)
	}
	idle, err := u.Idle(t.Context())
	if err != nil || idle < 0 {
		t.Errorf("Idle() = %v, %v, want a duration", idle, err)
	}
	in, err := u.Input(t.Context())
	t.Logf("%s in front, idle %v, input %+v", app.Name, idle, in)
	if err != nil {
		t.Errorf("Input() = %v, want nil", err)
	}
}

// TestLiveNotice shows a notice; a person must see it.
func TestLiveNotice(t *testing.T) {
	n, err := OpenNotifier()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Notify(t.Context(), "Kehai", "test"); err != nil {
		t.Error(err)
	}
	t.Logf("no notice is seen: %s", AllowNotices)
}

// TestLiveTypist types KEHAI_LIVE_TYPE into the window KEHAI_LIVE_REF, one of a text editor.
func TestLiveTypist(t *testing.T) {
	text, ref := os.Getenv("KEHAI_LIVE_TYPE"), os.Getenv("KEHAI_LIVE_REF")
	if text == "" {
		t.Log("nothing is typed: KEHAI_LIVE_TYPE and KEHAI_LIVE_REF say what and where")
		return
	}
	typist, err := OpenTypist(TypistOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := typist.Type(t.Context(), ref, text); err != nil {
		t.Error(err)
	}
}
