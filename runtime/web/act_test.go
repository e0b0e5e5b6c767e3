package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// acting is a host that takes commands.
func acting(err error) *host {
	return &host{act: func(context.Context, Act) error { return err }}
}

// command makes a request as the page does.
func command(t *testing.T, s *Server, body string) *http.Request {
	t.Helper()
	r := request(t, s, "/act")
	post, err := http.NewRequestWithContext(r.Context(), http.MethodPost, r.URL.String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	post.Header = r.Header
	post.Header.Set("Origin", "http://"+s.Addr())
	post.Header.Set("Content-Type", "application/json")
	return post
}

func TestAct(t *testing.T) {
	h := acting(nil)
	s := serve(t, h)
	f := follow(t, s, "")
	f.until("status")
	for _, tt := range []struct {
		body string
		code int
		want *Act
	}{
		{`{"verb":"pause_window","window":"line@a"}`, 204, &Act{Verb: PauseWindow, Window: "line@a"}},
		{`{"verb":"resume_window"}`, 204, &Act{Verb: ResumeWindow}},
		{`{"verb":"mute_notices","minutes":60}`, 204, &Act{Verb: MuteNotices, For: time.Hour}},
		{`{"verb":"mute_notices","minutes":0}`, 204, &Act{Verb: MuteNotices}},
		{`{"verb":"mute_notices","minutes":-1}`, 400, nil},
		{`{"verb":"mute_notices","minutes":9223372036854775807}`, 400, nil},
		{`{"verb":"forget"}`, 400, nil},
		{`{"verb":"pause_window","conversation":"x"}`, 400, nil},
		{`{"verb":"pause_window","window":"` + strings.Repeat("x", 5000) + `"}`, 400, nil},
		{`verb=pause_window`, 400, nil},
		{``, 400, nil},
	} {
		h.set(func(h *host) { h.acts = nil })
		resp, body := do(t, command(t, s, tt.body))
		var want []Act
		if tt.want != nil {
			want = []Act{*tt.want}
		}
		h.set(func(h *host) {
			if resp.StatusCode != tt.code || !slices.Equal(h.acts, want) {
				t.Errorf("POST %.60s = %d %q and %v, want %d and %v", tt.body, resp.StatusCode, body, h.acts, tt.code,
					want)
			}
		})
	}
}

// Each of the checks alone keeps a foreign request out.
func TestActIsGuarded(t *testing.T) {
	h := acting(nil)
	s := serve(t, h)
	for name, change := range map[string]func(*http.Request){
		"no token":     func(r *http.Request) { r.Header.Del("Authorization") },
		"an old token": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+randomHex()) },
		"no origin":    func(r *http.Request) { r.Header.Del("Origin") },
		"other origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"other port":   func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"null origin":  func(r *http.Request) { r.Header.Set("Origin", "null") },
		"rebound name": func(r *http.Request) {
			r.Host = "evil.example"
			r.Header.Set("Origin", "http://evil.example")
		},
		"of another site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"reading":         func(r *http.Request) { r.Method = "GET" },
		"putting":         func(r *http.Request) { r.Method = "PUT" },
	} {
		r := command(t, s, `{"verb":"pause_attention"}`)
		change(r)
		resp, _ := do(t, r)
		h.set(func(h *host) {
			if resp.StatusCode < 400 || len(h.acts) != 0 {
				t.Errorf("POST /act with %s = %d and %v, want it refused", name, resp.StatusCode, h.acts)
			}
			h.acts = nil
		})
	}
	if resp, _ := do(t, command(t, s, `{"verb":"pause_attention"}`)); resp.StatusCode != http.StatusNoContent {
		t.Errorf("POST /act as the page does = %d, want 204", resp.StatusCode)
	}
}

func TestActFails(t *testing.T) {
	s := serve(t, acting(errors.New("no such window: there is line")))
	resp, body := do(t, command(t, s, `{"verb":"pause_window","window":"x"}`))
	if resp.StatusCode != http.StatusConflict || strings.TrimSpace(body) != "no such window: there is line" {
		t.Errorf("POST of what fails = %d %q, want 409 with the reason", resp.StatusCode, body)
	}
	s = serve(t, &host{})
	if resp, _ := do(t, command(t, s, `{"verb":"pause_window"}`)); resp.StatusCode != http.StatusNotFound {
		t.Errorf("POST to a page that only shows = %d, want 404", resp.StatusCode)
	}
}

