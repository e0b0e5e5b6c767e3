//go:build memory

package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/offline"
)

// TestMemoryAtScale prints what a whole memory takes (KEHAI_EVENTS, 100,000): importing it as kehai
// memory import does, starting with it, recalling beside a writer, and the space it needs. Each
// start is a process of its own.
func TestMemoryAtScale(t *testing.T) {
	if dir := os.Getenv("KEHAI_SCALE_DIR"); dir != "" {
		started(t, dir)
		return
	}
	n, err := strconv.Atoi(os.Getenv("KEHAI_EVENTS"))
	if err != nil {
		n = 100_000
	}
	fmt.Printf("%-50s %12s %12s\n", "whole memory", "measured", "aim")
	none := child(t, imported(t, 0))
	few := child(t, imported(t, fewEvents))
	row("RSS with 10,000 events, more than without", fmt.Sprintf("%.0f MB", (few.RSS-none.RSS)/1e6), "<= 40 MB")
	dir := imported(t, n)
	grown := child(t, dir, growing) // saves its index too
	if n > fewEvents {
		row("  growing from it, a second of processor time", fmt.Sprintf("%.0f/s", float64(n)/grown.Grew.Seconds()), "")
	}
	s := child(t, dir)
	row("start to first recall", ms(s.First), "<= 2 s")
	row("recall in one conversation, p50", ms(s.One[0]), "<= 5 ms")
	row("recall in one conversation, p99", ms(s.One[1]), "<= 10 ms")
	row("  processor time, the writer's with it", ms(s.OneCPU), "")
	row("recall in everything, p50", ms(s.All[0]), "<= 5 ms")
	row("recall in everything, p99", ms(s.All[1]), "<= 10 ms")
	row("  processor time, the writer's with it", ms(s.AllCPU), "")
	row("a writer's event beside it, p50", ms(s.Write[0]), "")
	row("a writer's event beside it, p99", ms(s.Write[1]), "")
	row("RSS", fmt.Sprintf("%.0f MB", s.RSS/1e6), "<= 600 MB")
	row("  pages of files in it, which a system takes back", fmt.Sprintf("%.0f MB", s.Mapped/1e6), "")
	row("saved index", fmt.Sprintf("%.0f MB", s.Saved/1e6), "")
}

