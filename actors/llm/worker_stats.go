package llm

import "maps"

// Stats is what a client has done since it was made.
type Stats struct {
	Outcomes     map[string]uint64 // attempts by outcome: ok, a Code, cancelled, panic
	PromptTokens uint64
	AnswerTokens uint64
	Purposes     map[Purpose]Usage
	Breaker      State
	Failing      map[string]Failing // by model: its last failure, if it has not answered since
}

// Failing is how a model fails.
type Failing struct {
	Code Code
	Text string // for people, as of an [Error]
}

// Usage sums up the questions for one purpose. Tokens are as the server counted them. Some
// servers count none, and no server counts those of an answer that broke off.
type Usage struct {
	Model        string // that is asked now
	Attempts     uint64 // questions and retries, including those that were not sent
	Answers      uint64
	Retries      uint64
	PromptTokens uint64
	AnswerTokens uint64
}

// Stats may be called at any time.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Outcomes, s.Purposes, s.Breaker = maps.Clone(s.Outcomes), maps.Clone(s.Purposes), c.breaker.State
	s.Failing = map[string]Failing{}
	for model, code := range c.last {
		if code != "" {
			s.Failing[model] = Failing{Code: code, Text: c.why[model]}
		}
	}
	return s
}

func (c *Client) count(q Question, outcome string, r Reply) {
	prompt, answered := uint64(max(0, r.PromptTokens)), uint64(max(0, r.AnswerTokens))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Outcomes[outcome]++
	c.stats.PromptTokens += prompt
	c.stats.AnswerTokens += answered
	u := c.stats.Purposes[q.Purpose]
	u.Model = q.Model
	u.Attempts++
	if outcome == "ok" {
		u.Answers++
	}
	u.PromptTokens += prompt
	u.AnswerTokens += answered
	c.stats.Purposes[q.Purpose] = u
}

func (c *Client) retried(q Question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.stats.Purposes[q.Purpose]
	u.Retries++
	c.stats.Purposes[q.Purpose] = u
}
