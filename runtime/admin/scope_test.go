package admin_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// What keeps to models of one kind is not recalled where others may be asked, although it may be shared.
func TestScopeKeepsToZones(t *testing.T) {
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	silent := func(messages.Address) actors.Actor {
		return actors.Func(func(*actors.Turn, messages.Message) error { return nil })
	}
	c, err := engine.NewSimCluster(engine.SimClusterOptions{Nodes: []string{"mac-a", "mac-b"}, Seed: 1,
		Zone: func(name string) string { return map[string]string{"mac-a": "local"}[name] },
		Node: func(string) engine.SimOptions {
			return engine.SimOptions{Engine: engine.Options{Store: mem.New(), Codec: codec,
				Kinds: []engine.Kind{{Name: recall.Kind, Zoned: true, New: silent}}}}
		}})
	if err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	for i, id := range []string{"web:a", "web:b"} {
		if _, err := c.Node(i).Inject(messages.To(recall.Kind, id), messages.Embed{}, ""); err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Minute)
	}
	cfg := config.Default()
	cfg.Memory.Share = recall.ShareAll
	for i := range 2 {
		b := admin.Backend{Config: cfg, Book: names.NewBook(),
			Engine: func() (*engine.Engine, error) { return c.Node(i).Engine(), nil }}
		if b.Scope("web:b", false).Apart("web:a") != true || b.Scope("web:a", false).Apart("web:b") != false {
			t.Errorf("node %d: what began where models are local is recalled elsewhere, or sees nothing of it", i)
		}
	}
}
