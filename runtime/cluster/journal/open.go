package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/store/raftlog"
)

// Options of Open. All but Key, Log, Timing, May and Broken are required.
type Options struct {
	Node    string          // this node's name
	Address string          // where the others reach its Network
	Replica *engine.Replica // Open connects it
	Network cluster.Network // Open answers its services
	Store   engine.Store    // of raft's log, and of nothing else
	Dir     string          // of snapshots, and of nothing else
	Key     []byte          // encrypts snapshots, 32 bytes; nil: they are in plain
	Log     zerolog.Logger
	Timing  Timing
	// May says whether a member may hand over entries, and change the members; nil: each may.
	May func(node string) bool
	// Broken is called once, from any goroutine, with the reason why this node cannot follow
	// the log any more: its store has stopped, or an entry needs a newer program.
	Broken func(error)
}

// Timing is how long a member waits. The zero value of each means its default.
type Timing struct {
	Heartbeat time.Duration // without a word of the leader until an election; 500 ms
	Down      time.Duration // without a word of a node until what it owns moves; 1 s
	Apply     time.Duration // for the leader's answer to one attempt; 5 s
	Retry     time.Duration // before the second attempt; 20 ms
	// Keep is how many entries stay in the log behind a snapshot, for nodes that are a little
	// behind; 10,240. Each is at most a batch.
	Keep uint64
	// Snapshot is after how many entries one is taken; 8,192.
	Snapshot uint64
}

func (t *Timing) defaults() {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&t.Heartbeat, 500*time.Millisecond)
	set(&t.Down, time.Second)
	set(&t.Apply, 5*time.Second)
	set(&t.Retry, 20*time.Millisecond)
	if t.Keep == 0 {
		t.Keep = 10_240
	}
	if t.Snapshot == 0 {
		t.Snapshot = 8_192
	}
}

// snapshots is how many snapshots are kept.
const snapshots = 2

// founded is the index and the term with which a cluster begins: everything before it is in
// its first snapshot.
const founded = 1

// Found makes the node the only member of a new cluster, which begins with what its store
// holds. It is called once, before the first Open.
func Found(o Options) error {
	snaps, err := o.snapshots()
	if err != nil {
		return err
	}
	log, err := raftlog.Open(o.Store)
	if err != nil {
		return err
	}
	_, wires := raft.NewInmemTransport(raft.ServerAddress(o.Address))
	defer wires.Close()
	if has, err := raft.HasExistingState(log, log, snaps); err != nil {
		return fmt.Errorf("journal: found: %w", err)
	} else if has {
		return errors.New("journal: this node is a member of a cluster: let it leave that one first")
	}
	if err := o.Replica.Found(founded); err != nil {
		return err
	}
	members := raft.Configuration{Servers: []raft.Server{{
		Suffrage: raft.Voter, ID: raft.ServerID(o.Node), Address: raft.ServerAddress(o.Address),
	}}}
	sink, err := snaps.Create(raft.SnapshotVersionMax, founded, founded, members, founded, wires)
	if err != nil {
		return fmt.Errorf("journal: found: %w", err)
	}
	if err := o.Replica.Snapshot(sink); err != nil {
		return errors.Join(err, sink.Cancel())
	}
	if err := sink.Close(); err != nil {
		return fmt.Errorf("journal: found: %w", err)
	}
	return log.SetUint64([]byte("CurrentTerm"), founded)
}

// Open takes the node's place: that of a founder, of a member that was here before, or, in
// an empty store, of one that the others will add.
func Open(o Options) (*Journal, error) {
	o.Timing.defaults()
	log, err := raftlog.Open(o.Store)
	if err != nil {
		return nil, err
	}
	snaps, err := o.snapshots()
	if err != nil {
		return nil, err
	}
	restore, err := o.mustRestore(snaps)
	if err != nil {
		return nil, err
	}
	j := &Journal{o: o, log: o.Log, entries: log, news: make(chan raft.Observation, 64),
		changed: make(chan struct{}), seated: make(chan struct{}), failing: map[string]failure{}}
	j.ctx, j.end = context.WithCancel(context.Background())
	j.machine = newMachine(j.ctx, &j.o)
	j.wires = raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: streams{o.Network, o.Address}, MaxPool: 3, Timeout: 2 * o.Timing.Heartbeat, Logger: o.logger(),
	})
	cached, err := raft.NewLogCache(512, log)
	if err != nil {
		return nil, err
	}
	j.serve()
	j.raft, err = raft.NewRaft(o.config(!restore), j.machine, cached, log, snaps, j.wires)
	if err != nil {
		j.end()
		return nil, errors.Join(fmt.Errorf("journal: open: %w", err), j.wires.Close())
	}
	j.heard = j.raft.LastContact
	close(j.seated)
	j.raft.RegisterObserver(raft.NewObserver(j.news, false, watched))
	j.all.Go(j.watch)
	o.Replica.Connect(j)
	return j, nil
}

