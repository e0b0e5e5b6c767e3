package keyring

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/kehai-run/kehai/runtime/private"
)

// ErrBackup marks a file that is no backup of keys, or a damaged one.
var ErrBackup = errors.New("keyring: the backup of the keys is cut or damaged, or none at all")

// ErrKeys is returned by a Restore into a directory that has other keys.
var ErrKeys = errors.New("keyring: there are other keys already")

// Backup writes the keys of a directory as a tar archive, even while a process uses them,
// and returns how many there are. It fails if a key is missing or damaged, as a backup
// without it would be taken for whole.
func Backup(dir string, w io.Writer) (keys int, err error) { return backup(dir, w, true) }

// Share is a Backup for another machine that shares the rows, but not the store and its
// key.
func Share(dir string, w io.Writer) (keys int, err error) { return backup(dir, w, false) }

func backup(dir string, w io.Writer, withStore bool) (keys int, err error) {
	if err := private.Check(dir, private.Closed); err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	if _, err := Inspect(dir); err != nil {
		return 0, err
	}
	d := &directory{path: dir}
	names, err := d.names()
	if err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	slices.Sort(names)
	// The list comes first, so that a cut archive is noticed.
	lines, files := []byte(listHead), map[string][]byte{}
	for _, name := range names {
		line := entry(made, name)
		if name != nodeFile && (name != StoreKey || !withStore) && line == nil {
			continue
		}
		raw, ok, err := d.read(name)
		if err != nil {
			return 0, err
		}
		if ok && !blank(raw) { // destroyed since
			lines, files[name] = append(lines, line...), raw
		}
	}
	// Destroyed keys are listed too, so that no older backup brings them back after this one.
	l, err := d.readList(names)
	if err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	for _, of := range slices.SortedFunc(maps.Keys(l.ended), id.compare) {
		if files[of.String()] == nil {
			lines = append(append(lines, ended), of[:]...)
		}
	}
	if files[nodeFile] == nil {
		return 0, fmt.Errorf("keyring: there are no keys in %s", dir)
	}
	out := tar.NewWriter(w)
	err = archive(out, listFile, lines)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err == nil {
			err = archive(out, name, files[name])
		}
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return 0, fmt.Errorf("keyring: backup: %w", err)
	}
	return len(files), nil
}

func archive(out *tar.Writer, name string, raw []byte) error {
	err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(raw)), Typeflag: tar.TypeReg})
	if err == nil {
		_, err = out.Write(raw)
	}
	return err
}

// Restore puts the keys of a backup into a directory, and returns how many it has added:
// all if it has none, else those that it lacks, except for destroyed ones. It fails, and
// leaves no key behind, if a file is not a key of the node, or with [ErrKeys] if the
// directory has keys of another node, or another key for the same subject. Files of the backup
// with a name among without are left out. Killed at any moment, it can be done again.
func Restore(dir string, r io.Reader, without ...string) (keys int, err error) {
	return (&directory{path: dir}).takeIn(r, without)
}

// takeIn is [Restore].
func (d *directory) takeIn(r io.Reader, without []string) (keys int, err error) {
	files, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	half := &directory{path: d.path + unfinished, step: d.step, leaveOut: d.leaveOut}
	if err := os.RemoveAll(half.path); err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	if err := private.Make(half.path, private.Closed); err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	half.exclude()
	if err = half.unpack(r, without); err == nil {
		keys, err = half.complete()
	}
	switch {
	case err != nil:
	case len(files) > 0:
		keys, err = half.addTo(d)
		err = errors.Join(err, os.RemoveAll(half.path))
	default:
		err = half.become(d.path)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("keyring: restore: %w", err), os.RemoveAll(half.path))
	}
	return keys, nil
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

// addTo writes the keys that another directory lacks into it, the node's first. Killed in
// between, it can be done again.
func (d *directory) addTo(to *directory) (keys int, err error) {
	lacking, mended, err := d.lackedBy(to)
	if err == nil && mended != nil {
		err = to.put(listFile, mended)
	}
	if err != nil {
		return 0, err
	}
	for _, name := range lacking {
		raw, _, err := d.read(name)
		if err == nil {
			err = to.write(name, raw)
		}
		if err != nil {
			return keys, err
		}
		keys++
	}
	return keys, nil
}

// lackedBy names the keys that are missing or damaged in another directory, the node's
// first. All that it has must be of the same node. mended is the list that it should have, nil for the one it has.
func (d *directory) lackedBy(to *directory) (lacking []string, mended []byte, err error) {
	theirs, err := to.names()
	mine, merr := d.names()
	if err = errors.Join(err, merr); err == nil {
		to.list, mended, err = d.mendedList(to, theirs, mine)
	}
	if err != nil {
		return nil, nil, err
	}
	n, err := newRing(d, nil).nodeKey(false)
	if err != nil {
		return nil, nil, err
	}
	names := slices.Concat(mine, theirs)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		line := entry(made, name)
		if line == nil && name != nodeFile && name != StoreKey {
			continue
		}
		raw, ok, err := d.read(name)
		there, has, terr := to.read(name)
		if err = errors.Join(err, terr); err != nil {
			return nil, nil, err
		}
		if name == StoreKey { // the one that is there may be newer
			if !has {
				lacking = append(lacking, name)
			}
			continue
		}
		opens := false
		if line != nil && has {
			_, bad := n.unwrap(id(line[1:]), there)
			opens = bad == nil
		}
		switch {
		case ok && has && bytes.Equal(raw, there), !ok && (opens || blank(there)):
		case !ok, opens, has && name == nodeFile:
			return nil, nil, fmt.Errorf("%w in %s (%s): move them away first, if no store needs them", ErrKeys, to.path,
				name)
		case name == nodeFile:
			lacking = slices.Insert(lacking, 0, name)
		case !to.list.ended[id(line[1:])]:
			lacking = append(lacking, name)
		}
	}
	return lacking, mended, nil
}

// Bounds of the files of a backup, in bytes.
const (
	maxKeyFile  = 1 << 10
	maxListFile = 64 << 20
)

func (d *directory) unpack(r io.Reader, without []string) error {
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if err == io.EOF {
			return d.syncDir(d.path)
		}
		if err != nil || h.Typeflag != tar.TypeReg {
			return ErrBackup
		}
		switch {
		case h.Name == listFile && h.Size <= maxListFile:
		case (h.Name == nodeFile || h.Name == StoreKey || entry(made, h.Name) != nil) && h.Size <= maxKeyFile:
		default:
			return ErrBackup
		}
		raw, err := io.ReadAll(in)
		if err != nil {
			return ErrBackup
		}
		if slices.Contains(without, h.Name) {
			continue
		}
		if err := d.writeAt(h.Name, os.O_CREATE|os.O_EXCL, raw, 0); err != nil {
			return err
		}
	}
}

// complete counts the keys of a directory, and fails if one is missing or damaged.
func (d *directory) complete() (keys int, err error) {
	keys, err = Inspect(d.path)
	if err == nil {
		for _, name := range []string{nodeFile, listFile} {
			if _, err = os.Stat(d.file(name)); err != nil {
				break
			}
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	return keys, nil
}
