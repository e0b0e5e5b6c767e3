package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/names"
)

type messagesVerb struct {
	*app
	since  string
	limit  int
	asJSON bool
}

func (v *messagesVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "messages [CONVERSATION]",
		Short: "List what was delivered and what was sent, oldest first",
		Long: `Lists the delivered messages, of all conversations or of one, with what became of
them; the replies that were sent, or may have been, with the messages that they
answer; and gaps, where messages may have gone by unseen. A conversation is named
as kehai conversations lists it, for example line:Hana.

With --json what is no message has a field "event": "transcript_gap" with visible,
passed and after (the last occurrence before it), "reply" with state (sent or
unknown), text and answers, or "message_changed", which kehai run --help describes,
for a message that is not in the list.`,
		Example: `  kehai messages
  kehai messages line:Hana --since 2h
  kehai messages --since 2026-01-31T09:00:00Z --json
  kehai messages --json | jq 'select(.event == null) | .text'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			since, err := parseSince(v.since, time.Now())
			if err != nil {
				return err
			}
			if v.limit < 0 {
				return badUsage("--limit %d: want a number above 0, or none for all", v.limit)
			}
			return v.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
				return v.list(ctx, b, control.Query{
					Conversation: messages.ConversationID(first(args)), Since: since, Limit: v.limit})
			})(cmd, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&v.since, "since", "",
		"delivered at or after `TIME`: RFC 3339, or a duration back from now such as 90m")
	fl.BoolVar(&v.asJSON, "json", false, "one JSON object a line")
	fl.IntVar(&v.limit, "limit", 0, "only the newest `N`")
	return cmd
}

func (v *messagesVerb) list(ctx context.Context, b control.Backend, q control.Query) error {
	show := v.showEntry(v.asJSON)
	n, day := 0, ""
	err := b.Timeline(ctx, q, func(e control.Entry) error {
		n++
		if d := e.SeenAt.Local().Format(time.DateOnly); d != day && !v.asJSON {
			day = d
			v.stdout.printf("%s\n", v.stdout.paint("2", day))
		}
		return show(e)
	})
	if err == nil && n == 0 {
		err = known(ctx, b, string(q.Conversation))
	}
	if err == nil && n == 0 && !v.asJSON {
		v.stderr.printf("no messages\n")
	}
	if n == 0 || q.Conversation == "" { // one that can be read is whole
		err = v.shut(ctx, b, n, err)
	}
	return err
}

// known refuses a conversation that does not exist; "" stands for all.
func known(ctx context.Context, of any, name string) error {
	b, ok := of.(control.Backend)
	if name == "" || !ok {
		return nil
	}
	id, err := b.Which(ctx, name)
	if err != nil {
		return err
	}
	list, err := b.Conversations(ctx)
	if err != nil {
		return err
	}
	var labels []string
	for _, c := range list {
		if c.ID == id {
			return nil
		}
		labels = append(labels, string(c.ID), c.Name, c.Label())
	}
	hint := ""
	if near := names.Nearest(name, labels); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return fmt.Errorf("%w: %q: %s`kehai conversations` lists them", control.ErrNoConversation, name, hint)
}

func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, badUsage("--since %q: want a time such as 2026-01-31T09:00:00Z, "+
		"a day such as 2026-01-31, or a duration such as 90m", s)
}
