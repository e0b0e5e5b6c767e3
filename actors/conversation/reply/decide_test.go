package reply

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func auto() Situation {
	return Situation{Mode: Assistant, Policy: PolicyAuto, Listed: true, Limits: DefaultLimits()}
}

func attention(s Situation, a messages.Attention, when ByAttention) Situation {
	s.Attention, s.When = &a, when
	return s
}

func sent(n, row int, ago time.Duration) Usage {
	u := Usage{}
	for range n {
		u = u.Automatic(noon.Add(-ago))
	}
	u.Row = row
	return u
}

func TestDecide(t *testing.T) {
	with := func(change func(*Situation)) Situation {
		s := auto()
		change(&s)
		return s
	}
	draft := with(func(s *Situation) { s.Policy = PolicyDraft })
	sends := ByAttention{Focused: Send, Away: Send, Drowsy: Send}
	night, _ := ParseQuiet("22:00-07:00")
	lunch, _ := ParseQuiet("11:30-13:00")
	for _, c := range []struct {
		name string
		s    Situation
		want Decision
	}{
		{"auto", auto(), Decision{Send, RuleAuto, time.Time{}}},
		{"observe", with(func(s *Situation) { s.Mode = Observe }), Decision{Nothing, RuleObserve, time.Time{}}},
		{"off", with(func(s *Situation) { s.Policy = PolicyOff }), Decision{Nothing, RuleOff, time.Time{}}},
		{"draft", draft, Decision{Draft, RulePolicy, time.Time{}}},
		{"no policy", with(func(s *Situation) { s.Policy = "" }), Decision{Draft, RulePolicy, time.Time{}}},
		{"not listed", with(func(s *Situation) { s.Listed = false }), Decision{Draft, RuleUnlisted, time.Time{}}},
		{"the judge is not sure at all", with(func(s *Situation) { s.Unsure = true }),
			Decision{Draft, RuleUnsure, time.Time{}}},
		{"the judge is not sure at all, drawn window", with(func(s *Situation) { s.Unsure, s.Drawn = true, true }),
			Decision{Draft, RuleUnsure, time.Time{}}},
		{"no model", with(func(s *Situation) { s.NoModel = true }), Decision{Draft, RuleNoModel, time.Time{}}},
		{"no model, drawn window", with(func(s *Situation) { s.NoModel, s.Drawn = true, true }),
			Decision{Send, RuleAuto, time.Time{}}},
		{"no model, interview", with(func(s *Situation) { s.NoModel, s.Mode = true, Interview }),
			Decision{Send, RuleAuto, time.Time{}}},

		{"focused", attention(auto(), messages.Focused, ByAttention{}), Decision{Draft, RuleAttention, time.Time{}}},
		{"away", attention(auto(), messages.Away, ByAttention{}), Decision{Notify, RuleAttention, time.Time{}}},
		{"drowsy", attention(auto(), messages.Drowsy, ByAttention{}), Decision{Draft, RuleAttention, time.Time{}}},
		{"another state means draft", attention(auto(), messages.Distracted, sends),
			Decision{Draft, RuleAttention, time.Time{}}},
		{"unknown means draft", attention(auto(), messages.Unknown, sends),
			Decision{Draft, RuleAttention, time.Time{}}},
		{"focused: hold", attention(auto(), messages.Focused, ByAttention{Focused: Hold}),
			Decision{Hold, RuleAttention, time.Time{}}},
		{"away: send, auto", attention(auto(), messages.Away, sends), Decision{Send, RuleAuto, time.Time{}}},
		{"away: send, draft", attention(draft, messages.Away, sends), Decision{Draft, RulePolicy, time.Time{}}},
		{"away: send, not listed", attention(with(func(s *Situation) { s.Listed = false }), messages.Away, sends),
			Decision{Draft, RuleUnlisted, time.Time{}}},
		{"away, observe", attention(with(func(s *Situation) { s.Mode = Observe }), messages.Away, sends),
			Decision{Nothing, RuleObserve, time.Time{}}},

		{"19 in the last hour", with(func(s *Situation) { s.Usage = sent(19, 0, time.Minute) }),
			Decision{Send, RuleAuto, time.Time{}}},
		{"20 in the last hour", with(func(s *Situation) { s.Usage = sent(20, 0, time.Minute) }),
			Decision{Draft, RuleHour, time.Time{}}},
		{"20 an hour ago", with(func(s *Situation) { s.Usage = sent(20, 0, time.Hour) }),
			Decision{Send, RuleAuto, time.Time{}}},
		{"4 in a row", with(func(s *Situation) { s.Usage = sent(4, 4, time.Minute) }),
			Decision{Send, RuleAuto, time.Time{}}},
		{"5 in a row", with(func(s *Situation) { s.Usage = sent(5, 5, 24*time.Hour) }),
			Decision{Draft, RuleRow, time.Time{}}},
		{"5 in a row, a person between", with(func(s *Situation) { s.Usage = sent(5, 5, time.Minute).Person() }),
			Decision{Send, RuleAuto, time.Time{}}},
		{"paused", with(func(s *Situation) { s.Paused = true }), Decision{Hold, RulePaused, time.Time{}}},
		{"quiet", with(func(s *Situation) { s.Quiet = lunch }), Decision{Hold, RuleQuiet, noon.Add(time.Hour)}},
		{"not quiet", with(func(s *Situation) { s.Quiet = night }), Decision{Send, RuleAuto, time.Time{}}},
		{"quiet and away", attention(with(func(s *Situation) { s.Quiet = lunch }), messages.Away, ByAttention{}),
			Decision{Draft, RuleQuiet, time.Time{}}},
		{"no limit is left", with(func(s *Situation) { s.Limits = Limits{} }), Decision{Draft, RuleRow, time.Time{}}},
	} {
		if got := Decide(c.s, noon); got != c.want {
			t.Errorf("%s: Decide() = %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestOnlyRestricts: whatever attention, limits and hours say, nothing is sent
// but under an allow-listed auto, and nothing is written where there is to be none.
func TestOnlyRestricts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		action := rapid.SampledFrom([]Action{Nothing, Hold, Draft, Notify, Send})
		s := Situation{
			Mode:   rapid.SampledFrom([]Mode{Assistant, Interview, Observe}).Draw(t, "mode"),
			Policy: rapid.SampledFrom([]Policy{PolicyAuto, PolicyDraft, PolicyOff}).Draw(t, "policy"),
			Listed: rapid.Bool().Draw(t, "listed"), Paused: rapid.Bool().Draw(t, "paused"), Limits: DefaultLimits(),
			When:  ByAttention{action.Draw(t, "focused"), action.Draw(t, "away"), action.Draw(t, "drowsy")},
			Quiet: Quiet{rapid.IntRange(0, 1439).Draw(t, "from"), rapid.IntRange(0, 1439).Draw(t, "to")},
			Usage: sent(rapid.IntRange(0, 25).Draw(t, "sent"), rapid.IntRange(0, 6).Draw(t, "row"), time.Minute),
		}
		without := Decide(s, noon)
		if rapid.Bool().Draw(t, "attention") {
			s = attention(s, rapid.SampledFrom([]messages.Attention{messages.Focused, messages.Away, messages.Drowsy,
				messages.Idle, messages.Distracted, messages.Unknown}).Draw(t, "state"), s.When)
		}
		got := Decide(s, noon)
		switch {
		case got.Action == Send && (s.Policy != PolicyAuto || !s.Listed || s.Paused || s.Quiet.At(noon) ||
			s.Usage.Row >= 5):
			t.Fatalf("sent: %+v", s)
		case got.Action == Send && without.Action != Send:
			t.Fatalf("attention allowed more: %+v", s)
		case (got.Action == Nothing) != (s.Mode == Observe || s.Policy == PolicyOff):
			t.Fatalf("Decide(%+v) = %+v", s, got)
		}
	})
}

func TestUsage(t *testing.T) {
	u := Usage{}
	for n := range 100 {
		u = u.Automatic(noon.Add(time.Duration(n) * time.Minute))
	}
	if len(u.Sent) != 60 || u.Row != 100 {
		t.Errorf("after 100 minutes: %d times kept, row %d, want the last hour's 60 and 100", len(u.Sent), u.Row)
	}
}

func TestQuiet(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	q, err := ParseQuiet("22:00-07:30")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at    string
		quiet bool
		end   string
	}{
		{"2026-11-22T21:59", false, ""}, {"2026-11-22T22:00", true, "2026-11-23T07:30"},
		{"2026-11-23T00:00", true, "2026-11-23T07:30"}, {"2026-11-23T07:29", true, "2026-11-23T07:30"},
		{"2026-11-23T07:30", false, ""},
	} {
		now, _ := time.ParseInLocation("2006-01-02T15:04", c.at, tokyo)
		if q.At(now) != c.quiet || c.quiet && q.End(now).Format("2006-01-02T15:04") != c.end {
			t.Errorf("%s: quiet %v until %v, want %v until %s", c.at, q.At(now), q.End(now), c.quiet, c.end)
		}
	}
	if none, err := ParseQuiet(""); err != nil || none.At(noon) {
		t.Errorf("ParseQuiet(empty) = %v, %v, want none", none, err)
	}
	for _, s := range []string{"22:00", "25:00-07:00", "22:60-07:00", "22-07", "22:00-07:00x", "-1:00-07:00",
		"nachts"} {
		if _, err := ParseQuiet(s); !errors.Is(err, ErrQuiet) {
			t.Errorf("ParseQuiet(%q) = %v, want ErrQuiet", s, err)
		}
	}
}

func TestAcknowledgement(t *testing.T) {
	ja, en := Acknowledgement(text.Japanese), Acknowledgement(text.English)
	if text.LanguageOf(string(ja), "") != text.Japanese || text.LanguageOf(string(en), "") != text.English {
		t.Errorf("Acknowledgement = %q, %q, want one in each language", string(ja), string(en))
	}
}
