package judgements_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/testkit/replay/judgements"
)

// TestAims plays generated logs: the cache must avoid at least 80 % of the calls and
// miss at most 1 % of the replies.
func TestAims(t *testing.T) {
	rules, _ := judgements.Rules("default")
	for seed := range uint64(5) {
		log := judgements.Generate(seed, 1200)
		res := judgements.Play(log, rules)
		if res.Avoided < 0.8 || res.MissedPart > 0.01 || res.Wanted < 50 {
			t.Errorf("seed %d: %+v, want at least 80 %% avoided and at most 1 %% of many missed", seed, res)
		}
		t.Logf("seed %d: %+v", seed, res)
	}
}

// TestPlay counts by hand.
func TestPlay(t *testing.T) {
	for _, c := range []struct {
		name, log                                 string
		calls, every, wanted, missed, laterMaxMin int
	}{
		{"a group's question: judged after 5 min in both",
			`{"at":"2026-11-16T08:00:00Z","channel":"c","group":true,"id":"a","respond_after":0,"confidence":0.9}`, 1,
			1, 1, 0, 0},
		{"one-to-one: judged on " +
			"arrival", `{"at":"2026-11-16T08:00:00Z","channel":"c","id":"a","respond_after":0,"confidence":0.9}`,
			1, 1, 1, 0, 0},
		{"a confident no: judged at 5 min, then half of the rest each time, or every minute",
			`{"at":"2026-11-16T08:00:00Z","channel":"c","group":true,"id":"a","confidence":0.9}`, 10, 715, 0, 0, 0},
		{"answered by the owner", `{"at":"2026-11-16T08:00:00Z","channel":"c","group":true,"id":"a","respond_after":0}
{"at":"2026-11-16T08:01:00Z","channel":"c","group":true,"id":"b","own":true}`,
			0, 0, 0, 0, 0},
		{"wanted after 10 min, an hour's " +
			"no", `{"at":"2026-11-16T08:00:00Z","channel":"c","group":true,"id":"a","respond_after":600,"confidence":0.8}`,
			2, 6, 1, 0, 55},
		{"an edit is judged again", `{"at":"2026-11-16T08:00:00Z","channel":"c","group":true,"id":"a","confidence":0.8}
{"at":"2026-11-16T08:10:00Z","channel":"c","group":true,"id":"a","respond_after":0,"confidence":0.8}`,
			2, 6, 1, 0, 0},
	} {
		rules, _ := judgements.Rules("default")
		log, err := judgements.Read("log", strings.NewReader(c.log))
		if err != nil {
			t.Fatal(err)
		}
		res := judgements.Play(log, rules)
		if res.Calls != c.calls || res.CallsEvery != c.every || res.Wanted != c.wanted || res.Missed != c.missed ||
			res.LaterMax != time.Duration(c.laterMaxMin)*time.Minute {
			t.Errorf("%s: %+v, want %d and %d calls, %d wanted, %d missed, %d min later", c.name, res, c.calls, c.every,
				c.wanted, c.missed, c.laterMaxMin)
		}
	}
}

// TestProfileSeedMisses: twelve hours of silence after a confident no are as long as
// a message may wait, so that its reply never comes.
func TestProfileSeedMisses(t *testing.T) {
	log, err := judgements.Read("log", strings.NewReader(
		`{"at":"2026-11-16T08:00:00Z","channel":"c","group":true,"id":"a","respond_after":7200,"confidence":0.95}`))
	if err != nil {
		t.Fatal(err)
	}
	for profile, missed := range map[string]int{"default": 0, "seed": 1} {
		rules, ok := judgements.Rules(profile)
		if res := judgements.Play(log, rules); !ok || res.Missed != missed || res.Wanted != 1 {
			t.Errorf("profile %s: %+v, want %d missed of 1", profile, res, missed)
		}
	}
	if _, ok := judgements.Rules("other"); ok {
		t.Error("Rules(other) is a profile")
	}
}

func TestReadAndWrite(t *testing.T) {
	log := judgements.Generate(3, 200)
	var b bytes.Buffer
	if err := judgements.Write(&b, log); err != nil {
		t.Fatal(err)
	}
	back, err := judgements.Read("log", &b)
	if err != nil || !reflect.DeepEqual(back, log) {
		t.Errorf("Read(Write(log)): %v, want the same %d lines", err, len(log))
	}
	if again := judgements.Generate(3, 200); !reflect.DeepEqual(again, log) {
		t.Error("the same seed made another log")
	}
	good := `{"at":"2026-11-16T08:00:00Z","channel":"c","id":"a"}`
	for in, want := range map[string]string{
		"":           "x.jsonl: no message",
		good + "\n{": "x.jsonl:2: ",
		good + good:  "x.jsonl:1: more than one object",
		`{"at":"2026-11-16T08:00:00Z","channel":"c"}`:                   "x.jsonl:1: at, channel and id",
		`{"at":"2026-11-16T08:00:00Z","channel":"c","id":"a","kind":1}`: `x.jsonl:1: json: unknown field "kind"`,
		`{"at":"2026-11-16T08:00:00Z","channel":"c","id":"a","confidence":1.5}`: "x.jsonl:1: confidence must lie " +
			"in 0..1",
		`{"at":"2026-11-16T08:00:00Z","channel":"c","id":"a","respond_after":-1}`: "x.jsonl:1: respond_after must " +
			"not be negative",
		good + "\n" + `{"text":"` + strings.Repeat("x", 1<<20) + `"}`: "x.jsonl:2: ",
		`{"at":"yesterday","channel":"c","id":"a"}`:                   "x.jsonl:1: ",
	} {
		if _, err := judgements.Read("x.jsonl", strings.NewReader(in)); !errors.Is(err, judgements.ErrLog) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("Read(%.60q) = %v, want ErrLog with %q", in, err, want)
		}
	}
}
