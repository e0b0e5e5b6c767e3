package directory

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
)

var standard = DefaultRules()

func TestDefaultRules(t *testing.T) {
	if want := (Rules{Title: 0.25, TitleNew: 0.40, TitleAlike: 0.60}); standard != want {
		t.Errorf("DefaultRules() = %+v, want %+v", standard, want)
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		title      messages.Text
		confidence float64
		want       messages.Text
		group      bool
	}{
		{"Hana", 0.9, "Hana", false},
		{"  花子　 さん\n", 0.9, "花子 さん", false},
		{"家族 (5)", 0.9, "家族", true},
		{"家族（１２）", 0.9, "家族", true},
		{"(5)", 0.9, "(5)", false},
		{"Ha\x00na\u200b\xff", 0.9, "Hana", false},
		{"", 0.9, "", false},
		{" \t", 0.9, "", false},
		{"Hana", 0.2, "", false},
		{"Hana", 0, "Hana", false},
		{messages.Text(strings.Repeat("長", 100)), 0.9, messages.Text(strings.Repeat("長", 64)), false},
	} {
		got, group := standard.Read(messages.Line{Text: c.title, Confidence: c.confidence})
		if got != c.want || group != c.group {
			t.Errorf("Read(%q, %v) = %q, %v, want %q, %v", string(c.title), c.confidence, string(got), group,
				string(c.want), c.group)
		}
	}
}

func line(title string, confidence float64) messages.Line {
	return messages.Line{Text: messages.Text(title), Confidence: confidence}
}

// among is a directory in which each name has been read often enough to be certain, under
// the id of its place.
func among(names ...string) map[messages.ConversationID]Known {
	known := map[messages.ConversationID]Known{}
	for i, n := range names {
		title, group := standard.Read(line(n, 0.9))
		k := Known{App: "line", Title: title, Group: group, Settled: true}
		for range consensus {
			k.Learn(standard, line(n, 0.9))
		}
		known[messages.ConversationID(fmt.Sprintf("c-%d", i+1))] = k
	}
	return known
}

const (
	same  = messages.OverlapSame
	weak  = messages.OverlapWeak
	other = messages.OverlapOther
	none  = messages.OverlapNone
	gap   = messages.OverlapGap
	back  = messages.OverlapBack
	apart = messages.OverlapApart
)

// outcome is a decision in one word: the conversation, "new", or why it is unknown.
func outcome(known map[messages.ConversationID]Known, title string, confidence float64,
	shared ...messages.Overlap) string {
	return outcomeOf(known, messages.Identify{Title: line(title, confidence)}, shared...)
}

func outcomeOf(known map[messages.ConversationID]Known, q messages.Identify, shared ...messages.Overlap) string {
	d := standard.Decide(q, known)
	if d.Search {
		q.Searched = true
		d = standard.Decide(q, known)
	}
	if d.Compare != nil {
		q.Compared = true
		for _, c := range d.Compare {
			var n int
			fmt.Sscanf(string(c), "c-%d", &n)
			if n <= len(shared) {
				q.Shared = append(q.Shared, messages.Shared{Conversation: c, Overlap: shared[n-1]})
			}
		}
		d = standard.Decide(q, known)
	}
	switch {
	case d.New:
		return "new"
	case d.Why != "":
		return string(d.Why)
	}
	return string(d.Conversation)
}

