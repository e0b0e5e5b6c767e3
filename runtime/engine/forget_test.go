package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// still drives nothing.
type still struct{}

func (still) Wake(*engine.Activation) {}
func (still) WakeWorkers(string)      {}

// resting makes an engine whose actors do not run.
func resting(t *testing.T, s engine.Store) engine.Control {
	t.Helper()
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Store: s, Codec: codec, Clock: engine.SystemClock{}, Driver: still{}})
	if err != nil {
		t.Fatal(err)
	}
	return e.Control()
}

// forget has the engine forget, and commits what it takes.
func forget(t *testing.T, e engine.Control, f engine.Forgetting) (engine.Forgotten, error) {
	t.Helper()
	type result struct {
		sum engine.Forgotten
		err error
	}
	done := make(chan result, 1)
	go func() {
		sum, err := e.Forget(context.Background(), f)
		done <- result{sum, err}
	}()
	for {
		select {
		case r := <-done:
			return r.sum, r.err
		case <-e.CommitReady():
			e.Commit(1)
		}
	}
}

// hanas is everything that a store may hold of line:Hana, others what may stand
// beside it.
func hanas() map[string]string {
	msg := `"msg":{"type":"heard","v":1,"body":{"conversation":"line:Hana"}}`
	return map[string]string{
		"s/dedup/line:Hana\x00tail\x001":     `1 {"text":"secret"}`,
		"s/host/line:Hana\x00any\x00x":       `1 {}`,
		"s/fusion/line@a\x00last\x00Hana":    `1 {}`,
		"s/fusion/line@a\x00current\x00now":  `1 "Hana"`,
		"s/fusion/line@a\x00held\x00held":    `1 {"detection":{"conversation":"line:Hana"}}`,
		"i/dedup/line:Hana\x0000000001":      `{"at":"2026-01-01T00:00:00Z","epoch":1,"msg":{"type":"ledger_due","v":1,"body":{}}}`,
		"i/host/all\x0000000002":             `{"at":"2026-01-01T00:00:00Z","epoch":1,` + msg + `}`,
		"t/burst/line:Hana\x00due":           `{"gen":"m1.1","msg":{"type":"burst_due","v":1,"body":{}}}`,
		"c/host/all\x00m1.1":                 `{"worker":"x",` + msg + `}`,
		"a/dedup/line:Hana\x00i/dedup/line":  `{"attempts":1,"error":"x"}`,
		"k/dedup/line:Hana\x00key":           `{"at":"2026-01-01T00:00:00Z"}`,
		"e/\x00\x00\x00\x00\x00\x00\x00\x07": `{"from":"host/all",` + msg + `}`,
		"e/\x00\x00\x00\x00\x00\x00\x00\x08": `{"from":"dedup/line:Hana","msg":{"type":"ledger_due","v":1,"body":{}}}`,
		"v/\x00\x00\x00\x00\x00\x00\x00\x09": `{"actor":"dedup/line:Hana","stage":"dedup"}`,
		"v/\x00\x00\x00\x00\x00\x00\x00\x10": `{"actor":"fusion/line@a","detail":{"conversation":"line:Hana"}}`,
		"d/\x00\x00\x00\x00\x00\x00\x00\x11": `{"actor":"host/all",` + msg + `}`,
	}
}

func others() map[string]string {
	return map[string]string{
		"s/dedup/line:Ken\x00tail\x001":      `1 {"text":"\"Hana\" in a text of Ken"}`,
		"s/fusion/line@a\x00last\x00Ken":     `1 {}`,
		"s/fusion/line@a\x00last\x00Hanae":   `1 {"name":"Hanae"}`,
		"i/host/all\x0000000003":             `{"epoch":1,"msg":{"type":"heard","v":1,"body":{"conversation":"line:Ken"}}}`,
		"e/\x00\x00\x00\x00\x00\x00\x00\x12": `{"from":"dedup/line:Ken","msg":{"type":"ledger_due","v":1,"body":{}}}`,
		"u/host":                             "\x00\x00\x00\x00\x00\x00\x00\x01",
		"h/pause":                            "{}",
	}
}

var forgetHana = engine.Forgetting{
	Conversation: "line:Hana", Kinds: []string{"fusion"}, Names: []string{"Hana"},
	Keep: func(get func(messages.Address, string) ([]byte, bool)) []engine.Kept {
		was, ok := get("dedup/line:Hana", "tail\x001")
		return []engine.Kept{{
			Actor: "dedup/line:Hana", Row: "head\x00head", Value: fmt.Appendf(nil, "%v %d", ok, len(was)),
		}}
	},
}

const keptRow = "s/dedup/line:Hana\x00head\x00head"

