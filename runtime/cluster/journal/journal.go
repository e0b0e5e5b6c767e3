// Package journal is the replicated log of a cluster: a [Journal] is this node's part of it,
// over hashicorp/raft, and brings the entries to the [engine.Replica] of the node. Open (open.go)
// is the place to start.
//
// Raft decides who is a member and in which order entries come; what an entry does, and who
// owns which actor, is the replica's. The leader watches the others, and says in the log who
// has not been heard of for [Timing.Down].
//
// A crash loses nothing that was acknowledged. Raft's log survives a power cut before an
// entry counts, and the replica's store follows it.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/raft"
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/raftlog"
)

// Services of a member, by which the others ask it.
const (
	serviceAppend = "append"  // an entry for the leader
	serviceChange = "change"  // of the members, for the leader
	serviceWhere  = "applied" // how far a member is
	serviceFull   = "full"    // a member has no room for entries, for the leader
)

// Journal is a node's part of the log. Its methods may be called concurrently. Those that
// change the members are carried out by the leader, whichever node is asked, and return when a
// majority holds the change.
type Journal struct {
	o       Options
	log     zerolog.Logger
	raft    *raft.Raft
	entries *raftlog.Log
	machine *machine
	wires   *raft.NetworkTransport

	ctx  context.Context // ends with Close
	end  context.CancelFunc
	all  sync.WaitGroup
	news chan raft.Observation

	heard func() time.Time // when a leader was heard of last

	seated chan struct{} // closed once raft runs

	mu      sync.Mutex
	changed chan struct{}      // closed and replaced when the leader may be another
	failing map[string]failure // by node: its heartbeats since they fail
	former  former
	once    sync.Once
	closed  error
}

var _ engine.Log = (*Journal)(nil)

// place is where an entry stands in the log.
type place struct {
	Index uint64 `json:"index"`
	Term  uint64 `json:"term"`
}

// Append implements [engine.Log].
func (j *Journal) Append(p engine.Proposal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx.Err() == nil {
		j.all.Go(func() { j.bring(p) })
	}
}

// bring tries until the entry is in the log and has come back from there.
func (j *Journal) bring(p engine.Proposal) {
	wait := j.o.Timing.Retry
	for {
		j.mu.Lock()
		changed := j.changed
		j.mu.Unlock()
		ctx, end := context.WithTimeout(j.ctx, j.o.Timing.Apply)
		at, err := j.append(ctx, p.Entry)
		end()
		pause := wait
		if err == nil {
			j.carryOut(p, at)
			pause = j.o.Timing.Apply // it comes by itself
		}
		timer := time.NewTimer(pause)
		select {
		case <-p.Done:
		case <-j.ctx.Done():
		case <-timer.C:
		case <-changed:
		}
		timer.Stop()
		select {
		case <-p.Done:
			return
		case <-j.ctx.Done():
			return
		default:
		}
		wait = min(2*wait, j.o.Timing.Heartbeat)
	}
}

// carryOut carries out an entry that a majority has, once this node has it too: raft says that only with its next
// word, up to 100 ms later.
func (j *Journal) carryOut(p engine.Proposal, at place) {
	for soon := time.Millisecond; !j.machine.upTo(at, j.entries) && soon < j.o.Timing.Heartbeat; soon *= 2 {
		select {
		case <-p.Done:
			return
		case <-j.ctx.Done():
			return
		case <-time.After(soon):
		}
	}
}

// append has the leader append an entry, and waits until a majority has it.
func (j *Journal) append(ctx context.Context, entry []byte) (at place, err error) {
	if j.raft.State() == raft.Leader {
		return j.appendHere(entry)
	}
	address, id := j.raft.LeaderWithID()
	if address == "" || string(id) == j.o.Node {
		return at, cluster.ErrNoLeader
	}
	answer, err := j.o.Network.Ask(ctx, string(address), serviceAppend, entry)
	if err != nil {
		return at, err
	}
	return at, json.Unmarshal(answer, &at)
}

func (j *Journal) appendHere(entry []byte) (place, error) {
	term := j.raft.CurrentTerm()
	f := j.raft.Apply(entry, j.o.Timing.Apply)
	if err := f.Error(); err != nil {
		return place{}, err
	}
	if j.raft.CurrentTerm() != term {
		term = 0 // nobody can tell in which it was appended
	}
	return place{f.Index(), term}, nil
}

// Status is the cluster as this node sees it.
func (j *Journal) Status() cluster.Status {
	s := cluster.Status{
		Node: j.o.Node, Applied: j.o.Replica.Applied(), Contact: j.raft.LastContact(),
		Waiting: j.o.Replica.Waiting(), Contested: j.o.Replica.Contested(),
	}
	_, leader := j.raft.LeaderWithID()
	s.Leader = string(leader)
	s.Ready = leader != "" && (string(leader) == j.o.Node || time.Since(s.Contact) < 2*j.o.Timing.Heartbeat)
	owns := j.o.Replica.Holdings()
	up := j.o.Replica.Members()
	for _, server := range j.servers() {
		role := cluster.Voter
		if server.Suffrage != raft.Voter {
			role = cluster.Follower
		}
		node := string(server.ID)
		_, there := up[node]
		s.Peers = append(s.Peers, cluster.PeerStatus{
			Peer: cluster.Peer{Node: node, Address: string(server.Address), Role: role}, Up: there, Owns: owns[node],
		})
	}
	slices.SortFunc(s.Peers, func(a, b cluster.PeerStatus) int { return strings.Compare(a.Node, b.Node) })
	return s
}

