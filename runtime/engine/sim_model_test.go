package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// model is what is known from outside.
type model struct {
	sent      map[string][]int // numbers by feeder
	next      int
	poisons   int          // how many were sent, numbered from 0
	discarded map[int]bool // poisons whose dead letter is gone, false: it may be
	flooded   int          // drops that the window is to get
	floods    []flood      // that they come in

	secrets   []secret // since the last epoch that was forgotten
	epoch     int      // of new secrets, from 1
	forgotten int      // the last epoch that is gone

	glances   map[messages.Address]int // the last one of each feeder in this life
	announced map[uint64]bool          // events, by number

	told      map[uint64]string // what the subscription was told, by number
	lastTold  uint64
	acked     uint64 // what it knows to be stored of its cursor
	hasCursor bool
}

func newModel() model {
	return model{
		sent: map[string][]int{}, discarded: map[int]bool{}, epoch: 1, glances: map[messages.Address]int{},
		announced: map[uint64]bool{}, told: map[uint64]string{},
	}
}

// takeBack forgets what a power cut has made undone: the store is as it was at its last sync.
func (m *model) takeBack(s *simStore) {
	for n := range m.discarded {
		m.discarded[n] = false
	}
	var last, kept uint64
	if raw, ok, _ := s.Store.Get([]byte("m/seq")); ok {
		last = binary.BigEndian.Uint64(raw)
	}
	for seq := range m.told {
		if seq > last {
			delete(m.told, seq)
		} else {
			kept = max(kept, seq)
		}
	}
	raw, ok, _ := s.Store.Get([]byte("u/host"))
	m.lastTold, m.acked, m.hasCursor = kept, 0, ok
	if ok {
		m.acked = binary.BigEndian.Uint64(raw)
	}
}

// catchUp does what a host does after a power cut that may have taken something back: it injects
// everything again with the same keys, in order.
func (w *world) catchUp() {
	m := &w.model
	for n := range m.next {
		w.injectNumber(n)
	}
	for n := range m.poisons {
		w.injectPoison(n)
	}
	for _, f := range m.floods {
		w.injectFlood(f)
	}
	for _, s := range m.secrets {
		w.inject(diaryOfHana, s, s.canary())
	}
}

// feeders is how many feeders there are, numbers how many each gets.
const feeders, numbers = 2, 5

// actions are what a host and its surroundings do now and then. Each is chosen for
// some of the schedules only.
var actions = []struct {
	name string
	each float64 // in how many schedules
	do   func(*world)
}{
	{"repeat an injection", 0.3, (*world).injectAgain},
	{"poison", 0.2, (*world).poison},
	{"dead letters", 0.2, (*world).tidyDeadLetters},
	{"subscription", 0.3, (*world).follow},
	{"trim", 0.2, (*world).trim},
	{"secret", 0.3, (*world).confide},
	{"forget", 0.3, (*world).forget},
	{"full volume", 0.2, (*world).fill},
}

// injectNext sends the next number.
func (w *world) injectNext() {
	n := w.model.next
	key := fmt.Sprint(n % feeders)
	w.model.next++
	w.model.sent[key] = append(w.model.sent[key], n)
	w.injectNumber(n)
}

func (w *world) injectNumber(n int) {
	w.inject(messages.To("feeder", fmt.Sprint(n%feeders)), number{n}, fmt.Sprint(n))
}

// injectAgain sends an earlier number again, which must change nothing.
func (w *world) injectAgain() {
	if w.model.next == 0 {
		return
	}
	w.injectNumber(w.rng.IntN(w.model.next))
}

// poison sends what cannot be handled.
func (w *world) poison() {
	if w.model.poisons == 2 {
		return
	}
	n := w.model.poisons
	w.model.poisons++
	w.injectPoison(n)
}

func (w *world) injectPoison(n int) { w.inject("feeder/0", poison{n}, fmt.Sprint("poison", n)) }

