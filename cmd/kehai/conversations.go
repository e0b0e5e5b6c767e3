package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// conversations is a family of verbs, with the flag of list.
type conversations struct {
	*app
	asJSON bool
}

func (c *conversations) command() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the known conversations: id, name, messages, when the last came",
		Example: "  kehai conversations list --json",
		Args:    cobra.NoArgs,
		RunE:    c.withBackend(c.list),
	}
	list.Flags().BoolVar(&c.asJSON, "json", false, "one JSON object a line")
	rename := &cobra.Command{
		Use: "rename CONVERSATION [NAME]", Short: "Give a conversation a name of your own",
		Long: `Gives a conversation a name, which counts from then on wherever one is asked for.
What its window shows as its title stays as it is, and finds the conversation as
before. Without NAME the title is the name again. While Kehai does not run, the name
counts from its next start.`,
		Example: `  kehai conversations rename line:Hana "Hana from work"
  kehai conversations rename c-3uwbezwinvqa`,
		Args: cobra.RangeArgs(1, 2),
		RunE: c.withBackend(c.rename),
	}
	cmd := family(&cobra.Command{
		Use:   "conversations",
		Short: "List and name who is known",
		Long: `A conversation has an id that never changes and tells nothing. Its name is what its
window calls it; a title that is read differently later is the same conversation
if the window still shows what it has shown. Every command takes the id, the name,
or the name behind its application, such as line:Hana. If several have that name
the command says so and lists their ids.`,
		Example: `  kehai conversations list
  kehai conversations rename line:Hana "Hana from work"`,
	}, list, rename)
	cmd.RunE = c.withBackend(c.list)
	return cmd
}

func (c *conversations) list(ctx context.Context, b control.Backend, _ []string) error {
	list, err := b.Conversations(ctx)
	switch {
	case err != nil:
		return err
	case c.asJSON:
		return encodeEach(c.stdout, list)
	case len(list) == 0:
		return c.stderr.printf("no conversations\n")
	}
	var t table
	t.row("ID", "NAME", "TITLE", "MESSAGES", "LAST")
	for _, l := range list {
		last := "-"
		if l.LastAt != nil {
			last = l.LastAt.Local().Format("2006-01-02 15:04")
		}
		t.row(l.ID, l.Label(), l.Title, l.Messages, last)
	}
	return t.write(c.stdout)
}

func (c *conversations) rename(ctx context.Context, b control.Backend, args []string) error {
	name := ""
	if len(args) > 1 {
		name = args[1]
	}
	return b.Rename(ctx, messages.ConversationID(args[0]), name)
}
