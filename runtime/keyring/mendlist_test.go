package keyring

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// story is a directory of keys in which one is as it was, another one was destroyed, and a third was destroyed
// and made again, with backups of its keys from before and from now.
type story struct {
	dir                      string
	kept, gone, first, again []byte // rows
	older, newer             []byte // backups
}

func newStory(t *testing.T) (s story) {
	t.Helper()
	s.dir = filepath.Join(t.TempDir(), "keys")
	r := open(t, s.dir)
	s.kept, s.gone = seal(t, r, "a", "p", "kept"), seal(t, r, "b", "p", "gone")
	s.first = seal(t, r, "c", "p", "first")
	s.older = backedUp(t, s.dir)
	if err := errors.Join(r.Destroy("b"), r.Destroy("c")); err != nil {
		t.Fatal(err)
	}
	s.again = seal(t, r, "c", "p", "again")
	s.newer = backedUp(t, s.dir)
	return s
}

func backedUp(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := Backup(dir, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s story) list() string { return filepath.Join(s.dir, listFile) }

// read is a file that has to be there.
func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// check opens the directory, and wants there what should be, and nothing that was destroyed.
func (s story) check(t *testing.T, what string) {
	t.Helper()
	r, err := Open(s.dir)
	if err != nil {
		t.Errorf("%s: Open() = %v", what, err)
		return
	}
	want(t, r, "p", s.kept, "kept")
	want(t, r, "p", s.again, "again")
	wantMissing(t, r, "p", s.gone)
	if plain, err := r.Open([]byte("p"), s.first); err == nil {
		t.Errorf("%s: what was forgotten says %q", what, plain)
	}
	if _, err := Inspect(s.dir); err != nil {
		t.Errorf("%s: Inspect() = %v", what, err)
	}
}

// A changed byte of the list is put right, wherever it is, and nobody has to do anything: the list still tells what
// was destroyed.
func TestAChangedByteOfTheListIsRighted(t *testing.T) {
	s := newStory(t)
	whole := read(t, s.list())
	for at := range whole {
		for _, change := range []byte{0x01, 0x06, 0xff} { // 6 makes an end of a start
			bad := slices.Clone(whole)
			bad[at] ^= change
			r, later := parseList(bad)
			if later || r.damaged() || !r.stale || !bytes.Equal(r.bytes(), mustList(t, whole).bytes()) {
				t.Fatalf("parseList() with byte %d changed by %x = %+v, %v", at, change, r, later)
			}
		}
	}
	mark := bytes.Index(whole, append([]byte{ended}, s.gone[:idBytes]...))
	bad := slices.Clone(whole)
	bad[mark] = made
	write(t, s.list(), bad)
	s.check(t, "an end that became a start")
	if n, err := Restore(s.dir, bytes.NewReader(s.older)); n != 0 || !errors.Is(err, ErrKeys) {
		t.Errorf("Restore() of the older backup = %d, %v, want %v", n, err, ErrKeys)
	}
	if r, _ := parseList(read(t, s.list())); r.stale {
		t.Error("a start left the changed byte in the list")
	}
}

func mustList(t *testing.T, raw []byte) list {
	t.Helper()
	r, later := parseList(raw)
	if later || r.damaged() {
		t.Fatalf("parseList() = %+v, %v", r, later)
	}
	return r.list
}

// A list of which more was changed is said with what survives. Any backup of the keys mends it, also where a
// conversation got a new key since, and nothing that was destroyed comes back with it.
func TestADamagedListIsMended(t *testing.T) {
	for what, damage := range map[string]func(list []byte, s story) []byte{
		"an end": func(l []byte, s story) []byte {
			at := bytes.Index(l, append([]byte{ended}, s.gone[:idBytes]...))
			l[at], l[at+20] = made, ^l[at+20]
			return l
		},
		"a start": func(l []byte, s story) []byte {
			at := bytes.Index(l, append([]byte{made}, s.kept[:idBytes]...))
			l[at], l[at+5] = ended, ^l[at+5]
			return l
		},
		"the start of what was destroyed": func(l []byte, s story) []byte {
			at := bytes.Index(l, append([]byte{made}, s.gone[:idBytes]...))
			l[at], l[at+5] = ended, ^l[at+5]
			return l
		},
		"all ends": func(l []byte, _ story) []byte {
			for at := len(listHead); at < len(l); at += listEntry {
				if l[at] == ended {
					copy(l[at:], make([]byte, listEntry))
				}
			}
			return l
		},
		"the head and the first": func(l []byte, _ story) []byte { copy(l, "no list at all, by no means"); return l },
		"everything":             func(l []byte, _ story) []byte { return bytes.Repeat([]byte{0xa5}, len(l)) },
		"a short one":            func(l []byte, _ story) []byte { return l[:7] },
		"an empty one":           func([]byte, story) []byte { return nil },
	} {
		for _, when := range []string{"older", "newer"} {
			s := newStory(t)
			write(t, s.list(), damage(read(t, s.list()), s))
			_, err := Open(s.dir)
			for _, want := range []string{s.list(), "kehai key restore FILE", "rm " + s.list()} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("Open() with damage to %s = %v, want %q in it", what, err, want)
				}
			}
			backup := map[string][]byte{"older": s.older, "newer": s.newer}[when]
			got, err := Taking{KeepOthers: true}.Restore(s.dir, bytes.NewReader(backup))
			if err != nil || got.Keys != 0 {
				t.Errorf("Restore() of an %s backup after damage to %s = %+v, %v, want it mended", when, what, got, err)
			}
			s.check(t, what+", mended by the "+when)
			if l := mustList(t, read(t, s.list())); when == "older" && l.wants(id(s.gone)) {
				t.Errorf("after damage to %s the list has the destroyed key", what)
			}
		}
	}
}

