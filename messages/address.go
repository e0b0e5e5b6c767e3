package messages

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxAddress is the longest address in bytes.
const MaxAddress = 512

// ErrAddress marks an address that is not of the form kind/key.
var ErrAddress = errors.New("messages: bad address")

// Address names an actor or a worker: "kind/key", for example
// "fusion/line@mac-a". The kind is lower-case ASCII letters; the key is any
// non-empty UTF-8 text without NUL and may itself contain slashes.
type Address string

// To makes the address of the actor of a kind with a key.
func To(kind, key string) Address { return Address(kind + "/" + key) }

// Kind is the part before the first slash.
func (a Address) Kind() string {
	kind, _, _ := strings.Cut(string(a), "/")
	return kind
}

// Key is the part after the first slash, "" if there is none.
func (a Address) Key() string {
	_, key, _ := strings.Cut(string(a), "/")
	return key
}

// Validate returns an error wrapping [ErrAddress] unless a is well formed. The
// error does not show the key, which may name a person.
func (a Address) Validate() error {
	kind, key, ok := strings.Cut(string(a), "/")
	switch {
	case !ok || kind == "" || key == "":
		return fmt.Errorf("%w: %d bytes without a kind or a key: want kind/key", ErrAddress, len(a))
	case len(a) > MaxAddress:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrAddress, len(a), MaxAddress)
	case strings.ContainsRune(key, 0) || !utf8.ValidString(key):
		return fmt.Errorf("%w: kind %q: the key must be UTF-8 without NUL", ErrAddress, kind)
	}
	for _, r := range kind {
		if r < 'a' || r > 'z' {
			return fmt.Errorf("%w: kind %q: it must be lower-case letters a to z", ErrAddress, kind)
		}
	}
	return nil
}
