package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// receiver returns the conversation that an import names. One never seen before gets its
// ID now and keeps it when its window is seen, because no key of the store contains a
// name.
func (b Backend) receiver(ctx context.Context, e *engine.Engine, c messages.ConversationID) (
	messages.ConversationID, error) {
	if id, err := b.Book.Meant(e, string(c)); id != "" || err != nil {
		return id, err
	}
	known, err := names.Known(e)
	if err != nil {
		return "", err
	}
	id, err := names.Means(e, string(c))
	if err != nil {
		return "", err
	}
	app, name, ok := named(id)
	if _, seen := known[id]; !seen {
		if !ok {
			return id, nil
		}
		if id, err = b.Book.Introduce(ctx, e, app, name); err != nil {
			return "", err
		}
	}
	b.Book.Mean(string(c), id)
	return id, nil
}

// named splits a name from the application before it.
func named(c messages.ConversationID) (app, name string, ok bool) {
	app, name, ok = strings.Cut(string(c), ":")
	return app, name, ok && name != "" && messages.To(directory.Kind, app).Validate() == nil
}

// importedSetting records that nothing is left of what an older version imported under
// names.
const importedSetting = "imported"

// ServeMemory loads the memory, then moves what an older version left, and keeps the
// index saved.
func (b Backend) ServeMemory(log zerolog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		b.LoadMemory(ctx, log)
		b.moveImportedNow(ctx, log)
		b.keepIndex(ctx, log)
		return nil
	}
}

// moveImportedNow gives ids to conversations that were never seen and have a memory under
// their names, as older versions imported it. Anything left after a crash, or for lack of
// space, waits for the next start.
func (b Backend) moveImportedNow(ctx context.Context, log zerolog.Logger) {
	n, err := b.moveImported(ctx)
	if n > 0 {
		log.Info().Int("conversations", n).Msg("imported_memory_moved")
	}
	if err != nil && ctx.Err() == nil {
		log.Warn().Err(err).Msg("imported_memory_not_moved")
	}
}

func (b Backend) moveImported(ctx context.Context) (n int, err error) {
	e, err := b.Engine()
	if err != nil {
		return 0, err
	}
	if _, done, err := e.Setting(importedSetting); done || err != nil {
		return 0, err
	}
	old, err := imported(e)
	if err != nil {
		return 0, err
	}
	for _, c := range old {
		if err := b.moveMemory(ctx, e, c); err != nil {
			return n, err
		}
		n++
	}
	return n, e.SetSetting(ctx, importedSetting, []byte("1"))
}

// imported lists the conversations that have only a memory, under a name.
func imported(e *engine.Engine) (list []messages.ConversationID, err error) {
	known, err := names.Known(e)
	if err != nil {
		return nil, err
	}
	var last messages.Address
	err = e.ReadRows(recall.Kind, func(r engine.Row) bool {
		if r.Actor == last {
			return true
		}
		last = r.Actor
		c := messages.ConversationID(r.Actor.Key())
		if _, seen := known[c]; !seen {
			if _, _, ok := named(c); ok {
				list = append(list, c)
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	hosts := map[messages.ConversationID]bool{} // have ids of their own
	err = engine.SkimTable(e, conversation.Kind, conversation.Heads,
		func(a messages.Address, _ string, _ conversation.Head) {
			hosts[messages.ConversationID(a.Key())] = true
		})
	return slices.DeleteFunc(list, func(c messages.ConversationID) bool { return hosts[c] }), err
}

// moveMemory makes another conversation remember the events of c, in the order in which
// they were said, and deletes them here once they are stored there.
func (b Backend) moveMemory(ctx context.Context, e *engine.Engine, c messages.ConversationID) error {
	type said struct {
		at time.Time
		id messages.MessageID
	}
	var all []said
	var to messages.ConversationID
	err := e.ReadRowsOf(messages.To(recall.Kind, string(c)), func(r engine.Row) bool {
		if r.Table == recall.Events.Name() {
			if ev, err := recall.Events.Decode(r.Value); err == nil {
				all = append(all, said{ev.At, ev.ID})
			}
		}
		return ctx.Err() == nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(x, y said) int { return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.id, y.id)) })
	if to, err = b.receiver(ctx, e, c); err != nil {
		return err
	}
	for part := range slices.Chunk(all, movedAtOnce) {
		var list []messages.Event
		for _, s := range part {
			kept, ok, err := Remembered{e}.Event(c, s.id)
			if err != nil {
				return err
			}
			if ok {
				list = append(list, kept.Event)
			}
		}
		if _, err := b.Import(ctx, to, list); err != nil {
			return err
		}
	}
	_, err = b.delete(ctx, e, c)
	return err
}

// movedAtOnce is how many events are moved together.
const movedAtOnce = 1000
