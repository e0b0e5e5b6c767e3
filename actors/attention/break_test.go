package attention_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// The state reported when a process ended does not last until the next start,
// unless the next start comes soon.
func TestABreakEndsTheState(t *testing.T) {
	for _, c := range []struct {
		pause time.Duration
		ends  bool
	}{{time.Minute, false}, {3 * time.Minute, true}, {72 * time.Hour, true}} {
		d := spawn(t, attention.DefaultOptions())
		d.camera, d.usage = camera(), usage()
		for range 12 {
			d.tick()
		}
		d.wantChanges("unknown → focused")
		seen := d.Now()
		d.Crash()
		d.SetClock(d.Now().Add(c.pause))
		d.Start()
		if !c.ends {
			d.wantChanges()
			continue
		}
		for _, s := range d.Sent() {
			got := s.Message.(messages.FocusChanged)
			if age := seen.Sub(got.To.At); got.From != messages.Focused || got.To.State != messages.Unknown ||
				age < 0 || age > time.Minute {
				t.Errorf("after a break of %v told %+v, want unknown since at most a minute before the end", c.pause,
					got)
			}
		}
		d.tick()
		d.tick()
		d.wantChanges("unknown → focused")
	}
}

// While a machine sleeps the process lives, but nobody watches. The state ended
// when the sleep began, even if the process is killed in the turn that notices.
func TestASleepEndsTheState(t *testing.T) {
	for _, c := range []struct {
		name  string
		sleep time.Duration
		crash func(d *desk)
		early time.Duration // how much before the sleep the state may have ended
		ends  bool
	}{
		{"two minutes", 2 * time.Minute, nil, 0, false},
		{"longer than two minutes", 2*time.Minute + 1, nil, 0, true},
		{"a night", 8 * time.Hour, nil, 0, true},
		{"a night, killed in waking", 8 * time.Hour, func(d *desk) { d.CrashBeforeCommit() }, time.Minute, true},
		{"a night, a failed commit in waking", 8 * time.Hour, func(d *desk) { d.FailNextCommit() }, time.Minute, true},
	} {
		d := spawn(t, asking())
		d.camera, d.usage = camera(), usage()
		for range 3 {
			d.tick()
		}
		d.wantChanges("unknown → focused")
		slept := d.Now()
		if c.crash != nil {
			c.crash(d)
		}
		d.SetClock(slept.Add(c.sleep))
		if c.crash != nil {
			d.Restart()
			d.Start()
		}
		var told []messages.FocusChanged
		for _, s := range d.Sent() {
			if s.To == "focushistory/desk" {
				told = append(told, s.Message.(messages.FocusChanged))
			}
		}
		if !c.ends {
			if len(told) != 0 {
				t.Errorf("%s: told %+v, want nothing", c.name, told)
			}
			continue
		}
		if len(told) != 1 || told[0].From != messages.Focused || told[0].To.State != messages.Unknown {
			t.Fatalf("%s: told %+v, want focused → unknown once", c.name, told)
		}
		if early := slept.Sub(told[0].To.At); early < 0 || early > c.early {
			t.Errorf("%s: the state ended %v before the sleep, want at most %v", c.name, early, c.early)
		}
		d.tick()
		d.tick()
		d.wantChanges("unknown → focused")
	}
}

// Whatever was seen or asked before a sleep does not count after it.
func TestASleepForgets(t *testing.T) {
	d := spawn(t, asking())
	d.camera, d.usage = camera(yaw(num(50))), gazing()
	d.tick()
	d.Answer(answer(`{"state":"focused","confidence":0.8}`))
	d.camera = nil
	d.Advance(tick) // another case, which is being asked
	d.wantJudged("llm focused → focused")
	d.wantChanges("unknown → focused")
	d.Calls()
	d.SetClock(d.Now().Add(3 * time.Minute))
	d.Answer(answer(`{"state":"idle","confidence":1}`))
	d.WantDropped(events.StageFocus, events.RuleNotAsked)
	d.wantChanges("focused → unknown")
	d.wantJudged("rule unknown → unknown")
	d.camera = camera(yaw(num(50)))
	d.tick()
	if n := len(d.Calls()); n != 1 {
		t.Errorf("%d questions about a case of before the sleep, want one", n)
	}
}

