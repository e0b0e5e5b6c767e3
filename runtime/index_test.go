package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// TestIndexOfMemory looks at the index that is saved when a runtime stops: the next one
// begins with it, and what is forgotten is in none.
func TestIndexOfMemory(t *testing.T) {
	cfg := noWindow(t)
	cfg.Durability = "process"
	ctx := context.Background()
	file := filepath.Join(cfg.Data, "index", "memory")
	monday := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	said := func(c string, n int) (list []messages.Event) {
		for k := range n {
			text := fmt.Sprint("about topic", k, " of ", c)
			list = append(list, messages.Event{ID: messages.MessageID(fmt.Sprint(c, k)), Speaker: "Anna",
				At: monday.Add(time.Duration(k) * time.Minute), Text: messages.Text(text)})
		}
		return list
	}
	// asked waits until all is read.
	asked := func(rt *runtime.Runtime, q string) (r control.Recollection, err error) {
		for r.Loading = true; r.Loading && err == nil; {
			r, err = rt.Recall(ctx, control.RecallQuery{Text: q, At: monday.AddDate(1, 0, 0), K: 3})
		}
		return r, err
	}

	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	for c, n := range map[string]int{"anna": 1500, "canary": 20} {
		if _, err := rt.Remember(ctx, messages.ConversationID(c), said(c, n)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	saved, err := os.ReadFile(file)
	if err != nil || len(saved) == 0 {
		t.Fatalf("no index is saved at a stop: %v", err)
	}
	if holds(t, cfg.Data, "topic7") {
		t.Error("words lie open in the data directory")
	}

	rt = newRuntime(t, cfg)
	stop = start(t, rt)
	for q, want := range map[string]messages.MessageID{"topic1234": "anna1234", "topic7 canary": "canary7"} {
		r, err := asked(rt, q)
		if err != nil || len(r.Found) == 0 || r.Found[0].ID != want {
			t.Errorf("Recall(%q) = %+v, %v, want %s first", q, r.Found, err, want)
		}
	}
	if _, err := rt.Forget(ctx, "canary"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Forget the index that was saved is there: %v", err)
	}
	stop()
	again, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("no index is saved after a conversation was forgotten: %v", err)
	}
	if len(again) >= len(saved) {
		t.Errorf("the index has %d bytes, and had %d with what is forgotten", len(again), len(saved))
	}
	// The index of before is of no use to anybody: its key is destroyed.
	if err := os.WriteFile(file, saved, 0o600); err != nil {
		t.Fatal(err)
	}
	rt = newRuntime(t, cfg)
	stop = start(t, rt)
	defer stop()
	r, err := asked(rt, "topic7 canary")
	if err != nil || len(r.Found) == 0 || r.Found[0].Conversation != "anna" {
		t.Errorf("Recall = %+v, %v, want only what is left, from the rows", r.Found, err)
	}
}

// TestImportKilledAtEachCommit: what Remember has taken is there after a kill at any later
// commit, the index is what is stored, and the same import once more ends as one that was
// never killed.
func TestImportKilledAtEachCommit(t *testing.T) {
	ctx := context.Background()
	monday := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	const calls, each = 6, 130 // events; a turn takes 100 at most
	imported := func(rt *runtime.Runtime, told func(call int)) {
		t.Helper()
		for call := range calls {
			var list []messages.Event
			for n := range each {
				k := (call*each + n) % 500 // the last ones read otherwise
				list = append(list, messages.Event{ID: messages.MessageID(fmt.Sprint("e", k)), Speaker: "Anna",
					At:   monday.Add(time.Duration(k) * time.Minute),
					Text: messages.Text(fmt.Sprint("topic", k, " of call", call))})
			}
			if _, err := rt.Remember(ctx, "shop:1", list); err != nil {
				t.Fatal(err)
			}
			told(call)
		}
	}
	over := func(s engine.Store) (*runtime.Runtime, func() error) {
		t.Helper()
		rt := newRuntime(t, noWindow(t), runtime.WithStore(func() (engine.Store, error) { return s, nil }))
		return rt, start(t, rt)
	}
	check := func(rt *runtime.Runtime) control.MemoryCheck {
		t.Helper()
		b := rt.Backend().(control.MemoryBackend)
		if err := b.Settled(ctx); err != nil {
			t.Fatal(err)
		}
		sum, err := b.VerifyMemory(ctx)
		if err != nil || !sum.OK() {
			t.Fatalf("VerifyMemory = %+v, %v, want an index of what is stored", sum, err)
		}
		return sum
	}

	c := &commits{Store: mem.New()}
	rt, stop := over(c)
	c.watch(true)
	taken := map[int]int{} // events, by how many commits there had been
	imported(rt, func(call int) { taken[len(c.left(t, 1))-1] = min(500, (call+1)*each) })
	c.watch(false)
	stop()
	step := 1
	if testing.Short() {
		step = 5
	}
	for n, left := range c.left(t, 2*calls) {
		if n%step > 0 {
			continue
		}
		least := 0
		for at, events := range taken {
			if at <= n {
				least = max(least, events)
			}
		}
		rt, stop := over(left)
		if sum := check(rt); sum.Events < least {
			t.Errorf("killed after %d commits: %d events are stored, want the %d that were taken", n, sum.Events, least)
		}
		imported(rt, func(int) {})
		if sum := check(rt); sum.Events != 500 {
			t.Errorf("killed after %d commits and imported again: %d events, want 500", n, sum.Events)
		}
		r, err := rt.Recall(ctx, control.RecallQuery{Text: "topic60", At: monday.AddDate(1, 0, 0), K: 1})
		if err != nil || len(r.Found) != 1 || r.Found[0].Text != "topic60 of call4" {
			t.Errorf("killed after %d commits: Recall = %+v, %v, want the text as it reads last", n, r.Found, err)
		}
		stop()
	}
}
