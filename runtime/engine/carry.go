package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// Apply carries out the entry of the log at an index, in one transaction with that index: an
// entry that was carried out before is passed over. Entries come in the order of the log. An
// error comes from the store, or from an entry of a newer program: nothing has happened, and
// the same entry has to come again. Bytes that are no entry at all are skipped.
func (r *Replica) Apply(index uint64, from []byte) error {
	r.mu.Lock()
	if index <= r.applied || r.torn {
		torn := r.torn
		r.mu.Unlock()
		if torn {
			return errTorn
		}
		return nil
	}
	en, err := decodeEntry(from)
	if errors.Is(err, ErrNewer) {
		r.mu.Unlock()
		return err
	}
	c := carried{r: r, en: &en, tx: &transaction{view: r.store, written: map[string]int{}, known: r.known}}
	if err != nil {
		en = entry{} // no entry at all
	} else if err = r.view(func(view View) error {
		c.tx.view = view
		return c.carry()
	}); err != nil {
		r.mu.Unlock()
		return fmt.Errorf("engine: carry out entry %d of the log: %w", index, err)
	}
	after, err := c.keep(index)
	r.mu.Unlock()
	if err == nil {
		after()
	}
	return err
}

// maxStarts is how many times a node may have started without a word in the log.
const maxStarts = 1 << 20

// Check reports why an entry that a node hands over must not get into the log: there it would stop
// every node, or speak for another one, or be the last one of its node.
func (r *Replica) Check(from string, form []byte) error {
	en, err := decodeEntry(form)
	if err != nil {
		return err
	}
	if en.node != from {
		return fmt.Errorf("%w: %s hands over an entry of %q", ErrBatch, from, en.node)
	}
	boot, _, err := r.proposed(from)
	if err != nil {
		return err
	}
	if en.boot > boot+maxStarts || max(en.took, en.crossed) > maxCount {
		return fmt.Errorf("%w: %s hands over an entry that leaves no numbers for the next ones", ErrBatch, from)
	}
	return nil
}

// maxCount is more than a node will ever count.
const maxCount = 1 << 62

func (r *Replica) view(fn func(View) error) error {
	if v, ok := r.store.(Viewer); ok {
		return v.View(fn)
	}
	return fn(r.store)
}

// carried is an entry being carried out.
type carried struct {
	r       *Replica
	en      *entry
	tx      *transaction
	results [][]Result // of its batches

	moved   map[messages.Address]string // new owners; "" for none
	there   map[string]uint64           // nodes that came, with their boots, or went: 0
	zoned   map[string]zone             // nodes whose zone is another than before
	mail    []messages.Address          // of this node that got some
	sent    uint64                      // changes of this node's outbox that are in the log
	took    uint64                      // changes that came over to this node
	noted   bool
	logged  bool // another node's events are in the event log now
	mine    bool // this start of this node has proposed it
	greeted bool // it is the hello of this start
	awaited bool // it is this node's proposal under way
}

// carry does what an entry says, unless it was done before. The result depends only on the
// entry and the rows of the shard Anywhere, except for what crosses over to this node.
func (c *carried) carry() error {
	by, last := []byte(keyProposed+c.en.node), [2]uint64{}
	raw, ok, err := c.tx.get(by)
	if err != nil {
		return err
	}
	if ok && len(raw) == 16 {
		last = [2]uint64{binary.BigEndian.Uint64(raw), binary.BigEndian.Uint64(raw[8:])}
	}
	if c.en.boot < last[0] || c.en.boot == last[0] && c.en.n <= last[1] {
		return nil
	}
	place := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, c.en.boot), c.en.n)
	c.tx.write(Op{Key: by, Value: place})
	if c.en.node == c.r.node && c.en.boot == c.r.boot {
		if c.mine, err = c.own(); err != nil {
			return err
		}
	}
	c.awaited = c.mine && c.r.flight != nil && c.r.flight.n == c.en.n
	switch c.en.kind {
	case entryHello:
		err = c.hello()
	case entryDown:
		err = c.down()
	case entryClaim:
		err = c.claim()
	case entryNote:
		err = c.keepNote()
	case entryCommit:
		for i := range c.en.batches {
			if err == nil {
				err = c.batch(&c.en.batches[i])
			}
		}
	}
	if err == nil {
		err = c.unbox()
	}
	return err
}

