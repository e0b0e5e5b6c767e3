package testkit

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// ClusterOption changes what [NewCluster] makes.
type ClusterOption func(*clusterSettings)

type clusterSettings struct {
	seed    uint64
	kinds   func(node string) []engine.Kind
	workers func(node string) []engine.WorkerKind
	tables  []messages.Table
	loss    float64
}

// Seed makes another run: other turns, other losses, another order. The same seed gives the
// same run.
func Seed(seed uint64) ClusterOption { return func(s *clusterSettings) { s.seed = seed } }

// ClusterKinds are the actors of each node; those with Here are bound to it by their key, which
// is its name or ends in @ and that.
func ClusterKinds(kinds func(node string) []engine.Kind) ClusterOption {
	return func(s *clusterSettings) { s.kinds = kinds }
}

// ClusterWorkers are the workers of each node.
func ClusterWorkers(workers func(node string) []engine.WorkerKind) ClusterOption {
	return func(s *clusterSettings) { s.workers = workers }
}

// ClusterMessages adds the host's messages.
func ClusterMessages(t ...messages.Table) ClusterOption {
	return func(s *clusterSettings) { s.tables = append(s.tables, t...) }
}

// Loss is how often, of 1, what a node tells the others is lost on its way, and sent again.
func Loss(share float64) ClusterOption { return func(s *clusterSettings) { s.loss = share } }

// Cluster is several nodes of a host's own actors in virtual time, on one goroutine. The
// embedded simulation kills, pauses, cuts off, heals, restarts and replaces nodes.
type Cluster struct {
	*engine.SimCluster

	t    testing.TB
	size int
}

// NewCluster starts so many nodes, called mac-0, mac-1 and so on, and lets them find each
// other.
func NewCluster(t testing.TB, size int, opts ...ClusterOption) *Cluster {
	t.Helper()
	s := clusterSettings{seed: 1}
	for _, o := range opts {
		o(&s)
	}
	codec, err := messages.NewCodec(append([]messages.Table{events.Core()}, s.tables...)...)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, size: size}
	o := engine.SimClusterOptions{Seed: s.seed, Loss: s.loss, Node: func(name string) engine.SimOptions {
		o := engine.SimOptions{Engine: engine.Options{Store: mem.New(), Codec: codec, Sync: true}}
		if s.kinds != nil {
			o.Engine.Kinds = s.kinds(name)
		}
		if s.workers != nil {
			o.Engine.Workers = s.workers(name)
		}
		return o
	}}
	for i := range size {
		o.Nodes = append(o.Nodes, fmt.Sprint("mac-", i))
	}
	if c.SimCluster, err = engine.NewSimCluster(o); err != nil {
		t.Fatal(err)
	}
	c.Advance(5 * time.Second)
	return c
}

// Put stores a message for an actor at a node, as [engine.Engine.Inject] does; a node without
// a majority stores only what is for an actor of its own.
func (c *Cluster) Put(node int, to messages.Address, msg messages.Message, key string) {
	c.t.Helper()
	done, err := c.Node(node).Inject(to, msg, key)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Advance(100 * time.Millisecond)
	select {
	case err := <-done:
		if err != nil {
			c.t.Fatal(err)
		}
	default:
		c.t.Fatalf("mac-%d could not store what is for %s within 100 ms: it has no majority, or stands still", node, to)
	}
}

// Owner is the node that owns an actor, -1 for none, as a node sees it.
func (c *Cluster) Owner(at int, a messages.Address) int {
	owner := c.Replica(at).Holder(a)
	for i := range c.size {
		if owner == fmt.Sprint("mac-", i) {
			return i
		}
	}
	return -1
}

// Converge ends all faults, lets everything come to its end, and fails the test unless all
// nodes then hold the same.
func (c *Cluster) Converge() {
	c.t.Helper()
	if err := c.Heal(); err != nil {
		c.t.Fatal(err)
	}
	c.Advance(time.Minute)
	var first []byte
	for i := range c.size {
		var form bytes.Buffer
		if err := c.Replica(i).Snapshot(&form); err != nil {
			c.t.Fatal(err)
		}
		if i == 0 {
			first = form.Bytes()
		} else if !bytes.Equal(first, form.Bytes()) {
			c.t.Fatalf("mac-%d and mac-0 hold different things a minute after all faults have ended", i)
		}
	}
}
