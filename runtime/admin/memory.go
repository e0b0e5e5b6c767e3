package admin

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Remembered reads the events that recall keeps in a store.
type Remembered struct{ *engine.Engine }

// Event implements [recall.Rows].
func (r Remembered) Event(c messages.ConversationID, id messages.MessageID) (memory.Event, bool, error) {
	raw, ok, err := r.ReadRow(messages.To(recall.Kind, string(c)), recall.Events.Row(memory.Key(id)))
	if err != nil || !ok {
		return memory.Event{}, false, err
	}
	e, err := recall.Events.Decode(raw)
	return e, err == nil, err
}

// Events implements [recall.Rows].
func (r Remembered) Events(ctx context.Context, c messages.ConversationID,
	yield func(messages.ConversationID, memory.Event) error) error {
	var failed, bad error
	each := func(row engine.Row) bool {
		if row.Table != recall.Events.Name() {
			return true
		}
		e, err := recall.Events.Decode(row.Value)
		if err != nil { // the others are not worse for it
			bad = err
			return true
		}
		failed = yield(messages.ConversationID(row.Actor.Key()), e)
		return failed == nil && ctx.Err() == nil
	}
	var err error
	if c == "" {
		err = r.ReadRows(recall.Kind, each)
	} else {
		err = r.ReadRowsOf(messages.To(recall.Kind, string(c)), each)
	}
	return errors.Join(err, failed, bad, ctx.Err())
}

// LoadMemory puts what is stored into the index; what is asked meanwhile is read first.
func (b Backend) LoadMemory(ctx context.Context, log zerolog.Logger) {
	began := time.Now()
	n, err := b.Memory.Load(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Warn().Err(err).Msg("memory_incomplete")
		b.Live.Trouble("memory", "some of what was said cannot be remembered: the log says why; kehai doctor")
	case n > 0:
		log.Info().Int("events", n).Dur("took", time.Since(began)).Msg("memory_loaded")
	}
}

// Scope is what a conversation sees of the memory.
func (b Backend) Scope(c messages.ConversationID, group bool) recall.Scope {
	return scopeOf(b.Config, b.Book.Known(b.Engine), c, group)
}

func scopeOf(cfg config.Config, known map[messages.ConversationID]directory.Known, c messages.ConversationID,
	group bool) recall.Scope {
	m := cfg.Memory
	s := recall.ScopeOf(c, group, m.Share, m.ShareOwner == "all", linked(cfg.People, known, c))
	if s.Conversations == nil {
		return s
	}
	// What was merged into a conversation was said in it.
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if into := directory.Resolve(known, id); into != id && slices.Contains(s.Conversations, into) &&
			!slices.Contains(s.Conversations, id) {
			s.Conversations = append(s.Conversations, id)
		}
	}
	return s
}

// linked are the other conversations of the same person. A name that several have had
// links none of them.
func linked(people []config.Person, known map[messages.ConversationID]directory.Known,
	c messages.ConversationID) (list []messages.ConversationID) {
	for _, person := range people {
		var theirs []messages.ConversationID
		for _, name := range person.Conversations {
			if id, ok := directory.Bound(known, name); ok {
				theirs = append(theirs, id)
			} else if len(directory.Called(known, "", name)) == 0 {
				theirs = append(theirs, messages.ConversationID(name)) // a host's own
			}
		}
		if slices.Contains(theirs, c) {
			list = append(list, slices.DeleteFunc(theirs, func(o messages.ConversationID) bool { return o == c })...)
		}
	}
	return list
}
