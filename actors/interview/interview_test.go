package interview_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/text"
)

var update = flag.Bool("update", false, "rewrite golden files")

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func machine(turns, deep int) interview.Machine {
	p := interview.DefaultProject()
	p.Goal, p.Limits.MaxTurns, p.Limits.MaxDeep = "why mornings are hard", turns, deep
	return interview.Machine{Project: p}
}

// play steps through utterances; "!" is a failed language model, and "|" stands between
// what is said together.
func play(m interview.Machine, said ...string) (s interview.State, phases []string, results []interview.Result) {
	for _, text := range said {
		e := interview.Event{Kind: interview.Said, Texts: strings.Split(text, "|")}
		if text == "!" {
			e = interview.Event{Kind: interview.Failed}
		}
		var r interview.Result
		s, r = m.Step(s, e, now)
		phases, results = append(phases, string(s.Phase)), append(results, r)
	}
	return s, phases, results
}

// TestTransitions has the rows of the seed's section on states.
func TestTransitions(t *testing.T) {
	for _, c := range []struct {
		name string
		said []string
		want string
	}{
		{"intro stays at the signal", []string{"[インタビュー開始]"}, "intro"},
		{"intro goes on at anything else", []string{"こんにちは"}, "enumerate"},
		{"intro goes on at a closing word", []string{"特にない"}, "enumerate"},
		{"three items in one answer", []string{"こんにちは", "電車、会議、早起き"}, "enumerate recommend"},
		{"three items with the intro's", []string{"電車", "会議", "早起き"}, "enumerate enumerate recommend"},
		{"the same item counts once", []string{"電車", "電車。", "「電車」"}, "enumerate enumerate enumerate"},
		{"a closing word", []string{"電車", "以上"}, "enumerate recommend"},
		{"それだけ", []string{"電車", "それだけです"}, "enumerate recommend"},
		{"終わり", []string{"電車", "終わり！"}, "enumerate recommend"},
		{"ない", []string{"電車", "もうないです"}, "enumerate recommend"},
		{"特にない", []string{"電車", "特にない。"}, "enumerate recommend"},
		{"nothing else", []string{"trains", "Nothing else."}, "enumerate recommend"},
		{"no", []string{"trains", "No, that's all, thanks"}, "enumerate recommend"},
		{"少ない is no closing word", []string{"電車", "本数が少ない"}, "enumerate enumerate"},
		{"もったいない is no closing word", []string{"電車", "もったいない"}, "enumerate enumerate"},
		{"終わりが見えない is no closing word", []string{"電車", "終わりが見えない"}, "enumerate enumerate"},
		{"I know that's all wrong is no closing word", []string{"trains", "I know that's all wrong"},
			"enumerate enumerate"},
		{"skips together are one", []string{"hello", "[skip]|[skip]"}, "enumerate recommend"},
		{"a skip beside an answer is none", []string{"hello", "[skip]|trains"}, "enumerate enumerate"},
		{"an answer that ends the list", []string{"hello", "trains|That's all!"}, "enumerate recommend"},
		{"one that ends it at once", []string{"電車|会議|以上です"}, "recommend"},
		{"a closing word before an answer ends nothing", []string{"hello", "that's all|trains"}, "enumerate enumerate"},
		{"an answer and a closing word are one step", []string{"a, b, c", "x|done", "y|done", "z|以上"},
			"enumerate recommend choose deepening"},
		{"a stop stops, whatever is said beside it", []string{"hello", "trains|stop|[skip]"}, "enumerate done"},
		{"a signal beside an answer is none", []string{"[start]|hello"}, "enumerate"},
		{"a skip goes on", []string{"[スキップ]", "[skip]"}, "enumerate recommend"},
		{"recommend, choose, deepening", []string{"a, b, c", "x, y", "はい", "1番目", "遅れる", "毎日", "そうです"},
			"enumerate recommend choose deepening deepening summary_check done"},
		{"what comes after the end changes nothing", []string{"a, b, c", "x", "はい", "a", "b", "c", "d", "e", "[start]"},
			"enumerate recommend choose deepening deepening summary_check done done done"},
	} {
		if _, phases, _ := play(machine(12, 2), c.said...); strings.Join(phases, " ") != c.want {
			t.Errorf("%s: %q went through %q, want %q", c.name, c.said, strings.Join(phases, " "), c.want)
		}
	}
}

