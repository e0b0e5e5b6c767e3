package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

// net is the wires between the members, and their log.
type net struct {
	t       *testing.T
	mu      sync.Mutex
	nodes   map[string]*node
	members []cluster.Peer
	log     [][]byte
	noLog   error
}

type node struct {
	*Keys
	net      *net
	name     string
	home     string
	down     bool
	hangs    bool // takes what it is asked, and never answers
	slow     bool // in coming to notes of the log
	noted    int
	services map[string]func(context.Context, string, []byte) ([]byte, error)
}

func (n *node) Answer(service string, by func(context.Context, string, []byte) ([]byte, error)) {
	n.services[service] = by
}

func (n *node) Ask(ctx context.Context, to, service string, request []byte) ([]byte, error) {
	n.net.mu.Lock()
	other := n.net.nodes[to]
	n.net.mu.Unlock()
	if other == nil || other.down || n.down {
		return nil, errors.New("nobody answers")
	}
	if other.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return other.services[service](ctx, n.name, request)
}

// announce puts a note into the log; who is up gets it at once.
func (n *node) announce(_ context.Context, _ string, note []byte) error {
	if n.net.noLog != nil {
		return n.net.noLog
	}
	n.net.log = append(n.net.log, note)
	for _, other := range n.net.nodes {
		other.catchUp()
	}
	return nil
}

func (n *node) catchUp() {
	for ; !n.down && !n.slow && n.noted < len(n.net.log); n.noted++ {
		if err := n.Note("", n.net.log[n.noted]); err != nil {
			n.net.t.Error(err)
		}
	}
}

