package messages

// AskLLM asks a language model for one answer. It is fleeting: the sender must be able to
// go on without an answer. The result is [LLMAnswer] or [CallFailed], which has an
// [LLMCode] unless there is no worker, it panicked, or the call's own deadline passed.
// The call's retries do not repeat a failure with a code: the sender decides whether to
// ask again.
type AskLLM struct {
	// Who asks and for what: judge, reply, focus. It decides which
	// model is asked and how long that may take. Never private.
	Purpose     string  `json:"purpose"`
	System      string  `json:"system"`      // the standing instruction; never private
	Prompt      Text    `json:"prompt"`      // what this question is about
	MaxTokens   int     `json:"max_tokens"`  // of the answer; 0 is llm.max_tokens, which is also the most
	Temperature float64 `json:"temperature"` // 0 to 2; 0 is llm.temperature, as a rule the likeliest answer
	JSON        bool    `json:"json"`        // the answer must be one JSON object
	// equal for equal questions, to tell answers apart; never private
	Key    string `json:"key"`
	Stream bool   `json:"stream,omitempty"` // report the answer while it is written
	// Retry allows the worker to ask once more after a failure that may pass. A turn of a
	// conversation has one retry in total: the sender sets this until an answer says that
	// it was used, or a question that had it fails.
	Retry bool `json:"retry,omitempty"`
}

// MessageType implements [Message].
func (AskLLM) MessageType() Type { return Type{"ask_llm", 1} }

// LLMAnswer is the worker's answer to [AskLLM].
type LLMAnswer struct {
	Key          string `json:"key"`  // of the question
	Text         Text   `json:"text"` // as the model wrote it, without its thoughts; the sender has to check it
	Model        string `json:"model"`
	PromptTokens int    `json:"prompt_tokens"`     // 0 if unknown
	AnswerTokens int    `json:"answer_tokens"`     // 0 if unknown
	Cut          bool   `json:"cut,omitempty"`     // the model stopped at max_tokens, perhaps in mid-sentence
	Retried      bool   `json:"retried,omitempty"` // the retry that the question allowed was used
}

// MessageType implements [Message].
func (LLMAnswer) MessageType() Type { return Type{"llm_answer", 1} }

// LLMProgress is all that a model has written of an answer so far. Each report replaces
// the ones before, so only the latest matters. The text may still be discarded: an answer
// that starts over has a higher epoch, and a failed call has none.
type LLMProgress struct {
	Key   string `json:"key"`   // of the question
	Epoch int    `json:"epoch"` // counts the starts of this answer, from 0
	Text  Text   `json:"text"`
}

// MessageType implements [Message].
func (LLMProgress) MessageType() Type { return Type{"llm_progress", 1} }

// LLMCode says how a language model failed. It is CallFailed.Code of a failed question.
type LLMCode string

// Ways to fail.
const (
	LLMRefused     LLMCode = "refused"      // key, account, model name or content not accepted
	LLMRateLimited LLMCode = "rate_limited" // the server asks to wait for a while
	LLMTimeout     LLMCode = "timeout"      // no answer, or no further token, within the configured time
	LLMUnavailable LLMCode = "unavailable"  // no connection, a server error, or an answer that broke off
	LLMMalformed   LLMCode = "malformed"    // an answer that cannot be read, is empty, or was cut
	LLMBreakerOpen LLMCode = "breaker_open" // not asked, because earlier questions failed
	LLMNoModel     LLMCode = "no_model"     // not asked, because no model or no key is set up
	LLMSimulated   LLMCode = "simulated"    // not asked: KEHAI_SIMULATE_LLM_ERROR makes every question fail
)

// LLMCodes lists them all.
func LLMCodes() []LLMCode {
	return []LLMCode{LLMRefused, LLMRateLimited, LLMTimeout, LLMUnavailable, LLMMalformed, LLMBreakerOpen, LLMNoModel,
		LLMSimulated}
}

// LLMFault says where the cause of a failure lies.
type LLMFault string

// Causes of failures.
const (
	FaultServer LLMFault = "server" // it may pass by itself
	FaultModel  LLMFault = "model"  // it wrote something unusable
	FaultSetup  LLMFault = "setup"  // the owner has to fix the configuration or the account
	FaultDrill  LLMFault = "drill"  // it fails on purpose
)

// Fault says where the cause lies. An unknown code counts as the server's.
func (c LLMCode) Fault() LLMFault {
	switch c {
	case LLMRefused, LLMNoModel:
		return FaultSetup
	case LLMMalformed:
		return FaultModel
	case LLMSimulated:
		return FaultDrill
	}
	return FaultServer
}

// Passes reports whether the same question may succeed when asked again.
func (c LLMCode) Passes() bool {
	switch c {
	case LLMRateLimited, LLMTimeout, LLMUnavailable, LLMMalformed, LLMBreakerOpen:
		return true
	}
	return false
}
