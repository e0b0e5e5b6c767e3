package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// The simulated set: a feeder's inbox is filled from outside with numbers; it
// sends each to a double, which asks a flaky worker for twice the number and
// passes the answers on in bursts to a sink; the feeder also sends each number to
// the sink itself. The sink appends what it gets to its table, and publishes it.
//
// The feeder does some things beside that, to be watched: it sends the sink a
// fleeting glance of each number, sets and cancels a timer, and makes fleeting
// calls. A poison is a message that it can never handle. A herd floods a window
// with more messages than a mailbox holds. The diary of a person keeps secrets, and
// is forgotten now and then.
type (
	number struct{ N int }
	ask    struct{ N int }
	twice  struct{ N int }
	flush  struct{}

	noted  struct{ From, N int } // published by the sink
	poison struct{ N int }
	later  struct{ N int } // a timer's
	flood  struct{ From, To int }
	drop   struct{ N int }
	secret struct {
		Epoch, N int
		Step     string
	}

	// Fleeting. Life is that of the process, Token that of the actor's value.
	glance struct{ N, Life int }
	soon   struct{ N, Token int }  // a timer's, instead of later
	peek   struct{ N, Token int }  // a call's
	peeked struct{ N, Token int }  // its answer
	part   struct{ Try, Step int } // a report of calc's
)

func (number) MessageType() messages.Type { return messages.Type{Name: "test_number", Version: 1} }
func (ask) MessageType() messages.Type    { return messages.Type{Name: "test_ask", Version: 1} }
func (twice) MessageType() messages.Type  { return messages.Type{Name: "test_twice", Version: 1} }
func (flush) MessageType() messages.Type  { return messages.Type{Name: "test_flush", Version: 1} }
func (noted) MessageType() messages.Type  { return messages.Type{Name: "test_noted", Version: 1} }
func (poison) MessageType() messages.Type { return messages.Type{Name: "test_poison", Version: 1} }
func (later) MessageType() messages.Type  { return messages.Type{Name: "test_later", Version: 1} }
func (flood) MessageType() messages.Type  { return messages.Type{Name: "test_flood", Version: 1} }
func (drop) MessageType() messages.Type   { return messages.Type{Name: "test_drop", Version: 1} }
func (secret) MessageType() messages.Type { return messages.Type{Name: "test_secret", Version: 1} }
func (glance) MessageType() messages.Type { return messages.Type{Name: "test_glance", Version: 1} }
func (soon) MessageType() messages.Type   { return messages.Type{Name: "test_soon", Version: 1} }
func (peek) MessageType() messages.Type   { return messages.Type{Name: "test_peek", Version: 1} }
func (peeked) MessageType() messages.Type { return messages.Type{Name: "test_peeked", Version: 1} }

func (part) MessageType() messages.Type { return messages.Type{Name: "test_part", Version: 1} }

func (secret) Subject() messages.ConversationID { return hana }

// canary stands in all that is stored of a secret, and begins what is stored of
// all secrets of an epoch.
func (s secret) canary() string { return fmt.Sprintf("%s%d>", canaries(s.Epoch), s.N) }

func canaries(epoch int) string { return fmt.Sprintf("<canary %d-", epoch) }

// hana is whom secrets are about.
const hana messages.ConversationID = "line:Hana"

const diaryOfHana = messages.Address("diary/line:Hana")

var simMessages = messages.Table{
	messages.Durable[number](nil).AboutNobody(), messages.Durable[ask](nil).AboutNobody(),
	messages.Durable[twice](nil).AboutNobody(), messages.Durable[flush](nil).AboutNobody(),
	messages.Durable[noted](nil).AboutNobody(), messages.Durable[poison](nil).AboutNobody(),
	messages.Durable[later](nil).AboutNobody(), messages.Durable[flood](nil).AboutNobody(),
	messages.Durable[drop](nil).AboutNobody(), messages.Durable[secret](nil),
	messages.Fleeting[glance](), messages.Fleeting[soon](), messages.Fleeting[peek](), messages.Fleeting[peeked](),
	messages.Fleeting[part](), messages.Fleeting[bundle](),
	messages.Durable[carrier](nil).AboutNobody(),
}

