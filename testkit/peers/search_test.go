package peers

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	_ "github.com/mattn/go-sqlite3"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/memory/rank"
)

// corpus makes events of about 43 characters: six in ten Japanese, three English, one
// both. Words are as unequal as in a language, and those of a topic come in runs.
type corpus struct {
	r       *rand.Rand
	nouns   []string
	english []string
	zipfN   *rand.Zipf
	zipfE   *rand.Zipf
	topic   []string
	left    int
}

func newCorpus(seed uint64) *corpus {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &corpus{r: r}
	hira := []rune("あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわん")
	for range 60_000 {
		var w []rune
		for range 2 + r.IntN(2) {
			w = append(w, rune(0x4E00+r.IntN(2200)))
		}
		if r.IntN(4) == 0 {
			w = w[:0]
			for range 3 + r.IntN(3) {
				w = append(w, hira[r.IntN(len(hira))]+0x60)
			}
		}
		c.nouns = append(c.nouns, string(w))
		var e []byte
		for range 3 + r.IntN(6) {
			e = append(e, "etaoinshrdlucmfwypvbgkjqxz"[min(25, int(26*r.Float64()*r.Float64()*1.2))])
		}
		c.english = append(c.english, string(e))
	}
	c.zipfN = rand.NewZipf(r, 1.15, 8, uint64(len(c.nouns)-1))
	c.zipfE = rand.NewZipf(r, 1.15, 8, uint64(len(c.english)-1))
	return c
}

// next returns a text and its content words.
func (c *corpus) next() (string, []string) {
	if c.left--; c.left < 0 {
		c.left = 24
		c.topic = nil
		for range 4 {
			c.topic = append(c.topic, c.nouns[c.r.IntN(len(c.nouns))], c.english[c.r.IntN(len(c.english))])
		}
	}
	var b strings.Builder
	var words []string
	particles := []string{"は", "が", "を", "に行った", "で食べた", "だよね", "と思う", "したい", "も好き"}
	kind := c.r.IntN(10)
	for b.Len() < 60+c.r.IntN(60) {
		japanese := kind < 6 || kind == 9 && c.r.IntN(2) == 0
		var w string
		switch {
		case japanese && c.r.IntN(5) == 0:
			w = c.topic[2*c.r.IntN(4)]
		case japanese:
			w = c.nouns[c.zipfN.Uint64()]
		case c.r.IntN(5) == 0:
			w = c.topic[2*c.r.IntN(4)+1]
		default:
			w = c.english[c.zipfE.Uint64()]
		}
		words = append(words, w)
		b.WriteString(w)
		if japanese {
			b.WriteString(particles[c.r.IntN(len(particles))])
		} else {
			b.WriteString(" ")
			if b.Len() > 40 {
				break
			}
		}
	}
	return b.String(), words
}

type event struct {
	lexical.Document
	words []string
}

func events(n int) []event {
	c := newCorpus(1)
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	list := make([]event, n)
	for i := range list {
		text, words := c.next()
		list[i] = event{lexical.Document{ID: "e" + strconv.Itoa(i), Conversation: fmt.Sprint("c", i%2000),
			Speaker: []string{"hana", "ren"}[i%2], At: start.Add(time.Duration(i) * time.Minute), Text: text}, words}
	}
	return list
}

// queries are one to three words of real events.
func queries(list []event, n int) [][]string {
	r := rand.New(rand.NewPCG(5, 5))
	var out [][]string
	for len(out) < n {
		e := list[r.IntN(len(list))]
		k := min(1+r.IntN(3), len(e.words))
		from := r.IntN(len(e.words) - k + 1)
		out = append(out, e.words[from:from+k])
	}
	return out
}

// times measures each query once, after some to warm up.
func times(qs [][]string, run func([]string) int) (p50, p99 time.Duration, nothing float64) {
	for _, q := range qs[:len(qs)/5] {
		run(q)
	}
	var took []time.Duration
	empty := 0
	for _, q := range qs {
		start := time.Now()
		n := run(q)
		took = append(took, time.Since(start))
		if n == 0 {
			empty++
		}
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100], float64(empty) / float64(len(qs))
}

func heap() float64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

func resident() float64 {
	data, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseFloat(fields[1], 64)
	return pages * float64(os.Getpagesize()) / 1e6
}

func count() int {
	if n, err := strconv.Atoi(os.Getenv("KEHAI_EVENTS")); err == nil && n > 0 {
		return n
	}
	return 100_000
}

func terms(q []string) []lexical.Weighted {
	var list []lexical.Weighted
	for _, t := range lexical.Terms(strings.Join(q, " ")) {
		if t.Kind == lexical.Word || t.Kind == lexical.Pair {
			list = append(list, lexical.Weighted{Key: t.Key, Weight: 1})
		}
	}
	return list
}

// TestSearch prints one table: what each engine takes on the same events.
func TestSearch(t *testing.T) {
	list := events(count())
	qs := queries(list, 500)
	fmt.Printf("%d events\n%-24s %12s %10s %10s %10s %12s %10s %9s\n", len(list), "engine", "events/s", "disk MB",
		"p50 ms", "p99 ms", "add p50 µs", "add p99 µs", "nothing")
	ours(t, list, qs)
	if os.Getenv("KEHAI_PEERS") == "none" {
		return
	}
	bleves(t, list, qs)
	sqlites(t, list, qs)
}

func line(name string, rate, disk float64, p50, p99 time.Duration, adds []time.Duration, nothing float64) {
	slices.Sort(adds)
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	fmt.Printf("%-24s %12.0f %10.1f %10.3f %10.3f %12.1f %10.1f %8.1f%%\n", name, rate, disk, ms(p50), ms(p99),
		1000*ms(adds[len(adds)/2]), 1000*ms(adds[len(adds)*99/100]), 100*nothing)
}

