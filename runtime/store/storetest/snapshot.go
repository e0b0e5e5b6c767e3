package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/kehai-run/kehai/runtime/engine"
)

func snapshotOf(t testing.TB, s engine.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Snapshot(&b); err != nil {
		t.Fatalf("Snapshot() = %v, want no error", err)
	}
	return b.Bytes()
}

// snapshots checks Snapshot and Restore between fresh stores of one kind.
func snapshots(t *testing.T, open Open) {
	s := open(t)
	defer closeStore(t, s)
	none := snapshotOf(t, s)
	apply(t, s, generation(1, 600, 8<<10)...)
	apply(t, s, put("", "nameless"), put("a", ""), put("\xff", "last"), put("large", string(make([]byte, 2<<20))))
	whole := snapshotOf(t, s)
	want := scanned(t, s, nil, nil)

	t.Run("whole", func(t *testing.T) {
		into := open(t)
		defer closeStore(t, into)
		if err := into.Restore(iotest.OneByteReader(bytes.NewReader(none))); err != nil {
			t.Fatalf("Restore(an empty snapshot) = %v", err)
		}
		if err := into.Restore(bytes.NewReader(whole)); err != nil {
			t.Fatalf("Restore() = %v, want no error", err)
		}
		if got := scanned(t, into, nil, nil); !slices.Equal(got, want) {
			t.Errorf("restored %d keys, want the %d that were there", len(got), len(want))
		}
		if again := snapshotOf(t, into); !bytes.Equal(again, whole) {
			t.Errorf("the snapshot of what was restored has %d bytes, want the same %d", len(again), len(whole))
		}
		if err := into.Restore(bytes.NewReader(whole)); !errors.Is(err, engine.ErrNotEmpty) {
			t.Errorf("Restore() into a store that holds something = %v, want ErrNotEmpty", err)
		}
		apply(t, into, put("a", "goes on"))
		wantGet(t, into, "a", "goes on", true)
	})
	t.Run("damaged", func(t *testing.T) { damagedSnapshots(t, open, whole) })
	t.Run("one view", func(t *testing.T) {
		to := &writing{each: func(n int) { apply(t, s, generation(n+2, 600, 8<<10)...) }}
		if err := s.Snapshot(to); err != nil {
			t.Fatal(err)
		}
		into := open(t)
		defer closeStore(t, into)
		if err := into.Restore(&to.Buffer); err != nil {
			t.Fatal(err)
		}
		if err := oneGeneration(into, 600); err != nil || to.n < 3 {
			t.Errorf("a snapshot taken beside %d writes: %v", to.n, err)
		}
	})
	full := errors.New("no space")
	if err := s.Snapshot(failing{full}); !errors.Is(err, full) {
		t.Errorf("Snapshot() to what cannot be written = %v, want its error", err)
	}
}

// damagedSnapshots checks that a store takes nothing from an incomplete snapshot.
func damagedSnapshots(t *testing.T, open Open, whole []byte) {
	into := open(t)
	defer closeStore(t, into)
	bad := map[string]io.Reader{
		"nothing":         bytes.NewReader(nil),
		"another file":    bytes.NewReader(bytes.Repeat([]byte("x"), 100)),
		"more than it is": bytes.NewReader(append(slices.Clone(whole), 'x')),
	}
	for _, n := range []int{5, 17, 18, 40, len(whole) / 2, len(whole) - 33, len(whole) - 1} {
		bad[fmt.Sprint(n, " bytes of it")] = bytes.NewReader(whole[:n])
	}
	for _, n := range []int{3, 20, len(whole) / 3, len(whole) - 34, len(whole) - 1} {
		changed := slices.Clone(whole)
		changed[n] ^= 0x10
		bad[fmt.Sprint("a bit of byte ", n)] = bytes.NewReader(changed)
	}
	for name, r := range bad {
		if err := into.Restore(r); !errors.Is(err, engine.ErrSnapshot) {
			t.Errorf("Restore(%s) = %v, want ErrSnapshot", name, err)
		}
		if left := scanned(t, into, nil, nil); len(left) > 0 {
			t.Fatalf("after Restore(%s) %d keys are there, want none", name, len(left))
		}
	}
	broken := errors.New("the line is dead")
	err := into.Restore(io.MultiReader(bytes.NewReader(whole[:len(whole)/2]), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(scanned(t, into, nil, nil)) > 0 {
		t.Errorf("Restore() from a line that dies = %v, want its error and nothing restored", err)
	}
	if err := into.Restore(bytes.NewReader(whole)); err != nil {
		t.Errorf("Restore() after failures = %v, want no error", err)
	}
}

// writing calls each between the parts written to it.
type writing struct {
	bytes.Buffer
	each func(n int)
	n    int
}

func (w *writing) Write(b []byte) (int, error) {
	if w.n < 5 {
		w.each(w.n)
	}
	w.n++
	return w.Buffer.Write(b)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
