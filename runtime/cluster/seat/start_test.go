package seat

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/transport"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// free is an address at which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	return port.Addr().String()
}

// founder is a machine that has begun a cluster, and not started yet.
func founder(t *testing.T) (*Seat, *keyring.Ring) {
	t.Helper()
	o := Options{Data: t.TempDir(), Node: "mac-a", Listen: free(t)}
	if _, err := Found(o); err != nil {
		t.Fatal(err)
	}
	return opened(t, o)
}

// opened is a machine that has an identity, and not started yet.
func opened(t *testing.T, o Options) (*Seat, *keyring.Ring) {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(s.keysDir())
	if err != nil {
		t.Fatal(err)
	}
	return s, ring
}

// second has the wires of another member, which runs nothing.
func second(t *testing.T, of *Seat) *transport.Transport {
	t.Helper()
	id, _ := admitted(t, of)
	wires, err := transport.Listen(transport.Options{Identity: id})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wires.Close() })
	return wires
}

// admitted is another member, and its data directory.
func admitted(t *testing.T, of *Seat) (id *identity.Identity, data string) {
	t.Helper()
	return entered(t, of, cluster.Peer{Node: "mac-b", Address: "127.0.0.1:1", Role: cluster.Voter})
}

// entered is what a machine has that has become a member.
func entered(t *testing.T, of *Seat, p cluster.Peer) (id *identity.Identity, data string) {
	t.Helper()
	r, key, err := identity.Ask(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := of.id.Book().Joins(r)
	if err != nil {
		t.Fatal(err)
	}
	b := of.id.Book().With(m)
	b.Version++
	if err := of.id.Keep(b); err != nil {
		t.Fatal(err)
	}
	g, err := of.id.Grant(r, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	data = filepath.Join(t.TempDir(), p.Node)
	if id, err = identity.Enter(data, r, key, g); err != nil {
		t.Fatal(err)
	}
	return id, data
}

// A member that the leader has not let in yet learns that it is no voter.
func TestMemberThatHasNoPlaceYet(t *testing.T) {
	s, ring := founder(t)
	if _, _, err := s.Start(mem.New(), nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	admitted(t, s)
	c, err := s.Cluster(t.Context())
	if err != nil || len(c.Members) != 2 {
		t.Fatalf("Cluster() = %+v, %v, want two members", c, err)
	}
	for i, want := range []cluster.Role{cluster.Voter, cluster.Follower} {
		if m := c.Members[i]; m.Role != string(want) {
			t.Errorf("%s is told to be a %s, want a %s", m.Node, m.Role, want)
		}
	}
}

// slow is a store that is read for the first time while its machine starts.
type slow struct {
	engine.Store
	first sync.Once
	then  func()
}

func (s *slow) Get(key []byte) ([]byte, bool, error) {
	s.first.Do(s.then)
	return s.Store.Get(key)
}

// A machine that is about to take its place tells what it knows, and does nothing yet.
func TestAskedWhileStarting(t *testing.T) {
	s, ring := founder(t)
	other := second(t, s)
	ask := func(service string) string {
		_, err := other.Ask(t.Context(), "mac-a", service, nil)
		if err != nil {
			return err.Error()
		}
		return "answered"
	}
	st := &slow{Store: mem.New(), then: func() {
		for service, want := range map[string]string{serviceBook: "answered", serviceLeave: "no service",
			serviceGreet: "no service", servicePass: "no service", "key-take": "no service"} {
			if got := ask(service); !strings.Contains(got, want) {
				t.Errorf("%s, while it starts: %s, want %s", service, got, want)
			}
		}
	}}
	if _, _, err := s.Start(st, nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for service, want := range map[string]string{serviceGreet: "no greeting", "key-take": "gets no keys"} {
		if got := ask(service); !strings.Contains(got, want) {
			t.Errorf("%s, afterwards: %s, want %s", service, got, want)
		}
	}
}

// A founder that cannot tell which log it holds does not begin a new one in its place.
func TestUnreadableGeneration(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"damaged", func(path string) error { return os.WriteFile(path, []byte("?\n"), 0o600) }, "does not say"},
		{"unreadable", func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ring := founder(t)
			held := filepath.Join(identity.Dir(s.o.Data), "log", "held")
			if err := os.MkdirAll(held, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := c.make(s.generationFile()); err != nil {
				t.Fatal(err)
			}
			_, _, err := s.Start(mem.New(), nil, ring, func(error) {})
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Start = %v, want that it %s", err, c.want)
			}
			if _, err := os.Stat(held); err != nil {
				t.Errorf("the log that it held: %v", err)
			}
		})
	}
}

// A machine that is refused again and again does not fill the log.
func TestRefused(t *testing.T) {
	var said bytes.Buffer
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	s, _ := founder(t)
	s.o.Log, s.o.now = zerolog.New(&said), func() time.Time { return now }
	for i := range 10_000 {
		s.refused(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: i}, errors.New("no"))
	}
	now = now.Add(sayRefused)
	s.refused(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, errors.New("no"))
	if lines := strings.Count(said.String(), "\n"); lines != 2 || !strings.Contains(said.String(), `"times":10000`) {
		t.Errorf("%d lines, %s, want two, with how many were refused", lines, &said)
	}
	said.Reset()
	for i := range 4 * maxTurned {
		s.refused(&net.TCPAddr{IP: net.IPv4(198, 51, byte(i>>8), byte(i))}, errors.New("no"))
	}
	if lines := strings.Count(said.String(), "\n"); lines > maxTurned+1 || len(s.turned) > maxTurned+1 {
		t.Errorf("%d lines, and %d hosts are kept, want at most %d", lines, len(s.turned), maxTurned+1)
	}
}

