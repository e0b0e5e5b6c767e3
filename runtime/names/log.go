package names

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// logKeySetting is the setting that holds the key of the hashes in the log. It
// stays, so that a name reads the same after a restart, and kehai messages can
// resolve it.
const logKeySetting = "log-key"

// LogKeyBytes is the length of the key of the hashes in the log.
const LogKeyBytes = 32

// LoadLogKey reads the stored key, nil if there is none yet.
func LoadLogKey(e *engine.Engine) ([]byte, error) {
	raw, ok, err := e.Setting(logKeySetting)
	if err != nil || !ok || len(raw) != LogKeyBytes {
		return nil, err
	}
	return raw, nil
}

// KeepLogKey stores the key of a first run. Without it names read differently
// after a restart, which is no reason to end: that it failed is logged.
func KeepLogKey(ctx context.Context, e *engine.Engine, key []byte, log zerolog.Logger) error {
	if err := e.SetSetting(ctx, logKeySetting, key); err != nil && ctx.Err() == nil {
		log.Warn().Err(err).Msg("log_key_not_stored")
	}
	return nil
}

// InLog is how the log writes the addresses of a Kehai with these windows and
// workers; what has no name of its own there is written as a hash. The key, nil for
// none, may still change.
func InLog(cfg config.Config, key []byte, windows []messages.WindowID,
	workers []engine.WorkerKind) telemetry.Names {
	n := telemetry.Names{Plain: cfg.Debug.Text, Apps: map[string]bool{}, Public: map[string]bool{cfg.Node: true},
		Pools: map[string]bool{}}
	if key != nil {
		n.Hash = func(s string) string { return text.Hash(key, s) }
	}
	for _, w := range cfg.Windows {
		n.Apps[w.App] = true
	}
	for _, id := range windows {
		n.Public[string(id)] = true
	}
	for _, w := range workers {
		n.Pools[w.Name] = true
	}
	return n
}
