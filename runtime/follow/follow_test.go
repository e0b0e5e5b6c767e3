package follow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// note is an event with a number.
type note struct{ N int }

func (note) MessageType() messages.Type { return messages.Type{Name: "test_note", Version: 1} }

// rig is an event log with readers, in a bubble.
type rig struct {
	*live.System
	t       *testing.T
	readers follow.Readers
	mu      sync.Mutex        // a timer may tell of trouble, and have a call made
	trouble map[string]string // by reason, what is wrong now
	told    []string          // all that ever was
	log     bytes.Buffer

	calls      []int // numbers that the handler was given, in order
	stop, kill context.CancelFunc
	ended      chan error
}

// open starts an engine over a store; what it is told to, it logs.
func open(t *testing.T, store engine.Store, tables ...messages.Table) *rig {
	t.Helper()
	return openSealed(t, store, nil, tables...)
}

// openSealed is open with keys.
func openSealed(t *testing.T, store engine.Store, keys engine.Sealer, tables ...messages.Table) *rig {
	t.Helper()
	codec, err := messages.NewCodec(append(tables, messages.Core())...)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, trouble: map[string]string{}}
	r.System, err = live.New(live.Options{Engine: engine.Options{Store: store, Sealer: keys, Codec: codec,
		Listener: func(engine.Published) { r.readers.Wake() },
		Kinds: []engine.Kind{{Name: "sayer", New: func(messages.Address) actors.Actor {
			return actors.Func(func(turn *actors.Turn, m messages.Message) error {
				switch m.(type) {
				case note, diary:
					turn.Publish(m)
				}
				return nil
			})
		}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

var notes = messages.Table{messages.Durable[note](nil).AboutNobody()}

func (r *rig) say(numbers ...int) {
	r.t.Helper()
	for _, n := range numbers {
		if err := r.Engine().Inject(r.t.Context(), "sayer/a", note{n}, ""); err != nil {
			r.t.Fatal(err)
		}
	}
	synctest.Wait()
}

// follow serves one reader with a handler that is told how often it had an event before.
func (r *rig) follow(handle func(n, before int) error, opts ...follow.Option) {
	r.t.Helper()
	if err := r.readers.Add("host", func(_ context.Context, ev follow.Event) error {
		n := numberOf(ev.Message)
		r.mu.Lock()
		before := len(slices.DeleteFunc(slices.Clone(r.calls), func(c int) bool { return c != n }))
		r.calls = append(r.calls, n)
		r.mu.Unlock()
		return handle(n, before)
	}, opts); err != nil {
		r.t.Fatal(err)
	}
	var ctx, stop context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	stop, r.kill = context.WithCancel(context.Background())
	r.ended = make(chan error, 1)
	go func() {
		r.ended <- r.readers.All()[0].Follow(ctx, stop, follow.Options{Engine: r.Engine(), Log: zerolog.New(&r.log),
			Trouble: func(reason, text string) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.trouble[reason] = text
				r.told = append(r.told, text)
			}})
	}()
	synctest.Wait()
}

// so says the newest number that the handler was given, and what people are told for a reason, while it goes on.
func (r *rig) so(reason string) (last int, trouble string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls[len(r.calls)-1], r.trouble[reason]
}

// end ends the reader, which must return at once, and the engine.
func (r *rig) end() {
	r.t.Helper()
	r.stop()
	synctest.Wait()
	select {
	case err := <-r.ended:
		if err != nil {
			r.t.Errorf("Follow() = %v, want nil", err)
		}
	default:
		r.t.Error("Follow() has not returned after its end")
	}
	r.kill()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	r.Stop(ctx)
}

// want is what a reader has come to.
type want struct {
	calls  []int
	passed int    // events that are acknowledged
	why    string // part of why it does not go on; "" if it does
	parked int    // attempts of the only parked event; 0 if there is none
}

func (r *rig) want(name string, w want) {
	r.t.Helper()
	cursor, err := r.Engine().Cursor("host")
	passed := 0
	err = errors.Join(err, r.Engine().ReadLog(0, func(ev engine.Published) bool {
		if ev.Seq <= cursor {
			passed++
		}
		return true
	}))
	if err != nil || passed != w.passed || !slices.Equal(r.calls, w.calls) {
		r.t.Errorf("%s: calls %v, %d passed, %v, want %v, %d", name, r.calls, passed, err, w.calls, w.passed)
	}
	why := r.readers.Served()["host"]
	if (why == "") != (w.why == "") || !strings.Contains(why, w.why) || len(r.readers.Behind()) != min(1, len(w.why)) {
		r.t.Errorf("%s: Served() = %q, Behind() = %v, want %q", name, why, r.readers.Behind(), w.why)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.trouble["subscription host"]; (now == "") != (w.why == "") {
		r.t.Errorf("%s: people are told %q, want that only while it fails", name, now)
	}
	list, err := r.Engine().DeadLetters()
	attempts := 0
	if len(list) > 0 {
		attempts = list[0].Attempts
	}
	if err != nil || len(list) > 1 || attempts != w.parked {
		r.t.Errorf("%s: dead letters %+v, %v, want %d attempts", name, list, err, w.parked)
	}
}

// hour is enough for any number of retries.
func hour() {
	<-time.After(time.Hour)
	synctest.Wait()
}

// TestFollow: what becomes of three events by what the handler makes of the second.
func TestFollow(t *testing.T) {
	refuse := func(times int) func(n, before int) error {
		return func(n, before int) error {
			if n == 2 && before < times {
				return errors.New("no twos\nprivate")
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		handle func(n, before int) error
		park   int
		want   want
	}{
		"taken":         {refuse(0), 0, want{calls: []int{1, 2, 3}, passed: 3}},
		"refused twice": {refuse(2), 0, want{calls: []int{1, 2, 2, 2, 3}, passed: 3}},
		"parked":        {refuse(9), 2, want{calls: []int{1, 2, 2, 3}, passed: 3, parked: 2}},
		"parked late":   {refuse(1), 2, want{calls: []int{1, 2, 2, 3}, passed: 3}},
		"each refused once": {func(_, before int) error {
			if before == 0 {
				return errors.New("not at first")
			}
			return nil
		}, 2, want{calls: []int{1, 1, 2, 2, 3, 3}, passed: 3}},
		"panics once": {func(n, before int) error {
			if n == 2 && before == 0 {
				panic("private")
			}
			return nil
		}, 0, want{calls: []int{1, 2, 2, 3}, passed: 3}},
		"panics always": {func(n, _ int) error {
			var none []int
			if n == 2 {
				return fmt.Errorf("never reached: %d", none[n])
			}
			return nil
		}, 3, want{calls: []int{1, 2, 2, 2, 3}, passed: 3, parked: 3}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, mem.New(), notes)
			r.follow(c.handle, follow.ParkAfter(c.park))
			r.say(1, 2, 3)
			hour()
			r.want(name, c.want)
			if told := strings.Join(r.told, " "); strings.Contains(told, "private") || strings.Contains(told, "twos") {
				t.Errorf("%s: people are told what the handler said: %s", name, told)
			}
			list, _ := r.Engine().DeadLetters()
			for _, d := range list {
				if !strings.Contains(d.Error, "no twos") &&
					!strings.Contains(d.Error, "handler panicked: runtime error") {
					t.Errorf("%s: parked because of %q, want what the handler said", name, d.Error)
				}
			}
			r.end()
		})
	}
}

// TestFailingReader: one that fails for ever keeps its place, says so, ends at once, and
// goes on there at the next start. A panic's own value is nobody's to read.
func TestFailingReader(t *testing.T) {
	for why, fail := range map[string]func(){
		"handler panicked with a string":                       func() { panic("private") },
		"handler: the goroutine was ended with runtime.Goexit": goruntime.Goexit,
	} {
		synctest.Test(t, func(t *testing.T) {
			store := mem.New()
			r := open(t, store, notes)
			r.follow(func(n, _ int) error {
				if n == 2 {
					fail()
				}
				return nil
			})
			r.say(1, 2, 3)
			hour()
			// Nine tries while the wait grows from 0.1 to 30 s, then two a minute.
			if n := len(r.calls); n < 100 || n > 135 {
				t.Errorf("%d tries in an hour, want about 128", n)
			}
			r.calls = r.calls[:2]
			r.want("failing", want{calls: []int{1, 2}, passed: 1, why: why})
			r.end()
			again := open(t, store, notes)
			again.follow(func(int, int) error { return nil })
			again.want("next start", want{calls: []int{2, 3}, passed: 3})
			again.end()
		})
	}
}

// torn is an error whose text cannot be had without a value.
type torn struct{ text string }

func (e *torn) Error() string { return e.text }

// TestAnErrorWithoutAText: whatever the Error method of a host does, its event is retried, parked, retried
// as a parked one and told, in at most 4 KiB.
func TestAnErrorWithoutAText(t *testing.T) {
	for why, err := range map[string]error{
		"error whose Error() panics: *follow_test.torn": (*torn)(nil),
		"error without a text: *follow_test.torn":       &torn{},
		"xxx": &torn{strings.Repeat("x", 9<<20)},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, mem.New(), notes)
			r.follow(func(int, int) error { return err }, follow.ParkAfter(2))
			r.say(1)
			r.want("failing", want{calls: []int{1}, why: why})
			hour()
			r.want("parked", want{calls: []int{1, 1}, passed: 1, parked: 2})
			list, lerr := r.Engine().DeadLetters()
			if lerr != nil || len(list) != 1 || !strings.Contains(list[0].Error, why) {
				t.Fatalf("DeadLetters() = %.200v, %v, want one with %q", list, lerr, why)
			}
			if err := r.Engine().RetryDeadLetter(t.Context(), list[0].ID); err != nil {
				t.Fatal(err)
			}
			r.readers.Retry()
			hour()
			r.want("parked again", want{calls: []int{1, 1, 1}, passed: 1, parked: 3})
			r.end()
			if r.log.Len() > 16<<10 || !strings.Contains(r.log.String(), why) {
				t.Errorf("the log has %d bytes, want few, with %q", r.log.Len(), why)
			}
		})
	}
}

// TestParkedAgain: a parked event that is sent again is handled once, out of order, and
// either leaves the dead letters or stays with one attempt more.
func TestParkedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, mem.New(), notes)
		r.follow(func(n, before int) error {
			if n == 1 && before < 2 {
				return errors.New("not yet")
			}
			return nil
		}, follow.ParkAfter(1))
		r.say(1, 2)
		r.want("parked", want{calls: []int{1, 2}, passed: 2, parked: 1})
		for i, w := range []want{{calls: []int{1, 2, 1}, passed: 2, parked: 2}, {calls: []int{1, 2, 1, 1}, passed: 2}} {
			list, err := r.Engine().DeadLetters()
			if err != nil || len(list) != 1 {
				t.Fatalf("DeadLetters() = %+v, %v, want one", list, err)
			}
			if err := r.Engine().RetryDeadLetter(t.Context(), list[0].ID); err != nil {
				t.Fatal(err)
			}
			r.readers.Retry()
			hour()
			r.want(fmt.Sprintf("sent again %d times", i+1), w)
		}
		r.end()
	})
}

