package engine_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
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

// aboutName is how a kind may say whom its rows are about: here they hold a name.
func aboutName(c messages.ConversationID, row string, value []byte) bool {
	_, name, _ := strings.Cut(string(c), ":")
	return strings.HasSuffix(row, "\x00"+name) || bytes.Contains(value, fmt.Appendf(nil, "%q", name)) ||
		bytes.Contains(value, fmt.Appendf(nil, "%q", c))
}

// resting makes an engine whose actors do not run.
func resting(t *testing.T, s engine.Store) engine.Control {
	t.Helper()
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Store: s, Codec: codec, Clock: engine.SystemClock{}, Driver: still{},
		Kinds: []engine.Kind{
			{Name: "fusion", About: aboutName, New: func(messages.Address) actors.Actor { return nil }},
			{Name: "dedup", New: func(messages.Address) actors.Actor { return nil },
				Kept: map[string]func([]byte) []byte{"head": keptHead}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	return e.Control()
}

// forget has the engine forget, and commits what it takes.
func forget(t *testing.T, e engine.Control, f engine.Forgetting) (sum engine.Forgotten, err error) {
	t.Helper()
	err = committing(e, func() error {
		sum, err = e.Engine().Forget(context.Background(), f)
		return err
	})
	return sum, err
}

// committing calls a function, and commits until it returns.
func committing(e engine.Control, fn func() error) error {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	for {
		select {
		case err := <-done:
			return err
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
		"s/dedup/line:Hana\x00tail\x001":       `1 {"text":"secret"}`,
		keptRow:                                `1 {"title":"Hana"}`,
		"s/host/line:Hana\x00any\x00x":         `1 {}`,
		"s/fusion/line@a\x00last\x00Hana":      `1 {}`,
		"s/fusion/line@a\x00current\x00now":    `1 "Hana"`,
		"s/fusion/line@a\x00held\x00held":      `1 {"detection":{"conversation":"line:Hana"}}`,
		"i/dedup/line:Hana\x0000000001":        `{"at":"2026-01-01T00:00:00Z","epoch":1,"msg":{"type":"ledger_due","v":1,"body":{}}}`,
		"i/host/all\x0000000002":               `{"at":"2026-01-01T00:00:00Z","epoch":1,` + msg + `}`,
		"t/burst/line:Hana\x00due":             `{"gen":"m1.1","msg":{"type":"burst_due","v":1,"body":{}}}`,
		"c/dedup/line:Hana\x00m1.2":            `{"worker":"x","msg":{"type":"ledger_due","v":1,"body":{}}}`,
		"c/host/all\x00m1.1":                   `{"worker":"x",` + msg + `}`,
		"a/dedup/line:Hana\x00i/dedup/line":    `{"attempts":1,"error":"x"}`,
		"a/host/all\x00i/host/all\x0000000002": `{"attempts":1,"error":"words of Hana"}`,
		"k/dedup/line:Hana\x00key":             `{"at":"2026-01-01T00:00:00Z"}`,
		"e/\x00\x00\x00\x00\x00\x00\x00\x07":   `{"from":"host/all",` + msg + `}`,
		"e/\x00\x00\x00\x00\x00\x00\x00\x08":   `{"from":"dedup/line:Hana","msg":{"type":"ledger_due","v":1,"body":{}}}`,
		"v/\x00\x00\x00\x00\x00\x00\x00\x09":   `{"actor":"dedup/line:Hana","stage":"dedup"}`,
		"v/\x00\x00\x00\x00\x00\x00\x00\x10":   `{"actor":"fusion/line@a","detail":{"conversation":"line:Hana"}}`,
		"d/\x00\x00\x00\x00\x00\x00\x00\x11":   `{"actor":"host/all",` + msg + `}`,
	}
}

func others() map[string]string {
	return map[string]string{
		"s/dedup/line:Ken\x00tail\x001":        `1 {"text":"\"Hana\" in a text of Ken"}`,
		"s/fusion/line@a\x00last\x00Ken":       `1 {}`,
		"s/fusion/line@a\x00last\x00Hanae":     `1 {"name":"Hanae"}`,
		"i/host/all\x0000000003":               `{"epoch":1,"msg":{"type":"heard","v":1,"body":{"conversation":"line:Ken"}}}`,
		"a/host/all\x00i/host/all\x0000000003": `{"attempts":1,"error":"words of Ken"}`,
		"e/\x00\x00\x00\x00\x00\x00\x00\x12":   `{"from":"dedup/line:Ken","msg":{"type":"ledger_due","v":1,"body":{}}}`,
		"u/host":                               "\x00\x00\x00\x00\x00\x00\x00\x01",
		"h/pause":                              "{}",
	}
}

var forgetHana = engine.Forgetting{Conversation: "line:Hana"}

// keptHead is what stays of a row.
func keptHead(was []byte) []byte {
	if bytes.HasPrefix(was, []byte("kept")) {
		return was
	}
	return fmt.Appendf(nil, "kept %d", len(was))
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
	if want := (engine.Forgotten{Rows: 6, Mail: 5, Events: 2, Verdicts: 2, DeadLetters: 1}); err != nil || sum != want {
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
		if v, ok, _ := s.Get([]byte(k)); ok && k != keptRow {
			t.Errorf("%q is still there: %s", k, v)
		}
	}
	for k, want := range others() {
		if v, _, _ := s.Get([]byte(k)); string(v) != want {
			t.Errorf("%q = %q, want %q as before", k, v, want)
		}
	}
	if v, _, _ := s.Get([]byte(keptRow)); string(v) != "kept 18" {
		t.Errorf("kept row = %q, want what was made of the old one, kept 18", v)
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
		_, err := h.Engine().Forget(ctx, engine.Forgetting{Conversation: "line:Hana"})
		return err
	})
	h.WantNoTimer("again")
	h.Advance(time.Second)
	if !slices.ContainsFunc(h.Reported(), func(m messages.Message) bool {
		restart, ok := m.(events.ActorRestarted)
		return ok && restart.Forgotten
	}) {
		t.Error("no restart is reported that says what it forgot")
	}
	h.Send(number{4})
	actortest.WantStored(h, counts, "n", 4)
	h.WantDeadLetters(0)
}

// diary is a host's own message with its own field names.
type diary struct {
	Whom  messages.ConversationID `json:"whom"`
	Words messages.Text           `json:"words"`
}

func (diary) MessageType() messages.Type         { return messages.Type{Name: "test_diary", Version: 1} }
func (d diary) Subject() messages.ConversationID { return d.Whom }

// An actor whose key is nobody's holds and tells of two people; one is forgotten.
func TestAHostsOwnMessagesAreForgottenBySubject(t *testing.T) {
	store := mem.New()
	archive := func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			d, ok := m.(diary)
			switch {
			case !ok:
			case d.Words == "broken":
				return errors.New("cannot be filed")
			default:
				turn.Publish(d)
				turn.Send("nobody/all", d)
				turn.Call("printer", d, actors.CallOptions{Deadline: actors.DefaultDeadline})
				turn.After(string(d.Whom), time.Hour, d)
			}
			return nil
		})
	}
	h := actortest.Spawn(t, archive, actortest.Store(store), actortest.Address("archive/all"),
		actortest.WithMessages(messages.Table{messages.Durable[diary](nil)}))
	for _, who := range []messages.ConversationID{"line:Hana", "line:Ken"} {
		h.Send(diary{who, "words about " + messages.Text(who)})
		for range 5 {
			h.WantFailure("cannot be filed")
		}
		h.Send(diary{who, "broken"})
		for range 5 {
			h.Restart()
		}
	}
	before := dump(t, store)
	for _, prefix := range []string{"i/nobody", "t/", "c/", "d/", "e/"} {
		if n := len(keys(t, store, prefix)); n != 2 {
			t.Fatalf("%d records under %s before, want one of each person in\n%s", n, prefix, before)
		}
	}
	h.WantFailure("was deleted")
	request(t, h, func(ctx context.Context) error {
		_, err := h.Engine().Forget(ctx, engine.Forgetting{Conversation: "line:Hana"})
		return err
	})
	if left := dump(t, store); bytes.Contains(left, []byte("Hana")) ||
		bytes.Count(left, []byte("Ken")) != bytes.Count(before, []byte("Ken")) {
		t.Errorf("the store holds\n%s\nwant all of Ken's and nothing of Hana's of\n%s", left, before)
	}
	h.WantNoTimer("line:Hana")
	h.WantTimer("line:Ken", time.Hour)
}

