package invite

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// host is a member that invites.
type host struct {
	id       *identity.Identity
	issuer   Issuer
	now      time.Time
	admitted []string
}

func newHost(t *testing.T) *host {
	t.Helper()
	id, err := identity.Found(filepath.Join(t.TempDir(), "data"), "mac-a", "192.0.2.1:7412", noon)
	if err != nil {
		t.Fatal(err)
	}
	return &host{id: id, now: noon}
}

func (h *host) code() Code {
	s, _ := h.issuer.Invite(h.now)
	return Code{Authority: h.id.Fingerprint(), Secret: s, Addresses: []string{"192.0.2.1:7412"}}
}

func (h *host) admit(_ context.Context, r identity.Request) (identity.Grant, error) {
	m, err := h.id.Book().Joins(r)
	if err != nil {
		return identity.Grant{}, err
	}
	b := h.id.Book().With(m)
	b.Version++
	if err := h.id.Keep(b); err != nil {
		return identity.Grant{}, err
	}
	h.admitted = append(h.admitted, m.Node)
	return h.id.Grant(r, h.now)
}

// connect serves one connection of a machine that joins.
func (h *host) connect(context.Context, string) (net.Conn, error) {
	theirs, mine, err := pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		conn := tls.Server(mine, &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{Protocol},
			Certificates: []tls.Certificate{*h.id.Certificate()}})
		if conn.Handshake() != nil {
			mine.Close()
			return
		}
		_ = h.issuer.Serve(context.Background(), conn, h.now, h.admit) // the one that joins says what is wrong
	}()
	return theirs, nil
}

// pipe is a connection over loopback.
func pipe() (a, b net.Conn, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer ln.Close()
	if a, err = net.Dial("tcp", ln.Addr().String()); err == nil {
		b, err = ln.Accept()
	}
	return a, b, err
}

func (h *host) join(t *testing.T, c Code, node string) (*identity.Identity, error) {
	t.Helper()
	r, key, err := identity.Ask(cluster.Peer{Node: node, Address: "192.0.2.2:7412", Role: cluster.Voter})
	if err != nil {
		t.Fatal(err)
	}
	g, err := Join(t.Context(), c, r, h.connect)
	if err != nil {
		return nil, err
	}
	return identity.Enter(filepath.Join(t.TempDir(), "data"), r, key, g)
}

// A code lets one machine in, once.
func TestJoin(t *testing.T) {
	h := newHost(t)
	c, err := Parse(h.code().String())
	if err != nil {
		t.Fatal(err)
	}
	id, err := h.join(t, c, "mac-b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := id.Admits(h.id.Certificate().Leaf, noon); err != nil {
		t.Errorf("who joined does not know who invited: %v", err)
	}
	if _, err := h.join(t, c, "mac-c"); !errors.Is(err, ErrUsed) {
		t.Errorf("the code again = %v, want %v", err, ErrUsed)
	}
	if _, err := h.join(t, h.code(), "mac-b"); err == nil || !strings.Contains(err.Error(), "set node: NAME") {
		t.Errorf("a machine of a taken name = %v, want how to set another", err)
	}
	if len(h.admitted) != 1 {
		t.Errorf("%q were admitted, want mac-b", h.admitted)
	}
}

// Codes that are wrong, late or of another cluster let nobody in, and each says what to do.
func TestRefusedCodes(t *testing.T) {
	h := newHost(t)
	late, unknown, foreign := h.code(), h.code(), h.code()
	unknown.Secret[3] ^= 1
	foreign.Authority[3] ^= 1
	h.now = h.now.Add(Lifetime + time.Second)
	if !h.issuer.Open(h.now) || h.issuer.Open(h.now.Add(Lifetime)) {
		t.Error("a late code is not told, or told for ever")
	}
	for _, c := range []struct {
		code Code
		want error
	}{{late, ErrLate}, {unknown, ErrUnknown}, {foreign, ErrNobody}} {
		if _, err := h.join(t, c.code, "mac-b"); !errors.Is(err, c.want) {
			t.Errorf("Join() = %v, want %v", err, c.want)
		}
	}
	if len(h.admitted) > 0 {
		t.Errorf("%q were admitted", h.admitted)
	}
	if (&Issuer{}).Open(noon) {
		t.Error("an issuer without codes is open")
	}
}

