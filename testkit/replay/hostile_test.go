package replay

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit/replay/corpus"
)

// hostileOpen is how many errors remain in the scripts that are played without a wish.
const hostileOpen = 8

// TestReplayHostile plays scripts against everything that tells messages apart; KEHAI_HOSTILE
// is how many, KEHAI_SEED the first, and KEHAI_SHRINK logs what fails as short as it can be.
// Without these it plays a dozen, which have as many errors as are known, so that a mend
// shows too.
func TestReplayHostile(t *testing.T) {
	first, n := number("KEHAI_SEED", 1), number("KEHAI_HOSTILE", 12)
	shrink := os.Getenv("KEHAI_SHRINK") != ""
	var sum Tally
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
		sum.Add(r.Tally)
		if r.Errors() == 0 {
			continue
		}
		errors += r.Errors()
		t.Logf("%s, scale %d: %d errors %v", c.Name, c.Scale, r.Errors(), r.Problems)
		if !shrink {
			continue
		}
		what := r.Problems[0].What
		s := corpus.Shrink(c.Script, func(s script.Script) bool {
			for _, p := range play(s).Problems {
				if p.What == what {
					return true
				}
			}
			return false
		})
		var b bytes.Buffer
		_ = s.Write(&b)
		t.Logf("%s\n%s", what, &b)
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
