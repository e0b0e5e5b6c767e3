package engine_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// In the tests below mac-a is the node whose replica is looked at. Its log is written by hand.
type copyOf struct {
	*engine.Replica
	t     *testing.T
	store *mem.Store
	next  uint64
}

func newCopy(t *testing.T, s *mem.Store) *copyOf {
	t.Helper()
	r, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-a", Store: s,
		Kinds: []engine.Kind{{Name: "gate", Here: true}, {Name: "keeper"}}, ID: func() string { return "store-a" }})
	if err != nil {
		t.Fatal(err)
	}
	return &copyOf{Replica: r, t: t, store: s, next: r.Applied() + 1}
}

// log brings the next entries to the replica.
func (c *copyOf) log(entries ...[]byte) {
	c.t.Helper()
	for _, e := range entries {
		if err := c.Apply(c.next, e); err != nil {
			c.t.Fatal(err)
		}
		c.next++
	}
}

// has checks how many rows there are below a prefix.
func (c *copyOf) has(n int, prefix, why string) {
	c.t.Helper()
	if got := keys(c.t, c.store, prefix); len(got) != n {
		c.t.Errorf("%d rows %q, want %d: %s", len(got), got, n, why)
	}
}

func (c *copyOf) row(key string) string {
	c.t.Helper()
	value, _, err := c.store.Get([]byte(key))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(value)
}

func voice(node string, boot uint64) *engine.Voice {
	return &engine.Voice{Node: "mac-" + node, Store: "store-" + node, Boot: boot}
}

// mail is a batch that sends to each of the actors.
func mail(to ...messages.Address) engine.Batch {
	b := engine.Batch{}
	for _, a := range to {
		r := mailTo(a, "m")
		if a.Kind() == "gate" {
			r.Shard = engine.Here
		}
		b.Changes = append(b.Changes, engine.Change{Records: []engine.Record{r}})
	}
	return b
}

const (
	keeper   = messages.Address("keeper/x")
	keeperIn = "i/keeper/x"
)

// turnOf is a turn of the keeper that writes who ran it.
func turnOf(who string, epoch uint64) engine.Batch {
	return engine.Batch{Changes: []engine.Change{{Actor: keeper, Epoch: epoch,
		Ops: []engine.Op{set("s/keeper/x\x00by", who)}}}}
}

// crossed is what comes over from a node's own shard, in its n-th change.
func crossed(node, store string, n uint64, to messages.Address) engine.Batch {
	b := mail(to)
	b.From, b.Changes[0].Crossed = engine.FromStore(node, store), n
	return b
}

// A log may have an entry twice, at once or much later, and bring it to a node again.
func TestAnEntryIsCarriedOutOnce(t *testing.T) {
	c := newCopy(t, mem.New())
	old, b := voice("b", 1), voice("b", 2)
	late := old.Commit(mail(keeper))
	entry := b.Commit(mail(keeper))
	c.log(entry, entry, late, b.Commit(), entry)
	c.has(1, keeperIn, "the entry was there three times, and one of an earlier start")
	if err := c.Apply(2, b.Commit(mail(keeper))); err != nil || c.Applied() != 5 {
		t.Errorf("Apply(2) = %v, then Applied() = %d, want 5", err, c.Applied())
	}
	again := newCopy(t, c.store)
	if again.Applied() != 5 {
		t.Errorf("Applied() = %d after a restart, want 5", again.Applied())
	}
	again.log(entry)
	again.has(1, keeperIn, "the entry came again after a restart")
}

