package keyring

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/kehai-run/kehai/runtime/engine"
)

// The list says which keys there should be: listHead, an entry that counts the others, and these, of listEntry bytes
// each, of which the last one of a key counts:
//
//	made or ended | id (16 bytes) | stamp (16 bytes) | check (4 bytes)
//
// The stamp of a made key is that of its file; zero while that holds none that opens, or in a list of an older form.
// Each end is named by the stamp of the key that ended, or by random bytes where nothing told it, and stays listed. So
// a copy of the keys that does not know of an end is from before it ([list.destroyed]). An end with id zero is one of
// all keys: what the list told of others is lost. Of older forms are oldHead, with entries without stamp and check, and
// priorHead, without the entry that counts, and whose ends are named by zeros. They are read, and replaced at the next
// start, which also looks at the files of keys without a stamp.
//
// The check is a CRC-32C over the head, the number of the entry and the entry. A changed byte is found with it and put
// right ([righted]); where more was changed, or entries at the end are missing, a backup of the keys mends the list
// ([directory.mended]). The entry that counts is number 0, has the count as its id, and is written after what it counts
// is on the disk: after a power cut it may count too few, and never too many.
const (
	listFile   = "list"
	listHead   = "kehai keys 3\n"
	stampBytes = 16
	checkBytes = 4
	bareEntry  = 1 + idBytes + stampBytes // without its check
	listEntry  = bareEntry + checkBytes
	made       = '+'
	ended      = '-'
	keptOut    = '~' // an end of which a receipt told at a restore, and nothing here
	counts     = '#'

	priorHead = "kehai keys 2\n"
	oldHead   = "kehai keys 1\n"
	oldEntry  = 1 + idBytes
)

// stamp tells the file of a key from that of another one with the same id; zero: not known. It reveals nothing.
type stamp [stampBytes]byte

// stampOf is that of a file with a wrapped key, which stays as it was made.
func stampOf(raw []byte) (s stamp) {
	sum := sha256.Sum256(append([]byte("kehai key file\n"), raw...))
	copy(s[:], sum[:])
	return s
}

// stamps returns what tells the stamp of a file that holds a key. It is zero for one that opens nothing: the key that
// was there may be restored over it.
func (d *directory) stamps() func(of id, raw []byte) stamp {
	n := sync.OnceValues(func() (*node, error) { return newRing(d, nil).nodeKey(false) })
	return func(of id, raw []byte) stamp {
		if len(raw) != wrappedKey {
			return stamp{}
		}
		node, err := n()
		if err == nil {
			_, err = node.unwrap(of, raw)
		}
		if err != nil {
			return stamp{}
		}
		return stampOf(raw)
	}
}

// fill fills in the stamps that the list lacks.
func (d *directory) fill() {
	tell := d.stamps()
	for of, was := range d.list.should {
		if was != (stamp{}) {
			continue
		}
		raw, err := d.readFile(of.String())
		if err != nil {
			continue
		}
		if now := tell(of, raw); now != (stamp{}) {
			d.list.should[of], d.list.stale = now, true
		}
	}
}

// list is the content of the file.
type list struct {
	should  map[id]stamp // keys there should be
	ended   map[id][]end // all ends of keys, each once
	entries int          // in the file, superseded ones included
	exists  bool         // the file is there
	stale   bool         // the file has an older form, or not all of it is as it should be: write it anew
}

// end is the end of a key.
type end struct {
	of   stamp // the file of the key that ended, or random
	mark byte  // ended or keptOut
}

// unnamed is the name of an end of a key of which nothing tells the file.
func unnamed() (s stamp) {
	_, _ = rand.Read(s[:]) // never fails
	return s
}

// newList is an empty one, with room for some keys.
func newList(keys int) list { return list{should: make(map[id]stamp, keys), ended: map[id][]end{}} }

func (l *list) has(name string) bool {
	of, ok := idOf(name)
	return ok && l.wants(of)
}

// wants reports whether there should be a key.
func (l *list) wants(of id) bool {
	_, ok := l.should[of]
	return ok
}

