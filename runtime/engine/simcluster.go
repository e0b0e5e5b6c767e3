package engine

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// SimClusterOptions configure a simulated cluster. Nodes and Node are required.
type SimClusterOptions struct {
	Nodes []string
	// Node configures the simulation of a machine; its Seed, Start and Trace are not used. Each machine
	// that gets the name of one before has a store of its own.
	Node func(name string) SimOptions
	// Begin changes what a process of a machine runs, at each of its starts; what it returns is called with
	// the engine. Nil: what Node says.
	Begin func(name string, o *SimOptions) (func(*Engine) error, error)
	// Between is called before each step, and when time has passed, and may do something to a node. Nil: nothing.
	Between func()
	Home    func(messages.Address) string // see [ReplicaOptions]
	Zone    func(name string) string      // see [ReplicaOptions]; nil: none
	Seed    uint64                        // of every choice
	Start   time.Time                     // zero means 2026-01-01 00:00 UTC
	Loss    float64                       // how often, of 1, what is sent to the leader is lost
	Again   float64                       // how often, of 1, it comes once more, at once or much later
	Jump    float64                       // how often, of 1, a node that is behind gets a snapshot
	Skew    time.Duration                 // the clocks of nodes differ by up to this from the true time
	Trace   io.Writer                     // nil: none
}

// SimCluster runs several nodes in virtual time on one goroutine, over a double of the
// replicated log. The seed chooses what comes next: something that a node does by itself,
// an entry that reaches the log, or one that reaches a node. Nodes can be killed, paused,
// cut off from each other, restarted and replaced at any moment.
type SimCluster struct {
	o     SimClusterOptions
	now   time.Time
	rng   *rand.Rand
	nodes []*simNode

	choices []simChoice // room for what is possible
	faults  map[Fault]int

	entries [][]byte   // what a majority holds
	air     []airborne // what is on its way there
	leader  int        // -1: none
	since   time.Time  // when there was last a leader with a majority
}

type simNode struct {
	name    string
	o       SimOptions
	skew    time.Duration
	sim     *Sim
	replica *Replica
	life    int
	dead    bool
	paused  bool
	deaf    map[int]bool // nodes that it does not hear
	seen    time.Time    // when the leader last heard it
	lag     time.Duration
	heard   time.Time // when it last had an entry
}

// airborne is a proposal of one life of a node; a late one is sent whatever became of it.
type airborne struct {
	Proposal
	node, life int
	late       bool
	due        time.Time // when it arrives at the earliest
}

// Fault is something that a simulated cluster has to bear.
type Fault string

// The faults, which [SimCluster.Faults] counts.
const (
	FaultCrash     Fault = "crash"
	FaultReplace   Fault = "replacement" // of a machine, by a new one of its name
	FaultPause     Fault = "pause"
	FaultPartition Fault = "partition" // a node that hears nobody, and that nobody hears
	FaultOneWay    Fault = "one-way partition"
	FaultDelay     Fault = "delay"     // of a proposal or of an entry
	FaultReorder   Fault = "reorder"   // of proposals
	FaultLoss      Fault = "loss"      // of a proposal
	FaultDuplicate Fault = "duplicate" // of a proposal
	FaultSkew      Fault = "skew"      // of a clock, by more than a minute
	FaultSnapshot  Fault = "snapshot"  // instead of entries
	FaultDiskFull  Fault = "disk full"
	FaultDiskSlow  Fault = "slow disk"
)

// AllFaults are the faults that a seed can bring about.
var AllFaults = []Fault{FaultCrash, FaultReplace, FaultPause, FaultPartition, FaultOneWay, FaultDelay, FaultReorder,
	FaultLoss, FaultDuplicate, FaultSkew, FaultSnapshot, FaultDiskFull, FaultDiskSlow}

// How long the double waits, and how often it looks.
const (
	simTick     = 100 * time.Millisecond
	simElection = time.Second
	simDown     = 2 * time.Second
)

