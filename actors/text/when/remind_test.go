package when_test

import (
	"testing"

	"github.com/kehai-run/kehai/actors/text/when"
)

func TestRemind(t *testing.T) {
	for _, c := range []struct{ text, at, what string }{
		{"tell me tomorrow at nine", "2026-11-23T09:00", ""},
		{"Tell me tomorrow at nine, please.", "2026-11-23T09:00", ""},
		{"Remind me to call Bob tomorrow at 9", "2026-11-23T09:00", "call Bob"},
		{"remind me in two hours that the cake is in the oven", "2026-11-22T12:00", "the cake is in the oven"},
		{"Can you remind me next Friday at 5pm about the report?", "2026-11-27T17:00", "the report"},
		{"please remind me on the 3rd to pay the rent", "2026-12-03T09:00", "pay the rent"},
		{"Tomorrow at 8, remind me to water the plants", "2026-11-23T08:00", "water the plants"},
		{"Don't let me forget the dentist on Friday at 10:30", "2026-11-27T10:30", "the dentist"},
		{"wake me up at 6 tomorrow", "2026-11-23T06:00", ""},
		{"set a reminder for tomorrow morning: dentist", "2026-11-23T08:00", "dentist"},
		{"ping me in 30 minutes", "2026-11-22T10:30", ""},
		{"tell me at 9pm to go to bed", "2026-11-22T21:00", "go to bed"},
		{"tell me to call mum tomorrow at noon", "2026-11-23T12:00", "call mum"},
		{"remind me tomorrow", "2026-11-23T09:00", ""},
		{"remind me on Friday to prepare for the meeting at 3", "2026-11-27T15:00", "prepare for the meeting"},
		{"明日9時に教えて", "2026-11-23T09:00", ""},
		{"明日の9時に教えてください", "2026-11-23T09:00", ""},
		{"明日９時に会議があるって教えて", "2026-11-23T09:00", "会議がある"},
		{"薬を飲むのを明日の朝リマインドして", "2026-11-23T08:00", "薬を飲む"},
		{"30分後に教えて", "2026-11-22T10:30", ""},
		{"30分後教えてくれる？", "2026-11-22T10:30", ""},
		{"来週の月曜 午後3時半にリマインドお願い", "2026-11-23T15:30", ""},
		{"あさっての朝、ゴミ出しって言って", "2026-11-24T08:00", "ゴミ出し"},
		{"18:00に洗濯物を取り込むように言ってね", "2026-11-22T18:00", "洗濯物を取り込む"},
		{"明日６時に起こして！", "2026-11-23T06:00", ""},
		{"2時間後にリマインドしてほしい", "2026-11-22T12:00", ""},
		{"来月の5日に家賃のことリマインドして", "2026-12-05T09:00", "家賃のこと"},
		{"金曜の夜に電話するのを思い出させて", "2026-11-27T20:00", "電話する"},
		{"あと10分で教えて", "2026-11-22T10:10", ""},
		{"3日後、資料を送るようにリマインドして", "2026-11-25T09:00", "資料を送る"},
	} {
		r, ok := when.Remind(c.text, sunday)
		if !ok || stamp(r.At) != c.at || r.What != c.what {
			t.Errorf("Remind(%q) = %s %q, %v, want %s %q", c.text, stamp(r.At), r.What, ok, c.at, c.what)
		}
	}
}

func TestRemindOfNothing(t *testing.T) {
	for _, text := range []string{
		"", "tell me", "remind me", "明日9時", "教えて", "明日の天気を教えて", "明日の予定を教えて", "明日は何時に始まるか教えて",
		"9時に始まる会議について教えて", "昨日9時に教えてもらった", "明日9時に教えてあげる", "明日9時に教えてもらう予定", "毎日9時に教えて",
		"3時間教えて", "去年の夏のことを教えて", "昨日のことをリマインドして", "tell me what you did yesterday",
		"tell me about tomorrow", "tell me what time we meet tomorrow", "tell me tomorrow how it went",
		"remind me what we said last summer", "this reminds me of last summer", "he will remind me tomorrow at nine",
		"she reminded me yesterday", "I'll tell you tomorrow at nine", "don't tell me tomorrow",
		"remind me every Friday at nine",
		"you told me at nine", "let me know if you come tomorrow", "remind me 3 years ago", "tell me the price at $9",
		"May I tell me", "明日9時に会おう。場所を教えて",
	} {
		if r, ok := when.Remind(text, sunday); ok {
			t.Errorf("Remind(%q) = %s %q, want none", text, stamp(r.At), r.What)
		}
	}
}