// Only who owns an actor commits its turns, and only under its present ownership.
func TestOnlyTheOwnerCommits(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d := voice("b", 1), voice("d", 1)
	by := func(want, why string) {
		t.Helper()
		if got := c.row("s/keeper/x\x00by"); got != want {
			t.Errorf("the row is of %q, want %q: %s", got, want, why)
		}
	}
	c.log(b.Hello(0), d.Hello(0), b.Claim(keeper))
	c.log(b.Commit(turnOf("before it owned it", 1)))
	by("", "the claim has begun another ownership")
	c.log(b.Commit(turnOf("b", 2)))
	by("b", "it owns it")
	c.log(d.Claim(keeper), d.Commit(mail(keeper)), d.Commit(turnOf("d", 2)))
	by("b", "another node claims what has an owner, sends to it, and commits")
	c.log(d.Down("mac-b", 7))
	if c.Holder(keeper) != "mac-b" {
		t.Error("another start of the owner was said not to be there, and it lost the actor")
	}
	c.log(d.Down("mac-b", 1), b.Commit(turnOf("late", 2)), b.Commit(turnOf("late", 3)))
	by("b", "it owns it no more")
	c.log(d.Commit(turnOf("d", 3)))
	by("d", "it was handed over")
	if up := c.Members(); len(up) != 1 || up["mac-d"] != 1 {
		t.Errorf("Members() = %v, want mac-d", up)
	}
	c.log(d.Down("mac-d", 1))
	if c.Holder(keeper) != "" {
		t.Errorf("%s owns it, and nobody is there", c.Holder(keeper))
	}
	c.has(0, "n/", "nobody owns anything")
	again := newCopy(t, c.store)
	if len(again.Members()) != 0 || len(again.Holdings()) != 0 {
		t.Errorf("after a restart there are %v, want nobody", again.Holdings())
	}
}

// An actor without an owner that gets mail belongs to the node that sent it. Actors bound to
// a node have no owner.
func TestMailGivesAnOwner(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d := voice("b", 1), voice("d", 1)
	batch := mail(keeper, "gate/line@mac-b")
	batch.Floor = 1000
	c.log(b.Hello(0), d.Hello(0), b.Commit(batch), d.Commit(mail(keeper)))
	if c.Holder(keeper) != "mac-b" || c.Holder("gate/line@mac-b") != "" {
		t.Errorf("owners %q and %q, want mac-b and none", c.Holder(keeper), c.Holder("gate/line@mac-b"))
	}
	c.has(2, keeperIn, "two nodes have sent to it")
	if got := keys(t, c.store, keeperIn); !bytes.HasSuffix([]byte(got[0]), []byte("\x00\x01")) {
		t.Errorf("the first mail is %q, want number 1, whatever the entry says", got[0])
	}
}

// Mail for a node waits until the node has it, and is numbered for it.
func TestWhatIsForANodeWaitsInABox(t *testing.T) {
	c := newCopy(t, mem.New())
	a, b, d := voice("a", 1), voice("b", 1), voice("d", 1)
	here, there := messages.Address("gate/line@mac-a"), messages.Address("gate/line@mac-d")
	c.log(b.Hello(0), b.Commit(mail("gate/of-a-host")))
	c.has(1, "x/box/mac-b", "a key that names no node is of the node that sent to it")
	c.log(a.Hello(0), d.Hello(0), b.Commit(mail(here, there)))
	c.has(1, "i/"+string(here), "this node takes its own at once")
	c.has(0, "i/"+string(there), "another's mail is not here")
	c.has(1, "x/box/mac-a", "it has not said that it has it")
	c.has(1, "x/box/mac-d", "it has not said that it has it")
	d.Took = 9 // more than there was
	c.log(d.Commit())
	c.has(0, "x/box/mac-d", "it has it")
	c.has(1, "x/box/mac-a", "another node has said so")
	c.log(b.Commit(mail(there)))
	if got := keys(t, c.store, "x/box/mac-d"); !slices.Equal(got, []string{engine.BoxKey("mac-d", 2)}) {
		t.Errorf("boxes %q, want the second", got)
	}
	d.Took = 2
	c.log(d.Commit())
	c.has(0, "x/box/mac-d", "it has both")
}

// A node that comes with a new store is another machine: what it sends is counted anew, and what waits for
// it comes under numbers of that store.
func TestANewStoreCountsAnew(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d := voice("b", 1), voice("d", 1)
	gate := messages.Address("gate/line@mac-d")
	c.log(b.Hello(0), d.Hello(0), b.Commit(mail(gate, gate, gate)))
	d.Took = 1
	c.log(d.Commit(), voice("d", 2).Hello(0))
	had := []string{engine.BoxKey("mac-d", 2), engine.BoxKey("mac-d", 3)}
	if got := keys(t, c.store, "x/box/mac-d"); !slices.Equal(got, had) {
		t.Errorf("boxes %q, want %q: it came back with the store it had", got, had)
	}
	anew := voice("d", 3)
	anew.Store, anew.Took = "another", 2
	c.log(anew.Hello(5))
	want := []string{engine.BoxKey("mac-d", 3), engine.BoxKey("mac-d", 4)}
	if got := keys(t, c.store, "x/box/mac-d"); !slices.Equal(got, want) {
		t.Errorf("boxes %q, want %q: the store before had not said that it has two", got, want)
	}
	c.log(b.Commit(mail(gate)))
	anew.Took = 4
	c.log(anew.Commit())
	if got := keys(t, c.store, "x/box/mac-d"); !slices.Equal(got, []string{engine.BoxKey("mac-d", 5)}) {
		t.Errorf("boxes %q, want the one that came after those", got)
	}
	c.log(anew.Commit(crossed("mac-d", "another", 5, keeper)), anew.Commit(crossed("mac-d", "another", 7, keeper)))
	c.has(0, keeperIn, "its fifth change has come over before, its seventh comes before the sixth")
	c.log(anew.Commit(crossed("mac-d", "another", 6, keeper)))
	c.has(1, keeperIn, "its sixth is the next")
}

