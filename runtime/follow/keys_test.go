package follow_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// withoutHers are keys without Hana's while there is an error for it.
type withoutHers struct {
	engine.Sealer
	why *atomic.Pointer[error]
}

func newWithoutHers() withoutHers {
	return withoutHers{keyring.Memory(nil), &atomic.Pointer[error]{}}
}

func (l withoutHers) Open(place, sealed []byte) ([]byte, error) {
	if why := l.why.Load(); why != nil && l.Under(string(hana), sealed) {
		return nil, *why
	}
	return l.Sealer.Open(place, sealed)
}

func (l withoutHers) is(why error) { l.why.Store(&why) }
func (l withoutHers) isBack()      { l.why.Store(nil) }

// A reader that has stopped at an event whose key is lost goes on once the conversation is forgotten, or the key
// is there again, which is what it is told helps.
func TestAReaderGoesOnOnceWhatStoppedItIsOver(t *testing.T) {
	for name, forgets := range map[string]bool{"forgotten": true, "the key is back": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				keys := newWithoutHers()
				r := openSealed(t, mem.New(), keys, diaries)
				r.tell(hana, taro)
				keys.is(fmt.Errorf("there is no key: %w", engine.ErrNoKey))
				r.follow(func(int, int) error { return nil })
				r.tell(taro) // which rouses it in vain
				if len(r.calls) > 0 || r.trouble["subscription host"] == "" {
					t.Fatalf("it got %v and tells %q, want it stopped", r.calls, r.trouble)
				}
				got := []int{1, 2, 1}
				if forgets {
					got = []int{2, 1}
					if err := r.forget(); err != nil {
						t.Fatal(err)
					}
				} else {
					keys.isBack()
				}
				hour()
				r.want(name, want{calls: got, passed: len(got)})
				r.end()
			})
		})
	}
}

// A parked event that its handler has taken is not handed to it again, although its key goes away meanwhile.
func TestWhatWasTakenIsNotTakenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := newWithoutHers()
		r := openSealed(t, mem.New(), keys, diaries)
		r.follow(func(_, before int) error {
			if before == 0 {
				return errors.New("not yet")
			}
			keys.is(fmt.Errorf("too many open files: %w", engine.ErrKeyAway)) // while the handler works
			return nil
		}, follow.ParkAfter(1))
		r.tell(hana)
		list, err := r.Engine().DeadLetters()
		if err != nil || len(list) != 1 {
			t.Fatalf("%d dead letters, %v, want one", len(list), err)
		}
		if err := r.Engine().RetryDeadLetter(t.Context(), list[0].ID); err != nil {
			t.Fatal(err)
		}
		r.readers.Retry()
		hour()
		keys.isBack()
		hour()
		if !slices.Equal(r.calls, []int{1, 1}) {
			t.Errorf("the handler got it %d times, want twice: it failed, then it was taken", len(r.calls))
		}
		if list, err := r.Engine().DeadLetters(); err != nil || len(list) > 0 {
			t.Errorf("%d dead letters, %v, want none", len(list), err)
		}
		r.end()
	})
}

// A handler that passes on what the runtime says of a key out of reach has lost no attempt: neither of an event
// of the log, nor of one that was put aside and sent again, which holds up no others.
func TestAHandlerThatNeedsAKeyLosesNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := fmt.Errorf("inject: permission denied: give it back: %w", engine.ErrKeyAway)
		r := open(t, mem.New(), notes)
		r.say(1, 2)
		var back atomic.Bool
		r.follow(func(n, before int) error {
			switch {
			case n == 1 && before < 10:
				return away
			case n == 2 && before == 0:
				return errors.New("no")
			case n == 2 && !back.Load():
				return away
			}
			return nil
		}, follow.ParkAfter(1))
		hour()
		list, err := r.Engine().DeadLetters()
		if err != nil || len(list) != 1 || list[0].Error != "no" {
			t.Fatalf("put aside is %+v, %v, want what failed of itself", list, err)
		}
		if err := r.Engine().RetryDeadLetter(t.Context(), list[0].ID); err != nil {
			t.Fatal(err)
		}
		r.readers.Retry()
		hour()
		r.say(3)
		if last, why := r.so("parked events of host"); last != 3 || why == "" {
			t.Errorf("while it waits for a key it got %d and tells %q, want what is new, and why", last, why)
		}
		back.Store(true)
		hour()
		list, err = r.Engine().DeadLetters()
		if _, why := r.so("parked events of host"); err != nil || len(list) > 0 || why != "" {
			t.Errorf("with the key back %+v, %v are put aside, and it tells %q, want neither", list, err, why)
		}
		r.end()
	})
}

// The failures of an event that was forgotten are not those of the next one.
func TestTheNextEventHasItsOwnAttempts(t *testing.T) {
	sealedOrNot(t, func(t *testing.T, keys engine.Sealer) {
		r := openSealed(t, mem.New(), keys, diaries)
		r.tell(hana, taro)
		r.follow(func(n, before int) error {
			if n == 1 || before < 2 {
				return errors.New("not yet")
			}
			return nil
		}, follow.ParkAfter(4))
		<-time.After(350 * time.Millisecond) // attempts at 0, 0.1 and 0.3 s
		if err := r.forget(); err != nil {
			t.Fatal(err)
		}
		hour()
		if list, err := r.Engine().DeadLetters(); err != nil || len(list) > 0 {
			t.Errorf("after %v put aside is %+v, %v, want nothing: two attempts of four failed", r.calls, list, err)
		}
		r.end()
	})
}

// parksAtStart is a store in which an event is parked just after a reader's place was read.
type parksAtStart struct {
	*mem.Store
	then atomic.Pointer[func()]
}

func (i *parksAtStart) Get(key []byte) (value []byte, ok bool, err error) {
	value, ok, err = i.Store.Get(key)
	if string(key) == "u/host" {
		if then := i.then.Swap(nil); then != nil {
			(*then)()
		}
	}
	return value, ok, err
}

// The place does not fall if an event is parked while its reader starts.
func TestThePlaceDoesNotFallAtAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &parksAtStart{Store: mem.New()}
		r := open(t, store, notes)
		r.say(1, 2)
		at, err := r.Engine().Logged(0, 9)
		if err != nil {
			t.Fatal(err)
		}
		parked := errors.New("not called")
		then := func() { parked = r.Engine().Park(t.Context(), "host", at[0], 1, "cannot be read") }
		store.then.Store(&then)
		r.follow(func(int, int) error { return nil })
		if !slices.Equal(r.calls, []int{2}) || parked != nil {
			t.Errorf("it got %v, and Park() = %v; want only what was not put aside before", r.calls, parked)
		}
		r.end()
	})
}
