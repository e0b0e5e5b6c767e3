package actors_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// rows is a store of one actor's rows.
type rows map[string][]byte

func (r rows) Get(key string) ([]byte, bool, error) {
	v, ok := r[key]
	return v, ok, nil
}

func (r rows) Rows(prefix string) (map[string][]byte, error) {
	list := maps.Clone(r)
	maps.DeleteFunc(list, func(k string, _ []byte) bool { return !strings.HasPrefix(k, prefix) })
	return list, nil
}

// apply does what a commit does.
func (r rows) apply(t *actors.Turn) error {
	out, err := t.Finish()
	if err != nil {
		return err
	}
	for _, w := range out.Writes {
		if w.Delete {
			delete(r, w.Key)
		} else {
			r[w.Key] = w.Value
		}
	}
	return nil
}

func turn(r actors.Reader) *actors.Turn {
	return actors.NewTurn(actors.Cause{Self: "actor/a", ID: "m7"}, r)
}

type person struct {
	Name messages.Text `json:"name"`
	Age  int           `json:"age"`
}

var people = actors.NewTable[person]("people")

// The golden row is what stores hold: a row of version 1 must stay readable.
func TestGoldenRow(t *testing.T) {
	const file = "testdata/row.v1.golden"
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := rows{}
	tn := turn(r)
	people.Put(tn, "hana", person{"はな", 30})
	if err := r.apply(tn); err != nil {
		t.Fatal(err)
	}
	if raw, err := people.Encode(person{"はな", 30}); err != nil || string(raw) != string(golden) {
		t.Errorf("Encode() = %q, %v, want %q as in %s", raw, err, golden, file)
	}
	if got := r[people.Row("hana")]; string(got) != string(golden) {
		t.Errorf("stored row = %q, want %q as in %s", got, golden, file)
	}
	if got, err := people.Decode(golden); err != nil || got != (person{"はな", 30}) {
		t.Errorf("Decode(%s) = %+v, %v, want はな, 30", file, got, err)
	}
}

func TestRowUpcast(t *testing.T) {
	type citizen struct {
		Name  messages.Text
		Years int
	}
	citizens := actors.NewTable[citizen]("people").WithVersion(3,
		func(v int, row json.RawMessage) (json.RawMessage, error) {
			if v == 2 {
				return row, nil
			}
			var old person
			if err := json.Unmarshal(row, &old); err != nil {
				return nil, errors.New("no person")
			}
			return json.Marshal(citizen{old.Name, old.Age})
		})
	want := citizen{"はな", 30}
	for _, raw := range []string{`1 {"name":"はな","age":30}`, `2 {"Name":"はな","Years":30}`,
		`3 {"Name":"はな","Years":30}`} {
		if got, err := citizens.Decode([]byte(raw)); err != nil || got != want {
			t.Errorf("Decode(%s) = %+v, %v, want %+v", raw, got, err, want)
		}
	}
	r := rows{"people\x00hana": []byte(`1 {"name":"はな","age":30}`)}
	tn := turn(r)
	if got, ok := citizens.Get(tn, "hana"); !ok || got != want {
		t.Errorf("Get(old row) = %+v, %v, want %+v", got, ok, want)
	}
	citizens.Put(tn, "hana", want)
	if err := r.apply(tn); err != nil || !strings.HasPrefix(string(r["people\x00hana"]), "3 ") {
		t.Errorf("stored row = %q, %v, want version 3", r["people\x00hana"], err)
	}
}