// What a machine owned that is gone moves when another one comes with its name, if nobody has said before
// that it is gone; it is stale what comes late of it. Nobody gets what he cannot run.
func TestWhatTheMachineBeforeOwnedMoves(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d := voice("b", 1), voice("d", 1)
	c.log(b.Hello(0), d.Hello(0), d.Claim(keeper))
	anew := voice("d", 2)
	anew.Store = "another"
	c.log(anew.Hello(0), d.Commit(turnOf("the one before", 2)), anew.Commit(turnOf("another", 2)))
	if c.Holder(keeper) != "mac-b" || c.row("s/keeper/x\x00by") != "" {
		t.Errorf("%s owns it, and %q has written", c.Holder(keeper), c.row("s/keeper/x\x00by"))
	}
	c.log(b.Down("mac-d", 2), anew.Commit(mail("keeper/y")), anew.Claim("keeper/z"))
	if y, z := c.Holder("keeper/y"), c.Holder("keeper/z"); y != "mac-b" || z != "" {
		t.Errorf("owners %q and %q, want mac-b and none: mac-d was gone when this came into the log", y, z)
	}
	c.log(anew.Down("mac-b", 1), anew.Hello(0), anew.Claim(keeper))
	third := voice("d", 4)
	third.Store = "a third"
	if c.log(third.Hello(0)); c.Holder(keeper) != "mac-d" {
		t.Errorf("%q owns it, want mac-d: nobody else is there", c.Holder(keeper))
	}
	c.log(anew.Commit(turnOf("late", 5)), third.Commit(turnOf("the third", 5)), third.Commit(turnOf("the third", 6)))
	if got := c.row("s/keeper/x\x00by"); got != "the third" {
		t.Errorf("%q has written, want the third", got)
	}
	c.has(1, "n/", "nobody was there for the others")
}

// A store of which the cluster knows nothing yet takes nothing from a box of the one before, until its
// hello gives it what is in there.
func TestAStoreTakesOnlyItsOwn(t *testing.T) {
	c := newCopy(t, mem.New())
	a, b := voice("a", 1), voice("b", 1)
	gate := messages.Address("gate/line@mac-a")
	a.Store = "the one before"
	c.log(a.Hello(0), b.Hello(0), b.Commit(mail(gate)))
	c.has(0, "i/"+string(gate), "it was for the store before")
	c.log(voice("a", 2).Hello(0))
	c.has(1, "i/"+string(gate), "its store has said hello")
	c.log(b.Commit(mail(gate)))
	c.has(2, "i/"+string(gate), "it is there")
}

