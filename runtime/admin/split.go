package admin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/names"
)

// Split implements [control.Backend].
func (b Backend) Split(ctx context.Context, s control.Split) (messages.ConversationID, error) {
	e, err := b.Engine()
	if err != nil {
		return "", err
	}
	id, k, err := names.Find(e, s.Conversation)
	if err != nil {
		return "", err
	}
	if channelOf(k) != "" { // its transcript has no ledger
		return "", fmt.Errorf("%w: want one of an application with windows", control.ErrNoConversation)
	}
	if e.Forgets(id) { // what is told apart would outlive it
		return "", fmt.Errorf("%w: it is being forgotten", control.ErrNoConversation)
	}
	if s.Name != "" {
		if err := b.mayBeCalled(e, s.Name, control.ErrCalled); err != nil {
			return "", err
		}
	}
	all, err := kept(e, id)
	if err != nil {
		return "", err
	}
	places, err := chosen(all, s)
	if err != nil {
		return "", err
	}
	into := directory.ID(rand.Text())
	return into, e.Inject(ctx, messages.To(directory.Kind, k.App), messages.Split{Conversation: into, From: id,
		Name: messages.Text(s.Name), Occurrences: places}, "")
}

// kept returns the messages that a conversation keeps, in order.
func kept(e *engine.Engine, c messages.ConversationID) (all []messages.MessageDelivered, err error) {
	var bad error
	err = e.ReadRowsOf(messages.To(conversation.Kind, string(c)), func(r engine.Row) bool {
		if r.Table == conversation.Messages.Name() {
			var d messages.MessageDelivered
			d, bad = conversation.Messages.Decode(r.Value)
			all = append(all, d)
		}
		return bad == nil
	})
	if err == nil {
		err = bad
	}
	return all, err
}

