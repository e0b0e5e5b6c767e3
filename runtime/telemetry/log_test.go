package telemetry

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

var t0 = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// names of these tests; hana is how line:Hana is written.
var names = Names{
	Hash: func(s string) string { return text.Hash([]byte("key"), s) }, Apps: map[string]bool{"line": true},
	Public: map[string]bool{"a": true, "w": true}, Pools: map[string]bool{"ocr": true},
}

const hana = "line:#8592e271987b4cd7"

func logged(t *testing.T, level zerolog.Level, events ...messages.Message) []map[string]any {
	t.Helper()
	var buf bytes.Buffer
	listen := Log(zerolog.New(&buf).Level(level), names)
	for _, m := range events {
		listen(engine.Published{From: "poller/w", Trace: "m7", At: t0, Message: m})
	}
	var lines []map[string]any
	for dec := json.NewDecoder(&buf); dec.More(); {
		var line map[string]any
		if err := dec.Decode(&line); err != nil {
			t.Fatalf("the log is not JSON lines: %v\n%s", err, buf.String())
		}
		lines = append(lines, line)
	}
	return lines
}

func TestLogLines(t *testing.T) {
	delivered := messages.MessageDelivered{
		InboundMessage: messages.InboundMessage{
			ID: "d1", Conversation: "line:Hana", Kind: messages.KindText, Text: "おはよう", Parts: make([]messages.Part, 2),
			SeenAt: t0,
		},
		DeliveredAt: t0.Add(1500 * time.Millisecond),
	}
	typ := messages.Type{Name: "detection", Version: 1}
	for _, tt := range []struct {
		name string
		in   messages.Message
		want map[string]any
	}{
		{"started", events.ActorStarted{Actor: "dedup/a"},
			map[string]any{"level": "debug", "message": "actor_started", "actor": "dedup/a"}},
		{"stopped", events.ActorStopped{Actor: "dedup/a"},
			map[string]any{"level": "debug", "message": "actor_stopped", "actor": "dedup/a"}},
		{"restart", events.ActorRestarted{Actor: "dedup/a", Reason: "boom", Delay: 200 * time.Millisecond, Count: 2},
			map[string]any{"level": "warn", "message": "actor_restarted", "actor": "dedup/a", "reason": "boom",
				"delay_ms": 200.0, "restarts": 2.0}},
		{"forgotten", events.ActorRestarted{Actor: "dedup/a", Forgotten: true, Reason: "boom", Count: 3},
			map[string]any{"level": "info", "message": "actor_restarted", "actor": "dedup/a",
				"reason": "boom", "delay_ms": 0.0, "restarts": 3.0}},
		{"unhealthy", events.ActorUnhealthy{Actor: "dedup/a", Reason: "boom"},
			map[string]any{"level": "error", "message": "actor_unhealthy", "actor": "dedup/a", "reason": "boom",
				"healthy": false,
				"hint":    "retried slowly from now on; the reason says what to mend"}},
		{"waits for a key", events.ActorUnhealthy{Actor: "dedup/a", Reason: "boom", Key: "keys/1: it is away"},
			map[string]any{"level": "error", "message": "actor_unhealthy", "actor": "dedup/a", "reason": "boom",
				"healthy": false,
				"hint":    "its messages wait and lose no attempt; the reason says what to mend"}},
		{"healthy", events.ActorUnhealthy{Actor: "dedup/a", Healthy: true},
			map[string]any{"level": "info", "message": "actor_unhealthy", "actor": "dedup/a", "healthy": true}},
		{"failed", events.MessageFailed{Actor: "dedup/a", ID: "m9", Type: typ, Attempt: 3, Reason: "panic: x",
			Stack: "main.go:1"},
			map[string]any{"level": "warn", "message": "message_failed", "actor": "dedup/a",
				"id": "m9", "type": "detection",
				"attempt": 3.0, "fatal": false, "reason": "panic: x", "stack": "main.go:1"}},
		{"quarantined", events.MessageQuarantined{Actor: "dedup/a", ID: "x4", Type: "detection", Reason: "boom"},
			map[string]any{"level": "error", "message": "message_quarantined", "actor": "dedup/a", "id": "x4",
				"type":   "detection",
				"reason": "boom", "hint": "set aside as a dead letter; look at it with: kehai deadletters show x4"}},
		{"overflow", events.MessageOverflowed{Actor: "ocr/a", Type: typ, Policy: "drop_oldest"},
			map[string]any{"level": "warn", "message": "message_overflowed", "actor": "ocr/a", "type": "detection",
				"policy": "drop_oldest"}},
		{"drop, daily work", dropped(events.Verdict{Actor: "fusion/a", Stage: events.StageFusion, Reason: "score 35",
			Cause: "m1"}),
			map[string]any{"level": "debug", "message": "dropped", "actor": "fusion/a", "drop_stage": "fusion",
				"drop_reason": "score 35", "cause": "m1"}},
		{"drop, a loss", dropped(events.Verdict{Actor: "poller/a", Stage: events.StageOCR, Reason: "failed twice",
			Cause: "m1"}),
			map[string]any{"level": "info", "message": "dropped", "actor": "poller/a", "drop_stage": "ocr",
				"drop_reason": "failed twice", "cause": "m1"}},
		{"call", events.CallFinished{Worker: "ocr/1", Call: "c1", Caller: "poller/a", Attempt: 1,
			Took: 35 * time.Millisecond},
			map[string]any{"level": "debug", "message": "call_finished", "actor": "poller/w",
				"worker": "ocr/1", "call": "c1",
				"caller": "poller/a", "attempt": 1.0, "took_ms": 35.0}},
		{"call failed", events.CallFinished{Worker: "ocr/1", Call: "c1", Caller: "poller/a", Attempt: 2,
			Failure: messages.FailureTimeout, Detail: "late", Took: time.Second},
			map[string]any{"level": "warn", "message": "call_finished", "actor": "poller/w",
				"worker": "ocr/1", "call": "c1",
				"caller": "poller/a", "attempt": 2.0, "took_ms": 1000.0, "error_code": "timeout", "reason": "late"}},
		{"commit", events.CommitFailed{Turns: 3, Reason: "disk"},
			map[string]any{"level": "error", "message": "commit_failed", "actor": "poller/w",
				"turns": 3.0, "reason": "disk",
				"hint": "the turns are undone, their messages come again; if it goes on, " +
					"look at the disk and run: kehai doctor"}},
		{"store low", events.StoreLow{Free: 10, Need: 20},
			map[string]any{"level": "error", "message": "store_low", "actor": "poller/w",
				"free_bytes": 10.0, "need_bytes": 20.0,
				"hint": "durable work is paused; " +
					"free some space on the volume of the data directory and it goes on by itself"}},
		{"store recovered", events.StoreRecovered{Free: 30},
			map[string]any{"level": "info", "message": "store_recovered", "actor": "poller/w", "free_bytes": 30.0}},
		{"capture", events.CaptureState{Window: "line@a", Code: "minimised", Detail: "hidden"},
			map[string]any{"level": "warn", "message": "capture_state", "actor": "poller/w", "window": "line@a",
				"error_code": "minimised",
				"reason":     "hidden",
				"hint": "polling goes on, " +
					"and with it reading as soon as the window can be captured; see: kehai doctor"}},
		{"accepted", events.Accepted{Conversation: "line:Hana", Occurrence: 7, Window: "line@a", Spared: "short"},
			map[string]any{"level": "debug", "message": "ingress_accepted", "actor": "poller/w", "conversation": hana,
				"occurrence": 7.0,
				"window":     "line@a", "dedup_reason": "none", "dedup_spared": "short"}},
		{"no echo", events.EchoGuardMiss{Conversation: "line:Hana", Occurrence: 7, Hash: "ab12", Runes: 4, Active: 2,
			LastSendAge: 1500 * time.Millisecond, Matched: true},
			map[string]any{"level": "debug", "message": "echo_guard_miss", "actor": "poller/w", "conversation": hana,
				"occurrence": 7.0,
				"text_hash":  "ab12", "runes": 4.0, "active_sends": 2.0, "last_send_age_ms": 1500.0,
				"text_matched": true}},
		{"frame", events.FrameSeen{Read: messages.FrameRead{Window: "line@a",
			Bubbles: make([]messages.Bubble, 4), Read: 1,
			Cached: 3, Took: 40 * time.Millisecond}},
			map[string]any{"level": "debug", "message": "frame_seen", "actor": "poller/w",
				"window": "line@a", "bubbles": 4.0,
				"read":   1.0,
				"cached": 3.0, "took_ms": 40.0}},
		{"delivered", delivered,
			map[string]any{"level": "info", "message": "message_delivered", "actor": "poller/w", "id": "d1",
				"conversation": hana,
				"kind":         "text", "parts": 2.0, "runes": 4.0, "lag_ms": 1500.0}},
		{"of the host", hostEvent{Note: "x"},
			map[string]any{"level": "debug", "message": "host_event", "actor": "poller/w"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want["trace_id"] = "m7"
			got := logged(t, zerolog.TraceLevel, tt.in)
			if len(got) != 1 || !reflect.DeepEqual(got[0], tt.want) {
				t.Errorf("Log(%T) =\n%v, want\n%v", tt.in, got, tt.want)
			}
		})
	}
}

