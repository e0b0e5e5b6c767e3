package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

func (a *app) statusCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the actors of the running Kehai, their restarts and mailboxes",
		Example: `  kehai status
  kehai status --json | jq .actors`,
		Args: cobra.NoArgs,
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, _ []string) error {
			s, err := b.Status(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(s)
			}
			return a.showStatus(s)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func (a *app) showStatus(s control.Status) error {
	if !s.Running {
		fmt.Fprintf(a.stdout, "not running; %d dead letters\n", s.DeadLetters)
		a.showPaused(s)
		return nil
	}
	state := "healthy"
	if !s.Healthy {
		state = "NOT healthy"
	}
	fmt.Fprintf(a.stdout, "running since %s (pid %d, %s), %s; %d dead letters\n", s.StartedAt, s.PID, s.Version, state, s.DeadLetters)
	for _, p := range s.Problems {
		fmt.Fprintf(a.stdout, "  %s\n", p)
	}
	a.showPaused(s)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nACTOR\tTURNS\tWAITING\tRESTARTS\tLAST ERROR")
	for _, i := range s.Actors {
		waiting := fmt.Sprint(i.Mailbox + i.Pending)
		if i.More {
			waiting += "+"
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%s\n", i.Address, i.Turns, waiting, i.Restarts, i.LastError)
	}
	fmt.Fprintln(w, "\nWORKERS\tSIZE\tBUSY\tWAITING")
	for _, p := range s.Pools {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", p.Kind, p.Size, p.Busy, p.Waiting)
	}
	return w.Flush()
}

func (a *app) showPaused(s control.Status) {
	for _, p := range s.Paused {
		what := "all windows are"
		if p.Window != "" {
			what = fmt.Sprintf("window %s is", p.Window)
		}
		fmt.Fprintf(a.stdout, "  %s paused since %s; kehai resume goes on\n", what, p.Since)
	}
	if s.AttentionPaused != nil {
		fmt.Fprintf(a.stdout, "  attention is paused since %s; kehai resume attention goes on\n", s.AttentionPaused)
	}
}
