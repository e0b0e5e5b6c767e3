package keyring

import "slices"

// mended is the list of a directory with these files, put right where it does not tell all that it told. Then the keys
// that have a file are those there should be, and any other one that the list or a backup names counts as destroyed: so
// nothing that was forgotten comes back. changed reports whether it has to be written.
func (d *directory) mended(names, backup []string) (l list, changed bool, err error) {
	r, err := d.readLines(names)
	if err != nil || !r.damaged() {
		return r.list, false, err
	}
	l = newList(len(names))
	there, _ := d.entries(slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := idOf(name)
		return !ok
	}))
	for _, e := range there {
		l.take(e)
	}
	count := func(of id) {
		if !l.wants(of) {
			l.take(entry{mark: ended, of: of})
		}
	}
	for of := range r.should {
		count(of)
	}
	for of := range r.ended {
		count(of)
	}
	for _, of := range r.unclear {
		count(of)
	}
	for _, name := range backup {
		if of, ok := idOf(name); ok {
			count(of)
		}
	}
	return l, true, nil
}