// A note that can never be carried out does not keep those after it.
func TestNotePassedOver(t *testing.T) {
	s, _ := founder(t)
	for _, note := range []string{"?", "{}", `{"cluster":"another","version":9}`,
		`{"cluster":"` + s.id.Book().Cluster + `","version":9}`} {
		if err := s.note(noteBook, "mac-b", []byte(note)); err != nil || s.id.Book().Version != 1 {
			t.Errorf("note(%s) = %v, want it passed over", note, err)
		}
	}
}

// A store of another cluster, or of another machine, is not mixed with what this one holds; an empty
// one is filled.
func TestAForeignStore(t *testing.T) {
	s, ring := founder(t)
	start := func(st engine.Store) error {
		m, err := Open(s.o)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = m.Start(st, nil, ring, func(err error) { t.Error(err) })
		if err == nil {
			err = m.Close()
		}
		return err
	}
	mine, theirs := mem.New(), mem.New()
	if err := start(mine); err != nil {
		t.Fatal(err)
	}
	other, keys := founder(t)
	if _, _, err := other.Start(theirs, nil, keys, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := start(theirs); !errors.Is(err, cluster.ErrOtherStore) {
		t.Errorf("Start with another cluster's store = %v, want %v", err, cluster.ErrOtherStore)
	}
	for _, st := range []engine.Store{mine, mem.New()} {
		if err := start(st); err != nil {
			t.Errorf("Start with its own store, or an empty one = %v", err)
		}
	}
}

// A backup takes the place of what a member has, and begins the next generation; one that cannot be
// restored changes nothing.
func TestRestore(t *testing.T) {
	s, ring := founder(t)
	s.o.now = func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) }
	st := mem.New()
	start := func() {
		m, err := Open(s.o)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := m.Start(st, nil, ring, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		if r.Applied() == 0 {
			t.Error("it has begun no log")
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	start()
	kept := filepath.Join(s.o.Data, "store", "kept")
	write := func(text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), os.WriteFile(kept, []byte(text), 0o600))
	}
	if err := write("before"); err != nil {
		t.Fatal(err)
	}
	cut := errors.New("a backup that is cut")
	if _, err := Restore(s.o, func() error { return errors.Join(write("half"), cut) }); !errors.Is(err, cut) {
		t.Errorf("Restore = %v, want %v", err, cut)
	}
	if raw, err := os.ReadFile(kept); string(raw) != "before" {
		t.Errorf("after a failure %q is stored, %v", raw, err)
	}
	aside, err := Restore(s.o, func() error { return write("backup") })
	raw, rerr := os.ReadFile(filepath.Join(aside, "store", "kept"))
	if now, _ := os.ReadFile(kept); err != nil || rerr != nil || string(raw) != "before" || string(now) != "backup" {
		t.Errorf("Restore = %v, with %q stored and %q aside (%v)", err, now, raw, rerr)
	}
	if err := st.Apply([]engine.Op{{Key: []byte("lm/applied"), Value: []byte("\x00\x00\x00\x00\x00\x00\x10\x00")}},
		true); err != nil { // it was far in the cluster that it comes from
		t.Fatal(err)
	}
	start()
	start()
	m, err := Open(s.o)
	if err != nil || m.id.Book().Generation != 2 {
		t.Errorf("the generation is %d, %v, want the second", m.id.Book().Generation, err)
	}
}

// A log that is damaged, or of a later version, stays, and the error names the command that mends it.
func TestADamagedLog(t *testing.T) {
	s, ring := founder(t)
	st := mem.New()
	if _, _, err := s.Start(st, nil, ring, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.logDir(), entriesDir, "MANIFEST")
	if err := os.WriteFile(path, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Open(s.o)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = m.Start(st, nil, ring, func(err error) { t.Error(err) }); !errors.Is(err, engine.ErrCorrupt) ||
		!strings.Contains(err.Error(), "`kehai cluster leave --force`") || strings.Contains(err.Error(), "empty one") {
		t.Errorf("Start with a damaged log = %v, want %v and what mends it", err, engine.ErrCorrupt)
	}
	if raw, err := os.ReadFile(path); string(raw) != "words" {
		t.Errorf("the damaged log was changed: %v", err)
	}
}
