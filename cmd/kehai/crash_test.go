//go:build crash

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// crashLines is how many messages the script of a given number of kills has;
// about as many as it takes to be still writing at the last kill.
func crashLines(kills int) int { return 30 + 2*kills }

// lanes is how many kehais are killed beside each other, each with a store and a
// script of its own. Most of their lives is waiting.
const lanes = 4

// TestCrash kills a real kehai, with real Badger files and OCR calls that fail, at
// random moments, and checks after each start what it has delivered: always a
// beginning of what the friend wrote, in order, nothing twice and nothing else; in
// the end all of it. Only messages in a listed gap are missing.
func TestCrash(t *testing.T) {
	kills := envInt(t, "KEHAI_KILLS", 20)
	seed := uint64(envInt(t, "KEHAI_SEED", int(time.Now().UnixNano()%1e9)))
	t.Logf("seed %d: repeat with KEHAI_SEED=%d", seed, seed)
	for lane := range lanes {
		t.Run(strconv.Itoa(lane+1), func(t *testing.T) {
			t.Parallel()
			crash(t, (kills+lane)/lanes, rand.New(rand.NewPCG(seed, uint64(lane))))
		})
	}
}

func crash(t *testing.T, kills int, rng *rand.Rand) {
	c := newCrasher(t, rng, crashLines(kills))
	known, barren := 0, 0
	longest := 700 * time.Millisecond // of a life
	for kill := 1; kill <= kills; kill++ {
		c.live(time.Duration(rng.Int64N(int64(longest))))
		got := c.check(c.delivered())
		if got < known {
			t.Fatalf("kill %d: %d lines were delivered, %d before it", kill, got, known)
		}
		if barren++; got > known {
			barren = 0
		} else if barren%10 == 0 { // a machine this slow is still starting when it is killed
			longest = min(2*longest, 20*time.Second)
		}
		known = got
		if kill%25 == 0 {
			t.Logf("%d kills, %d of %d lines delivered", kill, known, len(c.want))
		}
	}
	for still := 0; known < len(c.want); { // the script is still being played
		c.run(3 * time.Second)
		got := c.check(c.delivered())
		if still++; got > known {
			still = 0
		}
		if known = got; still == 30 {
			t.Fatalf("%d of %d lines were delivered in the end; the next one is %q", known, len(c.want), c.want[known])
		}
	}
	t.Logf("%d kills, all %d lines delivered once and in order, but for gaps that are told", kills, known)
}

type crasher struct {
	t      *testing.T
	rng    *rand.Rand
	dir    string
	config string
	want   []string
}

func newCrasher(t *testing.T, rng *rand.Rand, lines int) *crasher {
	t.Helper()
	dir := t.TempDir()
	c := &crasher{t: t, rng: rng, dir: filepath.Join(dir, "data"), config: filepath.Join(dir, "kehai.yaml")}
	durability := os.Getenv("KEHAI_DURABILITY")
	if durability == "" {
		durability = "process"
	}
	script := filepath.Join(dir, "chat.jsonl")
	c.write(script, c.script(lines))
	c.write(c.config, fmt.Sprintf(`
durability: %s
windows:
  - name: line
    app: line
    driver: drawn
    script: %s
    poll: 50ms
    # Lines go on while OCR fails, or while the machine is busy elsewhere: what
    # scrolls by meanwhile is no loss of Kehai's. This window holds 8 s of them.
    size: [480, 1440]
    speed: 0.33
ocr:
  engine: drawn
  timeout: 300ms
burst:
  quiet: 100ms
  cap: 300ms
dedup:
  first_sight: all
web:
  enabled: false
log:
  level: error
`, durability, script))
	return c
}

// script writes a chat of both sides in which lines repeat, and notes what the
// friend says.
func (c *crasher) script(lines int) string {
	short := []string{"OK", "了解", "はい", "OK", "うん", "おはよう"}
	var b strings.Builder
	b.WriteString(`{"at_ms":0,"do":"pace","pace":"reader"}` + "\n")
	at := 0
	for n := range lines {
		at += 20 + c.rng.IntN(160)
		who, text := "friend", fmt.Sprintf("メッセージ%dです", n)
		switch x := c.rng.IntN(10); {
		case x < 3:
			text = short[c.rng.IntN(len(short))]
		case x < 4:
			text = fmt.Sprintf("long message %d, %s", n, strings.Repeat("続きます。", 8))
		case x < 6:
			who, text = "me", fmt.Sprintf("返事%d", n)
		}
		if n == lines-1 { // unlike all others: what follows a gap shows how far that goes
			who, text = "friend", "これで終わりです"
		}
		if who == "friend" {
			c.want = append(c.want, text)
		}
		line, err := json.Marshal(map[string]any{"at_ms": at, "who": who, "text": text, "conversation": "Hana"})
		if err != nil {
			c.t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

func (c *crasher) write(path, text string) {
	c.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crasher) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"--config", c.config, "--data", c.dir}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "KEHAI_") { // those are the test's own
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, childEnv+"=0.1")
	return cmd
}

// live runs kehai for a time and kills it.
func (c *crasher) live(d time.Duration) {
	c.t.Helper()
	var stderr bytes.Buffer
	cmd := c.command(context.Background(), "run", "--json")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()
	// 120 ms: what a start takes; most kills shall hit a Kehai at work.
	select {
	case err := <-died:
		c.t.Fatalf("kehai ended by itself: %v\n%s", err, stderr.String())
	case <-time.After(120*time.Millisecond + d):
	}
	if err := cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	<-died
}

// run lets kehai work and stop in order.
func (c *crasher) run(d time.Duration) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d+time.Minute)
	defer cancel()
	if out, err := c.command(ctx, "run", "--for", d.String()).CombinedOutput(); err != nil {
		c.t.Fatalf("kehai run --for %v: %v\n%s", d, err, out)
	}
}

// delivered asks kehai what it has delivered, and where something may be missing.
func (c *crasher) delivered() []transcriptLine {
	c.t.Helper()
	if _, err := os.Stat(filepath.Join(c.dir, "store")); errors.Is(err, fs.ErrNotExist) {
		return nil // it was killed before it had made one
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := c.command(ctx, "messages", "--json").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = exit.Stderr
		}
		c.t.Fatalf("kehai messages: %v\n%s", err, out)
	}
	lines, err := readLines(bytes.NewReader(out))
	if err != nil {
		c.t.Fatal(err)
	}
	return lines
}

// check compares what was delivered with the beginning of what was written, and
// returns how far it goes.
func (c *crasher) check(got []transcriptLine) int {
	c.t.Helper()
	far, err := checkLines(c.want, got)
	if err != nil {
		c.t.Fatalf("%v\ngot  %+v\nwant %q", err, got, c.want)
	}
	return far
}

func envInt(t *testing.T, name string, def int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s=%q: want a number", name, s)
	}
	return n
}
