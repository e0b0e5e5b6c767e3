package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// badKeys are keys, some of them unusable: at once, only when a row is sealed, or for now.
type badKeys struct {
	engine.Sealer
	bad, late, away map[string]bool
	destroys        bool            // also keys that are away
	stuck           map[string]bool // keys that can be used, and not be destroyed
}

func (k badKeys) KeyOf(subject string) (engine.Key, bool, error) {
	switch {
	case k.bad[subject]:
		return engine.Key{}, false, k.err(subject)
	case k.away[subject]:
		return engine.Key{}, false, k.errAway(subject)
	}
	return k.Sealer.(*keyring.Ring).KeyOf(subject)
}

func (k badKeys) errAway(subject string) error {
	return fmt.Errorf("key of %s: too many open files: %w", subject, engine.ErrKeyAway)
}

func (k badKeys) err(subject string) error {
	return fmt.Errorf("key of %s is damaged: put it back: %w", subject, engine.ErrNoKey)
}

func (k badKeys) Ready(subject string) error {
	if k.bad[subject] {
		return k.err(subject)
	}
	if k.away[subject] {
		return k.errAway(subject)
	}
	return k.Sealer.Ready(subject)
}

func (k badKeys) Seal(to []byte, subject string, place, plain []byte) ([]byte, error) {
	if k.bad[subject] || k.late[subject] {
		delete(k.late, subject)
		return nil, k.err(subject)
	}
	return k.Sealer.Seal(to, subject, place, plain)
}

func (k badKeys) Open(place, sealed []byte) ([]byte, error) {
	for subject := range k.bad {
		if k.Under(subject, sealed) {
			return nil, k.err(subject)
		}
	}
	for subject := range k.away {
		if k.Under(subject, sealed) {
			return nil, k.errAway(subject)
		}
	}
	return k.Sealer.Open(place, sealed)
}

func (k badKeys) Destroy(subject string) error {
	if k.stuck[subject] || k.away[subject] && !k.destroys {
		return k.errAway(subject)
	}
	return k.Sealer.Destroy(subject)
}

var whoms = []messages.ConversationID{"aki", "hana", "ken"}

var names = actors.NewTable[string]("names")

// mustKnow and more is a number whose name the actor has to know already, or it fails.
const mustKnow = 300

// keySim is an actor that is about many beside actors that are about one each. The
// first puts a row about whom a number says, each other one what it is told.
func keySim(t *testing.T, s engine.Store, keys engine.Sealer) *engine.Sim {
	t.Helper()
	return keySimTold(t, s, keys, nil)
}

