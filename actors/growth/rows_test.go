package growth_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// under reports how many rows stand under a key, and how many elsewhere.
func (l *lane) under(key []byte) (here, elsewhere int) {
	count := func(at, name string) {
		if at == memory.RowOf(key, name) {
			here++
		} else {
			elsewhere++
		}
	}
	for at, v := range actortest.Rows(l.Harness, growth.Topics) {
		count(at, v.Key())
	}
	for at, v := range actortest.Rows(l.Harness, growth.Entities) {
		count(at, memory.Key(messages.MessageID(v.Type+"\x00"+string(v.Name))))
	}
	return here, elsewhere
}

// TestKeysOfRowsTellNothing: the keys of rows are not sealed, so they hold no name and no
// hash of one that could be guessed. What rests on them is found as before.
func TestKeysOfRowsTellNothing(t *testing.T) {
	key := []byte("of the conversation")
	l := spawnWith(t, key)
	l.reads(hana("1", 1, "田中さんと大阪に住んでます"), hana("2", 5, "神戸に引っ越しました。田中さんも"))
	person := memory.Key("person\x00田中")
	rests, _ := actortest.Stored(l.Harness, growth.Events, memory.Key("1"))
	if !slices.Contains(rests.Entities, person) {
		t.Fatalf("the event names %v, want a person: this test shows nothing", rests.Entities)
	}
	if here, elsewhere := l.under(key); here < 3 || elsewhere != 0 {
		t.Errorf("%d rows are under the key and %d are not, want all", here, elsewhere)
	}
	l.want(t, "- fact Hana home: 大阪 | 01-01–01-05 superseded", "= fact Hana home: 神戸 | 01-05–")
	l.reads(gone("1"), gone("2"))
	if s := l.stored(t); s != "[{},{},{},{},{},{}]" {
		t.Errorf("%s is left, want nothing", s)
	}
}

// TestRowsAreMoved: what an older version, or a store without keys, has left moves under the
// key, some in each turn and through crashes; meanwhile it is found where it is.
func TestRowsAreMoved(t *testing.T) {
	kept, key, other := mem.New(), []byte("of the conversation"), []byte("another")
	l := spawn(t, actortest.Store(kept))
	l.reads(hana("1", 1, "大阪に住んでます"))
	for n := range 240 {
		l.reads(hana(messages.MessageID(fmt.Sprint("t", n)), 2, messages.Text(fmt.Sprintf("第%d稿を出さなきゃ", n))))
	}
	if _, plain := l.under(key); plain < 240 {
		t.Fatalf("%d rows are plain: this test shows nothing", plain)
	}
	l = spawnWith(t, key, actortest.Store(kept), actortest.Start(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)))
	l.n = 400
	l.reads(hana("2", 5, "神戸に引っ越しました"))
	if here, elsewhere := l.under(key); here == 0 || elsewhere == 0 {
		t.Errorf("some turns have moved %d of %d rows, want a part", here, here+elsewhere)
	}
	l.Crash()
	l.reads(gone("t3"))
	l.CrashBeforeCommit()
	l.Advance(time.Minute)
	here, elsewhere := l.under(key)
	if elsewhere != 0 {
		t.Errorf("%d rows are left, want none", elsewhere)
	}
	states := l.states(t)
	for _, k := range [][]byte{other, nil, key} { // such as a store that is written in plain again
		l = spawnWith(t, k, actortest.Store(kept), actortest.Start(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)))
		l.Send(messages.Grow{Conversation: "c-1"})
		l.Advance(time.Minute)
		if now, left := l.under(k); now != here || left != 0 || l.states(t) != states {
			t.Errorf("under %q are %d rows and elsewhere %d, want %d, the same", k, now, left, here)
		}
	}
}

// TestRowsOfTwoVersionsBecomeOne: an older version that ran in between has begun rows of its
// own beside those that it could not find.
func TestRowsOfTwoVersionsBecomeOne(t *testing.T) {
	kept, key := mem.New(), []byte("of the conversation")
	l := spawnWith(t, key, actortest.Store(kept))
	l.reads(hana("1", 1, "田中さんと大阪に住んでます"))
	older := func(messages.Address) actors.Actor {
		return actors.Func(func(turn *actors.Turn, m messages.Message) error {
			if _, ok := m.(messages.Grow); !ok {
				return nil
			}
			lane, _ := growth.Lanes.Get(turn, growth.LaneRow)
			lane.Rows = ""
			growth.Lanes.Put(turn, growth.LaneRow, lane)
			home := memory.Topic{Kind: memory.Fact, Subject: "Hana", Name: messages.Text(memory.Home)}
			growth.Topics.Put(turn, home.Key(), home.With(memory.Claim{Event: "2", At: hana("2", 5, "").At,
				Op: memory.Holds, Body: "神戸"}))
			growth.Entities.Put(turn, memory.Key("person\x00田中"),
				memory.Entity{Type: "person", Name: "田中", Events: []messages.MessageID{"1", "2"}})
			return nil
		})
	}
	actortest.Spawn(t, older, actortest.Store(kept), actortest.Address("growth/c-1")).Send(
		messages.Grow{Conversation: "c-1"})
	l = spawnWith(t, key, actortest.Store(kept))
	l.n = 20
	l.reads(hana("3", 6, "今日は晴れ"))
	l.want(t, "- fact Hana home: 大阪 | 01-01–01-05 superseded", "= fact Hana home: 神戸 | 01-05–")
	named, _ := actortest.Stored(l.Harness, growth.Entities, memory.RowOf(key, memory.Key("person\x00田中")))
	if _, left := l.under(key); left != 0 || !slices.Equal(named.Events, []messages.MessageID{"1", "2"}) {
		t.Errorf("%d rows are left and the name stands in %v, want none, and both events", left, named.Events)
	}
}
