package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// away is a simulation with diaries and with keys that can be out of reach.
type away struct {
	*engine.Sim
	t      *testing.T
	store  *mem.Store
	keys   badKeys
	health []events.ActorUnhealthy
	failed []events.MessageFailed
}

// newAway makes one whose actors and workers o names.
func newAway(t *testing.T, o engine.SimOptions, change ...func(*badKeys)) *away {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	a := &away{t: t, store: mem.New(), keys: badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{},
		destroys: true, bad: map[string]bool{}, late: map[string]bool{}}}
	for _, change := range change {
		change(&a.keys)
	}
	o.Engine.Store, o.Engine.Sealer, o.Engine.Codec = a.store, a.keys, codec
	o.Engine.Listener = func(p engine.Published) {
		switch m := p.Message.(type) {
		case events.ActorUnhealthy:
			a.health = append(a.health, m)
		case events.MessageFailed:
			a.failed = append(a.failed, m)
		}
	}
	if a.Sim, err = engine.NewSim(o); err != nil {
		t.Fatal(err)
	}
	return a
}

// kind is a kind of actors, one function each.
func kind(name string, fn func(*actors.Turn, messages.Message) error) engine.Kind {
	return engine.Kind{Name: name, New: func(messages.Address) actors.Actor { return actors.Func(fn) }}
}

// tell sends an actor a diary.
func (a *away) tell(to messages.Address, whom messages.ConversationID, words messages.Text) {
	a.t.Helper()
	if _, err := a.Inject(to, diary{whom, words}, ""); err != nil {
		a.t.Fatal(err)
	}
}

// crash starts anew while the keys of some are out of reach.
func (a *away) crash(whoms ...string) {
	a.t.Helper()
	for _, whom := range whoms {
		a.keys.away[whom] = true
	}
	if err := a.Crash(); err != nil {
		a.t.Fatal(err)
	}
}

// Several turns of an actor wait for one commit, and the key of one goes away after it was ready. What the turns
// before it send is delivered, and the turns after it run again on what the store holds.
func TestATurnThatCannotBeSealedLeavesThoseBeforeIt(t *testing.T) {
	got := map[messages.ConversationID]int{}
	from := kind("from", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Whom), string(d.Words))
			turn.Send(messages.To("to", string(d.Whom)), d)
		}
		return nil
	})
	from.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	to := kind("to", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			got[d.Whom]++
		}
		return nil
	})
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{from, to}}})
	for _, whom := range []messages.ConversationID{"ken", "hana", "aki"} {
		a.tell("from/x", whom, "words")
	}
	a.Control().Commit(3) // the mail
	for a.Turn() {
	}
	a.keys.late["hana"] = true
	if n, _ := a.Control().Commit(3); n != 3 {
		t.Fatalf("a commit took %d turns, want all", n)
	}
	a.Advance(time.Hour)
	for _, whom := range whoms {
		if got[whom] != 1 {
			t.Errorf("got from %s: %d, want 1", whom, got[whom])
		}
	}
}

// An actor that reads its rows when it starts waits for their key: no message has failed, and people are told
// once which key it is. Its mail is handled once the key is back.
func TestAnActorThatReadsItsRowsAtItsStartWaitsForAKey(t *testing.T) {
	starts := 0
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		kind("one", func(turn *actors.Turn, m messages.Message) error {
			for range names.All(turn) {
				continue
			}
			switch m := m.(type) {
			case messages.Started:
				starts++
			case diary:
				names.Put(turn, string(m.Words), "")
			}
			return nil
		}),
	}}})
	a.tell("one/hana", "hana", "first")
	a.Settle()
	a.crash()
	a.tell("one/hana", "hana", "second")
	a.Commit()
	a.keys.away["hana"] = true
	a.Advance(time.Hour)
	if len(a.failed) > 0 {
		t.Errorf("%d messages have failed, the first of them %+v, want none", len(a.failed), a.failed[0])
	}
	if len(a.health) != 1 || !strings.Contains(a.health[0].Key, "key of hana") {
		t.Errorf("told of health is %+v, want once that hana's key is away", a.health)
	}
	delete(a.keys.away, "hana")
	starts = 0
	a.Advance(time.Minute)
	if got, want := told(t, a.store, a.keys), `one/hana first=1 ""; one/hana second=1 ""`; got != want {
		t.Errorf("with the key back stored is %s, want %s", got, want)
	}
	if starts != 1 {
		t.Errorf("with the key back the actor was started %d times, want once", starts)
	}
	if len(a.health) != 2 || !a.health[1].Healthy {
		t.Errorf("told of health is %+v, want that it works again", a.health)
	}
}

