package replay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// crashingChat is a chat in which Kehai crashes after every other line: while the
// line is on its way, or when all is at rest. Lines are long and unlike each
// other: profile seed drops others by its rules, crash or not.
func crashingChat(seed uint64) (text string, want []string, crashes int) {
	rng := rand.New(rand.NewPCG(seed, 0x73656564))
	var b strings.Builder
	at := 0
	for n := range 25 {
		words := make([]string, 3)
		for i := range words {
			words[i] = fmt.Sprintf("%c%05x", 'k'+rune(n%10), rng.IntN(1<<20))
		}
		line, who := strings.Join(words, " "), "friend"
		if rng.IntN(4) == 0 {
			who = "me"
		} else {
			want = append(want, line)
		}
		fmt.Fprintf(&b, "{\"at_ms\":%d,\"who\":%q,\"text\":%q,\"conversation\":\"Hana\"}\n", at, who, line)
		if rng.IntN(2) == 0 {
			wait := rng.IntN(4_000)
			if rng.IntN(3) == 0 {
				wait += 6_000
			}
			at += wait
			fmt.Fprintf(&b, "{\"at_ms\":%d,\"do\":\"crash\"}\n", at)
			crashes++
		}
		at += 1_000 + rng.IntN(6_000)
	}
	return b.String(), want, crashes
}

// TestProfileSeedThroughCrashes loses, repeats and turns around nothing that the
// rules of profile seed let through, wherever Kehai dies. There is no ledger: the
// cursor, the windows of the dedup actor and the burst, all durable, must do.
func TestProfileSeedThroughCrashes(t *testing.T) {
	cfg := config.Default()
	cfg.SetProfile(config.ProfileSeed)
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		text, want, crashes := crashingChat(seed)
		if crashes < 5 {
			t.Fatalf("seed %d: %d crashes, want at least 5", seed, crashes)
		}
		var got []string
		ids := map[string]bool{}
		r, err := Run(t.Context(), Options{
			Config: cfg, Script: parsed(t, text), Seed: seed, Fonts: latin,
			Deliver: func(e control.Entry) error {
				m := e.Message
				if ids[string(m.ID)] {
					return fmt.Errorf("message %s was delivered twice", m.ID)
				}
				ids[string(m.ID)] = true
				for _, p := range m.Parts {
					got = append(got, strings.Split(p.Text, "\n")...)
				}
				return nil
			},
		})
		if err != nil {
			t.Fatalf("seed %d: Run() = %v", seed, err)
		}
		for _, p := range r.Problems {
			if p.What == FailedTurn || p.What == DeadLetter {
				t.Errorf("seed %d: %s: %s", seed, p.What, string(p.Text))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: delivered\n\t%q\nwant\n\t%q\nin\n%s", seed, got, want, text)
		}
	}
}