// flood has n messages sent to the window in one turn.
func (w *world) flood(n int) {
	f := flood{w.model.flooded + 1, w.model.flooded + n}
	w.model.flooded = f.To
	w.model.floods = append(w.model.floods, f)
	w.injectFlood(f)
}

func (w *world) injectFlood(f flood) { w.inject("herd/all", f, fmt.Sprint("flood", f.From)) }

// confide tells the diary a secret.
func (w *world) confide() {
	if len(w.model.secrets) == 4 {
		return
	}
	s := secret{Epoch: w.model.epoch, N: len(w.model.secrets)}
	w.model.secrets = append(w.model.secrets, s)
	w.inject(diaryOfHana, s, s.canary())
}

// fill fills the volume for a time.
func (w *world) fill() {
	w.store.lowUntil = w.sim.Now().Add(time.Duration(w.rng.IntN(400)) * time.Millisecond)
}

// inject does what a host does: it injects with the same key until it learns that the message is stored.
func (w *world) inject(to messages.Address, m messages.Message, key string) {
	for stored := false; !stored; {
		w.guard(func() {
			done, err := w.sim.Inject(to, m, key)
			for err == nil {
				select {
				case err = <-done:
					stored = err == nil
					if stored {
						return
					}
				default:
					if !w.sim.Step() {
						w.sim.Advance(10 * time.Millisecond)
					}
				}
			}
		})
	}
}

// follow does what a subscription does: it reads some events, and acknowledges
// the last of them, or is killed before.
func (w *world) follow() {
	m := &w.model
	e := w.sim.Engine()
	cursor, err := e.Cursor("host")
	if err != nil {
		return
	}
	if cursor < m.acked || cursor > m.lastTold {
		w.wrongf("the cursor is at %d, acknowledged is %d, told %d", cursor, m.acked, m.lastTold)
	}
	if m.hasCursor && w.rng.IntN(4) > 0 {
		if cursor = w.tell(cursor, 1+w.rng.IntN(6)); w.rng.IntN(3) == 0 {
			return
		}
	}
	if err := w.sim.Await(func(ctx context.Context) error { return e.SetCursor(ctx, "host", cursor) }); err == nil {
		m.hasCursor, m.acked = true, max(m.acked, cursor)
		w.seen["cursor moved"]++
	}
}

// tell reads up to n events after a place, and returns the place of the last.
func (w *world) tell(after uint64, n int) uint64 {
	m := &w.model
	w.sim.Engine().ReadLog(after, func(p engine.Published) bool { // an error leaves a beginning
		if p.Seq <= after || p.Err != nil {
			w.wrongf("the log has event %d after %d: %v", p.Seq, after, p.Err)
		}
		after = p.Seq
		what := fmt.Sprint(p.Message)
		switch before, again := m.told[p.Seq]; {
		case again && before != what:
			w.wrongf("event %d is %s, was %s", p.Seq, what, before)
		case !again && p.Seq < m.lastTold:
			w.wrongf("event %d appears after event %d", p.Seq, m.lastTold)
		}
		w.seen["subscription told"]++
		m.told[p.Seq], m.lastTold = what, max(m.lastTold, p.Seq)
		n--
		return n > 0
	})
	return after
}

// trim deletes all events that may go: those that the subscription has
// acknowledged.
func (w *world) trim() {
	if !w.model.hasCursor {
		return
	}
	w.sim.Await(func(ctx context.Context) error { // what an error leaves, the next one finds
		now := w.sim.Now().Add(time.Hour)
		gone, err := w.sim.Engine().Trim(ctx, engine.Cutoffs{Events: now, Verdicts: now, Served: []string{"host"}})
		w.seen["trim"] += gone
		return err
	})
}

