package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/testkit"
)

// asking starts a watched desk whose unclear cases go to a server, in a bubble.
func asking(t *testing.T, w *worker, server *testkit.LLMServer, change ...func(*config.LLM)) *testkit.System {
	t.Helper()
	return testkit.Start(t,
		testkit.WithConfig(func(c *config.Config) {
			c.Focus.Enabled, c.Focus.Usage, c.Node = true, "made-up", "desk"
			c.LLM.Tier, c.LLM.Provider, c.LLM.Model, c.LLM.BaseURL = config.LLMLocal, "openai", "m", server.URL()+"/v1"
			for _, f := range change {
				f(&c.LLM)
			}
		}),
		testkit.WithRuntime(runtime.WithUsage("made-up", func() (hardware.Usage, error) { return w, nil }),
			runtime.WithLLMTransport(server.Transport())))
}

// turned is a case that the rules leave open, and the fallback calls distracted.
var turned = messages.CameraSnapshot{
	FaceDetected: messages.Just(true), EARAverage: messages.Just(0.31), PerclosDrowsy: messages.Just(false),
	Yawning:  messages.Just(false),
	HeadPose: messages.HeadPose{Yaw: messages.Just(60.0), Pitch: messages.Just(-3.0)},
}

// judged lists the judgements so far as "source state confidence".
func judged(s *testkit.System) (list []string) {
	for _, m := range s.Events() {
		if j, ok := m.(messages.FocusJudged); ok {
			list = append(list, fmt.Sprint(j.Raw.Source, " ", j.Raw.State, " ", j.Raw.Confidence))
		}
	}
	return list
}

// allowed are the fields that may be asked about.
var allowed = strings.Fields(`face_detected face_not_detected_ratio ear_average ear_open perclos perclos_drowsy yawning head_pose gaze_off_screen_ratio
	blinks_per_minute head_movement_count active_app idle_seconds is_idle keyboard_rate_window mouse_rate_window app_switches_in_window
	unique_apps_in_window seconds_since_last_keyboard`)

// wantAllowed fails for a question with anything else in it.
func wantAllowed(t *testing.T, r testkit.LLMRequest) {
	t.Helper()
	fields := 0
	for line := range strings.Lines(r.Prompt) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var half map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &half); err != nil {
			t.Errorf("asked %q: %v", line, err)
		}
		for name := range half {
			fields++
			if !slices.Contains(allowed, name) {
				t.Errorf("asked about %q, which is not on the list", name)
			}
		}
	}
	if fields == 0 {
		t.Errorf("asked %q, want fields", r.Prompt)
	}
	if strings.Contains(string(r.Body), "secret plan") {
		t.Errorf("asked %s, which has a window's title", r.Body)
	}
}

// A model is asked once for a case, and again when it changes materially; what
// it is asked about is on the list.
func TestALanguageModelJudgesUnclearCases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := testkit.StartLLMPipe(t)
		server.When(nil, testkit.LLMReply{Text: `{"state":"focused","confidence":0.85,"reasoning":"in a meeting"}`})
		w := &worker{}
		s := asking(t, w, server)
		sees(t, s, turned, 3*time.Minute)
		if n := len(server.Requests()); n != 1 {
			t.Errorf("asked %d times about one case, want once", n)
		}
		if got := judged(s); len(got) < 16 || slices.ContainsFunc(got[2:],
			func(j string) bool { return j != "llm focused 0.85" }) {
			t.Errorf("judged %q, want the model's verdict throughout", got)
		}
		almost := turned
		almost.HeadPose.Yaw = messages.Just(58.0)
		sees(t, s, almost, time.Minute)
		if n := len(server.Requests()); n != 1 {
			t.Errorf("asked %d times after two degrees, want once", n)
		}
		drowsy := turned
		drowsy.EARAverage, drowsy.Yawning = messages.Just(0.19), messages.Just(true)
		sees(t, s, drowsy, time.Minute)
		if n := len(server.Requests()); n != 2 {
			t.Errorf("asked %d times after a yawn, want twice", n)
		}
		for _, r := range server.Requests() {
			wantAllowed(t, r)
			if !r.JSON || !strings.Contains(r.System, "attention of one person") ||
				r.Header.Get("Authorization") != "" {
				t.Errorf("asked with system %.40q, JSON %v and key %q, want the prompt of attention and no key",
					r.System, r.JSON, r.Header.Get("Authorization"))
			}
		}
	})
}

