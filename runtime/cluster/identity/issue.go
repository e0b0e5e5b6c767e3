package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/private"
)

// Times of certificates.
const (
	Lifetime    = 180 * 24 * time.Hour
	renewBefore = Lifetime / 3
	// Slack is how far clocks may differ: a certificate is valid before it was issued.
	Slack     = 24 * time.Hour
	lifeOfAll = 50 * 365 * 24 * time.Hour // of the authority
)

// ServerName is the name that a machine's certificate bears as a server.
func ServerName(node string) string { return node + ".kehai.internal" }

func serial() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), serialBits))
	if err != nil {
		panic("identity: " + err.Error()) // crypto/rand never fails
	}
	return n
}

func authority(cluster string, key ed25519.PrivateKey, now time.Time) (*x509.Certificate, error) {
	t := &x509.Certificate{SerialNumber: serial(), NotBefore: now.Add(-Slack), NotAfter: now.Add(lifeOfAll),
		Subject: pkix.Name{CommonName: "Kehai cluster " + cluster, Organization: []string{cluster}},
		IsCA:    true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign}
	return sign(t, t, key.Public(), key)
}

func sign(t, parent *x509.Certificate, public any, by ed25519.PrivateKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, t, parent, public, by)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return x509.ParseCertificate(der)
}

// issue makes a certificate. The caller has i.mu, or the only pointer.
func (i *Identity) issue(node string, public any, now time.Time) (*x509.Certificate, error) {
	if i.caKey == nil {
		return nil, errors.New("identity: a witness issues no certificates: ask another member")
	}
	return sign(&x509.Certificate{
		SerialNumber: serial(), NotBefore: now.Add(-Slack), NotAfter: now.Add(Lifetime),
		Subject:  pkix.Name{CommonName: node, Organization: i.ca.Subject.Organization},
		DNSNames: []string{ServerName(node)}, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, i.ca, public, i.caKey)
}

// Renew makes a new certificate for the same key if a third of the old one's time or less
// is left. A witness cannot: [Identity.Install] takes the one that a member issued.
func (i *Identity) Renew(now time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.caKey == nil || !i.due(now) {
		return nil
	}
	leaf, err := i.issue(i.node, i.key.Public(), now)
	if err != nil {
		return err
	}
	return i.replace(leaf)
}

// Due says whether the certificate should be renewed.
func (i *Identity) Due(now time.Time) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.due(now)
}

func (i *Identity) due(now time.Time) bool {
	return now.After(i.leaf.NotAfter.Add(-renewBefore)) || now.Before(i.leaf.NotBefore)
}

func (i *Identity) replace(leaf *x509.Certificate) error {
	if err := private.Write(filepath.Join(i.dir, nodeFile), certPEM(leaf)); err != nil {
		return err
	}
	i.leaf = leaf
	return nil
}

