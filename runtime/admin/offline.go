package admin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/store"
)

// Offline is the store of a Kehai that does not run, opened to look and to
// tidy up. Its actors do not run, but for those that keep what is remembered: a dead
// letter that is sent again waits in the store for the next start.
type Offline struct {
	Backend
	store engine.Store
	stop  context.CancelFunc
	done  chan struct{}
}

// OpenOffline opens the store of a configuration, with message types and kinds of
// actors of the host's own; the error wraps engine.ErrInUse while a Kehai runs on
// it. Close it after use.
func OpenOffline(cfg config.Config, log zerolog.Logger, own []messages.Table, kinds []engine.Kind) (*Offline, error) {
	codec, err := messages.NewCodec(append([]messages.Table{events.Core()}, own...)...)
	if err != nil {
		return nil, err
	}
	st, err := OpenStore(cfg, log, nil)
	if err != nil {
		return nil, err
	}
	keys, err := OpenKeys(cfg)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	o, err := offline(cfg, st, keys, codec, offlineKinds(kinds))
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return o, nil
}

func offline(
	cfg config.Config, st engine.Store, keys engine.Sealer, codec *messages.Codec, kinds []engine.Kind,
) (*Offline, error) {
	library, steps := recall.NewLibrary(time.Local), newStepper()
	e, err := engine.New(engine.Options{
		Store: st, Sealer: keys, Codec: codec, Clock: engine.SystemClock{}, Driver: steps, Kinds: kinds,
		Listener: func(ev engine.Published) { library.Hear(ev.Message) },
		Sync:     cfg.Durability == config.DurabilityPower, MinFree: uint64(cfg.Store.MinFree),
	})
	if err != nil {
		return nil, err
	}
	if err := e.Control().Recover(); err != nil {
		return nil, err
	}
	pauses := &Pauses{}
	if err := pauses.Load(e); err != nil {
		return nil, err
	}
	key, err := LoadLogKey(e) // without one, nothing was logged yet
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := &Offline{
		Backend: Backend{Config: cfg, Engine: func() (*engine.Engine, error) { return e, nil },
			Disk: func() Disk { return DiskOf(st) }, Pauses: pauses,
			Names: LogNames(cfg, key, nil, nil), Book: NewBook(),
			Memory: library}, store: st, stop: cancel,
		done: make(chan struct{}),
	}
	library.Open(Remembered{e})
	go func() {
		defer close(o.done)
		steps.run(ctx, e.Control())
	}()
	return o, nil
}

// OpenStore opens the Badger store of a configuration. stopped, if not nil, is
// told when the store stops for good.
func OpenStore(cfg config.Config, log zerolog.Logger, stopped func(error)) (engine.Store, error) {
	key, err := config.ReadKey(cfg.Encryption, os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := private.Make(cfg.Data, private.Unwritable); err != nil {
		return nil, err
	}
	return store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store"), Key: key, Logger: log,
		MinFree: uint64(cfg.Store.MinFree), OnStop: stopped})
}

// OpenKeys opens the keys that seal the store of a configuration.
func OpenKeys(cfg config.Config) (engine.Sealer, error) {
	ring, err := keyring.Open(filepath.Join(cfg.Data, "keys"))
	if err != nil {
		return nil, err
	}
	return ring, nil
}

// offlineKinds are the kinds of actors that are sent commands, which wait in the
// store, those that say whom their rows are about, and those that are bound to
// this node.
func offlineKinds(own []engine.Kind) []engine.Kind {
	kinds := []engine.Kind{
		{Name: attention.Kind, Here: true, New: attention.New(attention.DefaultOptions())},
		{Name: directory.Kind, Whose: directory.Whose,
			New: directory.New(directory.Options{Rules: directory.DefaultRules()})},
		{Name: notify.Kind, Here: true, New: notify.New(notify.Options{Times: notify.DefaultTimes()})},
		{Name: conversation.Kind, New: conversation.New(conversation.DefaultOptions())},
		{Name: recall.Kind, New: recall.New(recall.DefaultOptions())},
		{Name: owner.Kind, Here: true, Whose: owner.Whose, New: owner.New(owner.Options{})},
		{Name: fusion.Kind, Here: true, About: fusion.About, Whose: fusion.Whose,
			New: fusion.New(fusion.DefaultOptions())},
		{Name: outbound.Kind, Here: true, About: outbound.About, Whose: outbound.Whose, New: neverRun},
	}
	known := func(name string) bool {
		return slices.ContainsFunc(kinds, func(o engine.Kind) bool { return o.Name == name })
	}
	for _, k := range own {
		if (k.About != nil || k.Whose != nil || k.Here) && !known(k.Name) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// neverRun makes no actor: offline none runs.
func neverRun(messages.Address) actors.Actor { return nil }

// Close releases the store.
func (o *Offline) Close() error {
	o.stop()
	<-o.done
	o.Memory.Close()
	return o.store.Close()
}
