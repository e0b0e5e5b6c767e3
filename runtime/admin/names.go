package admin

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Known reads what the directories know, by the ids of conversations. One whose key is
// lost is left out: doctor names it, and all others can still be asked about, and forgotten.
func Known(e *engine.Engine) (map[messages.ConversationID]directory.Known, error) {
	known := map[messages.ConversationID]directory.Known{}
	var bad error
	err := e.ReadRows(directory.Kind, func(r engine.Row) bool {
		if r.Table != directory.Conversations.Name() {
			return true
		}
		k, err := directory.Conversations.Decode(r.Value)
		known[messages.ConversationID(r.Key)], bad = k, err
		return err == nil
	})
	if errors.Is(err, engine.ErrNoKey) {
		err = nil
	}
	return known, cmp.Or(err, bad)
}

// Which implements [control.Backend].
func (b Backend) Which(_ context.Context, name string) (messages.ConversationID, error) {
	if name == "" {
		return "", nil
	}
	e, err := b.Engine()
	if err != nil {
		return "", err
	}
	known, err := Known(e)
	if err != nil {
		return "", err
	}
	return which(known, name)
}

func which(known map[messages.ConversationID]directory.Known, name string) (messages.ConversationID, error) {
	switch found := directory.Called(known, "", name); len(found) {
	case 0:
		return messages.ConversationID(name), nil
	case 1:
		return found[0], nil
	default:
		var list []string
		for _, id := range found {
			list = append(list, fmt.Sprintf("%s of %s", id, known[id].App))
		}
		return "", fmt.Errorf("%w: say which by its id: %s; kehai conversations tells them apart",
			control.ErrNotClear, strings.Join(list, ", "))
	}
}

