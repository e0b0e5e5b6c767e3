package telemetry

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Log returns the listener that writes events to l, with addresses and conversations as
// names writes them. The time of a line is the logger's own. The listener may be called
// concurrently.
func Log(l zerolog.Logger, names Names) func(engine.Published) {
	w := &writer{log: l, names: names, capture: map[messages.WindowID]string{}}
	return w.write
}

// writer is the state of one log listener.
type writer struct {
	log   zerolog.Logger
	names Names

	mu      sync.Mutex
	capture map[messages.WindowID]string // last code written, by window
}

// write writes an event. It is long because it is a table: one case for each type.
func (w *writer) write(p engine.Published) {
	switch m := p.Message.(type) {
	case events.ActorStarted:
		w.line(zerolog.DebugLevel, p, m.Actor).send()
	case events.ActorStopped:
		w.line(zerolog.DebugLevel, p, m.Actor).send()
	case events.ActorRestarted:
		level := zerolog.WarnLevel
		if m.Forgotten {
			level = zerolog.InfoLevel
		}
		l := w.line(level, p, m.Actor)
		l.Str("reason", w.names.Reason(m.Reason, m.Actor)).
			Int64("delay_ms", m.Delay.Milliseconds()).Int("restarts", m.Count)
		l.send()
	case events.ActorUnhealthy:
		w.health(p, m)
	case events.MessageFailed:
		w.failed(p, m)
	case events.MessageQuarantined:
		l := w.line(zerolog.ErrorLevel, p, m.Actor)
		l.Str("id", m.ID).Str("type", m.Type).Str("reason", w.names.Reason(m.Reason, m.Actor))
		if w.names.Alone {
			l.hint("set aside as a dead letter; Runtime.DeadLetters has it as " + m.ID)
		} else {
			l.hint("set aside as a dead letter; look at it with: kehai deadletters show " + m.ID)
		}
	case events.MessageOverflowed:
		l := w.line(zerolog.WarnLevel, p, m.Actor)
		l.Str("type", m.Type.Name).Str("policy", m.Policy)
		l.send()
	case events.Dropped:
		l := w.line(dropLevel(m), p, m.Actor)
		l.Str("drop_stage", string(m.Stage)).Str("drop_reason", describe.Verdict(m.Verdict)).Str("cause", m.Cause)
		l.detail(m.Detail)
		l.send()
	case events.Passed:
		l := w.line(zerolog.DebugLevel, p, m.Actor)
		l.Str("stage", string(m.Stage)).Str("cause", m.Cause)
		l.detail(m.Detail)
		l.send()
	case events.CallFinished:
		w.call(p, m)
	case events.CommitFailed:
		l := w.line(zerolog.ErrorLevel, p, "")
		l.Int("turns", m.Turns).Str("reason", m.Reason)
		next := " and run: kehai doctor"
		if w.names.Alone {
			next = ""
		}
		l.hint("the turns are undone, their messages come again; if it goes on, look at the disk" + next)
	case events.StoreLow:
		l := w.line(zerolog.ErrorLevel, p, "")
		l.Uint64("free_bytes", m.Free).Uint64("need_bytes", m.Need)
		l.hint("durable work is paused; free some space on the volume of the data directory and it goes on by itself")
	case events.StoreRecovered:
		l := w.line(zerolog.InfoLevel, p, "")
		l.Uint64("free_bytes", m.Free)
		l.send()
	case events.CaptureState:
		w.captured(p, m)
	case events.FrameSeen:
		l := w.line(zerolog.DebugLevel, p, "")
		l.Str("window", string(m.Read.Window)).Int("bubbles", len(m.Read.Bubbles)).Int("read", m.Read.Read).
			Int("cached", m.Read.Cached).Int64("took_ms", m.Read.Took.Milliseconds())
		l.send()
	case events.Accepted:
		l := w.line(zerolog.DebugLevel, p, "")
		l.Str("conversation", w.names.Conversation(m.Conversation)).Int64("occurrence", int64(m.Occurrence)).
			Str("window", string(m.Window)).
			Str("dedup_reason", "none").Str("dedup_spared", m.Spared)
		l.send()
	case events.EchoGuardMiss:
		l := w.line(zerolog.DebugLevel, p, "")
		l.Str("conversation", w.names.Conversation(m.Conversation)).Int64("occurrence", int64(m.Occurrence)).
			Str("text_hash", m.Hash).Int("runes", m.Runes).Int("active_sends", m.Active).
			Int64("last_send_age_ms", m.LastSendAge.Milliseconds()).Bool("text_matched", m.Matched)
		l.text("text", m.Text)
		l.send()
	case messages.MessageDelivered:
		l := w.line(zerolog.InfoLevel, p, "")
		l.Str("id", string(m.ID)).Str("conversation", w.names.Conversation(m.Conversation)).Str("kind", string(m.Kind)).
			Int("parts", len(m.Parts)).Int("runes", utf8.RuneCountInString(string(m.Text))).
			Int64("lag_ms", lag(m).Milliseconds())
		l.text("text", m.Text)
		l.send()
	case nil:
		w.log.Debug().Str("actor", w.names.Actor(p.From)).Str("trace_id", p.Trace).
			Uint64("seq", p.Seq).Msg("unknown_event")
	default:
		if !w.evidence(p) {
			w.line(zerolog.DebugLevel, p, "").send()
		}
	}
}

// line is one log line in the making.
type line struct {
	*zerolog.Event
	name  string
	plain bool // texts too
}

