package peers

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	vec "github.com/asg017/sqlite-vec-go-bindings/cgo"
	"github.com/philippgille/chromem-go"

	"github.com/kehai-run/kehai/actors/memory/vector"
)

const (
	dimensions = 256
	nearest    = 10
	peersMost  = 100_000 // vectors that peers are asked to hold
)

// directions are vectors of length 1 in 3,000 clusters of unequal size, most of whose
// difference lies in 96 directions, as with vectors of a model.
func directions(n int, seed uint64) [][]float32 {
	r := rand.New(rand.NewPCG(7, 7))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	basis := make([][]float32, 96)
	for i := range basis {
		basis[i] = random(dimensions)
	}
	in := func(weights []float32, noise float64) []float32 {
		v := make([]float32, dimensions)
		for i, w := range weights {
			for j, x := range basis[i] {
				v[j] += w * x
			}
		}
		for j := range v {
			v[j] += float32(noise * r.NormFloat64())
		}
		return v
	}
	centres := make([][]float32, 3000)
	for i := range centres {
		centres[i] = random(len(basis))
	}
	r = rand.New(rand.NewPCG(seed, 9))
	sizes := rand.NewZipf(r, 1.1, 20, uint64(len(centres)-1))
	list := make([][]float32, n)
	for i := range list {
		weights := slices.Clone(centres[sizes.Uint64()])
		for j := range weights {
			weights[j] += float32(0.6 * r.NormFloat64())
		}
		list[i] = unit(in(weights, 1))
	}
	return list
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// exact is a plain scan, in four sums so that the processor need not wait for one.
func exact(list [][]float32, q []float32) []int {
	type near struct {
		i   int
		dot float32
	}
	var best []near
	for i, v := range list {
		var a, b, c, d float32
		for j := 0; j+3 < len(v); j += 4 {
			a += v[j] * q[j]
			b += v[j+1] * q[j+1]
			c += v[j+2] * q[j+2]
			d += v[j+3] * q[j+3]
		}
		dot := a + b + c + d
		if len(best) == nearest && dot <= best[nearest-1].dot {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, dot, func(n near, dot float32) int { return cmp.Compare(dot, n.dot) })
		best = slices.Insert(best, at, near{i, dot})
		best = best[:min(len(best), nearest)]
	}
	ids := make([]int, len(best))
	for i, n := range best {
		ids[i] = n.i
	}
	return ids
}

// searched is what one engine took for the questions, and how many of the truly nearest
// it found.
func searched(name string, rate float64, qs [][]float32, want [][]int, run func([]float32) []int) time.Duration {
	var took []time.Duration
	hit, all := 0, 0
	for i, q := range qs {
		start := time.Now()
		got := run(q)
		took = append(took, time.Since(start))
		all += len(want[i])
		for _, id := range want[i] {
			if slices.Contains(got, id) {
				hit++
			}
		}
	}
	slices.Sort(took)
	p50 := took[len(took)/2]
	fmt.Printf("%-24s %12.0f %10.3f %10.3f %10.3f\n", name, rate, p50.Seconds()*1000,
		took[len(took)*99/100].Seconds()*1000, float64(hit)/float64(all))
	return p50
}

// TestVectors prints one table for each number of vectors: what each engine takes for
// the ten nearest of the same ones.
func TestVectors(t *testing.T) {
	n := count()
	list := directions(n, 1)
	qs := directions(100, 2)
	counts := []int{min(n, peersMost)}
	if n > peersMost {
		counts = append(counts, n)
	}
	for _, n := range counts {
		vectors(t, list[:n], qs, n <= peersMost)
	}
}

func vectors(t *testing.T, list, qs [][]float32, peers bool) {
	fmt.Printf("%d vectors of %d dimensions\n%-24s %12s %10s %10s %10s\n", len(list), dimensions, "engine", "vectors/s",
		"p50 ms", "p99 ms", "recall@10")
	want := make([][]int, len(qs))
	for i, q := range qs {
		want[i] = exact(list, q)
	}
	x := vector.New()
	before, start := heap(), time.Now()
	for i, values := range list {
		v, err := vector.Of(values)
		if err != nil {
			t.Fatal(err)
		}
		x.Put(strconv.Itoa(i), fmt.Sprint("c", i/500), "m", v)
	}
	rate := float64(len(list)) / time.Since(start).Seconds()
	used := heap() - before
	search := func(within []string) func([]float32) []int {
		return func(values []float32) (ids []int) {
			v, err := vector.Of(values)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range x.Search(vector.Query{Model: "m", Vector: v, K: nearest, Conversations: within}) {
				id, _ := strconv.Atoi(h.ID)
				ids = append(ids, id)
			}
			return ids
		}
	}
	ours := searched("kehai", rate, qs, want, search(nil))
	fmt.Printf("  heap %.0f MB\n", used)
	plain := searched("plain scan of floats", 0, qs, want, func(q []float32) []int { return exact(list, q) })
	fmt.Printf("  kehai takes 1/%.0f of the plain scan's time\n", plain.Seconds()/ours.Seconds())
	if !peers {
		return
	}
	for name, p50 := range map[string]time.Duration{"sqlite-vec": sqliteVec(t, list, qs, want),
		"chromem": chromems(t, list, qs, want)} {
		fmt.Printf("  kehai takes 1/%.0f of the time of %s\n", p50.Seconds()/ours.Seconds(), name)
	}
}

func sqliteVec(t *testing.T, list, qs [][]float32, want [][]int) time.Duration {
	vec.Auto()
	defer vec.Cancel()
	db, err := sql.Open("sqlite3", filepath.Join(t.TempDir(), "vec.db")+"?_journal_mode=WAL&_synchronous=NORMAL")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(fmt.Sprintf(`CREATE VIRTUAL TABLE v USING vec0(e float[%d] distance_metric=cosine)`, dimensions))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for i, values := range list {
		blob, err := vec.SerializeFloat32(values)
		if err == nil {
			_, err = tx.Exec(`INSERT INTO v(rowid, e) VALUES(?, ?)`, i, blob)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	rate := float64(len(list)) / time.Since(start).Seconds()
	return searched("sqlite-vec 0.1.6 float", rate, qs, want, func(q []float32) (ids []int) {
		blob, err := vec.SerializeFloat32(q)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query(`SELECT rowid FROM v WHERE e MATCH ? AND k = ? ORDER BY distance`, blob, nearest)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id int
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	})
}

func chromems(t *testing.T, list, qs [][]float32, want [][]int) time.Duration {
	c, err := chromem.NewDB().CreateCollection("v", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for i, values := range list {
		d := chromem.Document{ID: strconv.Itoa(i), Embedding: values, Content: "x"}
		if err := c.AddDocument(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	rate := float64(len(list)) / time.Since(start).Seconds()
	return searched("chromem-go 0.7.0", rate, qs, want, func(q []float32) (ids []int) {
		found, err := c.QueryEmbedding(context.Background(), q, nearest, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found {
			id, _ := strconv.Atoi(r.ID)
			ids = append(ids, id)
		}
		return ids
	})
}
