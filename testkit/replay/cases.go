package replay

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit/replay/corpus"
)

// RunAll replays generated scripts, as many at a time as there are processors, and sums
// up the results in the order of the cases. o gives everything but script, scale, theme
// and seed; a case's seed is o.Seed plus its index. done, if not nil, is called after
// each case, never concurrently but in any order.
func RunAll(ctx context.Context, cases []corpus.Case, o Options, done func(i int, r Result)) (Result, error) {
	began := cpuTime()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([]Result, len(cases))
	next := make(chan int)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range min(goruntime.GOMAXPROCS(0), len(cases)) {
		all.Go(func() {
			for i := range next {
				r, err := Run(ctx, caseOptions(o, cases[i], i))
				if err != nil {
					cancel(fmt.Errorf("replay: case %s: %w", cases[i].Name, err))
					continue
				}
				mu.Lock()
				results[i] = r
				if done != nil {
					done(i, r)
				}
				mu.Unlock()
			}
		})
	}
	for i := range cases {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	all.Wait()
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	var sum Result
	for i, r := range results {
		sum.Add(r.Counts)
		sum.OCRCalls += r.OCRCalls
		sum.BubblesRead += r.BubblesRead
		sum.Virtual += r.Virtual
		for _, p := range r.Problems {
			p.Conversation = cases[i].Name + "/" + p.Conversation
			sum.Problems = append(sum.Problems, p)
		}
	}
	sum.CPU = cpuTime() - began
	return sum, nil
}

// caseOptions are the options of one case.
func caseOptions(o Options, c corpus.Case, i int) Options {
	o.Script = c.Script
	o.Seed += uint64(i)
	o.Config.Windows = slices.Clone(o.Config.Windows)
	if len(o.Config.Windows) == 0 {
		o.Config.Windows = []config.Window{config.DefaultWindow("line")}
	}
	w := &o.Config.Windows[0]
	w.Scale, w.Theme = c.Scale, c.Theme
	return o
}
