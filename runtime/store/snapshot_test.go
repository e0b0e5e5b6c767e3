package store

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/runtime/engine"
)

// A kill while a snapshot is restored leaves an empty store, and not for long.
func TestAKillWhileRestoring(t *testing.T) {
	dir := t.TempDir()
	s := inside(t, dir)
	var half []engine.Op
	for n := range 2500 {
		half = append(half, engine.Op{Key: userKey(fmt.Append(nil, n)), Value: make([]byte, 1000)})
	}
	if err := s.write([]engine.Op{{Key: restoreKey}}, true); err != nil {
		t.Fatal(err)
	}
	if err := s.parts(half); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	s = inside(t, dir)
	defer closed(t, s)
	if got, want := dump(t, s), fmt.Sprintf("\"m/format\" \"%d\"\n", Format); got != want {
		t.Errorf("after a kill the store holds\n%.300s\nwant\n%s", got, want)
	}
	var whole bytes.Buffer
	if err := s.Snapshot(&whole); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(&whole); err != nil {
		t.Errorf("Restore() after it = %v", err)
	}
}
