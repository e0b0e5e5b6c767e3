package recall_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
)

// shelf holds the events of a test.
type shelf struct {
	mu      sync.Mutex
	rows    map[messages.ConversationID]map[messages.MessageID]memory.Event
	talks   map[messages.ConversationID]memory.Talk
	changes map[messages.ConversationID]map[uint64]memory.Change
	topics  map[string]memory.Topic // by conversation and key
	named   []memory.Entity
	apart   memory.Unrelated
	vectors []memory.Vector // of c-1
	kept    uint64          // how often there were some
	read    int             // events that were read
}

// learn has topics of a conversation.
func (s *shelf) learn(c messages.ConversationID, list ...memory.Topic) {
	s.topics = map[string]memory.Topic{}
	for _, t := range list {
		s.topics[string(c)+t.Key()] = t
	}
}

func (s *shelf) Named(_ messages.ConversationID, id messages.MessageID) (list []memory.Entity, err error) {
	for _, n := range s.named {
		if slices.Contains(n.Events, id) {
			list = append(list, n)
		}
	}
	return list, nil
}

func (s *shelf) About(c messages.ConversationID, _ time.Time) ([]messages.Known, error) {
	return []messages.Known{{Speaker: "Hana", Text: "likes: tea"}, {Text: "earlier: of " + messages.Text(c)}}, nil
}

func (s *shelf) Unrelated(messages.ConversationID) (memory.Unrelated, error) { return s.apart, nil }

func (s *shelf) Topic(c messages.ConversationID, key string) (memory.Topic, error) {
	return s.topics[string(c)+key], nil
}

