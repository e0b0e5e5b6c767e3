package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/private"
)

// Errors of this machine's own identity.
var (
	ErrNone = errors.New("this machine belongs to no cluster: `kehai cluster init` begins one, and " +
		"`kehai cluster join CODE` enters one")
	ErrThere = errors.New("this machine belongs to a cluster already: `kehai cluster status` shows it, and " +
		"`kehai cluster leave` ends that")
	ErrDamaged = errors.New("the cluster identity of this machine is damaged: `kehai cluster leave --force`, and " +
		"join again with a new code")
)

// Identity is this machine as a member. Its methods may be called concurrently.
type Identity struct {
	dir  string
	node string

	mu    sync.Mutex
	ca    *x509.Certificate
	caKey ed25519.PrivateKey // nil at a witness
	key   ed25519.PrivateKey
	leaf  *x509.Certificate
	book  Book
}

// Dir is where the identity of a data directory lives.
func Dir(data string) string { return filepath.Join(data, "cluster") }

// Exists reports whether a data directory has an identity.
func Exists(data string) bool {
	_, err := os.Lstat(filepath.Join(Dir(data), bookFile))
	return err == nil
}

const (
	caFile     = "ca.crt"
	caKeyFile  = "ca.key"
	nodeFile   = "node.crt"
	keyFile    = "node.key"
	bookFile   = "book.json"
	blockCert  = "CERTIFICATE"
	blockKey   = "PRIVATE KEY"
	blockAsk   = "CERTIFICATE REQUEST"
	maxPEM     = 1 << 16 // bytes
	serialBits = 120
)

// Found begins a cluster of one machine.
func Found(data, node, address string, now time.Time) (*Identity, error) {
	if Exists(data) {
		return nil, fmt.Errorf("identity: %w", ErrThere)
	}
	_, caKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	name := "c-" + rand.Text()[:12]
	ca, err := authority(name, caKey, now)
	if err != nil {
		return nil, err
	}
	me := Member{Peer: cluster.Peer{Node: node, Address: address, Role: cluster.Voter},
		Key: fingerprintOf(key.Public())}
	if err := me.Check(); err != nil {
		return nil, err
	}
	i := &Identity{dir: Dir(data), node: node, ca: ca, caKey: caKey, key: key,
		book: Book{Cluster: name, Version: 1, Founder: node, Generation: 1, Members: []Member{me}}}
	if i.leaf, err = i.issue(node, key.Public(), now); err != nil {
		return nil, err
	}
	return i, i.save()
}

// Open reads the identity of a data directory, and renews its certificate if that is due.
// Node is what the machine is called now, "" to take the name of the certificate.
func Open(data, node string, now time.Time) (*Identity, error) {
	if !Exists(data) {
		return nil, fmt.Errorf("identity: %w", ErrNone)
	}
	i := &Identity{dir: Dir(data)}
	if err := private.Check(i.dir, private.Closed); err != nil {
		return nil, err
	}
	if err := i.load(); err != nil {
		return nil, fmt.Errorf("identity: %s: %w: %w", i.dir, ErrDamaged, err)
	}
	if node != "" && node != i.node {
		return nil, fmt.Errorf("identity: this machine joined its cluster as %s, and is called %s now: set node: %s "+
			"in the configuration, or leave and join again", i.node, node, i.node)
	}
	return i, i.Renew(now)
}

