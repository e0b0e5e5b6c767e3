package keyring

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/kehai-run/kehai/runtime/engine"
)

const (
	idBytes    = 16
	keyBytes   = 32
	nonceBytes = 12
	tagBytes   = 16
	nonceRun   = 64 // nonces from one random start
	// maxCached bounds the keys in memory.
	maxCached = 4096
)

// id names a key, in its file's name and in each row sealed with it. A subject always has
// the same id, which reveals nothing about it without the node's key. The node's id is
// zero.
type id [idBytes]byte

func (i id) String() string { return hex.EncodeToString(i[:]) }

func (i id) compare(o id) int { return bytes.Compare(i[:], o[:]) }

// Ring holds the keys of one data directory. Its methods may be called concurrently; the
// store's lock ensures that only one process uses it. Writing a new key does not delay
// callers whose key is known.
type Ring struct {
	disk  sync.Mutex // held while files is used; taken before mu
	files keyFiles

	mu     sync.Mutex
	rand   io.Reader
	node   *node // nil: not read yet
	byName map[string]*key
	byID   map[id]*key
	last   [nonceBytes]byte // the last nonce
	unused int              // how many may follow it
	sealed struct {         // with which key the last row was sealed: the next one is often about the same
		subject string
		key     *key
	}
}

var _ engine.Sealer = (*Ring)(nil)

// node holds what is derived from the node's key.
type node struct {
	names []byte      // makes ids
	wrap  cipher.AEAD // wraps the other keys
	rows  *key        // seals what is not about a person
}

type key struct {
	id    id
	aead  cipher.AEAD
	print string
	other []byte // makes keys for other uses
}

func keyOf(of id, secret []byte) *key {
	sum := sha256.Sum256(append([]byte("kehai key fingerprint\n"), secret...))
	return &key{of, aeadOf(secret), hex.EncodeToString(sum[:idBytes]), derived(secret, "kehai other keys")}
}

func derived(secret []byte, use string) []byte {
	k, err := hkdf.Key(sha256.New, secret, nil, use, keyBytes)
	if err != nil {
		panic("keyring: derive a key: " + err.Error()) // only for lengths that are not ours
	}
	return k
}

// Open opens the ring of a directory, and fails if a key of its list is gone. It creates nothing
// until something is sealed, so that a lost directory is noticed, not replaced.
func Open(dir string) (*Ring, error) { return openRing(&directory{path: dir}) }

// OpenAlone is Open in a program without Kehai's command line: errors name none of its commands.
func OpenAlone(dir string) (*Ring, error) { return openRing(&directory{path: dir, alone: true}) }

func openRing(files *directory) (*Ring, error) {
	dir := files.path
	if err := os.RemoveAll(dir + unfinished); err != nil { // copies of keys, from a [Restore] that was killed
		return nil, fmt.Errorf("keyring: %w", err)
	}
	if err := files.tidy(); err != nil {
		return nil, err
	}
	return newRing(files, rand.Reader), nil
}

// Reader returns a ring that opens what the keys of a directory sealed, also while another
// process uses them. It must seal nothing.
func Reader(dir string) *Ring { return newRing(&directory{path: dir}, nil) }

// Memory returns a ring that is not stored, for tests and simulations. Keys and nonces
// come from random; nil means the system's. The same random bytes in the same order give
// the same sealed rows.
func Memory(random io.Reader) *Ring {
	if random == nil {
		random = rand.Reader
	}
	return newRing(memory{}, random)
}

func newRing(files keyFiles, random io.Reader) *Ring {
	return &Ring{files: files, rand: random, byName: map[string]*key{}, byID: map[id]*key{}}
}

// Len is how many subjects have keys.
func (r *Ring) Len() int {
	r.disk.Lock()
	defer r.disk.Unlock()
	return r.files.count()
}

// Ready makes the key of a subject if it has none.
func (r *Ring) Ready(subject string) error {
	_, err := r.keyOf(subject)
	return err
}

