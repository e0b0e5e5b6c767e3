package lexical

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// plain is the reference: documents in a slice, searched one by one.
type plain struct {
	docs []plainDoc
}

type plainDoc struct {
	Document
	counts map[Key]uint8
	length float64
	dead   bool
}

func (p *plain) add(d Document) {
	for i := range p.docs {
		if old := &p.docs[i]; old.ID == d.ID && !old.dead {
			if old.Document == d {
				return
			}
			old.dead = true
		}
	}
	n := plainDoc{Document: d, counts: map[Key]uint8{}}
	for _, t := range Terms(d.Text) {
		n.counts[t.Key]++
		if t.Kind == Word || t.Kind == Pair {
			n.length++
		}
	}
	p.docs = append(p.docs, n)
}

func (p *plain) remove(id string) (was bool) {
	for i := range p.docs {
		if d := &p.docs[i]; d.ID == id && !d.dead {
			d.dead, was = true, true
		}
	}
	return was
}

// search scores with the figures of the scope, or of everything if it is wide.
func (p *plain) search(q Query, wide bool) (ids []string, scores []float64) {
	in := func(d plainDoc) bool {
		return !d.dead && (q.Scope.Conversations == nil || slices.Contains(q.Scope.Conversations, d.Conversation)) &&
			(q.Scope.Before.IsZero() || d.At.Before(q.Scope.Before)) && !slices.Contains(q.Scope.Except, d.ID)
	}
	n, total, found := 0, 0.0, map[Key]int{}
	for _, d := range p.docs {
		if wide || in(d) {
			n++
			total += d.length
			for _, t := range q.Terms {
				if d.counts[t.Key] > 0 {
					found[t.Key]++
				}
			}
		}
	}
	type hit struct {
		id    string
		score float64
		at    int
	}
	var hits []hit
	for at, d := range p.docs {
		score, any := 0.0, false
		for _, t := range q.Terms {
			if c := d.counts[t.Key]; c > 0 {
				any = true
				idf := math.Log(1 + (float64(n-found[t.Key])+0.5)/(float64(found[t.Key])+0.5))
				score += t.Weight * idf * float64(c) * 2.2 / (float64(c) + 1.2*(0.5+0.5*d.length/(total/float64(n))))
			}
		}
		if any && in(d) {
			hits = append(hits, hit{d.ID, score, at})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
	})
	for _, h := range hits[:min(q.K, len(hits))] {
		ids, scores = append(ids, h.id), append(scores, h.score)
	}
	return ids, scores
}

// words of the made-up events; the first ones are frequent.
var vocabulary = strings.Fields(`the to hiking Anna coffee tea paint 旅行 京都 猫 コーヒー 犬 寿司 誕生日 仕事 school dog
	piano 🎉 mountain rain 海 雨 garden 図書館 museum violin 転職 引っ越し budget`)

func sentence(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(8) {
		w := vocabulary[int(float64(len(vocabulary))*math.Pow(r.Float64(), 2))]
		b.WriteString(w)
		if r.IntN(3) > 0 {
			b.WriteString(" ")
		}
	}
	return b.String()
}

func someQuery(r *rand.Rand, first time.Time) Query {
	q := Query{K: 1 + r.IntN(12)}
	seen := map[Key]bool{}
	for _, t := range Terms(sentence(r)) {
		if !seen[t.Key] && len(q.Terms) < 6 {
			seen[t.Key] = true
			q.Terms = append(q.Terms, Weighted{t.Key, 0.5 + r.Float64()})
		}
	}
	if r.IntN(2) == 0 {
		for range r.IntN(4) {
			q.Scope.Conversations = append(q.Scope.Conversations, fmt.Sprint("c", r.IntN(12)))
		}
		if q.Scope.Conversations == nil {
			q.Scope.Conversations = []string{}
		}
	}
	if r.IntN(4) == 0 {
		q.Scope.Before = first.Add(time.Duration(r.IntN(1000)) * time.Minute)
	}
	if r.IntN(4) == 0 {
		q.Scope.Except = []string{fmt.Sprint("e", r.IntN(100))}
	}
	return q
}