// Whatever the model answers, there is a judgement in the same tick.
func TestTheFallbackJudgesInTheSameTick(t *testing.T) {
	for name, c := range map[string]struct {
		reply testkit.LLMReply
		want  string
	}{
		"unknown state":    {testkit.LLMReply{Text: `{"state":"asleep","confidence":1}`}, "fallback distracted 0.6"},
		"no judgement":     {testkit.LLMReply{Text: "I cannot see anybody."}, "fallback distracted 0.6"},
		"confidence NaN":   {testkit.LLMReply{Text: `{"state":"focused","confidence":NaN}`}, "llm focused 0.5"},
		"confidence huge":  {testkit.LLMReply{Text: `{"state":"focused","confidence":1e300}`}, "llm focused 1"},
		"confidence text":  {testkit.LLMReply{Text: `{"state":"focused","confidence":"high"}`}, "llm focused 0.5"},
		"confidence below": {testkit.LLMReply{Text: `{"state":"focused","confidence":-3}`}, "llm focused 0"},
		"status 500":       {testkit.LLMReply{Status: 500}, "fallback distracted 0.6"},
		"status 401":       {testkit.LLMReply{Status: 401}, "fallback distracted 0.6"},
		"limited":          {testkit.LLMReply{Status: 429, RetryAfter: "3600"}, "fallback distracted 0.6"},
		"garbage":          {testkit.LLMReply{Body: "\x00\x01"}, "fallback distracted 0.6"},
		"truncated":        {testkit.LLMReply{Body: `{"choices":[{"message":{"cont`}, "fallback distracted 0.6"},
		"cut":              {testkit.LLMReply{Text: `{"state":"focused"}`, Cut: 20}, "fallback distracted 0.6"},
		"refused":          {testkit.LLMReply{Text: "no", Finish: "content_filter"}, "fallback distracted 0.6"},
		"hangs":            {testkit.LLMReply{Hold: true}, "fallback distracted 0.6"},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := testkit.StartLLMPipe(t)
			server.When(nil, c.reply)
			s := asking(t, &worker{}, server)
			for !slices.Contains(judged(s), c.want) && len(judged(s)) < 4 {
				sees(t, s, turned, 5*time.Second)
			}
			s.Advance(9 * time.Second)
			got := judged(s)
			if len(got) == 0 || got[len(got)-1] != c.want || len(server.Requests()) != 1 {
				t.Errorf("%s: judged %q after %d questions, want %q after one", name, got, len(server.Requests()),
					c.want)
			}
			at := map[int64]int{}
			for _, m := range s.Events() {
				if j, ok := m.(messages.FocusJudged); ok {
					at[j.Raw.At.Unix()/10]++
				}
			}
			for tick, n := range at {
				if n != 1 {
					t.Errorf("%s: %d judgements in tick %d, want one", name, n, tick)
				}
			}
		})
	}
}

// One call is under way at a time, and one that comes too late is not used: its
// worker was replaced meanwhile.
func TestALateAnswerIsNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := testkit.StartLLMPipe(t)
		server.When(nil, testkit.LLMReply{Text: `{"state":"idle","confidence":1}`, Hold: true})
		s := asking(t, &worker{}, server, func(c *config.LLM) { c.Timeout = time.Minute })
		sees(t, s, turned, 55*time.Second)
		server.Release(5)
		s.Advance(time.Second)
		if n := len(server.Requests()); n != 1 {
			t.Errorf("asked %d times within the rest after a failure, want once", n)
		}
		for _, j := range judged(s) {
			if strings.Contains(j, "idle") {
				t.Errorf("judged %q, want the late answer unused", judged(s))
			}
		}
		missed := 0
		for _, m := range s.Events() {
			if f, ok := m.(events.CallFinished); ok && f.Worker.Kind() == messages.WorkerLLM &&
				f.Failure == messages.FailureTimeout {
				missed++
			}
		}
		if missed != 1 {
			t.Errorf("%d calls missed their deadline, want one", missed)
		}
	})
}

// moody is a host's model that panics first.
type moody struct{ asked int }

