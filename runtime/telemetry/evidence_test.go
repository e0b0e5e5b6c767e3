package telemetry

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
)

func TestEvidenceLines(t *testing.T) {
	a, b := events.TextMark{Hash: "ab12", Runes: 4}, events.TextMark{Hash: "cd34", Runes: 5}
	for _, tt := range []struct {
		in   messages.Message
		want map[string]any
	}{
		{events.CursorTruncation{Window: "w", Conversation: "line:Hana", Discarded: 3, Kept: 1},
			map[string]any{"level": "debug", "message": "cursor_truncation", "window": "w", "conversation": hana,
				"discarded": 3.0, "kept": 1.0}},
		{events.CursorNotFound{Window: "w", Conversation: "line:Hana", Lines: 7},
			map[string]any{"level": "debug", "message": "cursor_not_found", "window": "w",
				"conversation": hana, "lines": 7.0}},
		{events.TextUnchanged{Window: "w", Conversation: "line:Hana", Previous: a, Current: b},
			map[string]any{"level": "debug", "message": "text_unchanged", "window": "w", "conversation": hana,
				"prev_hash": "ab12", "prev_runes": 4.0, "curr_hash": "cd34", "curr_runes": 5.0}},
		{events.FuzzyDedupHit{Conversation: "line:Hana", Query: a, Matched: b},
			map[string]any{"level": "debug", "message": "fuzzy_dedup_hit", "conversation": hana,
				"query_hash": "ab12", "query_runes": 4.0, "matched_hash": "cd34", "matched_runes": 5.0}},
		{events.EchoMessage{Window: "w", Conversation: "line:Hana", Text: a, Trace: "t", Match: "equal",
			Age: 1500 * time.Millisecond, Side: messages.SideIncoming},
			map[string]any{"level": "debug", "message": "echo_message", "window": "w",
				"conversation": hana, "text_hash": "ab12",
				"runes": 4.0, "match": "equal", "age_ms": 1500.0, "side": "incoming"}},
		{events.MessageUnreadable{Window: "w", Conversation: "line:Hana", Rows: 12, Delta: 1, Attempts: 3},
			map[string]any{"level": "warn", "message": "message_unreadable", "window": "w",
				"conversation": hana, "rows": 12.0,
				"delta": 1.0, "attempts": 3.0, "hint": "a message came that could not be read; look at the window"}},
		{events.SidesState{Window: "w", Unknown: true, Bubbles: 4},
			map[string]any{"level": "warn", "message": "sides_state", "window": "w", "bubbles": 4.0, "bare": 0.0,
				"unknown": true, "hint": describe.SidesHint(events.SidesState{})}},
		{events.SidesState{Window: "w", Unknown: true, Bubbles: 1, Bare: 5},
			map[string]any{"level": "warn", "message": "sides_state", "window": "w", "bubbles": 1.0, "bare": 5.0,
				"unknown": true, "hint": describe.SidesHint(events.SidesState{Bubbles: 1, Bare: 5})}},
		{events.SidesState{Window: "w", Bubbles: 4},
			map[string]any{"level": "info", "message": "sides_state", "window": "w", "bubbles": 4.0, "bare": 0.0,
				"unknown": false}},
		{messages.MessageChanged{Message: "m", Conversation: "line:Hana", Occurrence: 3, Kind: messages.ChangeEdited,
			Old: "private", New: "secret"},
			map[string]any{"level": "info", "message": "message_changed", "id": "m",
				"conversation": hana, "occurrence": 3.0,
				"kind": "edited", "runes": 6.0}},
		{events.ConversationUnknown{Window: "w", Why: events.UnknownTitle, Bubbles: 4},
			map[string]any{"level": "warn", "message": "conversation_unknown", "window": "w",
				"reason":  "title_unreadable",
				"bubbles": 4.0,
				"hint":    "messages are missed: " + describe.UnknownHint(events.UnknownTitle)}},
		{events.IdentityState{Window: "w"},
			map[string]any{"level": "info", "message": "identity_state", "window": "w", "reason": ""}},
		{events.StructureState{Window: "w", Code: messages.CodePermission, Detail: "denied"},
			map[string]any{"level": "warn", "message": "structure_state", "window": "w", "error_code": "permission",
				"reason": "denied",
				"hint":   "reading goes on without the window's rows; see: kehai doctor"}},
		{events.StructureState{Window: "w"},
			map[string]any{"level": "debug", "message": "structure_state", "window": "w", "error_code": ""}},
		{dropped(events.Verdict{Actor: "poller/w", Stage: events.StageCapture, Reason: "typing",
			Detail: events.Detail{Rule: "typing"}}),
			map[string]any{"level": "debug", "message": "dropped", "drop_stage": "capture",
				"drop_reason": "typing", "cause": "",
				"rule": "typing"}},
		{dropped(events.Verdict{Actor: "poller/w", Stage: events.StageFusion, Reason: "score 35", Cause: "m1",
			Detail: events.Detail{Score: 35, Confidence: "low", Changed: "0"}}),
			map[string]any{"level": "debug", "message": "dropped", "drop_stage": "fusion", "drop_reason": "score 35",
				"cause": "m1",
				"score": 35.0, "confidence": "low", "pixel_text_changed": "0"}},
	} {
		tt.want["trace_id"], tt.want["actor"] = "m7", "poller/w"
		got := logged(t, zerolog.TraceLevel, tt.in)
		if len(got) != 1 || !reflect.DeepEqual(got[0], tt.want) {
			t.Errorf("Log(%T) =\n%v, want\n%v", tt.in, got, tt.want)
		}
	}
}

