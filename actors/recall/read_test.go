package recall_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
)

// readAll reads what is new, three events at once, and returns what each reads last.
func readAll(t *testing.T, l *recall.Library, from messages.Reached) (map[messages.MessageID]messages.Text,
	messages.Reached) {
	t.Helper()
	got := map[messages.MessageID]messages.Text{}
	for range 2000 {
		r, err := l.Read(t.Context(), messages.ReadEvents{Conversation: "c-1", After: from, Most: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Events {
			if got[e.ID] = e.Text; e.Gone {
				delete(got, e.ID)
			}
		}
		if from = r.Reached; !r.More {
			return got, from
		}
	}
	t.Fatal("reading has no end")
	return nil, from
}

// TestReadWhatIsNew reads each change once, in parts, and all events where the changes are
// not known any more or are those of another history.
func TestReadWhatIsNew(t *testing.T) {
	s := newShelf()
	l := recall.NewLibrary(time.UTC)
	l.Open(s)
	tell := func(list ...messages.Event) { l.Hear(s.put("c-1", list...)); l.Hear(s.at("c-1")) }
	var list []messages.Event
	for i := range 7 {
		list = append(list, messages.Event{ID: messages.MessageID(fmt.Sprint("e", i)), Text: "x", At: morning})
	}
	if got, _ := readAll(t, l, messages.Reached{}); len(got) != 0 {
		t.Errorf("read %v, want nothing", got)
	}
	tell(list...)
	got, from := readAll(t, l, messages.Reached{})
	if len(got) != 7 {
		t.Errorf("read %v, want seven events", got)
	}
	tell(messages.Event{ID: "e3", Text: "y", At: morning})
	if got, from = readAll(t, l, from); len(got) != 1 || got["e3"] != "y" {
		t.Errorf("read %v, want how e3 reads now", got)
	}
	if got, _ = readAll(t, l, messages.Reached{Changes: from.Changes, Print: 1}); len(got) != 7 {
		t.Errorf("read %v after another history, want all events", got)
	}
	for i := range memory.KeptChanges + 5 {
		tell(messages.Event{ID: messages.MessageID(fmt.Sprint("f", i)), Text: "z",
			At: morning.Add(time.Duration(i/4) * time.Second)})
	}
	if got, _ = readAll(t, l, from); len(got) != 7+memory.KeptChanges+5 {
		t.Errorf("read %d events far behind, want all", len(got))
	}
	r, err := l.Read(t.Context(), messages.ReadEvents{Conversation: "c-1", Most: 5})
	if err != nil || !r.More || !r.Anew || !r.Reached.Anew || !slices.IsSortedFunc(r.Events,
		func(a, b messages.GrownEvent) int { return a.At.Compare(b.At) }) {
		t.Errorf("read %+v, %v, want the first in the order of time", r, err)
	}
}
