//go:build desktop && linux && cgo && robotgo

package robot

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/hardware/x11"
)

// page has one text field without the focus. Its title shows the field's text and
// what Enter has sent.
const page = `<!doctype html><meta charset="utf-8"><title>ready</title>
<body style="margin:0;background:#8cabd8">
<textarea id="f" style="position:absolute;left:0;top:300px;width:100%;height:200px;font-size:20px"></textarea>
<script>
const f = document.getElementById("f");
let sent = 0;
const show = () => document.title = "sent " + sent + " [" + f.value.replaceAll("\n", "⏎") + "]";
f.addEventListener("input", show);
f.addEventListener("focus", show);
f.addEventListener("keydown", e => {
	if (e.key !== "Enter" || e.shiftKey) return;
	e.preventDefault();
	sent++;
	f.value = "";
	show();
});
</script>`

const mixed = "了解です！明日の15:30に渋谷駅で。OK? (たぶん) ~ #1 \\ \"はい\" ヴァ～ー㈱"

// TestRobot is one test with parts, in a process of its own, because robotgo keeps
// the first display that it was used on, and the last part stops that display.
func TestRobot(t *testing.T) {
	const inside = "KEHAI_ROBOT_TEST"
	if os.Getenv(inside) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRobot$", "-test.timeout=3m")
		cmd.Env = append(os.Environ(), inside+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return
	}
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	t.Setenv("DISPLAY", desk.Display)
	d, err := x11.Open(x11.Options{Display: desk.Display})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = d.Close() }()
	desk.StartBrowser(t, page)
	var w hardware.Window
	// await waits until the page has a title.
	await := func(t *testing.T, what, want string) {
		t.Helper()
		defer func() {
			if t.Failed() {
				t.Logf("the page's title = %q, want %q", w.Title, want)
			}
		}()
		desktop.Eventually(t, what, func() bool {
			w, err = d.Find(t.Context(), "chromium")
			return err == nil && w.Title == want
		})
	}
	await(t, "the page is open", "ready")
	open := func(t *testing.T, opt Options) *Robot {
		t.Helper()
		r, err := Open(opt)
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		return r
	}
	paste, keys := open(t, Options{Desktop: d}), open(t, Options{Desktop: d, Method: MethodKeys})
	empty := func(t *testing.T, sent int) {
		t.Helper()
		if err := paste.Press(t.Context(), w.Ref, hardware.KeySelectAll); err != nil {
			t.Fatalf("Press(select all) = %v", err)
		}
		if err := paste.Press(t.Context(), w.Ref, hardware.KeyBackspace); err != nil {
			t.Fatalf("Press(backspace) = %v", err)
		}
		await(t, "the field is empty", "sent "+strconv.Itoa(sent)+" []")
	}

	t.Run("no field", func(t *testing.T) {
		deaf := desktop.Connect(t, desk.Display).Open("deaf", "Deaf", image.Rect(0, 0, 300, 200))
		defer deaf.Close()
		ref := "0x" + strconv.FormatUint(uint64(deaf.ID), 16)
		if err := paste.Type(t.Context(), ref, "x"); !errors.Is(err, hardware.ErrNoField) {
			t.Errorf("Type() into a window that takes no text = %v, want %v", err, hardware.ErrNoField)
		}
	})
	t.Run("click", func(t *testing.T) {
		if err := paste.Click(t.Context(), w.Ref, image.Pt(-1, 5)); err == nil {
			t.Error("Click(outside) = nil, want an error")
		}
		desktop.ClickUntil(t, "a click gives the field the focus", func() {
			if err := paste.Click(t.Context(), w.Ref, image.Pt(200, 400)); err != nil {
				t.Logf("click: %v", err)
			}
		}, func() bool {
			w, err = d.Find(t.Context(), "chromium")
			return err == nil && w.Title == "sent 0 []"
		})
	})
	t.Run("paste", func(t *testing.T) {
		text := mixed + " 😀👨‍👩‍👧 " + strings.Repeat("長い文。", 60) + "\n二行目"
		if err := paste.Type(t.Context(), w.Ref, text); err != nil {
			t.Fatalf("Type() = %v", err)
		}
		await(t, "the field has the text", "sent 0 ["+strings.ReplaceAll(text, "\n", "⏎")+"]")
		if err := paste.Press(t.Context(), w.Ref, hardware.KeyEnter); err != nil {
			t.Fatalf("Press(enter) = %v", err)
		}
		await(t, "the text is sent", "sent 1 []")
	})
	t.Run("keys", func(t *testing.T) {
		for _, text := range []string{"Kehai (2026) ~ #1?!\n\"OK\" C:\\x", "鍵では打てない😀"} {
			if err := keys.Type(t.Context(), w.Ref, text); err != nil {
				t.Fatalf("Type() = %v", err)
			}
			await(t, "the field has the text", "sent 1 ["+strings.ReplaceAll(text, "\n", "⏎")+"]")
			empty(t, 1)
		}
	})
	t.Run("covered window comes to the front", func(t *testing.T) {
		front := desktop.Connect(t, desk.Display).Open("front", "Front", image.Rect(0, 0, 1200, 850))
		defer front.Close()
		if err := paste.Type(t.Context(), w.Ref, "前面"); err != nil {
			t.Fatalf("Type() = %v", err)
		}
		await(t, "the field has the text", "sent 1 [前面]")
		empty(t, 1)
	})
	t.Run("another window is active", func(t *testing.T) {
		for _, method := range []Method{MethodPaste, MethodKeys} {
			r := open(t, Options{Desktop: stolen{Desktop: d}, Clipboard: d, Method: method})
			if err := r.Type(t.Context(), w.Ref, "secret"); !errors.Is(err, hardware.ErrNotActive) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("Type() by %s while another window is active = %v, want %v without the text", method, err,
					hardware.ErrNotActive)
			}
		}
		late := &stolenLater{Desktop: d, looks: 3}
		r := open(t, Options{Desktop: late, Method: MethodKeys})
		if err := r.Type(t.Context(), w.Ref, "abcdefghijklmnopqrstuvwxyz"); !errors.Is(err, hardware.ErrPartlyTyped) {
			t.Errorf("Type() that loses the window = %v, want %v", err, hardware.ErrPartlyTyped)
		}
		await(t, "only what was typed before stands there", "sent 1 [abcdefghijklmnop]")
		empty(t, 1)
	})
	t.Run("gone and cancelled", func(t *testing.T) {
		if err := paste.Type(t.Context(), "0x77777777", "x"); !errors.Is(err, hardware.ErrWindowGone) {
			t.Errorf("Type(no window) = %v, want %v", err, hardware.ErrWindowGone)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := paste.Type(ctx, w.Ref, "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("Type(cancelled) = %v, want %v", err, context.Canceled)
		}
	})
	t.Run("capture", func(t *testing.T) {
		plain, err := paste.Capture(t.Context(), w.Ref)
		if err != nil {
			t.Fatalf("Capture() = %v", err)
		}
		if plain.Image.Rect.Size() != w.Box.Size() {
			t.Errorf("Capture() is %v, want %v", plain.Image.Rect.Size(), w.Box.Size())
		}
		want := [4]uint8{0x8c, 0xab, 0xd8, 0xff}
		c := plain.Image.RGBAAt(300, 150)
		if got := [4]uint8{c.R, c.G, c.B, c.A}; got != want {
			t.Errorf("Capture() of the page's ground = %v, want %v", got, want)
		}
		list, err := paste.Windows(t.Context())
		if err != nil || len(list) == 0 {
			t.Errorf("Windows() = %v, %v, want the browser", list, err)
		}
	})
	t.Run("robotgo's own desktop", func(t *testing.T) {
		r := open(t, Options{})
		list, err := r.Windows(t.Context())
		if err != nil || len(list) != 1 || list[0].PID != w.PID || !strings.HasPrefix(list[0].Title, "sent 1") {
			t.Fatalf("Windows() = %+v, %v, want the active window of process %d", list, err, w.PID)
		}
		if err := r.Type(t.Context(), list[0].Ref, "own"); err != nil {
			t.Fatalf("Type() = %v", err)
		}
		await(t, "the field has the text", "sent 1 [own]")
		if err := r.Type(t.Context(), list[0].Ref, "了解"); !errors.Is(err, hardware.ErrUnavailable) {
			t.Errorf("Type(Japanese) without a clipboard = %v, want %v", err, hardware.ErrUnavailable)
		}
	})
	t.Run("conforms", func(t *testing.T) {
		empty(t, 1)
		thief := &thief{Desktop: d}
		r := open(t, Options{Desktop: thief, Clipboard: d})
		hardwaretest.Typist(t, func(t *testing.T) hardwaretest.TypistFixture {
			empty(t, 1)
			return hardwaretest.TypistFixture{
				Typist: r, Ref: w.Ref, Gone: "0x77777777",
				Shows: func(t *testing.T, texts ...string) string {
					t.Helper()
					shown := ""
					desktop.Eventually(t, fmt.Sprintf("the field holds one of %q", texts), func() bool {
						w, err = d.Find(t.Context(), "chromium")
						shown = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(w.Title, "sent 1 ["), "]"),
							"⏎", "\n")
						return err == nil && slices.Contains(texts, shown)
					})
					return shown
				},
				Clear: func() { empty(t, 1) },
				Cover: func() {
					front := desktop.Connect(t, desk.Display).Open("front", "Front", image.Rect(0, 0, 1200, 850))
					t.Cleanup(front.Close)
				},
				Steal: func() { thief.steals.Store(true) },
				Give:  func() { thief.steals.Store(false) },
			}
		})
	})
	// The last one: robotgo cannot be used after it.
	t.Run("the server goes away", func(t *testing.T) {
		desk.StopServer()
		for _, r := range []*Robot{paste, keys, open(t, Options{})} {
			if err := r.Type(t.Context(), w.Ref, "x"); !errors.Is(err, hardware.ErrNoDisplay) {
				t.Errorf("Type() without a server = %v, want %v", err, hardware.ErrNoDisplay)
			}
		}
		again := desktop.Start(t)
		again.StartWindowManager(t)
		t.Setenv("DISPLAY", again.Display)
		d, err := x11.Open(x11.Options{Display: again.Display})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		defer func() { _ = d.Close() }()
		front := desktop.Connect(t, again.Display).Open("front", "Front", image.Rect(0, 0, 300, 200))
		r := open(t, Options{Desktop: d, Method: MethodKeys})
		ref := "0x" + strconv.FormatUint(uint64(front.ID), 16)
		// This result proves that Xlib did not end the process.
		if err := r.Type(t.Context(), ref, "abc"); !errors.Is(err, hardware.ErrNoDisplay) ||
			!strings.Contains(err.Error(), "again") {
			t.Errorf("Type() on another server = %v, want %v and to start again", err, hardware.ErrNoDisplay)
		}
	})
}

// stolen is a desktop on which another window takes the keyboard at once.
type stolen struct{ Desktop }

func (stolen) Active(context.Context) (hardware.Window, error) {
	return hardware.Window{Ref: "0x1"}, nil
}

// thief is a desktop on which that happens for a while.
type thief struct {
	Desktop
	steals atomic.Bool
}

func (s *thief) Active(ctx context.Context) (hardware.Window, error) {
	if s.steals.Load() {
		return hardware.Window{Ref: "0x1"}, nil
	}
	return s.Desktop.Active(ctx)
}

// stolenLater is a desktop on which that happens after some looks.
type stolenLater struct {
	Desktop
	looks int
}

func (s *stolenLater) Active(ctx context.Context) (hardware.Window, error) {
	if s.looks--; s.looks < 0 {
		return hardware.Window{Ref: "0x1"}, nil
	}
	return s.Desktop.Active(ctx)
}
