package journal_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store"
)

// BenchmarkTurns compares, in one run and on one disk, durable turns of one node alone with
// those of three nodes, whose majority holds each before anything leaves it: run where the
// leader is, and on another node. Each turn handles a message, writes a row and sends a
// message to its own actor. All nodes share this machine's processors and its disk.
func BenchmarkTurns(b *testing.B) {
	var table strings.Builder
	fmt.Fprintf(&table, "\n%7s %12s %12s %12s %10s %10s\n", "actors", "alone/s", "leader/s", "follower/s",
		"× alone", "× alone")
	for _, n := range []int{1, 64, 512} {
		rate := map[string]float64{}
		for _, where := range []string{"alone", "leader", "follower"} {
			b.Run(fmt.Sprintf("%s/actors=%d", where, n), func(b *testing.B) {
				rate[where] = benchTurns(b, where, n)
				b.ReportMetric(rate[where], "turns/s")
			})
		}
		fmt.Fprintf(&table, "%7d %12.0f %12.0f %12.0f %10.2f %10.2f\n", n, rate["alone"], rate["leader"],
			rate["follower"], rate["leader"]/rate["alone"], rate["follower"]/rate["alone"])
	}
	fmt.Print(table.String()) // b.Log of a benchmark with parts is not shown
}

func onDisk(b *testing.B) engine.Store {
	b.Helper()
	s, err := store.Open(store.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func benchTurns(b *testing.B, where string, n int) (rate float64) {
	size, at := 3, 0
	if where == "alone" {
		size = 1
	}
	var disks []engine.Store
	for range 2 * size {
		disks = append(disks, onDisk(b)) // closed after the nodes
	}
	c := newNodes(b, size)
	for i, m := range c.all {
		m.store, m.log = disks[2*i], disks[2*i+1]
	}
	if where == "alone" {
		sys, err := live.New(live.Options{Engine: engine.Options{
			Store: c.all[0].store, Codec: c.codec, Kinds: kinds(0), Sync: true,
		}})
		if err == nil {
			err = sys.Start()
		}
		if err != nil {
			b.Fatal(err)
		}
		defer sys.Kill()
		c.all[0].sys = sys
		c.all[0].alone = true
	} else {
		c.found()
		at = c.leader()
		if where == "follower" {
			at = (at + 1) % 3
		}
	}
	e := c.all[at].sys.Engine()
	for i := range n {
		if err := e.Inject(b.Context(), messages.To("runner", strconv.Itoa(i)), lap{}, ""); err != nil {
			b.Fatal(err)
		}
	}
	run := func() int {
		sum := 0
		err := engine.ReadTable(e, "runner", laps, func(_ messages.Address, _ string, n int) error {
			sum += n
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		return sum
	}
	c.until("turns", func() bool { return run() > n })
	before, began := run(), time.Now()
	b.ResetTimer()
	c.until("laps", func() bool { return run()-before >= b.N && time.Since(began) > time.Second/2 })
	b.StopTimer()
	return float64(run()-before) / time.Since(began).Seconds()
}

// BenchmarkFailover is how long it takes until the other nodes act again after the leader,
// which owns an actor, was killed.
func BenchmarkFailover(b *testing.B) {
	c := newNodes(b, 3)
	c.found()
	for i := range c.all {
		c.puts(i, 4)
	}
	c.settled()
	var took []time.Duration
	for b.Loop() {
		i := c.leader()
		other := c.all[(i+1)%3]
		c.kill(i)
		began := time.Now()
		c.puts(other.i, 4) // one for each ledger
		c.until("receipts", func() bool { return len(rows(b, other, had, gateOf(other.i))) >= other.put })
		took = append(took, time.Since(began))
		b.StopTimer()
		c.start(i)
		c.settled()
		b.StartTimer()
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds(), "median-s")
	b.ReportMetric(took[len(took)-1].Seconds(), "worst-s")
}

// BenchmarkIdle is what goes over the wires of a cluster in which nothing happens, without what
// TLS and TCP add: raft's streams, which the leader opens.
func BenchmarkIdle(b *testing.B) {
	c := newNodes(b, 3)
	c.found()
	led := c.leader()
	for b.Loop() {
		before, began := c.all[led].net.bytes.Load(), time.Now()
		c.until("quiet", func() bool { return time.Since(began) > 3*time.Second })
		rate := float64(c.all[led].net.bytes.Load()-before) / time.Since(began).Seconds()
		b.ReportMetric(rate/1000, "leader-KB/s")
	}
}
