package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestABackupOnAFullVolume leaves no half file behind, and says so and what helps.
func TestABackupOnAFullVolume(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		return // only root can have a small volume
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(dir, "kehai.backup")
	err := (&app{}).writeNew(path, func(w io.Writer) error {
		for range 100 {
			if _, err := w.Write(make([]byte, 4<<10)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, want := range []string{"nothing was written", path, "free some space", "no space left"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("writeNew() on a full volume = %v, want %q in it", err, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
