package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// knows is a Kehai that has conversations and drafts.
type knows struct {
	control.Backend
	control.ReplyBackend
	list   []control.Conversation
	drafts []control.Draft
	due    []control.Reminder
	asked  *string // the last command
}

func (k knows) Conversations(context.Context) ([]control.Conversation, error) { return k.list, nil }
func (k knows) Drafts(context.Context) ([]control.Draft, error)               { return k.drafts, nil }
func (k knows) Reminders(context.Context) ([]control.Reminder, error)         { return k.due, nil }
func (k knows) Status(context.Context) (control.Status, error)                { return control.Status{}, nil }

func (k knows) SettleHeld(_ context.Context, held string, c messages.ConversationID) error {
	*k.asked = held + " " + string(c)
	return nil
}

func (k knows) Merge(_ context.Context, c, into messages.ConversationID) error {
	*k.asked = string(c + " " + into)
	return nil
}

// What is stored of a conversation that was merged, and has yet to follow, has a name too.
func TestNamesOfTheMerged(t *testing.T) {
	var out strings.Builder
	a := &app{stdout: newTerminal(&out)}
	k := knows{drafts: []control.Draft{{ID: "c-1/1.1", Conversation: "c-1", Called: "line:Hana"}},
		due: []control.Reminder{{ID: "c-1/1", Conversation: "c-1", Called: "line:Hana"}}}
	if err := (&drafts{app: a}).list(t.Context(), k, nil); err != nil || !strings.Contains(out.String(), "line:Hana") {
		t.Errorf("drafts prints %q, %v, want the name", out.String(), err)
	}
	out.Reset()
	err := (&reminders{app: a}).list(t.Context(), k, nil)
	if err != nil || !strings.Contains(out.String(), "line:Hana") {
		t.Errorf("reminders prints %q, %v, want the name", out.String(), err)
	}
}

// A command that is stored says what comes of it, and that it waits for the next start.
func TestMergingAndSettlingSayWhatComes(t *testing.T) {
	for _, x := range []struct {
		verb       func(*conversations, context.Context, control.Backend, []string) error
		isNew      bool
		args       []string
		want, said string
	}{
		{(*conversations).settle, false, []string{"line@mac/3", "c-1"}, "line@mac/3 c-1",
			"line@mac/3 becomes that of c-1 once Kehai runs\n"},
		{(*conversations).settle, true, []string{"line@mac/3"}, "line@mac/3 ",
			"line@mac/3 becomes a new conversation's once Kehai runs\n"},
		{(*conversations).mergeInto, false, []string{"c-1", "c-2"}, "c-1 c-2",
			"c-1 and c-2 become one conversation once Kehai runs\n"},
	} {
		var out strings.Builder
		asked := ""
		c := conversations{app: &app{stderr: newTerminal(&out)}, isNew: x.isNew}
		err := x.verb(&c, t.Context(), knows{asked: &asked}, x.args)
		if err != nil || asked != x.want || out.String() != x.said {
			t.Errorf("%q asks for %q and says %q, %v, want %q and %q", x.args, asked, out.String(), err, x.want, x.said)
		}
	}
}

// Two people of the same name are told apart by when they wrote last.
func TestNamesOfNamesakes(t *testing.T) {
	at := control.Stamp{Time: time.Date(2026, 3, 4, 9, 30, 0, 0, time.Local)}
	got, err := namesOf(t.Context(), knows{list: []control.Conversation{
		{ID: "c-1", App: "line", Name: "Hana", LastAt: &at}, {ID: "c-2", App: "line", Name: "Hana"},
		{ID: "c-3", App: "line", Name: "Ken", LastAt: &at}, {ID: "c-4", App: "slack", Name: "Hana", LastAt: &at},
	}})
	want := map[messages.ConversationID]string{"c-1": "line:Hana (last 2026-03-04 09:30)",
		"c-2": "line:Hana (nothing yet)", "c-3": "line:Ken", "c-4": "slack:Hana"}
	for id, name := range want {
		if err != nil || got[id] != name || len(got) != len(want) {
			t.Errorf("namesOf() calls %s %q, %v, want %q", id, got[id], err, name)
		}
	}
}

// What is held is shown with the first words of its newest texts, each in one line, and
// with the commands that settle it.
func TestHeldShowsItsWords(t *testing.T) {
	var out strings.Builder
	c := conversations{app: &app{stdout: newTerminal(&out)}}
	err := c.choices(t.Context(), knows{list: []control.Conversation{{ID: "c-1", App: "line", Name: "Hana"}}},
		[]control.Held{{ID: "line@mac/3", App: "line", Title: "Hana", Count: 5, Of: []messages.ConversationID{"c-1"},
			Newest: []messages.Text{"At\nnine?", messages.Text(strings.Repeat("👨‍👩‍👧", 61))}}})
	for _, want := range []string{"    「At nine?」\n", "    「" + strings.Repeat("👨‍👩‍👧", 59) + "…」\n",
		"settle line@mac/3 c-1   if it is line:Hana\n", "settle line@mac/3 --new"} {
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("choices() prints %q, %v, want %q in it", out.String(), err, want)
		}
	}
}

// What a draft answers is described as it reads now, with what happened to it.
func TestNowReads(t *testing.T) {
	for want, a := range map[string]control.Answered{
		"At nine?":         {Text: "At nine?"},
		"At ten? (edited)": {Text: "At\nten?", Edited: true},
		"(taken back)":     {Edited: true, Unsent: true},
	} {
		if got := nowReads(a); got != want {
			t.Errorf("nowReads(%+v) = %q, want %q", a, got, want)
		}
	}
}

func TestShortened(t *testing.T) {
	family := "👨‍👩‍👧"
	for in, want := range map[string]string{
		"": "", "abc": "abc", "abcd": "abcd", "abcde": "abc…",
		strings.Repeat(family, 4): strings.Repeat(family, 4),
		strings.Repeat(family, 5): strings.Repeat(family, 3) + "…",
	} {
		if got := shortened(in, 4); got != want {
			t.Errorf("shortened(%q, 4) = %q, want %q", in, got, want)
		}
	}
}

// Why a draft waits is said in words, with what failed in place of a code.
func TestWhyItWaits(t *testing.T) {
	for want, d := range map[string]control.Draft{
		"you decide on each reply here":   {State: messages.ReplyDrafted, Rule: "policy", Fallback: "no_model"},
		"no language model is set up":     {State: messages.ReplyDrafted, Rule: "no_model", Fallback: "no_model"},
		"the model's answer was no reply": {State: messages.ReplyDrafted, Rule: "no_model", Fallback: "unusable"},
	} {
		if got := whyItWaits(d); got != want {
			t.Errorf("whyItWaits(%+v) = %q, want %q", d, got, want)
		}
	}
}