func keySimTold(t *testing.T, s engine.Store, keys engine.Sealer, listen func(engine.Published)) *engine.Sim {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), simMessages, messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	many := actors.Func(func(turn *actors.Turn, m messages.Message) error {
		n, ok := m.(number)
		if g, is := m.(glance); is {
			n, ok = number{g.N}, true
		}
		if !ok {
			return nil
		}
		for range names.All(turn) {
			continue
		}
		who := string(whoms[n.N%len(whoms)])
		said, _ := names.Get(turn, who)
		if n.N >= mustKnow && said == "" {
			return errors.New("nobody of that name")
		}
		names.Put(turn, who, said+fmt.Sprint(n.N, " "))
		return nil
	})
	one := actors.Func(func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			names.Put(turn, "said", string(d.Words))
		}
		return nil
	})
	sim, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: s, Sealer: keys, Codec: codec,
		Listener: listen,
		Kinds: []engine.Kind{
			{Name: "shared", New: func(messages.Address) actors.Actor { return many },
				SubjectOf: func(row string, _ []byte) messages.ConversationID {
					_, key := actors.SplitRow(row)
					return messages.ConversationID(key)
				}},
			{Name: "one", New: func(messages.Address) actors.Actor { return one }},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// told is what the actors have stored, as far as it opens.
func told(t *testing.T, s *mem.Store, ring engine.Sealer) string {
	t.Helper()
	var list []string
	for _, k := range keys(t, s, "s/") {
		v, _, _ := s.Get([]byte(k))
		if plain, err := engine.OpenRow(ring, []byte(k), v); err == nil {
			list = append(list, strings.TrimPrefix(k, "s/")+"="+string(plain))
		}
	}
	return strings.ReplaceAll(strings.Join(list, "; "), "\x00names\x00", " ")
}

// Where one key cannot be used, the message about it is put aside with words. What is
// committed together with it is, and an actor that is about many goes on with the
// others: one that is there already, and one that has a row under the bad key.
func TestABadKeyFailsOnlyWhatIsAboutIt(t *testing.T) {
	for name, before := range map[string]bool{"no row": false, "a row": true} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			k := badKeys{Sealer: keyring.Memory(nil), bad: map[string]bool{}, late: map[string]bool{}}
			sim := keySim(t, store, k)
			want := "shared/app aki=1 \"0 3 \"; shared/app ken=1 \"2 5 \""
			if before {
				if _, err := sim.Inject("shared/app", number{1}, ""); err != nil {
					t.Fatal(err)
				}
				sim.Settle()
			}
			k.bad["hana"] = true
			if err := sim.Crash(); err != nil {
				t.Fatal(err)
			}
			for n := range 6 {
				if n == 1 && before {
					continue
				}
				if _, err := sim.Inject("shared/app", number{n}, ""); err != nil {
					t.Fatal(err)
				}
			}
			sim.Advance(time.Hour)
			if got := told(t, store, k); got != want {
				t.Errorf("stored is %s, want %s", got, want)
			}
			dead, err := sim.Engine().DeadLetters()
			if err != nil || len(dead) == 0 {
				t.Fatalf("%d dead letters, %v, want those about the bad key", len(dead), err)
			}
			for _, d := range dead {
				if !strings.Contains(d.Error, "key of hana is damaged") || d.Attempts != engine.MaxAttempts {
					t.Errorf("dead letter %+v, want it to say why after all attempts", d)
				}
				delete(k.bad, "hana")
				err := sim.Await(func(ctx context.Context) error { return sim.Engine().RetryDeadLetter(ctx, d.ID) })
				if err != nil {
					t.Error(err)
				}
			}
			sim.Advance(time.Hour)
			if got := told(t, store, k); !strings.Contains(got, "hana=1 \"1 4 \"") {
				t.Errorf("with the key back stored is %s, want the row of 1 and 4", got)
			}
		})
	}
}

// A message that was stored before its key was damaged is put aside as it is stored, and
// can be sent again once the key is back; no text of it is sealed under another key.
func TestAMessageIsPutAsideAsItIsSealed(t *testing.T) {
	for name, restart := range map[string]bool{"in memory": false, "in the store": true} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			k := badKeys{Sealer: keyring.Memory(nil), bad: map[string]bool{}, late: map[string]bool{}}
			sim := keySim(t, store, k)
			stored, err := sim.Inject("one/hana", diary{"hana", "canary"}, "")
			if err != nil {
				t.Fatal(err)
			}
			sim.Commit()
			if err := <-stored; err != nil {
				t.Fatal(err)
			}
			k.bad["hana"] = true
			if restart {
				if err := sim.Crash(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := sim.Inject("one/ken", diary{"ken", "goes on"}, ""); err != nil {
				t.Fatal(err)
			}
			sim.Advance(time.Hour)
			if got, want := told(t, store, k), `one/ken said=1 "goes on"`; got != want {
				t.Errorf("stored is %s, want %s", got, want)
			}
			dead, err := sim.Engine().DeadLetters()
			if err != nil || len(dead) != 1 || !strings.Contains(dead[0].Error, "damaged") || dead[0].Message != nil {
				t.Fatalf("dead letters %+v, %v, want one that says why and holds no text", dead, err)
			}
			retry := func() error {
				return sim.Await(func(ctx context.Context) error {
					return sim.Engine().RetryDeadLetter(ctx, dead[0].ID)
				})
			}
			if err := retry(); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("RetryDeadLetter() without the key = %v, want why not", err)
			}
			delete(k.bad, "hana")
			if err := retry(); err != nil {
				t.Fatal(err)
			}
			sim.Advance(time.Hour)
			if got := told(t, store, k); !strings.Contains(got, `one/hana said=1 "canary"`) {
				t.Errorf("with the key back stored is %s, want what was said", got)
			}
		})
	}
}

