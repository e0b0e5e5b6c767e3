package runtime_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// pageOf is what the live page of a runtime shows.
type pageOf struct {
	Status struct {
		Paused []struct{ Window string }
		Model  string
	}
	Attention *struct {
		Desk, State string
		Paused      *time.Time
		Muted       bool
	}
}

// visitor is a browser at the live page of a runtime.
type visitor struct {
	t           *testing.T
	base, token string
	client      http.Client
}

// visit opens the address that a runtime prints, as a browser does.
func visit(t *testing.T, rt *runtime.Runtime) *visitor {
	t.Helper()
	address, err := rt.Backend().(control.PageBackend).PageLink(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, address)
}

// opened changes the code in an address for a key.
func opened(t *testing.T, address string) *visitor {
	t.Helper()
	page, err := url.Parse(address)
	code, ok := strings.CutPrefix(page.Fragment, "c=")
	if err != nil || !ok {
		t.Fatalf("the page's address %q has no code: %v", page.Redacted(), err)
	}
	v := &visitor{t: t, base: "http://" + page.Host,
		client: http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	r, err := http.NewRequest(http.MethodPost, v.base+"/enter", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Code "+code)
	resp, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	var key control.NewPageKey
	if body := v.read(resp); resp.StatusCode != http.StatusOK || json.Unmarshal([]byte(body), &key) != nil {
		t.Fatalf("POST /enter = %d %s, want a key", resp.StatusCode, body)
	}
	v.token = key.Key
	return v
}

// ask sends a request with the token.
func (v *visitor) ask(method, path, body string) *http.Response {
	v.t.Helper()
	r, err := http.NewRequest(method, v.base+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.token)
	r.Header.Set("Origin", v.base)
	resp, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp
}

// read reads an answer to its end.
func (v *visitor) read(resp *http.Response) string {
	v.t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return string(body)
}

func (v *visitor) get(path string) string {
	v.t.Helper()
	resp := v.ask(http.MethodGet, path, "")
	body := v.read(resp)
	if resp.StatusCode != http.StatusOK {
		v.t.Fatalf("GET %s = %d %s", path, resp.StatusCode, body)
	}
	return body
}

// code is the status of an answer.
func (v *visitor) code(path string) int {
	v.t.Helper()
	resp := v.ask(http.MethodGet, path, "")
	resp.Body.Close()
	return resp.StatusCode
}

// shown is what a page that is opened now is sent, event by event; the status is
// the last of it.
func (v *visitor) shown() string {
	v.t.Helper()
	resp := v.ask(http.MethodGet, "/events", "")
	defer resp.Body.Close()
	var all strings.Builder
	for in := bufio.NewReader(resp.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			v.t.Fatalf("the page's stream ended: %v\n%s", err, all.String())
		}
		all.WriteString(line)
		if line == "\n" && strings.Contains(all.String(), "event: status\n") {
			return all.String()
		}
	}
}

func (v *visitor) page() (p pageOf) {
	v.t.Helper()
	event := ""
	for line := range strings.Lines(v.shown()) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch {
		case key == "event":
			event = value
		case key == "data" && event == "status":
			err = json.Unmarshal([]byte(value), &p.Status)
		case key == "data" && event == "attention":
			err = json.Unmarshal([]byte(value), &p.Attention)
		}
		if err != nil {
			v.t.Fatal(err)
		}
	}
	return p
}

// act asks for something and returns why it was not done, "" if it was.
func (v *visitor) act(body string) string {
	v.t.Helper()
	return strings.TrimSpace(v.read(v.ask(http.MethodPost, "/act", body)))
}

// What a person pauses on the page is paused, in the store and for the actors.
func TestPausingOnThePage(t *testing.T) {
	cfg := noWindow(t)
	cfg.Windows, cfg.OCR.Engine = []config.Window{config.DefaultWindow("line")}, config.OCRDrawn
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	cfg.Focus.Enabled, cfg.Focus.Usage, cfg.Node = true, config.UsageNone, "desk"
	judged := make(chan messages.FocusJudged, 16)
	rt := newRuntime(t, cfg, runtime.WithListener(func(ev runtime.Event) {
		if m, ok := ev.Message.(messages.FocusJudged); ok {
			judged <- m
		}
	}))
	stop := start(t, rt)
	v := visit(t, rt)
	if got := v.page().Status.Model; !strings.HasPrefix(got, "No language model is set up") {
		t.Errorf("of the language model the page says %q, want that there is none", got)
	}
	if a := v.page().Attention; a == nil || a.Desk != "desk" || a.State != "" || a.Paused != nil {
		t.Errorf("attention at first = %+v, want the desk without a state", a)
	}
	if why := v.act(`{"verb":"pause_attention"}`); why != "" {
		t.Fatalf("pausing attention: %s", why)
	}
	<-judged // the classifier has its command
	p := v.page()
	if p.Attention.Paused == nil || p.Attention.State != string(messages.Unknown) {
		t.Errorf("paused: %+v, want unknown since the pause", p.Attention)
	}
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(v.get("/attention"), `"changes":[[`) { // another actor keeps it
		if <-time.After(5 * time.Millisecond); time.Now().After(deadline) {
			t.Fatal("the history never has the change")
		}
	}
	if why := v.act(`{"verb":"mute_notices","minutes":5}`); why != "" {
		t.Errorf("muting notices: %s", why)
	}
	if why := v.act(`{"verb":"unmute_notices"}`); why != "" {
		t.Errorf("unmuting notices: %s", why)
	}
	if why := v.act(`{"verb":"resume_attention"}`); why != "" {
		t.Fatalf("resuming attention: %s", why)
	}
	<-judged
	if a := v.page().Attention; a.Paused != nil || a.State != string(messages.Unknown) {
		t.Errorf("resumed: %+v, want unknown and no pause", a)
	}
	if why := v.act(`{"verb":"pause_window","window":"line@desk"}`); why != "" {
		t.Errorf("pausing a window: %s", why)
	}
	if p := v.page().Status.Paused; len(p) != 1 || p[0].Window != "line@desk" {
		t.Errorf("paused windows = %v, want the one", p)
	}
	if why := v.act(`{"verb":"pause_window","window":"lime"}`); !strings.Contains(why, "no such window") {
		t.Errorf("pausing an unknown window: %q, want that it is unknown", why)
	}
	if why := v.act(`{"verb":"resume_window"}`); why != "" || len(v.page().Status.Paused) != 0 {
		t.Errorf("resuming all: %q, want nothing paused", why)
	}
	if err := stop(); err != nil {
		t.Errorf("Run() = %v, want none", err)
	}
}

// TestPageTakesAFreePort: a second Kehai runs beside the first one, whose page has the port
// that nobody asked for by name. A port that somebody did ask for has to be free.
func TestPageTakesAFreePort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:7411") // or somebody else has it
	if err == nil {
		defer taken.Close()
	}
	cfg := config.Default()
	cfg.Data, cfg.Windows, cfg.Web.Enabled = t.TempDir(), nil, true
	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	if page := rt.Inspect().Page; page == "" || strings.Contains(page, ":7411/") {
		t.Errorf("the page is at %q, want a free port", page)
	}
	stop()
	if err := cfg.SetFlag("--addr", "web.addr", "127.0.0.1:7411"); err != nil {
		t.Fatal(err)
	}
	if err := newRuntime(t, cfg).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "port in use") {
		t.Errorf("Run with a port that was named and is taken = %v, want an error", err)
	}
}