// TestASlowHandler: one that does not return is told after a while, until it does.
func TestASlowHandler(t *testing.T) {
	for _, refused := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, mem.New(), notes)
			over := make(chan struct{})
			r.follow(func(n, before int) error {
				if n == 2 && before == 0 {
					<-over
					return map[bool]error{true: errors.New("no")}[refused]
				}
				return nil
			})
			r.say(1, 2, 3)
			r.want("not long yet", want{calls: []int{1, 2}, passed: 1})
			hour()
			r.want("hangs", want{calls: []int{1, 2}, passed: 1, why: "its handler does not return"})
			if n := strings.Count(r.log.String(), "subscription_hangs"); n != 1 {
				t.Errorf("%d lines tell of it, want 1:\n%s", n, r.log.String())
			}
			close(over)
			hour()
			calls := []int{1, 2, 3}
			if refused {
				calls = []int{1, 2, 2, 3}
			}
			r.want("returned", want{calls: calls, passed: 3})
			r.end()
		})
	}
}

// TestUnreadableEvent: a program that does not know an event's type stops there, skips
// nothing, and says so.
func TestUnreadableEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		r := open(t, store, notes)
		r.follow(func(int, int) error { return nil })
		r.say(1)
		r.end()
		r = open(t, store, notes)
		r.say(2)
		r.follow(func(int, int) error { return errors.New("not now") })
		r.end()
		older := open(t, store)
		older.follow(func(int, int) error { return nil })
		older.want("unreadable", want{passed: 1, why: "event cannot be read: event "})
		older.end()
	})
}

