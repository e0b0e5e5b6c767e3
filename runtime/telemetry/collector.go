package telemetry

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kehai-run/kehai/runtime/engine"
)

// collector reads the live actors and pools at each scrape and sums them by kind.
type collector struct {
	actors, unhealthy, mailbox, fullest, pending, turns *prometheus.Desc
	workers, jobs                                       *prometheus.Desc

	kinds, pools *labels

	source func() ([]engine.ActorInfo, []engine.PoolInfo)
	slept  func() map[string]uint64 // turns of the actors that sleep, by kind
}

// WatchSleep adds the turns of sleeping actors, by kind, asking fn at each scrape. Call
// it before the first scrape.
func (m *Metrics) WatchSleep(fn func() map[string]uint64) { m.live.slept = fn }

func newCollector(source func() ([]engine.ActorInfo, []engine.PoolInfo)) *collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("kehai_"+name, help, labels, nil)
	}
	return &collector{
		actors:    desc("actors", "Live actors.", "kind"),
		unhealthy: desc("actors_unhealthy", "Actors that spent their restart budget.", "kind"),
		mailbox:   desc("mailbox_messages", "Messages that wait in memory.", "kind"),
		fullest:   desc("mailbox_messages_max", "Messages in the fullest mailbox of the kind.", "kind"),
		pending:   desc("turns_pending", "Turns that wait for their commit.", "kind"),
		turns:     desc("turns_total", "Turns since the process started.", "kind"),
		workers:   desc("workers", "Workers in the pool.", "worker"),
		jobs:      desc("worker_jobs", "Calls in the pool by state.", "worker", "state"),
		kinds:     newLabels(), pools: newLabels(), source: source,
		slept: func() map[string]uint64 { return nil },
	}
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		c.actors, c.unhealthy, c.mailbox, c.fullest, c.pending, c.turns, c.workers, c.jobs,
	} {
		out <- d
	}
}

// sums are the totals of the actors of one kind.
type sums struct {
	actors, unhealthy, mailbox, fullest, pending int
	turns                                        uint64
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	actors, pools := c.source()
	for kind, s := range sumByKind(actors, c.slept(), c.kinds) {
		value := func(d *prometheus.Desc, t prometheus.ValueType, v float64) {
			out <- prometheus.MustNewConstMetric(d, t, v, kind) // the label count is fixed above
		}
		value(c.actors, prometheus.GaugeValue, float64(s.actors))
		value(c.unhealthy, prometheus.GaugeValue, float64(s.unhealthy))
		value(c.mailbox, prometheus.GaugeValue, float64(s.mailbox))
		value(c.fullest, prometheus.GaugeValue, float64(s.fullest))
		value(c.pending, prometheus.GaugeValue, float64(s.pending))
		value(c.turns, prometheus.CounterValue, float64(s.turns))
	}
	c.collectPools(pools, out)
}

func sumByKind(actors []engine.ActorInfo, slept map[string]uint64, kinds *labels) map[string]sums {
	by := map[string]sums{}
	for _, name := range slices.Sorted(maps.Keys(slept)) {
		kind := kinds.of(name)
		s := by[kind]
		s.turns += slept[name]
		by[kind] = s
	}
	for _, a := range actors {
		kind := kinds.of(a.Address.Kind())
		s := by[kind]
		s.actors++
		if !a.Healthy {
			s.unhealthy++
		}
		s.mailbox += a.Mailbox
		s.fullest = max(s.fullest, a.Mailbox)
		s.pending += a.Pending
		s.turns += a.Turns
		by[kind] = s
	}
	return by
}

func (c *collector) collectPools(pools []engine.PoolInfo, out chan<- prometheus.Metric) {
	by := map[string]engine.PoolInfo{}
	for _, p := range pools {
		worker := c.pools.of(p.Kind)
		s := by[worker]
		s.Size, s.Waiting, s.Busy, s.Resting = s.Size+p.Size, s.Waiting+p.Waiting, s.Busy+p.Busy, s.Resting+p.Resting
		by[worker] = s
	}
	for worker, p := range by {
		out <- prometheus.MustNewConstMetric(c.workers, prometheus.GaugeValue, float64(p.Size), worker)
		for state, n := range map[string]int{"waiting": p.Waiting, "busy": p.Busy, "resting": p.Resting} {
			out <- prometheus.MustNewConstMetric(c.jobs, prometheus.GaugeValue, float64(n), worker, state)
		}
	}
}