// Somebody who knows a code's name but not its secret may guess five times; then even the
// secret is void. The member answers only those who know the secret.
func TestGuesses(t *testing.T) {
	h := newHost(t)
	c := h.code()
	for n := range maxTries + 1 {
		a, b, err := pipe()
		if err != nil {
			t.Fatal(err)
		}
		server := tls.Server(b, &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{
			*h.id.Certificate()}})
		served := make(chan error, 1)
		go func() {
			err := server.Handshake()
			if err == nil {
				err = h.issuer.Serve(t.Context(), server, noon, h.admit)
			}
			served <- err
		}()
		conn := tls.Client(a, &tls.Config{InsecureSkipVerify: true})
		l := newLines(conn)
		if err := l.write(hello{Code: c.Secret.name(), Proof: []byte("guess")}); err != nil {
			t.Fatal(err)
		}
		var got answer
		if err := l.read(&got); err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: "wrong", false: "tried"}[n < maxTries]
		if got.Refused != want || got.Proof != nil || got.Grant != nil {
			t.Errorf("guess %d is answered %+v, want only %s", n, got, want)
		}
		if err := <-served; err == nil {
			t.Error("Serve() of a guess = nil")
		}
		conn.Close()
	}
	if _, err := h.join(t, c, "mac-b"); !errors.Is(err, ErrTried) {
		t.Errorf("Join() after guesses = %v, want %v", err, ErrTried)
	}
}

// A proof is good for its own connection only: somebody between the two cannot pass it on.
func TestAProofIsBound(t *testing.T) {
	h := newHost(t)
	var s Secret
	state := func() *tls.ConnectionState {
		a, b, err := pipe()
		if err != nil {
			t.Fatal(err)
		}
		server := tls.Server(b, &tls.Config{Certificates: []tls.Certificate{*h.id.Certificate()}})
		go server.Handshake()
		conn := tls.Client(a, &tls.Config{InsecureSkipVerify: true})
		if err := conn.Handshake(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		st := conn.ConnectionState()
		return &st
	}
	one, err := s.proof("joins", state())
	if err != nil {
		t.Fatal(err)
	}
	if other, err := s.proof("joins", state()); err != nil || bytes.Equal(one, other) {
		t.Errorf("the proofs for two connections are equal, %v", err)
	}
}

func TestCodesAreForgiving(t *testing.T) {
	c := Code{Authority: identity.Fingerprint{1, 2}, Secret: Secret{3}, Addresses: []string{"192.0.2.1:7412",
		"[2001:db8::1]:7412"}}
	text := c.String()
	for _, same := range []string{text, strings.ToUpper(text), " " + strings.ReplaceAll(text, "-", " ") + "\n",
		strings.ReplaceAll(text, "-", "")} {
		if got, err := Parse(same); err != nil || got.String() != text {
			t.Errorf("Parse(%q) = %v, %v", same, got, err)
		}
	}
	for _, bad := range []string{"", "kehai-", text[:len(text)-1], text + "a", strings.Replace(text, "a", "b", 1),
		strings.TrimPrefix(text, "kehai-"), strings.Repeat("kehai-", 1000)} {
		if _, err := Parse(bad); !errors.Is(err, ErrCode) {
			t.Errorf("Parse(%q) = %v, want %v", bad, err, ErrCode)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Code{Addresses: []string{"192.0.2.1:7412"}}.String())
	f.Add("kehai-aaaa-aaaa")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(c.String()); err != nil || again.String() != c.String() {
			t.Errorf("Parse() of a printed code = %v, %v", again, err)
		}
	})
}

// Whatever a stranger sends as lines: an error or a value, and never more than a bound.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"code":"a","proof":"AA=="}` + "\n"))
	f.Add([]byte(`{"node":"a","address":"b:1","role":"voter","proof":""}` + "\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := bufio.NewReader(bytes.NewReader(raw))
		var h hello
		var is Issuer
		is.Invite(noon)
		if readLine(in, &h) == nil {
			if _, err := is.redeem(h, &tls.ConnectionState{Version: tls.VersionTLS13}, noon); err == nil {
				t.Error("a stranger redeems a code")
			}
		}
		var r identity.Request
		_ = readLine(in, &r)
		var a answer
		_ = readLine(in, &a)
	})
}
