package engine_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// FuzzEntry hands replicas what may not be an entry: they must not panic, must hold the same
// afterwards, and must count it, so that the log goes on.
func FuzzEntry(f *testing.F) {
	codec := clusterCodec(f)
	w, err := newClusterWorld(codec, 1, nil)
	if err != nil {
		f.Fatal(err)
	}
	for range 30 {
		if err := w.act(w.Rand()); err != nil {
			f.Fatal(err)
		}
	}
	for _, e := range w.Entries() {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, entry []byte) {
		var first []byte
		for _, node := range []string{"mac-0", "mac-1"} {
			r, err := engine.NewReplica(engine.ReplicaOptions{Node: node, Store: mem.New()})
			if err != nil {
				t.Fatal(err)
			}
			err = r.Apply(1, entry)
			switch {
			case errors.Is(err, engine.ErrNewer):
				return
			case err != nil || r.Applied() != 1:
				t.Fatalf("Apply = %v, applied %d, want 1", err, r.Applied())
			}
			var form bytes.Buffer
			if err := r.Snapshot(&form); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = form.Bytes()
			} else if !bytes.Equal(first, form.Bytes()) {
				t.Fatalf("two nodes hold different things after the same entry")
			}
		}
	})
}

// What a node hands over for the log must be its own, and leave numbers for what comes after.
func TestCheck(t *testing.T) {
	r, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-a", Store: mem.New()})
	if err != nil {
		t.Fatal(err)
	}
	hello := func(node string, boot, took uint64) []byte {
		return (&engine.Voice{Node: node, Store: "store", Boot: boot, Took: took}).Hello(0)
	}
	for _, c := range []struct {
		what  string
		entry []byte
		want  error
	}{
		{"a hello", hello("mac-b", 3, 7), nil},
		{"another's", hello("mac-c", 1, 0), engine.ErrBatch},
		{"the last start", hello("mac-b", 1<<64-1, 0), engine.ErrBatch},
		{"the last change", hello("mac-b", 3, 1<<64-1), engine.ErrBatch},
		{"a newer program's", []byte{9}, engine.ErrNewer},
		{"nothing", nil, engine.ErrBatch},
	} {
		if err := r.Check("mac-b", c.entry); !errors.Is(err, c.want) {
			t.Errorf("%s: Check() = %v, want %v", c.what, err, c.want)
		}
	}
}
