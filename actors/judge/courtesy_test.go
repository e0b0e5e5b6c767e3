package judge_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/messages"
)

// TestWithoutModel answers what is said to one, unless it says nothing but a courtesy.
func TestWithoutModel(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	they := func(s string) messages.Said { return messages.Said{Text: messages.Text(s), At: at} }
	we := func(before time.Duration) messages.Said {
		return messages.Said{Own: true, Text: "Thank you for your message.", At: at.Add(-before)}
	}
	for _, c := range []struct {
		group bool
		lines []messages.Said
		want  bool
	}{
		{false, nil, true}, {true, nil, false},
		{false, []messages.Said{they("The train is late.")}, true},
		{true, []messages.Said{they("When?")}, false},
		{false, []messages.Said{they("おはよう！")}, false}, {false, []messages.Said{they("OK")}, false},
		{false, []messages.Said{they("またね")}, false}, {false, []messages.Said{they("了解です。ありがとう😊")}, false},
		{false, []messages.Said{they("Thank you so much, see you tomorrow!")}, false},
		{false, []messages.Said{they("👍")}, false},
		{false, []messages.Said{they("OK?")}, true}, {false, []messages.Said{they("おはよう！会議は何時？")}, true},
		{false, []messages.Said{they("Hire him then")}, true}, {false, []messages.Said{they("[image]")}, true},
		{false, []messages.Said{they("When do we meet?"), they("thanks")}, true},
		{false, []messages.Said{they("a"), we(2 * time.Minute), they("了解")}, false},
		{false, []messages.Said{they("a"), we(2 * time.Minute), they("資料を送ってください")}, true},
		{false, []messages.Said{they("a"), we(2 * time.Minute), they("何時に着きますか")}, true},
		{false, []messages.Said{they("a"), we(2 * time.Minute), they("電車が遅れてる")}, true},
	} {
		v := judge.WithoutModel(messages.JudgeReply{Group: c.group, Lines: c.lines})
		if v.Respond != c.want || v.Reason == "" {
			t.Errorf("%v in a group %v: %v because %s, want %v", c.lines, c.group, v.Respond, v.Reason, c.want)
		}
	}
}
