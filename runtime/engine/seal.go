package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unsafe"

	"github.com/kehai-run/kehai/messages"
)

// Sealer keeps what is stored from being read without its keys. There is a key for
// each subject, which is the id of a conversation, the key of an actor that is about
// none, such as a window, or "" for the node. Package keyring has one. Its methods
// may be called concurrently.
type Sealer interface {
	// Ready makes sure that rows about a subject can be sealed. A subject without a key
	// gets one. The error wraps [ErrKeyAway] if a later call may succeed.
	Ready(subject string) error
	// Seal appends the sealed form of a row to a slice; it is at most Overhead longer.
	// A subject without a key gets one, which a power cut must not take back.
	Seal(to []byte, subject string, place, plain []byte) ([]byte, error)
	Overhead() int
	// Open undoes Seal for the same place. The error wraps [ErrNoKey], [ErrRecord] or [ErrKeyAway].
	Open(place, sealed []byte) ([]byte, error)
	// Under reports whether a row was sealed for a subject.
	Under(subject string, sealed []byte) bool
	// Destroy destroys the key of a subject for good, if it has one.
	Destroy(subject string) error
}

// Key names a key without telling it.
type Key struct {
	// ID stands in each row that is sealed with it, and is the same for each key that a
	// subject ever has.
	ID string `json:"id"`
	// Fingerprint tells this key from all others.
	Fingerprint string `json:"fingerprint"`
}

// namesKeys is a [Sealer] that can say which key a subject has now.
type namesKeys interface {
	// KeyOf reports false if it has none.
	KeyOf(subject string) (key Key, ok bool, err error)
}

// KeyOf names the key of a conversation; ok is false if it has none, or if the keys have
// no names.
func (e *Engine) KeyOf(c messages.ConversationID) (key Key, ok bool, err error) {
	if s, names := e.sealer.(namesKeys); names && c != "" {
		return s.KeyOf(string(c))
	}
	return Key{}, false, nil
}

// derivesKeys is a [Sealer] that makes keys for other uses of those of its subjects.
type derivesKeys interface {
	// Derive reports false if a subject has no key.
	Derive(subject, use string) (secret []byte, ok bool, err error)
}

// DeriveKey returns a key of 32 bytes for another use than sealing, the same on each machine that has
// the conversation's key, and gone with it; ok is false if there is none.
func (e *Engine) DeriveKey(c messages.ConversationID, use string) (secret []byte, ok bool, err error) {
	if s, derives := e.sealer.(derivesKeys); derives && c != "" {
		return s.Derive(string(c), use)
	}
	return nil, false, nil
}

// SealedForm is the sealed form of a stored row, nil if it is not sealed. ok is false if
// its key tells that it need not be.
func SealedForm(key, value []byte) (sealed []byte, ok bool) {
	if !private(key) {
		return nil, false
	}
	if !marked(value) {
		return nil, true
	}
	return value[len(sealMark):], true
}

// KeysFit reports whether a stored row is the one that tells the keys of a store, and
// fails if these are others.
func KeysFit(s Sealer, key, value []byte) (tells bool, err error) {
	if string(key) != keyMetaSealed {
		return false, nil
	}
	if _, err := s.Open(key, value); err != nil {
		return true, fmt.Errorf("engine: these are not the keys of the store: %w", err)
	}
	return true, nil
}

// Backup writes all that is stored as it is, sealed, on one consistent view.
func (e *Engine) Backup(w io.Writer) error { return e.store.Snapshot(w) }

// ErrNoKey marks what is sealed under a missing key.
var ErrNoKey = errors.New("engine: the key of a sealed row is missing")

// ErrKeyAway marks an error of a [Sealer] that says nothing about the key: it cannot be kept, as
// the disk is full or read-only, or read, as the process has too many files open or not the right. People
// are told the text of the error that wraps it directly: it names no person. Work that needs
// the key waits.
var ErrKeyAway = errors.New("engine: a key is out of reach for now")

