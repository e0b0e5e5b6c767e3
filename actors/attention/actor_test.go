package attention_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/testkit/actortest"
)

const second = time.Second

// desk is a classifier and the snapshots that it gets.
type desk struct {
	*actortest.Harness
	t      *testing.T
	camera *messages.CameraSnapshot
	usage  *messages.UsageSnapshot
}

// asking are options with a language model.
func asking() attention.Options {
	o := attention.DefaultOptions()
	o.LLM = true
	return o
}

// literal are the options of profile seed.
func literal(r attention.Rules) attention.Options {
	o := attention.DefaultOptions()
	o.Rules, o.Literal = r, true
	return o
}

func spawn(t *testing.T, o attention.Options) *desk {
	t.Helper()
	o.Tell = []string{"focushistory", "notifier"}
	h := actortest.Spawn(t, attention.New(o), actortest.Address("focus/desk"), actortest.Start(noon))
	h.Start()
	return &desk{Harness: h, t: t}
}

// look sends the desk's snapshots, dated now.
func (d *desk) look() {
	d.t.Helper()
	if d.camera != nil {
		c := *d.camera
		c.ObservedAt = d.Now()
		d.Send(c)
	}
	if d.usage != nil {
		u := *d.usage
		u.ObservedAt = d.Now()
		d.Send(u)
	}
}

// tick sends the snapshots and lets the next judgement happen.
func (d *desk) tick() {
	d.t.Helper()
	d.look()
	d.Advance(tick)
}

// wantJudged checks the published judgements, each as "source state → steady".
func (d *desk) wantJudged(want ...string) {
	d.t.Helper()
	var got []string
	for _, m := range d.Published() {
		j, ok := m.(messages.FocusJudged)
		if !ok {
			d.t.Errorf("published %T, want judgements", m)
			continue
		}
		if j.Desk != "desk" || j.Raw.At.IsZero() ||
			j.Raw.CameraState+j.Raw.PCState+j.Steady.CameraState+j.Steady.PCState != "" {
			d.t.Errorf("published %+v, want it of this desk, with a time and empty halves", j)
		}
		got = append(got, fmt.Sprintf("%s %s → %s", j.Raw.Source, j.Raw.State, j.Steady.State))
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		d.t.Errorf("judged %q, want %q", got, want)
	}
}

// wantChanges checks the changes sent to the history and the notifier, each as
// "from → to".
func (d *desk) wantChanges(want ...string) {
	d.t.Helper()
	got := map[messages.Address][]string{}
	for _, s := range d.Sent() {
		c, ok := s.Message.(messages.FocusChanged)
		if !ok || c.Desk != "desk" || c.To.At.IsZero() {
			d.t.Errorf("sent %v, want changes of this desk", s)
			continue
		}
		got[s.To] = append(got[s.To], fmt.Sprintf("%s → %s", c.From, c.To.State))
	}
	for _, to := range []messages.Address{"focushistory/desk", "notifier/desk"} {
		if strings.Join(got[to], ", ") != strings.Join(want, ", ") {
			d.t.Errorf("told %s %q, want %q", to, got[to], want)
		}
	}
}

var gazing = func() *messages.UsageSnapshot { return usage(idle(num(90)), isIdle(yes), key(num(90))) }

func answer(text messages.Text) messages.LLMAnswer { return messages.LLMAnswer{Text: text} }

func TestClearCases(t *testing.T) {
	d := spawn(t, asking())
	d.camera, d.usage = camera(), usage()
	d.tick()
	d.wantJudged("rule focused → focused")
	d.wantChanges("unknown → focused")
	d.tick()
	d.wantJudged("rule focused → focused")
	d.camera = camera(face(no))
	d.tick()
	d.wantJudged("rule away → focused")
	d.wantChanges()
	d.tick()
	d.wantJudged("rule away → away")
	d.wantChanges("focused → away")
	d.WantCalls()
	d.WantCommits(2)
}

// Without data "unknown" is published once.
func TestNothingToJudge(t *testing.T) {
	d := spawn(t, attention.DefaultOptions())
	d.Advance(5 * tick)
	d.wantJudged("rule unknown → unknown")
	d.wantChanges()
	d.usage = usage()
	d.tick()
	d.wantJudged("fallback focused → unknown")
	d.tick()
	d.wantJudged("fallback focused → focused")
	d.usage = nil
	d.Advance(15 * tick) // 90 s until the snapshot is too old
	if n := len(d.Published()); n != 10 {
		t.Errorf("%d judgements after the last snapshot, want 8 until it is too old and 2 of unknown", n)
	}
	d.wantChanges("unknown → focused", "focused → unknown")
}

func TestSnapshotsGrowOld(t *testing.T) {
	d := spawn(t, attention.DefaultOptions())
	d.camera = camera(face(no))
	d.Advance(5 * second)
	d.look()
	d.Advance(5 * second)
	d.wantJudged("rule away → away")
	d.Advance(tick) // now 15 s old
	d.wantJudged("rule away → away")
	d.Advance(tick)
	d.wantJudged("rule unknown → away")
}