// During a pause nothing is judged and no snapshot is kept, even across a crash.
// Its beginning and its end are sent, even if nothing was known before.
func TestPause(t *testing.T) {
	d := spawn(t, attention.DefaultOptions())
	d.camera, d.usage = camera(face(no)), usage()
	d.tick()
	d.tick()
	d.wantJudged("rule away → away", "rule away → away")
	d.wantChanges("unknown → away")
	d.CrashBeforeCommit()
	d.Send(messages.PauseFocus{})
	d.Send(messages.PauseFocus{}) // a second one is none
	d.wantJudged("rule unknown → unknown")
	d.wantChanges("away → unknown")
	d.tick()
	d.Crash()
	d.Start()
	d.tick()
	d.tick()
	d.wantJudged()
	d.Send(messages.ResumeFocus{})
	d.wantJudged("rule unknown → unknown")
	d.wantChanges("unknown → unknown")
	d.camera, d.usage = nil, nil
	d.tick() // what came during the pause is not judged
	d.wantJudged()
	d.Send(messages.ResumeFocus{})
	d.wantChanges()
	d.camera, d.usage = camera(face(no)), usage()
	d.tick()
	d.tick()
	d.wantJudged("rule away → unknown", "rule away → away")
	d.wantChanges("unknown → away")
}

// An answer holds the state reported now: before the first state, while a state
// holds, after a crash, after a sleep and during a pause.
func TestAnswersWhoeverAsks(t *testing.T) {
	const from = messages.Address("conversation/line:Hana")
	d := spawn(t, attention.DefaultOptions())
	ask := func() messages.FocusAnswer {
		t.Helper()
		d.Sent()
		d.SendFrom(from, messages.AskFocus{Key: "k"})
		sent := d.Sent()
		if len(sent) != 1 || sent[0].To != from {
			t.Fatalf("AskFocus: sent %v, want one answer to %s", sent, from)
		}
		return sent[0].Message.(messages.FocusAnswer)
	}
	want := func(when string, state messages.Attention, since, at time.Time, paused bool) {
		t.Helper()
		got := ask()
		if got.Key != "k" || got.Desk != "desk" || got.Steady.State != state || got.Steady.Reasoning == "" ||
			!got.Since.Equal(since) || !got.Steady.At.Equal(at) || got.Paused != paused {
			t.Errorf("%s: answered %+v, want %s since %v, judged at %v, paused %v", when, got, state, since, at, paused)
		}
	}
	want("before anything", messages.Unknown, time.Time{}, time.Time{}, false)
	d.camera, d.usage = camera(face(no)), usage()
	d.tick()
	since := d.Now()
	d.tick()
	want("while it holds", messages.Away, since, d.Now(), false)
	d.camera = camera()
	d.tick()
	want("one judgement is no change", messages.Away, since, since.Add(tick), false)
	d.CrashBeforeCommit()
	d.SendFrom(from, messages.AskFocus{Key: "lost"})
	d.WantSent()
	d.Start()
	want("after a crash", messages.Away, since, since, false) // when it was stored
	d.WantCommits(1)
	slept := d.Now()
	d.SetClock(slept.Add(time.Hour))
	want("after a sleep", messages.Unknown, slept, d.Now(), false)
	d.Send(messages.PauseFocus{})
	want("during a pause", messages.Unknown, d.Now(), d.Now(), true)
	d.Sent()
	d.Send(messages.AskFocus{})
	d.WantSent()
	d.WantDropped(events.StageFocus, events.RuleNoAsker)
}
