package main

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
)

var open = []hardware.Window{
	{Ref: "0x11", App: "LINE", Title: "LINE", Box: image.Rect(0, 0, 480, 720)},
	{Ref: "0x12", App: "Chromium", Title: "LINE for the web - Chromium", Box: image.Rect(0, 0, 900, 700)},
	{Ref: "0x13", App: "LINE", Title: "はな", Box: image.Rect(0, 0, 400, 600)},
	{Ref: "0x14", App: "Editor", Title: "ガラス.txt", Box: image.Rect(0, 0, 400, 600)},
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		query, before string
		want          string // ref, or "" for an error
		found         int    // candidates of an ambiguous query
	}{
		{query: "web", want: "0x12"},
		{query: "CHROMIUM", want: "0x12"},
		{query: "title:line", want: "0x11"}, // called exactly so, before the one that holds it
		{query: "title:line for", want: "0x12"},
		{query: "はな", want: "0x13"},
		{query: "title:カ\u3099ラス", want: "0x14"}, // decomposed, as files on a Mac are
		{query: "app:line", found: 2},
		{query: "line", found: 2},
		{query: "line", before: "0x13", want: "0x13"},
		{query: "line", before: "0x99", found: 2},
		{query: "0x13", want: "0x13"},
		{query: "0x99"},
		{query: "1"},
		{query: "title:はな", before: "0x11", want: "0x13"}, // what was meant shows something else now
		{query: "app:はな"},
		{query: "title:"},
		{query: " "},
	} {
		got, err := choose(open, c.query, c.before)
		var several *ambiguousError
		found := 0
		if errors.As(err, &several) {
			found = len(several.found)
		}
		if got.Ref != c.want || found != c.found || (err == nil) != (c.want != "") {
			t.Errorf("choose(%q, %q) = %q, %v, want %q or %d candidates",
				c.query, c.before, got.Ref, err, c.want, c.found)
		}
		if err != nil && !errors.Is(err, hardware.ErrWindowGone) {
			t.Errorf("choose(%q) = %v, want an error of hardware, which the poller waits for", c.query, err)
		}
	}
}

// Titles name the people one talks to, and errors go to logs.
func TestAmbiguousHidesTitles(t *testing.T) {
	_, err := choose(open, "app:LINE", "")
	for _, hidden := range []string{"はな", "web"} {
		if err == nil || strings.Contains(err.Error(), hidden) {
			t.Errorf("choose() = %v, want an error without %q", err, hidden)
		}
	}
	for _, shown := range []string{"0x11", "0x13", "LINE", "480×720"} {
		if err == nil || !strings.Contains(err.Error(), shown) {
			t.Errorf("choose() = %v, want an error with %q", err, shown)
		}
	}
}

// desk is a desktop whose windows come and go.
type desk struct {
	list     []hardware.Window
	captured []string
}

func (d *desk) Windows(context.Context) ([]hardware.Window, error) { return d.list, nil }

func (d *desk) Capture(_ context.Context, ref string) (hardware.Capture, error) {
	d.captured = append(d.captured, ref)
	return hardware.Capture{}, nil
}

func TestFinderFindsAgain(t *testing.T) {
	d := &desk{list: []hardware.Window{{Ref: "1", App: "LINE"}}}
	f := &finder{screen: d, known: map[string]string{}}
	for _, c := range []struct {
		list []hardware.Window
		want string // ref that is captured, "" for none
	}{
		{[]hardware.Window{{Ref: "1", App: "LINE"}}, "1"},
		{[]hardware.Window{{Ref: "2", App: "LINE"}, {Ref: "1", App: "LINE"}}, "1"}, // another one opens
		{nil, ""},
		{[]hardware.Window{{Ref: "3", App: "LINE"}}, "3"},                         // opened again
		{[]hardware.Window{{Ref: "3", App: "Editor"}}, ""},                        // its id is another's now
		{[]hardware.Window{{Ref: "4", App: "LINE"}, {Ref: "5", App: "LINE"}}, ""}, // which one?
	} {
		d.list, d.captured = c.list, nil
		_, err := f.Capture(t.Context(), "app:line")
		if got := strings.Join(d.captured, " "); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("Capture(app:line) of %v captured %q, %v, want %q", c.list, got, err, c.want)
		}
	}
	d.list = nil
	if _, err := f.Capture(t.Context(), "0x7"); err != nil || len(d.captured) != 1 || d.captured[0] != "0x7" {
		t.Errorf("Capture(0x7) captured %q, %v, want the driver asked for its own id", d.captured, err)
	}
}

