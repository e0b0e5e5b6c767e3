package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/journal"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// Numbers are put into a gate of each node, go to a ledger that any node may own, and come
// back as receipts.
type (
	put     struct{ N int }
	entry   struct{ From, N int }
	receipt struct{ N int }
	lap     struct{ N int }
)

func (put) MessageType() messages.Type     { return messages.Type{Name: "test_put", Version: 1} }
func (entry) MessageType() messages.Type   { return messages.Type{Name: "test_entry", Version: 1} }
func (receipt) MessageType() messages.Type { return messages.Type{Name: "test_receipt", Version: 1} }
func (lap) MessageType() messages.Type     { return messages.Type{Name: "test_lap", Version: 1} }

var (
	table  = messages.Table{durable[put](), durable[entry](), durable[receipt](), durable[lap]()}
	laps   = actors.NewTable[int]("laps")
	booked = actors.NewTable[[]entry]("booked")
	had    = actors.NewTable[[]int]("had")
)

func durable[M messages.Message]() messages.Entry { return messages.Durable[M](nil).AboutNobody() }

type actor func(*actors.Turn, messages.Message) error

func (a actor) Receive(t *actors.Turn, m messages.Message) error { return a(t, m) }

// runner sends itself laps. Each is a durable turn.
func runner(turn *actors.Turn, msg messages.Message) error {
	if m, ok := msg.(lap); ok {
		laps.Put(turn, "n", m.N)
		turn.Send(turn.Self(), lap{m.N + 1})
	}
	return nil
}

func kinds(node int) []engine.Kind {
	gate := func(turn *actors.Turn, msg messages.Message) error {
		switch m := msg.(type) {
		case put:
			turn.Send(messages.To("ledger", strconv.Itoa(m.N%4)), entry{node, m.N})
		case receipt:
			all, _ := had.Get(turn, "all")
			had.Put(turn, "all", append(all, m.N))
		}
		return nil
	}
	ledger := func(turn *actors.Turn, msg messages.Message) error {
		if m, ok := msg.(entry); ok {
			all, _ := booked.Get(turn, "all")
			booked.Put(turn, "all", append(all, m))
			turn.Send(gateOf(m.From), receipt{m.N})
		}
		return nil
	}
	return []engine.Kind{
		{Name: "gate", Here: true, New: func(messages.Address) actors.Actor { return actor(gate) }},
		{Name: "ledger", New: func(messages.Address) actors.Actor { return actor(ledger) }},
		{Name: "runner", New: func(messages.Address) actors.Actor { return actor(runner) }},
	}
}

func nodeName(i int) string { return "mac-" + strconv.Itoa(i) }

func gateOf(i int) messages.Address { return messages.To("gate", "line@"+nodeName(i)) }

// member is one node, over stores that outlive its process.
type member struct {
	i          int
	store, log engine.Store
	dir        string
	net        *wire
	seat       *journal.Journal
	sys        *live.System
	replica    *engine.Replica
	put        int
	lost       int  // up to which number another machine of its name had the receipts, which are gone
	alone      bool // without a seat
}

// nodes is a cluster in one process, with the real log.
type nodes struct {
	t     testing.TB
	hub   *hub
	codec *messages.Codec
	all   []*member
}

func newNodes(t testing.TB, n int) *nodes {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), table)
	if err != nil {
		t.Fatal(err)
	}
	c := &nodes{t: t, hub: newHub(), codec: codec}
	for i := range n {
		c.all = append(c.all, &member{i: i, store: mem.New(), log: mem.New(), dir: t.TempDir()})
	}
	t.Cleanup(func() {
		for _, m := range c.all {
			c.kill(m.i)
		}
	})
	return c
}

func (c *nodes) options(m *member) journal.Options {
	c.t.Helper()
	r, err := engine.NewReplica(engine.ReplicaOptions{Node: nodeName(m.i), Store: m.store, Kinds: kinds(m.i)})
	if err != nil {
		c.t.Fatal(err)
	}
	return journal.Options{
		Node: nodeName(m.i), Address: nodeName(m.i), Replica: r, Network: m.net, Store: m.log, Dir: m.dir,
		// Small, so that snapshots come about.
		Timing: journal.Timing{Keep: 32, Snapshot: 64},
		May:    func(node string) bool { return node != "witness" },
		Broken: func(err error) { c.t.Errorf("%s cannot follow the log: %v", nodeName(m.i), err) },
	}
}

