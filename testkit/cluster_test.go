package testkit_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/testkit"
)

type coin struct{ N int }

func (coin) MessageType() messages.Type { return messages.Type{Name: "test_coin", Version: 1} }

var purse = actors.NewTable[int]("purse")

// keeper counts coins, wherever it lives.
type keeper struct{}

func (keeper) Receive(turn *actors.Turn, msg messages.Message) error {
	if _, ok := msg.(coin); ok {
		n, _ := purse.Get(turn, "all")
		purse.Put(turn, "all", n+1)
	}
	return nil
}

func coins(t *testing.T, c *testkit.Cluster, node int) (n int) {
	t.Helper()
	err := engine.ReadTable(c.Node(node).Engine(), "keeper", purse, func(_ messages.Address, _ string, v int) error {
		n = v
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A host's own actor on three nodes: its owner dies, another goes on, nothing is lost; and a machine with
// an empty disk takes the place of one.
func TestClusterOfAHost(t *testing.T) {
	c := testkit.NewCluster(t, 3, testkit.Loss(0.2),
		testkit.ClusterMessages(messages.Table{messages.Durable[coin](nil).AboutNobody()}),
		testkit.ClusterKinds(func(string) []engine.Kind {
			return []engine.Kind{{Name: "keeper", New: func(messages.Address) actors.Actor { return keeper{} }}}
		}))
	const kept = messages.Address("keeper/a")
	c.Put(0, kept, coin{1}, "1")
	owner := c.Owner(0, kept)
	if owner < 0 {
		t.Fatal("nobody owns the actor")
	}
	c.Kill(owner)
	other := (owner + 1) % 3
	c.Advance(10 * time.Second)
	if moved := c.Owner(other, kept); moved == owner || moved < 0 {
		t.Fatalf("mac-%d owns the actor after mac-%d died, want another node", moved, owner)
	}
	c.Put(other, kept, coin{2}, "2")
	c.Put(other, kept, coin{2}, "2") // it is there already
	c.Isolate(other)
	c.Advance(10 * time.Second)
	c.Converge()
	c.Kill(owner)
	c.Advance(5 * time.Second) // the others need a leader
	if replaced, err := c.Replace(owner); !replaced || err != nil {
		t.Fatalf("Replace(%d) = %t, %v", owner, replaced, err)
	}
	c.Converge()
	c.Put(owner, kept, coin{3}, "3")
	c.Converge()
	for node := range 3 {
		if n := coins(t, c, node); n != 3 {
			t.Errorf("mac-%d has %d coins, want 3", node, n)
		}
	}
}

type minted struct{ N int }

func (minted) MessageType() messages.Type { return messages.Type{Name: "test_minted", Version: 1} }

// mint is a worker that doubles what it gets.
type mint struct{}

func (mint) Do(_ context.Context, request messages.Message) (messages.Message, error) {
	return minted{2 * request.(coin).N}, nil
}

func (mint) Close() error { return nil }

// buyer has each coin minted by a worker of the node that it lives on.
type buyer struct{}

func (buyer) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case coin:
		turn.Call("mint", m, actors.CallOptions{Deadline: time.Second})
	case minted:
		n, _ := purse.Get(turn, "all")
		purse.Put(turn, "all", n+m.N)
	}
	return nil
}

// TestWorkersOfACluster: the workers of a node answer, and the same seed plays the same run.
func TestWorkersOfACluster(t *testing.T) {
	play := func(seed uint64) (held string) {
		var workers []string
		c := testkit.NewCluster(t, 3, testkit.Seed(seed), testkit.Loss(0.2),
			testkit.ClusterMessages(messages.Table{
				messages.Durable[coin](nil).AboutNobody(), messages.Durable[minted](nil).AboutNobody(),
			}),
			testkit.ClusterKinds(func(string) []engine.Kind {
				return []engine.Kind{{Name: "keeper", New: func(messages.Address) actors.Actor { return buyer{} }}}
			}),
			testkit.ClusterWorkers(func(node string) []engine.WorkerKind {
				workers = append(workers, node)
				return []engine.WorkerKind{{
					Name: "mint", Size: 1, New: func() (actors.Worker, error) { return mint{}, nil },
				}}
			}))
		if want := []string{"mac-0", "mac-1", "mac-2"}; !slices.Equal(workers, want) {
			t.Errorf("workers were made for %v, want %v", workers, want)
		}
		for n := range 5 {
			c.Put(n%3, "keeper/a", coin{n}, fmt.Sprint(n))
		}
		c.Kill(c.Owner(0, "keeper/a"))
		c.Converge()
		if n := coins(t, c, 0); n != 2*(0+1+2+3+4) {
			t.Errorf("seed %d leaves %d coins, want 20", seed, n)
		}
		var form bytes.Buffer
		if err := c.Replica(0).Snapshot(&form); err != nil {
			t.Fatal(err)
		}
		return form.String()
	}
	one, again, other := play(7), play(7), play(8)
	if one != again {
		t.Error("two runs of one seed end differently")
	}
	if one == other {
		t.Error("runs of two seeds end alike, to the last number")
	}
}
