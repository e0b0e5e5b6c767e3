package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/testkit/replay/recall"
)

// recallVerb asks a memory that is made of a file.
type recallVerb struct {
	*app
	events, batch    string
	conversation, at string
	without          string
	k                int
	asJSON, why      bool
}

func (v *recallVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recall [TEXT] --events FILE.jsonl",
		Short: "Ask what was ever said, over a file of events",
		Long: `Reads a file of events and prints the turns that help most to answer a question,
the best first. It needs no model, no network and no running Kehai, and stores
nothing.

The file has one JSON object a line: id, conversation, at (RFC 3339), speaker and
text. The same id again replaces the event. With --conversation only what was said
there comes back, and with --at only what had been said by then; times in the
question ("last winter", 去年の夏) are counted from there.

With --batch it answers the questions of a file instead, one JSON object a line: id,
query, evidence (ids of events), and where it applies conversation, at, type and
language. It prints how much of the evidence is among the first 5, 10, 12, 20 and 60
turns. --without leaves out a signal, which shows what it is worth.

With --why each turn comes with its score: what its own words, its neighbours and
its session give, and what these are multiplied by for who speaks, for when, and for
what the turn can answer.`,
		Example: `  kehai recall "where does Anna work?" --events chat.jsonl --conversation c1
  kehai recall "京都には誰と行った?" --events chat.jsonl --k 5 --why
  kehai recall --events chat.jsonl --batch questions.jsonl --without session`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return v.run(first(args)) },
	}
	fl := cmd.Flags()
	fl.StringVar(&v.events, "events", "", "`FILE` of events")
	fl.StringVar(&v.batch, "batch", "", "answer the questions of `FILE` and print how much of their evidence came back")
	fl.StringVar(&v.conversation, "conversation", "", "look into `CONVERSATION` only")
	fl.StringVar(&v.at, "at", "", "ask as of this `TIME` (RFC 3339; default: after everything)")
	fl.IntVar(&v.k, "k", 12, "how many turns at most: `N` from 1 to 1000")
	fl.StringVar(&v.without, "without", "", "leave out a `SIGNAL`: "+strings.Join(recall.Signals(), ", "))
	fl.BoolVar(&v.why, "why", false, "show what each score rests on")
	fl.BoolVar(&v.asJSON, "json", false, "one JSON object a turn, or for a batch")
	return cmd
}

func (v *recallVerb) run(text string) error {
	weights, known := recall.Weights(v.without)
	var at time.Time
	var err error
	if v.at != "" {
		at, err = time.Parse(time.RFC3339, v.at)
	}
	switch {
	case v.events == "" || (text == "") == (v.batch == ""):
		return badUsage("recall: want --events FILE, and a question or --batch FILE; see `kehai recall --help`")
	case err != nil:
		return badUsage("--at %q: want a time such as 2026-11-22T10:00:00+09:00", v.at)
	case v.k < 1 || v.k > 1000:
		return badUsage("--k %d: want 1 to 1000", v.k)
	case !known:
		return badUsage("--without %q: want one of %s", v.without, strings.Join(recall.Signals(), ", "))
	case v.batch != "" && (v.conversation != "" || v.at != "" || v.why):
		return badUsage("--conversation, --at and --why: not with --batch, whose questions say so themselves")
	}
	events, err := readJSONL(v.events, recall.ReadEvents)
	if err != nil {
		return err
	}
	library, err := recall.NewLibrary(events)
	if err != nil {
		return err
	}
	if v.batch == "" {
		q := recall.Question{Query: text, Conversation: v.conversation, At: at}
		return v.show(library.Recall(q, weights, v.k))
	}
	questions, err := readJSONL(v.batch, recall.ReadQuestions)
	if err != nil {
		return err
	}
	report, err := library.Measure(questions, weights)
	if err != nil {
		return err
	}
	if v.asJSON {
		return v.stdout.json().Encode(report.Summary())
	}
	return report.Print(v.stdout)
}

// readJSONL reads a file of lines; an error names it.
func readJSONL[T any](name string, read func(io.Reader) ([]T, error)) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// recalled is a turn as --json shows it.
type recalled struct {
	ID           string    `json:"id"`
	Conversation string    `json:"conversation"`
	At           time.Time `json:"at"`
	Speaker      string    `json:"speaker"`
	Text         string    `json:"text"`
	Score        float64   `json:"score"`
	Own          float64   `json:"own"`
	Around       float64   `json:"around"`
	Session      float64   `json:"session"`
	Factor       float64   `json:"factor"`
	Protected    bool      `json:"protected,omitempty"`
}

func (v *recallVerb) show(list []recall.Answer) error {
	out := v.stdout.json()
	out.SetEscapeHTML(false)
	for _, a := range list {
		r := a.Result
		var err error
		switch {
		case v.asJSON:
			err = out.Encode(recalled{a.ID, a.Conversation, a.At, a.Speaker, a.Text, r.Score, r.Own, r.Around,
				r.Session, r.Factor, r.Protected})
		case v.why:
			err = v.stdout.printf("%6.2f = (own %.2f + around %.2f + session %.2f) × %.2f  %s  %s  %s: %s\n", r.Score,
				r.Own, r.Around, r.Session, r.Factor, a.ID, a.At.Format(time.DateOnly), a.Speaker, a.Text)
		default:
			err = v.stdout.printf("%6.2f  %s  %s: %s\n", r.Score, a.At.Format(time.DateOnly), a.Speaker, a.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