// own reports whether an entry of this node comes from its current store, not from an earlier machine of
// the same name.
func (c *carried) own() (bool, error) {
	if c.en.kind == entryHello {
		return c.en.store == c.r.id, nil
	}
	id, _, err := c.tx.get([]byte(keyStoreOf + c.r.node))
	return string(id) == c.r.id, err
}

// batch applies a batch of turns, requests, or what crosses over.
func (c *carried) batch(b *Batch) error {
	for i := range b.Changes {
		ch := &b.Changes[i]
		if ch.Actor == "" {
			continue
		}
		if c.holder(ch.Actor) != c.en.node {
			ch.Epoch = 0 // which no owner has
		}
	}
	b.Floor = 0
	results, out, err := c.tx.apply(*b)
	if err != nil {
		return err
	}
	c.results = append(c.results, results)
	for i := range b.Changes {
		if results[i].Status == Committed {
			if err := c.addressed(&b.Changes[i], c.awaited && b.From == ""); err != nil {
				return err
			}
		}
	}
	for _, o := range out {
		for _, ch := range o.Changes {
			if err := c.cross(ch.Records); err != nil {
				return err
			}
		}
	}
	return c.emptyOutbox(b)
}

// addressed gives actors an owner who have got mail and have none. delivered says that
// whoever proposed the mail delivers it on this node.
func (c *carried) addressed(ch *Change, delivered bool) error {
	for _, rec := range ch.Records {
		c.logged = c.logged || rec.Class == ClassEvent && !delivered
		if rec.Class != ClassMail || rec.Shard != Anywhere {
			continue
		}
		if !delivered {
			c.mail = append(c.mail, rec.To)
		}
		if err := c.binds(ch.Actor, rec.To); err != nil {
			return err
		}
		if c.holder(rec.To) != "" {
			continue
		}
		if err := c.first(rec.To, ch.Actor); err != nil {
			return err
		}
	}
	return nil
}

// cross keeps records for the nodes of their receivers, each in order, until the nodes have
// them. This node takes its own at once.
func (c *carried) cross(records []Record) error {
	byNode := map[string][]Record{}
	for _, rec := range records {
		node := c.r.home(rec.To)
		_, known, err := c.tx.get([]byte(keyStoreOf + node))
		if err != nil {
			return err
		}
		if !known { // a host's, whose key names no node
			node = c.en.node
		}
		byNode[node] = append(byNode[node], rec)
	}
	for _, node := range slices.Sorted(maps.Keys(byNode)) {
		if err := c.box(node, byNode[node]); err != nil {
			return err
		}
	}
	return nil
}

// box keeps records for a node, as the next change that it is to have.
func (c *carried) box(node string, records []Record) error {
	last := []byte(keyBoxed + node)
	n, err := c.tx.counter(last, 0)
	if err != nil {
		return err
	}
	n++
	change := Change{Crossed: n, Records: records}
	form, err := Batch{Shard: Here, Changes: []Change{change}}.AppendBinary(nil)
	if err != nil {
		return err
	}
	c.tx.write(Op{Key: last, Value: []byte(seqBytes(n))})
	c.tx.write(Op{Key: boxKey(node, n), Value: form})
	if node == c.r.node {
		return c.take(change)
	}
	return nil
}

// take applies what has crossed over to this node. Before the hello of its store, which
// begins the count, nothing does.
func (c *carried) take(change Change) error {
	id, _, err := c.tx.get([]byte(keyStoreOf + c.r.node))
	if err != nil || string(id) != c.r.id {
		return err
	}
	results, _, err := c.tx.apply(Batch{Shard: Here, From: Anywhere.String(), Changes: []Change{change}})
	if err != nil || results[0].Status != Committed {
		return err // one that has to wait for others is read with them, by overtaken
	}
	c.took = change.Crossed
	for _, rec := range change.Records {
		if rec.Class == ClassMail {
			c.mail = append(c.mail, rec.To)
		}
	}
	return nil
}

