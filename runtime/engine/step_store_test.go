package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// volume is a store on a volume that may be full, whose reads may fail.
type volume struct {
	*mem.Store
	free uint64
	hold func() // called after each Apply
	// Prefixes of the keys that cannot be read.
	bad, badScan string
}

func (v *volume) Free() (uint64, error) { return v.free, nil }

func (v *volume) Apply(ops []engine.Op, sync bool) error {
	err := v.Store.Apply(ops, sync)
	if v.hold != nil {
		v.hold()
	}
	return err
}

var errRead = errors.New("cannot read")

func (v *volume) Get(key []byte) ([]byte, bool, error) {
	if v.bad != "" && strings.HasPrefix(string(key), v.bad) {
		return nil, false, errRead
	}
	return v.Store.Get(key)
}

func (v *volume) Scan(prefix, from []byte, yield func(key, value []byte) bool) error {
	if v.badScan != "" && strings.HasPrefix(string(prefix), v.badScan) {
		return errRead
	}
	return v.Store.Scan(prefix, from, yield)
}

// echo passes durable messages on and counts them.
func echo(turn *actors.Turn, m messages.Message) error {
	if _, ok := m.(hint); ok {
		turn.Send("other/a", m)
		return nil
	}
	n, _ := counts.Get(turn, "n")
	counts.Put(turn, "n", n+1)
	turn.Send("other/a", m)
	return nil
}

func TestLowSpacePausesDurableWork(t *testing.T) {
	space := &volume{Store: mem.New(), free: engine.DefaultMinFree}
	h := step(t, echo, actortest.Store(space))
	h.Send(number{1})
	h.WantSent(actortest.To("other/a", number{1}))

	space.free = engine.DefaultMinFree - 1
	h.Send(number{2})
	h.Send(number{3})
	h.Send(hint{4}) // needs no store
	h.WantSent(actortest.To("other/a", hint{4}))
	h.WantCommits(1)
	h.Settle()
	wantReports(t, h, events.StoreLow{Free: engine.DefaultMinFree - 1, Need: engine.DefaultMinFree, At: h.Now()})

	space.free = engine.DefaultMinFree
	h.Settle()
	h.WantSent(actortest.To("other/a", number{2}), actortest.To("other/a", number{3}))
	wantReports(t, h, events.StoreRecovered{Free: engine.DefaultMinFree, At: h.Now()})
	actortest.WantStored(h, counts, "n", 3)
	h.Settle()
	wantReports(t, h)
}

