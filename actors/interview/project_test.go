package interview_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/interview"
)

const whole = `tone: casual
goal: Find out why people leave
must_ask:
  - When did you decide?
must_not_ask: [salary, 病気]
limits: {max_turns: 8, max_deep: 3, max_conversations: 20}
`

func TestParseProject(t *testing.T) {
	p, err := interview.ParseProject("p.yaml", []byte(whole))
	if err != nil || p.Tone != interview.Casual || p.Goal == "" || len(p.MustAsk) != 1 || len(p.MustNotAsk) != 2 ||
		p.Limits != (interview.Limits{MaxTurns: 8, MaxDeep: 3, MaxConversations: 20}) {
		t.Errorf("ParseProject() = %+v, %v, want the whole project", p, err)
	}
	p, err = interview.ParseProject("", []byte("goal: x"))
	if err != nil || p.Tone != interview.PoliteSoft || p.Limits != (interview.Limits{MaxTurns: 12, MaxDeep: 2}) {
		t.Errorf("ParseProject(goal only) = %+v, %v, want the defaults", p, err)
	}
}

func TestParseProjectRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"tone: casual", "tone: rude", "p.yaml:1:7: tone must be polite_soft, casual or formal, is \"rude\""},
		{"goal: Find out why people leave", "goal: ''", "p.yaml:2:7: goal must say what"},
		{"goal: Find out why people leave", "goal: " + strings.Repeat("x", 2001),
			"goal must have at most 2000 characters, has 2001"},
		{"goal:", "aim:", "p.yaml:2:1: unknown field"},
		{"max_turns: 8", "max_turns: 0", "p.yaml:6:21: limits.max_turns must lie in 1..200, is 0"},
		{"max_turns: 8", "max_turns: many", "p.yaml:6:"},
		{"max_turns: 8", "max_turns: 8.5", "p.yaml:6:21: want a whole number"},
		{"max_deep: 3", "max_deep: -1", "limits.max_deep must lie in 0..50, is -1"},
		{"max_deep: 3", "max_deep: 8", "p.yaml:6:34: limits.max_deep is 8, but limits.max_turns ends an interview " +
			"after 8 answers"},
		{"max_deep: 3", "max_deep: 0", "p.yaml:4:3: must_ask has 1 questions, but limits.max_deep allows 0: raise " +
			"max_deep to 1"},
		{"max_turns: 8", "max_turns: 4", "p.yaml:4:3: must_ask has 1 questions, but limits.max_turns ends an " +
			"interview after 4 answers, and 4 come before the first of them: raise max_turns to 5"},
		{"max_conversations: 20", "max_conversations: -1", "limits.max_conversations must lie in 0..100000, is -1"},
		{"When did you decide?", "What is your Salary?",
			"p.yaml:4:5: must_ask[0] asks what must_not_ask forbids (\"salary\")"},
		{"When did you decide?", "'?'", "p.yaml:4:5: must_ask[0] must not be empty"},
		{"病気", "Salary!", "p.yaml:5:24: must_not_ask[1] is there twice"},
		{"tone: casual", "tone: casual\ntone: formal", "p.yaml:2:1"},
		{"limits: {", "limits: [", "p.yaml:"},
	} {
		in := strings.Replace(whole, c.old, c.new, 1)
		_, err := interview.ParseProject("p.yaml", []byte(in))
		if !errors.Is(err, interview.ErrProject) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ParseProject with %.40q = %v, want ErrProject with %q", c.new, err, c.want)
		}
	}
	if err := (interview.Project{}).Validate(); !errors.Is(err, interview.ErrProject) {
		t.Errorf("Validate(zero) = %v, want ErrProject", err)
	}
}

func FuzzParseProject(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("goal: x\nlimits: {max_turns: 1e9}"))
	f.Add([]byte("- - - -\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := interview.ParseProject("p.yaml", data)
		if (err == nil) != (p.Validate() == nil) && err == nil {
			t.Fatalf("ParseProject(%q) = %+v, which Validate refuses", data, p)
		}
		if err != nil && !errors.Is(err, interview.ErrProject) {
			t.Fatalf("ParseProject(%q) = %v, want ErrProject", data, err)
		}
	})
}
