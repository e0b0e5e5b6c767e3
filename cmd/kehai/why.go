package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
)

type whyVerb struct {
	*app
	text, conversation string
	limit              int
	asJSON             bool
}

func (v *whyVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why MESSAGE-ID | --text TEXT",
		Short: "Find out what became of a message, and why it was not delivered",
		Long: `Looks for a message in everything that is stored: what was delivered, what each
conversation's ledger knows, what waits, what is held as nobody knows whose it is,
what became a dead letter; while Kehai runs also in what stands on the screen. For each it shows the way through the
stages, and where it ended: the stage, the rule that decided, and what it was
taken for. A text need not be exact. Of a reply it shows what it answers, how that
was judged, who wrote it, and how it went out.

It prints what was said. A TEXT on the command line can be seen by other users of this
machine; the text - is read from the standard input.`,
		Example: `  kehai why --text "lunch at 12:30"
  kehai why --text 了解 --in line:Hana --limit 20
  kehai why 4hq2nkt2kvbsm3yx
  kehai why c-3uwbezwinvqa/3.2
  kehai why d42`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || (first(args) == "") == (strings.TrimSpace(v.text) == "") {
				return errors.New("why: want the id of a message or --text")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if v.text, err = given(cmd, v.text); err != nil {
				return err
			}
			return v.withBackend(v.run)(cmd, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&v.text, "text", "", "what was said, or some of it: `TEXT`; - reads it from the standard input")
	fl.StringVar(&v.conversation, "in", "", "look in one `CONVERSATION` only, such as line:Hana")
	fl.IntVar(&v.limit, "limit", control.DefaultFound, "show the `N` that fit best")
	fl.BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

func (v *whyVerb) run(ctx context.Context, b control.Backend, args []string) error {
	why, err := b.Why(ctx, control.WhyQuery{
		ID: first(args), Text: v.text, Conversation: messages.ConversationID(v.conversation), Limit: v.limit,
	})
	if err == nil && len(why.Paths) == 0 {
		err = known(ctx, b, v.conversation)
	}
	switch {
	case err != nil:
	case v.asJSON:
		err = v.stdout.json().Encode(why)
	default:
		err = showWhy(v.stdout, why)
	}
	if len(why.Paths) > 0 && (v.text == "" || v.conversation != "") { // the one that was looked for
		return err
	}
	return v.shut(ctx, b, len(why.Paths), err)
}

func showWhy(out terminal, why control.Why) error {
	for i, p := range why.Paths {
		if i > 0 {
			out.printf("\n")
		}
		if err := out.path(p); err != nil {
			return err
		}
	}
	if len(why.Paths) == 0 {
		out.printf("Nothing like it was ever read, as far as is still known.\n")
	}
	delivered := func(p control.Path) bool { return p.Outcome == events.OutcomeDelivered }
	if len(why.Recent) > 0 && !slices.ContainsFunc(why.Paths, delivered) {
		out.printf("\nDropped lately before anything was stored:\n")
		out.steps(why.Recent)
	}
	if len(why.Notes) == 0 {
		return nil
	}
	return out.lines("\n", "", strings.Join(why.Notes, "\n"))
}