func (m *moody) Generate(context.Context, runtime.LLMQuestion) (runtime.LLMReply, error) {
	m.asked++
	if m.asked == 1 {
		panic("the person wrote: lunch at noon")
	}
	return runtime.LLMReply{Text: `{"state":"focused","confidence":0.7}`}, nil
}

// A host's model is asked whatever the tier is; its panic restarts the worker,
// and its words are nowhere.
func TestAHostsModelThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &moody{}
		s := watched(t, &worker{}, runtime.WithLLM(m))
		sees(t, s, turned, 40*time.Second)
		if got := judged(s); m.asked != 1 || !slices.Contains(got, "fallback distracted 0.6") {
			t.Errorf("asked %d times and judged %q, want the fallback after one panic", m.asked, got)
		}
		sees(t, s, turned, 2*time.Minute)
		if got := judged(s); m.asked != 2 || got[len(got)-1] != "llm focused 0.7" {
			t.Errorf("asked %d times and judged %q, want the model's verdict after its rest", m.asked, got)
		}
		panics := 0
		for _, ev := range s.Events() {
			if text := fmt.Sprintf("%+v", ev); strings.Contains(text, "lunch") {
				t.Errorf("an event has the panic's words: %s", text)
			}
			if f, ok := ev.(events.CallFinished); ok && f.Failure == messages.FailurePanic {
				panics++
			}
		}
		if panics != 1 {
			t.Errorf("%d panics reported, want one", panics)
		}
	})
}

// A crash while the model is asked costs that question and nothing else.
func TestACrashWhileTheModelIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := testkit.StartLLMPipe(t, testkit.LLMReply{Hold: true})
		server.When(func(r testkit.LLMRequest) bool { return len(server.Requests()) > 1 },
			testkit.LLMReply{Text: `{"state":"drowsy","confidence":0.9}`})
		s := asking(t, &worker{}, server)
		for len(server.Requests()) == 0 {
			sees(t, s, turned, 5*time.Second)
		}
		s.Crash()
		sees(t, s, turned, time.Minute)
		if got := states(t, s); got != "drowsy" {
			t.Errorf("stored %q, want drowsy once", got)
		}
		if n := len(server.Requests()); n != 2 {
			t.Errorf("asked %d times, want once more after the crash", n)
		}
	})
}

// question is what a test's actor asks the model.
type question struct{ Text messages.Text }

func (question) MessageType() messages.Type { return messages.Type{Name: "test_question", Version: 1} }

