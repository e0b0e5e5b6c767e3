package keyring

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Shared is a key on its way between machines that share the rows sealed with it, and
// therefore the node's key with which it is wrapped.
type Shared struct {
	engine.Key
	Wrapped []byte `json:"wrapped"`
}

// ErrShared marks a key from another machine that is none, or is wrapped with another
// node's key.
var ErrShared = errors.New("keyring: a key from another machine is damaged, or of another cluster")

// ErrOther is returned by [Ring.Put] if there is another key for the same subject.
var ErrOther = errors.New("keyring: there is another key already")

// IDOf names the key that a subject has or would have.
func (r *Ring) IDOf(subject string) (string, error) {
	r.disk.Lock()
	defer r.disk.Unlock()
	n, err := r.nodeKey(true)
	if err != nil {
		return "", err
	}
	return n.id(subject).String(), nil
}

// KeyID names the key that a row was sealed with; ok is false for the node's own.
func KeyID(sealed []byte) (name string, ok bool) {
	if len(sealed) < idBytes || id(sealed[:idBytes]) == (id{}) {
		return "", false
	}
	return hex.EncodeToString(sealed[:idBytes]), true
}

// maxPrint bounds a fingerprint in bytes, should it become longer.
const maxPrint = 128

// CheckKey reports a key from another machine that no key here can be called.
func CheckKey(k engine.Key) error {
	_, err := parseID(k.ID)
	if _, herr := hex.DecodeString(k.Fingerprint); err == nil && (herr != nil || k.Fingerprint == "" ||
		len(k.Fingerprint) > maxPrint) {
		err = fmt.Errorf("%w: it has no fingerprint", ErrShared)
	}
	return err
}

// Take returns the key with an id, for another machine; ok is false if there is none.
func (r *Ring) Take(name string) (s Shared, ok bool, err error) {
	of, err := parseID(name)
	if err != nil {
		return s, false, err
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	k, err := r.load(of)
	switch {
	case isAbsent(err):
		return s, false, nil
	case err != nil:
		return s, false, err
	}
	raw, _, err := r.files.read(name)
	return Shared{engine.Key{ID: name, Fingerprint: k.print}, raw}, err == nil, err
}

// Draw makes a key for an id and keeps it nowhere: [Ring.Put] does that once others have it.
func (r *Ring) Draw(name string) (s Shared, err error) {
	of, err := parseID(name)
	if err != nil {
		return s, err
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	n, err := r.nodeKey(true)
	if err != nil {
		return s, err
	}
	wrapped, k, err := r.draw(n, of)
	if err != nil {
		return s, err
	}
	return Shared{engine.Key{ID: name, Fingerprint: k.print}, wrapped}, nil
}

// Put keeps a key from another machine, or one that was drawn. If there is another one
// already it fails with [ErrOther], or replaces it.
func (r *Ring) Put(s Shared, replace bool) error {
	of, err := parseID(s.ID)
	if err != nil {
		return err
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	n, err := r.nodeKey(false)
	if err != nil {
		return err
	}
	secret, err := n.unwrap(of, s.Wrapped)
	if err != nil {
		return ErrShared
	}
	k := keyOf(of, secret)
	if k.print != s.Fingerprint {
		return ErrShared
	}
	there, err := r.load(of)
	switch {
	case err == nil && there.print == k.print:
		return nil
	case err == nil && !replace:
		return ErrOther
	case err != nil && !isAbsent(err):
		return err
	}
	if err := r.files.write(s.ID, s.Wrapped); err != nil {
		return err
	}
	r.drop(of)
	return nil
}

// DestroyKey destroys a key, if it is the one that its id has now.
func (r *Ring) DestroyKey(which engine.Key) error {
	of, err := parseID(which.ID)
	if err != nil {
		return err
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	k, err := r.load(of)
	if isAbsent(err) || err == nil && k.print != which.Fingerprint {
		return nil
	}
	if err != nil && !errors.Is(err, engine.ErrNoKey) { // a damaged one goes too
		return err
	}
	if err := r.files.destroy(which.ID); err != nil {
		return err
	}
	r.drop(of)
	return nil
}

// drop forgets what is cached of a key.
func (r *Ring) drop(of id) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, of)
	r.sealed.key = nil
	for subject, k := range r.byName {
		if k.id == of {
			delete(r.byName, subject)
		}
	}
}

func parseID(name string) (of id, err error) {
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) != idBytes || hex.EncodeToString(raw) != name || id(raw) == (id{}) {
		return of, fmt.Errorf("%w: %q names no key", ErrShared, name)
	}
	return id(raw), nil
}
