package keyring

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
)

// TestAReceiptOnAFullVolume says that nothing was deleted, and leaves nothing behind.
func TestAReceiptOnAFullVolume(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=4k,mode=700"); err != nil {
		return // only root can have a small volume
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, 4<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	receipts := filepath.Join(dir, "receipts")
	keys := []engine.Key{{ID: strings.Repeat("ab", idBytes), Fingerprint: "cd"}}
	_, path, err := Receipts{Dir: receipts}.Begin("c-1", keys, nil, time.Unix(0, 0))
	for _, want := range []string{receipts, "free some space on its volume", "Nothing was deleted"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Begin() on a full volume = %q, %v, want %q in it", path, err, want)
		}
	}
	if left, err := os.ReadDir(receipts); err != nil || len(left) > 0 {
		t.Errorf("%v is left of the receipt, %v", left, err)
	}
	// Where the end of a receipt does not fit, all is deleted already.
	r := Receipt{Conversation: "c-1", Keys: keys}
	err = Receipts{}.Finish(r, filepath.Join(dir, "receipt.json"), engine.Forgotten{}, time.Unix(0, 0))
	for _, want := range []string{"free some space", "All is deleted", "kehai forget c-1 adds that"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Finish() on a full volume = %v, want %q in it", err, want)
		}
	}
}
