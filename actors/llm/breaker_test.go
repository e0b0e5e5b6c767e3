package llm

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

var rule = BreakerRule{Failures: 3, OpenFor: 30 * time.Second}

// A play is a list of steps: ask, ok, fail, limit (fail with a pause of 50 s),
// abandon, late (the end of the question before the last), or a duration that
// passes.
func play(t *testing.T, steps ...string) (b Breaker, now time.Time, let []bool) {
	t.Helper()
	now = noon
	var last, before Ticket
	for _, s := range steps {
		switch s {
		case "ask":
			next, ticket, _, ok := b.Ask(rule, now)
			let, b = append(let, ok), next
			if ok {
				before, last = last, ticket
			}
		case "ok":
			b = b.Done(rule, now, last, Succeeded, 0)
		case "fail":
			b = b.Done(rule, now, last, Failed, 0)
		case "limit":
			b = b.Done(rule, now, last, Failed, 50*time.Second)
		case "abandon":
			b = b.Done(rule, now, last, Abandoned, 0)
		case "late":
			b = b.Done(rule, now, before, Failed, 0)
		default:
			d, err := time.ParseDuration(s)
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(d)
		}
	}
	return b, now, let
}

func TestBreaker(t *testing.T) {
	tripped := []string{"ask", "fail", "ask", "fail", "ask", "fail"}
	after := func(more ...string) []string { return append(append([]string(nil), tripped...), more...) }
	for name, c := range map[string]struct {
		steps []string
		want  State
		asked bool // whether the last question went through
	}{
		"new":            {[]string{"ask"}, Closed, true},
		"two failures":   {[]string{"ask", "fail", "ask", "fail", "ask"}, Closed, true},
		"three failures": {after(), Open, true},
		"not in a row": {[]string{"ask", "fail", "ask", "fail", "ask", "ok", "ask", "fail", "ask"},
			Closed, true},
		"open":                             {after("29.9s", "ask"), Open, false},
		"half-open":                        {after("30s", "ask"), HalfOpen, true},
		"one try only":                     {after("30s", "ask", "ask"), HalfOpen, false},
		"the try succeeds":                 {after("30s", "ask", "ok"), Closed, true},
		"the try fails":                    {after("30s", "ask", "fail", "29s", "ask"), Open, false},
		"the try fails, later another one": {after("30s", "ask", "fail", "30s", "ask"), HalfOpen, true},
		"the try is abandoned":             {after("30s", "ask", "abandon", "ask"), HalfOpen, true},
		"the try is lost":                  {after("30s", "ask", "30s", "ask"), HalfOpen, true},
		"a lost try comes back":            {after("30s", "ask", "30s", "ask", "late"), HalfOpen, true},
		"a success forgets failures": {after("30s", "ask", "ok", "ask", "fail", "ask", "fail", "ask"), Closed,
			true},
		"a pause opens at once": {[]string{"ask", "limit", "49s", "ask"}, Open, false},
		"a pause ends":          {[]string{"ask", "limit", "50s", "ask"}, HalfOpen, true},
		"abandoned says nothing": {[]string{"ask", "abandon", "ask", "abandon", "ask", "abandon", "ask"}, Closed,
			true},
		"an end of before it opened": {[]string{"ask", "ask", "limit", "late", "50s", "ask", "ok", "late"}, Closed,
			true},
	} {
		b, _, let := play(t, c.steps...)
		if b.State != c.want || let[len(let)-1] != c.asked {
			t.Errorf("%s: %q = %s, last question let through %v, want %s, %v", name, c.steps, b.State, let[len(let)-1],
				c.want, c.asked)
		}
	}
}

func TestBreakerTellsPausesApart(t *testing.T) {
	for _, c := range []struct {
		end  string
		want bool
	}{{"limit", true}, {"fail", false}} {
		if b, _, _ := play(t, "ask", c.end, "ask", c.end, "ask", c.end); b.State != Open || b.Limited != c.want {
			t.Errorf("after %s: %s, limited %v, want open, %v", c.end, b.State, b.Limited, c.want)
		}
	}
}

func TestDefaultLimits(t *testing.T) {
	want := Limits{
		Timeout: 8 * time.Second, JSONTimeout: 30 * time.Second, FirstToken: time.Minute, Concurrency: 4,
		MaxTokens: 512,
		Breaker:   BreakerRule{Failures: 3, OpenFor: 30 * time.Second},
	}
	if got := DefaultLimits(); got != want {
		t.Errorf("DefaultLimits() = %+v, want %+v", got, want)
	}
}

// Whatever happens: closed lets everything through, open nothing before its
// time, half-open one question at a time; nobody waits longer than the rest that
// was set, and after it somebody is let through.
func TestBreakerNeverStaysShut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := BreakerRule{Failures: rapid.IntRange(1, 5).Draw(t, "failures"),
			OpenFor: time.Duration(rapid.IntRange(1, 100).Draw(t, "open")) * time.Second}
		b, now := Breaker{}, noon
		var tickets []Ticket
		longest, tries := r.OpenFor, 0
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				was := b
				next, ticket, wait, ok := b.Ask(r, now)
				b = next
				switch {
				case was.State == Closed && !ok:
					t.Fatal("a closed breaker refused a question")
				case ok && was.State != Closed && now.Before(was.Until):
					t.Fatalf("%s let a question through %s early", was.State, was.Until.Sub(now))
				case !ok && (wait <= 0 || wait > longest):
					t.Fatalf("a wait of %s, want at most %s", wait, longest)
				}
				if ok {
					tickets = append(tickets, ticket)
				}
				if ok && was.State == HalfOpen {
					tries++
				}
			case 2:
				if len(tickets) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(tickets)-1).Draw(t, "which")
				pause := time.Duration(rapid.IntRange(0, 1).Draw(t, "pause")*rapid.IntRange(1, 200).Draw(t,
					"for")) * time.Second
				longest = max(longest, pause)
				b = b.Done(r, now, tickets[i], Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")), pause)
				tickets = append(tickets[:i], tickets[i+1:]...)
			case 3:
				now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "passes")) * time.Second)
			}
		}
		if _, _, _, ok := b.Ask(r, now.Add(longest)); !ok {
			t.Fatalf("%s refuses a question after %s without any", b.State, longest)
		}
	})
}
