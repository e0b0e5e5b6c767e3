package insight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/messages"
)

var said = []messages.Text{
	"The packed train is awful. I get to work sweating, and nobody says sorry!",
	"朝の満員電車がつらいです。駅で 何本も見送ります。",
	"My boss is [name], and the alarm rings at five.",
}

// TestVerbatim: what is quoted stands in what was said, letter by letter.
func TestVerbatim(t *testing.T) {
	for _, x := range []struct {
		quote, want string
		line        int
	}{
		{"The packed train is awful.", "The packed train is awful.", 0},
		{" “the alarm rings at five” ", "the alarm rings at five", 2},
		{"「朝の満員電車がつらいです」", "朝の満員電車がつらいです", 1},
		{"駅で何本も見送ります", "駅で 何本も見送ります", 1},
		{"I get to\nwork", "I get to work", 0},
		{"The train is awful.", "", 0},
		{"the packed train is awful", "", 0}, // another letter
		{"満員電車はつらい", "", 0},
		{"[name]", "", 0}, // nothing but a label
		{"", "", 0},
		{"。", "", 0},
	} {
		got, line := insight.Verbatim(x.quote, said)
		if string(got) != x.want || line != x.line {
			t.Errorf("Verbatim(%q) = %q of line %d, want %q of %d", x.quote, string(got), line, x.want, x.line)
		}
	}
}

// TestParseThemes: of an answer only what is proven counts, whatever else stands in it.
func TestParseThemes(t *testing.T) {
	theme := func(name, evidence string) string {
		return fmt.Sprintf(`{"theme":%q,"jtbd":"j","summary":"s","severity":4,"evidence":%s}`, name, evidence)
	}
	good := theme("Packed trains", `["The packed train is awful.","made up"]`)
	for _, x := range []struct{ name, answer, want string }{
		{"good", `{"themes":[` + good + `]}`, "Packed trains 4 1 [The packed train is awful.]"},
		{"fenced", "```json\n{\"themes\":[" + good + "]}\n```\nDone.",
			"Packed trains 4 1 [The packed train is awful.]"},
		{"no quote", `{"themes":[` + theme("Trains", `["trains are bad"]`) + `]}`, ""},
		{"one quote as text", `{"themes":[` + theme("Alarm", `"the alarm rings"`) + `]}`,
			"Alarm 4 1 [the alarm rings]"},
		{"twice", `{"themes":[` + good + "," + good + `]}`, "Packed trains 4 1 [The packed train is awful.]"},
		{"severity", `{"themes":[{"theme":"A","severity":"bad","evidence":["train"]},` +
			`{"theme":"B","severity":99,"evidence":["alarm"]},{"theme":"C","severity":NaN,"evidence":["駅で"]}]}`,
			"A 3 1 [train]; B 5 1 [alarm]; C 3 1 [駅で]"},
		{"private", `{"themes":[{"theme":"call 090-1234-5678","evidence":["alarm"]}]}`, "call [phone] 3 1 [alarm]"},
		{"none", `{"themes":[]}`, ""},
		{"html", "<html><b>themes</b></html>", "unreadable"},
		{"null", `{"themes":null}`, "unreadable"},
		{"text", `{"themes":"trains"}`, "unreadable"},
		{"nothing", "", "unreadable"},
	} {
		got, ok := insight.ParseThemes(x.answer, said)
		var list []string
		for _, f := range got {
			list = append(list, fmt.Sprintf("%s %d %d %v", string(f.Theme), f.Severity, f.Messages, plain(f.Quotes)))
		}
		told := strings.Join(list, "; ")
		if !ok {
			told = "unreadable"
		}
		if told != x.want {
			t.Errorf("%s: ParseThemes() = %q, want %q", x.name, told, x.want)
		}
	}
}

func plain(list []messages.Text) (out []string) {
	for _, t := range list {
		out = append(out, string(t))
	}
	return out
}

// FuzzParseThemes: no answer breaks it, and each quote stands in what was said.
func FuzzParseThemes(f *testing.F) {
	f.Add(`{"themes":[{"theme":"a","evidence":["train"],"severity":1e99}]}`, "the train, [name]")
	f.Add("{{{\"themes\":[{}]", "満員電車\u3000です")
	f.Fuzz(func(t *testing.T, answer, line string) {
		lines := []messages.Text{messages.Text(line)}
		themes, _ := insight.ParseThemes(answer, lines)
		for _, one := range themes {
			if len(one.Quotes) == 0 || one.Severity < 1 || one.Severity > 5 || one.Theme == "" {
				t.Errorf("%+v, want a name, quotes, and 1 to 5", one)
			}
			for _, q := range one.Quotes {
				if !strings.Contains(line, string(q)) {
					t.Errorf("%q does not stand in %q", string(q), line)
				}
			}
		}
	})
}