// wantReports expects what the engine said about the store since it was asked
// last.
func wantReports(t *testing.T, h *actortest.Harness, want ...messages.Message) {
	t.Helper()
	var got []messages.Message
	for _, m := range h.Reported() {
		switch m.(type) {
		case events.StoreLow, events.StoreRecovered, events.CommitFailed:
			got = append(got, m)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("reported %v, want %v", got, want)
	}
}

// Changes that wait for space are lost in a crash only if nobody was told that they are stored.
func TestTurnThatWaitsForSpaceComesAgain(t *testing.T) {
	space := &volume{Store: mem.New(), free: 1 << 40}
	h := step(t, echo, actortest.Store(space))
	space.hold = func() { space.free = 0 } // stored, then full
	h.Send(number{1})
	h.WantSent()
	space.hold = nil
	space.free = 1 << 40
	h.Crash()
	h.WantSent(actortest.To("other/a", number{1}))
	actortest.WantStored(h, counts, "n", 1)
}

func TestFailedCommitIsReported(t *testing.T) {
	h := step(t, echo)
	h.FailNextCommit()
	h.Send(number{1})
	found := false
	for _, m := range h.Reported() {
		if f, ok := m.(events.CommitFailed); ok {
			found = f.Turns == 1 && strings.Contains(f.Reason, "made to fail")
		}
	}
	if !found {
		t.Errorf("no report of the failed commit")
	}
	h.Restart()
	h.WantSent(actortest.To("other/a", number{1}))
}

func TestInjectedKeyCountsOnce(t *testing.T) {
	space := &volume{Store: mem.New(), free: 1 << 40}
	h := step(t, echo, actortest.Store(space))
	h.SendOnce("a", number{1})
	h.SendOnce("a", number{2})
	h.Crash()
	h.SendOnce("a", number{3})
	h.SendOnce("b", number{4})
	h.Send(number{5})
	h.Send(number{5})
	h.WantSent(
		actortest.To("other/a", number{1}), actortest.To("other/a", number{4}),
		actortest.To("other/a", number{5}), actortest.To("other/a", number{5}),
	)

	// Two of one batch, too.
	space.free = 0
	h.SendOnce("c", number{6})
	h.SendOnce("c", number{7})
	space.free = 1 << 40
	h.Settle()
	h.WantSent(actortest.To("other/a", number{6}))

	// And when it cannot be known, it is not stored.
	space.bad = "k/"
	done, err := h.Engine().Post("", "actor/test", number{8}, "c")
	if err != nil {
		t.Fatal(err)
	}
	h.Settle()
	if err := <-done; !errors.Is(err, errRead) {
		t.Errorf("Post() with an unreadable store = %v, want %v", err, errRead)
	}
	h.WantSent()
}

// A turn that is refused leaves no trace. Its actor restarts from the store.
func TestAStaleTurnIsTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, store *mem.Store) (ops []engine.Op)
		again     bool // its message comes again
	}{
		"the actor was claimed": {func(*testing.T, *mem.Store) []engine.Op {
			return []engine.Op{{Key: []byte("o/actor/test"), Value: []byte(seqKey(2))}}
		}, true},
		"its message was handled by another": {func(t *testing.T, store *mem.Store) (ops []engine.Op) {
			for _, k := range keys(t, store, "i/actor/test") {
				ops = append(ops, engine.Op{Key: []byte(k), Delete: true})
			}
			return ops
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			changing := false
			var h *actortest.Harness
			h = step(t, func(turn *actors.Turn, m messages.Message) error {
				if changing {
					changing = false
					if err := h.Engine().ApplyOfAnother(c.meanwhile(t, store)...); err != nil {
						t.Error(err)
					}
				}
				turn.Send("other/a", m)
				return nil
			}, actortest.Store(store))
			h.Send(number{1})
			h.WantSent(actortest.To("other/a", number{1}))
			changing = true
			h.WantFailure("does not hold")
			h.Send(number{2})
			h.WantSent()
			h.Restart()
			if c.again {
				h.WantSent(actortest.To("other/a", number{2}))
			}
			h.Send(number{3})
			h.WantSent(actortest.To("other/a", number{3}))
		})
	}
}

