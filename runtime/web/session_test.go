package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// keyed is a page whose keys are in a file, at a time that the test sets.
type keyed struct {
	*testing.T
	path string
	now  time.Time
}

func newKeyed(t *testing.T) *keyed {
	return &keyed{t, filepath.Join(t.TempDir(), "page.sessions"), t0}
}

func (d *keyed) sessions() *Sessions { return NewSessions(d.path, func() time.Time { return d.now }) }

// start starts a server.
func (d *keyed) start() *Server {
	d.Helper()
	o := (&host{}).options()
	o.Sessions = d.sessions()
	s, err := New(o)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { s.Close() })
	return s
}

// opens reports whether a key opens a server.
func (d *keyed) opens(s *Server, key string) bool {
	r, _ := http.NewRequest("GET", "/", nil)
	r.Header.Set("Authorization", "Bearer "+key)
	_, ok := s.admit(r)
	return ok
}

// TestKeysOutliveTheServer for thirty days, if they were used, and no file has them.
func TestKeysOutliveTheServer(t *testing.T) {
	d := newKeyed(t)
	first := d.start()
	used := first.key()
	if !d.opens(first, used) || first.URL() != "http://"+first.Addr()+"/#t="+used {
		t.Fatal("the key of a start does not open the page")
	}
	second := d.start()
	unused := second.key()
	third := d.start()
	info, err := os.Stat(d.path)
	raw, _ := os.ReadFile(d.path)
	if err != nil || info.Mode().Perm() != 0o600 || bytes.Contains(raw, []byte(used)) {
		t.Fatalf("%v, %v: %s; want hashes in a file of mode 600", info, err, raw)
	}
	if !d.opens(third, used) || d.opens(third, unused) || used == unused {
		t.Error("want the used key to outlive its start, and the unused one not")
	}
	d.now = t0.Add(sessionAge - time.Minute)
	if !d.opens(third, used) {
		t.Error("void before thirty days")
	}
	d.now = t0.Add(sessionAge)
	if d.opens(third, used) || len(d.sessions().List()) != 0 {
		t.Error("open after thirty days")
	}
	if !d.opens(third, third.key()) {
		t.Error("the page has no key after thirty days")
	}
	d.now = t0.Add(-2 * sessionAge)
	if !d.opens(third, third.key()) || len(d.sessions().List()) != 1 {
		t.Error("a clock that was set back leaves no key, or an old one")
	}
}

// TestKeysAreRevoked at once, by another process too.
func TestKeysAreRevoked(t *testing.T) {
	d := newKeyed(t)
	s, other := d.start(), d.sessions()
	guest, err := other.Make("c-1")
	if err != nil || guest.Role != control.RoleGuest || !d.opens(s, guest.Key) {
		t.Fatalf("Make() = %+v, %v, want a guest who is let in", guest.PageKey, err)
	}
	if err := other.Revoke("k-none"); err == nil || len(other.List()) != 2 {
		t.Errorf("Revoke of no key = %v with %d keys left, want an error and both", err, len(other.List()))
	}
	if err := other.Revoke(guest.ID); err != nil || d.opens(s, guest.Key) || !d.opens(s, s.key()) {
		t.Errorf("Revoke() = %v, want the guest out and the owner in", err)
	}
	was := s.key()
	if err := other.Revoke(AllKeys); err != nil || d.opens(s, was) {
		t.Errorf("Revoke(all) = %v, want everybody out", err)
	}
	if now := s.key(); now == was || !d.opens(s, now) || d.opens(s, was) {
		t.Error("want another key for whoever asks Kehai for one")
	}
}

// TestAFileOfKeysThatIsNotOurs lets nobody in, and is replaced.
func TestAFileOfKeysThatIsNotOurs(t *testing.T) {
	for what, spoil := range map[string]func(path string){
		"exposed": func(path string) { os.Chmod(path, 0o646) },
		"deleted": func(path string) { os.Remove(path) },
		"damaged": func(path string) { os.WriteFile(path, []byte(`[{"id":`), 0o600) },
		"killed":  func(path string) { os.Remove(path); os.WriteFile(path+".new", nil, 0o644) },
		"a link":  func(path string) { os.Rename(path, path+".2"); os.Symlink(path+".2", path) },
	} {
		d := newKeyed(t)
		s := d.start()
		was := s.key()
		spoil(d.path)
		if d.opens(s, was) {
			t.Errorf("%s: the key still opens the page", what)
		}
		if now := s.key(); !d.opens(s, now) || !d.opens(d.start(), now) {
			t.Errorf("%s: the page cannot be opened any more", what)
		}
	}
}

// TestTheKeyOfAnOlderVersion opens the page as long as it would have, and its file goes.
func TestTheKeyOfAnOlderVersion(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o644} {
		d := newKeyed(t)
		old, key := filepath.Join(filepath.Dir(d.path), "page.token"), strings.Repeat("0123", 8)
		if err := os.WriteFile(old, []byte(key+"\n"), mode); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(old, t0, t0)
		d.now = t0.Add(time.Hour)
		s := d.start()
		if _, err := os.Stat(old); !os.IsNotExist(err) || d.opens(s, key) != (mode == 0o600) {
			t.Errorf("mode %o: the file is there (%v), or its key counts wrongly", mode, err)
		}
		d.now = t0.Add(sessionAge)
		if d.opens(s, key) {
			t.Errorf("mode %o: open after thirty days", mode)
		}
	}
}

// parlour is two conversations, of which one is a guest's.
type parlour struct {
	Talker
	said   []string
	merged messages.ConversationID // where c-1 went
}

func (p *parlour) Conversations(context.Context) ([]control.Conversation, error) {
	return []control.Conversation{{ID: "c-1", App: "web", Name: "hana", Messages: 777}, {ID: "c-2", Name: "taro"}}, nil
}

