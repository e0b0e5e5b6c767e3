package replay

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit/replay/corpus"
)

// hostileOpen is how many errors remain in the scripts that are played without a wish.
const hostileOpen = 5

// TestReplayHostile plays scripts against everything that tells messages apart; KEHAI_HOSTILE
// is how many, KEHAI_SEED the first, and KEHAI_SHRINK, the kind of an error, logs the scripts
// that have it as short as they can be.
// Without these it plays a dozen, which have as many errors as are known, so that a mend
// shows too.
func TestReplayHostile(t *testing.T) {
	first, n := number("KEHAI_SEED", 1), number("KEHAI_HOSTILE", 12)
	kind := os.Getenv("KEHAI_SHRINK")
	var sum Counts
	errors := 0
	for seed := first; seed < first+n; seed++ {
		c := corpus.Hostile(seed)
		play := func(s script.Script) Result {
			c.Script = s
			r, err := Run(t.Context(), caseOptions(Options{Config: config.Default(), Seed: seed}, c, 0))
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			return r
		}
		r := play(c.Script)
		sum.Add(r.Counts)
		if r.Errors() == 0 {
			continue
		}
		errors += r.Errors()
		t.Logf("%s, scale %d: %d errors %v", c.Name, c.Scale, r.Errors(), r.Problems)
		has := func(r Result) bool {
			return slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.What == kind })
		}
		if !has(r) {
			continue
		}
		s := corpus.Shrink(c.Script, func(s script.Script) bool { return has(play(s)) })
		var b bytes.Buffer
		_ = s.Write(&b)
		t.Logf("%s\n%s", kind, &b)
	}
	t.Logf("%d scripts: %+v", n, sum)
	if os.Getenv("KEHAI_SEED")+os.Getenv("KEHAI_HOSTILE") == "" && errors != hostileOpen {
		t.Errorf("%d errors, want %d", errors, hostileOpen)
	}
}

func number(name string, standard uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 32); err == nil {
		return n
	}
	return standard
}
