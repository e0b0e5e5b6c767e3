package maintenance

import (
	"errors"
	"testing"

	"github.com/kehai-run/kehai/runtime/store/mem"
)

// A store in memory has nothing to purge: what is deleted is gone.
func TestDiskOfMemory(t *testing.T) {
	d := DiskOf(mem.New())
	gone, err := d.Purge(t.Context())
	if err = errors.Join(err, d.PurgeLater(), d.Compact(t.Context())); !gone || err != nil {
		t.Errorf("Purge() = %v, %v, want all gone", gone, err)
	}
}