func (p *parlour) Talk(_ context.Context, c messages.ConversationID, _ control.TalkQuery) (control.Talk, error) {
	if c == "c-1" && p.merged != "" {
		c = p.merged
	}
	return control.Talk{Conversation: c, Drafts: []control.Draft{{Text: "a draft"}}, Messages: []control.Said{
		{Content: "call 090-1234-5678", Meta: control.SaidMeta{ContentHash: "hash"}}}}, nil
}

func (p *parlour) Say(_ context.Context, c messages.ConversationID, s control.Say) (control.Accepted, error) {
	p.said = append(p.said, string(c)+" "+s.Text)
	return control.Accepted{Conversation: c}, nil
}

func (p *parlour) News(_ context.Context, _ messages.ConversationID, _ uint64, seen *control.Token, _ time.Duration) (
	control.News, error) {
	if seen.Content != "" {
		return control.News{Events: []control.TalkEvent{{Seq: 1, Event: control.NewsMessage,
			Message: &control.Said{Content: "call 090-1234-5678"}}}}, context.Canceled
	}
	return control.News{Token: &control.Token{Content: "Yes. call 090-1234-5"}}, nil
}

// TestAGuest sees one conversation, masked, and may say something there.
func TestAGuest(t *testing.T) {
	d, p := newKeyed(t), &parlour{}
	o := (&host{}).options()
	o.Sessions, o.Talk = d.sessions(), p
	o.Mask = func(s string) string { return strings.ReplaceAll(s, "090-1234-5678", "[phone]") }
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	guest, err := s.sessions.Make("c-1")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body, accept string) (int, string) {
		t.Helper()
		return answered(t, s, guest.Key, method, path, body, accept)
	}
	for _, tt := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/v1/conversations", "", 200},
		{"GET", "/v1/conversations/c-1/messages", "", 200},
		{"POST", "/v1/conversations/c-1/messages", `{"text":"hello"}`, 202},
		{"GET", "/v1/conversations/c-1/messages?q=090-1", "", 400}, // by which hidden words could be guessed
		{"GET", "/v1/conversations/c-2/messages", "", 404},
		{"GET", "/v1/conversations/web:hana/messages", "", 404},
		{"POST", "/v1/conversations/c-2/messages", `{"text":"hello"}`, 404},
		{"POST", "/v1/conversations", `{"name":"x"}`, 403},
		{"POST", "/v1/projects", `{}`, 403},
		{"POST", "/v1/conversations/c-1/drafts", `{"id":"c-1/1.1","do":"approve"}`, 403},
		{"GET", "/v1/why?id=m1", "", 403}, {"GET", "/v1/insights", "", 403},
		{"POST", "/v1/memory/search", `{"text":"x"}`, 403}, {"GET", "/v1/memory/event?id=m1", "", 403},
		{"GET", "/v1/memory/run?id=c-1/run.1", "", 403}, {"POST", "/v1/memory/unrelated", `{}`, 403},
		{"GET", "/events", "", 403}, {"GET", "/frame?window=line@a", "", 403}, {"GET", "/masked", "", 403},
		{"GET", "/pipeline", "", 403}, {"GET", "/attention", "", 403}, {"POST", "/act", `{}`, 403},
	} {
		code, body := ask(tt.method, tt.path, tt.body, "")
		if code != tt.want || code == 403 && !strings.Contains(body, `"code":"guest"`) {
			t.Errorf("a guest's %s %s = %d %s, want %d as JSON", tt.method, tt.path, code, body, tt.want)
		}
		for _, private := range []string{"1234", "a draft", "hash", "taro", "777"} {
			if strings.Contains(body, private) {
				t.Errorf("a guest's %s %s = %s, want no %s", tt.method, tt.path, body, private)
			}
		}
	}
	if got := strings.Join(p.said, ","); got != "c-1 hello" {
		t.Errorf("said %q, want it in the guest's conversation only", got)
	}
	_, stream := ask("GET", "/v1/conversations/c-1/messages", "", "text/event-stream")
	if strings.Contains(stream, "1234") || strings.Contains(stream, "call 090") ||
		!strings.Contains(stream, `"Yes."`) {
		t.Errorf("a guest's stream = %s, want whole sentences, masked", stream)
	}
	p.merged = "c-2"
	if code, body := ask("GET", "/v1/conversations/c-1/messages", "", ""); code != 404 {
		t.Errorf("after a merge a guest reads %d %s, want 404", code, body)
	}
	for _, private := range []string{"1234", "a draft"} {
		if _, body := answered(t, s, s.key(), "GET", "/v1/conversations/c-2/messages", "", ""); !strings.Contains(body,
			private) {
			t.Errorf("the owner reads %s, want everything", body)
		}
	}
}

// recorder takes a stream.
type recorder struct{ *httptest.ResponseRecorder }

func (recorder) SetWriteDeadline(time.Time) error { return nil }

// answered asks a server without a network.
func answered(t *testing.T, s *Server, key, method, path, body, accept string) (int, string) {
	t.Helper()
	w := recorder{httptest.NewRecorder()}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Accept", accept)
	s.http.Handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestKeysAreKeptWithoutText: nothing in the file but what says what a key is.
func TestKeysAreKeptWithoutText(t *testing.T) {
	d := newKeyed(t)
	k, err := d.sessions().Make("c-1")
	raw, _ := os.ReadFile(d.path)
	var list []map[string]any
	if err != nil || json.Unmarshal(raw, &list) != nil || len(list) != 1 || list[0]["id"] != k.ID ||
		list[0]["conversation"] != "c-1" || len(list[0]["sha256"].(string)) != 64 {
		t.Errorf("kept %s, %v, want the guest's key", raw, err)
	}
}
