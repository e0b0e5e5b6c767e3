package datadir

import (
	"context"
	goruntime "runtime"
	"sync"

	"github.com/kehai-run/kehai/runtime/maintenance"
)

// Crowded returns a disk that purges on more of Go's processors than there are, so that no
// commit waits long meanwhile. It sets GOMAXPROCS for the time, which is for a program to
// allow: it is one number for the whole process.
func Crowded(d maintenance.Disk) maintenance.Disk {
	if d == maintenance.DiskOf(nil) {
		return d
	}
	return crowdedDisk{d}
}

type crowdedDisk struct{ maintenance.Disk }

func (d crowdedDisk) Purge(ctx context.Context) (gone bool, err error) {
	defer crowd.begin()()
	return d.Disk.Purge(ctx)
}

// crowd makes room for the goroutines of a compaction. Badger lets about a dozen of them compute at
// a time, and Go lets each keep its processor for 10 ms: a commit, which passes through six
// goroutines, then waits for a multiple of that. With as many of Go's processors as there are such
// goroutines the system shares out its own, in finer slices, and lets those that have slept go
// first. To slow the compaction down instead makes commits wait for it, and Badger has no setting
// for how many goroutines it starts.
var crowd crowded

// compacting is how many goroutines of a compaction compute at a time.
const compacting = 16

// crowded counts the purges of a process.
type crowded struct {
	mu      sync.Mutex
	purges  int
	was, is int // of Go's processors
}

func (c *crowded) begin() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.purges++; c.purges == 1 {
		c.was = goruntime.GOMAXPROCS(0)
		c.is = c.was + compacting
		goruntime.GOMAXPROCS(c.is)
	}
	return c.end
}

func (c *crowded) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.purges--; c.purges > 0 || goruntime.GOMAXPROCS(0) != c.is { // somebody else has changed it
		return
	}
	goruntime.SetDefaultGOMAXPROCS() // and it follows again what the system grants
	if goruntime.GOMAXPROCS(0) != c.was {
		goruntime.GOMAXPROCS(c.was)
	}
}
