package recall_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
)

// drawer keeps a saved index.
type drawer struct{ data []byte }

func (d *drawer) Load() ([]byte, bool)   { return bytes.Clone(d.data), d.data != nil }
func (d *drawer) Save(data []byte) error { d.data = bytes.Clone(data); return nil }
func (d *drawer) Destroy() error         { d.data = nil; return nil }

// begin returns a library at its start.
func begin(s *shelf, d recall.Saved) *recall.Library {
	l := recall.NewLibrary(time.UTC)
	l.Keep(d)
	l.Open(s)
	return l
}

// drop takes events from the shelf.
func (s *shelf) drop(c messages.ConversationID, ids ...messages.MessageID) messages.EventsGone {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []messages.Event
	for _, id := range ids {
		delete(s.rows[c], id)
		gone = append(gone, messages.Event{ID: id})
	}
	s.moved(c, gone)
	return messages.EventsGone{Conversation: c, IDs: ids}
}

// wantSame expects the index to match the rows.
func wantSame(t *testing.T, l *recall.Library, what string) {
	t.Helper()
	if _, err := l.Load(context.Background()); err != nil {
		t.Fatal(err)
	}
	n, missing, differing, extra, err := l.Compare(context.Background(), 5)
	if err != nil || len(missing)+len(differing)+extra > 0 {
		t.Fatalf("%s: of %d events %v are missing, %v differ, %d are too many, %v", what, n, missing, differing, extra,
			err)
	}
}

// An index saved at any point, and continued from there after a crash at any other,
// matches the rows.
func TestSavedIndex(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		s, d := newShelf(), &drawer{}
		l := begin(s, d)
		asked := false
		for step := range 300 {
			c := messages.ConversationID(fmt.Sprint("c-", r.IntN(4)))
			id := fmt.Sprint("m", r.IntN(25))
			heard := r.IntN(20) > 0 // else the crash comes first
			var m messages.Message
			switch {
			case r.IntN(4) > 0:
				m = s.put(c, event(id, fmt.Sprintf("word%d of %d", r.IntN(50), step), step))
			case s.rows[c][messages.MessageID(id)].ID != "":
				m = s.drop(c, messages.MessageID(id))
			}
			if m != nil && heard {
				l.Hear(m)
				l.Hear(s.at(c))
			}
			switch k := r.IntN(100); {
			case m != nil && !heard, k == 0:
				l, asked = begin(s, d), false
			case k < 4:
				wantSame(t, l, fmt.Sprintf("seed %d, step %d", seed, step))
				if err := l.Save(); err != nil {
					t.Fatal(err)
				}
			case k < 8:
				ask(t, l, memory.Recent, recall.Query{Conversation: c, Text: "word"})
				asked = true
			case k == 8:
				done, err := l.Forgetting()
				if err != nil {
					t.Fatal(err)
				}
				s.forget(c)
				l.Forget(c)
				done()
			}
		}
		wantSame(t, l, fmt.Sprintf("seed %d, asked %v", seed, asked))
		wantSame(t, begin(s, d), fmt.Sprintf("seed %d, after a start", seed))
	}
}

func (s *shelf) forget(c messages.ConversationID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rows, c)
	delete(s.talks, c)
	delete(s.changes, c)
}

// full is a shelf with many events of two conversations.
func full() *shelf {
	s := newShelf()
	for n := range 30 {
		var list []messages.Event
		for k := range 50 {
			list = append(list, event(fmt.Sprint("m", n, "-", k), fmt.Sprint("about topic", n*k), n*50+k))
		}
		s.put(messages.ConversationID(fmt.Sprint("c-", n%2)), list...)
	}
	return s
}

// What was saved is not read again; only what came later is.
func TestSavedIsNotReadAgain(t *testing.T) {
	s, d := full(), &drawer{}
	l := begin(s, d)
	if n := l.Unsaved(); n != 0 {
		t.Errorf("Unsaved = %d before the rows are read", n)
	}
	wantSame(t, l, "first")
	if n := l.Unsaved(); n != 1500 {
		t.Errorf("Unsaved = %d after the rows were read, want all", n)
	}
	if err := l.Save(); err != nil || l.Unsaved() != 0 {
		t.Fatalf("Save = %v, %d unsaved", err, l.Unsaved())
	}
	s.put("c-1", event("new", "a zebra", 9999))
	s.put("c-2", event("other", "another conversation", 9999))
	s.read = 0
	l = begin(s, d)
	if got := ask(t, l, memory.Lexical, recall.Query{Conversation: "c-1", Text: "zebra"}); len(got) == 0 ||
		got[0] != "a zebra" {
		t.Errorf("found %q, want what came after the index was saved", got)
	}
	if n, err := l.Load(context.Background()); err != nil || n != 1502 || s.read > 200 {
		t.Errorf("Load = %d, %v, and %d events were read; want 1502 and few", n, err, s.read)
	}
}

