package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// lonely makes an engine on which nothing runs, whose keeper is bound to this node
// or not.
func lonely(t *testing.T, s engine.Store, here bool) engine.Control {
	t.Helper()
	e, err := engine.New(engine.Options{Store: s, Codec: testCodec(t), Clock: engine.SystemClock{}, Driver: still{},
		Kinds: []engine.Kind{{Name: "keeper", Here: here, New: func(messages.Address) actors.Actor { return nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	return e.Control()
}

// old is a store of the first format with much in it of an actor that is bound to
// this node, and of one that is not.
func old(t *testing.T) *mem.Store {
	t.Helper()
	store := load(t, "testdata/store.2026-11-22-2.golden")
	rows := map[string]string{"m/seq": seqKey(9000)}
	for n := range 4000 {
		actor := []string{"keeper/は/な", "other/b"}[n%2]
		rows["v/"+seqKey(uint64(100+2*n))] = fmt.Sprintf(`{"actor":%q,"stage":"test","outcome":"dropped","cause":"m%d"}`, actor, n)
		rows["d/"+seqKey(uint64(101+2*n))] = fmt.Sprintf(`{"actor":%q,"attempts":5,"error":"%s","msg":null}`, actor,
			strings.Repeat("x", 300))
	}
	fill(t, store, rows)
	return store
}

// A store of the first format goes on, each shard with its own numbers, verdicts
// and dead letters; also when the migration is cut short at any of its writes, and
// begun again by the next start.
func TestMigration(t *testing.T) {
	whole := old(t)
	if err := lonely(t, whole, true).Recover(); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]int{"v/": 2000, "lv/": 2001, "d/": 2000, "ld/": 2001, "e/": 1, "i/keeper": 1} {
		if got := len(keys(t, whole, prefix)); got != want {
			t.Errorf("%d rows under %s, want %d", got, prefix, want)
		}
	}
	for key, want := range map[string]string{"m/format": "3", "m/seq": seqKey(9000), "lm/seq": seqKey(9000)} {
		if v, _, _ := whole.Get([]byte(key)); string(v) != want {
			t.Errorf("%s = %q, want %q", key, v, want)
		}
	}
	e := lonely(t, whole, true)
	if err := e.Recover(); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := e.Engine().ReadVerdicts(func(events.Verdict) bool { n++; return true }); err != nil || n != 4001 {
		t.Errorf("ReadVerdicts() tells of %d, %v, want 4001", n, err)
	}
	want := dump(t, whole)
	for writes := 0; ; writes++ {
		store := old(t)
		if err := lonely(t, &dying{store, writes}, true).Recover(); err == nil {
			if writes < 8 {
				t.Errorf("a start took %d writes, want 8 at least, to crash in between", writes)
			}
			return
		}
		for range 2 {
			if err := lonely(t, store, true).Recover(); err != nil {
				t.Fatalf("Recover after a crash at write %d: %v", writes, err)
			}
		}
		if got := sansStarts(dump(t, store)); got != sansStarts(want) {
			t.Fatalf("after a crash at write %d the store holds %d bytes, want what one without holds, %d", writes,
				len(got), len(want))
		}
	}
}

// sansStarts is a dump without what counts starts.
func sansStarts(dump []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(dump) {
		if !bytes.HasPrefix(line, []byte(`"m/boot"`)) && !bytes.Contains(line, []byte(`m/seq"`)) {
			b.Write(line)
		}
	}
	return b.String()
}

func TestAStoreOfTheFutureIsRefused(t *testing.T) {
	for format, want := range map[string]error{"4": engine.ErrNewer, "x": engine.ErrRecord, "": engine.ErrRecord} {
		store := mem.New()
		fill(t, store, map[string]string{"m/format": format, "m/boot": seqKey(1)})
		before := dump(t, store)
		err := lonely(t, store, true).Recover()
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("Recover() of format %q = %v, want %v and what to do", format, err, want)
		}
		if !bytes.Equal(dump(t, store), before) {
			t.Errorf("Recover() has changed a store of format %q", format)
		}
	}
}