// A key that is out of reach for now, as the disk is full or too many files are open, is no failure of
// a message that needs it, to read or to write: it waits and keeps its attempts, and so do those behind it.
func TestAKeyOutOfReachCostsNoAttempt(t *testing.T) {
	store := mem.New()
	k := badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{"hana": true}}
	sim := keySim(t, store, k)
	want := func(name, want string) {
		t.Helper()
		sim.Advance(time.Hour)
		dead, err := sim.Engine().DeadLetters()
		if err != nil || len(dead) > 0 {
			t.Errorf("%s: dead letters %+v, %v, want none", name, dead, err)
		}
		if got := told(t, store, k); got != want {
			t.Errorf("%s: stored is %s, want %s", name, got, want)
		}
	}
	for n := range 3 {
		if _, err := sim.Inject("shared/app", number{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
	want("to write", `shared/app aki=1 "0 "`)
	delete(k.away, "hana")
	want("written", `shared/app aki=1 "0 "; shared/app hana=1 "1 "; shared/app ken=1 "2 "`)
	k.away["aki"] = true
	if _, err := sim.Inject("shared/app", number{1}, ""); err != nil {
		t.Fatal(err)
	}
	want("to read", `shared/app hana=1 "1 "; shared/app ken=1 "2 "`)
	delete(k.away, "aki")
	want("read", `shared/app aki=1 "0 "; shared/app hana=1 "1 1 "; shared/app ken=1 "2 "`)
	k.away["aki"] = true
	if _, err := sim.Inject("shared/app", number{mustKnow}, ""); err != nil {
		t.Fatal(err)
	}
	want("fails without it", `shared/app hana=1 "1 1 "; shared/app ken=1 "2 "`)
	delete(k.away, "aki")
	want("knows it", `shared/app aki=1 "0 300 "; shared/app hana=1 "1 1 "; shared/app ken=1 "2 "`)
	stored, err := sim.Inject("one/hana", diary{"hana", "canary"}, "")
	if err != nil {
		t.Fatal(err)
	}
	sim.Commit()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	k.away["hana"] = true
	if err := sim.Crash(); err != nil {
		t.Fatal(err)
	}
	want("in the inbox", `shared/app aki=1 "0 300 "; shared/app ken=1 "2 "`)
	delete(k.away, "hana")
	want("out of it",
		`one/hana said=1 "canary"; shared/app aki=1 "0 300 "; shared/app hana=1 "1 1 "; shared/app ken=1 "2 "`)
}

// A fleeting message that needs a key out of reach has failed, like any other that fails: it is told, with the
// key, and does not come again, also not before the durable message behind it.
func TestAFleetingMessageDoesNotWaitForAKey(t *testing.T) {
	store := mem.New()
	k := badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{}}
	var failed, ill []string
	sim := keySimTold(t, store, k, func(p engine.Published) {
		switch m := p.Message.(type) {
		case events.MessageFailed:
			failed = append(failed, m.Reason)
		case events.ActorUnhealthy:
			ill = append(ill, m.Key)
		}
	})
	if _, err := sim.Inject("shared/app", number{1}, ""); err != nil {
		t.Fatal(err)
	}
	sim.Settle()
	k.away["hana"] = true
	for _, m := range []messages.Message{glance{N: 4}, number{7}} {
		if _, err := sim.Inject("shared/app", m, ""); err != nil {
			t.Fatal(err)
		}
	}
	sim.Advance(time.Hour)
	delete(k.away, "hana")
	sim.Advance(time.Hour)
	if got, want := told(t, store, k), `shared/app hana=1 "1 7 "`; got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
	if len(failed) != 1 || !strings.Contains(failed[0], "key of hana") {
		t.Errorf("failed: %q, want the fleeting message, once", failed)
	}
	if len(ill) == 0 || !strings.Contains(ill[0], "key of hana") {
		t.Errorf("unhealthy for the keys %q, want hana's", ill)
	}
}

// A row that cannot be sealed although its key was ready is refused by itself, and tried
// again.
func TestARowThatCannotBeSealedHasNoNeighbours(t *testing.T) {
	store := mem.New()
	k := badKeys{Sealer: keyring.Memory(nil), bad: map[string]bool{}, late: map[string]bool{"hana": true}}
	sim := keySim(t, store, k)
	var errs []<-chan error
	for _, who := range whoms {
		done, err := sim.Inject(messages.To("one", string(who)), diary{who, "words"}, "")
		if err != nil {
			t.Fatal(err)
		}
		errs = append(errs, done)
	}
	sim.Settle()
	for i, done := range errs {
		if err := <-done; (err != nil) != (i == 1) {
			t.Errorf("injected about %s: %v", whoms[i], err)
		}
	}
	k.late["aki"] = true
	for n := range 3 {
		if _, err := sim.Inject("shared/app", number{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
	sim.Advance(time.Hour)
	want := `one/aki said=1 "words"; one/ken said=1 "words"; shared/app aki=1 "0 "; shared/app hana=1 "1 "; ` +
		`shared/app ken=1 "2 "`
	if got := told(t, store, k); got != want {
		t.Errorf("stored is %s, want %s", got, want)
	}
}

// Rows of a batch share memory. A large row takes none of it, and no row takes another's part.
func TestRowsOfAllSizesKeepTheirOwnMemory(t *testing.T) {
	store, ring := mem.New(), keyring.Memory(nil)
	sim := keySim(t, store, ring)
	want := ""
	for i, size := range []int{10, 5 << 10, 17 << 10, 10, 40 << 10, 10, 3 << 10, 3 << 10, 3 << 10, 3 << 10, 3 << 10} {
		who, words := fmt.Sprintf("w%02d", i), strings.Repeat(string(rune('a'+i)), size)
		if _, err := sim.Inject(messages.To("one", who), diary{messages.ConversationID(who),
			messages.Text(words)}, ""); err != nil {
			t.Fatal(err)
		}
		want += fmt.Sprintf("one/%s said=1 %q; ", who, words)
	}
	sim.Settle()
	if got := told(t, store, ring); got != strings.TrimSuffix(want, "; ") {
		t.Errorf("stored is %.200q, want %.200q", got, want)
	}
}

// Mail whose key cannot be read waits across starts, and loses nothing: once it can be read it is handled.
func TestMailWaitsForAKeyThatCannotBeRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	keys := &struct{ engine.Sealer }{}
	open := func() {
		t.Helper()
		ring, err := keyring.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		keys.Sealer = ring
	}
	open()
	store := mem.New()
	sim := keySim(t, store, keys)
	if err := keys.Ready("ken"); err != nil { // its key stays within reach
		t.Fatal(err)
	}
	kens, err := filepath.Glob(filepath.Join(dir, strings.Repeat("?", 32)))
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"hana", "ken"} {
		stored, err := sim.Inject(messages.To("one", who), diary{messages.ConversationID(who), "canary"}, "")
		if err != nil {
			t.Fatal(err)
		}
		sim.Commit()
		if err := <-stored; err != nil {
			t.Fatal(err)
		}
	}
	all, err := filepath.Glob(filepath.Join(dir, strings.Repeat("?", 32)))
	hanas := slices.DeleteFunc(all, func(path string) bool { return slices.Contains(kens, path) })
	if err != nil || len(hanas) != 1 {
		t.Fatalf("hana has the keys %v, %v, want one", hanas, err)
	}
	aside := filepath.Join(t.TempDir(), "key")
	if err := errors.Join(os.Rename(hanas[0], aside), os.Mkdir(hanas[0], 0o700)); err != nil {
		t.Fatal(err)
	}
	const ken, both = `one/ken said=1 "canary"`, `one/hana said=1 "canary"; one/ken said=1 "canary"`
	for start, want := range []string{ken, ken, both} {
		if start < 2 {
			open()
			if err := sim.Crash(); err != nil {
				t.Fatal(err)
			}
		} else if err := errors.Join(os.Remove(hanas[0]), os.Rename(aside, hanas[0])); err != nil {
			t.Fatal(err)
		}
		sim.Advance(time.Hour)
		dead, err := sim.Engine().DeadLetters()
		if err != nil || len(dead) > 0 {
			t.Errorf("%d: dead letters %+v, %v, want none", start, dead, err)
		}
		if got := told(t, store, keys); got != want {
			t.Errorf("%d: stored is %s, want %s", start, got, want)
		}
	}
}

// waiter is an actor that sets a timer, or asks a worker, and keeps what comes of it.
func waiter(turn *actors.Turn, m messages.Message) error {
	d, ok := m.(diary)
	switch {
	case ok && d.Words == "set":
		turn.After("k", 3*time.Hour, diary{d.Whom, "rang"})
	case ok && d.Words == "ask":
		turn.Call("echo", diary{d.Whom, "answered"}, actors.CallOptions{Deadline: actors.DefaultDeadline})
	case ok:
		names.Put(turn, string(d.Words), "")
	}
	return nil
}

// Timers and calls whose key is out of reach at a start wait, and the start does not. People are told which key it
// is, and once it is back, that it is over.
func TestTimersAndCallsWaitForAKey(t *testing.T) {
	for begin, c := range map[string]struct{ away, back, later string }{
		"set": {"", "", `one/hana rang=1 ""; one/ken rang=1 ""`},
		"ask": {`one/ken answered=1 ""`, `one/hana answered=1 ""; one/ken answered=1 ""`,
			`one/hana answered=1 ""; one/ken answered=1 ""`},
	} {
		t.Run(begin, func(t *testing.T) { waitForAKey(t, begin, c.away, c.back, c.later) })
	}
}

func waitForAKey(t *testing.T, begin, away, back, later string) {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	k := badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{}}
	var health []events.ActorUnhealthy
	late := time.Hour // of an answer
	sim, err := engine.NewSim(engine.SimOptions{
		Wait: func(*engine.Job) (begin, took time.Duration) { return 0, late },
		Engine: engine.Options{Store: store, Sealer: k, Codec: codec,
			Kinds: []engine.Kind{{Name: "one", New: func(messages.Address) actors.Actor {
				return actors.Func(waiter)
			}}},
			Workers: []engine.WorkerKind{{Name: "echo", Size: 2, New: func() (actors.Worker, error) {
				return mirror{}, nil
			}}},
			Listener: func(p engine.Published) {
				if m, ok := p.Message.(events.ActorUnhealthy); ok {
					health = append(health, m)
				}
			},
		}})
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"hana", "ken"} {
		if _, err := sim.Inject(messages.To("one", who), diary{messages.ConversationID(who), messages.Text(begin)},
			""); err != nil {
			t.Fatal(err)
		}
	}
	sim.Settle()
	k.away["hana"], late = true, 0
	want := func(name, want string) {
		t.Helper()
		dead, err := sim.Engine().DeadLetters()
		if err != nil || len(dead) > 0 {
			t.Errorf("%s: dead letters %+v, %v, want none", name, dead, err)
		}
		if got := told(t, store, k); got != want {
			t.Errorf("%s: stored is %s, want %s", name, got, want)
		}
	}
	for range 2 {
		if err := sim.Crash(); err != nil {
			t.Fatal(err)
		}
		health = nil
		sim.Advance(time.Minute)
		if len(health) != 1 || health[0].Actor != "one/hana" ||
			!strings.Contains(health[0].Key, "too many open files") {
			t.Fatalf("told of health is %+v, want once which key hana waits for", health)
		}
		sim.Advance(time.Hour)
		want("away", away)
	}
	delete(k.away, "hana")
	sim.Advance(time.Minute)
	want("back", back)
	if len(health) != 2 || !health[1].Healthy {
		t.Errorf("told of health is %+v, want that it works again", health)
	}
	sim.Advance(time.Hour)
	want("later", later)
}