// NewSimCluster starts all nodes.
func NewSimCluster(o SimClusterOptions) (*SimCluster, error) {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	c := &SimCluster{o: o, now: o.Start, since: o.Start, rng: rand.New(rand.NewPCG(o.Seed, 0x636c7573746572)),
		faults: map[Fault]int{}}
	for i, name := range o.Nodes {
		n := &simNode{name: name, deaf: map[int]bool{}, seen: o.Start}
		if o.Skew > 0 {
			n.skew = time.Duration(c.rng.Int64N(2*int64(o.Skew)+1)) - o.Skew
		}
		if n.skew.Abs() > time.Minute {
			c.faults[FaultSkew]++
		}
		n.o = c.machine(i, name, NewManualClock(o.Start.Add(n.skew)))
		c.nodes = append(c.nodes, n)
	}
	for _, n := range c.nodes {
		sim, err := NewSim(n.o)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", n.name, err)
		}
		n.sim = sim
	}
	return c, nil
}

// machine configures a machine with the name of a node.
func (c *SimCluster) machine(i int, name string, clock *ManualClock) SimOptions {
	o := c.o.Node(name)
	o.clock, o.rng = clock, c.rng
	o.share = func(kinds []Kind) (*Replica, error) { return c.share(i, kinds) }
	if c.o.Begin != nil {
		o.begin = func(o *SimOptions) (func(*Engine) error, error) { return c.o.Begin(name, o) }
	}
	if c.o.Trace != nil {
		o.Trace = prefixed{c.o.Trace, name + " "}
	}
	return o
}

// prefixed begins each write with a text.
type prefixed struct {
	io.Writer
	text string
}

func (p prefixed) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.Writer, p.text); err != nil {
		return 0, err
	}
	return p.Writer.Write(b)
}

// pass brings a fleeting message to another node if they hear each other.
func (c *SimCluster) pass(from int, to string, form []byte) {
	for _, n := range c.nodes {
		if n.name == to && !n.dead && !n.paused && !n.deaf[from] && n.replica != nil {
			_ = n.replica.Receive(c.nodes[from].name, form) // what cannot be read is lost
		}
	}
}

// share makes the replica of a node's next life.
func (c *SimCluster) share(i int, kinds []Kind) (*Replica, error) {
	n := c.nodes[i]
	zone := ""
	if c.o.Zone != nil {
		zone = c.o.Zone(n.name)
	}
	r, err := NewReplica(ReplicaOptions{
		Node: n.name, Store: n.o.Engine.Store, Kinds: kinds, Home: c.o.Home, Zone: zone,
		ID:   func() string { return fmt.Sprint(c.rng.Uint64()) },
		Pass: func(to string, form []byte) { c.pass(i, to, form) },
	})
	if err != nil {
		return nil, err
	}
	n.life++
	n.replica = r
	r.Connect(simLog{c, i, n.life})
	return r, nil
}

// simLog is the log as one life of a node sees it.
type simLog struct {
	c          *SimCluster
	node, life int
}

// Append implements [Log].
func (l simLog) Append(p Proposal) {
	l.c.air = append(l.c.air, airborne{p, l.node, l.life, false, l.c.now.Add(l.c.nodes[l.node].lag)})
}

// Now is the true time, from which the clocks of nodes may differ.
func (c *SimCluster) Now() time.Time { return c.now }

// Node is the simulation of a node, for what is done there.
func (c *SimCluster) Node(i int) *Sim { return c.nodes[i].sim }

// Replica is a node's copy of what the cluster shares.
func (c *SimCluster) Replica(i int) *Replica { return c.nodes[i].replica }

// Barrier is [Replica.Barrier] for a worker of a node, while all others go on. It fails when the node
// has waited for so long by its clock, which stands still with it.
func (c *SimCluster) Barrier(i int, within time.Duration) error {
	n := c.nodes[i]
	life, end := n.life, n.sim.clock.Now().Add(within)
	passed := make(chan error, 1)
	n.replica.want(request{entry: entry{kind: entryCommit}, settled: func(err error) { passed <- err }})
	for n.life == life && !n.dead {
		if n.paused {
			c.Advance(simTick)
			continue
		}
		select {
		case err := <-passed:
			return err
		default:
		}
		if !n.sim.clock.Now().Before(end) {
			return fmt.Errorf("engine: no majority confirms within %v", within)
		}
		if !c.Step() {
			c.Advance(simTick)
		}
	}
	return fmt.Errorf("engine: %s is dead", n.name)
}

