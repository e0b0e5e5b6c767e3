package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "",
		"hello":              "hello",
		"  Hello\t\nWORLD  ": "hello world",
		"ＡＢＣ１２３":             "abc123",
		"ｶﾞｷﾞ":               "ガギ",
		"か\u3099":            "が",
		"Café Ångström":      "cafe angstrom",
		"Straße":             "strasse",
		"㍻":                  "平成",
		"👍\uFE0F":            "👍",
		"a\u200Bb\u00ADc":    "abc",
		"今日は\u3000いい天気":      "今日は いい天気",
		"了解です。":              "了解です。",
		"bad\xff":            "bad\uFFFD",
		"\u00A8":             "",
		"ﬁne":                "fine",
		"がぱ":                 "がぱ",
		"İstanbul":           "istanbul",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCompact(t *testing.T) {
	for in, want := range map[string]string{
		"":           "",
		"OK!!":       "ok",
		"了解〜！":       "了解",
		"え、まじ？ ほんと…": "えまじほんと",
		"👍 good":     "👍good",
		"…":          "",
	} {
		if got := Compact(in); got != want {
			t.Errorf("Compact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNormalizeIdempotentForEveryRune(t *testing.T) {
	step := rune(1)
	if testing.Short() {
		step = 97
	}
	for r := rune(0); r <= utf8.MaxRune; r += step {
		for _, s := range []string{string(r), "a" + string(r) + "b"} {
			once := Normalize(s)
			if twice := Normalize(once); twice != once {
				t.Fatalf("Normalize(%U) = %+q, again = %+q, want the same", r, once, twice)
			}
		}
	}
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"abc", "abc", 1}, {"", "", 1}, {"a", "a", 1}, {"a", "b", 0}, {"ab", "abc", 0},
		{"abcd", "abce", 0.5}, {"aaaa", "aaaaaaa", 1}, {"あいう", "あいうえ", 2.0 / 3},
	} {
		if got := Similarity(c.a, c.b); got != c.want {
			t.Errorf("Similarity(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestLineEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"OK", "ｏｋ", true},
		{"OK", "NO", false},
		{"abcdefg", "abcdefgh", false},    // 7 characters: exact only
		{"abcdefgh", "abcdefghi", true},   // 88 % contained
		{"abcdefgh", "abcdefghij", false}, // 80 % contained
		{"明日は三時に駅前で待っています", "明日は三時に駅前で待っていま", true},
		{strings.Repeat("the quick brown fox ", 4), "the quick brown fox", true}, // sets of 3-grams
		{"日本語の長い文章をここに書いておきます", "全然ちがう文章をここに置いてみました", false},
	} {
		if got := lineEqual(c.a, c.b); got != c.want {
			t.Errorf("Equal(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// Each number of the rules decides on its own; none at all leaves equality.
func TestLineRules(t *testing.T) {
	part, whole := "abcdefgh", "abcdefghij" // 80 % contained, similarity 0.86
	for _, c := range []struct {
		rules LineRules
		want  bool
	}{
		{LineRules{}, false},
		{LineRules{Cover: 1, Similar: 0.01}, false},
		{LineRules{Min: 8, Cover: 81, Similar: 0.86}, false},
		{LineRules{Min: 8, Cover: 80, Similar: 0.86}, true},
		{LineRules{Min: 9, Cover: 80, Similar: 0.1}, false},
		{LineRules{Min: 8, Cover: 100, Similar: 0.857}, true},
	} {
		if got := c.rules.Equal(part, whole); got != c.want {
			t.Errorf("%+v.Equal(%q, %q) = %v, want %v", c.rules, part, whole, got, c.want)
		}
		if !c.rules.Equal("OK", "ｏｋ") {
			t.Errorf("%+v.Equal(OK, ｏｋ) = false, want true", c.rules)
		}
		a, b := rules.EchoFormOf(part).lines[0], rules.EchoFormOf(whole).lines[0]
		if got := a.same(c.rules, b); got != c.want {
			t.Errorf("same by %+v = %v, want %v as Equal", c.rules, got, c.want)
		}
	}
}

func TestOCREqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"OK", "OK", true},
		{"OK", "0K!", true},
		{"はい", "いい", false},
		{"いいよ", "いいね", false},
		{"そうだよ", "そうだね", false},
		{"今日行きます", "今日行きますか", false},
		{"行つてくる", "行ってくる", true},
		{"ロープウェイ", "口ープウェイ", true},
		{"ばらばらだ", "ぱらばらだ", true},
		{"10時に", "11時に", false},
		{"12:30", "12:50", false},
		{"明日の会議は10時から第2会議室でお願いいたします", "明日の会議は11時から第2会議室でお願いいたします", false},
		{"明日は九時でいい", "明日は十時でいい", false},
		{"集合は三時に駅前", "集合は二時に駅前", false},
		{"明日の会議は九時から第二会議室でお願いします", "明日の会議は十時から第二会議室でお願いします", false},
		{"三月八日に行きます", "三月六日に行きます", false},
		{"二十人ほど来ます", "三十人ほど来ます", false},
		{"りんごを三つください", "りんごを二つください", false},
		{"五千円でお願いします", "五百円でお願いします", false},
		{"集合は二時に駅前", "集合はニ時に駅前", true},
		{"集合は二時に駅前だよ", "集合はニ時に駅煎だよ", true},
		{"集合はニ時に駅前", "集合は三時に駅前", false},
		{"集合は一時に駅前", "集合はー時に駅前", true},
		{"スーパー人気だった", "スーパ一人気だった", true},
		{"スーパー人気だった", "スーパ人気だった", true},
		{"明日は九時でいい", "明日は時でいい", true},
		{"鈴木一郎さんです", "鈴木一朗さんです", true},
		{"一日中雨でした", "-日中雨でした", true},
		{"鈴木一郎", "鈴木一朗", false},
		{"I'll be there", "l'll be there", true},
		{"See you soon", "See vou soon", true},
		{"…", "...", true},
		{"！", "？", false},
		{"…", "👍", false},
		{"👍", "👍", true},
		{"了解", "了解です", false},
		{"りんご", "みかん", false},
	} {
		if got := OCREqual(c.a, c.b); got != c.want {
			t.Errorf("OCREqual(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestOtherCounts: texts that differ in a number, a day or a choice are two, and a misread letter where
// none of these is meant makes no other text.
func TestOtherCounts(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"全部で五キロありました", "全部で八キロありました", false},
		{"全部で五キロありました", "全部で八キ口ありました", false},
		{"三百メートル先を右です", "五百メートル先を右です", false},
		{"三メートル先を右です", "五メートル先を右です", false},
		{"第三会議室で待ってます", "第二会議室で待ってます", false},
		{"三限の教室で待ってるね", "四限の教室で待ってるね", false},
		{"五カ月ぶりに会います", "三カ月ぶりに会います", false},
		{"五ヶ月ぶりに会います", "三ヶ月ぶりに会います", false},
		{"三晩泊まる予定です", "二晩泊まる予定です", false},
		{"二曲歌う予定だそうです", "三曲歌う予定だそうです", false},
		{"三万でお願いできますか", "五万でお願いできますか", false},
		{"月曜日に駅で会いましょう", "火曜日に駅で会いましょう", false},
		{"九時半に駅で会いましょう", "九時に駅で会いましょう", false},
		{"9時半に駅で会いましょう", "9時に駅で会いましょう", false},
		{"午前九時に駅で会いましょう", "午後九時に駅で会いましょう", false},
		{"プランAでお願いします", "プランBでお願いします", false},
		{"B案でいきたいと思います", "A案でいきたいと思います", false},
		{"第二会議室で待ってます", "第ニ会議室で侍ってます", true},
		{"五カ月ぶりに会います", "五力月ふりに会います", true},
		{"八キロありましたからね", "ハキ口ありましたがらね", true},
		{"月曜日に駅で会いましょう", "月曜曰に駅で会いましょう", true},
		{"日曜日に駅で会いましょう", "曰曜日に駅で会いましょう", true},
		{"九時半に駅で会いましょう", "九時半に駅で合いましょう", true},
		{"午後九時に駅で会いましょう", "午後九時に駅で合いましょう", true},
		{"プランBでお願いします", "プランBでお願いしまず", true},
		{"出口で待っています、一緒に", "出ロで待っています、ー緒に", true},
		{"三千代さんが来ましたよね", "ミチ代さんが来ました、よね", true},
		{"ビタミン剤を買ってきてね", "ビタミン斉を買ってきてね", true},
		{"ミドルサイズを買ってきて", "ミドルサイズを買つできて", true},
		{"お花がとてもきれいでした", "お花がとてもされいでした", true},
		{"〇をつけて出してくださいね", "Oをつけて出してくだざいね", true},
		{"ハチ公前で待っていますね", "八千公前で待つていますよね", true},
		{"スーパーで待っていますよ", "スーパ一で侍っていますよ", true},
		{"五十嵐さんが来ましたよね", "五十風さんが来ましたよね", true},
		{"佐藤一郎と田中三郎でした", "佐藤ー朗と田中三郎でした", true},
		{"この動画はDVDで見ました", "この動画はDVOで見ました", true},
	} {
		if got := OCREqual(c.a, c.b); got != c.want {
			t.Errorf("OCREqual(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
		if got := OCREqual(c.b, c.a); got != c.want {
			t.Errorf("OCREqual(%q, %q) = %v, want %v", c.b, c.a, got, c.want)
		}
	}
}

func genLine() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringOfN(rapid.SampledFrom([]rune("あいうえおっつカ力ー一0o1lI。 ！AbéＡ")), 0, 24, -1),
	)
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genLine().Draw(t, "a"), genLine().Draw(t, "b")
		check(t, a, b)
	})
}

type failer interface{ Fatalf(string, ...any) }

// check holds for any two strings.
func check(t failer, a, b string) {
	n := Normalize(a)
	if got := Normalize(n); got != n {
		t.Fatalf("Normalize(%+q) = %+q, want the same", n, got)
	}
	if !utf8.ValidString(n) || strings.Contains(n, "  ") {
		t.Fatalf("Normalize(%+q) = %+q, want valid UTF-8 with single spaces", a, n)
	}
	if c := Compact(a); Compact(c) != c {
		t.Fatalf("Compact(%+q) = %+q, want the same", c, Compact(c))
	}
	s := Similarity(a, b)
	if s < 0 || s > 1 || s != Similarity(b, a) {
		t.Fatalf("Similarity(%+q, %+q) = %v, want 0..1 and symmetric", a, b, s)
	}
	if Similarity(a, a) != 1 {
		t.Fatalf("Similarity(%+q, itself) = %v, want 1", a, Similarity(a, a))
	}
	for name, equal := range map[string]func(a, b string) bool{"LineRules.Equal": lineEqual, "OCREqual": OCREqual} {
		if !equal(a, a) || !equal(a, n) {
			t.Fatalf("%s(%+q, its normal form) = false, want true", name, a)
		}
		if equal(a, b) != equal(b, a) {
			t.Fatalf("%s(%+q, %+q) = %v, want symmetric", name, a, b, equal(a, b))
		}
	}
}

func FuzzEqual(f *testing.F) {
	f.Add("OK", "ｏｋ")
	f.Add("a\xff\u0345", "か\u3099")
	f.Fuzz(func(t *testing.T, a, b string) { check(t, a, b) })
}

func TestFastPathsDoNotAllocate(t *testing.T) {
	a, b := "明日は三時に駅前で待っています", "明日は三時に駅前でまっています"
	for name, f := range map[string]func(){
		"Normalize":       func() { Normalize(a) },
		"Similarity":      func() { Similarity(a, b) },
		"LineRules.Equal": func() { lineEqual(a, b) },
	} {
		if got := testing.AllocsPerRun(100, f); got != 0 {
			t.Errorf("%s allocated %v times, want 0", name, got)
		}
	}
}

func BenchmarkLineEqual(b *testing.B) {
	for b.Loop() {
		lineEqual("明日は三時に駅前で待っています", "明日は三時に駅前でまっています")
	}
}

func BenchmarkOCREqual(b *testing.B) {
	for b.Loop() {
		OCREqual("今日行けるよ", "今曰行けるよ")
	}
}

// lineEqual compares by the default rules.
func lineEqual(a, b string) bool { return DefaultLines().Equal(a, b) }