func row(what, measured, aim string) { fmt.Printf("%-50s %12s %12s\n", what, measured, aim) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

// figures are what a start with a memory took.
type figures struct {
	First           time.Duration
	One, All, Write [2]time.Duration // p50 and p99
	OneCPU, AllCPU  time.Duration    // of one recall, the writer's included
	RSS, Mapped     float64
	Saved           float64       // bytes of the index at rest
	Grew            time.Duration // of the processor, until all that was imported has grown
}

const told = "figures "

// growing is what a child is told to wait for instead of recalling.
const growing = "KEHAI_SCALE_GROW=1"

// child starts with a memory in another process.
func child(t *testing.T, dir string, env ...string) (f figures) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryAtScale$", "-test.v", "-test.timeout=90m")
	cmd.Env = append(append(os.Environ(), "KEHAI_SCALE_DIR="+dir), env...)
	out, err := cmd.CombinedOutput()
	_, rest, ok := bytes.Cut(out, []byte(told))
	if err != nil || !ok {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f
}

const (
	scaleTurns     = 500 // of a conversation
	scaleQuestions = 400
	fewEvents      = 10_000
)

// utterance makes a message of words that are as unequal as in a language.
func utterance(r *rand.Rand, z *rand.Zipf) string {
	var b strings.Builder
	for n := 6 + r.IntN(6); n > 0; n-- {
		w := z.Uint64()
		if w%5 < 3 {
			fmt.Fprintf(&b, "%c%cは", rune(0x4E00+w*7919%6000), rune(0x4E00+w*104729%6000))
			continue
		}
		fmt.Fprintf(&b, "%s ", strconv.FormatUint(w*2654435761%(1<<31), 36))
	}
	return b.String()
}

// imported is a data directory with n events, imported as the command does it.
func imported(t *testing.T, n int) string {
	t.Helper()
	cfg := runtime.Default()
	cfg.Data, cfg.Windows = filepath.Join(t.TempDir(), strconv.Itoa(n)), nil
	s, err := offline.Open(cfg, zerolog.Nop(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	z := rand.NewZipf(r, 1.15, 8, 60_000)
	talks := max(1, n/scaleTurns)
	began, used := time.Now(), cpu(t)
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for from := 0; from < n; from += 20_000 {
		batch := map[messages.ConversationID][]messages.Event{}
		for i := from; i < min(n, from+20_000); i++ {
			c := messages.ConversationID(fmt.Sprint("c", i%talks))
			batch[c] = append(batch[c], messages.Event{ID: messages.MessageID(fmt.Sprint("e", i)), Source: "import",
				Speaker: "Hana", Own: i/talks%2 == 1, At: start.Add(time.Duration(i) * time.Minute),
				Text: messages.Text(utterance(r, z))})
		}
		importAll(t, s, batch)
	}
	if err := s.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); n > fewEvents {
		row(fmt.Sprintf("import of %d events", n), fmt.Sprintf("%.0f/s", float64(n)/took.Seconds()), ">= 10000/s")
		row("  by processor time", fmt.Sprintf("%.0f/s", float64(n)/(cpu(t)-used).Seconds()), "")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return cfg.Data
}

func importAll(t *testing.T, s *offline.Store, batch map[messages.ConversationID][]messages.Event) {
	t.Helper()
	var all sync.WaitGroup
	places := make(chan struct{}, 64)
	for c, list := range batch {
		places <- struct{}{}
		all.Go(func() {
			if _, err := s.Import(t.Context(), c, list); err != nil {
				t.Error(err)
			}
			<-places
		})
	}
	all.Wait()
}

// started prints what a start with a memory takes.
func started(t *testing.T, dir string) {
	cfg := runtime.Default()
	cfg.Data, cfg.Windows, cfg.Web.Addr = dir, nil, "127.0.0.1:0"
	var f figures
	began := time.Now()
	rt, err := runtime.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	recallIn(t, rt, "c1", "x")
	f.First = time.Since(began)
	if n, err := strconv.Atoi(filepath.Base(dir)); err != nil {
		t.Fatal(err)
	} else if os.Getenv("KEHAI_SCALE_GROW") != "" {
		idle(t)
		f.Grew = cpu(t)
	} else if n <= fewEvents {
		recallIn(t, rt, "", "x")
	} else {
		measure(t, rt, &f, n/scaleTurns)
	}
	f.RSS, f.Mapped = resident(t)
	stop()
	if err := <-ended; err != nil && !errors.As(err, new(*runtime.Unfinished)) { // it still grows
		t.Fatal(err)
	}
	if saved, err := os.Stat(filepath.Join(dir, "index", "memory")); err == nil {
		f.Saved = float64(saved.Size())
	}
	line, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\n%s%s\n", told, line)
}

func recallIn(t *testing.T, rt *runtime.Runtime, c messages.ConversationID, text string) {
	t.Helper()
	if _, err := rt.Recall(t.Context(), control.RecallQuery{Conversation: c, Text: text, K: 12}); err != nil {
		t.Fatal(err)
	}
}

// measure asks in one conversation and in everything, with a writer beside it.
func measure(t *testing.T, rt *runtime.Runtime, f *figures, talks int) {
	r := rand.New(rand.NewPCG(9, 9))
	z := rand.NewZipf(r, 1.15, 8, 60_000)
	for all := true; all; { // until all can be found
		got, err := rt.Recall(t.Context(), control.RecallQuery{Text: utterance(r, z), K: 12})
		if err != nil {
			t.Fatal(err)
		}
		all = got.Loading
	}
	done, over := make(chan struct{}), make(chan struct{})
	var wrote []time.Duration
	go func() {
		defer close(over)
		w := rand.New(rand.NewPCG(11, 11))
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			began := time.Now()
			_, err := rt.Remember(t.Context(), messages.ConversationID(fmt.Sprint("c", w.IntN(talks))),
				[]messages.Event{{ID: messages.MessageID(fmt.Sprint("live", began.UnixNano())), Speaker: "Hana",
					At: began, Text: messages.Text(fmt.Sprint("live message ", i))}})
			if err != nil {
				t.Error(err)
				return
			}
			wrote = append(wrote, time.Since(began))
		}
	}()
	ask := func(c func(i int) messages.ConversationID) ([2]time.Duration, time.Duration) {
		var took []time.Duration
		used := cpu(t)
		for i := range scaleQuestions {
			text := utterance(r, z)
			began := time.Now()
			recallIn(t, rt, c(i), text)
			took = append(took, time.Since(began))
		}
		return spread(took), (cpu(t) - used) / scaleQuestions
	}
	f.One, f.OneCPU = ask(func(i int) messages.ConversationID {
		return messages.ConversationID(fmt.Sprint("c", i*37%talks))
	})
	f.All, f.AllCPU = ask(func(int) messages.ConversationID { return "" })
	close(done)
	<-over
	f.Write = spread(wrote)
}

// spread is the median and the 99th of a hundred.
func spread(took []time.Duration) [2]time.Duration {
	if len(took) == 0 {
		return [2]time.Duration{}
	}
	slices.Sort(took)
	return [2]time.Duration{took[len(took)/2], took[len(took)*99/100]}
}

// idle waits until this process does next to nothing for a while.
func idle(t *testing.T) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for used := cpu(t); ; {
		<-tick.C
		before := used
		if used = cpu(t); used-before < time.Second/2 {
			return
		}
	}
}

// resident is the memory that this process has, and what of it are pages of files.
func resident(t *testing.T) (all, mapped float64) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages [2]float64
	for i := range pages {
		if pages[i], err = strconv.ParseFloat(strings.Fields(string(data))[1+i], 64); err != nil {
			t.Fatal(err)
		}
	}
	return pages[0] * float64(os.Getpagesize()), pages[1] * float64(os.Getpagesize())
}

// cpu is the processor time that this process has used: a busy machine makes it no longer.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
