package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func said(id, text string, own bool, after time.Duration) messages.Event {
	return messages.Event{ID: messages.MessageID(id), Text: messages.Text(text), Own: own, At: noon.Add(after)}
}

// An event answers the newest one of the other side in the same stretch of talk.
func TestTalk(t *testing.T) {
	var talk memory.Talk
	for i, c := range []struct {
		event           messages.Event
		replyTo, thread messages.MessageID
	}{
		{said("a", "hi", false, 0), "", "a"},
		{said("b", "are you there?", false, time.Minute), "", "a"},
		{said("o1", "yes", true, 2*time.Minute), "b", "a"},
		{said("late", "older", false, -time.Hour), "", ""},
		{said("c", "good", false, 3*time.Minute), "o1", "a"},
		{said("d", "morning", false, 5*time.Hour), "", "d"},
		{said("o2", "morning!", true, 5*time.Hour+time.Minute), "d", "d"},
	} {
		var e memory.Event
		e, talk = talk.Next(c.event, "", noon)
		if e.ReplyTo != c.replyTo || e.Thread != c.thread || e.KeptAt != noon || talk.Events != int64(i+1) {
			t.Errorf("event %s answers %q in thread %q as number %d, want %q in %q as %d", e.ID, e.ReplyTo, e.Thread,
				talk.Events, c.replyTo, c.thread, i+1)
		}
	}
	long, _ := talk.Next(said("long", strings.Repeat("あ", memory.MaxText), false, 0), "", noon)
	if len(long.Text) > memory.MaxText || !strings.HasSuffix(string(long.Text), "あ") {
		t.Errorf("%d bytes are kept of a long event, want at most %d", len(long.Text), memory.MaxText)
	}
}

// TestTalkOfSeveral: in a group an answer goes to whom it was written for, though another one spoke
// since; what they say next answers what was said to them, and what was said to all.
func TestTalkOfSeveral(t *testing.T) {
	var talk memory.Talk
	if err := json.Unmarshal([]byte(`{"events":2,"last":"2026-03-02T11:59:00Z","thread":"t","own":"o0","other":"z"}`),
		&talk); err != nil { // as it was stored before pairs were
		t.Fatal(err)
	}
	for minute, c := range []struct{ id, speaker, answered, to, want string }{
		{"a1", "A", "", "", "o0"}, {"b1", "B", "", "", "o0"}, {"a2", "A", "", "", "o0"},
		{"o1", "", "a1", "A", "a1"}, {"b2", "B", "", "", "o1"}, {"o2", "", "b2", "B", "b2"},
		{"a3", "A", "", "", "o1"}, {"b3", "B", "", "", "o2"},
		{"o3", "", "", "", "b3"}, {"a4", "A", "", "", "o3"}, {"c1", "C", "", "", "o3"},
	} {
		m := said(c.id, c.id, c.speaker == "", time.Duration(minute)*time.Minute)
		m.Speaker, m.Answered = messages.Text(c.speaker), messages.MessageID(c.answered)
		var e memory.Event
		if e, talk = talk.Next(m, messages.Text(c.to), noon); string(e.ReplyTo) != c.want {
			t.Errorf("%s answers %q, want %q", c.id, e.ReplyTo, c.want)
		}
	}
	for n := range 3 * memory.MostPairs {
		m := said(fmt.Sprint(n), "x", false, time.Hour)
		m.Speaker = messages.Text(fmt.Sprint(n))
		_, talk = talk.Next(m, "", noon)
	}
	if len(talk.Pairs) != memory.MostPairs || talk.Pairs[memory.MostPairs-1].Speaker != "47" {
		t.Errorf("%d speakers are told apart, want %d, the newest", len(talk.Pairs), memory.MostPairs)
	}
}

var merge = memory.DefaultRules().Pack.Merge

func found(r memory.Route, hits ...messages.MemoryHit) memory.Found {
	return memory.Found{Route: r, Hits: hits}
}

func hit(id, text string, score float64) messages.MemoryHit {
	return messages.MemoryHit{Memory: messages.Memory{Conversation: "c", Event: said(id, text, false, 0)}, Score: score}
}

func ids(list []memory.Candidate) string {
	var names []string
	for _, c := range list {
		names = append(names, string(c.ID))
	}
	return strings.Join(names, " ")
}

