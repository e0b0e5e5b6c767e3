package follow_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// diary is an event about somebody, with a number.
type diary struct {
	N    int                     `json:"n"`
	Whom messages.ConversationID `json:"whom"`
}

func (diary) MessageType() messages.Type         { return messages.Type{Name: "test_diary", Version: 1} }
func (d diary) Subject() messages.ConversationID { return d.Whom }

var diaries = messages.Table{messages.Durable[diary](nil)}

const hana, taro messages.ConversationID = "line:Hana", "line:Taro"

func numberOf(m messages.Message) int {
	if d, ok := m.(diary); ok {
		return d.N
	}
	return m.(note).N
}

// tell logs events about the people, numbered from 1.
func (r *rig) tell(people ...messages.ConversationID) {
	r.t.Helper()
	for i, whom := range people {
		if err := r.Engine().Inject(r.t.Context(), "sayer/a", diary{i + 1, whom}, ""); err != nil {
			r.t.Fatal(err)
		}
	}
	synctest.Wait()
}

// forget forgets Hana.
func (r *rig) forget() error {
	_, err := r.Engine().Forget(r.t.Context(), engine.Forgetting{Conversation: hana})
	return err
}

// sealedOrNot runs a test in a bubble, without keys and with some.
func sealedOrNot(t *testing.T, test func(t *testing.T, keys engine.Sealer)) {
	t.Helper()
	t.Run("unsealed", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, nil) }) })
	t.Run("sealed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
			if err != nil {
				t.Fatal(err)
			}
			test(t, keys)
		})
	})
}

// TestNothingForgottenIsHandedOut: while a handler is slow, its page is forgotten in part. What it has may
// end, whatever comes of it; the rest of them it never gets.
func TestNothingForgottenIsHandedOut(t *testing.T) {
	sealedOrNot(t, func(t *testing.T, keys engine.Sealer) {
		for _, result := range []error{nil, errors.New("no")} {
			r := openSealed(t, mem.New(), keys, diaries)
			r.tell(hana, taro, hana, hana, taro, hana)
			over := make(chan struct{})
			r.follow(func(n, _ int) error {
				if n == 1 {
					<-over
					return result
				}
				return nil
			}, follow.ParkAfter(1))
			if err := r.forget(); err != nil {
				t.Fatalf("Forget() = %v", err)
			}
			close(over)
			hour()
			r.want("forgotten meanwhile", want{calls: []int{1, 2, 5}, passed: 2})
			if len(r.told) > 0 && result == nil {
				t.Errorf("people are told %q, want nothing of what was forgotten", r.told)
			}
			r.end()
		}
	})
}

// TestNothingForgottenIsTriedAgain: parked events are sent again, and forgotten or discarded while the handler
// has the first of them.
func TestNothingForgottenIsTriedAgain(t *testing.T) {
	sealedOrNot(t, func(t *testing.T, keys engine.Sealer) {
		r := openSealed(t, mem.New(), keys, diaries)
		over := make(chan struct{})
		r.follow(func(n, before int) error {
			switch {
			case before == 0:
				return errors.New("not yet")
			case n == 1:
				<-over
			}
			return nil
		}, follow.ParkAfter(1))
		r.tell(hana, hana, taro, taro)
		list, err := r.Engine().DeadLetters()
		if err != nil || len(list) != 4 {
			t.Fatalf("DeadLetters() = %+v, %v, want four", list, err)
		}
		for _, d := range list {
			if err := r.Engine().RetryDeadLetter(t.Context(), d.ID); err != nil {
				t.Fatal(err)
			}
		}
		r.readers.Retry()
		synctest.Wait()
		if err := r.forget(); err != nil {
			t.Fatalf("Forget() = %v", err)
		}
		if err := r.Engine().DiscardDeadLetter(t.Context(), list[2].ID); err != nil {
			t.Fatal(err)
		}
		close(over)
		hour()
		r.want("forgotten meanwhile", want{calls: []int{1, 2, 3, 4, 1, 4}, passed: 2})
		r.end()
	})
}

// halfway is a store that deletes nothing of the event log for a while.
type halfway struct {
	*mem.Store
	broken bool
}

func (h *halfway) Apply(ops []engine.Op, sync bool) error {
	if h.broken && slices.ContainsFunc(ops, func(op engine.Op) bool {
		return op.Delete && bytes.HasPrefix(op.Key, []byte("e/"))
	}) {
		return errors.New("input/output error")
	}
	return h.Store.Apply(ops, sync)
}

// TestNothingHalfForgottenIsHandedOut: a kill in the middle of a deletion, while the handler is slow. The next
// start hands out nothing of what was to go.
func TestNothingHalfForgottenIsHandedOut(t *testing.T) {
	sealedOrNot(t, func(t *testing.T, keys engine.Sealer) {
		store := &halfway{Store: mem.New()}
		r := openSealed(t, store, keys, diaries)
		r.tell(hana, taro, hana, taro)
		over := make(chan struct{})
		r.follow(func(int, int) error { <-over; return nil })
		store.broken = true
		if err := r.forget(); err == nil {
			t.Fatal("Forget() on a broken disk = nil")
		}
		killed := store.Clone()
		close(over)
		hour()
		if got := []int{1, 2, 4}; keys != nil && !slices.Equal(r.calls, got) {
			t.Errorf("without their key the handler got %v, want %v", r.calls, got)
		}
		r.end()
		again := openSealed(t, killed, keys, diaries)
		again.follow(func(int, int) error { return nil })
		again.want("next start", want{calls: []int{2, 4}, passed: 2})
		again.end()
	})
}

