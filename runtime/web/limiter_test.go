package web

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// dial connects to a page.
func dial(t *testing.T, s *Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c
}

// asks sends a request on a connection that stays open, and returns the status of the answer, and
// what of it can still be read.
func asks(t *testing.T, c net.Conn, head ...string) (int, *bufio.Reader) {
	t.Helper()
	head = append(head, "Host: 127.0.0.1", "", "")
	if _, err := io.WriteString(c, strings.Join(head, "\r\n")); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(c)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatalf("no answer to %q: %v", head[0], err)
	}
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
	}
	return resp.StatusCode, in
}

// Programs that open connections and send nothing, or half a request, keep nobody else out: who has
// a key gets in, and stays in.
func TestSilentConnectionsLockNobodyOut(t *testing.T) {
	s := serve(t, &host{})
	bearer := "Authorization: Bearer " + keyOf(t, s)
	stream := dial(t, s)
	status, in := asks(t, stream, "GET /events HTTP/1.1", bearer)
	if status != http.StatusOK {
		t.Fatalf("a stream = %d, want 200", status)
	}
	for n := range 300 {
		c := dial(t, s)
		if n%2 == 0 {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n") // it may have given way already
		}
	}
	for _, path := range []string{"/", "/healthz", "/frame?window=none"} {
		want := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[path != "/frame?window=none"]
		if status, _ := asks(t, dial(t, s), "GET "+path+" HTTP/1.1", bearer); status != want {
			t.Errorf("beside 300 silent connections GET %s = %d, want %d", path, status, want)
		}
	}
	s.Listen(frameOf("line@a", 10, "ok"))
	for line := ""; !strings.HasPrefix(line, "event: window"); {
		var err error
		if line, err = in.ReadString('\n'); err != nil {
			t.Fatalf("the stream that was open ends: %v", err)
		}
	}
}

// A stranger has little time for what it sends: for a request, for its body, and between two. Who has
// shown a key has more.
func TestStrangersHaveLittleTime(t *testing.T) {
	t.Parallel() // it waits
	s := serve(t, &host{}, func(s *Server) { s.ln.(*limiter).timeout = 2 * time.Second })
	ends := func(c net.Conn) error {
		_, err := io.Copy(io.Discard, c)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		return nil // closed, with an answer or without
	}
	quiet := dial(t, s)
	half := dial(t, s)
	io.WriteString(half, "GET / HTTP/1.1\r\nHost: 127.0")
	body := dial(t, s)
	io.WriteString(body, "POST /act HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{")
	idle := dial(t, s)
	asks(t, idle, "GET / HTTP/1.1")
	for name, c := range map[string]net.Conn{
		"silent": quiet, "half a request": half, "half a body": body, "idle": idle,
	} {
		if err := ends(c); err != nil {
			t.Errorf("%s: after its time the connection is open", name)
		}
	}
	c := dial(t, s)
	bearer := "Authorization: Bearer " + keyOf(t, s)
	asks(t, c, "GET /frame?window=none HTTP/1.1", bearer)
	if err := c.SetReadDeadline(time.Now().Add(s.ln.(*limiter).timeout + time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := ends(c); err == nil {
		t.Error("a connection that has shown a key is closed like a stranger's")
	}
}

// What has shown a key is counted apart until it closes.
func TestGateCounts(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := newLimiter(ln)
	defer g.Close()
	accept := func() *conn {
		t.Helper()
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		served, err := g.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { served.Close() })
		return served.(*conn)
	}
	all := make([]*conn, 0, maxKnown+maxStrangers)
	for range maxKnown + 1 {
		c := accept()
		c.trust()
		c.trust() // counts once
		all = append(all, c)
	}
	if g.known != maxKnown || len(g.strangers) != 1 {
		t.Errorf("%d are known and %d strangers, want %d, and who found no room as a stranger", g.known,
			len(g.strangers), maxKnown)
	}
	for range maxStrangers {
		all = append(all, accept())
	}
	if len(g.strangers) != maxStrangers || all[maxKnown].standing != gone {
		t.Errorf("%d strangers, want %d and the oldest gone", len(g.strangers), maxStrangers)
	}
	all[maxKnown].trust()
	for _, c := range all {
		_ = c.Close() // some are closed
		_ = c.Close()
	}
	if g.known != 0 || len(g.strangers) != 0 {
		t.Errorf("once all are closed %d are known and %d strangers, want none", g.known, len(g.strangers))
	}
}
