package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Forgetting says what is to be deleted: everything stored of a conversation. These
// are the rows, mail, timers, calls and injections of each actor with the
// conversation as its key, and the rows of other actors that their [Kind] says are
// about it. Mail, timers, calls, events, verdicts and dead letters go wherever they
// stand, if they come from such an actor or their message has the conversation as
// its subject. An event whose message has another one as its subject stays, whoever published it.
//
// A message of a type that is not in this runtime's tables has no subject that
// could be asked for. It goes if it names the conversation anywhere; the others
// are counted in [Forgotten], as they might be about it under another name.
type Forgetting struct {
	Conversation messages.ConversationID
	// Begins is called, unless it is nil, before anything is deleted, and only if there is something.
	Begins func()
}

// Kept is a row of an actor that a [Forgetting] leaves there, see [Kind].
type Kept struct {
	Actor messages.Address `json:"actor"`
	Row   string           `json:"row"` // "table\x00key"
	Value []byte           `json:"value"`
}

// Forgotten counts what was deleted.
type Forgotten struct {
	Rows        int `json:"rows"` // of actors
	Mail        int `json:"mail"` // messages, timers and calls under way
	Events      int `json:"events"`
	Verdicts    int `json:"verdicts"`
	DeadLetters int `json:"dead_letters"`
	// Drawn is set by whoever draws windows: messages that stood in them.
	Drawn int `json:"drawn,omitempty"`
	// Unknown counts what could not be checked and is left: messages of types that this
	// runtime does not know, which the program that wrote them can forget, and rows that no key opens.
	Unknown int `json:"unknown,omitempty"`
	// Closed is how many of Unknown no key opens, as theirs is damaged or missing.
	Closed int `json:"closed,omitempty"`
	// Partial says that an earlier deletion, which was interrupted, could check more than this
	// program can: its key stays, and the start of a program that knows as much finishes it.
	Partial bool `json:"partial,omitempty"`
	// Purged is set by whoever owns the store's files: the deleted bytes have left
	// them too.
	Purged bool `json:"purged"`
	// Receipt is set by whoever writes one: its file.
	Receipt string `json:"receipt,omitempty"`
	// Unnamed is set by whoever writes receipts: how many keys the receipt does not name, as they could not be
	// read. If it would name none, there is no receipt.
	Unnamed int `json:"unnamed,omitempty"`
	// Logged is set by whoever writes a log with texts: what it says of the conversation is not deleted.
	Logged bool `json:"logged,omitempty"`
}

// None reports whether there was nothing.
func (f Forgotten) None() bool { return f == Forgotten{Unknown: f.Unknown, Closed: f.Closed} }

// Plus adds the counts of another deletion. A number that stays unknown counts once.
func (f Forgotten) Plus(o Forgotten) Forgotten {
	f.Rows, f.Mail, f.Events = f.Rows+o.Rows, f.Mail+o.Mail, f.Events+o.Events
	f.Verdicts, f.DeadLetters = f.Verdicts+o.Verdicts, f.DeadLetters+o.DeadLetters
	f.Unknown, f.Closed = max(f.Unknown, o.Unknown), max(f.Closed, o.Closed)
	f.Partial = f.Partial || o.Partial
	return f
}

// forgetRecord is the intent of a deletion that takes several transactions.
type forgetRecord struct {
	At           time.Time               `json:"at"`
	Conversation messages.ConversationID `json:"conversation"`
	Keep         []Kept                  `json:"keep,omitempty"`
	// Key is the key that the conversation had when Keep was read, see [deletion.keep]; "" in older stores.
	Key string `json:"key,omitempty"`
	// What the program that began could check: the actor kinds that know whom their
	// rows are about, and how many messages had types unknown to it. A program that
	// knows fewer kinds leaves the intent to one that knows as many. Kinds is nil in
	// older stores.
	Kinds   []string `json:"kinds,omitempty"`
	Unknown int      `json:"unknown,omitempty"`
	// Rest says that only rows are left that were sealed for others and could not be read. What is
	// sealed for the conversation has come since then, and stays. Rows are their keys; none if they are too
	// many or too long: then all that others keep of it goes. Sums are digests of the rows as they were, in the
	// same order: a row that has been written since stays. Older stores have none, and take the rows as they are.
	Rest bool     `json:"rest,omitempty"`
	Rows [][]byte `json:"rows,omitempty"`
	Sums [][]byte `json:"sums,omitempty"`
}

