package follow_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
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
