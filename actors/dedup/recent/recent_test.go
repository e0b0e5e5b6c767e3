package recent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
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
		seed, def   events.Rule
	}{
		{"fingerprint, seed's last moment", "おい", "おい", 20*sec - ms, events.RuleFingerprint, events.RuleLineMemory},
		{"fingerprint, at the edge", "おい", "おい", 20 * sec, events.RuleLineMemory, events.RuleLineMemory},
		// seed: no line of 4, so none is new
		{"fingerprint, default's last moment", "おい", "おい", 8*sec - ms, events.RuleFingerprint, events.RuleFingerprint},
		{"fingerprint folds", "ＯＫ です", "ok  です", 5 * sec, events.RuleFingerprint, events.RuleFingerprint},
		{"lines, last moment", "明日の会議は十時です", "明日の会議は十時です", 75*sec - ms, events.RuleLineMemory, events.RuleLineMemory},
		{"lines, at the edge", "明日の会議は十時です", "明日の会議は十時です", 75 * sec, "", ""},
		{"all lines known, another order", "駅で待つよ\n傘を忘れずに", "傘を忘れずに\n駅で待つよ", 30 * sec, events.RuleLineMemory,
			events.RuleLineMemory},
		{"one line is new", "駅で待つよ\n傘を忘れずに", "駅で待つよ\n電車が来たよ", 30 * sec, "", ""},
		{"a part of a known line", "了解です。ありがとう！", "ありがとう", 30 * sec, events.RuleLineMemory, events.RuleLineMemory},
		{"short second line hides in seed", "駅で待つよ", "駅で待つよ\nおい", 30 * sec, events.RuleLineMemory, ""},
		{"no line that counts", "駅で待つよ", "お", 30 * sec, events.RuleLineMemory, ""},
		{"two characters", "駅で待つよ", "はい", 30 * sec, events.RuleLineMemory, ""},
		{"one letter misread", "明日の会議は十時からに変わりました。場所はそのまま", "明日の会議は十時からに変わりました。場所はそのま主", 30 * sec, "", ""},
		{"one letter misread, long", strings.Repeat("明日の会議は十時から", 3) + "早めに来て待っていて", strings.Repeat("明日の会議は十時から", 3) +
			"早めに来て待ってぃて", 30 * sec, events.RuleLineMemory, events.RuleLineMemory},
		{"cut at the end, 84 %", "あいうえおかきくけこさしすせそたちつてとなにぬねの", "あいうえおかきくけこさしすせそたちつてとな", 30 * sec, events.RuleLineMemory,
			events.RuleLineMemory},
		{"cut at the end, 80 %", "あいうえおかきくけこさしすせそたちつてとなにぬねの", "あいうえおかきくけこさしすせそたちつてと", 30 * sec, "", ""},
		{"seven characters differ", "あいうえおかき", "あいうえおか", 30 * sec, "", ""},
		{"said later than now", "明日の会議は十時です", "明日の会議は十時です", -5 * sec, events.RuleFingerprint, events.RuleFingerprint},
		{"the same view", "明日の会議は十時です", "明日の会議は十時です", 0, events.RuleFingerprint, ""},
		{"other", "明日の会議は十時です", "夕飯は何がいい", sec, "", ""},
	} {
		for profile, r := range map[string]Rules{"seed": SeedRules(), "default": DefaultRules()} {
			want := c.seed
			if profile == "default" {
				want = c.def
			}
			w := New(r)
			w.Remember("line:Hana", messages.Text(c.before), noon)
			got := w.Check("line:Hana", messages.Text(c.now), noon.Add(c.after))
			if got.Rule != want {
				t.Errorf("%s, %s: Check(%q after %q) = %q, want %q", c.name, profile, c.now, c.before, got.Rule, want)
			}
		}
	}
}

func TestWindowOfAnotherConversation(t *testing.T) {
	w := New(SeedRules())
	w.Remember("line:Hana", "おい", noon)
	if got := w.Check("line:Ken", "おい", noon.Add(time.Second)); got.Rule == events.RuleFingerprint {
		t.Errorf("Check of another conversation = %q, want no equal fingerprint", got.Rule)
	}
}

