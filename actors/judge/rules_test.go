package judge_test

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/messages"
)

var update = flag.Bool("update", false, "rewrite golden files")

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// seed are the rules without guards.
func seed() judge.Rules {
	r := judge.DefaultRules()
	r.Plain = true
	return r
}

func judgement(respond bool, confidence float64) judge.Judgement {
	return judge.Judgement{Verdict: judge.Verdict{Respond: respond, Confidence: confidence, Reason: "why",
		Source: judge.FromModel}, Channel: "c", Thread: "1.2", Latest: "m1", Written: noon.Add(-5 * time.Minute)}
}

// TestScopeKey has the rows of the seed, and those that it left open.
func TestScopeKey(t *testing.T) {
	for _, c := range []struct {
		channel messages.ConversationID
		thread  string
		want    judge.Scope
	}{
		{"channel_id", "thread_ts", "channel_id:thread_ts"}, {"channel_id", "", "channel_id:top"},
		{"channel_id", "top", "channel_id:%74op"}, {"channel_id", "%74op", "channel_id:%2574op"},
		{"a:b", "c", "a:b:c"}, {"a", "b:c", "a:b%3Ac"},
	} {
		if got := judge.ScopeOf(c.channel, c.thread); got != c.want {
			t.Errorf("ScopeOf(%q, %q) = %q, want %q", c.channel, c.thread, got, c.want)
		}
	}
}

func TestScopesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a%:2574pto]{0,6}`)
		thread, other := word.Draw(t, "thread"), word.Draw(t, "other")
		a, b := judge.ScopeOf("c", thread), judge.ScopeOf("c", other)
		if (thread == other) != (a == b) {
			t.Fatalf("threads %q and %q have scopes %q and %q", thread, other, a, b)
		}
	})
}

// TestIsValid has the rows of the seed, the edge, and clocks that go back.
func TestIsValid(t *testing.T) {
	c := judge.Cache{Latest: "m1", UpdatedAt: noon, NextCheckAt: noon.Add(time.Hour)}
	for _, row := range []struct {
		name   string
		now    time.Time
		latest string
		want   bool
	}{
		{"before next_check_at, same message", noon.Add(59 * time.Minute), "m1", true},
		{"at next_check_at", noon.Add(time.Hour), "m1", false},
		{"after next_check_at", noon.Add(2 * time.Hour), "m1", false},
		{"another message", noon.Add(time.Minute), "m2", false},
		{"an edited message", noon.Add(time.Minute), judge.MessageID("m1", 1), false},
		{"the clock a little back", noon.Add(-time.Minute), "m1", true},
		{"the clock far back", noon.Add(-2 * time.Minute), "m1", false},
	} {
		if got := c.Valid(row.now, row.latest); got != row.want {
			t.Errorf("%s: Valid() = %v, want %v", row.name, got, row.want)
		}
	}
	if c.Expired(noon.Add(time.Hour)) || !c.Expired(noon.Add(time.Hour+1)) {
		t.Error("Expired() is not: next_check_at lies before")
	}
}

// TestSkipSeconds has the rows of the seed, in its profile, and the guards.
func TestSkipSeconds(t *testing.T) {
	defaulted := judgement(true, 1)
	defaulted.Defaulted = true
	old := judgement(false, 0.95)
	old.Written = noon.Add(-11*time.Hour - 59*time.Minute)
	for _, c := range []struct {
		name          string
		rules         judge.Rules
		j             judge.Judgement
		want, guarded time.Duration
	}{
		{"confidence 0.9", seed(), judgement(false, 0.9), 12 * time.Hour, 12*time.Hour/2 - 150*time.Second},
		{"confidence 0.8", seed(), judgement(false, 0.8), time.Hour, time.Hour},
		{"confidence 0.7", seed(), judgement(false, 0.7), time.Hour, time.Hour},
		{"confidence 0.5", seed(), judgement(false, 0.5), 10 * time.Minute, 10 * time.Minute},
		{"confidence 0.8999", seed(), judgement(false, 0.8999), time.Hour, time.Hour},
		{"yes with 0.9", seed(), judgement(true, 0.9), 12 * time.Hour, 12 * time.Hour},
		{"no confidence", seed(), defaulted, 12 * time.Hour, 10 * time.Minute},
		{"no, nearly too old", seed(), old, 12 * time.Hour, time.Minute},
	} {
		guarded := c.rules
		guarded.Plain = false
		for _, run := range []struct {
			rules judge.Rules
			want  time.Duration
		}{{c.rules, c.want}, {guarded, c.guarded}} {
			s, _ := run.rules.Judged(judge.State{}, c.j, noon)
			s = run.rules.Delivered(s, noon)
			if got := s.Cache.NextCheckAt.Sub(noon); got != run.want {
				t.Errorf("%s, plain %v: holds for %v, want %v", c.name, run.rules.Plain, got, run.want)
			}
			if s.Cache.Shortened != (c.want != run.want && !c.j.Defaulted) {
				t.Errorf("%s, plain %v: shortened = %v", c.name, run.rules.Plain, s.Cache.Shortened)
			}
		}
	}
}

// TestSkipping has the rows of the seed on when the model is asked.
func TestSkipping(t *testing.T) {
	r := judge.DefaultRules()
	held, _ := r.Judged(judge.State{}, judgement(false, 0.8), noon)
	off := r
	off.Enabled = false
	for _, c := range []struct {
		name   string
		rules  judge.Rules
		s      judge.State
		latest string
		after  time.Duration
		want   bool
	}{
		{"switched off", off, held, "m1", time.Minute, true},
		{"no cache", r, judge.State{}, "m1", 0, true},
		{"cache holds", r, held, "m1", 59 * time.Minute, false},
		{"cache expired", r, held, "m1", time.Hour, true},
		{"a new message", r, held, "m2", time.Minute, true},
		{"after an own reply or a taken back message", r, held.Forget(), "m1", time.Minute, true},
	} {
		if got, next := c.rules.Due(c.s, c.latest, noon.Add(c.after)); got != c.want || !got && !next.After(noon) {
			t.Errorf("%s: Due() = %v, %v, want %v", c.name, got, next, c.want)
		}
	}
	again, _ := r.Judged(held, judgement(false, 0.5), noon.Add(time.Hour))
	if again.Cache.NextCheckAt != noon.Add(70*time.Minute) || again.Cache.CreatedAt != noon ||
		again.Cache.UpdatedAt == noon {
		t.Errorf("judged again: %+v, want one record with a new check and its first creation", again.Cache)
	}
}

// TestYesWaitsForDelivery: a reply that fails silences nothing.
func TestYesWaitsForDelivery(t *testing.T) {
	r := judge.DefaultRules()
	s, reply := r.Judged(judge.State{}, judgement(true, 0.95), noon)
	if !reply || s.Cache != nil {
		t.Fatalf("Judged(yes) = %+v, %v, want a reply and no cache", s, reply)
	}
	if due, _ := r.Due(s, "m1", noon.Add(time.Minute)); due {
		t.Error("asked again while the reply is on its way")
	}
	if due, _ := r.Due(s, "m2", noon.Add(time.Minute)); !due {
		t.Error("a new message waits for the reply to an older one")
	}
	sent := r.Delivered(s, noon.Add(2*time.Minute))
	if sent.Cache == nil || sent.Pending != nil || sent.Cache.NextCheckAt != noon.Add(12*time.Hour+2*time.Minute) {
		t.Errorf("delivered: %+v, want it cached from then on", sent.Cache)
	}
	var waits []time.Duration
	at := noon
	for range 6 {
		s = r.NotDelivered(s, at)
		due, next := r.Due(s, "m1", at)
		if due || s.Cache != nil {
			t.Fatalf("failed: due at once, or cached: %+v", s)
		}
		if due, _ := r.Due(s, "m2", at); !due {
			t.Fatal("a new message waits because the reply to an older one failed")
		}
		waits = append(waits, next.Sub(at)/time.Minute)
		at = next
		if due, _ := r.Due(s, "m1", at); !due {
			t.Fatalf("not due at %v", at)
		}
		s, _ = r.Judged(s, judgement(true, 0.95), at)
	}
	want := []time.Duration{1, 2, 4, 8, 10, 10}
	for i := range want {
		if waits[i] != want[i] {
			t.Errorf("waits = %v minutes, want %v", waits, want)
			break
		}
	}
	if s = r.Delivered(s, at); s.Failed != 0 || s.Cache == nil {
		t.Errorf("delivered at last: %+v, want a clean state", s)
	}
	for _, s := range []judge.State{r.Delivered(judge.State{}, noon), r.NotDelivered(judge.State{}, noon)} {
		if s.Cache != nil || s.Failed != 0 {
			t.Errorf("a delivery that nobody waits for made %+v", s)
		}
	}
}

// TestSchedule: every 60 s what is unanswered for 300 s and younger than 12 h.
func TestSchedule(t *testing.T) {
	r := judge.DefaultRules()
	at := func(age time.Duration) judge.Message { return judge.Message{ID: "m1", At: noon.Add(-age)} }
	own := judge.Message{ID: "m2", At: noon.Add(-time.Minute), Own: true}
	for _, c := range []struct {
		name string
		list []judge.Message
		want bool
	}{
		{"nothing", nil, false},
		{"299 s old", []judge.Message{at(299 * time.Second)}, false},
		{"300 s old", []judge.Message{at(300 * time.Second)}, true},
		{"younger than 12 h", []judge.Message{at(12*time.Hour - 1)}, true},
		{"12 h old", []judge.Message{at(12 * time.Hour)}, false},
		{"answered", []judge.Message{at(time.Hour), own}, false},
		{"followed by a young one", []judge.Message{at(time.Hour), at(time.Minute)}, false},
	} {
		if got := r.Scheduled(judge.State{}, c.list, noon); got != c.want {
			t.Errorf("%s: Scheduled() = %v, want %v", c.name, got, c.want)
		}
	}
	held, _ := r.Judged(judge.State{}, judgement(false, 0.8), noon)
	list := []judge.Message{at(time.Hour)}
	if r.Scheduled(held, list, noon.Add(time.Minute)) || !r.Scheduled(held, list, noon.Add(time.Hour)) {
		t.Error("the scheduler does not go by the cache")
	}
	if got := judge.Newest(make([]int, 50), r); len(got) != 20 {
		t.Errorf("Newest(50) has %d, want 20", len(got))
	}
}

func TestCheck(t *testing.T) {
	r := judge.DefaultRules()
	r.Thresholds = []judge.Threshold{{0.7, time.Hour}, {0.9, 12 * time.Hour}}
	sorted, err := r.Check()
	if err != nil || sorted.Thresholds[0].MinConfidence != 0.9 || r.Thresholds[0].MinConfidence != 0.7 {
		t.Errorf("Check() = %+v, %v, want a sorted copy", sorted.Thresholds, err)
	}
	confidence := func(i int, least float64) func(*judge.Rules) {
		return func(r *judge.Rules) { r.Thresholds[i].MinConfidence = least }
	}
	for want, change := range map[string]func(*judge.Rules){
		"thresholds[1].min_confidence must lie in 0..1, is 1.5":  confidence(1, 1.5),
		"thresholds[0].min_confidence must lie in 0..1, is -0.1": confidence(0, -0.1),
		"thresholds[0].min_confidence must lie in 0..1, is NaN":  confidence(0, math.NaN()),
		"thresholds[1].min_confidence is there twice: 0.9":       confidence(1, 0.9),
		"thresholds[0].skip must lie in":                         func(r *judge.Rules) { r.Thresholds[0].Skip = -1 },
		"default_skip must lie in":                               func(r *judge.Rules) { r.DefaultSkip = 0 },
		"check_every must lie in":                                func(r *judge.Rules) { r.CheckEvery = 0 },
		"min_wait must lie in":                                   func(r *judge.Rules) { r.MinWait = -1 },
		"max_age must lie above min_wait (5m0s)":                 func(r *judge.Rules) { r.MaxAge = 5 * time.Minute },
		"messages must lie in 1..200, is 0":                      func(r *judge.Rules) { r.Messages = 0 },
	} {
		r := judge.DefaultRules()
		change(&r)
		if _, err := r.Check(); !errors.Is(err, judge.ErrRules) || !strings.Contains(err.Error(), want) {
			t.Errorf("Check() = %v, want ErrRules with %q", err, want)
		}
	}
}

// TestGolden pins the stored form.
func TestGolden(t *testing.T) {
	r := judge.DefaultRules()
	held, _ := r.Judged(judge.State{}, judgement(false, 0.95), noon)
	waits, _ := r.Judged(held, judgement(true, 0.8), noon.Add(time.Hour))
	got, err := json.MarshalIndent([]judge.State{{}, held, waits, r.NotDelivered(waits, noon)}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/state.v1.golden"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != string(got)+"\n" {
		t.Errorf("stored form is\n%s\nwant\n%s (%v)", got, want, err)
	}
}
