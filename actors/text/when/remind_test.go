package when_test

import (
	"testing"
	"time"

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
		r, ok := remind(c.text, sunday)
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
		if r, ok := remind(text, sunday); ok {
			t.Errorf("Remind(%q) = %s %q, want none", text, stamp(r.At), r.What)
		}
	}
}

// TestReminders: what people write around a request, in bursts of several sentences.
func TestReminders(t *testing.T) {
	for _, c := range []struct{ text, at, what string }{
		{"7時に起こして", "2026-11-22T19:00", ""},
		{"明日の朝7時に起こしてください", "2026-11-23T07:00", ""},
		{"6時半に起こしてくれる？", "2026-11-22T18:30", ""},
		{"明日6時に起こしてもらえますか", "2026-11-23T06:00", ""},
		{"明日7時に起こして、お願い！", "2026-11-23T07:00", ""},
		{"お願い、明日7時に起こして", "2026-11-23T07:00", ""},
		{"明日の朝起こしてね", "2026-11-23T08:00", ""},
		{"明日7時に起こして。あと朝ごはんは何がいい？", "2026-11-23T07:00", ""},
		{"おはよう！\n明日9時に会議って教えて", "2026-11-23T09:00", "会議"},
		{"明日9時に教えて\nあと、駅の場所わかる？", "2026-11-23T09:00", ""},
		{"了解\n18時にリマインドして", "2026-11-22T18:00", ""},
		{"9時に電話するのを忘れないようにリマインドして", "2026-11-22T21:00", "電話する"},
		{"明日の15時に歯医者に行くことをリマインドしてください", "2026-11-23T15:00", "歯医者に行く"},
		{"薬を飲むのを21時に教えてね", "2026-11-22T21:00", "薬を飲む"},
		{"明日の朝8時にゴミ出しを思い出させてください", "2026-11-23T08:00", "ゴミ出し"},
		{"金曜日の18時に「ケーキを受け取る」とリマインドして", "2026-11-27T18:00", "ケーキを受け取る"},
		{"リマインドお願い：明日10時 歯医者", "2026-11-23T10:00", "歯医者"},
		{"明日の10時に歯医者ってリマインドお願いします", "2026-11-23T10:00", "歯医者"},
		{"明日の15時にミーティングがあることを10分前に教えて", "2026-11-23T14:50", "ミーティングがある"},
		{"3時になったら教えて", "2026-11-22T15:00", ""},
		{"15時になったら声かけて", "2026-11-22T15:00", ""},
		{"1時間したら起こして", "2026-11-22T11:00", ""},
		{"明日の会議、9時に教えてくれる？", "2026-11-23T09:00", "会議"},
		{"明日9時に電話してって言って", "2026-11-23T09:00", "電話して"},
		{"明日の9時にリマインド送って", "2026-11-23T09:00", ""},
		{"今夜10時に寝るように言って", "2026-11-22T22:00", "寝る"},
		{"20分後にパスタの火を止めるよう教えて", "2026-11-22T10:20", "パスタの火を止める"},
		{"Can you remind me at 5pm to call mom please?", "2026-11-22T17:00", "call mom"},
		{"please remind me tomorrow at 9 to call Bob, thanks!", "2026-11-23T09:00", "call Bob"},
		{"Could you please remind me at noon to take my pills?", "2026-11-22T12:00", "take my pills"},
		{"Hi! Remind me at 6pm to buy milk. Also, did you see the game?", "2026-11-22T18:00", "buy milk"},
		{"Remind me at 6pm to buy milk\nAlso where is the station?", "2026-11-22T18:00", "buy milk"},
		{"Good morning! How are you? Please remind me tomorrow at 9 to call Bob.", "2026-11-23T09:00", "call Bob"},
		{"remind me to take the cake out in 20 minutes", "2026-11-22T10:20", "take the cake out"},
		{"in 20 minutes remind me to take the cake out", "2026-11-22T10:20", "take the cake out"},
		{"at 5 remind me that the shop closes", "2026-11-22T17:00", "the shop closes"},
		{"remind me 10 minutes before the meeting at 3pm", "2026-11-22T14:50", "the meeting"},
		{"Remind me at 9.30 a.m. to leave", "2026-11-23T09:30", "leave"},
		{"wake me at 6:30am tomorrow please", "2026-11-23T06:30", ""},
		{"I need you to remind me at 8 to lock the door", "2026-11-22T20:00", "lock the door"},
		{"I want you to remind me tomorrow at 8 to lock the door", "2026-11-23T08:00", "lock the door"},
		{"would you remind me tonight at 10 about the medicine", "2026-11-22T22:00", "the medicine"},
		{"don't forget to remind me at 8 to lock the door", "2026-11-22T20:00", "lock the door"},
		{"remind me about the dentist tomorrow at 10:30, ok?", "2026-11-23T10:30", "the dentist"},
	} {
		list := when.Reminders(c.text, sunday)
		if len(list) != 1 || stamp(list[0].At) != c.at || list[0].What != c.what {
			t.Errorf("Reminders(%q) = %+v, want one at %s of %q", c.text, list, c.at, c.what)
		}
	}
	two := when.Reminders("明日7時に起こして\n9時に薬って教えて", sunday)
	if len(two) != 2 || two[1].What != "薬" {
		t.Errorf("two requests are %+v", two)
	}
}

