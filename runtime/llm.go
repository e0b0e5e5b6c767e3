package runtime

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// LLMModel is a host's own language model. It is called concurrently, up to
// llm.concurrency times, and must return when its context ends.
type LLMModel = llm.Model

// LLMQuestion is what a model is asked. Its system and prompt are private.
type LLMQuestion = llm.Question

// LLMReply is a model's answer. Whoever asked checks its text. The model's name and the
// token counts are optional.
type LLMReply = llm.Reply

// LLMError is why a model did not answer. The text of any other error of an [LLMModel] is
// dropped, because it may be private.
type LLMError = llm.Error

// WithLLM lets a host's own model answer instead of the one named in section llm. That
// section's tier, provider, model, address and key are ignored, and the host decides
// where questions go. Time limits, concurrency and breaker still apply. If the model is
// an io.Closer, the host closes it. Messages reach it masked, as they would a model in
// the cloud, unless [WithLocalLLM] says where it is.
func WithLLM(m LLMModel) Option { return func(s *settings) { s.llm.Host = m } }

// WithLocalLLM says that the model of [WithLLM] runs on this machine, so it sees messages
// unmasked.
func WithLocalLLM() Option { return func(s *settings) { s.llmLocal = true } }

// masks reports whether messages are masked before a model sees them: it is not known to
// run on this machine.
func (r *Runtime) masks() bool {
	switch {
	case r.cfg.Privacy.Mask == config.MaskAlways:
		return true
	case r.set.llm.Host != nil:
		return !r.set.llmLocal
	}
	return r.cfg.LLM.Tier == config.LLMCloud
}

// WithLLMTransport replaces the HTTP transport to the servers of the language model and of
// memory.embedding, for the host's own proxy or certificates. With llm.tier local it must not leave this machine;
// only the built-in transport makes sure of that.
func WithLLMTransport(t http.RoundTripper) Option {
	return func(s *settings) { s.llm.Transport = t }
}

// LLMStreamer is an [LLMModel] that shows its answer while it writes.
type LLMStreamer = llm.Streamer

// openModel opens the language model. If none is set up, or its key is missing, the
// result is a model that says so at once: everything else works without one.
func (r *Runtime) openModel(p *plan) (llm.Model, error) {
	o := r.set.llm
	o.Changed = r.modelChanged
	client, err := drivers.OpenLLM(r.cfg.LLM, o)
	switch {
	case errors.Is(err, config.ErrNoKey):
		r.log.Warn().Str("error_code", string(llm.NoModel)).Err(err).
			Msg("the language model has no key and is not asked")
		why := &llm.Error{Code: llm.NoModel, Text: err.Error()}
		p.llm = func() *control.LLM { return &control.LLM{Off: why.Text} }
		return llm.None{Why: why}, nil
	case err != nil:
		return nil, err
	case client == nil:
		return llm.None{}, nil
	}
	p.llm = func() *control.LLM { return usedModel(client.Stats()) }
	p.closers = append(p.closers, client)
	r.metrics.WatchLLM(func() telemetry.LLMInfo {
		s := client.Stats()
		return telemetry.LLMInfo{Outcomes: s.Outcomes, PromptTokens: s.PromptTokens, AnswerTokens: s.AnswerTokens,
			Breaker: int(s.Breaker)}
	})
	return client, nil
}

// usedModel lists what a model was asked, by purpose.
func usedModel(s llm.Stats) *control.LLM {
	out := &control.LLM{Breaker: s.Breaker.String()}
	for _, p := range slices.Sorted(maps.Keys(s.Purposes)) {
		u := s.Purposes[p]
		out.Purposes = append(out.Purposes, control.LLMUse{
			Purpose: string(p), Model: u.Model, Attempts: u.Attempts, Answers: u.Answers, Retries: u.Retries,
			PromptTokens: u.PromptTokens, AnswerTokens: u.AnswerTokens,
		})
	}
	for _, m := range slices.Sorted(maps.Keys(s.Failing)) {
		f := s.Failing[m]
		out.Failing = append(out.Failing, control.LLMFailing{Model: m, Code: f.Code, Said: f.Text,
			Mend: describe.ModelAdvice(f.Code)})
	}
	return out
}

// modelChanged logs once that the model began to fail, or answers again. Nothing else is
// wrong then: those who ask can do without an answer.
func (r *Runtime) modelChanged(failure *LLMError) {
	if failure == nil {
		r.log.Info().Msg("the language model answers again")
		return
	}
	r.log.Warn().Str("error_code", string(failure.Code)).Str("reason", failure.Error()).
		Str("hint", describe.ModelAdvice(failure.Code)+"; until it answers, fallbacks decide").
		Msg("the language model does not answer")
}