// Rand is the source of choices.
func (c *SimCluster) Rand() *rand.Rand { return c.rng }

// Dead reports whether a node was killed and not started again.
func (c *SimCluster) Dead(i int) bool { return c.nodes[i].dead }

// Paused reports whether a node stands still.
func (c *SimCluster) Paused(i int) bool { return c.nodes[i].paused }

// Leader is the number of the node that leads, -1 for none.
func (c *SimCluster) Leader() int { return c.leader }

// Faults counts what the cluster had to bear so far.
func (c *SimCluster) Faults() map[Fault]int { return c.faults }

// Entries returns the entries of the log, in order.
func (c *SimCluster) Entries() [][]byte { return c.entries }

// Kill ends a node's process: what is not in its store is gone.
func (c *SimCluster) Kill(i int) {
	c.nodes[i].dead = true
	c.faults[FaultCrash]++
	c.tracef("kill %s", c.nodes[i].name)
}

// Restart starts a node again over its store, killing it first if it runs.
func (c *SimCluster) Restart(i int) error {
	n := c.nodes[i]
	n.dead, n.paused, n.seen = false, false, c.now
	c.tracef("restart %s", n.name)
	n.sim.clock.Set(c.now.Add(n.skew))
	return n.sim.Crash()
}

// Replace kills a node, has the others expel it, and lets a new machine of its name in, with the store
// that it now gets: data that only the old machine had is lost. It returns false if the remaining
// nodes have no leader, because only a leader can expel: then the node is dead and still a member.
func (c *SimCluster) Replace(i int) (bool, error) {
	n := c.nodes[i]
	if c.Kill(i); !c.leads(c.leader) {
		return false, nil
	}
	leader := c.nodes[c.leader].replica
	if boot, ok := leader.Members()[n.name]; ok && c.rng.IntN(2) == 0 { // else it has no time to say so
		leader.Down(n.name, boot)
	}
	for j := range c.air { // what it has said may still arrive
		a := &c.air[j]
		a.late = a.late || a.node == i && c.rng.IntN(2) == 0
	}
	c.faults[FaultReplace]++
	c.tracef("replace %s", n.name)
	n.o = c.machine(i, n.name, n.sim.clock)
	n.sim.o = n.o
	return true, c.Restart(i)
}

// Pause makes a node stand still, as a machine that sleeps, until Unpause.
func (c *SimCluster) Pause(i int) {
	c.nodes[i].paused = true
	c.faults[FaultPause]++
}

// Unpause ends a Pause.
func (c *SimCluster) Unpause(i int) { c.nodes[i].paused = false }

// Cut makes a node not hear another one, until Heal.
func (c *SimCluster) Cut(from, to int) {
	c.nodes[to].deaf[from] = true
	c.faults[FaultOneWay]++
}

// Isolate cuts a node off from all others.
func (c *SimCluster) Isolate(i int) {
	c.faults[FaultPartition]++
	for j, n := range c.nodes {
		if j != i {
			n.deaf[i], c.nodes[i].deaf[j] = true, true
		}
	}
}

// Delay makes whatever a node says to the log, and each entry that comes to it, take so long, until
// Heal.
func (c *SimCluster) Delay(i int, lag time.Duration) {
	c.nodes[i].lag = lag
	c.faults[FaultDelay]++
}

// Slow makes the disk of a node slow, until Heal: there is time for one commit and one entry a tick.
func (c *SimCluster) Slow(i int) {
	c.nodes[i].sim.slow = true
	c.faults[FaultDiskSlow]++
}

