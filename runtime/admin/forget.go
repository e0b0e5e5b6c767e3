package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/recording"
)

// Forget implements [control.Backend]. What remains is a mark in the ledger: the number
// of the next message, and that what is visible next is history. The receipt of a partial
// deletion stays unfinished, and is continued the next time. It is not called off where ctx ends: only the files
// are left for later then.
func (b Backend) Forget(ctx context.Context, c messages.ConversationID) (engine.Forgotten, error) {
	e, err := b.Engine()
	if err != nil {
		return engine.Forgotten{}, err
	}
	if c, err = names.Surely(e, string(c)); err != nil {
		return engine.Forgotten{}, err
	}
	known, away, err := names.InReach(e)
	if err != nil {
		return engine.Forgotten{}, err
	}
	ids := append(directory.Merged(known, c), c) // the last one is found again if this stops half way
	unseen, unsure, err := unseen(e, known, away, ids)
	if err != nil {
		return engine.Forgotten{}, err
	}
	ids = append(unseen, ids...)
	receipt, path, unnamed, err := b.receipt(e, known, c, ids)
	if err != nil {
		return engine.Forgotten{}, err
	}
	sum := engine.Forgotten{}
	// First: what a window shows meanwhile is forgotten with the rest.
	if sum.Drawn, err = b.Drawn.Forget(b.Config, calledBy(known, ids)); err != nil {
		return sum, errors.Join(err, b.withdraw(e, ids, path))
	}
	if err := b.closePages(ids); err != nil { // also where the deletion waits for a key
		return sum, errors.Join(err, b.withdraw(e, ids, path))
	}
	gone, rest, err := b.deleteAll(context.WithoutCancel(ctx), e, ids)
	if sum = sum.Plus(gone); err != nil {
		return sum, errors.Join(err, b.withdraw(e, ids, path))
	}
	if unsure {
		rest = fmt.Errorf("%w: what was merged into it, or imported for it: forget it again then: %w",
			engine.ErrRest, away.Err())
	}
	if sum.None() && path == "" {
		return sum, rest
	}
	// Once more: a purge that ran during the deletion may have missed a part of it.
	disk := b.Disk()
	if err := disk.PurgeLater(); err != nil {
		return sum, err
	}
	purged, err := disk.Purge(ctx) // if it fails or ctx ends, the next start does it
	sum.Purged, sum.Logged, sum.Unnamed = purged && err == nil, b.Config.Debug.Text, unnamed
	switch {
	case path == "":
	case sum.Partial, rest != nil: // its receipt is finished once the key is gone
		sum.Receipt = path
	default:
		sum.Receipt, receipt.Waiting = path, b.unanswered(ctx, ids, receipt.Keys)
		return sum, Receipts(b.Config).Finish(receipt, path, sum, time.Now())
	}
	return sum, rest
}

// withdraw takes a receipt back where the deletion has failed before it began: the conversations live on, and a
// restore of the keys is not to leave theirs out.
func (b Backend) withdraw(e *engine.Engine, ids []messages.ConversationID, path string) error {
	if path == "" || slices.ContainsFunc(ids, e.Forgets) {
		return nil
	}
	return Receipts(b.Config).Withdraw(path)
}

// closePages ends the page sessions of those who see these conversations only.
func (b Backend) closePages(ids []messages.ConversationID) error {
	if s := b.sessions(); s != nil {
		return s.Forget(ids)
	}
	return nil
}

// unseen are the ids under which something may be stored from before these conversations were seen. While a key
// is out of reach there are none, as the name may be that of another; unsure says that something may be stored.
func unseen(e *engine.Engine, known map[messages.ConversationID]directory.Known, away names.Away,
	ids []messages.ConversationID) (list []messages.ConversationID, unsure bool, err error) {
	list = directory.Unseen(known, ids)
	if len(away) == 0 {
		return list, false, nil
	}
	unsure = known[ids[len(ids)-1]].Moves > 0 // another may have been merged into it
	for _, id := range list {
		has, herr := e.HasRows(messages.To(messages.ActorRecall, string(id)))
		unsure, err = unsure || has, cmp.Or(err, herr)
	}
	return nil, unsure, err
}

// deleteAll deletes what is stored of conversations. If one waits for its key, the others are deleted all the
// same. rest says that a part of them waits for another conversation's
// key.
func (b Backend) deleteAll(ctx context.Context, e *engine.Engine, ids []messages.ConversationID) (
	sum engine.Forgotten, rest, waits error) {
	for i, id := range ids {
		if b.Talks != nil {
			b.Talks.forget(id)
		}
		one, err := b.delete(ctx, e, id)
		sum = sum.Plus(one)
		switch {
		case errors.Is(err, engine.ErrRest):
			rest = err
		case errors.Is(err, engine.ErrKeyAway): // it goes on by itself
			waits = errors.Join(waits, err)
		case errors.Is(err, engine.ErrHalfway) && i < len(ids)-1:
			err = fmt.Errorf("%w; forget it again then, as other conversations were merged into it", err)
			fallthrough
		case err != nil:
			return sum, rest, errors.Join(waits, err)
		}
	}
	return sum, rest, waits
}

// ForgetElsewhere removes what this machine keeps outside the store of a conversation that another
// machine of the cluster forgets.
func (b Backend) ForgetElsewhere(c messages.ConversationID) {
	if err := b.forgetElsewhere(c); err != nil {
		b.Log.Error().Err(err).Msg("forgetting_not_followed")
		if b.Live != nil {
			b.Live.Trouble(troubleForget, "a conversation was forgotten on another machine, and what this one has of "+
				"it in files could not be removed: `kehai forget` it here too")
		}
	}
}