// People are told of the key that is still away, not of one that is back, and what the actor does.
func TestPeopleAreToldWhichKeyIsStillAway(t *testing.T) {
	shared := kind("shared", func(turn *actors.Turn, m messages.Message) error {
		d, ok := m.(diary)
		if !ok {
			return nil
		}
		for range names.All(turn) {
			continue
		}
		names.Put(turn, string(d.Whom), string(d.Words))
		return nil
	})
	shared.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		return messages.ConversationID(key)
	}
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{shared}}})
	a.tell("shared/x", "aki", "words")
	a.tell("shared/x", "hana", "words")
	a.Settle()
	a.keys.away["aki"], a.keys.away["hana"] = true, true
	a.tell("shared/x", "ken", "words")
	for _, whom := range []string{"aki", "hana"} {
		a.Advance(time.Hour)
		last := a.health[len(a.health)-1]
		if !strings.Contains(last.Key, "key of "+whom) || !strings.Contains(last.Reason, "it goes on by itself") {
			t.Errorf("told of health is %+v, want that it waits for the key of %s, and goes on by itself", last, whom)
		}
		delete(a.keys.away, whom)
	}
	a.Advance(time.Hour)
	if len(a.health) != 3 || !a.health[2].Healthy {
		t.Errorf("told of health is %+v, want each key once, and that it works again", a.health)
	}
}

// People are not told for ever that an actor waits for a key: not once the mail or the timer that needs it is
// forgotten, or put aside because the key is lost. The actor says so at once, whether more mail comes or not.
func TestAnActorWaitsForNoKeyOnceNothingNeedsIt(t *testing.T) {
	forgotten := func(a *away) error {
		return a.Await(func(ctx context.Context) error {
			_, err := a.Engine().Forget(ctx, engine.Forgetting{Conversation: "hana"})
			return err
		})
	}
	lost := func(a *away) error {
		delete(a.keys.away, "hana")
		a.keys.bad["hana"] = true
		return nil
	}
	for name, c := range map[string]struct {
		words messages.Text
		end   func(*away) error
		step  engine.Progress // that tells
	}{
		"mail forgotten":  {"first", forgotten, engine.Idle},
		"mail lost":       {"first", lost, engine.Stepped},
		"timer forgotten": {"set", forgotten, engine.Stepped},
		"timer lost":      {"set", lost, engine.Stepped},
	} {
		t.Run(name, func(t *testing.T) {
			var trace bytes.Buffer
			a := newAway(t, engine.SimOptions{Trace: &trace, Engine: engine.Options{
				Kinds: []engine.Kind{kind("one", waiter)},
			}})
			a.tell("one/hana", "hana", c.words)
			if c.words == "set" {
				a.Settle()
				a.keys.away["hana"] = true
				a.Advance(3 * time.Hour)
			} else {
				a.Commit()
				a.crash("hana")
			}
			a.Advance(time.Hour)
			if len(a.health) != 1 || a.health[0].Key == "" {
				t.Fatalf("told of health is %+v, want once for which key it waits", a.health)
			}
			if err := c.end(a); err != nil {
				t.Fatal(err)
			}
			a.Advance(time.Hour)
			if len(a.health) != 2 || !a.health[1].Healthy {
				t.Errorf("told of health is %+v, want that it waits no more", a.health)
			}
			_, after, _ := strings.Cut(trace.String()[strings.LastIndex(trace.String(), "actor_unhealthy"):], "\n")
			if step, _, _ := strings.Cut(after, "\n"); !strings.HasSuffix(step, fmt.Sprint("one/hana ", int(c.step))) {
				t.Errorf("told in %q, want in a step that is %d", step, c.step)
			}
		})
	}
}

