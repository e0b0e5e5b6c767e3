package conversation

import (
	"fmt"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// TestSplitTalk: more than goes at once goes in parts, whichever commit fails; what stays
// is numbered anew, and only the originals in what goes go along.
func TestSplitTalk(t *testing.T) {
	const all = 130
	o := DefaultOptions()
	o.Key = func(of string) []byte { return []byte(of + " has a key of its own") }
	store, here := mem.New(), actortest.Address("conversation/c-1")
	actortest.Spawn(t, func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, _ messages.Message) error {
			vaults.Put(turn, onlyRow, pii.Vault{Originals: map[string]string{"[a]": "090-0000-0003",
				"[b]": "090-0000-0120", "[c]": "nobody said"}, Names: []string{"Wakatsuki"}})
			return nil
		})
	}, here, actortest.Store(store)).Send(messages.DecideDue{})
	from := actortest.Spawn(t, New(o), here, actortest.Store(store))
	split := messages.SplitTalk{Conversation: "c-1", Into: "c-2", Offset: 10}
	for i := range all {
		at := messages.Occurrence(2*i + 1)
		id := messages.MessageID(fmt.Sprint("m-", i))
		from.Send(inbound(id, "c-1", at, messages.Text(fmt.Sprintf("text %d, call 090-0000-%04d", i, i))))
		from.Send(messages.OwnMessage{Conversation: "c-1", Occurrence: at + 1, Text: "ours", SeenAt: from.Now()})
		from.Advance(time.Second)
		if i >= 10 {
			split.Occurrences = append(split.Occurrences, at, at+1)
		}
	}
	from.Sent()

	into := actortest.Spawn(t, New(o), actortest.Address("conversation/c-2"))
	turns, forgot := 0, 0
	for next := []messages.Message{split}; len(next) > 0; turns++ {
		from.CrashBeforeCommit()
		from.Send(next[0])
		next = nil
		for _, s := range from.Sent() {
			switch m := s.Message.(type) {
			case messages.TalkSplit:
				if len(m.Messages) > batch {
					t.Errorf("%d messages go at once, want at most %d", len(m.Messages), batch)
				}
				into.CrashBeforeCommit()
				into.Send(m)
				into.Send(m) // again
			case messages.SplitTalk:
				next = append(next, m)
			case messages.ReplyFate:
				if s.To == "judge/c-1" && m.Fate == messages.FateForget {
					forgot++
				}
			}
		}
		from.Crash()
		into.Crash()
	}
	if forgot == 0 {
		t.Error("the judgement stays, want it forgotten with the messages it is about")
	}
	head, _ := actortest.Stored(from, Heads, "head")
	last, _ := actortest.Stored(from, Messages, RowKey(10))
	if turns < 2 || head.Count != 10 || head.LastID != "m-9" || last.ID != "m-9" {
		t.Errorf("after %d turns %+v stays, the last is %s; want ten messages after some turns", turns, head, last.ID)
	}
	head, _ = actortest.Stored(into, Heads, "head")
	first, _ := actortest.Stored(into, Messages, RowKey(1))
	if head.Count != all-10 || head.LastID != "m-129" || first.ID != "m-10" || first.Parts[0].Occurrence != 31 {
		t.Errorf("%+v went, the first is %+v; want the others, from place 31 on", head, first)
	}
	stays, _ := actortest.Stored(from, vaults, onlyRow)
	went, _ := actortest.Stored(into, vaults, onlyRow)
	if len(stays.Originals) != 2 || stays.Originals["[a]"] == "" || len(went.Originals) != 1 ||
		went.Originals["[b]"] == "" || len(stays.Names) != 1 {
		t.Errorf("of the originals %v stay and %v went", stays.Originals, went.Originals)
	}
	own := 0
	for n := range all + 1 {
		if _, ok := actortest.Stored(into, OwnMessages, RowKey(int64(n))); ok {
			own++
		}
	}
	if own != all-10 {
		t.Errorf("%d messages of our side went, want %d", own, all-10)
	}
	from.Send(split) // all is gone
	from.WantSent()
}
