package runtime_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
)

// pageOf is what the live page of a runtime shows at first.
type pageOf struct {
	Hello  struct{ Key string }
	Status struct {
		Paused []struct{ Window string }
	}
	Attention *struct {
		Desk, State string
		Paused      *time.Time
		Muted       bool
	}
	History *struct{ States []string }
}

// visitor is a browser at the live page of a runtime.
type visitor struct {
	t      *testing.T
	base   string
	client http.Client
}

func visit(t *testing.T, rt *runtime.Runtime) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(rt.Inspect().Page)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, base: "http://" + u.Host, client: http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}}
	v.get(u.RequestURI()) // sets the cookie
	return v
}

func (v *visitor) get(path string) string {
	v.t.Helper()
	resp, err := v.client.Get(v.base + path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		v.t.Fatalf("GET %s = %d, %v", path, resp.StatusCode, err)
	}
	return string(body)
}

var pageState = regexp.MustCompile(`(?s)<script type="application/json" id="state">(.*?)</script>`)

func (v *visitor) page() (p pageOf) {
	v.t.Helper()
	m := pageState.FindStringSubmatch(v.get("/"))
	if m == nil {
		v.t.Fatal("the page has no state")
	}
	if err := json.Unmarshal([]byte(m[1]), &p); err != nil {
		v.t.Fatal(err)
	}
	return p
}

// act asks for something and returns why it was not done, "" if it was.
func (v *visitor) act(body string) string {
	v.t.Helper()
	r, err := http.NewRequest(http.MethodPost, v.base+"/act", strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Origin", v.base)
	r.Header.Set("Kehai-Page", v.page().Hello.Key)
	resp, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	why, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return strings.TrimSpace(string(why))
}

// What a person pauses on the page is paused, in the store and for the actors.
func TestPausingOnThePage(t *testing.T) {
	cfg := config(t)
	cfg.Windows, cfg.OCR.Engine = []runtime.WindowConfig{runtime.DefaultWindow("line")}, runtime.OCRDrawn
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	cfg.Focus.Enabled, cfg.Focus.Usage, cfg.Node = true, runtime.UsageNone, "desk"
	judged := make(chan messages.FocusJudged, 16)
	rt := newRuntime(t, cfg, runtime.WithListener(func(ev runtime.Event) {
		if m, ok := ev.Message.(messages.FocusJudged); ok {
			judged <- m
		}
	}))
	stop := start(t, rt)
	v := visit(t, rt)
	if a := v.page().Attention; a == nil || a.Desk != "desk" || a.State != "" || a.Paused != nil {
		t.Errorf("attention at first = %+v, want the desk without a state", a)
	}
	if why := v.act(`{"verb":"pause_attention"}`); why != "" {
		t.Fatalf("pausing attention: %s", why)
	}
	<-judged // the classifier has its command
	p := v.page()
	if p.Attention.Paused == nil || p.History == nil || p.Attention.State != string(messages.Unknown) {
		t.Errorf("paused: %+v with history %+v, want unknown since the pause", p.Attention, p.History)
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
