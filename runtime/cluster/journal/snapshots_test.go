package journal

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
)

// Snapshots can be read with their key and size in it, and stand in no file; a copy under another
// key is the same.
func TestEncryptedSnapshots(t *testing.T) {
	const text = "canary 41d8"
	content := strings.Repeat(text, 10_000)
	at := Options{Dir: filepath.Join(t.TempDir(), "plain")}
	s, err := at.snapshots()
	if err != nil {
		t.Fatal(err)
	}
	_, wires := raft.NewInmemTransport("")
	defer wires.Close()
	sink, err := s.Create(raft.SnapshotVersionMax, 7, 3, raft.Configuration{}, 5, wires)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(sink, content); err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	for _, key := range [][]byte{nil, bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32), nil} {
		next := Options{Dir: filepath.Join(t.TempDir(), "copy"), Key: key}
		if err := CopySnapshots(at, next); err != nil {
			t.Fatal(err)
		}
		at = next
		if s, err = at.snapshots(); err != nil {
			t.Fatal(err)
		}
		list, err := s.List()
		if err != nil || len(list) != 1 || list[0].Index != 7 || list[0].Term != 3 || list[0].ConfigurationIndex != 5 {
			t.Fatalf("List = %v, %v, want the snapshot", list, err)
		}
		meta, file, err := s.Open(list[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(file)
		if err != nil || string(got) != content || meta.Size != int64(len(content)) || list[0].Size != meta.Size {
			t.Errorf("Open = %d bytes of %d, %v, want %d of what was written", len(got), meta.Size, err, len(content))
		}
		file.Close()
		raw, err := os.ReadFile(filepath.Join(at.Dir, "snapshots", meta.ID, "state.bin"))
		if err != nil || bytes.Contains(raw, []byte(text)) != (key == nil) {
			t.Errorf("with a key of %d bytes it stands in the file: %v (%v)", len(key), key != nil, err)
		}
	}
}
