package telemetry

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

func listenAll(m *Metrics, events ...messages.Message) {
	for _, ev := range events {
		m.Listen(engine.Published{Message: ev})
	}
}

func nobody() ([]engine.ActorInfo, []engine.PoolInfo) { return nil, nil }

func TestMetricsCountEvents(t *testing.T) {
	m := NewMetrics(nobody)
	listenAll(m,
		events.ActorRestarted{Actor: "dedup/a"}, events.ActorRestarted{Actor: "dedup/b"},
		events.ActorRestarted{Actor: "burst/a"},
		events.MessageFailed{Actor: "dedup/a"},
		events.MessageQuarantined{Actor: "dedup/a"},
		events.MessageOverflowed{Actor: "poller/a", Policy: "drop_oldest"},
		dropped(events.Verdict{Stage: events.StageFusion}), dropped(events.Verdict{Stage: events.StageFusion}),
		dropped(events.Verdict{Stage: events.StageDedup}),
		events.CallFinished{Worker: "ocr/1", Took: 30 * time.Millisecond},
		events.CallFinished{Worker: "ocr/2", Took: 30 * time.Millisecond},
		events.CallFinished{Worker: "ocr/1", Failure: messages.FailureTimeout},
		events.CallFinished{Worker: "ocr/1", Failure: "made up"},
		events.CommitFailed{},
		events.StoreLow{},
		events.CaptureState{Window: "a", Code: "minimised"}, events.CaptureState{Window: "a", Code: "permission"},
		events.CaptureState{Window: "b", Code: "minimised"}, events.CaptureState{Window: "b"},
		events.FrameSeen{Read: messages.FrameRead{Read: 2, Cached: 5}},
		events.FrameSeen{Read: messages.FrameRead{Cached: 7}},
		messages.MessageDelivered{},
		hostEvent{},
	)
	m.OnCommit(1, 4)
	m.OnCommit(9, 30)
	want := `
# HELP kehai_bubbles_total Bubbles found in frames: read by OCR, or cached.
# TYPE kehai_bubbles_total counter
kehai_bubbles_total{source="cached"} 12
kehai_bubbles_total{source="read"} 2
# HELP kehai_calls_total Attempts of calls by worker and result.
# TYPE kehai_calls_total counter
kehai_calls_total{result="ok",worker="ocr"} 2
kehai_calls_total{result="other",worker="ocr"} 1
kehai_calls_total{result="timeout",worker="ocr"} 1
# HELP kehai_commit_operations_total Rows written or deleted by commits.
# TYPE kehai_commit_operations_total counter
kehai_commit_operations_total 34
# HELP kehai_commit_turns Turns in one commit.
# TYPE kehai_commit_turns histogram
kehai_commit_turns_bucket{le="1"} 1
kehai_commit_turns_bucket{le="2"} 1
kehai_commit_turns_bucket{le="4"} 1
kehai_commit_turns_bucket{le="8"} 1
kehai_commit_turns_bucket{le="16"} 2
kehai_commit_turns_bucket{le="32"} 2
kehai_commit_turns_bucket{le="64"} 2
kehai_commit_turns_bucket{le="128"} 2
kehai_commit_turns_bucket{le="256"} 2
kehai_commit_turns_bucket{le="512"} 2
kehai_commit_turns_bucket{le="+Inf"} 2
kehai_commit_turns_sum 10
kehai_commit_turns_count 2
# HELP kehai_commits_failed_total Batches of turns that the store refused.
# TYPE kehai_commits_failed_total counter
kehai_commits_failed_total 1
# HELP kehai_drops_total Things that a stage let go no further.
# TYPE kehai_drops_total counter
kehai_drops_total{stage="dedup"} 1
kehai_drops_total{stage="fusion"} 2
# HELP kehai_failures_total Turns that ended in an error or a panic.
# TYPE kehai_failures_total counter
kehai_failures_total{kind="dedup"} 1
# HELP kehai_frames_read_total Frames that were read.
# TYPE kehai_frames_read_total counter
kehai_frames_read_total 2
# HELP kehai_messages_delivered_total Messages committed to a conversation.
# TYPE kehai_messages_delivered_total counter
kehai_messages_delivered_total 1
# HELP kehai_overflows_total Fleeting messages that a full mailbox dropped or merged.
# TYPE kehai_overflows_total counter
kehai_overflows_total{kind="poller",policy="drop_oldest"} 1
# HELP kehai_quarantined_total Messages that became dead letters.
# TYPE kehai_quarantined_total counter
kehai_quarantined_total{kind="dedup"} 1
# HELP kehai_restarts_total Restarts of actors by supervision.
# TYPE kehai_restarts_total counter
kehai_restarts_total{kind="burst"} 1
kehai_restarts_total{kind="dedup"} 2
# HELP kehai_store_paused 1 while durable work waits for free space.
# TYPE kehai_store_paused gauge
kehai_store_paused 1
# HELP kehai_windows_failing Watched windows that cannot be captured now.
# TYPE kehai_windows_failing gauge
kehai_windows_failing 1
`
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(want), named(want)...); err != nil {
		t.Error(err)
	}
	listenAll(m, events.StoreRecovered{})
	if got := testutil.ToFloat64(m.paused); got != 0 {
		t.Errorf("kehai_store_paused after recovery = %v, want 0", got)
	}
}