// unbox deletes what the proposer has received.
func (c *carried) unbox() error {
	key := []byte(keyUnboxed + c.en.node)
	done, err := c.tx.counter(key, 0)
	if err != nil || c.en.took <= done {
		return err
	}
	boxed, err := c.tx.counter([]byte(keyBoxed+c.en.node), 0)
	if err != nil {
		return err
	}
	upTo := min(c.en.took, boxed)
	for n := done + 1; n <= upTo; n++ {
		c.tx.write(Op{Key: boxKey(c.en.node, n), Delete: true})
	}
	if upTo > done {
		c.tx.write(Op{Key: key, Value: []byte(seqBytes(upTo))})
	}
	return nil
}

// emptyOutbox deletes from this node's outbox what a batch of its own holds.
func (c *carried) emptyOutbox(b *Batch) error {
	if b.From != c.r.from() || len(b.Changes) == 0 {
		return nil
	}
	taken, err := c.tx.counter(Anywhere.takenKey(b.From), 0)
	for i := range b.Changes {
		if n := b.Changes[i].Crossed; n <= taken {
			c.tx.write(Op{Key: outboxKey(n), Delete: true})
			c.sent = max(c.sent, n)
		}
	}
	return err
}

// hello notes that a node is there. One that comes with another store than before is another machine:
// the one before is gone with what it had, and this one begins to count anew.
func (c *carried) hello() error {
	known, _, err := c.tx.get([]byte(keyStoreOf + c.en.node))
	if err != nil {
		return err
	}
	if string(known) != c.en.store {
		if err := c.founds(); err != nil {
			return err
		}
		if len(known) > 0 {
			if err := c.succeed(string(known)); err != nil {
				return err
			}
		}
		if err := c.vacate(c.en.node, c.en.node); err != nil {
			return err
		}
		c.tx.write(Op{Key: []byte(keyStoreOf + c.en.node), Value: []byte(c.en.store)})
		c.tx.write(Op{Key: Anywhere.takenKey(fromNode(c.en.node, c.en.store)), Value: []byte(seqBytes(c.en.crossed))})
		if err := c.inherit(); err != nil {
			return err
		}
	}
	c.present(c.en.node, c.en.boot)
	c.greeted = c.mine
	return c.rezone()
}

// inherit puts what waits for a node under the numbers of its new store. The store before may have had it,
// but none of what followed from that has come into the log: an entry says how much its node has.
func (c *carried) inherit() error {
	node := c.en.node
	done, err := c.tx.counter([]byte(keyUnboxed+node), 0)
	if err != nil {
		return err
	}
	boxed, err := c.tx.counter([]byte(keyBoxed+node), 0)
	if err != nil {
		return err
	}
	var waiting []Change
	for n := done + 1; n <= boxed; n++ {
		raw, ok, err := c.tx.get(boxKey(node, n))
		var b Batch
		if err == nil && ok {
			err = b.UnmarshalBinary(raw)
		}
		if err != nil {
			return err
		}
		waiting = append(waiting, b.Changes...)
		c.tx.write(Op{Key: boxKey(node, n), Delete: true})
	}
	last := []byte(seqBytes(c.en.took))
	c.tx.write(Op{Key: []byte(keyBoxed + node), Value: last})
	c.tx.write(Op{Key: []byte(keyUnboxed + node), Value: last})
	for _, change := range waiting {
		if err := c.box(node, change.Records); err != nil {
			return err
		}
	}
	return nil
}

// present notes that a node is there, or with boot 0 that it is not.
func (c *carried) present(node string, boot uint64) {
	c.there = map[string]uint64{node: boot}
	c.tx.write(Op{Key: []byte(keyMember + node), Value: []byte(seqBytes(boot)), Delete: boot == 0})
}

