package names

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/rs/zerolog"
)

// adoptedSetting records that the directories have what an older version left.
const adoptedSetting = "directory"

// LoadAdopted returns the IDs that an older version made from the names of these
// applications' conversations, except those that a directory already has. done means that
// there was nothing to look for. Those whose keys are out of reach are found, too: their
// names are in their ids.
func LoadAdopted(e *engine.Engine, apps []string) (found map[string][]messages.ConversationID, done bool, err error) {
	if _, done, err = e.Setting(adoptedSetting); done || err != nil {
		return nil, done, err
	}
	known, away, err := InReach(e)
	if err != nil {
		return nil, false, err
	}
	found = map[string][]messages.ConversationID{}
	err = e.EachRow(dedup.Kind, dedup.Heads.Name(), func(r engine.Row, bad error) bool {
		if bad == nil {
			_, bad = dedup.Heads.Decode(r.Value)
		}
		c := messages.ConversationID(r.Actor.Key())
		app, _, ok := strings.Cut(string(c), ":")
		_, already := known[c]
		_, unread := away[c]
		there := bad == nil || errors.Is(bad, engine.ErrKeyAway)
		if ok && there && !already && !unread && slices.Contains(apps, app) {
			found[app] = append(found[app], c)
		}
		return true
	})
	return found, false, err
}

// Adopt wakes the directories that have IDs of an older version to adopt, so that their
// names are known before a window shows them.
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

// KeepAdopted notes that no ID made from a name is left to adopt. Without the note the
// next start looks again, so a failure is only logged.
func KeepAdopted(ctx context.Context, e *engine.Engine, log zerolog.Logger) error {
	if err := e.SetSetting(ctx, adoptedSetting, []byte("1")); err != nil && ctx.Err() == nil {
		log.Warn().Err(err).Msg("adoption_not_stored")
	}
	return nil
}
