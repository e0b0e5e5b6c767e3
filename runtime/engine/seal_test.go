package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// wantSealed wants every row sealed except rows with numbers and times.
func wantSealed(t *testing.T, s engine.Store) {
	t.Helper()
	n := 0
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		class, _, _ := strings.Cut(strings.TrimPrefix(string(k), "l"), "/")
		switch sealed := bytes.HasPrefix(v, []byte("\x00ks\x01")); {
		case strings.Contains("itcasdevfh", class) != sealed:
			t.Errorf("row %q of class %q: sealed is %v", k, class, sealed)
		case sealed:
			n++
		}
		return true
	})
	if err != nil || n == 0 {
		t.Errorf("%d rows are sealed, %v, want some", n, err)
	}
}

// opened is a dump of what a store holds, opened.
func opened(t *testing.T, s *mem.Store, keys engine.Sealer) string {
	t.Helper()
	plain := mem.New()
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		if string(k) == "m/sealed" {
			return true
		}
		v, err := engine.OpenRow(keys, k, v)
		if err == nil {
			err = plain.Apply([]engine.Op{{Key: k, Value: v}}, false)
		}
		if err != nil {
			t.Errorf("row %q: %v", k, err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return sansStarts(dump(t, plain))
}

// locked makes an engine with keys on which nothing runs.
func locked(t *testing.T, s engine.Store, keys engine.Sealer, told *[]int) engine.Control {
	t.Helper()
	e, err := engine.New(engine.Options{Store: s, Sealer: keys, Codec: testCodec(t), Clock: engine.SystemClock{},
		Driver: still{}, Sealing: func(rows int) {
			if told != nil {
				*told = append(*told, rows)
			}
		},
		Kinds: []engine.Kind{
			{Name: "keeper", Here: true, New: func(messages.Address) actors.Actor { return nil }},
			{Name: "diary", New: func(messages.Address) actors.Actor { return nil }},
			{Name: "shared", New: func(messages.Address) actors.Actor { return nil },
				SubjectOf: func(row string, _ []byte) messages.ConversationID {
					_, key := actors.SplitRow(row)
					return messages.ConversationID(key)
				}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	return e.Control()
}

// A store of an older version is sealed at the first start; one that is cut short
// at any of its writes is sealed by the next.
func TestAnOldStoreIsSealed(t *testing.T) {
	plain := old(t)
	if err := lonely(t, plain, true).Recover(); err != nil {
		t.Fatal(err)
	}
	want := sansStarts(dump(t, plain))
	for writes := 0; ; writes++ {
		store, keys := old(t), keyring.Memory(nil)
		first := locked(t, &dying{store, writes}, keys, nil).Recover()
		var told []int
		if err := locked(t, store, keys, &told).Recover(); err != nil {
			t.Fatalf("Recover after a crash at write %d: %v", writes, err)
		}
		if got := opened(t, store, keys); got != want {
			t.Fatalf("after a crash at write %d the store holds\n%.2000s\nwant\n%.2000s", writes, got, want)
		}
		if first == nil {
			if wantSealed(t, store); writes < 8 || told != nil {
				t.Errorf("a start took %d writes, want 8 at least; the next told of %v rows, want none", writes, told)
			}
			return
		}
		if len(told) > 0 && told[0] != 0 {
			t.Errorf("the first number told is %d, want 0: nothing is sealed yet", told[0])
		}
	}
}

// refusing is a sealer that cannot seal what is about one subject.
type refusing struct {
	engine.Sealer
	subject string
}

var errRefused = errors.New("no space left for a key")

func (r refusing) Seal(to []byte, subject string, place, plain []byte) ([]byte, error) {
	if subject == r.subject {
		return nil, errRefused
	}
	return r.Sealer.Seal(to, subject, place, plain)
}

// A store with a part that cannot be sealed does not count as sealed.
func TestAStoreThatCannotBeSealedSaysSo(t *testing.T) {
	store, ring := mem.New(), keyring.Memory(nil)
	fill(t, store, map[string]string{"m/format": "3", "s/diary/ken\x00a\x00b": `1 "canary"`,
		"s/diary/hana\x00a\x00b": `1 "canary"`})
	err := locked(t, store, refusing{ring, "ken"}, nil).Recover()
	if _, marked, _ := store.Get([]byte("m/sealed")); !errors.Is(err, errRefused) || marked {
		t.Errorf("Recover() = %v, the store counts as sealed: %v, want an error and no", err, marked)
	}
	if err := locked(t, store, ring, nil).Recover(); err != nil {
		t.Error(err)
	}
	wantSealed(t, store)
}

// A store whose rows were stored without keys is sealed as soon as there are some.
func TestAStoreWithoutKeysIsSealedLater(t *testing.T) {
	store := load(t, goldenStore)
	if err := lonely(t, store, true).Recover(); err != nil {
		t.Fatal(err)
	}
	var told []int
	if err := locked(t, store, keyring.Memory(nil), &told).Recover(); err != nil {
		t.Fatal(err)
	}
	wantSealed(t, store)
	if len(told) < 2 || told[0] != 0 || told[len(told)-1] == 0 {
		t.Errorf("told of %v rows, want 0 first and more in the end", told)
	}
}

func TestWithoutItsKeysAStoreDoesNotOpen(t *testing.T) {
	store, keys := load(t, goldenStore), keyring.Memory(nil)
	if err := locked(t, store, keys, nil).Recover(); err != nil {
		t.Fatal(err)
	}
	before := dump(t, store)
	none := engine.Sealer(nil)
	other := keyring.Memory(nil)
	if _, err := other.Seal(nil, "", nil, nil); err != nil { // it has a key for the node
		t.Fatal(err)
	}
	for name, s := range map[string]engine.Sealer{"none": none, "lost": keyring.Memory(nil), "others": other} {
		err := locked(t, store, s, nil).Recover()
		if !errors.Is(err, engine.ErrNoKey) && (name != "others" || !errors.Is(err, engine.ErrRecord)) {
			t.Errorf("%s: Recover() = %v, want a missing key", name, err)
		}
		text := fmt.Sprint(err)
		if !strings.Contains(text, "backup") && !strings.Contains(text, "open it with its keys") {
			t.Errorf("%s: Recover() = %v, want it to say what to do", name, err)
		}
	}
	if !bytes.Equal(dump(t, store), before) {
		t.Error("a start without the keys has changed the store")
	}
}

// A row opens at its place only, and once all are sealed none is taken that is not.
func TestRowsCannotBeSwapped(t *testing.T) {
	for name, change := range map[string]func(get func(string) []byte) []byte{
		"another row": func(get func(string) []byte) []byte { return get("s/actor/test\x00counts\x00a") },
		"changed": func(get func(string) []byte) []byte {
			v := bytes.Clone(get("s/actor/test\x00counts\x00n"))
			v[len(v)-1]++
			return v
		},
		"cut":   func(get func(string) []byte) []byte { return get("s/actor/test\x00counts\x00n")[:20] },
		"plain": func(func(string) []byte) []byte { return []byte(`7`) },
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			h := step(t, func(turn *actors.Turn, m messages.Message) error {
				n, _ := counts.Get(turn, "n")
				counts.Put(turn, "n", n+1)
				counts.Put(turn, "a", 100)
				return nil
			}, actortest.Store(store), actortest.Sealed(keyring.Memory(nil)))
			h.Send(number{1})
			actortest.WantStored(h, counts, "n", 1)
			v := change(func(key string) []byte { v, _, _ := store.Get([]byte(key)); return v })
			fill(t, store, map[string]string{"s/actor/test\x00counts\x00n": string(v)})
			h.WantFailure("restore the data directory from a backup")
			h.Send(number{2})
		})
	}
}

// The rows of one conversation that has lost its key are bad by themselves: its mail
// becomes dead letters, its events say why, everything else goes on. Forgetting it
// deletes them, and a conversation that is forgotten has no key any more.
func TestAKeyThatIsMissing(t *testing.T) {
	store, keys := mem.New(), keyring.Memory(nil)
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		turn.Publish(m)
		turn.Send("other/a", m)
		return nil
	}, actortest.Store(store), actortest.Sealed(keys), actortest.WithMessages(messages.Table{
		messages.Durable[secret](nil)}))
	h.Send(number{1})
	h.Send(secret{N: 1})
	for _, of := range []string{string(hana), "c-other"} {
		key := "s/talk/" + of + "\x00counts\x00n"
		row, err := keys.Seal([]byte("\x00ks\x01"), of, []byte(key), []byte("1 7"))
		if err != nil {
			t.Fatal(err)
		}
		fill(t, store, map[string]string{key: string(row)})
	}
	if err := keys.Destroy(string(hana)); err != nil {
		t.Fatal(err)
	}
	h.Crash()
	var told []string
	err := h.Engine().ReadLog(0, func(p engine.Published) bool {
		told = append(told, fmt.Sprint(p.Message, errors.Is(p.Err, engine.ErrNoKey)))
		return true
	})
	if got := strings.Join(told, "; "); err != nil || got != "{1} false; <nil> true" {
		t.Errorf("ReadLog() tells of %q, %v", got, err)
	}
	mail := 0
	if err := h.Engine().ReadMail(func(env engine.Envelope) bool {
		if mail++; (env.Message == nil) != (mail == 2) {
			t.Errorf("mail %d is %v", mail, env.Message)
		}
		return true
	}); err != nil || mail != 2 {
		t.Errorf("ReadMail() yields %d, %v, want 2", mail, err)
	}
	h.Send(secret{N: 2}) // under a new key
	kept, err := keys.Seal(nil, string(hana), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	if err := h.Engine().ReadRows("talk", func(engine.Row) bool { rows++; return true }); err != nil || rows != 1 {
		t.Errorf("ReadRows() = %d rows, %v, want the one whose key is there", rows, err)
	}
	if err := h.Engine().ReadRowsIn("talk", "counts", func(engine.Row) bool { rows++; return true }); err != nil ||
		rows != 2 {
		t.Errorf("ReadRowsIn() = %d rows, %v, want the one whose key is there", rows-1, err)
	}
	sum, err := forget(t, h.Engine().Control(), engine.Forgetting{Conversation: hana})
	if err != nil || sum.Rows != 1 || sum.Mail != 2 || sum.Events != 2 || sum.Unknown != 0 {
		t.Errorf("Forget() = %+v, %v, want two messages and two events, of which one each cannot be read", sum, err)
	}
	wantSealed(t, store)
	if _, err := keys.Open(nil, kept); !errors.Is(err, engine.ErrNoKey) || !strings.Contains(err.Error(), "backup") {
		t.Errorf("Open() = %v, want a missing key and what to do", err)
	}
}

// Each thing that is stored of a conversation is sealed under its key, wherever it
// stands: without the key nothing of it is left.
func TestRowsAreSealedForTheirSubject(t *testing.T) {
	store, keys := mem.New(), keyring.Memory(nil)
	h := step(t, func(turn *actors.Turn, m messages.Message) error {
		s := m.(secret)
		turn.Publish(s)
		turn.Send("other/a", s)
		turn.After("timer", 1e9, s)
		turn.Call("calc", s, actors.CallOptions{Deadline: actors.DefaultDeadline})
		turn.Drop("test", "rule", events.Detail{Conversation: hana})
		counts.Put(turn, "n", 1)
		if s.N == 2 {
			return errors.New("no luck")
		}
		return nil
	}, actortest.Store(store), actortest.Sealed(keys), actortest.WithMessages(messages.Table{
		messages.Durable[secret](nil)}))
	h.Send(secret{N: 1})
	for range 5 {
		h.WantFailure("no luck")
	}
	h.Send(secret{N: 2})
	for range 5 {
		h.Restart()
	}
	of := map[string]bool{}
	if err := store.Scan(nil, nil, func(k, v []byte) bool {
		class, _, _ := strings.Cut(string(k), "/")
		if v, ok := bytes.CutPrefix(v, []byte("\x00ks\x01")); ok {
			of[class] = keys.Under(string(hana), v)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"i": true, "t": true, "c": true, "e": true, "v": true, "d": true, "s": false}
	if fmt.Sprint(of) != fmt.Sprint(want) {
		t.Errorf("sealed for the conversation, by class: %v, want %v", of, want)
	}
}

// A row of an actor that is about many is sealed for whom it is about, also one that an
// older version has sealed for the actor. So what is copied before somebody is
// forgotten tells nothing of them afterwards, and all of the others.
func TestRowsOfSharedActorsAreSealedForWhomTheyAreAbout(t *testing.T) {
	store, ring := mem.New(), keyring.Memory(nil)
	rows := map[string]string{"m/format": "3",
		"s/shared/app\x00names\x00" + string(hana): `1 "canary"`, "s/shared/app\x00names\x00ken": `1 "goes on"`}
	for k, v := range rows { // as an older version has sealed them
		if k[0] != 's' {
			continue
		}
		sealed, err := ring.Seal([]byte("\x00ks\x01"), "app", []byte(k), []byte(v))
		if err != nil {
			t.Fatal(err)
		}
		rows[k] = string(sealed)
	}
	mark, err := ring.Seal(nil, "", []byte("m/sealed"), []byte("kehai"))
	if err != nil {
		t.Fatal(err)
	}
	rows["m/sealed"] = string(mark)
	fill(t, store, rows)
	e := locked(t, store, ring, nil)
	if err := e.Recover(); err != nil {
		t.Fatal(err)
	}
	wantSealed(t, store)
	copied := store.Clone()
	if sum, err := forget(t, e, engine.Forgetting{Conversation: hana}); err != nil || sum.None() {
		t.Fatalf("Forget() = %+v, %v, want a row deleted", sum, err)
	}
	for name, s := range map[string]*mem.Store{"copy": copied, "store": store} {
		for _, k := range keys(t, s, "s/shared/") {
			v, _, _ := s.Get([]byte(k))
			plain, err := engine.OpenRow(ring, []byte(k), v)
			if strings.HasSuffix(k, "ken") != (err == nil) || strings.Contains(string(plain), "canary") {
				t.Errorf("after the deletion the row %q of the %s opens as %q, %v", k, name, plain, err)
			}
		}
	}
	told := []int(nil)
	if err := locked(t, store, ring, &told).Recover(); err != nil || told != nil {
		t.Errorf("the next start seals %v rows anew, %v, want none", told, err)
	}
}
