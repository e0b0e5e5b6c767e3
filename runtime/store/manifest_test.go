package store_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// never is the number of a table that was never finished.
const never = 900_000

// announce adds changes to the MANIFEST of a directory, as Badger does before it finds that the disk refuses them.
func announce(t *testing.T, dir string, changes ...*pb.ManifestChange) {
	t.Helper()
	body, err := proto.Marshal(&pb.ManifestChangeSet{Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	form := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	form = binary.BigEndian.AppendUint32(form, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	f, err := os.OpenFile(filepath.Join(dir, "MANIFEST"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(append(form, body...))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func tableNumbers(t *testing.T, dir string) (list []uint64) {
	t.Helper()
	for _, path := range files(t, dir, "*.sst") {
		var n uint64
		if _, err := fmt.Sscanf(filepath.Base(path), "%d.sst", &n); err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

// A table that was named and never finished is no damage where all that it would have held is somewhere else.
func TestTablesThatWereNeverFinished(t *testing.T) {
	for name, key := range map[string][]byte{"plain": nil, "encrypted": make([]byte, 32)} {
		from := sample(t, key)
		merge := []*pb.ManifestChange{{Id: never, Op: pb.ManifestChange_CREATE, Level: 1}}
		for _, id := range tableNumbers(t, from.killed) {
			merge = append(merge, &pb.ManifestChange{Id: id, Op: pb.ManifestChange_DELETE})
		}
		flush := &pb.ManifestChange{Id: never + 1, Op: pb.ManifestChange_CREATE}
		again := &pb.ManifestChange{Id: never + 2, Op: pb.ManifestChange_CREATE}
		for what, sets := range map[string][][]*pb.ManifestChange{
			"a memory log": {{flush}}, "twice": {{flush}, {again}}, "a merge": {merge}, "both": {merge, {flush}},
		} {
			if key != nil && what != "both" {
				continue
			}
			t.Run(name+"/"+what, func(t *testing.T) {
				dir := copyDir(t, from.killed)
				for _, changes := range sets {
					announce(t, dir, changes...)
				}
				s := open(t, store.Options{Dir: dir, Key: key})
				if got := everything(t, s); !slices.Equal(got, from.contents) {
					t.Fatalf("%d rows, want the %d that were written", len(got), len(from.contents))
				}
				closeIt(t, s)
				closeIt(t, open(t, store.Options{Dir: dir, Key: key})) // nothing is left to be mended
			})
		}
	}
}

// A table that is missing is damage where what it held may be lost.
func TestTablesThatAreMissing(t *testing.T) {
	from := sample(t, nil)
	flush := &pb.ManifestChange{Id: never, Op: pb.ManifestChange_CREATE}
	for what, spoil := range map[string]func(dir string){
		"no log": func(dir string) {
			announce(t, dir, flush)
			for _, log := range files(t, dir, "*.mem") {
				must(os.Remove(log))
			}
		},
		"a later one": func(dir string) {
			announce(t, dir, flush)
			there := tableNumbers(t, dir)[0]
			must(os.Link(filepath.Join(dir, fmt.Sprintf("%06d.sst", there)), filepath.Join(dir, "900001.sst")))
			announce(t, dir, &pb.ManifestChange{Id: never + 1, Op: pb.ManifestChange_CREATE})
		},
		"one of two": func(dir string) {
			announce(t, dir, flush)
			must(os.Remove(files(t, dir, "*.sst")[0]))
		},
		"one beside another": func(dir string) {
			there := tableNumbers(t, dir)[0]
			announce(t, dir, flush, &pb.ManifestChange{Id: there + never, Op: pb.ManifestChange_CREATE})
			must(os.Link(filepath.Join(dir, fmt.Sprintf("%06d.sst", there)),
				filepath.Join(dir, fmt.Sprintf("%06d.sst", there+never))))
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := copyDir(t, from.killed)
			spoil(dir)
			before, err := os.ReadFile(filepath.Join(dir, "MANIFEST"))
			must(err)
			if _, err := store.Open(store.Options{Dir: dir}); !errors.Is(err, engine.ErrCorrupt) ||
				!strings.Contains(fmt.Sprint(err), "the file is missing") {
				t.Errorf("Open() = %v, want the table that is missing", err)
			}
			if after, err := os.ReadFile(filepath.Join(dir, "MANIFEST")); err != nil || !slices.Equal(before, after) {
				t.Errorf("the MANIFEST was changed (%v)", err)
			}
		})
	}
	for _, path := range files(t, from.killed, "*.sst") { // also the newest, which a log follows
		dir := copyDir(t, from.killed)
		must(os.Remove(filepath.Join(dir, filepath.Base(path))))
		if _, err := store.Open(store.Options{Dir: dir}); !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("Open() without %s = %v, want damage", filepath.Base(path), err)
		}
	}
}
