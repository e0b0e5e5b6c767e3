//go:build speed

package recent

import (
	"math/rand/v2"
	"testing"

	"github.com/kehai-run/kehai/testkit/speed"
)

// TestSpeed looks for one line among 240, none of them equal to it: half of what
// is looked for is a misreading, half is new. The peer compares with each by two
// maps of trigrams.
func TestSpeed(t *testing.T) {
	remembered, _ := corpus()
	l := indexed(remembered)
	rng := rand.New(rand.NewPCG(7, 8))
	var queries []string
	for i := range 100 {
		q := garbled(rng, remembered[rng.IntN(len(remembered))], 1)
		if i%2 == 0 {
			q = garbled(rng, q, 100)
		}
		queries = append(queries, q)
	}
	i, j := 0, 0
	speed.Compare(t, speed.Row{
		Name:    "one line against 240",
		Ours:    func() { l.find(queries[i%100], always); i++ },
		Peer:    func() { findPlain(remembered, queries[j%100]); j++ },
		Against: "maps of trigrams", Faster: 60,
	})
}

// garbled replaces so many characters of a line.
func garbled(rng *rand.Rand, line string, n int) string {
	r := []rune(line)
	for range n {
		r[rng.IntN(len(r))] = []rune(letters)[rng.IntN(40)]
	}
	return string(r)
}