// TestAgainstReference adds, changes, removes, snapshots, compacts and searches, and
// compares every answer with a plain search.
func TestAgainstReference(t *testing.T) {
	operations := 100_000
	if testing.Short() {
		operations = 10_000
	}
	const round = 1000 // operations until both begin anew, so that the reference stays quick
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for seed := range operations / round {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		x, p := New(), &plain{}
		x.narrow = []int{0, 50, narrowScope}[r.IntN(3)]
		for op := range round {
			switch n := r.IntN(100); {
			case n < 60:
				d := Document{ID: fmt.Sprint("e", r.IntN(300)), Conversation: fmt.Sprint("c", r.IntN(10)),
					Speaker: "anna", At: first.Add(time.Duration(r.IntN(1000)) * time.Minute), Text: sentence(r)}
				if _, err := x.Add(d); err != nil {
					t.Fatal(err)
				}
				p.add(d)
			case n < 66:
				id := fmt.Sprint("e", r.IntN(300))
				if got, want := x.Remove(id), p.remove(id); got != want {
					t.Fatalf("seed %d, %d: Remove(%s) = %v, want %v", seed, op, id, got, want)
				}
			case n == 66:
				x = restored(t, x)
			case n == 67 && x.Removed() > 100:
				x = compacted(x)
				p.docs = slices.DeleteFunc(p.docs, func(d plainDoc) bool { return d.dead })
			default:
				compare(t, x, p, someQuery(r, first), fmt.Sprintf("seed %d, %d", seed, op))
			}
		}
	}
}

func compacted(x *Index) *Index {
	y := x.Compact()
	y.narrow = x.narrow
	return y
}

func restored(t *testing.T, x *Index) *Index {
	t.Helper()
	y, mark, err := Restore(x.Snapshot(42))
	if err != nil || mark != 42 || y.Len() != x.Len() || y.Removed() != x.Removed() {
		t.Fatalf("Restore() = %v, %d, %v, want 42 and %d events", y, mark, err, x.Len())
	}
	y.narrow = x.narrow
	return y
}

func compare(t *testing.T, x *Index, p *plain, q Query, where string) {
	t.Helper()
	v := x.view(q.Scope)
	_, narrow := v.docs()
	want, scores := p.search(q, !narrow)
	got := x.Search(q)
	if len(got) != len(want) {
		t.Fatalf("%s: Search(%+v) = %d hits, want %d", where, q, len(got), len(want))
	}
	for i, h := range got {
		// Equal scores may come in another order when their sums were rounded otherwise.
		if math.Abs(h.Score-scores[i]) > 1e-9 {
			t.Fatalf("%s: Search(%+v)[%d] = %v %s, want %v %s", where, q, i, h.Score, x.Entry(h.Doc).ID, scores[i],
				want[i])
		}
	}
}

// TestPrunedAgreesWithExhaustive compares searches that leave out what cannot be among the best
// with a look at every document, in lists of many blocks.
func TestPrunedAgreesWithExhaustive(t *testing.T) {
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := rand.New(rand.NewPCG(5, 7))
	x := New()
	x.narrow = 0
	events, queries := 10_000, 1000
	if testing.Short() {
		events, queries = 4_000, 100
	}
	for n := range events {
		d := event(n, sentence(r))
		d.Conversation, d.At = fmt.Sprint("c", r.IntN(10)), first.Add(time.Duration(r.IntN(1000))*time.Minute)
		if n%50 == 0 {
			d.Text = strings.Repeat(d.Text+" ", 1+r.IntN(40))
		}
		add(t, x, d)
	}
	for range events / 10 {
		x.Remove(fmt.Sprint("e", r.IntN(events)))
	}
	for n := range queries {
		q := someQuery(r, first)
		q.K = 1 + r.IntN(100)
		v := x.view(q.Scope)
		got := v.walk(q.Terms, q.K)
		var all []Doc
		for d := range v.limit {
			if v.sees(d) {
				all = append(all, d)
			}
		}
		m := v.among(q.Terms, all)
		want, exact := x.Best(m, q.Terms, len(all)), map[Doc]float64{}
		for _, h := range want {
			exact[h.Doc] = h.Score
		}
		if len(got) != min(q.K, len(want)) {
			t.Fatalf("query %d: walk(%+v) = %d hits, want %d", n, q, len(got), min(q.K, len(want)))
		}
		for i, h := range got {
			// Equal scores may come in another order when their sums were rounded otherwise.
			if math.Abs(h.Score-want[i].Score) > 1e-9 || math.Abs(h.Score-exact[h.Doc]) > 1e-9 {
				t.Fatalf("query %d: walk(%+v)[%d] = %v of exactly %v, want %v", n, q, i, h, exact[h.Doc], want[i])
			}
			delete(exact, h.Doc)
		}
	}
}

func event(n int, text string) Document {
	return Document{ID: fmt.Sprint("e", n), Conversation: "c", Speaker: "hana", At: time.Unix(int64(n), 0), Text: text}
}

func add(t testing.TB, x *Index, docs ...Document) {
	t.Helper()
	for _, d := range docs {
		if _, err := x.Add(d); err != nil {
			t.Fatal(err)
		}
	}
}