// outboxed is a store in which changes wait for the log.
func outboxed(t *testing.T, changes uint64) *mem.Store {
	t.Helper()
	s := mem.New()
	for n := uint64(1); n <= changes; n++ {
		b := crossed("", "", n, keeper)
		b.From = ""
		form, err := b.AppendBinary(nil)
		if err == nil {
			err = s.Apply([]engine.Op{set(engine.OutboxKey(n), string(form))}, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A change leaves the outbox when the log has carried it out, and not before.
func TestTheOutboxKeepsWhatIsNotInTheLog(t *testing.T) {
	c := newCopy(t, outboxed(t, 2))
	a, b := voice("a", 1), voice("b", 1)
	c.log(a.Hello(0), b.Hello(0), b.Commit(crossed("mac-b", "store-b", 1, keeper)))
	c.has(2, "lx/box/", "the change of another node came over")
	c.log(a.Commit(crossed("mac-a", "store-a", 2, keeper)))
	c.has(2, "lx/box/", "the second came before the first")
	c.log(a.Commit(crossed("mac-a", "store-a", 1, keeper)))
	if got := keys(t, c.store, "lx/box/"); !slices.Equal(got, []string{engine.OutboxKey(2)}) {
		t.Errorf("%q wait, want the second", got)
	}
	c.log(a.Commit(crossed("mac-a", "store-a", 2, keeper)))
	c.has(0, "lx/box/", "all are in the log")
	c.has(3, keeperIn, "each came once")
}

// proposals is a log that only notes what is proposed.
type proposals [][]byte

func (p *proposals) Append(next engine.Proposal) { *p = append(*p, next.Entry) }

func (p *proposals) last() []byte { return (*p)[len(*p)-1] }

// A proposal has come about when its own entry was carried out, and is answered once.
func TestAProposalIsAnsweredByItsOwnEntry(t *testing.T) {
	c := newCopy(t, mem.New())
	var log proposals
	c.Connect(&log)
	c.Begin(3)
	hello := log.last()
	c.Announce("topic", nil, nil) // waits for the hello
	if len(log) != 1 {
		t.Fatalf("%d proposals, want the hello", len(log))
	}
	c.log(hello)
	first, done := log.last(), 0
	c.log(first)
	c.Announce("topic", []byte("note"), func(error) { done++ })
	note := log.last()
	earlier := voice("a", 2)
	c.log(earlier.Hello(0), earlier.Commit(), earlier.Commit(), hello, first)
	if done != 0 {
		t.Error("it was answered by an entry of an earlier start, or by an earlier one")
	}
	c.log(note, note)
	if done != 1 {
		t.Errorf("it was answered %d times, want once", done)
	}
	c.has(2, "m/note/\x00", "two were announced")
}

// A node says that it has what came for it, and that it is there if others think otherwise.
func TestANodeSaysWhatItHas(t *testing.T) {
	c := newCopy(t, mem.New())
	var log proposals
	c.Connect(&log)
	c.Begin(3)
	c.log(log.last())
	b := voice("b", 1)
	c.log(b.Hello(0))
	c.Say()
	if len(log) != 1 {
		t.Errorf("%d proposals, want only the hello: nothing has come", len(log))
	}
	c.log(b.Commit(mail("gate/line@mac-a")))
	c.Say()
	if len(log) != 2 {
		t.Fatalf("%d proposals, want that it has what came", len(log))
	}
	c.log(log.last())
	c.has(0, "x/box/", "it has said so")
	c.Say()
	if len(log) != 2 {
		t.Errorf("%d proposals, want no other: it has been said", len(log))
	}
	c.log(b.Down("mac-a", 3))
	if len(log) != 3 || c.Members()["mac-a"] != 0 {
		t.Fatalf("%d proposals and members %v, want another hello of mac-a", len(log), c.Members())
	}
	c.log(log.last())
	if c.Members()["mac-a"] != 3 {
		t.Errorf("Members() = %v, want mac-a again", c.Members())
	}
	c.Announce("topic", nil, nil) // what comes now waits
	c.Down("mac-b", 1)
	c.Down("mac-b", 1)
	for before := 0; before != len(log); {
		before = len(log)
		c.log(log.last())
	}
	if len(log) != 5 || len(c.Members()) != 1 {
		t.Errorf("%d proposals and members %v, want a note and that mac-b is gone, once", len(log), c.Members())
	}
}

// A machine with the name of one before does not take its words in the log for its own, and counts its
// starts on from it, also after a restart.
func TestAMachineCountsOnFromTheOneBefore(t *testing.T) {
	c := newCopy(t, mem.New())
	var log proposals
	c.Connect(&log)
	c.Begin(1)
	early := log.last()
	before, b := voice("a", 1), voice("b", 1)
	before.Store = "the one before"
	c.log(before.Hello(0), before.Claim(keeper), b.Hello(0))
	if !c.Silent() {
		t.Error("it takes part with the hello of the one before")
	}
	before = voice("a", 4)
	before.Store = "the one before"
	c.log(before.Hello(0), before.Commit(), early)
	if len(c.Members()) != 2 || c.Members()["mac-a"] != 4 {
		t.Errorf("Members() = %v, want the one before", c.Members())
	}
	c.log(log.last()) // it counted on from what it knew then
	c.log(log.last())
	if c.Silent() || c.Members()["mac-a"] != 5 || c.Holder(keeper) != "mac-b" {
		t.Errorf("Members() = %v, %q owns the keeper: want mac-a there with its next start, which owns nothing",
			c.Members(), c.Holder(keeper))
	}
	if boot := c.row("m/boot"); boot != "\x00\x00\x00\x00\x00\x00\x00\x05" {
		t.Errorf("its starts are counted as %q, want 5", boot)
	}
	n := len(log)
	c.log(b.Commit(), before.Commit())
	if len(log) != n {
		t.Errorf("%d proposals, want %d: nothing is left to be said", len(log), n)
	}
}

// A word of a machine that died may come into the log after that of the one in its place, which says anew that it is
// there: else all it says would be passed over, and it would say it without end.
func TestALateWordOfTheMachineBefore(t *testing.T) {
	c := newCopy(t, outboxed(t, 1))
	var log proposals
	c.Connect(&log)
	c.Begin(1)
	c.log(log.last())
	before := voice("a", 2)
	before.Store = "the one before"
	c.log(before.Hello(0))
	if !c.Silent() {
		t.Error("it takes part as if the log took its word")
	}
	for range 4 { // what was under way, and a hello of the next start
		c.log(log.last())
	}
	if c.Silent() || c.Members()["mac-a"] != 3 {
		t.Errorf("Members() = %v, want mac-a there with its next start", c.Members())
	}
	c.has(0, "lx/box/", "what waited is in the log")
	if n := len(log); n > 4 {
		t.Errorf("%d proposals, want no more than are needed", n)
	}
}

// Two machines that live under one name would say in turn that they are there, and fill the log: one of them gives way,
// until nobody has the name.
func TestTwoMachinesOfOneName(t *testing.T) {
	var logs [2]proposals
	both := [2]*copyOf{}
	for i := range both {
		store := mem.New()
		r, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-a", Store: store,
			Kinds: []engine.Kind{{Name: "keeper"}}, ID: func() string { return string(rune('1' + i)) }})
		if err != nil {
			t.Fatal(err)
		}
		both[i] = &copyOf{Replica: r, t: t, store: store, next: 1}
		r.Connect(&logs[i])
		r.Begin(1)
	}
	said, entries := [2]int{}, 0
	for moved := true; moved && entries < 1000; {
		moved = false
		for i := range logs {
			if said[i] < len(logs[i]) {
				moved = true
				entry := logs[i][said[i]]
				said[i]++
				entries++
				both[0].log(entry)
				both[1].log(entry)
			}
		}
	}
	if entries >= 100 {
		t.Fatalf("%d entries, want that one of them gives way", entries)
	}
	if both[0].Contested() == both[1].Contested() || both[0].Silent() == both[1].Silent() {
		t.Errorf("Contested() = %v, %v, Silent() = %v, %v, want one that has given way", both[0].Contested(),
			both[1].Contested(), both[0].Silent(), both[1].Silent())
	}
	way := both[0]
	log := &logs[0]
	if both[1].Contested() {
		way, log = both[1], &logs[1]
	}
	way.log(voice("b", 1).Down("mac-a", way.Members()["mac-a"]))
	if way.log(log.last()); way.Silent() || way.Contested() {
		t.Error("it takes no part although nobody has its name any more")
	}
}

// A snapshot may hold a hello that counted for nothing, because a machine before has started more often:
// the next one is proposed.
func TestASnapshotPassesOverAHello(t *testing.T) {
	c, other := newCopy(t, mem.New()), newCopy(t, mem.New())
	var log proposals
	c.Connect(&log)
	c.Begin(1)
	before := voice("a", 3)
	before.Store = "the one before"
	other.log(before.Hello(0), log.last())
	var form bytes.Buffer
	if err := other.Snapshot(&form); err != nil {
		t.Fatal(err)
	}
	if err := c.Restore(&form); err != nil {
		t.Fatal(err)
	}
	c.next = c.Applied() + 1
	if c.log(log.last()); c.Silent() || c.Members()["mac-a"] != 4 {
		t.Errorf("Members() = %v after %d proposals, want mac-a with its next start", c.Members(), len(log))
	}
}

// A snapshot replaces what is shared, and nothing that is bound to the node.
func TestASnapshotReplacesWhatIsShared(t *testing.T) {
	s := outboxed(t, 3)
	own := []engine.Op{set("s/gate/line@mac-a\x00row", "own"), set("s/keeper/old\x00row", "old")}
	if err := s.Apply(own, false); err != nil {
		t.Fatal(err)
	}
	c := newCopy(t, s)
	other := newCopy(t, mem.New()) // another node's rows under mac-a's name: only what is shared counts
	a, b := voice("a", 1), voice("b", 1)
	other.log(a.Hello(0), b.Hello(0), b.Commit(turnOf("b", 1)), b.Commit(mail("gate/line@mac-a")),
		a.Commit(crossed("mac-a", "store-a", 1, keeper), crossed("mac-a", "store-a", 2, keeper)))
	if err := other.store.Apply([]engine.Op{set("s/gate/line@mac-b\x00row", "another's")}, false); err != nil {
		t.Fatal(err)
	}
	var form bytes.Buffer
	if err := other.Snapshot(&form); err != nil {
		t.Fatal(err)
	}
	rows := 0
	err := engine.ReadSnapshot(bytes.NewReader(form.Bytes()), func(ops []engine.Op) error {
		for _, op := range ops {
			rows++
			if bytes.Contains(op.Key, []byte("gate/")) && !bytes.HasPrefix(op.Key, []byte("x/box/")) {
				t.Errorf("the snapshot has %q, which is bound to a node", op.Key)
			}
		}
		return nil
	})
	if err != nil || rows == 0 {
		t.Fatalf("ReadSnapshot() = %v, %d rows", err, rows)
	}
	cut := io.LimitReader(bytes.NewReader(form.Bytes()), int64(form.Len()-1))
	if err := c.Restore(cut); err == nil || !c.Torn() || !newCopy(t, s).Torn() {
		t.Errorf("Restore() of a part = %v, Torn() = %t, want an error that a restart knows", err, c.Torn())
	}
	if err := c.Apply(c.next, b.Commit()); err == nil {
		t.Error("Apply() on a part of a snapshot, want an error")
	}
	if err := c.Restore(&form); err != nil || c.Torn() || newCopy(t, s).Torn() {
		t.Fatalf("Restore() = %v, Torn() = %t", err, c.Torn())
	}
	if c.Applied() != 5 || newCopy(t, s).Applied() != 5 {
		t.Errorf("Applied() = %d, want 5", c.Applied())
	}
	c.has(0, "s/keeper/old", "the snapshot does not have it")
	c.has(2, keeperIn, "two changes were in the log")
	if got := keys(t, s, "lx/box/"); !slices.Equal(got, []string{engine.OutboxKey(3)}) {
		t.Errorf("%q wait, want the third, which the snapshot does not have", got)
	}
	if got := c.row("s/gate/line@mac-a\x00row"); got != "own" {
		t.Errorf("its own row is %q", got)
	}
	c.has(1, "i/gate/line@mac-a", "what was in the box is taken")
}

// A snapshot of a node that wrote what is bound to it changes nothing of that here, and one
// that does not say where it ends is refused.
func TestAForeignSnapshot(t *testing.T) {
	form := func(rows ...string) io.Reader {
		var b bytes.Buffer
		err := engine.WriteSnapshot(&b, func(yield func(k, v []byte) bool) error {
			for _, key := range rows {
				yield([]byte(key), []byte("\x00\x00\x00\x00\x00\x00\x00\x07"))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return &b
	}
	c := newCopy(t, mem.New())
	if err := c.Restore(form("s/keeper/x\x00r")); !errors.Is(err, engine.ErrSnapshot) || !c.Torn() {
		t.Errorf("Restore() without an end = %v, Torn() = %t", err, c.Torn())
	}
	if err := c.Restore(form("lm/applied", "lm/store", "s/gate/x\x00r", "s/keeper/x\x00r")); err != nil {
		t.Fatal(err)
	}
	c.has(0, "s/gate/", "it is bound to a node")
	c.has(1, "s/keeper/", "it is shared")
	if got := c.row("lm/store"); got != "store-a" {
		t.Errorf("the store is called %q, want its own name", got)
	}
	for _, k := range []struct {
		index uint64
		same  bool
	}{{8, true}, {6, false}} { // of an index that the store has passed there is another cluster
		err := c.Found(k.index)
		again := newCopy(t, c.store)
		if err != nil || c.Applied() != k.index || again.Applied() != k.index {
			t.Errorf("Found(%d) = %v, Applied() = %d, then %d", k.index, err, c.Applied(), again.Applied())
		}
		if id := again.StoreID(); id != c.StoreID() || (id == "store-a") != k.same {
			t.Errorf("after Found(%d) the store is called %q, as before: want %v", k.index, id, k.same)
		}
	}
}
