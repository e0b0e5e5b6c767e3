package rank_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/memory/rank"
)

var tokyo = time.FixedZone("JST", 9*3600)

// monday is when the told events begin: 10:00 on a Monday.
var monday = time.Date(2026, 3, 2, 10, 0, 0, 0, tokyo)

// memory is an index with its texts.
type memory struct {
	*lexical.Index
	texts map[lexical.Doc]string
	n     int
}

func newMemory() *memory { return &memory{lexical.New(), map[lexical.Doc]string{}, 0} }

// say adds a turn; each is a minute after the one before, or days later.
func (m *memory) say(t testing.TB, conversation, speaker, text string, days int) {
	t.Helper()
	d, err := m.Add(lexical.Document{ID: fmt.Sprint("e", m.n), Conversation: conversation, Speaker: speaker,
		At: monday.AddDate(0, 0, days).Add(time.Duration(m.n) * time.Minute), Text: text})
	if err != nil {
		t.Fatal(err)
	}
	m.texts[d] = text
	m.n++
}

// ask returns the texts that come back.
func (m *memory) ask(q string, scope ...string) (texts []string, results []rank.Result) {
	results = rank.Recall(m.Index, rank.Query{Text: q, Now: monday.AddDate(1, 0, 0), K: 12,
		Scope: lexical.Scope{Conversations: scope}}, rank.Defaults(),
		func(d lexical.Doc) string { return m.texts[d] })
	for _, r := range results {
		texts = append(texts, m.texts[r.Doc])
	}
	return texts, results
}

func TestPlan(t *testing.T) {
	now := monday
	for _, c := range []struct {
		question string
		speakers string
		sought   rank.Sought
		spans    int
	}{
		{"When did Anna move to Ghent?", "Anna", rank.Moment, 0},
		{"Where does Hana's sister work?", "", rank.Place, 0},
		{"Who came along with anna in March 2025?", "Anna", rank.Person, 1},
		{"How many dogs?", "", rank.Amount, 0},
		{"Annabel is here", "", rank.Anything, 0},
		{"美咲はいつ京都に行った?", "美咲", rank.Moment, 0},
		{"去年の夏、美咲は誰と会った?", "美咲", rank.Person, 1},
		{"どこで買ったの?", "", rank.Place, 0},
		{"somewhere nice", "", rank.Anything, 0},
		{"", "", rank.Anything, 0},
	} {
		q := rank.Plan(c.question, []string{"Anna", "美咲"}, now, rank.Defaults())
		if got := strings.Join(q.Speakers, " "); got != c.speakers || q.Sought != c.sought || len(q.Spans) != c.spans {
			t.Errorf("Plan(%q) = %q, sought %v, %d spans, want %q, %v, %d", c.question, got, q.Sought, len(q.Spans),
				c.speakers, c.sought, c.spans)
		}
	}
}

func talk(t *testing.T) *memory {
	m := newMemory()
	for day, turns := range [][]string{
		{"Anna: I finally adopted a beagle puppy!", "Ben: Aww, what is the name?",
			"Anna: Sputnik. It took all evening."},
		{"Ben: The weather has been awful here.", "Anna: Same here, nothing but rain."},
		{"Anna: 先週、京都に旅行してきたよ。", "Ben: 誰と行ったの?", "Anna: 妹と一緒。楽しかった。"},
		{"Ben: I started to learn the cello.", "Anna: How lovely!", "Ben: My teacher is a retired sailor."},
		{"Anna: I ran the harbour race in an hour.", "Ben: I only watched it."},
	} {
		for _, turn := range turns {
			speaker, text, _ := strings.Cut(turn, ": ")
			m.say(t, "c", speaker, text, day*7)
		}
	}
	for n := range 80 {
		m.say(t, "c", []string{"Anna", "Ben"}[n%2], fmt.Sprintf("small talk number %d about nothing", n), 60+n)
	}
	return m
}

