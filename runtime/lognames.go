package runtime

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
// tell whose it is.
const logKeySetting = "log-key"

// logKeyBytes is the key's length.
const logKeyBytes = 32

// WithEventLog writes every event to l. A line holds no text, and the names of
// contacts only as [Runtime.LogName] has them; with debug.text it holds both.
func WithEventLog(l zerolog.Logger) Option { return func(s *settings) { s.eventLog = &l } }

// logNames is how the log writes addresses. Its key may still change until the
// actors run.
func (r *Runtime) logNames(p plan) telemetry.Names {
	n := telemetry.Names{
		Hash: hashWith(r.set.hashKey), Plain: r.cfg.Debug.Text, Apps: map[string]bool{},
		Public: map[string]bool{string(r.desk()): true}, Pools: map[string]bool{},
	}
	for _, w := range r.cfg.Windows {
		n.Apps[w.App] = true
	}
	for _, id := range p.windows {
		n.Public[string(id)] = true
	}
	for _, w := range p.workers {
		n.Pools[w.Name] = true
	}
	return n
}

// hashWith makes the hash of a key, which may still change.
func hashWith(key []byte) func(string) string {
	return func(s string) string { return text.Hash(key, s) }
}

// LogName is how the log writes a conversation unless debug.text is set, for
// example "line:#4f1c9b02aa17e3d5". It is the same after a restart. Call it when
// the runtime is ready.
func (r *Runtime) LogName(c messages.ConversationID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names.Hidden(c)
}

// loadLogKey takes the stored key, and says whether there is one.
func (r *Runtime) loadLogKey(e *engine.Engine) (bool, error) {
	raw, ok, err := e.Setting(logKeySetting)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || !ok || len(raw) != logKeyBytes {
		return false, err
	}
	copy(r.set.hashKey, raw)
	return true, nil
}

// keepLogKey stores the key of a first run. Without it names read differently
// after a restart, which is no reason to end.
func (r *Runtime) keepLogKey(ctx context.Context) {
	if err := r.engine.SetSetting(ctx, logKeySetting, r.set.hashKey); err != nil && ctx.Err() == nil {
		r.log.Warn().Err(err).Msg("log_key_not_stored")
	}
}

// restingNames are those of a store that is looked at. Without a key in it,
// nothing was logged yet.
func restingNames(e *engine.Engine, cfg config.Config) (telemetry.Names, error) {
	n := telemetry.Names{Apps: map[string]bool{}}
	for _, w := range cfg.Windows {
		n.Apps[w.App] = true
	}
	raw, ok, err := e.Setting(logKeySetting)
	if ok && len(raw) == logKeyBytes {
		n.Hash = hashWith(raw)
	}
	return n, err
}