// TestPairs: names that are easily taken for each other. With the first of a pair
// known, the second is another one's if its transcript is another or its title is read
// so again and again, and the same one's only if a run of bubbles proves it. With both
// known each is found by its bubbles, whatever the title is read as.
func TestPairs(t *testing.T) {
	for _, pair := range [][2]string{
		{"一郎", "一朗"}, {"Hana", "Hama"}, {"Ilya", "llya"}, {"Al", "AI"}, {"l", "I"}, {"A", "B"}, {"林", "森"},
		{"O", "0"}, {"Hana", "Hana (3)"}, {"家族", "家族（５）"}, {"Ana Lee", "Analee"}, {"田中 一郎", "田中一郎"},
		{"Ai", "AI"}, {"タ子", "夕子"}, {"Support Desk East", "Support Desk Eazt"}, {"田中一郎", "田中二郎"},
		{"はな", "はな♡"}, {"Renée", "Renee"}, {"😀", "😁"}, {"Ryo", "Ryō"},
		{"Neighbourhood Watch of Elm Street A", "Neighbourhood Watch of Elm Street B"},
	} {
		one, two := among(pair[0]), among(pair[0], pair[1])
		for _, c := range []struct {
			known  map[messages.ConversationID]Known
			title  string
			sure   float64
			shared []messages.Overlap
			want   string
		}{
			{one, pair[0], 0.9, []messages.Overlap{gap}, "c-1"},
			{one, pair[0], 0.9, []messages.Overlap{weak}, "c-1"},
			{one, pair[0], 0.9, []messages.Overlap{none}, "c-1"},
			{one, pair[0], 0.9, []messages.Overlap{back}, "c-1"},
			{one, pair[0], 0.9, []messages.Overlap{apart}, "title_namesake"},
			{one, pair[0], 0.9, []messages.Overlap{other}, "title_unsure"}, // see TestAgainAndAgain
			{one, pair[0], 0.5, []messages.Overlap{other}, "title_unsure"},
			{one, pair[1], 0.9, []messages.Overlap{other}, "title_unsure"},
			{one, pair[1], 0, []messages.Overlap{other}, "new"},
			{one, pair[1], 0.9, []messages.Overlap{none}, "title_ambiguous"},
			{one, pair[1], 0.9, []messages.Overlap{gap}, "title_ambiguous"},
			{one, pair[1], 0.9, []messages.Overlap{apart}, "title_ambiguous"},
			{one, pair[1], 0.9, []messages.Overlap{weak}, "title_ambiguous"},
			{one, pair[1], 0.9, []messages.Overlap{same}, "c-1"},
			{one, pair[1], 0.5, []messages.Overlap{other}, "title_unsure"},
			{one, pair[1], 0.5, []messages.Overlap{same}, "c-1"},
			{two, pair[0], 0.9, []messages.Overlap{gap, other}, "c-1"},
			{two, pair[1], 0.9, []messages.Overlap{other, gap}, "c-2"},
			{two, pair[1], 0.9, []messages.Overlap{gap, gap}, "title_ambiguous"}, // see TestAgainAndAgain
			{two, pair[1], 0, []messages.Overlap{gap, gap}, "c-2"},
			{two, pair[1], 0.5, []messages.Overlap{gap, gap}, "title_ambiguous"},
			{two, pair[0], 0.9, []messages.Overlap{same, other}, "c-1"},
			{two, pair[0], 0.9, []messages.Overlap{other, same}, "c-2"},
			{two, pair[1], 0.9, []messages.Overlap{same, other}, "c-1"},
			{two, pair[1], 0.9, []messages.Overlap{same, same}, "c-2"}, // both got the same messages
			{two, pair[1], 0.9, []messages.Overlap{weak, none}, "title_ambiguous"},
			{two, pair[1], 0, []messages.Overlap{weak, none}, "c-2"},
			{two, pair[1], 0.9, []messages.Overlap{other, other}, "title_unsure"},
		} {
			if got := outcome(c.known, c.title, c.sure, c.shared...); got != c.want {
				t.Errorf("among %d: %q at %v, shared %q: %s, want %s", len(c.known), c.title, c.sure, c.shared, got,
					c.want)
			}
		}
	}
}

