package engine_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// carryOut applies a batch to a store as a node does.
func carryOut(t testing.TB, s engine.Store, b engine.Batch) engine.Applied {
	t.Helper()
	done, err := engine.Apply(s, b)
	if err != nil {
		t.Fatalf("Apply(%+v) = %v", b, err)
	}
	if err := s.Apply(done.Ops, false); err != nil {
		t.Fatal(err)
	}
	return done
}

func set(key, value string) engine.Op { return engine.Op{Key: []byte(key), Value: []byte(value)} }
func mailTo(a messages.Address, value string) engine.Record {
	return engine.Record{Class: engine.ClassMail, To: a, Value: []byte(value)}
}

// A change happens only if all that it rests on holds, in the store and after the
// changes before it in the batch.
func TestApply(t *testing.T) {
	a := func(c engine.Change) engine.Change { c.Actor = "keeper/a"; return c }
	owned := func(c engine.Change) engine.Change { c = a(c); c.Epoch = 1; return c }
	for _, c := range []struct {
		name    string
		rows    map[string]string
		batch   engine.Batch
		want    string // results
		written string
	}{
		{
			name:  "nothing to rest on",
			batch: engine.Batch{Changes: []engine.Change{{Ops: []engine.Op{set("s/x/a\x00r", "1")}}}},
			want:  "committed", written: "s/x/a\x00r=1",
		}, {
			name: "numbers go on, in order",
			rows: map[string]string{"m/seq": "\x00\x00\x00\x00\x00\x00\x00\x40"},
			batch: engine.Batch{Changes: []engine.Change{
				{Records: []engine.Record{mailTo("x/a", "m"), {Class: engine.ClassEvent, Value: []byte("e")}}},
				{Records: []engine.Record{{Class: engine.ClassVerdict, Value: []byte("v")},
					{Class: engine.ClassDeadLetter, Value: []byte("d")}}},
			}},
			want: "committed from 65, committed from 67",
			written: "i/x/a\x00\x00\x00\x00\x00\x00\x00\x00A=m e/\x00\x00\x00\x00\x00\x00\x00B=e " +
				"v/\x00\x00\x00\x00\x00\x00\x00C=v d/\x00\x00\x00\x00\x00\x00\x00D=d " +
				"m/seq=\x00\x00\x00\x00\x00\x00\x00D",
		}, {
			name: "here has numbers and keys of its own",
			rows: map[string]string{"m/seq": "\x00\x00\x00\x00\x00\x00\x00\x40"},
			batch: engine.Batch{Shard: engine.Here, Floor: 8, Changes: []engine.Change{{Records: []engine.Record{
				{Class: engine.ClassMail, Shard: engine.Here, To: "x/a", Value: []byte("m")},
				{Class: engine.ClassVerdict, Shard: engine.Here, Value: []byte("v")},
				{Class: engine.ClassDeadLetter, Shard: engine.Here, Value: []byte("d")},
			}}}},
			want: "committed from 9",
			written: "i/x/a\x00\x00\x00\x00\x00\x00\x00\x00\t=m lv/\x00\x00\x00\x00\x00\x00\x00\n=v " +
				"ld/\x00\x00\x00\x00\x00\x00\x00\v=d lm/seq=\x00\x00\x00\x00\x00\x00\x00\v",
		}, {
			name:  "a floor only raises",
			rows:  map[string]string{"m/seq": "\x00\x00\x00\x00\x00\x00\x00\x40"},
			batch: engine.Batch{Floor: 8, Changes: []engine.Change{{Records: []engine.Record{mailTo("x/a", "m")}}}},
			want:  "committed from 65", written: "i/x/a\x00\x00\x00\x00\x00\x00\x00\x00A=m " +
				"m/seq=\x00\x00\x00\x00\x00\x00\x00A",
		}, {
			name: "a receipt is used once, and what follows it in its actor falls with it",
			rows: map[string]string{"i/keeper/a\x001": "m", "i/keeper/a\x002": "m"},
			batch: engine.Batch{Changes: []engine.Change{
				owned(engine.Change{Receipt: []byte("i/keeper/a\x001"),
					Ops: []engine.Op{{Key: []byte("i/keeper/a\x001"), Delete: true}}}),
				owned(engine.Change{Receipt: []byte("i/keeper/a\x001"), Ops: []engine.Op{set("s/a", "1")}}),
				owned(engine.Change{Receipt: []byte("i/keeper/a\x002"), Ops: []engine.Op{set("s/a", "2")}}),
				{Actor: "keeper/b", Epoch: 1, Ops: []engine.Op{set("s/b", "3")}},
			}},
			want: "committed, stale, stale, committed", written: "-i/keeper/a\x001 s/b=3",
		}, {
			name: "an epoch that is over",
			rows: map[string]string{"o/keeper/a": "\x00\x00\x00\x00\x00\x00\x00\x02"},
			batch: engine.Batch{Changes: []engine.Change{
				owned(engine.Change{Ops: []engine.Op{set("s/a", "1")}}),
				{Actor: "keeper/b", Epoch: 1, Ops: []engine.Op{set("s/b", "3")}},
			}},
			want: "stale, committed", written: "s/b=3",
		}, {
			name: "the present epoch, and one from the future",
			rows: map[string]string{"o/keeper/a": "\x00\x00\x00\x00\x00\x00\x00\x02"},
			batch: engine.Batch{Changes: []engine.Change{
				{Actor: "keeper/a", Epoch: 2, Ops: []engine.Op{set("s/a", "1")}},
				{Actor: "keeper/b", Epoch: 2, Ops: []engine.Op{set("s/b", "3")}},
			}},
			want: "committed, stale", written: "s/a=1",
		}, {
			name: "once",
			rows: map[string]string{"k/x/a\x00old": ""},
			batch: engine.Batch{Changes: []engine.Change{
				{Once: []byte("k/x/a\x00old"), Records: []engine.Record{mailTo("x/a", "m")}},
				{Once: []byte("k/x/a\x00new"), Ops: []engine.Op{set("k/x/a\x00new", "")}},
				{Once: []byte("k/x/a\x00new"), Ops: []engine.Op{set("k/x/a\x00new", "2")}},
			}},
			want: "duplicate, committed, duplicate", written: "k/x/a\x00new=",
		}, {
			name: "needs",
			rows: map[string]string{"d/1": ""},
			batch: engine.Batch{Changes: []engine.Change{
				{Needs: []byte("d/2"), Ops: []engine.Op{{Key: []byte("d/2"), Delete: true}}},
				{Needs: []byte("d/1"), Ops: []engine.Op{{Key: []byte("d/1"), Delete: true}}},
				{Needs: []byte("d/1"), Ops: []engine.Op{{Key: []byte("d/1"), Delete: true}}},
			}},
			want: "refused, committed, refused", written: "-d/1",
		}, {
			name: "rises",
			rows: map[string]string{"u/old": "\x00\x00\x00\x00\x00\x00\x00\x04", "u/odd": "odd"},
			batch: engine.Batch{Changes: []engine.Change{
				{Rises: true, Ops: []engine.Op{set("u/old", "\x00\x00\x00\x00\x00\x00\x00\x04")}},
				{Rises: true, Ops: []engine.Op{set("u/old", "\x00\x00\x00\x00\x00\x00\x00\x06")}},
				{Rises: true, Ops: []engine.Op{set("u/old", "\x00\x00\x00\x00\x00\x00\x00\x05")}},
				{Rises: true, Ops: []engine.Op{set("u/odd", "\x00\x00\x00\x00\x00\x00\x00\x01")}},
				{Rises: true, Ops: []engine.Op{set("u/new", "\x00\x00\x00\x00\x00\x00\x00\x00")}},
				{Rises: true, Ops: []engine.Op{set("u/new", "\x00\x00\x00\x00\x00\x00\x00\x00")}},
			}},
			want: "duplicate, committed, duplicate, committed, committed, duplicate",
			written: "u/old=\x00\x00\x00\x00\x00\x00\x00\x06 u/odd=\x00\x00\x00\x00\x00\x00\x00\x01 " +
				"u/new=\x00\x00\x00\x00\x00\x00\x00\x00",
		}, {
			name: "of what is written to one key the last is left",
			batch: engine.Batch{Changes: []engine.Change{
				owned(engine.Change{Ops: []engine.Op{set("s/a", "1"), set("s/b", "1"), set("s/c", "1")}}),
				owned(engine.Change{Ops: []engine.Op{set("s/a", "2"), {Key: []byte("s/b"), Delete: true}}}),
				owned(engine.Change{Needs: []byte("s/b"), Ops: []engine.Op{set("s/a", "3")}}),
			}},
			want: "committed, committed, refused", written: "s/a=2 -s/b s/c=1",
		}, {
			name: "what crosses over is taken once and in order",
			rows: map[string]string{"x/in/here": "\x00\x00\x00\x00\x00\x00\x00\x03"},
			batch: engine.Batch{From: "here", Changes: []engine.Change{
				{Crossed: 3, Ops: []engine.Op{set("s/a", "3")}},
				{Crossed: 4, Ops: []engine.Op{set("s/a", "4")}},
				{Crossed: 4, Ops: []engine.Op{set("s/a", "4 again")}},
				{Crossed: 6, Ops: []engine.Op{set("s/a", "6")}},
				{Crossed: 5, Ops: []engine.Op{set("s/a", "5")}},
			}},
			want:    "duplicate, committed, duplicate, stale, committed",
			written: "s/a=5 x/in/here=\x00\x00\x00\x00\x00\x00\x00\x05",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := mem.New()
			for k, v := range c.rows {
				carryOut(t, store, engine.Batch{Changes: []engine.Change{{Ops: []engine.Op{set(k, v)}}}})
			}
			done := carryOut(t, store, c.batch)
			var results, ops []string
			for i, r := range done.Results {
				s := fmt.Sprint(r.Status)
				if r.Status == engine.Committed && len(c.batch.Changes[i].Records) > 0 {
					s += fmt.Sprint(" from ", r.First)
				}
				results = append(results, s)
			}
			for _, op := range done.Ops {
				if op.Delete {
					ops = append(ops, "-"+string(op.Key))
				} else {
					ops = append(ops, string(op.Key)+"="+string(op.Value))
				}
			}
			if got := strings.Join(results, ", "); got != c.want {
				t.Errorf("results = %s, want %s", got, c.want)
			}
			if got := strings.Join(ops, " "); got != c.written {
				t.Errorf("ops = %q, want %q", got, c.written)
			}
			if len(done.Out) > 0 {
				t.Errorf("%+v crosses over, want nothing", done.Out)
			}
		})
	}
}

