package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// TestIDsOfAnOlderVersion: an id that was made of a name stays, is found by the name
// before its window shows it, and what comes next belongs to it.
func TestIDsOfAnOlderVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store spy
		s := testkit.Start(t, store.option())
		err := s.Runtime.Inject(context.Background(), "dedup/line:Hana", messages.Detection{
			Window: "line@test", Conversation: "line:Hana", Title: "Hana", Size: messages.Rect{W: 400, H: 600},
			Scale: 1, SeenAt: time.Now(), Bubbles: []messages.Bubble{{Side: messages.SideIncoming,
				Kind: messages.KindText, Text: "昔の話", Key: 7, Box: messages.Rect{X: 20, Y: 300, W: 90, H: 30}}},
		}, "")
		if err != nil {
			t.Fatal(err)
		}
		s.Advance(10 * time.Second)
		// The older version had not heard of directories.
		if err := store.Apply([]engine.Op{{Key: []byte("h/directory"), Delete: true}}, true); err != nil {
			t.Fatal(err)
		}
		for range 2 { // with a crash after the first adoption
			s.Crash()
			s.Advance(time.Second)
			list, err := s.Runtime.Conversations(context.Background())
			if err != nil || len(list) != 1 || list[0].ID != "line:Hana" || list[0].Name != "Hana" ||
				list[0].Messages != 1 {
				t.Fatalf("Conversations() = %+v, %v, want line:Hana with one message", list, err)
			}
		}
		s.Friend("Hana", "昔の話", "新しい話")
		s.Advance(20 * time.Second)
		heard := s.Messages()
		if n := len(heard); n == 0 || heard[n-1].Conversation != "line:Hana" || heard[n-1].Text != "新しい話" {
			t.Errorf("delivered %+v, want the new message last, of line:Hana", heard)
		}
		if sum, err := s.Runtime.Forget(context.Background(), "Hana"); err != nil || sum.Events == 0 {
			t.Errorf("Forget(Hana) = %+v, %v, want what is stored of line:Hana gone", sum, err)
		}
		if c := s.ID("Hana"); c != "line:Hana" {
			t.Errorf("once forgotten Hana is %s, want line:Hana: what is visible is known", c)
		}
	})
}

// TestNames: a conversation is found by each of its names, and never guessed.
func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		s.Friend("Hana", "おはよう")
		s.WantMessages("おはよう")
		hana, ken := s.Messages()[0].Conversation, s.ID("Ken")
		ctx := context.Background()
		if s.ID("Hana") != hana || s.Runtime.Called(hana) != "line:Hana" || ken == hana {
			t.Errorf("Hana is %s, called %q, and Ken %s; want %s, line:Hana and another", s.ID("Hana"),
				s.Runtime.Called(hana), ken, hana)
		}
		if title, ok, err := s.Runtime.Title(hana); title != "Hana" || !ok || err != nil {
			t.Errorf("Title(%s) = %q, %v, %v, want Hana", hana, string(title), ok, err)
		}
		if err := s.Runtime.Rename(ctx, ken, "Hana"); err != nil {
			t.Fatal(err)
		}
		s.Crash()
		s.Advance(time.Second)
		if _, err := s.Runtime.Forget(ctx, "Hana"); !errors.Is(err, runtime.ErrNotClear) {
			t.Errorf("Forget of a name that two have = %v, want %v", err, runtime.ErrNotClear)
		}
		if err := s.Runtime.Sending(ctx, "line:Hana", "hi", "t1"); !errors.Is(err, runtime.ErrNotClear) {
			t.Errorf("Sending to a name that two have = %v, want %v", err, runtime.ErrNotClear)
		}
		n := 0
		err := s.Runtime.Backend().Timeline(ctx, control.Query{Conversation: hana}, func(control.Entry) error {
			n++
			return nil
		})
		if err != nil || n != 1 {
			t.Errorf("Messages of the id: %d, %v, want 1", n, err)
		}
	})
}

