package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

var stateElement = regexp.MustCompile(`(?s)<script type="application/json" id="state">(.*?)</script>`)

func stateOf(t *testing.T, body string) pageView {
	t.Helper()
	m := stateElement.FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("the page has no state:\n%.500s", body)
	}
	return decode[pageView](t, m[1])
}

func TestPageComesComplete(t *testing.T) {
	h := &host{status: Status{Version: "v1", Windows: []messages.WindowID{"line@a"}}}
	s := serve(t, h)
	const evil = `</script><script>alert(1)</script><!--{{state}}`
	h.deliver(s, 4, "おはよう")
	h.deliver(s, 9, evil)
	s.Listen(frameOf("line@a", 10, evil))
	resp, body := do(t, request(t, s, "/"))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET / = %d, want 200", resp.StatusCode)
	}
	v := stateOf(t, body)
	if got := texts(v.Messages); got != "おはよう "+evil {
		t.Errorf("messages = %q, want both", got)
	}
	if v.Cursor != s.eventID(9) || v.Status.Version != "v1" || len(v.Windows) != 1 || string(v.Windows[0].Frame.Bubbles[0].Text) != evil {
		t.Errorf("state = %+v, want the cursor %s, the status and the window", v, s.eventID(9))
	}
	if strings.Contains(body, "<script>alert") {
		t.Error("a message's text became part of the page's code")
	}
}

func TestPageWithoutTheStoreBeginsWithAResync(t *testing.T) {
	h := &host{broken: errBroken}
	s := serve(t, h)
	_, body := do(t, request(t, s, "/"))
	if v := stateOf(t, body); v.Cursor != "" || v.Messages == nil {
		t.Errorf("state = %+v, want no cursor and no messages", v)
	}
}

func TestAssets(t *testing.T) {
	s := serve(t, &host{})
	for path, mime := range map[string]string{
		"/page.css": "text/css; charset=utf-8", "/page.js": "text/javascript; charset=utf-8", "/attention.js": "text/javascript; charset=utf-8", "/timeline.js": "text/javascript; charset=utf-8", "/icon.svg": "image/svg+xml",
	} {
		resp, body := do(t, request(t, s, path))
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || got != mime || body == "" {
			t.Errorf("GET %s = %d %s with %d bytes, want 200 %s", path, resp.StatusCode, got, len(body), mime)
		}
	}
}

// The page loads nothing from elsewhere, and has no code or style that its
// policy would forbid.
func TestAssetsKeepToThePolicy(t *testing.T) {
	for _, name := range []string{"index.html", "page.css", "attention.js", "timeline.js", "page.js", "icon.svg"} {
		src := strings.ReplaceAll(string(mustRead(name)), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{"http://", "https://", "@import", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write", `setAttribute("style"`} {
			if strings.Contains(src, bad) {
				t.Errorf("page/%s contains %s", name, bad)
			}
		}
	}
	html := string(mustRead("index.html"))
	if m := regexp.MustCompile(`\son\w+=|\sstyle=|<style`).FindString(html); m != "" {
		t.Errorf("page/index.html contains %q, which the policy forbids", m)
	}
	if n := strings.Count(html, stateMark); n != 1 {
		t.Errorf("page/index.html has %d marks for the state, want 1", n)
	}
}