type hostEvent struct{ Note messages.Text }

func (hostEvent) MessageType() messages.Type { return messages.Type{Name: "host_event", Version: 1} }

func TestLogUnknownEvent(t *testing.T) {
	got := logged(t, zerolog.DebugLevel, nil)
	if len(got) != 1 || got[0]["message"] != "unknown_event" || got[0]["trace_id"] != "m7" {
		t.Errorf("Log(nil) = %v, want one line unknown_event with its trace", got)
	}
}

func TestLogLevel(t *testing.T) {
	got := logged(t, zerolog.WarnLevel,
		events.ActorStarted{Actor: "a/b"}, events.StoreRecovered{}, events.ActorRestarted{Actor: "a/b"})
	if len(got) != 1 || got[0]["message"] != "actor_restarted" {
		t.Errorf("Log at warn = %v, want the restart only", got)
	}
}

func TestLogCaptureStateOncePerChange(t *testing.T) {
	state := func(window, code string) messages.Message {
		return events.CaptureState{Window: messages.WindowID(window), Code: code}
	}
	got := logged(t, zerolog.TraceLevel, state("a", "minimised"), state("a", "minimised"), state("b", "minimised"),
		state("a", ""), state("a", ""), state("a", "permission"))
	var codes []string
	for _, l := range got {
		codes = append(codes, l["window"].(string)+":"+l["error_code"].(string))
	}
	want := []string{"a:minimised", "b:minimised", "a:", "a:permission"}
	if !reflect.DeepEqual(codes, want) {
		t.Errorf("capture lines = %q, want %q", codes, want)
	}
}

