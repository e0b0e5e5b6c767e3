//go:build real

package real

import (
	"fmt"
	"image"
	"os"
	"syscall"
	"time"

	"github.com/kehai-run/kehai/testkit/replay"
)

// phase is a part of the script: what is said, and what is done meanwhile.
type phase struct {
	name string
	play func(r *rig)
}

// phases in the order in which they are played.
var phases = []phase{
	{"talk", func(r *rig) { r.talk("Hana", talk...) }},
	{"repeats", func(r *rig) { r.talk("Hana", repeats...) }},
	{"burst", func(r *rig) {
		for i := range 10 {
			r.say("Hana", fmt.Sprintf("連続メッセージその%d", i+1))
		}
		r.pace()
	}},
	{"long", func(r *rig) { r.talk("Hana", long...) }},
	{"emoji", func(r *rig) { r.talk("Hana", emoji...) }},
	{"links", func(r *rig) { r.talk("Hana", links...) }},
	{"own replies", playReplies},
	{"covered", func(r *rig) {
		cover := r.x.Open("Notes", "Notes", image.Rect(0, 0, 1270, 890))
		r.talk("Hana", numbered("隠れている間のメッセージ", 8)...)
		cover.Close()
	}},
	{"scrolled", func(r *rig) {
		r.wheel(-12)
		for _, text := range numbered("while scrolled up, number", 4) {
			r.say("Hana", text)
		}
		r.wheel(40)
		r.pace()
	}},
	{"minimised", func(r *rig) {
		r.xdo("windowminimize", r.ref())
		for _, text := range numbered("最小化のあいだの話", 4) {
			r.say("Hana", text)
		}
		r.xdo("windowmap", r.ref())
		r.focus()
		r.pace()
	}},
	{"resized", func(r *rig) {
		r.resize(r.client.narrow)
		r.talk("Hana", numbered("a narrower window, line", 5)...)
		r.resize(r.client.size)
		r.talk("Hana", numbered("また広い窓です、その", 3)...)
	}},
	{"unfocused", func(r *rig) {
		beside := r.x.Open("Editor", "Editor", image.Rect(1020, 600, 1270, 890))
		r.xdo("windowactivate", fmt.Sprint(beside.ID))
		r.talk("Hana", numbered("焦点のない窓へ、その", 6)...)
		beside.Close()
		r.focus()
	}},
	{"switched", func(r *rig) {
		r.say("Ken Tanaka", "Hi, this is Ken")
		r.openTop()
		r.pace()
		r.talk("Ken Tanaka", kens...)
		r.say("Hana", "ケンさんと話していた間の一言")
		r.openTop()
		r.talk("Hana", numbered("back with Hana, number", 3)...)
	}},
	{"group", playGroup},
	{"restarted", func(r *rig) {
		r.restart(false)
		r.talk("Hana", numbered("再起動のあとの話、その", 5)...)
	}},
	{"dark", func(r *rig) {
		r.restart(true)
		r.talk("Hana", numbered("in the dark theme, line", 8)...)
		playReplies(r)
	}},
	{"killed", func(r *rig) {
		for i := range 3 {
			r.kehai.kill()
			r.say("Hana", fmt.Sprintf("Kehaiが止まっていた時の話 %d", i+1))
			r.watch()
			r.talk("Hana", fmt.Sprintf("alive again, round %d", i+1))
		}
	}},
	{"flood", func(r *rig) { // what passes unseen may be missing
		for i := range 30 {
			r.passing("Hana", fmt.Sprintf("洪水のような行 %d", i+1))
			r.wait(60 * time.Millisecond)
		}
		r.pace()
	}},
	{"last", func(r *rig) { r.talk("Hana", "今日はここまで", "Good night!") }},
}

func playReplies(r *rig) {
	for i, text := range replies {
		r.talk("Hana", fmt.Sprintf("質問%dです、どう思う？", i+1))
		r.reply("Hana", text)
	}
}

// playGroup writes in a room. Whose its messages are is not certain before the owner's name
// is known, so they may be held.
func playGroup(r *rig) {
	if r.client.room == (image.Point{}) {
		return
	}
	r.server.join("Team")
	r.click(r.client.room)
	for i, text := range numbered("部屋のみんなへ、その", 6) {
		who := []string{"Hana", "Ken Tanaka"}[i%2]
		r.said = append(r.said, replay.Line{Conversation: "team", Text: text, Free: true})
		r.server.sayIn("Team", who, text)
		r.wait(time.Second)
	}
	r.say("Hana", "部屋のあとで一言")
	r.openTop()
	r.pace()
}

func numbered(text string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%s %d", text, i+1))
	}
	return list
}

var (
	talk = []string{"おはよう！", "今日は何時に会う？", "Good morning, did you sleep well?", "10時に駅で待ってるね",
		"The train was late again", "昼ごはんはラーメンがいいな", "or curry, if you prefer",
		"雨が降りそうだから傘を持ってきて",
		"I'll bring the tickets", "映画は14:30からだよ", "Row 7, seats 12 and 13", "終わったらカフェに行こう",
		"My sister says hello", "猫の写真も見せたい", "She is three years old now", "名前はミケっていうの",
		"See you soon", "急がなくていいからね", "Text me when you arrive", "了解しました"}
	repeats = []string{"OK", "OK", "はい", "はい", "はい", "OK", "ok then", "うん", "うん", "yes", "no", "yes"}
	long    = []string{
		"来週の発表の件だけど、資料の三枚目の図がまだ古いままなので、" +
			"今夜のうちに直しておきます。明日の朝に見てもらえると助かります。",
		"I have been thinking about the trip to the mountains: if we leave on Friday evening, we can sleep at the " +
			"hut, start early, and be at the lake before noon.",
		"昨日の会議では、予算のことと日程のことが決まりました。予算は去年と同じで、" +
			"日程は三月の最初の週です。場所はまだ決まっていません。",
		"The landlord called and asked whether the heating works again; I told him that it does, but that the " +
			"kitchen is still cold in the morning.",
	}
	emoji = []string{"やったー🎉🎉", "ありがとう😊", "see you 👋", "😂👍", "お誕生日おめでとう🎂", "ok👌"}
	links = []string{"https://example.com/a/b?id=42", "見て https://example.org/photo/123",
		"price is $12.50, or 1,980円", "my number is 090-1234-5678", "mail me: hana@example.com", "room 301, code 7294"}
	replies = []string{"いいと思います", "Sounds good to me", "それは明日にしよう", "I agree"}
	kens    = []string{"Lunch tomorrow?", "会議室は三階です", "I have the keys", "よろしくお願いします", "bye for now"}
)

// talk has a friend write at the pace of a person who sees that they were read.
func (r *rig) talk(who string, texts ...string) {
	r.t.Helper()
	for i, text := range texts {
		r.say(who, text)
		r.wait(700 * time.Millisecond)
		if i%3 == 2 {
			r.pace()
		}
	}
	r.pace()
}

// wait is the time that a person needs, which nothing on the screen tells.
func (r *rig) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.t.Context().Done():
	}
}

// kill ends Kehai at once.
func (w *watching) kill() {
	_ = w.cmd.Process.Signal(syscall.SIGKILL) // an error means that it has ended
	w.done.Wait()
	_ = w.cmd.Wait()
}

// stop ends it in order.
func (w *watching) stop() {
	_ = w.cmd.Process.Signal(os.Interrupt) // likewise
	w.done.Wait()
	_ = w.cmd.Wait()
}