// TestTurnLimit: the signal and skips are no turns; twelve answers are all.
func TestTurnLimit(t *testing.T) {
	said := []string{"[インタビュー開始]", "[スキップ]"}
	for range 12 {
		said = append(said, "電車") // the same again, so that the enumeration goes on
	}
	s, phases, results := play(machine(12, 2), said...)
	if phases[12] != "enumerate" || phases[13] != "done" || s.Turns != 12 || s.Reason != interview.TurnLimit {
		t.Errorf("after 12 answers %v, %+v, want done by the limit at the twelfth", phases, s)
	}
	last := results[13]
	if last.Finish == nil || !last.Finish.At.Equal(now) || last.Reply != interview.Closing ||
		last.Text(s, text.Japanese) == "" {
		t.Errorf("the twelfth answer = %+v, want a finish with a closing text", last)
	}
}

func TestFallback(t *testing.T) {
	m := machine(12, 2)
	s, phases, results := play(m, "電車", "!", "混む", "[スキップ]", "座りたい", "もう一つ")
	if got := strings.Join(phases, " "); got != "enumerate fallback fallback fallback done done" {
		t.Errorf("phases = %s, want three questions and the end", got)
	}
	texts := map[string]bool{}
	st := interview.State{}
	for i, said := range []string{"電車", "!", "混む", "[スキップ]"} {
		e := interview.Event{Kind: interview.Said, Texts: []string{said}}
		if said == "!" {
			e.Kind = interview.Failed
		}
		var r interview.Result
		if st, r = m.Step(st, e, now); i > 0 {
			texts[r.Text(st, text.English)] = true
		}
	}
	if len(texts) != 3 || texts[""] {
		t.Errorf("fixed questions = %v, want three different ones", texts)
	}
	if s.Turns != 3 || len(s.Items) != 2 {
		t.Errorf("%d answers and %v, want three answers, and what was named before and in fallback", s.Turns, s.Items)
	}
	if !s.FallbackMode || s.Reason != interview.FallbackAsked || results[4].Reply != interview.Thanks ||
		results[4].Finish == nil || results[5].Finish != nil {
		t.Errorf("the end = %+v, %+v, want thanks and one finish", s, results[4:])
	}
}

// TestFallbackLate falls back after eleven answers: the three questions come all the
// same.
func TestFallbackLate(t *testing.T) {
	said := []string{}
	for range 11 {
		said = append(said, "電車")
	}
	s, phases, _ := play(machine(12, 2), append(said, "!", "a", "b", "c")...)
	if got := strings.Join(phases[11:], " "); got != "fallback fallback fallback done" || s.Asked != 3 ||
		s.Turns != 14 {
		t.Errorf("phases = %s, %+v, want all three questions", got, s)
	}
}

// TestFallbackPutsWhatMustBeAsked word by word, after its own questions: nobody else does.
// What a model has put is not put again, except the question with which it failed.
func TestFallbackPutsWhatMustBeAsked(t *testing.T) {
	m := machine(12, 3)
	m.Project.MustAsk = []string{"どの駅からですか?", "何時ですか?", "誰と乗りますか?"}
	for _, c := range []struct {
		before []string
		want   string
	}{
		{[]string{"!"}, "どの駅からですか? 何時ですか? 誰と乗りますか?"},
		{[]string{"a, b, c", "x", "y", "z", "w", "!"}, "何時ですか? 誰と乗りますか?"},
	} {
		s, _, _ := play(m, append(c.before, "a", "b")...)
		var asked []string
		for s.Phase != interview.Done {
			var r interview.Result
			s, r = m.Step(s, interview.Event{Kind: interview.Said, Texts: []string{"x"}}, now)
			asked = append(asked, r.Text(s, text.Japanese))
		}
		if got := strings.Join(asked[:len(asked)-1], " "); got != c.want {
			t.Errorf("after %q fallback asks %q, want %q", c.before, got, c.want)
		}
	}
}

func TestRecovery(t *testing.T) {
	for _, resume := range []bool{false, true} {
		m := machine(12, 2)
		m.Resume = resume
		s, _, _ := play(m, "a, b, c", "x", "!", "one")
		s, _ = m.Step(s, interview.Event{Kind: interview.Recovered}, now)
		want := interview.Fallback
		if resume {
			want = interview.Recommend
		}
		if s.Phase != want || !s.FallbackMode {
			t.Errorf("resume %v: recovered to %s, want %s", resume, s.Phase, want)
		}
	}
}