// The lexical order leads, other routes add to it, and what only they found follows.
func TestMerge(t *testing.T) {
	lexical := found(memory.Lexical, hit("a", "x", 10), hit("b", "y", 5), hit("c", "z", 4.99))
	recent := found(memory.Recent, hit("c", "z", 1), hit("d", "w", 0.5))
	list := merge([]memory.Found{lexical, recent}, memory.Associative)
	if got := ids(list); got != "a c b d" {
		t.Errorf("Merge = %s, want a c b d: c was found twice", got)
	}
	if routes := list[1].Routes; len(routes) != 2 || routes[0].Route != memory.Lexical {
		t.Errorf("routes of c = %v, want both", routes)
	}
	if got := ids(merge([]memory.Found{recent}, memory.Associative)); got != "c d" {
		t.Errorf("Merge without the lexical route = %s, want c d", got)
	}
	if got := merge(nil, memory.AboutTime); len(got) != 0 {
		t.Errorf("Merge of nothing = %v", got)
	}
}

// Seats go by shares; the best of the lexical route and rare words keep theirs, and
// none stays empty.
func TestSeats(t *testing.T) {
	var lexical, recent, times []messages.MemoryHit
	for n := range 60 {
		lexical = append(lexical, hit(fmt.Sprint("l", n), fmt.Sprint("lexical ", n), float64(100-n)))
		recent = append(recent, hit(fmt.Sprint("r", n), fmt.Sprint("recent ", n), float64(100-n)))
		times = append(times, hit(fmt.Sprint("t", n), fmt.Sprint("time ", n), float64(100-n)))
	}
	lexical[59].Rare = true
	list := merge([]memory.Found{found(memory.Lexical, lexical...), found(memory.Recent, recent...),
		found(memory.InTime, times...)}, memory.AboutTime)
	count := map[byte]int{}
	for _, c := range list {
		count[c.ID[0]]++
	}
	if len(list) != 60 || count['t'] < 12 || count['r'] < 3 {
		t.Errorf("%d seats: %v, want 60, 12 of them at least by time and 3 by context", len(list), count)
	}
	for n := range 12 {
		if !slices.ContainsFunc(list, func(c memory.Candidate) bool { return c.ID == lexical[n].ID }) {
			t.Errorf("the lexical hit %d has no seat", n)
		}
	}
	if !slices.ContainsFunc(list, func(c memory.Candidate) bool { return c.Rare }) {
		t.Error("a hit with a rare word has no seat")
	}
	if got := len(merge([]memory.Found{found(memory.Lexical, append(lexical, lexical...)...)},
		memory.Associative)); got != 60 {
		t.Errorf("%d seats are taken by one route alone, want all", got)
	}
}

// TestShares: where every route finds plenty, each kind of result has the seats that are its share, so that
// the kinds whose scores are low are not crowded out. The last of them spares up to three seats for the
// best lexical results.
func TestShares(t *testing.T) {
	for mode, want := range map[memory.Mode]map[byte]int{
		memory.Associative: {'s': 12, 'b': 24, 'v': 9, 'r': 3, 'l': 3},
		memory.AboutTime:   {'s': 12, 'b': 18, 't': 9, 'v': 6, 'r': 3, 'l': 3},
	} {
		hits := func(kind string, score float64) (list []messages.MemoryHit) {
			for n := range 60 {
				list = append(list, hit(fmt.Sprint(kind, n), fmt.Sprint(kind, " ", n), score-float64(n)/1000))
			}
			return list
		}
		both := hits("b", 0.9)
		all := []memory.Found{found(memory.Lexical, append(hits("l", 1), both...)...),
			found(memory.Threads, both...), found(memory.States, hits("s", 0.5)...),
			found(memory.Vectors, hits("v", 0.7)...), found(memory.Recent, hits("r", 1)...)}
		if mode == memory.AboutTime {
			all = append(all, found(memory.InTime, hits("t", 1)...))
		}
		count := map[byte]int{}
		for _, c := range merge(all, mode) {
			count[c.ID[0]]++
		}
		for kind, least := range want {
			if count[kind] < least {
				t.Errorf("%s: %d seats for %c, want %d or more", mode, count[kind], kind, least)
			}
		}
	}
}

