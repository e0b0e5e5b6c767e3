//go:build real

package real

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestCatchesUp says more than a window shows while nobody sees it, and wants all of it, once and in order: Kehai
// scrolls by itself once nobody was at the keyboard for a while. KEHAI_CLIENTS names the clients, or all
// are played.
func TestCatchesUp(t *testing.T) {
	for _, c := range chosen(t) {
		t.Run(c.name, func(t *testing.T) {
			r := openRig(t, c, "")
			r.kehai.kill()
			r.settings = filepath.Join(t.TempDir(), "kehai.yaml")
			write(t, r.settings, "read:\n  catch_up: scroll\n")
			r.watch()
			r.phase = "before"
			r.talk("Hana", talk[:6]...)
			for _, part := range []struct {
				name   string
				n      int
				every  time.Duration
				asleep bool
			}{
				{"30 in two seconds", 30, 66 * time.Millisecond, false},
				{"200 while asleep", 200, 40 * time.Millisecond, true},
			} {
				r.phase = part.name
				if part.asleep { // as a Mac does, with all that runs on it
					_ = r.kehai.cmd.Process.Signal(syscall.SIGSTOP)
				}
				for i := range part.n {
					r.say("Hana", passage(part.name, i))
					r.wait(part.every)
				}
				r.wait(5 * time.Second) // until the client shows them
				r.wheel(60)
				if part.asleep {
					_ = r.kehai.cmd.Process.Signal(syscall.SIGCONT)
				}
				began := time.Now()
				for int(r.kehai.seen()) < r.awaited && time.Since(began) < 10*time.Minute {
					r.wait(time.Second)
				}
				t.Logf("%s: %d of %d after %v", part.name, r.kehai.seen(), r.awaited,
					time.Since(began).Round(time.Second))
				r.picture()
			}
			r.talk("Hana", "that was all of it")
			r.kehai.stop()
			r.judge()
		})
	}
}

// passage is one of many texts that are not alike.
func passage(part string, i int) string {
	what := []string{"the harbour", "紅葉の写真", "a blue lamp", "駅前の本屋", "her old bicycle", "来月の旅行", "the third chapter",
		"隣の猫", "some warm bread", "図書館の窓", "a letter from Oslo", "庭の柿", "the last train"}
	how := []string{"was lovely", "を思い出した", "came up again", "の話をしよう", "is what I meant", "が好きだな", "took all morning",
		"はまだ見てない", "made me laugh", "で待ってるね", "cost too much"}
	return fmt.Sprintf("%s %s (%s %d)", what[i%len(what)], how[i%len(how)], part[:2], i+1)
}