var (
	buffered = actors.NewTable[[]int]("buffered")
	received = actors.NewTable[[]int]("received")
	fed      = actors.NewTable[int]("fed")    // by a feeder: the last number
	armed    = actors.NewTable[int]("armed")  // by a feeder: the number of its timer
	passed   = actors.NewTable[int]("passed") // by a window: the last drop, and each out of order
	diaries  = actors.NewTable[[]string]("diaries")
	spares   = actors.NewTable[bool]("spares") // by a double: calls that it means to give up
)

// faults says how often things go wrong, out of 1.
type faults struct {
	turn, call, crash, commit, unknown, read float64
}

// world is a simulated set of actors, and what is known from outside of what they
// must come to.
type world struct {
	rng   *rand.Rand
	f     faults
	store *simStore
	sim   *engine.Sim
	keys  engine.Sealer // nil: nothing is sealed
	sync  bool          // every commit survives a power cut
	life  int           // of the process
	token int           // of the newest actor's value
	tries int           // of calc
	parts int           // reports that were handled
	model model

	behind  bool              // a power cut has taken back what the host knows to be stored
	numbers map[stored]string // the rows that were ever stored under a number

	timers [feeders * numbers]int // what is done with the timer at each number

	wrong []string       // what an actor, a worker or a listener saw that must not be
	seen  map[string]int // how often what is to be simulated came about
}

// What a feeder does with its timer at a number.
const (
	timerDurable = iota
	timerFleeting
	timerCancelled
	timerChoices
)