// Every field of type Text of every core message is filled with a secret, which
// must not reach the log.
func TestLogHoldsNoPrivateText(t *testing.T) {
	const secret = "himitsu-秘密-7731"
	filled := 0
	for _, m := range everyEvent() {
		v := reflect.New(reflect.TypeOf(m)).Elem()
		filled += fillText(v, secret, 0)
		var buf bytes.Buffer
		Log(zerolog.New(&buf).Level(zerolog.TraceLevel),
			Names{Hash: names.Hash})(engine.Published{From: "x/y", Trace: "t",
			Message: v.Interface().(messages.Message)})
		if s := buf.String(); strings.Contains(s, "himitsu") || strings.Contains(s, "秘密") ||
			strings.Contains(s, "7731") {
			t.Errorf("Log(%T) writes private text: %s", m, s)
		}
		if buf.Len() == 0 {
			t.Errorf("Log(%T) writes nothing", m)
		}
	}
	if filled < 28 {
		t.Errorf("filled %d fields with a secret, want at least 28: does fillText still find them?", filled)
	}
}

// fillText sets every Text reachable from v, growing slices to one element.
func fillText(v reflect.Value, secret string, depth int) int {
	n := 0
	switch {
	case depth > 8 || !v.CanSet():
	case v.Type() == reflect.TypeFor[messages.Text]():
		v.SetString(secret)
		return 1
	case v.Type() == reflect.TypeFor[time.Time]():
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			n += fillText(v.Field(i), secret, depth+1)
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		n += fillText(v.Index(0), secret, depth+1)
	}
	return n
}

func everyEvent() []messages.Message {
	return []messages.Message{
		messages.Started{}, messages.CallFailed{}, messages.FrameCaptured{}, messages.ReadFrame{}, messages.FrameRead{},
		messages.Detection{}, messages.IncomingBubble{}, messages.InboundMessage{}, messages.MessageDelivered{},
		events.ActorStarted{}, events.ActorRestarted{}, events.ActorStopped{}, events.ActorUnhealthy{},
		events.MessageFailed{}, events.MessageQuarantined{}, events.MessageOverflowed{}, events.Dropped{},
		events.CallFinished{}, events.CommitFailed{}, events.StoreLow{}, events.StoreRecovered{},
		events.CaptureState{}, events.FrameSeen{}, events.Accepted{}, events.EchoGuardMiss{}, messages.TextSent{},
		hostEvent{},
		events.CursorTruncation{}, events.CursorNotFound{}, events.TextUnchanged{}, events.FuzzyDedupHit{},
		events.EchoMessage{},
		events.MessageUnreadable{}, events.StructureState{}, events.Passed{}, messages.MessageChanged{},
		messages.TranscriptGap{},
	}
}
