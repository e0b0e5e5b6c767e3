package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// memoryLearned are the verbs about what was made of what was said.
type memoryLearned struct {
	*app
	conversation string
	all, asJSON  bool
}

const preference = "preference"

// verb makes a command of a list of something learned.
func (v *memoryLearned) verb(cmd *cobra.Command, show func(control.Learned) error) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = v.withMemory(func(ctx context.Context, b control.MemoryBackend, _ []string) error {
		if err := known(ctx, b, v.conversation); err != nil {
			return v.shut(ctx, b, 0, err)
		}
		learned, err := b.Learned(ctx, messages.ConversationID(v.conversation))
		if err != nil {
			return err
		}
		err = show(learned)
		if err == nil && learned.Closed > 0 {
			err = v.stderr.printf("%s of what was learned cannot be read: %s; kehai doctor looks at all keys\n",
				count(learned.Closed, "row"), withoutPackage(learned.Why))
		}
		return v.shut(ctx, b, len(learned.States)+len(learned.Names)+len(learned.Moods), err)
	})
	cmd.Flags().StringVar(&v.conversation, "conversation", "", "only of `CONVERSATION`")
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a line")
	return cmd
}

func (v *memoryLearned) states() *cobra.Command {
	cmd := v.verb(&cobra.Command{
		Use:   "states",
		Short: "List what is known: facts, relations, what is still to be done, and what was talked about",
		Long: `Lists what was made of what was said, as it stands now. What somebody corrects ends what
was said before; --all lists that too. kehai memory show of an id names the message it
rests on.`,
		Example: "  kehai memory states --conversation line:Hana",
	}, func(known control.Learned) error {
		return v.list(known.States, "nothing is known", func(k control.Known) bool {
			return k.Kind != preference && (v.all || k.Until == nil)
		})
	})
	cmd.Flags().BoolVar(&v.all, "all", false, "also what is outdated")
	return cmd
}

func (v *memoryLearned) preferences() *cobra.Command {
	cmd := v.verb(&cobra.Command{
		Use:   "preferences",
		Short: "List what people like and dislike",
		Long: `Lists what somebody said to like or dislike. It is a candidate until it is said again, or
firmly; then it is confirmed, and ends what was said to the contrary.`,
		Example: "  kehai memory preferences --all",
	}, func(known control.Learned) error {
		return v.list(known.States, "nothing is known", func(k control.Known) bool {
			return k.Kind == preference && (v.all || k.Until == nil)
		})
	})
	cmd.Flags().BoolVar(&v.all, "all", false, "also what was revoked")
	return cmd
}

func (v *memoryLearned) timeline() *cobra.Command {
	return v.verb(&cobra.Command{
		Use: "timeline", Short: "List what was known from when until when, oldest first",
		Example: "  kehai memory timeline --conversation line:Hana",
	}, func(known control.Learned) error {
		return v.list(known.States, "nothing is known", func(control.Known) bool { return true })
	})
}

func (v *memoryLearned) people() *cobra.Command {
	return v.verb(&cobra.Command{
		Use:     "people",
		Short:   "List the people, places and organisations that were named, and how people are",
		Example: "  kehai memory people --json",
	}, func(known control.Learned) error {
		if v.asJSON {
			if err := encodeEach(v.stdout, known.Names); err != nil {
				return err
			}
			return encodeEach(v.stdout, known.Moods)
		}
		err := printList(v.app, false, known.Names, "nobody was named", func(t *table) error {
			t.row("WHAT", "NAME", "CONVERSATION", "MESSAGES")
			for _, n := range known.Names {
				t.row(n.Kind, n.Name, n.Called, len(n.Events))
			}
			return nil
		})
		for _, m := range known.Moods {
			who := m.Speaker
			if m.Own {
				who = "you"
			}
			if err == nil {
				err = v.stdout.printf("%s (%s): %s of late\n", who, m.Called, m.Mood)
			}
		}
		return err
	})
}

func (v *memoryLearned) list(list []control.Known, none string, want func(control.Known) bool) error {
	list = slices.DeleteFunc(list, func(k control.Known) bool { return !want(k) })
	return printList(v.app, v.asJSON, list, none, func(t *table) error {
		t.row("WHO", "WHAT", "KNOWN", "SINCE", "UNTIL", "RESTS ON")
		for _, k := range list {
			t.row(k.Who(), k.Kind, described(k), day(k.From), ended(k), k.Evidence[len(k.Evidence)-1])
		}
		return nil
	})
}

// described says what is known in a few words.
func described(k control.Known) string {
	switch {
	case k.Kind == preference && k.Dislike:
		return fmt.Sprintf("dislikes %s (%s)", k.Text, k.Status)
	case k.Kind == preference:
		return fmt.Sprintf("likes %s (%s)", k.Text, k.Status)
	case k.Topic == k.Text:
		return k.Text
	}
	return k.Topic + ": " + k.Text
}

func day(s control.Stamp) string { return s.Local().Format(time.DateOnly) }

func ended(k control.Known) string {
	if k.Until == nil {
		return "-"
	}
	return day(*k.Until) + " " + k.End
}

// showLearned prints what rests on a message, and how that has changed.
func showLearned(a *app, e control.Remembered) error {
	var t table
	for _, k := range e.Learned {
		t.row("learned", k.Who(), k.Kind, described(k), day(k.From), ended(k))
	}
	for _, c := range e.Changes {
		was, is := "-", "-"
		if c.Before != nil {
			was = described(*c.Before) + " " + ended(*c.Before)
		}
		if c.After != nil {
			is = described(*c.After) + " " + ended(*c.After)
		}
		t.row("changed", c.At, c.Reason, was, is)
	}
	return t.write(a.stdout)
}