// dark is a store whose event log cannot be read for a while.
type dark struct {
	engine.Store
	now atomic.Bool
}

func (d *dark) Scan(prefix, from []byte, yield func(k, v []byte) bool) error {
	if d.now.Load() && string(prefix) == "e/" {
		return errors.New("too many open files")
	}
	return d.Store.Scan(prefix, from, yield)
}

// TestALogThatCannotBeReadForNow: the reader says why, and goes on once it can be.
func TestALogThatCannotBeReadForNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &dark{Store: mem.New()}
		r := open(t, store, notes)
		r.follow(func(int, int) error { return nil })
		store.now.Store(true)
		r.say(1)
		hour()
		if why := r.readers.Served()["host"]; !strings.Contains(why, "too many open files") {
			t.Errorf("Served() = %q, want why the log cannot be read", why)
		}
		store.now.Store(false)
		hour()
		r.want("again", want{calls: []int{1}, passed: 1})
		store.now.Store(true)
		r.readers.Wake()
		hour()
		store.now.Store(false)
		hour()
		r.want("at the end", want{calls: []int{1}, passed: 1})
		r.end()
	})
}

// TestAnUnreadableEventIsParkedByHand: where its type is gone for good, the reader goes on behind it.
func TestAnUnreadableEventIsParkedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		r := open(t, store, notes)
		r.follow(func(n, _ int) error { return map[bool]error{true: errors.New("not now")}[n == 1] })
		park := func(r *rig, name string) error {
			served := follow.Served(r.readers.Served())
			return served.Park(t.Context(), name, follow.Options{Engine: r.Engine()})
		}
		if err := park(r, "nobody"); !errors.Is(err, engine.ErrNoSubscription) {
			t.Errorf("Park() of nobody = %v, want ErrNoSubscription", err)
		}
		if err := park(r, "host"); err == nil {
			t.Error("Park() at the end of the log = nil")
		}
		r.say(1)
		if err := park(r, "host"); err == nil {
			t.Error("Park() of an event that can be read = nil")
		}
		r.say(2)
		r.end()
		older := open(t, store)
		older.follow(func(int, int) error { return nil })
		for passed, why := range []string{"event cannot be read: event ", "event cannot be read: event ", ""} {
			cursor, err := older.Engine().Cursor("host")
			now := older.readers.Served()["host"]
			if err != nil || !strings.Contains(now, why) || (now == "") != (why == "") {
				t.Errorf("with %d parked, Served() = %q at %d, %v, want %q", passed, now, cursor, err, why)
			}
			if why == "" {
				break
			}
			if err := park(older, "host"); err != nil {
				t.Fatal(err)
			}
			older.readers.Retry()
			synctest.Wait()
		}
		if now := older.trouble["subscription host"]; now != "" {
			t.Errorf("people are told %q in the end, want nothing", now)
		}
		list, err := older.Engine().DeadLetters()
		if err != nil || len(list) != 2 || list[0].Subscription != "host" {
			t.Errorf("dead letters are %+v, %v, want two of the subscription", list, err)
		}
		older.end()
	})
}

