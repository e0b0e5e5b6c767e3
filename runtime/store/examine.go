package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/dgraph-io/ristretto/v2/z"

	"github.com/kehai-run/kehai/runtime/engine"
)

// examination looks through the files of a store before Badger does. It needs
// the lock of the directory.
type examination struct {
	Options
	names map[string]int64 // size of each file
	keys  *badger.KeyRegistry
}

// examine finds damage that Badger would ignore or die of: it leaves out a table with a
// damaged index, a damaged block ends the process, without a MANIFEST it removes every
// table, and it cuts a log at the first unreadable entry. Afterwards everything left is
// synced, so that no later write can survive a power cut that an earlier one does not.
//
// It cannot see that a log is gone, if the tables are whole. The MANIFEST names tables, and nothing names
// logs: a *.mem file is removed once it is a table, a clean end leaves none, and the numbers then begin
// again at 1; the value log has gaps where its files were rewritten. So a store without its newest *.mem
// file looks like one that was closed, and opens without what was written last. What is gone of the value
// log is found when a value there is read. A note of the highest numbers could tell only if whatever opens
// the store kept it: a program that does not know it would leave one that calls a whole store damaged.
func examine(o Options) error {
	x := &examination{Options: o, names: map[string]int64{}}
	for _, step := range []func() error{x.list, x.dropEmpty, x.fresh, x.checkKeys, x.dropVoid, x.checkTables,
		x.checkLogs, x.sync} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (x *examination) path(name string) string { return filepath.Join(x.Dir, name) }

func (x *examination) corrupt(name, what string) error {
	return &Fault{Dir: x.Dir, Kind: engine.ErrCorrupt, What: fmt.Sprintf("is damaged: %s: %s", name, what),
		Next: x.advice().restore}
}

// unreadable turns an error of reading a file into a fault: the system's, or one about
// its content.
func (x *examination) unreadable(name string, err error) error {
	if f := refused(x.Dir, "cannot be read: "+name, err); f != nil {
		return f
	}
	return x.corrupt(name, cause(err))
}

// list also reports files that this user may not read or write.
func (x *examination) list() error {
	entries, err := os.ReadDir(x.Dir)
	if err != nil {
		return barred(x.Dir, "cannot be read", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !ours(e.Name()) {
			continue
		}
		f, err := os.OpenFile(x.path(e.Name()), os.O_RDWR, 0)
		if err != nil {
			return barred(x.Dir, "cannot be used", err)
		}
		info, err := f.Stat()
		if err = errors.Join(err, f.Close()); err != nil {
			return barred(x.Dir, "cannot be used", err)
		}
		x.names[e.Name()] = info.Size()
	}
	return nil
}

func ours(name string) bool {
	switch filepath.Ext(name) {
	case ".sst", ".mem", ".vlog":
		return true
	}
	return name == badger.ManifestFilename || name == badger.KeyRegistryFileName || name == "DISCARD"
}

// dropEmpty removes empty files. A kill leaves one between making a file and writing its
// first byte, or between emptying and removing it. Badger refuses to start with such
// logs.
func (x *examination) dropEmpty() error {
	for name, size := range x.names {
		ext := filepath.Ext(name)
		if size == 0 && (ext == ".mem" || ext == ".vlog") {
			if err := os.Remove(x.path(name)); err != nil {
				return barred(x.Dir, "cannot be tidied", err)
			}
			delete(x.names, name)
		}
	}
	return nil
}

// fresh tells a new directory from one that lost its MANIFEST, which is the
// first file that Badger makes.
func (x *examination) fresh() error {
	if _, ok := x.names[badger.ManifestFilename]; !ok && len(x.names) > 0 {
		return x.corrupt(badger.ManifestFilename, "the file is missing")
	}
	return nil
}

// checkTables reads every table that the MANIFEST names.
func (x *examination) checkTables() error {
	if _, ok := x.names[badger.ManifestFilename]; !ok {
		return nil
	}
	tables, err := x.manifest()
	if err != nil {
		return err
	}
	indexes, err := newIndexCache()
	if err != nil {
		return err
	}
	defer indexes.Close()
	for id, t := range tables {
		name := table.IDToFilename(id)
		switch size, ok := x.names[name]; {
		case !ok:
			return x.corrupt(name, "the file is missing")
		case size == 0:
			return x.corrupt(name, "it ends too early")
		}
		key, err := x.keys.DataKey(t.KeyID)
		if err != nil { // Badger continues without the keys missing from a shortened registry
			return x.corrupt(badger.KeyRegistryFileName, "it lacks the key of "+name)
		}
		o := table.Options{DataKey: key, Compression: t.Compression, IndexCache: indexes}
		if err := checkTable(x.path(name), o); err != nil {
			return x.unreadable(name, err)
		}
	}
	return nil
}

// newIndexCache returns what Badger needs to read an encrypted table.
func newIndexCache() (*ristretto.Cache[uint64, *fb.TableIndex], error) {
	return ristretto.NewCache(&ristretto.Config[uint64, *fb.TableIndex]{
		NumCounters: 100, MaxCost: 1 << 20, BufferItems: 64,
	})
}

// checkTable verifies every checksum of a table with Badger's own code, which panics on
// some damage. Here the panic can be caught; in DB.Open it could not, because that reads
// tables in its own goroutines.
func checkTable(path string, o table.Options) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	defer faults()()
	o.ChkMode = options.OnBlockRead
	f, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close(-1) // of a read-only map
	t, err := table.OpenTable(f, o)
	if err != nil {
		return err
	}
	return verified(t.VerifyChecksum)
}

var errChecksum = errors.New("a checksum does not match")

// verified calls Badger's VerifyChecksum, which panics while it formats the error about a
// damaged block.
func verified(verify func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errChecksum
		}
	}()
	return verify()
}