// down moves the actors of a node to the nodes that are up.
func (c *carried) down() error {
	if boot, ok := c.r.members[c.en.gone]; !ok || boot != c.en.goneBoot {
		return nil
	}
	c.present(c.en.gone, 0)
	return c.vacate(c.en.gone, "")
}

// vacate moves what a node owns to the others that are there, or else to somebody. With "" for that, what fits on no
// other stays.
func (c *carried) vacate(node, other string) error {
	up := c.others(node)
	for _, a := range c.held(func(owner string) bool { return owner == node }) {
		fit, bound, err := c.fitting(a, up)
		switch {
		case err != nil:
			return err
		case bound && len(fit) == 0 && other == "":
			continue // it waits for this node, or for another that comes
		case len(fit) == 0:
			fit = []string{other}
		}
		if err := c.settle(a, oneOf(a, fit)); err != nil {
			return err
		}
	}
	return nil
}

// others are the nodes that are there besides one, sorted.
func (c *carried) others(node string) (up []string) {
	for other := range c.r.members {
		if other != node {
			up = append(up, other)
		}
	}
	slices.Sort(up)
	return up
}

// oneOf is the node of some that gets an actor, "" of none. Actors with one key work for each other, and
// stay together.
func oneOf(a messages.Address, nodes []string) string {
	if len(nodes) == 0 {
		return ""
	}
	h := fnv.New32a()
	h.Write([]byte(a.Key()))
	return nodes[h.Sum32()%uint32(len(nodes))]
}

// claim gives the proposer the actors that nobody owns, if it is there and they fit.
func (c *carried) claim() error {
	if c.r.members[c.en.node] == 0 {
		return nil
	}
	for _, a := range c.en.actors {
		if c.holder(a) != "" {
			continue
		}
		if err := c.first(a, ""); err != nil {
			return err
		}
	}
	return nil
}

// holder returns the node that owns an actor, "" for none.
func (c *carried) holder(a messages.Address) string {
	if node, ok := c.moved[a]; ok {
		return node
	}
	return c.r.holders[a]
}

// settle makes a node the owner of an actor; "" leaves it without one. Later turns of an
// earlier owner are stale.
func (c *carried) settle(a messages.Address, node string) error {
	epoch, err := c.tx.counter(epochKey(a), firstEpoch)
	if err != nil {
		return err
	}
	c.tx.write(Op{Key: epochKey(a), Value: []byte(seqBytes(epoch + 1))})
	c.tx.write(Op{Key: holderKey(a), Value: []byte(node), Delete: node == ""})
	if c.moved == nil {
		c.moved = map[messages.Address]string{}
	}
	c.moved[a] = node
	return nil
}

// keepNote keeps a note for all nodes.
func (c *carried) keepNote() error {
	n, err := c.tx.counter([]byte(keyNote), 0)
	if err != nil {
		return err
	}
	w := batchWriter{}
	w.text(c.en.topic)
	w.text(c.en.node)
	w.bytes(c.en.note)
	c.tx.write(Op{Key: []byte(keyNote), Value: []byte(seqBytes(n + 1))})
	c.tx.write(Op{Key: noteKey(n + 1), Value: w})
	c.noted = true
	return nil
}

