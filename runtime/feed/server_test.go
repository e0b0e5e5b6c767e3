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
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/feed"
)

const token = "0123456789abcdef"

// serve runs a feed whose messages arrive on a channel.
func serve(t testing.TB) (o feed.Options, addr string, got chan messages.Message) {
	t.Helper()
	return serveAt(t, time.Now)
}

func serveAt(t testing.TB, now func() time.Time) (o feed.Options, addr string, got chan messages.Message) {
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
	s.SetNow(now)
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
	if err := json.Unmarshal(c.in.Bytes(), &r); err != nil || r.Line != line || r.Code != code ||
		r.OK != (code == "") || r.OK != (r.Error == "") {
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
	for _, at := range []time.Duration{10 * time.Millisecond, 12 * time.Millisecond} {
		if f, ok := (<-got).(messages.FaceFrame); !ok || f.At != at {
			t.Errorf("taken %+v, want the picture at %v", f, at)
		}
	}
}

// Each connection is a session: its clock may begin anew. The end of one makes
// room for the next at once.
func TestConnectionsAreSessions(t *testing.T) {
	var stopped clock
	o, _, got := serveAt(t, stopped.now)
	one, two := dial(t, o), dial(t, o)
	one.send(frame(1000))
	first := (<-got).(messages.FaceFrame)
	one.conn.Close()
	for tries := 1; ; tries++ {
		two.send(`{"at_ms":1,"points":[],"ack":true}`)
		if !two.in.Scan() || tries > 1e5 {
			t.Fatalf("a session that ended keeps the next one out, %v", two.in.Err())
		}
		if strings.Contains(two.in.Text(), `"ok":true`) {
			break // the server has seen the end of the first
		}
	}
	if second := (<-got).(messages.FaceFrame); second.Session == first.Session || second.Session == "" {
		t.Errorf("sessions %q and %q, want two", first.Session, second.Session)
	}
}

func TestTooManyConnections(t *testing.T) {
	o, _, _ := serve(t)
	for _, code := range []string{"", feed.CodeBusy, feed.CodeBusy, feed.CodeBusy} {
		c := dial(t, o)
		c.send(`{"at_ms":1,"points":[],"ack":true}`)
		c.want(1, code)
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
		{"another tracker", "?session=b", token, frame(1), 503, 0, "busy 1"},
		{"another tracker, partly bad", "?session=b", token, "x\n" + frame(1), 400, 0, "json 1, busy 2"},
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
			t.Errorf("POST(%s) = %d, %d taken, %q, want %d, %d, %q", c.name, status, r.Taken, codes, c.status, c.taken,
				c.codes)
		}
		if len(r.Errors) > 21 {
			t.Errorf("POST(%s) lists %d errors, want at most 20 and the end", c.name, len(r.Errors))
		}
	}
	if n := len(got); n != 3 {
		t.Errorf("%d pictures were taken, want 3", n)
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

// clock is set by hand.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.passed.Load()) }

func (c *clock) advance(d time.Duration) { c.passed.Add(int64(d)) }

// One tracker is heard at a time, whether it sends pictures or snapshots and by
// whichever way, and the others are told so.
func TestOneTrackerAtATime(t *testing.T) {
	var now clock
	o, addr, got := serveAt(t, now.now)
	a, b := dial(t, o), dial(t, o)
	const snapshot = `{"camera":{"face_detected":true},"ack":true}`
	a.send(`{"at_ms":1,"points":[],"ack":true}`)
	a.want(1, "")
	b.send(`{"at_ms":1,"points":[],"ack":true}`, snapshot)
	b.want(1, feed.CodeBusy)
	b.want(2, feed.CodeBusy)
	b.send(`{"ack":true}`) // is no tracker's work
	b.want(3, "")
	if status, r := post(t, addr, "", token, frame(1)); status != 503 || r.Taken != 0 || len(r.Errors) != 1 ||
		r.Errors[0].Code != feed.CodeBusy {
		t.Errorf("POST(while another is at work) = %d, %+v, want 503 and busy", status, r)
	}
	now.advance(9 * time.Second)
	a.send(snapshot) // prolongs
	a.want(2, "")
	now.advance(9 * time.Second)
	b.send(snapshot)
	b.want(4, feed.CodeBusy)
	now.advance(time.Second)
	b.send(snapshot)
	b.want(5, "")
	a.send(snapshot)
	a.want(3, feed.CodeBusy)
	if n := len(got); n != 3 {
		t.Errorf("%d messages were taken, want 3", n)
	}
}

// What is known of a session's time stays while others post.
func TestSessionsOfHTTP(t *testing.T) {
	var now clock
	_, addr, _ := serveAt(t, now.now)
	try := func(session string, ms, status int, code string) {
		t.Helper()
		now.advance(time.Minute) // any other tracker is gone
		got, r := post(t, addr, "?session="+session, token, frame(ms))
		if got != status || code != "" && (len(r.Errors) != 1 || r.Errors[0].Code != code) {
			t.Errorf("POST(%s, %d ms) = %d, %+v, want %d %s", session, ms, got, r, status, code)
		}
	}
	try("a", 10, 200, "")
	try("b", 5, 200, "")
	try("a", 7, 400, feed.CodeTime)
	try("b", 4, 400, feed.CodeTime)
	for i := range 7 {
		try(fmt.Sprint("c", i), 1, 200, "")
	}
	try("b", 3, 400, feed.CodeTime) // still one of eight
	try("a", 1, 200, "")            // pushed out
}

// A client that is slow to send keeps nobody waiting.
func TestSlowRequest(t *testing.T) {
	_, addr, _ := serve(t)
	var slow []net.Conn
	begin := func() net.Conn {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		// The server answers this once a handler reads the body.
		fmt.Fprintf(conn, "POST /v1/focus HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
			"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n", addr, token)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, "100") && !strings.Contains(line, "503") {
			t.Fatalf("beginning of a request = %q, %v, want it to be read or refused", line, err)
		}
		if strings.Contains(line, "100") {
			slow = append(slow, conn)
			fmt.Fprint(conn, `{"at_ms":`)
		}
		return conn
	}
	begin()
	if status, r := post(t, addr, "", token, frame(1)); status != 200 || r.Taken != 1 {
		t.Errorf("POST() beside half a request = %d, %+v, want it taken", status, r)
	}
	for range 4 {
		begin()
	}
	if len(slow) != 4 {
		t.Errorf("%d requests are read at once, want 4", len(slow))
	}
	if status, r := post(t, addr, "", token, frame(2)); status != 503 || len(r.Errors) != 1 ||
		r.Errors[0].Code != feed.CodeBusy {
		t.Errorf("POST() beside four halves = %d, %+v, want 503 and busy", status, r)
	}
}

func TestBadOptions(t *testing.T) {
	sink := func(messages.Message) error { return nil }
	for name, o := range map[string]feed.Options{
		"no sink": {}, "no token": {Sink: sink, Addr: "127.0.0.1:0"}, "not loopback": {Sink: sink, Addr: "0.0.0.0:0",
			Token: token},
	} {
		if s, err := feed.New(o); !errors.Is(err, feed.ErrOptions) || s != nil {
			t.Errorf("New(%s) = %v, %v, want ErrOptions", name, s, err)
		}
	}
	s, err := feed.New(feed.Options{Sink: sink, Addr: "127.0.0.1:0", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := feed.New(feed.Options{Sink: sink, Addr: s.Addr(), Token: token}); err == nil ||
		!strings.Contains(err.Error(), "focus.feed_addr") {
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
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if got, err := feed.Token(path); err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) {
		t.Errorf("Token(one that others read) = %q, %v, want it refused, and what to do", got, err)
	}
	if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("short\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := feed.Token(path); err == nil || strings.Contains(err.Error(), "short\n") ||
		!strings.Contains(err.Error(), "delete the file") {
		t.Errorf("Token(short) = %v, want what to do", err)
	}
}