func TestRecall(t *testing.T) {
	m := talk(t)
	for _, c := range []struct {
		question, want string
		within         int
	}{
		{"What is the name of Anna's pet?", "Sputnik. It took all evening.", 4},
		{"What is the puppy called?", "Sputnik. It took all evening.", 4},
		{"Annaは誰と京都に行った?", "妹と一緒。楽しかった。", 3},
		{"Which instrument does Ben play?", "I started to learn the cello.", 3},
		{"who teaches Ben the cello", "My teacher is a retired sailor.", 3},
		{"what happened on March 30, 2026", "I ran the harbour race in an hour.", 3},
		{"cello", "I started to learn the cello.", 1},
		{"妹", "妹と一緒。楽しかった。", 1},
	} {
		got, _ := m.ask(c.question, "c")
		if at := slices.Index(got, c.want); at < 0 || at >= c.within {
			t.Errorf("%q: %q is at place %d of %q, want below %d", c.question, c.want, at, got, c.within)
		}
	}
}

// Other words of the same everyday field find an answer, and a field that has two words of the
// question counts for more than one that has one.
func TestFields(t *testing.T) {
	m := talk(t)
	m.say(t, "c", "Ben", "we always had huskies around the house", 200)
	m.say(t, "c", "Ben", "there was some stew to end with", 200)
	own := func(question, want string) float64 {
		got, results := m.ask(question, "c")
		at := slices.Index(got, want)
		if at != 0 {
			t.Fatalf("%q found %.3q, want first %q", question, got, want)
		}
		return results[at].Own
	}
	own("Which breed was in Ben's family?", "we always had huskies around the house")
	const stew = "there was some stew to end with"
	if one, two := own("pasta?", stew), own("pasta, pizza?", stew); two <= one {
		t.Errorf("two words of a field give %v, one %v, want more", two, one)
	}
}

// What is said elsewhere neither comes back nor moves a score.
func TestScopeIsTight(t *testing.T) {
	m := talk(t)
	_, before := m.ask("What is the name of Anna's puppy?", "c")
	for n := range 50 {
		m.say(t, "other", "Carol", fmt.Sprintf("canary puppy name %d Anna beagle Sputnik", n), 1)
	}
	texts, after := m.ask("What is the name of Anna's puppy?", "c")
	if strings.Contains(strings.Join(texts, " "), "canary") {
		t.Errorf("another conversation's turn came back: %q", texts)
	}
	if !slices.Equal(before, after) {
		t.Errorf("another conversation moved the results from %v to %v", before, after)
	}
	if texts, _ := m.ask("puppy", "unknown"); len(texts) != 0 {
		t.Errorf("an unknown conversation returned %q", texts)
	}
	if texts, _ := m.ask("canary puppy"); len(texts) == 0 {
		t.Error("all conversations returned nothing")
	}
}

// A turn that only repeats a better one ranks behind turns that say more, and behind the
// first twelve come turns of other sessions.
func TestVary(t *testing.T) {
	m := newMemory()
	for day := range 3 {
		m.say(t, "c", "Anna", "I painted the old boathouse green", day*7)
	}
	m.say(t, "c", "Anna", "Painted the shed with my brother too", 30)
	texts, _ := m.ask("What has Anna painted?", "c")
	if len(texts) != 4 || texts[1] != "Painted the shed with my brother too" {
		t.Errorf("found %q, want the shed before the boathouse comes again", texts)
	}

	m = newMemory()
	for n := range 30 {
		m.say(t, "c", "Anna", fmt.Sprintf("painted painted painted part %d", n), 0)
	}
	for n := range 6 {
		m.say(t, "c", "Anna", fmt.Sprintf("we went to the market on day %d and painted nothing", n), 7+7*n)
	}
	texts = nil
	for _, r := range rank.Recall(m.Index, rank.Query{Text: "painted", Now: monday.AddDate(1, 0, 0), K: 18,
		Scope: lexical.Scope{Conversations: []string{"c"}}}, rank.Defaults(),
		func(d lexical.Doc) string { return m.texts[d] }) {
		texts = append(texts, m.texts[r.Doc])
	}
	part := func(s string) bool { return strings.Contains(s, "part ") }
	if !part(texts[0]) || slices.ContainsFunc(texts[12:], part) {
		t.Errorf("found %q, want the best session first and the others behind twelve turns", texts)
	}
}