// KeyAway returns what a [Sealer] says of a key that is out of reach, without what was said around it, which
// may be private; "" if no key is.
func KeyAway(err error) string {
	var inner []error
	switch w := err.(type) {
	case interface{ Unwrap() error }:
		inner = []error{w.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = w.Unwrap()
	}
	for _, i := range inner {
		if text := KeyAway(i); text != "" {
			return text
		}
	}
	if err != nil && slices.Contains(inner, ErrKeyAway) {
		return err.Error()
	}
	return ""
}

// sealMark begins each sealed row. No other row begins so: they are JSON.
const sealMark = "\x00ks\x01"

func marked(row []byte) bool { return strings.HasPrefix(unsafeString(row), sealMark) }

// unsafeString shares memory with bytes that nobody changes, bytesOf with a text. Keys
// and rows never change once they are made.
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

// sealAll seals what is private in batches about to be applied.
func (e *Engine) sealAll(batches *[shards]Batch) error {
	if e.sealer == nil {
		return nil
	}
	for s := range batches {
		for i := range batches[s].Changes {
			if err := e.sealChange(&batches[s].Changes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealChange seals what is private in a change.
func (e *Engine) sealChange(c *Change) error {
	if e.sealer == nil {
		return nil
	}
	for i := range c.Ops {
		if err := e.sealOp(&c.Ops[i]); err != nil {
			return err
		}
	}
	for i := range c.Records {
		if err := e.sealRecord(&c.Records[i]); err != nil {
			return err
		}
	}
	return nil
}

// ofNode marks rows that are sealed for the node.
const ofNode = "\x00"

// ready finds out whom each row of a change is about, and makes sure that the rows can be
// sealed. So a failure hits only the one whose change it is, and not all who commit at
// the same time; and none of them waits until a key is on the disk.
func (e *Engine) ready(c *Change) error {
	if e.sealer == nil {
		return nil
	}
	last := ofNode
	check := func(about string) error {
		if about == last {
			return nil
		}
		if last = about; about == ofNode {
			return nil
		}
		if err := e.sealer.Ready(about); err != nil {
			return fmt.Errorf("engine: seal a row: %w", err)
		}
		return nil
	}
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Delete || !private(op.Key) || marked(op.Value) {
			continue
		}
		if op.about == "" {
			op.about = cmp.Or(e.rowSubject(unsafeString(op.Key), op.Value), ofNode)
		}
		if err := check(op.about); err != nil {
			return err
		}
	}
	for i := range c.Records {
		r := &c.Records[i]
		if r.about == "" {
			key := r.Shard.appendPlace(nil, r)
			r.about = cmp.Or(e.rowSubject(unsafeString(key), r.Value), ofNode)
		}
		if err := check(r.about); err != nil {
			return err
		}
	}
	return nil
}

// canSeal reports whether rows about a subject can be sealed.
func (e *Engine) canSeal(about string) bool {
	return e.sealer == nil || about == ofNode || e.sealer.Ready(about) == nil
}

func (e *Engine) sealOp(op *Op) (err error) {
	if op.Delete || !private(op.Key) || marked(op.Value) {
		return nil
	}
	about := op.about
	if about == "" {
		about = e.rowSubject(string(op.Key), op.Value)
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
		about = e.rowSubject(string(k.place), r.Value)
	}
	r.Value, err = e.sealRow(about, k.place, r.Value)
	return err
}

func (e *Engine) sealRow(about string, place, plain []byte) ([]byte, error) {
	if about == ofNode {
		about = ""
	}
	sealed, err := e.sealer.Seal(append(e.committer.room(len(sealMark)+e.sealer.Overhead()+len(plain)), sealMark...),
		about, place, plain)
	if err != nil {
		return nil, fmt.Errorf("engine: seal a row: %w", err)
	}
	return sealed, nil
}

// roomBytes is for the sealed rows of a batch or two. They stay in memory together.
const roomBytes = 16 << 10

// room returns an empty slice with this capacity, cut from a large one; the committer hands
// out each part once. Most rows are smaller than the cost of their own allocation.
func (k *committer) room(size int) []byte {
	if size > roomBytes/4 {
		return make([]byte, 0, size)
	}
	if cap(k.sealed)-len(k.sealed) < size {
		k.sealed = make([]byte, 0, roomBytes)
	}
	at := len(k.sealed)
	k.sealed = k.sealed[:at+size]
	return k.sealed[at : at : at+size]
}

// OpenRow opens a stored row; an unsealed row is returned unchanged. It is for programs
// that read a store directly.
func OpenRow(s Sealer, key, value []byte) ([]byte, error) {
	switch {
	case !private(key) || !marked(value):
		return value, nil
	case s == nil:
		return nil, fmt.Errorf("engine: the store is sealed: open it with its keys: %w", ErrNoKey)
	}
	return s.Open(place(key), value[len(sealMark):])
}

// open opens a stored row. Once everything is sealed, an unsealed row is not ours.
func (e *Engine) open(key, value []byte) ([]byte, error) {
	if e.sealedAll && private(key) && !marked(value) {
		return nil, fmt.Errorf("%w: a row is not sealed as all are: restore the data directory from a backup",
			ErrRecord)
	}
	return OpenRow(e.sealer, key, value)
}

// get reads a row. One that is being forgotten is not there.
func (e *Engine) get(key []byte) ([]byte, bool, error) {
	raw, ok, err := e.store.Get(key)
	if err != nil || !ok || e.hidden(key, raw) {
		return nil, false, err
	}
	plain, err := e.open(key, raw)
	if err != nil {
		if e.forgotten(raw, err) {
			return nil, false, nil
		}
		if e.replaced(key, raw) {
			return e.get(key)
		}
		return nil, false, err
	}
	return plain, true, nil
}

// unopened reports whether an error says of a row that it cannot be read, now or later: its key is lost, or
// it is damaged.
func unopened(err error) bool { return errors.Is(err, ErrNoKey) || errors.Is(err, ErrRecord) }

// replaced reports whether a row is no more what was read, as after a deletion that
// destroyed its key.
func (e *Engine) replaced(key, raw []byte) bool {
	now, ok, err := e.store.Get(key)
	return err == nil && (!ok || !bytes.Equal(now, raw))
}

// scan is Scan of the store. A row that cannot be opened is passed on as it is stored,
// with the error, unless it is being forgotten. With [ErrKeyAway] it may open later.
func (e *Engine) scan(prefix, from []byte, yield func(key, value []byte, bad error) bool) error {
	return e.store.Scan(prefix, from, func(k, v []byte) bool {
		if e.hidden(k, v) {
			return true
		}
		plain, err := e.open(k, v)
		if err == nil {
			return yield(k, plain, nil)
		}
		if e.forgotten(v, err) || e.replaced(k, v) {
			return true
		}
		return yield(k, v, err)
	})
}

// The value of keyMetaSealed, sealed for the node: a name, and since the third
// version, as JSON, which rows are sealed for their subjects. Before that the whole
// store counted as sealed, even if the program that sealed it did not know all kinds
// and types.
const sealed = "kehai 3 "

// sealedRecord says what of a store is sealed for whom it is about. Whoever knows less
// than those before, such as a command of a program without the host's actors, cannot
// say it of what it does not know.
type sealedRecord struct {
	Kinds []string   `json:"kinds"`           // of actors that are about many, whose rows are
	Types []typeName `json:"types,omitempty"` // of messages that nobody knew yet, so that they are not
}

// typeName is the type of a message as it is stored.
type typeName struct {
	Name    string `json:"type"`
	Version int    `json:"v"`
}

func (n typeName) compare(o typeName) int {
	return cmp.Or(strings.Compare(n.Name, o.Name), cmp.Compare(n.Version, o.Version))
}

func sealedOf(mark []byte) (rec sealedRecord) {
	if raw, ok := bytes.CutPrefix(mark, []byte(sealed)); ok && json.Unmarshal(raw, &rec) != nil {
		return sealedRecord{} // nothing is certain
	}
	return rec
}

// sealStored seals what an older version or a runtime without keys has stored. After a
// crash in between, the next start continues: the row that says that all is sealed is
// written last. It also finds out whether the keys belong to the store.
func (e *Engine) sealStored() error {
	raw, ok, err := e.store.Get([]byte(keyMetaSealed))
	switch {
	case err != nil:
		return fmt.Errorf("engine: look whether the store is sealed: %w", err)
	case ok && e.sealer == nil:
		return fmt.Errorf("engine: the store is sealed: open it with its keys: %w", ErrNoKey)
	case ok:
		mark, err := e.sealer.Open([]byte(keyMetaSealed), raw)
		if errors.Is(err, ErrKeyAway) {
			return fmt.Errorf("engine: read what is sealed: %w", err)
		}
		if err != nil {
			return fmt.Errorf("engine: these are not the keys of the store: %w", err)
		}
		if err := e.sealAnew(sealedOf(mark)); err != nil {
			return fmt.Errorf("engine: seal what is stored for whom it is about: %w", err)
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
	var rec sealedRecord
	done, err := e.sealThose(privatePrefixes, func(k, v []byte) ([]byte, bool) {
		if name, ok := typeOf(k, v); ok && !slices.Contains(rec.Types, name) && !e.knowsType(name) {
			rec.Types = append(rec.Types, name)
		}
		return v, !marked(v)
	})
	if err != nil {
		return err
	}
	if done > 0 {
		e.sealing(done)
	}
	rec.Kinds = e.manySided()
	return e.markSealed(rec)
}

// manySided are the kinds of actors that say whom their rows are about.
func (e *Engine) manySided() (list []string) {
	for name, k := range e.kinds {
		if k.SubjectOf != nil {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// typeOf is the type of the message in a row that is not sealed; ok is false if it has
// none.
func typeOf(key, value []byte) (name typeName, ok bool) {
	if class, _ := classOf(string(key)); class == keyState || class == keyAttempts {
		return typeName{}, false
	}
	var rec struct {
		Msg typeName `json:"msg"`
	}
	_ = json.Unmarshal(value, &rec) // then there is no message
	return rec.Msg, rec.Msg.Name != ""
}

func (e *Engine) knowsType(name typeName) bool {
	_, err := e.codec.Subject(encodeRecord(name))
	return !errors.Is(err, messages.ErrUnknownType)
}

// sealAnew seals, for those whom they are about, rows of actors that are about many and
// messages of types that earlier programs did not know; these were sealed for their
// actor. One that does not open, or whose own key cannot be used, waits for another
// start.
func (e *Engine) sealAnew(rec sealedRecord) error {
	left := rec
	left.Kinds = slices.Clone(rec.Kinds)
	total := 0
	for _, kind := range e.manySided() {
		if slices.Contains(rec.Kinds, kind) {
			continue
		}
		done, stays, err := e.sealRight([]string{keyState + kind + "/"}, func([]byte, []byte) bool { return true })
		if total += done; err != nil {
			return err
		}
		if !stays {
			left.Kinds = append(left.Kinds, kind)
		}
	}
	if slices.ContainsFunc(rec.Types, e.knowsType) {
		done, stays, err := e.sealRight(privatePrefixes, func(k, v []byte) bool {
			name, ok := typeOf(k, v)
			return ok && slices.Contains(rec.Types, name) && e.knowsType(name)
		})
		if total += done; err != nil {
			return err
		}
		if !stays {
			left.Types = slices.DeleteFunc(slices.Clone(rec.Types), e.knowsType)
		}
	}
	if total > 0 {
		e.sealing(total)
	}
	if slices.Equal(left.Kinds, rec.Kinds) && slices.Equal(left.Types, rec.Types) {
		return nil
	}
	return e.markSealed(left)
}

// sealRight seals rows for their own subjects, if they were sealed for others. stays reports
// that one could not be.
func (e *Engine) sealRight(prefixes []string, which func(k, plain []byte) bool) (done int, stays bool, err error) {
	done, err = e.sealThose(prefixes, func(k, v []byte) ([]byte, bool) {
		if !marked(v) {
			return nil, false
		}
		plain, err := e.open(k, v)
		if err != nil || e.hidden(k, v) { // what a rest is to delete stays as the rest knows it
			stays = true
			return nil, false
		}
		about := e.rowSubject(string(k), plain)
		if !which(k, plain) || e.sealer.Under(about, v[len(sealMark):]) {
			return nil, false
		}
		if !e.canSeal(cmp.Or(about, ofNode)) {
			stays = true
			return nil, false
		}
		return plain, true
	})
	return done, stays, err
}

// sealThose seals rows whose plain form pick returns, step by step.
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

// markSealed records that all is sealed, and what of it for those whom it is about.
func (e *Engine) markSealed(rec sealedRecord) error {
	slices.Sort(rec.Kinds)
	slices.SortFunc(rec.Types, typeName.compare)
	mark, err := e.sealer.Seal(nil, "", []byte(keyMetaSealed), append([]byte(sealed), encodeRecord(rec)...))
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