// mustRestore reports whether the store lags behind the newest snapshot, as after a power cut
// or a restore that did not end. Otherwise the store itself is the state.
func (o *Options) mustRestore(snaps raft.SnapshotStore) (bool, error) {
	list, err := snaps.List()
	if err != nil {
		return false, fmt.Errorf("journal: list the snapshots: %w", err)
	}
	return len(list) > 0 && (o.Replica.Torn() || o.Replica.Applied() < list[0].Index), nil
}

func (o *Options) config(keep bool) *raft.Config {
	c := raft.DefaultConfig()
	c.LocalID = raft.ServerID(o.Node)
	c.HeartbeatTimeout, c.ElectionTimeout = o.Timing.Heartbeat, o.Timing.Heartbeat
	c.LeaderLeaseTimeout = o.Timing.Heartbeat / 2
	c.TrailingLogs, c.SnapshotThreshold = o.Timing.Keep, o.Timing.Snapshot
	c.NoSnapshotRestoreOnStart = keep
	c.NoLegacyTelemetry = true
	c.Logger = o.logger()
	return c
}

func (o *Options) snapshots() (raft.SnapshotStore, error) {
	if err := private.Make(o.Dir, private.Closed); err != nil {
		return nil, fmt.Errorf("journal: make the directory of snapshots: %w", err)
	}
	s, err := raft.NewFileSnapshotStoreWithLogger(o.Dir, snapshots, o.logger())
	if err != nil {
		return nil, fmt.Errorf("journal: open the snapshots: %w", err)
	}
	return encrypted(roomy{s, o.Store}, o.Key)
}

// logger passes on what raft warns of: names of nodes, addresses and errors.
func (o *Options) logger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name: "raft", Level: hclog.Warn, DisableTime: true, Output: lines{o.Log},
	})
}

// lines writes each line of raft's log.
type lines struct{ log zerolog.Logger }

func (l lines) Write(line []byte) (int, error) {
	l.log.Warn().Str("said", strings.TrimSpace(string(line))).Msg("cluster_log")
	return len(line), nil
}

// streams makes a layer of streams for raft of the network.
type streams struct {
	cluster.Network
	address string
}

func (s streams) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	return s.Network.Dial(string(address), timeout)
}

// Addr is what raft takes for this node's address.
func (s streams) Addr() net.Addr { return named(s.address) }

type named string

func (named) Network() string  { return "tcp" }
func (n named) String() string { return string(n) }

// serve answers the other members.
func (j *Journal) serve() {
	n := j.o.Network
	n.Answer(serviceAppend, func(_ context.Context, from string, entry []byte) ([]byte, error) {
		if err := j.mayAsk(from); err != nil {
			return nil, err
		}
		if err := j.o.Replica.Check(from, entry); err != nil { // there is no way back out of the log
			return nil, fmt.Errorf("journal: append: %w", err)
		}
		at, err := j.appendHere(entry)
		if err != nil {
			return nil, err
		}
		return json.Marshal(at)
	})
	n.Answer(serviceChange, func(ctx context.Context, from string, form []byte) ([]byte, error) {
		if err := j.mayAsk(from); err != nil {
			return nil, err
		}
		var c change
		if err := json.Unmarshal(form, &c); err != nil {
			return nil, fmt.Errorf("journal: a change cannot be read: %w", err)
		}
		return nil, j.changeHere(ctx, c)
	})
	n.Answer(serviceFull, func(_ context.Context, from string, _ []byte) ([]byte, error) {
		if !j.leads() {
			return nil, cluster.ErrNoLeader
		}
		j.sayDown(from)
		return nil, nil
	})
	n.Answer(serviceWhere, func(context.Context, string, []byte) ([]byte, error) {
		return json.Marshal(place{Index: j.o.Replica.Applied()})
	})
}