// Seal implements [engine.Sealer].
func (r *Ring) Seal(to []byte, subject string, place, plain []byte) ([]byte, error) {
	var nonce [nonceBytes]byte
	r.mu.Lock()
	if r.sealed.key == nil || r.sealed.subject != subject {
		r.sealed.subject, r.sealed.key = subject, r.known(subject)
	}
	k, err := r.sealed.key, r.nextNonce(&nonce)
	r.mu.Unlock()
	if err == nil && k == nil {
		k, err = r.keyOf(subject)
	}
	if err != nil {
		return nil, err
	}
	to = append(append(to, k.id[:]...), nonce[:]...)
	return k.aead.Seal(to, to[len(to)-nonceBytes:], plain, place), nil
}

// Print is the fingerprint of a subject's key if that is in memory, so that rows are sealed with it without
// a look at the disk.
func (r *Ring) Print(subject string) (print string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := r.known(subject); k != nil {
		return k.print, true
	}
	return "", false
}

// Overhead implements [engine.Sealer].
func (r *Ring) Overhead() int { return idBytes + nonceBytes + tagBytes }

// Open implements [engine.Sealer].
func (r *Ring) Open(place, sealed []byte) ([]byte, error) {
	if len(sealed) < r.Overhead() {
		return nil, fmt.Errorf("%w: %d bytes are no sealed row: restore the data directory from a backup",
			engine.ErrRecord, len(sealed))
	}
	of := id(sealed[:idBytes])
	nonce, text := sealed[idBytes:idBytes+nonceBytes], sealed[idBytes+nonceBytes:]
	k, err := r.find(of)
	if err != nil {
		return nil, err
	}
	plain, err := k.aead.Open(make([]byte, 0, len(text)-tagBytes), nonce, text, place)
	if err != nil && of != (id{}) { // an older key of the subject may be missing
		return nil, fmt.Errorf("%w: a row does not open with key %s: it was changed or moved, or sealed before "+
			"its conversation was forgotten: restore the data directory from a backup%s: %w", engine.ErrRecord, of,
			r.files.without(), engine.ErrNoKey)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a row does not open with key %s %s: the key or the row was changed: put the key "+
			"back from the backup that belongs to the store%s, and if that does not help, restore the data directory",
			engine.ErrRecord, nodeFile, r.files.where(), r.files.mend(nodeFile))
	}
	return plain, nil
}

// Under implements [engine.Sealer].
func (r *Ring) Under(subject string, sealed []byte) bool {
	if len(sealed) < idBytes {
		return false
	}
	r.mu.Lock()
	k, n := r.byName[subject], r.node
	r.mu.Unlock()
	if k != nil {
		return k.id == id(sealed[:idBytes])
	}
	if n == nil {
		r.disk.Lock()
		defer r.disk.Unlock()
		var err error
		if n, err = r.nodeKey(false); err != nil {
			return false
		}
	}
	return n.id(subject) == id(sealed[:idBytes])
}