// ErrRest marks the error of a deletion that has deleted all it could read, and whose rest waits for the key
// of somebody else; the error wraps [ErrKeyAway], too.
var ErrRest = errors.New("engine: what others keep of it cannot all be read")

// ErrHalfway is the error of a deletion that had begun when the engine was stopped.
var ErrHalfway = errors.New("engine: stopped half way; the next start deletes the rest, and what has come until then")

// Bounds of what the intent of a rest names: with the digests it fits, in both shards, into one transaction with the
// last slice.
const (
	maxRest      = 4000    // rows
	maxRestBytes = 1 << 20 // of their keys
)

// Bounds of one transaction of a deletion: others commit in between.
const (
	forgetSlice = 256     // rows
	forgetBytes = 1 << 20 // examined in one transaction; keys count twice
)

// deletion is a [Forgetting] under way. It collects what to delete while others
// commit; the committer shows it their writes. Then the actors concerned are frozen,
// the key is destroyed, and the rows are deleted, slice by slice. Each slice is
// looked through beside the committer, which has to look again only at what has been
// written since.
type deletion struct {
	e        *Engine
	rec      forgetRecord
	begun    bool // an earlier attempt has left its intent
	partial  bool // and knew more: its intent stays
	bound    bool // another node deletes what the cluster shares: this is the node's own part
	alone    bool // nobody waits for it who would see to the files
	resumes  bool // it goes on with what an earlier attempt has left
	none     bool // there was nothing to delete when it began
	rest     bool // all but what could not be read is deleted, see forgetRecord; rec is its intent
	named    sums // of a rest: the rows that it was begun for; nil: all
	sum      Forgotten
	finished func(error)
	waiting  []func() // deletions to begin later

	mu      sync.Mutex
	away    error           // why a row cannot be read for now that may be about the conversation
	unread  int             // how many of them there are
	size    int             // of their keys, in bytes
	rows    sums            // they, as long as a rest names them, see namesRest
	found   []string        // keys to delete, which may be gone or changed by now
	kept    []string        // those of them of which something may stay
	written map[string]bool // keys that others have written since a slice was looked through
	freezes bool            // the actors concerned are frozen
}

// Forget deletes everything stored of a conversation, and restarts the actors
// concerned. Rows that arrive meanwhile are deleted too. A crash in between leaves an
// intent behind, and Recover finishes the deletion; after an error Forget can be
// called again. [ErrStopped] says that nothing has begun, [ErrHalfway] that it goes on at the next start. A
// deletion that waits for a key goes on by itself, also after the next start: for the key of the conversation, or
// with [ErrRest] for the key of somebody else; until its own key can be destroyed, its actors go on, and what is
// kept is what their rows are by then. Where the key of such a row is out of reach, nothing has begun. A deletion
// that outlives ctx continues.
func (e *Engine) Forget(ctx context.Context, f Forgetting) (Forgotten, error) {
	if f.Conversation == "" {
		return Forgotten{}, errors.New("engine: forget: want a conversation")
	}
	done := make(chan error, 1)
	d := &deletion{e: e, rec: forgetRecord{At: wall(e.clock.Now()), Conversation: f.Conversation}}
	d.finished = func(err error) { done <- err }
	d.begin(f)
	select {
	case err := <-done:
		if errors.Is(err, ErrStopped) && d.e.Forgets(f.Conversation) {
			err = ErrHalfway
		}
		if err != nil {
			return d.sum, fmt.Errorf("engine: forget: %w", err)
		}
		return d.sum, nil
	case <-ctx.Done():
		return Forgotten{}, fmt.Errorf("engine: forget: %w (it goes on)", ctx.Err())
	}
}