// mirror answers with what it is asked.
type mirror struct{}

func (mirror) Do(_ context.Context, m messages.Message) (messages.Message, error) { return m, nil }

// Readers of many go on without the one whose key is out of reach, and can tell that there is such a row; a reader
// of that one is told. An event that is sealed for another is known not to be one's own.
func TestReadersOfManyGoOnWithoutAKey(t *testing.T) {
	store := mem.New()
	k := badKeys{Sealer: keyring.Memory(nil), away: map[string]bool{}}
	sim := keySim(t, store, k)
	for n := range 3 {
		if _, err := sim.Inject("shared/app", number{n}, ""); err != nil {
			t.Fatal(err)
		}
	}
	sim.Settle()
	event, err := k.Seal([]byte("\x00ks\x01"), "hana", []byte("e/"), []byte("{}"))
	if err == nil {
		err = store.Apply([]engine.Op{{Key: []byte("e/\x00\x00\x00\x00\x00\x00\x00\x63"), Value: event}}, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	k.away["hana"] = true
	e, n, away := sim.Engine(), 0, ""
	err = errors.Join(e.ReadRows("shared", func(engine.Row) bool { n++; return true }),
		e.ReadRowsIn("shared", names.Name(), func(engine.Row) bool { n++; return true }),
		e.EachRow("shared", names.Name(), func(r engine.Row, bad error) bool {
			if errors.Is(bad, engine.ErrKeyAway) && r.Value == nil {
				away += r.Key
			}
			return true
		}))
	if err != nil || n != 4 || away != "hana" {
		t.Errorf("read %d rows, away is %q, %v, want two rows twice, and hana's away", n, away, err)
	}
	if _, _, err := e.ReadRow("shared/app", names.Row("hana")); !errors.Is(err, engine.ErrKeyAway) {
		t.Errorf("ReadRow() = %v, want ErrKeyAway", err)
	}
	for who, want := range map[messages.ConversationID]bool{"hana": true, "ken": false} {
		if got, err := e.EventIsOf(who, 0x63); got != want || err != nil {
			t.Errorf("EventIsOf(%s) = %t, %v, want %t", who, got, err, want)
		}
	}
}