func (i *Identity) load() (err error) {
	if i.ca, err = i.cert(caFile); err != nil {
		return err
	}
	if i.leaf, err = i.cert(nodeFile); err != nil {
		return err
	}
	if i.key, err = i.private(keyFile); err != nil {
		return err
	}
	if i.caKey, err = i.private(caKeyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	raw, err := i.read(bookFile)
	if err == nil {
		i.book, err = ReadBook(raw)
	}
	i.node = i.leaf.Subject.CommonName
	switch {
	case err != nil:
		return err
	case fingerprintOf(i.key.Public()) != fingerprintOf(i.leaf.PublicKey):
		return errors.New("the key is not that of the certificate")
	case i.caKey != nil && fingerprintOf(i.caKey.Public()) != fingerprintOf(i.ca.PublicKey):
		return errors.New("the authority's key is not that of its certificate")
	case i.leaf.CheckSignatureFrom(i.ca) != nil:
		return errors.New("the certificate is not of this cluster")
	}
	return nil
}

func (i *Identity) read(name string) ([]byte, error) {
	path := filepath.Join(i.dir, name)
	if err := private.CheckFile(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (i *Identity) cert(name string) (*x509.Certificate, error) {
	raw, err := i.read(name)
	if err != nil {
		return nil, err
	}
	return parseCert(raw)
}

func (i *Identity) private(name string) (ed25519.PrivateKey, error) {
	raw, err := i.read(name)
	if err != nil {
		return nil, err
	}
	return parseKey(raw)
}

// save writes everything, the book last.
func (i *Identity) save() error {
	if err := private.Make(i.dir, private.Closed); err != nil {
		return err
	}
	files := map[string][]byte{caFile: certPEM(i.ca), keyFile: keyPEM(i.key), nodeFile: certPEM(i.leaf)}
	if i.caKey != nil {
		files[caKeyFile] = keyPEM(i.caKey)
	}
	for name, data := range files {
		if err := private.Write(filepath.Join(i.dir, name), data); err != nil {
			return err
		}
	}
	return i.saveBook()
}

func (i *Identity) saveBook() error {
	raw, err := json.MarshalIndent(i.book, "", "  ")
	if err != nil {
		return fmt.Errorf("identity: %w", err)
	}
	return private.Write(filepath.Join(i.dir, bookFile), append(raw, '\n'))
}

// Node is this machine's name.
func (i *Identity) Node() string { return i.node }

// Book returns the members as last known.
func (i *Identity) Book() Book {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.book
}

// Seal signs a book that this machine has made.
func (i *Identity) Seal(b Book) (Book, error) {
	if i.caKey == nil {
		return b, errors.New("identity: a witness changes no members: ask another one")
	}
	form, err := b.signed()
	if err == nil {
		b.Seal = ed25519.Sign(i.caKey, form)
	}
	return b, err
}

// sealed reports whether a book was made by a member that may.
func (i *Identity) sealed(b Book) bool {
	key, ok := i.ca.PublicKey.(ed25519.PublicKey)
	form, err := b.signed()
	return ok && err == nil && ed25519.Verify(key, form, b.Seal)
}

// Keep keeps a book that this machine has made.
func (i *Identity) Keep(b Book) error {
	b, err := i.Seal(b)
	if err != nil {
		return err
	}
	return i.Learn(b)
}

// Learn keeps a book if it is of this cluster and later than the one known. An error about the book,
// which wraps [ErrBook] or [ErrForeign], stays.
func (i *Identity) Learn(b Book) error {
	if err := b.check(); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case b.Cluster != i.book.Cluster:
		return fmt.Errorf("identity: a book of cluster %s, and this is %s: %w", b.Cluster, i.book.Cluster, ErrForeign)
	case b.Version <= i.book.Version:
		return nil
	case !i.sealed(b):
		return fmt.Errorf("identity: %w: no member that may has made it", ErrBook)
	}
	if err := b.follows(i.book); err != nil {
		return err
	}
	before := i.book
	i.book = b
	if err := i.saveBook(); err != nil {
		i.book = before
		return err
	}
	return nil
}

// Leave removes the identity of a data directory; the book goes first.
func Leave(data string) error {
	dir := Dir(data)
	if err := os.Remove(filepath.Join(dir, bookFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("identity: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("identity: %w", err)
	}
	return nil
}

// Certificate is what this machine presents, with the authority's behind it.
func (i *Identity) Certificate() *tls.Certificate {
	i.mu.Lock()
	defer i.mu.Unlock()
	return &tls.Certificate{Certificate: [][]byte{i.leaf.Raw, i.ca.Raw}, PrivateKey: i.key, Leaf: i.leaf}
}

// Own is this machine's certificate in PEM.
func (i *Identity) Own() []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	return certPEM(i.leaf)
}

// Expires is when this machine's certificate runs out.
func (i *Identity) Expires() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.leaf.NotAfter
}

// Authority is the pool with the cluster's authority alone.
func (i *Identity) Authority() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(i.ca)
	return pool
}

// Fingerprint names the cluster's authority.
func (i *Identity) Fingerprint() Fingerprint { return FingerprintOf(i.ca) }

// Admits checks the certificate of a peer, whose signature was checked before, and returns
// which member it is.
func (i *Identity) Admits(c *x509.Certificate, now time.Time) (Member, error) {
	node := c.Subject.CommonName
	switch {
	case c.CheckSignatureFrom(i.ca) != nil:
		return Member{}, fmt.Errorf("identity: %q: %w", node, ErrForeign)
	case now.Before(c.NotBefore) || now.After(c.NotAfter):
		return Member{}, fmt.Errorf("identity: %q: %w", node, ErrExpired)
	}
	return i.Book().Admits(node, fingerprintOf(c.PublicKey))
}

// Fingerprint is the beginning of a hash, long enough that nobody finds another authority
// with it.
type Fingerprint [fingerprintBytes]byte

const fingerprintBytes = 16

func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// FingerprintOf names a certificate.
func FingerprintOf(c *x509.Certificate) Fingerprint {
	sum := sha256.Sum256(c.Raw)
	return Fingerprint(sum[:fingerprintBytes])
}

// fingerprintOf names a public key, "" for one that is none of ours.
func fingerprintOf(public any) string {
	key, ok := public.(ed25519.PublicKey)
	if !ok {
		return ""
	}
	sum := sha256.Sum256(append([]byte("kehai node key\n"), key...))
	return hex.EncodeToString(sum[:fingerprintBytes])
}

func certPEM(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: blockCert, Bytes: c.Raw})
}

func keyPEM(k ed25519.PrivateKey) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		panic("identity: " + err.Error()) // only for types that are not ours
	}
	return pem.EncodeToMemory(&pem.Block{Type: blockKey, Bytes: der})
}

func block(raw []byte, kind string) ([]byte, error) {
	if len(raw) > maxPEM {
		return nil, errors.New("too large")
	}
	b, rest := pem.Decode(raw)
	if b == nil || b.Type != kind || len(rest) > 0 {
		return nil, fmt.Errorf("want one PEM block of a %s", kind)
	}
	return b.Bytes, nil
}

func parseCert(raw []byte) (*x509.Certificate, error) {
	der, err := block(raw, blockCert)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func parseKey(raw []byte) (ed25519.PrivateKey, error) {
	der, err := block(raw, blockKey)
	if err != nil {
		return nil, err
	}
	k, err := x509.ParsePKCS8PrivateKey(der)
	if key, ok := k.(ed25519.PrivateKey); ok && err == nil {
		return key, nil
	}
	return nil, errors.New("not an Ed25519 key")
}
