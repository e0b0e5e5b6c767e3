package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/testkit/replay"
)

type replayVerb struct {
	*app
	ocr, profile string
	theme        string
	scale        int
	seed         uint64
	asJSON       bool
	corpus       bool
	messages     int
	write        string
	set          []string
	log          string
}

func (v *replayVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a scenario or a recording in virtual time: what was missed, doubled, decided",
		Long: `Plays a scenario on a drawn window and runs everything that reads it, in virtual
time: an hour takes seconds, nothing is stored, and no Kehai need run. Prints
each message as it is delivered, then what was shown and what came of it. The
same scenario, flags and seed give the same output; only cpu_ms differs.

kehai help script says how a scenario is written.

The summary counts bubbles; of a joined message each. Expected are the friend's
messages that a capture showed whole, and those higher than the window whose end
one showed. Nobody waits until they are read, unless the scenario sets the pace to
reader. What was scrolled back to, and what dedup.first_sight leaves out of a
conversation's first view, may come out or not.

Missed, doubled, false_echo (taken for an echo, and so missed too), echo_leaked
(an own message delivered as the friend's), misattributed (in another
conversation, in a second one of the same person, or under another's name) and
order_errors are errors. Changes are messages that a capture showed edited or
taken back after another had shown them; changes_missed and changes_doubled
(published again, or of a message that did not change) are errors too.

Of the texts that came out, exact ones have every letter; near ones at most a
fifth of them wrong; garbled ones more, or are a part that came out as if it were
the whole: an error. Misnamed, an error too, came under a misread name. Partial is
a part, told as one, of a message of which no capture showed all. wrong of letters
were read wrong: error_ppm in a million. With --ocr noisy names are misread too.

Errors do not change the exit code: it is 0 when the replay itself worked.

With --corpus it plays generated scenarios instead, with perfect, noisy and real
OCR, and prints a table.

FILE may also be a recording of kehai record: what drivers and models gave is given
again, at the same times, with the settings of the recording. If what is decided is
not the same as then, the differences are printed, - then and + now, and the exit
code is 1. With --set, --profile or --ocr real the differences are what was asked for,
and the exit code is 0. Recordings need the keys of the --data that they were made
with, unless they were exported.`,
		Example: `  kehai replay chat.jsonl
  kehai replay chat.jsonl --ocr noisy=0.03 --seed 7 --json | tail -1
  kehai replay chat.flight --set burst.quiet=5s
  kehai replay --corpus --messages 200 --ocr perfect`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.corpus {
				return v.playCorpus(cmd, args)
			}
			return v.play(cmd, args)
		},
	}
	v.addFlags(cmd)
	return cmd
}

func (v *replayVerb) addFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&v.ocr, "ocr", "perfect",
		"who reads: `ENGINE` real (Tesseract), perfect, or noisy=SHARE of wrong characters")
	fl.StringVar(&v.profile, "profile", "", "rules: `NAME` default or seed (default: the configuration's)")
	fl.Uint64Var(&v.seed, "seed", 1, "`NUMBER` that chooses the schedule, the moments of crashes and the noise")
	fl.IntVar(&v.scale, "scale", 0, "captured pixels per logical pixel: `N` 1 or 2 (default 1)")
	fl.StringVar(&v.theme, "theme", "", "`COLOURS` of the window: light or dark (default light)")
	fl.BoolVar(&v.asJSON, "json", false, "one JSON object a message and line, and the summary as the last line")
	fl.StringArrayVar(&v.set, "set", nil, "of a recording: change a setting, `KEY=VALUE`, such as burst.quiet=5s")
	fl.StringVar(&v.log, "log", "", "of a recording: write what was decided into a new `FILE`")
	fl.BoolVar(&v.corpus, "corpus", false, "play generated scenarios and print a table")
	fl.IntVar(&v.messages, "messages", 2000, "with --corpus: at least `N` messages of friends")
	fl.StringVar(&v.write, "write", "", "with --corpus: write the scenarios into `DIR` and play nothing")
}