// Derive returns a key of 32 bytes for another use than sealing, the same wherever the subject's
// key is; ok is false if it has none. It is gone with that key.
func (r *Ring) Derive(subject, use string) (secret []byte, ok bool, err error) {
	r.mu.Lock()
	k := r.known(subject)
	r.mu.Unlock()
	if k == nil {
		k, err = r.existing(subject)
	}
	switch {
	case isAbsent(err):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return derived(k.other, use), true, nil
}

// existing is the key that a subject has.
func (r *Ring) existing(subject string) (*key, error) {
	r.disk.Lock()
	defer r.disk.Unlock()
	n, err := r.nodeKey(false)
	if err != nil {
		return nil, err
	}
	k, err := r.load(n.id(subject))
	if err == nil {
		r.keep(k, subject)
	}
	return k, err
}

// KeyOf returns the name of a subject's key, for [engine.Engine.KeyOf].
func (r *Ring) KeyOf(subject string) (engine.Key, bool, error) {
	r.disk.Lock()
	defer r.disk.Unlock()
	n, err := r.nodeKey(false)
	var k *key
	if err == nil {
		k, err = r.load(n.id(subject))
	}
	switch {
	case isAbsent(err):
		return engine.Key{}, false, nil
	case err != nil:
		return engine.Key{}, false, err
	}
	return engine.Key{ID: k.id.String(), Fingerprint: k.print}, true, nil
}

// Destroy implements [engine.Sealer].
func (r *Ring) Destroy(subject string) error {
	if subject == "" {
		return errors.New("keyring: the node's key is not destroyed: nothing could be read any more")
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	n, err := r.nodeKey(false)
	if isAbsent(err) {
		return nil // nothing was ever sealed
	}
	if err != nil {
		return err
	}
	of := n.id(subject)
	if err := r.files.destroy(of.String()); err != nil {
		return err
	}
	r.drop(of)
	return nil
}

// nextNonce fills in a nonce: first a random one, then the numbers after it, which SP
// 800-38D, 8.2.2, allows for the whole of the 96 bits. The run is short, because a copy of
// a running machine goes on with the same one. The caller holds r.mu.
func (r *Ring) nextNonce(n *[nonceBytes]byte) error {
	if r.unused == 0 {
		if _, err := io.ReadFull(r.rand, r.last[:]); err != nil {
			return fmt.Errorf("keyring: no random bytes: %w", err)
		}
		r.unused = nonceRun
	}
	for i := len(r.last) - 1; i >= 0; i-- {
		if r.last[i]++; r.last[i] != 0 {
			break
		}
	}
	r.unused--
	*n = r.last
	return nil
}

// secret draws random bytes.
func (r *Ring) secret(to []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.ReadFull(r.rand, to); err != nil {
		return fmt.Errorf("keyring: no random bytes: %w", err)
	}
	return nil
}

// keyOf returns the key of a subject, and makes one if it has none.
func (r *Ring) keyOf(subject string) (*key, error) {
	r.mu.Lock()
	k := r.known(subject)
	r.mu.Unlock()
	if k != nil {
		return k, nil
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	n, err := r.nodeKey(true)
	if err != nil {
		return nil, err
	}
	if subject == "" {
		return n.rows, nil
	}
	of := n.id(subject)
	if k = r.cached(of); k == nil {
		k, err = r.load(of)
	}
	if isAbsent(err) {
		k, err = r.begin(n, of)
	}
	if err == nil {
		r.keep(k, subject)
	}
	return k, err
}

// known returns the key of a subject if it is in memory. The caller holds r.mu.
func (r *Ring) known(subject string) *key {
	if subject == "" && r.node != nil {
		return r.node.rows
	}
	return r.byName[subject]
}

func (r *Ring) cached(of id) *key {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of == (id{}) && r.node != nil {
		return r.node.rows
	}
	return r.byID[of]
}

// find returns the key with an id.
func (r *Ring) find(of id) (*key, error) {
	if k := r.cached(of); k != nil {
		return k, nil
	}
	r.disk.Lock()
	defer r.disk.Unlock()
	k, err := r.load(of)
	if err == nil {
		r.keep(k, "")
	}
	return k, err
}

// load reads a key. The caller holds r.disk; so do the callers of nodeKey and begin.
func (r *Ring) load(of id) (*key, error) {
	n, err := r.nodeKey(false)
	if err != nil {
		return nil, err
	}
	if of == (id{}) {
		return n.rows, nil
	}
	wrapped, ok, err := r.files.read(of.String())
	if err != nil {
		return nil, err
	}
	if !ok || blank(wrapped) {
		return nil, r.files.missing(of.String())
	}
	secret, err := n.unwrap(of, wrapped)
	if err != nil {
		return nil, fmt.Errorf("keyring: key %s %s is damaged, or of another node: put it back from the backup that "+
			"belongs to the store%s%s: %w", of, r.files.where(), r.files.mend(of.String()), r.files.without(),
			engine.ErrNoKey)
	}
	return keyOf(of, secret), nil
}

func missing(name string, in keyFiles, with string) error {
	return &absent{fmt.Errorf("keyring: there is no key %s %s: put the directory back from the backup that belongs "+
		"to the store%s%s: %w", name, in.where(), with, in.without(), engine.ErrNoKey)}
}

// absent is the error for a key that does not exist and may be made. A damaged key must
// not be replaced.
type absent struct{ error }

func (a *absent) Unwrap() error { return a.error }

func isAbsent(err error) bool { var a *absent; return errors.As(err, &a) }

// keep caches a key, also under the name of its subject if that is known.
func (r *Ring) keep(k *key, subject string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.byID) >= maxCached {
		clear(r.byID)
		clear(r.byName)
	}
	if k.id == (id{}) {
		return // the node's
	}
	r.byID[k.id] = k
	if subject != "" {
		r.byName[subject] = k
	}
}

// begin makes a key. It is on the disk before it is used.
func (r *Ring) begin(n *node, of id) (*key, error) {
	wrapped, k, err := r.draw(n, of)
	if err == nil {
		err = r.files.write(of.String(), wrapped)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// draw makes a key, and its wrapped form.
func (r *Ring) draw(n *node, of id) (wrapped []byte, k *key, err error) {
	var secret [keyBytes]byte
	var nonce [nonceBytes]byte
	if err := r.secret(secret[:]); err != nil {
		return nil, nil, err
	}
	if err := r.secret(nonce[:]); err != nil {
		return nil, nil, err
	}
	wrapped = n.wrap.Seal(append([]byte(headOfKey), nonce[:]...), nonce[:], secret[:], of[:])
	return wrapped, keyOf(of, secret[:]), nil
}

// The beginnings of the files.
const (
	headOfNode = "kehai node 1\n"
	headOfKey  = "kehai key 1\n"
	nodeFile   = "node"
	// StoreKey is the file with the key that the whole store is encrypted with, if it is.
	// Nothing here uses it, but it is backed up and restored with the others.
	StoreKey = "store"
)

// nodeKey reads the node's key. If there is none, it makes one if begin is set, else
// fails.
func (r *Ring) nodeKey(begin bool) (*node, error) {
	r.mu.Lock()
	n := r.node
	r.mu.Unlock()
	if n != nil {
		return n, nil
	}
	raw, ok, err := r.files.read(nodeFile)
	if err != nil {
		return nil, err
	}
	switch {
	case ok && (len(raw) != len(headOfNode)+keyBytes || string(raw[:len(headOfNode)]) != headOfNode):
		return nil, fmt.Errorf("keyring: key %s %s is damaged, or of another version: put it back from the backup "+
			"that belongs to the store%s: %w", nodeFile, r.files.where(), r.files.mend(nodeFile), engine.ErrNoKey)
	case !ok && !begin:
		return nil, r.files.missing(nodeFile)
	case !ok:
		raw = append([]byte(headOfNode), make([]byte, keyBytes)...)
		if err := r.secret(raw[len(headOfNode):]); err != nil {
			return nil, err
		}
		if err := r.files.write(nodeFile, raw); err != nil {
			return nil, err
		}
	}
	n = nodeOf(raw[len(headOfNode):])
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node = n
	return n, nil
}

func nodeOf(secret []byte) *node {
	rows := derived(secret, "kehai rows")
	return &node{names: derived(secret, "kehai names"), wrap: aeadOf(derived(secret, "kehai keys")),
		rows: &key{aead: aeadOf(rows), other: derived(rows, "kehai other keys")}}
}

// id names the key of a subject.
func (n *node) id(subject string) (of id) {
	if subject == "" {
		return of
	}
	mac := hmac.New(sha256.New, n.names)
	mac.Write([]byte(subject))
	copy(of[:], mac.Sum(nil))
	return of
}

// wrappedKey is how long the file of a key is, in bytes.
const wrappedKey = len(headOfKey) + nonceBytes + keyBytes + tagBytes

func (n *node) unwrap(of id, wrapped []byte) ([]byte, error) {
	if len(wrapped) != wrappedKey || string(wrapped[:len(headOfKey)]) != headOfKey {
		return nil, errors.New("not of this form")
	}
	nonce := wrapped[len(headOfKey):][:nonceBytes]
	return n.wrap.Open(nil, nonce, wrapped[len(headOfKey)+nonceBytes:], of[:])
}

func aeadOf(secret []byte) cipher.AEAD {
	block, err := aes.NewCipher(secret)
	if err == nil {
		var aead cipher.AEAD
		if aead, err = cipher.NewGCM(block); err == nil {
			return aead
		}
	}
	panic("keyring: " + err.Error()) // only for lengths that are not ours
}

// blank reports whether a file holds no key: nothing, or the zeros that one is overwritten
// with. The key was destroyed if the list says so, else it is lost.
func blank(raw []byte) bool {
	for _, b := range raw {
		if b != 0 {
			return false
		}
	}
	return true
}
