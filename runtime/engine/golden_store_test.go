package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// A golden store holds one of everything that the kernel stores, a line
// "key = value" each. Where the change of a form changes store.golden, keep a
// copy of the old file as store.2026-01-02.golden: it must still load.
const goldenStore = "testdata/store.golden"

// goldenActor leaves one of everything behind, and fails at 13 and 14.
func goldenActor(turn *actors.Turn, m messages.Message) error {
	switch m := m.(type) {
	case number:
		if m.N > 1 {
			return errors.New("no luck with this number")
		}
		all(turn, m.N)
		turn.Call("calc", ask{7}, actors.CallOptions{Deadline: time.Minute, Retries: 3, Tag: "tag"})
	default:
		turn.Send("other/a", m)
	}
	return nil
}

func TestGoldenStore(t *testing.T) {
	store := mem.New()
	h := step(t, goldenActor, actortest.Store(store), actortest.Address("keeper/は/な"))
	h.SendOnce("id-1", number{1})
	for range 5 {
		h.WantFailure("no luck")
	}
	h.SendFrom("poller/a", number{13})
	for range 5 {
		h.Restart() // not Advance: the backoff is random
	}
	request(t, h, func(ctx context.Context) error { return h.Engine().SetCursor(ctx, "page", 1) })
	h.WantFailure("no luck")
	h.SendFrom("poller/a", number{14})

	got := dump(t, store)
	if update := flag.Lookup("update").Value.String() == "true"; update {
		if err := os.WriteFile(goldenStore, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenStore)
	if err != nil {
		t.Fatalf("%v; make it with -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the store holds\n%s\nwant as in %s:\n%s", got, goldenStore, want)
	}
	for _, prefix := range []string{"i/keeper", "i/other", "t/", "c/", "a/", "s/", "d/", "e/", "v/", "k/", "u/",
		"m/seq", "m/boot"} {
		if !bytes.Contains(got, []byte("\""+prefix)) {
			t.Errorf("the golden store holds nothing under %s", prefix)
		}
	}
}

func TestGoldenStoresLoad(t *testing.T) {
	files, err := filepath.Glob("testdata/store*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden store: %v", err)
	}
	for n := range 2 * len(files) {
		file, name := files[n/2], filepath.Base(files[n/2])
		var keys engine.Sealer
		if n%2 == 1 {
			keys, name = keyring.Memory(nil), name+" sealed"
		}
		t.Run(name, func(t *testing.T) {
			store := load(t, file)
			var attempts []int
			h := step(t, func(turn *actors.Turn, m messages.Message) error {
				attempts = append(attempts, turn.Cause().Attempt)
				turn.Send("other/b", m)
				return nil
			}, actortest.Store(store), actortest.Sealed(keys), actortest.Address("keeper/は/な"),
				actortest.Start(time.Date(2026, 1, 1, 0, 30, 0, 0, time.UTC)))
			h.WantCalls(
				actortest.Ask("calc", ask{1}),
				actortest.Ask("calc", ask{7}, actors.CallOptions{Deadline: time.Minute, Retries: 3, Tag: "tag"}),
			)
			h.WantSent(actortest.To("other/b", number{14}))
			h.WantTimer("durable", 30*time.Minute)
			h.Advance(30 * time.Minute)
			h.Answer(twice{2})
			h.SendOnce("id-1", number{15})
			h.WantSent(actortest.To("other/b", flush{}), actortest.To("other/b", twice{2}))
			if got, want := fmt.Sprint(attempts), "[2 1 1]"; got != want {
				t.Errorf("attempts = %s, want %s", got, want)
			}
			actortest.WantRows(h, counts, map[string]int{"n": 1})
			checkHistory(t, h.Engine())
			id := h.DeadLetters()[0].ID
			request(t, h, func(ctx context.Context) error { return h.Engine().RetryDeadLetter(ctx, id) })
			h.WantSent(actortest.To("other/b", number{13}))
			if keys != nil {
				wantSealed(t, store)
			}
		})
	}
}

// checkHistory looks at what a golden store tells about the past.
func checkHistory(t *testing.T, e *engine.Engine) {
	t.Helper()
	var told []messages.Message
	if err := e.ReadLog(0, func(p engine.Published) bool {
		told = append(told, p.Message)
		return p.From == "keeper/は/な" && p.Seq > 0
	}); err != nil || fmt.Sprint(told) != fmt.Sprint([]messages.Message{twice{1}}) {
		t.Errorf("ReadLog() = %v, %v, want %v", told, err, twice{1})
	}
	var verdicts []string
	if err := e.ReadVerdicts(func(v events.Verdict) bool {
		verdicts = append(verdicts, fmt.Sprint(v.Actor, " ", v.Stage, " ", cmp.Or(v.Reason, string(v.Detail.Rule)), " ",
			v.Cause, " ", v.At.Format(time.RFC3339)))
		return true
	}); err != nil || strings.Join(verdicts, "\n") != "keeper/は/な test dropped m1 2026-01-01T00:00:00Z" {
		t.Errorf("ReadVerdicts() = %q, %v, want the one of the test", verdicts, err)
	}
	if seq, err := e.Cursor("page"); seq != 1 || err != nil {
		t.Errorf("Cursor(page) = %d, %v, want 1", seq, err)
	}
	list, err := e.DeadLetters()
	if err != nil || len(list) != 1 || list[0].Error != "no luck with this number" || list[0].Type != "test_number" ||
		list[0].Attempts != 5 {
		t.Errorf("DeadLetters() = %+v, %v, want the number 13 after 5 attempts", list, err)
	}
}

func dump(t *testing.T, s *mem.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	err := s.Scan(nil, nil, func(k, v []byte) bool {
		value := strconv.Quote(string(v))
		if strconv.CanBackquote(string(v)) {
			value = "`" + string(v) + "`"
		}
		fmt.Fprintf(&b, "%q = %s\n", k, value)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(t *testing.T, file string) *mem.Store {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	for line := range strings.Lines(string(raw)) {
		left, right, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		key, kerr := strconv.Unquote(left)
		value, verr := strconv.Unquote(right)
		if err := errors.Join(kerr, verr); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		if err := store.Apply([]engine.Op{{Key: []byte(key), Value: []byte(value)}}, false); err != nil {
			t.Fatal(err)
		}
	}
	return store
}
