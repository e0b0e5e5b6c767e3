package ocr

import (
	"context"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

var japaneseLines = []string{
	"おはよう、今日は何時に起きた？", "昨日の雨はすごかったね", "駅前に新しいパン屋ができたらしいよ", "今度一緒に行ってみない？",
	"了解です", "ありがとうございます", "会議の資料を送りました。確認をお願いします", "明日の10時に第2会議室で待っています",
	"電車が遅れているので少し遅刻します", "すみません、先に始めてください", "お昼ごはんは何を食べる予定？", "カレーライスがいいな",
	"この前の写真、とてもきれいに撮れていたよ", "来週の土曜日は空いていますか", "子どもの運動会があるので難しいです", "それなら日曜日にしましょう",
	"新幹線の切符はもう予約した？", "まだです。今夜やります", "ホテルは駅から歩いて5分のところにしました", "プレゼントは何がいいと思う？",
	"本が好きだから図書カードはどうかな", "いいね、そうしよう", "宿題が終わらなくて困っています", "数学の問題を教えてもらえますか",
	"もちろん、どこが分からないの？", "教科書の52ページの3番です", "あとで電話してもいい？", "はい、8時以降なら大丈夫です",
	"猫がソファーで気持ちよさそうに寝ている", "週末は山に登る予定なので天気が心配です", "荷物は玄関の前に置いてください", "鍵を忘れたから開けてくれる？",
	"今日の夕飯は魚とサラダにするつもり", "スーパーで牛乳と卵を買ってきて", "わかった、他に必要なものはある？", "特にないよ。気をつけて帰ってきてね",
	"おやすみなさい", "また明日",
}

var englishLines = []string{
	"Good morning, did you sleep well?", "I will be about ten minutes late today",
	"The meeting has been moved to Thursday afternoon",
	"Can you send me the address again please", "Sure, here it is: 25 Garden Street",
	"Thank you so much for your help yesterday",
	"We should plan the trip before the end of the month", "How about the second week of August?", "That works for me",
	"Do you want to have lunch together tomorrow?", "I would love to but I have to finish a report",
	"No problem, maybe next time",
	"The train leaves from platform 9 at half past six", "Please remember to bring your passport",
	"Happy birthday! I hope you have a wonderful day",
	"Did you watch the game last night?", "It was the best one this season",
	"Let me know when you get home", "See you soon",
	"The kids are already asleep so please be quiet", "I found your keys under the sofa",
	"Could you pick up some milk on the way back?",
	"Yes, anything else we need?", "Just some bread and a few apples",
}

// TestCharacterErrors reads every line at both scales and in both themes.
func TestCharacterErrors(t *testing.T) {
	worker := tesseractWorker(t)
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		for language, lines := range map[string][]string{"japanese": japaneseLines, "english": englishLines} {
			t.Run(language, func(t *testing.T) {
				wrong, all := 0, 0
				for i := 0; i < len(lines); i += 6 {
					w, a := readPage(t, worker, pal, scale, lines[i:min(i+6, len(lines))])
					wrong, all = wrong+w, all+a
				}
				rate := 100 * float64(wrong) / float64(all)
				t.Logf("%d lines, %d characters, %.2f %% wrong", len(lines), all, rate)
				if rate > 3 {
					t.Errorf("character errors = %.2f %%, want at most 3 %%", rate)
				}
			})
		}
	})
}

// readPage returns the edit distance and the length of a page of lines on
// alternating sides, without spaces.
func readPage(t *testing.T, worker *Worker, pal chatpage.Palette, scale int, lines []string) (wrong, all int) {
	t.Helper()
	p := chatpage.New(t, pal, scale, 720, "Hana")
	for i, line := range lines {
		side := messages.SideIncoming
		if i%2 == 1 {
			side = messages.SideOwn
		}
		p.Say(side, line)
	}
	read := do(t, worker, p.Frame())
	if len(read.Bubbles) != len(lines) {
		t.Fatalf("read %d bubbles, want %d", len(read.Bubbles), len(lines))
	}
	for i, b := range read.Bubbles {
		if b.Side != p.Truth[i].Side {
			t.Errorf("bubble %d side = %s, want %s", i, b.Side, p.Truth[i].Side)
		}
		got, want := bare(string(b.Text)), bare(lines[i])
		d := text.EditDistance(got, want)
		if d > 0 && testing.Verbose() {
			t.Logf("%d wrong: %q, want %q (%v)", d, string(b.Text), lines[i], b.Lines[0].Confidence)
		}
		wrong, all = wrong+d, all+len(want)
	}
	return wrong, all
}

func bare(s string) []rune { return []rune(strings.ReplaceAll(s, " ", "")) }

func tesseractWorker(tb testing.TB) *Worker {
	tb.Helper()
	w := NewWorker(Options{Confidence: DefaultThresholds(), Layouts: always(layout.Line()), Cache: NewCache(512),
		Open: func() (hardware.Recognizer, error) {
			return tesseract.Open(tesseract.Options{})
		}})
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Errorf("Close() = %v, want nil", err)
		}
	})
	return w
}

func do(tb testing.TB, w *Worker, f messages.Frame) messages.FrameRead {
	tb.Helper()
	got, err := w.Do(context.Background(), messages.ReadFrame{Frame: f})
	if err != nil {
		tb.Fatalf("Do() = %v, want a reading", err)
	}
	return got.(messages.FrameRead)
}