// seqKey is a stored number.
func seqKey(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// damage changes the one value under a prefix.
func damage(t *testing.T, store *mem.Store, prefix string, change func(string) string) {
	t.Helper()
	list := keys(t, store, prefix)
	if len(list) != 1 {
		t.Fatalf("the store holds %q under %s, want one", list, prefix)
	}
	raw, _, _ := store.Get([]byte(list[0]))
	changed := change(string(raw))
	if changed == string(raw) {
		t.Fatalf("%s did not change", raw)
	}
	if err := store.Apply([]engine.Op{{Key: []byte(list[0]), Value: []byte(changed)}}, false); err != nil {
		t.Fatal(err)
	}
}

// Stored mail, timers and calls that cannot be read become dead letters, and
// the actor goes on with what comes after.
func TestUnreadableMailBecomesADeadLetter(t *testing.T) {
	unknown := func(name string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, name, "test_future") }
	}
	cut := func(s string) string { return s[:len(s)-3] }
	newer := func(s string) string { return strings.ReplaceAll(s, `"v":1`, `"v":2`) }
	empty := func(string) string { return "" }
	for _, c := range []struct {
		name, prefix string
		send         number
		change       func(string) string
		typ          string // of the dead letter
	}{
		{"unknown mail", "i/actor/test", number{0}, unknown("test_number"), "test_future"},
		{"newer mail", "i/actor/test", number{0}, newer, "test_number"},
		{"cut mail", "i/actor/test", number{0}, cut, "unreadable"},
		{"empty mail", "i/actor/test", number{0}, empty, "unreadable"},
		{"unknown timer", "t/", number{1}, unknown("test_flush"), "test_future"},
		{"cut timer", "t/", number{1}, cut, "unreadable"},
		{"unknown call", "c/", number{2}, unknown("test_ask"), "test_future"},
		{"cut call", "c/", number{2}, cut, "unreadable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := &volume{Store: mem.New(), free: 1 << 40}
			work := func(turn *actors.Turn, m messages.Message) error {
				switch m {
				case messages.Message(number{1}):
					turn.After("k", 0, flush{})
				case messages.Message(number{2}):
					turn.Call("calc", ask{1}, actors.CallOptions{Deadline: actors.DefaultDeadline})
				default:
					turn.Send("other/a", m)
				}
				return nil
			}
			h := step(t, work, actortest.Store(store))
			if c.send.N == 0 {
				store.hold = func() { store.free = 0 } // stored, not handled
			}
			h.Send(c.send)
			damage(t, store.Store, c.prefix, c.change)
			store.hold, store.free = nil, 1<<40
			h = step(t, work, actortest.Store(store.Store.Clone()))
			h.Advance(0)
			h.WantSent()
			h.WantCalls()
			list := h.DeadLetters()
			if len(list) != 1 || list[0].Type != c.typ || list[0].Attempts != 1 || list[0].Actor != "actor/test" {
				t.Fatalf("DeadLetters() = %+v, want one of type %s after one attempt", list, c.typ)
			}
			if c.typ == "unreadable" && list[0].Message != nil {
				t.Errorf("dead letter's message = %s, want none", list[0].Message)
			}
			h.Send(number{9})
			h.WantSent(actortest.To("other/a", number{9}))
			err := handOver(func(ctx context.Context) error { return h.Engine().RetryDeadLetter(ctx, list[0].ID) })
			if err == nil || !strings.Contains(err.Error(), "cannot be sent again") {
				t.Errorf("RetryDeadLetter(unreadable) = %v, want that it cannot be sent again", err)
			}
			request(t, h, func(ctx context.Context) error { return h.Engine().DiscardDeadLetter(ctx, list[0].ID) })
			h.WantDeadLetters(0)
			h.Crash()
			h.WantDeadLetters(0)
		})
	}
}

// A version that knows the type can handle what an older one put aside.
func TestUnknownTypeIsHandledAfterAnUpgrade(t *testing.T) {
	store := mem.New()
	old := actortest.Spawn(t, func(messages.Address) actors.Actor { return actors.Func(echo) }, actortest.Store(store))
	raw := `{"at":"2026-01-01T00:00:00Z","epoch":1,"msg":{"type":"test_number","v":1,"body":{"N":7}}}`
	key := "i/actor/test\x00\x00\x00\x00\x00\x00\x00\x00\x07"
	if err := store.Apply([]engine.Op{
		{Key: []byte(key), Value: []byte(raw)},
		{Key: []byte("m/seq"), Value: []byte("\x00\x00\x00\x00\x00\x00\x00\x07")},
	}, false); err != nil {
		t.Fatal(err)
	}
	old.Crash()
	old.WantDeadLetters(1)
	h := step(t, echo, actortest.Store(store))
	id := h.DeadLetters()[0].ID
	request(t, h, func(ctx context.Context) error { return h.Engine().RetryDeadLetter(ctx, id) })
	h.WantSent(actortest.To("other/a", number{7}))
	h.WantDeadLetters(0)
}

func TestLargeMessages(t *testing.T) {
	letter := func(n int) messages.IncomingBubble {
		return messages.IncomingBubble{Text: messages.Text(strings.Repeat("s", n))}
	}
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case messages.IncomingBubble:
			turn.Send("other/a", m)
		case number:
			turn.Send("other/a", letter(m.N))
		}
		return nil
	})
	sizes := []int{1 << 20, 6 << 20}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, n := range sizes {
		h.Send(letter(n))
		h.WantSent(actortest.To("other/a", letter(n)))
		h.CrashBeforeCommit()
		h.Send(letter(n))
		h.WantSent(actortest.To("other/a", letter(n)))
	}
	if _, err := h.Engine().Post("", "actor/test", letter(9<<20), ""); !errors.Is(err, engine.ErrTooLarge) ||
		len(err.Error()) > 300 {
		t.Errorf("Post(9 MB) = %v, want %v", err, engine.ErrTooLarge)
	}
	for range 5 {
		h.WantFailure("batch is too large for one transaction")
	}
	h.Send(number{9 << 20})
	h.Restart()
	h.Restart()
	h.Restart()
	h.Restart()
	h.Restart()
	h.WantSent()
	h.WantDeadLetters(1)
	h.Send(number{1})
	h.WantSent(actortest.To("other/a", letter(1)))
}