// forget has everything forgotten of the secrets so far, and asks until that is
// done.
func (w *world) forget() {
	m := &w.model
	gone := m.epoch
	m.epoch++
	if len(m.secrets) > 0 {
		w.seen["forgetting"]++
	}
	for done := false; !done; {
		w.guard(func() {
			done = w.sim.Await(func(ctx context.Context) error {
				_, err := w.sim.Engine().Forget(ctx, engine.Forgetting{Conversation: hana})
				return err
			}) == nil
		})
	}
	m.secrets, m.forgotten = nil, gone
	if err := w.checkForgotten(); err != nil {
		w.wrong = append(w.wrong, err.Error())
	}
}

// tidyDeadLetters sends a dead letter again, or discards it.
func (w *world) tidyDeadLetters() {
	e := w.sim.Engine()
	dead, err := e.DeadLetters()
	if err != nil || len(dead) == 0 {
		return
	}
	d := dead[w.rng.IntN(len(dead))]
	m, err := e.DecodeDeadLetter(d)
	p, ok := m.(poison)
	if err != nil || !ok || d.Attempts != engine.MaxAttempts {
		w.wrongf("dead letter %+v: %v, want a poison after %d attempts", d, err, engine.MaxAttempts)
		return
	}
	if w.rng.IntN(2) == 0 {
		w.sim.Await(func(ctx context.Context) error { return e.RetryDeadLetter(ctx, d.ID) }) // it comes back
		return
	}
	w.model.discarded[p.N] = false // a crash may come before or after
	if w.sim.Await(func(ctx context.Context) error { return e.DiscardDeadLetter(ctx, d.ID) }) == nil {
		w.model.discarded[p.N] = true
	}
}

// check compares what there is in the end with what there must be.
func (w *world) check() error {
	if err := w.checkNumbers(); err != nil {
		return err
	}
	if err := w.checkEvents(); err != nil {
		return err
	}
	if err := w.checkDeadLetters(); err != nil {
		return err
	}
	if err := w.checkDiary(); err != nil {
		return err
	}
	if err := w.checkWindow(); err != nil {
		return err
	}
	if left := w.sim.Engine().Left(time.Hour); !left.None() {
		return fmt.Errorf("Left() = %+v, want none", left)
	}
	if len(w.wrong) > 0 {
		return errors.New(strings.Join(w.wrong, "\n"))
	}
	return nil
}

// checkWindow wants all drops, in order.
func (w *world) checkWindow() (err error) {
	if last, _ := passed.Decode(w.store.row("window/all", "passed", "last")); last != w.model.flooded {
		return fmt.Errorf("the window got %d drops, want %d", last, w.model.flooded)
	}
	row := "s/window/all\x00passed\x00"
	w.store.Store.Scan([]byte(row), nil, func(k, _ []byte) bool {
		if name := strings.TrimPrefix(string(k), row); name != "last" {
			err = fmt.Errorf("the window got drop %s", name)
		}
		return err == nil
	})
	return err
}

func (w *world) checkNumbers() error {
	for key, want := range w.model.sent {
		if got := w.sunk("feeder/" + key); !slices.Equal(got, want) {
			return fmt.Errorf("sink got %v from feeder/%s, want %v", got, key, want)
		}
		got := w.sunk("double/" + key)
		slices.Sort(got) // calls may overtake each other
		doubled := slices.Clone(want)
		for i := range doubled {
			doubled[i] *= 2
		}
		if !slices.Equal(got, doubled) {
			return fmt.Errorf("sink got %v from double/%s, want %v", got, key, doubled)
		}
		set, ok := armed.Decode(w.store.row("feeder/"+key, "armed", "timer"))
		// a fleeting one may be lost
		if last := want[len(want)-1]; ok == nil && (set != last || w.timers[last] != timerFleeting) {
			return fmt.Errorf("feeder/%s waits for timer %d in the end", key, set)
		}
	}
	return nil
}

func (w *world) sunk(from string) []int {
	list, _ := received.Decode(w.store.row("sink/all", "received", from))
	return list
}

