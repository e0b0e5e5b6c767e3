package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// ledger notes what one commit asks of the store.
type ledger struct {
	*mem.Store
	scans, gets, most int
}

func (l *ledger) Get(key []byte) ([]byte, bool, error) {
	l.gets++
	return l.Store.Get(key)
}

func (l *ledger) Scan(prefix, from []byte, yield func(k, v []byte) bool) error {
	l.scans++
	return l.Store.Scan(prefix, from, yield)
}

func (l *ledger) Apply(ops []engine.Op, sync bool) error {
	l.most = max(l.most, len(ops))
	return l.Store.Apply(ops, sync)
}

// A deletion searches beside the committer and deletes slice by slice, while
// others commit. What they write about the conversation meanwhile goes too; what
// is not about it any more stays.
func TestForgettingHoldsNobodyUp(t *testing.T) {
	store := &ledger{Store: mem.New()}
	const many = 5000
	rows := map[string]string{"s/fusion/a\x00seen\x00Hana": "1", "s/fusion/a\x00one\x00x": `"Hana"`,
		"s/fusion/a\x00two\x00x": `"Ken"`}
	for n := range many {
		rows[fmt.Sprintf("e/%08d", n)] = `{"from":"dedup/line:Hana","msg":{"type":"ledger_due","v":1,"body":{}}}`
	}
	fill(t, store, rows)
	store.most = 0
	e := resting(t, store)
	var beside func()
	e.Background(func(fn func()) { beside = fn })
	search := func() {
		if fn := beside; fn != nil {
			beside = nil
			fn()
		}
	}
	if err := handOver(func(ctx context.Context) error {
		_, err := e.Engine().Forget(ctx, engine.Forgetting{Conversation: "line:Hana"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	post := func(m messages.Message) <-chan error {
		done, err := e.Engine().Post("", "fusion/a", m, "")
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	about := func(who messages.ConversationID) messages.Message {
		return messages.TranscriptGap{Conversation: who}
	}
	commit := func(want int) {
		t.Helper()
		scans, gets := store.scans, store.gets
		if took, _ := e.Commit(100); took != want {
			t.Fatalf("Commit() took %d, want %d", took, want)
		}
		if store.scans > scans || store.gets > gets+20 {
			t.Errorf("the committer searched the store: %d scans, %d rows", store.scans-scans, store.gets-gets)
		}
	}
	commit(1)
	post(about("line:Hana")) // while it searches
	post(about("line:Ken"))
	commit(2)
	search()
	slices, kens := 0, 0
	for left := many; left > 0; {
		who := messages.ConversationID("line:Hana")
		if left < many/2 {
			who = "line:Ken" // what comes after the end may stay
			kens++
		}
		stored := post(about(who))
		commit(1) // a task of the deletion
		commit(1) // what came meanwhile
		search()
		if slices == 0 { // the first slice was looked through, and is not deleted yet
			if err := e.Engine().ApplyOfAnother(
				engine.Op{Key: []byte("s/fusion/a\x00one\x00x"), Value: []byte(`"Ken"`)},
				engine.Op{Key: []byte("s/fusion/a\x00two\x00x"), Value: []byte(`"Ken"`)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-stored; err != nil {
			t.Fatal(err)
		}
		left = len(keys(t, store, "e/"))
		if slices++; slices > many {
			t.Fatal("the deletion does not end")
		}
	}
	for took := 1; took > 0; {
		took, _ = e.Commit(100)
		search()
	}
	if slices < 5 || store.most > 2100 {
		t.Errorf("%d slices, the largest write of %d ops: want 5 at least, and at most 2100", slices, store.most)
	}
	for prefix, want := range map[string]int{"e/": 0, "i/fusion/a": 1 + kens, "s/fusion/a": 2, "f/": 0, "lf/": 0} {
		if got := keys(t, store, prefix); len(got) != want {
			t.Errorf("%d rows under %s are left, want %d: %q", len(got), prefix, want, got)
		}
	}
}

// Two deletions at once are carried out one after the other, and one that the
// stop overtakes is answered.
func TestForgettingTwoAtOnce(t *testing.T) {
	store := mem.New()
	fill(t, store, map[string]string{"s/dedup/line:Hana\x00a\x00a": "1", "s/dedup/line:Ken\x00a\x00a": "1"})
	e := resting(t, store)
	e.Background(func(fn func()) { fn() })
	answers := make(chan error, 2)
	for _, who := range []messages.ConversationID{"line:Hana", "line:Ken"} {
		go func() {
			sum, err := e.Engine().Forget(context.Background(), engine.Forgetting{Conversation: who})
			if err == nil && sum.Rows != 1 {
				err = fmt.Errorf("%d rows of %s were deleted", sum.Rows, who)
			}
			answers <- err
		}()
	}
	for n := 0; n < 2; {
		e.Commit(100)
		select {
		case err := <-answers:
			if n++; err != nil {
				t.Error(err)
			}
		default:
		}
	}
	if left := keys(t, store, "s/"); len(left) > 0 {
		t.Errorf("rows %q are left", left)
	}
	go func() {
		_, err := e.Engine().Forget(context.Background(), engine.Forgetting{Conversation: "line:Aki"})
		answers <- err
	}()
	e.Close()
	if err := <-answers; !errors.Is(err, engine.ErrStopped) || !strings.Contains(err.Error(), "forget") {
		t.Errorf("Forget() at a stop = %v, want %v", err, engine.ErrStopped)
	}
}

// TestForgettingAtAStop: whoever asked for a deletion is told whether it had begun when the engine was stopped. What
// had begun goes on at the next start.
func TestForgettingAtAStop(t *testing.T) {
	const row = "s/dedup/line:Hana\x00a\x00a"
	for commits, want := range []error{engine.ErrStopped, engine.ErrStopped, engine.ErrHalfway} {
		store := mem.New()
		fill(t, store, map[string]string{row: "1"})
		e := resting(t, store)
		var beside []func()
		e.Background(func(fn func()) { beside = append(beside, fn) })
		search := func() {
			for len(beside) > 0 {
				fn := beside[0]
				beside = beside[1:]
				fn()
			}
		}
		done := make(chan error, 1)
		go func() {
			_, err := e.Engine().Forget(t.Context(), engine.Forgetting{Conversation: "line:Hana"})
			done <- err
		}()
		for range commits {
			for took := 0; took == 0; {
				took, _ = e.Commit(1)
			}
			if commits == 2 {
				search()
			}
		}
		e.Close()
		search()
		if err := <-done; !errors.Is(err, want) {
			t.Errorf("after %d commits Forget() = %v, want %v", commits, err, want)
		}
		again := resting(t, store)
		again.Background(func(fn func()) { fn() })
		if err := again.Recover(); err != nil {
			t.Fatal(err)
		}
		for took := 1; took > 0; {
			took, _ = again.Commit(1)
		}
		if _, left, err := store.Get([]byte(row)); err != nil || left != (want == engine.ErrStopped) {
			t.Errorf("after %d commits and a start the row is there: %v, %v", commits, left, err)
		}
	}
}