func (x *examination) manifest() (tables map[uint64]badger.TableManifest, err error) {
	f, err := os.Open(x.path(badger.ManifestFilename))
	if err != nil {
		return nil, barred(x.Dir, "cannot be read", err)
	}
	defer f.Close()
	defer func() {
		if r := recover(); r != nil {
			err = x.corrupt(badger.ManifestFilename, panicked(r).Error())
		}
	}()
	m, end, err := badger.ReplayManifestFile(f, 0, badger.Options{})
	if err != nil {
		return nil, x.unreadable(badger.ManifestFilename, err)
	}
	if size := x.names[badger.ManifestFilename]; end < size {
		if x.strangers(m.Tables) {
			return nil, x.corrupt(badger.ManifestFilename, fmt.Sprintf("an entry is cut short at byte %d", end))
		}
		x.Logger.Warn().Int64("bytes", size-end).
			Msg("store: the MANIFEST ends in an unfinished entry, which is dropped")
	}
	return m.Tables, nil
}

// strangers reports whether there are tables that the MANIFEST does not name. Badger
// removes them. That is right after a kill during a compaction, but wrong if their
// entries were lost.
func (x *examination) strangers(tables map[uint64]badger.TableManifest) bool {
	return slices.ContainsFunc(x.sorted(".sst"), func(name string) bool {
		id, ok := table.ParseFileID(name)
		_, known := tables[id]
		return ok && !known
	})
}

func (x *examination) checkLogs() error {
	for _, name := range x.sorted(".mem") {
		if err := x.checkLog(name, false); err != nil {
			return err
		}
	}
	values := x.sorted(".vlog")
	for i, name := range values {
		if err := x.checkLog(name, i < len(values)-1); err != nil {
			return err
		}
	}
	return nil
}

// checkLog reads a log to its end. A sealed log must have no bytes after that.
func (x *examination) checkLog(name string, sealed bool) error {
	f, err := os.Open(x.path(name))
	if err != nil {
		return barred(x.Dir, "cannot be read", err)
	}
	defer f.Close()
	size := x.names[name]
	if size < logHeader {
		return x.corrupt(name, "it ends too early")
	}
	var head [logHeader]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return barred(x.Dir, "cannot be read", err)
	}
	if _, err := x.keys.DataKey(binary.BigEndian.Uint64(head[:])); err != nil {
		return x.corrupt(name, "it names an encryption key that there is not")
	}
	end, state, err := readLog(f, size)
	switch {
	case err != nil:
		return barred(x.Dir, "cannot be read", err)
	case state == logDamaged, sealed && end != size:
		return x.corrupt(name, fmt.Sprintf("a checksum does not match at byte %d", end))
	case state == logTorn:
		x.Logger.Warn().Str("file", name).Int64("at",
			end).Msg("store: a log ends in an unfinished write, which is dropped")
	}
	return nil
}

// sync makes whatever a killed process left behind survive a power cut.
func (x *examination) sync() error {
	for _, name := range append(x.sorted(".mem"), x.sorted(".vlog")...) {
		if err := syncFile(x.path(name)); err != nil {
			return barred(x.Dir, "cannot be synced", err)
		}
	}
	return nil
}

// sorted returns the names with an ending in order; file numbers have leading zeros.
// Longer names come later, for numbers too large for leading zeros.
func (x *examination) sorted(ending string) []string {
	var names []string
	for name := range x.names {
		if strings.HasSuffix(name, ending) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	return names
}
