package invite

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster/identity"
)

// Code is what a person carries from a member to the machine that joins.
type Code struct {
	Authority identity.Fingerprint
	Secret    Secret
	Addresses []string // where the member listens, the likeliest first
}

// Secret is known to whoever has the code.
type Secret [16]byte

// Lifetime is how long a code is valid.
const Lifetime = 10 * time.Minute

// ErrCode marks what is no code, or a mistyped one.
var ErrCode = errors.New("this is no whole code: copy all that `kehai cluster invite` has printed")

const (
	codeHead     = "kehai-"
	codeVersion  = 1
	sumBytes     = 4
	maxAddresses = 4
	maxCode      = 2048 // characters
	group        = 6    // characters between dashes
)

var alphabet = base32.StdEncoding.WithPadding(base32.NoPadding)

// String is the code as it is printed; it holds the secret.
func (c Code) String() string {
	raw := append([]byte{codeVersion}, c.Authority[:]...)
	raw = append(raw, c.Secret[:]...)
	raw = append(raw, strings.Join(c.Addresses, ",")...)
	sum := sha256.Sum256(raw)
	text := strings.ToLower(alphabet.EncodeToString(append(raw, sum[:sumBytes]...)))
	var b strings.Builder
	b.WriteString(codeHead)
	for n, r := range text {
		if n > 0 && n%group == 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Parse reads a code as a person pasted it: spaces, line breaks, dashes and the case of
// letters do not matter.
func Parse(text string) (Code, error) {
	var c Code
	if len(text) > maxCode {
		return c, fmt.Errorf("invite: %w", ErrCode)
	}
	text = strings.ToUpper(strings.NewReplacer("-", "", " ", "", "\n", "", "\r", "", "\t", "").Replace(text))
	text, ok := strings.CutPrefix(text, strings.ToUpper(strings.TrimSuffix(codeHead, "-")))
	raw, err := alphabet.DecodeString(text)
	at := 1 + len(c.Authority) + len(c.Secret)
	if !ok || err != nil || len(raw) < at+sumBytes || alphabet.EncodeToString(raw) != text {
		return c, fmt.Errorf("invite: %w", ErrCode)
	}
	body, sum := raw[:len(raw)-sumBytes], sha256.Sum256(raw[:len(raw)-sumBytes])
	if string(raw[len(body):]) != string(sum[:sumBytes]) {
		return c, fmt.Errorf("invite: %w", ErrCode)
	}
	if body[0] != codeVersion {
		return c, fmt.Errorf("invite: the code is of another version of Kehai: use the same on both machines")
	}
	copy(c.Authority[:], body[1:])
	copy(c.Secret[:], body[1+len(c.Authority):])
	c.Addresses = strings.Split(string(body[at:]), ",")
	if len(c.Addresses) > maxAddresses {
		return c, fmt.Errorf("invite: %w", ErrCode)
	}
	for _, a := range c.Addresses {
		if identity.CheckAddress(a) != nil {
			return c, fmt.Errorf("invite: %w", ErrCode)
		}
	}
	return c, nil
}