func (w *world) wrongf(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// failTurn fails or panics before or after the turn's work. The last attempt
// works, and can read: nothing may end as a dead letter by chance.
func (w *world) failTurn(t *actors.Turn, work func()) error {
	w.store.calm = t.Cause().Attempt == engine.MaxAttempts
	p := w.f.turn
	if w.store.calm {
		p = 0
	}
	x := w.rng.Float64()
	if x < p/2 {
		return failure(x < p/4, "before")
	}
	unread, wrong := w.store.unread, len(w.wrong)
	w.commitMeanwhile()
	work()
	w.commitMeanwhile()
	if w.store.unread != unread { // the turn fails, and has seen what is not there
		w.wrong = w.wrong[:wrong]
	}
	if x < p {
		return failure(x < 3*p/4, "after")
	}
	return nil
}

// commitMeanwhile lets a commit run beside a turn.
func (w *world) commitMeanwhile() {
	if w.rng.IntN(10) == 0 && w.f != (faults{}) {
		w.sim.Commit()
	}
}

func failure(hard bool, when string) error {
	if hard {
		panic(when)
	}
	return errors.New(when)
}

func (w *world) kinds() []engine.Kind {
	receive := func(fn func(t *actors.Turn, m messages.Message)) func(messages.Address) actors.Actor {
		return func(messages.Address) actors.Actor {
			return actors.Func(func(t *actors.Turn, m messages.Message) error {
				return w.failTurn(t, func() { fn(t, m) })
			})
		}
	}
	aboutHana := func(_ messages.ConversationID, _ string, value []byte) bool {
		return strings.Contains(string(value), "canary")
	}
	return []engine.Kind{
		{Name: "feeder", New: w.feeder},
		{Name: "double", Here: true, New: receive(w.double)},
		{Name: "sink", New: receive(w.sink), Fleeting: 3},
		{Name: "herd", New: receive(func(t *actors.Turn, m messages.Message) {
			if f, ok := m.(flood); ok {
				for n := f.From; n <= f.To; n++ {
					t.Send("window/all", drop{n})
				}
			}
		})},
		{Name: "window", New: receive(func(t *actors.Turn, m messages.Message) {
			if d, ok := m.(drop); ok {
				// A turn may see that those before it are taken back, and is then taken back too: only what
				// is stored counts.
				if last, _ := passed.Get(t, "last"); d.N != last+1 {
					passed.Put(t, fmt.Sprintf("%d after %d", d.N, last), d.N)
				}
				passed.Put(t, "last", d.N)
			}
		})},
		{Name: "diary", New: receive(w.diary)},
		{Name: "reader", About: aboutHana, New: receive(func(t *actors.Turn, m messages.Message) {
			if s, ok := m.(secret); ok {
				list, _ := diaries.Get(t, "read")
				diaries.Put(t, "read", append(list, s.canary()))
			}
		})},
	}
}

func (w *world) feeder(messages.Address) actors.Actor {
	w.token++
	token := w.token
	calls := &callLog{w: w, last: map[string]part{}, over: map[string]bool{}}
	return actors.Func(func(t *actors.Turn, m messages.Message) error {
		if _, ok := m.(poison); ok {
			w.attempted(t)
			return errors.New("poison")
		}
		return w.failTurn(t, func() {
			w.feed(t, m, token)
			calls.note(t, m)
		})
	})
}

// callLog is what a feeder's value knows of its fleeting calls.
type callLog struct {
	w    *world
	last map[string]part
	over map[string]bool
}

// note checks what a worker says, and gives up a call now and then.
func (c *callLog) note(t *actors.Turn, m messages.Message) {
	id := t.Cause().Call
	if id == "" {
		return
	}
	if c.over[id] {
		c.w.wrongf("%s: %T of call %s, which is over", t.Self(), m, id)
	}
	p, ok := m.(part)
	if !ok {
		c.over[id] = true
		return
	}
	c.w.checkPart(t, c.last[id], p)
	c.last[id] = p
	if c.w.rng.IntN(4) == 0 {
		c.w.seen["cancelled call"]++
		t.CancelCall(id)
		c.over[id] = true
	}
}

// checkPart wants the reports of a call in order, and none of an earlier attempt.
func (w *world) checkPart(t *actors.Turn, last, p part) {
	w.parts++
	w.seen["report"]++
	if p.Try < last.Try || p.Try == last.Try && p.Step <= last.Step {
		w.wrongf("%s: report %+v comes after %+v", t.Self(), p, last)
	}
}

// attempted checks that a message is not tried again under the number of a failure
// that is stored.
func (w *world) attempted(t *actors.Turn) {
	n, err := strconv.ParseUint(strings.TrimPrefix(t.Cause().ID, "m"), 10, 64)
	if err != nil {
		w.wrongf("mail has the id %q", t.Cause().ID)
	}
	inbox := fmt.Sprintf("i/%s\x00%s", t.Self(), bigEndian(n))
	raw := w.store.open(fmt.Appendf(nil, "a/%s\x00%s", t.Self(), inbox))
	var stored struct{ Attempts int }
	if raw != nil && (json.Unmarshal(raw, &stored) != nil || stored.Attempts >= t.Cause().Attempt) {
		w.wrongf("%s has attempt %d, stored is %s", t.Cause().ID, t.Cause().Attempt, raw)
	}
}

func (w *world) feed(t *actors.Turn, m messages.Message, token int) {
	switch m := m.(type) {
	case number:
		t.Send(messages.To("double", t.Self().Key()), m)
		t.Send("sink/all", m)
		fed.Put(t, "last", m.N)
		t.Send("sink/all", glance{m.N, w.life})
		switch w.timers[m.N%len(w.timers)] {
		case timerDurable:
			t.After("timer", 300*time.Millisecond, later(m))
			armed.Put(t, "timer", m.N)
		case timerFleeting:
			t.After("timer", 100*time.Millisecond, soon{m.N, token})
			armed.Put(t, "timer", m.N)
		case timerCancelled:
			if _, ok := armed.Get(t, "timer"); ok {
				w.seen["cancelled timer"]++
			}
			t.Cancel("timer")
			armed.Delete(t, "timer")
		}
		t.Call("calc", peek{m.N, token}, actors.CallOptions{Retries: 2, Deadline: time.Second})
	case later:
		w.seen["durable timer"]++
		w.fired(t, m.N)
	case soon:
		w.seen["fleeting timer"]++
		if m.Token != token {
			w.wrongf("%s: a fleeting timer of value %d fires in value %d", t.Self(), m.Token, token)
		}
		w.fired(t, m.N)
	case peeked:
		if m.Token != token {
			w.wrongf("%s: an answer to value %d comes to value %d", t.Self(), m.Token, token)
		}
	}
}

// fired handles a feeder's timer: only that which was set last may fire.
func (w *world) fired(t *actors.Turn, n int) {
	if set, ok := armed.Get(t, "timer"); !ok || set != n {
		w.wrongf("%s: timer %d fires, set is %d (%v)", t.Self(), n, set, ok)
	}
	armed.Delete(t, "timer")
}

func (w *world) double(t *actors.Turn, m messages.Message) {
	call := t.Cause().Call
	if spare, _ := spares.Get(t, call); call != "" && t.Cause().Tag == "spare" && !spare {
		w.wrongf("%s: %T of call %s, which is over", t.Self(), m, call)
	}
	switch m := m.(type) {
	case number:
		t.Call("calc", ask(m), actors.CallOptions{Retries: 50, Deadline: time.Second})
		if m.N%2 == 0 {
			spare := t.Call("calc", ask(m), actors.CallOptions{Retries: 50, Deadline: time.Second, Tag: "spare"})
			spares.Put(t, spare, true)
		}
	case part:
		w.parts++
		if w.rng.IntN(3) == 0 && t.Cause().Tag == "spare" {
			t.CancelCall(call)
			spares.Delete(t, call)
		}
	case twice:
		if t.Cause().Tag == "spare" {
			spares.Delete(t, call)
			return
		}
		for spare := range spares.All(t) {
			t.CancelCall(spare)
			spares.Delete(t, spare)
		}
		list, _ := buffered.Get(t, "all")
		buffered.Put(t, "all", append(list, m.N))
		t.After("flush", 200*time.Millisecond, flush{})
	case flush:
		list, _ := buffered.Get(t, "all")
		for _, n := range list {
			t.Send("sink/all", number{n})
		}
		buffered.Delete(t, "all")
	}
}

func (w *world) sink(t *actors.Turn, m messages.Message) {
	from := t.Cause().From
	switch m := m.(type) {
	case number:
		list, _ := received.Get(t, string(from))
		received.Put(t, string(from), append(list, m.N))
		if from.Kind() == "feeder" {
			t.Publish(noted{int(from.Key()[0] - '0'), m.N})
		}
	case glance:
		w.seen["fleeting message"]++
		last, _ := fed.Decode(w.store.row(string(from), "fed", "last"))
		if last < m.N {
			w.wrongf("%s sends a glance of %d before its turn is stored: there it is at %d", from, m.N, last)
		}
		if m.Life != w.life {
			w.wrongf("%s: a fleeting message of life %d comes in life %d", from, m.Life, w.life)
		}
		if seen, ok := w.model.glances[from]; ok && m.N <= seen && t.Cause().Attempt == 1 {
			w.wrongf("%s: glance %d comes after glance %d", from, m.N, seen)
		}
		w.model.glances[from] = m.N
	}
}

// diary has each secret go through everything that is stored: a row, a call, its
// answer, an event, a timer and mail.
func (w *world) diary(t *actors.Turn, m messages.Message) {
	s, ok := m.(secret)
	if !ok {
		return
	}
	if s.Epoch <= w.model.forgotten {
		w.wrongf("the diary is told %s at %q, after epoch %d was forgotten", s.canary(), s.Step, w.model.forgotten)
	}
	switch s.Step {
	case "":
		list, _ := diaries.Get(t, "written")
		diaries.Put(t, "written", append(list, s.canary()))
		t.Call("calc", s, actors.CallOptions{Retries: 50, Deadline: time.Second})
	case "answered":
		t.Publish(s)
		s.Step = "recalled"
		t.After(s.canary(), 300*time.Millisecond, s)
	case "recalled":
		t.Send("reader/all", s)
	}
}

// calc is the workers' kind.
func (w *world) calc() engine.WorkerKind {
	return engine.WorkerKind{Name: "calc", Size: 2, New: func() (actors.Worker, error) { return calculator{w}, nil }}
}

type calculator struct{ w *world }

// Do implements [actors.Worker].
func (c calculator) Do(context.Context, messages.Message) (messages.Message, error) {
	panic("a reporter is asked with reports")
}

// DoReporting implements [actors.Reporter].
func (c calculator) DoReporting(
	_ context.Context, m messages.Message, report func(messages.Message),
) (messages.Message, error) {
	w := c.w
	s, isSecret := m.(secret)
	if isSecret && s.Epoch <= w.model.forgotten && w.f.read == 0 { // who cannot read cannot know
		w.wrongf("a worker is asked %s after epoch %d was forgotten", s.canary(), w.model.forgotten)
	}
	w.tries++
	for n := range w.rng.IntN(4) {
		report(part{w.tries, n + 1})
	}
	switch x := w.rng.Float64(); {
	case x < w.f.call/3:
		panic("calc")
	case x < 2*w.f.call/3:
		return nil, errors.New("calc")
	case x < w.f.call:
		w.seen["hang"]++
		return nil, engine.ErrHang
	}
	switch m := m.(type) {
	case peek:
		return peeked(m), nil
	case secret:
		m.Step = "answered"
		return m, nil
	}
	return twice{2 * m.(ask).N}, nil
}

// listen gets every event as it is announced.
func (w *world) listen(p engine.Published) {
	switch p.Message.(type) {
	case events.StoreLow:
		w.seen["low space"]++
	case events.MessageQuarantined:
		w.seen["quarantine"]++
	}
	if p.Seq == 0 {
		return
	}
	if !w.store.has("e/" + string(bigEndian(p.Seq))) {
		w.wrongf("event %d is announced before it is stored", p.Seq)
	}
	if w.model.announced[p.Seq] {
		w.wrongf("event %d is announced twice", p.Seq)
	}
	w.model.announced[p.Seq] = true
}

// simStore is a store that fails, or does not tell whether it has. Its process may
// be killed before or after a batch is written.
type simStore struct {
	w        *world
	Store    *mem.Store
	calm     bool      // reads do not fail
	unread   int       // reads that have failed
	lowUntil time.Time // the volume is full until then
	loose    int       // batches since the last one that was synced
	booting  bool      // Recover may write to a full volume
}

// Snapshot implements [engine.Store].
func (s *simStore) Snapshot(to io.Writer) error { return s.Store.Snapshot(to) }

// Restore implements [engine.Store].
func (s *simStore) Restore(from io.Reader) error { return s.Store.Restore(from) }

type killed struct{}

var errDisk = errors.New("disk says no")

func (s *simStore) low() bool { return s.w.sim != nil && s.w.sim.Now().Before(s.lowUntil) }

// Free implements engine.Store.
func (s *simStore) Free() (uint64, error) {
	if s.low() {
		return engine.DefaultMinFree - 1, nil
	}
	return 1 << 40, nil
}

func (s *simStore) readFails(prefix []byte) bool {
	if s.w.f.read == 0 || s.calm || s.w.rng.Float64() >= s.w.f.read {
		return false
	}
	if string(prefix) == windowInbox && s.overflows() {
		s.w.seen["overflow with a failed load"]++
	}
	s.unread++
	s.w.seen["failed read"]++
	return true
}

// Get implements engine.Store.
func (s *simStore) Get(key []byte) ([]byte, bool, error) {
	if s.readFails(nil) {
		return nil, false, errDisk
	}
	return s.Store.Get(key)
}

// Scan implements engine.Store. It may fail half way.
func (s *simStore) Scan(prefix, from []byte, yield func(k, v []byte) bool) error {
	if !s.readFails(prefix) {
		return s.Store.Scan(prefix, from, yield)
	}
	left := s.w.rng.IntN(3)
	err := s.Store.Scan(prefix, from, func(k, v []byte) bool {
		left--
		return left >= 0 && yield(k, v)
	})
	return errors.Join(err, errDisk)
}

// Apply implements engine.Store.
func (s *simStore) Apply(ops []engine.Op, sync bool) error {
	if s.low() && !s.booting {
		s.w.wrongf("%d ops are written to a full volume", len(ops))
	}
	s.meanwhile()
	defer s.meanwhile()
	f := &s.w.f
	if s.w.rng.Float64() < f.commit {
		s.commitFails("failed commit")
		return errDisk
	}
	if x := s.w.rng.Float64(); x < f.unknown {
		s.commitFails("unknown commit")
		if x < f.unknown/2 {
			if err := s.write(ops, sync); err != nil {
				return err
			}
		}
		return fmt.Errorf("no answer: %w", engine.ErrUnknown)
	}
	x := s.w.rng.Float64()
	if x < f.crash {
		s.w.seen["kill in a commit"]++
	}
	if x < f.crash/2 {
		panic(killed{})
	}
	err := s.write(ops, sync)
	if x < f.crash {
		panic(killed{})
	}
	return err
}

func (s *simStore) commitFails(how string) {
	s.w.seen[how]++
	if s.overflows() {
		s.w.seen["overflow with a failed commit"]++
	}
}

// write applies a batch. What is stored under a number, which names it for ever, must not be
// followed by something else of that number, even if a power cut has taken it back.
func (s *simStore) write(ops []engine.Op, sync bool) error {
	if err := s.Store.Apply(ops, sync); err != nil {
		return err
	}
	if s.loose++; sync {
		s.loose = 0
	}
	for _, op := range ops {
		under, ok := numberIn(op.Key)
		if !ok || op.Delete {
			continue
		}
		row := string(op.Key) + " = " + string(op.Value)
		if before, again := s.w.numbers[under]; again && before != row {
			s.w.wrongf("number %d of shard %s is given to\n%q\nand was given to\n%q",
				under.number, under.shard, row, before)
		}
		s.w.numbers[under] = row
	}
	return nil
}

// stored is a number that was given out.
type stored struct {
	shard  engine.Shard
	number uint64
}

// numberIn is the number in the key of mail, of an event, of a verdict or of a dead letter; false in
// that of another row.
func numberIn(key []byte) (stored, bool) {
	class, rest, _ := bytes.Cut(key, []byte("/"))
	shard := engine.Anywhere
	switch string(class) {
	case "i":
		if bytes.HasPrefix(rest, []byte("double/")) {
			shard = engine.Here
		}
	case "ld", "lv":
		shard = engine.Here
	case "e", "d", "v":
	default:
		return stored{}, false
	}
	return stored{shard, binary.BigEndian.Uint64(key[len(key)-8:])}, true
}

const windowInbox = "i/window/all\x00"

// overflows reports whether the store holds more for the window than a mailbox does.
func (s *simStore) overflows() bool {
	if s.w.model.flooded < 256 {
		return false
	}
	n := 0
	s.Store.Scan([]byte(windowInbox), nil, func([]byte, []byte) bool { n++; return n <= 256 })
	return n > 256
}

// meanwhile lets turns run beside a commit.
func (s *simStore) meanwhile() {
	if s.booting || s.w.f == (faults{}) {
		return
	}
	for range s.w.rng.IntN(3) {
		s.w.sim.Turn()
	}
}

// Close implements engine.Store.
func (s *simStore) Close() error { return s.Store.Close() }

// row reads a row of an actor, past all faults.
func (s *simStore) row(actor, table, key string) []byte {
	return s.open([]byte("s/" + actor + "\x00" + table + "\x00" + key))
}

// open reads a row, nil if there is none.
func (s *simStore) open(key []byte) []byte {
	raw, _, _ := s.Store.Get(key)
	plain, err := engine.OpenRow(s.w.keys, key, raw)
	if err != nil {
		s.w.wrongf("row %q: %v", key, err)
	}
	return plain
}

func (s *simStore) has(key string) bool {
	_, ok, _ := s.Store.Get([]byte(key))
	return ok
}
