package keyring

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The keys are kept out of the system's backups before the first one is in their directory, also those
// that an older version made, and those of a backup of ours.
func TestKeysAreLeftOutOfBackups(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	var left []string // what was left out, with the keys that were in it
	fake := func(path string) {
		names, err := os.ReadDir(path)
		if err != nil {
			t.Errorf("what is left out is not there: %v", err)
		}
		left = append(left, filepath.Base(path))
		for _, n := range names {
			left = append(left, n.Name())
		}
	}
	ring, err := openRing(&directory{path: dir, leaveOut: fake})
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("before there are keys %q was left out", left)
	}
	for _, subject := range []string{"c-1", "c-2"} {
		if err := ring.Ready(subject); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(left, []string{"keys"}) {
		t.Errorf("left out is %q, want the directory, once, while it was empty", left)
	}
	left = nil
	if _, err := openRing(&directory{path: dir, leaveOut: fake}); err != nil || len(left) == 0 || left[0] != "keys" {
		t.Errorf("at the next start left out is %q, %v, want the directory", left, err)
	}
	var copied bytes.Buffer
	if _, err := Backup(dir, &copied); err != nil {
		t.Fatal(err)
	}
	left = nil
	other := &directory{path: filepath.Join(t.TempDir(), "other"), leaveOut: fake}
	if _, err := other.takeIn(&copied, Taking{}); err != nil || !slices.Equal(left, []string{"other.tmp"}) {
		t.Errorf("when keys are restored left out is %q, %v, want where they are unpacked, while it is empty", left,
			err)
	}
}

// The value is what tmutil addexclusion sets.
func TestExclusion(t *testing.T) {
	const want = "62706c6973743030" + "5f1011" + "636f6d2e6170706c652e6261636b757064" + "08" +
		"0000000000000101" + "0000000000000001" + "0000000000000000" + "000000000000001c"
	if got := hex.EncodeToString(excludedBy()); got != want {
		t.Errorf("excludedBy() = %s, want %s", got, want)
	}
	dir := t.TempDir()
	if leaveOut(dir); !ExcludedFromTimeMachine(dir) {
		t.Error("a directory that is left out is not known as such")
	}
}