func (j *Journal) servers() []raft.Server {
	f := j.raft.GetConfiguration()
	if f.Error() != nil {
		return nil
	}
	return f.Configuration().Servers
}

// change is a change of the members, on its way to the leader.
type change struct {
	Add      *cluster.Peer `json:"add,omitempty"`
	Remove   string        `json:"remove,omitempty"`
	Transfer *string       `json:"transfer,omitempty"`
}

// Holds tells how many actors a node owns, which may be no member of the log now, and its zone.
func (j *Journal) Holds(node string) (owns int, zone string) {
	return j.o.Replica.Holdings()[node], j.o.Replica.Zones()[node]
}

// Stranded is that of [engine.Replica].
func (j *Journal) Stranded(node string) (int, error) { return j.o.Replica.Stranded(node) }

// Add lets a node in, or changes its address or its role. It gets the state of the cluster
// before it counts for anything.
func (j *Journal) Add(ctx context.Context, p cluster.Peer) error {
	return j.change(ctx, change{Add: &p})
}

// Remove expels a node. Its actors move to the others.
func (j *Journal) Remove(ctx context.Context, node string) error {
	return j.change(ctx, change{Remove: node})
}

// Transfer hands leadership to a voter, or to any if node is "".
func (j *Journal) Transfer(ctx context.Context, node string) error {
	return j.change(ctx, change{Transfer: &node})
}

// change has the leader change the members.
func (j *Journal) change(ctx context.Context, c change) error {
	if j.raft.State() == raft.Leader {
		return j.changeHere(ctx, c)
	}
	address, _ := j.raft.LeaderWithID()
	if address == "" {
		return cluster.ErrNoLeader
	}
	form, err := json.Marshal(c)
	if err == nil {
		_, err = j.o.Network.Ask(ctx, string(address), serviceChange, form)
	}
	return err
}

func (j *Journal) changeHere(ctx context.Context, c change) error {
	switch {
	case c.Add != nil:
		return j.admit(ctx, *c.Add)
	case c.Remove != "":
		if err := j.raft.RemoveServer(raft.ServerID(c.Remove), 0, j.o.Timing.Apply).Error(); err != nil {
			return fmt.Errorf("journal: remove %s: %w", c.Remove, err)
		}
		j.sayDown(c.Remove)
		return nil
	case c.Transfer != nil:
		return j.transfer(*c.Transfer)
	}
	return errors.New("journal: a change that this version does not know: upgrade the leader")
}

// admit lets a node in. Before it is asked to vote it gets the state, or nothing could be
// committed until it has.
func (j *Journal) admit(ctx context.Context, p cluster.Peer) error {
	id, address := raft.ServerID(p.Node), raft.ServerAddress(p.Address)
	voter := false
	for _, s := range j.servers() {
		voter = voter || s.ID == id && s.Suffrage == raft.Voter
	}
	var err error
	switch {
	case voter && p.Role == cluster.Follower:
		err = j.raft.DemoteVoter(id, 0, j.o.Timing.Apply).Error()
	case !voter:
		err = j.raft.AddNonvoter(id, address, 0, j.o.Timing.Apply).Error()
		if err == nil && p.Role != cluster.Follower {
			err = j.caughtUp(ctx, p.Address)
		}
	}
	if err == nil && p.Role != cluster.Follower {
		err = j.raft.AddVoter(id, address, 0, j.o.Timing.Apply).Error()
	}
	if err != nil {
		return fmt.Errorf("journal: add %s at %s: %w", p.Node, p.Address, err)
	}
	return nil
}

// caughtUp waits until a node holds what this one held when it was called.
func (j *Journal) caughtUp(ctx context.Context, address string) error {
	want := j.o.Replica.Applied()
	tick := time.NewTicker(j.o.Timing.Heartbeat / 4)
	defer tick.Stop()
	var last error
	for {
		answer, err := j.o.Network.Ask(ctx, address, serviceWhere, nil)
		var at place
		if err == nil {
			err = json.Unmarshal(answer, &at)
		}
		if last = err; err == nil && at.Index >= want {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it has not caught up: %w", errors.Join(ctx.Err(), last))
		case <-j.ctx.Done():
			return cluster.ErrClosed
		case <-tick.C:
		}
	}
}

func (j *Journal) transfer(node string) error {
	f := j.raft.LeadershipTransfer
	for _, s := range j.servers() {
		if string(s.ID) == node {
			f = func() raft.Future { return j.raft.LeadershipTransferToServer(s.ID, s.Address) }
		}
	}
	if err := f().Error(); err != nil {
		return fmt.Errorf("journal: hand leadership to %q: %w", node, err)
	}
	return nil
}

