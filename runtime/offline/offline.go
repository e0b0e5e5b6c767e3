package offline

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/maintenance"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/pause"
)

// Store is the store of a Kehai that does not run, opened to look and to tidy up.
// Only its actors that keep memories or names run: a dead letter for another one
// that is sent again waits in the store for the next start.
type Store struct {
	admin.Backend
	store engine.Store
	stop  context.CancelFunc
	done  chan struct{}
}

// Open opens the store of a configuration, with message types and kinds of
// actors of the host's own; the error wraps engine.ErrInUse while a Kehai runs on
// it. Close it after use.
func Open(cfg config.Config, log zerolog.Logger, own []messages.Table, kinds []engine.Kind) (*Store, error) {
	codec, err := messages.NewCodec(append([]messages.Table{events.Core()}, own...)...)
	if err != nil {
		return nil, err
	}
	st, err := datadir.OpenStore(cfg, log, nil)
	if err != nil {
		return nil, err
	}
	err = datadir.OwnStore(cfg, st)
	var keys engine.Sealer
	if err == nil {
		keys, err = datadir.OpenKeys(cfg)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	o, err := recovered(cfg, st, keys, codec, kinds)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return o, nil
}

// recovered opens an engine over a store, with what the store tells.
func recovered(
	cfg config.Config, st engine.Store, keys engine.Sealer, codec *messages.Codec, kinds []engine.Kind,
) (*Store, error) {
	library, steps, book := recall.NewLibrary(time.Local).Set(cfg.Memory.Rules), newStepper(), names.NewBook()
	var adopted map[string][]messages.ConversationID
	ids := directory.Options{Rules: cfg.Rules.OCR.Rules, Only: cfg.Read.Only, Seed: rand.Text,
		Adopt: func(app string) []messages.ConversationID { return adopted[app] }}
	e, err := engine.New(engine.Options{
		Store: st, Sealer: keys, Codec: codec, Clock: engine.SystemClock{}, Driver: steps,
		Kinds:    kindsOffline(kinds, ids),
		Deletes:  maintenance.DiskOf(st).PurgeLater,
		Ends:     admin.Receipts(cfg).Ends,
		Listener: func(ev engine.Published) { library.Hear(ev.Message); book.Listen(ev) },
		Sync:     cfg.Durability == config.DurabilityPower, MinFree: uint64(cfg.Store.MinFree),
	})
	if err != nil {
		return nil, err
	}
	if err := e.Control().Recover(); err != nil {
		return nil, err
	}
	if adopted, _, err = names.LoadAdopted(e, cfg.Apps()); err != nil {
		return nil, err
	}
	pauses := &pause.State{}
	if err := pauses.Load(e); err != nil {
		return nil, err
	}
	key, err := names.LoadLogKey(e) // without one, nothing was logged yet
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := &Store{
		Backend: admin.Backend{Config: cfg, Engine: func() (*engine.Engine, error) { return e, nil },
			Disk: func() maintenance.Disk { return maintenance.DiskOf(st) }, Pauses: pauses,
			Names: names.InLog(cfg, key, nil, nil), Book: book,
			Memory: library, Debug: datadir.DebugFiles(cfg.Data), Drawn: drivers.NewDrawn(),
			Keys: admin.Keys(cfg.Data)}, store: st, stop: cancel,
		done: make(chan struct{}),
	}
	library.Keep(datadir.SavedIndex(cfg.Data, keys))
	o.Debug.Keep(keys)
	library.Open(admin.Remembered{Engine: e})
	go func() {
		defer close(o.done)
		steps.run(ctx, e.Control())
	}()
	return o, nil
}

// kindsOffline are the kinds of actors that get commands, which wait in the store,
// the kinds that know whom their rows are about, and the kinds that are bound to
// this node. Directories are made with ids.
func kindsOffline(own []engine.Kind, ids directory.Options) []engine.Kind {
	kinds := []engine.Kind{
		{Name: attention.Kind, Here: true, New: attention.New(attention.DefaultOptions())},
		{Name: directory.Kind, SubjectOf: directory.SubjectOf, Kept: directory.Kept(), New: directory.New(ids)},
		{Name: dedup.Kind, Kept: dedup.Kept(), New: neverRun},
		{Name: notify.Kind, Here: true, New: notify.New(notify.Options{Times: notify.DefaultTimes()})},
		{Name: conversation.Kind, New: conversation.New(conversation.DefaultOptions())},
		{Name: recall.Kind, New: recall.New(recall.DefaultOptions())},
		{Name: growth.Kind, New: neverRun},
		{Name: owner.Kind, Here: true, SubjectOf: owner.SubjectOf, New: owner.New(owner.Options{})},
		{Name: fusion.Kind, Here: true, About: fusion.About, SubjectOf: fusion.SubjectOf,
			New: fusion.New(fusion.DefaultOptions())},
		{Name: outbound.Kind, Here: true, About: outbound.About, SubjectOf: outbound.SubjectOf, New: neverRun},
	}
	known := func(name string) bool {
		return slices.ContainsFunc(kinds, func(o engine.Kind) bool { return o.Name == name })
	}
	for _, k := range own {
		if (k.About != nil || k.SubjectOf != nil || k.Here) && !known(k.Name) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// neverRun makes no actor: offline none runs.
func neverRun(messages.Address) actors.Actor { return nil }

// worthSaving is how many messages must have been read for the index to be kept for the next time.
const worthSaving = 2000

// Close releases the store. If all that is remembered was read, the next time need not.
func (o *Store) Close() error {
	o.stop()
	<-o.done
	if o.Memory.Unsaved() >= worthSaving {
		if err := o.Memory.Save(); err != nil { // derived data: the next time takes longer
			o.Log.Warn().Err(err).Msg("memory_index_not_saved")
		}
	}
	o.Memory.Close()
	return o.store.Close()
}