// found are the ids that a text finds.
func found(x *Index, text string, s Scope) string {
	q := Query{Scope: s, K: 20}
	for _, term := range Terms(text) {
		q.Terms = append(q.Terms, Weighted{term.Key, 1})
	}
	var ids []string
	for _, h := range x.Search(q) {
		ids = append(ids, x.Entry(h.Doc).ID)
	}
	return strings.Join(ids, " ")
}

func TestAddReplacesAndIsIdempotent(t *testing.T) {
	x := New()
	add(t, x, event(1, "green tea"), event(1, "green tea"), event(2, "coffee"))
	if x.Len() != 2 || x.Removed() != 0 {
		t.Errorf("Len, Removed = %d, %d, want 2, 0", x.Len(), x.Removed())
	}
	add(t, x, event(1, "black tea"))
	if got := found(x, "green", Scope{}) + "|" + found(x, "black", Scope{}); got != "|e1" {
		t.Errorf("after an edit found %q, want only the new text", got)
	}
	if !x.Remove("e1") || x.Remove("e1") || found(x, "tea", Scope{}) != "" {
		t.Error("Remove(e1) did not remove it once")
	}
	add(t, x, event(1, "black tea"))
	if got := found(x, "tea", Scope{}); got != "e1" {
		t.Errorf("added again, found %q, want e1", got)
	}
}

func TestAroundIsInTime(t *testing.T) {
	x := New()
	for _, n := range []int{10, 30, 20, 50, 40, 5} { // late ones too
		add(t, x, event(n, "x"))
	}
	x.Remove("e30")
	d, _ := x.Find("e20")
	before, after := x.Around(d, 2)
	var got []string
	for _, d := range append(append(before, d), after...) {
		got = append(got, x.Entry(d).ID)
	}
	if s := strings.Join(got, " "); s != "e5 e10 e20 e40 e50" {
		t.Errorf("Around(e20, 2) = %s, want e5 e10 e20 e40 e50", s)
	}
	got = nil
	for _, d := range x.Timeline("c", time.Unix(10, 0), time.Unix(50, 0), 9) {
		got = append(got, x.Entry(d).ID)
	}
	if s := strings.Join(got, " "); s != "e10 e20 e40" {
		t.Errorf("Timeline(10..50) = %s, want e10 e20 e40", s)
	}
}

// Many events that come in the wrong order are merged.
func TestTimelineBackwards(t *testing.T) {
	x := New()
	const n = 3*maxLate + 7
	for i := n; i > 0; i-- {
		add(t, x, event(i, ""))
	}
	docs := x.Timeline("c", time.Time{}, time.Time{}, n+1)
	for i, d := range docs {
		if got := x.Entry(d).At.Unix(); got != int64(i+1) {
			t.Fatalf("Timeline()[%d] is of second %d, want %d", i, got, i+1)
		}
	}
	if len(docs) != n {
		t.Errorf("Timeline() = %d events, want %d", len(docs), n)
	}
}

func TestRemoveConversationLeavesNothing(t *testing.T) {
	x := New()
	secret := Document{ID: "canaryid", Conversation: "canarytalk", Speaker: "canaryman", Text: "花鳥風月"}
	add(t, x, event(1, "hello"), secret)
	if n := x.RemoveConversation("canarytalk"); n != 1 || found(x, "花鳥", Scope{}) != "" {
		t.Errorf("RemoveConversation() = %d, and found %q, want 1 and nothing", n, found(x, "花鳥", Scope{}))
	}
	y := x.Compact()
	data := string(y.Snapshot(0))
	if strings.Contains(data, "canary") || y.lists.find(spell('花', '鳥', 0)) != nil || y.Len() != 1 {
		t.Error("Compact() kept something of a removed conversation")
	}
	if got := found(y, "hello", Scope{Conversations: []string{"c"}}); got != "e1" {
		t.Errorf("after Compact() found %q, want e1", got)
	}
}

func TestOddEvents(t *testing.T) {
	x := New()
	long := strings.Repeat("寿司とcoffee ", 1<<16)
	add(t, x, event(1, long), event(2, ""), event(3, "🎉🎉🎉"), event(4, "one"),
		Document{ID: "old", Conversation: "c", At: time.Date(1931, 1, 1, 0, 0, 0, 0, time.UTC), Text: "寿司"},
		Document{ID: "later", Conversation: "c", At: time.Date(2931, 1, 1, 0, 0, 0, 0, time.UTC), Text: "寿司"})
	x = restored(t, x)
	if got := found(x, "寿", Scope{Conversations: []string{"c"}}); !strings.Contains(got, "old") ||
		!strings.Contains(got, "later") || !strings.Contains(got, "e1") {
		t.Errorf("found %q for 寿, want old, later and e1", got)
	}
	if got := found(x, "🎉", Scope{}); got != "e3" {
		t.Errorf("found %q for an emoji, want e3", got)
	}
	if got := found(x, long, Scope{}); !strings.Contains(got, "e1") {
		t.Errorf("a query of a megabyte found %q, want e1 among it", got)
	}
}