// What a turn sends to the other shard is a batch there, which can be applied
// again and again.
func TestApplyHandsOver(t *testing.T) {
	store := mem.New()
	turn := engine.Batch{Shard: engine.Here, Changes: []engine.Change{
		{Records: []engine.Record{
			mailTo("conversation/a", "over 1"),
			{Class: engine.ClassMail, Shard: engine.Here, To: "poller/a", Value: []byte("stays")},
			{Class: engine.ClassEvent, Value: []byte("event")},
		}},
		{Needs: []byte("gone"), Records: []engine.Record{mailTo("conversation/a", "refused")}},
		{Records: []engine.Record{mailTo("conversation/a", "over 2")}},
	}}
	var again []engine.Batch
	for range 2 {
		done := carryOut(t, store, turn)
		if len(done.Out) != 1 || len(done.Out[0].Changes) != 2 || done.Results[0].First != done.Results[2].First-1 {
			t.Fatalf("Apply() = %+v, want two changes that cross over and one number used here", done)
		}
		over := carryOut(t, store, done.Out[0])
		for _, r := range over.Results {
			if r.Status != engine.Committed {
				t.Errorf("what crosses over is %v, want committed", r.Status)
			}
		}
		again = append(again, done.Out[0])
	}
	before := dump(t, store)
	for _, b := range again {
		for _, r := range carryOut(t, store, b).Results {
			if r.Status != engine.Duplicate {
				t.Errorf("what crosses over again is %v, want duplicate", r.Status)
			}
		}
	}
	if after := dump(t, store); !bytes.Equal(before, after) {
		t.Errorf("a repetition has changed\n%s\nto\n%s", before, after)
	}
	for _, want := range []string{`\x01" = ` + "`over 1`", `\x02" = ` + "`event`", `\x03" = ` + "`over 2`",
		`"lm/seq" = "\x00\x00\x00\x00\x00\x00\x00\x02"`, `"m/seq" = "\x00\x00\x00\x00\x00\x00\x00\x06"`,
		`"lx/out/anywhere" = "\x00\x00\x00\x00\x00\x00\x00\x04"`, `"x/in/here" = "\x00\x00\x00\x00\x00\x00\x00\x04"`} {
		if !bytes.Contains(before, []byte(want)) {
			t.Errorf("the store holds\n%s\nwant %s", before, want)
		}
	}
}