// TestADamagedEventIsParkedByHand: one whose row is no event any more stops the reader until it is
// put aside, as it is stored.
func TestADamagedEventIsParkedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		r := open(t, store, notes)
		r.say(1, 2)
		var first engine.Op
		if err := store.Scan([]byte("e/"), nil, func(k, _ []byte) bool {
			first = engine.Op{Key: slices.Clone(k), Value: []byte("no event")}
			return false
		}); err != nil {
			t.Fatal(err)
		}
		if err := store.Apply([]engine.Op{first}, true); err != nil {
			t.Fatal(err)
		}
		r.follow(func(int, int) error { return nil })
		r.want("damaged", want{why: "unreadable record"})
		if told := r.trouble["subscription host"]; !strings.Contains(told, "if it is gone for good") {
			t.Errorf("people are told %q, want what helps with a damaged event", told)
		}
		served := follow.Served(r.readers.Served())
		o := follow.Options{Engine: r.Engine(), Log: zerolog.New(&r.log)}
		if err := served.Park(t.Context(), "host", o); err != nil {
			t.Fatal(err)
		}
		r.readers.Retry()
		hour()
		if why := r.readers.Served()["host"]; why != "" || !slices.Equal(r.calls, []int{2}) {
			t.Errorf("the reader got %v, and is stuck: %q, want the event behind", r.calls, why)
		}
		list, err := r.Engine().DeadLetters()
		if err != nil || len(list) != 1 || list[0].Type != "unreadable" || list[0].Error == "" {
			t.Errorf("dead letters are %+v, %v, want one that says why it cannot be read", list, err)
		}
		if !strings.Contains(r.log.String(), `"event_parked"`) {
			t.Errorf("the log does not tell of it:\n%s", r.log.String())
		}
		r.end()
	})
}

