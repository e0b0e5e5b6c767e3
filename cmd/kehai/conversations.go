package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// conversations is a family of verbs, with the flag of list.
type conversations struct {
	*app
	asJSON bool
	isNew  bool
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
before. Without NAME the title is the name again.`,
		Example: `  kehai conversations rename line:Hana "Hana from work"
  kehai conversations rename c-3uwbezwinvqa`,
		Args: cobra.RangeArgs(1, 2),
		RunE: c.withBackend(c.rename),
	}
	held, settle := c.doubtful()
	return listing(&cobra.Command{
		Use:   "conversations",
		Short: "List and name who is known",
		Long: `A conversation has an id that never changes and tells nothing. Its name is what its
window calls it; a title that is read differently later is the same conversation
if the window still shows what it has shown. Every command takes the id, the name,
or the name behind its application, such as line:Hana. If several have that name
the command says so and lists their ids.`,
		Example: `  kehai conversations
  kehai conversations --json
  kehai conversations rename line:Hana "Hana from work"`,
	}, list, rename, c.merge(), c.split(), held, settle)
}

// doubtful makes the verbs for held messages.
func (c *conversations) doubtful() (held, settle *cobra.Command) {
	held = &cobra.Command{
		Use: "held", Short: "List what is held, because nobody knows whose it is",
		Long: `Lists what was read of chats whose name several conversations have, or which was
misread or could not be read, where what the window shows does not tell which of them it
is, with the first words of the newest messages. It goes on by itself once the window
shows more of that chat; kehai conversations settle decides.`,
		Example: "  kehai conversations held",
		Args:    cobra.NoArgs,
		RunE:    c.withBackend(c.held),
	}
	held.Flags().BoolVar(&c.asJSON, "json", false, "one JSON object a line")
	settle = &cobra.Command{
		Use: "settle HELD [CONVERSATION]", Short: "Say whose held messages are",
		Long: `Says whose held messages are, and with them those of the same name that they go on
from. They are delivered then. With --new they are those of somebody new.`,
		Example: `  kehai conversations settle line@mac/3 c-3uwbezwinvqa
  kehai conversations settle line@mac/3 --new`,
		Args: cobra.RangeArgs(1, 2),
		RunE: c.withBackend(c.settle),
	}
	settle.Flags().BoolVar(&c.isNew, "new", false, "they are those of somebody new")
	return held, settle
}

func (c *conversations) merge() *cobra.Command {
	return &cobra.Command{
		Use: "merge CONVERSATION INTO", Short: "Make two conversations one that are the same person's",
		Long: `Makes two conversations one. What is taken for the first is taken for the other from
then on, under each of its names, and what is stored of it follows: messages, drafts,
reminders. While Kehai does not run, its next start has what is stored follow.`,
		Example: "  kehai conversations merge c-3uwbezwinvqa line:Hana",
		Args:    cobra.ExactArgs(2),
		RunE:    c.withBackend(c.mergeInto),
	}
}

func (c *conversations) mergeInto(ctx context.Context, b control.Backend, args []string) error {
	if err := b.Merge(ctx, messages.ConversationID(args[0]), messages.ConversationID(args[1])); err != nil {
		return err
	}
	return c.will(ctx, b, args[0]+" and "+args[1], "become one conversation")
}

func (c *conversations) split() *cobra.Command {
	s := control.Split{}
	cmd := &cobra.Command{
		Use: "split CONVERSATION MESSAGE...", Short: "Make two conversations of one that are two people's",
		Long: `Gives messages of a conversation to a new one: those whose ids are named (kehai
messages CONVERSATION --json lists them), with what our side said right after each. With
--onwards all that came after them goes too. Drafts that answer nothing else go along, and so do
reminders, what is remembered of these messages, and what masks in them stand for; other
drafts are thought over. What was imported, and replies that were sent, stay in the
list of the first. What goes is sealed under the new conversation's key before it is
done. From then on what the window shows tells the two apart, whatever both are called.
While Kehai does not run, its next start has what is stored follow.`,
		Example: `  kehai conversations split line:Hana k3v6m5q2rxaz w2c6mjzk5uxe --name "the other Hana"
  kehai conversations split line:Hana k3v6m5q2rxaz --onwards`,
		Args: cobra.MinimumNArgs(2),
		RunE: c.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
			s.Conversation, s.Messages = messages.ConversationID(args[0]), nil
			for _, id := range args[1:] {
				s.Messages = append(s.Messages, messages.MessageID(id))
			}
			id, err := b.Split(ctx, s)
			if err != nil {
				return err
			}
			return c.stdout.printf("%s\n", id)
		}),
	}
	cmd.Flags().StringVar(&s.Name, "name", "", "call the new one `NAME`")
	cmd.Flags().BoolVar(&s.Onwards, "onwards", false, "with all that came after these messages")
	return cmd
}

func (c *conversations) list(ctx context.Context, b control.Backend, _ []string) error {
	list, err := b.Conversations(ctx)
	if err != nil {
		return err
	}
	err = printList(c.app, c.asJSON, list, "no conversations", func(t *table) error {
		t.row("ID", "NAME", "TITLE", "MESSAGES", "LAST")
		for _, l := range list {
			last := "-"
			if l.LastAt != nil {
				last = l.LastAt.Local().Format("2006-01-02 15:04")
			}
			t.row(l.ID, l.Label(), l.Title, l.Messages, last)
		}
		return nil
	})
	if err = c.shut(ctx, b, len(list), err); err != nil || c.asJSON || len(list) == 0 {
		return err
	}
	held, err := b.Held(ctx)
	if err != nil || len(held) == 0 {
		return err
	}
	return c.stderr.printf("%s held, as nobody knows whose: kehai conversations held\n", count(len(held), "reading"))
}

func (c *conversations) held(ctx context.Context, b control.Backend, _ []string) error {
	list, err := b.Held(ctx)
	if err != nil {
		return err
	}
	return printList(c.app, c.asJSON, list, "nothing is held", func(*table) error { return c.choices(ctx, b, list) })
}

// choices prints what is held, with the command for each conversation it may belong to.
func (c *conversations) choices(ctx context.Context, b control.Backend, list []control.Held) error {
	known, err := b.Conversations(ctx)
	if err != nil {
		return err
	}
	called := map[messages.ConversationID]string{}
	for _, k := range known {
		called[k.ID] = k.Label()
	}
	for _, h := range list {
		title := cmp.Or(h.Title, " a title that cannot be read")
		c.stdout.printf("%s  %s, %s shown at %s\n", h.ID, h.App+":"+title, count(h.Count, "bubble"),
			h.SeenAt.Local().Format("2006-01-02 15:04"))
		for _, said := range h.Newest {
			c.stdout.printf("    「%s」\n", firstWords(string(said)))
		}
		offer := func(ids, but []messages.ConversationID, more string) {
			for _, id := range ids {
				if !slices.Contains(but, id) {
					c.stdout.printf("  kehai conversations settle %s %s   if it is %s%s\n", h.ID, id,
						cmp.Or(called[id], string(id)), more)
				}
			}
		}
		offer(h.Shown, nil, ", which has shown the same since")
		offer(h.Of, h.Shown, "")
		if err := c.stdout.printf("  kehai conversations settle %s --new   if it is somebody new\n", h.ID); err != nil {
			return err
		}
	}
	return nil
}

// maxFirst is how much of a held text is shown, in characters as people count them.
const maxFirst = 60

// firstWords is the beginning of a text, in one line.
func firstWords(s string) string { return shortened(strings.Join(strings.Fields(s), " "), maxFirst) }

func (c *conversations) settle(ctx context.Context, b control.Backend, args []string) error {
	if c.isNew == (len(args) == 2) {
		return badUsage("want a conversation, or --new")
	}
	id := messages.ConversationID("")
	if len(args) == 2 {
		id = messages.ConversationID(args[1])
	}
	if err := b.SettleHeld(ctx, args[0], id); err != nil {
		return err
	}
	if c.isNew {
		return c.will(ctx, b, args[0], "becomes a new conversation's")
	}
	return c.will(ctx, b, args[0], "becomes that of "+args[1])
}

// will says what a command brings about, and where it waits for the next start.
func (c *conversations) will(ctx context.Context, b control.Backend, what, becomes string) error {
	s, err := b.Status(ctx)
	if err != nil {
		return err
	}
	if !s.Running {
		becomes += " once Kehai runs"
	}
	return c.stderr.printf("%s %s\n", what, becomes)
}

func (c *conversations) rename(ctx context.Context, b control.Backend, args []string) error {
	name := ""
	if len(args) > 1 {
		name = args[1]
	}
	if err := b.Rename(ctx, messages.ConversationID(args[0]), name); err != nil {
		return err
	}
	if name == "" {
		return c.stderr.printf("%s is called by its title again\n", args[0])
	}
	return c.stderr.printf("%s is called %s now\n", args[0], name)
}
