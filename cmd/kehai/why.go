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

func (a *app) whyCmd() *cobra.Command {
	var asJSON bool
	var q control.WhyQuery
	var conversation string
	cmd := &cobra.Command{
		Use:   "why MESSAGE-ID | --text TEXT",
		Short: "Find out what became of a message, and why it was not delivered",
		Long: `Looks for a message in everything that is stored: what was delivered, what each
conversation's ledger knows, what waits, what became a dead letter; while Kehai
runs also in what stands on the screen. For each it shows the way through the
stages, and where it ended: the stage, the rule that decided, and what it was
taken for. A text need not be exact.

It prints what was said.`,
		Example: `  kehai why --text "lunch at 12:30"
  kehai why --text 了解 --in line:Hana --limit 20
  kehai why 4hq2nkt2kvbsm3yx
  kehai why d42`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			if len(args) == 1 {
				q.ID = args[0]
			}
			if (q.ID == "") == (strings.TrimSpace(q.Text) == "") {
				return badUsage("why: want the id of a message or --text; see `kehai why --help`")
			}
			q.Conversation = messages.ConversationID(conversation)
			why, err := b.Why(ctx, q)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.stdout).Encode(why)
			}
			return a.showWhy(why)
		}),
	}
	cmd.Flags().StringVar(&q.Text, "text", "", "what was said, or some of it: `TEXT`")
	cmd.Flags().StringVar(&conversation, "in", "", "look in one `CONVERSATION` only, such as line:Hana")
	cmd.Flags().IntVar(&q.Limit, "limit", 5, "show the `N` that fit best")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func (a *app) showWhy(why control.Why) error {
	for i, p := range why.Paths {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := writePath(a.stdout, p); err != nil {
			return err
		}
	}
	var b strings.Builder
	if len(why.Paths) == 0 {
		b.WriteString("Nothing like it was ever read, as far as is still known.\n")
	}
	if len(why.Recent) > 0 && !anyDelivered(why.Paths) {
		b.WriteString("\nDropped lately before anything was stored:\n")
		writeSteps(&b, why.Recent)
	}
	if len(why.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range why.Notes {
		fmt.Fprintf(&b, "%s\n", clean(n))
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

func anyDelivered(paths []control.Path) bool {
	for _, p := range paths {
		if p.Outcome == events.OutcomeDelivered {
			return true
		}
	}
	return false
}
