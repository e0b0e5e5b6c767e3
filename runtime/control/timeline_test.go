package control

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

var t0 = at(1).Time

// timelineCases are events and the JSON of their entries, which scripts rely on; "" is
// none.
var timelineCases = []struct {
	event messages.Message
	want  string
}{
	{messages.MessageDelivered{InboundMessage: messages.InboundMessage{ID: "m1", Conversation: "c-1", Sender: "Hana",
		Kind: messages.KindSticker, Parts: []messages.Part{{Kind: messages.KindSticker, Occurrence: 3, SeenAt: t0,
			Trace: "t"}}, SeenAt: t0}, DeliveredAt: t0},
		`{"seq":7,"conversation":"c-1","seen_at":"2026-01-02T03:04:01.005Z","id":"m1","sender":"Hana",` +
			`"kind":"sticker","text":"","parts":[{"kind":"sticker","text":"","occurrence":3,` +
			`"seen_at":"2026-01-02T03:04:01.005Z"}],"delivered_at":"2026-01-02T03:04:01.005Z"}`},
	{messages.MessageChanged{Conversation: "c-1", Message: "m1", Occurrence: 3, Kind: messages.ChangeEdited,
		Sender: "Hana", Old: "a", New: "b", SeenAt: t0, ChangedAt: t0},
		`{"seq":7,"event":"message_changed","conversation":"c-1","seen_at":"2026-01-02T03:04:01.005Z",` +
			`"kind":"edited","sender":"Hana","message":"m1","occurrence":3,"old":"a","new":"b",` +
			`"changed_at":"2026-01-02T03:04:01.005Z"}`},
	{messages.TranscriptGap{Conversation: "c-1", Window: "w", Visible: 6, Passed: 1, After: 9, SeenAt: t0},
		`{"seq":7,"event":"transcript_gap","conversation":"c-1","seen_at":"2026-01-02T03:04:01.005Z","window":"w",` +
			`"visible":6,"passed":1,"after":9,"what":"more than a screenful went by unseen: of the messages in view ` +
			`then (6) the newest were passed on (1); what came before may be missing"}`},
	{messages.ReplyChanged{Conversation: "c-1", Turn: 2, Epoch: 3, State: "sent", Text: "hi",
		Answers: []messages.MessageID{"m1"}, Rule: "auto", Reason: messages.SendBusy,
		Basis: messages.ReplyBasis{Confidence: 1, Source: "default"}, At: t0},
		`{"seq":7,"event":"reply","conversation":"c-1","seen_at":"2026-01-02T03:04:01.005Z","reply":"c-1/2.3",` +
			`"state":"sent","text":"hi","answers":["m1"],"rule":"auto","basis":{"confidence":1,"source":"default"}}`},
	{messages.ReplyChanged{Conversation: "c-1", Turn: 2, Epoch: 3, State: "unknown", Text: "hi",
		Reason: messages.SendUnconfirmed, At: t0},
		`{"seq":7,"event":"reply","conversation":"c-1","seen_at":"2026-01-02T03:04:01.005Z","reply":"c-1/2.3",` +
			`"state":"unknown","text":"hi","reason":"unconfirmed","basis":{"confidence":0}}`},
	{messages.ReplyChanged{Conversation: "c-1", Turn: 2, Epoch: 3, State: "draft", Text: "hi"}, ""},
	{messages.SendDone{Conversation: "c-1", Key: "k", Outcome: messages.SendConfirmed, Text: "hi", Occurrence: 4,
		At: t0},
		`{"seq":7,"event":"reply","conversation":"c-1","seen_at":"2026-01-02T03:04:01.005Z","key":"k",` +
			`"state":"sent","text":"hi","occurrence":4}`},
	{messages.SendDone{Conversation: "c-1", Key: "k", Outcome: messages.SendUnknown, Reason: messages.SendFailed,
		Text: "hi", At: t0},
		`{"seq":7,"event":"reply","conversation":"c-1","seen_at":"2026-01-02T03:04:01.005Z","key":"k",` +
			`"state":"unknown","text":"hi","reason":"failed"}`},
	{messages.SendDone{Conversation: "c-1", Key: "k", Outcome: messages.SendNot}, ""},
	{messages.SendDone{Conversation: "c-1", Turn: 2, Epoch: 3, Outcome: messages.SendConfirmed}, ""},
	{messages.FocusNotice{}, ""},
}

func TestEntries(t *testing.T) {
	for _, c := range timelineCases {
		e, ok := EntryOf(engine.Published{Seq: 7, Message: c.event})
		if ok != (c.want != "") {
			t.Errorf("EntryOf(%+v) = %+v, %v, want an entry: %v", c.event, e, ok, c.want != "")
		}
		if !ok {
			continue
		}
		raw, err := json.Marshal(e)
		if err != nil || string(raw) != c.want {
			t.Errorf("the entry of a %T is\n%s, %v, want\n%s", c.event, raw, err, c.want)
		}
		var back Entry
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Errorf("%s is not read: %v", raw, err)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != string(raw) {
			t.Errorf("%s comes back as %s, %v", raw, again, err)
		}
	}
	if raw, err := json.Marshal(Entry{Seq: 3}); err == nil {
		t.Errorf("an entry without body is %s, want an error", raw)
	}
}

func TestApply(t *testing.T) {
	changed := Stamp{t0.Add(time.Minute)}
	m := Message{Parts: []Part{{Occurrence: 1, Text: "a"}, {Occurrence: 2, Text: "b"}, {Occurrence: 3, Text: "c"}}}
	m.Apply(Change{Kind: messages.ChangeEdited, Occurrence: 1, New: "A", ChangedAt: changed})
	m.Apply(Change{Kind: messages.ChangeUnsent, Occurrence: 2, ChangedAt: changed})
	want := []Part{{Occurrence: 1, Text: "a", Edited: "A", ChangedAt: &changed},
		{Occurrence: 2, Text: "b", Unsent: true, ChangedAt: &changed}, {Occurrence: 3, Text: "c"}}
	if !reflect.DeepEqual(m.Parts, want) {
		t.Errorf("parts = %+v, want %+v", m.Parts, want)
	}
}

// Whatever comes over the socket is an entry that can be shown, or an error.
func FuzzEntry(f *testing.F) {
	for _, c := range timelineCases {
		f.Add([]byte(c.want))
	}
	f.Add([]byte(`{"event":"another"}`))
	f.Add([]byte(`{"parts":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e Entry
		if json.Unmarshal(raw, &e) != nil {
			return
		}
		again, err := json.Marshal(e)
		if err != nil {
			if e.SeenAt.Year() >= 0 && e.SeenAt.Year() < 10000 {
				t.Errorf("%q is read and cannot be written: %v", raw, err)
			}
			return
		}
		var back Entry
		if err := json.Unmarshal(again, &back); err != nil {
			t.Errorf("%q is written as %q, which is not read: %v", raw, again, err)
		}
	})
}