// Announce appends a note to the log. Every member gets it, once and in order, by the Note of
// its replica, also one that was away; after a crash it may come again. Notes are small: a
// tombstone of a key, a book of the members.
func (j *Journal) Announce(ctx context.Context, topic string, note []byte) error {
	done := make(chan error, 1)
	j.o.Replica.Announce(topic, note, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("journal: announce %s: %w (it may still be announced)", topic, ctx.Err())
	}
}

// sayEvery is how often a node that proposes nothing says what it has received.
const sayEvery = 10 * time.Second

// watch follows what raft observes, and lets the leader say who is not there.
func (j *Journal) watch() {
	tick, say := time.NewTicker(j.o.Timing.Down/8), time.NewTicker(sayEvery)
	full := time.NewTicker(j.o.Timing.Down)
	defer tick.Stop()
	defer say.Stop()
	defer full.Stop()
	for {
		select {
		case <-j.ctx.Done():
			return
		case <-say.C:
			j.o.Replica.Say()
		case o := <-j.news:
			j.observe(o)
		case <-tick.C:
			if j.raft.State() == raft.Leader {
				j.sayMissing()
			}
		case <-full.C:
			if j.Full() {
				j.sayFull()
			}
		}
	}
}

// failure is since when the heartbeats of a node fail, and when the newest one did.
type failure struct{ since, last time.Time }

// former is the leader before this one, and when it was heard of last.
type former struct {
	node  string
	heard time.Time // zero unless this node leads
}

// watched are the observations that observe deals with.
func watched(o *raft.Observation) bool {
	switch o.Data.(type) {
	case raft.LeaderObservation, raft.PeerObservation, raft.FailedHeartbeatObservation,
		raft.ResumedHeartbeatObservation:
		return true
	}
	return false
}

func (j *Journal) observe(o raft.Observation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch data := o.Data.(type) {
	case raft.LeaderObservation:
		clear(j.failing)
		close(j.changed)
		j.changed = make(chan struct{})
		switch leader := string(data.LeaderID); leader {
		case "":
		case j.o.Node:
			j.former.heard = j.heard()
		default:
			j.former = former{node: leader}
		}
	case raft.PeerObservation: // a new machine may have its name
		delete(j.failing, string(data.Peer.ID))
	case raft.FailedHeartbeatObservation:
		f, ok := j.failing[string(data.PeerID)]
		f.last = time.Now()
		if !ok {
			f.since = data.LastContact
			if f.since.IsZero() {
				f.since = f.last
			}
			// Raft counts from the election, and the silence of the former leader has led to that.
			if at := j.former.heard; string(data.PeerID) == j.former.node && !at.IsZero() && at.Before(f.since) {
				f.since = at
			}
		}
		j.failing[string(data.PeerID)] = f
	case raft.ResumedHeartbeatObservation:
		delete(j.failing, string(data.PeerID))
	}
}

// sayMissing says which nodes have not been heard of, or are members no more.
func (j *Journal) sayMissing() {
	known := map[string]bool{}
	for _, s := range j.servers() {
		known[string(s.ID)] = true
	}
	missing := j.missing()
	for _, node := range slices.Sorted(maps.Keys(j.o.Replica.Members())) {
		if missing[node] || len(known) > 0 && !known[node] {
			j.sayDown(node)
		}
	}
}

// missing are the nodes that have been silent for too long. Raft reports recovery only after it
// reported a failure in the same term, and never for an expelled member. So a failure expires unless
// it is repeated in time.
func (j *Journal) missing() map[string]bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	next := 6 * j.o.Timing.Heartbeat // to connect, to be answered, and raft's pause
	maps.DeleteFunc(j.failing, func(_ string, f failure) bool { return time.Since(f.last) >= next })
	missing := map[string]bool{}
	for node, f := range j.failing {
		missing[node] = time.Since(f.since) >= j.o.Timing.Down
	}
	return missing
}

// Full reports that this node's volume had no room for the newest entries: it hears nothing new until it has.
func (j *Journal) Full() bool { return j.entries.Full() }

// sayFull has the leader count this node as away: it hears nothing new, so that what it owns must go
// on elsewhere. Once it has room it learns of that, and says that it is there.
func (j *Journal) sayFull() {
	address, id := j.raft.LeaderWithID()
	if address == "" || string(id) == j.o.Node {
		return
	}
	ctx, done := context.WithTimeout(j.ctx, j.o.Timing.Down)
	defer done()
	if _, err := j.o.Network.Ask(ctx, string(address), serviceFull, nil); err != nil {
		j.log.Warn().Err(err).Msg("cluster_disk_full") // the next try is soon
	}
}

func (j *Journal) sayDown(node string) {
	if boot, ok := j.o.Replica.Members()[node]; ok {
		j.o.Replica.Down(node, boot)
	}
}

// Close leaves the cluster running without this node. It does not close the network, nor the stores.
func (j *Journal) Close() error {
	j.once.Do(func() {
		j.o.Replica.Close()
		j.mu.Lock()
		j.end()
		j.mu.Unlock()
		j.closed = errors.Join(j.wires.Close(), j.raft.Shutdown().Error())
		j.all.Wait()
	})
	return j.closed
}