// An error may be longer than anything that can be stored.
func TestLongErrorIsCut(t *testing.T) {
	text := strings.Repeat("日", 3<<20)
	for name, c := range map[string]struct {
		fail func() error
		want string
		ends string
	}{
		"error": {func() error { return errors.New(text) }, "日", " bytes)"},
		"panic": {func() error { panic(text) }, "panic with a string", "with a string"}, // its text is with the stack
	} {
		t.Run(name, func(t *testing.T) {
			h := step(t, func(turn *actors.Turn, m messages.Message) error {
				if n := m.(number); n.N > 0 {
					turn.Send("other/a", n)
					return nil
				}
				return c.fail()
			})
			for range engine.MaxAttempts {
				h.WantFailure(c.want)
			}
			h.Send(number{0})
			h.Send(number{1})
			for range engine.MaxAttempts {
				h.Restart()
			}
			h.WantSent(actortest.To("other/a", number{1}))
			h.WantDeadLetters(1)
			d := h.DeadLetters()[0]
			if len(d.Error) > 4<<10 || len(d.Stack) > 4<<10 || !utf8.ValidString(d.Error) ||
				!utf8.ValidString(d.Stack) || !strings.HasSuffix(d.Error, c.ends) || d.Attempts != engine.MaxAttempts {
				t.Errorf("the dead letter has %d attempts, an error of %d bytes that ends in %q and a stack of %d "+
					"bytes",
					d.Attempts, len(d.Error), d.Error[max(0, len(d.Error)-40):], len(d.Stack))
			}
		})
	}
}

// Also the largest message can be quarantined, and an unreadable one of that
// size.
func TestLargeMessageCanBeQuarantined(t *testing.T) {
	store := mem.New()
	letter := messages.IncomingBubble{Text: messages.Text(strings.Repeat("s", 6<<20))}
	h := step(t, func(*actors.Turn, messages.Message) error { return errors.New("too long for me") },
		actortest.Store(store))
	for range 5 {
		h.WantFailure("too long for me")
	}
	h.Send(letter)
	for range 5 {
		h.Restart()
	}
	h.WantDeadLetters(1)

	h.WantFailure("too long for me")
	h.Send(letter)
	damage(t, store, "i/", func(s string) string { return s[:len(s)-3] })
	h.Crash()
	h.WantDeadLetters(2)
	if d := h.DeadLetters()[1]; !strings.Contains(d.Error, "; 3") || !strings.HasSuffix(d.Error, "bytes are kept") {
		t.Errorf("dead letter's error = %q, want how much of it is kept", d.Error)
	}
	h.WantFailure("too long for me")
	h.Send(number{1})
}

