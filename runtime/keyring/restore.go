package keyring

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// ErrKeys is returned by a Restore into a directory that has other keys.
var ErrKeys = errors.New("keyring: there are other keys already")

// Restore is the zero [Taking]'s.
func Restore(dir string, r io.Reader) (keys int, err error) {
	got, err := Taking{}.Restore(dir, r)
	return got.Keys, err
}

// Taking says what a [Taking.Restore] leaves out of a backup.
type Taking struct {
	Without   []string     // files with these names
	Destroyed []engine.Key // these, as receipts tell ([Destroyed]); without an ID: whatever it is
	// StoreFits reports whether what [StoreKey] holds opens the store. It is asked where none does that is there: the
	// key of the backup takes its place, or is left out. Nil: it is taken where there is none.
	StoreFits func(raw []byte) (bool, error)
	// KeepOthers leaves out keys for whose subject the directory has another key; else that is [ErrKeys]. One that
	// is there ends if the backup tells that it was destroyed, and nothing is opened with it: the next one takes its
	// place.
	KeepOthers bool
	// Used reports whether the key with a name opens something that is stored. Nil: it does not.
	Used func(name string) (bool, error)
}

// Restored counts keys of a backup.
type Restored struct {
	Keys      int // that the directory lacked and has now
	Destroyed int // left out, as they were destroyed here
	Others    int // left out, as there is another one for the same subject
	Ended     int // that the directory had, and of which the backup tells that they were destroyed
	// Unfit reports that [StoreKey] was left out, as it does not open the store.
	Unfit bool
}

// Restore puts the keys of a backup into a directory: all if it has none, else those that it lacks. What was
// destroyed stays so: a key that the list says has ended, another one than it says should be there, and what receipts
// name. It fails, and leaves no key behind, if a file is not a key of the node, or with [ErrKeys] if the
// directory has keys of another node. Killed at any moment, it can be done again.
func (t Taking) Restore(dir string, r io.Reader) (Restored, error) {
	return (&directory{path: dir}).takeIn(r, t)
}

// takeIn is [Taking.Restore].
func (d *directory) takeIn(r io.Reader, t Taking) (got Restored, err error) {
	files, err := os.ReadDir(d.path)
	if len(files) > 0 && err == nil {
		err = private.Check(d.path, private.Closed)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return got, fmt.Errorf("keyring: %w", err)
	}
	half := &directory{path: d.path + unfinished, step: d.step, leaveOut: d.leaveOut}
	if err := os.RemoveAll(half.path); err != nil {
		return got, fmt.Errorf("keyring: %w", err)
	}
	if err := private.Make(half.path, private.Closed); err != nil {
		return got, fmt.Errorf("keyring: %w", err)
	}
	half.exclude()
	if err = half.unpack(r, t.Without); err == nil {
		got, err = half.complete(t)
	}
	switch {
	case err != nil:
	case len(files) > 0:
		got, err = half.addTo(d, t, got)
		err = errors.Join(err, os.RemoveAll(half.path))
	default:
		err = half.become(d.path)
	}
	if err != nil {
		return Restored{}, errors.Join(fmt.Errorf("keyring: restore: %w", err), os.RemoveAll(half.path))
	}
	return got, nil
}

// become moves a directory to where there is none, or an empty one.
func (d *directory) become(dir string) error {
	err := d.do(doRemove, dir, func() error { return os.Remove(dir) })
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = d.do(doRename, dir, func() error { return os.Rename(d.path, dir) })
	}
	if err == nil {
		err = d.syncDir(filepath.Dir(dir))
	}
	return err
}

// addTo writes the keys that another directory lacks into it, the node's first, and adds them to what was left
// out already. Killed in between, it can be done again.
func (d *directory) addTo(to *directory, t Taking, got Restored) (Restored, error) {
	l, err := d.lackedBy(to, t)
	if err == nil && l.mended {
		err = to.rewrite(to.list)
	}
	over := l.over
	for _, name := range over {
		if err == nil {
			err = to.destroy(name)
		}
	}
	if err == nil && len(over) > 0 {
		l, err = d.lackedBy(to, t)
	}
	if err == nil {
		err = to.note(l.ends...)
	}
	got = Restored{Destroyed: got.Destroyed + l.left.Destroyed, Others: l.left.Others, Ended: len(over),
		Unfit: got.Unfit}
	for _, name := range l.names {
		var raw []byte
		if err == nil {
			raw, _, err = d.read(name)
		}
		if err == nil {
			err = to.write(name, raw)
		}
		if err != nil {
			return got, err
		}
		got.Keys++
	}
	return got, err
}

