package datadir

import (
	"context"
	"runtime"
	"testing"

	"github.com/kehai-run/kehai/runtime/maintenance"
)

// busyDisk is a disk that tells how many of Go's processors its purge has.
type busyDisk struct {
	maintenance.Disk
	had *int
}

func (d busyDisk) Purge(context.Context) (bool, error) {
	*d.had = runtime.GOMAXPROCS(0)
	return true, nil
}

func TestCrowded(t *testing.T) {
	was, had := runtime.GOMAXPROCS(0), 0
	defer runtime.SetDefaultGOMAXPROCS()
	if gone, err := Crowded(busyDisk{maintenance.DiskOf(nil), &had}).Purge(context.Background()); !gone || err != nil {
		t.Errorf("Purge() = %v, %v, want that of the disk", gone, err)
	}
	if now := runtime.GOMAXPROCS(0); had != was+compacting || now != was {
		t.Errorf("GOMAXPROCS = %d while it purges and %d afterwards, want %d and %d", had, now, was+compacting, was)
	}
	if Crowded(maintenance.DiskOf(nil)) != maintenance.DiskOf(nil) {
		t.Error("a store without files has a disk")
	}
}

func TestPurgesGiveProcessorsBack(t *testing.T) {
	defer runtime.SetDefaultGOMAXPROCS()
	for _, was := range []int{runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0) + 3} {
		runtime.GOMAXPROCS(was)
		var c crowded
		first, second := c.begin(), c.begin()
		first()
		if got := runtime.GOMAXPROCS(0); got != was+compacting {
			t.Errorf("GOMAXPROCS = %d while a purge runs, want %d", got, was+compacting)
		}
		second()
		if got := runtime.GOMAXPROCS(0); got != was {
			t.Errorf("GOMAXPROCS = %d after all purges, want %d", got, was)
		}
		end := c.begin()
		runtime.GOMAXPROCS(was + 1)
		if end(); runtime.GOMAXPROCS(0) != was+1 {
			t.Errorf("GOMAXPROCS = %d, want what the host has set", runtime.GOMAXPROCS(0))
		}
	}
}
