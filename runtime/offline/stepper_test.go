package offline

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
)

// counted counts the batches of a store, and holds them back while it is locked.
type counted struct {
	engine.Store
	sync.Mutex
	batches int
}

func (c *counted) Apply(batch []engine.Op, sync bool) error {
	c.Lock()
	defer c.Unlock()
	c.batches++
	return c.Store.Apply(batch, sync)
}

// What many conversations are handed together is stored in a few commits, not in one for each: a
// file in which conversations alternate is imported as fast as others.
func TestConversationsShareACommit(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	st, err := datadir.OpenStore(cfg, zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := datadir.OpenKeys(cfg)
	if err != nil {
		t.Fatal(err)
	}
	held := &counted{Store: st}
	s, err := recovered(cfg, held, keys, codec, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e, err := s.Engine()
	if err != nil {
		t.Fatal(err)
	}
	const conversations, few = 32, 8
	held.Lock()
	var stored []<-chan error
	for n := range conversations {
		c := messages.ConversationID(fmt.Sprint("shop:", n))
		done, err := e.Post("", messages.To(messages.ActorRecall, string(c)), messages.Remember{Conversation: c,
			Events: []messages.Event{{ID: "1", At: time.Unix(1, 0), Text: "the cat is called Tama"}}}, "")
		if err != nil {
			t.Error(err)
			break
		}
		stored = append(stored, done)
	}
	held.batches = 0
	held.Unlock()
	for _, done := range stored {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	held.Lock()
	defer held.Unlock()
	if held.batches > few {
		t.Errorf("what %d conversations were handed was stored in %d commits, want at most %d", conversations,
			held.batches, few)
	}
}

// A forgetting keeps the same as while Kehai runs.
func TestOfflineKeepsWhatTheRuntimeDoes(t *testing.T) {
	kept := map[string]bool{}
	for _, k := range kindsOffline(nil, directory.Options{}) {
		for table := range k.Kept {
			kept[k.Name+" "+table] = true
		}
	}
	if want := map[string]bool{"dedup head": true, "directory known": true}; !maps.Equal(kept, want) {
		t.Errorf("it keeps %v, want %v", kept, want)
	}
}
