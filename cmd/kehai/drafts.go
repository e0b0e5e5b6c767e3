package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
)

// drafts is a family of verbs, with the flag of list and show.
type drafts struct {
	*app
	asJSON bool
}

func (v *drafts) command() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the replies that wait or are being written", Example: "  kehai drafts list --json",
		Args: cobra.NoArgs, RunE: v.withReplies(v.list),
	}
	show := &cobra.Command{
		Use: "show ID", Short: "Show a reply that waits, and what it rests on",
		Example: "  kehai drafts show c-3uwbezwinvqa/3.2", Args: cobra.ExactArgs(1), RunE: v.withReplies(v.show),
	}
	for _, cmd := range []*cobra.Command{list, show} {
		cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a line")
	}
	do := func(verb messages.DraftVerb, short, done string) *cobra.Command {
		return &cobra.Command{
			Use: string(verb) + " ID…", Short: short, Example: "  kehai drafts " + string(verb) + " c-3uwbezwinvqa/3.2",
			Args: cobra.MinimumNArgs(1),
			RunE: v.withReplies(func(ctx context.Context, b control.ReplyBackend, ids []string) error {
				var errs []error
				for _, id := range ids {
					errs = append(errs, v.do(ctx, b, id, verb, "", done))
				}
				return errors.Join(errs...)
			}),
		}
	}
	return listing(&cobra.Command{
		Use:   "drafts",
		Short: "See, approve, edit and reject the replies that wait for you, stop one being written",
		Long: `A reply that may not go out by itself waits for a person; one that may waits until
it can be typed: STATE is sending then, and WHY says what it waits for. While STATE is judging
or writing there is no text yet, and nothing to approve: reject stops that. Its ID names it as it
reads now: when a message comes, is edited or is taken back, the reply is written
anew and has another ID, so that nobody approves what they have not read. What
you write in the window yourself withdraws it.`,
		Example: `  kehai drafts
  kehai drafts --json
  kehai drafts show c-3uwbezwinvqa/3.2
  kehai drafts approve c-3uwbezwinvqa/3.2
  kehai drafts reject c-3uwbezwinvqa/4.1         gives a draft up, or stops one being written`,
	}, list, show, do(messages.DraftApprove, "Send a draft", "is to be sent"), v.editCommand(),
		do(messages.DraftReject, "Give a draft up, or stop one that is being written", "is given up"),
		do(messages.DraftHold, "Leave a draft until you come back to it", "is held"))
}

// asking about replies.
type askingReplies func(ctx context.Context, b control.ReplyBackend, args []string) error

// withReplies is withBackend for questions about replies.
func (a *app) withReplies(verb askingReplies) func(*cobra.Command, []string) error {
	return a.withBackend(func(ctx context.Context, b control.Backend, args []string) error {
		replies, ok := b.(control.ReplyBackend)
		if !ok {
			return errors.New("this Kehai knows nothing of replies")
		}
		return verb(ctx, replies, args)
	})
}

// namesOf is what the conversations are called. Where several are called alike it says
// when somebody wrote there last.
func namesOf(ctx context.Context, b control.ReplyBackend) (map[messages.ConversationID]string, error) {
	called := map[messages.ConversationID]string{}
	known, ok := b.(control.Backend)
	if !ok {
		return called, nil
	}
	list, err := known.Conversations(ctx)
	bear := map[string]int{}
	for _, c := range list {
		bear[c.Label()]++
	}
	for _, c := range list {
		called[c.ID] = c.Label()
		switch {
		case bear[c.Label()] < 2:
		case c.LastAt == nil:
			called[c.ID] += " (nothing yet)"
		default:
			called[c.ID] += fmt.Sprintf(" (last %s)", c.LastAt.Local().Format(toTheMinute))
		}
	}
	return called, err
}

// toTheMinute is how lists show when.
const toTheMinute = "2006-01-02 15:04"

func (v *drafts) do(ctx context.Context, b control.ReplyBackend, id string, verb messages.DraftVerb,
	text, done string) error {
	if err := b.DraftDo(ctx, control.DraftID(id), verb, text); err != nil {
		return fmt.Errorf("%s %s: %w", verb, id, err)
	}
	if known, ok := b.(control.Backend); ok && verb == messages.DraftApprove {
		s, err := known.Status(ctx)
		switch {
		case err != nil:
			return err
		case s.SendingPaused != nil:
			done += ", but sending is paused: kehai resume sending goes on"
		case !s.Running:
			done += " once Kehai runs"
		}
	}
	return v.stdout.printf("%s %s\n", id, done)
}

