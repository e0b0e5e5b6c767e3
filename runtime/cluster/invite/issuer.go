package invite

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster/identity"
)

// Errors of a code that is refused.
var (
	ErrUnknown = errors.New("the cluster does not know this code: it is of another one, or that Kehai was started " +
		"anew since: `kehai cluster invite` prints a new code")
	ErrUsed  = errors.New("this code was used already: `kehai cluster invite` prints a new one")
	ErrLate  = errors.New("this code is too old: `kehai cluster invite` prints a new one, valid for ten minutes")
	ErrTried = errors.New("this code was tried with a wrong secret too often and is void: `kehai cluster invite` " +
		"prints a new one")
	ErrWrong = errors.New("the secret of this code is wrong: copy it anew, or `kehai cluster invite` prints a new one")
)

var codes = map[string]error{"unknown": ErrUnknown, "used": ErrUsed, "late": ErrLate, "tried": ErrTried,
	"wrong": ErrWrong}

const (
	maxTries   = 5       // with one code
	maxOpen    = 16      // codes, the ended ones included
	maxLine    = 1 << 20 // bytes
	turnWithin = 20 * time.Second
)

// Protocol is the ALPN name of the exchange.
const Protocol = "kehai-join/1"

// Issuer holds the invitations of a member. They are lost with the process. Methods may be
// called concurrently.
type Issuer struct {
	mu   sync.Mutex
	list []*invitation // the oldest first
}

type invitation struct {
	secret Secret
	ends   time.Time
	tries  int
	used   bool
}

// Invite makes the secret of a new code.
func (is *Issuer) Invite(now time.Time) (s Secret, ends time.Time) {
	rand.Read(s[:]) // never fails
	is.mu.Lock()
	defer is.mu.Unlock()
	i := &invitation{secret: s, ends: now.Add(Lifetime)}
	if is.list = append(is.list, i); len(is.list) > maxOpen {
		is.list = is.list[1:]
	}
	return s, i.ends
}

// Open reports whether somebody may still come with a code: without any, a member
// does not speak with strangers at all. A code is remembered a while longer than it
// is valid, so that its bearer learns why it is refused.
func (is *Issuer) Open(now time.Time) bool {
	is.mu.Lock()
	defer is.mu.Unlock()
	for _, i := range is.list {
		if now.Before(i.ends.Add(Lifetime)) {
			return true
		}
	}
	return false
}

// hello opens the exchange: the name of the code and the proof of its secret.
type hello struct {
	Code  string `json:"code"`
	Proof []byte `json:"proof"`
}

// answer is what the member says to a hello, and then to a request.
type answer struct {
	Refused string          `json:"refused,omitempty"` // a name of codes
	Error   string          `json:"error,omitempty"`   // words
	Proof   []byte          `json:"proof,omitempty"`
	Grant   *identity.Grant `json:"grant,omitempty"`
}

// name names a code without telling it.
func (s Secret) name() string {
	sum := sha256.Sum256(append([]byte("kehai code\n"), s[:]...))
	return hex.EncodeToString(sum[:8])
}

// proof shows that one side of a connection knows the secret.
func (s Secret) proof(side string, conn *tls.ConnectionState) ([]byte, error) {
	bound, err := conn.ExportKeyingMaterial("EXPORTER-kehai-join", nil, 32)
	if err != nil {
		return nil, fmt.Errorf("invite: %w", err)
	}
	mac := hmac.New(sha256.New, s[:])
	mac.Write([]byte(side + "\n"))
	mac.Write(bound)
	return mac.Sum(nil), nil
}

// redeem uses up the code of a hello.
func (is *Issuer) redeem(h hello, conn *tls.ConnectionState, now time.Time) (Secret, error) {
	is.mu.Lock()
	defer is.mu.Unlock()
	for _, i := range is.list {
		if i.secret.name() != h.Code {
			continue
		}
		want, err := i.secret.proof("joins", conn)
		switch {
		case err != nil:
			return Secret{}, err
		case i.tries >= maxTries:
			return Secret{}, ErrTried
		case !hmac.Equal(want, h.Proof):
			i.tries++
			return Secret{}, ErrWrong
		case i.used:
			return Secret{}, ErrUsed
		case now.After(i.ends):
			return Secret{}, ErrLate
		}
		i.used = true
		return i.secret, nil
	}
	return Secret{}, ErrUnknown
}

// Serve answers one machine that wants to join, and closes the connection. The lines, each
// one JSON object:
//
//	joins    {"code":"hash of the secret","proof":"MAC over the connection"}
//	member   {"proof":"MAC over the connection"} or {"refused":"late"}
//	joins    identity.Request
//	member   {"grant":{…}} or {"error":"words"}
//
// Admit makes the machine a member. The error is about whoever came.
func (is *Issuer) Serve(ctx context.Context, conn *tls.Conn, now time.Time,
	admit func(context.Context, identity.Request) (identity.Grant, error)) error {
	defer conn.Close()
	l := newLines(conn)
	var h hello
	if err := l.read(&h); err != nil {
		return err
	}
	state := conn.ConnectionState()
	secret, err := is.redeem(h, &state, now)
	if err != nil {
		for name, sentinel := range codes {
			if errors.Is(err, sentinel) {
				return errors.Join(fmt.Errorf("invite: %w", err), l.write(answer{Refused: name}))
			}
		}
		return err
	}
	mine, err := secret.proof("invites", &state)
	if err == nil {
		err = l.write(answer{Proof: mine})
	}
	var r identity.Request
	if err == nil {
		err = l.read(&r)
	}
	if err != nil {
		return err
	}
	conn.SetDeadline(time.Time{}) // admit has its own
	g, err := admit(ctx, r)
	if err != nil {
		return errors.Join(err, l.write(answer{Error: err.Error()}))
	}
	return l.write(answer{Grant: &g})
}

// lines are JSON objects, one a line, of bounded size and within bounded time.
type lines struct {
	conn *tls.Conn
	in   *bufio.Reader
}

func newLines(conn *tls.Conn) *lines {
	return &lines{conn: conn, in: bufio.NewReader(io.LimitReader(conn, 2*maxLine))}
}

func (l *lines) read(v any) error {
	l.conn.SetReadDeadline(time.Now().Add(turnWithin))
	return readLine(l.in, v)
}

func readLine(in *bufio.Reader, v any) error {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxLine {
			return errors.New("invite: a line is too long")
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("invite: %w", err)
		}
	}
	if json.Unmarshal(line, v) != nil { // its error would quote a stranger
		return errors.New("invite: a line is not of this protocol")
	}
	return nil
}

func (l *lines) write(v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		l.conn.SetWriteDeadline(time.Now().Add(turnWithin))
		_, err = l.conn.Write(append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("invite: %w", err)
	}
	return nil
}
