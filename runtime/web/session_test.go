package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
	r, _ := http.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+key)
	_, ok := s.admit(r)
	return ok
}

// enter changes a code of a server for a key.
func enter(t *testing.T, s *Server, code string) (status int, key string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/enter", nil)
	r.Header.Set("Authorization", "Code "+code)
	s.http.Handler.ServeHTTP(w, r)
	noCookies(t, &http.Response{Header: w.Header(), Request: r})
	var k control.NewPageKey
	if w.Code == http.StatusOK && json.Unmarshal(w.Body.Bytes(), &k) != nil || w.Code == http.StatusUnauthorized &&
		!strings.Contains(w.Body.String(), "run kehai page for another one") {
		t.Errorf("POST /enter = %d %s, want a key, or what to do", w.Code, w.Body)
	}
	return w.Code, k.Key
}

// entered is a key of an address that is opened for the first time.
func (d *keyed) entered(s *Server) string {
	d.Helper()
	_, code, _ := strings.Cut(s.URL(), "/#c=")
	status, key := enter(d.T, s, code)
	if status != http.StatusOK || !d.opens(s, key) || d.opens(s, code) {
		d.Fatalf("an address that is opened first = %d, want a key that opens the page", status)
	}
	return key
}

// TestAnAddressOpensThePageOnce, within ten minutes, at the server that printed it.
func TestAnAddressOpensThePageOnce(t *testing.T) {
	d := newKeyed(t)
	s := d.start()
	codeOf := func() string {
		_, code, _ := strings.Cut(s.URL(), "/#c=")
		return code
	}
	code := codeOf()
	status, key := enter(t, s, code)
	if status != http.StatusOK || !d.opens(s, key) || key == code {
		t.Fatalf("the first opening = %d, want a key of its own", status)
	}
	if status, again := enter(t, s, code); status != http.StatusUnauthorized || again != "" || !d.opens(s, key) {
		t.Errorf("the second opening = %d %q, want 401 and the first page to go on", status, again)
	}
	raw, _ := os.ReadFile(d.path)
	if waiting := codeOf(); bytes.Contains(raw, []byte(key)) || bytes.Contains(raw, []byte(codeHash(waiting))) {
		t.Errorf("the file has %s, want only hashes of keys", raw)
	}
	late, early := codeOf(), codeOf()
	d.now = t0.Add(codeAge - time.Second)
	if status, _ := enter(t, s, early); status != http.StatusOK {
		t.Errorf("before ten minutes are over = %d, want 200", status)
	}
	d.now = t0.Add(codeAge)
	if status, _ := enter(t, s, late); status != http.StatusUnauthorized {
		t.Errorf("after ten minutes = %d, want 401", status)
	}
	elsewhere := codeOf()
	if status, _ := enter(t, d.start(), elsewhere); status != http.StatusUnauthorized {
		t.Errorf("at the next start = %d, want 401", status)
	}
	back := codeOf()
	d.now = t0.Add(-codeAge)
	if status, _ := enter(t, s, back); status != http.StatusUnauthorized {
		t.Errorf("after the clock was set back = %d, want 401", status)
	}
	first := codeOf()
	for range maxCodes {
		codeOf()
	}
	if status, _ := enter(t, s, first); status != http.StatusUnauthorized || len(s.sessions.codes) != maxCodes {
		t.Errorf("the oldest of too many = %d, %d wait, want 401 and %d", status, len(s.sessions.codes), maxCodes)
	}
	if status, _ := enter(t, s, ""); status != http.StatusUnauthorized {
		t.Errorf("no code = %d, want 401", status)
	}
}

// TestAnAddressIsOpenedByMany at the same moment: one of them has the page.
func TestAnAddressIsOpenedByMany(t *testing.T) {
	d := newKeyed(t)
	s := d.start()
	_, code, _ := strings.Cut(s.URL(), "/#c=")
	var all sync.WaitGroup
	var keys atomic.Int32
	for range 8 {
		all.Go(func() {
			if status, _ := enter(t, s, code); status == http.StatusOK {
				keys.Add(1)
			}
		})
	}
	if all.Wait(); keys.Load() != 1 || len(s.sessions.List()) != 1 {
		t.Errorf("%d pages were opened, and %d keys are kept, want one", keys.Load(), len(s.sessions.List()))
	}
}

