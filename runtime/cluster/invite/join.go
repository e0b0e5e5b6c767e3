package invite

import (
	"context"
	"crypto/hmac"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster/identity"
)

// ErrNobody says that no member was found where a code says that it listens.
var ErrNobody = errors.New("nobody of that cluster answers to the code: is `kehai run` running there since the code " +
	"was made, at most ten minutes ago, and are both machines in one network?")

// joinWithin bounds how long a member may take to admit a machine.
const joinWithin = 2 * time.Minute

// Join brings a code to the member that gave it, and returns what it grants. Connect opens
// a connection; nil means TCP.
func Join(ctx context.Context, c Code, r identity.Request,
	connect func(ctx context.Context, address string) (net.Conn, error)) (identity.Grant, error) {
	if connect == nil {
		connect = func(ctx context.Context, address string) (net.Conn, error) {
			return (&net.Dialer{Timeout: turnWithin}).DialContext(ctx, "tcp", address)
		}
	}
	var failed error
	for _, address := range c.Addresses {
		conn, err := connect(ctx, address)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		g, met, err := c.ask(ctx, conn, r)
		if met || err == nil {
			return g, err
		}
		failed = errors.Join(failed, err)
	}
	return identity.Grant{}, fmt.Errorf("invite: %w: %w", ErrNobody, failed)
}

// ask carries out the exchange. Met says that the other end is a member of the cluster that
// the code names.
func (c Code) ask(ctx context.Context, raw net.Conn, r identity.Request) (g identity.Grant, met bool, err error) {
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	conn := tls.Client(raw, &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{Protocol},
		InsecureSkipVerify: true, // the fingerprint of the code decides, not the system's authorities
		VerifyConnection: func(s tls.ConnectionState) error {
			return c.verify(s)
		},
	})
	conn.SetDeadline(time.Now().Add(turnWithin))
	if err := conn.HandshakeContext(ctx); err != nil {
		return g, false, fmt.Errorf("invite: %w", err)
	}
	l, state := newLines(conn), conn.ConnectionState()
	proof, err := c.Secret.proof("joins", &state)
	if err == nil {
		err = l.write(hello{Code: c.Secret.name(), Proof: proof})
	}
	var a answer
	if err == nil {
		err = l.read(&a)
	}
	if err != nil {
		return g, true, err
	}
	if a.Refused != "" {
		return g, true, refusal(a.Refused)
	}
	if theirs, err := c.Secret.proof("invites", &state); err != nil || !hmac.Equal(theirs, a.Proof) {
		return g, true, errors.New("invite: who answers does not know the code: `kehai cluster invite` prints a " +
			"new one")
	}
	if err := l.write(r); err != nil {
		return g, true, err
	}
	conn.SetReadDeadline(time.Now().Add(joinWithin))
	a = answer{}
	if err := readLine(l.in, &a); err != nil {
		return g, true, err
	}
	if a.Error != "" || a.Grant == nil {
		return g, true, fmt.Errorf("invite: the cluster refuses: %s", a.Error)
	}
	return *a.Grant, true, nil
}

// verify checks that the other end has a certificate of the authority that the code names.
func (c Code) verify(s tls.ConnectionState) error {
	chain := s.PeerCertificates
	if s.NegotiatedProtocol != Protocol || len(chain) != 2 || identity.FingerprintOf(chain[1]) != c.Authority {
		return errors.New("invite: who answers is not of the cluster that the code names")
	}
	if err := chain[0].CheckSignatureFrom(chain[1]); err != nil {
		return errors.New("invite: who answers has no certificate of the cluster that the code names")
	}
	return nil
}

func refusal(name string) error {
	if err, ok := codes[name]; ok {
		return fmt.Errorf("invite: %w", err)
	}
	return fmt.Errorf("invite: %w", ErrUnknown)
}