// TestRecoveryPutsNothingTwice: what fallback has put counts as asked where it goes on, and a
// second fallback goes on behind the first.
func TestRecoveryPutsNothingTwice(t *testing.T) {
	for _, before := range [][]string{{"!"}, {"a, b, c", "x", "y", "!"}, {"a, b, c", "x", "y", "z", "!"}} {
		m := machine(20, 3)
		m.Project.MustAsk, m.Resume = []string{"どの駅からですか?", "何時ですか?", "誰と乗りますか?"}, true
		s, _, _ := play(m, append(before, "a", "b", "c")...)
		asked, last := map[string]int{m.Project.MustAsk[0]: 1}, ""
		step := func(e interview.Event) {
			if e.Kind == interview.Failed {
				asked[last]-- // nobody has written it
			}
			var r interview.Result
			s, r = m.Step(s, e, now)
			last = r.Ask
			asked[last]++
		}
		said := interview.Event{Kind: interview.Said, Texts: []string{"x"}}
		step(interview.Event{Kind: interview.Recovered})
		for s.Phase != interview.Deepening {
			step(said)
		}
		step(said)
		step(interview.Event{Kind: interview.Failed})
		for s.Phase != interview.Done {
			step(said)
		}
		for _, q := range m.Project.MustAsk {
			if asked[q] != 1 {
				t.Errorf("after %q and a recovery %q was put %d times, want once", before, q, asked[q])
			}
		}
	}
}

func TestMustAsk(t *testing.T) {
	m := machine(12, 3)
	m.Project.MustAsk = []string{"誰と？", "いつ？"}
	_, phases, results := play(m, "a, b, c", "x", "はい", "a", "友だちと", "[インタビュー開始]", "朝", "ええ", "はい")
	var asked []string
	for i, r := range results {
		if r.Ask != "" {
			asked = append(asked, phases[i]+" "+r.Ask)
		}
	}
	if got := strings.Join(asked, ", "); got != "deepening 誰と？, deepening いつ？, deepening いつ？" {
		t.Errorf("asked %s, want both questions first, the second again after the signal", got)
	}
	m.Project.MustNotAsk = []string{"Salary", "病気"}
	for reply, want := range map[string]string{"What is your SALARY, roughly?": "Salary", "ご病気ですか": "病気", "Why?": ""} {
		if got := m.Project.Breaks(reply); got != want {
			t.Errorf("Breaks(%q) = %q, want %q", reply, got, want)
		}
	}
}

// TestMostImportant: what was chosen, else stressed, else named first.
func TestMostImportant(t *testing.T) {
	for _, c := range []struct {
		said []string
		want string
	}{
		{[]string{"電車、会議、早起き"}, "電車"},
		{[]string{"電車、とにかく会議、早起き"}, "とにかく会議"},
		{[]string{"trains, the meetings", "mostly noise, and above all the meetings"}, "above all the meetings"},
		{[]string{"電車、会議、早起き", "以上", "はい", "早起きが気になります"}, "早起き"},
		{[]string{"電車、会議、早起き", "以上", "はい", "2番目です"}, "会議"},
		{[]string{"trains, meetings, noise", "done", "yes", "the third one"}, "noise"},
		{[]string{"trains, meetings, noise", "done", "yes", "I don't know"}, "trains"},
		{[]string{"[スキップ]", "[skip]"}, ""},
	} {
		if s, _, _ := play(machine(12, 2), c.said...); s.MostImportant() != c.want {
			t.Errorf("after %q the most important is %q, want %q", c.said, s.MostImportant(), c.want)
		}
	}
}

func TestItems(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"1. trains\n2) meetings\n- noise", "trains|meetings|noise"},
		{"androids and the noise, or then the dust", "androids|the noise|the dust"},
		{"まずいご飯、あとで来るバス、あとは雨", "まずいご飯|あとで来るバス|雨"},
		{"はい、えっと、電車とか", "電車とか"},
		{"👍", "👍"},
		{"、、。", ""},
		{"電車、以上", "電車"},
		{"電車|会議|以上です", "電車|会議"},
		{"[skip]|trains, pass, 特にない", "trains"},
		{"本数が少ない、パスワード", "本数が少ない|パスワード"},
		{"trains|stop", "trains"},
		{"昨日は、雨が降っていて、寒くて、起きられませんでした。", "昨日は、雨が降っていて、寒くて、起きられませんでした"},
		{"本数が少ないので、遅れます。あと、駅が遠い、料金が高い", "本数が少ないので、遅れます|駅が遠い|料金が高い"},
		{"電車が混むし、駅は遠いし、料金も高い", "電車が混むし|駅は遠いし|料金も高い"},
		{"Well, you know, when it is dark, I just cannot get up, which is sad.",
			"when it is dark, I just cannot get up, which is sad"},
		{"the alarm, the cold, when trains are late", "the alarm|the cold|when trains are late"},
	} {
		s, _, _ := play(machine(12, 2), c.said)
		var got []string
		for _, it := range s.Items {
			got = append(got, it.Text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("items of %q = %q, want %q", c.said, got, c.want)
		}
	}
}