// unreadable is a view that fails for keys with a prefix.
type unreadable struct {
	engine.View
	prefix string
}

var errUnreadable = errors.New("cannot be read")

func (u unreadable) Get(key []byte) ([]byte, bool, error) {
	if strings.HasPrefix(string(key), u.prefix) {
		return nil, false, errUnreadable
	}
	return u.View.Get(key)
}

func TestApplyFailsWithItsView(t *testing.T) {
	b := engine.Batch{From: "here", Changes: []engine.Change{{
		Actor: "keeper/a", Receipt: []byte("i/1"), Once: []byte("k/1"), Needs: []byte("d/1"), Crossed: 1, Epoch: 1,
		Records: []engine.Record{{Shard: engine.Here}},
	}}}
	store := mem.New()
	fill(t, store, map[string]string{"i/1": "", "d/1": ""})
	for _, prefix := range []string{"m/seq", "o/", "i/", "k/", "d/", "x/in/", "x/out/"} {
		if _, err := engine.Apply(unreadable{store, prefix}, b); !errors.Is(err, errUnreadable) {
			t.Errorf("Apply() where %s cannot be read = %v, want %v", prefix, err, errUnreadable)
		}
	}
	if done, err := engine.Apply(store, b); err != nil || done.Results[0].Status != engine.Committed {
		t.Errorf("Apply() = %+v, %v, want it committed", done, err)
	}
	fill(t, store, map[string]string{"m/seq": "short"})
	if _, err := engine.Apply(store, b); !errors.Is(err, engine.ErrRecord) {
		t.Errorf("Apply() with a damaged counter = %v, want %v", err, engine.ErrRecord)
	}
}