// Over a real network: each answer and each failure reaches who asked, and the
// metrics count them.
func TestEveryAskerHearsBack(t *testing.T) {
	const key = "sk-hunter2hunter2"
	t.Setenv("TEST_LLM_KEY", key)
	server := testkit.StartLLM(t, testkit.LLMReply{Text: "hello", PromptTokens: 11, AnswerTokens: 3},
		testkit.LLMReply{Status: 403, Text: key}, testkit.LLMReply{Body: key},
		testkit.LLMReply{Status: 429, RetryAfter: "60", Text: key})
	cfg := noWindow(t)
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	cfg.LLM.Tier, cfg.LLM.Provider, cfg.LLM.Model, cfg.LLM.BaseURL, cfg.LLM.KeyEnv = config.LLMLocal, "anthropic", "m",
		server.URL()+"/v1", "TEST_LLM_KEY"
	heard := make(chan string, 1)
	var log bytes.Buffer
	rt := newRuntime(t, cfg, runtime.WithLogger(zerolog.New(zerolog.SyncWriter(&log))),
		runtime.WithMessages(messages.Table{messages.Fleeting[question]()}),
		runtime.WithActor(engine.Kind{Name: "asker", New: func(messages.Address) actors.Actor {
			return actors.Func(func(turn *actors.Turn, m messages.Message) error {
				switch m := m.(type) {
				case question:
					turn.Call(messages.WorkerLLM, messages.AskLLM{Purpose: "test", Prompt: m.Text},
						actors.CallOptions{Deadline: actors.DefaultDeadline})
				case messages.LLMAnswer:
					heard <- string(m.Text)
				case messages.CallFailed:
					heard <- fmt.Sprint(m.Kind, " ", m.Code, " ", m.Detail)
				}
				return nil
			})
		}}))
	stop := start(t, rt)
	for _, want := range []string{"hello", "error refused ", "error malformed ", "error rate_limited ",
		"error rate_limited llm: not asked"} {
		if err := rt.Inject(t.Context(), "asker/a", question{"private words"}, ""); err != nil {
			t.Fatal(err)
		}
		if got := <-heard; !strings.HasPrefix(got, want) || strings.Contains(got, "hunter2") ||
			strings.Contains(got, "private") {
			t.Errorf("heard %q, want %q and nothing private", got, want)
		}
	}
	used := control.LLMUse{Purpose: "test", Model: "m", Attempts: 5, Answers: 1, PromptTokens: 11, AnswerTokens: 3}
	if got := rt.Inspect().LLM; got == nil || got.Breaker != "open" ||
		!slices.Equal(got.Purposes, []control.LLMUse{used}) {
		t.Errorf("Inspect().LLM = %+v, want %+v and the breaker open", got, used)
	} else if len(got.Failing) != 1 || got.Failing[0].Code != messages.LLMRateLimited || got.Failing[0].Mend == "" {
		t.Errorf("Inspect().LLM.Failing = %+v, want the last failure, and what helps", got.Failing)
	}
	body := visit(t, rt).get("/metrics")
	for _, line := range []string{
		`kehai_llm_questions_total{outcome="ok"} 1`, `kehai_llm_questions_total{outcome="refused"} 1`,
		`kehai_llm_questions_total{outcome="malformed"} 1`,
		`kehai_llm_questions_total{outcome="rate_limited"} 2`, `kehai_llm_tokens_total{direction="in"} 11`,
		`kehai_llm_tokens_total{direction="out"} 3`,
		`kehai_llm_breaker_state 2`, `kehai_call_duration_seconds_count{worker="llm"} 5`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, word := range []string{key, "private"} {
		if strings.Contains(log.String(), word) {
			t.Errorf("the log has %q:\n%s", word, log.String())
		}
	}
	if n := strings.Count(log.String(), "the language model does not answer"); n != 3 {
		t.Errorf("the log says %d times that the model does not answer, want once for each way:\n%s", n, log.String())
	}
}

func TestOpenWithoutALanguageModel(t *testing.T) {
	if _, err := drivers.AskLLM(config.Default().LLM); !errors.Is(err, config.ErrConfig) ||
		!strings.Contains(err.Error(), "llm.tier is none") {
		t.Errorf("AskLLM(tier none) = %v, want to be told what to set", err)
	}
}

// An actor that asks where nobody may be asked hears so at once, and of what is
// missing: everything else of a runtime works without.
func TestNoLanguageModel(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*config.LLM)
		detail string
	}{
		"none": {func(*config.LLM) {}, "set llm.tier"},
		"its key is missing": {func(l *config.LLM) {
			l.Tier, l.Provider, l.Model, l.KeyEnv = config.LLMCloud, "openai", "m", "TEST_NO_SUCH_KEY"
		}, "TEST_NO_SUCH_KEY is not set"},
	} {
		heard := make(chan messages.CallFailed, 1)
		cfg := noWindow(t)
		c.change(&cfg.LLM)
		var log bytes.Buffer
		rt := newRuntime(t, cfg, runtime.WithLogger(zerolog.New(zerolog.SyncWriter(&log))),
			runtime.WithActor(engine.Kind{Name: "asker", New: func(messages.Address) actors.Actor {
				return actors.Func(func(turn *actors.Turn, m messages.Message) error {
					switch m := m.(type) {
					case messages.Started:
						turn.Call(messages.WorkerLLM, messages.AskLLM{Purpose: "test", Retry: true},
							actors.CallOptions{Deadline: actors.DefaultDeadline})
					case messages.CallFailed:
						heard <- m
					}
					return nil
				})
			}}, "a"))
		stop := start(t, rt)
		if off := rt.Inspect().LLM; name == "none" && off != nil || name != "none" &&
			(off == nil || !strings.Contains(off.Off, c.detail)) {
			t.Errorf("%s: Inspect().LLM = %+v, want why it is not asked", name, off)
		}
		if got := <-heard; got.Code != string(messages.LLMNoModel) || !strings.Contains(got.Detail, c.detail) ||
			got.Attempts != 1 {
			t.Errorf("%s: heard %+v, want no_model with %q", name, got, c.detail)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if said := strings.Contains(log.String(), "has no key and is not asked"); said != (name != "none") {
			t.Errorf("%s: the log is\n%s", name, log.String())
		}
	}
}
