package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// member is a machine with its wires.
type member struct {
	*Transport
	id      *identity.Identity
	now     *time.Time
	refused chan error
}

func listen(t *testing.T, id *identity.Identity, g Guests) *member {
	t.Helper()
	now := noon
	m := &member{id: id, now: &now, refused: make(chan error, 16)}
	var err error
	m.Transport, err = Listen(Options{Identity: id, Address: "127.0.0.1:0", Now: func() time.Time { return now },
		Refused: func(_ net.Addr, err error) { m.refused <- err }, Guests: g})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func found(t *testing.T) *identity.Identity {
	t.Helper()
	id, err := identity.Found(filepath.Join(t.TempDir(), "data"), "mac-a", "127.0.0.1:1", noon)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// pair are two members that know each other.
func pair(t *testing.T) (a, b *member) {
	t.Helper()
	first := found(t)
	r, key, err := identity.Ask(cluster.Peer{Node: "mac-b", Address: "127.0.0.1:2", Role: cluster.Voter})
	if err != nil {
		t.Fatal(err)
	}
	m, err := first.Book().Joins(r)
	if err != nil {
		t.Fatal(err)
	}
	book := first.Book().With(m)
	book.Version++
	if err := first.Keep(book); err != nil {
		t.Fatal(err)
	}
	g, err := first.Grant(r, noon)
	if err != nil {
		t.Fatal(err)
	}
	second, err := identity.Enter(filepath.Join(t.TempDir(), "data"), r, key, g)
	if err != nil {
		t.Fatal(err)
	}
	a, b = listen(t, first, Guests{}), listen(t, second, Guests{})
	a.Moved("mac-b", b.Addr().String())
	b.Moved("mac-a", a.Addr().String())
	return a, b
}

// Members open streams and ask each other, by the address of the book or by name, wherever
// the other is now.
func TestMembers(t *testing.T) {
	a, b := pair(t)
	a.Answer("echo", func(_ context.Context, from string, request []byte) ([]byte, error) {
		if string(request) == "fail" {
			return nil, errors.New("nothing is there: look elsewhere")
		}
		return append([]byte(from+" says "), request...), nil
	})
	for _, address := range []string{"127.0.0.1:1", "mac-a", a.Addr().String()} {
		got, err := b.Ask(t.Context(), address, "echo", []byte("hello"))
		if err != nil || string(got) != "mac-b says hello" {
			t.Errorf("Ask(%s) = %q, %v", address, got, err)
		}
	}
	if _, err := b.Ask(t.Context(), "mac-a", "echo", []byte("fail")); err == nil ||
		err.Error() != "nothing is there: look elsewhere" {
		t.Errorf("Ask() of a failing service = %v, want its words", err)
	}
	if _, err := b.Ask(t.Context(), "mac-a", "none", nil); err == nil {
		t.Error("Ask() of no service = nil")
	}
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := a.Accept()
		if err == nil {
			accepted <- c
		}
		close(accepted)
	}()
	c, err := b.Dial("127.0.0.1:1", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := <-accepted
	if _, err := c.Write([]byte("log")); err != nil || !ok {
		t.Fatal(err, ok)
	}
	got := make([]byte, 3)
	if _, err := io.ReadFull(s, got); err != nil || string(got) != "log" {
		t.Errorf("the stream brings %q, %v", got, err)
	}
	// It goes on at another address.
	if err := a.Rebind("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	b.Moved("mac-a", a.Addr().String())
	b.Sweep()
	if _, err := b.Ask(t.Context(), "mac-a", "echo", nil); err != nil {
		t.Errorf("Ask() of a member that moved = %v", err)
	}
	if c, err := b.Dial(b.Addr().String(), time.Minute); err == nil {
		defer c.Close()
		if _, err := a.Ask(t.Context(), "mac-b", "none", nil); err == nil {
			t.Error("Ask() of no service = nil")
		}
	}
}

// Another machine that took over an address is not taken for its owner.
func TestAnAddressThatAnotherMemberTook(t *testing.T) {
	a, b := pair(t)
	b.Moved("mac-a", b.Addr().String())
	if c, err := b.Dial("mac-a", time.Minute); err == nil {
		c.Close()
		t.Error("Dial(mac-a) reaches mac-b")
	}
	_ = a
}

// Whoever is foreign, revoked or out of date gets nothing, and what it has open is cut.
func TestWhoIsRefused(t *testing.T) {
	a, b := pair(t)
	stranger := listen(t, found(t), Guests{})
	a.Answer("echo", func(context.Context, string, []byte) ([]byte, error) { return nil, nil })
	refused := func(what string, by *member, want error) {
		t.Helper()
		if _, err := by.Ask(t.Context(), a.Addr().String(), "echo", nil); err == nil {
			t.Errorf("%s: Ask() = nil", what)
		}
		if err := <-a.refused; by != stranger && !errors.Is(err, want) { // the stranger refuses first
			t.Errorf("%s: refused with %v, want %v", what, err, want)
		}
	}
	if _, err := b.Ask(t.Context(), "mac-a", "echo", nil); err != nil {
		t.Fatal(err)
	}
	refused("foreign", stranger, identity.ErrForeign)
	raw := tls.Client(dial(t, a), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocolAsk},
		Certificates: []tls.Certificate{*stranger.id.Certificate()}})
	want(t, raw, a, identity.ErrForeign)
	*a.now = noon.Add(identity.Lifetime + time.Second)
	b.Sweep()
	a.Sweep()
	refused("a second too old", b, identity.ErrExpired)
	*a.now = noon
	if _, err := b.Ask(t.Context(), "mac-a", "echo", nil); err != nil {
		t.Fatal(err)
	}
	open, err := b.Dial("mac-a", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	served, err := a.Accept()
	if err != nil {
		t.Fatal(err)
	}
	book := a.id.Book().Without("mac-b", noon)
	book.Version++
	if err := a.id.Keep(book); err != nil {
		t.Fatal(err)
	}
	a.Sweep()
	if _, err := served.Read(make([]byte, 1)); err == nil {
		t.Error("the stream of a revoked member goes on")
	}
	b.Sweep()
	refused("revoked", b, identity.ErrRevoked)
}

func dial(t *testing.T, a *member) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// want checks that a peer is refused after it has presented itself.
func want(t *testing.T, c *tls.Conn, a *member, sentinel error) {
	t.Helper()
	_ = c.Handshake() // the refusal may come only with the first read
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("who is refused reads %d bytes", n)
	}
	if err := <-a.refused; !errors.Is(err, sentinel) {
		t.Errorf("refused with %v, want %v", err, sentinel)
	}
}

// A request that is malformed, too large or makes a service panic costs only its connection.
func TestMalformed(t *testing.T) {
	a, b := pair(t)
	a.Answer("echo", func(_ context.Context, _ string, request []byte) ([]byte, error) { return request, nil })
	a.Answer("panic", func(context.Context, string, []byte) ([]byte, error) { panic("on purpose") })
	a.Answer("large", func(context.Context, string, []byte) ([]byte, error) {
		return make([]byte, cluster.MaxAsk+1), nil
	})
	for _, bytes := range []string{"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff", strings.Repeat("\x00", 4096)} {
		c := dial(t, a)
		if _, err := io.WriteString(c, bytes); err != nil {
			t.Fatal(err)
		}
		c.(*net.TCPConn).CloseWrite()
		if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Error(err)
		}
		<-a.refused
	}
	inside, err := b.dial(t.Context(), "mac-a", protocolAsk)
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	if _, err := io.WriteString(inside, "NONSENSE\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(inside); err != nil || !bytes.HasPrefix(got, []byte("HTTP/1.1 400")) {
		t.Errorf("nonsense of a member is answered with %q, %v, want it refused and cut", got, err)
	}
	for _, service := range []string{"panic", "large", "../x"} {
		if _, err := b.Ask(t.Context(), "mac-a", service, nil); err == nil {
			t.Errorf("Ask(%s) = nil", service)
		}
	}
	if _, err := b.Ask(t.Context(), "mac-a", "echo", make([]byte, cluster.MaxAsk+1)); err == nil {
		t.Error("Ask() of too many bytes = nil")
	}
	if got, err := b.Ask(t.Context(), "mac-a", "echo", make([]byte, cluster.MaxAsk)); err != nil ||
		len(got) != cluster.MaxAsk {
		t.Errorf("Ask() afterwards = %d bytes, %v", len(got), err)
	}
}

