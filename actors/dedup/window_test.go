package dedup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/messages"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestLinesOf(t *testing.T) {
	for _, c := range []struct {
		text  messages.Text
		least int
		want  []string
	}{
		{"", 1, nil},
		{" \n ", 1, nil},
		{"おーい", 4, nil},
		{"おーい", 2, []string{"おーい"}},
		{"了解です。ありがとう！", 4, []string{"了解です。ありがとう!", "了解です", "ありがとう"}},
		{"りんご・みかん•ばなな", 3, []string{"りんご・みかん•ばなな", "りんご", "みかん", "ばなな"}},
		{"Really?! YES!", 4, []string{"really?! yes!", "really"}},
		{"ＡＢＣＤ\nabcd", 4, []string{"abcd"}},
		{"本当？本当？", 2, []string{"本当?本当?", "本当"}},
		{"あ\nいうえお\nか", 4, []string{"いうえお"}},
	} {
		if got := LinesOf(c.text, c.least); !slices.Equal(got, c.want) {
			t.Errorf("LinesOf(%q, %d) = %q, want %q", string(c.text), c.least, got, c.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	for _, c := range []struct{ text, want messages.Text }{
		{"ＯＫ  です", "line:Hana|ok です"}, {"Café\nau lait", "line:Hana|cafe au lait"}, {"", "line:Hana|"},
	} {
		if got := Fingerprint("line:Hana", c.text); got != c.want {
			t.Errorf("Fingerprint(%q) = %q, want %q", string(c.text), string(got), string(c.want))
		}
	}
}

// TestWindow judges a text so long after others were let through.
func TestWindow(t *testing.T) {
	const sec, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		name        string
		before, now string // before: what was let through at noon
		after       time.Duration
		seed, def   string
	}{
		{"fingerprint, seed's last moment", "おい", "おい", 20*sec - ms, SeenText, SeenLines},
		{"fingerprint, at the edge", "おい", "おい", 20 * sec, SeenLines, SeenLines}, // seed: no line of 4, so none is new
		{"fingerprint, default's last moment", "おい", "おい", 8*sec - ms, SeenText, SeenText},
		{"fingerprint folds", "ＯＫ です", "ok  です", 5 * sec, SeenText, SeenText},
		{"lines, last moment", "明日の会議は十時です", "明日の会議は十時です", 75*sec - ms, SeenLines, SeenLines},
		{"lines, at the edge", "明日の会議は十時です", "明日の会議は十時です", 75 * sec, "", ""},
		{"all lines known, another order", "駅で待つよ\n傘を忘れずに", "傘を忘れずに\n駅で待つよ", 30 * sec, SeenLines, SeenLines},
		{"one line is new", "駅で待つよ\n傘を忘れずに", "駅で待つよ\n電車が来たよ", 30 * sec, "", ""},
		{"a part of a known line", "了解です。ありがとう！", "ありがとう", 30 * sec, SeenLines, SeenLines},
		{"short second line hides in seed", "駅で待つよ", "駅で待つよ\nおい", 30 * sec, SeenLines, ""},
		{"no line that counts", "駅で待つよ", "お", 30 * sec, SeenLines, ""},
		{"two characters", "駅で待つよ", "はい", 30 * sec, SeenLines, ""},
		{"one letter misread", "明日の会議は十時からに変わりました。場所はそのまま", "明日の会議は十時からに変わりました。場所はそのま主", 30 * sec, "", ""},
		{"one letter misread, long", strings.Repeat("明日の会議は十時から", 3) + "早めに来て待っていて", strings.Repeat("明日の会議は十時から", 3) + "早めに来て待ってぃて", 30 * sec, SeenLines, SeenLines},
		{"cut at the end, 84 %", "あいうえおかきくけこさしすせそたちつてとなにぬねの", "あいうえおかきくけこさしすせそたちつてとな", 30 * sec, SeenLines, SeenLines},
		{"cut at the end, 80 %", "あいうえおかきくけこさしすせそたちつてとなにぬねの", "あいうえおかきくけこさしすせそたちつてと", 30 * sec, "", ""},
		{"seven characters differ", "あいうえおかき", "あいうえおか", 30 * sec, "", ""},
		{"said later than now", "明日の会議は十時です", "明日の会議は十時です", -5 * sec, SeenText, SeenText},
		{"the same view", "明日の会議は十時です", "明日の会議は十時です", 0, SeenText, ""},
		{"other", "明日の会議は十時です", "夕飯は何がいい", sec, "", ""},
	} {
		for profile, r := range map[string]WindowRules{"seed": SeedWindow(), "default": DefaultWindow()} {
			want := c.seed
			if profile == "default" {
				want = c.def
			}
			w := NewWindow(r)
			w.Remember("line:Hana", messages.Text(c.before), noon)
			got := w.Judge("line:Hana", messages.Text(c.now), noon.Add(c.after))
			if got.Reason != want {
				t.Errorf("%s, %s: Judge(%q after %q) = %q, want %q", c.name, profile, c.now, c.before, got.Reason, want)
			}
		}
	}
}

func TestWindowOfAnotherConversation(t *testing.T) {
	w := NewWindow(SeedWindow())
	w.Remember("line:Hana", "おい", noon)
	if got := w.Judge("line:Ken", "おい", noon.Add(time.Second)); got.Reason == SeenText {
		t.Errorf("Judge of another conversation = %q, want no equal fingerprint", got.Reason)
	}
}

// TestHitExtendsNothing: the window counts from the first sight.
func TestHitExtendsNothing(t *testing.T) {
	w := NewWindow(SeedWindow())
	w.Remember("c", "駅で待つよ", noon)
	w.Remember("c", "駅で待つよ\n電車が来たよ", noon.Add(70*time.Second)) // passed for its second line
	if got := w.Judge("c", "駅で待つよ", noon.Add(80*time.Second)); got.Reason != "" {
		t.Errorf("Judge 80 s after the first sight = %q, want new", got)
	}
	if got := w.Judge("c", "電車が来たよ", noon.Add(80*time.Second)); got.Reason != SeenLines || got.Age != 10*time.Second {
		t.Errorf("Judge 10 s after = %q, %v, want %q, 10s", got.Reason, got.Age, SeenLines)
	}
}

func TestWindowForgetsTheOldest(t *testing.T) {
	w := NewWindow(SeedWindow())
	say := func(i int) messages.Text { return messages.Text(fmt.Sprintf("%03d番目の話", i)) }
	for i := range 241 {
		w.Remember("c", say(i), noon)
	}
	for i, want := range map[int]string{0: "", 1: SeenLines, 240: SeenLines} {
		if got := w.Judge("c", say(i), noon.Add(30*time.Second)); got.Reason != want {
			t.Errorf("Judge(line %d of 241) = %q, want %q", i, got.Reason, want)
		}
	}
	if n := len(w.order); n != 240 {
		t.Errorf("remembered %d lines, want 240", n)
	}
}

func TestFuzzyHits(t *testing.T) {
	w := NewWindow(SeedWindow())
	long := strings.Repeat("明日の会議は十時から", 3)
	w.Remember("c", messages.Text(long+"始まる"), noon)
	got := w.Judge("c", messages.Text(long+"始まろ"), noon.Add(30*time.Second))
	want := []FuzzyHit{{messages.Text(long + "始まろ"), messages.Text(long + "始まる")}}
	if !slices.Equal(got.Fuzzy, want) || got.Reason != SeenLines {
		t.Errorf("Judge = %q with %d fuzzy hits, want %q with %d", got.Reason, len(got.Fuzzy), SeenLines, len(want))
	}
	if got := w.Judge("c", messages.Text(long+"始まる"), noon.Add(30*time.Second)); got.Fuzzy != nil {
		t.Errorf("Judge of an equal line has %d fuzzy hits, want none", len(got.Fuzzy))
	}
}

// A window that was stored and loaded decides as the one that was not.
func TestWindowIsStoredWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := DefaultWindow()
		if rapid.Bool().Draw(t, "seed") {
			rules = SeedWindow()
		}
		rules.Entries = rapid.IntRange(1, 6).Draw(t, "entries")
		word := rapid.SampledFrom([]string{"はい", "了解です。ありがとう", "明日の会議は十時からです", "明日の会議は十時からてす", "駅で\n待つ", "おーい！", "?"})
		w := NewWindow(rules)
		lines, prints := map[uint64]WindowRow{}, map[uint64]WindowRow{}
		now := noon
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(-2, 40).Draw(t, "s")) * time.Second)
			say := messages.Text(word.Draw(t, "text"))
			again := NewWindow(rules)
			for _, no := range sortedKeys(lines) {
				again.LoadLine(no, lines[no])
			}
			for _, no := range sortedKeys(prints) {
				again.LoadPrint(no, prints[no])
			}
			got, want := again.Judge("c", say, now), w.Judge("c", say, now)
			if got.String() != want.String() || !slices.Equal(got.Fuzzy, want.Fuzzy) {
				t.Fatalf("Judge(%q) after loading = %v, want %v", say, got, want)
			}
			if want.Reason != "" {
				continue
			}
			w.Remember("c", say, now)
			c := w.Changes()
			for _, no := range c.LinesGone {
				delete(lines, no)
			}
			for _, no := range c.PrintsGone {
				delete(prints, no)
			}
			for no, r := range c.Lines {
				lines[no] = r
			}
			for no, r := range c.Prints {
				prints[no] = r
			}
			if len(lines) > rules.Entries || len(prints) > rules.Entries || len(lines) != len(w.order) {
				t.Fatalf("stored %d lines and %d prints, want %d and at most %d", len(lines), len(prints), len(w.order), rules.Entries)
			}
		}
	})
}

func sortedKeys(m map[uint64]WindowRow) []uint64 {
	var keys []uint64
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