// lacking is what another directory lacks.
type lacking struct {
	names  []string // of keys, the node's first
	left   Restored // what it is not given
	mended bool     // its list was damaged, and has to be written
	ends   []entry  // of keys that were destroyed before the backup, and of which it does not tell
	over   []string // of its keys that the backup tells as destroyed: these first, then what is lacking is weighed anew
}

// lackedBy names the keys that are missing or damaged in another directory, and reads its list. All that it has must
// be of the same node.
func (d *directory) lackedBy(to *directory, t Taking) (l lacking, err error) {
	theirs, err := to.names()
	mine, merr := d.names()
	if err = errors.Join(err, merr); err == nil {
		to.list, l.mended, err = to.mended(theirs)
	}
	if err != nil {
		return l, err
	}
	n, err := newRing(d, nil).nodeKey(false)
	if err != nil {
		return l, err
	}
	there, has, err := to.read(nodeFile)
	if err != nil {
		return l, err
	}
	if raw, _, rerr := d.read(nodeFile); rerr != nil || has && !bytes.Equal(raw, there) {
		return l, errors.Join(rerr, errOthers(to, nodeFile))
	}
	if !has {
		l.names = append(l.names, nodeFile)
	}
	names := slices.Concat(mine, theirs)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if of, ok := idOf(name); ok {
			err = l.weigh(n, of, d, to, !has, t)
		} else if name == StoreKey {
			err = l.weighStore(d, to, t)
		}
		if err != nil {
			return l, err
		}
	}
	l.ends = to.list.lackedEnds(d.list, theirs)
	return l, nil
}

// lackedEnds are the ends in another list of keys of which this one does not tell, and that have no file among these.
func (l *list) lackedEnds(of list, files []string) (ends []entry) {
	there := map[id]bool{}
	for _, name := range files {
		if of, ok := idOf(name); ok {
			there[of] = true
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(of.ended), id.compare) {
		for _, e := range of.ended[key] {
			if !l.knows(key, e.of) && !l.wants(key) && !there[key] {
				ends = append(ends, entry{e.mark, key, e.of})
			}
		}
	}
	return ends
}

func errOthers(in *directory, name string) error {
	return fmt.Errorf("%w in %s (%s): move them away first, if no store needs them", ErrKeys, in.path, name)
}

// weighStore decides about the key of the store. The one that is there may be newer, unless it does not open the store.
func (l *lacking) weighStore(from, to *directory, t Taking) error {
	raw, ok, err := from.read(StoreKey)
	if err != nil || !ok {
		return err
	}
	there, has, err := to.read(StoreKey)
	if t.StoreFits != nil && !bytes.Equal(raw, there) { // whatever is there, out of reach or not
		has, err = false, nil
	}
	if err == nil && !has {
		l.names = append(l.names, StoreKey)
	}
	return err
}

// weigh decides about a key that one of two directories has. foreign reports that nothing else shows whether the
// other one is of the same node.
func (l *lacking) weigh(n *node, of id, from, to *directory, foreign bool, t Taking) error {
	name := of.String()
	raw, ok, err := from.read(name)
	there, has, terr := to.read(name)
	if err = errors.Join(err, terr); err != nil {
		return err
	}
	_, bad := n.unwrap(of, there)
	opens := has && bad == nil
	over, err := t.ends(name, opens && from.list.knows(of, stampOf(there)))
	switch {
	case err != nil:
		return err
	case ok && has && bytes.Equal(raw, there):
	case over:
		l.over = append(l.over, name)
	case !ok && foreign && has && !opens && !blank(there):
		return errOthers(to, name)
	case !ok:
	case opens && !t.KeepOthers:
		return errOthers(to, name)
	case opens:
		l.left.Others++
	case to.list.destroyed(of, stampOf(raw), from.list):
		l.left.Destroyed++
	default:
		l.names = append(l.names, name)
	}
	return nil
}

// ends reports whether a key that is there ends; known: the backup tells that it was destroyed. What was sealed since
// an older backup was restored is not lost with it.
func (t Taking) ends(name string, known bool) (bool, error) {
	if !known || !t.KeepOthers || t.Used == nil {
		return known && t.KeepOthers, nil
	}
	used, err := t.Used(name)
	return !used, err
}

// Bounds of the files of a backup, in bytes.
const (
	maxKeyFile  = 1 << 10
	maxListFile = 160 << 20 // of four million keys
)

func (d *directory) unpack(r io.Reader, without []string) error {
	whole, so := false, archive{sum: sha256.New()}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if err == io.EOF && whole {
			return d.syncDir(d.path)
		}
		if err != nil || h.Typeflag != tar.TypeReg {
			return ErrBackup
		}
		_, key := idOf(h.Name)
		switch {
		case h.Name == listFile && h.Size <= maxListFile:
		case (h.Name == nodeFile || h.Name == StoreKey || h.Name == sumFile || key) && h.Size <= maxKeyFile:
		default:
			return ErrBackup
		}
		raw, err := io.ReadAll(in)
		if err != nil {
			return ErrBackup
		}
		switch h.Name {
		case listFile:
			whole = bytes.HasPrefix(raw, []byte(oldHead))
		case sumFile:
			if whole = bytes.Equal(raw, so.total()); !whole {
				return ErrBackup
			}
			continue
		}
		so.count(h.Name, raw)
		if slices.Contains(without, h.Name) {
			continue
		}
		if err := d.writeAt(h.Name, os.O_CREATE|os.O_EXCL, raw, 0); err != nil {
			return err
		}
	}
}