func TestRowErrorsQuoteNoRow(t *testing.T) {
	failing := people.WithVersion(5, func(int, json.RawMessage) (json.RawMessage, error) {
		return nil,
			errors.New("lost")
	})
	for _, c := range []struct {
		table actors.Table[person]
		raw   string
		want  string
	}{
		{people, "", "0 bytes without a version"},
		{people, "s3cret", "6 bytes without a version"},
		{people, `{"name":"s3cret"} `, "without a version"},
		{people, `0 {"name":"s3cret"}`, "without a version"},
		{people, `-1 {"name":"s3cret"}`, "without a version"},
		{people, `2 {"name":"s3cret"}`, "version 2 is newer than ours (1): upgrade Kehai"},
		{people, `1 {"name":"s3cre`, "bytes do not fit actors_test.person"},
		{people, `1 {"age":"s3cret"}`, "bytes do not fit actors_test.person"},
		{people.WithVersion(2, nil), `1 {"name":"s3cret"}`, "version 1 has no upcast to 2"},
		{failing, `1 {"name":"s3cret"}`, "upcast of version 1: lost"},
	} {
		_, err := c.table.Decode([]byte(c.raw))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cre") {
			t.Errorf("Decode(%q) = %v, want an error with %q and without the row", c.raw, err, c.want)
		}
		tn := turn(rows{"people\x00s3cret": []byte(c.raw)}) // a key may be a name
		if v, ok := c.table.Get(tn, "s3cret"); ok {
			t.Errorf("Get(row %q) = %+v, true, want none", c.raw, v)
		}
		_, err = tn.Finish()
		if !errors.Is(err, actors.ErrRow) || !strings.Contains(err.Error(), "table people") ||
			strings.Contains(err.Error(), "s3cre") {
			t.Errorf("Finish() after a bad row = %v, want %v that names the table and not the row", err, actors.ErrRow)
		}
	}
}

func TestBadRowEndsAll(t *testing.T) {
	tn := turn(rows{"people\x00a": []byte(`1 {}`), "people\x00b": []byte("x"), "people\x00c": []byte(`1 {}`)})
	var seen []string
	for k := range people.All(tn) {
		seen = append(seen, k)
	}
	if _, err := tn.Finish(); fmt.Sprint(seen) != "[a]" || !errors.Is(err, actors.ErrRow) {
		t.Errorf("All() yielded %v and the turn has %v, want [a] and %v", seen, err, actors.ErrRow)
	}
}

// TestGetMemo: a memo answers while the row is what it was, whoever wrote it since.
func TestGetMemo(t *testing.T) {
	store, memo := rows{}, actors.Memo[person]{}
	want := func(tn *actors.Turn, name messages.Text, known bool) {
		t.Helper()
		if p, ok := people.GetMemo(tn, "a", &memo); p.Name != name || ok != known {
			t.Errorf("GetMemo() = %+v, %v, want %s, %v", p, ok, string(name), known)
		}
	}
	want(turn(store), "", false)
	tn := turn(store)
	people.Put(tn, "a", person{Name: "Hana"})
	want(tn, "Hana", true)
	want(turn(store), "", false) // that turn failed
	if err := store.apply(tn); err != nil {
		t.Fatal(err)
	}
	store["people\x00a"][len(`1 {"name":"`)] = 'B' // the store may use its memory again
	want(turn(store), "Bana", true)
	want(turn(store), "Bana", true)
	tn = turn(store)
	people.Delete(tn, "a")
	want(tn, "", false)
	bad := turn(rows{"people\x00a": []byte("x")})
	want(bad, "", false)
	if _, err := bad.Finish(); !errors.Is(err, actors.ErrRow) {
		t.Errorf("the turn has %v, want %v", err, actors.ErrRow)
	}
	want(turn(store), "Bana", true)
}

func TestPutRefuses(t *testing.T) {
	tn := turn(rows{})
	people.Put(tn, "a\x00b", person{})
	if _, err := tn.Finish(); err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("Finish() after Put(NUL) = %v, want an error that names NUL", err)
	}
	tn = turn(rows{})
	actors.NewTable[any]("any").Put(tn, "k", func() {})
	if _, err := tn.Finish(); err == nil || !strings.Contains(err.Error(), "table any") {
		t.Errorf("Finish() after Put(func) = %v, want an error that names the table any", err)
	}
}

func TestTableNames(t *testing.T) {
	for name, good := range map[string]bool{"a": true, "a_1": true, "": false, "A": false,
		"a\x00": false, "a b": false} {
		func() {
			defer func() {
				if r := recover(); (r == nil) != good {
					t.Errorf("NewTable(%q) panics with %v, want good %v", name, r, good)
				}
			}()
			actors.NewTable[int](name)
		}()
	}
}