// keep writes what was carried out, and returns what follows from it.
func (c *carried) keep(index uint64) (after func(), err error) {
	c.tx.write(Op{Key: []byte(keyApplied), Value: []byte(seqBytes(index))})
	if err := c.deletions(index); err != nil {
		return nil, err
	}
	if err := c.r.write(c.tx.ops, false); err != nil {
		return nil, fmt.Errorf("engine: carry out entry %d of the log: %w", index, err)
	}
	c.r.applied = index
	c.r.taken = max(c.r.taken, c.took)
	for len(c.r.outbox) > 0 && c.r.outbox[0].Crossed <= c.sent {
		c.r.outbox = c.r.outbox[1:]
	}
	if c.mine {
		c.r.said = c.en.took
	}
	c.greeted = c.greeted && !c.r.greeted
	gone, came := c.remember()
	landed := func() {}
	if c.en.node == c.r.node {
		landed = c.r.land(c.en.boot, c.en.n, c.results, nil)
	}
	e, r, ops := c.r.engine, c.r, c.tx.ops
	if e != nil {
		e.arrived(c.mail) // before something newer can be stored and pushed, which would hide it
	}
	return func() {
		r.mu.Lock()
		r.pump() // a hello, if the others think that this node is not there
		r.mu.Unlock()
		if e != nil {
			if d := e.deletion.Load(); d != nil {
				d.watch(ops)
			}
			e.letGo(gone)
			e.takeOver(came, c.greeted)
			if !c.mine {
				e.forgetsElsewhere(ops)
			}
		}
		landed()
		if e != nil && c.logged {
			e.onLog()
		}
		if c.noted {
			r.passNotes()
		}
	}, nil
}

// deletions notes which entry begins a deletion, for those who get no entry but a snapshot, and that this node's own
// part is due of one of another node: the entry that ends it may follow before that part begins, and the node may die
// in between. What changes an intent that stands may leave a rest, which deletes less.
func (c *carried) deletions(index uint64) error {
	for _, op := range slices.Clone(c.tx.ops) {
		of, found := strings.CutPrefix(string(op.Key), keyForget)
		if !found || op.Delete {
			continue
		}
		_, stands, err := c.r.store.Get(op.Key)
		if err != nil {
			return fmt.Errorf("engine: what is being forgotten: %w", err)
		}
		if stands {
			continue
		}
		conversation, place := messages.ConversationID(of), []byte(seqBytes(index))
		c.tx.write(Op{Key: begunKey(conversation), Value: place})
		if c.r.witness() {
			continue
		}
		c.tx.write(Op{Key: seenKey(conversation), Value: place})
		if c.en.node != c.r.node {
			c.tx.write(Op{Key: ownPartKey(conversation)})
		}
	}
	return nil
}

// missed notes that this node's own part is due of the deletions of which it learns by a snapshot. One that had nothing
// before has no part in them.
func (c *carried) missed(had bool) error {
	if c.r.witness() {
		return nil
	}
	var bad error
	err := c.r.store.Scan([]byte(keyBegun), nil, func(k, v []byte) bool {
		conversation := messages.ConversationID(k[len(keyBegun):])
		var seen []byte
		if seen, _, bad = c.r.store.Get(seenKey(conversation)); bad != nil {
			return false
		}
		if !bytes.Equal(seen, v) {
			c.tx.write(Op{Key: seenKey(conversation), Value: bytes.Clone(v)})
			if had {
				c.tx.write(Op{Key: ownPartKey(conversation)})
			}
		}
		return true
	})
	return errors.Join(err, bad)
}

// remember updates what is kept in memory, and returns which actors this node has lost
// and got. The caller holds r.mu.
func (c *carried) remember() (gone, came []messages.Address) {
	c.r.look.Lock()
	defer c.r.look.Unlock()
	for node, boot := range c.there {
		if boot == 0 {
			delete(c.r.members, node)
		} else {
			c.r.members[node] = boot
		}
		if node == c.r.node && (boot == 0 || !c.mine) { // it is there, whoever else has its name: it says so
			c.r.greeted, c.r.joined = false, false
			c.r.rivals++
		}
		if node == c.r.node && boot == 0 {
			c.r.rivals = 0
		}
	}
	for node, said := range c.zoned {
		if said.name == "" {
			delete(c.r.zones, node)
		} else {
			c.r.zones[node] = said
		}
	}
	for a, node := range c.moved {
		switch {
		case node == c.r.node:
			came = append(came, a)
		case c.r.holders[a] == c.r.node:
			gone = append(gone, a)
		}
		if node == "" {
			delete(c.r.holders, a)
		} else {
			c.r.holders[a] = node
		}
	}
	if c.greeted {
		c.r.greeted, c.r.joined = true, true
	}
	slices.Sort(gone)
	slices.Sort(came)
	return gone, came
}