// TestHitExtendsNothing: the window counts from the first sight.
func TestHitExtendsNothing(t *testing.T) {
	w := New(SeedRules())
	w.Remember("c", "駅で待つよ", noon)
	w.Remember("c", "駅で待つよ\n電車が来たよ", noon.Add(70*time.Second)) // passed for its second line
	if got := w.Check("c", "駅で待つよ", noon.Add(80*time.Second)); got.Rule != "" {
		t.Errorf("Check 80 s after the first sight = %+v, want new", got)
	}
	if got := w.Check("c", "電車が来たよ", noon.Add(80*time.Second)); got.Rule != events.RuleLineMemory ||
		got.Age != 10*time.Second {
		t.Errorf("Check 10 s after = %q, %v, want %q, 10s", got.Rule, got.Age, events.RuleLineMemory)
	}
}

func TestWindowForgetsTheOldest(t *testing.T) {
	w := New(SeedRules())
	say := func(i int) messages.Text { return messages.Text(fmt.Sprintf("%03d番目の話", i)) }
	for i := range 241 {
		w.Remember("c", say(i), noon)
	}
	for i, want := range map[int]events.Rule{0: "", 1: events.RuleLineMemory, 240: events.RuleLineMemory} {
		if got := w.Check("c", say(i), noon.Add(30*time.Second)); got.Rule != want {
			t.Errorf("Check(line %d of 241) = %q, want %q", i, got.Rule, want)
		}
	}
	if n := len(w.order); n != 240 {
		t.Errorf("remembered %d lines, want 240", n)
	}
}

func TestFuzzyHits(t *testing.T) {
	w := New(SeedRules())
	long := strings.Repeat("明日の会議は十時から", 3)
	w.Remember("c", messages.Text(long+"始まる"), noon)
	got := w.Check("c", messages.Text(long+"始まろ"), noon.Add(30*time.Second))
	want := []FuzzyHit{{messages.Text(long + "始まろ"), messages.Text(long + "始まる")}}
	if !slices.Equal(got.Fuzzy, want) || got.Rule != events.RuleLineMemory {
		t.Errorf("Check = %q with %d fuzzy hits, want %q with %d", got.Rule, len(got.Fuzzy), events.RuleLineMemory,
			len(want))
	}
	if got := w.Check("c", messages.Text(long+"始まる"), noon.Add(30*time.Second)); got.Fuzzy != nil {
		t.Errorf("Check of an equal line has %d fuzzy hits, want none", len(got.Fuzzy))
	}
}

// A window that was stored and loaded decides as the one that was not.
func TestWindowIsStoredWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := DefaultRules()
		if rapid.Bool().Draw(t, "seed") {
			rules = SeedRules()
		}
		rules.Entries = rapid.IntRange(1, 6).Draw(t, "entries")
		word := rapid.SampledFrom([]string{"はい", "了解です。ありがとう", "明日の会議は十時からです", "明日の会議は十時からてす", "駅で\n待つ", "おーい！", "?"})
		w := New(rules)
		lines, prints := map[uint64]Row{}, map[uint64]Row{}
		now := noon
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(-2, 40).Draw(t, "s")) * time.Second)
			say := messages.Text(word.Draw(t, "text"))
			again := New(rules)
			for _, no := range sortedKeys(lines) {
				again.LoadLine(no, lines[no])
			}
			for _, no := range sortedKeys(prints) {
				again.LoadPrint(no, prints[no])
			}
			got, want := again.Check("c", say, now), w.Check("c", say, now)
			if got.Rule != want.Rule || got.Age != want.Age || got.Lines != want.Lines ||
				!slices.Equal(got.Fuzzy, want.Fuzzy) {
				t.Fatalf("Check(%q) after loading = %v, want %v", say, got, want)
			}
			if want.Rule != "" {
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
				t.Fatalf("stored %d lines and %d prints, want %d and at most %d", len(lines), len(prints), len(w.order),
					rules.Entries)
			}
		}
	})
}

