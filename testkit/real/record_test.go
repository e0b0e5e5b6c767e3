//go:build real

package real

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/testkit/replay"
)

// TestRecorded records each client for KEHAI_RECORD, such as 1h, and wants a replay to decide what was
// decided before the window, both of the recording and of what is exported of it. The exported ones go
// to the folder KEHAI_FLIGHTS, and so do copies of the recordings that need no keys: one of Dino is in
// testkit/replay/testdata.
func TestRecorded(t *testing.T) {
	length, err := time.ParseDuration(cmp.Or(os.Getenv("KEHAI_RECORD"), "10m"))
	if err != nil {
		t.Fatalf("KEHAI_RECORD: %v", err)
	}
	for _, c := range chosen(t) {
		t.Run(c.name, func(t *testing.T) {
			dir := cmp.Or(os.Getenv("KEHAI_FLIGHTS"), t.TempDir())
			flight, open := filepath.Join(t.TempDir(), "chat.flight"), filepath.Join(dir, c.name+".flight")
			shown := filepath.Join(dir, c.name+"-redacted.flight")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.RemoveAll(open), os.RemoveAll(shown)); err != nil { // of an earlier run
				t.Fatal(err)
			}
			r := openRig(t, c, flight)
			r.playFor(length)
			r.kehai.stop()
			r.says("replay", flight)
			r.says("record", "export", flight, shown, "--redact")
			r.says("replay", shown)
			r.rerecord(flight, open)
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

// rerecord copies a recording without its seals: all that it shows is in script_test.go.
func (r *rig) rerecord(flight, to string) {
	r.t.Helper()
	cfg := config.Default()
	cfg.Data = r.store
	rec, file, err := recording.OpenFile(flight, keyring.Reader(datadir.Keys(cfg)))
	if err != nil {
		r.t.Fatal(err)
	}
	defer file.Close()
	out, err := replay.Rerecord(r.t.Context(), rec, to, "of a test")
	if list := replay.Differences(out.Then, out.Log); err != nil || len(list) > 0 {
		r.t.Errorf("Rerecord(%s) = %v, %d differences:\n%s", flight, err, len(list), strings.Join(list, "\n"))
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