// TestSummary: the most important first, and bounded.
// TestRevised: what nobody says any more is not in the list, nor what an answer said before.
func TestRevised(t *testing.T) {
	for _, c := range []struct {
		what, was, now string
		left           []string
		want           string
	}{
		{"taken back", "the alarm, the cold", "", []string{"trains"}, "trains"},
		{"said again elsewhere", "the alarm, the cold", "", []string{"trains", "The cold!"}, "the cold / trains"},
		{"edited", "trains", "buses, the cold", []string{"the alarm, the cold", "buses, the cold"},
			"the alarm / the cold / buses"},
		{"edited to a command", "trains", "skip", []string{"the alarm, the cold", "skip"}, "the alarm / the cold"},
		{"what named nothing", "yes", "", []string{"the alarm, the cold", "trains"}, "the alarm / the cold / trains"},
	} {
		before := interview.State{Items: []interview.Item{{Text: "the alarm"}, {Text: "the cold"}, {Text: "trains"}},
			Chosen: "trains"}
		got := before.Revised(c.was, c.now, c.left)
		var list []string
		for _, it := range got.Items {
			list = append(list, it.Text)
		}
		if strings.Join(list, " / ") != c.want || (got.Chosen == "trains") != strings.Contains(c.want, "trains") {
			t.Errorf("%s: %q, chosen %q, want %q", c.what, list, got.Chosen, c.want)
		}
		if len(before.Items) != 3 || before.Items[2].Text != "trains" {
			t.Errorf("%s: the state before has become %v", c.what, before.Items)
		}
	}
}

func TestSummary(t *testing.T) {
	s, _, _ := play(machine(12, 2), "電車、とにかく会議、"+strings.Repeat("長、短", 300), strings.Repeat("長", 5000))
	got := s.Summary()
	if !strings.HasPrefix(got, "とにかく会議 / 電車 / 長 / ") || len([]rune(got)) > 600 {
		t.Errorf("Summary() = %.80s… of %d runes, want the most important first, in at most 600", got, len([]rune(got)))
	}
}

func TestRegister(t *testing.T) {
	l := interview.Limits{MaxConversations: 2}
	r, closed := interview.Register{}.Finish("b", l, now)
	again, closedAgain := r.Finish("b", l, now)
	if closed || closedAgain || len(again.Finished) != 1 || r.Open() != nil {
		t.Errorf("one finished twice = %+v, want it counted once", again)
	}
	r, closed = r.Finish("a", l, now)
	if !closed || !errors.Is(r.Open(), interview.ErrClosed) {
		t.Errorf("after two of two: %+v, want closed", r)
	}
	late, closed := r.Finish("c", l, now.Add(time.Hour)) // it had begun before
	if closed || len(late.Finished) != 3 || !late.ClosedAt.Equal(now) {
		t.Errorf("after a third: %+v, closed %v, want it counted and closed once only", late, closed)
	}
	if r, closed := (interview.Register{}).Finish("a", interview.Limits{}, now); closed || r.Open() != nil {
		t.Error("a project without a limit closed")
	}
}

// TestGolden pins the stored form.
func TestGolden(t *testing.T) {
	s, _, _ := play(machine(12, 2), "電車、とにかく会議、早起き", "x", "はい", "会議", "!", "a", "b", "c")
	r, _ := interview.Register{}.Finish("c-7f3a", interview.Limits{MaxConversations: 1}, now)
	got, err := json.MarshalIndent(map[string]any{"state": s, "register": r, "new": interview.State{}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/state.v1.golden"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Errorf("stored form is\n%s\nwant\n%s", got, want)
	}
	var back map[string]json.RawMessage
	var read interview.State
	if json.Unmarshal(want, &back) != nil || json.Unmarshal(back["state"], &read) != nil || read.Chosen != s.Chosen ||
		read.Left != s.Left || len(read.Items) != len(s.Items) {
		t.Errorf("read back %+v, want %+v", read, s)
	}
}