// TestAKeyThatCannotBeKept leaves its code, so that the page opens once it can.
func TestAKeyThatCannotBeKept(t *testing.T) {
	d := newKeyed(t)
	s := d.start()
	_, code, _ := strings.Cut(s.URL(), "/#c=")
	dir := filepath.Dir(d.path)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if status, _ := enter(t, s, code); status != http.StatusServiceUnavailable {
		t.Errorf("without a place for the key = %d, want 503", status)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if status, key := enter(t, s, code); status != http.StatusOK || !d.opens(s, key) {
		t.Errorf("then = %d, want the page open", status)
	}
}

// TestKeysOutliveTheServer for thirty days, and no file has them; not so the unused ones of the
// starts of an older version.
func TestKeysOutliveTheServer(t *testing.T) {
	d := newKeyed(t)
	first := d.start()
	key := d.entered(first)
	used, err := first.sessions.add(control.PageKey{Role: control.RoleOwner, Start: true, Used: true})
	unused, failed := first.sessions.add(control.PageKey{Role: control.RoleOwner, Start: true})
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	second := d.start()
	info, err := os.Stat(d.path)
	raw, _ := os.ReadFile(d.path)
	if err != nil || info.Mode().Perm() != 0o600 || bytes.Contains(raw, []byte(key)) {
		t.Fatalf("%v, %v: %s; want hashes in a file of mode 600", info, err, raw)
	}
	if !d.opens(second, key) || !d.opens(second, used.Key) || d.opens(second, unused.Key) {
		t.Error("want the used keys to outlive their start, and the unused one not")
	}
	d.now = t0.Add(sessionAge - time.Minute)
	if !d.opens(second, key) {
		t.Error("void before thirty days")
	}
	d.now = t0.Add(sessionAge)
	if d.opens(second, key) || len(d.sessions().List()) != 0 {
		t.Error("open after thirty days")
	}
	d.entered(second)
	d.now = t0.Add(-2 * sessionAge)
	if d.entered(second); len(d.sessions().List()) != 1 {
		t.Error("a clock that was set back leaves an old key")
	}
}

// TestKeysAreRevoked at once, by another process too, and with all of them what waits.
func TestKeysAreRevoked(t *testing.T) {
	d := newKeyed(t)
	s, other := d.start(), d.sessions()
	owner := d.entered(s)
	guest, err := other.add(control.PageKey{Role: control.RoleGuest, Conversation: "c-1"})
	if err != nil || guest.Role != control.RoleGuest || !d.opens(s, guest.Key) {
		t.Fatalf("add() = %+v, %v, want a guest who is let in", guest.PageKey, err)
	}
	if err := other.Revoke("k-none"); err == nil || len(other.List()) != 2 {
		t.Errorf("Revoke of no key = %v with %d keys left, want an error and both", err, len(other.List()))
	}
	if err := other.Revoke(guest.ID); err != nil || d.opens(s, guest.Key) || !d.opens(s, owner) {
		t.Errorf("Revoke() = %v, want the guest out and the owner in", err)
	}
	if err := other.Revoke(AllKeys); err != nil || d.opens(s, owner) {
		t.Errorf("Revoke(all) = %v, want everybody out", err)
	}
	_, waits, _ := strings.Cut(s.URL(), "/#c=")
	if err := s.sessions.Revoke(AllKeys); err != nil {
		t.Error(err)
	}
	if status, _ := enter(t, s, waits); status != http.StatusUnauthorized {
		t.Errorf("an address that was printed before all was revoked = %d, want 401", status)
	}
	if now := d.entered(s); now == owner || d.opens(s, owner) {
		t.Error("want another key for whoever asks Kehai for one")
	}
}

// TestAMeter has a key for a year, that no older version takes for the owner's; and so has a role of
// a newer version nothing here.
func TestAMeter(t *testing.T) {
	d := newKeyed(t)
	s := d.start()
	meter, err := s.sessions.Make(control.RoleMeter)
	raw, _ := os.ReadFile(d.path)
	if err != nil || !d.opens(s, meter.Key) || bytes.Contains(raw, []byte(hashOf(control.RoleOwner, meter.Key))) {
		t.Errorf("Make() = %v, kept %s; want it let in, and no hash of a key of the page", err, raw)
	}
	d.now = t0.Add(meterAge - time.Minute)
	if !d.opens(s, meter.Key) {
		t.Error("void before a year")
	}
	d.now = t0.Add(meterAge)
	if d.opens(s, meter.Key) {
		t.Error("open after a year")
	}
	later, err := s.sessions.Make("auditor")
	if code, body := answered(t, s, later.Key, "GET", "/attention", "", ""); err != nil ||
		code != http.StatusUnauthorized {
		t.Errorf("a role of a later version, %v = %d %s, want 401", err, code, body)
	}
}

// TestAGuestsAddressIsForgotten with the conversation.
func TestAGuestsAddressIsForgotten(t *testing.T) {
	d := newKeyed(t)
	s := d.start()
	var codes []string
	for _, c := range []messages.ConversationID{"c-1", "c-2"} {
		link, err := s.GuestURL(c)
		_, code, ok := strings.Cut(link, "/chat#c=")
		if err != nil || !ok {
			t.Fatalf("GuestURL() = %q, %v", link, err)
		}
		codes = append(codes, code)
	}
	if err := s.sessions.Forget([]messages.ConversationID{"c-1"}); err != nil {
		t.Fatal(err)
	}
	if status, _ := enter(t, s, codes[0]); status != http.StatusUnauthorized {
		t.Errorf("an address of what was forgotten = %d, want 401", status)
	}
	_, key := enter(t, s, codes[1])
	if k, ok := s.sessions.find(key); !ok || k.Role != control.RoleGuest || k.Conversation != "c-2" {
		t.Errorf("the other address opens %+v, %v, want a guest's", k, ok)
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
		was := d.entered(s)
		spoil(d.path)
		if d.opens(s, was) {
			t.Errorf("%s: the key still opens the page", what)
		}
		if now := d.entered(s); !d.opens(d.start(), now) {
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
	guest, err := s.sessions.add(control.PageKey{Role: control.RoleGuest, Conversation: "c-1"})
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
		_, body := answered(t, s, keyOf(t, s), "GET", "/v1/conversations/c-2/messages", "", "")
		if !strings.Contains(body, private) {
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
	k, err := d.sessions().add(control.PageKey{Role: control.RoleGuest, Conversation: "c-1"})
	raw, _ := os.ReadFile(d.path)
	var list []map[string]any
	if err != nil || json.Unmarshal(raw, &list) != nil || len(list) != 1 || list[0]["id"] != k.ID ||
		list[0]["conversation"] != "c-1" || len(list[0]["sha256"].(string)) != 64 {
		t.Errorf("kept %s, %v, want the guest's key", raw, err)
	}
}
