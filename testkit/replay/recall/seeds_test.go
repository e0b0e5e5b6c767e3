//go:build recall

package recall_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/testkit/replay/recall"
)

// TestSeeds prints recall@12 and @60 of five generated sets: their mean and spread.
func TestSeeds(t *testing.T) {
	const seeds = 5
	var sums, squares [2]float64
	for seed := range uint64(seeds) {
		events, questions := generated(t, seed+1, 4)
		r, err := recall.Measure(events, questions, rank.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range []int{2, 4} {
			sums[i] += r.All.Recall[k]
			squares[i] += r.All.Recall[k] * r.All.Recall[k]
		}
	}
	for i, k := range []int{2, 4} {
		mean := sums[i] / seeds
		fmt.Printf("recall@%d of %d seeds: %.3f ± %.3f\n", recall.Depths[k], seeds, mean,
			math.Sqrt(max(0, squares[i]/seeds-mean*mean)))
	}
}
