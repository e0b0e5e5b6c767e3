package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// fakeBackend has entries, and cannot go on after some of them.
type fakeBackend struct {
	Backend
	list  []Entry
	cutAt int // index at which listing fails; -1: never
	asked Query
}

func (f *fakeBackend) Timeline(_ context.Context, q Query, yield func(Entry) error) error {
	f.asked = q
	for i, e := range f.list {
		if i == f.cutAt {
			return errors.New("the disk is gone")
		}
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

func (f *fakeBackend) DiscardDeadLetter(_ context.Context, id string) error {
	if id != "d 1/x" {
		return engine.ErrNoDeadLetter
	}
	return nil
}

// serve puts a backend behind the socket of a new data directory.
func serve(t *testing.T, b Backend) (dir string, c *Client) {
	t.Helper()
	dir = t.TempDir()
	return dir, serveIn(t, dir, b)
}

func serveIn(t *testing.T, dir string, b Backend) *Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, dir, b) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(time.Millisecond) {
		if c, err := Dial(ctx, dir); err == nil {
			t.Cleanup(c.Close)
			return c
		}
	}
	t.Fatal("nothing answers on the socket within a minute")
	return nil
}

func at(s int) Stamp { return Stamp{time.Date(2026, 1, 2, 3, 4, s, 5e6, time.UTC)} }

func TestTheTimelineOverTheSocket(t *testing.T) {
	b := &fakeBackend{cutAt: -1, list: []Entry{
		{Seq: 8, SeenAt: at(1), Message: &Message{ID: "a", Text: "こんにちは\n<&>",
			Parts: []Part{{Kind: messages.KindText, Text: "こんにちは"}}, DeliveredAt: at(2)}},
		{Seq: 9, Event: EventGap, SeenAt: at(3), Gap: &Gap{Visible: 5}},
	}}
	_, c := serve(t, b)
	q := Query{Conversation: "line:花 & co", Since: at(0).Time, After: 7, Limit: 3}
	var got []Entry
	err := c.Timeline(t.Context(), q, func(e Entry) error {
		got = append(got, e)
		return nil
	})
	if err != nil || len(got) != 2 || got[0].Message.Text != b.list[0].Message.Text || got[1].Gap.Visible != 5 ||
		!got[1].SeenAt.Equal(at(3).Time) {
		t.Errorf("Timeline() = %+v, %v, want the two of the backend", got, err)
	}
	if !b.asked.Since.Equal(q.Since) || b.asked.Conversation != q.Conversation || b.asked.After != 7 ||
		b.asked.Limit != 3 {
		t.Errorf("the backend was asked %+v, want %+v", b.asked, q)
	}
}

func TestACutListIsAnError(t *testing.T) {
	_, c := serve(t, &fakeBackend{list: []Entry{{Message: &Message{ID: "a"}}, {Message: &Message{ID: "b"}}}, cutAt: 1})
	if err := c.Timeline(t.Context(), Query{}, func(Entry) error { return nil }); err == nil {
		t.Error("Timeline() = nil for a list that broke off, want an error")
	}
	_, c = serve(t, &fakeBackend{list: []Entry{{Message: &Message{ID: "a"}}}, cutAt: 0})
	err := c.Timeline(t.Context(), Query{}, func(Entry) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("Timeline() = %v, want what the backend said", err)
	}
}

func TestDeadLetterErrorsKeepTheirMeaning(t *testing.T) {
	_, c := serve(t, &fakeBackend{})
	if err := c.DiscardDeadLetter(t.Context(), "d 1/x"); err != nil {
		t.Errorf("DiscardDeadLetter(odd id) = %v, want nil", err)
	}
	if err := c.DiscardDeadLetter(t.Context(), "d2"); !errors.Is(err, engine.ErrNoDeadLetter) {
		t.Errorf("DiscardDeadLetter(d2) = %v, want ErrNoDeadLetter", err)
	}
}

func TestOldAndForeignSockets(t *testing.T) {
	dir := t.TempDir()
	path, err := SocketPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil { // what a kill leaves behind
		t.Fatal(err)
	}
	serveIn(t, dir, &fakeBackend{})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the socket is %v, %v, want 0600", info.Mode().Perm(), err)
	}
	if err := Serve(t.Context(), dir, &fakeBackend{}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("second Serve = %v, want an error that names another process", err)
	}
}

func TestALongPathHasAShortSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("very-long-name/", 20))
	path, err := SocketPath(dir)
	if err != nil || len(path) > maxSocketPath {
		t.Fatalf("SocketPath = %q (%d bytes), %v, want at most %d", path, len(path), err, maxSocketPath)
	}
	t.Cleanup(func() { os.Remove(path) })
	if other, _ := SocketPath(dir + "x"); other == path {
		t.Errorf("two directories have the socket %s", path)
	}
	serveIn(t, dir, &fakeBackend{})
}

// The runtime directory of this user comes before the temporary directory, which
// another user may have prepared.
func TestWhereAShortSocketIs(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("very-long-name/", 20))
	own, tmp := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "tmp")
	if err := errors.Join(os.Mkdir(own, 0o700), os.Mkdir(tmp, 0o777), os.Chmod(tmp, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", own)
	t.Setenv("TMPDIR", tmp)
	if path, err := SocketPath(long); err != nil || filepath.Dir(path) != own {
		t.Errorf("SocketPath = %s, %v, want one in %s", path, err, own)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(own, "x"), nil, 0o600), os.Chmod(own, 0o755)); err != nil {
		t.Fatal(err)
	}
	prepared := filepath.Join(tmp, fmt.Sprintf("kehai-%d", os.Geteuid()))
	if path, err := SocketPath(long); err != nil || filepath.Dir(path) != prepared {
		t.Errorf("SocketPath with an open runtime directory = %s, %v, want one in %s", path, err, prepared)
	}
	if err := errors.Join(os.Mkdir(prepared, 0o777), os.WriteFile(filepath.Join(prepared, "x"), nil, 0o600),
		os.Chmod(prepared, 0o777)); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // as another user does it
		if err := os.Chown(prepared, 3002, 3002); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var exposed *private.Exposed
	if err := Serve(ctx, long, &fakeBackend{}); !errors.As(err, &exposed) || exposed.Path != prepared {
		t.Errorf("Serve in a directory that was prepared = %v, want it refused", err)
	}
}

func TestStamps(t *testing.T) {
	raw, err := json.Marshal(at(1))
	if want := `"2026-01-02T03:04:01.005Z"`; err != nil || string(raw) != want {
		t.Errorf("JSON of a stamp is %s, %v, want %s", raw, err, want)
	}
	var back Stamp
	if err := json.Unmarshal(raw, &back); err != nil || !back.Equal(at(1).Time) {
		t.Errorf("a stamp came back as %v, %v, want %v", back, err, at(1))
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add("line:Hana", "2026-01-02T03:04:05Z", "7", "3")
	f.Add("", "yesterday", "-1", "x")
	f.Fuzz(func(t *testing.T, conversation, since, after, limit string) {
		q, err := parseQuery(map[string][]string{"conversation": {conversation}, "since": {since}, "after": {after},
			"limit": {limit}})
		if err != nil {
			return
		}
		again, err := parseQuery(q.values())
		if err != nil || !again.Since.Equal(q.Since) || again.After != q.After || again.Limit != q.Limit ||
			again.Conversation != q.Conversation {
			t.Errorf("parseQuery(values(%+v)) = %+v, %v", q, again, err)
		}
	})
}

// TestConnectionsAreLimited: a program that opens them without end takes all files of Kehai otherwise.
func TestConnectionsAreLimited(t *testing.T) {
	dir, _ := serve(t, &fakeBackend{})
	path, err := SocketPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	open := make([]net.Conn, maxConnections+1)
	for i := range open {
		if open[i], err = net.Dial("unix", path); err != nil {
			t.Fatal(err)
		}
		defer open[i].Close()
	}
	last := open[maxConnections]
	_, _ = io.WriteString(last, "GET /nothing HTTP/1.0\r\n\r\n") // it may be closed by now
	if got, _ := io.ReadAll(last); len(got) > 0 {
		t.Errorf("connection %d is answered %q, want it closed", len(open), got)
	}
}
