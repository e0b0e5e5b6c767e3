package keyring

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/kehai-run/kehai/runtime/engine"
)

// The list says which keys there should be: listHead, and then entries of listEntry
// bytes. An entry is made or ended, and the id; the last entry of a key counts.
const (
	listFile  = "list"
	listHead  = "kehai keys 1\n"
	listEntry = 1 + idBytes
	made      = '+'
	ended     = '-'
	// A list is rewritten once it has more entries than this and less than half of them are needed.
	listSlack = 256
)

// list is the content of the file.
type list struct {
	should  map[id]bool
	ended   map[id]bool // destroyed, and not made again since
	entries int         // in the file, superseded ones included
	exists  bool        // the file is there
}

// newList is an empty one, with room for some keys.
func newList(keys int) list { return list{should: make(map[id]bool, keys), ended: map[id]bool{}} }

func (l *list) has(name string) bool {
	of, ok := idOf(name)
	return ok && l.should[of]
}

// idOf is the key that a file holds. The node's has no id, and its loss is noticed anyway.
func idOf(name string) (of id, ok bool) {
	if len(name) != 2*idBytes {
		return of, false
	}
	_, err := hex.Decode(of[:], []byte(name))
	return of, err == nil
}

// entry is the line of a key in the list.
func entry(mark byte, name string) []byte {
	of, ok := idOf(name)
	if !ok {
		return nil
	}
	return append([]byte{mark}, of[:]...)
}

// add takes complete entries in.
func (l *list) add(lines []byte) bool {
	for ; len(lines) >= listEntry; lines = lines[listEntry:] {
		switch of := id(lines[1:listEntry]); lines[0] {
		case made:
			l.should[of] = true
			delete(l.ended, of)
		case ended:
			delete(l.should, of)
			l.ended[of] = true
		default:
			return false
		}
		l.entries++
	}
	return true
}

// note appends to the list, overwriting what a crash left of an entry.
func (d *directory) note(mark byte, names ...string) error {
	var lines []byte
	for _, name := range names {
		lines = append(lines, entry(mark, name)...)
	}
	if len(lines) == 0 {
		return nil
	}
	if !d.list.exists { // a list that is cut short was damaged, not made by a crash
		if err := d.put(listFile, append([]byte(listHead), lines...)); err != nil {
			return err
		}
		d.list.exists = true
	} else if err := d.writeAt(listFile, 0, lines, int64(len(listHead)+d.list.entries*listEntry)); err != nil {
		return err
	}
	d.list.add(lines)
	return nil
}

// compact rewrites the list if less than half of it is needed. Destroyed keys stay listed, so
// that no older copy of the keys brings them back.
func (d *directory) compact() error {
	l := &d.list
	needed := len(l.should) + len(l.ended)
	if l.entries <= cmp.Or(d.slack, listSlack) || 2*needed >= l.entries {
		return nil
	}
	lines := []byte(listHead)
	for _, of := range slices.SortedFunc(maps.Keys(l.should), id.compare) {
		lines = append(append(lines, made), of[:]...)
	}
	for _, of := range slices.SortedFunc(maps.Keys(l.ended), id.compare) {
		lines = append(append(lines, ended), of[:]...)
	}
	if err := d.put(listFile, lines); err != nil {
		return err
	}
	l.entries = needed
	return nil
}

// readList reads the list of the directory, in which these files are.
func (d *directory) readList(names []string) (list, error) {
	path := d.file(listFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newList(0), nil
	}
	if err != nil {
		return list{}, err
	}
	l, ok := parseList(raw)
	if !ok && bytes.HasPrefix([]byte(listHead), raw) { // older versions did not write it at once
		keys := 0
		for _, name := range names {
			if _, is := idOf(name); is {
				keys++
			}
		}
		l, ok = newList(0), keys <= 1
	}
	if b, some := blur(raw); !ok && some {
		with := "put the directory back from the backup that belongs to the store"
		if !d.alone {
			with = "a backup of the keys mends it: kehai key restore FILE"
		}
		return list{}, fmt.Errorf("%s is damaged: %s: %s; or, if no key is gone, remove it: rm %s", path, b.text(),
			with, path)
	}
	if !ok {
		return list{}, fmt.Errorf("%s is damaged, or of a later version: upgrade this program, or put the directory "+
			"back from the backup that belongs to the store; if no key is gone, remove it: rm %s", path, path)
	}
	return l, nil
}

// parseList reads a list. A crash may have cut off its end, or left it empty.
func parseList(raw []byte) (l list, ok bool) {
	lines, ok := bytes.CutPrefix(raw, []byte(listHead))
	if !ok {
		return list{}, false
	}
	l = newList(len(lines) / listEntry)
	l.exists = true
	// A power cut may leave zeros where the last entries were to be.
	whole := len(bytes.TrimRight(lines, "\x00")) + listEntry - 1
	return l, l.add(lines[:min(len(lines), whole-whole%listEntry)])
}

// compare returns the keys that exist but are not in the list, and those in the list that
// do not exist, both sorted. names are the files of the directory.
func (l *list) compare(names []string) (unlisted, lost []string) {
	listed := 0
	for _, name := range names {
		switch of, ok := idOf(name); {
		case !ok:
		case l.should[of]:
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

// errLost returns the error for missing keys, in a directory with these files.
func (d *directory) errLost(names, files []string) error {
	if key := d.list.misread(names[0], files); key != "" && !d.alone {
		return fmt.Errorf("keyring: %s is damaged: an entry names key %s, and the key is %s: a backup of the keys "+
			"mends it: kehai key restore FILE; or, if no key is gone, remove it: rm %[1]s: %[4]w", d.file(listFile),
			names[0], key, engine.ErrNoKey)
	}
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
