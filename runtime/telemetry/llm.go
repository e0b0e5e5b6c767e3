package telemetry

import "github.com/prometheus/client_golang/prometheus"

// LLMInfo is what the workers that ask a language model have done since the
// process started.
type LLMInfo struct {
	Outcomes                   map[string]uint64
	PromptTokens, AnswerTokens uint64
	Breaker                    int // 0 closed, 1 half-open, 2 open
}

// llmCollector reads LLMInfo at each scrape.
type llmCollector struct {
	questions, tokens, breaker *prometheus.Desc

	outcomes *labels
	source   func() LLMInfo
}

// WatchLLM adds the metrics of the language model. It must be called at most
// once.
func (m *Metrics) WatchLLM(source func() LLMInfo) {
	m.registry.MustRegister(&llmCollector{
		questions: prometheus.NewDesc("kehai_llm_questions_total", "Questions to the language model by outcome.",
			[]string{"outcome"}, nil),
		tokens: prometheus.NewDesc("kehai_llm_tokens_total", "Tokens that the language model counted.",
			[]string{"direction"}, nil),
		breaker:  prometheus.NewDesc("kehai_llm_breaker_state", "0 closed, 1 half-open, 2 open.", nil, nil),
		outcomes: newLabels(), source: source,
	})
}

// Describe implements prometheus.Collector.
func (c *llmCollector) Describe(out chan<- *prometheus.Desc) {
	out <- c.questions
	out <- c.tokens
	out <- c.breaker
}

// Collect implements prometheus.Collector.
func (c *llmCollector) Collect(out chan<- prometheus.Metric) {
	info := c.source()
	by := map[string]uint64{}
	for outcome, n := range info.Outcomes {
		by[c.outcomes.of(outcome)] += n
	}
	for outcome, n := range by {
		out <- prometheus.MustNewConstMetric(c.questions, prometheus.CounterValue, float64(n), outcome)
	}
	out <- prometheus.MustNewConstMetric(c.tokens, prometheus.CounterValue, float64(info.PromptTokens), "in")
	out <- prometheus.MustNewConstMetric(c.tokens, prometheus.CounterValue, float64(info.AnswerTokens), "out")
	out <- prometheus.MustNewConstMetric(c.breaker, prometheus.GaugeValue, float64(info.Breaker))
}