var errDisk = errors.New("disk")

type brokenReader struct{}

func (brokenReader) Get(string) ([]byte, bool, error)       { return nil, false, errDisk }
func (brokenReader) Rows(string) (map[string][]byte, error) { return nil, errDisk }

func TestReadErrorsFailTheTurn(t *testing.T) {
	tn := turn(brokenReader{})
	people.Get(tn, "k")
	if _, err := tn.Finish(); !errors.Is(err, errDisk) {
		t.Errorf("Finish() after Get = %v, want %v", err, errDisk)
	}
	tn = turn(brokenReader{})
	for k := range people.All(tn) {
		t.Errorf("All() yielded %q, want nothing", k)
	}
	if _, err := tn.Finish(); !errors.Is(err, errDisk) {
		t.Errorf("Finish() after All = %v, want %v", err, errDisk)
	}
}

// Over any turns a table reads like a map, next to another table whose name
// begins with its own.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, neighbour := actors.NewTable[int]("a"), actors.NewTable[int]("a_")
		store, model, beside := rows{}, map[string]int{}, map[string]int{}
		key := rapid.SampledFrom([]string{"", "a", "ab", "b", "はな", "_", "z"})
		for range rapid.IntRange(1, 4).Draw(t, "turns") {
			tn := turn(store)
			for range rapid.IntRange(0, 8).Draw(t, "steps") {
				k := key.Draw(t, "key")
				switch rapid.IntRange(0, 5).Draw(t, "do") {
				case 0:
					v := rapid.Int().Draw(t, "value")
					table.Put(tn, k, v)
					model[k] = v
				case 1:
					table.Delete(tn, k)
					delete(model, k)
				case 2:
					neighbour.Put(tn, k, -1)
					beside[k] = -1
				case 3:
					want, ok := model[k]
					if got, gok := table.Get(tn, k); got != want || gok != ok {
						t.Fatalf("Get(%q) = %d, %v, want %d, %v", k, got, gok, want, ok)
					}
				case 4:
					checkAll(t, table, tn, model)
				case 5:
					table.Clear(tn)
					clear(model)
				}
			}
			if err := store.apply(tn); err != nil {
				t.Fatal(err)
			}
		}
		checkAll(t, table, turn(store), model)
		checkAll(t, neighbour, turn(store), beside)
	})
}

func checkAll(t *rapid.T, table actors.Table[int], tn *actors.Turn, model map[string]int) {
	var keys []string
	for k, v := range table.All(tn) {
		keys = append(keys, k)
		if want, ok := model[k]; v != want || !ok {
			t.Fatalf("All() yields %q: %d, want %d, %v", k, v, want, ok)
		}
	}
	if want := slices.Sorted(maps.Keys(model)); !slices.Equal(keys, want) {
		t.Fatalf("All() yields %q, want %q", keys, want)
	}
}

func TestAllStandsStillWhileRowsChange(t *testing.T) {
	r := rows{"people\x00a": []byte(`1 {"age":1}`), "people\x00b": []byte(`1 {"age":2}`)}
	tn := turn(r)
	var seen []string
	for k, p := range people.All(tn) {
		seen = append(seen, fmt.Sprint(k, p.Age))
		people.Delete(tn, "b")
		people.Put(tn, "c", person{})
	}
	if got, want := fmt.Sprint(seen), "[a1 b2]"; got != want {
		t.Errorf("All() yields %s, want %s", got, want)
	}
	for k := range people.All(tn) {
		if k != "a" {
			t.Errorf("All() yields %q first, want a", k)
		}
		break
	}
}

func FuzzDecodeRow(f *testing.F) {
	for _, s := range []string{"", " ", "1 ", "1 {}", `1 {"name":"a","age":1}`, `2 {}`, "01 {}", "+1 null", "1 {\x00",
		"99999999999999999999 {}"} {
		f.Add([]byte(s))
	}
	up := people.WithVersion(3, func(_ int, row json.RawMessage) (json.RawMessage, error) { return row, nil })
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := up.Decode(raw)
		if err != nil {
			return
		}
		r := rows{}
		tn := turn(r)
		up.Put(tn, "k", p)
		if err := r.apply(tn); err != nil {
			t.Fatalf("Put(%+v) = %v", p, err)
		}
		if again, err := up.Decode(r["people\x00k"]); err != nil || again != p {
			t.Errorf("Decode(Put(Decode(%q))) = %+v, %v, want %+v", raw, again, err, p)
		}
	})
}