// No text of two Japanese letters that an event has finds nothing.
func TestTwoLettersAreFound(t *testing.T) {
	x, r := New(), rand.New(rand.NewPCG(1, 2))
	letters := []rune("旅行京都猫犬寿司あいうえおかきくけこアイウエオガギー々")
	for n := range 200 {
		var s []rune
		for range 2 + r.IntN(20) {
			s = append(s, letters[r.IntN(len(letters))])
		}
		add(t, x, event(n, string(s)))
		for i := range len(s) - 1 {
			if got := found(x, string(s[i:i+2]), Scope{Conversations: []string{"c"}}); got == "" {
				t.Fatalf("%q finds nothing after %q was added", string(s[i:i+2]), string(s))
			}
		}
	}
}

func TestSnapshotRefused(t *testing.T) {
	x := New()
	add(t, x, event(1, "green tea"))
	good := x.Snapshot(1)
	damaged := slices.Clone(good)
	damaged[len(damaged)/2] ^= 1
	other := slices.Clone(good)
	other[len(magic)+1]++
	for name, data := range map[string][]byte{"nothing": nil, "cut": good[:len(good)-9], "damaged": damaged,
		"another version": other, "a text": []byte("once upon a time in a land far away")} {
		if _, _, err := Restore(data); !errors.Is(err, ErrSnapshot) {
			t.Errorf("Restore(%s) = %v, want ErrSnapshot", name, err)
		}
	}
}

// A snapshot that is taken while others add has whole documents only.
func TestReadersAndWriter(t *testing.T) {
	x := New()
	x.narrow = 300
	r := rand.New(rand.NewPCG(3, 3))
	const events = 600
	var docs []Document
	for n := range events {
		d := event(n, sentence(r)+" always")
		d.Conversation = fmt.Sprint("c", n%5)
		docs = append(docs, d)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for seed := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			for round := 0; ; round++ {
				select {
				case <-done:
					return
				default:
				}
				n := x.n.Load()
				q := someQuery(r, time.Unix(0, 0))
				for _, h := range x.Search(q) {
					x.Around(h.Doc, 3)
					if x.Entry(h.Doc).ID == "" {
						t.Error("a hit has no id")
					}
				}
				if seed == 0 && round%20 == 0 {
					y, _, err := Restore(x.Snapshot(0))
					if err != nil || y.n.Load() < n {
						t.Errorf("Restore(Snapshot()) = %v, want at least %d documents", err, n)
					}
				}
			}
		})
	}
	for n, d := range docs {
		add(t, x, d)
		if n%7 == 6 {
			x.Remove(fmt.Sprint("e", n/2))
		}
		if got := x.Search(Query{Terms: []Weighted{{keysOf("always", Word)[0], 1}}, K: 1,
			Scope: Scope{Conversations: []string{d.Conversation}}}); len(got) != 1 {
			t.Fatalf("event %d: nothing found the moment it was added", n)
		}
	}
	close(done)
	wg.Wait()
}

func FuzzRestore(f *testing.F) {
	x := New()
	r := rand.New(rand.NewPCG(9, 9))
	for n := range 300 {
		add(f, x, event(n, sentence(r)))
	}
	x.Remove("e7")
	f.Add(x.Snapshot(7), uint16(3), byte(1))
	f.Add(New().Snapshot(0), uint16(12), byte(255))
	f.Fuzz(func(t *testing.T, data []byte, at uint16, flip byte) {
		data = resealed(data, at, flip)
		x, _, err := Restore(data)
		if err != nil {
			if !errors.Is(err, ErrSnapshot) {
				t.Fatalf("Restore() = %v, want ErrSnapshot", err)
			}
			return
		}
		for _, narrow := range []int{0, narrowScope} {
			x.narrow = narrow
			for _, w := range vocabulary {
				_ = found(x, w, Scope{})
			}
		}
		add(t, x, event(1, "hiking with Anna"))
		_ = x.Compact()
	})
}

// resealed changes one byte and makes the sum right again.
func resealed(data []byte, at uint16, flip byte) []byte {
	if len(data) <= 8 {
		return data
	}
	data = slices.Clone(data)
	data[int(at)%(len(data)-8)] ^= flip
	return sealed(data[:len(data)-8])
}
