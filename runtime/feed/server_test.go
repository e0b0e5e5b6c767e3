package feed_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/feed"
)

const token = "0123456789abcdef"

// serve runs a feed whose messages arrive on a channel.
func serve(t testing.TB) (o feed.Options, addr string, got chan messages.Message) {
	t.Helper()
	got = make(chan messages.Message, 100)
	dir, err := os.MkdirTemp("", "feed") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o = feed.Options{
		Socket: filepath.Join(dir, "focus.sock"), Addr: "127.0.0.1:0", Token: token,
		Sink: func(m messages.Message) error {
			if s, ok := m.(messages.CameraSnapshot); ok && s.HeadMovementCount == messages.Just(666) {
				return errors.New("full")
			}
			got <- m
			return nil
		},
	}
	s, err := feed.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve() = %v, want none", err)
		}
	})
	return o, s.Addr(), got
}

type reply struct {
	OK    bool
	Line  int
	Code  string
	Error string
}

// tracker is a connection to the socket.
type tracker struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Scanner
}

func dial(t testing.TB, o feed.Options) *tracker {
	t.Helper()
	conn, err := net.Dial("unix", o.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &tracker{t, conn, bufio.NewScanner(conn)}
}

func (c *tracker) send(lines ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *tracker) want(line int, code string) {
	c.t.Helper()
	if !c.in.Scan() {
		c.t.Fatalf("no answer, %v, want one to line %d", c.in.Err(), line)
	}
	var r reply
	if err := json.Unmarshal(c.in.Bytes(), &r); err != nil || r.Line != line || r.Code != code || r.OK != (code == "") || r.OK != (r.Error == "") {
		c.t.Errorf("answer %s, %v, want %q to line %d", c.in.Bytes(), err, code, line)
	}
}

func frame(ms int) string { return fmt.Sprintf(`{"at_ms":%d,"points":null}`, ms) }

// After each kind of bad line the next one is read.
func TestSocketGoesOn(t *testing.T) {
	o, _, got := serve(t)
	c := dial(t, o)
	c.send(frame(10), `nonsense`, frame(5), `{"at_ms":11,"points":[[1,2]]}`, strings.Repeat("x", feed.MaxLine+1),
		`{"camera":{"perclos":3}}`, `{"camera":{"head_movement_count":666}}`, `{"at_ms":12,"points":[],"ack":true}`)
	c.want(2, feed.CodeJSON)
	c.want(3, feed.CodeTime)
	c.want(4, feed.CodePoints)
	c.want(5, feed.CodeLong)
	c.want(6, feed.CodeSnapshot)
	c.want(7, feed.CodeBusy)
	c.want(8, "")
	for _, ms := range []time.Duration{10, 12} {
		if f, ok := (<-got).(messages.FaceFrame); !ok || f.At != ms*time.Millisecond {
			t.Errorf("taken %+v, want the picture at %d ms", f, ms)
		}
	}
}

// Each connection is a session: its clock may begin anew.
func TestConnectionsAreSessions(t *testing.T) {
	o, _, got := serve(t)
	dial(t, o).send(frame(1000))
	first := (<-got).(messages.FaceFrame)
	dial(t, o).send(frame(1))
	if second := (<-got).(messages.FaceFrame); second.Session == first.Session || second.Session == "" {
		t.Errorf("sessions %q and %q, want two", first.Session, second.Session)
	}
}

func TestTooManyConnections(t *testing.T) {
	o, _, _ := serve(t)
	for range 4 {
		c := dial(t, o)
		c.send(`{"at_ms":1,"points":[],"ack":true}`)
		c.want(1, "")
	}
	c := dial(t, o)
	c.want(0, feed.CodeBusy)
	if c.in.Scan() {
		t.Errorf("a fifth connection goes on with %s, want it closed", c.in.Bytes())
	}
}

func TestSocketIsPrivate(t *testing.T) {
	o, _, _ := serve(t)
	info, err := os.Stat(o.Socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the socket = %v, %v, want 0600", info.Mode(), err)
	}
}

type result struct {
	Taken  int
	Errors []reply
}

func post(t *testing.T, addr, query, token, body string) (int, result) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+addr+"/v1/focus"+query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var r result
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		t.Fatalf("POST = %s, %v, want JSON", resp.Status, err)
	}
	return resp.StatusCode, r
}

func TestHTTP(t *testing.T) {
	_, addr, got := serve(t)
	for _, c := range []struct {
		name, query, token, body string
		status, taken            int
		codes                    string
	}{
		{"good", "", token, frame(10) + "\n" + frame(20), 200, 2, ""},
		{"partly", "", token, "x\n" + frame(30) + "\n" + frame(25), 200, 1, "json 1, time 3"},
		{"later request, same session", "", token, frame(29), 400, 0, "time 1"},
		{"another session", "?session=b", token, frame(1), 200, 1, ""},
		{"empty", "", token, "", 400, 0, "json 0"},
		{"no token", "", "", frame(99), 401, 0, "token 0"},
		{"wrong token", "", token + "0", frame(99), 401, 0, "token 0"},
		{"too large", "?session=c", token, strings.Repeat(strings.Repeat("y", 1000)+"\n", 9000), 413, 0, ""},
	} {
		status, r := post(t, addr, c.query, c.token, c.body)
		var codes []string
		for _, e := range r.Errors {
			codes = append(codes, fmt.Sprintf("%s %d", e.Code, e.Line))
		}
		if status != c.status || r.Taken != c.taken || c.status != 413 && strings.Join(codes, ", ") != c.codes {
			t.Errorf("POST(%s) = %d, %d taken, %q, want %d, %d, %q", c.name, status, r.Taken, codes, c.status, c.taken, c.codes)
		}
		if len(r.Errors) > 21 {
			t.Errorf("POST(%s) lists %d errors, want at most 20 and the end", c.name, len(r.Errors))
		}
	}
	if n := len(got); n != 4 {
		t.Errorf("%d pictures were taken, want 4", n)
	}
	resp, err := http.Get("http://" + addr + "/v1/focus")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET = %s, want 405", resp.Status)
	}
}

func TestBadOptions(t *testing.T) {
	sink := func(messages.Message) error { return nil }
	for name, o := range map[string]feed.Options{
		"no sink": {}, "no token": {Sink: sink, Addr: "127.0.0.1:0"}, "not loopback": {Sink: sink, Addr: "0.0.0.0:0", Token: token},
	} {
		if s, err := feed.New(o); !errors.Is(err, feed.ErrOptions) || s != nil {
			t.Errorf("New(%s) = %v, %v, want ErrOptions", name, s, err)
		}
	}
	s, err := feed.New(feed.Options{Sink: sink, Addr: "127.0.0.1:0", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := feed.New(feed.Options{Sink: sink, Addr: s.Addr(), Token: token}); err == nil || !strings.Contains(err.Error(), "focus.feed_addr") {
		t.Errorf("New(port in use) = %v, want what to set", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v, want none", err)
	}
}

func TestToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "feed.token")
	first, err := feed.Token(path)
	if err != nil || len(first) != 32 {
		t.Fatalf("Token() = %q, %v, want 32 characters", first, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the token = %v, %v, want 0600", info, err)
	}
	if again, err := feed.Token(path); err != nil || again != first {
		t.Errorf("Token() = %q, %v the second time, want %q", again, err, first)
	}
	if err := os.WriteFile(path, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Token(path); err == nil || strings.Contains(err.Error(), "short\n") || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("Token(short) = %v, want what to do", err)
	}
}