// TestNobodyAsksToBeReminded: what others said, refusals, questions, conditions, promises,
// and wishes for an answer.
func TestNobodyAsksToBeReminded(t *testing.T) {
	for _, text := range []string{
		"she said remind her tomorrow at nine", "she said \"remind me tomorrow at nine\"",
		"he asked me to remind him tomorrow at 9", "my boss said to remind me tomorrow at 9",
		"she said: remind me tomorrow at nine", "I asked you to remind me at 9", "don't remind me tomorrow",
		"Don't remind me at nine, I know", "do not remind me at nine", "dont remind me at 9",
		"no need to remind me tomorrow at 9", "you don't have to remind me tomorrow", "please don't wake me up at 6",
		"never mind, don't remind me at 5", "Did I ask you to remind me tomorrow?", "why did you remind me at 9?",
		"you forgot to remind me at 9", "thanks for reminding me at 9", "stop reminding me at 9",
		"nobody will remind me tomorrow", "who will remind me tomorrow at 9?", "the app should remind me tomorrow at 9",
		"Should I remind you tomorrow at 9 about the dentist?", "what time should I remind you tomorrow?",
		"If it rains tomorrow at 9, remind me to take an umbrella", "tell me tomorrow if it rains", "tell me tomorrow",
		"tell me next week", "tell me tomorrow whether you can come",
		"母が明日9時に教えてって言ってた", "明日9時に教えてって頼まれた", "「明日9時に教えて」と言われた", "明日7時に起こしてって弟に言われた",
		"明日9時にリマインドしないで", "明日9時に起こさないで", "明日9時に教えなくていいよ", "明日リマインドはいらない",
		"9時にリマインドしてくれてありがとう", "7時に起こしてくれなかったね", "明日7時に起こしてくれるって言ってたよね", "明日7時に起こしてあげる",
		"明日何時に起こしてほしい？", "何時に起こせばいい？", "10分前に教えて", "9時に電話して", "明日までに教えて", "来週教えて",
		"あとで教えて", "明日会ったら教えて",
	} {
		if list := when.Reminders(text, sunday); len(list) > 0 {
			t.Errorf("Reminders(%q) = %s %q, want none", text, stamp(list[0].At), list[0].What)
		}
	}
}

// remind is the first reminder that a text asks for.
func remind(text string, now time.Time) (when.Reminder, bool) {
	list := when.Reminders(text, now)
	if len(list) == 0 {
		return when.Reminder{}, false
	}
	return list[0], true
}
