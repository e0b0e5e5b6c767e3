package runtime_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
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