// chosen returns the places of the messages to move.
func chosen(all []messages.MessageDelivered, s control.Split) (places []messages.Occurrence, err error) {
	goes := map[messages.MessageID]bool{}
	for _, id := range s.Messages {
		i := slices.IndexFunc(all, func(d messages.MessageDelivered) bool { return d.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("%w: %s is none of that conversation: kehai messages --json lists ids",
				control.ErrNoMessage, id)
		}
		goes[id] = true
		if s.Onwards {
			for _, d := range all[i:] {
				goes[d.ID] = true
			}
		}
	}
	switch len(goes) {
	case 0:
		return nil, fmt.Errorf("%w: say which messages go", control.ErrNoMessage)
	case len(all):
		return nil, fmt.Errorf("%w: nothing would stay: kehai conversations rename gives it another name",
			control.ErrNoMessage)
	}
	for _, d := range all {
		for _, p := range d.Parts {
			if goes[d.ID] {
				places = append(places, p.Occurrence)
			}
		}
	}
	return places, nil
}

// splitSetting is the key of a setting. It records that what was published about a
// conversation before it was split from another one has been assigned to it.
func splitSetting(c messages.ConversationID) string { return "split " + string(c) }

// splitsEvery is how often to check whether a conversation has received everything.
const splitsEvery = 100 * time.Millisecond

// splitsAway is how often to check again for one whose key is out of reach.
const splitsAway = time.Minute

// FinishSplits assigns what was published about moved messages to their new
// conversations, until ctx ends. It seals them under the new keys, so that forgetting one
// conversation leaves the other.
func (b Backend) FinishSplits(ctx context.Context, log zerolog.Logger) error {
	told := false
	for {
		changed := b.Book.Changed()
		left, err := b.finishSplits(ctx, log)
		away := errors.Is(err, engine.ErrKeyAway)
		if err != nil && ctx.Err() == nil && !(away && told) {
			log.Warn().Err(err).Msg("split_unfinished") // the next start continues
		}
		told = away
		again := time.NewTimer(splitsEvery)
		switch {
		case err == nil && left > 0:
		case away:
			again.Reset(splitsAway)
		default:
			again.Stop()
		}
		select {
		case <-ctx.Done():
			again.Stop()
			return nil
		case <-changed:
			again.Stop()
		case <-again.C:
		}
	}
}

// finishSplits returns how many conversations have not received everything yet. One whose key is out of reach
// holds up no other; the error says so at the end.
func (b Backend) finishSplits(ctx context.Context, log zerolog.Logger) (left int, err error) {
	e, err := b.Engine()
	if err != nil {
		return 0, err
	}
	known, unread, err := names.InReach(e)
	if err != nil {
		return 0, err
	}
	var away error
	for _, c := range slices.Sorted(maps.Keys(unread)) { // it may have been told apart, too
		if _, done, err := e.Setting(splitSetting(c)); err == nil && !done {
			away = unread[c]
		}
	}
	for _, c := range slices.Sorted(maps.Keys(known)) {
		if known[c].From == "" {
			continue
		}
		if _, done, err := e.Setting(splitSetting(c)); err != nil {
			return left, err
		} else if done {
			continue
		}
		waits, err := underWay(e)
		switch {
		case err != nil:
			return left, err
		case waits:
			left++
			continue
		case unread[known[c].From] != nil: // who was merged into it cannot be told
			away = unread[known[c].From]
			continue
		}
		parts := directory.Merged(known, directory.Resolve(known, known[c].From))
		switch err := b.finishSplit(ctx, e, c, parts); {
		case errors.Is(err, engine.ErrKeyAway):
			away = err
		case err != nil:
			return left, err
		default:
			log.Info().Str("conversation", string(c)).Msg("split_finished")
		}
	}
	return left, away
}

// finishSplit assigns what was published to one new conversation; merged are those that were one with the
// conversation it was split from.
func (b Backend) finishSplit(ctx context.Context, e *engine.Engine, c messages.ConversationID,
	merged []messages.ConversationID) error {
	if err := b.republish(ctx, e, c); err != nil {
		return err
	}
	if err := unremember(ctx, e, merged, c); err != nil {
		return err
	}
	if err := e.SetSetting(ctx, splitSetting(c), []byte("1")); err != nil {
		return err
	}
	_, err := b.Disk().Purge(ctx) // if it fails, the next start removes it
	return err
}

// underWay reports whether something is moving from one conversation to another.
func underWay(e *engine.Engine) (waits bool, err error) {
	err = e.ReadMail(func(env engine.Envelope) bool {
		switch env.Message.(type) {
		case messages.Split, messages.SplitLedger, messages.LedgerSplit, messages.SplitTalk, messages.TalkSplit:
			waits = true
		}
		waits = waits || env.Away() // it may be one of these
		return !waits
	})
	return waits, err
}

// republish rewrites the published events about moved messages, so that they name the
// conversation that has the messages now.
func (b Backend) republish(ctx context.Context, e *engine.Engine, into messages.ConversationID) error {
	all, err := kept(e, into)
	if err != nil {
		return err
	}
	mine := map[messages.MessageID]messages.MessageDelivered{}
	for _, d := range all {
		mine[d.ID] = d
	}
	if err := b.Disk().PurgeLater(); err != nil {
		return err
	}
	moved := map[messages.MessageID]messages.Occurrence{} // how far their places were shifted
	_, err = e.ReviseLog(ctx, func(m messages.Message) (messages.Message, bool) {
		switch m := m.(type) {
		case messages.MessageDelivered:
			d, ok := mine[m.ID]
			if !ok || m.Conversation == into {
				return nil, false
			}
			moved[m.ID] = d.Parts[0].Occurrence - m.Parts[0].Occurrence
			m.Conversation, m.Parts = into, slices.Clone(m.Parts)
			for i := range m.Parts {
				m.Parts[i].Occurrence += moved[m.ID]
			}
			return m, true
		case messages.MessageChanged:
			if _, ok := mine[m.Message]; !ok || m.Conversation == into {
				return nil, false
			}
			m.Conversation, m.Occurrence = into, m.Occurrence+moved[m.Message]
			return m, true
		}
		return nil, false
	})
	return err
}

// unremember removes moved messages from the memory of conversations that had been merged
// into the old one, because a merge leaves memories where they were.
func unremember(ctx context.Context, e *engine.Engine, merged []messages.ConversationID,
	into messages.ConversationID) error {
	mine := map[messages.MessageID]bool{}
	said := map[string]bool{} // by our side
	err := e.ReadRowsOf(messages.To(conversation.Kind, string(into)), func(r engine.Row) bool {
		switch r.Table {
		case conversation.Messages.Name():
			if d, err := conversation.Messages.Decode(r.Value); err == nil {
				mine[d.ID] = true
			}
		case conversation.OwnMessages.Name():
			if o, err := conversation.OwnMessages.Decode(r.Value); err == nil {
				said[o.At.UTC().String()+string(o.Text)] = true
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, c := range merged {
		var gone []messages.MessageID
		err := e.ReadRowsOf(messages.To(recall.Kind, string(c)), func(r engine.Row) bool {
			if r.Table != recall.Events.Name() {
				return true
			}
			ev, err := recall.Events.Decode(r.Value)
			if err == nil && (mine[ev.ID] || ev.Own && said[ev.At.UTC().String()+string(ev.Text)]) {
				gone = append(gone, ev.ID)
			}
			return true
		})
		if err != nil {
			return err
		}
		for _, id := range gone {
			m := messages.TakeBack{Conversation: c, ID: id}
			if err := e.Inject(ctx, messages.To(recall.Kind, string(c)), m, ""); err != nil {
				return err
			}
		}
	}
	return nil
}