// start starts a node's process.
func (c *nodes) start(i int) {
	c.t.Helper()
	m := c.all[i]
	m.net = c.hub.join(c.t, nodeName(i))
	o := c.options(m)
	var err error
	if m.seat, err = journal.Open(o); err != nil {
		c.t.Fatal(err)
	}
	m.replica = o.Replica
	m.sys, err = live.New(live.Options{Engine: engine.Options{
		Store: m.store, Codec: c.codec, Kinds: kinds(i), Replica: m.replica, Sync: true,
	}})
	if err == nil {
		err = m.sys.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// kill ends a node's process. Unsynced writes are lost, as in a power cut.
func (c *nodes) kill(i int) {
	c.t.Helper()
	m := c.all[i]
	if m.sys == nil || m.alone {
		return
	}
	_ = m.net.Close()
	m.sys.Kill()
	if err := m.seat.Close(); err != nil {
		c.t.Errorf("close the seat of %s: %v", nodeName(i), err)
	}
	m.sys = nil
	m.store, m.log = afterPowerCut(m.store), afterPowerCut(m.log)
}

// afterPowerCut is what is left of a store in memory; one on disk is left as it is.
func afterPowerCut(s engine.Store) engine.Store {
	if m, ok := s.(*mem.Store); ok {
		return m.CloneSynced()
	}
	return s
}

// found makes a cluster of all nodes.
func (c *nodes) found() {
	c.t.Helper()
	first := c.all[0]
	if err := journal.Found(c.options(first)); err != nil {
		c.t.Fatal(err)
	}
	for i := range c.all {
		c.start(i)
	}
	c.until("a leader", func() bool { return first.seat.Status().Ready })
	for i := 1; i < len(c.all); i++ {
		c.add(0, cluster.Peer{Node: nodeName(i), Address: nodeName(i), Role: cluster.Voter})
	}
}

func (c *nodes) add(at int, p cluster.Peer) {
	c.t.Helper()
	ctx, end := context.WithTimeout(context.Background(), limit)
	defer end()
	// It fails when the leader loses its place meanwhile; a seat tries again, too.
	c.until("place for "+p.Node, func() bool { return c.all[at].seat.Add(ctx, p) == nil })
}

// limit is for what ought to come about within seconds.
const limit = 2 * time.Minute

// until waits for a condition.
func (c *nodes) until(what string, holds func() bool) {
	c.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(limit)
	for !holds() {
		select {
		case <-tick.C:
		case <-timeout:
			for _, m := range c.all {
				if m.sys != nil {
					c.t.Logf("%s: %+v, left %+v", nodeName(m.i), m.seat.Status(), m.sys.Engine().Left(0))
				}
			}
			c.t.Fatalf("after %v: no %s", limit, what)
		}
	}
}

// leader is the node that leads, as most see it.
func (c *nodes) leader() int {
	c.t.Helper()
	led := -1
	c.until("leader", func() bool {
		for i, m := range c.all {
			if m.sys != nil && m.seat.Status().Leader == nodeName(i) && m.seat.Status().Ready {
				led = i
				return true
			}
		}
		return false
	})
	return led
}

// puts puts numbers into the gate of a node, which holds them in any case.
func (c *nodes) puts(i, n int) {
	c.t.Helper()
	m := c.all[i]
	for range n {
		m.put++
		msg := put{m.put}
		if err := m.sys.Engine().Inject(c.t.Context(), gateOf(i), msg, strconv.Itoa(msg.N)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// settled waits until each number has been booked and acknowledged, and all nodes hold the
// same. Then it checks that everything came about once, and in order.
func (c *nodes) settled() {
	c.t.Helper()
	for i, m := range c.all {
		c.until(fmt.Sprintf("%d receipts at %s", m.put, nodeName(i)), func() bool {
			return len(m.receipts(c.t)) >= m.put-m.lost
		})
	}
	c.until("end of what is under way", func() bool {
		first := c.all[0].replica.Applied()
		return !slices.ContainsFunc(c.all, func(m *member) bool { return m.replica.Applied() != first }) && c.same()
	})
	for i, m := range c.all {
		if got := m.receipts(c.t); len(got) != m.put-m.lost || !unique(rows(c.t, m, had, gateOf(i))) {
			c.t.Errorf("gate %d has receipts %v, want each number from %d to %d once", i, got, m.lost+1, m.put)
		}
		var all []int
		for l := range 4 {
			var of []int
			for _, e := range rows(c.t, c.all[0], booked, messages.To("ledger", strconv.Itoa(l))) {
				if e.From == i {
					of = append(of, e.N)
				}
			}
			if !slices.IsSorted(of) {
				c.t.Errorf("ledger %d got %v from gate %d, want them in order", l, of, i)
			}
			all = append(all, of...)
		}
		if len(all) != m.put || !unique(all) {
			c.t.Errorf("%d numbers of gate %d are booked (%v), want %d, each once", len(all), i, all, m.put)
		}
	}
}

// receipts are those that the node's gate has, without what another machine of its name may have had too.
func (m *member) receipts(t testing.TB) []int {
	t.Helper()
	return slices.DeleteFunc(rows(t, m, had, gateOf(m.i)), func(n int) bool { return n <= m.lost })
}

func unique(n []int) bool {
	sorted := slices.Sorted(slices.Values(n))
	return len(slices.Compact(sorted)) == len(n)
}

// same reports whether all nodes hold the same.
func (c *nodes) same() bool {
	var first []byte
	for i, m := range c.all {
		var form bytes.Buffer
		if err := m.replica.Snapshot(&form); err != nil {
			c.t.Fatal(err)
		}
		if i == 0 {
			first = form.Bytes()
		} else if !bytes.Equal(first, form.Bytes()) {
			return false
		}
	}
	return true
}

func rows[V any](t testing.TB, m *member, tb actors.Table[[]V], of messages.Address) (all []V) {
	t.Helper()
	err := engine.ReadTable(m.sys.Engine(), of.Kind(), tb, func(a messages.Address, _ string, row []V) error {
		if a == of {
			all = row
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestANodeThatDiesOrIsCutOffLosesAndDoublesNothing(t *testing.T) {
	c := newNodes(t, 3)
	c.found()
	all := func(n int) {
		for i, m := range c.all {
			if m.sys != nil {
				c.puts(i, n)
			}
		}
	}
	all(20)
	c.settled()
	for _, fault := range []struct {
		name string
		at   func() int
		cut  bool
	}{
		{"the leader dies", c.leader, false},
		{"a follower dies", func() int { return (c.leader() + 1) % 3 }, false},
		{"the leader is cut off", c.leader, true},
	} {
		i := fault.at()
		all(10)
		if fault.cut {
			c.hub.isolate(nodeName(i), true)
		} else {
			c.kill(i)
		}
		all(40) // a node that is cut off holds them
		other := c.all[(i+1)%3]
		c.until("receipts while "+fault.name, func() bool {
			return len(rows(t, other, had, gateOf(other.i))) >= other.put
		})
		c.hub.isolate(nodeName(i), false)
		if !fault.cut {
			c.start(i)
		}
		all(10)
		c.settled()
		if t.Failed() {
			t.Fatalf("after %s", fault.name)
		}
	}
}

// A machine with an empty disk and the name of an expelled one takes part at once, however
// often the expelled one had started and whatever it had said. It gets the mail that was for
// it.
func TestANewMachineOfAKnownNameTakesPart(t *testing.T) {
	c := newNodes(t, 3)
	c.found()
	for range 2 {
		m := c.all[2]
		for range 3 { // each start counts
			c.kill(2)
			c.start(2)
		}
		for i := range c.all {
			c.puts(i, 10)
		}
		c.settled()
		c.kill(2)
		leader := c.leader()
		m.lost, m.put = m.put, m.put+1
		late := entry{2, m.put}
		to := messages.To("ledger", strconv.Itoa(m.put%4))
		if err := c.all[leader].sys.Engine().Inject(t.Context(), to, late, "late"+strconv.Itoa(m.put)); err != nil {
			t.Fatal(err)
		}
		c.until("late number in its ledger", func() bool {
			return slices.Contains(rows(t, c.all[leader], booked, to), late)
		})
		c.until("place that is free", func() bool { return c.all[leader].seat.Remove(t.Context(), nodeName(2)) == nil })
		m.store, m.log, m.dir = mem.New(), mem.New(), t.TempDir()
		c.start(2)
		c.add(leader, cluster.Peer{Node: nodeName(2), Address: nodeName(2), Role: cluster.Voter})
		for i := range c.all {
			c.puts(i, 5)
		}
		c.settled()
	}
}

func TestAStoreThatLivedAloneFoundsACluster(t *testing.T) {
	c := newNodes(t, 2)
	first := c.all[0]
	sys, err := live.New(live.Options{Engine: engine.Options{
		Store: first.store, Codec: c.codec, Kinds: kinds(0), Sync: true,
	}})
	if err == nil {
		err = sys.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	first.sys = sys
	c.puts(0, 25)
	c.until("receipts", func() bool { return len(rows(t, first, had, gateOf(0))) == 25 })
	sys.Stop(t.Context())
	first.sys = nil
	c.found()
	c.puts(0, 25)
	c.puts(1, 25)
	c.settled()
}

// Bytes that are no entry, another node's entry, or anything from a witness does not get into
// the log: all nodes would stop there, and again at each start.
func TestHandedOver(t *testing.T) {
	c := newNodes(t, 1)
	c.found()
	c.puts(0, 1)
	witness, other := c.hub.join(t, "witness"), c.hub.join(t, "mac-9")
	for _, k := range []struct {
		from          *wire
		service, form string
		want          string
	}{
		{other, "append", "\x7f", "upgrade"},
		{other, "append", "", "append"},
		{witness, "append", "\x7f", "proposes nothing"},
		{witness, "change", `{"remove":"mac-0"}`, "changes no members"},
	} {
		_, err := k.from.Ask(t.Context(), nodeName(0), k.service, []byte(k.form))
		if err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s of %s: %v, want %q", k.service, k.from.node, err, k.want)
		}
	}
	c.puts(0, 3)
	c.settled()
}
