package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/feed"
)

// feedFrom sends text to a real feed and returns what was reported.
func feedFrom(t *testing.T, in io.Reader) (taken []messages.Message, report string, err error) {
	t.Helper()
	got := make(chan messages.Message, 1000)
	socket := filepath.Join(t.TempDir(), "f")
	server, err := feed.New(feed.Options{Socket: socket, Sink: func(m messages.Message) error { got <- m; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve() = %v, want none", err)
		}
	}()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var b bytes.Buffer
	c := feedClient{conn: conn, report: terminal{Writer: &b}}
	err = c.feed(t.Context(), in)
	for len(got) > 0 {
		taken = append(taken, <-got)
	}
	return taken, b.String(), err
}

func TestFocusFeed(t *testing.T) {
	const snapshot = `{"camera":{"face_detected":true},"ack":true}`
	for _, c := range []struct {
		name, in string
		taken    int
		report   string
		err      string
	}{
		{"good", `{"at_ms":0,"points":[]}` + "\r\n\n" + snapshot, 2, "2 lines were taken\n", ""},
		{"bad lines", "secret\n\n" + `{"at_ms":1,"points":[[1,2]]}` + "\n" + snapshot + "\n", 1,
			"line 1: feed: no JSON object\n" +
				"line 3: feed: 1 points: want 478 (MediaPipe), 68 (OpenFace), or none without a face\n",
			"2 of 3 lines were refused"},
		{"long line", strings.Repeat("x", 2<<20) + "\n" + snapshot, 1,
			"line 1: feed: a line is longer than 262144 bytes\n", "1 of 2 lines were refused"},
		{"many bad lines", strings.Repeat("x\n", 30), 0,
			strings.Repeat("line\n", 20) + "further lines that are refused are only counted\n",
			"30 of 30 lines were refused"},
		{"empty", "\n", 0, "", "no lines"},
	} {
		taken, report, err := feedFrom(t, strings.NewReader(c.in))
		if c.name == "many bad lines" {
			for line := range strings.Lines(report) {
				if strings.HasPrefix(line, "line ") {
					report = strings.Replace(report, line, "line\n", 1)
				}
			}
		}
		if len(taken) != c.taken || report != c.report || !failedWith(err, c.err) {
			t.Errorf("feed(%s) = %d taken, %q, %v, want %d, %q, %q",
				c.name, len(taken), report, err, c.taken, c.report, c.err)
		}
	}
}

// failedWith says whether an error has some text; "" stands for no error.
func failedWith(err error, text string) bool {
	if err == nil || text == "" {
		return err == nil && text == ""
	}
	return strings.Contains(err.Error(), text)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestFocusFeedFails(t *testing.T) {
	torn := errors.New("torn")
	in := io.MultiReader(strings.NewReader(`{"at_ms":0,"points":[]}`+"\n"), failing{torn})
	if _, _, err := feedFrom(t, in); !errors.Is(err, torn) || !strings.Contains(err.Error(), "after 1 lines") {
		t.Errorf("feed(a file that cannot be read) = %v, want %v after 1 lines", err, torn)
	}
	// A feed that has no place for one more tracker says so and hangs up.
	ours, theirs := net.Pipe()
	go func() {
		io.WriteString(theirs, `{"ok":false,"code":"busy","error":"feed: too many trackers are connected"}`+"\n")
		theirs.Close()
	}()
	c := feedClient{conn: ours, report: terminal{Writer: io.Discard}}
	err := c.feed(t.Context(), strings.NewReader(strings.Repeat("x\n", 100)))
	if !failedWith(err, "too many trackers") {
		t.Errorf("feed(no place) = %v, want why", err)
	}
}

// A file is sent at the pace of its times.
func TestFocusFeedPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		began := time.Now()
		var at []time.Duration
		go func() {
			defer theirs.Close()
			var buf [256]byte
			for {
				n, err := theirs.Read(buf[:])
				if err != nil {
					t.Errorf("Read() = %v", err)
					return
				}
				at = append(at, time.Since(began))
				if string(buf[:n]) == `{"ack":true}`+"\n" {
					break
				}
			}
			io.WriteString(theirs, `{"ok":true,"line":7}`+"\n")
		}()
		var b bytes.Buffer
		c := feedClient{conn: ours, report: terminal{Writer: &b}, paced: true}
		const in = `{"at_ms":1790000000000,"points":[]}
{"at_ms":1790000000500.5,"points":[]}
{"camera":{}}
{"at_ms":1790000060500,"points":[]}
{"at_ms":5,"points":[]}
{"at_ms":105,"points":[]}
`
		if err := c.feed(t.Context(), strings.NewReader(in)); err != nil {
			t.Fatalf("feed() = %v", err)
		}
		want := []float64{0, 0.5, 0.5, 60.5, 60.5, 60.6, 60.6}
		if len(at) != len(want) {
			t.Fatalf("%d lines were sent, want %d", len(at), len(want))
		}
		for i, s := range want {
			if d := at[i].Seconds() - s; d < -0.01 || d > 0.01 {
				t.Errorf("line %d was sent after %v, want %v s", i+1, at[i], s)
			}
		}
		const report = "the next line comes in 1m0s; --fast does not wait\n" +
			"4 lines sent, 0 refused\n6 lines were taken\n"
		if b.String() != report {
			t.Errorf("reported %q, want %q", b.String(), report)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go io.Copy(io.Discard, theirs)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		c := feedClient{conn: ours, report: terminal{Writer: io.Discard}, paced: true}
		in := strings.NewReader(`{"at_ms":0}` + "\n" + `{"at_ms":9e12}` + "\n")
		if err := c.feed(ctx, in); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("feed(stopped) = %v, want %v", err, context.DeadlineExceeded)
		}
	})
}
