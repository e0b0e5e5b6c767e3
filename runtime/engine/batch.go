package engine

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// Shard is a part of the store that counts and commits for itself.
type Shard uint8

// The shards.
const (
	Anywhere Shard = iota // of actors that may live on any node
	Here                  // of actors that are bound to this node
	shards
)

func (s Shard) String() string {
	if s == Here {
		return "here"
	}
	return "anywhere"
}

// Batch is a commit as a value: what turns and requests do to one shard, in order. It
// depends on nothing but the store it is applied to.
type Batch struct {
	Shard   Shard
	From    string // the shard that its changes cross over from; "": none
	Floor   uint64 // the shard's numbers begin above it
	Changes []Change
}

// Change is what one turn or one request does. It happens only if all its conditions
// hold; see [Status].
type Change struct {
	Actor   messages.Address // whose turn it is; "" for a request
	Epoch   uint64           // the ownership of Actor under which the turn ran
	Receipt []byte           // key that must be there, nil: none
	Once    []byte           // key that must not be there, nil: none
	Needs   []byte           // key that must be there, nil: none
	Crossed uint64           // its place among all changes that cross over from Batch.From
	Ops     []Op             // under their final keys
	Records []Record         // under keys that want a number
	// Rises says that the first of Ops puts a number of eight bytes, which must be more than the one
	// that is there, if one is. It has no form on its way to another node: only what a node keeps for itself
	// can have it.
	Rises bool
}

// Class is a kind of numbered record.
type Class uint8

// The classes.
const (
	ClassMail       Class = iota // into the inbox of Record.To
	ClassEvent                   // into the event log
	ClassVerdict                 // among the verdicts
	ClassDeadLetter              // among the dead letters
	classes
)

// Record is stored under the next number of its shard. One of another shard than
// its batch's crosses over: see [Applied].
type Record struct {
	Class Class
	Shard Shard
	To    messages.Address // of mail
	Value []byte

	about string // whose key seals it; "": see whose
	key   []byte // under which it was stored; set by apply
}

// Status is the result of a change.
type Status uint8

// The states of a change.
const (
	// Committed changes have happened. All others leave no trace.
	Committed Status = iota
	// Stale is a turn whose receipt is gone or whose epoch is over, and every later turn
	// of the same actor in the batch: it ran on a state that is not the store's.
	Stale
	// Duplicate is a change whose Once was used before, that has crossed before, or whose number
	// does not rise.
	Duplicate
	// Refused is a change whose Needs is gone.
	Refused
)

func (s Status) String() string { return [...]string{"committed", "stale", "duplicate", "refused"}[s] }

// Result is the result of one change.
type Result struct {
	Status Status
	First  uint64 // number of its first record that stayed in the shard; the others follow
}

// Applied is a batch as the store it was applied to sees it.
type Applied struct {
	Ops     []Op     // to be written at once
	Results []Result // of each change
	// Out is what crosses over to the other shard: at most one batch, with a change for
	// each change of this batch that has records there, in order. Whoever writes Ops must
	// also apply it: at once if the shard is in the same store, else from an outbox
	// written together with Ops. Applied a second time it is a duplicate; before its
	// predecessor it is stale.
	Out []Batch
}

// View is what a batch is applied to. A [Store] is one.
type View interface {
	Get(key []byte) (value []byte, ok bool, err error)
}

// Viewer is a store that can be read more cheaply while nobody writes to it. Values from the
// view are valid until fn returns.
type Viewer interface {
	View(fn func(View) error) error
}

// Apply carries a batch out: it checks the conditions of each change and numbers what it
// stores. All nodes that apply the same batches to the same shard write the same bytes:
// the result depends only on the rows of the shard and the batch. An error is the view's;
// then nothing has happened.
func Apply(view View, b Batch) (Applied, error) {
	tx := transaction{view: view, written: map[string]int{}, known: newKnown()}
	results, out, err := tx.apply(b)
	return Applied{Ops: tx.ops, Results: results, Out: out}, err
}

// firstEpoch is the epoch of an actor that nobody has claimed.
const firstEpoch = 1

// transaction collects what is written at once.
type transaction struct {
	view    View
	known   *known
	ops     []Op
	written map[string]int // key → its op
	seq     [shards]uint64 // the last number given out, 0 if none was
	claimed bool           // it changes epochs, so the known ones are invalid
}