// randomBatch does anything to a few keys, so that much of it does not hold.
func randomBatch(rng *rand.Rand, shard engine.Shard) engine.Batch {
	key := func(prefix string) []byte {
		if rng.IntN(2) == 0 {
			return nil
		}
		return fmt.Appendf(nil, "%s%s\x00%d", prefix, shard, rng.IntN(6))
	}
	b := engine.Batch{Shard: shard}
	if rng.IntN(8) == 0 {
		b.Floor = rng.Uint64N(50)
	}
	for range rng.IntN(5) {
		c := engine.Change{Once: key("k/"), Needs: key("d/")}
		if rng.IntN(2) == 0 {
			c.Actor = messages.Address(fmt.Sprintf("%s/%d", shard, rng.IntN(3)))
			c.Epoch, c.Receipt = 1+rng.Uint64N(8)/7, key("i/")
		}
		for range rng.IntN(4) {
			op := engine.Op{Key: key([]string{"i/", "k/", "d/", "s/"}[rng.IntN(4)]), Delete: rng.IntN(3) == 0}
			if !op.Delete {
				op.Value = fmt.Append(nil, rng.IntN(100))
			}
			if op.Key != nil {
				c.Ops = append(c.Ops, op)
			}
		}
		for range rng.IntN(3) {
			c.Records = append(c.Records, engine.Record{
				Class: engine.Class(rng.IntN(4)), Shard: shard,
				To:    messages.Address(fmt.Sprintf("%s/%d", shard, rng.IntN(3))),
				Value: fmt.Append(nil, rng.IntN(100)),
			})
		}
		b.Changes = append(b.Changes, c)
	}
	return b
}

