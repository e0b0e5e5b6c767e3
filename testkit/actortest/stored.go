package actortest

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Stored reads a row of the actor from the store, as a new actor value would
// find it.
func Stored[V any](h *Harness, table actors.Table[V], key string) (V, bool) {
	h.t.Helper()
	turn := actors.NewTurn(actors.Cause{Self: h.o.address}, rows{h})
	v, ok := table.Get(turn, key)
	h.failedRead(turn)
	return v, ok
}

// WantStored expects a row of the actor in the store.
func WantStored[V any](h *Harness, table actors.Table[V], key string, want V) {
	h.t.Helper()
	got, ok := Stored(h, table, key)
	if !ok {
		h.t.Errorf("row %q is not stored, want %s", key, plain(want))
		return
	}
	if d := diffValue("", reflect.ValueOf(&got).Elem(), reflect.ValueOf(&want).Elem()); d != "" {
		h.t.Errorf("stored row %q:\n\tgot  %s\n\twant %s\n\tat   %s", key, plain(got), plain(want), d)
	}
}

// WantForm fails the test unless a value is stored as want, a version and JSON, and comes
// back from it.
func WantForm[V any](t testing.TB, table actors.Table[V], v V, want string) {
	t.Helper()
	if got, err := table.Encode(v); err != nil || string(got) != want {
		t.Errorf("a row of table %s = %s, %v, want %s", table.Name(), got, err, want)
	}
	got, err := table.Decode([]byte(want))
	if again, _ := table.Encode(got); err != nil || string(again) != want {
		t.Errorf("Decode(%s) = %+v, %v, want %+v", want, got, err, v)
	}
}

// Rows reads all rows of a table from the store, by their keys.
func Rows[V any](h *Harness, table actors.Table[V]) map[string]V {
	h.t.Helper()
	turn := actors.NewTurn(actors.Cause{Self: h.o.address}, rows{h})
	got := maps.Collect(table.All(turn))
	h.failedRead(turn)
	return got
}

// WantRows expects exactly these rows of a table in the store.
func WantRows[V any](h *Harness, table actors.Table[V], want map[string]V) {
	h.t.Helper()
	got := Rows(h, table)
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			h.t.Errorf("stored row %q: got %s, want none", key, plain(got[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		WantStored(h, table, key, want[key])
	}
}

func (h *Harness) failedRead(turn *actors.Turn) {
	h.t.Helper()
	if _, err := turn.Finish(); err != nil {
		h.t.Fatalf("%v", err)
	}
}

// rows reads the actor's part of the store; package engine documents the keys.
type rows struct{ h *Harness }

func (r rows) prefix() string { return "s/" + string(r.h.o.address) + "\x00" }

func (r rows) Get(key string) ([]byte, bool, error) {
	full := []byte(r.prefix() + key)
	raw, ok, err := r.h.o.store.Get(full)
	if err == nil && ok {
		raw, err = openRow(r.h, full, raw)
	}
	return raw, ok, err
}

func openRow(h *Harness, key, value []byte) ([]byte, error) {
	return engine.OpenRow(h.o.sealer, key, value)
}

func (r rows) Rows(prefix string) (map[string][]byte, error) {
	list := map[string][]byte{}
	base := len(r.prefix())
	var unopened error
	err := r.h.o.store.Scan([]byte(r.prefix()+prefix), nil, func(k, v []byte) bool {
		list[string(k[base:])], unopened = openRow(r.h, k, v)
		return unopened == nil
	})
	return list, errors.Join(err, unopened)
}
