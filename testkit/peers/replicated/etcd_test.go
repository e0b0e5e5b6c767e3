package replicated

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
)

// value is about as large as what a turn of Kehai's benchmark writes.
var value = []byte(strings.Repeat("v", 256))

// BenchmarkEtcd lets senders put one value after the other, at the leader's own server and at
// another's, without a client and its connection between. KEHAI_TURNS names a file with the output of
// Kehai's BenchmarkTurns, to print ratios.
func BenchmarkEtcd(b *testing.B) {
	kehai := turns(b)
	nodes := three(b)
	led := 0
	for i, n := range nodes {
		if n.Server.Leader() == n.Server.MemberID() {
			led = i
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%7s %12s %12s %18s %18s\n", "senders", "leader/s", "follower/s", "Kehai ÷ etcd, led",
		"and following")
	for _, n := range []int{1, 64, 512} {
		leader, follower := puts(b, nodes[led], n), puts(b, nodes[(led+1)%3], n)
		fmt.Fprintf(&table, "%7d %12.0f %12.0f %18.2f %18.2f\n", n, leader, follower,
			kehai[n][0]/leader, kehai[n][1]/follower)
	}
	fmt.Print(table.String())
}

// puts is how many puts a second n senders get acknowledged.
func puts(b *testing.B, e *embed.Etcd, n int) float64 {
	b.Helper()
	ctx, end := context.WithTimeout(b.Context(), 5*time.Second)
	defer end()
	var all sync.WaitGroup
	var done atomic.Int64
	began := time.Now()
	for i := range n {
		all.Go(func() {
			put := &pb.PutRequest{Key: fmt.Appendf(nil, "sender-%d", i), Value: value}
			for ctx.Err() == nil {
				if _, err := e.Server.Put(ctx, put); err == nil {
					done.Add(1)
				} else if ctx.Err() == nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(began).Seconds()
}

// three is a cluster of three nodes with etcd's own settings.
func three(b *testing.B) (nodes []*embed.Etcd) {
	b.Helper()
	var configs []*embed.Config
	var members []string
	for i := range 3 {
		c := embed.NewConfig()
		c.Name, c.Dir, c.LogLevel = fmt.Sprintf("n%d", i), b.TempDir(), "panic"
		peer, client := free(b), free(b)
		c.ListenPeerUrls, c.AdvertisePeerUrls = peer, peer
		c.ListenClientUrls, c.AdvertiseClientUrls = client, client
		configs, members = append(configs, c), append(members, c.Name+"="+peer[0].String())
	}
	for _, c := range configs {
		c.InitialCluster = strings.Join(members, ",")
		e, err := embed.StartEtcd(c)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(e.Close)
		nodes = append(nodes, e)
	}
	for _, e := range nodes {
		select {
		case <-e.Server.ReadyNotify():
		case <-time.After(time.Minute):
			b.Fatal("etcd does not start")
		}
	}
	return nodes
}

func free(b *testing.B) []url.URL {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer ln.Close()
	return []url.URL{{Scheme: "http", Host: ln.Addr().String()}}
}

// turns reads the table of Kehai's benchmark: by number of actors, turns a second where the leader
// is, and on another node.
func turns(b *testing.B) map[int][2]float64 {
	b.Helper()
	rates := map[int][2]float64{}
	path := os.Getenv("KEHAI_TURNS")
	if path == "" {
		return rates
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var n int
		var alone, leader, follower float64
		if got, _ := fmt.Sscan(lines.Text(), &n, &alone, &leader, &follower); got == 4 {
			rates[n] = [2]float64{leader, follower}
		}
	}
	if len(rates) == 0 {
		b.Fatalf("%s holds no table of BenchmarkTurns", path)
	}
	return rates
}