// What a known subscription has not acknowledged is kept, however old it is.
func TestTrimKeepsWhatASubscriptionHasNotSeen(t *testing.T) {
	for name, c := range map[string]struct {
		cursors map[string]uint64 // by subscription: how many of the three events it has seen
		want    int               // events left
		served  []string          // besides, but yet to begin
	}{
		"no subscription":           {nil, 0, nil},
		"one that has seen all":     {map[string]uint64{"host": 3}, 0, nil},
		"one behind":                {map[string]uint64{"host": 1}, 2, nil},
		"one behind, one up to now": {map[string]uint64{"host": 1, "page": 3}, 2, nil},
		"a new one":                 {map[string]uint64{"host": 0}, 3, nil},
		"one that has yet to begin": {nil, 3, []string{"host"}},
		"one that has seen all, one that has yet to begin": {map[string]uint64{"host": 3}, 3, []string{"page"}},
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			h := step(t, func(turn *actors.Turn, m messages.Message) error {
				turn.Publish(twice{m.(number).N})
				return nil
			}, actortest.Store(store))
			var seqs []uint64
			for n := range 3 {
				h.Send(number{n})
			}
			err := h.Engine().ReadLog(0, func(ev engine.Published) bool { seqs = append(seqs, ev.Seq); return true })
			if err != nil || len(seqs) != 3 {
				t.Fatalf("the log has events %v, %v, want three", seqs, err)
			}
			for name, seen := range c.cursors {
				at := append([]uint64{0}, seqs...)[seen]
				request(t, h, func(ctx context.Context) error { return h.Engine().SetCursor(ctx, name, at) })
			}
			request(t, h, func(ctx context.Context) error {
				_, err := h.Engine().Trim(ctx, engine.Cutoffs{
					Events: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
					Served: slices.AppendSeq(c.served, maps.Keys(c.cursors)),
				})
				return err
			})
			if left := keys(t, store, "e/"); len(left) != c.want {
				t.Errorf("%d events are left, want %d", len(left), c.want)
			}
		})
	}
}

// A failed commit takes timers and calls back. If they cannot be read again right
// then, they are read later: nothing else would ever bring them.
func TestTimersAndCallsAreReadAgainUntilTheyCanBe(t *testing.T) {
	for _, prefix := range []string{"t/", "c/"} {
		space := &volume{Store: mem.New(), free: 1 << 40}
		h := step(t, func(turn *actors.Turn, m messages.Message) error {
			switch m := m.(type) {
			case number:
				turn.After("k", time.Minute, flush{})
				turn.Call("calc", ask(m), actors.CallOptions{Deadline: actors.DefaultDeadline})
			case flush, twice:
				turn.Send("other/a", m)
			}
			return nil
		}, actortest.Store(space))
		h.Send(number{1})
		h.FailNextCommit()
		if prefix == "t/" {
			h.Advance(time.Minute)
		} else {
			h.Answer(twice{2})
		}
		space.badScan = prefix
		h.WantFailure("its timers and calls cannot be read")
		h.Restart()
		space.badScan = ""
		h.Restart()
		if prefix == "t/" {
			h.Advance(0)
			h.WantSent(actortest.To("other/a", flush{}))
		} else {
			h.Answer(twice{2})
			h.WantSent(actortest.To("other/a", twice{2}))
		}
	}
}

// A subscription that nobody serves does not keep events from being deleted, and the events
// it misses are reported.
func TestADeadCursorDoesNotPinTheLog(t *testing.T) {
	store := mem.New()
	h := step(t, func(turn *actors.Turn, m messages.Message) error { turn.Publish(m); return nil },
		actortest.Store(store))
	for n := range 4 {
		h.Send(number{n})
	}
	var seqs []uint64
	err := h.Engine().ReadLog(0, func(p engine.Published) bool { seqs = append(seqs, p.Seq); return true })
	if err != nil {
		t.Fatal(err)
	}
	for name, seq := range map[string]uint64{"served": seqs[2], "dead": seqs[0], "done": seqs[3]} {
		request(t, h, func(ctx context.Context) error { return h.Engine().SetCursor(ctx, name, seq) })
	}
	passed := map[string]int{}
	err = await(h, func(ctx context.Context) error {
		_, err := h.Engine().Trim(ctx, engine.Cutoffs{
			Events: h.Now().Add(time.Hour), Served: []string{"served"},
			Passed: func(name string, n int) { passed[name] = n },
		})
		return err
	})
	if left := keys(t, store, "e/"); err != nil || len(left) != 1 || !maps.Equal(passed, map[string]int{"dead": 2}) {
		t.Errorf("%d events are left and %v were passed, want one and 2 of the dead subscription", len(left), passed)
	}
	list, err := h.Engine().Subscriptions()
	want := []engine.Subscription{{Name: "dead", Position: seqs[0], Behind: 1}, {Name: "done", Position: seqs[3]},
		{Name: "served", Position: seqs[2], Behind: 1}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("Subscriptions() = %+v, %v, want %+v", list, err, want)
	}
	drop := func(name string) error {
		return await(h, func(ctx context.Context) error { return h.Engine().DropSubscription(ctx, name) })
	}
	if err := drop("dead"); err != nil {
		t.Fatal(err)
	}
	if err := drop("dead"); !errors.Is(err, engine.ErrNoSubscription) {
		t.Errorf("dropping it again = %v, want ErrNoSubscription", err)
	}
	if got := keys(t, store, "u/"); !slices.Equal(got, []string{"u/done", "u/served"}) {
		t.Errorf("cursors %q are left, want the two others", got)
	}
}