func (s *shelf) Rests(c messages.ConversationID, id messages.MessageID) (keys []string, err error) {
	for at, t := range s.topics {
		if key, ok := strings.CutPrefix(at, string(c)); ok &&
			slices.ContainsFunc(t.Claims, func(claim memory.Claim) bool { return claim.Event == id }) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func (s *shelf) Vectors(_ context.Context, c messages.ConversationID,
	yield func(messages.ConversationID, memory.Vector) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.vectors {
		if err := yield("c-1", v); err != nil || c != "" && c != "c-1" {
			return err
		}
	}
	return nil
}

func (s *shelf) Embedding(messages.ConversationID) (memory.Embedding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return memory.Embedding{Kept: s.kept}, nil
}

func newShelf() *shelf {
	return &shelf{rows: map[messages.ConversationID]map[messages.MessageID]memory.Event{},
		talks:   map[messages.ConversationID]memory.Talk{},
		changes: map[messages.ConversationID]map[uint64]memory.Change{}}
}

// moved notes a change, as the actor does.
func (s *shelf) moved(c messages.ConversationID, list []messages.Event) {
	t, change := s.talks[c].Changed(list, morning)
	if s.changes[c] == nil {
		s.changes[c] = map[uint64]memory.Change{}
	}
	s.talks[c], s.changes[c][t.Changes] = t, change
	delete(s.changes[c], t.Changes-memory.KeptChanges)
}

// at returns what is published after a change.
func (s *shelf) at(c messages.ConversationID) messages.MemoryAt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return messages.MemoryAt{Conversation: c, Changes: s.talks[c].Changes, Print: s.talks[c].Print}
}

func (s *shelf) Talks(ctx context.Context, yield func(messages.ConversationID, memory.Talk) error) error {
	s.mu.Lock()
	talks := maps.Clone(s.talks)
	s.mu.Unlock()
	for c, t := range talks {
		if err := yield(c, t); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *shelf) Talk(c messages.ConversationID) (memory.Talk, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.talks[c]
	return t, ok, nil
}

func (s *shelf) Change(c messages.ConversationID, n uint64) (memory.Change, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change, ok := s.changes[c][n]
	return change, ok, nil
}

func (s *shelf) put(c messages.ConversationID, list ...messages.Event) messages.EventsKept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows[c] == nil {
		s.rows[c] = map[messages.MessageID]memory.Event{}
	}
	for _, m := range list {
		s.rows[c][m.ID], s.talks[c] = s.talks[c].Next(m, "", m.At)
	}
	s.moved(c, list)
	return messages.EventsKept{Conversation: c, Events: list}
}

func (s *shelf) Event(c messages.ConversationID, id messages.MessageID) (memory.Event, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.rows[c][id]
	s.read++
	return e, ok, nil
}

func (s *shelf) Events(
	ctx context.Context, of messages.ConversationID, yield func(messages.ConversationID, memory.Event) error,
) error {
	s.mu.Lock()
	rows := map[messages.ConversationID][]memory.Event{}
	for c, list := range s.rows {
		if of == "" || c == of {
			rows[c] = slices.Collect(maps.Values(list))
			s.read += len(list)
		}
	}
	s.mu.Unlock()
	for c, list := range rows {
		for _, e := range list {
			if err := yield(c, e); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func open(s *shelf) *recall.Library {
	l := recall.NewLibrary(time.UTC)
	l.Open(s)
	return l
}

func ask(t *testing.T, l *recall.Library, route memory.Route, q recall.Query) (texts []string) {
	t.Helper()
	if q.At.IsZero() {
		q.At = morning.AddDate(1, 0, 0)
	}
	if q.Scope.Conversations == nil && !q.Scope.Owner {
		q.Scope = recall.ScopeOf(q.Conversation, false, recall.ShareConversation, false, nil)
	}
	hits, err := l.Search(context.Background(), route, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		texts = append(texts, string(h.Text))
	}
	return texts
}

func told() *shelf {
	s := newShelf()
	s.put("c-1", event("m1", "I finally adopted a beagle puppy", 0), own("own:1", "What is the name?", 1),
		event("m2", "Sputnik. It took us all evening.", 2))
	s.put("c-1", event("m0", "", 3), event("m3", "The harbour race is on Sunday", 4*24*60),
		own("own:2", "I will come along", 4*24*60+1))
	return s
}

// Each route finds what it is meant to find.
func TestRoutes(t *testing.T) {
	l := open(told())
	for _, c := range []struct {
		route memory.Route
		text  string
		want  string
	}{
		{memory.Recent, "anything", "I will come along"},
		{memory.Lexical, "What is the beagle puppy called?", "I finally adopted a beagle puppy"},
		{memory.Chain, "anything", "I will come along; The harbour race is on Sunday"},
		{memory.Threads, "beagle", "I finally adopted a beagle puppy; What is the name?; Sputnik"},
		{memory.Links, "beagle", "What is the name?"},
		{memory.InTime, "what happened on March 6, 2026?", "The harbour race is on Sunday; I will come along"},
		{memory.InTime, "what happened?", ""},
	} {
		got := strings.Join(ask(t, l, c.route, recall.Query{Conversation: "c-1", Text: c.text}), "; ")
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s(%q) = %q, want it to begin with %q", c.route, c.text, got, c.want)
		}
	}
	s := told()
	s.put("c-1", event("m4", "Dario has moved to the coast", 9*24*60), event("m5", "We met him there", 9*24*60+1))
	s.named = []memory.Entity{{Type: "person", Name: "Dario", Events: []messages.MessageID{"m1", "m4", "gone"}}}
	if got := ask(t, open(s), memory.Links, recall.Query{Conversation: "c-1", Text: "beagle"}); !slices.Contains(got,
		"Dario has moved to the coast") {
		t.Errorf("links = %q, want what names the same person as the best hit", got)
	}
	s = told()
	s.apart = s.apart.With(memory.Apart{Conversation: "c-1", ID: "m1", Cue: memory.CueOf("the beagle puppy"), Run: "r"})
	l = open(s)
	for _, r := range memory.Routes() {
		got := ask(t, l, r.Route, recall.Query{Conversation: "c-1", Text: "Which beagle puppy?"})
		if slices.Contains(got, "I finally adopted a beagle puppy") {
			t.Errorf("%s finds what is kept apart from the question", r.Route)
		}
	}
	if got := ask(t, l, memory.Lexical, recall.Query{Conversation: "c-1", Text: "What was adopted?"}); len(got) == 0 ||
		got[0] != "I finally adopted a beagle puppy" {
		t.Errorf("another question finds %q, want what is kept apart from the first", got)
	}
	if _, err := l.Search(context.Background(), "astral", recall.Query{}); err == nil {
		t.Error("an unknown route found something")
	}
}

// The routes of a recall share what they find out, but who asks the same again at the same
// moment finds what came meanwhile, and nothing that went.
func TestAskedAgain(t *testing.T) {
	s := told()
	l := open(s)
	asked := func(want int, when string) {
		t.Helper()
		for _, route := range []memory.Route{memory.Threads, memory.Lexical} {
			got := ask(t, l, route, recall.Query{Conversation: "c-1", Text: "Where is the piano?"})
			n := len(slices.DeleteFunc(got, func(text string) bool { return !strings.Contains(text, "piano") }))
			if n != want {
				t.Errorf("%s: %s found %d of the piano, want %d", when, route, n, want)
			}
		}
	}
	asked(0, "before it is told")
	l.Hear(s.put("c-1", event("m7", "the piano is in the cellar", 5*24*60)))
	asked(1, "told")
	l.Hear(s.put("c-1", event("m8", "the other piano is at my aunt's", 9*24*60)))
	asked(2, "told again")
	delete(s.rows["c-1"], "m7")
	l.Hear(messages.EventsGone{Conversation: "c-1", IDs: []messages.MessageID{"m7"}})
	asked(1, "taken back")
	delete(s.rows, "c-1")
	delete(s.talks, "c-1")
	l.Forget("c-1")
	asked(0, "forgotten")
}

// A message as long as a book does not take the time of the route that finds it.
func TestLongMessage(t *testing.T) {
	asked := func(text string) float64 {
		s := told()
		s.put("c-1", event("long", text, 5))
		l := open(s)
		return testing.AllocsPerRun(3, func() {
			got := ask(t, l, memory.Lexical, recall.Query{Conversation: "c-1", Text: "Where is the beagle?"})
			if !slices.Contains(got, text) {
				t.Errorf("the message is not among the %d that were found", len(got))
			}
		})
	}
	of := func(size int) float64 { return asked("a beagle" + strings.Repeat(" and a word", size/11)) }
	if page, book := of(8<<10), of(1<<20-100); book > 2*page {
		t.Errorf("a question allocates %.0f times beside a message of 1 MB, %.0f beside one of 8 kB", book, page)
	}
}

// Facts that are told unasked come with the route of states, from each conversation that is
// seen, and from no other.
func TestAbout(t *testing.T) {
	of := func(group bool) []messages.Known {
		worker, err := recall.NewWorker(open(told()), func(c messages.ConversationID, group bool) recall.Scope {
			return recall.ScopeOf(c, group, recall.SharePerson, true, []messages.ConversationID{"c-3"})
		})()
		if err != nil {
			t.Fatal(err)
		}
		var about []messages.Known
		for _, r := range memory.Routes() {
			found, err := worker.Do(t.Context(), messages.SearchMemory{Route: string(r.Route), Key: "k",
				Conversation: "c-1", Text: "tea", Group: group, At: morning.AddDate(0, 1, 0)})
			if err != nil {
				t.Fatal(err)
			}
			about = append(about, found.(messages.MemoryFound).About...)
		}
		return about
	}
	likes, here := messages.Known{Speaker: "Hana", Text: "likes: tea"}, messages.Known{Text: "earlier: of c-1"}
	if got := of(true); !slices.Equal(got, []messages.Known{likes, here}) {
		t.Errorf("a group is told %v, want what is known here", got)
	}
	if got := of(false); !slices.Equal(got, []messages.Known{likes, here, {Text: "earlier: of c-3"}}) {
		t.Errorf("told %v, want what is known of the same person elsewhere too, once", got)
	}
}

// A stage of life is a time too: events about it are found, in any words.
func TestLifeRoute(t *testing.T) {
	s := newShelf()
	s.put("c-1", event("m1", "高校の先生に会った", 0), event("m2", "高校時代はずっと吹奏楽部", 9*24*60),
		event("m3", "as a student I rowed every morning", 19*24*60))
	l := open(s)
	for text, want := range map[string]string{
		"高校のとき何部だった？":                                "as a student I rowed every morning; 高校時代はずっと吹奏楽部",
		"what did you play when you were at school?": "as a student I rowed every morning; 高校時代はずっと吹奏楽部",
		"幼稚園の頃は？":                                    "",
		"高校の先生は？":                                    "",
	} {
		got := ask(t, l, memory.InTime, recall.Query{Conversation: "c-1", Text: text})
		slices.Sort(got)
		if strings.Join(got, "; ") != want {
			t.Errorf("time(%q) = %q, want %q", text, got, want)
		}
	}
}

// No route finds the message to answer, or what came later.
func TestLeavesOut(t *testing.T) {
	l := open(told())
	for _, r := range memory.Routes() {
		q := recall.Query{Conversation: "c-1", Text: "beagle puppy on March 2, 2026", At: morning.Add(90 * time.Second),
			Except: []messages.MessageID{"m1"}}
		for _, text := range ask(t, l, r.Route, q) {
			if text != "What is the name?" {
				t.Errorf("%s found %q, want neither what is asked nor what came later", r.Route, text)
			}
		}
	}
}

// TestExpansionIsBounded: of the best twelve, five names are followed, to eight messages in all; other
// numbers bound it otherwise.
func TestExpansionIsBounded(t *testing.T) {
	s := newShelf()
	for n := range 20 { // each names somebody, whom two others name
		id := fmt.Sprint("seed", n)
		s.put("c-1", event(id, fmt.Sprintf("the lighthouse, part %d", n), n))
		s.named = append(s.named, memory.Entity{Name: messages.Text(fmt.Sprint("N", n)),
			Events: []messages.MessageID{messages.MessageID(id)}})
	}
	for n := range 40 {
		id, who := fmt.Sprint("more", n), &s.named[n/2]
		s.put("c-1", event(id, fmt.Sprint("something of ", n), 1000+100*n))
		who.Events = append(who.Events, messages.MessageID(id))
	}
	few := memory.DefaultRules().Pack
	for _, c := range []struct{ seeds, names, added, want int }{
		{few.Seeds, few.Names, few.Added, 8}, {few.Seeds, few.Names, 60, 10}, {few.Seeds, 60, 60, 24},
		{12, 2, 8, 4}, {12, 5, 3, 3}, {1, 5, 8, 2}, {0, 5, 8, 0},
	} {
		l, r := open(s), memory.DefaultRules()
		r.Pack.Seeds, r.Pack.Names, r.Pack.Added = c.seeds, c.names, c.added
		l.Set(r)
		more := 0
		for _, text := range ask(t, l, memory.Links, recall.Query{Conversation: "c-1", Text: "lighthouse"}) {
			if strings.HasPrefix(text, "something") {
				more++
			}
		}
		if more != c.want {
			t.Errorf("of %d messages %d names lead to %d more, want %d", c.seeds, c.names, more, c.want)
		}
	}
}

// No route finds what was said elsewhere, unless the owner allows it; what our own side
// said elsewhere is found only if that is shared.
func TestScopes(t *testing.T) {
	s := told()
	s.put("c-2", event("x1", "canary: the beagle puppy of a stranger", 3), own("own:1", "own canary about a beagle", 4))
	s.put("c-3", event("y1", "linked: the beagle puppy elsewhere", 5))
	l := open(s)
	if _, err := l.Load(context.Background()); err != nil {
		t.Fatal(err)
	}
	seen := func(scope recall.Scope) string {
		var found []string
		for _, r := range memory.Routes() {
			hits, err := l.Search(context.Background(), r.Route, recall.Query{Conversation: "c-1", Scope: scope,
				Text: "the beagle puppy on March 2, 2026", At: morning.AddDate(0, 1, 0)})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				word, _, _ := strings.Cut(string(h.Text), " ")
				if h.Conversation != "c-1" && !slices.Contains(found, word) {
					found = append(found, word)
				}
			}
		}
		slices.Sort(found)
		return strings.Join(found, " ")
	}
	linked := []messages.ConversationID{"c-3"}
	for _, c := range []struct {
		group bool
		share recall.Share
		owner bool
		want  string
	}{
		{false, recall.ShareConversation, false, ""},
		{false, recall.SharePerson, false, "linked:"},
		{false, recall.SharePerson, true, "linked: own"},
		{false, recall.ShareConversation, true, "own"},
		{false, recall.ShareAll, false, "canary: linked: own"},
		{true, recall.ShareAll, true, ""},
		{true, recall.SharePerson, true, ""},
	} {
		scope := recall.ScopeOf("c-1", c.group, c.share, c.owner, linked)
		if got := seen(scope); got != c.want {
			t.Errorf("share %s, owner %v, group %v: found %q of elsewhere, want %q", c.share, c.owner, c.group, got,
				c.want)
		}
		scope.Apart = func(id messages.ConversationID) bool { return id != "c-1" }
		if got := seen(scope); got != "" {
			t.Errorf("share %s, owner %v: found %q of what is apart", c.share, c.owner, got)
		}
	}
}

// An announced event is found at once, even before the rows are read. One that is announced
// while they are being read is newer than they are.
func TestHears(t *testing.T) {
	s := told()
	l := open(s)
	l.Hear(s.put("c-1", event("m2", "Laika. We changed our minds.", 2)))
	l.Hear(messages.EventsGone{Conversation: "c-1", IDs: []messages.MessageID{"m1"}})
	if n, err := l.Load(context.Background()); err != nil || n != 5 {
		t.Fatalf("Load = %d, %v, want 5 of 6 events", n, err)
	}
	if got := ask(t, l, memory.Lexical, recall.Query{Conversation: "c-1", Text: "Laika"}); got[0] !=
		"Laika. We changed our minds." {
		t.Errorf("found %q, want the newer text first", got)
	}
	l.Forget("c-1")
	if n, all := l.Len(); n != 0 || !all {
		t.Errorf("%d events are left of a conversation that was forgotten, all %v", n, all)
	}
}

// A stored event is found before it is announced, and once.
func TestFindsBeforeItHears(t *testing.T) {
	s := told()
	l := open(s)
	if _, err := l.Load(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []messages.ConversationID{"c-1", "c-new"} {
		kept := s.put(c, event("m9", "The zeppelin lands at noon.", 9))
		for range 2 { // before and after
			got := ask(t, l, memory.Lexical, recall.Query{Conversation: c, Text: "When does the zeppelin land?"})
			const want = "The zeppelin lands at noon."
			if len(got) == 0 || got[0] != want || slices.Contains(got[1:], want) {
				t.Errorf("%s: found %q, want %q first, and once", c, got, want)
			}
			l.Hear(kept)
			l.Hear(s.at(c))
		}
	}
}

// Questions and changes at the same time.
func TestBesideEachOther(t *testing.T) {
	s := told()
	l := open(s)
	var wg sync.WaitGroup
	for reader := range 4 {
		wg.Go(func() {
			for range 50 {
				route := memory.Routes()[reader].Route
				_, err := l.Search(context.Background(), route, recall.Query{Conversation: "c-1", Text: "beagle",
					Scope: recall.ScopeOf("c-1", false, "", false, nil), At: morning.AddDate(1, 0, 0)})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		if _, err := l.Load(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for n := range 200 {
		l.Hear(s.put("c-2", event(fmt.Sprint("n", n), "beagle", n)))
		if n == 100 {
			l.Forget("c-9")
		}
	}
	wg.Wait()
	if n, _ := l.Len(); n != 206 {
		t.Errorf("%d events, want 206", n)
	}
}

// slowly is a shelf that holds its rows back until released.
type slowly struct {
	*shelf
	gone chan struct{}
}

func (s slowly) Events(
	ctx context.Context, c messages.ConversationID, yield func(messages.ConversationID, memory.Event) error,
) error {
	select {
	case <-s.gone:
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.shelf.Events(ctx, c, yield)
}

// Rows that take longer than a question continue to be read, and the next question finds
// them; closing ends the reading.
func TestRowsThatTakeLong(t *testing.T) {
	rows := slowly{told(), make(chan struct{})}
	l := recall.NewLibrary(time.UTC)
	l.Open(rows)
	q := recall.Query{Conversation: "c-1", Text: "beagle", Scope: recall.ScopeOf("c-1", false, "", false, nil),
		At: morning.AddDate(1, 0, 0)}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Search(ctx, memory.Lexical, q); !errors.Is(err, context.Canceled) {
		t.Errorf("Search = %v, want that its time is over", err)
	}
	close(rows.gone)
	if hits, err := l.Search(context.Background(), memory.Lexical, q); err != nil || len(hits) == 0 {
		t.Errorf("Search = %d hits, %v, want what was read meanwhile", len(hits), err)
	}
	l.Close()
	if _, err := l.Search(context.Background(), memory.Lexical, q); !errors.Is(err, recall.ErrNoRows) {
		t.Errorf("Search = %v, want ErrNoRows after Close", err)
	}

	stuck := recall.NewLibrary(time.UTC)
	stuck.Open(slowly{told(), make(chan struct{})})
	if _, err := stuck.Search(ctx, memory.Lexical, q); err == nil {
		t.Error("Search = nil, want an error")
	}
	stuck.Close() // returns
}

// What another node of a cluster has stored, or taken back, is read when everything is asked: nobody
// has told of it here.
func TestWhatAnotherNodeStores(t *testing.T) {
	s := told()
	l := open(s)
	if _, err := l.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := func() (texts []string) {
		t.Helper()
		if err := l.Have(t.Context(), recall.Scope{}); err != nil {
			t.Fatal(err)
		}
		q := recall.Query{Text: "Which ferry?", At: morning.AddDate(1, 0, 0)}
		hits, err := l.Search(t.Context(), memory.Lexical, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if strings.Contains(string(h.Text), "ferry") {
				texts = append(texts, string(h.Text))
			}
		}
		slices.Sort(texts)
		return texts
	}
	s.put("c-1", event("f1", "The ferry was late", 5*24*60))
	s.put("c-2", event("f2", "A ferry leaves at nine", 0))
	if got, want := found(), []string{"A ferry leaves at nine", "The ferry was late"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	s.mu.Lock()
	delete(s.rows["c-1"], "f1")
	s.moved("c-1", []messages.Event{{ID: "f1"}})
	s.mu.Unlock()
	if got, want := found(), []string{"A ferry leaves at nine"}; !slices.Equal(got, want) {
		t.Errorf("after one was taken back: found %q, want %q", got, want)
	}
}

// There is no answer without rows, nor with a context that has ended.
func TestSearchErrors(t *testing.T) {
	l := recall.NewLibrary(time.UTC)
	scope := recall.ScopeOf("c-1", false, "", false, nil)
	if _, err := l.Search(context.Background(), memory.Recent, recall.Query{Scope: scope}); !errors.Is(err,
		recall.ErrNoRows) {
		t.Errorf("Search = %v, want ErrNoRows", err)
	}
	l.Open(told())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Search(ctx, memory.Recent, recall.Query{Scope: scope}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search = %v, want that it was cancelled", err)
	}
	create := recall.NewWorker(l, nil)
	w, err := create()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := w.Do(context.Background(), messages.SearchMemory{Route: "lexical", Key: "k", Conversation: "c-1",
		Text: "beagle", At: morning.AddDate(1, 0, 0)})
	if found, ok := answer.(messages.MemoryFound); err != nil || !ok || found.Key != "k" || len(found.Hits) == 0 ||
		found.Hits[0].Covers != 1 {
		t.Errorf("Do = %+v, %v, want what is found of all words", answer, err)
	}
	if _, err := w.Do(context.Background(), messages.Started{}); err == nil {
		t.Error("a worker took another message")
	}
}
