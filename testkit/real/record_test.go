//go:build real

package real

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRecorded records each client for KEHAI_RECORD, such as 1h, and wants a replay to decide what was
// decided before the window, both of the recording and of what is exported of it. The exported ones go
// to the folder KEHAI_FLIGHTS.
func TestRecorded(t *testing.T) {
	length, err := time.ParseDuration(cmp.Or(os.Getenv("KEHAI_RECORD"), "10m"))
	if err != nil {
		t.Fatalf("KEHAI_RECORD: %v", err)
	}
	for _, c := range chosen(t) {
		t.Run(c.name, func(t *testing.T) {
			dir := cmp.Or(os.Getenv("KEHAI_FLIGHTS"), t.TempDir())
			flight, shown := filepath.Join(t.TempDir(), "chat.flight"), filepath.Join(dir, c.name+".flight")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(shown); err != nil { // of an earlier run
				t.Fatal(err)
			}
			r := openRig(t, c, flight)
			r.playFor(length)
			r.kehai.stop()
			r.says("replay", flight)
			r.says("record", "export", flight, shown, "--redact")
			r.says("replay", shown)
			was, now := size(t, flight), size(t, shown)
			fmt.Printf("flight\t%s\t%v\t%d kB\t%d kB exported\n", c.name, length, was/1000, now/1000)
		})
	}
}

// playFor plays the phases again and again, but for those that end Kehai: a recording is of one run.
func (r *rig) playFor(length time.Duration) {
	began := time.Now()
	for round := 1; ; round++ {
		for _, p := range phases {
			switch {
			case time.Since(began) >= length:
				return
			case p.name == "killed":
				continue
			}
			r.t.Logf("%s, round %d, after %v", p.name, round, time.Since(began).Round(time.Second))
			r.phase = p.name
			p.play(r)
			r.picture()
		}
	}
}

// says runs Kehai, which must succeed.
func (r *rig) says(args ...string) {
	r.t.Helper()
	began := time.Now()
	out, err := r.command(args...).CombinedOutput()
	if err != nil {
		r.t.Errorf("kehai %q: %v\n%s", args, err, out)
		return
	}
	r.t.Logf("kehai %q took %v", args, time.Since(began).Round(time.Second))
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
