package keyring

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/runtime/engine"
)

// The list says which keys there should be: listHead, and then entries of listEntry
// bytes, of which the last of a key counts. An entry is made or gone, and the id.
const (
	listFile  = "list"
	listHead  = "kehai keys 1\n"
	listEntry = 1 + idBytes
	made      = '+'
	gone      = '-'
)

// entry is the line of a key in the list.
func entry(mark byte, name string) []byte {
	raw, err := hex.DecodeString(name)
	if err != nil || len(raw) != idBytes {
		return nil // the node's key, whose loss is noticed by itself
	}
	return append([]byte{mark}, raw...)
}

// note appends to the list.
func (d directory) note(mark byte, names ...string) error {
	var lines []byte
	for _, name := range names {
		lines = append(lines, entry(mark, name)...)
	}
	if len(lines) == 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(string(d), listFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		at := info.Size()
		if at < int64(len(listHead)) {
			at, lines = 0, append([]byte(listHead), lines...)
		} else { // over what a crash has left of an entry
			at -= (at - int64(len(listHead))) % listEntry
		}
		_, err = f.WriteAt(lines, at)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// listed tells which keys should be there. ok is false if there is no list.
func (d directory) listed() (should map[id]bool, ok bool, err error) {
	raw, err := os.ReadFile(filepath.Join(string(d), listFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if should, ok = parseList(raw); !ok {
		return nil, false, fmt.Errorf("%s is damaged, or of another version: upgrade Kehai, or put the directory back "+
			"from the backup that belongs to the store", filepath.Join(string(d), listFile))
	}
	return should, true, nil
}

// parseList reads a list, of which a crash may have cut the end off.
func parseList(raw []byte) (should map[id]bool, ok bool) {
	lines, ok := bytes.CutPrefix(raw, []byte(listHead))
	if !ok {
		return nil, strings.HasPrefix(listHead, string(raw))
	}
	should = map[id]bool{}
	for ; len(lines) >= listEntry; lines = lines[listEntry:] {
		switch of := id(lines[1:listEntry]); lines[0] {
		case made:
			should[of] = true
		case gone:
			delete(should, of)
		default:
			return nil, false
		}
	}
	return should, true
}

// compare returns the keys that are there and not in the list, and those that should
// be there and are not, sorted. names are the files of the directory.
func (d directory) compare(names []string) (unlisted, lost []string, err error) {
	should, ok, err := d.listed()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		line := entry(made, name)
		if line == nil {
			continue
		}
		if of := id(line[1:]); !ok || !should[of] {
			unlisted = append(unlisted, name)
		} else {
			delete(should, of)
		}
	}
	for of := range should {
		lost = append(lost, of.String())
	}
	slices.Sort(lost)
	return unlisted, lost, nil
}

// lost reports whether a key that is not there should be.
func (d directory) lost(name string) (bool, error) {
	should, _, err := d.listed()
	line := entry(made, name)
	return line != nil && should[id(line[1:])], err
}

// errLost is the error of keys that are gone.
func (d directory) errLost(names []string) error {
	which := fmt.Sprintf("key %s is", filepath.Join(string(d), names[0]))
	if n := len(names) - 1; n > 0 {
		which = fmt.Sprintf("key %s and %d more are", filepath.Join(string(d), names[0]), n)
	}
	return fmt.Errorf("keyring: %s gone, and what was sealed with it cannot be read: put the directory back from the "+
		"backup that belongs to the store; or remove %s to go on without: rm %s: %w", which, listFile,
		filepath.Join(string(d), listFile), engine.ErrNoKey)
}