func named(want string) []string {
	var names []string
	for _, f := range regexp.MustCompile(`# TYPE (\S+)`).FindAllStringSubmatch(want, -1) {
		names = append(names, f[1])
	}
	return names
}

func TestMetricsTimeCallsAndDelivery(t *testing.T) {
	m := NewMetrics(nobody)
	seen := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	listenAll(m,
		events.CallFinished{Worker: "ocr/1", Took: 250 * time.Millisecond},
		events.FrameSeen{Read: messages.FrameRead{Took: 2 * time.Second}},
		messages.MessageDelivered{InboundMessage: messages.InboundMessage{SeenAt: seen},
			DeliveredAt: seen.Add(1500 * time.Millisecond)},
		messages.MessageDelivered{InboundMessage: messages.InboundMessage{SeenAt: seen},
			DeliveredAt: seen.Add(-time.Hour)},
	)
	text := scrape(m)
	for _, line := range []string{
		`kehai_call_duration_seconds_sum{worker="ocr"} 0.25`, `kehai_call_duration_seconds_count{worker="ocr"} 1`,
		`kehai_frame_read_duration_seconds_sum 2`,
		`kehai_delivery_delay_seconds_sum 1.5`, `kehai_delivery_delay_seconds_count 2`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("metrics lack %q", line)
		}
	}
}

// What an actor did before it went to sleep still counts.
func TestTurnsOfSleepersCount(t *testing.T) {
	m := NewMetrics(func() ([]engine.ActorInfo, []engine.PoolInfo) {
		return []engine.ActorInfo{{Address: "dedup/a", Turns: 10}}, nil
	})
	m.WatchSleep(func() map[string]uint64 { return map[string]uint64{"dedup": 5, "burst": 3} })
	want := `
# HELP kehai_turns_total Turns since the process started.
# TYPE kehai_turns_total counter
kehai_turns_total{kind="burst"} 3
kehai_turns_total{kind="dedup"} 15
`
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(want), "kehai_turns_total"); err != nil {
		t.Error(err)
	}
}

func TestMetricsSumActorsByKind(t *testing.T) {
	m := NewMetrics(func() ([]engine.ActorInfo, []engine.PoolInfo) {
		return []engine.ActorInfo{
				{Address: "dedup/a", Mailbox: 3, Pending: 1, Turns: 10, Healthy: true},
				{Address: "dedup/b", Mailbox: 5, Turns: 7},
				{Address: "poller/w", Turns: 1, Healthy: true},
			}, []engine.PoolInfo{
				{Kind: "ocr", Size: 2, Waiting: 4, Busy: 2, Resting: 1},
			}
	})
	want := `
# HELP kehai_actors Live actors.
# TYPE kehai_actors gauge
kehai_actors{kind="dedup"} 2
kehai_actors{kind="poller"} 1
# HELP kehai_actors_unhealthy Actors that spent their restart budget.
# TYPE kehai_actors_unhealthy gauge
kehai_actors_unhealthy{kind="dedup"} 1
kehai_actors_unhealthy{kind="poller"} 0
# HELP kehai_mailbox_messages Messages that wait in memory.
# TYPE kehai_mailbox_messages gauge
kehai_mailbox_messages{kind="dedup"} 8
kehai_mailbox_messages{kind="poller"} 0
# HELP kehai_mailbox_messages_max Messages in the fullest mailbox of the kind.
# TYPE kehai_mailbox_messages_max gauge
kehai_mailbox_messages_max{kind="dedup"} 5
kehai_mailbox_messages_max{kind="poller"} 0
# HELP kehai_turns_pending Turns that wait for their commit.
# TYPE kehai_turns_pending gauge
kehai_turns_pending{kind="dedup"} 1
kehai_turns_pending{kind="poller"} 0
# HELP kehai_turns_total Turns since the process started.
# TYPE kehai_turns_total counter
kehai_turns_total{kind="dedup"} 17
kehai_turns_total{kind="poller"} 1
# HELP kehai_worker_jobs Calls in the pool by state.
# TYPE kehai_worker_jobs gauge
kehai_worker_jobs{state="busy",worker="ocr"} 2
kehai_worker_jobs{state="resting",worker="ocr"} 1
kehai_worker_jobs{state="waiting",worker="ocr"} 4
# HELP kehai_workers Workers in the pool.
# TYPE kehai_workers gauge
kehai_workers{worker="ocr"} 2
`
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(want), named(want)...); err != nil {
		t.Error(err)
	}
}

