package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// The value of a panic may be a message's words. Its owner finds it in the dead letter. It is
// in no event, because the log is made from events.
func TestTheValueOfAPanicIsPrivate(t *testing.T) {
	const words = "words of hers"
	codec, err := messages.NewCodec(messages.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	clock := engine.NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	r := &rig{}
	failures := 0
	e, err := engine.New(engine.Options{
		Store: mem.New(), Codec: codec, Driver: r, Clock: clock,
		Kinds: []engine.Kind{{Name: "archive", New: func(messages.Address) actors.Actor {
			return actors.Func(func(_ *actors.Turn, m messages.Message) error {
				if _, ok := m.(diary); ok {
					panic(words)
				}
				return nil
			})
		}}},
		Listener: func(p engine.Published) {
			texts := ""
			switch m := p.Message.(type) {
			case events.MessageFailed:
				failures++
				texts = m.Reason + m.Stack
			case events.ActorRestarted:
				texts = m.Reason
			case events.MessageQuarantined:
				texts = m.Reason
			}
			if strings.Contains(texts, words) {
				t.Errorf("%T tells the value of a panic: %s", p.Message, texts)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Engine, r.Control = e, e.Control()
	if err := r.Recover(); err != nil {
		t.Fatal(err)
	}
	r.ask(t, diary{"line:Hana", "a"})
	for range 2 * engine.MaxAttempts {
		r.run()
		clock.Set(clock.Now().Add(time.Minute))
		r.FireTimers()
	}
	dead, err := e.DeadLetters()
	if err != nil || len(dead) != 1 || failures != engine.MaxAttempts {
		t.Fatalf("DeadLetters() = %v, %v after %d failures, want one after %d", dead, err, failures, engine.MaxAttempts)
	}
	if d := dead[0]; d.Error != "panic with a string" || !strings.HasPrefix(d.Stack, "panic: "+words+"\n") {
		t.Errorf("the dead letter says %q and %.60q, want the type of the value, and the value with the stack", d.Error,
			d.Stack)
	}
}