// The time since the last key is measured from now, from its newest report.
func TestKeysUncoverACamera(t *testing.T) {
	d := spawn(t, attention.DefaultOptions())
	d.camera, d.usage = camera(face(no)), usage(key(num(1)))
	d.look()
	d.Advance(5 * second)
	d.Send(messages.KeyRecency{LastKey: d.Now().Add(-3 * second)})
	d.Advance(5 * second) // 8 s ago
	d.wantJudged("fallback focused → focused")
	d.look()
	d.usage = nil
	d.Advance(tick) // 11 s ago
	d.wantJudged("rule away → focused")
}

func TestAsksOncePerCase(t *testing.T) {
	d := spawn(t, asking())
	d.camera, d.usage = camera(), gazing()
	d.tick()
	d.wantJudged() // it is being asked
	calls := d.Calls()
	if len(calls) != 1 || calls[0].Worker != "llm" || calls[0].Options.Deadline != 8*second ||
		calls[0].Options.Retries != 0 {
		t.Fatalf("called %v, want one question with a deadline of 8 s", calls)
	}
	q := calls[0].Request.(messages.AskLLM)
	if q.System != attention.SystemPrompt || !strings.Contains(string(q.Prompt), `"idle_seconds":90`) || !q.JSON ||
		q.Purpose != "focus" || q.Temperature != 0 {
		t.Errorf("asked %+v, want the look", q)
	}
	d.Advance(2 * second)
	d.Answer(answer(`{"state":"distracted","confidence":0.75,"reasoning":"scrolling"}`))
	d.wantJudged("llm distracted → unknown")
	d.look()
	d.Advance(8 * second)
	d.WantCalls()
	d.wantJudged("llm distracted → distracted")
	d.wantChanges("unknown → distracted")
	d.camera = camera(yaw(num(4))) // no material change
	d.tick()
	d.WantCalls()
	d.wantJudged("llm distracted → distracted")
	d.camera = camera(yaw(num(34)))
	d.tick()
	if n := len(d.Calls()); n != 1 {
		t.Errorf("%d questions after the head turned, want one", n)
	}
	d.Answer(answer(`{"state":"focused"}`))
	d.camera = camera()
	asked := 0
	for range 60 {
		d.tick()
		if len(d.Calls()) > 0 {
			asked++
			d.Answer(answer(`{"state":"focused"}`))
		}
	}
	if asked != 1 {
		t.Errorf("%d questions about the first case in ten minutes more, want it asked again once", asked)
	}
}

// The language model judges passive scrolling if the camera does not decide; a
// change then takes two judgements.
func TestScrollingIsTheModelsCase(t *testing.T) {
	for name, seen := range map[string]*messages.CameraSnapshot{"no camera": nil,
		"the head turned": camera(yaw(num(35)))} {
		d := spawn(t, asking())
		d.camera, d.usage = seen, scrolling()
		d.tick()
		calls := d.Calls()
		if len(calls) != 1 || !strings.Contains(string(calls[0].Request.(messages.AskLLM).Prompt),
			`"active_app":"Safari"`) {
			t.Fatalf("%s: called %v, want one question about Safari", name, calls)
		}
		d.Answer(answer(`{"state":"distracted","confidence":0.75,"reasoning":"scrolls"}`))
		d.wantJudged("llm distracted → unknown")
		d.tick()
		d.wantJudged("llm distracted → distracted")
		d.wantChanges("unknown → distracted")
	}
}

func TestFallbackInTheSameTick(t *testing.T) {
	for _, fail := range []struct {
		name string
		do   func(d *desk)
	}{
		{"no worker", func(d *desk) { d.FailCall(messages.FailureUnknown, "", "no workers") }},
		{"time-out", func(d *desk) { d.Advance(8 * second); d.FailCall(messages.FailureTimeout, "", "late") }},
		{"panic", func(d *desk) { d.FailCall(messages.FailurePanic, "", "panic") }},
		{"refusal", func(d *desk) { d.FailCall(messages.FailureError, "no_model", "none") }},
		{"unknown state", func(d *desk) { d.Answer(answer(`{"state":"happy"}`)) }},
		{"no JSON", func(d *desk) { d.Answer(answer(`I would rather not.`)) }},
	} {
		d := spawn(t, asking())
		d.camera, d.usage = camera(yawning(yes)), usage()
		d.tick()
		d.wantJudged()
		fail.do(d)
		d.wantJudged("fallback drowsy → drowsy")
		d.Calls()
		for range 5 { // at rest, it is not asked
			d.tick()
			d.WantCalls()
			d.wantJudged("fallback drowsy → drowsy")
		}
		d.Advance(tick)
		d.tick()
		if n := len(d.Calls()); n != 1 {
			t.Errorf("%s: %d questions after a minute's rest, want one", fail.name, n)
		}
	}
}