// over reports whether a key ended and there is no other one since.
func (l *list) over(of id) bool { return !l.wants(of) && len(l.ended[of]) > 0 }

// knows reports whether the list tells of an end.
func (l *list) knows(of id, name stamp) bool {
	return slices.ContainsFunc(l.ended[of], func(e end) bool { return e.of == name })
}

// witnessed reports whether all ends of keys with an id were written here by a version that seals receipts.
func (l *list) witnessed(of id) bool {
	return len(l.ended[of]) > 0 && !slices.ContainsFunc(l.ended[of], func(e end) bool {
		return e.mark != ended || e.of == stamp{}
	})
}

// destroyed reports whether the key that a copy holds was destroyed, or another one should be there; by is the list of
// the copy. A copy that knows of all ends of which this list does was made after them.
func (l *list) destroyed(of id, file stamp, by list) bool {
	want, should := l.should[of]
	ends := []id{of, {}}
	switch {
	case should && want == file:
		return false
	case l.knows(of, file):
		return true
	case should && want != stamp{}:
		return true
	case should: // its file is damaged, and only what ended for sure may not take its place
		ends = ends[:1]
	}
	for _, of := range ends {
		if slices.ContainsFunc(l.ended[of], func(e end) bool {
			return e.mark == ended && !(should && e.of == stamp{}) && !by.knows(of, e.of)
		}) {
			return true
		}
	}
	return false
}

// idOf is the key that a file holds. The node's has no id, and its loss is noticed anyway.
func idOf(name string) (of id, ok bool) {
	if len(name) != 2*idBytes {
		return of, false
	}
	_, err := hex.Decode(of[:], []byte(name))
	return of, err == nil
}

// entry is what a list says of a key.
type entry struct {
	mark byte
	of   id
	file stamp
}

// madeOf is the entry of a key with this file, of whose content s tells.
func madeOf(name string, s stamp) []entry {
	of, ok := idOf(name)
	if !ok {
		return nil
	}
	return []entry{{made, of, s}}
}

// append adds the entry as the one with a number, from 1; 0 counts them.
func (e entry) append(to []byte, number int) []byte { return e.in(to, checkHead, number) }

// in adds the entry to a list with a head of which this is the checksum.
func (e entry) in(to []byte, head uint32, number int) []byte {
	at := len(to)
	to = append(append(append(to, e.mark), e.of[:]...), e.file[:]...)
	return binary.BigEndian.AppendUint32(to, checkOf(to[at:], head, number))
}

// countOf is the entry that counts the others.
func countOf(entries int) []byte {
	e := entry{mark: counts}
	binary.BigEndian.PutUint64(e.of[idBytes-8:], uint64(entries))
	return e.append(nil, 0)
}

// place is where the entry with a number stands.
func place(number int) int64 { return int64(len(listHead) + number*listEntry) }

// take takes an entry in. It counts none.
func (l list) take(e entry) bool {
	ends := l.ended[e.of]
	switch e.mark {
	case made:
		l.should[e.of] = e.file
		if l.knows(e.of, e.file) && e.file != (stamp{}) { // a crash came before its end
			l.ended[e.of] = slices.DeleteFunc(slices.Clone(ends), func(old end) bool { return old.of == e.file })
		}
	case ended, keptOut:
		delete(l.should, e.of)
		if !l.knows(e.of, e.file) {
			l.ended[e.of] = append(slices.Clip(ends), end{e.file, e.mark})
		}
	default:
		return false
	}
	return true
}

// needed is how many entries the list needs.
func (l list) needed() int {
	n := len(l.should)
	for _, ends := range l.ended {
		n += len(ends)
	}
	return n
}

// bytes is the list as a file without what is superseded.
func (l list) bytes() []byte {
	raw, n := append([]byte(listHead), countOf(l.needed())...), 0
	for _, of := range slices.SortedFunc(maps.Keys(l.ended), id.compare) {
		for _, e := range l.ended[of] {
			n++
			raw = entry{e.mark, of, e.of}.append(raw, n)
		}
	}
	for _, of := range slices.SortedFunc(maps.Keys(l.should), id.compare) {
		n++
		raw = entry{made, of, l.should[of]}.append(raw, n)
	}
	return raw
}

