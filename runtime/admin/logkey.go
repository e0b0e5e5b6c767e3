package admin

import (
	"context"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// logKeySetting is the setting that holds the key of the hashes in the log. It
// stays, so that a name reads the same after a restart, and kehai messages can
// tell whose it is.
const logKeySetting = "log-key"

// LogKeyBytes is the length of the key of the hashes in the log.
const LogKeyBytes = 32

// HashNames makes the hash of a key, which may still change.
func HashNames(key []byte) func(string) string {
	return func(s string) string { return text.Hash(key, s) }
}

// LoadLogKey reads the stored key, nil if there is none yet.
func LoadLogKey(e *engine.Engine) ([]byte, error) {
	raw, ok, err := e.Setting(logKeySetting)
	if err != nil || !ok || len(raw) != LogKeyBytes {
		return nil, err
	}
	return raw, nil
}

// StoreLogKey keeps the key of a first run.
func StoreLogKey(ctx context.Context, e *engine.Engine, key []byte) error {
	return e.SetSetting(ctx, logKeySetting, key)
}

// offlineNames are those of a store that is looked at. Without a key in it,
// nothing was logged yet.
func offlineNames(e *engine.Engine, cfg config.Config) (telemetry.Names, error) {
	n := telemetry.Names{Apps: map[string]bool{}}
	for _, w := range cfg.Windows {
		n.Apps[w.App] = true
	}
	key, err := LoadLogKey(e)
	if key != nil {
		n.Hash = HashNames(key)
	}
	return n, err
}
