package control_test

import (
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

func TestDraftID(t *testing.T) {
	for _, c := range []messages.ConversationID{"line:Hana", "a/b/1.2", "c-7f3a", "線:花 子"} {
		id := control.NewDraftID(c, 12, 3)
		got, turn, epoch, ok := id.Split()
		if got != c || turn != 12 || epoch != 3 || !ok {
			t.Errorf("%q.Split() = %q, %d, %d, %v, want %q, 12, 3, true", id, got, turn, epoch, ok, c)
		}
	}
	if got := control.DraftID("a/b/1.2").Edited(); got != "a/b/1.3" {
		t.Errorf("Edited() = %q, want the next epoch a/b/1.3", got)
	}
	for _, id := range []control.DraftID{"", "line:Hana", "line:Hana/", "line:Hana/3", "line:Hana/3.x", "/3.2",
		"c/0.1", "c/1.0", "c/-1.2", "c/1.2.3"} {
		if _, _, _, ok := id.Split(); ok {
			t.Errorf("%q.Split() is ok, want none", id)
		}
	}
}