func (v *drafts) list(ctx context.Context, b control.ReplyBackend, _ []string) error {
	list, err := b.Drafts(ctx)
	if err != nil {
		return err
	}
	err = printList(v.app, v.asJSON, list, "no drafts", func(t *table) error {
		called, err := namesOf(ctx, b)
		if err != nil {
			return err
		}
		t.row("ID", "TO", "WRITTEN", "STATE", "WHY", "SURE", "ANSWERS", "TEXT")
		for _, d := range list {
			written, sure := d.WrittenAt.Local().Format(toTheMinute), describe.Sure(d.Judged, d.Confidence)
			if d.Unwritten() {
				written = "-"
			}
			if d.State == messages.ReplyJudging {
				sure = "-"
			}
			t.row(d.ID, cmp.Or(called[d.Conversation], d.Called), written, d.State, whyItWaits(d), sure, answered(d),
				strings.ReplaceAll(d.Text, "\n", " "))
		}
		return nil
	})
	return v.shut(ctx, b, len(list), err)
}

func (v *drafts) show(ctx context.Context, b control.ReplyBackend, args []string) error {
	d, err := findDraft(ctx, b, args[0])
	switch {
	case err != nil:
		return fmt.Errorf("show %w", err)
	case v.asJSON:
		return encodeEach(v.stdout, []control.Draft{d})
	}
	called, err := namesOf(ctx, b)
	if err != nil {
		return err
	}
	return v.describe(d, cmp.Or(called[d.Conversation], d.Called))
}

func findDraft(ctx context.Context, b control.ReplyBackend, id string) (control.Draft, error) {
	list, err := b.Drafts(ctx)
	if err != nil {
		return control.Draft{}, err
	}
	for _, d := range list {
		if string(d.ID) == id {
			return d, nil
		}
	}
	return control.Draft{}, fmt.Errorf("%s: %w", id, control.ErrNoDraft)
}

// maxAnswered is how much of what a draft answers its row shows, in characters.
const maxAnswered = 24

// answered is the newest message that a draft answers, cut, "-" if none is kept.
func answered(d control.Draft) string {
	for _, m := range slices.Backward(d.Answers) {
		if words := strings.Join(strings.Fields(m.Text), " "); words != "" {
			return shortened(words, maxAnswered)
		}
	}
	return "-"
}

// shortened is the beginning of a text, of at most so many characters.
func shortened(s string, most int) string {
	at, n := 0, 0
	for g := uniseg.NewGraphemes(s); g.Next(); n++ {
		if n == most-1 {
			at, _ = g.Positions()
		}
		if n == most {
			return s[:at] + "…"
		}
	}
	return s
}

// stateSending is the state of a reply that is to be sent.
const stateSending = "sending"

// whyItWaits is the rule by which a reply waits for a person, or the obstacle of one that
// is to be sent.
func whyItWaits(d control.Draft) string {
	switch {
	case d.Unwritten():
		return "not written yet; reject stops it"
	case d.State != stateSending:
		return describe.Rule(d.Rule, d.Fallback)
	case d.Waits == "":
		return "its turn comes, or it is typed now"
	}
	return describe.NotSent(d.Waits)
}

// describe prints a draft and what it rests on.
func (v *drafts) describe(d control.Draft, to string) error {
	var t table
	t.row("to", to)
	switch {
	case d.Unwritten():
		t.row("state", string(d.State)+": "+whyItWaits(d))
	case d.State == stateSending:
		t.row("state", string(d.State)+": "+describe.Rule(d.Rule, d.Fallback))
		t.row("waits", whyItWaits(d))
	default:
		t.row("state", string(d.State)+": "+whyItWaits(d))
	}
	for _, a := range d.Answers {
		t.row("answers", a.Sender+": "+nowReads(a))
	}
	sure := describe.Sure(d.Judged, d.Confidence)
	if d.Judged == messages.JudgedByModel {
		sure += ", by a model"
	}
	if d.State != messages.ReplyJudging {
		t.row("judged", sure+": "+d.Reason)
	}
	switch {
	case d.Unwritten():
		return t.write(v.stdout)
	case d.Model != "":
		t.row("written", fmt.Sprintf("by %s from %s, prompts %s, %s", d.Model, count(d.Lines, "message"), d.Prompt,
			d.WrittenAt))
	default:
		t.row("written", fmt.Sprintf("a fixed text, as %s, %s", describe.Fallback(d.Fallback), d.WrittenAt))
	}
	if d.NotSent != "" {
		t.row("not sent", describe.NotSent(d.NotSent))
	}
	if err := t.write(v.stdout); err != nil {
		return err
	}
	return v.stdout.printf("\n%s\n", d.Text)
}

// nowReads is a message as it reads now, with what happened to it since it came.
func nowReads(a control.Answered) string {
	now := strings.ReplaceAll(a.Text, "\n", " ")
	switch {
	case a.Unsent:
		return "(taken back)"
	case a.Edited:
		return now + " (edited)"
	}
	return now
}