func TestTextsAreLoggedWhereThatIsAskedFor(t *testing.T) {
	long := strings.Repeat("長", maxText+1)
	mark := func(s string) events.TextMark {
		return events.TextMark{Hash: "ab12", Runes: 2, Text: messages.Text(s)}
	}
	for _, tt := range []struct {
		in   messages.Message
		want map[string]string
	}{
		{events.TextUnchanged{Previous: mark("あ"), Current: mark("い")},
			map[string]string{"prev_text": "あ", "curr_text": "い"}},
		{events.FuzzyDedupHit{Query: mark("う"), Matched: mark(long)},
			map[string]string{"query_text": "う", "matched_text": strings.Repeat("長", maxText) + "…"}},
		{events.EchoMessage{Text: mark("え")}, map[string]string{"text": "え"}},
		{events.EchoGuardMiss{Text: "お"}, map[string]string{"text": "お"}},
		{messages.MessageDelivered{InboundMessage: messages.InboundMessage{Text: "か"}}, map[string]string{"text": "か"}},
	} {
		for _, plain := range []bool{true, false} {
			var buf bytes.Buffer
			Log(zerolog.New(&buf), Names{Plain: plain})(engine.Published{Message: tt.in})
			var got map[string]any
			if err := json.Unmarshal(buf.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			for field, want := range tt.want {
				if !plain {
					want = ""
				}
				if s, _ := got[field].(string); s != want {
					t.Errorf("Log(%T) with texts %v has %s %q, want %q", tt.in, plain, field, s, want)
				}
			}
		}
	}
}

func TestMarksKeepTheirTextOutOfJSON(t *testing.T) {
	for _, m := range []any{events.TextMark{Text: "himitsu"}, events.EchoGuardMiss{Text: "himitsu"}} {
		if raw, err := json.Marshal(m); err != nil || strings.Contains(string(raw), "himitsu") {
			t.Errorf("JSON of %T = %s, %v, want it without the text", m, raw, err)
		}
	}
}

// dropped is the event of a verdict.
func dropped(v events.Verdict) events.Dropped {
	v.Outcome = events.OutcomeDropped
	return events.Dropped{Verdict: v}
}
