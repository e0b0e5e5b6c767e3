package admin_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// others are the other members, of which some are silent.
type others struct {
	control.ClusterBackend
	silent   []string
	expelled string
}

func (o *others) Cluster(context.Context) (control.Cluster, error) {
	return control.Cluster{Members: []control.ClusterMember{{Node: "mac-a"}, {Node: "mac-b"}, {Node: "mac-c"}}}, nil
}

func (o *others) Unanswered(context.Context, []string, []engine.Key) []string { return o.silent }

func (o *others) Sharing() []cluster.Sharing { return nil }

func (o *others) Belongs(node string) bool { return node != o.expelled }

// A receipt names a machine until it answers, and one that is no member any more for good.
func TestReceiptFollowsAnswers(t *testing.T) {
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	sim, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: mem.New(), Codec: codec}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Data = t.TempDir()
	key := engine.Key{ID: "000102030405060708090a0b0c0d0e0f", Fingerprint: "f1"}
	receipts := keyring.Receipts{Dir: cfg.Data + "/receipts", Keys: cfg.Data + "/keys"}
	r, path, err := receipts.Begin("c-hana", []engine.Key{key}, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r.Waiting = []string{"mac-b", "mac-c", "mac-old"}
	if err := receipts.Finish(r, path, engine.Forgotten{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	o := &others{silent: []string{"mac-b", "mac-c"}}
	b := admin.Backend{Config: cfg, Live: &admin.Live{Cluster: o},
		Engine: func() (*engine.Engine, error) { return sim.Engine(), nil }}
	for _, c := range []struct{ silent, want []string }{
		{[]string{"mac-b", "mac-c"}, []string{"mac-b", "mac-c", "mac-old"}},
		{[]string{"mac-c"}, []string{"mac-c", "mac-old"}},
		{[]string{"mac-b"}, []string{"mac-old"}}, // it has answered once
	} {
		o.silent = c.silent
		if err := b.Answers(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := keyring.ReadReceipt(path); err != nil || !slices.Equal(got.Waiting, c.want) {
			t.Errorf("with %v silent the receipt waits for %v, %v, want %v", c.silent, got.Waiting, err, c.want)
		}
	}
}