// interrupted is a store that does something once, after the next event was read.
type interrupted struct {
	*mem.Store
	then atomic.Pointer[func()]
}

func (i *interrupted) Get(key []byte) (value []byte, ok bool, err error) {
	value, ok, err = i.Store.Get(key)
	if bytes.HasPrefix(key, []byte("e/")) {
		if then := i.then.Swap(nil); then != nil {
			(*then)()
		}
	}
	return value, ok, err
}

// TestNothingForgottenIsParked: an event is forgotten while it is being put aside.
func TestNothingForgottenIsParked(t *testing.T) {
	sealedOrNot(t, func(t *testing.T, keys engine.Sealer) {
		store := &interrupted{Store: mem.New()}
		r := openSealed(t, store, keys, diaries)
		r.tell(hana, taro)
		forget := func() {
			if err := r.forget(); err != nil {
				t.Errorf("Forget() = %v", err)
			}
		}
		before, err := r.Engine().Logged(0, 9)
		if err != nil || len(before) != 2 {
			t.Fatalf("Logged() = %v, %v, want two events", before, err)
		}
		store.then.Store(&forget)
		if err := r.Engine().Park(t.Context(), "host", before[0], 1, "no"); err != nil {
			t.Errorf("Park() = %v, want nil", err)
		}
		r.follow(func(int, int) error { return nil })
		r.want("forgotten while it was parked", want{calls: []int{2}, passed: 1})
		r.end()
	})
}

// places is a store that keeps which places the reader has had.
type places struct {
	*mem.Store
	had  []string
	hold chan struct{} // until it is closed, none is stored; nil: it is at once
}

func (p *places) Apply(ops []engine.Op, sync bool) error {
	for _, op := range ops {
		if string(op.Key) == "u/host" {
			p.had = append(p.had, string(op.Value))
			if p.hold != nil {
				<-p.hold
			}
		}
	}
	return p.Store.Apply(ops, sync)
}

// TestManyParkOneEvent: of those who put an event aside at once, one does, and the reader's place only rises.
func TestManyParkOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &places{Store: mem.New()}
		r := open(t, store, notes)
		r.say(1, 2, 3, 4)
		var seqs []uint64
		if err := r.Engine().ReadLog(0, func(ev engine.Published) bool {
			seqs = append(seqs, ev.Seq)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		parked := make([]int, len(seqs))
		var mu sync.Mutex
		for range 30 {
			for i, seq := range seqs {
				go func() {
					err := r.Engine().Park(t.Context(), "host", seq, 1, "no")
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						parked[i]++
					} else if !errors.Is(err, engine.ErrPassed) {
						t.Errorf("Park(%d) = %v, want nil or ErrPassed", seq, err)
					}
				}()
			}
		}
		synctest.Wait()
		if !slices.IsSorted(store.had) {
			t.Errorf("the reader's places were %q, want that they only rise", store.had)
		}
		list, err := r.Engine().DeadLetters()
		times := 0
		for _, n := range parked {
			times += n
		}
		if err != nil || slices.Max(parked) != 1 || parked[len(parked)-1] != 1 || len(list) != times {
			t.Errorf("the events were put aside %v times, the dead letters are %+v, %v; want each once at most",
				parked, list, err)
		}
		r.follow(func(int, int) error { return nil })
		if len(r.calls) > 0 {
			t.Errorf("the reader got %v, want nothing of what it has passed", r.calls)
		}
		r.end()
	})
}

// TestManyAskToPark: people who ask at once for what stops a reader to be put aside put each event aside once.
func TestManyAskToPark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &places{Store: mem.New()}
		r := open(t, store, notes)
		r.say(1, 2, 3)
		r.Stop(t.Context())
		older := open(t, store)
		older.follow(func(int, int) error { return nil })
		served := follow.Served(older.readers.Served())
		o := follow.Options{Engine: older.Engine()}
		store.hold = make(chan struct{})
		done := make(chan error, 30)
		for range cap(done) {
			go func() { done <- served.Park(t.Context(), "host", o) }()
		}
		synctest.Wait()
		close(store.hold)
		times := 0
		for range cap(done) {
			if <-done == nil {
				times++
			}
		}
		list, err := older.Engine().DeadLetters()
		at, cerr := older.Engine().Cursor("host")
		left, lerr := older.Engine().Logged(at, 9)
		if errors.Join(err, cerr, lerr) != nil || times == 0 || len(list) != times || len(left) != 3-times ||
			!slices.IsSorted(store.had) {
			t.Errorf("%d had an event put aside, the dead letters are %+v, %v are left, places %q, %v",
				times, list, left, store.had, errors.Join(err, cerr, lerr))
		}
		older.end()
	})
}