// known caches what is in a store, for its only writer. It never changes what a batch
// does.
type known struct {
	mail   map[string]struct{} // keys of inbox entries that are there
	epochs map[messages.Address]uint64
}

// maxKnown bounds each part of it.
const maxKnown = 1 << 14

func newKnown() *known {
	return &known{mail: map[string]struct{}{}, epochs: map[messages.Address]uint64{}}
}

// learn records what was written.
func (k *known) learn(ops []Op) {
	for _, op := range ops {
		switch {
		case len(op.Key) < 2 || op.Key[1] != '/':
		case op.Key[0] == keyOwner[0]:
			delete(k.epochs, messages.Address(op.Key[len(keyOwner):]))
		case op.Key[0] != keyInbox[0]:
		case op.Delete:
			delete(k.mail, string(op.Key))
		default:
			if len(k.mail) >= maxKnown {
				clear(k.mail)
			}
			k.mail[unsafeString(op.Key)] = struct{}{}
		}
	}
}

// forget is for a write whose result is unknown.
func (k *known) forget() {
	clear(k.mail)
	clear(k.epochs)
}

func (tx *transaction) get(key []byte) ([]byte, bool, error) {
	if i, ok := tx.written[string(key)]; ok {
		return tx.ops[i].Value, !tx.ops[i].Delete, nil
	}
	return tx.view.Get(key)
}

func (tx *transaction) has(key []byte) (bool, error) {
	if i, ok := tx.written[string(key)]; ok {
		return !tx.ops[i].Delete, nil
	}
	if _, ok := tx.known.mail[string(key)]; ok {
		return true, nil
	}
	_, ok, err := tx.view.Get(key)
	if err != nil {
		return false, fmt.Errorf("engine: look for %q: %w", key[:1], err)
	}
	return ok, nil
}

// write adds an op. Only the last op of each key is kept: turns of an actor that are stored
// together often write the same row.
func (tx *transaction) write(op Op) {
	if i, ok := tx.written[unsafeString(op.Key)]; ok {
		tx.ops[i] = op
		return
	}
	// The key does not change during the transaction.
	tx.written[unsafeString(op.Key)] = len(tx.ops)
	tx.claimed = tx.claimed || strings.HasPrefix(unsafeString(op.Key), keyOwner)
	tx.ops = append(tx.ops, op)
}

// counter reads a number of eight bytes; without a row it is def.
func (tx *transaction) counter(key []byte, def uint64) (uint64, error) {
	raw, ok, err := tx.get(key)
	switch {
	case err != nil:
		return 0, fmt.Errorf("engine: read a counter: %w", err)
	case !ok:
		return def, nil
	case len(raw) != 8:
		return 0, fmt.Errorf("%w: %q has %d bytes, want 8: restore the data directory from a backup",
			ErrRecord, key, len(raw))
	}
	return binary.BigEndian.Uint64(raw), nil
}

// apply is [Apply] on top of what the transaction already holds.
func (tx *transaction) apply(b Batch) (results []Result, out []Batch, err error) {
	a := applying{transaction: tx, shard: b.Shard, from: b.From}
	first, err := tx.counter(a.shard.seqKey(), 0)
	if err != nil {
		return nil, nil, err
	}
	a.seq = max(first, b.Floor)
	if b.From != "" {
		if a.taken, err = tx.counter(a.shard.takenKey(b.From), 0); err != nil {
			return nil, nil, err
		}
	}
	taken := a.taken
	results = make([]Result, len(b.Changes))
	for i := range b.Changes {
		c := &b.Changes[i]
		if results[i].Status, err = a.judge(c); err != nil {
			return nil, nil, err
		}
		if results[i].Status != Committed {
			continue
		}
		results[i].First = a.seq + 1
		if err := a.carryOut(c); err != nil {
			return nil, nil, err
		}
	}
	if a.seq != first {
		tx.seq[b.Shard] = a.seq
		tx.write(Op{Key: a.shard.seqKey(), Value: []byte(seqBytes(a.seq))})
	}
	if a.taken != taken {
		tx.write(Op{Key: a.shard.takenKey(b.From), Value: []byte(seqBytes(a.taken))})
	}
	if a.out.Changes != nil {
		tx.write(Op{Key: a.shard.givenKey(a.out.Shard), Value: []byte(seqBytes(a.given))})
		out = []Batch{a.out}
	}
	return results, out, nil
}