// A batch that went through its bytes does the same.
func TestABatchTravels(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		near, far := mem.New(), mem.New()
		for range 20 {
			b := randomBatch(rng, engine.Anywhere)
			raw, err := b.AppendBinary([]byte("before"))
			if err != nil {
				t.Fatal(err)
			}
			var read engine.Batch
			if err := read.UnmarshalBinary(raw[len("before"):]); err != nil {
				t.Fatalf("seed %d: UnmarshalBinary() = %v", seed, err)
			}
			if !reflect.DeepEqual(read, b) {
				t.Fatalf("seed %d: read %+v, want %+v", seed, read, b)
			}
			one, two := carryOut(t, near, b), carryOut(t, far, read)
			if !reflect.DeepEqual(one, two) {
				t.Fatalf("seed %d: Apply() = %+v after the way, want %+v", seed, two, one)
			}
		}
		if a, b := dump(t, near), dump(t, far); !bytes.Equal(a, b) {
			t.Fatalf("seed %d: the stores hold\n%s\nand\n%s", seed, a, b)
		}
	}
}

// goldenBatch has no zero field but Rises, which has no form.
var goldenBatch = engine.Batch{
	Shard: engine.Here, From: "anywhere", Floor: 300, Changes: []engine.Change{{
		Actor: "keeper/は/な", Epoch: 2, Receipt: []byte("i/1"), Once: []byte("k/1"), Needs: []byte{}, Crossed: 5,
		Ops: []engine.Op{set("s/1", "one"), {Key: []byte("s/2"), Delete: true}, {Key: []byte("s/3"), Value: []byte{}}},
		Records: []engine.Record{mailTo("x/a", "mail"),
			{Class: engine.ClassDeadLetter, Shard: engine.Here, Value: []byte{0}}},
	}, {}},
}

// Logs may hold batches of this form.
func TestGoldenBatch(t *testing.T) {
	const file = "testdata/batch.golden"
	raw, _ := goldenBatch.AppendBinary(nil)
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(hex.Dump(raw)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != hex.Dump(raw) {
		t.Errorf("a batch is\n%s\nwant as in %s (%v)\n%s", hex.Dump(raw), file, err, want)
	}
	var read engine.Batch
	if err := read.UnmarshalBinary(raw); err != nil || !reflect.DeepEqual(read, goldenBatch) {
		t.Errorf("UnmarshalBinary() = %+v, %v, want %+v", read, err, goldenBatch)
	}
	for n := range raw {
		if err := new(engine.Batch).UnmarshalBinary(raw[:n]); !errors.Is(err, engine.ErrBatch) {
			t.Errorf("UnmarshalBinary() of the first %d bytes = %v, want %v", n, err, engine.ErrBatch)
		}
	}
	if err := new(engine.Batch).UnmarshalBinary(append([]byte{2}, raw[1:]...)); err == nil ||
		!strings.Contains(err.Error(), "upgrade this program") {
		t.Errorf("UnmarshalBinary() of another form = %v, want to be told to upgrade", err)
	}
	rises := engine.Batch{Changes: []engine.Change{{Rises: true, Ops: []engine.Op{set("u/a", "")}}}}
	if raw, err := rises.AppendBinary(nil); !errors.Is(err, engine.ErrBatch) {
		t.Errorf("AppendBinary() of a number that must rise = %x, %v, want %v", raw, err, engine.ErrBatch)
	}
}

func FuzzBatch(f *testing.F) {
	raw, _ := goldenBatch.AppendBinary(nil)
	f.Add(raw)
	f.Add(raw[:40])
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b, again engine.Batch
		if b.UnmarshalBinary(raw) != nil {
			return
		}
		once, _ := b.AppendBinary(nil)
		if err := again.UnmarshalBinary(once); err != nil || !reflect.DeepEqual(again, b) {
			t.Errorf("%+v becomes %+v, %v", b, again, err)
		}
		if _, err := engine.Apply(mem.New(), b); err != nil {
			t.Errorf("Apply(%+v) = %v", b, err)
		}
	})
}