// oneAway are keys, one of which is out of reach.
type oneAway struct {
	engine.Sealer
	whose *atomic.Value // a string
}

func (a oneAway) is(id messages.ConversationID) bool { return a.whose.Load() == string(id) }

func (a oneAway) err() error {
	return fmt.Errorf("keys/1234: permission denied: give this user the right to it back: %w", engine.ErrKeyAway)
}

func (a oneAway) Ready(subject string) error {
	if a.is(messages.ConversationID(subject)) {
		return a.err()
	}
	return a.Sealer.Ready(subject)
}

func (a oneAway) Open(place, sealed []byte) ([]byte, error) {
	if w := a.whose.Load().(string); w != "" && a.Under(w, sealed) {
		return nil, a.err()
	}
	return a.Sealer.Open(place, sealed)
}

// The key of one conversation is out of reach at a start. Nobody else waits for it: the others are listed, found
// by name, renamed and, by their ids, forgotten. Only a new name is held, as it may be that one's, and people are
// told which key it is. Once the key is back all goes on.
func TestNobodyElseWaitsForAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, keys, ctx := mem.New(), oneAway{keyring.Memory(nil), &atomic.Value{}}, t.Context()
		keys.whose.Store("")
		begin := func() (*runtime.Runtime, func() error) {
			rt := newRuntime(t, noWindow(t), runtime.WithSealer(keys),
				runtime.WithStore(func() (engine.Store, error) { return st, nil }))
			return rt, start(t, rt)
		}
		rt, stop := begin()
		aki, err := rt.Conversation(ctx, "line", "Aki")
		if err != nil {
			t.Fatal(err)
		}
		ken, err := rt.Conversation(ctx, "line", "Ken")
		if err != nil {
			t.Fatal(err)
		}
		st = st.Clone()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		keys.whose.Store(string(aki))
		rt, stop = begin()
		if list, err := rt.Conversations(ctx); err != nil || len(list) != 1 || list[0].ID != ken {
			t.Errorf("Conversations() = %+v, %v, want Ken", list, err)
		}
		if got, err := rt.Conversation(ctx, "line", "Ken"); got != ken || err != nil {
			t.Errorf("Conversation(Ken) = %s, %v, want %s", got, err, ken)
		}
		for _, name := range []string{"Aki", "Yui"} {
			soon, cancel := context.WithTimeout(ctx, time.Minute)
			if got, err := rt.Conversation(soon, "line", name); got != "" || !errors.Is(err, engine.ErrKeyAway) {
				t.Errorf("Conversation(%s) = %s, %v, want it held and which key it waits for", name, got, err)
			}
			cancel()
		}
		if err := rt.Rename(ctx, ken, "Kenji"); err != nil {
			t.Errorf("Rename(Ken): %v", err)
		}
		if err := rt.Rename(ctx, "line:Aki", "A"); !errors.Is(err, engine.ErrKeyAway) {
			t.Errorf("Rename(Aki) = %v, want which key is out of reach", err)
		}
		<-time.After(time.Minute)
		if h := fmt.Sprint(rt.Healthy()); !strings.Contains(h, "give this user the right to it back") {
			t.Errorf("Healthy() = %s, want which key is waited for, and what helps", h)
		}
		if sum, err := rt.Forget(ctx, ken); err != nil || sum.Rows == 0 {
			t.Errorf("Forget(Kenji) = %+v, %v, want rows", sum, err)
		}
		keys.whose.Store("")
		if got, err := rt.Conversation(ctx, "line", "Aki"); got != aki || err != nil {
			t.Errorf("with the key back Conversation(Aki) = %s, %v, want %s", got, err, aki)
		}
		if got, err := rt.Conversation(ctx, "line", "Yui"); got == "" || err != nil {
			t.Errorf("with the key back Conversation(Yui) = %s, %v, want an id", got, err)
		}
		if err := errors.Join(rt.Healthy(), stop()); err != nil {
			t.Error(err)
		}
	})
}