// A store restored from a backup has a different history from the index, even with the
// same number of changes.
func TestSavedOfAnotherHistory(t *testing.T) {
	s, d := full(), &drawer{}
	l := begin(s, d)
	wantSame(t, l, "first")
	backup := newShelf()
	for _, c := range []messages.ConversationID{"c-0", "c-1"} {
		backup.rows[c], backup.talks[c], backup.changes[c] = cloned(s.rows[c]), s.talks[c], cloned(s.changes[c])
	}
	for n := range 5 {
		l.Hear(s.put("c-0", event(fmt.Sprint("lost", n), "lost", 9999)))
		l.Hear(s.at("c-0"))
	}
	if err := l.Save(); err != nil {
		t.Fatal(err)
	}
	wantSame(t, begin(backup, d), "the backup")
	for n := range 9 {
		backup.put("c-0", event(fmt.Sprint("other", n), "other", 9999))
	}
	wantSame(t, begin(backup, d), "the backup, later")
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	out := map[K]V{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// A reader too far behind reads everything, and rows of an older version without changes
// count too.
func TestSavedFarBehind(t *testing.T) {
	s, d := full(), &drawer{}
	l := begin(s, d)
	wantSame(t, l, "first")
	if err := l.Save(); err != nil {
		t.Fatal(err)
	}
	s.drop("c-0", "m0-1", "m0-2")
	for n := range memory.KeptChanges + 10 {
		s.put("c-0", event("m0-3", fmt.Sprint("text ", n), 3))
	}
	wantSame(t, begin(s, d), "far behind")

	old := newShelf()
	old.put("c-0", event("m1", "from an older version", 0))
	old.talks["c-0"], old.changes["c-0"] = memory.Talk{Events: 1}, nil
	l = begin(old, d)
	l.Hear(old.put("c-0", event("m2", "and a new one", 1)))
	l.Hear(old.at("c-0"))
	wantSame(t, l, "old rows")
}

// If the bytes are damaged, cut or of another version, the rows are read instead.
func TestSavedIsDamaged(t *testing.T) {
	s, d := full(), &drawer{}
	l := begin(s, d)
	wantSame(t, l, "first")
	if err := l.Save(); err != nil {
		t.Fatal(err)
	}
	whole := d.data
	for _, damage := range []func([]byte) []byte{
		func(b []byte) []byte { return nil },
		func(b []byte) []byte { return b[:10] },
		func(b []byte) []byte { return b[:len(b)-9] },
		func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		func(b []byte) []byte { b[12] = 9; return b },
		func(b []byte) []byte { return append(b, 0) },
		func(b []byte) []byte { return slices.Repeat([]byte{0xff}, 40) },
	} {
		wantSame(t, begin(s, &drawer{damage(bytes.Clone(whole))}), "damaged")
	}
}

// What was taken back is in no index saved later, and nothing is saved while a
// conversation is being forgotten.
func TestSavedForgets(t *testing.T) {
	s, d := full(), &drawer{}
	s.put("c-0", event("canary", "zxqwvk", 1))
	l := begin(s, d)
	wantSame(t, l, "first")
	if err := l.Save(); err != nil || !bytes.Contains(d.data, []byte("canary")) {
		t.Fatalf("Save = %v, want an index that knows the event", err)
	}
	l.Hear(s.drop("c-0", "canary"))
	l.Hear(s.at("c-0"))
	if err := l.Save(); err != nil || strings.Contains(string(d.data), "canary") {
		t.Errorf("Save = %v, want nothing of an event that was taken back", err)
	}
	done, err := l.Forgetting()
	if err != nil || d.data != nil {
		t.Fatalf("Forgetting = %v, %d bytes are left", err, len(d.data))
	}
	saved := make(chan error)
	go func() { saved <- l.Save() }()
	s.forget("c-1")
	l.Forget("c-1")
	done()
	if err := <-saved; err != nil || bytes.Contains(d.data, []byte("c-1\x00")) {
		t.Errorf("Save = %v, want nothing of what was forgotten", err)
	}
	if l.Unsaved() != 0 && l.Unsaved() < 1<<30 {
		t.Errorf("Unsaved = %d, want that it is to be saved at once, or was", l.Unsaved())
	}
}

// The index is rebuilt while it is asked and hears of changes. Then it matches the rows,
// even if the saved copy was wrong.
func TestRebuild(t *testing.T) {
	s, d := full(), &drawer{}
	l := begin(s, d)
	wantSame(t, l, "first")
	s.mu.Lock() // behind the index's back, as a fault of a disk would
	e := s.rows["c-0"]["m0-1"]
	e.Text = "something else"
	s.rows["c-0"]["m0-1"] = e
	delete(s.rows["c-0"], "m0-2")
	s.mu.Unlock()
	if _, _, differing, extra, err := l.Compare(t.Context(), 5); len(differing) != 1 || extra != 1 || err != nil {
		t.Fatalf("%v differ, %d are too many, %v; want one of each", differing, extra, err)
	}
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for range 20 {
				ask(t, l, memory.Routes()[n].Route, recall.Query{Conversation: "c-1", Text: "topic"})
			}
		})
	}
	wg.Go(func() {
		for n := range 200 {
			l.Hear(s.put("c-1", event(fmt.Sprint("m", n%30, "-", n%50), fmt.Sprint("edited ", n), n)))
			l.Hear(s.at("c-1"))
			if n == 150 {
				s.forget("c-2")
				l.Forget("c-2")
			}
		}
	})
	for range 3 {
		if _, err := l.Rebuild(t.Context()); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	wantSame(t, l, "made anew")
	if l.Unsaved() == 0 {
		t.Error("the index that was made anew is not to be saved")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Rebuild(ctx); err == nil {
		t.Error("Rebuild = nil, want that its time is over")
	}
	wantSame(t, l, "the old one serves on")
}

func FuzzSaved(f *testing.F) {
	s, d := full(), &drawer{}
	l := begin(s, d)
	if _, err := l.Load(context.Background()); err != nil {
		f.Fatal(err)
	}
	if err := l.Save(); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("kehai-memory\x01\x02{}"), 0)
	f.Add(d.data[:200], 0)
	f.Add([]byte{1, 2, 3}, 77)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		changed := append(bytes.Clone(d.data[:max(0, at)%len(d.data)]), data...)
		wantSame(t, begin(s, &drawer{changed}), "fuzzed")
	})
}