func ours(t *testing.T, list []event, qs [][]string) {
	before := heap()
	x := lexical.New()
	start := time.Now()
	for _, e := range list {
		if _, err := x.Add(e.Document); err != nil {
			t.Fatal(err)
		}
	}
	rate := float64(len(list)) / time.Since(start).Seconds()
	used := heap() - before
	p50, p99, nothing := times(qs, func(q []string) int { return len(x.Search(lexical.Query{Terms: terms(q), K: 20})) })
	var adds []time.Duration
	for i := range 2000 {
		d := list[i].Document
		d.ID = fmt.Sprint("new", i)
		start := time.Now()
		if _, err := x.Add(d); err != nil {
			t.Fatal(err)
		}
		adds = append(adds, time.Since(start))
	}
	start = time.Now()
	data := x.Snapshot(1)
	wrote := time.Since(start)
	line("kehai", rate, float64(len(data))/1e6, p50, p99, adds, nothing)
	start = time.Now()
	y, _, err := lexical.Restore(data)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("  heap %.0f MB, snapshot written in %v, restored in %v\n", used, wrote.Round(time.Millisecond),
		time.Since(start).Round(time.Millisecond))
	scoped, scoped99, _ := times(qs, func(q []string) int {
		return len(y.Search(lexical.Query{Terms: terms(q), K: 20,
			Scope: lexical.Scope{Conversations: []string{fmt.Sprint("c", len(q[0])%2000)}}}))
	})
	fmt.Printf("  one conversation of %d: p50 %v, p99 %v\n", len(list)/2000, scoped, scoped99)
	recalls(t, x, list)
	runtime.KeepAlive(y)
	fmt.Printf("  resident %.0f MB with two indexes and the corpus\n", resident())
}

// recalls measures the whole ranking, with a writer beside it: in one conversation
// and over everything.
func recalls(t *testing.T, x *lexical.Index, list []event) {
	text := func(d lexical.Doc) string { return list[int(d)%len(list)].Text }
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := 0; !stop.Load(); i++ {
			<-tick.C
			d := list[i%len(list)].Document
			d.ID = fmt.Sprint("live", i)
			if _, err := x.Add(d); err != nil {
				t.Error(err)
			}
		}
	}()
	for _, c := range []struct {
		name  string
		scope lexical.Scope
	}{{"one conversation", lexical.Scope{Conversations: []string{"c7"}}}, {"all", lexical.Scope{}}} {
		var took []time.Duration
		for i := range 300 {
			start := time.Now()
			rank.Recall(x, rank.Query{Text: list[i*31%len(list)].Text, Scope: c.scope, K: 64}, rank.Defaults(), text)
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		fmt.Printf("  whole ranking, cue of a message, %s: p50 %v, p99 %v\n", c.name, took[150], took[297])
	}
	stop.Store(true)
	<-done
}

func size(t *testing.T, dir string) float64 {
	total := int64(0)
	err := filepath.Walk(dir, func(_ string, i os.FileInfo, err error) error {
		if err == nil && !i.IsDir() {
			total += i.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return float64(total) / 1e6
}

func bleves(t *testing.T, list []event, qs [][]string) {
	dir := filepath.Join(t.TempDir(), "bleve")
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = "cjk"
	m.StoreDynamic, m.DocValuesDynamic = false, false
	x, err := bleve.New(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	start := time.Now()
	for from := 0; from < len(list); from += 2000 {
		b := x.NewBatch()
		for _, e := range list[from:min(from+2000, len(list))] {
			if err := b.Index(e.ID, map[string]string{"text": e.Text}); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	rate := float64(len(list)) / time.Since(start).Seconds()
	p50, p99, nothing := times(qs, func(q []string) int {
		r, err := x.Search(bleve.NewSearchRequestOptions(bleve.NewMatchQuery(strings.Join(q, " ")), 20, 0, false))
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Hits)
	})
	var adds []time.Duration
	for i := range 100 {
		start := time.Now()
		if err := x.Index(fmt.Sprint("new", i), map[string]string{"text": list[i].Text}); err != nil {
			t.Fatal(err)
		}
		adds = append(adds, time.Since(start))
	}
	line("bleve 2.6.1 cjk", rate, size(t, dir), p50, p99, adds, nothing)
}

func sqlites(t *testing.T, list []event, qs [][]string) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite3", filepath.Join(dir, "fts.db")+"?_journal_mode=WAL&_synchronous=NORMAL")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE VIRTUAL TABLE f USING fts5(text, tokenize='trigram', content='')`); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for from := 0; from < len(list); from += 5000 {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i < min(from+5000, len(list)); i++ {
			if _, err := tx.Exec(`INSERT INTO f(rowid, text) VALUES(?, ?)`, i+1, list[i].Text); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	rate := float64(len(list)) / time.Since(start).Seconds()
	search, err := db.Prepare(`SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT 20`)
	if err != nil {
		t.Fatal(err)
	}
	p50, p99, nothing := times(qs, func(q []string) int {
		rows, err := search.Query(`"` + strings.Join(q, `" OR "`) + `"`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		n := 0
		for rows.Next() {
			n++
		}
		return n
	})
	var adds []time.Duration
	for i := range 1000 {
		start := time.Now()
		if _, err := db.Exec(`INSERT INTO f(rowid, text) VALUES(?, ?)`, len(list)+i+1, list[i].Text); err != nil {
			t.Fatal(err)
		}
		adds = append(adds, time.Since(start))
	}
	line("SQLite FTS5 trigram", rate, size(t, dir), p50, p99, adds, nothing)
}
