package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

type insightsVerb struct {
	*app
	asJSON bool
}

func (v *insightsVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "insights [PROJECT]",
		Short: "See what interviews have in common",
		Long: `Interviews that are over are analysed by themselves: keywords are found without a
model, and themes where there is one. A card is a theme of several interviews. It has
what was said, word for word, how many interviews have it, how severe it is from 1 to
5, and how sure it is: H, M or L. A card that no model has named is marked keyword.
Forgetting a conversation takes it out of all cards.`,
		Example: "  kehai insights\n  kehai insights mornings.yaml --json",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.RunE = v.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
		talks, ok := b.(control.TalkBackend)
		if !ok {
			return errors.New("this Kehai knows nothing of interviews")
		}
		return v.list(ctx, talks, first(args))
	})
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a project, with all quotes and how the cards grew")
	return cmd
}

func (v *insightsVerb) list(ctx context.Context, b control.TalkBackend, wanted string) error {
	all, err := b.Insights(ctx)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(all, func(p control.Insights) bool {
		return wanted != "" && p.Name != wanted && string(p.Project) != wanted
	})
	if wanted != "" && len(list) == 0 {
		return fmt.Errorf("no project %q: kehai insights lists them", wanted)
	}
	err = printList(v.app, v.asJSON, list, "no projects of interviews", func(t *table) error {
		t.row("PROJECT", "SURE", "SEVERITY", "INTERVIEWS", "THEME", "SAID")
		for _, p := range list {
			if len(p.Cards) == 0 {
				t.row(p.Name, "-", "-", fmt.Sprintf("0 of %d", p.Finished), "-", "-")
			}
			for _, c := range p.Cards {
				severity := fmt.Sprint(c.Severity)
				if c.KeywordOnly {
					severity = "keyword"
				}
				t.row(p.Name, c.Level, severity, fmt.Sprintf("%d of %d", c.Frequency, p.Finished), string(c.Theme),
					string(c.Quotes[0].Text))
			}
		}
		return nil
	})
	return v.shut(ctx, b, len(list), err)
}
