package admin_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// How near the models are that may be told something is one thing, and how near the embedder another.
func TestZoneOf(t *testing.T) {
	for _, c := range []struct {
		llm, embeds llm.Tier
		embedder    llm.Provider
		want        string
	}{
		{llm.TierNone, llm.TierLocal, llm.NoEmbedder, ""},
		{llm.TierCloud, llm.TierLocal, llm.Ollama, ""},
		{llm.TierLocal, llm.TierLocal, llm.NoEmbedder, "local local-embedding"},
		{llm.TierLocal, llm.TierLocal, llm.Ollama, "local local-embedding"},
		{llm.TierLocal, llm.TierCloud, llm.OpenAI, "local"},
		{llm.TierLocal, llm.TierCloud, llm.NoEmbedder, "local local-embedding"},
	} {
		cfg := config.Default()
		cfg.LLM.Tier, cfg.Memory.Embedding.Tier, cfg.Memory.Embedder = c.llm, c.embeds, c.embedder
		if got := admin.ZoneOf(cfg); got != c.want {
			t.Errorf("ZoneOf(llm %s, embedder %s %s) = %q, want %q", c.llm, c.embedder, c.embeds, got, c.want)
		}
	}
}

// What keeps to models of one kind is not recalled where others may be asked, although it may be shared. And nobody
// waits for what a machine sends that is no member any more.
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
	gone := &others{expelled: "mac-a"}
	here := admin.Backend{Config: cfg, Live: &admin.Live{Cluster: &others{}},
		Engine: func() (*engine.Engine, error) { return c.Node(1).Engine(), nil }}
	if before := here.DiskOf("line@mac-a"); before == "" {
		t.Error("a member has no disk")
	}
	here.Live = &admin.Live{Cluster: gone}
	if after := here.DiskOf("line@mac-a"); after != "" {
		t.Errorf("who is no member any more has the disk %q: what it was told to send is waited for", after)
	}
	for i := range 2 {
		b := admin.Backend{Config: cfg, Book: names.NewBook(),
			Engine: func() (*engine.Engine, error) { return c.Node(i).Engine(), nil }}
		if b.Scope("web:b", false).Apart("web:a") != true || b.Scope("web:a", false).Apart("web:b") != false {
			t.Errorf("node %d: what began where models are local is recalled elsewhere, or sees nothing of it", i)
		}
	}
}

// What is said to a conversation that waits for its zone is stored and not answered for now, and the answer says so.
func TestSayWhereItWaits(t *testing.T) {
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	silent := func(messages.Address) actors.Actor {
		return actors.Func(func(*actors.Turn, messages.Message) error { return nil })
	}
	c, err := engine.NewSimCluster(engine.SimClusterOptions{Nodes: []string{"mac-a", "mac-b", "mac-d"}, Seed: 1,
		Zone: func(name string) string { return map[string]string{"mac-a": "local"}[name] },
		Node: func(string) engine.SimOptions {
			return engine.SimOptions{Engine: engine.Options{Store: mem.New(), Codec: codec,
				Kinds: []engine.Kind{{Name: conversation.Kind, Zoned: true, New: silent}}}}
		}})
	if err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	to := messages.To(conversation.Kind, "c-1")
	if _, err := c.Node(0).Inject(to, messages.Say{Conversation: "c-1"}, ""); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	said := control.Accepted{Conversation: "c-1", Answered: true}
	if got := admin.Outlook(c.Node(1).Engine(), to, said); got != said {
		t.Errorf("said while its owner is there: %+v, want it answered", got)
	}
	c.Kill(0)
	c.Advance(time.Minute)
	if got := admin.Outlook(c.Node(1).Engine(), to, said); got.Answered || got.Waits == "" {
		t.Errorf("said while nobody of its zone is there: %+v, want that it waits, and for what", got)
	}
}