func TestRowKey(t *testing.T) {
	last := ""
	for _, n := range []uint64{0, 1, 9, 10, 99_999, 1 << 40} {
		key := actors.RowKey(n)
		if back, err := actors.RowNumber(key); err != nil || back != n || key <= last {
			t.Errorf("RowKey(%d) = %q, of the row %d, %v, want it back, and behind %q", n, key, back, err, last)
		}
		last = key
	}
	if _, err := actors.RowNumber("head"); !errors.Is(err, actors.ErrRow) {
		t.Errorf("RowNumber(head) = %v, want %v", err, actors.ErrRow)
	}
}

// A row is split where the table has joined it; a key may be empty, a name alone has none.
func TestSplitRow(t *testing.T) {
	for _, key := range []string{"k", "a/b", "気配", ""} {
		if name, back := actors.SplitRow(people.Row(key)); name != people.Name() || back != key {
			t.Errorf("SplitRow(Row(%q)) = %q, %q, want %q, %q", key, name, back, people.Name(), key)
		}
	}
	if name, key := actors.SplitRow("people"); name != "people" || key != "" {
		t.Errorf("SplitRow(people) = %q, %q, want the name and no key", name, key)
	}
}

// A turn finds what it wrote last, however much it writes.
func TestManyWritesOfOneTurn(t *testing.T) {
	for n := range 20 {
		tn := turn(rows{})
		for i := range n {
			people.Put(tn, strconv.Itoa(i), person{Age: i})
		}
		for i := range n {
			switch i % 3 {
			case 0:
				people.Delete(tn, strconv.Itoa(i))
			case 1:
				people.Put(tn, strconv.Itoa(i), person{Age: -i})
			}
		}
		all := maps.Collect(people.All(tn))
		for i := range n + 1 {
			key := strconv.Itoa(i)
			got, ok := people.Get(tn, key)
			want := person{Age: map[int]int{1: -i, 2: i}[i%3]}
			if ok != (i < n && i%3 != 0) || ok && got != want || ok && all[key] != want {
				t.Errorf("after %d rows Get(%s) = %v, %v, and All has %v, want %v", n, key, got, ok, all[key], want)
			}
		}
	}
}

// partly are rows of which some are out of reach.
type partly struct {
	rows
	away map[string]bool
}

func (p partly) RowsInReach(prefix string) (map[string][]byte, map[string]error, error) {
	list, away := rows{}, map[string]error{}
	for k, v := range p.rows {
		if p.away[k] {
			away[k] = errDisk
		} else {
			list[k] = v
		}
	}
	return list, away, nil
}

// A turn that looks twice sees the same, but for what it writes itself.
func TestWhatIsOutOfReachStaysSoForTheTurn(t *testing.T) {
	p := partly{rows{}, map[string]bool{people.Row("aki"): true}}
	for _, who := range []string{"aki", "hana", "ken"} {
		raw, err := people.Encode(person{Name: messages.Text(who)})
		if err != nil {
			t.Fatal(err)
		}
		p.rows[people.Row(who)] = raw
	}
	tn := turn(p)
	for range 2 {
		var got []string
		for who := range people.AllInReach(tn) {
			got = append(got, who)
		}
		if away := people.Away(tn); fmt.Sprint(got) != "[hana ken]" || len(away) != 1 || away["aki"] == nil {
			t.Errorf("in reach are %v, and away %v, want hana and ken, and aki", got, away)
		}
		p.away[people.Row("ken")] = true
		delete(p.away, people.Row("aki"))
	}
	people.Put(tn, "aki", person{})
	people.Delete(tn, "hana")
	if got, away := people.InReach(tn); len(got) != 2 || len(away) != 0 {
		t.Errorf("in reach are %v, and away %v, want aki, written anew, and ken", got, away)
	}
}
