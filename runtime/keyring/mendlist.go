package keyring

import "slices"

// mended is the list of a directory with these files, put right where it does not tell all that it told. Then the keys
// that have a file are those there should be, and all others have ended with it: so nothing that was forgotten comes
// back. changed reports whether it has to be written.
func (d *directory) mended(names []string) (l list, changed bool, err error) {
	r, err := d.readLines()
	if err != nil || !r.damaged() {
		return r.list, false, err
	}
	l = list{should: map[id]stamp{}, ended: r.ended}
	there, _ := d.entries(slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := idOf(name)
		return !ok
	}))
	for _, e := range there {
		l.take(e)
	}
	l.take(entry{ended, id{}, unnamed()})
	return l, true, nil
}