func TestDecide(t *testing.T) {
	elm := []string{"Neighbourhood Watch of Elm Street North", "Neighbourhood Watch of Elm Street South"}
	variant := among("Hana", "Ken")
	k := variant["c-1"]
	k.Learn(standard, line("Xyz", 0.5))
	variant["c-1"] = k
	merged := among("Hana", "Hama")
	k = merged["c-2"]
	k.Into = "c-1"
	merged["c-2"] = k
	adopted := map[messages.ConversationID]Known{"c-1": {App: "line", Title: "家族"}}
	split := among("Hana", "Hana")
	for _, c := range []struct {
		what   string
		known  map[messages.ConversationID]Known
		title  string
		sure   float64
		shared []messages.Overlap
		want   string
	}{
		{"nobody is known", nil, "Hana", 0.9, nil, "new"},
		{"nobody is known, half read", nil, "Hana", 0.39, nil, "title_unsure"},
		{"unreadable", among("Hana"), "Hana", 0.2, nil, "title_unreadable"},
		{"known, half read", among("Hana"), "Hana", 0.25, nil, "title_unsure"},
		{"known, half read, of their own", among("Hana"), "Hana", 0.25, []messages.Overlap{same}, "c-1"},
		{"full width", among("Hana"), "Ｈａｎａ", 0.9, nil, "c-1"},
		{"another count of members", among("Hana (3)"), "Hana (12)", 0.9, nil, "c-1"},
		{"no alike name", among("Hana", "Support Desk"), "Ken", 0.9, nil, "new"},
		{"digits count", among("Order 1234567890"), "Order 1234567891", 0.9, []messages.Overlap{other}, "title_unsure"},
		{"misread, between two", among(elm...), "Neighbourhood Watch of Elm Street", 0.5, nil, "title_unsure"},
		{"misread, of one of two", among(elm...), "Neighbourhood Watch of Elm Street N", 0.5,
			[]messages.Overlap{other, same}, "c-2"},
		{"misread, both show it", among(elm...), "Neighbourhood Watch of Elm Street Nouth", 0.9,
			[]messages.Overlap{same, same}, "title_ambiguous"},
		{"a misreading is known", variant, "Xyz", 0.9, []messages.Overlap{same, other}, "c-1"},
		{"a misreading is somebody's name", variant, "Xyz", 0, []messages.Overlap{other, other}, "new"},
		{"merged", merged, "Hana", 0.9, []messages.Overlap{weak}, "c-1"},
		{"merged, under the other name", merged, "Hama", 0.9, []messages.Overlap{gap}, "c-1"},
		{"adopted, a group or not", adopted, "家族 (5)", 0.9, nil, "c-1"},
		{"two of one name", split, "Hana", 0.9, []messages.Overlap{other, same}, "c-2"},
		{"two of one name, neither shows it", split, "Hana", 0, []messages.Overlap{other, other}, "new"},
		{"two of one name, either may have gone on", split, "Hana", 0.9, []messages.Overlap{gap, gap},
			"title_ambiguous"},
		{"two of one name, one may have gone on", split, "Hana", 0.9, []messages.Overlap{gap, other},
			"title_ambiguous"},
		{"two of one name, one has shown a little of it", split, "Hana", 0.9, []messages.Overlap{other, weak}, "c-2"},
	} {
		if got := outcome(c.known, c.title, c.sure, c.shared...); got != c.want {
			t.Errorf("%s: %q: %s, want %s", c.what, c.title, got, c.want)
		}
	}
}

// TestAgainAndAgain: a title that is read the same again and again is no misreading.
func TestAgainAndAgain(t *testing.T) {
	for readings, want := range map[int]string{consensus - 1: "title_ambiguous", consensus: "c-2"} {
		q := messages.Identify{Title: line("Hama", 0.9), Readings: readings}
		if got := outcomeOf(among("Hana", "Hama"), q, gap, gap); got != want {
			t.Errorf("one of two alike titles for the %d. time: %s, want %s", readings, got, want)
		}
	}
	for _, c := range []struct {
		title    string
		readings int
		shared   messages.Overlap
		want     string
	}{
		{"Hama", consensus - 1, gap, "title_ambiguous"}, {"Hama", consensus, gap, "new"},
		{"Hama", consensus, apart, "new"}, {"Hama", consensus, weak, "title_ambiguous"},
		{"Hana", consensus - 1, other, "title_unsure"}, {"Hana", consensus, other, "new"}, // a namesake
		{"Hama", consensus - 1, other, "title_unsure"}, {"Hama", consensus, other, "new"},
		{"Hama", consensus, back, "title_ambiguous"}, {"Hana", consensus, apart, "title_namesake"},
	} {
		q := messages.Identify{Title: line(c.title, 0.9), Readings: c.readings}
		if got := outcomeOf(among("Hana"), q, c.shared); got != c.want {
			t.Errorf("%q for the %d. time, shared %q: %s, want %s", c.title, c.readings, c.shared, got, c.want)
		}
	}
}