func sortedKeys(m map[uint64]Row) []uint64 {
	var keys []uint64
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// The rules of both profiles, and others beside them.
func TestRulesOfTheProfiles(t *testing.T) {
	same := text.LineRules{Min: 8, Cover: 84, Similar: 0.88}
	seed := Rules{Fingerprint: 20 * time.Second, Lines: 75 * time.Second, MinLine: 4, Entries: 240, Same: same,
		NeedsLine: true}
	standard := Rules{Fingerprint: 8 * time.Second, Lines: 75 * time.Second, MinLine: 2, Entries: 240, Same: same,
		TwicePerView: true}
	own := Rules{Fingerprint: 1, Lines: 2, MinLine: 3, Entries: 4, Same: text.LineRules{Min: 5}}
	ownSeed, ownStandard := own, own
	ownSeed.NeedsLine, ownStandard.TwicePerView = true, true
	for _, c := range []struct{ got, want Rules }{
		{SeedRules(), seed}, {DefaultRules(), standard},
		{own.Of(seed), ownSeed}, {own.Of(standard), ownStandard}, {Rules{}.Of(seed), Rules{NeedsLine: true}},
	} {
		if c.got != c.want {
			t.Errorf("rules of a window = %+v, want %+v", c.got, c.want)
		}
	}
}

// Both profiles, one nanosecond before and at the end of each window: a
// fingerprint has no line that counts behind it, a line no fingerprint.
func TestEdgesOfTheWindows(t *testing.T) {
	for _, c := range []struct {
		name        string
		rules       Rules
		before, now messages.Text
		edge        time.Duration
		inside, at  events.Rule
	}{
		{"fingerprint, default", DefaultRules(), "あ", "あ", 8 * time.Second, events.RuleFingerprint, ""},
		{"fingerprint, seed", SeedRules(), "おはよう", "おはよう", 20 * time.Second, events.RuleFingerprint,
			events.RuleLineMemory},
		{"lines, default", DefaultRules(), "おい\nはい", "はい\nおい", 75 * time.Second, events.RuleLineMemory, ""},
		{"lines, seed", SeedRules(), "駅で待つ\nこんばん", "こんばん\n駅で待つ", 75 * time.Second, events.RuleLineMemory, ""},
	} {
		for after, want := range map[time.Duration]events.Rule{
			c.edge - 1: c.inside, c.edge: c.at, c.edge + 1: c.at, -c.edge + 1: c.inside, -c.edge: c.at,
			-c.edge - 1: c.at,
		} {
			w := New(c.rules)
			w.Remember("c", c.before, noon)
			if got := w.Check("c", c.now, noon.Add(after)); got.Rule != want {
				t.Errorf("%s: Check(%q, %v after) = %q, want %q", c.name, string(c.now), after, got.Rule, want)
			}
		}
	}
}

// A line counts from 4 characters in profile seed, from 2 in default.
func TestShortestLine(t *testing.T) {
	for _, c := range []struct {
		rules Rules
		line  messages.Text
		want  int
	}{
		{SeedRules(), "おはよ", 0}, {SeedRules(), "おはよう", 1}, {DefaultRules(), "お", 0}, {DefaultRules(), "おは", 1},
	} {
		if got := New(c.rules).Check("c", c.line, noon).Lines; got != c.want {
			t.Errorf("Check(%q) counts %d lines, want %d", string(c.line), got, c.want)
		}
	}
}

// With 241 lines and texts the oldest is forgotten; with 240 none is.
func TestEntriesOfTheWindows(t *testing.T) {
	say := func(i int) messages.Text { return messages.Text(fmt.Sprintf("%03d番目の話", i)) }
	for profile, r := range map[string]Rules{"seed": SeedRules(), "default": DefaultRules()} {
		for n, want := range map[int]events.Rule{240: events.RuleFingerprint, 241: ""} {
			w := New(r)
			for i := range n {
				w.Remember("c", say(i), noon)
			}
			if got := w.Check("c", say(0), noon.Add(time.Second)); got.Rule != want {
				t.Errorf("%s: Check(the first of %d) = %q, want %q", profile, n, got.Rule, want)
			}
			if got := w.Check("c", say(1), noon.Add(time.Second)); got.Rule != events.RuleFingerprint {
				t.Errorf("%s: Check(the second of %d) = %q, want %q", profile, n, got.Rule, events.RuleFingerprint)
			}
			if lines, prints := len(w.order), len(w.prints); lines != 240 || prints != 240 {
				t.Errorf("%s: of %d texts %d lines and %d prints are remembered, want 240 each", profile, n, lines,
					prints)
			}
		}
	}
}
