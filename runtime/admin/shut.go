package admin

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Shut implements [control.ShutBackend]. It looks at the row of each conversation that a directory knows, and at
// what is remembered of those of a host; it takes as long as to list their names.
func (b Backend) Shut(ctx context.Context) (control.Shut, error) {
	e, err := b.Engine()
	if err != nil {
		return control.Shut{}, err
	}
	why := map[messages.ConversationID]error{}
	take := func(of func(engine.Row) string) func(engine.Row, error) bool {
		return func(r engine.Row, bad error) bool {
			if errors.Is(bad, engine.ErrNoKey) || errors.Is(bad, engine.ErrKeyAway) {
				why[messages.ConversationID(of(r))] = bad
			}
			return ctx.Err() == nil
		}
	}
	err = errors.Join(
		e.EachRow(directory.Kind, directory.Conversations.Name(), take(func(r engine.Row) string { return r.Key })),
		e.EachRow(recall.Kind, recall.Talks.Name(), take(func(r engine.Row) string { return r.Actor.Key() })),
		ctx.Err())
	if err != nil || len(why) == 0 {
		return control.Shut{}, err
	}
	first := slices.Min(slices.Collect(maps.Keys(why)))
	return control.Shut{Conversations: len(why), Why: why[first].Error()}, nil
}
