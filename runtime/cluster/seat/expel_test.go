package seat

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// joining is one more member of a cluster, which listens at an address.
func joining(t *testing.T, of *Seat, node, at string) Options {
	t.Helper()
	r, key, err := identity.Ask(cluster.Peer{Node: node, Address: at, Role: cluster.Voter})
	if err != nil {
		t.Fatal(err)
	}
	m, err := of.id.Book().Joins(r)
	if err != nil {
		t.Fatal(err)
	}
	b := of.id.Book().With(m)
	b.Version++
	if err := of.id.Keep(b); err != nil {
		t.Fatal(err)
	}
	g, err := of.id.Grant(r, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Data: filepath.Join(t.TempDir(), node), Node: node, Listen: at}
	if _, err := identity.Enter(o.Data, r, key, g); err != nil {
		t.Fatal(err)
	}
	return o
}

// The machine that decides can be taken out by another one. While those that are left choose a new one, it is not said
// that they cannot.
func TestExpelsWhoDecides(t *testing.T) {
	a, keysA := founder(t)
	b, keysB := opened(t, joining(t, a, "mac-b", free(t)))
	c, keysC := opened(t, joining(t, a, "mac-c", free(t)))
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	start := func(s *Seat, begin func() error) {
		if err := begin(); err != nil {
			t.Fatal(err)
		}
		all.Go(func() { _ = s.Run(ctx) })
	}
	broken := func(error) {}
	start(a, func() error { _, _, err := a.Start(mem.New(), nil, keysA, broken); return err })
	start(b, func() error { _, _, err := b.Start(mem.New(), nil, keysB, broken); return err })
	start(c, func() error { _, _, err := c.Start(mem.New(), nil, keysC, broken); return err })
	defer func() {
		stop()
		all.Wait()
		_ = b.Close()
		_ = c.Close()
	}()
	voters := 0
	for tick := time.NewTicker(50 * time.Millisecond); voters < 3; <-tick.C {
		voters = 0
		for _, p := range b.member.Status().Peers {
			if p.Role == cluster.Voter {
				voters++
			}
		}
	}
	if leader := b.member.Status().Leader; leader != "mac-a" {
		t.Fatalf("%q decides, want the founder: this test shows nothing", leader)
	}
	_ = a.Close()
	if err := b.unplace(ctx, "mac-a"); err != nil {
		t.Errorf("unplace() = %v, want that the others go on", err)
	}
}
