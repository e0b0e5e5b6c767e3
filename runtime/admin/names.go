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

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// Which implements [control.Backend].
func (b Backend) Which(_ context.Context, name string) (messages.ConversationID, error) {
	if name == "" {
		return "", nil
	}
	e, err := b.Engine()
	if err != nil {
		return "", err
	}
	return names.Means(e, name)
}

// Called implements [snapshot.Called].
func (b Backend) Called(app, name string) (ids []string) {
	for _, c := range directory.Called(b.Book.Known(b.Engine), app, name) {
		ids = append(ids, string(c))
	}
	return ids
}

// Label is what people call a conversation, as "line:Hana"; "" if nobody knows.
func (b Backend) Label(id messages.ConversationID) string {
	e, err := b.Engine()
	if err != nil {
		return ""
	}
	return b.Book.Label(e, id)
}

// Bound reports whether a conversation is the one that the settings mean by a name.
func (b Backend) Bound(c messages.ConversationID, name string) bool {
	id, ok := directory.Bound(b.Book.Known(b.Engine), name)
	return ok && id == c
}

// Conversations implements [control.Backend].
func (b Backend) Conversations(ctx context.Context) ([]control.Conversation, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	known, err := names.Known(e)
	if err != nil {
		return nil, err
	}
	heads := map[messages.ConversationID]conversation.Head{}
	err = engine.SkimTable(e, conversation.Kind, conversation.Heads,
		func(a messages.Address, _ string, h conversation.Head) { heads[messages.ConversationID(a.Key())] = h })
	kept := map[messages.ConversationID]int64{}
	err = errors.Join(err, Remembered{Engine: e}.Talks(ctx, func(id messages.ConversationID, t memory.Talk) error {
		kept[id] = t.Events
		return nil
	}))
	if err != nil {
		return nil, err
	}
	list := []control.Conversation{}
	for id, k := range known {
		if k.Into != "" {
			continue
		}
		c := control.Conversation{ID: id, App: k.App, Name: string(k.Name()),
			Messages: max(heads[id].Count+heads[id].Own, kept[id])} // memory has what was imported, too
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
	id, k, err := names.Find(e, c)
	if err == nil && name != "" { // without one its title counts again
		err = b.mayBeCalled(e, name, control.ErrCalled)
	}
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
	from, loser, err := names.Find(e, c)
	if err != nil {
		return err
	}
	to, winner, err := names.Find(e, into)
	if err != nil {
		return err
	}
	if from == to {
		return control.ErrOneAlready
	}
	if channelOf(loser) != "" { // its transcript has no ledger by which places could be compared
		return fmt.Errorf("%w: want two of an application with windows", control.ErrNoConversation)
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
	add := func(a messages.Address, key string, h fusion.Held) error {
		no, err := actors.RowNumber(key)
		if err != nil {
			return err
		}
		window := messages.WindowID(a.Key())
		list = append(list, control.Held{
			ID: fmt.Sprintf("%s/%d", window, no), Window: window, App: h.App,
			Title: string(h.Detection.Title), Why: string(h.Why), Of: h.Of, Shown: h.Shown,
			Count: len(h.Detection.Bubbles), Newest: newest(h.Detection.Bubbles),
			SeenAt: control.Stamp{Time: h.Detection.SeenAt},
		})
		return nil
	}
	err = engine.ReadTable(e, fusion.Kind, fusion.HeldReadings, add)
	slices.SortFunc(list, func(a, b control.Held) int {
		return cmp.Or(a.SeenAt.Compare(b.SeenAt.Time), strings.Compare(a.ID, b.ID))
	})
	return list, errors.Join(err, ctx.Err())
}

// mostNewest is how many texts of a held reading are told: enough to know whose it is.
const mostNewest = 3

// newest are the texts of the last bubbles that have one, oldest first.
func newest(bubbles []messages.Bubble) (list []messages.Text) {
	for _, b := range bubbles {
		if strings.TrimSpace(string(b.Text)) != "" {
			list = append(list, b.Text)
		}
	}
	return list[max(0, len(list)-mostNewest):]
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
		if c, _, err = names.Find(e, c); err != nil {
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