// An actor that fails at each fleeting message is unhealthy until it handles one, or has begun anew since what it
// knew was deleted, and not once none is left.
func TestAnActorThatFailsIsNotHealthyWithoutMail(t *testing.T) {
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		kind("one", func(_ *actors.Turn, m messages.Message) error {
			if g, ok := m.(glance); ok && g.N == 0 {
				return errors.New("no good")
			}
			return nil
		}),
	}}})
	send := func(n int) {
		if _, err := a.Inject("one/x", glance{N: n}, ""); err != nil {
			t.Fatal(err)
		}
		a.Advance(time.Minute)
	}
	for range 12 {
		send(0)
	}
	if len(a.health) != 1 || a.health[0].Healthy || a.health[0].Key != "" {
		t.Errorf("told of health is %+v, want once that it fails", a.health)
	}
	send(1)
	if len(a.health) != 2 || !a.health[1].Healthy {
		t.Errorf("told of health is %+v, want that it works again", a.health)
	}
	for range 12 {
		send(0)
	}
	err := a.Await(func(ctx context.Context) error {
		_, err := a.Engine().Forget(ctx, engine.Forgetting{Conversation: "x"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Advance(time.Minute)
	if last := a.health[len(a.health)-1]; !last.Healthy {
		t.Errorf("told of health is %+v, want that it has begun anew", last)
	}
}

// Mail is handled up to what needs a key that is out of reach.
func TestMailDoesNotWaitForTheKeyOfWhatIsBehindIt(t *testing.T) {
	got := map[messages.ConversationID]int{}
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		kind("one", func(_ *actors.Turn, m messages.Message) error {
			if d, ok := m.(diary); ok {
				got[d.Whom]++
			}
			return nil
		}),
	}}})
	for _, whom := range []messages.ConversationID{"ken", "hana", "aki"} {
		a.tell("one/x", whom, "words")
	}
	a.Control().Commit(3)
	a.crash("hana")
	a.Advance(time.Hour)
	if want := map[messages.ConversationID]int{"ken": 1}; !maps.Equal(got, want) {
		t.Errorf("handled %v without the key of hana, want %v", got, want)
	}
	delete(a.keys.away, "hana")
	a.Advance(time.Minute)
	if want := map[messages.ConversationID]int{"ken": 1, "hana": 1, "aki": 1}; !maps.Equal(got, want) {
		t.Errorf("handled %v with it, want %v", got, want)
	}
}

// asked answers with what it is asked, and counts that.
type asked map[messages.ConversationID]int

func (c asked) Do(_ context.Context, m messages.Message) (messages.Message, error) {
	c[m.(diary).Whom]++
	return m, nil
}

func (c asked) pool() engine.WorkerKind {
	return engine.WorkerKind{Name: "echo", Size: 2, New: func() (actors.Worker, error) { return c, nil }}
}

// each is one of everybody.
var each = map[messages.ConversationID]int{"aki": 1, "hana": 1, "ken": 1}

