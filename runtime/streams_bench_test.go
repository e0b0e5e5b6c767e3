package runtime_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
)

// typewriter is a language model that writes at a steady pace, and remembers when it was
// asked and when it wrote the first token of each answer.
type typewriter struct {
	tokens int
	every  time.Duration

	mu           sync.Mutex
	asked, began []time.Time
	late         atomic.Int64 // ns by which its own pace slipped, at most
}

// Generate answers what is no reply at once: it finds nothing.
func (*typewriter) Generate(context.Context, runtime.LLMQuestion) (runtime.LLMReply, error) {
	return runtime.LLMReply{Text: `{"learned": []}`, Model: "typewriter"}, nil
}

func (w *typewriter) Stream(ctx context.Context, _ runtime.LLMQuestion, write func(string)) (runtime.LLMReply, error) {
	start := time.Now()
	var said strings.Builder
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for n := range w.tokens {
		token := "word "
		if n%8 == 7 {
			token = "end. "
		}
		said.WriteString(token)
		if n == 0 {
			w.mu.Lock()
			w.asked, w.began = append(w.asked, start), append(w.began, time.Now())
			w.mu.Unlock()
		}
		write(token)
		select {
		case at := <-tick.C:
			w.late.Store(max(w.late.Load(), int64(time.Since(at))))
		case <-ctx.Done():
			return runtime.LLMReply{}, ctx.Err()
		}
	}
	return runtime.LLMReply{Text: said.String(), Model: "typewriter"}, nil
}

// begun starts conversations on the channel web.
func begun(b *testing.B, rt *runtime.Runtime, n int, name ...string) (list []messages.ConversationID) {
	b.Helper()
	for i := range n {
		id, err := rt.Talk().Begin(b.Context(), control.Begin{Name: fmt.Sprint("guest ", name, i)})
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, id)
	}
	return list
}

// heard follows a conversation from before something is said there until the reply is
// sent, and returns when its first token was seen, and how many were.
func heard(ctx context.Context, rt *runtime.Runtime, c messages.ConversationID, after uint64) (first time.Time, n int,
	err error) {
	seen := &control.Token{}
	for {
		news, err := rt.Talk().News(ctx, c, after, seen, time.Minute)
		if err != nil || ctx.Err() != nil {
			return first, n, err
		}
		if news.Token != nil {
			seen = news.Token
		}
		if news.Token != nil && seen.Content != "" { // the first says that a model was asked
			if n == 0 {
				first = time.Now()
			}
			n++
		}
		for _, e := range news.Events {
			switch {
			case e.Event == control.NewsDone:
				return first, n, nil
			case e.State != nil && e.State.State == messages.ReplyDrafted:
				return first, n, fmt.Errorf("the reply waits for a person: %s", e.State.Rule)
			}
		}
		after = news.Last
	}
}

// streaming runs a Kehai with a data directory and a model that writes.
func streaming(b *testing.B, w *typewriter, durability config.Durability) *runtime.Runtime {
	b.Helper()
	cfg := runtime.Default()
	cfg.Windows, cfg.Data, cfg.Web.Enabled, cfg.LLM.Concurrency = nil, b.TempDir(), false, 1024
	cfg.Durability = durability
	rt, err := runtime.New(cfg, runtime.WithLLM(w))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		<-ended // what is left of the work that was caused does not matter here
	})
	<-rt.Ready()
	return rt
}

// BenchmarkStreamsFirstToken is what Kehai adds until the first token of a reply is seen:
// from a message to the question to the model, and from the model's first token to a
// reader. The aim is 5 ms.
func BenchmarkStreamsFirstToken(b *testing.B) {
	w := &typewriter{tokens: 3, every: 20 * time.Millisecond}
	rt := streaming(b, w, config.DurabilityPower)
	talks := begun(b, rt, 1)
	var before, behind []time.Duration
	for n := 0; b.Loop(); n++ {
		if n%10 == 9 { // a conversation has a limit of replies an hour
			talks = append(talks, begun(b, rt, 1, "next "+strconv.Itoa(n))...)
		}
		c := talks[len(talks)-1]
		said := time.Now()
		a, err := rt.Talk().Say(b.Context(), c, control.Say{Text: "When do we meet?"})
		if err != nil {
			b.Fatal(err)
		}
		first, n, err := heard(b.Context(), rt, c, a.After)
		if err != nil || n == 0 {
			b.Fatalf("%d tokens, %v", n, err)
		}
		w.mu.Lock()
		before = append(before, w.asked[len(w.asked)-1].Sub(said))
		behind = append(behind, first.Sub(w.began[len(w.began)-1]))
		w.mu.Unlock()
	}
	slices.Sort(before)
	slices.Sort(behind)
	b.ReportMetric(before[len(before)/2].Seconds()*1e3, "ms-to-model")
	b.ReportMetric(behind[len(behind)/2].Seconds()*1e3, "ms-from-model")
}

