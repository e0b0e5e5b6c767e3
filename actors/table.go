package actors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// ErrRow marks a stored row that cannot be read.
var ErrRow = errors.New("actors: unreadable row")

// RowUpcast turns the JSON of a row written by an older version of a table into
// that of the current one.
type RowUpcast func(version int, row json.RawMessage) (json.RawMessage, error)

// Table is one named, ordered set of rows in an actor's own keyspace. It holds
// no state: declare it as a package variable and pass the turn.
//
// A row is stored as its version in decimal, a space, and JSON.
type Table[V any] struct {
	name    string
	version int
	head    string // of a row: the version and a space
	upcast  RowUpcast
}

// NewTable names a table. The name is part of the stored form: letters, digits and
// underscores, never changed. Any other name is a bug, and panics.
func NewTable[V any](name string) Table[V] {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		panic("actors: table name " + strconv.Quote(name))
	}
	return Table[V]{name: name}.WithVersion(1, nil)
}

// WithVersion returns the table at a later version whose older rows go through
// upcast.
func (tb Table[V]) WithVersion(version int, upcast RowUpcast) Table[V] {
	tb.version, tb.head, tb.upcast = version, strconv.Itoa(version)+" ", upcast
	return tb
}

// Get returns the row with a key.
func (tb Table[V]) Get(t *Turn, key string) (V, bool) {
	raw, ok := tb.raw(t, key)
	if !ok {
		var zero V
		return zero, false
	}
	return tb.read(t, key, raw)
}

// raw returns the stored form of a row, as this turn sees it.
func (tb Table[V]) raw(t *Turn, key string) ([]byte, bool) {
	row := tb.key(key)
	if w := t.written(row); w != nil {
		return w.Value, !w.Delete
	}
	raw, ok, err := t.reader.Get(row)
	if err != nil {
		t.Fail(fmt.Errorf("actors: read a row of table %s: %w", tb.name, err))
		return nil, false
	}
	return raw, ok
}

// Memo is a row as it was decoded last. The zero value is of none.
type Memo[V any] struct {
	raw []byte
	row V
}

// GetMemo is Get for a row that an actor reads with each message and seldom writes: it is decoded only if
// it is not what m was decoded from. The row is shared with m: nothing that it points to may be changed.
func (tb Table[V]) GetMemo(t *Turn, key string, m *Memo[V]) (V, bool) {
	raw, ok := tb.raw(t, key)
	if !ok {
		var zero V
		return zero, false
	}
	if m.raw != nil && bytes.Equal(m.raw, raw) {
		return m.row, true
	}
	row, ok := tb.read(t, key, raw)
	if ok {
		m.raw, m.row = bytes.Clone(raw), row
	}
	return row, ok
}

// Put writes the row with a key. Keys hold no NUL.
func (tb Table[V]) Put(t *Turn, key string, v V) {
	if strings.ContainsRune(key, 0) {
		t.Fail(fmt.Errorf("actors: a row key of table %s holds NUL", tb.name))
		return
	}
	raw, err := tb.Encode(v)
	if err != nil {
		t.Fail(err)
		return
	}
	t.write(Write{Key: tb.key(key), Value: raw})
}

// Delete removes the row with a key, if there is one.
func (tb Table[V]) Delete(t *Turn, key string) { t.write(Write{Key: tb.key(key), Delete: true}) }

// Clear deletes every row that can be read; one that cannot be fails the turn.
func (tb Table[V]) Clear(t *Turn) {
	for key := range tb.All(t) {
		tb.Delete(t, key)
	}
}

// All yields every row in ascending order of keys, as this turn sees them. Rows may be
// written and deleted during the iteration; that does not change what it yields.
func (tb Table[V]) All(t *Turn) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		t.check()
		rows, err := t.reader.Rows(tb.key(""))
		if err != nil {
			t.Fail(fmt.Errorf("actors: scan table %s: %w", tb.name, err))
			return
		}
		tb.each(t, rows, yield)
	}
}

// InReach is All for an actor that can go on while the keys of some rows are out of reach: those rows are
// left out, and away has the reason of each by its key. Such a row is there: it must be neither written nor
// deleted, and what the actor concludes from the others must hold whatever it says.
//
// What is out of reach is looked up once in a turn: for the rest of it, neither more is away nor less.
func (tb Table[V]) InReach(t *Turn) (rows map[string]V, away map[string]error) {
	return maps.Collect(tb.AllInReach(t)), tb.Away(t)
}

// AllInReach yields the rows of InReach as All does.
func (tb Table[V]) AllInReach(t *Turn) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		rows := maps.Clone(tb.reached(t).rows)
		if rows == nil {
			rows = map[string][]byte{}
		}
		tb.each(t, rows, yield)
	}
}

