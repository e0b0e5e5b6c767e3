package runtime_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// desk is a runtime with a live page over a drawn window.
type desk struct {
	*visitor
	rt     *runtime.Runtime
	window *drawn.Window
	stop   func() error
	states chan events.CaptureState
}

func openDesk(t *testing.T, change func(*config.Config)) *desk {
	t.Helper()
	o := drawn.DefaultOptions(time.Now)
	o.Ref, o.Conversation = "line", "Kentaro"
	w, err := drawn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	screen, err := drawn.NewScreen(w)
	if err != nil {
		t.Fatal(err)
	}
	cfg := noWindow(t)
	cfg.Windows, cfg.OCR.Engine, cfg.Node = []config.Window{config.DefaultWindow("line")}, config.OCRDrawn, "desk"
	cfg.Windows[0].Poll, cfg.Dedup.FirstSight = 100*time.Millisecond, "all"
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	change(&cfg)
	states := make(chan events.CaptureState, 64)
	rt := newRuntime(t, cfg,
		runtime.WithScreen("drawn", func(config.Window) (hardware.Screen, string, error) {
			return screen, "line", nil
		}),
		runtime.WithRecognizer(config.OCRDrawn, func() (hardware.Recognizer, error) {
			return drawn.NewRecognizer(w),
				nil
		}),
		runtime.WithListener(func(ev runtime.Event) {
			if m, ok := ev.Message.(events.CaptureState); ok {
				states <- m
			}
		}))
	stop := start(t, rt)
	return &desk{visit(t, rt), rt, w, stop, states}
}

// until opens the page again and again until it holds some words.
func (w *desk) until(want string) string {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if page := w.shown(); strings.Contains(page, want) {
			return page
		}
	}
	w.t.Fatalf("the page never holds %q", want)
	return ""
}

// picture is the answer to a request for the window's picture.
func (w *desk) picture() int {
	w.t.Helper()
	return w.code("/frame?window=" + url.QueryEscape("line@desk"))
}

func TestThePageShowsOnlyWhatIsRead(t *testing.T) {
	w := openDesk(t, func(c *config.Config) { c.Read.Only = []string{"line:Kentaro"} })
	if err := w.window.Append("Kentaro", drawn.Friend, "yaa"); err != nil {
		t.Fatal(err)
	}
	w.until(`"text":"yaa"`)
	if got := w.picture(); got != http.StatusOK {
		t.Errorf("GET /frame = %d, want a picture", got)
	}
	for _, change := range []func() error{
		func() error { return w.window.Append("Hanako", drawn.Friend, "himitsu") },
		func() error { return w.window.Switch("Hanako") },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
	}
	page := w.until(`"hidden":true`)
	for _, words := range []string{"himitsu", "Hanako"} {
		if strings.Contains(page, words) {
			t.Errorf("the page holds %q, which is not listed in read.only", words)
		}
	}
	if got := w.picture(); got != http.StatusNotFound {
		t.Errorf("GET /frame = %d while an unlisted conversation is shown, want %d", got, http.StatusNotFound)
	}
	if err := w.window.Switch("Kentaro"); err != nil {
		t.Fatal(err)
	}
	w.until(`"title":"Kentaro"`)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}

func TestThePageForgets(t *testing.T) {
	w := openDesk(t, func(*config.Config) {})
	if err := w.window.Append("Kentaro", drawn.Friend, "himitsu"); err != nil {
		t.Fatal(err)
	}
	w.until(`"delivered_at"`)
	if err := w.window.Hide(); err != nil { // nothing new is seen from here on
		t.Fatal(err)
	}
	for (<-w.states).Code == "" {
	}
	if page := w.shown(); !strings.Contains(page, "himitsu") || w.picture() != http.StatusOK {
		t.Fatal("the page does not hold what was read last")
	}
	if _, err := w.rt.Forget(context.Background(), "line:Kentaro"); err != nil {
		t.Fatal(err)
	}
	if page := w.shown(); strings.Contains(page, "himitsu") {
		t.Error("the page holds what was forgotten")
	}
	if got := w.picture(); got != http.StatusNotFound {
		t.Errorf("GET /frame = %d after the conversation was forgotten, want %d", got, http.StatusNotFound)
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}

// Readings that were kept by their pixels go too.
func TestReadingsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		s.Friend("Kentaro", "himitsu")
		s.WantMessages("himitsu")
		if _, err := s.Runtime.Forget(context.Background(), "line:Kentaro"); err != nil {
			t.Fatal(err)
		}
		seen := len(s.Events())
		s.Friend("Kentaro", "yaa")
		s.Advance(5 * time.Second)
		for _, ev := range s.Events()[seen:] {
			if m, ok := ev.(events.FrameSeen); ok {
				if m.Read.Cached != 0 || m.Read.Read < 2 {
					t.Errorf("the frame after Forget had %d bubbles read and %d known, want all read", m.Read.Read,
						m.Read.Cached)
				}
				return
			}
		}
		t.Error("no frame was read after Forget")
	})
}
