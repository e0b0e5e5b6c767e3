//go:build crash

package crash

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestMain makes the test binary a host where the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(dirEnv) == "" {
		os.Exit(m.Run())
	}
	if err := host(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// perKill is how many orders a desk gets for each kill: about as many as it takes
// to be still taking some at the last one.
const perKill = 15

// TestForeignHost kills a host at random moments, also while it starts. After each
// kill it reads what the host's subscription was told: of each desk and kind a
// beginning of its notes, each once, the notes of orders in their order. In the
// end all are there. KEHAI_KILLS=n sets how many kills, KEHAI_SEED=n plays the
// same orders, failures and moments again.
func TestForeignHost(t *testing.T) {
	kills := envInt(t, "KEHAI_KILLS", 20)
	seed := uint64(envInt(t, "KEHAI_SEED", int(time.Now().UnixNano()%1e9)))
	t.Logf("seed %d: repeat with KEHAI_SEED=%d", seed, seed)
	h := newHosts(t, rand.New(rand.NewPCG(seed, 0)), kills*perKill)
	starting, stops := 0, 0
	for kill := 1; kill <= kills; kill++ {
		if h.live(kill) {
			starting++
		}
		h.read()
		if kill%20 == 0 { // a stop in order must keep as much as a kill
			h.run(200*time.Millisecond, ready, syscall.SIGTERM)
			h.read()
			stops++
		}
		if kill%25 == 0 {
			t.Logf("%d kills, %d of %d notes", kill, h.notes, h.all())
		}
	}
	if ran := kills - starting; 10*ran < 7*kills {
		t.Errorf("only %d of %d kills came after something ran: this shows little", ran, kills)
	}
	for still := 0; h.notes < h.all(); {
		before := h.notes
		h.run(500*time.Millisecond, ready, syscall.SIGTERM)
		h.read()
		if still++; h.notes > before {
			still = 0
		}
		if still == 30 {
			t.Fatalf("the subscription was told of %d notes in the end, want %d", h.notes, h.all())
		}
	}
	t.Logf("%d kills (%d before anything ran), %d stops: all %d notes once and in order, %d told again at a kill",
		kills, starting, stops, h.notes, h.repeats)
}

// hosts are the lives of one host, and what its subscription was told so far.
type hosts struct {
	t      *testing.T
	rng    *rand.Rand
	dir    string
	orders int // of a desk
	early  int // which of four lives ends early
	before int // what was taken before this life

	offset  int64 // of the file that the subscription writes
	seq     uint64
	last    string                  // line of the file
	counts  map[stream]int          // of notes
	numbers map[stream]map[int]bool // of orders
	notes   int
	repeats int
}

// stream is the notes of a kind from a desk.
type stream struct{ desk, kind string }

func newHosts(t *testing.T, rng *rand.Rand, orders int) *hosts {
	return &hosts{t: t, rng: rng, dir: t.TempDir(), orders: orders,
		counts: map[stream]int{}, numbers: map[stream]map[int]bool{}}
}

// all is how many notes there are in the end.
func (h *hosts) all() int { return len(desks) * 3 * h.orders }

// live runs the host for a time and kills it; of four lives one ends while it starts, or right after.
// It reports whether it was killed before it took anything, though there was something to take.
func (h *hosts) live(life int) (starting bool) {
	h.t.Helper()
	if life%4 == 1 {
		h.early = h.rng.IntN(4)
	}
	h.before = h.taken()
	switch {
	case life%4 != h.early:
		h.run(time.Duration(h.rng.IntN(350))*time.Millisecond, working, syscall.SIGKILL)
	case h.rng.IntN(4) == 0:
		h.run(time.Duration(h.rng.IntN(100))*time.Millisecond, ready, syscall.SIGKILL)
	default:
		h.run(time.Duration(h.rng.IntN(100))*time.Millisecond, started, syscall.SIGKILL)
	}
	return h.taken() == h.before && !h.tookAll()
}

// tookAll reports whether nothing is left to take.
func (h *hosts) tookAll() bool { return h.taken() == len(desks)*h.orders }

// since is the moment of a life from which a time counts.
type since int

const (
	started since = iota // the process
	ready
	working // it has taken something
)

// awaitWork waits until the host has taken something more, which may take it a moment.
func (h *hosts) awaitWork() {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		if h.taken() > h.before || h.tookAll() {
			return
		}
	}
}

