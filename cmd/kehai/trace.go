package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
)

type traceVerb struct {
	*app
	asJSON bool
}

func (v *traceVerb) command() *cobra.Command {
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
		RunE: v.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			p, err := b.Trace(ctx, messages.MessageID(args[0]))
			if err != nil {
				return err
			}
			if v.asJSON {
				return v.stdout.json().Encode(p)
			}
			return v.stdout.path(p)
		}),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

// path shows the path of a message.
func (t terminal) path(p control.Path) error {
	var b strings.Builder
	out := t.to(&b)
	what := "Read in"
	var parts []control.Part
	switch e := p.Entry; {
	case e == nil:
	case e.Message != nil:
		what, parts = fmt.Sprintf("Message %s of", e.Message.ID), e.Message.Parts
	case e.Reply != nil:
		what = strings.TrimSpace(fmt.Sprintf("Reply %s", cmp.Or(string(e.Reply.ID), e.Reply.Key))) + " in"
	}
	out.printf("%s %s: %s, %s\n", what, cmp.Or(p.Called, string(p.Conversation)), words(p.Outcome), p.Why)
	for _, part := range parts {
		out.printf("    %d  「%s」\n", part.Occurrence, part.Text)
	}
	if len(parts) == 0 && p.Text != "" {
		out.printf("    「%s」\n", p.Text)
	}
	out.steps(p.Steps)
	_, err := io.WriteString(t, b.String())
	return err
}

// stepTime is the time of a step, for people.
const stepTime = "2006-01-02 15:04:05.000"

// factIndent is the indentation of a step's facts.
const factIndent = 52

func (t terminal) steps(steps []control.Step) {
	for _, s := range steps {
		t.printf("  %s  %-12s %-11s %s\n", s.At.Local().Format(stepTime), s.Stage, words(s.Outcome), s.What)
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
			t.printf("%*s%s\n", factIndent, "", strings.Join(facts, ", "))
		}
		for _, m := range s.Matched {
			number, side := "sent", ""
			if m.Occurrence > 0 {
				number = fmt.Sprint(m.Occurrence)
			}
			if m.Side == messages.SideOwn {
				side = " (own)"
			}
			what := "matched " + number
			if s.Stage == events.StageRecall {
				what = "remembered"
			}
			t.printf("%*s%s%s: 「%s」\n", factIndent, "", what, side, m.Text)
		}
	}
}

// words is an outcome, for people.
func words(o events.Outcome) string { return strings.ReplaceAll(string(o), "_", " ") }