func found(at int, themes ...insight.Theme) insight.Analysis {
	return insight.Analysis{At: time.Date(2026, 3, at, 9, 0, 0, 0, time.UTC), Stage: insight.Done, Themes: themes}
}

func theme(name string, severity int, quotes ...messages.Text) insight.Theme {
	return insight.Theme{Theme: messages.Text(name), Severity: severity, Quotes: quotes, Messages: len(quotes)}
}

// TestCards merges what means the same, and tells how it grew.
func TestCards(t *testing.T) {
	all := map[messages.ConversationID]insight.Analysis{
		"c-1": found(1, theme("満員電車", 5, "朝の満員電車がつらい"), theme("The alarm", 2, "the alarm rings at five")),
		"c-2": found(2, theme("満員電車のストレス", 4, "満員で乗れない", "毎朝です")),
		"c-3": {At: time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC), Stage: insight.Done,
			Keywords: []messages.Keyword{{Text: "alarms", Score: 1, Count: 2, Quote: "I hate alarms."}}},
	}
	var told []string
	for _, c := range insight.Cards(all, insight.DefaultRules()) {
		told = append(told, fmt.Sprintf("%s %d×%d %d %.2f%s only:%t %d grown:%d", string(c.Theme), c.Frequency,
			c.Messages, c.Severity, c.Confidence, c.Level, c.KeywordOnly, len(c.Quotes), len(c.Growth)))
	}
	want := []string{"満員電車 2×3 5 0.44M only:false 3 grown:2", "The alarm 2×3 2 0.44M only:false 2 grown:2"}
	if !slices.Equal(told, want) {
		t.Errorf("Cards() =\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	delete(all, "c-1") // forgotten
	for _, c := range insight.Cards(all, insight.DefaultRules()) {
		if c.Frequency != 1 || c.KeywordOnly != (c.Theme == "alarms") || c.KeywordOnly != (c.Severity == 0) {
			t.Errorf("%+v, want nothing of what was forgotten", c)
		}
	}
}

// TestConfidence has the seed's borders.
func TestConfidence(t *testing.T) {
	for _, x := range []struct {
		conversations, quotes int
		want                  float64
		level                 messages.InsightLevel
	}{
		{0, 0, 0, "L"}, {1, 1, 0.22, "L"}, {1, 9, 0.37, "L"}, {2, 1, 0.29, "L"}, {2, 2, 0.44, "M"},
		{10, 0, 0.7, "H"}, {6, 2, 0.72, "H"}, {99, 99, 1, "H"},
	} {
		got, level := insight.DefaultRules().Confidence(x.conversations, x.quotes)
		if got != x.want || level != x.level {
			t.Errorf("Confidence(%d, %d) = %v %s, want %v %s", x.conversations, x.quotes, got, level, x.want, x.level)
		}
	}
}

// TestCardsOfTheModel: a card counts each interview once, and only what it has.
func TestCardsOfTheModel(t *testing.T) {
	names := []string{"trains", "full trains", "the alarm", "電車", "満員の電車", "cold", "寒さ"}
	rapid.Check(t, func(t *rapid.T) {
		all := map[messages.ConversationID]insight.Analysis{}
		quotes := 0
		for i := range rapid.IntRange(0, 12).Draw(t, "interviews") {
			v := found(rapid.IntRange(1, 3).Draw(t, "day"))
			for range rapid.IntRange(0, 3).Draw(t, "themes") {
				quotes++
				v.Themes = append(v.Themes, theme(rapid.SampledFrom(names).Draw(t, "name"),
					rapid.IntRange(1, 5).Draw(t, "severity"), messages.Text(fmt.Sprintf("quote %d", quotes))))
			}
			all[messages.ConversationID(fmt.Sprintf("c-%02d", i))] = v
		}
		cards := insight.Cards(all, insight.DefaultRules())
		kept := 0
		for _, c := range cards {
			of := map[messages.ConversationID]bool{}
			for _, q := range c.Quotes {
				of[q.Conversation] = true
			}
			kept += len(c.Quotes)
			last := c.Growth[len(c.Growth)-1]
			if c.Frequency != len(of) || len(c.Growth) != len(of) || last.Confidence != c.Confidence ||
				last.Quotes != len(c.Quotes) || c.Severity < 1 || c.Severity > 5 {
				t.Fatalf("%+v, want each of %d interviews once", c, len(of))
			}
		}
		if kept != quotes {
			t.Fatalf("%d quotes on cards, want all %d", kept, quotes)
		}
	})
}
