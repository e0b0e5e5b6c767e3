package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// forgotten reports whether a row that does not open belongs to a conversation whose
// deletion has destroyed its key and will delete the row: for whoever reads, it is not
// there any more.
func (e *Engine) forgotten(row []byte, why error) bool {
	if e.sealer == nil || !marked(row) || !errors.Is(why, ErrNoKey) {
		return false
	}
	e.intents.mu.RLock()
	defer e.intents.mu.RUnlock()
	for c, in := range e.intents.of { // of a rest, no row of its own is left: what does not open has come since
		if !in.rest && e.sealer.Under(string(c), row[len(sealMark):]) {
			return true
		}
	}
	return false
}

// begun returns the intent of an earlier attempt in some shards, nil if there is none. That of another node may
// name another rest than that of this one: then it is both.
func (e *Engine) begun(c messages.ConversationID, in []Shard) (begun *forgetRecord, err error) {
	for _, s := range in {
		raw, ok, err := e.get([]byte(s.key(keyForget + string(c))))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		rec, err := decodeRecord[forgetRecord](raw)
		switch {
		case err != nil:
			return nil, err
		case begun == nil, begun.Rest && !rec.Rest:
			begun = &rec
		case begun.Rest && begun.Rows != nil && rec.Rows != nil:
			both := begun.sums()
			maps.Copy(both, rec.sums())
			begun.Rows, begun.Sums = both.list()
		case begun.Rest:
			begun.Rows, begun.Sums = nil, nil
		}
	}
	return begun, nil
}

// intended reports whether an intent is there.
func (e *Engine) intended(c messages.ConversationID, s Shard) bool {
	_, there, err := e.store.Get([]byte(s.key(keyForget + string(c))))
	return there || err != nil
}

