package engine_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// program is an engine of a program that knows some kinds of actors that are about
// many, and perhaps the type of a diary.
func program(t *testing.T, s engine.Store, keys engine.Sealer, diaries bool, kinds ...string) engine.Control {
	t.Helper()
	tables := []messages.Table{events.Core()}
	if diaries {
		tables = append(tables, messages.Table{messages.Durable[diary](nil)})
	}
	codec, err := messages.NewCodec(tables...)
	o := engine.Options{Store: s, Sealer: keys, Codec: codec, Clock: engine.SystemClock{}, Driver: still{}}
	for _, k := range kinds {
		o.Kinds = append(o.Kinds, engine.Kind{Name: k, New: func(messages.Address) actors.Actor { return nil },
			SubjectOf: func(row string, _ []byte) messages.ConversationID {
				_, key := actors.SplitRow(row)
				return messages.ConversationID(key)
			}})
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(o)
	if err == nil {
		err = e.Control().Recover()
	}
	if err != nil {
		t.Fatal(err)
	}
	return e.Control()
}

// under says of whose keys each row about Hana is sealed with.
func under(t *testing.T, s *mem.Store, ring engine.Sealer) (hana int, rest []string) {
	t.Helper()
	if err := s.Scan(nil, nil, func(k, v []byte) bool {
		sealed, ok := bytes.CutPrefix(v, []byte("\x00ks\x01"))
		plain, err := engine.OpenRow(ring, k, v)
		switch {
		case !ok || !strings.Contains(string(k)+string(plain), "hana"):
		case err != nil:
			t.Errorf("row %q: %v", k, err)
		case ring.Under("hana", sealed):
			hana++
		default:
			rest = append(rest, string(k))
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return hana, rest
}

func aboutHana() map[string]string {
	msg := `"msg":{"type":"test_diary","v":1,"body":{"whom":"hana","words":"words"}}}`
	return map[string]string{
		"s/album/app\x00names\x00hana": `1 "a"`, "s/board/app\x00names\x00hana": `1 "b"`,
		"i/board/app\x00\x00\x00\x00\x00\x00\x00\x00\x01": `{` + msg,
		"e/\x00\x00\x00\x00\x00\x00\x00\x02":              `{"from":"board/app",` + msg,
	}
}

// Whoever seals a store without knowing all kinds and types, such as a command of
// another program, leaves the rest to who knows them.
func TestWhatNobodyKnewIsSealedLater(t *testing.T) {
	for name, older := range map[string]string{"new": "", "second version": "kehai 2", "first version": "kehai"} {
		t.Run(name, func(t *testing.T) {
			store, ring := mem.New(), keyring.Memory(nil)
			fill(t, store, aboutHana(), map[string]string{"m/format": "3"})
			want := 4
			if older != "" { // the program of that version did not know them either, and has sealed them
				for k, v := range aboutHana() {
					place := []byte(k)
					if k[0] != 's' {
						place = place[:len(place)-8]
					}
					sealed, err := ring.Seal([]byte("\x00ks\x01"), "app", place, []byte(v))
					if err != nil {
						t.Fatal(err)
					}
					fill(t, store, map[string]string{k: string(sealed)})
				}
				mark, err := ring.Seal(nil, "", []byte("m/sealed"), []byte(older))
				if err != nil {
					t.Fatal(err)
				}
				fill(t, store, map[string]string{"m/sealed": string(mark)})
				want = 2 // which types it did not know is not written down
			}
			program(t, store, ring, false)
			program(t, store, ring, false, "album")
			if n, rest := under(t, store, ring); n != 1 || len(rest) != 3 {
				t.Errorf("without board and diaries %d rows are sealed for Hana and %q not", n, rest)
			}
			program(t, store, ring, false, "board")
			program(t, store, ring, true, "album", "board")
			if n, rest := under(t, store, ring); n != want {
				t.Errorf("with all %d rows are sealed for Hana and %q not, want %d", n, rest, want)
			}
			before := dump(t, store)
			program(t, store, ring, false)
			program(t, store, ring, true, "album", "board")
			if after := dump(t, store); sansStarts(after) != sansStarts(before) {
				t.Error("a later start has sealed something anew")
			}
		})
	}
}

// What cannot be sealed for whom it is about yet is, as soon as its key can be used; the
// store opens meanwhile.
func TestABadKeyIsSealedAnewLater(t *testing.T) {
	store := mem.New()
	k := badKeys{Sealer: keyring.Memory(nil), bad: map[string]bool{"hana": true}, late: map[string]bool{}}
	row := "s/album/app\x00names\x00hana"
	sealed, err := k.Seal([]byte("\x00ks\x01"), "app", []byte(row), []byte(`1 "a"`))
	if err != nil {
		t.Fatal(err)
	}
	mark, err := k.Seal(nil, "", []byte("m/sealed"), []byte("kehai 2"))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, store, map[string]string{"m/format": "3", row: string(sealed), "m/sealed": string(mark)})
	program(t, store, k, false, "album")
	if n, rest := under(t, store, k.Sealer); n != 0 || len(rest) != 1 {
		t.Errorf("%d rows are sealed under a key that cannot be used, %q are left", n, rest)
	}
	delete(k.bad, "hana")
	program(t, store, k, false, "album")
	if n, rest := under(t, store, k.Sealer); n != 1 || len(rest) != 0 {
		t.Errorf("%d rows are sealed under the key that is back, %q are not", n, rest)
	}
}

// marks notes which rows are written with a sync.
type marks struct {
	engine.Store
	synced map[string]bool
}

func (m marks) Apply(ops []engine.Op, sync bool) error {
	for _, op := range ops {
		m.synced[string(op.Key)] = sync
	}
	return m.Store.Apply(ops, sync)
}

// That all is sealed is not taken back by a power cut: what is not would be refused.
func TestTheMarkOfASealedStoreIsSynced(t *testing.T) {
	store, ring := marks{mem.New(), map[string]bool{}}, keyring.Memory(nil)
	fill(t, store, aboutHana(), map[string]string{"m/format": "3"})
	clear(store.synced)
	for _, kinds := range [][]string{{}, {"album"}} {
		delete(store.synced, "m/sealed")
		program(t, store, ring, false, kinds...)
		if !store.synced["m/sealed"] {
			t.Errorf("with kinds %q the mark was not synced; written were %q", kinds,
				slices.Sorted(maps.Keys(store.synced)))
		}
	}
}