// three are three voters that share the first one's keys.
func three(t *testing.T) (net3 *net, a, b, c *node) {
	t.Helper()
	net3 = &net{t: t, nodes: map[string]*node{}}
	for _, name := range []string{"mac-a", "mac-b", "mac-c"} {
		net3.members = append(net3.members, cluster.Peer{Node: name, Role: cluster.Voter})
		n := &node{net: net3, name: name, home: t.TempDir()}
		if first := net3.nodes["mac-a"]; first != nil {
			var b bytes.Buffer
			_, err := keyring.Share(first.dir(), &b)
			if err == nil {
				_, err = keyring.Restore(n.dir(), &b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		n.start(t)
		net3.nodes[name] = n
		if err := n.Ring.Ready(""); err != nil {
			t.Fatal(err)
		}
	}
	return net3, net3.nodes["mac-a"], net3.nodes["mac-b"], net3.nodes["mac-c"]
}

func (n *node) dir() string { return filepath.Join(n.home, "keys") }

// start opens what is on the disk, as after a crash.
func (n *node) start(t *testing.T) {
	t.Helper()
	n.services = map[string]func(context.Context, string, []byte) ([]byte, error){}
	ring, err := keyring.Open(n.dir())
	if err == nil {
		n.Keys, err = New(Options{Ring: ring, Dir: filepath.Join(n.home, "cluster"), Node: n.name, Wire: n,
			Members: func() []cluster.Peer { return n.net.members }, Announce: n.announce})
	}
	if err != nil {
		t.Fatal(err)
	}
	n.Serve()
}

func (n *node) seal(t *testing.T, subject, text string) []byte {
	t.Helper()
	row, err := n.Seal(nil, subject, []byte("place"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return row
}

func (n *node) opens(t *testing.T, row []byte, want string) {
	t.Helper()
	if got, err := n.Open([]byte("place"), row); err != nil || string(got) != want {
		t.Errorf("%s opens %q, %v, want %q", n.name, got, err, want)
	}
}

func (n *node) closed(t *testing.T, row []byte) {
	t.Helper()
	if got, err := n.Open([]byte("place"), row); !errors.Is(err, engine.ErrNoKey) {
		t.Errorf("%s opens %q, %v, want %v", n.name, got, err, engine.ErrNoKey)
	}
}

// All members can open what one of them seals, even one that was away when the key was made;
// and the member that made it may die.
func TestSharing(t *testing.T) {
	_, a, b, c := three(t)
	c.down = true
	row := a.seal(t, "c-1", "hello")
	b.opens(t, row, "hello")
	a.down, c.down = true, false
	c.opens(t, row, "hello")
	of, _, err := a.Derive("c-1", "vault")
	if others, ok, oerr := c.Derive("c-1", "vault"); err != nil || oerr != nil || !ok || !bytes.Equal(of, others) {
		t.Errorf("Derive() of two members = %x, %x (%v, %v), want the same", of, others, err, oerr)
	}
	again := c.seal(t, "c-1", "later")
	b.opens(t, again, "later")
	a.down = false
	a.opens(t, again, "later")
}

// A new key waits for enough members, and not for one that is cut off.
func TestEnoughHaveIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, b, c := three(t)
		name, err := a.IDOf("c-1")
		if err != nil {
			t.Fatal(err)
		}
		key, err := a.Draw(name)
		if err != nil {
			t.Fatal(err)
		}
		c.hangs = true
		began := time.Now()
		got, err := a.handOut(key)
		if took := time.Since(began); err != nil || got.Fingerprint != key.Fingerprint || took > restWithin {
			t.Errorf("handOut() = %v after %v, want its key after at most %v", err, took, restWithin)
		}
		row := a.seal(t, "c-1", "hello")
		b.opens(t, row, "hello")
		c.hangs, a.down = false, true
		c.opens(t, row, "hello")
	})
}

// Without a majority nothing is sealed under a new key, but for what is this member's
// alone; a key that was shared once serves on.
func TestTooFew(t *testing.T) {
	_, a, b, c := three(t)
	old := a.seal(t, "c-1", "old")
	b.down, c.down = true, true
	if _, err := a.Seal(nil, "c-2", []byte("place"), nil); !errors.Is(err, ErrFew) {
		t.Errorf("Seal() under a new key alone = %v, want %v", err, ErrFew)
	}
	if err := a.Ready("c-2"); !errors.Is(err, ErrFew) {
		t.Errorf("Ready() again = %v, want %v", err, ErrFew)
	}
	a.start(t)
	a.opens(t, a.seal(t, "c-1", "on"), "on")
	a.opens(t, old, "old")
	a.opens(t, a.seal(t, "line@mac-a", "seen"), "seen")
	b.down = false
	row := a.seal(t, "c-2", "new")
	b.opens(t, row, "new")
}

// Two members that make a key for the same subject end with one.
func TestTwoMakeAKey(t *testing.T) {
	_, a, b, c := three(t)
	name, err := a.IDOf("c-1")
	if err != nil {
		t.Fatal(err)
	}
	half, err := b.Draw(name) // b hands out a key to itself only, and dies
	if err == nil {
		err = b.Put(half, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.down = true
	row := a.seal(t, "c-1", "hello")
	b.down = false
	b.start(t)
	late := b.seal(t, "c-1", "later")
	for _, n := range []*node{a, b, c} {
		n.opens(t, late, "later")
	}
	a.opens(t, row, "hello")
	c.opens(t, row, "hello")
}

// A forgotten key is destroyed everywhere, by one that was away before it reads anything,
// and does not come back with it. The next key of the subject stays.
func TestForgetting(t *testing.T) {
	net3, a, b, c := three(t)
	row := a.seal(t, "c-1", "secret")
	c.opens(t, row, "secret")
	key, _, err := a.KeyOf("c-1")
	if err != nil {
		t.Fatal(err)
	}
	net3.noLog = cluster.ErrNoLeader
	if err := a.Destroy("c-1"); !errors.Is(err, cluster.ErrNoLeader) {
		t.Errorf("Destroy() without a majority = %v, want %v", err, cluster.ErrNoLeader)
	}
	a.opens(t, row, "secret")
	net3.noLog = nil
	c.down, b.slow = true, true
	if err := a.Destroy("c-1"); err != nil {
		t.Fatal(err)
	}
	a.closed(t, row)
	a.seal(t, "c-1", "at once") // b, which needs to have the new key, has not come to the note
	b.closed(t, row)
	b.slow = false
	b.catchUp()
	if got := a.Unanswered(t.Context(), []engine.Key{key}); !slices.Equal(got, []string{"mac-c"}) {
		t.Errorf("Unanswered() = %q, want mac-c", got)
	}
	next := a.seal(t, "c-1", "since")
	c.down = false
	if err := c.Ready("c-1"); err == nil { // it has not come to the note
		held, _, err := c.KeyOf("c-1")
		if err != nil || held.Fingerprint == key.Fingerprint && c.held.has(key.Fingerprint) {
			t.Errorf("mac-c hands out a destroyed key: %v, %v", held, err)
		}
	}
	a.closed(t, row)
	b.closed(t, row)
	c.catchUp()
	c.catchUp()
	c.closed(t, row)
	c.opens(t, next, "since")
	c.start(t)
	c.opens(t, next, "since")
	if got := a.Unanswered(t.Context(), []engine.Key{key}); len(got) > 0 {
		t.Errorf("Unanswered() at the end = %q", got)
	}
	for _, n := range []*node{a, b, c} {
		raw, err := os.ReadFile(filepath.Join(n.home, "cluster", "destroyed"))
		if err != nil || strings.Count(string(raw), "\n") != 1 {
			t.Errorf("%s has noted %q, %v, want one key", n.name, raw, err)
		}
	}
}

// A witness gets no keys and counts for none.
func TestWitness(t *testing.T) {
	net3, a, b, c := three(t)
	net3.members[2].Role = cluster.Witness
	row := a.seal(t, "c-1", "hello")
	name, _ := keyring.KeyID(row)
	if _, ok, err := c.Take(name); ok || err != nil {
		t.Errorf("the witness has the key, %v", err)
	}
	if _, err := c.Ask(t.Context(), "mac-a", serviceTake, []byte(name)); err == nil {
		t.Error("the witness is given the key")
	}
	b.opens(t, row, "hello")
	b.down = true
	if err := a.Ready("c-2"); !errors.Is(err, ErrFew) {
		t.Errorf("Ready() with a witness only = %v, want %v: without a nobody could read", err, ErrFew)
	}
}

// What one of two machines with a witness began goes on at the other one when it dies: that has the key too, and sees
// that enough have it, as something is sealed with it. A key that was destroyed meanwhile says nothing of the next, and
// those who know that it was are asked first.
func TestGoesOnWithAWitness(t *testing.T) {
	net3, a, b, _ := three(t)
	net3.members[2].Role = cluster.Witness
	for _, of := range []string{"c-1", "c-2", "c-3"} {
		b.opens(t, a.seal(t, of, "hello"), "hello")
	}
	b.slow = true
	if err := a.Destroy("c-3"); err != nil {
		t.Fatal(err)
	}
	if err := b.Ready("c-3"); err == nil {
		if key, _, err := b.KeyOf("c-3"); err != nil || !b.held.has(key.Fingerprint) {
			t.Errorf("Ready() without asking whether the key was destroyed, %v", err)
		}
	}
	b.slow = false
	b.catchUp()
	if err := a.Destroy("c-2"); err != nil {
		t.Fatal(err)
	}
	a.down = true
	for range 2 {
		if err := b.Ready("c-1"); err != nil {
			t.Errorf("Ready() = %v, want that it goes on", err)
		}
		if err := b.Ready("c-2"); !errors.Is(err, ErrFew) {
			t.Errorf("Ready() after the key was destroyed = %v, want %v", err, ErrFew)
		}
	}
}

// What rows are sealed with is not replaced, a witness has no say, and a note that names no key is
// one that no later try could carry out.
func TestWhoHasNoSay(t *testing.T) {
	net3, a, b, c := three(t)
	row := a.seal(t, "c-1", "hello")
	b.seal(t, "c-1", "and on")
	name, _ := keyring.KeyID(row)
	key, _, err := b.KeyOf("c-1")
	if err != nil {
		t.Fatal(err)
	}
	mine, err := c.Draw(name)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(put{Shared: mine, Replace: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), "mac-b", servicePut, raw); err != nil {
		t.Error(err)
	}
	b.opens(t, row, "hello")
	net3.members[2].Role = cluster.Witness
	end, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for service, request := range map[string][]byte{servicePut: raw, serviceEnd: end} {
		if _, err := c.Ask(t.Context(), "mac-b", service, request); err == nil {
			t.Errorf("%s of a witness is carried out", service)
		}
	}
	b.opens(t, row, "hello")
	for _, note := range []string{`{"id":"zz","fingerprint":"00"}`, `{}`, `?`,
		`{"id":"` + name + `","fingerprint":"two\nlines"}`} {
		if err := b.Note("mac-a", []byte(note)); !errors.Is(err, keyring.ErrShared) {
			t.Errorf("Note(%s) = %v, want %v", note, err, keyring.ErrShared)
		}
	}
}

func TestEnough(t *testing.T) {
	roles := map[byte]cluster.Role{'v': cluster.Voter, 'f': cluster.Follower, 'w': cluster.Witness}
	for members, want := range map[string]int{"v": 1, "vf": 1, "vv": 2, "vvv": 2, "vvw": 2, "vvvv": 3, "vvvvv": 3,
		"vvvvw": 3, "vw": 1, "vww": 1} {
		var list []cluster.Peer
		for _, r := range []byte(members) {
			list = append(list, cluster.Peer{Role: roles[r]})
		}
		if got := enough(list); got != want {
			t.Errorf("enough(%s) = %d, want %d", members, got, want)
		}
	}
}

// A cut last line is as if it had not been written.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster", "held")
	l, err := readLines(path)
	if err = errors.Join(err, l.add("one"), l.add("two"), l.add("one")); err != nil {
		t.Fatal(err)
	}
	if l.add("a\nb") == nil || l.add("") == nil {
		t.Error("add() of what is no line = nil")
	}
	if err := os.WriteFile(path, []byte("one\ntwo\nthr"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err = readLines(path)
	if err != nil || !l.has("two") || l.has("thr") {
		t.Fatalf("readLines() = %v, %v", l, err)
	}
	if err := l.add("four"); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "one\ntwo\nfour\n" {
		t.Errorf("the file is %q, %v", raw, err)
	}
}

// Whatever another member sends: an error or an answer, and no key that is none.
func FuzzRequests(f *testing.F) {
	f.Add([]byte(`{"id":"00112233445566778899aabbccddeeff","fingerprint":"x","wrapped":"AA=="}`))
	f.Add([]byte(`{"id":"","fingerprint":"","replace":true}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		members := []cluster.Peer{{Node: "mac-a", Role: cluster.Voter}, {Node: "mac-b", Role: cluster.Voter}}
		n := &node{net: &net{t: t, nodes: map[string]*node{}, members: members}, name: "mac-a", home: t.TempDir()}
		n.net.nodes["mac-a"] = n
		n.start(t)
		if err := n.Ring.Ready(""); err != nil {
			t.Fatal(err)
		}
		for _, service := range n.services {
			_, _ = service(t.Context(), "mac-b", raw)
		}
		if err := n.Note("", raw); err != nil && !errors.Is(err, keyring.ErrShared) {
			t.Errorf("Note(%q) = %v, want nil or %v: else it comes again for ever", raw, err, keyring.ErrShared)
		}
		if files, _ := filepath.Glob(filepath.Join(n.dir(), "*")); len(files) > 2 {
			t.Errorf("a key that nobody made is kept: %v", files)
		}
	})
}