// An actor has timers and calls about many, and the keys of two are out of reach at a start. It goes on with what is
// about the third: nothing of that waits, or happens twice. People are told of the keys, one after the other. Once a
// key is back a call is made again, and a timer rings when it is due.
func TestTimersAndCallsDoNotWaitForTheKeysOfOthers(t *testing.T) {
	calls, answers, rung, told := asked{}, map[messages.ConversationID]int{}, map[messages.ConversationID]int{}, 0
	late := time.Hour
	a := newAway(t, engine.SimOptions{
		Wait: func(*engine.Job) (begin, took time.Duration) { return 0, late },
		Engine: engine.Options{Workers: []engine.WorkerKind{calls.pool()}, Kinds: []engine.Kind{
			kind("one", func(turn *actors.Turn, m messages.Message) error {
				d, _ := m.(diary)
				switch d.Words {
				case "begin":
					for _, w := range whoms {
						turn.After(string(w), 3*time.Hour, diary{w, "rang"})
						turn.Call("echo", diary{w, "answered"}, actors.CallOptions{Deadline: actors.DefaultDeadline})
					}
				case "rang":
					rung[d.Whom]++
				case "answered":
					answers[d.Whom]++
				case "told":
					told++
				}
				return nil
			}),
		}},
	})
	want := func(name string, wantAnswers, wantRung map[messages.ConversationID]int) {
		t.Helper()
		if !maps.Equal(calls, wantAnswers) || !maps.Equal(answers, wantAnswers) || !maps.Equal(rung, wantRung) {
			t.Errorf("%s: calls %v, answers %v, timers %v, want %v and %v", name, calls, answers, rung,
				wantAnswers, wantRung)
		}
	}
	a.tell("one/x", "x", "begin")
	a.Settle()
	late = 0
	clear(calls)
	a.crash("hana", "ken")
	a.tell("one/x", "aki", "told")
	a.Advance(2 * time.Hour)
	want("away", map[messages.ConversationID]int{"aki": 1}, nil)
	if told != 1 {
		t.Errorf("%d messages about aki were handled, want 1", told)
	}
	delete(a.keys.away, "hana")
	a.Advance(time.Minute)
	want("the first is back", map[messages.ConversationID]int{"aki": 1, "hana": 1}, nil)
	a.Advance(2 * time.Hour)
	want("timers are due", map[messages.ConversationID]int{"aki": 1, "hana": 1},
		map[messages.ConversationID]int{"aki": 1, "hana": 1})
	for _, info := range a.Engine().Actors() {
		if info.Healthy || !strings.Contains(info.LastError, "key of ken") || info.Mailbox > 0 || info.Restarts > 0 {
			t.Errorf("the actor is %+v, want it to wait for the key of ken, with nothing in its mailbox", info)
		}
	}
	delete(a.keys.away, "ken")
	a.Advance(time.Minute)
	want("both are back", each, each)
	if len(a.health) != 3 || !strings.Contains(a.health[0].Key, "key of hana") ||
		!strings.Contains(a.health[1].Key, "key of ken") || !a.health[2].Healthy {
		t.Errorf("told of health is %+v, want both keys, each once, and that it is over", a.health)
	}
}

// What was answered is not asked again when an actor begins anew, although the answer was not handled yet.
func TestAnAnsweredCallIsNotMadeAgain(t *testing.T) {
	calls, answers := asked{}, 0
	a := newAway(t, engine.SimOptions{Engine: engine.Options{
		Workers: []engine.WorkerKind{calls.pool()}, Kinds: []engine.Kind{
			kind("one", func(turn *actors.Turn, m messages.Message) error {
				d, _ := m.(diary)
				switch d.Words {
				case "ask":
					turn.Call("echo", diary{d.Whom, "answered"}, actors.CallOptions{Deadline: actors.DefaultDeadline})
				case "answered":
					answers++
				case "words":
					names.Put(turn, string(d.Whom), "")
				}
				return nil
			}),
		},
	}})
	a.tell("one/hana", "ken", "ask")
	for range 2 { // the mail, and the turn
		a.Commit()
		for answers == 0 && len(calls) == 0 && a.Engine().Pools()[0].Waiting == 0 && a.Turn() {
			continue
		}
	}
	a.tell("one/hana", "hana", "words")
	a.Commit()
	job := a.Control().TakeJob("echo")
	if job == nil {
		t.Fatal("no call was made")
	}
	a.Control().FinishJob(job, "echo/1", job.Request, "", nil, 0)
	a.keys.late["hana"] = true
	a.Turn()
	a.Commit()
	a.Advance(time.Hour)
	if got, want := told(t, a.store, a.keys), `one/hana hana=1 ""`; len(a.keys.late) > 0 || got != want {
		t.Errorf("late is %v and stored is %s, want %s after a commit that failed", a.keys.late, got, want)
	}
	if len(calls) > 0 || answers != 1 {
		t.Errorf("calls made again: %v, answers %d, want none and 1", calls, answers)
	}
}

