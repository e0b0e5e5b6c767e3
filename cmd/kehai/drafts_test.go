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
	list []control.Conversation
}

func (k knows) Conversations(context.Context) ([]control.Conversation, error) { return k.list, nil }

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
