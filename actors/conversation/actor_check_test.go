package conversation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/messages"
)

// The rules do not know these names.
const unusual = messages.Text("みんなからはぽんちと呼ばれる。仕事はあおぞら堂、090-1234-5678")

// searched is an interview on a channel whose texts a model searches too.
func searched(t *testing.T) talk {
	t.Helper()
	if got := pii.Mask(string(unusual), pii.Japanese).Text; !strings.Contains(got, "ぽんち") ||
		!strings.Contains(got, "あおぞら堂") || strings.Contains(got, "1234") {
		t.Fatalf("the rules leave %q, want both names in it", got)
	}
	o := options(auto())
	o.Key = func(string) []byte { return []byte("0123456789abcdef") }
	o.Check, o.Memory = time.Minute, true
	k := newTalk(t, o)
	k.Send(messages.InterviewBegins{Project: "p-1", Conversation: hana, Plan: messages.InterviewPlan{
		Tone: "casual", Goal: "朝がつらい理由", MaxTurns: 12, MaxDeep: 2}})
	return k
}

// tells says something and has it answered.
func (k talk) tells(n int, said, written messages.Text) {
	k.t.Helper()
	k.Send(messages.Say{Conversation: hana, Channel: messages.ChannelWeb, ID: messages.MessageID(fmt.Sprint("w", n)),
		Text: said, At: k.Now()})
	k.finishes()
	k.writes(k.asked(), written)
	k.finishes()
}

// TestAModelAddsMasks to what an interview stored, with a crash before each step: what it
// finds leaves the message, what the interview knows, our own words, memory and analysis.
func TestAModelAddsMasks(t *testing.T) {
	k := searched(t)
	k.CrashBeforeCommit()
	k.tells(1, unusual, "ぽんちさん、ありがとう。")
	k.tells(2, "ぽんちは電車が苦手", "なるほど。")
	k.Send(messages.StopInterview{Conversation: hana})
	k.Sent()
	k.Published()
	k.CrashBeforeCommit()
	ask := k.searches()
	if strings.Contains(string(ask.Prompt), "1234") || strings.Contains(string(ask.Prompt), "ありがとう") {
		t.Fatalf("asked with %q, want the masked messages alone", string(ask.Prompt))
	}
	k.Crash()
	ask = k.searches()
	k.CrashBeforeCommit()
	k.Answer(messages.LLMAnswer{Key: ask.Key, Text: `{"private": []}`}) // lost with the process
	ask = k.searches()
	k.Answer(messages.LLMAnswer{Key: ask.Key, Text: `{"private": [{"n": 1, "kind": "name", "quote": "ぽんち"},
		{"n": 1, "kind": "company", "quote": "あおぞら堂"}, {"n": 1, "kind": "name", "quote": "電話番号"},
		{"n": 2, "kind": "company", "quote": "あおぞら"}, {"n": 9, "kind": "company", "quote": "電車"}]}`})
	k.Crash()
	want := "みんなからは[氏名]と呼ばれる。仕事は[会社名]、[電話番号]"
	m := k.row(1)
	if string(m.Text) != want || string(m.Parts[0].Text) != want || fmt.Sprint(m.Masked) != "[phone name company]" ||
		string(k.row(2).Text) != "[氏名]は電車が苦手" {
		t.Errorf("stored %q and %q of kinds %v, want %q", string(m.Text), string(k.row(2).Text), m.Masked, want)
	}
	if v, ours := fmt.Sprintf("%+v", k.interview().State), fmt.Sprint(k.ours()); strings.Contains(v+ours, "ぽんち") {
		t.Errorf("the interview knows %s after %s, want no name", v, ours)
	}
	changes, told := 0, 0
	for _, p := range k.Published() {
		if c, ok := p.(messages.MessageChanged); ok && c.Kind == messages.ChangeMasked && c.Old == "" {
			changes++
		}
	}
	for _, s := range k.Sent() {
		switch m := s.Message.(type) {
		case messages.Analyse:
			told++
			if strings.Contains(fmt.Sprintf("%q", m.Lines), "ぽんち") || len(m.Lines) != 2 {
				t.Errorf("%d lines are analysed, want two without the name", len(m.Lines))
			}
		case messages.Remember:
			told++
			for _, e := range m.Events {
				if strings.Contains(string(e.Text), "ぽんち") {
					t.Errorf("memory keeps %q, want no name", string(e.Text))
				}
			}
		}
	}
	if changes != 2 || told != 4 {
		t.Errorf("%d changes were published and %d told, want 2, and 4 with ours and the analysis", changes, told)
	}
	k.Advance(2 * time.Hour)
	if n := len(k.Calls()); n != 0 {
		t.Errorf("%d further questions, want none", n)
	}
}

// searches is the next question about private data. A question gets no answer by itself.
func (k talk) searches() *messages.AskLLM {
	k.t.Helper()
	for range 40 {
		k.Advance(time.Minute)
		for _, c := range k.Calls() {
			if ask, ok := c.Request.(messages.AskLLM); ok && ask.Purpose == "mask" {
				return &ask
			}
		}
	}
	k.t.Fatal("no model was asked for what is private")
	return nil
}

// TestWhatNoModelReads stays masked by rule, is asked for again, and after some failures
// waits for the next message.
func TestWhatNoModelReads(t *testing.T) {
	k := searched(t)
	k.tells(1, unusual, "ありがとう。")
	k.searches()
	k.Crash()
	for _, said := range []messages.Text{"<html>", `{"private": "no"}`, "", "", ""} {
		ask := k.searches()
		if said == "" {
			k.FailCall(messages.FailureError, "unavailable", "none")
		} else {
			k.Answer(messages.LLMAnswer{Key: ask.Key, Text: said})
		}
	}
	if k.Advance(24 * time.Hour); len(k.Calls()) != 0 || !strings.Contains(string(k.row(1).Text), "[電話番号]") {
		t.Errorf("stored %q and asked again, want it masked by rule", string(k.row(1).Text))
	}
	k.tells(2, "電車が苦手", "なるほど。")
	if ask := k.searches(); strings.Count(string(ask.Prompt), `"n":`) != 2 {
		t.Errorf("asked with %q, want both messages", string(ask.Prompt))
	}
}

// TestASearchGivesWay to a reply and to an edit: what was asked before is not answered.
func TestASearchGivesWay(t *testing.T) {
	k := searched(t)
	k.tells(1, "電車が苦手", "なるほど。")
	old := k.searches()
	k.Send(messages.Say{Conversation: hana, Channel: messages.ChannelWeb, ID: "w2", Text: "バスも", At: k.Now()})
	k.finishes()
	reply := k.asked()
	k.Advance(20 * time.Second)
	if n := len(k.Calls()); reply.Purpose != "reply" || n != 0 {
		t.Fatalf("%s was asked, and %d more, want the reply alone", reply.Purpose, n)
	}
	k.writes(reply, "バスもですね。")
	k.finishes()
	ask := k.searches()
	if ask.Key == old.Key || strings.Count(string(ask.Prompt), `"n":`) != 2 {
		t.Errorf("asked %s with %q, want a new question about both", ask.Key, string(ask.Prompt))
	}
	k.Send(messages.Revised{Conversation: hana, Occurrence: k.row(1).Parts[0].Occurrence,
		Change: messages.ChangeEdited, Text: "ぽんちは電車が苦手"})
	k.Send(messages.OwnerState{})
	if after := k.searches(); after.Key == ask.Key || !strings.Contains(string(after.Prompt), "ぽんちは電車") {
		t.Errorf("asked %s with %q, want a new question about the edit", after.Key, string(after.Prompt))
	}
}