func TestRestsLongerEachTime(t *testing.T) {
	d := spawn(t, asking())
	d.camera, d.usage = camera(yawning(yes)), usage()
	asked := []time.Time{}
	for range 6 * 60 {
		d.tick()
		if len(d.Calls()) > 0 {
			asked = append(asked, d.Now())
			d.FailCall(messages.FailureTimeout, "", "late")
		}
	}
	var gaps []time.Duration
	for i := 1; i < len(asked); i++ {
		gaps = append(gaps, asked[i].Sub(asked[i-1]))
	}
	want := "[1m0s 2m0s 4m0s 8m0s 16m0s 16m0s]"
	if got := fmt.Sprint(gaps); got != want {
		t.Errorf("asked a failing model with gaps of %s, want %s", got, want)
	}
}

// A tick does not wait for an answer, and a late answer changes nothing.
func TestLateAnswer(t *testing.T) {
	d := spawn(t, asking())
	d.camera, d.usage = camera(yaw(num(50))), gazing()
	d.tick()
	d.wantJudged()
	d.tick()
	if n := len(d.Calls()); n != 1 {
		t.Errorf("%d questions, want one at a time", n)
	}
	d.wantJudged("fallback distracted → unknown")
	d.Answer(answer(`{"state":"idle","confidence":1}`))
	d.WantDropped(events.StageFocus, events.RuleNextJudgement)
	d.wantJudged()
	d.tick()
	if n := len(d.Calls()); n != 1 {
		t.Errorf("%d questions after the late answer, want a new one", n)
	}
	d.Send(answer(`{"state":"idle"}`)) // answers nothing
	d.WantDropped(events.StageFocus, events.RuleNotAsked)
	d.wantJudged()
}

func TestALostAnswerIsNotWaitedForForEver(t *testing.T) {
	d := spawn(t, asking())
	d.camera, d.usage = camera(yaw(num(50))), gazing()
	asked := 0
	for range 8 {
		d.tick()
		asked += len(d.Calls())
	}
	if asked != 2 {
		t.Errorf("%d questions in 80 s without an answer, want 2", asked)
	}
}

// Wherever it is killed, a classifier sends each change once and continues with
// the state that it reported.
func TestCrashAtEveryPointOfATick(t *testing.T) {
	points := []string{
		"none", "before the snapshots", "after the snapshots", "in the tick", "in the commit", "after the tick",
		"while it is asked", "in the answer", "after the answer",
	}
	for _, point := range points {
		d := spawn(t, asking())
		d.camera, d.usage = camera(), usage()
		d.tick()
		d.wantChanges("unknown → focused")
		d.camera, d.usage = camera(yaw(num(50))), gazing()
		crash := func(at string) {
			if at == point {
				d.Crash()
				d.Start()
			}
		}
		// Six rounds are enough for every path: the crash falls into the second.
		for round := range 6 {
			if round == 1 {
				crash("before the snapshots")
			}
			d.look()
			if round == 1 {
				crash("after the snapshots")
				switch point {
				case "in the tick":
					d.CrashBeforeCommit()
				case "in the commit":
					d.FailNextCommit()
				}
			}
			d.Advance(tick)
			if round == 1 {
				crash("after the tick")
				if point == "in the tick" {
					d.Start()
				}
			}
			if calls := d.Calls(); len(calls) > 0 {
				if round == 1 {
					crash("while it is asked")
				}
				if round == 1 && point == "in the answer" {
					d.CrashBeforeCommit()
				}
				if point != "while it is asked" || round != 1 {
					d.AnswerCall(calls[len(calls)-1].ID, answer(`{"state":"distracted","confidence":0.8}`))
				}
				if point == "in the answer" && round == 1 {
					d.Start()
				}
			}
			if round == 1 {
				crash("after the answer")
			}
		}
		d.wantChanges("focused → distracted")
		row, ok := actortest.Stored(d.Harness, attention.Rows, attention.RowKey)
		if !ok || row.Debouncer.State != messages.Distracted || row.Last.State != messages.Distracted {
			t.Errorf("crash %s: stored %+v, %v, want distracted", point, row, ok)
		}
	}
}

func TestCommitsAreRare(t *testing.T) {
	d := spawn(t, attention.DefaultOptions())
	d.camera, d.usage = camera(), usage()
	for range 60 {
		d.tick()
	}
	d.WantCommits(10) // one for the change, then one a minute
}

func TestLiteralProfile(t *testing.T) {
	seed := rules(attention.ProfileSeed)
	d := spawn(t, literal(*seed))
	d.camera, d.usage = camera(face(no)), usage(key(num(0)))
	d.tick()
	d.wantJudged("rule away → away")
	d.camera = camera(yaw(num(50)))
	d.tick()
	d.wantJudged("fallback distracted → distracted")
	d.camera = camera(face(no))
	d.tick()
	d.wantJudged("rule away → away")
	d.wantChanges("unknown → away", "away → distracted", "distracted → away")
}

func TestForeignMessagesFail(t *testing.T) {
	d := spawn(t, attention.DefaultOptions())
	d.WantFailure("focus: unexpected poll_due")
	d.Send(messages.PollDue{})
	d.Restart()
	d.Send(messages.CallFailed{Worker: "other"})
	d.WantDropped(events.StageFocus, events.RuleNotCalled)
}

var _ actors.Actor = attention.New(attention.DefaultOptions())("focus/desk")
