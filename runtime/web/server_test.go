package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/runtime/control"
)

func TestListensOnLoopbackOnly(t *testing.T) {
	for _, addr := range []string{":7411", "0.0.0.0:0", "[::]:0", "192.168.1.7:0", "example.com:80"} {
		o := (&host{}).options()
		o.Addr = addr
		if _, err := New(o); !errors.Is(err, ErrNotLoopback) || !strings.Contains(err.Error(), "use 127.0.0.1:") {
			t.Errorf("New(Addr: %q) = %v, want ErrNotLoopback that says what to use", addr, err)
		}
	}
	for _, addr := range []string{"7411", "127.0.0.1", "127.0.0.1:seven"} {
		o := (&host{}).options()
		o.Addr = addr
		if _, err := New(o); err == nil {
			t.Errorf("New(Addr: %q) = nil, want an error", addr)
		}
	}
}

func TestPortInUse(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	o := (&host{}).options()
	o.Addr = ln.Addr().String()
	_, err = New(o)
	if !errors.Is(err, ErrPortInUse) {
		t.Fatalf("New on a taken port = %v, want ErrPortInUse", err)
	}
	_, port, _ := net.SplitHostPort(o.Addr)
	for _, want := range []string{port, "web.addr", "--no-web"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

func TestNewChecksOptions(t *testing.T) {
	if _, err := New(Options{Addr: "127.0.0.1:0"}); err == nil {
		t.Error("New without Status and Messages = nil, want an error")
	}
	o := (&host{}).options()
	for _, token := range []string{"short", "with blanks, and long enough", "ひらがなのとても長いトークンです"} {
		o.Token = token
		if _, err := New(o); err == nil || strings.Contains(err.Error(), token+"\"") {
			t.Errorf("New with the token %q = %v, want an error without it", token, err)
		}
	}
}

func TestAddressesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 3 {
		s, err := New((&host{}).options())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			code, ok := strings.CutPrefix(s.URL(), "http://"+s.Addr()+"/#c=")
			if !ok || len(code) != 32 || seen[code] {
				t.Errorf("URL() has the code %q, want a new one of 32 hex digits in its fragment", code)
			}
			seen[code] = true
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
		if _, err := net.Dial("tcp", s.Addr()); err == nil {
			t.Errorf("%s is open after Close", s.Addr())
		}
	}
}

// TestTheKeyOfAHost is the only one, and stands in the address.
func TestTheKeyOfAHost(t *testing.T) {
	o := (&host{}).options()
	o.Token = "a-key-of-its-own"
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if want := "http://" + s.Addr() + "/#t=" + o.Token; s.URL() != want {
		t.Errorf("URL() = %q, want %q", s.URL(), want)
	}
	if url, err := s.GuestURL("c-1"); !errors.Is(err, control.ErrNoPage) {
		t.Errorf("GuestURL() = %q, %v, want that there is none", url, err)
	}
	if code, _ := enter(t, s, o.Token); code != http.StatusUnauthorized {
		t.Errorf("the host's key as a code = %d, want 401", code)
	}
}

// Streams, idle connections and requests under way: when Serve returns nothing
// of it is left and the port is free.
func TestServeLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	h := &host{}
	s, err := New(h.options())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	var streams []*follower
	for range 3 {
		f := follow(t, s, "")
		f.until("status")
		streams = append(streams, f)
	}
	idle, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(idle, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", s.Addr())
	if n, err := idle.Read(make([]byte, 12)); n != 12 {
		t.Fatalf("read = %d, %v, want 12 bytes of the answer", n, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve() = %v, want nil", err)
	}
	if s, err := net.Listen("tcp", s.Addr()); err != nil {
		t.Errorf("the port is not free after Serve: %v", err)
	} else {
		s.Close()
	}
	for _, f := range streams {
		f.stop()
	}
	idle.Close()
	transport.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

func TestServeAfterItsContextEnded(t *testing.T) {
	s, err := New((&host{}).options())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Serve(ctx); err != nil {
		t.Errorf("Serve(ended) = %v, want nil", err)
	}
	if _, err := net.Dial("tcp", s.Addr()); err == nil {
		t.Error("the port is open after Serve")
	}
}

func TestServeReportsALostPort(t *testing.T) {
	s, err := New((&host{}).options())
	if err != nil {
		t.Fatal(err)
	}
	s.ln.Close()
	if err := s.Serve(context.Background()); err == nil || !strings.Contains(err.Error(), s.Addr()) {
		t.Errorf("Serve on a closed port = %v, want an error that names it", err)
	}
}

// asked is what a server answers to a key, "" for none.
func asked(t *testing.T, s *Server, path, key string) (int, string) {
	t.Helper()
	r := request(t, s, path)
	if r.Header.Set("Authorization", "Bearer "+key); key == "" {
		r.Header.Del("Authorization")
	}
	w := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

// metered is a page with the keys of an owner, a meter and a guest.
func metered(t *testing.T, o Options) (s *Server, keys map[string]string) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	keys = map[string]string{"nobody": "", "a stranger": randomHex()}
	for who, k := range map[string]control.PageKey{"owner": {Role: control.RoleOwner},
		"meter": {Role: control.RoleMeter}, "guest": {Role: control.RoleGuest, Conversation: "c-1"}} {
		made, err := s.sessions.add(k)
		if err != nil {
			t.Fatal(err)
		}
		keys[who] = made.Key
	}
	return s, keys
}

// TestHealthz tells everybody whether all is well, and why not to who may know.
func TestHealthz(t *testing.T) {
	h := &host{}
	s, keys := metered(t, h.options())
	for _, tt := range []struct {
		health error
		code   int
		why    string
	}{
		{nil, 200, ""},
		{errors.New("window a cannot be captured"), 503, `"window a cannot be captured"`},
		{errors.Join(errors.New("one"), errors.Join(errors.New("two"), fmt.Errorf("three: %w", errBroken))), 503,
			`"one","two","three: store is closed"`},
	} {
		h.set(func(h *host) { h.health = tt.health })
		for who, key := range keys {
			want := fmt.Sprintf(`{"healthy":%v}`, tt.health == nil)
			if tt.health != nil && (who == "owner" || who == "meter") {
				want = `{"healthy":false,"reasons":[` + tt.why + `]}`
			}
			if code, got := asked(t, s, "/healthz", key); code != tt.code || got != want {
				t.Errorf("GET /healthz as %s = %d %s, want %d %s", who, code, got, tt.code, want)
			}
		}
	}
}

// TestMetricsNeedAKey, of the owner or of a meter, who has nothing else.
func TestMetricsNeedAKey(t *testing.T) {
	o := (&host{attention: &Attention{Desk: "a"}, act: func(context.Context, Act) error { return nil }}).options()
	o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "kehai_actors 1\n") })
	o.Talk, o.Mask = &parlour{}, strings.ToUpper
	s, keys := metered(t, o)
	for who, want := range map[string]int{"nobody": 401, "a stranger": 401, "guest": 403, "owner": 200, "meter": 200} {
		code, body := asked(t, s, "/metrics", keys[who])
		if code != want || (want == 200) != strings.Contains(body, "kehai_actors 1") {
			t.Errorf("GET /metrics as %s = %d %q, want %d", who, code, body, want)
		}
	}
	for _, path := range append(closedPaths, "/v1/conversations", "/v1/conversations/c-1/messages", "/v1/insights") {
		if code, body := asked(t, s, path, keys["meter"]); code != http.StatusForbidden ||
			!strings.Contains(body, "nothing else") {
			t.Errorf("GET %s as a meter = %d %s, want 403", path, code, body)
		}
	}
	for _, path := range []string{"/act", "/faces", "/metrics"} {
		r := request(t, s, path)
		r.Method = http.MethodPost
		r.Header.Set("Authorization", "Bearer "+keys["meter"])
		r.Header.Set("Origin", "http://"+s.Addr())
		w := httptest.NewRecorder()
		if s.http.Handler.ServeHTTP(w, r); w.Code != http.StatusForbidden {
			t.Errorf("POST %s as a meter = %d, want 403", path, w.Code)
		}
	}
}
