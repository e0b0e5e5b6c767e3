package reply

import (
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
)

func echoesNothing(string) bool { return false }

// TestUsable: what a model sets around a reply is no part of it, and what is no reply is
// refused. However far it is written, what is shown of it begins what is sent in the end.
func TestUsable(t *testing.T) {
	for answer, want := range map[string]string{
		"はい、三時に。":                           "はい、三時に。",
		"アシスタント：はい、三時に。":                    "はい、三時に。",
		"Assistant: Yes, at three.":         "Yes, at three.",
		"**Kehai:** Yes, at three.":         "Yes, at three.",
		"Assistant: 件名：会議":                  "件名：会議",
		"kehai: \"Yes, at three.\"":         "Yes, at three.",
		"「はい、三時に。」":                         "はい、三時に。",
		" \"Yes.\"\n":                       "Yes.",
		"\"Yes\" is what she said, \"no\"":  "\"Yes\" is what she said, \"no\"",
		"「はい」と「いいえ」":                        "「はい」と「いいえ」",
		"「はい」と言いました。":                       "「はい」と言いました。",
		"Note: bring a coat.":               "Note: bring a coat.",
		"At 10:30, then.":                   "At 10:30, then.",
		"Answer me when you can.":           "Answer me when you can.",
		"[氏名·7f3a]さん、はい。":                   "[氏名·7f3a]さん、はい。",
		"I <3 that, {really}.":              "I <3 that, {really}.",
		"Assistant:":                        "",
		"「」":                                "",
		"<p>Yes</p>":                        "",
		"```html\n<div>Yes</div>\n```":      "",
		`{"reply": "Yes"}`:                  "",
		"```json\n{\n \"reply\": \"Yes\"":   "",
		`["Yes"]`:                           "",
		`{"a":` + strings.Repeat(`[`, 1000): "",
	} {
		got, ok := Usable(answer, "Kehai", echoesNothing)
		if string(got) != want || ok != (want != "") {
			t.Errorf("Usable(%.60q) = %q, %v, want %q", answer, string(got), ok, want)
		}
		for n := range answer {
			shown := stream.DefaultRule().Shown(Begun(answer[:n], "Kehai"))
			if !strings.HasPrefix(want, shown) {
				t.Errorf("of %.60q is shown %q, which %q does not begin with", answer[:n], shown, want)
			}
		}
	}
	if begun := Begun("Assistant: Yes, at three o'clock. We", "Kehai"); begun != "Yes, at three o'clock. We" {
		t.Errorf("Begun() = %q, want what follows the name", begun)
	}
}

func TestForeign(t *testing.T) {
	for _, c := range []struct {
		said, written string
		want          bool
	}{
		{"明日は何時ですか", "三時です。", false},
		{"明日は何時ですか", "OK, 3 pm", false},
		{"明日は何時ですか", "We meet at three o'clock at the station.", true},
		{"明日は何時ですか", "Да, в три часа.", true},
		{"明日は何時ですか", "네, 세 시에 만나요.", true},
		{"明日は何時ですか", "我们三点在车站见面吧。", true},
		{"明日は何時ですか", "明日午後三時東京駅集合", false},
		{"「ありがとう」を英語で何と言いますか? thank you very much?", "It is: thank you very much indeed.", false},
		{"我们几点见面？", "三点在车站，你呢？", false},
		{"When do we meet?", "At three, in front of the station.", false},
		{"When do we meet?", "三時に駅の前でお会いしましょう。", true},
		{"When do we meet?", "Às três, em frente à estação.", false}, // one script
		{"Hi Kehai", "Hello, nice to hear from you again!", false},
		{"OK", "三時に駅の前でお会いしましょう。", false},
		{"👍", "At three, in front of the station.", false},
		{"どこですか", "ここです https://maps.example.com/place/tokyo-station-east", false},
		{"https://www.example.com/a-long-address 👍", "三時に駅の前でお会いしましょう。", false},
		{"外にいるのは", "誰？", false},
		{"明日は何時ですか", "没！", false},
		{"明日は何時ですか", "👍", false},
	} {
		if got := Foreign(messages.Text(c.written), []messages.Said{{Text: messages.Text(c.said)}}); got != c.want {
			t.Errorf("Foreign(%q) after %q = %v, want %v", c.written, c.said, got, c.want)
		}
	}
}

func TestForeignWaits(t *testing.T) {
	got := Decide(Situation{Policy: PolicyAuto, Listed: true, Drawn: true, Foreign: true}, time.Time{})
	if got.Action != Draft || got.Rule != RuleLanguage {
		t.Errorf("Decide() of another language = %+v, want a draft", got)
	}
}
