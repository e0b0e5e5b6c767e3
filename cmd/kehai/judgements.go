package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/testkit/replay/judgements"
)

// judgementsVerb is the family of verbs about judgements.
type judgementsVerb struct {
	*app
	asJSON bool
}

func (v *judgementsVerb) command() *cobra.Command {
	cmd := family(&cobra.Command{
		Use:   "judgements",
		Short: "See whether each conversation wants an answer, and what remembering that saves",
		Long: `Before it answers, Kehai judges whether to, and remembers the judgement for a
while. Without a command this lists the newest judgement of each conversation:
the verdict, how sure it was, why, and when it is thought over next.`,
		Example: `  kehai judgements
  kehai judgements --json
  kehai judgements replay chat.jsonl
  kehai judgements replay --generate 2000 --seed 7`,
	}, (&judgementsReplayVerb{app: v.app}).command())
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a line")
	cmd.RunE = v.withReplies(v.list)
	return cmd
}

func (v *judgementsVerb) list(ctx context.Context, b control.ReplyBackend, _ []string) error {
	list, err := b.Judgements(ctx)
	if err != nil {
		return err
	}
	err = printList(v.app, v.asJSON, list, "no judgements", func(t *table) error {
		called, err := namesOf(ctx, b)
		if err != nil {
			return err
		}
		t.row("SCOPE", "NAME", "ANSWER", "SURE", "BY", "NEXT CHECK", "REASON")
		for _, j := range list {
			verdict := map[bool]string{true: "yes", false: "no"}[j.ShouldRespond]
			switch {
			case j.JudgedAt.IsZero():
				t.row(j.Scope, called[j.Conversation], "asking", "", "", "", "")
				continue
			case j.OnItsWay:
				verdict += ", on its way"
			}
			t.row(j.Scope, called[j.Conversation], verdict, describe.Sure(j.Source, j.Confidence), j.Source,
				j.NextCheckAt, j.Reason)
		}
		return nil
	})
	return v.shut(ctx, b, len(list), err)
}

type judgementsReplayVerb struct {
	*app
	profile, write string
	generate       int
	seed           uint64
	asJSON         bool
}

func (v *judgementsReplayVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay LOG.jsonl",
		Short: "Play a channel log in virtual time and count avoided calls and missed replies",
		Long: `Plays a channel log in virtual time with a scripted judge, once with the cache of
judgements and once judging at every look. Prints how many calls of a language
model the cache avoids, how many replies are missed because of it (or come more
than twelve hours later), and how much later the others come. Nothing is stored,
and no Kehai need run.

A log has one JSON object a line: at (RFC 3339), channel and id, and where it
applies thread, group, own and text. The judge is scripted with respond_after
(after how many seconds it wants a reply to this message; without it never),
confidence (0 to 1, while this is the newest message) and settles (what came
before needs no reply any more). The same id again is an edit.

With --generate it plays a log that it makes, and with --write it writes it too.`,
		Example: `  kehai judgements replay chat.jsonl
  kehai judgements replay --generate 2000 --seed 7 --profile seed
  kehai judgements replay --generate 500 --write chat.jsonl --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return v.run(first(args)) },
	}
	fl := cmd.Flags()
	fl.StringVar(&v.profile, "profile", "default", "rules: `NAME` default or seed")
	fl.IntVar(&v.generate, "generate", 0, "play a generated log of about `N` messages, 1 to 100000")
	fl.Uint64Var(&v.seed, "seed", 1, "with --generate: `NUMBER` that chooses the log")
	fl.StringVar(&v.write, "write", "", "with --generate: write the log to `FILE`, which must not exist")
	fl.BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

func (v *judgementsReplayVerb) run(file string) error {
	rules, ok := judgements.Rules(v.profile)
	switch {
	case !ok:
		return badUsage("--profile %q: want default or seed", v.profile)
	case (file == "") == (v.generate == 0) || v.generate < 0 || v.generate > 100_000:
		return badUsage("judgements replay: want one log file, or --generate N with N from 1 to 100000; " +
			"see `kehai judgements replay --help`")
	case v.write != "" && v.generate == 0:
		return badUsage("--write: only with --generate")
	}
	log, err := v.log(file)
	if err != nil {
		return err
	}
	res := judgements.Play(log, rules)
	if v.asJSON {
		return v.stdout.json().Encode(res)
	}
	var t table
	t.row("messages", fmt.Sprint(res.Messages))
	t.row("scopes", fmt.Sprint(res.Scopes))
	t.row("calls", fmt.Sprintf("%d instead of %d: %.1f %% avoided", res.Calls, res.CallsEvery, 100*res.Avoided))
	t.row("replies", fmt.Sprintf("%d wanted, %d missed: %.1f %%", res.Wanted, res.Missed, 100*res.MissedPart))
	t.row("later", fmt.Sprintf("%v on average, %v at most", res.LaterMean.Round(time.Second), res.LaterMax))
	return t.write(v.stdout)
}

// log reads or makes the log.
func (v *judgementsReplayVerb) log(file string) ([]judgements.Line, error) {
	if file == "" {
		log := judgements.Generate(v.seed, v.generate)
		if v.write == "" {
			return log, nil
		}
		out, err := os.OpenFile(v.write, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, badUsage("--write: %w", err)
		}
		return log, errors.Join(judgements.Write(out, log), out.Close())
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, badUsage("judgements replay: %w", err)
	}
	defer in.Close()
	log, err := judgements.Read(file, in)
	if errors.Is(err, judgements.ErrLog) {
		return nil, badUsage("judgements replay: %w", err)
	}
	return log, err
}
