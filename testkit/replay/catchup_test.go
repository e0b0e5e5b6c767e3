package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// caughtUp is what came of a script whose window may be scrolled.
type caughtUp struct {
	texts []string
	late  int
	gaps  []messages.TranscriptGap
	stops []string // why scrolling stopped
}

func catchUp(t *testing.T, text string, change func(*Options)) (got caughtUp) {
	t.Helper()
	o := plainOptions(parsed(t, text))
	o.Config.Read.CatchUp = config.CatchUpScroll
	o.Deliver = func(e control.Entry) error {
		for _, p := range e.Message.Parts {
			got.texts = append(got.texts, p.Text)
			if p.Late {
				got.late++
			}
		}
		return nil
	}
	o.Options = []runtime.Option{runtime.WithListener(func(ev runtime.Event) {
		switch m := ev.Message.(type) {
		case messages.TranscriptGap:
			got.gaps = append(got.gaps, m)
		case events.Dropped:
			if m.Detail.Rule == events.RuleStopped || m.Detail.Rule == events.RulePaused {
				got.stops = append(got.stops, m.Detail.Code)
			}
		}
	})}
	if change != nil {
		change(&o)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	return got
}

const before = `{"at_ms":0,"who":"friend","text":"Hello there, how are you","conversation":"Hana"}
{"at_ms":1000,"who":"me","text":"Fine, and you"}
{"at_ms":3000,"who":"friend","text":"Also fine"}
`

// numbers are the numbers of the texts of floods, in order.
func numbers(texts []string) (out []int) {
	for _, s := range texts {
		var n int
		if c, _ := fmt.Sscanf(s, "%d:", &n); c == 1 {
			out = append(out, n)
		}
	}
	return out
}

func wantOnce(t *testing.T, got caughtUp, n int) {
	t.Helper()
	var want []int
	for i := range n {
		want = append(want, i+1)
	}
	if have := numbers(got.texts); !slices.Equal(have, want) {
		t.Errorf("delivered the messages %v of the flood, want 1 to %d, each once; gaps %+v, stops %q", have, n,
			got.gaps, got.stops)
	}
}

// TestCatchUp: what went by unseen is read by scrolling back, each message once and in order,
// what comes afterwards too, and nobody is told of a gap.
func TestCatchUp(t *testing.T) {
	for name, text := range map[string]string{
		"30 in two seconds": before + `{"at_ms":60000,"do":"flood","count":30,"over_ms":2000}
{"at_ms":240000,"who":"friend","text":"Good night"}
`,
		"200 while asleep": before + `{"at_ms":8000,"do":"hide"}
{"at_ms":9000,"do":"flood","count":200,"over_ms":20000000}
{"at_ms":20100000,"do":"show"}
{"at_ms":20400000,"who":"friend","text":"Good night"}
`,
	} {
		t.Run(name, func(t *testing.T) {
			got := catchUp(t, text, nil)
			n, late := 30, 7 // a page was captured while they came
			if strings.HasPrefix(name, "200") {
				n, late = 200, 100
			}
			wantOnce(t, got, n)
			if last := len(got.texts) - 1; last < 0 || got.texts[last] != "Good night" {
				t.Errorf("delivered %q last, want the one that came after all", got.texts)
			}
			if len(got.gaps) > 0 || got.late < late {
				t.Errorf("%d messages are marked late, and gaps told are %+v, want %d or more and none", got.late,
					got.gaps, late)
			}
			if !slices.Equal(got.stops, []string{string(messages.CatchUpReached)}) {
				t.Errorf("it stopped for %q, want %q once", got.stops, messages.CatchUpReached)
			}
		})
	}
}

// TestCatchUpFromAnOlderPosition: a window that was left scrolled back shows nothing new. Once nobody was there for a
// while it is turned to its newest position, and what came is read.
func TestCatchUpFromAnOlderPosition(t *testing.T) {
	for _, by := range []int{60, 400} {
		for _, n := range []int{1, 60} {
			var b strings.Builder
			for i := range 30 {
				fmt.Fprintf(&b, `{"at_ms":%d,"who":"friend","text":"what was said at first, part %d","conversation":"Hana"}`+"\n",
					2000*i, i)
			}
			fmt.Fprintf(&b, `{"at_ms":70000,"do":"scroll","by":%d}
{"at_ms":75000,"do":"flood","count":%d,"over_ms":20000}
{"at_ms":900000,"who":"friend","text":"Good night"}
`, by, n)
			got := catchUp(t, b.String(), nil)
			wantOnce(t, got, n)
			if len(got.gaps) > 0 || got.texts[len(got.texts)-1] != "Good night" {
				t.Errorf("scrolled by %d: gaps %+v, and delivered %q last", by, got.gaps, got.texts[len(got.texts)-1])
			}
		}
	}
}

// TestCatchUpCrash: wherever it is killed, all comes once, in order.
func TestCatchUpCrash(t *testing.T) {
	for at := 61000; at < 75000; at += 2000 {
		got := catchUp(t, before+fmt.Sprintf(`{"at_ms":60000,"do":"flood","count":40,"over_ms":1000}
{"at_ms":%d,"do":"crash"}
{"at_ms":300000,"who":"friend","text":"Good night"}
`, at), func(o *Options) { o.Seed = uint64(at) })
		wantOnce(t, got, 40)
	}
}

// TestCatchUpStops: a person's hand, a limit and a transcript without what was known stop
// it; the notice says so, once, and what was read without a border is not passed on.
func TestCatchUpStops(t *testing.T) {
	const all = 300 // so many that it still scrolls when somebody comes
	flood := fmt.Sprintf(`{"at_ms":60000,"do":"flood","count":%d,"over_ms":1000}
`, all)
	late := `{"at_ms":400000,"who":"friend","text":"Good night"}
`
	hand := "" // one key alone may fall together with a turn of the wheel
	for at := 78000; at < 82000; at += 350 {
		hand += fmt.Sprintf(`{"at_ms":%d,"do":"type","text":"k"}
`, at)
	}
	limited := func(o *Options) { o.Config.Rules.CatchUp.Screens = 3 }
	for name, c := range map[string]struct {
		script string
		change func(*Options)
		stop   messages.CatchUpEnd
		whole  bool
	}{
		"limit":  {before + flood + late, limited, messages.CatchUpLimit, false},
		"person": {before + flood + hand + late, nil, messages.CatchUpPerson, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := catchUp(t, c.script, c.change)
			if len(got.gaps) != 1 || got.gaps[0].Why != c.stop || got.gaps[0].Screens < 1 {
				t.Errorf("gaps told are %+v, want one that says %q", got.gaps, c.stop)
			}
			if !slices.Contains(got.stops, string(c.stop)) {
				t.Errorf("it stopped for %q, want %q", got.stops, c.stop)
			}
			have := numbers(got.texts)
			slices.Sort(have)
			if n := len(slices.Compact(have)); n != len(numbers(got.texts)) || (n == all) != c.whole {
				t.Errorf("delivered %v, want each once, all of them %v", numbers(got.texts), c.whole)
			}
		})
	}
}