// Guests are served only while somebody is invited, and without a certificate they get
// nothing else.
func TestGuests(t *testing.T) {
	open := false
	a := listen(t, found(t), Guests{Protocol: "guest", Open: func(time.Time) bool { return open },
		Serve: func(_ context.Context, c *tls.Conn) { c.Write([]byte("welcome")); c.Close() }})
	come := func(protocol string) string {
		c := tls.Client(dial(t, a), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
		got, _ := io.ReadAll(c)
		return string(got)
	}
	if got := come("guest"); got != "" {
		t.Errorf("an uninvited guest reads %q", got)
	}
	open = true
	if got := come("guest"); got != "welcome" {
		t.Errorf("a guest reads %q, want to be welcome", got)
	}
	for _, protocol := range []string{protocolLog, protocolAsk, "other"} {
		if got := come(protocol); got != "" {
			t.Errorf("a guest reads %q as %s", got, protocol)
		}
	}
}

// Two packages that give one name to different services are found at the start.
func TestServiceTwice(t *testing.T) {
	m := listen(t, found(t), Guests{})
	one := func(context.Context, string, []byte) ([]byte, error) { return nil, nil }
	m.Answer("greet", one)
	defer func() {
		if recover() == nil {
			t.Error("a second answer took the place of the first one")
		}
	}()
	m.Answer("greet", one)
}
