package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// Every number at either end of its range is one that the actors take.
func TestRangesOfRules(t *testing.T) {
	for _, end := range []string{"min", "max"} {
		c := exampleDefault()
		for _, f := range c.tree().Values() {
			if strings.HasPrefix(f.Key, "rules.") {
				if err := c.SetFlag("--"+end, f.Key, f.Tag.Get(end)); err != nil {
					t.Error(err)
				}
			}
		}
		if err := c.Validate(); err != nil {
			t.Errorf("Validate(every rule at its %s) = %v, want nil", end, err)
		}
	}
}

// Two numbers have another default in profile seed, wherever it was chosen. A 0 is no
// word for that.
func TestNumbersOfTheProfile(t *testing.T) {
	chosen := Default()
	chosen.SetProfile(ProfileSeed)
	flagged := Default()
	if err := flagged.SetFlag("--profile", "profile", "seed"); err != nil {
		t.Fatal(err)
	}
	for how, c := range map[string]Config{"file": parse(t, "profile: seed"), "SetProfile": chosen, "flag": flagged} {
		if w := c.Rules.Dedup; w.MinLine != 4 || w.Fingerprint != 20*time.Second {
			t.Errorf("%s: window = %+v, want the profile's 4 characters and 20s", how, w)
		}
		if out := written(t, c); !strings.Contains(out, "fingerprint: 20s  # default") ||
			!strings.Contains(out, "min_line: 4  # default") {
			t.Errorf("%s: Write() = %s\nwant fingerprint and min_line of the profile", how, out)
		}
		if c.SetProfile(ProfileDefault); !reflect.DeepEqual(c.Rules, Default().Rules) {
			t.Errorf("%s, and back: rules = %+v, want %+v", how, c.Rules, Default().Rules)
		}
	}
	kept := parse(t, "rules: {dedup: {min_line: 2}}")
	kept.Rules.Dedup.Fingerprint = 7 * time.Second
	if kept.SetProfile(ProfileSeed); kept.Rules.Dedup.MinLine != 2 || kept.Rules.Dedup.Fingerprint != 7*time.Second {
		t.Errorf("window = %+v, want the 2 characters of the file and the 7s of the program", kept.Rules.Dedup)
	}
	for text, want := range map[string]string{
		"min_line: -1": "min_line: -1: want 1 to 1000", "fingerprint: 1us": "fingerprint: 1µs: want 1ms to 24h",
		"min_line: 0": "min_line: 0: want 1 to 1000", "fingerprint: 0s": "fingerprint: 0s: want 1ms to 24h",
		"min_line: profile": `"profile": want a whole number from 1 to 1000`,
		"fingerprint: soon": `"soon": want a duration such as 1.5s, 250ms or 720h`,
	} {
		if _, err := parseFile("kehai.yaml", []byte("rules: {dedup: {"+text+"}}")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%s) = %v, want %q", text, err, want)
		}
	}
}

// A number can come from a file, the environment or a flag, the later wins, and
// the profile's own numbers follow the profile wherever that was set.
func TestSourcesOfRules(t *testing.T) {
	c := parse(t, "rules: {dedup: {min_line: 3}, fusion: {cursor: 6}}")
	if err := c.ApplyEnv([]string{"KEHAI_RULES_FUSION_CURSOR=7", "KEHAI_RULES_CAPTURE_GAP=50ms",
		"KEHAI_PROFILE=seed"}); err != nil {
		t.Fatal(err)
	}
	if err := c.SetFlag("--attempts", "rules.fusion.attempts", "5"); err != nil {
		t.Fatal(err)
	}
	if f := c.Rules.Fusion; f.CursorLines != 7 || f.Attempts != 5 ||
		c.Rules.Capture.Gap != 50*time.Millisecond {
		t.Errorf("cursor, attempts, gap = %d, %d, %v, want 7, 5, 50ms", f.CursorLines, f.Attempts,
			c.Rules.Capture.Gap)
	}
	if w := c.Rules.Dedup; w.MinLine != 3 || w.Fingerprint != 20*time.Second {
		t.Errorf("window = %+v, want the file's 3 characters and the profile's 20s", w)
	}
	if out := written(t, c); !strings.Contains(out, "cursor: 7  # env KEHAI_RULES_FUSION_CURSOR") ||
		!strings.Contains(out, "min_line: 3  # file kehai.yaml:1:27") {
		t.Errorf("Write() = %s\nwant where cursor and min_line are from", out)
	}
}