// run starts the host and sends it a signal after a time, counted from a moment. The host must not
// end before.
func (h *hosts) run(d time.Duration, from since, signal syscall.Signal) {
	h.t.Helper()
	var stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), dirEnv+"="+h.dir, fmt.Sprintf("%s=%d", seedEnv, h.rng.Uint64()),
		fmt.Sprintf("%s=%d", ordersEnv, h.orders),
		durabilityEnv+"="+cmp.Or(os.Getenv("KEHAI_DURABILITY"), "process"))
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	if from != started {
		stdout.Read(make([]byte, 1)) // an end instead is found below
	}
	if from == working {
		h.awaitWork()
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()
	select {
	case err := <-died:
		h.t.Fatalf("the host ended by itself: %v\n%s", err, stderr.String())
	case <-time.After(d):
	}
	if err := cmd.Process.Signal(signal); err != nil {
		h.t.Fatal(err)
	}
	if err := <-died; signal == syscall.SIGTERM && err != nil {
		h.t.Fatalf("a stop in order: %v\n%s", err, stderr.String())
	}
}

// taken counts the orders that the host knows to be stored.
func (h *hosts) taken() (n int) {
	h.t.Helper()
	for _, d := range desks {
		f, err := os.Open(filepath.Join(h.dir, takenFile+d))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			h.t.Fatal(err)
		}
		lines, err := countLines(f)
		f.Close()
		if err != nil {
			h.t.Fatal(err)
		}
		n += lines
	}
	return n
}

// read checks what the subscription was told since the last call.
func (h *hosts) read() {
	h.t.Helper()
	f, err := os.Open(filepath.Join(h.dir, seenFile))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(h.offset, io.SeekStart); err != nil {
		h.t.Fatal(err)
	}
	lines := bufio.NewScanner(f)
	for first := true; lines.Scan(); first = false {
		h.offset += int64(len(lines.Bytes())) + 1
		if first && lines.Text() == h.last { // told again, because its acknowledgement was not stored
			h.repeats++
			continue
		}
		h.last = lines.Text()
		h.told(h.last)
	}
	if err := lines.Err(); err != nil {
		h.t.Fatal(err)
	}
}

// told checks one event.
func (h *hosts) told(line string) {
	h.t.Helper()
	var seq uint64
	var s stream
	var n, count int
	if _, err := fmt.Sscanf(line, "%d %s %s %d %d", &seq, &s.desk, &s.kind, &n, &count); err != nil {
		h.t.Fatalf("the subscription wrote %q: %v", line, err)
	}
	if seq <= h.seq {
		h.t.Fatalf("event %d comes after event %d: %s", seq, h.seq, line)
	}
	h.seq = seq
	h.counts[s]++
	if h.counts[s] != count {
		h.t.Fatalf("%s: the book counts %d notes of %s, the subscription was told of %d", line, count, s, h.counts[s])
	}
	if h.numbers[s] == nil {
		h.numbers[s] = map[int]bool{}
	}
	if h.numbers[s][n] {
		h.t.Fatalf("%s: order %d is noted twice", line, n)
	}
	if n < 1 || n > h.orders || s.kind == noteOrder && n != count {
		h.t.Fatalf("%s: order %d is note %d, want them in order", line, n, count)
	}
	h.numbers[s][n] = true
	h.notes++
}

// countLines counts whole lines.
func countLines(r io.Reader) (n int, err error) {
	b, err := io.ReadAll(r)
	return bytes.Count(b, []byte{'\n'}), err
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
