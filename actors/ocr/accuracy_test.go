package ocr

import (
	"context"
	"maps"
	"slices"
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

// exactLines are texts in which each letter counts, and texts that engines like to misread, by kind.
var exactLines = map[string][]string{
	"addresses": {"https://example.com/a/b?id=42", "見て https://example.org/photo/123",
		"http://localhost:8080/index.html", "https://www.example.net/search?q=tea&page=2", "mail me: hana@example.com",
		"詳しくは www.example.jp まで"},
	"prices": {"¥1,000", "1,980円でした", "price is $12.50", "合計12,500円です", "¥350くらい", "It costs $1,299.99",
		"税込み¥2,750です", "£15 or €18"},
	"numbers": {"1/1", "my number is 090-1234-5678", "room 301, code 7294", "10:45に出発", "2026年11月3日(火)", "3.5%上がった",
		"第11回", "Row 7, seats 12 and 13", "100m先を右", "暗証番号は8306です"},
	"repetition": {"そろそろ行くね", "わくわくする", "どきどきしてる", "いろいろありがとう", "ときどき会うよ", "まだまだだね", "はいはい、わかった",
		"もぐもぐ", "だんだん寒くなってきた", "ぜんぜん大丈夫"},
	"dakuten": {"昼ごはんは何？", "どこでごはん食べる？", "がんばってください", "ばんごはんはぎょうざ", "ぶどうとびわ", "パンとバナナ", "ベッドで寝てる",
		"ピザにする？", "ドラマの話だよ", "ござる"},
	"short":    {"w", "k", "OK", "え？", "ん", "は？", "no", "うん", "！", "…", "no.", "草"},
	"japanese": japaneseLines,
	"english":  englishLines,
}

// TestCharacterErrors reads every line at both scales and in both themes, and prints how many letters
// of each kind of text are misread.
func TestCharacterErrors(t *testing.T) {
	worker := tesseractWorker(t)
	wrong, all := map[string]int{}, map[string]int{}
	rate := func(wrong, all int) float64 { return 100 * float64(wrong) / float64(all) }
	chatpage.Everywhere(t, func(t *testing.T, pal chatpage.Palette, scale int) {
		for kind, lines := range exactLines {
			w, a := 0, 0
			for i := 0; i < len(lines); i += 6 {
				more, letters := readPage(t, worker, pal, scale, lines[i:min(i+6, len(lines))])
				w, a = w+more, a+letters
			}
			if (kind == "japanese" || kind == "english") && rate(w, a) > 3 {
				t.Errorf("character errors in %s = %.2f %%, want at most 3 %%", kind, rate(w, a))
			}
			wrong[kind], all[kind] = wrong[kind]+w, all[kind]+a
			wrong["all"], all["all"] = wrong["all"]+w, all["all"]+a
		}
	})
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%-10s %5d letters, %.2f %% wrong", kind, all[kind], rate(wrong[kind], all[kind]))
	}
	if r := rate(wrong["all"], all["all"]); r > 1 {
		t.Errorf("character errors over all = %.2f %%, want at most 1 %%", r)
	}
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
			t.Logf("%d wrong: %s %q, want %q", d, b.Kind, string(b.Text), lines[i])
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
