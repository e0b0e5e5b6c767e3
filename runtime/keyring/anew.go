package keyring

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Lost is a key that is lost for good, or an older one of a subject that has another one by now, and what it sealed.
type Lost struct {
	Key   string   // its name
	Whose string   // the conversation, window or shared actor, "" if no row tells
	Kinds []string // of the actors whose rows these are
	Rows  int
}

// Losses tells which keys of a directory are lost, and which rows of a store they sealed, by the keys of these rows.
// scan yields all rows. It changes nothing; it fails if the keys are of another node, or out of reach, as then nothing
// is lost.
func Losses(dir string, scan func(yield func(key, value []byte) bool) error) (lost []Lost, rows [][]byte, err error) {
	d := &directory{path: dir}
	gone, err := d.unusable()
	if err != nil {
		return nil, nil, err
	}
	ring, of := Reader(dir), map[string]*Lost{}
	for _, name := range gone {
		of[name] = &Lost{Key: name}
	}
	var bad error
	fit := false // without a row that tells, keys of another node would look like lost ones
	err = scan(func(key, value []byte) bool {
		tells, err := engine.KeysFit(ring, key, value)
		if fit, bad = fit || tells, err; bad != nil {
			return false
		}
		sealed, _ := engine.SealedForm(key, value)
		name, ok := KeyID(sealed)
		if !ok {
			return true
		}
		switch _, err := engine.OpenRow(ring, key, value); {
		case err == nil:
			return true
		case !errors.Is(err, engine.ErrNoKey):
			bad = err
			return false
		}
		l := cmp.Or(of[name], &Lost{Key: name})
		of[name], rows = l, append(rows, slices.Clone(key))
		l.Rows++
		if owner := engine.OwnerOf(key); owner != "" && !slices.Contains(l.Kinds, owner.Kind()) {
			l.Kinds = append(l.Kinds, owner.Kind())
		}
		if owner := engine.OwnerOf(key); l.Whose == "" && ring.Under(owner.Key(), sealed) {
			l.Whose = owner.Key()
		}
		return true
	})
	if err = errors.Join(err, bad); err == nil && !fit && len(rows) > 0 {
		err = errors.New("keyring: the store does not say with which keys it was sealed: nothing is lost for sure")
	}
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		slices.Sort(of[name].Kinds)
		lost = append(lost, *of[name])
	}
	return lost, rows, nil
}

// GiveUp ends the keys of a directory that are lost, so that others are made in their place. What they sealed is not
// to be there any more.
func GiveUp(dir string) error {
	d := &directory{path: dir}
	gone, err := d.unusable()
	for _, name := range gone {
		if err == nil {
			err = d.destroy(name)
		}
	}
	return err
}

// unusable names the keys that should be there, and whose files are gone, blank or damaged. It reads the list, and each
// key.
func (d *directory) unusable() (gone []string, err error) {
	if d.list, err = d.readList(); err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	r := newRing(d, strings.NewReader("")) // nothing is sealed
	if _, err := r.nodeKey(false); err != nil {
		return nil, err
	}
	for _, of := range slices.SortedFunc(maps.Keys(d.list.should), id.compare) {
		switch _, err := r.load(of); {
		case errors.Is(err, engine.ErrNoKey):
			gone = append(gone, of.String())
		case err != nil:
			return nil, err
		}
	}
	return gone, nil
}