// TestMissedEvents: retention of another node, which knows no reader here, passes one that is behind.
// People are told once, of what the reader will not get; a new one misses nothing.
func TestMissedEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.New()
		r := open(t, store, notes)
		trim := func() {
			r.t.Helper()
			_, err := r.Engine().Trim(t.Context(), engine.Cutoffs{Events: time.Now().Add(time.Second)})
			if err != nil {
				t.Fatal(err)
			}
		}
		r.say(1)
		trim()
		var ready atomic.Bool
		r.follow(func(n, _ int) error {
			if n > 2 && !ready.Load() {
				return errors.New("not now")
			}
			return nil
		})
		told := func(want int) {
			r.t.Helper()
			r.mu.Lock()
			defer r.mu.Unlock()
			if now := r.trouble[follow.Missed("host")]; strings.Contains(now, "has missed events") != (want > 0) ||
				strings.Count(r.log.String(), "subscription_passed") != want {
				r.t.Errorf("people are told %q, the log has\n%s\nwant that %d times", now, &r.log, want)
			}
		}
		r.say(2)
		told(0)
		r.say(3)
		trim()
		r.say(4)
		hour()
		told(1)
		ready.Store(true)
		hour()
		r.say(5)
		told(1)
		if want := []int{2, 4, 5}; !slices.Equal(slices.Compact(slices.DeleteFunc(r.calls, func(n int) bool {
			return n == 3
		})), want) {
			t.Errorf("the reader got %v, want %v, and 3 until it was deleted", r.calls, want)
		}
		r.end()
		r = open(t, store, notes)
		r.follow(func(int, int) error { return nil })
		told(0)
		r.end()
	})
}

// TestAdd: a reader has a name of its own and a handler.
func TestAdd(t *testing.T) {
	var r follow.Readers
	none := func(context.Context, follow.Event) error { return nil }
	if err := r.Add("", none, nil); err == nil {
		t.Error("Add(no name) = nil, want an error")
	}
	if err := r.Add("a", nil, nil); err == nil {
		t.Error("Add(no handler) = nil, want an error")
	}
	if err := r.Add("a", none, nil); err != nil {
		t.Errorf("Add(a) = %v, want nil", err)
	}
	if err := r.Add("a", none, nil); err == nil || len(r.All()) != 1 || r.All()[0].Name() != "a" {
		t.Errorf("Add(a) again = %v, %d readers, want an error and one reader", err, len(r.All()))
	}
}