// An actor does not sleep while a timer of it needs a key: nobody else would read it again.
func TestAnActorThatWaitsForAKeyDoesNotSleep(t *testing.T) {
	a := newAway(t, engine.SimOptions{Doze: 1, Engine: engine.Options{Kinds: []engine.Kind{kind("one", waiter)}}})
	a.tell("one/hana", "hana", "set")
	a.Settle()
	a.crash("hana")
	a.Settle()
	delete(a.keys.away, "hana")
	a.Advance(4 * time.Hour)
	if got, want := told(t, a.store, a.keys), `one/hana rang=1 ""`; got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
}

// flickers are keys that do not open the row of a place.
type flickers struct {
	badKeys
	place string
}

func (k flickers) Open(place, sealed []byte) ([]byte, error) {
	if strings.HasSuffix(string(place), k.place) {
		return nil, k.errAway("hana")
	}
	return k.badKeys.Open(place, sealed)
}

// twoOf is an actor that reads what is in reach of two tables, whose rows are about whom their keys begin with.
func twoOf(read func(table string, key []string, away map[string]error)) engine.Kind {
	other := actors.NewTable[string]("other")
	k := kind("many", func(turn *actors.Turn, m messages.Message) error {
		for _, tb := range []actors.Table[string]{names, other} {
			rows, away := tb.InReach(turn)
			read(tb.Name(), slices.Sorted(maps.Keys(rows)), away)
		}
		if d, ok := m.(diary); ok {
			names.Put(turn, string(d.Whom)+"/"+string(d.Words), "")
			other.Put(turn, "ken", "")
		}
		return nil
	})
	k.SubjectOf = func(row string, _ []byte) messages.ConversationID {
		_, key := actors.SplitRow(row)
		whom, _, _ := strings.Cut(key, "/")
		return messages.ConversationID(whom)
	}
	return k
}

// One of two rows about hana cannot be read for a moment. The other one is not shown alone.
func TestRowsAboutOneAreOutOfReachTogether(t *testing.T) {
	var rows, out []string
	o := engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		twoOf(func(table string, keys []string, away map[string]error) {
			if table == "names" {
				rows, out = keys, slices.Sorted(maps.Keys(away))
			}
		}),
	}}}
	a := newAway(t, o)
	a.tell("many/x", "hana", "1")
	a.tell("many/x", "hana", "2")
	a.tell("many/x", "ken", "1")
	a.Settle()
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	o.Engine.Store, o.Engine.Codec, o.Engine.Sealer = a.store, codec, flickers{a.keys, "hana/1"}
	if a.Sim, err = engine.NewSim(o); err != nil {
		t.Fatal(err)
	}
	a.tell("many/x", "ken", "2")
	a.Settle()
	if want := []string{"ken/1"}; !slices.Equal(rows, want) || len(out) != 2 {
		t.Errorf("read %q, and out of reach %q, want %q and two", rows, out, want)
	}
}

// Who reads two tables, one of them with a row out of reach, tells of the key once, and once that it is back.
func TestWhoReadsTwoTablesTellsOnce(t *testing.T) {
	a := newAway(t, engine.SimOptions{Engine: engine.Options{Kinds: []engine.Kind{
		twoOf(func(string, []string, map[string]error) {}),
	}}})
	a.tell("many/x", "hana", "1")
	a.tell("many/x", "aki", "1")
	a.Settle()
	a.keys.away["hana"] = true
	for range 3 {
		a.tell("many/x", "ken", "1")
		a.Advance(time.Minute)
	}
	a.keys.away["aki"] = true // comes first
	delete(a.keys.away, "hana")
	a.tell("many/x", "ken", "1")
	a.Advance(time.Minute)
	delete(a.keys.away, "aki")
	a.tell("many/x", "ken", "1")
	a.Advance(time.Minute)
	if len(a.health) != 3 || !strings.Contains(a.health[0].Key, "hana") || !strings.Contains(a.health[1].Key, "aki") ||
		!a.health[2].Healthy {
		t.Errorf("told of health is %+v, want one key, the other, and that all are back", a.health)
	}
}