// BenchmarkStreams is a thousand conversations that get replies of 20 tokens a second at the
// same time. The aim is two cores and 400 MB.
func BenchmarkStreams(b *testing.B) {
	const talks = 1000
	w := &typewriter{tokens: 79, every: 50 * time.Millisecond}
	rt := streaming(b, w, config.DurabilityProcess) // else the disk decides how long it takes to begin
	list := begun(b, rt, talks)
	for b.Loop() {
		var g sync.WaitGroup
		var tokens, failed, unseen atomic.Int64
		used, start := processorTime(b), time.Now()
		for _, c := range list {
			g.Go(func() {
				n := 0
				a, err := rt.Talk().Say(b.Context(), c, control.Say{Text: "When do we meet?"})
				if err == nil {
					_, n, err = heard(b.Context(), rt, c, a.After)
				}
				tokens.Add(int64(n))
				switch {
				case err != nil:
					failed.Add(1)
				case n == 0: // it was not seen before it was whole
					unseen.Add(1)
				}
			})
		}
		g.Wait()
		took := time.Since(start)
		if failed.Load() > 0 {
			b.Errorf("%d of %d saw no reply", failed.Load(), talks)
		}
		b.ReportMetric((processorTime(b)-used).Seconds()/took.Seconds(), "cores")
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(float64(unseen.Load()), "seen-only-whole")
		b.ReportMetric(float64(tokens.Load())/talks, "reports/reply")
		b.ReportMetric(float64(w.late.Load())/1e6, "ms-late-at-most")
		b.ReportMetric(float64(mostMemory(b))/1e6, "MB")
	}
}

// BenchmarkSealedMessages is what sealing adds to all that Kehai does with a message, from the
// one who says it to the reply, and to what it learns of it, measured by turns. Each message waits for
// the reply to the one before: else both sides would not do the same work. The aim is 10 %.
func BenchmarkSealedMessages(b *testing.B) {
	var ratios, costs []float64
	for b.Loop() {
		sides := map[bool]time.Duration{}
		for _, sealed := range [2]bool{len(ratios)%2 == 0, len(ratios)%2 == 1} {
			sides[sealed] = messageTime(b, sealed)
		}
		ratios = append(ratios, float64(sides[true])/float64(sides[false]))
		costs = append(costs, float64(sides[true].Microseconds()))
	}
	slices.Sort(ratios)
	slices.Sort(costs)
	b.ReportMetric(costs[len(costs)/2], "µs-cpu/message")
	for quarter, name := range []string{1: "lower", 2: "median", 3: "upper"} {
		if name != "" {
			b.ReportMetric(100*(ratios[quarter*len(ratios)/4]-1), "%-of-sealing-"+name)
		}
	}
}

// messageTime returns the processor time that Kehai takes for a message somebody says.
func messageTime(b *testing.B, sealed bool) time.Duration {
	b.Helper()
	dir := b.TempDir()
	opts := []runtime.Option{runtime.WithLLM(&typewriter{tokens: 3, every: time.Millisecond}),
		runtime.WithStore(func() (engine.Store, error) { return store.Open(store.Options{Dir: dir}) })}
	if sealed {
		opts = append(opts, runtime.WithSealer(keyring.Memory(nil)))
	}
	cfg := runtime.Default()
	cfg.Windows, cfg.Web.Enabled, cfg.Durability = nil, false, config.DurabilityProcess
	rt, err := runtime.New(cfg, opts...)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	const talks, each = 10, 8 // a conversation has a limit of replies an hour
	list := begun(b, rt, talks)
	used := processorTime(b)
	for n := range each {
		for i, c := range list {
			text := fmt.Sprintf("Thanks, I have read page %d of the book that you gave me in %d.", n, 1980+i)
			a, err := rt.Talk().Say(ctx, c, control.Say{Text: text})
			if err == nil {
				_, _, err = heard(ctx, rt, c, a.After)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	cancel()
	if err := <-ended; err != nil { // it ends once what was caused is done
		b.Fatal(err)
	}
	return (processorTime(b) - used) / (talks * each)
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// mostMemory is the most that this process has held in memory, in bytes; 0 where nobody
// tells.
func mostMemory(b *testing.B) int64 {
	b.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb << 10
		}
	}
	return 0
}