// A wide scope is ranked by its best matches only.
func TestManyTurns(t *testing.T) {
	m := talk(t)
	for n := range 3000 {
		m.say(t, "c", "Ben", fmt.Sprintf("we spoke of dogs and cats, part %d", n), 200+n)
	}
	got, _ := m.ask("who teaches Ben the cello", "c")
	if at := slices.Index(got, "My teacher is a retired sailor."); at < 0 || at > 3 {
		t.Errorf("the answer is at place %d of %q", at, got)
	}
}

// In a scope too wide to examine, a question that was read before finds what it finds by itself,
// also where the best events by words are later than it may see.
func TestReadBefore(t *testing.T) {
	m := talk(t)
	wide := 33_000
	if testing.Short() {
		wide = 3_000 // which is examined by its matches
	}
	for n := range wide {
		m.say(t, fmt.Sprint("c", n%40), "Ben", fmt.Sprintf("we spoke of dogs and cats, part %d", n%999), n%300)
	}
	m.say(t, "d", "Anna", "my teacher of the cello has a puppy", 700)
	const long = "part cats dogs spoke rain harbour beagle sailor watched hour evening lovely retired number small"
	for _, question := range []string{"who teaches Ben the cello", "dogs, part 17", "the puppy", "猫", long} {
		for _, now := range []time.Time{monday.AddDate(1, 0, 0), monday.AddDate(3, 0, 0)} {
			q := rank.Query{Text: question, Now: now, K: 12}
			text := func(d lexical.Doc) string { return m.texts[d] }
			want := rank.Recall(m.Index, q, rank.Defaults(), text)
			q.Read = rank.Read(m.Index, q, rank.Defaults())
			if got := rank.Recall(m.Index, q, rank.Defaults(), text); !slices.Equal(got, want) {
				t.Errorf("%.20q read before, asked in %d: %v, want %v", question, now.Year(), got, want)
			}
		}
	}
}

func TestOddQuestions(t *testing.T) {
	m := talk(t)
	for _, q := range []string{"", " ", "?", "🎉", "a", "猫", "the of and", "\xff\xfe", strings.Repeat("x", 100_000),
		strings.Repeat("cello puppy 京都 ", 10_000)} {
		texts, results := m.ask(q, "c")
		for i := 1; i < len(results); i++ {
			if results[i-1].Score < results[i].Score && !results[i].Protected {
				t.Errorf("%.20q: score %v before %v", q, results[i-1].Score, results[i].Score)
			}
		}
		again, _ := m.ask(q, "c")
		if !slices.Equal(texts, again) {
			t.Errorf("%.20q: %q, then %q", q, texts, again)
		}
	}
	if texts, _ := newMemory().ask("anything"); len(texts) != 0 {
		t.Errorf("an empty memory returned %q", texts)
	}
}

// A long message often asks at its end.
func TestAsksAtTheEnd(t *testing.T) {
	word := rank.Plan("結婚", nil, monday, rank.Defaults()).Terms[0].Key
	long := strings.Repeat("今日は会議が長くて大変だった。", 500)
	for _, question := range []string{long + "妹の結婚式はどこ?", "妹の結婚式はどこ?" + long} {
		q := rank.Plan(question, nil, monday, rank.Defaults())
		if !slices.ContainsFunc(q.Terms, func(w lexical.Weighted) bool { return w.Key == word }) {
			t.Errorf("Plan(%.30q…) looks for %d terms, want 結婚 among them", question, len(q.Terms))
		}
	}
}

func TestWithout(t *testing.T) {
	for _, s := range rank.Signals() {
		if rank.Without(rank.Defaults(), s) == rank.Defaults() {
			t.Errorf("Without(%s) changes nothing", s)
		}
	}
	if rank.Without(rank.Defaults(), "unknown") != rank.Defaults() {
		t.Error("Without(unknown) changes something")
	}
}

func FuzzRecall(f *testing.F) {
	m := newMemory()
	m.say(f, "c", "Anna", "京都に旅行した in March, with my sister", 0)
	m.say(f, "c", "Ben", "誰と?", 0)
	for _, s := range []string{"who in March", "去年の夏", "\xff?", "Annaの妹"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m.texts[0] = s
		m.ask(s, "c")
	})
}
