package engine_test

import (
	"context"
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

// library is an engine whose actors of kind archive are nobody's: they tell and note
// down diaries, and read each again a minute later.
type library struct {
	engine.Control
	acts    map[messages.Address]*engine.Activation
	beside  func() // what runs beside the committer next
	read    []string
	dropped []events.Dropped
	clock   *engine.ManualClock
}

func (l *library) Wake(act *engine.Activation) { l.acts[act.Address()] = act }
func (l *library) WakeWorkers(string)          {}

func (l *library) listen(p engine.Published) {
	if d, ok := p.Message.(events.Dropped); ok {
		l.dropped = append(l.dropped, d)
	}
}

func (l *library) receive(turn *actors.Turn, m messages.Message) error {
	d, ok := m.(diary)
	if !ok {
		return nil
	}
	l.read = append(l.read, string(d.Whom)+" "+string(d.Words))
	if d.Words == "tell" {
		turn.Publish(d)
		turn.After(string(d.Whom), time.Minute, diary{d.Whom, "again"})
	}
	return nil
}

func openLibrary(t *testing.T, s engine.Store, keys engine.Sealer, also ...engine.Kind) *library {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	l := &library{acts: map[messages.Address]*engine.Activation{},
		clock: engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	e, err := engine.New(engine.Options{
		Store: s, Sealer: keys, Codec: codec, Driver: l, Clock: l.clock, Listener: l.listen,
		Kinds: append(also, engine.Kind{Name: "archive", New: func(messages.Address) actors.Actor {
			return actors.Func(l.receive)
		}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Control = e.Control()
	l.Background(func(fn func()) { l.beside = fn })
	if err := l.Recover(); err != nil {
		t.Fatal(err)
	}
	return l
}

// post stores mail that nobody handles yet.
func (l *library) post(t *testing.T, to messages.Address, list ...diary) {
	t.Helper()
	for _, d := range list {
		if _, err := l.Engine().Post("", to, d, ""); err != nil {
			t.Fatal(err)
		}
	}
	l.Commit(len(list))
}

// run steps an actor until it is idle.
func (l *library) run(t *testing.T, a messages.Address) {
	t.Helper()
	for {
		progress, failure := l.Step(l.acts[a])
		if failure != nil {
			l.Restart(l.acts[a])
		}
		if progress == engine.Idle {
			return
		}
	}
}

// forgetHalf begins to forget, and stops when the key is destroyed and no row deleted.
func (l *library) forgetHalf(t *testing.T, keys *keyring.Ring, who messages.ConversationID) {
	t.Helper()
	if err := handOver(func(ctx context.Context) error {
		_, err := l.Engine().Forget(ctx, engine.Forgetting{Conversation: who})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the search; the intent
		l.Commit(1)
		l.beside()
	}
	l.beside = nil
	if _, there, err := keys.KeyOf(string(who)); there || err != nil {
		t.Fatalf("the key of %s is there: %v, %v, want it destroyed", who, there, err)
	}
}

func (l *library) finish() {
	for took := 1; took > 0 || l.beside != nil; {
		if fn := l.beside; fn != nil {
			l.beside = nil
			fn()
		}
		took, _ = l.Commit(100)
	}
}

// log lists whom the events are about; one that cannot be read is "unreadable".
func (l *library) log(t *testing.T) string {
	t.Helper()
	var list []string
	if err := l.Engine().ReadLog(0, func(p engine.Published) bool {
		who := "unreadable"
		if d, ok := p.Message.(diary); ok && p.Err == nil {
			who = string(d.Whom)
		}
		list = append(list, who)
		return true
	}); err != nil {
		t.Error(err)
	}
	return strings.Join(list, " ")
}

// Between the end of the key and that of the last row, what is being forgotten counts as
// deleted for everybody who reads; what else has lost its key does not.
func TestWhatIsBeingForgottenCountsAsDeleted(t *testing.T) {
	store, ring := mem.New(), keyring.Memory(nil)
	l := openLibrary(t, store, ring)
	l.post(t, "archive/all", diary{"aki", "tell"}, diary{"hana", "tell"}, diary{"ken", "tell"})
	l.run(t, "archive/all")
	l.Commit(100)
	l.post(t, "archive/all", diary{"ken", "a"}, diary{"hana", "b"}, diary{"ken", "c"})
	l.post(t, "archive/a", slices.Repeat([]diary{{"hana", "fills a slice"}}, 300)...)
	l.post(t, "archive/late", diary{"hana", "d"}, diary{"ken", "e"})
	l.Close()

	l = openLibrary(t, store, ring)
	for range 2 { // it starts; it reads its mail and handles the first
		if _, failure := l.Step(l.acts["archive/all"]); failure != nil {
			t.Fatal(failure)
		}
	}
	l.Commit(100)
	l.forgetHalf(t, ring, "hana")
	if err := ring.Destroy("aki"); err != nil {
		t.Fatal(err)
	}
	if got := l.log(t); got != "unreadable ken" {
		t.Errorf("the log tells of %q, want what Aki's lost key hides, and Ken", got)
	}
	l.clock.Set(l.clock.Now().Add(time.Minute))
	l.FireTimers()
	l.run(t, "archive/all")
	l.run(t, "archive/late")
	if want := []string{"ken a", "ken c", "ken again", "ken e"}; !slices.Equal(l.read, want) {
		t.Errorf("the actors read %q, want %q", l.read, want)
	}
	if len(l.dropped) != 2 || l.dropped[0].Stage != events.StageDeliver ||
		l.dropped[0].Detail.Rule != events.RuleForgotten {
		t.Errorf("dropped are %+v, want a message and a timer that are being forgotten", l.dropped)
	}
	for range 2 { // the first slice; what the actors have done
		l.Commit(100)
	}
	dead, err := l.Engine().DeadLetters()
	if err != nil || len(dead) != 1 {
		t.Errorf("DeadLetters() = %+v, %v, want only Aki's timer", dead, err)
	}
	l.finish()
	if got := keys(t, store, "f/"); len(got) > 0 {
		t.Errorf("the intent %q is left", got)
	}
	if got := keys(t, store, "e/"); len(got) != 2 {
		t.Errorf("the events %q are left, want two", got)
	}
	l.post(t, "archive/all", diary{"hana", "tell"}) // under a new key
	l.run(t, "archive/all")
	l.Commit(100)
	if err := ring.Destroy("hana"); err != nil {
		t.Fatal(err)
	}
	if got := l.log(t); got != "unreadable ken unreadable" {
		t.Errorf("later the log tells of %q, want it to say that Hana's key is lost", got)
	}
}

// A deletion that a crash interrupts, and that the next program must leave to another,
// hides what it will delete.
func TestWhatIsLeftToForgetCountsAsDeleted(t *testing.T) {
	store, ring := mem.New(), keyring.Memory(nil)
	fusion := engine.Kind{Name: "fusion", About: aboutName,
		New: func(messages.Address) actors.Actor { return nil }}
	l := openLibrary(t, store, ring, fusion)
	l.post(t, "archive/all", diary{"hana", "tell"}, diary{"ken", "tell"})
	l.run(t, "archive/all")
	l.Commit(100)
	l.forgetHalf(t, ring, "hana")
	l = openLibrary(t, store, ring)
	if got := l.log(t); got != "ken" || len(keys(t, store, "f/")) != 1 {
		t.Errorf("the log tells of %q, the intents are %q, want Ken and one", got, keys(t, store, "f/"))
	}
	openLibrary(t, store, ring, fusion)
	if got := append(keys(t, store, "f/"), keys(t, store, "e/")...); len(got) != 1 {
		t.Errorf("a program that knows enough has left %q, want Ken's event", got)
	}
}

// A dead letter that keeps mail as it was sealed goes with whom the mail is about.
func TestADeadLetterIsForgottenByItsSealedMail(t *testing.T) {
	store, ring := mem.New(), keyring.Memory(nil)
	l := openLibrary(t, store, ring)
	l.post(t, "archive/all", diary{"hana", "a"}, diary{"ken", "b"})
	l.Close()
	for _, who := range []string{"hana", "ken"} {
		if err := ring.Destroy(who); err != nil {
			t.Fatal(err)
		}
	}
	l = openLibrary(t, store, ring)
	l.run(t, "archive/all")
	l.Commit(100)
	if dead, err := l.Engine().DeadLetters(); err != nil || len(dead) != 2 {
		t.Fatalf("DeadLetters() = %+v, %v, want both messages", dead, err)
	}
	l.Background(func(fn func()) { fn() })
	sum, err := forget(t, l.Control, engine.Forgetting{Conversation: "hana"})
	if err != nil || sum.DeadLetters != 1 {
		t.Errorf("Forget() = %+v, %v, want one dead letter", sum, err)
	}
	if dead, err := l.Engine().DeadLetters(); err != nil || len(dead) != 1 {
		t.Errorf("DeadLetters() = %+v, %v, want Ken's", dead, err)
	}
}
