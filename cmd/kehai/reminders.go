package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

// reminders is a family of verbs, with the flag of list.
type reminders struct {
	*app
	asJSON bool
}

func (v *reminders) command() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List what was asked for, and when it is time",
		Example: "  kehai reminders list --json", Args: cobra.NoArgs, RunE: v.withReplies(v.list),
	}
	list.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a line")
	cancel := &cobra.Command{
		Use: "cancel ID…", Short: "Cancel a reminder before it is due",
		Example: "  kehai reminders cancel c-3uwbezwinvqa/1", Args: cobra.MinimumNArgs(1),
		RunE: v.withReplies(v.cancel),
	}
	return listing(&cobra.Command{
		Use:   "reminders",
		Short: "List and cancel what others asked to be reminded of",
		Long: `Who writes "tell me tomorrow at nine" or 「明日9時に会議って教えて」 is reminded: when
it is time, a draft is made of it, as of any reply (see kehai drafts).`,
		Example: `  kehai reminders
  kehai reminders --json
  kehai reminders cancel c-3uwbezwinvqa/1`,
	}, list, cancel)
}

func (v *reminders) list(ctx context.Context, b control.ReplyBackend, _ []string) error {
	list, err := b.Reminders(ctx)
	if err != nil {
		return err
	}
	err = printList(v.app, v.asJSON, list, "no reminders", func(t *table) error {
		called, err := namesOf(ctx, b)
		if err != nil {
			return err
		}
		t.row("ID", "OF", "WHEN", "WHAT")
		for _, r := range list {
			at := r.At.String()
			if r.Due {
				at = "now"
			}
			t.row(r.ID, cmp.Or(called[r.Conversation], r.Called), at, r.What)
		}
		return nil
	})
	return v.shut(ctx, b, len(list), err)
}

func (v *reminders) cancel(ctx context.Context, b control.ReplyBackend, ids []string) error {
	var errs []error
	done := "cancelled"
	if known, ok := b.(control.Backend); ok {
		if s, err := known.Status(ctx); err != nil {
			return err
		} else if !s.Running {
			done = "is cancelled once Kehai runs"
		}
	}
	for _, id := range ids {
		if err := b.CancelReminder(ctx, control.ReminderID(id)); err != nil {
			errs = append(errs, fmt.Errorf("cancel %s: %w", id, err))
			continue
		}
		errs = append(errs, v.stdout.printf("%s %s\n", id, done))
	}
	return errors.Join(errs...)
}