// A type that no table has cannot be asked for its subject. Records that name the
// conversation are deleted, and records that may be about it are reported.
func TestForgettingWhatCannotBeDecoded(t *testing.T) {
	store := mem.New()
	gone := map[string]string{
		"i/host/all\x0000000001": `{"epoch":1,"msg":{"type":"gone","v":1,"body":{"whom":["line:Hana & Ken"]}}}`,
		"i/host/all\x0000000002": `{"epoch":1,"msg":{"type":"gone","v":1,"body":{"whom":"line:Hana \u0026 Ken"}}}`,
		"d/\x00\x00\x00\x00\x00\x00\x00\x02": `{"actor":"host/all","raw":"` +
			base64.StdEncoding.EncodeToString([]byte("of line:Hana & Ken, cut o")) + `"}`,
	}
	left := map[string]string{
		"i/host/all\x0000000003":             `{"epoch":1,"msg":{"type":"gone","v":1,"body":{"whom":"line:Ken"}}}`,
		"e/\x00\x00\x00\x00\x00\x00\x00\x04": `{"from":"host/all","msg":{"type":"heard","v":9,"body":{}}}`,
		"v/\x00\x00\x00\x00\x00\x00\x00\x05": `{"actor":"host/all","stage":"host","reason":"why","cause":"m1"}`,
	}
	fill(t, store, gone, left)
	sum, err := forget(t, resting(t, store), engine.Forgetting{Conversation: "line:Hana & Ken"})
	if want := (engine.Forgotten{Mail: 2, DeadLetters: 1, Unknown: 2}); err != nil || sum != want {
		t.Errorf("Forget() = %+v, %v, want %+v", sum, err, want)
	}
	for k := range gone {
		if v, ok, _ := store.Get([]byte(k)); ok {
			t.Errorf("%q is still there: %s", k, v)
		}
	}
	for k := range left {
		if _, ok, _ := store.Get([]byte(k)); !ok {
			t.Errorf("%q is gone", k)
		}
	}
}