// asked lists the kinds of actors that say whom their rows are about.
func (e *Engine) asked() []string {
	var list []string
	for name, k := range e.kinds {
		if k.asks() {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// knows reports whether this program can check everything that the program could which
// left an intent; the deletion has been collected. Of a rest, what has come since does not count.
func (d *deletion) knows(begun forgetRecord) bool {
	if begun.Kinds == nil {
		return true
	}
	asked := d.e.asked()
	for _, kind := range begun.Kinds {
		if !slices.Contains(asked, kind) {
			return false
		}
	}
	return begun.Rest || d.sum.Unknown <= begun.Unknown
}

// keep reads what stays of the rows, as they are now. Since an earlier attempt that left its intent, actors may
// have gone on with them. But if that attempt has destroyed the key, its intent alone still tells.
func (d *deletion) keep(begun *forgetRecord) error {
	if begun == nil || begun.Rest {
		begun = &forgetRecord{}
	}
	if len(d.kept)+len(begun.Keep) == 0 {
		return nil
	}
	key, err := d.e.keyNow(d.rec.Conversation)
	if err == nil && len(begun.Keep) > 0 && (begun.Key == "" || begun.Key != key) {
		d.rec.Keep, d.rec.Key = begun.Keep, begun.Key
		return nil
	}
	d.rec.Keep, d.rec.Key = nil, key
	for _, k := range begun.Keep {
		if d.e.keeper(stateKey(k.Actor, k.Row)) == nil { // of a kind that this program does not have
			d.rec.Keep = append(d.rec.Keep, k)
		}
	}
	if err == nil {
		err = d.keepNow()
	}
	switch {
	case errors.Is(err, ErrKeyAway) && begun.Conversation == "":
		err = fmt.Errorf("%w; nothing is deleted: forget it again once the key can be used", err)
	case errors.Is(err, ErrKeyAway):
		err = errLater(err)
	}
	return err
}

// keepNow adds what stays of the rows as they are now.
func (d *deletion) keepNow() error {
	slices.Sort(d.kept)
	for _, k := range slices.Compact(d.kept) {
		raw, there, err := d.row([]byte(k))
		if errors.Is(err, ErrNoKey) { // nobody can keep it: it goes with the rest
			continue
		}
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		a, row, _ := splitKey(keyState, k)
		if v := d.e.keeper(k)(raw); v != nil {
			d.rec.Keep = append(d.rec.Keep, Kept{Actor: a, Row: row, Value: v})
		}
	}
	return nil
}

// row reads a row to delete, also one that a rest hides from others.
func (d *deletion) row(key []byte) ([]byte, bool, error) {
	raw, there, err := d.e.store.Get(key)
	if err != nil || !there {
		return nil, false, err
	}
	plain, err := d.e.open(key, raw)
	return plain, err == nil, err
}

// keyNow names the key of a conversation: whether it is another one than before. Unsealed rows have none, which
// stays so; "" says nothing.
func (e *Engine) keyNow(c messages.ConversationID) (string, error) {
	if e.sealer == nil {
		return "none", nil
	}
	key, _, err := e.KeyOf(c)
	if errors.Is(err, ErrNoKey) {
		return "", nil
	}
	return key.Fingerprint, err
}

// keeper is what [Kind].Kept says of a row, nil if nothing of it stays.
func (e *Engine) keeper(key string) func([]byte) []byte {
	class, _ := classOf(key)
	a, row, ok := splitKey(class, key)
	if class != keyState || !ok {
		return nil
	}
	table, _ := actors.SplitRow(row)
	return e.kinds[a.Kind()].Kept[table]
}

// stays reports whether something of a row is kept.
func (d *deletion) stays(key string) bool {
	return slices.ContainsFunc(d.rec.Keep, func(k Kept) bool { return stateKey(k.Actor, k.Row) == key })
}

// follows makes a deletion the rest of one, if its intent says so.
func (d *deletion) follows(begun forgetRecord) {
	if d.rest = begun.Rest; d.rest {
		d.rec, d.named = begun, begun.sums()
	}
}

// forgetAgain is how long a deletion waits that needs a key out of reach, before it is tried again.
const forgetAgain = 5 * time.Minute

// errRest says that the rest of a deletion waits for the key of somebody else.
func (d *deletion) errRest() error {
	return fmt.Errorf("%w: %w; all else is deleted, and what is left of it is by itself once that key can be used",
		ErrRest, d.waits())
}

// settle notes how a deletion has ended. One that waits for a key is told, and goes on by itself.
func (d *deletion) settle(result error) {
	e, c, now := d.e, d.rec.Conversation, d.e.clock.Now()
	who, key, told := messages.To(events.Deletions, string(c)), KeyAway(result), e.intents.told(c)
	timer := string(who)
	if d.bound { // apart from that of what the cluster shares
		timer = "own/" + timer
	}
	switch {
	case result == nil:
		if d.bound {
			e.timers.cancel(timer)
		}
		e.intents.tell(c, "")
		if d.partial || d.bound && e.intended(c, Anywhere) { // a program that knows more finishes it, or another node
			e.note(c)
		} else {
			e.intents.set(c, nil)
		}
		if told != "" {
			e.report(events.ActorUnhealthy{Actor: who, Healthy: true, At: now})
		}
	case d.bound && errors.Is(result, errOther): // that one has a timer of its own
	case d.bound || e.intents.stands(c) && (key != "" || told != ""):
		if key != "" && key != told {
			e.intents.tell(c, key)
			e.report(events.ActorUnhealthy{Actor: who, Reason: cutText(result.Error()), Key: key, At: now})
		}
		again := func() { e.resumeForgetting(c, d.bound) }
		if d.bound && !e.intended(c, Here) { // it could not be written
			again = func() { e.forgetBound(c) }
		}
		e.timers.arm(timer, now.Add(forgetAgain), false, func() { e.background(again) })
	}
}

// resumeForgetting goes on with a deletion that waited for a key, or with this node's own part of one.
func (e *Engine) resumeForgetting(c messages.ConversationID, bound bool) {
	d := &deletion{e: e, resumes: true, alone: true, bound: bound,
		rec: forgetRecord{At: wall(e.clock.Now()), Conversation: c}}
	begun, err := e.begun(c, d.shards())
	if err == nil && begun == nil { // it was forgotten again meanwhile
		return
	}
	if begun != nil {
		d.follows(*begun)
	}
	if err == nil && !d.rest && !bound { // else everybody concerned would stop for nothing
		err = e.sealer.Ready(string(c))
	}
	if err != nil {
		d.settle(err)
		return
	}
	d.finished = func(err error) {
		if err == nil && !bound {
			e.followElsewhere(c) // as nobody waits for it who would do that
		}
	}
	d.begin(Forgetting{Conversation: c})
}

// errOther is the end of a resumed deletion that another one has overtaken.
var errOther = errors.New("engine: it was forgotten again")

// finishForgetting carries out what a crash interrupted. What waits for a key holds up nobody else.
func (e *Engine) finishForgetting() error {
	left := map[messages.ConversationID]forgetRecord{}
	var bad error
	begun := order[:]
	if e.replica != nil { // the rest once this node takes part
		begun = []Shard{Here}
	}
	for _, s := range begun {
		err := e.scan([]byte(s.key(keyForget)), nil, func(_, v []byte, unopened error) bool {
			rec, err := decodeOpened[forgetRecord](v, unopened)
			left[rec.Conversation] = rec
			bad = err
			return err == nil
		})
		if err = errors.Join(err, bad); err != nil {
			return fmt.Errorf("engine: finish an interrupted deletion: %w", err)
		}
	}
	if err := e.ownParts(left); err != nil {
		return fmt.Errorf("engine: finish an interrupted deletion: %w", err)
	}
	for _, c := range slices.Sorted(maps.Keys(left)) {
		d := &deletion{e: e, rec: left[c], bound: e.replica != nil}
		d.follows(left[c])
		err := d.finishAlone()
		if err != nil && KeyAway(err) == "" {
			return fmt.Errorf("engine: finish an interrupted deletion: %w", err)
		}
		if err != nil {
			e.note(c) // of its rest, before anybody reads
		}
		if d.settle(err); err == nil && !d.partial {
			follow := func() { e.followElsewhere(c) } // once all runs
			e.timers.arm("elsewhere/"+string(c), e.clock.Now(), false, follow)
		}
	}
	return nil
}

// ownParts adds this node's own parts of deletions of other nodes: it may have died before their intent was written.
func (e *Engine) ownParts(left map[messages.ConversationID]forgetRecord) error {
	if e.replica == nil {
		return nil
	}
	due, err := e.due()
	for _, c := range due {
		if rec, begun := left[c]; !begun || rec.Rest {
			left[c] = forgetRecord{At: wall(e.clock.Now()), Conversation: c}
		}
	}
	return errors.Join(err, e.scan([]byte(keyForget), nil, func(_, v []byte, unopened error) bool {
		rec, err := decodeOpened[forgetRecord](v, unopened)
		if _, begun := left[rec.Conversation]; err == nil && !rec.Rest && !begun {
			left[rec.Conversation] = forgetRecord{At: rec.At, Conversation: rec.Conversation}
		}
		return true // one that cannot be read is left to whoever has begun it
	}))
}

// due are the conversations of which this node's own part of a deletion has not been carried out.
func (e *Engine) due() (list []messages.ConversationID, err error) {
	prefix := Here.key(keyOwnPart)
	err = e.store.Scan([]byte(prefix), nil, func(k, _ []byte) bool {
		list = append(list, messages.ConversationID(k[len(prefix):]))
		return true
	})
	return list, err
}

// keepAlone is keep while nobody else commits: the intent tells what is kept before the key is destroyed.
func (d *deletion) keepAlone() error {
	if d.rest || d.bound {
		d.rec.Keep = nil // who deletes what the cluster shares keeps it
		return d.keepNow()
	}
	begun := d.rec
	if err := d.keep(&begun); err != nil {
		return err
	}
	_, err := d.e.apply(d.intends(), nil, true)
	return err
}

// finishAlone carries a deletion out while nobody else commits.
func (d *deletion) finishAlone() error {
	err := d.collect()
	if err == nil && !d.knows(d.rec) { // a program that knows as much as the one that began finishes it
		d.partial = true
		return nil
	}
	if err == nil {
		err = d.keepAlone()
	}
	if err == nil && d.left() {
		err = d.e.purges()
	}
	if err == nil {
		err = d.destroyKey()
	}
	for more := true; err == nil && more; {
		var b [shards]Batch
		var now slice
		if now, err = d.look(); err == nil {
			b, _, more, err = d.next(now)
		}
		if err == nil {
			_, err = d.e.apply(b, nil, d.e.sync)
		}
	}
	if err == nil && d.waits() != nil {
		err = d.errRest()
	}
	return err
}
