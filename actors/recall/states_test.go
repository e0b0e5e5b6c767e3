package recall_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
)

// said is a claim of an event on a day after the first.
func said(id messages.MessageID, day int, op memory.Op, body messages.Text) memory.Claim {
	return memory.Claim{Event: id, At: morning.AddDate(0, 0, day), Op: op, Body: body, Sure: true}
}

// TestStates finds what says how things are now, whatever words the question has for it, and
// marks what is outdated; where the question asks for what was, nothing is.
func TestStates(t *testing.T) {
	s := newShelf()
	s.put("c-1", event("m1", "大阪に住んでます", 0), event("m2", "コーヒーが好き", 5), event("m3", "京都へ越してきたよ", 9*24*60),
		event("m4", "やっぱりコーヒーより緑茶", 20*24*60), event("m5", "京都の駅で会った", 30*24*60))
	home := memory.Topic{Kind: memory.Fact, Subject: "Hana", Name: "home"}.With(
		said("m1", 0, memory.Holds, "大阪"), said("m3", 9, memory.Holds, "京都"))
	coffee := memory.Topic{Kind: memory.Preference, Subject: "Hana", Name: "コーヒー"}.With(
		said("m2", 0, memory.Likes, "コーヒー"), said("m4", 20, memory.Ends, "コーヒー"))
	tea := memory.Topic{Kind: memory.Preference, Subject: "Hana", Name: "緑茶"}.With(said("m4", 20, memory.Likes, "緑茶"))
	s.learn("c-1", home, coffee, tea)
	l := open(s)
	for _, c := range []struct{ text, now, over string }{
		{"私、今どこに住んでるって言ったっけ？", "m3 home: 京都", "m1"},
		{"Where does Hana live?", "m3 home: 京都", "m1"},
		{"あなたはどこに住んでるの？", "", ""},
		{"前はどこに住んでた？", "m3 home: 京都", ""},
		{"緑茶とコーヒーどっち？", "m4 likes: 緑茶", "m2"},
		{"大阪の話って？", "", "m1"},
		{"駅で何があった？", "", ""},
	} {
		q := recall.Query{Conversation: "c-1", Text: c.text, At: morning.AddDate(1, 0, 0),
			Scope: recall.ScopeOf("c-1", false, recall.ShareConversation, false, nil)}
		hits, err := l.Search(t.Context(), memory.States, q)
		if err != nil {
			t.Fatal(err)
		}
		var now, over []string
		for _, h := range hits {
			if h.Former {
				over = append(over, string(h.ID))
			} else {
				now = append(now, fmt.Sprint(h.ID, " ", string(h.State)))
			}
		}
		if got := strings.Join(now, "; "); got != c.now && !(c.now == "" && strings.HasPrefix(got, "m3")) {
			t.Errorf("state(%q) = %q, want %q", c.text, got, c.now)
		}
		if got := strings.Join(over, " "); got != c.over {
			t.Errorf("state(%q): %q is outdated, want %q", c.text, got, c.over)
		}
	}
	run, list, _ := l.Recall(context.Background(), recall.Query{Conversation: "c-1", Text: "今どこに住んでますか？",
		At: morning.AddDate(1, 0, 0), Scope: recall.ScopeOf("c-1", false, recall.ShareConversation, false, nil)}, 12)
	for at, c := range list {
		if c.ID == "m1" && (!c.Former || at < 1) || c.ID == "m3" && c.State != "home: 京都" {
			t.Errorf("%s is number %d of %v, former %t, state %q", c.ID, at, run.Chosen, c.Former, string(c.State))
		}
	}
	if list[0].ID != "m3" {
		t.Errorf("%q comes first, want what holds now", string(list[0].Text))
	}
}

// TestStatesOfOnePerson in several conversations: the newest counts, and a stranger's none.
func TestStatesOfOnePerson(t *testing.T) {
	s := newShelf()
	s.put("c-1", event("m1", "I live in Oslo", 0))
	s.put("c-2", event("m2", "I moved to Bergen", 5*24*60))
	s.put("c-3", event("m3", "canary: I live in Rome", 6*24*60))
	topic := func(c memory.Claim) memory.Topic {
		return memory.Topic{Kind: memory.Fact, Subject: "Hana", Name: "home"}.With(c)
	}
	s.learn("c-1", topic(said("m1", 0, memory.Holds, "Oslo")))
	s.topics["c-2"+topic(memory.Claim{}).Key()] = topic(said("m2", 5, memory.Holds, "Bergen"))
	s.topics["c-3"+topic(memory.Claim{}).Key()] = topic(said("m3", 6, memory.Holds, "Rome"))
	l := open(s)
	got := ""
	hits, err := l.Search(t.Context(), memory.States, recall.Query{Conversation: "c-1", Text: "Where do I live?",
		At: morning.AddDate(1, 0, 0), Scope: recall.Scope{Conversations: []messages.ConversationID{"c-1", "c-2"}}})
	for _, h := range hits {
		got += fmt.Sprint(h.ID, " ", string(h.State), h.Former, "; ")
	}
	if want := "m2 home: Bergenfalse; m1 true; "; err != nil || got != want {
		t.Errorf("states are %q, %v, want %q", got, err, want)
	}
}