// An intent that a version left which knew kinds and names is carried out.
func TestAnIntentOfAnOlderVersion(t *testing.T) {
	store := mem.New()
	fill(t, store, hanas(), others(), map[string]string{
		"f/line:Hana": `{"at":"2026-01-01T00:00:00Z","conversation":"line:Hana","kinds":["fusion"],"names":["Hana"],` +
			`"keep":[{"actor":"dedup/line:Hana","row":"head\u0000head","value":"a2VwdCAxOA=="}]}`,
	})
	if err := resting(t, store).Recover(); err != nil {
		t.Fatal(err)
	}
	checkForgotten(t, store)
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

// A program that lacks the kind of actor whose rows are to be asked, or the type of
// a message, leaves an interrupted deletion to the one that has begun it.
func TestOnlyWhoKnowsFinishesForgetting(t *testing.T) {
	for name, row := range map[string]struct{ key, value string }{
		"kind": {"s/host/all\x00rows\x00Hana", `1 "Hana"`},
		"type": {"i/other/all\x0000000001", `{"at":"2026-01-01T00:00:00Z","msg":{"type":"host_own","v":1,"body":{"n":1}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := mem.New()
			intent := "f/line:Hana"
			put := func(key, value string) engine.Op { return engine.Op{Key: []byte(key), Value: []byte(value)} }
			if err := s.Apply([]engine.Op{
				put(row.key, row.value), put("s/dedup/line:Hana\x00head\x00head", "1 {}"),
				put(intent, `{"at":"2026-01-01T00:00:00Z","conversation":"line:Hana","kinds":["host"]}`),
			}, false); err != nil {
				t.Fatal(err)
			}
			table := messages.Table{messages.Durable[hostOwn](nil)}
			recover := func(host bool) engine.Control {
				t.Helper()
				o := engine.Options{Store: s, Clock: engine.SystemClock{}, Driver: still{}}
				about := func(_ messages.ConversationID, row string, _ []byte) bool {
					return strings.HasSuffix(row, "\x00Hana")
				}
				if host || name == "type" {
					none := func(messages.Address) actors.Actor { return nil }
					o.Kinds = []engine.Kind{{Name: "host", About: about, New: none}}
				}
				tables := []messages.Table{events.Core()}
				if host {
					tables = append(tables, table)
				}
				var err error
				if o.Codec, err = messages.NewCodec(tables...); err != nil {
					t.Fatal(err)
				}
				e, err := engine.New(o)
				if err == nil {
					err = e.Control().Recover()
				}
				if err != nil {
					t.Fatal(err)
				}
				return e.Control()
			}
			left := func() string { return fmt.Sprint(len(keys(t, s, row.key)), len(keys(t, s, intent))) }
			e := recover(false)
			if left() != "1 1" {
				t.Errorf("after a start without it %s are left, want the row and the intent", left())
			}
			sum, err := forget(t, e, engine.Forgetting{Conversation: "line:Hana"})
			if err != nil {
				t.Fatal(err)
			}
			if !sum.Partial {
				t.Errorf("Forget() = %+v, want it to be partial", sum)
			}
			if left() != "1 1" || len(keys(t, s, "s/dedup/")) != 0 {
				t.Errorf("asked for once more without it %s are left, want the row and the intent alone", left())
			}
			recover(true)
			if left() != "0 0" {
				t.Errorf("after a start with it %s are left, want nothing", left())
			}
		})
	}
}

type hostOwn struct{ N int }

func (hostOwn) MessageType() messages.Type { return messages.Type{Name: "host_own", Version: 1} }

func (hostOwn) Subject() messages.ConversationID { return "line:Hana" }

// Where commits are not synced, a power cut after a deletion brings nothing of it back: neither what
// it deleted nor what had been deleted before, of which it found nothing.
func TestAPowerCutBringsNothingForgottenBack(t *testing.T) {
	for _, handled := range []bool{false, true} {
		store := mem.New()
		codec := testCodec(t)
		start := func() *engine.Sim {
			s, err := engine.NewSim(engine.SimOptions{Seed: 1, Engine: engine.Options{Store: store, Codec: codec,
				Kinds: []engine.Kind{{Name: "host", New: func(messages.Address) actors.Actor {
					return actors.Func(func(*actors.Turn, messages.Message) error {
						if !handled {
							return errors.New("not now")
						}
						return nil
					})
				}}}}})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := start()
		if _, err := s.Inject("host/all", secret{Epoch: 1}, ""); err != nil {
			t.Fatal(err)
		}
		s.Commit()
		if err := store.Apply(nil, true); err != nil { // until now
			t.Fatal(err)
		}
		if handled {
			s.Settle()
		}
		err := s.Await(func(ctx context.Context) error {
			sum, err := s.Engine().Forget(ctx, engine.Forgetting{Conversation: hana,
				Begins: func() {
					if handled {
						t.Error("told that it deletes nothing")
					}
				}})
			if sum.None() != handled {
				t.Errorf("handled=%v: Forget() = %+v", handled, sum)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		store = store.CloneSynced()
		start()
		if err := store.Scan(nil, nil, func(k, v []byte) bool {
			if bytes.Contains(v, []byte("Epoch")) || bytes.HasPrefix(k, []byte("f/")) {
				t.Errorf("handled=%v: after a power cut the store holds %q = %s", handled, k, v)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
}