// Install keeps a certificate for this machine's key that a member issued.
func (i *Identity) Install(raw []byte) error {
	leaf, err := parseCert(raw)
	if err != nil {
		return fmt.Errorf("identity: install: %w", err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if leaf.CheckSignatureFrom(i.ca) != nil || leaf.Subject.CommonName != i.node ||
		fingerprintOf(leaf.PublicKey) != fingerprintOf(i.key.Public()) {
		return fmt.Errorf("identity: install: the certificate is not for this machine")
	}
	return i.replace(leaf)
}

// Reissue makes a certificate for the key of a member's old one.
func (i *Identity) Reissue(node string, old []byte, now time.Time) ([]byte, error) {
	of, err := parseCert(old)
	if err != nil || of.Subject.CommonName != node {
		return nil, errors.New("identity: this is no certificate of the one who asks")
	}
	if _, err := i.Admits(of, now); err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	leaf, err := i.issue(node, of.PublicKey, now)
	if err != nil {
		return nil, err
	}
	return certPEM(leaf), nil
}

// Request asks for a certificate: who wants to join, and the proof that it has the key.
type Request struct {
	cluster.Peer
	Proof []byte `json:"proof"` // a certificate request in PEM
}

// Grant is what a new member gets.
type Grant struct {
	Authority    []byte `json:"authority"`               // certificate in PEM
	AuthorityKey []byte `json:"authority_key,omitempty"` // not for a witness
	Certificate  []byte `json:"certificate"`
	Book         Book   `json:"book"`
}

// Ask makes the request of a machine that wants to join, and the key that belongs to it.
func Ask(p cluster.Peer) (Request, ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Request{}, nil, fmt.Errorf("identity: %w", err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader,
		&x509.CertificateRequest{Subject: pkix.Name{CommonName: p.Node}}, key)
	if err != nil {
		return Request{}, nil, fmt.Errorf("identity: %w", err)
	}
	r := Request{Peer: p, Proof: pem.EncodeToMemory(&pem.Block{Type: blockAsk, Bytes: der})}
	_, _, err = r.read()
	return r, key, err
}

// read checks a request, and returns the member that it would become.
func (r Request) read() (m Member, public any, err error) {
	der, err := block(r.Proof, blockAsk)
	if err != nil {
		return m, nil, fmt.Errorf("identity: request: %w", err)
	}
	csr, err := x509.ParseCertificateRequest(der)
	if err == nil {
		err = csr.CheckSignature()
	}
	if err != nil || csr.Subject.CommonName != r.Node {
		return m, nil, errors.New("identity: the request for a certificate is not signed by its key, or for " +
			"another name")
	}
	m = Member{Peer: r.Peer, Key: fingerprintOf(csr.PublicKey)}
	return m, csr.PublicKey, m.Check()
}

// Joins returns who a request wants to be in a book. Its name must not be taken.
func (b Book) Joins(r Request) (Member, error) {
	m, _, err := r.read()
	if err != nil {
		return m, err
	}
	if there, taken := b.Member(m.Node); taken && there != m {
		return m, fmt.Errorf("identity: the cluster has a machine called %s already: set node: NAME in the "+
			"configuration of the one that joins, or `kehai cluster remove %s` if it is the same one, made anew",
			m.Node, m.Node)
	}
	return m, nil
}

// Grant makes the certificate for a request that was admitted; the book has it as a member.
func (i *Identity) Grant(r Request, now time.Time) (Grant, error) {
	m, public, err := r.read()
	if err != nil {
		return Grant{}, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, err := i.book.Admits(m.Node, m.Key); err != nil {
		return Grant{}, err
	}
	leaf, err := i.issue(m.Node, public, now)
	if err != nil {
		return Grant{}, err
	}
	g := Grant{Authority: certPEM(i.ca), Certificate: certPEM(leaf), Book: i.book}
	if m.Role != cluster.Witness {
		g.AuthorityKey = keyPEM(i.caKey)
	}
	return g, nil
}

// Enter makes the identity of a machine that was admitted.
func Enter(data string, r Request, key ed25519.PrivateKey, g Grant) (*Identity, error) {
	if Exists(data) {
		return nil, fmt.Errorf("identity: %w", ErrThere)
	}
	i := &Identity{dir: Dir(data), node: r.Node, key: key, book: g.Book}
	var err error
	if i.ca, err = parseCert(g.Authority); err == nil {
		i.leaf, err = parseCert(g.Certificate)
	}
	if err == nil && len(g.AuthorityKey) > 0 {
		i.caKey, err = parseKey(g.AuthorityKey)
	}
	if err == nil {
		err = g.Book.check()
	}
	if err == nil {
		_, err = i.Admits(i.leaf, i.leaf.NotBefore)
	}
	if err == nil && (i.leaf.Subject.CommonName != r.Node ||
		fingerprintOf(i.leaf.PublicKey) != fingerprintOf(key.Public())) {
		err = errors.New("the certificate is for another machine")
	}
	if err != nil {
		return nil, fmt.Errorf("identity: what the cluster answered cannot be used: %w", err)
	}
	return i, i.save()
}
