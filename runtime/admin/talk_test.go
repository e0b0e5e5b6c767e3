package admin

import (
	"bytes"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// TestVaultKey: machines that share a conversation's key have the same for its placeholders and for
// the hash that tells whether a text came before, whatever their own key is. Without keys it is the
// machine's own.
func TestVaultKey(t *testing.T) {
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	shared := keyring.Memory(nil)
	if err := shared.Ready("c-1"); err != nil {
		t.Fatal(err)
	}
	of := func(keys engine.Sealer, own string) Backend {
		s, err := engine.NewSim(engine.SimOptions{Engine: engine.Options{Store: mem.New(), Codec: codec, Sealer: keys}})
		if err != nil {
			t.Fatal(err)
		}
		return Backend{HashKey: []byte(own), Engine: func() (*engine.Engine, error) { return s.Engine(), nil }}
	}
	a, b, alone := of(shared, "a"), of(shared, "b"), of(nil, "a")
	key := a.VaultKey("c-1")
	if len(key) < 16 || !bytes.Equal(key, b.VaultKey("c-1")) {
		t.Errorf("VaultKey(c-1) of two machines = %x, %x, want the same", key, b.VaultKey("c-1"))
	}
	for name, other := range map[string][]byte{"without a key of its own": a.VaultKey("c-2"),
		"where nothing is sealed": alone.VaultKey("c-1")} {
		if len(other) < 16 || bytes.Equal(key, other) {
			t.Errorf("VaultKey %s = %x, want another one", name, other)
		}
	}
	if bytes.Equal(alone.VaultKey("c-1"), alone.VaultKey("c-2")) {
		t.Error("two conversations have the same key, want others")
	}
}