// TestAnotherTitle: under a title of nobody's who is known, a run of bubbles finds a
// conversation that was renamed, once the title has lasted. A few messages that two
// people got are no such run, but may be one where somebody has shown no others.
func TestAnotherTitle(t *testing.T) {
	for _, c := range []struct {
		readings int
		shared   []messages.Overlap
		want     string
	}{
		{1, nil, "new"}, {1, []messages.Overlap{same}, "title_unsure"}, {consensus, []messages.Overlap{same}, "c-1"},
		{1, []messages.Overlap{weak}, "title_unsure"}, {consensus, []messages.Overlap{weak}, "new"},
		{consensus, []messages.Overlap{same, same}, "new"},
		{consensus, []messages.Overlap{messages.OverlapAll}, "title_unsure"},
	} {
		q := messages.Identify{Title: line("Satou", 0.9), Readings: c.readings, Searched: true}
		for i, o := range c.shared {
			q.Shared = append(q.Shared, messages.Shared{
				Conversation: messages.ConversationID(fmt.Sprintf("c-%d", i+1)), Overlap: o})
		}
		if got := outcomeOf(among("Hana", "Ken"), q); got != c.want {
			t.Errorf("for the %d. time, shared %q: %s, want %s", c.readings, c.shared, got, c.want)
		}
	}
}

