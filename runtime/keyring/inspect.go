package keyring

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// Inspect checks the directory of a ring without changing it, even while a process uses
// it: it and its files must be this user's alone, no key may be missing, and each must
// open with the node's key. It returns how many keys there are. A directory that does not
// exist has none.
func Inspect(dir string) (keys int, err error) {
	if err := private.Check(dir, private.Closed); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	d := &directory{path: dir}
	lost, names, err := d.look()
	if err == nil && len(lost) > 0 { // a key destroyed meanwhile is in the list by now
		lost, names, err = d.look()
	}
	if err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	var damaged []error
	r := newRing(d, nil)
	for _, name := range names {
		if err := private.CheckFile(d.file(name)); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return 0, err
		}
		if of, ok := idOf(name); name == nodeFile {
			keys++
			_, err = r.nodeKey(false)
		} else if ok {
			keys++
			_, err = r.load(of)
		}
		if err != nil && !isAbsent(err) {
			damaged = append(damaged, err)
		}
	}
	if len(lost) > 0 {
		return keys, d.errLost(lost)
	}
	if n := len(damaged) - 1; n > 0 {
		return keys, fmt.Errorf("%w; %d more cannot be used either", damaged[0], n)
	} else if n == 0 {
		return keys, damaged[0]
	}
	return keys, nil
}

// Closed is what the keys of a directory do not open. It was forgotten since it was copied, or
// the keys are older.
type Closed struct {
	Rows, Keys    int
	Conversations []string // that the rows are about, as far as their places tell
}

// Lacking tells what of a snapshot the keys of a directory do not open; conversation is the one
// whose actor has a row, if one has. It reads the snapshot to its end, and fails if the keys are of
// another node.
func Lacking(dir string, snapshot io.Reader, conversation func(row []byte) string) (c Closed, err error) {
	ring, closed := Reader(dir), map[id]string{}
	err = engine.ReadSnapshot(snapshot, func(ops []engine.Op) error {
		for _, op := range ops {
			if _, err := engine.KeysFit(ring, op.Key, op.Value); err != nil {
				return err
			}
			if sealed, _ := engine.SealedForm(op.Key, op.Value); len(sealed) < idBytes {
				continue
			} else if _, err := engine.OpenRow(ring, op.Key, op.Value); errors.Is(err, engine.ErrNoKey) {
				c.Rows++
				of := id(sealed[:idBytes])
				about := conversation(op.Key)
				if !ring.Under(about, sealed) {
					about = ""
				}
				closed[of] = cmp.Or(closed[of], about)
			}
		}
		return nil
	})
	for _, about := range closed {
		if c.Keys++; about != "" {
			c.Conversations = append(c.Conversations, about)
		}
	}
	slices.Sort(c.Conversations)
	return c, err
}

// Used are the keys of a directory that open rows of a store, by their names. scan yields all rows.
func Used(dir string, scan func(yield func(key, value []byte) bool) error) (names map[string]bool, err error) {
	ring := Reader(dir)
	names = map[string]bool{}
	var bad error
	err = scan(func(key, value []byte) bool {
		sealed, _ := engine.SealedForm(key, value)
		name, ok := KeyID(sealed)
		if !ok || names[name] {
			return true
		}
		_, oerr := engine.OpenRow(ring, key, value)
		if names[name] = oerr == nil; oerr != nil && !errors.Is(oerr, engine.ErrNoKey) {
			bad = oerr
		}
		return bad == nil
	})
	return names, errors.Join(err, bad)
}

// look reads the list first and then the files, so that keys made meanwhile do not count
// as lost. Files without a key are not among the names.
func (d *directory) look() (lost, names []string, err error) {
	if d.list, err = d.readList(); err == nil {
		names, err = d.names()
	}
	slices.Sort(names)
	names, _ = d.keys(names)
	_, lost = d.list.compare(names)
	return lost, names, err
}

// all fails if a key is missing.
func (d *directory) all() error {
	lost, _, err := d.look()
	if err == nil && len(lost) > 0 { // a key destroyed meanwhile is in the list by now
		lost, _, err = d.look()
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	if len(lost) > 0 {
		return d.errLost(lost)
	}
	return nil
}