const troubleForget = "forget"

// Forgotten is [Backend.ForgetElsewhere] for a machine that wants to know whether it was done.
func (b Backend) Forgotten(ids []string) (err error) {
	for _, id := range ids {
		err = errors.Join(err, b.forgetElsewhere(messages.ConversationID(id)))
	}
	return err
}

func (b Backend) forgetElsewhere(c messages.ConversationID) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	known, err := names.Known(e)
	if err != nil {
		return err
	}
	_, err = b.Drawn.Forget(b.Config, calledBy(known, []messages.ConversationID{c}))
	err = errors.Join(err, b.closePages([]messages.ConversationID{c}))
	if b.Talks != nil {
		b.Talks.forget(c)
	}
	if b.Live != nil {
		defer b.Live.Seen.HoldFiles()()
		b.Live.Forget()
	}
	done, merr := b.Memory.Forgetting()
	if merr == nil {
		b.Memory.Forget(c)
		done()
	}
	return errors.Join(err, merr, b.Debug.Destroy(recording.Anybody()...), b.Disk().PurgeLater())
}

// calledBy tells the names of conversations in their windows. A title can have been misread each
// time: then it counts as the known conversation with the nearest name. No application means any.
func calledBy(
	known map[messages.ConversationID]directory.Known, ids []messages.ConversationID,
) func(app, name string) bool {
	ours := func(id messages.ConversationID) bool { return slices.Contains(ids, id) }
	return func(app, name string) bool {
		title, _ := directory.DefaultRules().Read(messages.Line{Text: messages.Text(name)})
		if title == "" {
			return false
		}
		if found := directory.Called(known, app, string(title)); len(found) > 0 {
			return slices.ContainsFunc(found, ours)
		}
		var titles []string
		for _, k := range known {
			if app == "" || k.App == app {
				titles = append(titles, string(k.Title))
			}
		}
		near := names.Nearest(string(title), titles)
		return slices.ContainsFunc(directory.Called(known, app, near), ours) ||
			slices.ContainsFunc(ids, func(id messages.ConversationID) bool { // one that was never seen
				of, called, _ := strings.Cut(string(id), ":")
				return (app == "" || of == app) && directory.Plain(called) == directory.Plain(string(title))
			})
	}
}

// receipt writes down which keys are about to be destroyed; unnamed is how many it cannot name, as they are damaged.
// Without keys in the data directory, as in memory, there is none.
func (b Backend) receipt(
	e *engine.Engine, known map[messages.ConversationID]directory.Known, c messages.ConversationID,
	ids []messages.ConversationID,
) (r keyring.Receipt, path string, unnamed int, err error) {
	if !b.onDisk() {
		return r, "", 0, nil
	}
	keys, unnamed, err := keysOf(e, ids)
	if err != nil {
		return r, "", 0, err
	}
	var from []keyring.Origin
	for all := slices.Clone(ids); len(all) > 0; all = all[1:] {
		of := known[all[0]].From
		if of == "" {
			continue
		}
		of = directory.Resolve(known, of)
		parts := append(directory.Merged(known, of), of)
		theirs, _, err := keysOf(e, parts)
		if err != nil {
			return r, "", 0, err
		}
		from = append(from, keyring.Origin{Keys: theirs, Done: splitSetting(all[0])})
		all = append(all, slices.DeleteFunc(parts, func(id messages.ConversationID) bool {
			return slices.Contains(all, id)
		})...)
	}
	r, path, err = Receipts(b.Config).Begin(string(c), keys, from, time.Now())
	return r, path, unnamed, err
}

// Receipts are those of a data directory.
func Receipts(cfg config.Config) keyring.Receipts {
	return keyring.Receipts{Dir: datadir.Receipts(cfg), Keys: datadir.Keys(cfg)}
}

// keysOf are the keys that conversations have, and how many more cannot be read.
func keysOf(e *engine.Engine, ids []messages.ConversationID) (keys []engine.Key, unread int, err error) {
	for _, id := range ids {
		key, ok, err := e.KeyOf(id)
		switch {
		case errors.Is(err, engine.ErrNoKey):
			unread++
		case err != nil:
			return nil, 0, err
		case ok:
			keys = append(keys, key)
		}
	}
	return keys, unread, nil
}

// Backup implements [control.BackupBackend].
func (b Backend) Backup(_ context.Context, w io.Writer) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return e.Backup(w)
}

func (b Backend) delete(ctx context.Context, e *engine.Engine, c messages.ConversationID) (engine.Forgotten, error) {
	if b.Live != nil {
		defer b.Live.Seen.HoldFiles()()
		b.Live.Forget()
		defer b.Live.Forget() // what came in meanwhile
	}
	// A picture of the window may show the conversation.
	if err := b.Debug.Destroy(recording.Anybody()...); err != nil {
		return engine.Forgotten{}, err
	}
	done, err := b.Memory.Forgetting()
	if err != nil {
		return engine.Forgotten{}, err
	}
	defer done()
	var noted error
	sum, err := e.Forget(ctx, engine.Forgetting{
		Conversation: c,
		Begins:       func() { noted = b.Disk().PurgeLater() }, // also if it crashes from here on
	})
	// What was kept meanwhile may show it beside another one.
	late := errors.Join(noted, b.Debug.Destroy(recording.Anybody()...))
	if err == nil || errors.Is(err, engine.ErrRest) { // its own key and rows are gone
		b.Memory.Forget(c)
	}
	return sum, cmp.Or(late, err)
}