// TestBeside: who was shown under their own name since begins in the same words as somebody new, and is not
// called so now. One with whom others were merged may have several names.
func TestBeside(t *testing.T) {
	const ken = messages.ConversationID("c-1")
	for _, c := range []struct {
		what     string
		readings int
		overlap  messages.Overlap
		beside   []messages.ConversationID
		merged   bool
		want     string
	}{
		{"all that Ken has shown", consensus, messages.OverlapAll, []messages.ConversationID{ken}, false, "new"},
		{"some of it", consensus, weak, []messages.ConversationID{ken}, false, "new"},
		{"read once", 1, weak, []messages.ConversationID{ken}, false, "title_unsure"},
		{"another one was shown", consensus, weak, []messages.ConversationID{"c-9"}, false, "title_unsure"},
		{"Ken has two names", consensus, weak, []messages.ConversationID{ken}, true, "title_unsure"},
	} {
		known := among("Ken")
		k := known[ken]
		k.Readings = []Reading{{Title: "Ken", Votes: votesSure}}
		known[ken] = k
		if c.merged {
			known["c-8"] = Known{App: "line", Title: "Kenji", Into: ken}
		}
		q := messages.Identify{Title: line("Satou", 0.9), Readings: c.readings, Searched: true, Beside: c.beside,
			Shared: []messages.Shared{{Conversation: ken, Overlap: c.overlap}}}
		if got := outcomeOf(known, q); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestWhatAMisreadNameHasShown: what a conversation has shown is not taken for another one's
// while its own title was read too seldom to be certain: nothing on the screen tells two
// people who began with the same words from one whose title was misread at first. It is
// held, however often the title is read that is shown now, unless the bubbles prove whose
// it is.
func TestWhatAMisreadNameHasShown(t *testing.T) {
	const unsure, alike = "title_unsure", "title_ambiguous"
	elsewhere := []messages.Shared{{Conversation: "c-9", Overlap: weak}}
	proved := []messages.Shared{{Conversation: "c-9", Overlap: same}}
	for _, c := range []struct {
		what   string
		title  messages.Text // of the one who has shown it
		known  []string
		its    []messages.Overlap // of those known
		shared []messages.Shared
		seldom string // while the title was read too seldom
		often  string // once it is certain
	}{
		{"a title never seen", "Kenji", nil, nil, elsewhere, unsure, "new"},
		{"a title that has shown nothing", "Kenji", []string{"Hana"}, []messages.Overlap{none}, elsewhere, unsure,
			"c-1"},
		{"that has shown something else", "Kenji", []string{"Hana"}, []messages.Overlap{other}, elsewhere, unsure,
			"new"},
		{"that has shown it too", "Kenji", []string{"Hana"}, []messages.Overlap{weak}, elsewhere, "c-1", "c-1"},
		{"that has shown nothing, and it is proved", "Kenji", []string{"Hana"}, []messages.Overlap{none}, proved, "c-9",
			"c-9"},
		{"an alike one", "Hama", nil, nil, elsewhere, alike, alike},
		{"an alike one, of which nothing is to be seen", "Hama", nil, nil,
			[]messages.Shared{{Conversation: "c-9", Overlap: gap}}, alike, "new"},
		{"a title that has shown nothing beside an alike one", "Hama", []string{"Hana"}, []messages.Overlap{none},
			elsewhere, alike, "c-1"},
	} {
		for votes, want := range map[int]string{2 * votesSure: c.seldom, votesMost: c.often} {
			known := among(c.known...)
			known["c-9"] = Known{App: "line", Title: c.title, Settled: true,
				Readings: []Reading{{Title: c.title, Votes: votes}}}
			q := messages.Identify{Title: line("Hana", 0.9), Readings: consensus, Compared: true, Searched: true,
				Shared: c.shared}
			for i, o := range c.its {
				q.Shared = append(q.Shared, messages.Shared{
					Conversation: messages.ConversationID(fmt.Sprintf("c-%d", i+1)), Overlap: o})
			}
			if got := outcomeOf(known, q); got != want {
				t.Errorf("%s, with %d votes: %s, want %s", c.what, votes, got, want)
			}
			if q.Readings = 1; c.title == "Kenji" && want != "c-1" || want == "new" {
				if got := outcomeOf(known, q); got != unsure && got != alike {
					t.Errorf("%s, at the first reading: %s, want nobody yet", c.what, got)
				}
			}
		}
	}
}

// TestABareNameIsNobodys: a conversation whose own title was read too seldom does not get a
// page that cannot be compared, however often its title is read over it.
func TestABareNameIsNobodys(t *testing.T) {
	for votes, want := range map[int]string{2 * votesSure: "title_unsure", votesMost: "c-9"} {
		known := map[messages.ConversationID]Known{"c-9": {App: "line", Title: "Hana", Settled: true,
			Readings: []Reading{{Title: "Hana", Votes: votes}}}}
		q := messages.Identify{Title: line("Hana", 0.9), Readings: consensus, Compared: true, Searched: true,
			Shared: []messages.Shared{{Conversation: "c-9", Overlap: back}}}
		if got := outcomeOf(known, q); got != want {
			t.Errorf("with %d votes: %s, want %s", votes, got, want)
		}
	}
}

// TestLearn: most readings decide, and in the end the newest that comes again and
// again.
func TestLearn(t *testing.T) {
	k := Known{App: "line", Title: "Hena", Settled: true}
	k.Learn(standard, line("Hena", 0.5))
	for i, c := range []struct {
		title string
		sure  float64
		want  messages.Text
	}{
		{"Hana", 0.9, "Hana"}, {"Hena", 0.5, "Hana"}, {"Hana", 0.9, "Hana"}, {"Hena", 0.5, "Hana"},
		{"Hana T", 0.9, "Hana"}, {"Hana T", 0.9, "Hana"}, {"Hana T", 0.9, "Hana T"}, {"", 0.9, "Hana T"},
		{"Hana", 0.9, "Hana T"}, {"Hana", 0.9, "Hana"},
	} {
		k.Learn(standard, line(c.title, c.sure))
		if k.Title != c.want {
			t.Errorf("reading %d, %q: the title is %q, want %q", i, c.title, string(k.Title), string(c.want))
		}
	}
	if before := k; k.Learn(standard, line("Hana", 0.9)) || len(before.Readings) != len(k.Readings) {
		t.Error("a title that was read often enough changes something, want nothing to be written")
	}
	for i := range 20 {
		k.Learn(standard, line(fmt.Sprint("misread ", i), 0.3))
	}
	if len(k.Readings) > readingsMost || k.Title != "Hana" {
		t.Errorf("%d readings are kept of %q, want at most %d of Hana", len(k.Readings), string(k.Title), readingsMost)
	}
	k.Named = "Mum"
	if k.Learn(standard, line("Hana T", 0.9)); k.Name() != "Mum" {
		t.Errorf("Name() = %q, want what a person said", string(k.Name()))
	}
}

// FuzzRead: a title is never too long, and reads as itself.
func FuzzRead(f *testing.F) {
	f.Add("Hana (3)")
	f.Add("\x00\xff　")
	f.Fuzz(func(t *testing.T, title string) {
		name, _ := standard.Read(line(title, 1))
		if name == "" {
			return
		}
		if utf8.RuneCountInString(string(name)) > TitleLongest {
			t.Errorf("Read(%q) has %d characters", title, utf8.RuneCountInString(string(name)))
		}
		if again, _ := standard.Read(line(string(name), 1)); again == "" {
			t.Errorf("Read(%q) = %q, which reads as nothing", title, string(name))
		}
		if got := outcome(among(title), title, 0.9, weak); got != "c-1" {
			t.Errorf("Decide(%q) among itself = %s, want c-1", title, got)
		}
	})
}

func TestLookup(t *testing.T) {
	known := among("Hana", "Ken", "hana", "Hana (3)")
	k := known["c-2"]
	k.Named, k.App = "Boss", "slack"
	known["c-2"] = k
	known["c-9"] = Known{App: "line", Title: "Ren", Into: "c-3"}
	for _, c := range []struct{ app, name, want string }{
		{"", "Hana", "[c-1 c-4]"}, {"line", "Hana", "[c-1 c-4]"}, {"", "line:hana", "[c-3]"},
		{"", "ＨＡＮＡ", "[c-1 c-3 c-4]"}, {"", "Boss", "[c-2]"}, {"", "slack:Ken", "[c-2]"}, {"line", "Ken", "[]"},
		{"", "c-4", "[c-4]"}, {"", "c-9", "[c-3]"}, {"", "Ren", "[c-3]"}, {"", "", "[]"},
	} {
		if got := fmt.Sprint(Called(known, c.app, c.name)); got != c.want {
			t.Errorf("Called(%q, %q) = %s, want %s", c.app, c.name, got, c.want)
		}
	}
	if title, ok := TitleOf(known, "c-2"); !ok || title != "Ken" {
		t.Errorf("TitleOf(c-2) = %q, %v, want what its window shows", string(title), ok)
	}
	if title, ok := TitleOf(known, "c-9"); !ok || title != "hana" {
		t.Errorf("TitleOf(c-9) = %q, %v, want that of the one it was merged into", string(title), ok)
	}
	if _, ok := TitleOf(known, "c-7"); ok {
		t.Error("TitleOf of nobody has a title")
	}
	loop := map[messages.ConversationID]Known{"c-1": {Into: "c-2"}, "c-2": {Into: "c-1"}}
	Resolve(loop, "c-1") // ends
}

// TestDecideBlank: over a pane in which nothing was said yet, what others were told as well
// makes nobody of them; only what proves a conversation does.
func TestDecideBlank(t *testing.T) {
	for _, c := range []struct {
		what  string
		title string
		blank bool
		o     messages.Overlap
		want  Decision
	}{
		{"alike, and told the same", "Hama", true, weak, Decision{New: true}},
		{"alike, and proved", "Hama", true, same, Decision{Conversation: "c-1"}},
		{"the same name", "Hana", true, weak, Decision{Conversation: "c-1", Learn: true}},
		{"another name, told the same", "Ken", true, weak, Decision{New: true}},
		{"another name, told all the same", "Ken", true, messages.OverlapAll, Decision{New: true}},
		{"another name, told the same, and not blank", "Ken", false, weak,
			Decision{Why: "title_unsure", Of: []messages.ConversationID{"c-1"}}},
	} {
		q := messages.Identify{Title: line(c.title, 0.9), Readings: 1, Compared: true, Searched: true, Blank: c.blank,
			Shared: []messages.Shared{{Conversation: "c-1", Overlap: c.o}}}
		got := standard.Decide(q, among("Hana"))
		got.Learn = got.Learn && c.want.Learn
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: Decide() = %+v, want %+v", c.what, got, c.want)
		}
	}
}

// TestIndex: by the index the same are found as among all, however they were renamed or merged.
func TestIndex(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	names := []messages.Text{"Hana", "hana", "Ｈａｎａ", "Ha na", "Hama", "line:Hana", "Line: hana", "c-3", ":Hana", ""}
	any := func() messages.Text { return names[rnd.IntN(len(names))] }
	for range 200 {
		known, x := map[messages.ConversationID]Known{}, index{}
		for range 30 {
			id := messages.ConversationID(fmt.Sprintf("c-%d", rnd.IntN(8)))
			k := Known{App: "line", Title: any(), Named: any()}
			if into := messages.ConversationID(fmt.Sprintf("c-%d", rnd.IntN(8))); into < id {
				k.Into = into
			}
			x.change(id, known[id], k)
			known[id] = k
		}
		for _, n := range names[:len(names)-1] {
			got, want := Called(x.near(known, n), "line", string(n)), Called(known, "line", string(n))
			if !slices.Equal(got, want) {
				t.Fatalf("%q among %v: %v, want %v", string(n), known, got, want)
			}
		}
	}
}
