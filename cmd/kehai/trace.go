package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
)

func (a *app) traceCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trace MESSAGE-ID",
		Short: "Show the way of a delivered message through all stages, with times",
		Long: `Shows when and where a delivered message was seen, what each stage made of it,
and when it was delivered. A message that joins several bubbles has the way of
each. Ids are listed by kehai messages --json.

It prints what was said. For a message that was not delivered ask kehai why.`,
		Example: `  kehai trace 4hq2nkt2kvbsm3yx
  kehai trace 4hq2nkt2kvbsm3yx --json | jq .steps`,
		Args: cobra.ExactArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			p, err := b.Trace(ctx, messages.MessageID(args[0]))
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(p)
			}
			return writePath(a.stdout, p)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// writePath shows a path to a person.
func writePath(w io.Writer, p control.Path) error {
	var b strings.Builder
	who := clean(string(p.Conversation))
	if p.Message != nil {
		fmt.Fprintf(&b, "Message %s of %s", p.Message.ID, who)
	} else {
		fmt.Fprintf(&b, "Read in %s", who)
	}
	fmt.Fprintf(&b, ": %s, %s\n", strings.ReplaceAll(string(p.Outcome), "_", " "), clean(p.Why))
	if p.Message != nil {
		for _, part := range p.Message.Parts {
			fmt.Fprintf(&b, "    %d  %s\n", part.Occurrence, quoteText(part.Text))
		}
	} else if p.Text != "" {
		fmt.Fprintf(&b, "    %s\n", quoteText(p.Text))
	}
	writeSteps(&b, p.Steps)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeSteps(b *strings.Builder, steps []control.Step) {
	for _, s := range steps {
		outcome := strings.ReplaceAll(string(s.Outcome), "_", " ")
		fmt.Fprintf(b, "  %s  %-12s %-11s %s\n", s.At, s.Stage, outcome, clean(s.What))
		var facts []string
		if s.Outcome == events.OutcomeDropped && s.Detail.Rule != "" {
			facts = append(facts, "rule "+string(s.Detail.Rule))
		}
		if s.Outcome == events.OutcomeDropped && s.Detail.Score > 0 {
			facts = append(facts, strings.TrimSpace(fmt.Sprintf("score %d %s", s.Detail.Score, s.Detail.Confidence)))
		}
		if s.Count > 1 {
			facts = append(facts, fmt.Sprintf("%d times in a row", s.Count))
		}
		if s.Stage == events.StageFusion && s.Trace != "" {
			facts = append(facts, "trace "+s.Trace)
		}
		if len(facts) > 0 {
			fmt.Fprintf(b, "  %s%s\n", strings.Repeat(" ", 51), strings.Join(facts, ", "))
		}
		for _, m := range s.Matched {
			side := ""
			if m.Side == messages.SideOwn {
				side = " (own)"
			}
			number := "sent"
			if m.Occurrence > 0 {
				number = fmt.Sprint(m.Occurrence)
			}
			fmt.Fprintf(b, "  %smatched %s%s: %s\n", strings.Repeat(" ", 51), number, side, quoteText(m.Text))
		}
	}
}

// quoteText puts what somebody wrote on one line.
func quoteText(s string) string {
	return "「" + clean(strings.ReplaceAll(s, "\n", " ⏎ ")) + "」"
}