// begin makes the committer show what it writes, then collects beside it and deletes.
func (d *deletion) begin(f Forgetting) {
	var before *deletion
	d.e.enqueue(&exclusive{
		prepare: func() (none [shards]Batch, err error) {
			if before = d.e.deletion.Load(); before == nil {
				d.e.deletion.Store(d)
			}
			return none, nil
		},
		finished: func(err error) {
			switch {
			case err != nil:
				d.finished(err)
				return
			case before != nil: // one at a time
				before.waiting = append(before.waiting, func() { d.begin(f) })
				return
			}
			d.e.background(func() {
				err := d.catchUp()
				if err == nil {
					err = d.collect()
				}
				var first slice
				if err == nil {
					first, err = d.look()
				}
				if err != nil || d.rest && d.waits() != nil && len(first) == 0 {
					d.finish(err) // a rest disturbs nobody for nothing
					return
				}
				d.step(d.start(f, first), func() error {
					d.e.note(f.Conversation)
					if err := d.purges(); err != nil {
						return err
					}
					return d.destroyKey()
				})
			})
		},
	})
}

// catchUp makes a rest the one that stands now: while it waited for its turn another deletion may have left more.
func (d *deletion) catchUp() error {
	if !d.rest {
		return nil
	}
	begun, err := d.e.begun(d.rec.Conversation, d.shards())
	if err == nil && begun != nil && begun.Rest {
		d.follows(*begun)
	}
	return err
}

// step hands a task to the committer, then does what takes long beside it, and goes on
// until nothing is left.
func (d *deletion) step(task func() ([shards]Batch, slice, bool, error), then func() error) {
	var now slice
	var left bool
	d.e.enqueue(&exclusive{
		prepare: func() (b [shards]Batch, err error) { b, now, left, err = task(); return b, err },
		done:    func() { d.deleted(now) },
		finished: func(err error) {
			if err != nil || !left {
				d.finish(err)
				return
			}
			d.e.background(func() {
				err := then()
				switch {
				case errors.Is(err, ErrKeyAway):
					err = errLater(err)
				case err != nil:
					err = fmt.Errorf("%w; forget it again once that is mended, or the next start deletes what has "+
						"come until then, too", err)
				}
				var next slice
				if err == nil {
					next, err = d.look()
				}
				if err != nil {
					d.finish(err)
					return
				}
				d.step(func() ([shards]Batch, slice, bool, error) { return d.next(next) }, nothing)
			})
		},
	})
}

func nothing() error { return nil }

// errLater says of a deletion that has begun that it waits for a key.
func errLater(err error) error {
	return fmt.Errorf("%w; it is deleted by itself once the key can be used, with what has come until then", err)
}

// look takes the next keys, at most a slice, and returns the existing ones that are to be
// deleted. From then on, writes of others are noted.
func (d *deletion) look() (slice, error) {
	for {
		d.mu.Lock()
		d.written = map[string]bool{}
		keys := d.found
		d.mu.Unlock()
		now, n, err := d.present(keys)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		d.found = d.found[n:]
		left := len(d.found)
		d.mu.Unlock()
		if len(now) > 0 || left == 0 {
			return now, nil
		}
	}
}

// finish lets the actors concerned continue. The committer does that too, because
// otherwise turns that are committed but not released yet would be taken back.
func (d *deletion) finish(result error) {
	d.e.enqueue(&exclusive{
		prepare: func() (none [shards]Batch, err error) { return none, nil },
		finished: func(error) {
			d.sum.Partial = d.partial
			if d.e.intents.stands(d.rec.Conversation) {
				d.e.note(d.rec.Conversation) // of its rest, before anybody reads
			}
			d.end()
			if result == nil && d.waits() != nil {
				result = d.errRest()
			}
			d.settle(result)
			d.finished(result)
			for _, begin := range d.waiting {
				begin()
			}
		},
	})
}

