package recording

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/control"
)

// TestTapsStartAndStop: what passes is kept from the start to the stop, one recording at a time, and one
// that is over by itself makes room for the next.
func TestTapsStartAndStop(t *testing.T) {
	f := newFlight(t, 0)
	f.taps.Use(nil) // nobody has asked for one
	options := func(name string, last time.Duration) Options {
		return Options{Path: filepath.Join(t.TempDir(), name), Windows: []string{"line"}, For: last}
	}
	captures := func(taps *Taps) {
		f.now = f.now.Add(time.Second)
		if got, err := taps.Screen(win, f).Capture(t.Context(), ""); err != nil || got.Image == nil {
			t.Errorf("Capture() = %v, %v, want a picture with and without a recorder", got, err)
		}
	}
	var none Taps
	if _, err := none.Start(options("early", 0)); err == nil {
		t.Error("Start() before the runtime has its keys = nil, want an error")
	}
	captures(&none)
	captures(&f.taps)
	if _, err := f.taps.Stop(); !errors.Is(err, control.ErrNotRecording) {
		t.Errorf("Stop() = %v, want ErrNotRecording", err)
	}
	first := options("first", 0)
	if _, err := f.taps.Start(first); err != nil {
		t.Fatal(err)
	}
	if _, err := f.taps.Start(options("second", 0)); !errors.Is(err, control.ErrRecording) {
		t.Errorf("Start() = %v, want ErrRecording", err)
	}
	captures(&f.taps)
	s, err := f.taps.Stop()
	if err != nil || s.Path != first.Path || s.Bytes == 0 {
		t.Errorf("Stop() = %+v, %v, want %s", s, err, first.Path)
	}
	captures(&f.taps)
	if got := kept(t, f, first.Path); got != 1 {
		t.Errorf("%d pictures, want the one between start and stop", got)
	}

	short := options("short", 2*time.Second)
	if _, err := f.taps.Start(short); err != nil {
		t.Fatal(err)
	}
	for range 2 * maxWaiting {
		captures(&f.taps)
	}
	if !f.taps.Now().State().Full {
		t.Error("a recording of 2s goes on after a minute")
	}
	if n := len(f.taps.Now().windows[string(win)].waiting); n > 0 {
		t.Errorf("%d pictures wait for a recording that is over", n)
	}
	next := options("next", 0)
	if _, err := f.taps.Start(next); err != nil {
		t.Errorf("Start() after one that is over = %v", err)
	}
	if got := kept(t, f, short.Path); got == 0 || got > 2*maxWaiting-maxWaiting {
		t.Errorf("%d pictures of a recording of 2s", got)
	}
	if err := f.taps.Close(); err != nil || f.taps.Now() != nil {
		t.Errorf("Close() = %v, want the recording ended", err)
	}
	if _, err := f.taps.Start(options("late", 0)); err == nil {
		t.Error("Start() after the end = nil, want an error")
	}
	if rec, err := f.open(contents(t, next.Path)); err != nil || rec.Torn {
		t.Errorf("Open() = %v, want a recording that ended in order", err)
	}
}

// TestTapsLeaveTheHostsRecorder: whoever brought a recorder ends it.
func TestTapsLeaveTheHostsRecorder(t *testing.T) {
	f := newFlight(t, 0)
	if _, err := f.taps.Stop(); err == nil {
		t.Error("Stop() = nil, want the recorder of the host left alone")
	}
	if err := f.taps.Close(); err != nil || f.taps.Now() != f.Recorder {
		t.Errorf("Close() = %v, want the recorder of the host left alone", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// kept counts the pictures of a recording.
func kept(t *testing.T, f *flight, path string) (n int) {
	t.Helper()
	rec, err := f.open(contents(t, path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rec.Entries {
		if e.Kind == Frame {
			n++
		}
	}
	return n
}
