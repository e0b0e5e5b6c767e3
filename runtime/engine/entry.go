package engine

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// The form of an entry of the replicated log: its version, what it is, who proposed it,
// and then what that kind of entry needs. Numbers and texts have the form that they have in a
// batch, which it may hold. Old logs must stay readable: a change of the form raises the version, and a
// node that does not know it stops there until it is upgraded.
//
// The second form is that of a hello with a zone, which those who know the first alone would place actors without.
const entryForm, firstForm = 2, 1

// entryKind is what an entry is about.
type entryKind byte

const (
	entryCommit entryKind = iota // batches of the shard Anywhere
	entryHello                   // a node is there, with the store of that id
	entryDown                    // a node is not there: what it owns moves
	entryClaim                   // a node takes actors that nobody owns
	entryNote                    // for all nodes
	entryKinds
)

// entry is what one node proposes.
type entry struct {
	kind entryKind
	node string // who proposes
	// boot of that node and the number n of the entry in it: what is not after the last one that
	// was carried out is a repetition.
	boot, n uint64
	took    uint64 // changes from the shard Anywhere that the node has

	batches  []Batch            // of a commit
	store    string             // hello: its id
	crossed  uint64             // hello: changes that came from that store before its oldest waiting one
	gone     string             // down: the node
	goneBoot uint64             // down: and its boot
	actors   []messages.Address // that are claimed
	topic    string             // of a note
	note     []byte             // also the zone of a hello
}

// about are the name and the number that an entry is about: the form has one of each.
func (en *entry) about() (name *string, number *uint64) {
	switch en.kind {
	case entryHello:
		return &en.store, &en.crossed
	case entryDown:
		return &en.gone, &en.goneBoot
	case entryNote:
		return &en.topic, new(uint64)
	}
	return new(string), new(uint64)
}

// form is the lowest that has all of an entry.
func (en *entry) form() byte {
	if en.kind == entryHello && len(en.note) > 0 {
		return entryForm
	}
	return firstForm
}

func (en *entry) encode() ([]byte, error) {
	w := batchWriter{en.form(), byte(en.kind)}
	w.text(en.node)
	w.number(en.boot)
	w.number(en.n)
	w.number(en.took)
	name, number := en.about()
	w.text(*name)
	w.number(*number)
	w.bytes(en.note)
	w.number(uint64(len(en.actors)))
	for _, a := range en.actors {
		w.text(string(a))
	}
	w.number(uint64(len(en.batches)))
	for _, b := range en.batches {
		form, err := b.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		w.bytes(form)
	}
	return w, nil
}

// decodeEntry reads an entry, which keeps parts of from. An error wraps [ErrBatch].
func decodeEntry(from []byte) (en entry, err error) {
	r := batchReader{left: from}
	form := r.byte()
	if r.err == nil && (form < firstForm || form > entryForm) {
		return en, fmt.Errorf("%w: an entry has form %d, this program knows %d: upgrade this program",
			ErrNewer, form, entryForm)
	}
	en = entry{
		kind: entryKind(r.below(byte(entryKinds))), node: r.text(), boot: r.number(), n: r.number(), took: r.number(),
	}
	name, number := en.about()
	*name, *number = r.text(), r.number()
	en.note = r.bytes()
	for range r.count() {
		en.actors = append(en.actors, messages.Address(r.text()))
	}
	for range r.count() {
		var b Batch
		form := r.bytes()
		if r.err == nil {
			r.err = b.UnmarshalBinary(form)
		}
		if r.err == nil && !b.shared(en.node) {
			r.fail("its batch is not of the shard Anywhere, or of another node")
		}
		en.batches = append(en.batches, b)
	}
	if r.err == nil && len(r.left) > 0 {
		r.fail("something follows it")
	}
	if r.err == nil && form != en.form() {
		r.fail("its form is another's")
	}
	return en, r.err
}

// shared reports whether a node may propose a batch.
func (b *Batch) shared(node string) bool {
	if b.Shard != Anywhere || b.From != "" && !strings.HasPrefix(b.From, fromNode(node, "")) {
		return false
	}
	for i := range b.Changes {
		for _, op := range b.Changes[i].Ops {
			if len(op.Key) > 0 && op.Key[0] == Here.key("")[0] {
				return false
			}
		}
	}
	return true
}

// Rows that only nodes of a cluster have; the package comment documents them.
const (
	keyHolder   = "n/"
	keyMember   = "m/up/"
	keyProposed = "m/by/"
	keyStoreOf  = "m/store/"
	keyNote     = "m/note/"
	keyZone     = "m/zone/"
	keyBorn     = "m/born/"
	keyBox      = "x/box/"
	keyBoxed    = "x/boxed/"
	keyUnboxed  = "x/unboxed/"

	keyOutbox    = "lx/box/"
	keyApplied   = "lm/applied"
	keyNoted     = "lm/noted"
	keyStoreID   = "lm/store"
	keyRestoring = "lm/restoring"
)

func holderKey(a messages.Address) []byte { return []byte(keyHolder + string(a)) }

// boxKey is where the n-th change for a node waits until the node has it.
func boxKey(node string, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(keyBox+node+"\x00"), n)
}

func outboxKey(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte(keyOutbox), n) }

func noteKey(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte(keyNote), n) }