func TestAttentionOnThePage(t *testing.T) {
	at := t0
	h := &host{attention: &Attention{Desk: "a", State: messages.Focused, Since: at, Reasoning: "</script>"},
		changes: []AttentionChange{
			{At: at, State: messages.Focused, Confidence: 0.904, Source: messages.FromLLM},
			{At: at.Add(time.Minute), State: messages.Unknown, Paused: true},
			{At: at.Add(2 * time.Minute), State: "new one", Confidence: 1, Source: "who"},
		}}
	s := serve(t, h)
	v := decode[attentionView](t, follow(t, s, "").until("attention").data)
	if v.State != messages.Focused || v.Reasoning != "</script>" || v.Raw != nil {
		t.Errorf("the stream's attention = %+v, want focused without a judgement", v)
	}
	ms := at.UnixMilli()
	want := [][4]int64{{ms, 0, 90, 1}, {ms + 60000, 6, 0, -1}, {ms + 120000, 5, 100, -1}}
	resp, body := do(t, request(t, s, "/attention"))
	got := decode[historyView](t, body)
	if resp.StatusCode != http.StatusOK || !slices.Equal(got.Changes, want) || got.States[6] != "paused" ||
		got.Sources[1] != messages.FromLLM {
		t.Errorf("GET /attention = %d %s, want %v", resp.StatusCode, body, want)
	}
	h.set(func(h *host) { h.broken = errBroken })
	resp, body = do(t, request(t, s, "/attention"))
	if resp.StatusCode != http.StatusInternalServerError || strings.Contains(body, "closed") {
		t.Errorf("GET /attention of a closed store = %d %q, want 500 without the reason", resp.StatusCode, body)
	}
	if resp, _ := do(t, request(t, serve(t, &host{}), "/attention")); resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET /attention while it is off = %d, want 404", resp.StatusCode)
	}
	o := h.options()
	o.Changes = nil
	if _, err := New(o); err == nil {
		t.Error("New(Attention without Changes) = nil, want an error")
	}
}

// The stream tells each judgement, counts changes, and says a pause.
func TestStreamOfAttention(t *testing.T) {
	h := acting(nil)
	h.attention = &Attention{Desk: "a"}
	s := serve(t, h)
	f := follow(t, s, "")
	next := func() attentionView { t.Helper(); return decode[attentionView](t, f.until("attention").data) }
	if v := next(); v.Raw != nil || v.Changes != 0 {
		t.Errorf("first = %+v, want no judgement", v)
	}
	tell := func(raw, steady messages.Attention, why messages.Text) {
		s.Listen(engine.Published{Message: messages.FocusJudged{
			Desk: "a", Raw: messages.FocusState{State: raw, At: t0, Confidence: 0.5},
			Steady: messages.FocusState{State: steady, Reasoning: why},
		}})
	}
	var changes uint64
	for _, tt := range []struct {
		raw, steady messages.Attention
		why         messages.Text
		changed     uint64
	}{
		{messages.Focused, messages.Focused, "a", 1}, {messages.Drowsy, messages.Focused, "b", 0}, {messages.Drowsy,
			messages.Drowsy, "b", 1},
		{messages.Unknown, messages.Unknown, "paused", 1}, {messages.Unknown, messages.Unknown, "resumed", 1},
	} {
		tell(tt.raw, tt.steady, tt.why)
		changes += tt.changed
		v := next()
		if v.Raw == nil || v.Raw.State != tt.raw || v.Changes != changes {
			t.Errorf("after %s → %s: %+v, want %d changes", tt.raw, tt.steady, v, changes)
		}
	}
	since := t0
	h.set(func(h *host) {
		h.act = func(context.Context, Act) error { h.attention.Paused = &since; return nil }
	})
	do(t, command(t, s, `{"verb":"pause_attention"}`))
	if v := next(); v.Paused == nil || !v.Paused.Equal(t0) {
		t.Errorf("after a pause: %+v, want it", v)
	}
	s.Listen(engine.Published{Message: messages.FocusNotice{ID: "n", Desk: "a", State: messages.Drowsy}})
	if v := next(); v.Notice == nil || v.Notice.ID != "n" {
		t.Errorf("after a notice: %+v, want it", v)
	}
}

// Whatever is asked with the token: an answer that is no fault of the server's, and an act only by
// one of its names.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][3]string{{"/frame", "window=line@mac-a", ""}, {"/pipeline", "window=%zz;", ""},
		{"/masked", "window=\x00", ""}, {"/attention", "", ""}, {"/act", "", `{"verb":"mute_notices","minutes":5}`},
		{"/act", "", `{"verb":"pause_window","window":"../x","minutes":-1}`}, {"/v1/why", "id=m-1", ""},
		{"/v1/conversations", "", `{"name":"me"}`}, {"//act/../frame", "", ""}} {
		f.Add(seed[0], seed[1], seed[2])
	}
	h := acting(nil)
	s, err := New(h.options())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	s.Listen(frameOf("line@mac-a", 9, "x"))
	routes := s.routes()
	f.Fuzz(func(t *testing.T, path, query, body string) {
		if _, fresh := s.parseID(path); !fresh || path == "/events" { // which does not end
			return
		}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r := httptest.NewRequest(method, "http://"+s.Addr()+"/", strings.NewReader(body))
			r.URL.Path, r.URL.RawQuery = path, query
			r.Header.Set("Authorization", "Bearer "+keyOf(t, s))
			r.Header.Set("Origin", "http://"+s.Addr())
			w := httptest.NewRecorder()
			routes.ServeHTTP(w, r)
			if w.Code >= http.StatusInternalServerError || w.Header().Get("Content-Security-Policy") == "" {
				t.Errorf("%s %q?%q = %d, or it lacks headers", method, path, query, w.Code)
			}
		}
		for _, a := range h.acts {
			if !a.Verb.known() || a.For < 0 || a.For > maxMute {
				t.Errorf("%+v was done for %q", a, body)
			}
		}
		h.acts = nil
	})
}
