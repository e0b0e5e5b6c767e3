package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kehai-run/kehai/runtime/config"
)

// TestReplayEdges plays what is hard to tell from a window. A message that stood whole in a
// captured frame comes out once and in order. What remains open counts as many errors as
// the scenario says, so that a mend shows too. It takes some seconds: no smaller test has
// the whole chain disagree with itself.
func TestReplayEdges(t *testing.T) {
	all, err := txtar.ParseFile("testdata/edges.txtar")
	if err != nil || len(all.Files) < 100 {
		t.Fatalf("%d scenarios, %v, want 100 and more", len(all.Files), err)
	}
	for i, f := range all.Files {
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			open := 0
			if first, _, _ := strings.Cut(string(f.Data), "\n"); strings.HasPrefix(first, "#") {
				if _, err := fmt.Sscanf(first, "# open: %d", &open); err != nil || open < 1 {
					t.Fatalf("%q, want \"# open: N\"", first)
				}
			}
			o := Options{Script: parsed(t, string(f.Data)), Config: config.Default(), Seed: 1}
			r, err := Run(t.Context(), o)
			if err != nil || r.Errors() != open {
				t.Errorf("Run() = %d errors %+v, %v, want %d", r.Errors(), r.Problems, err, open)
			}
		})
	}
}