// applying is one batch being applied in a transaction.
type applying struct {
	*transaction
	shard Shard
	from  string
	seq   uint64                        // the last number given out
	taken uint64                        // the last change that crossed over from there
	given uint64                        // the last change that crossed over from here
	out   Batch                         // what crosses over from here
	stale map[messages.Address]struct{} // actors with a stale turn
}

// judge checks the conditions of a change.
func (a *applying) judge(c *Change) (Status, error) {
	if c.Actor != "" {
		if fresh, err := a.fresh(c); !fresh {
			return Stale, err
		}
	}
	if a.from != "" {
		switch {
		case c.Crossed <= a.taken:
			return Duplicate, nil
		case c.Crossed > a.taken+1:
			return Stale, nil
		}
	}
	if c.Once != nil {
		if used, err := a.has(c.Once); used || err != nil {
			return Duplicate, err
		}
	}
	if c.Rises {
		if rises, err := a.rises(c); !rises || err != nil {
			return Duplicate, err
		}
	}
	if c.Needs != nil {
		if there, err := a.has(c.Needs); !there || err != nil {
			return Refused, err
		}
	}
	return Committed, nil
}

// rises reports whether a change raises its number, or is the first. A row that is no number is as 0.
func (a *applying) rises(c *Change) (bool, error) {
	row, ok, err := a.get(c.Ops[0].Key)
	if err != nil {
		return false, fmt.Errorf("engine: read what must rise: %w", err)
	}
	if !ok {
		return true, nil
	}
	now, _ := seqOf(string(row))
	next, _ := seqOf(string(c.Ops[0].Value))
	return next > now, nil
}

// fresh reports whether a turn ran on the state that the store holds.
func (a *applying) fresh(c *Change) (fresh bool, err error) {
	if _, ok := a.stale[c.Actor]; ok {
		return false, nil
	}
	epoch, err := a.epoch(c.Actor)
	if err != nil {
		return false, err
	}
	fresh = c.Epoch == epoch
	if fresh && c.Receipt != nil {
		if fresh, err = a.has(c.Receipt); err != nil {
			return false, err
		}
	}
	if !fresh {
		if a.stale == nil {
			a.stale = map[messages.Address]struct{}{}
		}
		a.stale[c.Actor] = struct{}{}
	}
	return fresh, nil
}

// epoch is the epoch of an actor's owner.
func (a *applying) epoch(actor messages.Address) (epoch uint64, err error) {
	if !a.claimed {
		if epoch, ok := a.known.epochs[actor]; ok {
			return epoch, nil
		}
	}
	epoch, err = a.counter(epochKey(actor), firstEpoch)
	if err == nil && !a.claimed {
		if len(a.known.epochs) >= maxKnown {
			clear(a.known.epochs)
		}
		a.known.epochs[actor] = epoch
	}
	return epoch, err
}

// carryOut numbers and writes a change whose conditions hold.
func (a *applying) carryOut(c *Change) error {
	if a.from != "" {
		a.taken = c.Crossed
	}
	for _, op := range c.Ops {
		a.write(op)
	}
	var over []Record
	for i := range c.Records {
		r := &c.Records[i]
		if r.Shard != a.shard {
			over = append(over, *r)
			continue
		}
		a.seq++
		r.key = a.shard.recordKey(r, a.seq)
		a.write(Op{Key: r.key, Value: r.Value, New: true})
	}
	if over != nil {
		return a.handOver(over)
	}
	return nil
}

// handOver adds a change to those for the other shard.
func (a *applying) handOver(records []Record) (err error) {
	if a.out.Changes == nil {
		a.out.Shard, a.out.From = records[0].Shard, a.shard.String()
		if a.given, err = a.counter(a.shard.givenKey(a.out.Shard), 0); err != nil {
			return err
		}
	}
	a.given++
	a.out.Changes = append(a.out.Changes, Change{Crossed: a.given, Records: records})
	return nil
}
