//go:build crash && linux

package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

func init() { fullRole = writeUntilFull }

// writeUntilFull writes batches and tells of each, while there is as much free as a
// runtime wants. Then it closes the store.
func writeUntilFull(s *store.Store) {
	for n := 0; ; n++ {
		free, err := s.Free()
		must(err)
		if free < 40<<20 {
			break
		}
		value := fmt.Appendf(make([]byte, 100<<10), "%d", n)
		if err = s.Apply([]engine.Op{{Key: fmt.Append(nil, n%50), Value: value}}, false); err != nil {
			fmt.Println("refused:", err)
			break
		}
		fmt.Println("wrote:", n)
	}
	fmt.Println("closed:", s.Close())
}

// onSmallVolume mounts a volume of memory in a directory, for as long as a test runs.
func onSmallVolume(t *testing.T, mib int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	options := fmt.Sprintf("size=%dm,mode=0700,uid=%d", mib, os.Geteuid())
	mount := []string{"mount", "-t", "tmpfs", "-o", options, "tmpfs", dir}
	umount := []string{"umount", "-l", dir}
	if os.Geteuid() != 0 {
		mount, umount = append([]string{"sudo", "-n"}, mount...), append([]string{"sudo", "-n"}, umount...)
	}
	if out, err := exec.Command(mount[0], mount[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("mount a small volume, which root or sudo can: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command(umount[0], umount[1:]...).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

// TestFullVolume has somebody else fill the volume of a store that is written, at
// once and at any moment. Most lives end with words; one that a table was being made in
// may end with the signal. What was acknowledged is there in each case.
func TestFullVolume(t *testing.T) {
	const lives = 20
	words := 0
	for life := range lives {
		volume := onSmallVolume(t, 128)
		dir := filepath.Join(volume, "store")
		c := startChild(t, "full", dir)
		c.cmd.Stderr = nil
		wrote, closed := -1, ""
		after := 20 + 7*life
		late := time.AfterFunc(time.Minute, func() { c.cmd.Process.Signal(syscall.SIGQUIT) })
		for c.lines.Scan() {
			what, text, _ := strings.Cut(c.lines.Text(), " ")
			switch what {
			case "wrote:":
				if wrote, _ = strconv.Atoi(text); wrote == after {
					fillVolume(t, volume)
				}
			case "closed:":
				closed = text
			}
		}
		err := c.cmd.Wait()
		if !late.Stop() {
			t.Fatalf("life %d did not end by itself", life)
		}
		if err == nil {
			words++
			tidy := closed == "<nil>" // before it was full
			if !tidy && !strings.Contains(closed, "was left as it is, because its volume has no space") {
				t.Errorf("life %d: closed %q, want words of a full volume", life, closed)
			}
		}
		if err := os.Remove(filepath.Join(volume, "filler")); err != nil {
			t.Fatal(err)
		}
		s := open(t, store.Options{Dir: dir})
		if got := newest(t, s); got < wrote {
			t.Errorf("life %d: the newest batch that is found again is %d, want %d", life, got, wrote)
		}
		closeIt(t, s)
	}
	t.Logf("%d of %d lives ended with words", words, lives)
	if words < lives/2 {
		t.Errorf("%d of %d lives ended with words, want most", words, lives)
	}
}

// fillVolume takes all that is left of a volume, in one call of the system.
func fillVolume(t *testing.T, volume string) {
	t.Helper()
	f, err := os.Create(filepath.Join(volume, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := int64(0)
	for step := int64(64 << 20); step >= 4<<10; {
		switch err := unix.Fallocate(int(f.Fd()), 0, size, step); {
		case err == nil:
			size += step
		case errors.Is(err, syscall.EINTR):
		default:
			step /= 2
		}
	}
}

// newest is the number of the newest batch that a store holds.
func newest(t *testing.T, s *store.Store) int {
	t.Helper()
	last := -1
	err := s.Scan(nil, nil, func(_, v []byte) bool {
		n, err := strconv.Atoi(strings.TrimLeft(string(v), "\x00"))
		if err != nil {
			t.Errorf("a value ends in %q", v[len(v)-8:])
		}
		last = max(last, n)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}