// An older backup does not bring a destroyed key back in place of the one that the conversation got since, whether that
// is there, damaged or lost. The backup that has it does bring it back.
func TestADestroyedKeyStaysSo(t *testing.T) {
	for what, harm := range map[string]func(path string) error{
		"whole":   func(string) error { return nil },
		"damaged": func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"lost":    os.Remove,
	} {
		s := newStory(t)
		if err := harm(filepath.Join(s.dir, nameOf(s.again))); err != nil {
			t.Fatal(err)
		}
		got, err := Taking{KeepOthers: true}.Restore(s.dir, bytes.NewReader(s.older))
		if err != nil || got.Keys != 0 || got.Destroyed+got.Others != 2 {
			t.Errorf("Restore() of an older backup, the new key is %s = %+v, %v, want two left out", what, got, err)
		}
		if plain, err := Reader(s.dir).Open([]byte("p"), s.first); err == nil {
			t.Errorf("with the new key %s, what was forgotten says %q", what, plain)
		}
		if _, err := Restore(s.dir, bytes.NewReader(s.newer)); err != nil {
			t.Errorf("Restore() of the newer backup, the new key is %s = %v", what, err)
		}
		s.check(t, what)
	}
}

// What receipts name is not restored, even where the list of the keys, or all of them, are gone.
func TestReceiptsKeepKeysDestroyed(t *testing.T) {
	s := newStory(t)
	receipts := filepath.Join(t.TempDir(), "receipts [of all]")
	old := filepath.Join(t.TempDir(), "keys")
	if _, err := Restore(old, bytes.NewReader(s.older)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"b", "c"} {
		key, _, err := open(t, old).KeyOf(c)
		if err == nil {
			_, _, err = Receipts{receipts, s.dir}.Begin(c, []engine.Key{key}, nil, time.Now())
		}
		if err == nil {
			err = Receipts{receipts, s.dir}.Ends(key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(receipts, "none.json"), []byte("{}"))
	destroyed, err := Destroyed(receipts)
	if err != nil || len(destroyed) != 2 {
		t.Fatalf("Destroyed() = %v, %v, want both", destroyed, err)
	}
	for what, harm := range map[string]func() error{
		"the list":    func() error { return os.Remove(s.list()) },
		"all":         func() error { return os.RemoveAll(s.dir) },
		"the new one": func() error { return os.Remove(filepath.Join(s.dir, nameOf(s.again))) },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		got, err := Taking{Destroyed: destroyed, KeepOthers: true}.Restore(s.dir, bytes.NewReader(s.older))
		if err != nil || got.Destroyed != 2 {
			t.Errorf("Restore() where %s is gone = %+v, %v, want two left out", what, got, err)
		}
		r := Reader(s.dir)
		want(t, r, "p", s.kept, "kept")
		for _, row := range [][]byte{s.gone, s.first} {
			if plain, err := r.Open([]byte("p"), row); err == nil {
				t.Errorf("where %s is gone, what was forgotten says %q", what, plain)
			}
		}
		if _, err := Restore(s.dir, bytes.NewReader(s.newer)); err != nil {
			t.Errorf("Restore() of the newer backup where %s was gone = %v", what, err)
		}
		s.check(t, what)
	}
}

// What was forgotten while its key was lost stays so, also where the list was removed to go on without it. It costs one
// entry, however often it is forgotten.
func TestTheKeyOfWhatWasForgottenWasLost(t *testing.T) {
	s := newStory(t)
	if err := errors.Join(os.Remove(filepath.Join(s.dir, nameOf(s.kept))), os.Remove(s.list())); err != nil {
		t.Fatal(err)
	}
	r := open(t, s.dir)
	if err := r.Destroy("a"); err != nil {
		t.Fatal(err)
	}
	once := read(t, s.list())
	if err := r.Destroy("a"); err != nil || !bytes.Equal(read(t, s.list()), once) {
		t.Errorf("Destroy() once more = %v, want nothing done", err)
	}
	got, err := Taking{KeepOthers: true}.Restore(s.dir, bytes.NewReader(s.older))
	if err != nil || got.Destroyed != 1 {
		t.Errorf("Restore() = %+v, %v, want the key left out", got, err)
	}
	if plain, err := open(t, s.dir).Open([]byte("p"), s.kept); err == nil {
		t.Errorf("what was forgotten says %q", plain)
	}
}

// A backup also tells a directory that has keys which were destroyed, so that an older one does not bring them back.
func TestABackupTellsWhatWasDestroyed(t *testing.T) {
	s := newStory(t)
	if err := errors.Join(os.Remove(s.list()), os.Remove(filepath.Join(s.dir, nameOf(s.kept)))); err != nil {
		t.Fatal(err)
	}
	for _, backup := range [][]byte{s.newer, s.older} {
		_, err := Taking{KeepOthers: true}.Restore(s.dir, bytes.NewReader(backup))
		if err != nil {
			t.Fatal(err)
		}
		s.check(t, "restored")
	}
}

// A damaged key is restored from a copy, also where it was damaged by the time it came into the list, as that was
// removed or mended.
func TestADamagedKeyIsEnteredAnew(t *testing.T) {
	for what, harm := range map[string]func(s story){
		"the list was removed": func(s story) {
			if err := os.Remove(s.list()); err != nil {
				t.Fatal(err)
			}
			open(t, s.dir)
		},
		"the list is damaged": func(s story) {
			raw := read(t, s.list())
			raw[len(listHead)+3] ^= 1
			raw[len(listHead)+9] ^= 1
			write(t, s.list(), raw)
		},
	} {
		s := newStory(t)
		path := filepath.Join(s.dir, nameOf(s.kept))
		raw := read(t, path)
		raw[len(raw)-1] ^= 1
		write(t, path, raw)
		harm(s)
		got, err := Taking{KeepOthers: true}.Restore(s.dir, bytes.NewReader(s.newer))
		if err != nil || got.Keys != 1 {
			t.Errorf("%s: Restore() = %+v, %v, want the damaged key replaced", what, got, err)
		}
		s.check(t, what)
	}
}

// A start tells keys of the first form of the list apart from those before them.
func TestTheFirstFormGetsStamps(t *testing.T) {
	s := newStory(t)
	old := []byte(oldHead)
	for _, row := range [][]byte{s.kept, s.again} {
		old = append(append(old, made), row[:idBytes]...)
	}
	write(t, s.list(), append(append(old, ended), s.gone[:idBytes]...))
	path := filepath.Join(s.dir, nameOf(s.kept))
	raw := read(t, path)
	raw[len(raw)-1] ^= 1
	write(t, path, raw) // what the list should not take for the key
	open(t, s.dir)
	if l := mustList(t, read(t, s.list())); l.should[id(s.kept)] != (stamp{}) || l.should[id(s.again)] == (stamp{}) {
		t.Errorf("after a start the list is %+v, want a stamp of the key that opens", l)
	}
	if err := os.Remove(filepath.Join(s.dir, nameOf(s.again))); err != nil {
		t.Fatal(err)
	}
	for _, backup := range [][]byte{s.older, s.newer} {
		if _, err := (Taking{KeepOthers: true}).Restore(s.dir, bytes.NewReader(backup)); err != nil {
			t.Fatal(err)
		}
	}
	s.check(t, "the older backup, then the newer one")
}

// The first form of the list is read, keeps telling what was destroyed, and is replaced at the next start.
func TestTheFirstFormOfTheList(t *testing.T) {
	s := newStory(t)
	old := []byte(oldHead)
	for _, row := range [][]byte{s.kept, s.gone, s.first} {
		old = append(append(old, made), row[:idBytes]...)
	}
	for _, row := range [][]byte{s.gone, s.first} {
		old = append(append(old, ended), row[:idBytes]...)
	}
	old = append(append(old, made), s.again[:idBytes]...)
	for name, raw := range map[string][]byte{"whole": old, "cut": append(slices.Clone(old), made, 1, 2),
		"head": bytes.Replace(old, []byte("keys"), []byte("keyz"), 1)} {
		write(t, s.list(), raw)
		if _, err := Inspect(s.dir); err != nil {
			t.Errorf("%s: Inspect() = %v", name, err)
		}
		s.check(t, name)
		now := read(t, s.list())
		l := mustList(t, now)
		if _, gone := l.ended[id(s.gone)]; !gone || !strings.HasPrefix(string(now), listHead) || len(l.should) != 2 {
			t.Errorf("%s: after a start the list is %+v", name, l)
		}
	}
	old[len(oldHead)+oldEntry] ^= 0x40
	write(t, s.list(), old)
	if _, err := Open(s.dir); err == nil || !strings.Contains(err.Error(), "not what it says of key "+nameOf(s.gone)) {
		t.Errorf("Open() with a mark that is none = %v, want the key named", err)
	}
	if _, err := (Taking{KeepOthers: true}).Restore(s.dir, bytes.NewReader(s.older)); err != nil {
		t.Errorf("Restore() = %v, want it mended", err)
	}
	s.check(t, "a mark that is none")
}

// Where the list cannot be replaced, as on a full volume, what is there is read all the same.
func TestAListThatCannotBeReplaced(t *testing.T) {
	s := newStory(t)
	old := slices.Concat([]byte(oldHead), []byte{made}, s.kept[:idBytes], []byte{ended}, s.gone[:idBytes], []byte{made},
		s.again[:idBytes])
	write(t, s.list(), old)
	full := true
	d := &directory{path: s.dir, step: func(what action, _ string, do func() error) error {
		if full && what == doWrite {
			return syscall.ENOSPC
		}
		return do()
	}}
	if err := d.tidy(); err != nil {
		t.Fatalf("tidy() on a full volume = %v", err)
	}
	r := newRing(d, rand.Reader)
	want(t, r, "p", s.kept, "kept")
	if err := r.Ready("new"); !errors.Is(err, engine.ErrKeyAway) {
		t.Errorf("Ready() on a full volume = %v, want ErrKeyAway", err)
	}
	full = false
	if err := r.Ready("new"); err != nil {
		t.Fatal(err)
	}
	if l := mustList(t, read(t, s.list())); l.stale || len(l.should) != 3 {
		t.Errorf("after that the list is %+v, want three keys in the present form", l)
	}
	s.check(t, "no longer full")
}

// A list that was perhaps replaced, as its directory could not be synced, is written as a whole with the next entry.
func TestAListThatWasPerhapsReplaced(t *testing.T) {
	dir, failing, failed := filepath.Join(t.TempDir(), "keys"), false, false
	d := &directory{path: dir}
	d.step = func(what action, path string, do func() error) error {
		if failing && what == doSyncDir {
			failing, failed = false, true
			return syscall.EIO
		}
		failing = !failed && what == doRename && filepath.Base(path) == listFile && len(d.list.ended) > 0
		return unsynced(what, do)
	}
	if err := d.tidy(); err != nil {
		t.Fatal(err)
	}
	r := newRing(d, rand.Reader)
	kept := seal(t, r, "kept", "p", "kept")
	if err := errors.Join(r.Ready("short"), r.Destroy("short")); err != nil {
		t.Fatal(err)
	}
	d.list.stale = true // so it is written anew
	if err := r.Ready("last"); !errors.Is(err, engine.ErrKeyAway) {
		t.Errorf("Ready() = %v, want %v", err, engine.ErrKeyAway)
	}
	last := seal(t, r, "last", "p", "last")
	if !failed {
		t.Error("the list was not written anew: this test shows nothing")
	}
	again := open(t, dir)
	want(t, again, "p", kept, "kept")
	want(t, again, "p", last, "last")
	if l := mustList(t, read(t, filepath.Join(dir, listFile))); l.stale || len(l.should) != 2 || len(l.ended) != 1 {
		t.Errorf("the list is %+v, want two keys and an end", l)
	}
}

// A list of a later version is no damaged one: it stays as it is.
func TestALaterListIsNotMended(t *testing.T) {
	s := newStory(t)
	later := bytes.Replace(read(t, s.list()), []byte(listHead), []byte("kehai keys 4\n+"), 1)
	write(t, s.list(), later)
	if _, err := Restore(s.dir, bytes.NewReader(s.newer)); err == nil ||
		!strings.Contains(err.Error(), "upgrade this program") {
		t.Errorf("Restore() over a list of a later version = %v, want that it is one", err)
	}
	if now := read(t, s.list()); !bytes.Equal(now, later) {
		t.Error("it was changed")
	}
}

// A power cut in the middle of an entry, at any byte, costs no start.
func TestAnEntryIsTorn(t *testing.T) {
	s := newStory(t)
	whole := read(t, s.list())
	last := whole[len(whole)-listEntry:]
	copy(whole[len(listHead):], countOf(mustList(t, whole).entries-1)) // which is not there yet
	for n := range listEntry {
		for what, tail := range map[string][]byte{
			"cut":   last[:n],
			"zeros": append(slices.Clone(last[:n]), make([]byte, listEntry-n)...),
		} {
			if n == listEntry-1 && what == "zeros" {
				continue // a changed byte
			}
			write(t, s.list(), append(slices.Clone(whole[:len(whole)-listEntry]), tail...))
			if r, later := parseList(read(t, s.list())); later || n < bareEntry && r.damaged() {
				t.Errorf("an entry with %d bytes, then %s: parseList() = %+v", n, what, r)
			}
		}
	}
	write(t, s.list(), append(slices.Clone(whole[:len(whole)-listEntry]), last[:20]...))
	s.check(t, "torn") // and the key is entered anew
	if l := mustList(t, read(t, s.list())); l.should[id(s.again)] == (stamp{}) {
		t.Error("the key whose entry was torn is not entered anew")
	}
}

// Nor does one of which a disk has written only what is in one of two sectors, wherever they meet in it.
func TestAnEntryIsTornBetweenSectors(t *testing.T) {
	raw, met := append([]byte(listHead), countOf(0)...), map[int]bool{}
	for n := range sector {
		begin := len(raw)
		of := id{byte(n), byte(n >> 8), 1}
		raw = entry{made, of, stampOf(of[:])}.append(raw, n+1)
		edge := sector - begin%sector
		if edge >= listEntry {
			continue
		}
		met[edge] = true
		for what, lost := range map[string][]byte{"first": raw[begin:][:edge], "second": raw[begin+edge:]} {
			was := slices.Clone(lost)
			clear(lost)
			if r, later := parseList(raw); later || r.damaged() || len(r.should) < n {
				t.Errorf("entry %d without the %s sector, from byte %d: parseList() = %d keys, damaged %v, want %d", n,
					what, edge, len(r.should), r.damaged(), n)
			}
			copy(lost, was)
		}
	}
	if len(met) != listEntry-1 {
		t.Errorf("sectors meet in %d places of an entry, want all", len(met))
	}
}

// A copy that was made between the end of a key and the making of the next one keeps no later key out, however many
// followed, and an older one brings none back after it.
func TestACopyFromBetweenTwoKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	kept := seal(t, r, "a", "p", "kept")
	var rows, during, between [][]byte
	for n := range 3 {
		rows = append(rows, seal(t, r, "c", "p", fmt.Sprint("words ", n)))
		during = append(during, backedUp(t, dir))
		if err := r.Destroy("c"); err != nil {
			t.Fatal(err)
		}
		between = append(between, backedUp(t, dir))
	}
	last := seal(t, r, "c", "p", "last")
	during = append(during, backedUp(t, dir))
	for _, first := range between {
		for _, older := range append(during[:3:3], between...) {
			dir := filepath.Join(t.TempDir(), "keys")
			for _, backup := range [][]byte{first, during[3], older} {
				if _, err := (Taking{KeepOthers: true}).Restore(dir, bytes.NewReader(backup)); err != nil {
					t.Fatal(err)
				}
			}
			r := open(t, dir)
			want(t, r, "p", kept, "kept")
			want(t, r, "p", last, "last")
		}
		// What ended before the first copy was made stays out, whatever comes after it.
		dir := filepath.Join(t.TempDir(), "keys")
		for _, backup := range [][]byte{between[2], first, during[0], during[1], during[2]} {
			if _, err := (Taking{KeepOthers: true}).Restore(dir, bytes.NewReader(backup)); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range rows {
			wantMissing(t, open(t, dir), "p", row)
		}
	}
}

// Where the list was damaged, and the file of a key too, an older copy does not take its place if the list still tells
// of an end that the copy does not know. The right one does.
func TestACopyInPlaceOfADamagedKey(t *testing.T) {
	s := newStory(t)
	raw := read(t, s.list())
	clear(raw[len(raw)-listEntry:]) // of the key that was made last
	write(t, s.list(), raw)
	path := filepath.Join(s.dir, nameOf(s.again))
	key := read(t, path)
	key[len(key)-1] ^= 1
	write(t, path, key)
	for _, backup := range [][]byte{s.older, s.newer} {
		if _, err := (Taking{KeepOthers: true}).Restore(s.dir, bytes.NewReader(backup)); err != nil {
			t.Fatal(err)
		}
		if plain, err := Reader(s.dir).Open([]byte("p"), s.first); err == nil {
			t.Errorf("what was forgotten says %q", plain)
		}
	}
	s.check(t, "restored")
}

// A list that lacks entries at its end is noticed, wherever it is cut and even where zeros follow, and mended.
func TestACutListIsNoticed(t *testing.T) {
	s := newStory(t)
	whole := read(t, s.list())
	for at := len(whole) - 1; at > 0; at-- {
		for what, tail := range map[string]int{"cut": 0, "zeros": len(whole) - at} {
			bad := append(slices.Clone(whole[:at]), make([]byte, tail)...)
			if r, _ := parseList(bad); !bytes.Equal(bad, whole) && !r.damaged() && !r.stale {
				t.Errorf("a list of which %d of %d bytes are left, then %s, counts as whole", at, len(whole), what)
			}
		}
	}
	for at := len(whole) - listEntry; at > len(listHead); at -= listEntry {
		write(t, s.list(), whole[:at])
		if _, err := Open(s.dir); err == nil || !strings.Contains(err.Error(), "at its end are missing") ||
			!strings.Contains(err.Error(), "kehai key restore FILE") {
			t.Errorf("Open() with a list of %d of %d bytes = %v, want what is missing", at, len(whole), err)
		}
	}
	for _, backup := range [][]byte{s.newer, s.older} {
		if _, err := (Taking{KeepOthers: true}).Restore(s.dir, bytes.NewReader(backup)); err != nil {
			t.Fatal(err)
		}
		s.check(t, "mended")
	}
}

// The id of an end can be what was damaged: the mended list says of no key that it was not destroyed.
func TestAnEndOfWhichTheIDIsDamaged(t *testing.T) {
	s := newStory(t)
	raw := read(t, s.list())
	at := bytes.Index(raw, append([]byte{ended}, s.gone[:idBytes]...))
	raw[at+3], raw[at+7] = raw[at+3]^0x55, raw[at+7]^0xaa
	at = bytes.Index(raw, append([]byte{made}, s.gone[:idBytes]...))
	raw[at+3], raw[at+7] = raw[at+3]^0x33, raw[at+7]^0xcc
	write(t, s.list(), raw)
	for _, backup := range [][]byte{s.newer, s.older} {
		if _, err := (Taking{KeepOthers: true}).Restore(s.dir, bytes.NewReader(backup)); err != nil {
			t.Fatal(err)
		}
		s.check(t, "mended")
	}
}

// Which form a list has its entries tell, so that its head and another byte may be damaged, too.
func TestTheHeadAndTheFirstEntryAreDamaged(t *testing.T) {
	s := newStory(t)
	whole := read(t, s.list())
	for digit := range byte(10) {
		for at := range 2 * listEntry {
			bad := slices.Clone(whole)
			bad[len(listHead)-2] = '0' + digit
			bad[len(listHead)+at] ^= 0x41
			if r, later := parseList(bad); later || r.damaged() || !bytes.Equal(r.bytes(), mustList(t, whole).bytes()) {
				t.Fatalf("a list of form %d with byte %d changed: parseList() = %+v, %v", digit, at, r, later)
			}
		}
	}
}

// Two power cuts, each while the same entry was being written, can leave parts of two entries in its place.
func TestAnEntryIsTornTwice(t *testing.T) {
	s := newStory(t)
	d := &directory{path: s.dir}
	if err := d.tidy(); err != nil {
		t.Fatal(err)
	}
	for int(place(d.list.entries+1))%sector <= sector-listEntry {
		if err := d.note(entry{made, id(s.kept), d.list.should[id(s.kept)]}); err != nil {
			t.Fatal(err)
		}
	}
	edge := sector - int(place(d.list.entries+1))%sector
	tear := func(e entry, part func(line []byte) ([]byte, int)) {
		line, at := part(e.append(nil, d.list.entries+1))
		if err := d.writeAt(listFile, 0, line, place(d.list.entries+1)+int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	tear(entry{ended, id{1}, stamp{2}}, func(l []byte) ([]byte, int) { return l[edge:], edge })
	if d = (&directory{path: s.dir}); d.tidy() != nil {
		t.Fatal("a list with a torn entry is not opened")
	}
	tear(entry{ended, id{3}, stamp{4}}, func(l []byte) ([]byte, int) { return l[:edge], 0 })
	s.check(t, "torn twice")
}

// The form of the list before this one is read, and replaced at the next start.
func TestThePriorFormOfTheList(t *testing.T) {
	s := newStory(t)
	raw, n := []byte(priorHead), 0
	for _, e := range []entry{
		{made, id(s.gone), stamp{1}}, {ended, id(s.gone), stamp{}}, {made, id(s.first), stamp{2}},
		{ended, id(s.first), stamp{}}, {made, id(s.kept), stampOf(read(t, filepath.Join(s.dir, nameOf(s.kept))))},
		{made, id(s.again), stampOf(read(t, filepath.Join(s.dir, nameOf(s.again))))},
	} {
		raw = e.in(raw, checkPrior, n)
		n++
	}
	for what, damage := range map[string]func(raw []byte){
		"whole": func([]byte) {}, "a byte": func(raw []byte) { raw[len(raw)-9] ^= 4 },
		"the head, like now": func(raw []byte) { raw[len(priorHead)-2] = '3' },
		"the head":           func(raw []byte) { raw[len(priorHead)-2] = 'x' },
		"the head, older":    func(raw []byte) { raw[len(priorHead)-2] = '1' },
	} {
		bad := slices.Clone(raw)
		damage(bad)
		write(t, s.list(), bad)
		s.check(t, what)
		if now := read(t, s.list()); !strings.HasPrefix(string(now), listHead) {
			t.Errorf("%s: a start left the list %q", what, now)
		}
		if err := os.Remove(filepath.Join(s.dir, nameOf(s.again))); err != nil {
			t.Fatal(err)
		}
		for _, backup := range [][]byte{s.older, s.newer} {
			if _, err := (Taking{KeepOthers: true}).Restore(s.dir, bytes.NewReader(backup)); err != nil {
				t.Fatal(err)
			}
		}
		s.check(t, what)
	}
}

// Where all was lost and an older copy of the keys came first, a newer one ends what it tells as destroyed, and its
// keys of conversations that live on come in their place. What opens something that is stored stays.
func TestANewerCopyEndsWhatAnOlderOneBroughtBack(t *testing.T) {
	for _, used := range []bool{false, true} {
		s := newStory(t)
		if err := os.RemoveAll(s.dir); err != nil {
			t.Fatal(err)
		}
		asked := map[string]bool{}
		taking := Taking{KeepOthers: true, Used: func(name string) (bool, error) {
			asked[name] = true
			return used, nil
		}}
		if got, err := taking.Restore(s.dir, bytes.NewReader(s.older)); err != nil || got.Keys != 4 {
			t.Fatalf("Restore() of the older copy = %+v, %v, want all", got, err)
		}
		got, err := taking.Restore(s.dir, bytes.NewReader(s.newer))
		want := Restored{Keys: 1, Ended: 2}
		if used {
			want = Restored{Others: 1}
		}
		if err != nil || got != want {
			t.Errorf("used %v: Restore() of the newer copy = %+v, %v, want %+v", used, got, err, want)
		}
		if both := map[string]bool{nameOf(s.gone): true, nameOf(s.again): true}; !maps.Equal(asked, both) {
			t.Errorf("asked whether %v are used, want %v", asked, both)
		}
		if !used {
			s.check(t, "the older copy, then the newer one")
			got, err = taking.Restore(s.dir, bytes.NewReader(s.older))
			if err != nil || got.Keys != 0 || got.Ended != 0 {
				t.Errorf("the older copy once more: %+v, %v", got, err)
			}
			s.check(t, "the older copy once more")
			continue
		}
		r := open(t, s.dir)
		for row, want := range map[string][]byte{"gone": s.gone, "first": s.first} {
			if plain, err := r.Open([]byte("p"), want); err != nil || string(plain) != row {
				t.Errorf("what is used says %q, %v, want %q", plain, err, row)
			}
		}
	}
}

// Keys that others may read, or that lie behind a link, are neither used nor added to.
func TestKeysThatAreNotPrivate(t *testing.T) {
	for what, harm := range map[string]func(dir string) error{
		"the node's key is open": func(dir string) error { return os.Chmod(filepath.Join(dir, nodeFile), 0o644) },
		"the directory is open":  func(dir string) error { return os.Chmod(dir, 0o755) },
		"the directory is a link": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".there"), os.Symlink(dir+".there", dir))
		},
	} {
		s := newStory(t)
		if err := harm(s.dir); err != nil {
			t.Fatal(err)
		}
		var open *private.Exposed
		if _, err := Open(s.dir); !errors.As(err, &open) {
			t.Errorf("%s: Open() = %v, want it refused", what, err)
		}
		if what == "the node's key is open" {
			continue
		}
		if got, err := (Taking{KeepOthers: true}).Restore(s.dir, bytes.NewReader(s.newer)); !errors.As(err, &open) {
			t.Errorf("%s: Restore() = %+v, %v, want it refused", what, got, err)
		}
	}
}