// line begins a line. actor is "" for an event that has none of its own.
func (w *writer) line(level zerolog.Level, p engine.Published, actor messages.Address) line {
	if actor == "" {
		actor = p.From
	}
	event := w.log.WithLevel(level) //nolint:zerologlint // whoever asked for the line sends it
	l := line{event, p.Message.MessageType().Name, w.names.Plain}
	if level < w.log.GetLevel() || level < zerolog.GlobalLevel() { // WithLevel does not look
		l.Event = nil
	}
	if actor != "" && l.Event != nil {
		l.Str("actor", w.names.Actor(actor))
	}
	if p.Trace != "" {
		l.Str("trace_id", p.Trace)
	}
	return l
}

// detail writes what a verdict is based on, if anything.
func (l line) detail(d events.Detail) {
	if d.Rule != "" {
		l.Str("rule", string(d.Rule))
	}
	if len(d.Occurrences) > 0 {
		l.Str("occurrences", fmt.Sprint(d.Occurrences))
	}
	if d.Score != 0 {
		l.Int("score", d.Score)
	}
	for _, s := range d.Signals {
		l.Int("score_"+s.Signal, s.Score)
	}
	if d.Confidence != "" {
		l.Str("confidence", d.Confidence)
	}
	if d.Changed != "" {
		l.Str("pixel_text_changed", d.Changed)
	}
}

// maxText is how many characters of a text a line holds.
const maxText = 200

// text writes the beginning of a text, if texts are asked for.
func (l line) text(name string, t messages.Text) {
	if !l.plain || t == "" {
		return
	}
	s, n := string(t), 0
	for i := range s {
		if n++; n > maxText {
			s = s[:i] + "…"
			break
		}
	}
	l.Str(name, s)
}

func (l line) send() { l.Msg(l.name) }

func (l line) hint(what string) { l.Str("hint", what).Msg(l.name) }

func (w *writer) health(p engine.Published, m events.ActorUnhealthy) {
	if m.Healthy {
		w.line(zerolog.InfoLevel, p, m.Actor).Bool("healthy", true).Msg(m.MessageType().Name)
		return
	}
	l := w.line(zerolog.ErrorLevel, p, m.Actor)
	l.Bool("healthy", false).Str("reason", w.names.Reason(m.Reason, m.Actor))
	if m.Blocked {
		l.hint("its messages wait until the turn ends, if it does: let no actor wait for anything; ask a worker")
		return
	}
	if m.Key != "" {
		l.hint("its messages wait and lose no attempt; the reason says what to mend")
		return
	}
	l.hint("retried slowly from now on; the reason says what to mend")
}

func (w *writer) failed(p engine.Published, m events.MessageFailed) {
	l := w.line(zerolog.WarnLevel, p, m.Actor)
	l.Str("type", m.Type.Name).Int("attempt", m.Attempt).Bool("fatal", m.Fatal).
		Str("reason", w.names.Reason(m.Reason, m.Actor))
	if m.ID != "" {
		l.Str("id", m.ID)
	}
	if m.Stack != "" {
		l.Str("stack", w.names.Stack(m.Stack, m.Actor))
	}
	l.send()
}

// dropLevel is info if a person may miss something, debug for the routine verdicts of a
// stage.
func dropLevel(m events.Dropped) zerolog.Level {
	switch m.Detail.Rule {
	case events.RuleTyping, events.RuleForgotten:
		return zerolog.DebugLevel
	case events.RuleNoActor, events.RuleNoWorker, events.RuleNewerType:
		return zerolog.WarnLevel
	}
	switch m.Stage {
	case events.StageOCR, events.StageDeliver, events.StageCapture:
		return zerolog.InfoLevel
	}
	return zerolog.DebugLevel
}

func (w *writer) call(p engine.Published, m events.CallFinished) {
	level := zerolog.DebugLevel
	switch {
	case m.Failure == messages.FailureCancelled: // as its caller wanted
	case m.Failure != "" && m.Code == "": // a refusal is an answer: the caller reports what changed
		level = zerolog.WarnLevel
	}
	l := w.line(level, p, "")
	l.Str("worker", w.names.Actor(m.Worker)).Str("call", m.Call).Str("caller", w.names.Actor(m.Caller)).
		Int("attempt", m.Attempt).Int64("took_ms", m.Took.Milliseconds())
	if m.Failure != "" {
		l.Str("error_code", string(m.Failure)).Str("reason", w.names.Reason(m.Detail, m.Caller))
	}
	l.send()
}

// captured writes a change of a window's state. A restarted poller may report the same
// state again, which is not a change.
func (w *writer) captured(p engine.Published, m events.CaptureState) {
	w.mu.Lock()
	last, known := w.capture[m.Window]
	w.capture[m.Window] = m.Code
	w.mu.Unlock()
	if known && last == m.Code {
		return
	}
	if m.Code == "" || m.Code == messages.CodePaused {
		l := w.line(zerolog.InfoLevel, p, "")
		l.Str("window", string(m.Window)).Str("error_code", m.Code)
		l.send()
		return
	}
	l := w.line(zerolog.WarnLevel, p, "")
	l.Str("window", string(m.Window)).Str("error_code", m.Code).Str("reason", m.Detail)
	l.hint("polling goes on, and with it reading as soon as the window can be captured; see: kehai doctor")
}

// lag returns how long a message took from when it was first seen to its commit, 0 if the
// clocks disagree.
func lag(m messages.MessageDelivered) time.Duration {
	if m.SeenAt.IsZero() {
		return 0
	}
	return max(0, m.DeliveredAt.Sub(m.SeenAt))
}
