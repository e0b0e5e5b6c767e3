package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/runtime/engine"
)

// keys of the model are short and use few bytes, so that they collide and are prefixes of
// each other.
var (
	modelKey = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, '/', 'a', 'k', 0xff}), 0, 4),
		func(b []byte) string { return string(b) })
	modelValue = rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) })
)

// model compares one store with a map over random calls.
func model(t *testing.T, open Open, reopen Reopen) {
	s := open(t)
	defer func() { closeStore(t, s) }()
	news := 0
	rapid.Check(t, func(rt *rapid.T) {
		for _, kv := range scanned(t, s, nil, nil) {
			key, _, _ := strings.Cut(kv, "=")
			apply(t, s, del(key))
		}
		want := map[string]string{}
		actions := map[string]func(*rapid.T){
			"": func(rt *rapid.T) { compare(rt, s, want, "", "") },
			"apply": func(rt *rapid.T) {
				var batch []engine.Op
				for range rapid.IntRange(0, 12).Draw(rt, "ops") {
					op := put(modelKey.Draw(rt, "key"), modelValue.Draw(rt, "value"))
					if op.Delete = rapid.IntRange(0, 3).Draw(rt, "kind") == 0; op.Delete {
						op.Value = nil
						delete(want, string(op.Key))
					} else {
						want[string(op.Key)] = string(op.Value)
					}
					batch = append(batch, op)
				}
				batch = append(batch, comesAndGoes(rt, want, &news)...)
				sync := rapid.Bool().Draw(rt, "sync")
				if err := s.Apply(batch, sync); err != nil {
					rt.Fatalf("Apply(%d ops, %v) = %v, want no error", len(batch), sync, err)
				}
			},
			"get": func(rt *rapid.T) {
				key := modelKey.Draw(rt, "key")
				got, ok, err := s.Get([]byte(key))
				value, there := want[key]
				if err != nil || ok != there || string(got) != value {
					rt.Fatalf("Get(%q) = %q, %v, %v, want %q, %v", key, got, ok, err, value, there)
				}
			},
			"scan": func(rt *rapid.T) {
				compare(rt, s, want, modelKey.Draw(rt, "prefix"), modelKey.Draw(rt, "from"))
			},
		}
		if reopen != nil {
			actions["reopen"] = func(rt *rapid.T) {
				if rapid.IntRange(0, 40).Draw(rt, "really") == 0 {
					s = reopen(t, s)
				}
			}
		}
		rt.Repeat(actions)
	})
}

// comesAndGoes draws the put of a key that was never there before, and the end of one that is.
func comesAndGoes(rt *rapid.T, model map[string]string, news *int) (ops []engine.Op) {
	if rapid.Bool().Draw(rt, "a new key") {
		op := put(fmt.Sprintf("/new/%06d", *news), modelValue.Draw(rt, "value"))
		op.New = true
		*news++
		model[string(op.Key)] = string(op.Value)
		ops = append(ops, op)
	}
	if there := slices.Sorted(maps.Keys(model)); len(there) > 0 && rapid.Bool().Draw(rt, "an old key") {
		key := rapid.SampledFrom(there).Draw(rt, "gone")
		delete(model, key)
		ops = append(ops, del(key))
	}
	return ops
}

func compare(rt *rapid.T, s engine.Store, model map[string]string, prefix, from string) {
	var got, want []string
	for _, k := range slices.Sorted(maps.Keys(model)) {
		if strings.HasPrefix(k, prefix) && k >= from {
			want = append(want, fmt.Sprintf("%q=%q", k, model[k]))
		}
	}
	err := s.Scan([]byte(prefix), []byte(from), func(k, v []byte) bool {
		got = append(got, fmt.Sprintf("%q=%q", k, v))
		return true
	})
	if err != nil || !slices.Equal(got, want) {
		rt.Fatalf("Scan(%q, %q) = %v, %v, want %v", prefix, from, got, err, want)
	}
}

// reopened checks that a store keeps everything over several lives.
func reopened(t *testing.T, open Open, reopen Reopen) {
	s := open(t)
	defer func() { closeStore(t, s) }()
	want := []string{}
	for life := range 4 {
		key := fmt.Sprintf("life %d", life)
		apply(t, s, put(key, "here"), put("gone", "soon"))
		apply(t, s, del("gone"))
		apply(t, s, generation(life, 300, 16<<10)...)
		want = append(want, key+"=here")
		s = reopen(t, s)
		wantScan(t, s, "life", "", want...)
		wantGet(t, s, "gone", "", false)
		if err := oneGeneration(s, 300); err != nil {
			t.Fatalf("life %d: %v", life, err)
		}
	}
}
