package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestInsightsAreForgotten: with a conversation its quotes leave all cards, also those of a
// project with others, and no byte of what was said is in a file in the clear.
func TestInsightsAreForgotten(t *testing.T) {
	data := t.TempDir()
	analysed := make(chan messages.InterviewAnalysed, 100)
	listen := runtime.WithListener(func(ev runtime.Event) {
		if m, ok := ev.Message.(messages.InterviewAnalysed); ok && m.Final {
			analysed <- m
		}
	})
	rt, stop := talking(t, data, runtime.WithLLM(analyst{}), listen)
	b := rt.Talk()
	p, err := b.Define(t.Context(), "mornings", []byte("goal: why mornings are hard\n"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []messages.ConversationID
	for i := range 3 {
		c, err := b.Begin(t.Context(), control.Begin{Name: fmt.Sprintf("guest %d", i), Project: p})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c)
		a, err := b.Say(t.Context(), c, control.Say{Text: "the train is packed, quokkas everywhere"})
		if err != nil {
			t.Fatal(err)
		}
		until(t, b, c, a.After)
		for range 2 { // the second time it is over already
			if err := b.Stop(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if m := <-analysed; m.Themes != 1 || m.Conversation != c {
			t.Errorf("analysed %+v, want one theme of %s", m, c)
		}
		if _, err := b.Say(t.Context(), c, control.Say{Text: "one more thing"}); !errors.Is(err, control.ErrOver) {
			t.Errorf("Say() behind the end = %v, want %v", err, control.ErrOver)
		}
	}
	if err := b.Stop(t.Context(), "nobody"); !errors.Is(err, control.ErrNoConversation) {
		t.Errorf("Stop(nobody) = %v, want %v", err, control.ErrNoConversation)
	}
	wantCard(t, b, 3)
	stop()
	notInFiles(t, data, "quokkas", "train is packed", "Packed trains")
	rt, stop = talking(t, data, runtime.WithLLM(analyst{}), listen)
	defer stop()
	b = rt.Talk()
	wantCard(t, b, 3)
	if _, err := rt.Forget(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	wantCard(t, b, 2)
	found, _ := b.Insights(t.Context())
	for _, q := range found[0].Cards[0].Quotes {
		if q.Conversation == ids[1] {
			t.Errorf("%+v is still quoted", q)
		}
	}
}

func wantCard(t *testing.T, b control.TalkBackend, frequency int) {
	t.Helper()
	found, err := b.Insights(t.Context())
	if err != nil || len(found) != 1 || len(found[0].Cards) != 1 {
		t.Fatalf("Insights() = %+v, %v, want one card of one project", found, err)
	}
	if c := found[0].Cards[0]; c.Frequency != frequency || len(c.Growth) != frequency ||
		found[0].Analysed != frequency {
		t.Errorf("card %+v of %d analysed, want %d interviews", c, found[0].Analysed, frequency)
	}
}

// notInFiles expects that words stand in no file of a folder.
func notInFiles(t *testing.T, dir string, words ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, w := range words {
			if bytes.Contains(raw, []byte(w)) {
				t.Errorf("%s has %q in the clear", path, w)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
