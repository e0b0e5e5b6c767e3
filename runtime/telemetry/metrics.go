package telemetry

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Metrics counts events on its own registry, so that several runtimes in one process do
// not conflict. Make it with [NewMetrics]; its methods may be called concurrently.
type Metrics struct {
	registry *prometheus.Registry
	live     *collector

	restarts, failures, quarantined *prometheus.CounterVec
	overflows, drops, calls         *prometheus.CounterVec
	bubbles                         *prometheus.CounterVec
	callTime                        *prometheus.HistogramVec
	commitTurns, readTime, delay    prometheus.Histogram
	commitOps, commitFailed         prometheus.Counter
	frames, delivered               prometheus.Counter
	paused, failing                 prometheus.Gauge

	kinds, stages, workers, policies *labels

	mu      sync.Mutex
	capture map[messages.WindowID]bool // windows that cannot be captured
}

// NewMetrics makes metrics at zero. source is asked at each scrape for the live
// actors and pools; it may return nothing.
func NewMetrics(source func() ([]engine.ActorInfo, []engine.PoolInfo)) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		live:     newCollector(source),
		kinds:    newLabels(), stages: newLabels(), workers: newLabels(), policies: newLabels(),
		capture: map[messages.WindowID]bool{},

		restarts:    counters("restarts_total", "Restarts of actors by supervision.", "kind"),
		failures:    counters("failures_total", "Turns that ended in an error or a panic.", "kind"),
		quarantined: counters("quarantined_total", "Messages that became dead letters.", "kind"),
		overflows: counters("overflows_total", "Fleeting messages that a full mailbox dropped or merged.", "kind",
			"policy"),
		drops:   counters("drops_total", "Things that a stage let go no further.", "stage"),
		calls:   counters("calls_total", "Attempts of calls by worker and result.", "worker", "result"),
		bubbles: counters("bubbles_total", "Bubbles found in frames: read by OCR, or cached.", "source"),
		callTime: prometheus.NewHistogramVec(histogram("call_duration_seconds", "Duration of an attempt of a call.",
			prometheus.ExponentialBuckets(0.001, 4, 9)), []string{"worker"}),

		commitTurns: prometheus.NewHistogram(histogram("commit_turns", "Turns in one commit.",
			prometheus.ExponentialBuckets(1, 2, 10))),
		readTime: prometheus.NewHistogram(histogram("frame_read_duration_seconds", "Duration of reading one frame.",
			prometheus.ExponentialBuckets(0.005, 2, 11))),
		delay: prometheus.NewHistogram(histogram("delivery_delay_seconds",
			"From a message's first sight to its commit.",
			prometheus.ExponentialBuckets(0.1, 2, 11))),
		commitOps:    counter("commit_operations_total", "Rows written or deleted by commits."),
		commitFailed: counter("commits_failed_total", "Batches of turns that the store refused."),
		frames:       counter("frames_read_total", "Frames that were read."),
		delivered:    counter("messages_delivered_total", "Messages committed to a conversation."),
		paused:       gauge("store_paused", "1 while durable work waits for free space."),
		failing:      gauge("windows_failing", "Watched windows that cannot be captured now."),
	}
	m.registry.MustRegister( // fails only for a duplicate name, which is a bug here
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), m.live,
		m.restarts, m.failures, m.quarantined, m.overflows, m.drops, m.calls, m.bubbles, m.callTime,
		m.commitTurns, m.readTime, m.delay, m.commitOps, m.commitFailed, m.frames, m.delivered, m.paused, m.failing,
	)
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "kehai", Name: name, Help: help}, labels)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "kehai", Name: name, Help: help})
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "kehai", Name: name, Help: help})
}

func histogram(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: "kehai", Name: name, Help: help, Buckets: buckets}
}

// Handler serves the metrics in the format that the client asks for.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// OnCommit counts one commit; use it as engine.Options.OnCommit.
func (m *Metrics) OnCommit(turns, ops int) {
	m.commitTurns.Observe(float64(turns))
	m.commitOps.Add(float64(ops))
}

// Listen counts one event.
func (m *Metrics) Listen(p engine.Published) {
	switch e := p.Message.(type) {
	case events.ActorRestarted:
		m.restarts.WithLabelValues(m.kinds.of(e.Actor.Kind())).Inc()
	case events.MessageFailed:
		m.failures.WithLabelValues(m.kinds.of(e.Actor.Kind())).Inc()
	case events.MessageQuarantined:
		m.quarantined.WithLabelValues(m.kinds.of(e.Actor.Kind())).Inc()
	case events.MessageOverflowed:
		m.overflows.WithLabelValues(m.kinds.of(e.Actor.Kind()), m.policies.of(e.Policy)).Inc()
	case events.Dropped:
		m.drops.WithLabelValues(m.stages.of(string(e.Stage))).Inc()
	case events.CallFinished:
		worker := m.workers.of(e.Worker.Kind())
		m.calls.WithLabelValues(worker, result(e.Failure)).Inc()
		m.callTime.WithLabelValues(worker).Observe(e.Took.Seconds())
	case events.CommitFailed:
		m.commitFailed.Inc()
	case events.StoreLow:
		m.paused.Set(1)
	case events.StoreRecovered:
		m.paused.Set(0)
	case events.CaptureState:
		m.captured(e)
	case events.FrameSeen:
		m.frames.Inc()
		m.readTime.Observe(e.Read.Took.Seconds())
		m.bubbles.WithLabelValues("read").Add(float64(max(0, e.Read.Read)))
		m.bubbles.WithLabelValues("cached").Add(float64(max(0, e.Read.Cached)))
	case messages.MessageDelivered:
		m.delivered.Inc()
		m.delay.Observe(lag(e).Seconds())
	}
}

func (m *Metrics) captured(e events.CaptureState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Code == "" || e.Code == messages.CodePaused {
		delete(m.capture, e.Window)
	} else {
		m.capture[e.Window] = true
	}
	m.failing.Set(float64(len(m.capture)))
}

func result(f messages.FailureKind) string {
	switch f {
	case "":
		return "ok"
	case messages.FailureError, messages.FailureTimeout, messages.FailurePanic, messages.FailureOverload,
		messages.FailureUnknown, messages.FailureCancelled:
		return string(f)
	}
	return other
}

// maxLabels bounds the values of one label; other counts the rest.
const (
	maxLabels = 64
	other     = "other"
)

// labels bounds a label's values, whatever a host calls its actors.
type labels struct {
	mu   sync.Mutex
	seen map[string]bool
}

func newLabels() *labels { return &labels{seen: map[string]bool{}} }

func (l *labels) of(value string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.seen[value]:
		return value
	case value == "" || len(l.seen) >= maxLabels:
		return other
	}
	l.seen[value] = true
	return value
}
