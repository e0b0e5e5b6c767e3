package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"os"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
	"google.golang.org/protobuf/proto"
)

// manifestHead is the length of the mark and the versions at the start of a MANIFEST. Sets of changes
// follow: the length of a set, its CRC-32C, and the set.
const manifestHead = 8

// changeSet is one of the MANIFEST.
type changeSet struct {
	raw     []byte // as it stands there
	created []*pb.ManifestChange
	deleted []uint64
}

// dropVoid takes sets of changes out of the MANIFEST that were never carried out. Badger names a new table there
// before it uses it, and removes the table where it cannot be sure that the name is on the disk; the name stays. The
// next start would miss a table, although everything that it held is where it was: in the tables that it was made of,
// or in a memory log. Where that is not sure, nothing is changed.
func (x *examination) dropVoid() error {
	if _, ok := x.names[badger.ManifestFilename]; !ok {
		return nil
	}
	path := x.path(badger.ManifestFilename)
	raw, err := os.ReadFile(path)
	if err != nil {
		return barred(x.Dir, "cannot be read", err)
	}
	sets := changeSets(raw)
	void := x.void(sets)
	if len(void) == 0 {
		return nil
	}
	kept := bytes.Clone(raw[:manifestHead])
	for i, s := range sets {
		if !slices.Contains(void, i) {
			kept = append(kept, s.raw...)
		}
	}
	beside := path + ".mended"
	err = writeSynced(beside, kept)
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err == nil {
		err = syncFile(x.Dir)
	}
	if err != nil {
		return barred(x.Dir, "cannot be tidied", err)
	}
	x.names[badger.ManifestFilename] = int64(len(kept))
	x.Logger.Warn().Int("changes", len(void)).
		Msg("store: the MANIFEST named tables that were never finished: what they would have held is elsewhere")
	return nil
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// changeSets reads what is whole of a MANIFEST; nil if it cannot be read.
func changeSets(raw []byte) (sets []changeSet) {
	for at := manifestHead; at+8 <= len(raw); {
		n := int(binary.BigEndian.Uint32(raw[at:]))
		if n < 0 || n > len(raw)-at-8 {
			return sets // an unfinished entry
		}
		body := raw[at+8 : at+8+n]
		var read pb.ManifestChangeSet
		sum := binary.BigEndian.Uint32(raw[at+4:])
		if crc32.Checksum(body, castagnoli) != sum || proto.Unmarshal(body, &read) != nil {
			return nil
		}
		s := changeSet{raw: raw[at : at+8+n]}
		for _, c := range read.Changes {
			if c.Op == pb.ManifestChange_DELETE {
				s.deleted = append(s.deleted, c.Id)
			} else {
				s.created = append(s.created, c)
			}
		}
		sets, at = append(sets, s), at+8+n
	}
	return sets
}

// void returns which sets of changes were not carried out; none unless without them every table is there, and nothing
// that was written is missing.
func (x *examination) void(sets []changeSet) (void []int) {
	there := func(c *pb.ManifestChange) bool { return x.names[table.IDToFilename(c.Id)] > 0 }
	gone := map[uint64]bool{} // deleted by any set: that a table is not there tells nothing
	for _, s := range sets {
		for _, id := range s.deleted {
			gone[id] = true
		}
	}
	logged := false // what a set would have stored is in the memory logs alone
	tables := map[uint64]*pb.ManifestChange{}
	for i, s := range sets {
		missing := slices.ContainsFunc(s.created, func(c *pb.ManifestChange) bool {
			return !gone[c.Id] && !there(c)
		})
		switch {
		case missing && slices.ContainsFunc(s.created, there):
			return nil
		case missing:
			void, logged = append(void, i), logged || len(s.deleted) == 0
			continue
		case logged && len(s.deleted) == 0:
			return nil // what came after it was stored
		}
		for _, c := range s.created {
			tables[c.Id] = c
		}
		for _, id := range s.deleted {
			if tables[id] == nil {
				return nil
			}
			delete(tables, id)
		}
	}
	for _, c := range tables {
		if !there(c) {
			return nil
		}
	}
	if logged && !x.follow(tables) {
		return nil
	}
	return void
}

// follow reports whether the memory logs go on where tables end: they hold every version after the tables' newest.
// Badger numbers its transactions without a gap.
func (x *examination) follow(tables map[uint64]*pb.ManifestChange) bool {
	newest, ok := x.newest(tables)
	if !ok {
		return false
	}
	logged := map[uint64]bool{}
	for _, name := range x.sorted(".mem") {
		if !x.versions(name, logged) {
			return false
		}
	}
	if len(logged) == 0 {
		return false
	}
	for v, last := newest+1, slices.Max(slices.Collect(maps.Keys(logged))); v <= last; v++ {
		if !logged[v] {
			return false
		}
	}
	return logged[newest+1]
}

// newest is the newest version in tables; ok is false if one cannot be read.
func (x *examination) newest(tables map[uint64]*pb.ManifestChange) (version uint64, ok bool) {
	indexes, err := newIndexCache()
	if err != nil {
		return 0, false
	}
	defer indexes.Close()
	for id, c := range tables {
		key, err := x.keys.DataKey(c.KeyId)
		if err != nil {
			return 0, false
		}
		o := table.Options{DataKey: key, Compression: options.CompressionType(c.Compression), IndexCache: indexes}
		v, err := newestOf(x.path(table.IDToFilename(id)), o)
		if err != nil {
			return 0, false
		}
		version = max(version, v)
	}
	return version, true
}

func newestOf(path string, o table.Options) (version uint64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	defer faults()()
	f, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close(-1) // of a read-only map
	t, err := table.OpenTable(f, o)
	if err != nil {
		return 0, err
	}
	return t.MaxVersion(), nil
}

// versions adds the versions in a memory log to a set.
func (x *examination) versions(name string, to map[uint64]bool) bool {
	raw, err := os.ReadFile(x.path(name))
	if err != nil || len(raw) < logHeader {
		return false
	}
	end, state, err := readLog(bytes.NewReader(raw[logHeader:]), int64(len(raw)))
	if err != nil || state == logDamaged {
		return false
	}
	key, err := x.keys.DataKey(binary.BigEndian.Uint64(raw))
	if err != nil {
		return false
	}
	for at := int64(logHeader); at < end; {
		n, ok := entrySize(raw[at:end], end-at)
		if !ok {
			return false
		}
		version, ok := versionOf(raw[at:at+n], key.GetData(), raw[8:logHeader], uint32(at))
		if !ok {
			return false
		}
		to[version], at = true, at+n
	}
	return true
}

// versionOf is the version at the end of the key of a log's entry. Where there is a data key, key and value are
// encrypted (AES-CTR); the vector is that of the log and the place of the entry.
func versionOf(entry, dataKey, vector []byte, offset uint32) (version uint64, ok bool) {
	at := 2
	var lengths [3]uint64
	for i := range lengths {
		v, used := binary.Uvarint(entry[at:])
		if used <= 0 {
			return 0, false
		}
		lengths[i], at = v, at+used
	}
	if lengths[0] < 8 || uint64(len(entry)-at) < lengths[0] {
		return 0, false
	}
	key := entry[at:][:lengths[0]]
	if len(dataKey) > 0 {
		iv := binary.BigEndian.AppendUint32(bytes.Clone(vector), offset)
		var err error
		if key, err = y.XORBlockAllocate(key, dataKey, iv); err != nil {
			return 0, false
		}
	}
	return y.ParseTs(key), true
}