// Conversations implements [control.Backend].
func (b Backend) Conversations(ctx context.Context) ([]control.Conversation, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	known, err := Known(e)
	if err != nil {
		return nil, err
	}
	heads := map[messages.ConversationID]conversation.Head{}
	err = eachRow(e, conversation.Kind, conversation.Heads, func(messages.ConversationID) bool { return true },
		func(c messages.ConversationID, h conversation.Head) { heads[c] = h })
	if err != nil {
		return nil, err
	}
	list := []control.Conversation{}
	for id, k := range known {
		if k.Into != "" {
			continue
		}
		c := control.Conversation{ID: id, App: k.App, Name: string(k.Name()), Messages: heads[id].Count}
		if k.Title != k.Name() {
			c.Title = string(k.Title)
		}
		if at := heads[id].LastAt; !at.IsZero() {
			c.LastAt = &control.Stamp{Time: at}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b control.Conversation) int {
		return cmp.Or(strings.Compare(a.App, b.App), strings.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return list, ctx.Err()
}

// Rename implements [control.Backend].
func (b Backend) Rename(ctx context.Context, c messages.ConversationID, name string) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	id, k, err := find(e, c)
	if err != nil {
		return err
	}
	return e.Inject(ctx, messages.To(directory.Kind, k.App),
		messages.Rename{Conversation: id, Name: messages.Text(name)}, "")
}

// Merge implements [control.Backend].
func (b Backend) Merge(ctx context.Context, c, into messages.ConversationID) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	from, loser, err := find(e, c)
	if err != nil {
		return err
	}
	to, winner, err := find(e, into)
	if err != nil {
		return err
	}
	if from == to {
		return fmt.Errorf("%w: they are one already", control.ErrNoConversation)
	}
	if loser.App != winner.App {
		return fmt.Errorf("%w: want two of one application", control.ErrNoConversation)
	}
	return e.Inject(ctx, messages.To(directory.Kind, loser.App), messages.Merge{Conversation: from, Into: to}, "")
}

// Held implements [control.Backend].
func (b Backend) Held(ctx context.Context) ([]control.Held, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	list := []control.Held{}
	var bad error
	err = e.ReadRows(fusion.Kind, func(r engine.Row) bool {
		if r.Table != fusion.Helds.Name() {
			return true
		}
		h, err := fusion.Helds.Decode(r.Value)
		no, bare := actors.RowNumber(r.Key)
		if bad = errors.Join(err, bare); bad != nil {
			return false
		}
		window := messages.WindowID(r.Actor.Key())
		list = append(list, control.Held{
			ID: fmt.Sprintf("%s/%d", window, no), Window: window, App: h.App,
			Title: string(h.Detection.Title), Why: string(h.Why), Of: h.Of, Count: len(h.Detection.Bubbles),
			SeenAt: control.Stamp{Time: h.Detection.SeenAt},
		})
		return true
	})
	slices.SortFunc(list, func(a, b control.Held) int {
		return cmp.Or(a.SeenAt.Compare(b.SeenAt.Time), strings.Compare(a.ID, b.ID))
	})
	return list, errors.Join(err, bad, ctx.Err())
}

// SettleHeld implements [control.Backend].
func (b Backend) SettleHeld(ctx context.Context, id string, c messages.ConversationID) error {
	held, err := b.Held(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(held, func(h control.Held) bool { return h.ID == id })
	if i < 0 {
		return fmt.Errorf("%w: kehai conversations held lists what is", control.ErrNoHeld)
	}
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if c != "" {
		if c, _, err = find(e, c); err != nil {
			return err
		}
	}
	_, no, _ := strings.Cut(id, "/")
	n, err := strconv.ParseUint(no, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: kehai conversations held lists what is", control.ErrNoHeld)
	}
	to, title := messages.To(directory.Kind, held[i].App), messages.Text(held[i].Title)
	if c == "" {
		return e.Inject(ctx, to, messages.SettleNew{Window: held[i].Window, Held: n, Title: title,
			Conversation: directory.ID(rand.Text())}, "")
	}
	return e.Inject(ctx, to, messages.SettleHeld{Window: held[i].Window, Held: n, Title: title, Conversation: c}, "")
}

// find returns the known conversation that a person names.
func find(e *engine.Engine, c messages.ConversationID) (messages.ConversationID, directory.Known, error) {
	known, err := Known(e)
	if err != nil {
		return "", directory.Known{}, err
	}
	id, err := which(known, string(c))
	if err != nil {
		return "", directory.Known{}, err
	}
	k, ok := known[id]
	if !ok {
		return "", k, fmt.Errorf("%w: kehai conversations lists them", control.ErrNoConversation)
	}
	return id, k, nil
}

// Book knows the names of conversations for whatever shows messages. Its methods
// may be called concurrently.
type Book struct {
	mu      sync.Mutex
	labels  map[messages.ConversationID]string
	changed chan struct{} // closed at the next change

	read   map[messages.ConversationID]directory.Known // when changed was readAt
	readAt chan struct{}
}

// NewBook returns one that knows nobody yet.
func NewBook() *Book {
	return &Book{labels: map[messages.ConversationID]string{}, changed: make(chan struct{})}
}

// Listen is a listener of the engine.
func (b *Book) Listen(ev engine.Published) {
	m, ok := ev.Message.(events.ConversationNamed)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.labels[m.Conversation] = m.App + ":" + string(m.Name)
	close(b.changed)
	b.changed = make(chan struct{})
}

// Changed is closed when somebody gets another name.
func (b *Book) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// Label is what people call a conversation, as "line:Hana"; "" if nobody knows.
func (b *Book) Label(e *engine.Engine, id messages.ConversationID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if label, ok := b.labels[id]; ok {
		return label
	}
	known, err := Known(e)
	if err != nil { // whoever reads what is stored is told
		return ""
	}
	for c := range known {
		if _, ok := b.labels[c]; !ok {
			k := known[directory.Resolve(known, c)]
			b.labels[c] = k.App + ":" + string(k.Name())
		}
	}
	if _, ok := b.labels[id]; !ok {
		b.labels[id] = "" // a host's own
	}
	return b.labels[id]
}

// Label is what people call a conversation, as "line:Hana"; "" if nobody knows.
func (b Backend) Label(id messages.ConversationID) string {
	e, err := b.Engine()
	if err != nil {
		return ""
	}
	return b.Book.Label(e, id)
}

// Bound reports that a conversation is the one that the settings mean by a name.
func (b Backend) Bound(c messages.ConversationID, name string) bool {
	id, ok := directory.Bound(b.Book.known(b.Engine), name)
	return ok && id == c
}

// adoptedSetting says that the directories have what an older version has left.
const adoptedSetting = "directory"

// LoadAdopted returns the ids that an older version made of the names of these
// applications' conversations, as far as no directory has them yet. done says that
// there was nothing to look for.
func LoadAdopted(e *engine.Engine, apps []string) (found map[string][]messages.ConversationID, done bool, err error) {
	if _, done, err = e.Setting(adoptedSetting); done || err != nil {
		return nil, done, err
	}
	known, err := Known(e)
	if err != nil {
		return nil, false, err
	}
	found = map[string][]messages.ConversationID{}
	err = eachRow(e, dedup.Kind, dedup.Heads, func(messages.ConversationID) bool { return true },
		func(c messages.ConversationID, _ ledger.Head) {
			app, _, ok := strings.Cut(string(c), ":")
			if _, already := known[c]; ok && !already && slices.Contains(apps, app) {
				found[app] = append(found[app], c)
			}
		})
	return found, false, err
}

// Adopt wakes the directories that have ids of an older version to adopt, so that
// their names are known before a window shows them.
func Adopt(e *engine.Engine, apps []string, old func(app string) []messages.ConversationID) error {
	for _, app := range slices.Compact(slices.Sorted(slices.Values(apps))) {
		if len(old(app)) == 0 {
			continue
		}
		if err := e.Activate(messages.To(messages.ActorDirectory, app)); err != nil {
			return err
		}
	}
	return nil
}

// KeepAdopted notes that no id made of a name is left to be adopted. Without the note
// the next start looks again, so a failure is only logged.
func KeepAdopted(ctx context.Context, e *engine.Engine, log zerolog.Logger) error {
	if err := e.SetSetting(ctx, adoptedSetting, []byte("1")); err != nil && ctx.Err() == nil {
		log.Warn().Err(err).Msg("adoption_not_stored")
	}
	return nil
}