// parseOCR reads the value of --ocr.
func parseOCR(s string) (replay.OCR, error) {
	share, noisy := strings.CutPrefix(s, "noisy=")
	switch {
	case s == "perfect":
		return replay.OCR{}, nil
	case s == "real":
		return replay.OCR{Real: true}, nil
	case noisy:
		if n, err := strconv.ParseFloat(share, 64); err == nil && n >= 0 && n <= 0.5 {
			return replay.OCR{Noise: n}, nil
		}
	}
	return replay.OCR{}, badUsage(
		"--ocr %q: want real, perfect, or noisy=N with N from 0 to 0.5, such as noisy=0.03", s)
}

// configure makes the configuration that a replay runs on.
func (v *replayVerb) configure() (config.Config, error) {
	return v.load(func(cfg *config.Config) error {
		if len(cfg.Windows) == 0 {
			cfg.Windows = []config.Window{config.DefaultWindow("line")}
		}
		for _, set := range []struct {
			flag, key, value string
			given            bool
		}{
			{"--profile", "profile", v.profile, v.profile != ""},
			{"--scale", "windows.0.scale", strconv.Itoa(v.scale), v.scale != 0},
			{"--theme", "windows.0.theme", v.theme, v.theme != ""},
		} {
			if !set.given {
				continue
			}
			if err := cfg.SetFlag(set.flag, set.key, set.value); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v *replayVerb) play(cmd *cobra.Command, args []string) error {
	if first(args) == "" || v.write != "" {
		return badUsage("replay: want one scenario file, or --corpus; see `kehai replay --help`")
	}
	ocr, err := parseOCR(v.ocr)
	if err != nil {
		return err
	}
	if recording.Is(args[0]) {
		return v.playRecording(cmd, args[0], ocr)
	}
	chat, err := script.Open(args[0])
	if err != nil {
		return badUsage("replay: %w", err)
	}
	for _, e := range chat.Unshown() {
		v.stderr.printf("kehai: line %d: the window does not show %s from here on, so this is never seen: "+
			`switch to it with {"at_ms":%d,"do":"switch","conversation":%q}`+"\n",
			e.Line, e.Conversation, e.AtMS, e.Conversation)
	}
	cfg, err := v.configure()
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	res, err := replay.Run(ctx, replay.Options{
		Script: chat, Config: cfg, OCR: ocr, Seed: v.seed, Options: v.extra, Deliver: v.showEntry(v.asJSON),
	})
	if err != nil {
		return err
	}
	if v.asJSON {
		return v.stdout.json().Encode(map[string]summary{"summary": summaryOf(res)})
	}
	if res.Expected == 0 {
		v.stderr.printf("kehai: no friend writes anything in this scenario: there was nothing to find\n")
	}
	v.stdout.printf("\n")
	var t table
	for _, c := range res.Columns() {
		t.row(c.Name, c.Value)
	}
	if err := t.write(v.stdout); err != nil {
		return err
	}
	return v.printProblems("", res)
}

// summary is the last line of replay --json.
type summary struct {
	replay.Counts
	OCRCalls    int   `json:"ocr_calls"`
	BubblesRead int   `json:"bubbles_read"`
	CPUMS       int64 `json:"cpu_ms"`
}

func summaryOf(r replay.Result) summary {
	return summary{Counts: r.Counts, OCRCalls: r.OCRCalls, BubblesRead: r.BubblesRead, CPUMS: r.CPU.Milliseconds()}
}

// printProblems lists what was missed and so on. The scenario is a file of the person's
// own, so its words may be shown.
func (v *replayVerb) printProblems(prefix string, r replay.Result) error {
	for _, p := range r.Problems {
		if err := v.stderr.printf("%s%s in %s: %q\n", prefix, p.What, p.Conversation, string(p.Text)); err != nil {
			return err
		}
	}
	return nil
}
