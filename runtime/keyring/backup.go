package keyring

import (
	"archive/tar"
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

// ErrKeys is returned by a Restore into a directory that has keys.
var ErrKeys = errors.New("keyring: there are keys already")

// Backup writes the keys of a directory as a tar archive, even while a process uses them,
// and returns how many there are. It fails if a key is missing or damaged, as a backup
// without it would be taken for whole.
func Backup(dir string, w io.Writer) (keys int, err error) {
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
	// The list comes first, so that a cut archive is noticed.
	lines, files := []byte(listHead), map[string][]byte{}
	for _, name := range names {
		line := entry(made, name)
		if name != nodeFile && line == nil {
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

// Restore puts the keys of a backup into a directory that has none, and returns how many
// there are. It fails, and leaves no key behind, if a file is not a key of the node, or
// with [ErrKeys] if the directory has keys.
func Restore(dir string, r io.Reader) (keys int, err error) {
	half := dir + unfinished
	switch files, err := os.ReadDir(dir); {
	case err == nil && len(files) > 0:
		return 0, fmt.Errorf("%w in %s: move them away first, if no store needs them", ErrKeys, dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return 0, fmt.Errorf("keyring: %w", err)
	}
	if err := os.RemoveAll(half); err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	if err := private.Make(half, private.Closed); err != nil {
		return 0, fmt.Errorf("keyring: %w", err)
	}
	d := &directory{path: half}
	if err = d.unpack(r); err == nil {
		keys, err = d.complete()
	}
	if err == nil {
		err = os.Remove(dir)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(half, dir)
	}
	if err == nil {
		err = d.syncDir(filepath.Dir(dir))
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("keyring: restore: %w", err), os.RemoveAll(half))
	}
	return keys, nil
}

// Bounds of the files of a backup, in bytes.
const (
	maxKeyFile  = 1 << 10
	maxListFile = 64 << 20
)

func (d *directory) unpack(r io.Reader) error {
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
		case (h.Name == nodeFile || entry(made, h.Name) != nil) && h.Size <= maxKeyFile:
		default:
			return ErrBackup
		}
		raw, err := io.ReadAll(in)
		if err != nil {
			return ErrBackup
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
