package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// A new page is sent everything before the status, which shows it.
func TestANewPageIsSentEverything(t *testing.T) {
	h := &host{status: Status{Version: "v1", Windows: []messages.WindowID{"line@a"}}, attention: &Attention{Desk: "a"}}
	s := serve(t, h)
	h.deliver(s, 4, "おはよう")
	h.deliver(s, 9, "</script>")
	s.Listen(frameOf("line@a", 10, "x"))
	f := follow(t, s, "")
	var names []string
	for _, want := range []string{"hello", "resync", "window", "attention", "status"} {
		ev := f.next()
		names = append(names, ev.name)
		switch {
		case ev.name != want:
		case want == "resync":
			if got := texts(decode[[]control.Entry](t, ev.data)); got != "おはよう </script>" || ev.id != s.eventID(9) {
				t.Errorf("messages = %q with the id %s, want both and %s", got, ev.id, s.eventID(9))
			}
		case want == "window":
			if v := decode[windowView](t, ev.data); v.ID != "line@a" || v.Frame == nil {
				t.Errorf("window = %+v, want line@a with its frame", v)
			}
		case want == "status":
			if v := decode[statusView](t, ev.data); v.Version != "v1" {
				t.Errorf("status = %+v, want v1", v)
			}
		}
	}
	if got := strings.Join(names, " "); got != "hello resync window attention status" {
		t.Errorf("a new page is sent %s, want hello resync window attention status", got)
	}
}

func TestAssets(t *testing.T) {
	s := serve(t, &host{})
	for _, a := range assets {
		path := strings.TrimSuffix(a.path, "{$}")
		resp, body := do(t, request(t, s, path))
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != a.mime ||
			body != string(a.read()) {
			t.Errorf("GET %s = %d %s with %d bytes, want 200 %s and page/%s", path, resp.StatusCode, got, len(body),
				a.mime, a.name)
		}
	}
	entries, err := files.ReadDir("page")
	if n := len(served()); err != nil || len(entries) != n+1 {
		t.Errorf("%d files are embedded, %v, want head.html and the %d that are served", len(entries), err, n)
	}
}

// served are all files of pages, those of lessons too.
func served() (list []asset) {
	for _, a := range slices.Concat(assets, lessonAssets) {
		if !slices.ContainsFunc(list, func(o asset) bool { return o.name == a.name }) {
			list = append(list, a)
		}
	}
	return list
}

// The page loads nothing from elsewhere, and has no code or style that its
// policy would forbid.
func TestAssetsKeepToThePolicy(t *testing.T) {
	for _, a := range served() {
		src := strings.ReplaceAll(string(a.read()), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{
			"http://", "https://", "@import", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval(",
			"document.write", `setAttribute("style"`, "EventSource", "document.cookie", "{{",
		} {
			if strings.Contains(src, bad) {
				t.Errorf("page/%s contains %s", a.name, bad)
			}
		}
	}
	html := string(assets[0].read())
	if m := regexp.MustCompile(`\son\w+=|\sstyle=|<style`).FindString(html); m != "" {
		t.Errorf("page/index.html contains %q, which the policy forbids", m)
	}
}

// Only connection.js talks to whoever answers: what says who the page is goes through its request,
// which wants a proof first. The key of a lesson is over with it, so that nobody who takes its port gains anything.
func TestOneFileOfThePageAsks(t *testing.T) {
	ways := regexp.MustCompile(`\bfetch\b|XMLHttpRequest|sendBeacon|WebSocket|Authorization|"token"\)`)
	for _, a := range served() {
		found := ways.FindAllString(string(a.read()), -1)
		if a.mime == javascript && (len(found) > 0) != slices.Contains([]string{"connection.js", "lesson.js"}, a.name) {
			t.Errorf("page/%s has %q: requests go through request of connection.js", a.name, found)
		}
	}
	if bearer := "Bearer"; strings.Contains(string(embedded("connection.js")), bearer) {
		t.Errorf("page/connection.js has %s: a page sends its key sealed", bearer)
	}
}

// Only shown.js puts text into the page, so nothing that others wrote is there as it came.
func TestOneFileOfThePageShows(t *testing.T) {
	ways := regexp.MustCompile(`\.(append|prepend|replaceChildren|replaceWith|before|after|insertAdjacent\w*|` +
		`setAttribute\w*|createTextNode)\(|\.(textContent|innerText|title|alt|placeholder|ariaLabel|value|data|` +
		`nodeValue) (\|\||\?\?|\+)?= .*`)
	own := []string{ // of the page itself, or what a person has typed there
		`.value = over ? el("turns").max : fixed ? i.asked : i.turns;`, `.value = "";`, `.value = left?.text || "";`,
		`.title = problems.length ? ` + "`(${problems.length}) Kehai`" + ` : "Kehai";`,
	}
	for _, a := range served() {
		found := slices.DeleteFunc(ways.FindAllString(string(a.read()), -1),
			func(s string) bool { return slices.Contains(own, s) })
		if a.mime == javascript && (len(found) > 0) != (a.name == "shown.js") {
			t.Errorf("page/%s has %q: text is shown by put, add, fill and set of shown.js", a.name, found)
		}
	}
}