// mayAsk reports why a member's request is not this one's to carry out.
func (j *Journal) mayAsk(from string) error {
	switch {
	case j.o.May != nil && !j.o.May(from):
		return fmt.Errorf("journal: %s proposes nothing, and changes no members", from)
	case !j.leads():
		return cluster.ErrNoLeader
	}
	return nil
}

// leads is for requests that may come before raft runs.
func (j *Journal) leads() bool {
	select {
	case <-j.seated:
		return j.raft.State() == raft.Leader
	default:
		return false
	}
}

// machine is the replica as raft's state machine. The journal carries out entries beside raft
// (see upTo): one of them at a time, with all that follows from an entry.
type machine struct {
	o      *Options
	ctx    context.Context // of the journal
	turn   chan struct{}   // holds one while an entry is carried out, or a snapshot restored
	broken error           // raft calls Apply, Snapshot and Restore from one goroutine
}

func newMachine(ctx context.Context, o *Options) *machine {
	return &machine{o: o, ctx: ctx, turn: make(chan struct{}, 1)}
}

// alone does something with the replica while nobody else does.
func (m *machine) alone(do func(*engine.Replica) error) error {
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	return do(m.o.Replica)
}

// upTo carries out what a log holds up to a place that the leader calls committed, without
// waiting to hear so in raft's own time. If the entry there is of that term, all before it
// are the leader's too. It reports whether the log holds the entry, or never will.
func (m *machine) upTo(at place, entries raft.LogStore) (there bool) {
	var entry raft.Log
	if at.Term == 0 {
		return true
	}
	if entries.GetLog(at.Index, &entry) != nil || entry.Term != at.Term {
		return m.o.Replica.Applied() >= at.Index
	}
	_ = m.alone(func(r *engine.Replica) error {
		for i := r.Applied() + 1; i <= at.Index; i++ {
			if err := entries.GetLog(i, &entry); err != nil {
				return err
			}
			if entry.Type == raft.LogCommand {
				if err := r.Apply(i, entry.Data); err != nil {
					return err
				}
			}
		}
		return nil
	}) // raft will see it too
	return true
}

// Apply implements [raft.FSM]. An entry that cannot be carried out for lack of space waits; any
// other failure ends it, since nothing may come after.
func (m *machine) Apply(entry *raft.Log) any {
	for m.broken == nil {
		err := m.alone(func(r *engine.Replica) error { return r.Apply(entry.Index, entry.Data) })
		switch {
		case err == nil:
			return nil
		case errors.Is(err, engine.ErrLowSpace):
			select {
			case <-time.After(time.Second):
				continue
			case <-m.ctx.Done(): // it comes again at the next start
				m.broken = err
				return err
			}
		}
		m.broken = err
		if m.o.Broken != nil {
			m.o.Broken(err)
		}
	}
	return m.broken
}

// Snapshot implements [raft.FSM].
func (m *machine) Snapshot() (raft.FSMSnapshot, error) {
	if m.broken != nil {
		return nil, m.broken
	}
	// Raft forgets the entries up to here.
	return taken{m.o.Replica}, m.o.Replica.Sync()
}

// Restore implements [raft.FSM].
func (m *machine) Restore(from io.ReadCloser) error {
	defer from.Close()
	if err := m.alone(func(r *engine.Replica) error { return r.Restore(from) }); err != nil {
		return err
	}
	m.broken = nil
	return nil
}

// taken writes the replica as it is when raft asks. That may be later than raft thinks; the snapshot
// says itself how far it goes.
type taken struct{ replica *engine.Replica }

func (t taken) Persist(sink raft.SnapshotSink) error {
	if err := t.replica.Snapshot(sink); err != nil {
		return errors.Join(err, sink.Cancel())
	}
	return sink.Close()
}

func (taken) Release() {}