func TestMetricsStayBounded(t *testing.T) {
	var actors []engine.ActorInfo
	var pools []engine.PoolInfo
	const many = 5000
	name := func(i int) string { // letters only, as kinds are
		return fmt.Sprintf("k%c%c%c", 'a'+i/676%26, 'a'+i/26%26, 'a'+i%26)
	}
	for i := range many {
		actors = append(actors,
			engine.ActorInfo{Address: messages.To("conversation", fmt.Sprint(i))},
			engine.ActorInfo{Address: messages.To(name(i), "x")})
		pools = append(pools, engine.PoolInfo{Kind: name(i)})
	}
	m := NewMetrics(func() ([]engine.ActorInfo, []engine.PoolInfo) { return actors, pools })
	for i := range many {
		addr := messages.To(name(i), "x")
		conv := messages.To("conversation", fmt.Sprint(i))
		listenAll(m, events.ActorRestarted{Actor: addr}, events.ActorRestarted{Actor: conv},
			dropped(events.Verdict{Stage: events.Stage(name(i))}),
			events.CallFinished{Worker: addr}, events.MessageOverflowed{Actor: addr, Policy: name(i)},
			events.CaptureState{Window: messages.WindowID(name(i)), Code: "x"})
	}
	text := scrape(m)
	perMetric := map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "kehai_") {
			metric, _, _ := strings.Cut(line, "{")
			perMetric[metric]++
		}
	}
	const most = (maxLabels + 1) * 12 // kinds × (buckets or states)
	for metric, n := range perMetric {
		if n > most {
			t.Errorf("%s has %d series, want at most %d", metric, n, most)
		}
	}
	if !strings.Contains(text, `kehai_restarts_total{kind="conversation"} 5000`) ||
		!strings.Contains(text, `kehai_drops_total{stage="other"}`) {
		t.Error("metrics lack the sum of one kind's actors, or the other stages")
	}
}

func TestMetricsOfTwoRuntimes(t *testing.T) {
	a, b := NewMetrics(nobody), NewMetrics(nobody)
	listenAll(a, messages.MessageDelivered{})
	if got := testutil.ToFloat64(b.delivered); got != 0 {
		t.Errorf("the second runtime counts %v messages of the first, want 0", got)
	}
}

// The package comment lists every metric, and names follow Prometheus' rules.
func TestMetricsAreDocumentedAndWellNamed(t *testing.T) {
	m := NewMetrics(func() ([]engine.ActorInfo, []engine.PoolInfo) {
		return []engine.ActorInfo{{Address: "dedup/a"}}, []engine.PoolInfo{{Kind: "ocr"}}
	})
	listenAll(m, events.ActorRestarted{Actor: "a/b"}, events.MessageFailed{Actor: "a/b"},
		events.MessageQuarantined{Actor: "a/b"},
		events.MessageOverflowed{Actor: "a/b", Policy: "x"}, dropped(events.Verdict{Stage: "s"}),
		events.CallFinished{Worker: "a/b"},
		events.FrameSeen{})
	m.WatchLLM(func() LLMInfo { return LLMInfo{Outcomes: map[string]uint64{"ok": 1}} })
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, f := range regexp.MustCompile(`(?m)^//\t(kehai_\w+)`).FindAllStringSubmatch(docSource(t), -1) {
		documented[f[1]] = true
	}
	for _, f := range families {
		name := f.GetName()
		if strings.HasPrefix(name, "kehai_") && !documented[name] {
			t.Errorf("%s is not in the package comment", name)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("the package comment names %s, which is not there", name)
	}
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	if text := scrape(m); !strings.Contains(text, "go_goroutines") || !strings.Contains(text, "process_") {
		t.Error("metrics lack those of Go and of the process")
	}
}

func scrape(m *Metrics) string {
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return rec.Body.String()
}

func docSource(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
