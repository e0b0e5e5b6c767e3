package runtime

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// WithEventLog writes every event to l. A line holds no text, and the names of
// contacts only as [Runtime.LogName] has them; with debug.text it holds both.
func WithEventLog(l zerolog.Logger) Option { return func(s *settings) { s.eventLog = &l } }

// logNames is how the log writes addresses. Its key may still change until the
// actors run.
func (r *Runtime) logNames(p plan) telemetry.Names {
	n := telemetry.Names{
		Hash: admin.HashNames(r.set.hashKey), Plain: r.cfg.Debug.Text, Apps: map[string]bool{},
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

// LogName is how the log writes a conversation unless debug.text is set, for
// example "line:#4f1c9b02aa17e3d5". It is the same after a restart. Call it when
// the runtime is ready.
func (r *Runtime) LogName(c messages.ConversationID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names.Hidden(c)
}

// keepLogKey stores the key of a first run. Without it names read differently
// after a restart, which is no reason to end.
func (r *Runtime) keepLogKey(ctx context.Context, e *engine.Engine) {
	if err := admin.StoreLogKey(ctx, e, r.set.hashKey); err != nil && ctx.Err() == nil {
		r.log.Warn().Err(err).Msg("log_key_not_stored")
	}
}
