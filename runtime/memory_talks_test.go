//go:build memory

package runtime

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	measure "github.com/kehai-run/kehai/testkit/replay/recall"
)

// TestTalksInAMemory prints how much evidence a whole memory recalls, with all its routes and what
// has grown of the talks, beside package rank alone. What the others find
// must cost next to no evidence.
func TestTalksInAMemory(t *testing.T) {
	m := newRemembering(t)
	events, questions := measure.Talks()
	alone, err := measure.Measure(events, questions, rank.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	e := m.sim.Control().Engine()
	for from := 0; from < len(events); {
		c := messages.ConversationID(events[from].Conversation)
		var list []messages.Event
		for ; from < len(events) && len(list) < 100 && events[from].Conversation == string(c); from++ {
			x := events[from]
			list = append(list, messages.Event{ID: messages.MessageID(x.ID), Speaker: messages.Text(x.Speaker),
				At: x.At, Text: messages.Text(x.Text)})
		}
		if _, err := e.Post("", messages.To(recall.Kind, string(c)), messages.Remember{Conversation: c, Events: list},
			""); err != nil {
			t.Fatal(err)
		}
		m.sim.Advance(time.Minute)
	}
	m.sim.Advance(time.Hour)
	l := recall.NewLibrary(time.UTC)
	l.Open(admin.Remembered{Engine: e})
	defer l.Close()
	whole, err := measure.MeasureBy(questions, func(q measure.Question, k int) (ids []string, err error) {
		c := messages.ConversationID(q.Conversation)
		_, found, err := l.Recall(t.Context(), recall.Query{Conversation: c, Text: q.Query, At: m.sim.Now(),
			Scope: recall.Scope{Conversations: []messages.ConversationID{c}}}, k)
		for _, f := range found {
			ids = append(ids, string(f.ID))
		}
		return ids, err
	})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("package rank alone")
	if err := alone.Print(os.Stdout); err != nil {
		t.Fatal(err)
	}
	fmt.Println("a whole memory")
	if err := whole.Print(os.Stdout); err != nil {
		t.Fatal(err)
	}
	for i, k := range measure.Depths {
		if got, want := whole.All.Recall[i], alone.All.Recall[i]-0.015; got < want {
			t.Errorf("a whole memory recalls %.3f@%d, want at least %.3f", got, k, want)
		}
	}
}
