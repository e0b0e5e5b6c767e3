package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit/replay/corpus"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// latin draws the same on every machine.
var latin = drawn.FindFonts()

// replayed replays and returns what kehai replay --json prints, but for the
// processor time.
func replayed(t *testing.T, o Options) (string, Result) {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	o.Deliver = func(e control.Entry) error { return enc.Encode(e) }
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	if err := enc.Encode(struct {
		Counts
		OCRCalls, BubblesRead int
	}{r.Counts, r.OCRCalls, r.BubblesRead}); err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

// noticed leaves of an output what people would notice: ids, times and the amount
// of work may change with the kernel.
func noticed(t *testing.T, output string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(output) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		hide := func(m map[string]any) {
			for _, key := range []string{"id", "seq", "seen_at", "delivered_at", "OCRCalls", "BubblesRead"} {
				delete(m, key)
			}
		}
		hide(m)
		if parts, ok := m["parts"].([]any); ok {
			for _, part := range parts {
				hide(part.(map[string]any))
			}
		}
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func parsed(t testing.TB, text string) script.Script {
	t.Helper()
	s, err := script.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Parse() = %v, want a script", err)
	}
	return s
}

func plainOptions(s script.Script) Options {
	return Options{Script: s, Config: config.Default(), Fonts: latin, Seed: 1}
}

// optionsOf reads the line "# replay: key=value …" of a scenario file.
func optionsOf(t *testing.T, text string) Options {
	t.Helper()
	o := plainOptions(parsed(t, text))
	first, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(first, "# replay: ")
	for _, field := range strings.Fields(line) {
		if !ok {
			break
		}
		key, value, _ := strings.Cut(field, "=")
		var err error
		switch key {
		case "noise":
			o.OCR.Noise, err = strconv.ParseFloat(value, 64)
		case "seed":
			o.Seed, err = strconv.ParseUint(value, 10, 64)
		case "scale":
			o.Config.Windows[0].Scale, err = strconv.Atoi(value)
		case "theme":
			o.Config.Windows[0].Theme = value
		default:
			err = errors.New("unknown key")
		}
		if err != nil {
			t.Fatalf("option %q: %v", field, err)
		}
	}
	return o
}

func TestReplayGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d scenario files, %v, want at least 12", len(files), err)
	}
	if testing.Short() { // all is deterministic: one goroutine at a time
		files = files[:4]
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			output, r := replayed(t, optionsOf(t, string(text)))
			got := noticed(t, output)
			if r.Errors() != 0 || len(r.Problems) != 0 {
				t.Errorf("Run(%s) = %+v %+v, want no error", file, r.Counts, r.Problems)
			}
			golden := strings.TrimSuffix(file, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v: write it with -update", err)
			}
			if got != string(want) {
				t.Errorf("Run(%s) =\n%swant\n%s", file, got, want)
			}
		})
	}
}

// The same seed gives the same output; another gives other moments of crashes.
func TestReplayIsDeterministic(t *testing.T) {
	c, _ := corpus.Generate("crashes", 12, 7)
	o := plainOptions(c.Script)
	o.OCR.Noise = 0.05
	first, _ := replayed(t, o)
	if again, _ := replayed(t, o); again != first {
		t.Errorf("a second replay =\n%swant the same as the first:\n%s", again, first)
	}
	o.Seed = 2
	if other, _ := replayed(t, o); other == first {
		t.Error("replays of two seeds are the same, want other readings and moments")
	}
}

func TestReplayRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"a profile that is none":  {func(o *Options) { o.Config.Profile = "none" }, "profile"},
		"noise beyond bounds":     {func(o *Options) { o.OCR.Noise = 0.6 }, "noise"},
		"noise of a real engine":  {func(o *Options) { o.OCR = OCR{Real: true, Noise: 0.1} }, "noise"},
		"a window of three times": {func(o *Options) { o.Config.Windows[0].Scale = 3 }, "scale"},
	} {
		o := plainOptions(script.Default())
		c.change(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Run(%s) = %v, want an error about %q", name, err, c.want)
		}
	}
}

func TestReplayEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, plainOptions(script.Default())); !errors.Is(err, context.Canceled) {
		t.Errorf("Run() of a cancelled context = %v, want %v", err, context.Canceled)
	}
	full := errors.New("full")
	o := plainOptions(script.Default())
	o.Deliver = func(control.Entry) error { return full }
	if _, err := Run(t.Context(), o); !errors.Is(err, full) {
		t.Errorf("Run() with a Deliver that fails = %v, want its error", err)
	}
	if r, err := Run(t.Context(), plainOptions(script.Script{})); err != nil || r.Expected+r.Delivered != 0 {
		t.Errorf("Run() of an empty script = %+v, %v, want nothing", r, err)
	}
}

// What the host does must reach the actors: the order of sending is in the
// store before the bubble is on the screen.
func TestReplayDoesTheHostsPart(t *testing.T) {
	var seen []string
	o := plainOptions(parsed(t, `
{"at_ms":0,"who":"friend","text":"Hi","conversation":"Hana"}
{"at_ms":2000,"do":"send","text":"Hello to you"}
{"at_ms":4000,"who":"friend","text":"Hello to you"}
{"at_ms":6000,"do":"restart"}
{"at_ms":9000,"do":"crash"}
`))
	o.Options = []runtime.Option{runtime.WithListener(func(ev runtime.Event) {
		switch m := ev.Message.(type) {
		case events.EchoGuardMiss:
			seen = append(seen, fmt.Sprint("miss ", m.Matched))
		case events.ActorStarted:
			if m.Actor.Kind() == "poller" {
				seen = append(seen, "poller started")
			}
		case events.ActorStopped:
			if m.Actor.Kind() == "poller" {
				seen = append(seen, "poller stopped")
			}
		}
	})}
	_, r := replayed(t, o)
	got, want := strings.Join(seen, ", "),
		"poller started, miss true, poller stopped, poller started, poller started, poller stopped"
	if got != want || r.Errors() != 0 || r.Expected != 2 {
		t.Errorf("Run() reported %s and %+v, want %s and 2 messages", got, r.Counts, want)
	}
}

// Tesseract reads the built-in chat.
func TestReplayReal(t *testing.T) {
	o := plainOptions(script.Default())
	o.Fonts, o.OCR.Real = nil, true
	if _, r := replayed(t, o); r.Errors() != 0 || r.Expected < 20 {
		t.Errorf("Run() with Tesseract = %+v %+v, want no error", r.Counts, r.Problems)
	}
}

// TestReplayGenerated plays random schedules; nothing may be missed, doubled or
// come out wrong. KEHAI_REPLAYS says how many. A script that fails is shrunk
// and written to a file.
func TestReplayGenerated(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 8
	}
	if s := os.Getenv("KEHAI_REPLAYS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("KEHAI_REPLAYS: %v", err)
		}
	}
	topics := corpus.Topics()
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c, _ := corpus.Generate(topics[seed%uint64(len(topics))], 8, seed)
			run := func(s script.Script) (Result, error) {
				c.Script = s
				o := plainOptions(s)
				o.Seed = seed
				return Run(t.Context(), caseOptions(o, c, 0))
			}
			r, err := run(c.Script)
			if err == nil && len(r.Problems) == 0 {
				return
			}
			small := corpus.Shrink(c.Script, func(s script.Script) bool {
				r, err := run(s)
				return err != nil || len(r.Problems) > 0
			})
			path := keep(t, small, c, seed)
			r, err = run(small)
			t.Errorf("%s: Run() = %+v %+v, %v, want no error; see %s", c.Name, r.Counts, r.Problems, err, path)
		})
	}
}

// keep writes a script where it outlives the test.
func keep(t *testing.T, s script.Script, c corpus.Case, seed uint64) string {
	t.Helper()
	f, err := os.CreateTemp("", "kehai-replay-*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "# replay: seed=%d scale=%d theme=%s\n", seed, c.Scale, c.Theme)
	if err := s.Write(f); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