// note adds to the list, overwriting what a crash left of an entry. Several entries replace the whole, of which a
// crash leaves nothing half done.
func (d *directory) note(entries ...entry) error {
	if len(entries) == 0 {
		return nil
	}
	if l := &d.list; len(entries) == 1 && l.exists && !l.stale {
		if err := d.writeAt(listFile, 0, entries[0].append(nil, l.entries+1), place(l.entries+1)); err != nil {
			return err
		}
		l.take(entries[0])
		l.entries++
		l.stale = d.tally(l.entries) != nil
		return nil
	}
	next := list{should: maps.Clone(d.list.should), ended: maps.Clone(d.list.ended)}
	for _, e := range entries {
		next.take(e)
	}
	return d.rewrite(next)
}

// tally counts the entries, which are on the disk. That the count is need not be waited for.
func (d *directory) tally(entries int) error {
	f, err := os.OpenFile(d.file(listFile), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(countOf(entries), place(0))
	return errors.Join(err, f.Close())
}

// rewrite replaces the list.
func (d *directory) rewrite(next list) error {
	if err := d.put(listFile, next.bytes()); err != nil {
		d.list.stale = true // which of the two the file is nobody knows
		return err
	}
	next.exists, next.stale, next.entries = true, false, next.needed()
	d.list = next
	return nil
}

// readList reads the list of the directory.
func (d *directory) readList() (list, error) {
	r, err := d.readLines()
	if err != nil {
		return list{}, err
	}
	if !r.damaged() {
		return r.list, nil
	}
	with := "put the directory back from the backup that belongs to the store"
	if !d.alone {
		with = "a backup of the keys mends it: kehai key restore FILE"
	}
	path := d.file(listFile)
	return list{}, fmt.Errorf("%s is damaged: %s: %s; or, if no key is gone, remove it: rm %s", path, r.text(), with,
		path)
}

// readLines reads what is left of the list.
func (d *directory) readLines() (reading, error) {
	path := d.file(listFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return reading{list: newList(0)}, nil
	}
	if err != nil {
		return reading{}, err
	}
	r, later := parseList(raw)
	if later {
		return reading{}, fmt.Errorf("%s is damaged, or of a later version: upgrade this program, or put the "+
			"directory back from the backup that belongs to the store; if no key is gone, remove it: rm %s", path, path)
	}
	return r, nil
}

// compare returns the keys that exist but are not in the list, and those in the list that
// do not exist, both sorted. names are the files of the directory.
func (l *list) compare(names []string) (unlisted, lost []string) {
	listed := 0
	for _, name := range names {
		switch of, ok := idOf(name); {
		case !ok:
		case l.wants(of):
			listed++
		default:
			unlisted = append(unlisted, name)
		}
	}
	slices.Sort(unlisted)
	if listed == len(l.should) { // as nearly always: it takes no second table of all
		return unlisted, nil
	}
	there := map[id]bool{}
	for _, name := range names {
		if of, ok := idOf(name); ok {
			there[of] = true
		}
	}
	for of := range l.should {
		if !there[of] {
			lost = append(lost, of.String())
		}
	}
	slices.Sort(lost)
	return unlisted, lost
}

// errLost returns the error for missing keys.
func (d *directory) errLost(names []string) error {
	which := fmt.Sprintf("key %s is gone or empty", d.file(names[0]))
	if n := len(names) - 1; n > 0 {
		which = fmt.Sprintf("key %s and %d more are gone or empty", d.file(names[0]), n)
	}
	with := ": kehai key restore FILE; or, where there is no copy, kehai key anew says what is lost, and goes on " +
		"without"
	if d.alone {
		list := filepath.Join(d.path, listFile)
		with = fmt.Sprintf("; or remove %s to go on without: rm %s", listFile, list)
	}
	return fmt.Errorf("keyring: %s, and what was sealed with it cannot be read: put it back from the backup that "+
		"belongs to the store%s: %w", which, with, engine.ErrNoKey)
}