// A subscription that is served keeps the log from before it has stored its place: it begins where the
// log did when it came.
func TestANewSubscriptionKeepsTheLog(t *testing.T) {
	store := mem.New()
	h := step(t, func(turn *actors.Turn, m messages.Message) error { turn.Publish(m); return nil },
		actortest.Store(store))
	h.Send(number{1})
	trim := func(served ...string) {
		t.Helper()
		if err := await(h, func(ctx context.Context) error {
			_, err := h.Engine().Trim(ctx, engine.Cutoffs{Events: h.Now().Add(time.Hour), Served: served})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if trim("new"); len(keys(t, store, "e/")) != 1 {
		t.Error("the event is deleted before the new subscription has begun")
	}
	trim()
	h.Send(number{2})
	at, err := h.Engine().Cursor("new")
	if newest, terr := h.Engine().Trimmed(); at == 0 || at != newest || err != nil || terr != nil {
		t.Errorf("Cursor() of a new subscription = %d, %v, Trimmed() = %d, %v, want both at the first event",
			at, err, newest, terr)
	}
	if trim("new"); len(keys(t, store, "e/")) != 1 {
		t.Error("the second event is deleted before the new subscription has begun")
	}
}

// The log is cut from its beginning, however the clock jumps: what is left is its end. An event goes if it
// is older than the cutoff and no younger one comes before it. One that is dated later than now goes with
// those behind it.
func TestTheLogIsCutFromItsBeginning(t *testing.T) {
	type event struct {
		seq uint64
		at  time.Time
	}
	hours := func(rng *rand.Rand, most int64) time.Duration { return time.Duration(rng.Int64N(most)) * time.Hour }
	seen := map[string]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := step(t, func(turn *actors.Turn, m messages.Message) error { turn.Publish(m); return nil })
		read := func() (list []event) {
			t.Helper()
			if err := h.Engine().ReadLog(0, func(ev engine.Published) bool {
				list = append(list, event{ev.Seq, ev.At})
				return true
			}); err != nil {
				t.Fatal(err)
			}
			return list
		}
		acked := uint64(0)
		for range 12 {
			for n := range rng.IntN(4) {
				switch rng.IntN(4) {
				case 0:
					h.Advance(hours(rng, 1000))
				case 1:
					h.Advance(-hours(rng, 1000))
				default:
					h.Advance(hours(rng, 48))
				}
				h.Send(number{n})
			}
			before := read()
			if len(before) == 0 {
				continue
			}
			acked = max(acked, before[rng.IntN(len(before))].seq) // a place never falls
			now, old := h.Now(), h.Now().Add(-240*time.Hour)
			request(t, h, func(ctx context.Context) error { return h.Engine().SetCursor(ctx, "host", acked) })
			request(t, h, func(ctx context.Context) error {
				_, err := h.Engine().Trim(ctx, engine.Cutoffs{Events: old, Served: []string{"host"}})
				return err
			})
			left := read()
			gone := before[:len(before)-len(left)]
			if !slices.Equal(before[len(gone):], left) {
				t.Fatalf("seed %d: of %v are left %v, want the end of it", seed, before, left)
			}
			for i, ev := range gone {
				seen["gone"]++
				isOld := func(l event) bool { return l.at.Before(old) }
				carried := ev.at.After(now) && slices.ContainsFunc(gone[i:], isOld)
				if carried {
					seen["from the future"]++
				}
				if ev.seq > acked || !ev.at.Before(old) && !carried {
					t.Errorf("seed %d: an event of %v is gone at %v with %d acknowledged, want it kept",
						seed, ev, now, acked)
				}
			}
			for _, ev := range left {
				if ev.seq > acked || !ev.at.Before(old) && !ev.at.After(now) {
					seen["kept"]++
					break
				}
				if ev.at.Before(old) {
					t.Errorf("seed %d: an event of %v is left at %v, want it gone", seed, ev, now)
				}
			}
		}
	}
	if seen["gone"] < 50 || seen["from the future"] == 0 || seen["kept"] < 50 {
		t.Errorf("seen %v: this test shows little", seen)
	}
}

// A stop does not wait until a long log has been looked through.
func TestTrimEndsWithItsContext(t *testing.T) {
	const events, batch = 5000, 1000
	read := &counting{Store: mem.New()}
	for n := range events {
		for class, at := range map[string]string{"e": "2000-01-01T00:00:00Z", "v": "2100-01-01T00:00:00Z"} {
			row := engine.Op{Key: fmt.Appendf(nil, "%s/%08d", class, n), Value: fmt.Appendf(nil, `{"at":%q}`, at)}
			if err := read.Apply([]engine.Op{row}, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	h := step(t, echo, actortest.Store(read))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, c := range map[string]engine.Cutoffs{
		"events": {Events: h.Now()}, "verdicts, none of which is old": {Verdicts: h.Now()},
	} {
		read.rows = 0
		_, err := h.Engine().Trim(ctx, c)
		if !errors.Is(err, context.Canceled) || read.rows > batch {
			t.Errorf("%s: Trim() = %v after %d rows, want it canceled within %d", what, err, read.rows, batch)
		}
	}
}

// counting counts the rows that scans yield.
type counting struct {
	*mem.Store
	rows int
}

func (c *counting) Scan(prefix, from []byte, yield func(key, value []byte) bool) error {
	return c.Store.Scan(prefix, from, func(k, v []byte) bool { c.rows++; return yield(k, v) })
}

// An event that cannot be read goes with those behind it, and does not keep the log.
func TestAnUnreadableEventDoesNotKeepTheLog(t *testing.T) {
	store := mem.New()
	h := step(t, func(turn *actors.Turn, m messages.Message) error { turn.Publish(m); return nil },
		actortest.Store(store))
	h.Send(number{1})
	h.Send(number{2})
	h.Advance(time.Hour)
	h.Send(number{3})
	damaged := engine.Op{Key: []byte(keys(t, store, "e/")[0]), Value: []byte("no event")}
	if err := store.Apply([]engine.Op{damaged}, true); err != nil {
		t.Fatal(err)
	}
	request(t, h, func(ctx context.Context) error {
		_, err := h.Engine().Trim(ctx, engine.Cutoffs{Events: h.Now().Add(-time.Minute)})
		return err
	})
	if left := keys(t, store, "e/"); len(left) != 1 {
		t.Errorf("%d events are left, want the young one", len(left))
	}
}

// What is trimmed never falls: neither where an older event goes later, as before the log was cut from its
// beginning, nor where another node has trimmed less.
func TestWhatIsTrimmedNeverFalls(t *testing.T) {
	store := mem.New()
	h := step(t, func(turn *actors.Turn, m messages.Message) error { turn.Publish(m); return nil },
		actortest.Store(store))
	h.Send(number{1})
	const last = 1000
	later := engine.Op{Key: []byte("m/trimmed/"), Value: binary.BigEndian.AppendUint64(nil, last)}
	if err := store.Apply([]engine.Op{later}, true); err != nil {
		t.Fatal(err)
	}
	if err := await(h, func(ctx context.Context) error {
		_, err := h.Engine().Trim(ctx, engine.Cutoffs{Events: h.Now().Add(time.Hour)})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	newest, err := h.Engine().Trimmed()
	if n := len(keys(t, store, "e/")); n != 0 || newest != last || err != nil {
		t.Errorf("%d events are left, Trimmed() = %d, %v, want none, %d", n, newest, err, last)
	}
	less := engine.Op{Key: []byte("m/trimmed/other"), Value: binary.BigEndian.AppendUint64(nil, last-1)}
	if err := store.Apply([]engine.Op{less}, true); err != nil {
		t.Fatal(err)
	}
	if newest, err := h.Engine().Trimmed(); newest != last || err != nil {
		t.Errorf("beside another node Trimmed() = %d, %v, want %d", newest, err, last)
	}
}

// await runs what waits for its commits, and commits them.
func await(h *actortest.Harness, fn func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- fn(context.Background()) }()
	for {
		select {
		case err := <-done:
			return err
		case <-h.Engine().Control().CommitReady():
			h.Settle()
		}
	}
}

// An event that is parked passes its subscription's cursor, and stays until it is
// sent again or discarded. Its subject can be forgotten.
func TestParkedEvents(t *testing.T) {
	store := mem.New()
	h := step(t, func(turn *actors.Turn, m messages.Message) error { turn.Publish(m); return nil },
		actortest.Store(store))
	h.Send(number{7})
	var ev engine.Published
	if err := h.Engine().ReadLog(0, func(p engine.Published) bool { ev = p; return false }); err != nil {
		t.Fatal(err)
	}
	e := h.Engine
	request(t, h, func(ctx context.Context) error {
		return e().Park(ctx, "host", ev.Seq, 3,
			strings.Repeat("no", 9000))
	})
	h.Crash()
	list := h.DeadLetters()
	if at, err := e().Cursor("host"); at != ev.Seq || err != nil || len(list) != 1 ||
		list[0].Subscription != "host" || list[0].Attempts != 3 || list[0].Type != "test_number" ||
		len(list[0].Error) > 4096 {
		t.Fatalf("the cursor is at %d, %v, and the dead letters are %+v, want the event %d", at, err, list, ev.Seq)
	}
	retried := func() []engine.Parked {
		t.Helper()
		p, err := e().Retried("host")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if got := retried(); len(got) != 0 {
		t.Errorf("Retried() = %+v before anybody asked for it", got)
	}
	request(t, h, func(ctx context.Context) error { return e().RetryDeadLetter(ctx, list[0].ID) })
	h.Crash()
	got := retried()
	if len(got) != 1 || got[0].Event.Seq != ev.Seq || got[0].Event.Message != (number{7}) ||
		!got[0].Event.At.Equal(ev.At) {
		t.Fatalf("Retried() = %+v, want event %d as it was", got, ev.Seq)
	}
	request(t, h, func(ctx context.Context) error {
		return e().ParkAgain(ctx, got[0].ID, 3, "still "+strings.Repeat("no", 9000))
	})
	if list := h.DeadLetters(); len(retried()) != 0 || list[0].Attempts != 6 ||
		!strings.HasPrefix(list[0].Error, "still no") || len(list[0].Error) > 4096 {
		t.Errorf("parked again the dead letters are %+v", list)
	}
	request(t, h, func(ctx context.Context) error { return e().DropSubscription(ctx, "host") })
	h.WantDeadLetters(0)
}

// looked counts how often inbox entries and epochs are looked up.
type looked struct {
	*mem.Store
	mail, epochs int
}

func (l *looked) Get(key []byte) ([]byte, bool, error) {
	switch {
	case strings.HasPrefix(string(key), "i/"):
		l.mail++
	case strings.HasPrefix(string(key), "o/"):
		l.epochs++
	}
	return l.Store.Get(key)
}

// The committer is the only one that writes. So it looks for nothing that it knows,
// and finds what it does not know any more.
func TestTheCommitterKnowsWhatItHasWritten(t *testing.T) {
	store := &looked{Store: mem.New()}
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		for range m.(number).N {
			turn.Send("other/a", m)
		}
		return nil
	}, actortest.Store(store))
	h.Send(number{1})
	before := *store
	for range 10 {
		h.Send(number{1})
	}
	if store.mail != before.mail || store.epochs != before.epochs {
		t.Errorf("10 messages are looked up %d times and their actor's epoch %d times, want none",
			store.mail-before.mail, store.epochs-before.epochs)
	}
	h.Send(number{engine.MaxKnown + 10}) // more than it keeps in mind
	h.Send(number{1})
	if n := len(h.Sent()); n != engine.MaxKnown+22 {
		t.Errorf("%d messages are sent, want %d", n, engine.MaxKnown+22)
	}
	h.Crash()
	before = *store
	h.Send(number{1})
	if store.epochs == before.epochs {
		t.Error("after a start the actor's epoch is not looked up")
	}
}