// Away has why each row cannot be read for now that InReach leaves out, by its key.
func (tb Table[V]) Away(t *Turn) map[string]error {
	away, prefix := map[string]error{}, tb.key("")
	for row, why := range tb.reached(t).away {
		if t.written(row) == nil {
			away[row[len(prefix):]] = why
		}
	}
	return away
}

// reached reads the table as far as it is in reach, once in a turn.
func (tb Table[V]) reached(t *Turn) *reached {
	t.check()
	prefix := tb.key("")
	if r := t.reached[prefix]; r != nil {
		return r
	}
	r := new(reached)
	var err error
	if partial, ok := t.reader.(PartialReader); ok {
		r.rows, r.away, err = partial.RowsInReach(prefix)
	} else {
		r.rows, err = t.reader.Rows(prefix)
	}
	if err != nil {
		t.Fail(fmt.Errorf("actors: scan table %s: %w", tb.name, err))
		r = new(reached)
	}
	if t.reached == nil {
		t.reached = map[string]*reached{}
	}
	t.reached[prefix] = r
	return r
}

// reached is what a turn has read of a table, without what it has written.
type reached struct {
	rows map[string][]byte
	away map[string]error
}

// each yields rows with what the turn has written.
func (tb Table[V]) each(t *Turn, rows map[string][]byte, yield func(string, V) bool) {
	prefix := tb.key("")
	for _, w := range t.out.Writes {
		if !strings.HasPrefix(w.Key, prefix) {
			continue
		}
		if w.Delete {
			delete(rows, w.Key)
		} else {
			rows[w.Key] = w.Value
		}
	}
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		v, ok := tb.read(t, k[len(prefix):], rows[k])
		if !ok || !yield(k[len(prefix):], v) {
			return
		}
	}
}

// Name is the table's name.
func (tb Table[V]) Name() string { return tb.name }

// Row is the key of a row in the keyspace of its actor. It is for tools that read
// or write a store without a turn.
func (tb Table[V]) Row(key string) string { return tb.key(key) }

func (tb Table[V]) key(key string) string { return tb.name + rowMark + key }

// rowMark separates the name of a table from the key of a row.
const rowMark = "\x00"

// SplitRow splits the stored name of a row into the name of its table and its key.
func SplitRow(row string) (table, key string) {
	table, key, _ = strings.Cut(row, rowMark)
	return table, key
}

func (tb Table[V]) read(t *Turn, key string, raw []byte) (V, bool) {
	v, err := tb.Decode(raw)
	if err != nil {
		t.Fail(fmt.Errorf("%w: in table %s: %w", ErrRow, tb.name, err))
	}
	return v, err == nil
}

// Encode makes a stored row. It is what Put uses; tools use it to write a store
// without a turn.
func (tb Table[V]) Encode(v V) ([]byte, error) {
	row, err := messages.EncodeJSON(tb.head, v)
	if err != nil {
		return nil, fmt.Errorf("actors: write a row of table %s: %w", tb.name, err)
	}
	return row, nil
}

// Decode reads a stored row. It is what Get uses; tests and tools use it on raw
// bytes.
func (tb Table[V]) Decode(raw []byte) (V, error) {
	var v V
	head, body, ok := bytes.Cut(raw, []byte{' '})
	version, err := strconv.Atoi(string(head))
	switch {
	case !ok || err != nil || version < 1:
		return v, fmt.Errorf("%d bytes without a version", len(raw))
	case version > tb.version:
		return v, fmt.Errorf("version %d is newer than ours (%d): upgrade Kehai", version, tb.version)
	case version < tb.version && tb.upcast == nil:
		return v, fmt.Errorf("version %d has no upcast to %d", version, tb.version)
	case version < tb.version:
		if body, err = tb.upcast(version, body); err != nil {
			return v, fmt.Errorf("upcast of version %d: %w", version, err)
		}
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return v, fmt.Errorf("%d bytes do not fit %T", len(body), v)
	}
	return v, nil
}

// fewWrites is how many writes are searched one by one; more are found by a map.
const fewWrites = 8

// written is the turn's last write of a row, nil if there is none.
func (t *Turn) written(row string) *Write {
	t.check()
	if t.writes != nil {
		if i, ok := t.writes[row]; ok {
			return &t.out.Writes[i]
		}
		return nil
	}
	for i := len(t.out.Writes) - 1; i >= 0; i-- {
		if w := &t.out.Writes[i]; w.Key == row {
			return w
		}
	}
	return nil
}

func (t *Turn) write(w Write) {
	t.check()
	if t.out.Writes == nil {
		t.out.Writes = t.row[:0]
	}
	t.out.Writes = append(t.out.Writes, w)
	switch n := len(t.out.Writes); {
	case t.writes != nil:
		t.writes[w.Key] = n - 1
	case n > fewWrites:
		t.writes = map[string]int{}
		for i, w := range t.out.Writes {
			t.writes[w.Key] = i
		}
	}
}
