package identity

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/private"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func found(t *testing.T) (*Identity, string) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	i, err := Found(data, "mac-a", "192.0.2.1:7412", noon)
	if err != nil {
		t.Fatal(err)
	}
	return i, data
}

// admit makes a member of a cluster.
func admit(t *testing.T, to *Identity, node string, role cluster.Role) (*Identity, string) {
	t.Helper()
	r, key, err := Ask(cluster.Peer{Node: node, Address: "192.0.2.2:7412", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	m, err := to.Book().Joins(r)
	if err != nil {
		t.Fatal(err)
	}
	b := to.Book().With(m)
	b.Version++
	if err := to.Keep(b); err != nil {
		t.Fatal(err)
	}
	g, err := to.Grant(r, noon)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	i, err := Enter(data, r, key, g)
	if err != nil {
		t.Fatal(err)
	}
	return i, data
}

// A machine that was admitted is known to the first and knows it, also after a restart,
// and nobody else can read its keys.
func TestMembers(t *testing.T) {
	a, _ := found(t)
	b, data := admit(t, a, "mac-b", cluster.Voter)
	again, err := Open(data, "mac-b", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []*Identity{b, again} {
		if m, err := a.Admits(i.leaf, noon); err != nil || m.Node != "mac-b" || m.Role != cluster.Voter {
			t.Errorf("Admits(mac-b) = %+v, %v", m, err)
		}
		if m, err := i.Admits(a.leaf, noon); err != nil || m.Node != "mac-a" {
			t.Errorf("mac-b Admits(mac-a) = %+v, %v", m, err)
		}
	}
	files, err := os.ReadDir(Dir(data))
	if err != nil || len(files) != 5 {
		t.Fatalf("the identity has %v, %v, want five files", files, err)
	}
	for _, f := range files {
		if err := private.CheckFile(filepath.Join(Dir(data), f.Name())); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open(data, "other", noon); err == nil || !strings.Contains(err.Error(), "node: mac-b") {
		t.Errorf("Open() under another name = %v, want how to set the name", err)
	}
	if _, err := Found(data, "mac-b", "192.0.2.2:7412", noon); !errors.Is(err, ErrThere) {
		t.Errorf("Found() over an identity = %v, want %v", err, ErrThere)
	}
	if err := Leave(data); err != nil || Exists(data) {
		t.Errorf("Leave() = %v, and Exists() = %t", err, Exists(data))
	}
	if _, err := Open(data, "mac-b", noon); !errors.Is(err, ErrNone) {
		t.Errorf("Open() after Leave = %v, want %v", err, ErrNone)
	}
}

// A certificate of our own authority is not enough: the key has to be that of the book.
func TestWhoIsRefused(t *testing.T) {
	a, _ := found(t)
	b, _ := admit(t, a, "mac-b", cluster.Voter)
	stranger, _ := found(t)
	forged, err := b.issue("mac-a", b.key.Public(), noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		err  error
		got  error
	}{
		{"foreign", ErrForeign, second(a.Admits(stranger.leaf, noon))},
		{"a second too old", ErrExpired, second(a.Admits(b.leaf, b.leaf.NotAfter.Add(time.Second)))},
		{"of the future", ErrExpired, second(a.Admits(b.leaf, b.leaf.NotBefore.Add(-time.Second)))},
		{"under another's name", ErrUnknown, second(a.Admits(forged, noon))},
		{"clocks an hour apart", nil, second(a.Admits(b.leaf, noon.Add(-time.Hour)))},
	} {
		if !errors.Is(c.got, c.err) {
			t.Errorf("%s: Admits() = %v, want %v", c.what, c.got, c.err)
		}
	}
	gone := a.Book().Without("mac-b", noon)
	gone.Version++
	if err := a.Keep(gone); err != nil {
		t.Fatal(err)
	}
	self, err := b.issue("mac-b", b.key.Public(), noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []error{second(a.Admits(b.leaf, noon)), second(a.Admits(self, noon))} {
		if !errors.Is(c, ErrRevoked) {
			t.Errorf("Admits() of a revoked member = %v, want %v", c, ErrRevoked)
		}
	}
}

func second(_ Member, err error) error { return err }

// A certificate is renewed in time, with the same key; a witness gets one from a member.
func TestRenewal(t *testing.T) {
	a, data := found(t)
	w, _ := admit(t, a, "box", cluster.Witness)
	later := noon.Add(Lifetime - renewBefore + time.Minute)
	before := a.leaf
	if err := a.Renew(noon.Add(time.Hour)); err != nil || a.leaf != before {
		t.Errorf("Renew() early = %v, want the same certificate", err)
	}
	again, err := Open(data, "mac-a", later.Add(Lifetime)) // long out of date
	if err != nil || again.Due(later.Add(Lifetime)) {
		t.Fatalf("Open() of an old one = %v, want it renewed", err)
	}
	if _, err := w.Admits(again.leaf, later.Add(Lifetime)); err != nil {
		t.Errorf("Admits() of the renewed = %v", err)
	}
	if w.caKey != nil || !w.Due(later) {
		t.Fatal("a witness has the authority's key, or is not due")
	}
	if err := w.Renew(later); err != nil || !w.Due(later) {
		t.Errorf("a witness renews itself: %v", err)
	}
	raw, err := a.Reissue("box", certPEM(w.leaf), later)
	if err == nil {
		err = w.Install(raw)
	}
	if err != nil || w.Due(later) {
		t.Errorf("Install() = %v, want a new certificate", err)
	}
	if _, err := a.Reissue("box", certPEM(a.leaf), later); err == nil {
		t.Error("Reissue() of another's certificate = nil")
	}
	if err := a.Renew(later); err != nil {
		t.Fatal(err)
	}
	mine, err := a.Reissue("mac-a", certPEM(a.leaf), later)
	if err != nil || w.Install(mine) == nil {
		t.Errorf("Install() of another's certificate = nil, %v", err)
	}
}

// Only a later book of the same cluster replaces one, and it survives a restart.
func TestBooks(t *testing.T) {
	a, data := found(t)
	b := a.Book()
	b.Version = 7
	if err := a.Keep(b); err != nil {
		t.Fatal(err)
	}
	old := b.Without("mac-a", noon)
	old.Version = 6
	other := b
	other.Cluster, other.Version = "c-other", 9
	if err := a.Keep(old); err != nil {
		t.Error(err)
	}
	if err := a.Learn(other); !errors.Is(err, ErrForeign) {
		t.Errorf("Learn() of another cluster = %v, want %v", err, ErrForeign)
	}
	again, err := Open(data, "mac-a", noon)
	if err != nil || again.Book().Version != 7 || len(again.Book().Members) != 1 {
		t.Errorf("after a restart the book is %+v, %v", again.Book(), err)
	}
}

// Whoever says the higher version does not own the members.
func TestBooksThatCannotFollow(t *testing.T) {
	a, _ := found(t)
	w, _ := admit(t, a, "box", cluster.Witness)
	b, _ := admit(t, a, "mac-b", cluster.Voter)
	old := a.Book()
	gone := old.Without("mac-b", noon)
	gone.Version++
	if err := a.Keep(gone); err != nil {
		t.Fatal(err)
	}
	now := a.Book()
	box, _ := now.Member("box")
	box.Role = cluster.Voter
	if _, err := w.Seal(now.With(box)); err == nil {
		t.Error("a witness seals a book")
	}
	seal := func(b Book, version, generation uint64, founder string) Book {
		b.Version, b.Generation, b.Founder = version, generation, founder
		b, err := a.Seal(b)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	unsealed := now.With(box)
	unsealed.Version++
	forgotten := now
	forgotten.Revoked = nil
	for _, c := range []struct {
		what string
		book Book
	}{
		{"a witness makes itself a voter", unsealed},
		{"what was expelled comes back", seal(old, now.Version+1, 1, "mac-a")},
		{"and promotes itself", seal(old, now.Version+Leap, 2, "mac-b")},
		{"a revocation is left out", seal(forgotten, now.Version+1, 1, "mac-a")},
		{"the last version", seal(now, 1<<64-1, 1, "mac-a")},
		{"a leap", seal(now, now.Version+3*Leap, 1, "mac-a")},
		{"the last generation", seal(now, now.Version+1, maxCount, "mac-a")},
		{"an earlier generation", seal(now, now.Version+1, 0, "mac-a")},
	} {
		if err := a.Learn(c.book); !errors.Is(err, ErrBook) || a.Book().Version != now.Version {
			t.Errorf("%s: Learn() = %v, want %v", c.what, err, ErrBook)
		}
	}
	if err := b.Learn(seal(old, old.Version+Leap, 2, "mac-b")); err != nil || b.Book().Generation != 2 {
		t.Errorf("Learn() of a promotion = %v", err)
	}
}

// The error of a damaged file names the command that mends it.
func TestADamagedIdentity(t *testing.T) {
	for _, name := range []string{caFile, caKeyFile, nodeFile, keyFile, bookFile} {
		_, data := found(t)
		if err := os.WriteFile(filepath.Join(Dir(data), name), []byte("words"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(data, "mac-a", noon); !errors.Is(err, ErrDamaged) ||
			!strings.Contains(err.Error(), "kehai cluster leave") {
			t.Errorf("Open() with a damaged %s = %v, want %v", name, err, ErrDamaged)
		}
		if name == bookFile {
			continue
		}
		if err := os.Remove(filepath.Join(Dir(data), name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(data, "mac-a", noon); name != caKeyFile && !errors.Is(err, ErrDamaged) {
			t.Errorf("Open() without %s = %v, want %v", name, err, ErrDamaged)
		}
	}
}

// Two machines of one name cannot tell their windows apart.
func TestATakenName(t *testing.T) {
	a, _ := found(t)
	r, _, err := Ask(cluster.Peer{Node: "mac-a", Address: "192.0.2.2:7412", Role: cluster.Voter})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Book().Joins(r); err == nil || !strings.Contains(err.Error(), "set node: NAME") {
		t.Errorf("Joins() of a taken name = %v, want how to set another", err)
	}
	r.Node = "mac-c"
	if _, err := a.Book().Joins(r); err == nil {
		t.Error("Joins() for a name that the key did not sign = nil")
	}
	if _, err := a.Grant(r, noon); err == nil {
		t.Error("Grant() for a name that the key did not sign = nil")
	}
}

func FuzzBook(f *testing.F) {
	f.Add([]byte(`{"cluster":"c-1","version":1,"members":[{"node":"a","address":"192.0.2.1:1","role":"voter",` +
		`"key":"00000000000000000000000000000000"}]}`))
	f.Add([]byte(`{"cluster":"c","members":[{}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := ReadBook(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(b)
		if err == nil {
			_, err = ReadBook(again)
		}
		if err != nil {
			t.Errorf("ReadBook() of %s again = %v", again, err)
		}
	})
}

func FuzzRequest(f *testing.F) {
	r, _, err := Ask(cluster.Peer{Node: "mac-b", Address: "192.0.2.2:7412", Role: cluster.Voter})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(r.Node, r.Address, string(r.Role), r.Proof)
	f.Fuzz(func(t *testing.T, node, address, role string, proof []byte) {
		r := Request{Peer: cluster.Peer{Node: node, Address: address, Role: cluster.Role(role)}, Proof: proof}
		if m, _, err := r.read(); err == nil && (m.Check() != nil || m.Node != node) {
			t.Errorf("%+v is read as %+v", r, m)
		}
	})
}