// collect scans the store for what has to be deleted.
func (d *deletion) collect() error {
	for _, prefix := range forgetPrefixes {
		err := d.e.store.Scan([]byte(prefix), nil, func(k, v []byte) bool {
			if d.reaches(string(k)) && d.matches(string(k), v, true) {
				d.mu.Lock()
				d.add(string(k))
				d.mu.Unlock()
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// watch checks what others have written since the deletion began.
func (d *deletion) watch(ops []Op) {
	for _, op := range ops {
		matches := !op.Delete && d.reaches(string(op.Key)) && d.matches(string(op.Key), op.Value, false)
		d.mu.Lock()
		if d.written != nil {
			d.written[string(op.Key)] = true
		}
		if matches {
			d.add(string(op.Key))
		}
		d.mu.Unlock()
	}
}

// add notes a key to delete; the caller holds the lock.
func (d *deletion) add(key string) {
	d.found = append(d.found, key)
	if !d.bound && d.e.keeper(key) != nil {
		d.kept = append(d.kept, key)
	}
}

// reaches reports whether a row is this deletion's affair.
func (d *deletion) reaches(key string) bool { return !d.bound || d.e.shardOfKey(key) == Here }

// shards are the shards from which the deletion deletes.
func (d *deletion) shards() []Shard {
	if d.bound {
		return []Shard{Here}
	}
	return order[:]
}

// left reports whether something was found that no slice has had.
func (d *deletion) left() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.found) > 0
}

// start returns the committer's first task: if there is something to delete, it freezes
// the actors concerned, asks what to keep, and writes the intent.
func (d *deletion) start(f Forgetting, first slice) func() ([shards]Batch, slice, bool, error) {
	return func() (b [shards]Batch, now slice, left bool, err error) {
		begun, err := d.e.begun(f.Conversation, d.shards())
		if err != nil {
			return b, nil, false, err
		}
		if d.overtaken(begun) {
			return b, nil, false, errOther
		}
		due := false
		if d.begun = begun != nil; d.bound && !d.rest {
			begun = nil // what is kept here is not what is kept there
			if _, due, err = d.e.store.Get(ownPartKey(f.Conversation)); err != nil {
				return b, nil, false, err
			}
		}
		d.attest(begun)
		others := d.e.replica != nil && !d.bound // who may know something
		none := len(first) == 0 && !d.left() && !d.begun && !others && d.waits() == nil
		if none && !due && d.e.sync { // else a power cut may bring something back, which the intent deletes again
			if err := d.destroyKey(); err == nil {
				return b, nil, false, nil
			} // else the intent remembers the key
		}
		d.mu.Lock()
		d.found = append(first, d.found...)
		d.mu.Unlock()
		d.freeze()
		if d.none = none; d.rest { // its intent is there
			err := d.keepNow()
			return b, nil, err == nil, err
		}
		if err := d.keep(begun); err != nil {
			return b, nil, false, err
		}
		if f.Begins != nil && !none {
			f.Begins()
		}
		return d.intends(), nil, true, nil
	}
}

// purges says that what is deleted has to leave the files, where nobody waits for the deletion who would say so.
func (d *deletion) purges() error {
	if !d.alone || d.none {
		return nil
	}
	return d.e.purges()
}

// purges says that what is deleted from now on has to leave the files.
func (e *Engine) purges() error {
	if e.deletes == nil {
		return nil
	}
	return e.deletes()
}

// overtaken reports whether the intent is no longer the one with which a deletion goes on.
func (d *deletion) overtaken(begun *forgetRecord) bool {
	return (begun == nil || begun.Rest != d.rest) && (d.resumes || d.rest)
}

// attest says what this program can check, or the one that began if that could check more.
func (d *deletion) attest(begun *forgetRecord) {
	if begun != nil { // something stopped it half way, or its rest waits
		d.partial = !d.knows(*begun)
	}
	if d.partial || d.rest {
		d.rec.Kinds, d.rec.Unknown = begun.Kinds, begun.Unknown
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rec.Kinds, d.rec.Unknown = d.e.asked(), d.sum.Unknown+d.unread // whose keys may be lost later
}

// intends writes the intent.
func (d *deletion) intends() (b [shards]Batch) {
	for _, s := range d.shards() {
		b[s].Changes = []Change{{Ops: []Op{{Key: d.intent(s), Value: encodeRecord(d.rec)}}}}
	}
	return b
}

// destroyKey ends what is sealed for the conversation, wherever a copy of it may be.
// It comes before the rows are deleted: rows that are left cannot be read from then
// on, and count as deleted, see [Engine.forgotten]. Rows that the committer seals
// meanwhile are deleted with the rest. If another node has to finish, the key stays,
// because that node needs it; a rest has nothing to do with it.
func (d *deletion) destroyKey() error {
	if d.e.sealer == nil || d.partial || d.bound || d.rest {
		return nil
	}
	if err := d.tellEnd(); err != nil {
		return err
	}
	return d.e.sealer.Destroy(string(d.rec.Conversation))
}

// tellEnd tells whoever wants to know that the key is about to end. One that cannot be read has no name.
func (d *deletion) tellEnd() error {
	if d.e.ends == nil {
		return nil
	}
	key, ok, err := d.e.KeyOf(d.rec.Conversation)
	if ok {
		err = d.e.ends(key)
	}
	if errors.Is(err, ErrNoKey) {
		return nil
	}
	return err
}

func (d *deletion) intent(s Shard) []byte {
	return []byte(s.key(keyForget + string(d.rec.Conversation)))
}

// slice is what one transaction of a deletion deletes.
type slice []string

// next is the committer's task until nothing is left: it deletes a slice, after a
// second look at rows of it that were written meanwhile. With the last slice it
// writes what is kept and removes the intent, unless a rest is left.
func (d *deletion) next(looked slice) (b [shards]Batch, now slice, left bool, err error) {
	d.mu.Lock()
	var again []string
	for _, k := range looked {
		if d.written[k] {
			again = append(again, k)
		} else {
			now = append(now, k)
		}
	}
	d.mu.Unlock()
	if len(again) > 0 {
		there, _, err := d.present(again)
		if err != nil {
			return b, nil, false, err
		}
		now = append(now, there...)
	}
	left = d.left()
	var ops [shards][]Op
	for _, k := range now {
		if d.stays(k) { // until the last slice, as a rest of it would be taken for what to keep
			continue
		}
		s := d.e.shardOfKey(k)
		if a, mail := mailOf(k); mail {
			// Its attempts quote errors, and nothing else refers to them.
			ops[s] = append(ops[s], Op{Key: []byte(ofActor(keyAttempts, a, k)), Delete: true})
		}
		ops[s] = append(ops[s], Op{Key: []byte(k), Delete: true})
	}
	if !left {
		for _, k := range d.rec.Keep {
			s := d.e.shardOf(k.Actor)
			ops[s] = append(ops[s], Op{Key: []byte(stateKey(k.Actor, k.Row)), Value: k.Value})
		}
		for _, s := range d.shards() {
			ops[s] = append(ops[s], d.over(s)...)
		}
		if !d.rest && !d.partial && d.e.replica != nil {
			ops[Here] = append(ops[Here], Op{Key: ownPartKey(d.rec.Conversation), Delete: true})
		}
	}
	for _, s := range order {
		if ops[s] != nil {
			b[s].Changes = []Change{{Ops: ops[s]}}
		}
	}
	return b, now, left, nil
}

// over is what becomes of the intent with the last slice.
func (d *deletion) over(s Shard) []Op {
	switch {
	case d.partial: // it stays as it is
		return nil
	case d.waits() != nil:
		rest := forgetRecord{At: d.rec.At, Conversation: d.rec.Conversation, Kinds: d.rec.Kinds,
			Unknown: d.rec.Unknown, Rest: true}
		if d.namesRest() {
			rest.Rows, rest.Sums = d.rows.list()
		}
		return []Op{{Key: d.intent(s), Value: encodeRecord(rest)}}
	}
	return []Op{{Key: d.intent(s), Delete: true}}
}

// deleted counts a slice, and restarts the actors whose mail it contained.
func (d *deletion) deleted(now slice) {
	touched := map[messages.Address]bool{}
	for _, k := range now {
		if count := d.sum.of(k); count != nil {
			*count++
		}
		if a, mail := mailOf(k); mail {
			touched[a] = true
			d.e.timers.cancel(k)
			d.e.asks.cancel(k)
		}
	}
	d.e.beginAnew(func(act *Activation) bool { return touched[act.addr] && !d.concerns(act.addr) })
}

// present checks the first n keys, at most one slice. It returns the keys that still exist
// and still have to be deleted, each once.
func (d *deletion) present(keys []string) (left slice, n int, err error) {
	seen := map[string]bool{}
	for size := 0; n < len(keys) && n < forgetSlice && size < forgetBytes; n++ {
		k := keys[n]
		v, ok, err := d.e.store.Get([]byte(k))
		if err != nil {
			return nil, 0, err
		}
		size += 2*len(k) + len(v)
		if ok && !seen[k] && d.matches(k, v, false) {
			seen[k] = true
			left = append(left, k)
		}
	}
	return left, n, nil
}

// forgetPrefixes are the classes of rows that may contain something of a conversation.
var forgetPrefixes = []string{
	keyState, keyInbox, keyTimer, keyCall, keyAttempts, keyInjected, keyLog,
	Anywhere.key(keyVerdict), Here.key(keyVerdict), Anywhere.key(keyDead), Here.key(keyDead),
}

// of is where a deleted row is counted, nil if it is not.
func (f *Forgotten) of(key string) *int {
	switch class, _ := classOf(key); class {
	case keyState:
		return &f.Rows
	case keyInbox, keyTimer, keyCall:
		return &f.Mail
	case keyLog:
		return &f.Events
	case keyVerdict:
		return &f.Verdicts
	case keyDead:
		return &f.DeadLetters
	}
	return nil
}

// mailOf returns whose a message, timer or call is.
func mailOf(key string) (messages.Address, bool) {
	switch class, _ := classOf(key); class {
	case keyInbox, keyTimer, keyCall:
		a, _, ok := splitKey(class, key)
		return a, ok
	}
	return "", false
}

// concerns reports whether an actor is frozen during the deletion.
func (d *deletion) concerns(a messages.Address) bool {
	return d.e.concerned(a, d.rec.Conversation)
}

// freeze takes back what the actors concerned have under way, and prevents them, and
// those made from now on, from stepping.
func (d *deletion) freeze() {
	d.mu.Lock()
	d.freezes = true
	d.mu.Unlock()
	for _, act := range d.e.those(func(act *Activation) bool { return d.concerns(act.addr) }) {
		act.mu.Lock()
		act.becomeFrozen()
		act.mu.Unlock()
	}
}

// stills reports whether an actor that is made now has to be frozen.
func (d *deletion) stills(a messages.Address) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.freezes && d.concerns(a)
}

// end restarts the actors concerned.
func (d *deletion) end() {
	d.e.deletion.Store(nil)
	if !d.freezes {
		return
	}
	d.e.beginAnew(func(act *Activation) bool { return d.concerns(act.addr) })
	for _, t := range d.e.Timers() {
		if keyed(t.Actor, d.rec.Conversation) {
			row := ofActor(keyTimer, t.Actor, t.Key)
			if _, there, err := d.e.store.Get([]byte(row)); !there && err == nil { // else it was not deleted, or is new
				d.e.timers.cancel(row)
			}
			d.e.timers.cancel(fleetingTimer(t.Actor, t.Key))
		}
	}
}

// beginAnew restarts actors from the store.
func (e *Engine) beginAnew(which func(*Activation) bool) {
	for _, act := range e.those(which) {
		act.mu.Lock()
		act.becomeThawed()
		act.mu.Unlock()
		e.driver.Wake(act)
	}
}