// Heal ends all cuts, pauses, delays and slowness, and restarts what was killed.
func (c *SimCluster) Heal() error {
	for i, n := range c.nodes {
		clear(n.deaf)
		n.paused, n.lag, n.sim.slow = false, 0, false
		if n.dead {
			if err := c.Restart(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *simNode) runs() bool { return !n.dead && !n.paused }

// hears reports whether a node hears another one.
func (c *SimCluster) hears(to, from int) bool {
	return from == to || c.nodes[from].runs() && c.nodes[to].runs() && !c.nodes[to].deaf[from]
}

// leads reports whether a node could lead: it reaches a majority, both ways.
func (c *SimCluster) leads(i int) bool {
	if i < 0 || !c.nodes[i].runs() {
		return false
	}
	with := 0
	for j := range c.nodes {
		if c.hears(i, j) && c.hears(j, i) {
			with++
		}
	}
	return 2*with > len(c.nodes)
}

// simChoice is something that can happen: a node's own step, a proposal that reaches the log, or
// an entry that reaches a node.
type simChoice struct {
	node, air int // -1: not
	entry     bool
}

// possible lists what can happen now.
func (c *SimCluster) possible() []simChoice {
	all := c.choices[:0]
	defer func() { c.choices = all }()
	led := c.leads(c.leader)
	for i, n := range c.nodes {
		if !n.runs() {
			continue
		}
		if n.sim.can() {
			all = append(all, simChoice{node: i, air: -1})
		}
		if led && c.hears(i, c.leader) && c.behind(n) && c.entryDue(n) {
			all = append(all, simChoice{node: i, air: -1, entry: true})
		}
	}
	if !led {
		return all
	}
	kept := c.air[:0]
	for _, a := range c.air {
		if !a.late && (closed(a.Done) || a.life != c.nodes[a.node].life) {
			continue
		}
		kept = append(kept, a)
		if a.due.After(c.now) {
			continue
		}
		if a.late || c.nodes[a.node].runs() && c.hears(c.leader, a.node) {
			all = append(all, simChoice{node: -1, air: len(kept) - 1})
		}
	}
	clear(c.air[len(kept):])
	c.air = kept
	return all
}

// behind reports whether a node lacks entries, or a part of a snapshot.
func (c *SimCluster) behind(n *simNode) bool {
	return n.replica.Applied() < uint64(len(c.entries)) || n.replica.Torn()
}

// entryDue reports whether a node's disk and the way to it let it have an entry now.
func (c *SimCluster) entryDue(n *simNode) bool {
	return !n.heard.Add(n.lag).After(c.now) && !(n.sim.slow && n.heard.Equal(c.now))
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func (c *SimCluster) between() {
	if c.o.Between != nil {
		c.o.Between()
	}
}

// Step does one possible thing. It returns false if there is none.
func (c *SimCluster) Step() bool {
	c.between()
	all := c.possible()
	if len(all) == 0 {
		return false
	}
	switch pick := all[c.rng.IntN(len(all))]; {
	case pick.air >= 0:
		c.reach(pick.air)
	case pick.entry:
		c.receive(pick.node)
	default:
		c.nodes[pick.node].sim.Step()
	}
	return true
}

// reach brings a proposal into the log, or loses it for now.
func (c *SimCluster) reach(i int) {
	a := c.air[i]
	if i > 0 {
		c.faults[FaultReorder]++
	}
	if a.late {
		c.air = slices.Delete(c.air, i, i+1)
	} else if c.rng.Float64() < c.o.Loss {
		c.faults[FaultLoss]++
		return // it is sent again
	} else if c.rng.Float64() >= c.o.Again {
		c.air = slices.Delete(c.air, i, i+1) // the log has it: nobody sends it again
	} else if c.rng.IntN(2) == 0 {
		c.air[i].late = true
		c.faults[FaultDuplicate]++
	} else {
		c.faults[FaultDuplicate]++
		c.air = slices.Delete(c.air, i, i+1)
		c.entries = append(c.entries, a.Entry)
		c.tracef("entry %d of %s, twice", len(c.entries), c.nodes[a.node].name)
	}
	c.entries = append(c.entries, a.Entry)
	c.tracef("entry %d of %s", len(c.entries), c.nodes[a.node].name)
}

// receive hands a node its next entry, or a snapshot of another node.
func (c *SimCluster) receive(i int) {
	r := c.nodes[i].replica
	at := r.Applied()
	c.nodes[i].heard = c.now
	if torn := r.Torn(); torn || c.rng.Float64() < c.o.Jump && c.nodes[c.leader].replica.Applied() > at {
		if c.leader == i { // whoever lacks entries does not lead
			c.leader = -1
			return
		}
		var form bytes.Buffer
		err := c.nodes[c.leader].replica.Snapshot(&form)
		if err == nil {
			err = r.Restore(&form)
		}
		c.faults[FaultSnapshot]++
		c.tracef("snapshot for %s: %v", c.nodes[i].name, err)
		return
	}
	// Entries that the store refuses come again.
	if err := r.Apply(at+1, c.entries[at]); err != nil {
		c.faults[FaultDiskFull]++
		c.tracef("entry %d at %s: %v", at+1, c.nodes[i].name, err)
	}
}

// Settle steps until nothing is possible at this moment, and returns how often. It panics if that never ends.
func (c *SimCluster) Settle() (steps int) {
	for c.Step() {
		if steps++; steps == restless {
			panic(fmt.Sprintf("engine: the simulated cluster of seed %d does not come to rest at %s", c.o.Seed,
				c.now.Format("15:04:05.000")))
		}
	}
	return steps
}

// restless is more steps than a moment has in which anything is ever done.
const restless = 1_000_000

// calm reports whether nothing happens before the next timer: all nodes hear the leader, and nothing
// waits.
func (c *SimCluster) calm() bool {
	if !c.leads(c.leader) {
		return false
	}
	for i, n := range c.nodes {
		if !c.hears(c.leader, i) || !c.hears(i, c.leader) || n.sim.engine.commitWaits() ||
			c.behind(n) {
			return false
		}
	}
	return len(c.air) == 0
}

// Advance settles, and moves the clocks from timer to timer until d has passed.
func (c *SimCluster) Advance(d time.Duration) {
	quiet := 0 // ticks in a row in which nothing happened
	for end := c.now.Add(d); ; {
		if quiet++; c.Settle() > 0 {
			quiet = 0
		}
		next := end
		if tick := c.now.Truncate(simTick).Add(simTick); tick.Before(next) && (quiet < 2 || !c.calm()) {
			next = tick
		}
		for _, n := range c.nodes {
			if due, ok := n.sim.engine.NextTimer(); ok && n.runs() {
				if due = due.Add(-n.skew); due.Before(next) {
					next = due
				}
			}
		}
		if next.After(c.now) {
			c.now = next
		}
		for _, n := range c.nodes {
			if n.runs() {
				n.sim.clock.Set(c.now.Add(n.skew))
				n.sim.engine.FireTimers()
			}
		}
		c.tick()
		c.between()
		if !c.now.Before(end) {
			c.Settle()
			return
		}
	}
}

// tick elects a leader if there has been none for a while, and reports missing nodes.
func (c *SimCluster) tick() {
	if c.leads(c.leader) {
		c.since = c.now
		c.miss()
		return
	}
	if c.now.Sub(c.since) < simElection {
		return
	}
	var able []int
	for i := range c.nodes {
		if c.leads(i) {
			able = append(able, i)
		}
	}
	if c.leader = -1; len(able) > 0 {
		c.leader = able[c.rng.IntN(len(able))]
		for _, n := range c.nodes {
			n.seen = c.now
		}
		c.tracef("leader %s", c.nodes[c.leader].name)
	}
}

// miss makes the leader name the nodes that it has not heard for a while.
func (c *SimCluster) miss() {
	r := c.nodes[c.leader].replica
	members := r.Members()
	for i, n := range c.nodes {
		if c.hears(c.leader, i) && c.hears(i, c.leader) {
			n.seen = c.now
			n.replica.Say()
			continue
		}
		if boot, ok := members[n.name]; ok && c.now.Sub(n.seen) >= simDown {
			n.seen = c.now
			r.Down(n.name, boot)
		}
	}
}

func (c *SimCluster) tracef(format string, args ...any) {
	if c.o.Trace != nil {
		fmt.Fprintf(c.o.Trace, "%s "+format+"\n", append([]any{c.now.Format("15:04:05.000")}, args...)...)
	}
}