// complete counts the keys of a directory, and fails if one is missing or damaged. Those that are to be left out go.
func (d *directory) complete(t Taking) (got Restored, err error) {
	got.Keys, err = Inspect(d.path)
	if err == nil {
		for _, name := range []string{nodeFile, listFile} {
			if _, err = os.Stat(d.file(name)); err != nil {
				break
			}
		}
	}
	if err != nil {
		return Restored{}, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	return d.reduce(t, got)
}

// reduce takes away what is to be left out of a directory, which has so many keys.
func (d *directory) reduce(t Taking, got Restored) (Restored, error) {
	names, err := d.names()
	if err == nil {
		d.list, err = d.readList()
	}
	if err != nil {
		return Restored{}, err
	}
	if got.Unfit, err = d.unfit(t); err != nil {
		return Restored{}, err
	}
	gone := d.among(names, t.Destroyed)
	for _, name := range gone { // a newer backup may have the next key of the same subject: the end is of this one
		raw, _, err := d.read(name)
		if err != nil {
			return Restored{}, err
		}
		of, _ := idOf(name)
		d.list.take(entry{keptOut, of, stampOf(raw)})
	}
	if len(gone) > 0 {
		err = d.rewrite(d.list)
	}
	for _, name := range gone {
		if err == nil {
			err = d.wipe(name)
		}
	}
	got.Keys, got.Destroyed = got.Keys-len(gone), len(gone)
	return got, err
}

// unfit takes the key of the store away if it does not open it.
func (d *directory) unfit(t Taking) (bool, error) {
	raw, ok, err := d.read(StoreKey)
	if err != nil || !ok || t.StoreFits == nil {
		return false, err
	}
	if fits, err := t.StoreFits(raw); err != nil || fits {
		return false, err
	}
	return true, d.wipe(StoreKey)
}

// among are those of the files of the directory that hold one of these keys.
func (d *directory) among(files []string, keys []engine.Key) (names []string) {
	ids, prints := map[string]bool{}, map[string]bool{}
	for _, key := range keys {
		ids[key.ID], prints[key.Fingerprint] = true, true
	}
	r := newRing(d, nil)
	for _, name := range files {
		of, ok := idOf(name)
		if !ok || !ids[name] && !ids[""] {
			continue
		}
		if k, err := r.load(of); err == nil && prints[k.print] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