// TestRules: the numbers of a configuration say how many candidates there are and of which kinds, and how
// long each route may search.
func TestRules(t *testing.T) {
	r := memory.DefaultRules()
	r.Pack.Candidates, r.Pack.Associative.State = 20, 0.5
	var words, states []messages.MemoryHit
	for n := range 60 {
		words = append(words, hit(fmt.Sprint("l", n), fmt.Sprint("lexical ", n), 1-float64(n)/1000))
		states = append(states, hit(fmt.Sprint("s", n), fmt.Sprint("state ", n), 0.1))
	}
	list := r.Pack.Merge([]memory.Found{found(memory.Lexical, words...), found(memory.States, states...)},
		memory.Associative)
	if got := strings.Count(ids(list), "s"); len(list) != 20 || got != 8 {
		t.Errorf("%d candidates with %d states, want 20 with all 8 that the 12 best by words leave", len(list), got)
	}
	r.Routes.Links, r.Routes.Vectors = time.Second, time.Millisecond
	times := map[memory.Route]time.Duration{}
	for _, route := range r.Routes.List(true) {
		times[route.Route] = route.Time
	}
	if len(times) != 8 || times[memory.Links] != time.Second || times[memory.Vectors] != time.Millisecond ||
		len(r.Routes.List(false)) != 7 {
		t.Errorf("List = %v, want eight routes with their times", times)
	}
}

// Equal words of one side stand together but once; where words found them, their scores
// say so already.
func TestApart(t *testing.T) {
	other := hit("d", "OK", 2)
	other.Own, other.Speaker = true, "Ken"
	for route, want := range map[memory.Route]string{memory.Recent: "a c d b", memory.Lexical: "a b c d"} {
		list := merge([]memory.Found{found(route, hit("a", "ok", 5), hit("b", "ＯＫ ", 4), hit("c", "no", 3),
			other)}, memory.Associative)
		if got := ids(list); got != want {
			t.Errorf("Merge of what the route %s found = %s, want %s", route, got, want)
		}
	}
}

// A score says how well the best result fits, and falls from each result to the next.
func TestScores(t *testing.T) {
	best := func(covers float64, by memory.Route) memory.Candidate {
		h := hit("a", "ok", 5)
		h.Covers = covers
		list := merge([]memory.Found{found(by, h, hit("b", "ＯＫ", 4), hit("c", "no", 1))}, memory.Associative)
		if len(list) != 3 || list[1].Score > list[0].Score || list[2].Score > list[1].Score {
			t.Errorf("scores of %v do not fall", list)
		}
		return list[0]
	}
	all, half, none := best(1, memory.Lexical), best(0.5, memory.Lexical), best(0, memory.Lexical)
	if all.Score != 1 || half.Score != 0.5 || none.Score > 0.1 || none.Score <= 0 {
		t.Errorf("with all, half and none of the words %v, %v, %v, want 1, 0.5 and little", all.Score, half.Score,
			none.Score)
	}
	if got := best(0, memory.Vectors).Score; got < 0.5 {
		t.Errorf("by its meaning %v, want more than of words that are not there", got)
	}
}

// Events in the asker's context are not picked, except the best of all.
func TestPick(t *testing.T) {
	list := merge([]memory.Found{found(memory.Lexical, hit("a", "1", 5), hit("b", "2", 4), hit("c", "3", 3),
		hit("d", "4", 2))}, memory.Associative)
	for _, c := range []struct {
		context []messages.MessageID
		k       int
		want    string
	}{
		{nil, 2, "a b"}, {[]messages.MessageID{"b"}, 2, "a c"}, {[]messages.MessageID{"a", "b"}, 1, "a c"},
		{nil, 9, "a b c d"}, {nil, 0, ""},
	} {
		picked := memory.Pick(list, c.context, c.k)
		if got := ids(picked); got != c.want {
			t.Errorf("Pick(%d, without %v) = %s, want %s", c.k, c.context, got, c.want)
		}
		if len(c.context) == 2 && !picked[0].Context {
			t.Error("the best one is not marked as known")
		}
	}
}

func TestKeys(t *testing.T) {
	if k := memory.Key("line:Hana said so"); len(k) != 24 || strings.Contains(k, "ana") || k == memory.Key("other") {
		t.Errorf("Key = %q, want 24 letters that tell nothing", k)
	}
}

