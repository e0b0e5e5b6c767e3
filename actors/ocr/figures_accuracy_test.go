package ocr

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kehai-run/kehai/messages"
)

// besideFigures are texts in which kana that signs are misread as stand beside figures, and mean what they say.
var besideFigures = []string{
	"本を3冊ください", "水を5本と牛乳を2本買った", "これを2回やって", "5を引いて3を足す", "薬を1日3回飲む", "いま3時だよ", "9時まで寝てた", "3日まで待って",
	"ボタンの7を押して", "来る2月に", "帰る10分前", "乗る3人", "すぎ4時", "7時すぎ10分くらい", "全部で8を選んだ", "1を消して", "第3回まで", "毎日6時に起きる",
	"手を2つ叩く", "駅まで15分", "今日も3時間かかる", "でも2人だけだよ",
}

// figureTally counts lines by what became of the figures in them.
type figureTally struct{ all, exact, exactLow, wrongLow, wrong int }

func (t *figureTally) add(o figureTally) {
	t.all, t.exact, t.exactLow = t.all+o.all, t.exact+o.exact, t.exactLow+o.exactLow
	t.wrongLow, t.wrong = t.wrongLow+o.wrongLow, t.wrong+o.wrong
}

func (t figureTally) row(name string) string {
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(t.all, 1)) }
	return fmt.Sprintf("%-8s %4d lines: %5.1f %% exact (%.1f marked low), %4.1f wrong and marked, %4.1f wrong and not",
		name, t.all, percent(t.exact), percent(t.exactLow), percent(t.wrongLow), percent(t.wrong))
}

// figuresOf tells whether the figures of a line were read exactly.
func figuresOf(line figureLine, b messages.Bubble) (t figureTally) {
	digits := func(s string) (n int) {
		for _, r := range s {
			if unicode.IsDigit(r) {
				n++
			}
		}
		return n
	}
	got := strings.ReplaceAll(string(bare(string(b.Text))), string(wideSpace), "")
	want := string(bare(line.text))
	exact := strings.Contains(got, string(bare(line.value))) && digits(got) == digits(want)
	low := b.Low || b.Kind != messages.KindText
	t.all = 1
	switch {
	case exact && low:
		t.exact, t.exactLow = 1, 1
	case exact:
		t.exact = 1
	case low:
		t.wrongLow = 1
	default:
		t.wrong = 1
	}
	return t
}

// readFigures reads lines in all looks in turn.
func readFigures(t *testing.T, w *Worker, lines []figureLine, seen func(figureLook, figureLine, messages.Bubble)) {
	t.Helper()
	looks := figureLooks(t)
	for i := 0; i < len(lines); i += figuresOfPage {
		part, look := lines[i:min(i+figuresOfPage, len(lines))], looks[i/figuresOfPage%len(looks)]
		read := do(t, w, look.page(t, part).Frame())
		if len(read.Bubbles) != len(part) {
			t.Fatalf("%v: read %d bubbles, want %d", look, len(read.Bubbles), len(part))
		}
		for j, b := range read.Bubbles {
			seen(look, part[j], b)
		}
	}
}

// TestFigures reads sentences with prices, times, addresses and other figures in several fonts and sizes, and prints
// how many of each kind are exact, wrong but marked low, and wrong and not marked. It takes a minute, and a short run
// leaves it out.
func TestFigures(t *testing.T) {
	if testing.Short() {
		return
	}
	w := tesseractWorker(t)
	r := rand.New(rand.NewPCG(11, 1))
	lines := figureLines(r, 100)
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	tallies := map[string]*figureTally{"all": {}}
	readFigures(t, w, lines, func(look figureLook, line figureLine, b messages.Bubble) {
		if tallies[line.kind] == nil {
			tallies[line.kind] = &figureTally{}
		}
		n := figuresOf(line, b)
		tallies[line.kind].add(n)
		tallies["all"].add(n)
		if n.wrong > 0 {
			t.Logf("%v: %q, want %q", look, string(b.Text), line.text)
		}
	})
	for _, kind := range slices.Sorted(maps.Keys(tallies)) {
		t.Log(tallies[kind].row(kind))
	}
	all := tallies["all"]
	if 100*all.wrong > 2*all.all || 100*all.exact < 94*all.all || 100*all.exactLow > 3*all.all {
		t.Errorf("figures: %s, want at least 94 %% exact, at most 3 marked low, and at most 2 wrong and not marked",
			all.row("all"))
	}
}

// TestOrdinaryTextIsNotDoubted: second readings of figures neither change nor mark what has none that are misread.
func TestOrdinaryTextIsNotDoubted(t *testing.T) {
	if testing.Short() {
		return
	}
	var lines []figureLine
	for range 12 {
		for _, s := range besideFigures {
			lines = append(lines, figureLine{"kana", s, s})
		}
	}
	for _, s := range slices.Concat(japaneseLines, englishLines) {
		lines = append(lines, figureLine{"ordinary", s, s})
	}
	low, changed := 0, 0
	readFigures(t, tesseractWorker(t), lines, func(look figureLook, line figureLine, b messages.Bubble) {
		if b.Low {
			low++
			t.Logf("%v: %q is marked low", look, string(b.Text))
		}
		if strings.ContainsAny(string(b.Text), "€£¥$%") {
			changed++
			t.Errorf("%v: %q, want %q", look, string(b.Text), line.text)
		}
	})
	t.Logf("%d lines, %d marked low", len(lines), low)
	if 100*low > 3*len(lines) {
		t.Errorf("%d of %d lines are marked low, want at most 3 of 100", low, len(lines))
	}
}
