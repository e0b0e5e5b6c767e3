package keyring

import (
	"bytes"
	"cmp"
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

// The list says which keys there should be: listHead, and then entries of listEntry bytes, of which the last one
// of a key counts:
//
//	made or ended | id (16 bytes) | stamp of the key's file (16 bytes) | check (4 bytes)
//
// The stamp of an end is zero if it is about every key with the id so far, else about one. That of a made key is zero
// while its file holds none that opens, or if it is of the first form: oldHead, and entries without stamp and check.
// That form is read, and replaced at the next start, which also looks at the files of keys without a stamp.
//
// The check is a CRC-32C over listHead, the number of the entry and the entry. A changed byte is found with it and put
// right ([righted]); where more was changed, a backup of the keys mends the list ([directory.mended]). What is not
// noticed is that entries at the end are missing, as a crash may lose one: a key that was made is then entered anew,
// and of one that was destroyed only its receipt still tells ([Destroyed]).
const (
	listFile   = "list"
	listHead   = "kehai keys 2\n"
	stampBytes = 16
	checkBytes = 4
	bareEntry  = 1 + idBytes + stampBytes // without its check
	listEntry  = bareEntry + checkBytes
	made       = '+'
	ended      = '-'

	oldHead  = "kehai keys 1\n"
	oldEntry = 1 + idBytes

	// A list is rewritten once it has more entries than this and less than half of them are needed.
	listSlack = 256
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
	ended   map[id]stamp // destroyed, and not made again since; zero: whatever the file was
	entries int          // in the file, superseded ones included
	exists  bool         // the file is there
	stale   bool         // the file has the first form, or tells less than this: write it anew
}

// newList is an empty one, with room for some keys.
func newList(keys int) list { return list{should: make(map[id]stamp, keys), ended: map[id]stamp{}} }

func (l *list) has(name string) bool {
	of, ok := idOf(name)
	return ok && l.wants(of)
}

// wants reports whether there should be a key.
func (l *list) wants(of id) bool {
	_, ok := l.should[of]
	return ok
}

// over reports whether all keys with an id so far were destroyed.
func (l *list) over(of id) bool {
	one, gone := l.ended[of]
	return gone && one == stamp{}
}

// destroyed reports whether a key with this file was destroyed, or another one should be there.
func (l *list) destroyed(of id, file stamp) bool {
	if one, gone := l.ended[of]; gone {
		return one == stamp{} || one == file
	}
	want, should := l.should[of]
	return should && want != stamp{} && want != file
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

// endedOf is the entry of a key that is destroyed.
func endedOf(name string) []entry {
	of, ok := idOf(name)
	if !ok {
		return nil
	}
	return []entry{{mark: ended, of: of}}
}

// append adds the entry as the one with a number, from 0.
func (e entry) append(to []byte, number int) []byte {
	at := len(to)
	to = append(append(append(to, e.mark), e.of[:]...), e.file[:]...)
	return binary.BigEndian.AppendUint32(to, checkOf(to[at:], number))
}

// take takes an entry in. It counts none.
func (l list) take(e entry) bool {
	switch e.mark {
	case made:
		l.should[e.of] = e.file
		delete(l.ended, e.of)
	case ended:
		delete(l.should, e.of)
		l.ended[e.of] = e.file
	default:
		return false
	}
	return true
}

// bytes is the list as a file without what is superseded.
func (l list) bytes() []byte {
	raw, n := []byte(listHead), 0
	for _, of := range slices.SortedFunc(maps.Keys(l.should), id.compare) {
		raw = entry{made, of, l.should[of]}.append(raw, n)
		n++
	}
	for _, of := range slices.SortedFunc(maps.Keys(l.ended), id.compare) {
		raw = entry{ended, of, l.ended[of]}.append(raw, n)
		n++
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
		line := entries[0].append(nil, l.entries)
		if err := d.writeAt(listFile, 0, line, int64(len(listHead)+l.entries*listEntry)); err != nil {
			return err
		}
		l.take(entries[0])
		l.entries++
		return nil
	}
	next := list{should: maps.Clone(d.list.should), ended: maps.Clone(d.list.ended)}
	for _, e := range entries {
		next.take(e)
	}
	return d.rewrite(next)
}

// rewrite replaces the list.
func (d *directory) rewrite(next list) error {
	if err := d.put(listFile, next.bytes()); err != nil {
		d.list.stale = true // which of the two the file is nobody knows
		return err
	}
	next.exists, next.stale, next.entries = true, false, len(next.should)+len(next.ended)
	d.list = next
	return nil
}

// compact rewrites the list if less than half of it is needed. Destroyed keys stay listed, so
// that no older copy of the keys brings them back.
func (d *directory) compact() error {
	l := d.list
	needed := len(l.should) + len(l.ended)
	if l.entries <= cmp.Or(d.slack, listSlack) || 2*needed >= l.entries {
		return nil
	}
	return d.rewrite(l)
}

// readList reads the list of the directory, in which these files are.
func (d *directory) readList(names []string) (list, error) {
	r, err := d.readLines(names)
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
func (d *directory) readLines(names []string) (reading, error) {
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
	if r.none && bytes.HasPrefix([]byte(oldHead), raw) { // older versions did not write it at once
		keys := 0
		for _, name := range names {
			if _, is := idOf(name); is {
				keys++
			}
		}
		if keys <= 1 {
			return reading{list: newList(0)}, nil
		}
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
	with := ": kehai key restore FILE"
	if d.alone {
		with = ""
	}
	return fmt.Errorf("keyring: %s, and what was sealed with it cannot be read: put it back from the backup that "+
		"belongs to the store%s; or remove %s to go on without: rm %s: %w", which, with, listFile,
		filepath.Join(d.path, listFile), engine.ErrNoKey)
}
