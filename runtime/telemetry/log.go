package telemetry

import (
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Log returns the listener that writes events to l. The time of a line is the
// logger's own. It may be called concurrently.
func Log(l zerolog.Logger) func(engine.Published) {
	w := &writer{log: l, capture: map[messages.WindowID]string{}}
	return w.write
}

// writer is the state of one log listener.
type writer struct {
	log zerolog.Logger

	mu      sync.Mutex
	capture map[messages.WindowID]string // last code written, by window
}

func (w *writer) write(p engine.Published) {
	switch m := p.Message.(type) {
	case messages.ActorStarted:
		w.line(zerolog.DebugLevel, p, m.Actor).Msg("actor started")
	case messages.ActorStopped:
		w.line(zerolog.DebugLevel, p, m.Actor).Msg("actor stopped")
	case messages.ActorRestarted:
		w.line(zerolog.WarnLevel, p, m.Actor).Str("reason", m.Reason).Int64("delay_ms", m.Delay.Milliseconds()).
			Int("restarts", m.Count).Msg("actor restarts after a failure")
	case messages.ActorUnhealthy:
		w.health(p, m)
	case messages.MessageFailed:
		w.failed(p, m)
	case messages.MessageQuarantined:
		w.line(zerolog.ErrorLevel, p, m.Actor).Str("id", m.ID).Str("type", m.Type).Str("reason", m.Reason).
			Msg("message set aside as a dead letter; see: kehai deadletters show " + m.ID)
	case messages.MessageOverflowed:
		w.line(zerolog.WarnLevel, p, m.Actor).Str("type", m.Type.Name).Str("policy", m.Policy).
			Msg("mailbox full, a fleeting message was dropped or merged")
	case messages.Dropped:
		w.line(dropLevel(m.Stage), p, m.Actor).Str("drop_stage", m.Stage).Str("drop_reason", m.Reason).
			Str("cause", m.Cause).Msg("dropped")
	case messages.CallFinished:
		w.call(p, m)
	case messages.CommitFailed:
		w.line(zerolog.ErrorLevel, p, "").Int("turns", m.Turns).Str("reason", m.Reason).
			Msg("the store refused a commit; its turns are undone and their messages come again")
	case messages.StoreLow:
		w.line(zerolog.ErrorLevel, p, "").Uint64("free_bytes", m.Free).Uint64("need_bytes", m.Need).
			Msg("volume of the data directory is nearly full, durable work is paused; free some space and it resumes by itself")
	case messages.StoreRecovered:
		w.line(zerolog.InfoLevel, p, "").Uint64("free_bytes", m.Free).Msg("space again, durable work goes on")
	case messages.CaptureState:
		w.captured(p, m)
	case messages.FrameSeen:
		w.line(zerolog.DebugLevel, p, "").Str("window", string(m.Read.Window)).Int("bubbles", len(m.Read.Bubbles)).
			Int("read", m.Read.Read).Int("cached", m.Read.Cached).Int64("took_ms", m.Read.Took.Milliseconds()).
			Msg("frame read")
	case messages.MessageDelivered:
		w.line(zerolog.InfoLevel, p, "").Str("id", string(m.ID)).Str("conversation", string(m.Conversation)).
			Str("kind", string(m.Kind)).Int("parts", len(m.Parts)).Int("runes", utf8.RuneCountInString(string(m.Text))).
			Int64("lag_ms", lag(m).Milliseconds()).Msg("message delivered")
	case nil:
		w.log.Debug().Str("actor", string(p.From)).Str("trace_id", p.Trace).Uint64("seq", p.Seq).
			Msg("event of a type that this version does not know")
	default:
		w.line(zerolog.DebugLevel, p, "").Msg("event")
	}
}

// line begins a line. actor is "" for an event that has none of its own.
func (w *writer) line(level zerolog.Level, p engine.Published, actor messages.Address) *zerolog.Event {
	if actor == "" {
		actor = p.From
	}
	e := w.log.WithLevel(level)
	if level < w.log.GetLevel() || level < zerolog.GlobalLevel() {
		return nil
	}
	e.Str("event", p.Message.MessageType().Name)
	if actor != "" {
		e.Str("actor", string(actor))
	}
	if p.Trace != "" {
		e.Str("trace_id", p.Trace)
	}
	return e
}

func (w *writer) health(p engine.Published, m messages.ActorUnhealthy) {
	if m.Healthy {
		w.line(zerolog.InfoLevel, p, m.Actor).Msg("actor works again")
		return
	}
	w.line(zerolog.ErrorLevel, p, m.Actor).Str("reason", m.Reason).
		Msg("actor spent its restart budget and is retried slowly; the reason says what to mend")
}

func (w *writer) failed(p engine.Published, m messages.MessageFailed) {
	e := w.line(zerolog.WarnLevel, p, m.Actor).Str("type", m.Type.Name).Int("attempt", m.Attempt).Str("reason", m.Reason)
	if m.ID != "" {
		e = e.Str("id", m.ID)
	}
	if m.Stack != "" {
		e = e.Str("stack", m.Stack)
	}
	if m.Fatal {
		e.Msg("a turn failed for the last time")
		return
	}
	e.Msg("a turn failed")
}

// dropLevel is info where a person may miss something, debug for the verdicts
// that are a stage's daily work.
func dropLevel(stage string) zerolog.Level {
	switch stage {
	case "ocr", "deliver", "capture":
		return zerolog.InfoLevel
	}
	return zerolog.DebugLevel
}

func (w *writer) call(p engine.Published, m messages.CallFinished) {
	if m.Failure == "" {
		w.line(zerolog.DebugLevel, p, "").Str("worker", string(m.Worker)).Str("call", m.Call).
			Str("caller", string(m.Caller)).Int("attempt", m.Attempt).Int64("took_ms", m.Took.Milliseconds()).
			Msg("call finished")
		return
	}
	w.line(zerolog.WarnLevel, p, "").Str("worker", string(m.Worker)).Str("call", m.Call).
		Str("caller", string(m.Caller)).Int("attempt", m.Attempt).Int64("took_ms", m.Took.Milliseconds()).
		Str("error_code", string(m.Failure)).Str("reason", m.Detail).Msg("call failed")
}

// captured writes a change of a window's state. A poller that restarts may
// report the same state again; that is no change.
func (w *writer) captured(p engine.Published, m messages.CaptureState) {
	w.mu.Lock()
	last, known := w.capture[m.Window]
	w.capture[m.Window] = m.Code
	w.mu.Unlock()
	switch {
	case known && last == m.Code:
	case m.Code == "":
		w.line(zerolog.InfoLevel, p, "").Str("window", string(m.Window)).Msg("window can be captured")
	default:
		w.line(zerolog.WarnLevel, p, "").Str("window", string(m.Window)).Str("error_code", m.Code).
			Str("reason", m.Detail).Msg("window cannot be captured; polling goes on")
	}
}

// lag is how long a message took from its first sight to its commit, 0 if the
// clocks disagree.
func lag(m messages.MessageDelivered) time.Duration {
	if m.SeenAt.IsZero() {
		return 0
	}
	return max(0, m.DeliveredAt.Sub(m.SeenAt))
}