// TestAsked: a question asks for the topics of the person it is about, and for no others.
func TestAsked(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"私、どこに住んでるって言った？", "fact Hana home; fact Hana address"},
		{"あなたはどこで働いてるの？", "fact  work"},
		{"Where does Hana live?", "fact Hana home; fact Hana address"},
		{"What is my sister called?", "relation Hana sister; fact Hana sister"},
		{"妹の誕生日は？", "fact Hana birthday; fact  birthday; fact Hana 誕生日; fact  誕生日; " +
			"fact Hana 妹の誕生日; fact  妹の誕生日; relation Hana 妹; relation  妹; fact Hana 妹; fact  妹"},
		{"When is my birthday?", "fact Hana birthday; fact Hana 誕生日"},
		{"What is your job?", "fact  work"},
		{"待ち合わせ場所はどこ？", "fact Hana 待ち合わせ場所; fact  待ち合わせ場所"},
		{"駅で何があった？", ""},
		{"😀", ""},
		{strings.Repeat("あ", 100_000), ""},
	} {
		var got []string
		for _, topic := range memory.Asked(c.question, []string{"Hana"}) {
			got = append(got, fmt.Sprint(topic.Kind, " ", string(topic.Subject), " ", string(topic.Name)))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("Asked(%.40q) = %q, want %q", c.question, got, c.want)
		}
	}
	if !memory.Earlier("前はどこに住んでた？") || !memory.Earlier("Where did she live before?") || memory.Earlier("駅前は？") ||
		memory.Earlier("今どこ？") {
		t.Error("Earlier is wrong about a question")
	}
}

// TestUnrelated bounds what is kept apart, and compares questions by their words.
func TestUnrelated(t *testing.T) {
	var u memory.Unrelated
	for i := range 600 {
		u = u.With(memory.Apart{ID: messages.MessageID(fmt.Sprint("m", i)), Cue: memory.CueOf("the lighthouse keeper")})
	}
	if n := len(u.To("Who was the lighthouse keeper?")); n != 500 {
		t.Errorf("%d events are kept apart, want the newest 500", n)
	}
	for _, other := range []string{"", "the", "Who rowed across the lake with the keeper of bees?", "灯台"} {
		if got := u.To(other); len(got) > 0 {
			t.Errorf("%d events are kept apart from %q", len(got), other)
		}
	}
}

// The nearest by meaning come before what few words found, and the best by words stays
// first. Many of them take a share of the seats only, and none of them leaves all to the rest.
func TestMergesMeaning(t *testing.T) {
	list := merge([]memory.Found{
		found(memory.Lexical, hit("words", "a", 10), hit("few", "b", 2)),
		found(memory.Vectors, hit("near", "c", 0.9), hit("less", "d", 0.8), hit("few", "b", 0.7)),
	}, memory.Associative)
	if got := ids(list); got != "words near less few" {
		t.Errorf("Merge() = %s, want the nearest between", got)
	}
	var near, recent []messages.MemoryHit
	for i := range 60 {
		near = append(near, hit(fmt.Sprint("v", i), fmt.Sprint("near ", i), 1-float64(i)/100))
		recent = append(recent, hit(fmt.Sprint("r", i), fmt.Sprint("recent ", i), 1))
	}
	for mode, want := range map[memory.Mode]int{memory.Associative: 9, memory.AboutTime: 6} {
		list := merge([]memory.Found{found(memory.Recent, recent...), found(memory.Vectors, near...),
			found(memory.Lexical, many("l", 60)...)}, mode)
		alone := 0
		for _, c := range list {
			if c.Routes[0].Route == memory.Vectors {
				alone++
			}
		}
		if len(list) != 60 || alone < want || alone > 40 {
			t.Errorf("%s: %d of %d candidates by meaning alone, want %d or a few more", mode, alone, len(list), want)
		}
		if list = merge([]memory.Found{found(memory.Recent, recent...)}, mode); len(list) != 60 {
			t.Errorf("%s: %d candidates without vectors, want 60", mode, len(list))
		}
	}
}

func many(name string, n int) (list []messages.MemoryHit) {
	for i := range n {
		list = append(list, hit(fmt.Sprint(name, i), fmt.Sprint(name, " text ", i), float64(n-i)))
	}
	return list
}

// The pauses between tries grow up to half an hour.
func TestPauses(t *testing.T) {
	for tries, want := range map[int]time.Duration{1: 10 * time.Second, 2: 20 * time.Second, 5: 160 * time.Second,
		9: 30 * time.Minute, 1 << 30: 30 * time.Minute} {
		if got := (memory.Embedding{Tries: tries}).Pause(); got != want {
			t.Errorf("Pause(after %d) = %s, want %s", tries, got, want)
		}
	}
}
