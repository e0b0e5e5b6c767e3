package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit/replay/recall"
)

// recallVerb asks a memory made from a file.
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
		Use:   "recall [TEXT]",
		Short: "Ask what was ever said",
		Long: `Prints the messages that help most to answer a question, the best first: of all
that Kehai remembers, or with --events of a file. It needs no model, no network and
no running Kehai, and keeps nothing of the question. A score near 1 fits the
question, one near 0 is only the nearest there is. With --conversation what comes
back is what that conversation sees: what was said there, and what the owner shares
with it. With --at only what had been said by then comes back; times in the question
("last winter", 去年の夏) are counted from there. The TEXT - is read from the standard
input, where no other user of this machine sees it.

A file of events has one JSON object a line: id, conversation, at (RFC 3339), speaker
and text. The same id again replaces the event. kehai memory import has such a file
remembered.

With --batch it answers the questions of a file instead, one JSON object a line: id,
query, evidence (ids of events), and where it applies conversation, at, type and
language. It prints how much of the evidence is among the first 5, 10, 12, 20 and 60
turns. --without leaves out a signal, which shows what it is worth.

With --why each message comes with its score and the routes that found it; of a file
with what its own words, its neighbours and its session give, and what these are
multiplied by for who speaks, for when, and for what the turn can answer; the sum of that
is of this question only.`,
		Example: `  kehai recall "where does Anna work?"
  kehai recall "猫の名前" --conversation line:Hana --why
  kehai recall "where does Anna work?" --events chat.jsonl --conversation c1
  kehai recall "京都には誰と行った?" --events chat.jsonl --k 5 --why
  kehai recall --events chat.jsonl --batch questions.jsonl --without session`,
		Args: cobra.MaximumNArgs(1),
	}
	live := v.withMemory(v.ask)
	cmd.RunE = v.withText(func(cmd *cobra.Command, args []string) error {
		if err := v.check(first(args)); err != nil {
			return err
		}
		if v.events == "" {
			return live(cmd, args)
		}
		return v.run(first(args))
	})
	fl := cmd.Flags()
	fl.StringVar(&v.events, "events", "", "`FILE` of events, instead of what is remembered")
	fl.StringVar(&v.batch, "batch", "", "answer the questions of `FILE` and print how much of their evidence came back")
	fl.StringVar(&v.conversation, "conversation", "", "look into `CONVERSATION` only")
	fl.StringVar(&v.at, "at", "", "ask as of this `TIME` (RFC 3339; default: after everything)")
	fl.IntVar(&v.k, "k", 12, "how many turns at most: `N` from 1 to 1000")
	fl.StringVar(&v.without, "without", "", "leave out a `SIGNAL`: "+strings.Join(recall.Signals(), ", "))
	fl.BoolVar(&v.why, "why", false, "show what each score rests on")
	fl.BoolVar(&v.asJSON, "json", false, "one JSON object a turn, or for a batch")
	return cmd
}

// asOf is the time of --at, zero without one.
func (v *recallVerb) asOf() (at time.Time, err error) {
	if v.at != "" {
		at, err = time.Parse(time.RFC3339, v.at)
	}
	return at, err
}

func (v *recallVerb) check(text string) error {
	_, known := recall.Weights(v.without)
	_, err := v.asOf()
	switch {
	case (text == "") == (v.batch == ""):
		return badUsage("recall: want a question or --batch FILE; see `kehai recall --help`")
	case err != nil:
		return badUsage("--at %q: want a time such as 2026-11-22T10:00:00+09:00", v.at)
	case v.events == "" && v.without != "":
		return badUsage("--without: only with --events")
	case v.k < 1 || v.k > 1000:
		return badUsage("--k %d: want 1 to 1000", v.k)
	case !known:
		return badUsage("--without %q: want one of %s", v.without, strings.Join(recall.Signals(), ", "))
	case v.batch != "" && (v.conversation != "" || v.at != "" || v.why):
		return badUsage("--conversation, --at and --why: not with --batch, whose questions say so themselves")
	}
	return nil
}

// ask asks what is remembered.
func (v *recallVerb) ask(ctx context.Context, b control.MemoryBackend, args []string) error {
	if v.batch != "" {
		return v.measure(ctx, b)
	}
	at, _ := v.asOf() // check has read it
	found, err := b.Recall(ctx, control.RecallQuery{Text: first(args), At: at, K: v.k,
		Conversation: messages.ConversationID(v.conversation)})
	if err == nil && len(found.Found) == 0 {
		err = known(ctx, b, v.conversation)
	}
	switch {
	case err != nil:
	case v.asJSON:
		err = encodeEach(v.stdout, found.Found)
	default:
		err = showRecalled(v.app, found, v.why)
	}
	if len(found.Found) > 0 && v.conversation != "" { // one that can be read is whole
		return err
	}
	return v.shut(ctx, b, len(found.Found), err)
}

// measure answers the questions of a batch from memory.
func (v *recallVerb) measure(ctx context.Context, b control.MemoryBackend) error {
	questions, err := readJSONL(v.batch, recall.ReadQuestions)
	if err != nil {
		return err
	}
	report, err := recall.MeasureBy(questions, func(q recall.Question, k int) (ids []string, err error) {
		found, err := b.Recall(ctx, control.RecallQuery{Text: q.Query, At: q.At, K: k,
			Conversation: messages.ConversationID(q.Conversation)})
		for _, f := range found.Found {
			ids = append(ids, string(f.ID))
		}
		return ids, err
	})
	if err != nil {
		return err
	}
	return v.report(report)
}

func (v *recallVerb) report(r recall.Report) error {
	if v.asJSON {
		return v.stdout.json().Encode(r.Summary())
	}
	return r.Print(v.stdout)
}

func (v *recallVerb) run(text string) error {
	weights, _ := recall.Weights(v.without)
	at, _ := v.asOf() // check has read both
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
	return v.report(report)
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
			err = out.Encode(recalled{a.ID, a.Conversation, a.At, a.Speaker, a.Text, a.Fit, r.Own, r.Around,
				r.Session, r.Factor, r.Protected})
		case v.why:
			err = v.stdout.printf("%6.2f by %.2f = (own %.2f + around %.2f + session %.2f) × %.2f  %s  %s  %s: %s\n",
				a.Fit, r.Score, r.Own, r.Around, r.Session, r.Factor, a.ID, a.At.Format(time.DateOnly), a.Speaker,
				a.Text)
		default:
			err = v.stdout.printf("%6.2f  %s  %s: %s\n", a.Fit, a.At.Format(time.DateOnly), a.Speaker, a.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
