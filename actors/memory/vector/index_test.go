package vector_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/kehai-run/kehai/actors/memory/vector"
)

// cloud returns directions around some centres, as models make them.
func cloud(rng *rand.Rand, n, length, around int) (list [][]float32) {
	centres := make([][]float32, around)
	for i := range centres {
		centres[i] = noise(rng, make([]float32, length), 1)
	}
	for range n {
		list = append(list, noise(rng, slices.Clone(centres[rng.IntN(len(centres))]), 0.6))
	}
	return list
}

func noise(rng *rand.Rand, v []float32, much float64) []float32 {
	for i := range v {
		v[i] += float32(rng.NormFloat64() * much)
	}
	return v
}

func of(t testing.TB, values []float32) vector.Vector {
	t.Helper()
	v, err := vector.Of(values)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// An index finds 99 in 100 of the ten nearest by exact numbers, in one conversation and in
// all. Where a thousand are about one thing, it is the rounding that costs more than one.
func TestFindsTheNearest(t *testing.T) {
	for _, c := range []struct{ n, around, want int }{{3000, 76, 99}, {20_000, 20, 97}} {
		if testing.Short() && c.n > 3000 {
			continue
		}
		rng := rand.New(rand.NewPCG(1, 2))
		list := cloud(rng, c.n, 128, c.around)
		x := vector.New()
		for i, v := range list {
			x.Put(fmt.Sprint(i), fmt.Sprint("c", i%3), "m", of(t, v))
		}
		found, wanted := 0, 0
		for ask := range 40 {
			q := noise(rng, slices.Clone(list[rng.IntN(len(list))]), 0.3)
			var in []string
			if ask%2 == 1 {
				in = []string{"c1"}
			}
			var order []int
			near := make([]float64, len(list))
			for i, v := range list {
				if in == nil || i%3 == 1 {
					order = append(order, i)
					near[i] = cosine(v, q)
				}
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
			hits := x.Search(vector.Query{Model: "m", Vector: of(t, q), Conversations: in, K: 10})
			for _, i := range order[:10] {
				wanted++
				if slices.ContainsFunc(hits, func(h vector.Hit) bool { return h.ID == fmt.Sprint(i) }) {
					found++
				}
			}
		}
		if found*100 < wanted*c.want {
			t.Errorf("found %d of the %d nearest of %d, want %d in 100", found, wanted, c.n, c.want)
		}
	}
}

// What is not to be seen takes no place, vectors of another model or length are not
// compared, and what was removed or replaced is not found.
func TestSees(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := vector.New()
	q := noise(rng, make([]float32, 64), 1)
	for i := range 3000 {
		x.Put(fmt.Sprint("near", i), "c", "m", of(t, noise(rng, slices.Clone(q), 0.1)))
	}
	x.Put("far", "c", "m", of(t, noise(rng, make([]float32, 64), 1)))
	x.Put("other model", "d", "n", of(t, q))
	x.Put("other length", "c", "m", of(t, q[:32]))
	ask := vector.Query{Model: "m", Vector: of(t, q), K: 3, Sees: func(id string) bool { return id == "far" }}
	if hits := x.Search(ask); len(hits) != 1 || hits[0].ID != "far" {
		t.Errorf("Search(only far is seen) = %v, want far", hits)
	}
	if got := x.Models([]string{"c"}); !slices.Equal(got, []string{"m"}) {
		t.Errorf("Models(c) = %v, want m", got)
	}
	if got := x.Models(nil); !slices.Equal(got, []string{"m", "n"}) {
		t.Errorf("Models(all) = %v, want m and n", got)
	}
	x.Remove("near7")
	x.Put("near8", "c", "n", of(t, q))
	ask.Sees = func(id string) bool { return id == "near7" || id == "near8" }
	if hits := x.Search(ask); len(hits) != 0 || x.Has("near7") || !x.Has("near8") {
		t.Errorf("Search(removed and replaced) = %v, want nothing", hits)
	}
	x.RemoveConversation("c")
	if hits := x.Search(vector.Query{Model: "m", Vector: of(t, q), K: 3}); len(hits) != 0 || x.Len() != 1 {
		t.Errorf("Search(removed conversation) = %v of %d, want nothing of 1", hits, x.Len())
	}
}

// Reading goes on while vectors come, go and are cleared away.
func TestReadsWhileWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	list := cloud(rng, 512, 64, 13)
	x := vector.New()
	x.Put("stays", "c", "m", of(t, list[0]))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				hits := x.Search(vector.Query{Model: "m", Vector: of(t, list[0]), K: 5,
					Sees: func(id string) bool { return id == "stays" }})
				if len(hits) != 1 || hits[0].Cosine < 0.999 {
					t.Errorf("Search() = %v, want what stays", hits)
					return
				}
			}
		})
	}
	for i := range 6000 {
		x.Put(fmt.Sprint(i%300), fmt.Sprint(i%7), "m", of(t, list[i%len(list)]))
	}
	x.RemoveConversation("3")
	group.Wait()
}

// Vectors that no model may give are refused.
func TestRefuses(t *testing.T) {
	for _, values := range [][]float32{nil, {}, {0, 0}, {1, float32(math.NaN())}, {float32(math.Inf(1))},
		make([]float32, vector.MaxLength+1)} {
		if v, err := vector.Of(values); !errors.Is(err, vector.ErrValues) {
			t.Errorf("Of(%d values) = %v, %v, want ErrValues", len(values), v.Len(), err)
		}
	}
}

// Stored rows may be damaged: what is read is a vector that reads the same again.
func FuzzParse(f *testing.F) {
	f.Add(of(f, []float32{1, -2, 3}).Bytes())
	f.Add([]byte{1, 3, 0, 0, 0})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := vector.Parse(b)
		if err != nil {
			return
		}
		again, err := vector.Parse(v.Bytes())
		if err != nil || !bytes.Equal(again.Bytes(), v.Bytes()) || math.Abs(v.Cosine(again)-1) > 1e-4 {
			t.Errorf("Parse(%v) = %v, %v again", b, again, err)
		}
		x := vector.New()
		x.Put("a", "c", "m", v)
		if hits := x.Search(vector.Query{Model: "m", Vector: v, K: 1}); len(hits) != 1 {
			t.Errorf("Search(%v) = %v, want it", b, hits)
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := vector.New()
	list := cloud(rng, 4000, 256, 101)
	for i := range 100_000 {
		x.Put(fmt.Sprint(i), fmt.Sprint(i%100), "m", of(b, list[i%len(list)]))
	}
	q := vector.Query{Model: "m", Vector: of(b, list[9]), K: 60}
	for b.Loop() {
		x.Search(q)
	}
}