// checkEvents has the subscription told of the rest.
func (w *world) checkEvents() error {
	m := &w.model
	cursor, err := w.sim.Engine().Cursor("host")
	if err != nil {
		return err
	}
	if m.hasCursor { // else the log may be trimmed
		w.tell(cursor, 1000)
	} else {
		w.tell(0, 1000)
	}
	got := map[string][]int{}
	for _, seq := range slices.Sorted(maps.Keys(m.told)) {
		var from, n int
		if _, err := fmt.Sscanf(m.told[seq], "{%d %d}", &from, &n); err == nil {
			got[fmt.Sprint(from)] = append(got[fmt.Sprint(from)], n)
		}
	}
	for key, want := range m.sent {
		if !slices.Equal(got[key], want) {
			return fmt.Errorf("the subscription was told of %v from feeder/%s, want %v", got[key], key, want)
		}
	}
	return nil
}

func (w *world) checkDeadLetters() error {
	dead, err := w.sim.Engine().DeadLetters()
	if err != nil {
		return err
	}
	found := map[int]int{}
	for _, d := range dead {
		m, err := w.sim.Engine().DecodeDeadLetter(d)
		p, ok := m.(poison)
		if err != nil || !ok || d.Attempts != engine.MaxAttempts {
			return fmt.Errorf("dead letter %+v: %v, want only poisons after %d attempts", d, err, engine.MaxAttempts)
		}
		found[p.N]++
	}
	for n := range w.model.poisons {
		sure, tried := w.model.discarded[n]
		if most := map[bool]int{true: 0, false: 1}[sure]; found[n] > most || found[n] < most && !tried {
			return fmt.Errorf("poison %d is in %d dead letters (discarded: %v, perhaps: %v)", n, found[n], sure, tried)
		}
	}
	return nil
}

// checkDiary wants all secrets that are not forgotten, each once.
func (w *world) checkDiary() error {
	var want []string
	for _, s := range w.model.secrets {
		want = append(want, s.canary())
	}
	for actor, key := range map[string]string{string(diaryOfHana): "written", "reader/all": "read"} {
		got, _ := diaries.Decode(w.store.row(actor, "diaries", key))
		if key == "read" {
			slices.Sort(got) // calls and timers may overtake each other
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("%s holds %q, want %q", actor, got, want)
		}
	}
	if err := w.checkSealed(); err != nil {
		return err
	}
	return w.checkForgotten()
}

// checkSealed wants no secret in what is stored, if that is sealed.
func (w *world) checkSealed() (err error) {
	if w.keys == nil {
		return nil
	}
	w.store.Store.Scan(nil, nil, func(k, v []byte) bool {
		if bytes.Contains(v, []byte("canary")) || bytes.Contains(v, []byte("Epoch")) ||
			bytes.HasPrefix(v, []byte("{")) && k[0] != 'k' {
			err = fmt.Errorf("the store is sealed, and holds %q = %s", k, v)
		}
		return err == nil
	})
	return err
}

// checkForgotten wants nothing stored of the epochs that were forgotten.
func (w *world) checkForgotten() (err error) {
	for epoch := 1; epoch <= w.model.forgotten; epoch++ {
		// As it stands in JSON and in keys.
		forms := [][]byte{[]byte(canaries(epoch)), fmt.Appendf(nil, `"Epoch":%d,`, epoch)}
		w.store.Store.Scan(nil, nil, func(k, v []byte) bool {
			plain, unopened := engine.OpenRow(w.keys, k, v)
			if unopened != nil {
				err = fmt.Errorf("row %q: %w", k, unopened)
				return false
			}
			v = plain
			for _, form := range forms {
				if bytes.Contains(k, form) || bytes.Contains(v, form) {
					err = fmt.Errorf("epoch %d is forgotten, the store holds %q = %s", epoch, k, v)
				}
			}
			return err == nil
		})
	}
	return err
}

func bigEndian(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