func fill(t *testing.T, s engine.Store, rows ...map[string]string) {
	t.Helper()
	for _, m := range rows {
		for k, v := range m {
			if err := s.Apply([]engine.Op{{Key: []byte(k), Value: []byte(v)}}, false); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestForget(t *testing.T) {
	store := mem.New()
	fill(t, store, hanas(), others())
	sum, err := forget(t, resting(t, store), forgetHana)
	if want := (engine.Forgotten{Rows: 5, Mail: 4, Events: 2, Verdicts: 2, DeadLetters: 1}); err != nil || sum != want {
		t.Errorf("Forget() = %+v, %v, want %+v", sum, err, want)
	}
	checkForgotten(t, store)
	if sum, err := forget(t, resting(t, store), engine.Forgetting{Conversation: "line:Nobody"}); err != nil ||
		!sum.None() {
		t.Errorf("Forget(nobody) = %+v, %v, want nothing done", sum, err)
	}
}

// checkForgotten expects that only the others are there, and what was kept.
func checkForgotten(t *testing.T, s *mem.Store) {
	t.Helper()
	for k := range hanas() {
		if v, ok, _ := s.Get([]byte(k)); ok {
			t.Errorf("%q is still there: %s", k, v)
		}
	}
	for k, want := range others() {
		if v, _, _ := s.Get([]byte(k)); string(v) != want {
			t.Errorf("%q = %q, want %q as before", k, v, want)
		}
	}
	if v, _, _ := s.Get([]byte(keptRow)); string(v) != "true 19" {
		t.Errorf("kept row = %q, want what was made of the old one, true 19", v)
	}
	if left := keys(t, s, "f/"); len(left) != 0 {
		t.Errorf("intents %q are left, want none", left)
	}
}

// dying refuses writes after the first n.
type dying struct {
	engine.Store
	n int
}

func (s *dying) Apply(ops []engine.Op, sync bool) error {
	if s.n--; s.n < 0 {
		return errors.New("killed")
	}
	return s.Store.Apply(ops, sync)
}

func TestACrashWhileForgetting(t *testing.T) {
	for writes := 0; ; writes++ {
		store := mem.New()
		fill(t, store, hanas(), others())
		for i := range 80 { // several transactions
			long := fmt.Sprintf("s/dedup/line:Hana\x00tail\x00%03d%s", i, strings.Repeat("x", 60_000))
			fill(t, store, map[string]string{long: "1 {}"})
		}
		before := dump(t, store)
		_, err := forget(t, resting(t, &dying{store, writes}), forgetHana)
		if err == nil {
			if writes < 4 {
				t.Errorf("forgetting took %d writes, want more than 3, to crash in between", writes)
			}
			return
		}
		if writes == 0 {
			if !bytes.Equal(dump(t, store), before) {
				t.Error("a deletion that did not begin has changed the store")
			}
			continue
		}
		if err := resting(t, store).Recover(); err != nil {
			t.Fatalf("Recover after a crash at write %d: %v", writes, err)
		}
		checkForgotten(t, store)
		if left := keys(t, store, "s/dedup/line:Hana"); len(left) != 1 {
			t.Errorf("after a crash at write %d: %d rows of Hana, want the one that is kept", writes, len(left))
		}
	}
}

func TestAnErrorWhileForgettingCanBeTriedAgain(t *testing.T) {
	store := mem.New()
	fill(t, store, hanas(), others())
	flaky := &dying{store, 1}
	e := resting(t, flaky)
	if _, err := forget(t, e, forgetHana); err == nil {
		t.Fatal("Forget() on a store that dies = nil, want its error")
	}
	flaky.n = 100
	if _, err := forget(t, e, forgetHana); err != nil {
		t.Fatal(err)
	}
	checkForgotten(t, store)
}

func TestALiveActorBeginsAnewWhenItIsForgotten(t *testing.T) {
	cached := 0
	h := actortest.Spawn(t, func(messages.Address) actors.Actor {
		cached = 0
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			if n, ok := m.(number); ok {
				stored, _ := counts.Get(turn, "n")
				cached = max(cached, stored) + n.N
				counts.Put(turn, "n", cached)
				turn.After("again", time.Hour, number{100})
			}
			return nil
		})
	}, actortest.WithMessages(stepTypes), actortest.Address("keeper/line:Hana"))
	h.Send(number{1})
	h.Send(number{2})
	actortest.WantStored(h, counts, "n", 3)
	h.WantFailure("begins anew")
	request(t, h, func(ctx context.Context) error {
		_, err := h.Engine().Forget(ctx, engine.Forgetting{
			Conversation: "line:Hana",
			Keep: func(func(messages.Address, string) ([]byte, bool)) []engine.Kept {
				return []engine.Kept{{Actor: "keeper/line:Hana", Row: "counts\x00n", Value: []byte("1 50")}}
			},
		})
		return err
	})
	h.WantNoTimer("again")
	h.Advance(time.Second)
	h.Send(number{4})
	actortest.WantStored(h, counts, "n", 54)
	h.WantDeadLetters(0)
}

func TestSettings(t *testing.T) {
	store := mem.New()
	h := step(t, func(*actors.Turn, messages.Message) error { return nil }, actortest.Store(store))
	request(t, h, func(ctx context.Context) error { return h.Engine().SetSetting(ctx, "pause", []byte("x")) })
	h.Crash()
	if v, ok, err := h.Engine().Setting("pause"); string(v) != "x" || !ok || err != nil {
		t.Errorf(`Setting("pause") = %q, %v, %v, want x`, v, ok, err)
	}
	request(t, h, func(ctx context.Context) error { return h.Engine().SetSetting(ctx, "pause", nil) })
	if _, ok, err := h.Engine().Setting("pause"); ok || err != nil {
		t.Errorf(`Setting("pause") = %v, %v, want none`, ok, err)
	}
}
