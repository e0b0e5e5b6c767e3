package hardwaretest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

// StructureFixture is a structure driver and a window with a message list.
type StructureFixture struct {
	Structure hardware.Structure
	Ref       string
	Rows      int          // of the list
	Add       func()       // adds a row and returns once the application shows it
	Secrets   []string     // texts of the rows and of the title
	Gone      string       // ref of a window that does not exist
	Deny      func()       // makes the tree unreachable; nil if a test cannot
	Close     func() error // nil if the driver has nothing to close
}

// Structure checks a driver. fixture makes a fresh one; it is called several
// times. The driver must be safe for concurrent calls.
func Structure(t *testing.T, fixture func(t *testing.T) StructureFixture) {
	t.Run("rows", func(t *testing.T) { checkRows(t, fixture(t)) })
	t.Run("errors", func(t *testing.T) { checkStructureErrors(t, fixture(t)) })
	t.Run("concurrent", func(t *testing.T) { checkConcurrentRows(t, fixture(t)) })
	t.Run("close", func(t *testing.T) { checkStructureCloses(t, fixture(t)) })
}

func (f StructureFixture) want(t *testing.T, rows int) {
	t.Helper()
	if got, err := f.Structure.Rows(t.Context(), f.Ref); got != rows || err != nil {
		t.Errorf("Rows(%s) = %d, %v, want %d", f.Ref, got, err, rows)
	}
}

func checkRows(t *testing.T, f StructureFixture) {
	f.want(t, f.Rows)
	f.want(t, f.Rows)
	if f.Add != nil {
		f.Add()
		f.want(t, f.Rows+1)
	}
}

func checkStructureErrors(t *testing.T, f StructureFixture) {
	n, err := f.Structure.Rows(t.Context(), f.Gone)
	wantTyped(t, "Rows(gone)", err, hardware.ErrWindowGone, f.Secrets)
	if n != 0 {
		t.Errorf("Rows(gone) = %d, want 0", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := f.Structure.Rows(ctx, f.Ref); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Rows(cancelled) = %d, %v, want 0, %v", n, err, context.Canceled)
	}
	f.want(t, f.Rows)
	if f.Deny == nil {
		return
	}
	f.Deny()
	for range 2 {
		n, err := f.Structure.Rows(t.Context(), f.Ref)
		if err == nil || n != 0 {
			t.Errorf("Rows(unreachable) = %d, %v, want 0 and an error", n, err)
		}
		wantTyped(t, "Rows(unreachable)", err, err, f.Secrets)
	}
}

func checkConcurrentRows(t *testing.T, f StructureFixture) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				f.want(t, f.Rows)
			}
		})
	}
	wg.Wait()
}

func checkStructureCloses(t *testing.T, f StructureFixture) {
	if f.Close == nil {
		return
	}
	closes(t, func() { f.want(t, f.Rows) }, f.Close)
	if n, err := f.Structure.Rows(t.Context(), f.Ref); n != 0 || !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Rows() after Close = %d, %v, want 0, %v", n, err, hardware.ErrUnavailable)
	}
}
