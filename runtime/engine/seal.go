package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Sealer keeps what is stored from being read without its keys. There is a key for
// each subject, which is the id of a conversation, the key of an actor that is about
// none, such as a window, or "" for the node. Package keyring has one. Its methods
// may be called concurrently.
type Sealer interface {
	// Seal appends the sealed form of a row to a slice; it is at most Overhead longer.
	// A subject without a key gets one, which a power cut must not take back.
	Seal(to []byte, subject string, place, plain []byte) ([]byte, error)
	Overhead() int
	// Open undoes Seal for the same place. The error wraps [ErrNoKey] or [ErrRecord].
	Open(place, sealed []byte) ([]byte, error)
	// Under reports whether a row was sealed for a subject.
	Under(subject string, sealed []byte) bool
	// Destroy destroys the key of a subject for good, if it has one.
	Destroy(subject string) error
}

// ErrNoKey marks what is sealed under a key that is not there.
var ErrNoKey = errors.New("engine: the key of a sealed row is missing")

// sealMark begins each sealed row. No other row begins so: they are JSON.
const sealMark = "\x00ks\x01"

func marked(row []byte) bool { return strings.HasPrefix(unsafeString(row), sealMark) }

// unsafeString is a text that holds as long as nobody changes the bytes, bytesOf bytes
// that nobody may change. Keys and rows are not changed once they are made.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
func bytesOf(s string) []byte      { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// private reports whether the rows of a key are sealed. The others hold numbers and
// times.
func private(key []byte) bool {
	if len(key) > 1 && key[0] == 'l' {
		key = key[1:]
	}
	if len(key) < 2 || key[1] != '/' {
		return false
	}
	switch key[0] {
	case 'i', 't', 'c', 'a', 's', 'd', 'e', 'v', 'f', 'h':
		return true
	}
	return false
}

// place is what a row is bound to: its key, or for a numbered record, whose number
// is not known when it is sealed, its key without the number.
func place(key []byte) []byte {
	class := key[0]
	if class == 'l' {
		class = key[1]
	}
	switch class {
	case 'i', 'd', 'e', 'v':
		return key[:max(len(key)-8, 0)]
	}
	return key
}

// sealAll seals what is private in batches that are about to be applied.
func (e *Engine) sealAll(batches *[shards]Batch) error {
	if e.sealer == nil {
		return nil
	}
	for s := range batches {
		for i := range batches[s].Changes {
			c := &batches[s].Changes[i]
			for j := range c.Ops {
				if err := e.sealOp(&c.Ops[j]); err != nil {
					return err
				}
			}
			for j := range c.Records {
				if err := e.sealRecord(&c.Records[j]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *Engine) sealOp(op *Op) (err error) {
	if op.Delete || !private(op.Key) || marked(op.Value) {
		return nil
	}
	about := op.about
	if about == "" {
		about = e.whose(string(op.Key), op.Value)
	}
	op.Value, err = e.sealRow(about, place(op.Key), op.Value)
	return err
}

func (e *Engine) sealRecord(r *Record) (err error) {
	if marked(r.Value) {
		return nil
	}
	k := e.committer
	k.place = r.Shard.appendPlace(k.place[:0], r)
	about := r.about
	if about == "" {
		about = e.whose(string(k.place), r.Value)
	}
	r.Value, err = e.sealRow(about, k.place, r.Value)
	return err
}

func (e *Engine) sealRow(about string, place, plain []byte) ([]byte, error) {
	to := make([]byte, len(sealMark), len(sealMark)+e.sealer.Overhead()+len(plain))
	copy(to, sealMark)
	sealed, err := e.sealer.Seal(to, about, place, plain)
	if err != nil {
		return nil, fmt.Errorf("engine: seal a row: %w", err)
	}
	return sealed, nil
}

// OpenRow opens a stored row; one that is not sealed is what it is. It is for those
// who read a store by themselves.
func OpenRow(s Sealer, key, value []byte) ([]byte, error) {
	switch {
	case !private(key) || !marked(value):
		return value, nil
	case s == nil:
		return nil, fmt.Errorf("engine: the store is sealed: open it with its keys: %w", ErrNoKey)
	}
	return s.Open(place(key), value[len(sealMark):])
}

// open opens a stored row. Once everything is sealed, what is not was not written
// by us.
func (e *Engine) open(key, value []byte) ([]byte, error) {
	if e.sealedAll && private(key) && !marked(value) {
		return nil, fmt.Errorf("%w: a row is not sealed as all are: restore the data directory from a backup",
			ErrRecord)
	}
	return OpenRow(e.sealer, key, value)
}

// get reads a row.
func (e *Engine) get(key []byte) ([]byte, bool, error) {
	raw, ok, err := e.store.Get(key)
	if err != nil || !ok {
		return nil, false, err
	}
	plain, err := e.open(key, raw)
	if err != nil {
		if e.replaced(key, raw) {
			return e.get(key)
		}
		return nil, false, err
	}
	return plain, true, nil
}

// replaced reports that a row is no more what was read, as after a deletion that
// destroyed its key.
func (e *Engine) replaced(key, raw []byte) bool {
	now, ok, err := e.store.Get(key)
	return err == nil && (!ok || !bytes.Equal(now, raw))
}

// scan is Scan of the store. What cannot be opened comes as it is stored, with the
// error.
func (e *Engine) scan(prefix, from []byte, yield func(key, value []byte, bad error) bool) error {
	return e.store.Scan(prefix, from, func(k, v []byte) bool {
		plain, err := e.open(k, v)
		if err == nil {
			return yield(k, plain, nil)
		}
		if e.replaced(k, v) {
			return true
		}
		return yield(k, v, err)
	})
}

// whose is the subject of a row that is not sealed yet: whom it is about, or else
// the actor that it belongs to.
func (e *Engine) whose(key string, value []byte) string {
	class, _ := classOf(key)
	switch class {
	case keyState:
		a, row, _ := splitKey(class, key)
		if whose := e.kinds[a.Kind()].Whose; whose != nil {
			return cmp.Or(string(whose(row, value)), a.Key())
		}
		return a.Key()
	case keyAttempts:
		a, _, _ := splitKey(class, key)
		return a.Key()
	case keyHost, keyForget:
		return ""
	}
	var rec struct {
		Actor  messages.Address `json:"actor"`
		From   messages.Address `json:"from"`
		Detail events.Detail    `json:"detail"`
		About  string           `json:"about"`
		Msg    json.RawMessage  `json:"msg"`
	}
	_ = json.Unmarshal(value, &rec) // what fits in one place may still tell
	if c := cmp.Or(string(rec.Detail.Conversation), rec.About); c != "" {
		return c
	}
	if len(rec.Msg) > 0 {
		if c, err := e.codec.Subject(rec.Msg); err == nil && c != "" {
			return string(c)
		}
	}
	switch class {
	case keyInbox, keyTimer, keyCall:
		a, _, _ := splitKey(class, key)
		return a.Key()
	case keyVerdict, keyDead:
		return rec.Actor.Key()
	}
	return rec.From.Key()
}

// about is the subject of a durable message that an actor has or is to get.
func (e *Engine) subject(m messages.Message, of messages.Address) string {
	if e.sealer == nil {
		return ""
	}
	if c := e.codec.About(m); c != "" {
		return string(c)
	}
	return of.Key()
}

// What keyMetaSealed holds, sealed for the node: before rows of actors that are about
// many were sealed for whom each is about, and since.
const (
	sealedForActors = "kehai"
	sealed          = "kehai 2"
)

// sealStored seals what an older version or a runtime without keys has stored. A
// crash in between leaves what the next start goes on with: the row that says that
// all is sealed is written last. It also finds out whether the keys are those of
// the store.
func (e *Engine) sealStored() error {
	raw, ok, err := e.store.Get([]byte(keyMetaSealed))
	switch {
	case err != nil:
		return fmt.Errorf("engine: look whether the store is sealed: %w", err)
	case ok && e.sealer == nil:
		return fmt.Errorf("engine: the store is sealed: open it with its keys: %w", ErrNoKey)
	case ok:
		mark, err := e.sealer.Open([]byte(keyMetaSealed), raw)
		if err != nil {
			return fmt.Errorf("engine: these are not the keys of the store: %w", err)
		}
		if string(mark) == sealedForActors {
			if err := e.sealAnew(); err != nil {
				return fmt.Errorf("engine: seal what is stored for whom it is about: %w", err)
			}
		}
	case e.sealer == nil:
		return nil
	default:
		if err := e.sealRows(); err != nil {
			return fmt.Errorf("engine: seal what is stored: %w", err)
		}
	}
	e.sealedAll = true
	return nil
}

// sealRows seals what is not.
func (e *Engine) sealRows() error {
	done, err := e.sealThose(privatePrefixes, func(_, v []byte) ([]byte, bool) { return v, !marked(v) })
	if err != nil {
		return err
	}
	if done > 0 {
		e.sealing(done)
	}
	return e.markSealed()
}

// sealAnew seals the rows of actors that are about many for whom each is about, which
// an older version has sealed for their actor. One that does not open stays.
func (e *Engine) sealAnew() error {
	var prefixes []string
	for name, k := range e.kinds {
		if k.Whose != nil {
			prefixes = append(prefixes, keyState+name+"/")
		}
	}
	slices.Sort(prefixes)
	done, err := e.sealThose(prefixes, func(k, v []byte) ([]byte, bool) {
		plain, err := e.open(k, v)
		if err != nil || !marked(v) {
			return nil, false
		}
		return plain, !e.sealer.Under(e.whose(string(k), plain), v[len(sealMark):])
	})
	if err != nil {
		return err
	}
	if done > 0 {
		e.sealing(done)
	}
	return e.markSealed()
}

// sealThose seals rows of which pick returns the plain form, step by step.
func (e *Engine) sealThose(prefixes []string, pick func(k, v []byte) ([]byte, bool)) (done int, err error) {
	for _, prefix := range prefixes {
		var from []byte
		for more := true; more; {
			var b [shards]Batch
			n, size := 0, 0
			more = false
			err := e.store.Scan([]byte(prefix), from, func(k, v []byte) bool {
				if n == trimBatch || size >= batchBytes {
					more = true
					return false
				}
				from = append(k[:len(k):len(k)], 0)
				v, ok := pick(k, v)
				if !ok {
					return true
				}
				s := e.shardOfKey(string(k))
				b[s].Changes = append(b[s].Changes, Change{Ops: []Op{{Key: k, Value: v}}})
				n++
				size += len(k) + len(v)
				return true
			})
			if err != nil {
				return done, err
			}
			if n == 0 {
				continue
			}
			e.sealing(done)
			if _, err := e.apply(b, nil, e.sync); err != nil {
				return done, err
			}
			done += n
		}
	}
	return done, nil
}

// markSealed notes that all is sealed.
func (e *Engine) markSealed() error {
	mark, err := e.sealer.Seal(nil, "", []byte(keyMetaSealed), []byte(sealed))
	if err != nil {
		return err
	}
	var b [shards]Batch
	b[Here].Changes = []Change{{Ops: []Op{{Key: []byte(keyMetaSealed), Value: mark}}}}
	_, err = e.apply(b, nil, true)
	return err
}

// privatePrefixes are the classes of rows that are sealed.
var privatePrefixes = []string{
	keyState, keyInbox, keyTimer, keyCall, keyAttempts, keyLog, keyHost,
	Anywhere.key(keyVerdict), Here.key(keyVerdict), Anywhere.key(keyDead), Here.key(keyDead),
	Anywhere.key(keyForget), Here.key(keyForget),
}