// Two configured windows may mean the same one by different queries: the second
// waits until the first shows something else.
func TestFinderRefusesWhatAnotherShows(t *testing.T) {
	d := &desk{list: []hardware.Window{{Ref: "1", App: "LINE", Title: "はな"}}}
	shown := &claims{shown: map[string]string{}}
	one := &finder{screen: d, known: map[string]string{}, name: "one", claims: shown}
	two := &finder{screen: d, known: map[string]string{}, name: "two", claims: shown}
	capture := func(f *finder, query string) error {
		_, err := f.Capture(t.Context(), query)
		return err
	}
	if err := errors.Join(capture(one, "app:LINE"), capture(one, "app:LINE")); err != nil {
		t.Fatalf("Capture(app:LINE) = %v, want no error", err)
	}
	for _, query := range []string{"title:はな", "1"} {
		err := capture(two, query)
		if !errors.Is(err, hardware.ErrUnavailable) ||
			!strings.Contains(err.Error(), "as one in the configuration") || strings.Contains(err.Error(), "はな") {
			t.Errorf("Capture(%s) of what one shows = %v, want %v, who shows it, and no title",
				query, err, hardware.ErrUnavailable)
		}
	}
	d.list = append(d.list, hardware.Window{Ref: "2", App: "LINE", Title: "けん"})
	if err := capture(two, "title:けん"); err != nil {
		t.Errorf("Capture(title:けん) = %v, want no error", err)
	}
	d.list = d.list[1:] // what one has shown is closed: its query means two's now
	if err := capture(one, "app:LINE"); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Capture(app:LINE) = %v, want %v", err, hardware.ErrUnavailable)
	}
	d.list = nil
	if err := capture(two, "title:けん"); !errors.Is(err, hardware.ErrWindowGone) {
		t.Errorf("Capture(title:けん) = %v, want %v", err, hardware.ErrWindowGone)
	}
	d.list = []hardware.Window{{Ref: "2", App: "LINE", Title: "けん"}}
	if err := capture(one, "app:LINE"); err != nil {
		t.Errorf("Capture(app:LINE) once two shows nothing = %v, want no error", err)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"LINE": "line", "title:Hana & Ken": "hana-ken", "はな": "", "ＬＩＮＥ": "line", "--a--": "a",
		"app:" + strings.Repeat("ab ", 20): "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab",
	} {
		if got := slug(in); got != want {
			t.Errorf("slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWatchConfiguration(t *testing.T) {
	for _, c := range []struct{ query, layout, want string }{
		{"title:Hana", "generic", "hana generic generic x11 title:Hana"},
		{"title:Hana", "auto", "hana chat auto x11 title:Hana"},
		{"app:Slack", "auto", "slack slack auto x11 app:Slack"},
		{"LINE", "auto", "line line auto x11 LINE"},
		{"0x1a00003", "auto", "0x1a00003 chat auto x11 0x1a00003"},
	} {
		cfg := config.Default()
		cfg.Data = t.TempDir()
		f := watchVerb{window: c.query, layout: c.layout, driver: "x11", ocr: "tesseract"}
		if err := f.apply(&cfg); err != nil {
			t.Fatalf("apply() = %v", err)
		}
		if err := cfg.Validate(); err != nil {
			t.Fatalf("Validate() = %v", err)
		}
		w := cfg.Windows[0]
		got := strings.Join([]string{w.Name, w.App, w.Layout, w.Driver, w.Ref}, " ")
		if len(cfg.Windows) != 1 || got != c.want {
			t.Errorf("%s with layout %s: apply() gives %q, want one window %q", c.query, c.layout, got, c.want)
		}
	}
}

func TestCoveredBy(t *testing.T) {
	chat := hardware.Window{Ref: "1", Box: image.Rect(10, 10, 110, 110)}
	for name, above := range map[string]image.Rectangle{
		"": image.Rect(0, 0, 109, 300), "wholly": image.Rect(10, 10, 110, 110), "larger": image.Rect(0, 0, 300, 300),
	} {
		cover, ok := coveredBy([]hardware.Window{{Box: image.Rect(0, 0, 20, 20)}, {App: name, Box: above}}, chat)
		if cover.App != name || ok != (name != "") {
			t.Errorf("coveredBy(%v) = %q, %v, want %q", above, cover.App, ok, name)
		}
	}
}
