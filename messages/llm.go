package messages

// AskLLM asks a language model for one answer. It is fleeting: whoever asks
// must be able to go on without an answer. What comes back is [LLMAnswer], or
// [CallFailed] with an [LLMCode], and without a code if there is no worker, it
// panicked, or the call's own deadline was missed. A failure with a code is not
// tried again by the call's retries: whoever asks knows when it is worth it.
//
// With Stream set the worker reports [LLMProgress] while the model writes.
type AskLLM struct {
	// Who asks and for what: judge, reply, focus. It decides which
	// model is asked and how long that may take. Never private.
	Purpose     string  `json:"purpose"`
	System      string  `json:"system"`      // the standing instruction; never private
	Prompt      Text    `json:"prompt"`      // what this question is about
	MaxTokens   int     `json:"max_tokens"`  // of the answer; 0 is llm.max_tokens, which is also the most
	Temperature float64 `json:"temperature"` // 0 to 2; 0 is llm.temperature, as a rule the likeliest answer
	JSON        bool    `json:"json"`        // the answer must be one JSON object
	// the same for the same question, so that answers can be told apart; never private
	Key    string `json:"key"`
	Stream bool   `json:"stream,omitempty"` // the answer is wanted while it is written
	// Retry lets the worker ask once more after a failure that may pass. A turn of a
	// conversation has one retry in total: whoever asks sets this until an answer says
	// that it was used, or a question that had it fails.
	Retry bool `json:"retry,omitempty"`
}

// MessageType implements [Message].
func (AskLLM) MessageType() Type { return Type{"ask_llm", 1} }

// LLMAnswer is the worker's answer to [AskLLM].
type LLMAnswer struct {
	Key          string `json:"key"`  // of the question
	Text         Text   `json:"text"` // as the model wrote it, without its thoughts; to be checked by who asked
	Model        string `json:"model"`
	PromptTokens int    `json:"prompt_tokens"`     // 0 if the model does not tell
	AnswerTokens int    `json:"answer_tokens"`     // 0 if the model does not tell
	Cut          bool   `json:"cut,omitempty"`     // the model stopped at max_tokens, perhaps inside a sentence
	Retried      bool   `json:"retried,omitempty"` // the retry that the question allowed was used
}

// MessageType implements [Message].
func (LLMAnswer) MessageType() Type { return Type{"llm_answer", 1} }

// LLMProgress is all that a model has written of an answer so far. Each one
// replaces those before it, so only the latest matters. What was written may
// still be thrown away: an answer that begins anew has a higher epoch, and a call
// that fails has none.
type LLMProgress struct {
	Key   string `json:"key"`   // of the question
	Epoch int    `json:"epoch"` // counts the beginnings of this answer, from 0
	Text  Text   `json:"text"`
}

// MessageType implements [Message].
func (LLMProgress) MessageType() Type { return Type{"llm_progress", 1} }

// LLMCode says in which way a language model failed. It is CallFailed.Code of a
// question that failed.
type LLMCode string

// Ways to fail.
const (
	LLMRefused     LLMCode = "refused"      // the key, the account, the model's name or this content is not accepted
	LLMRateLimited LLMCode = "rate_limited" // the server wants to be left alone for a while
	LLMTimeout     LLMCode = "timeout"      // no answer, or no further token, in the time that the configuration gives
	LLMUnavailable LLMCode = "unavailable"  // no connection, a fault of the server, or an answer that broke off
	LLMMalformed   LLMCode = "malformed"    // an answer that cannot be read, is empty, or was cut
	LLMBreakerOpen LLMCode = "breaker_open" // not asked, because the questions before failed
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
	FaultModel  LLMFault = "model"  // it wrote what nobody can use
	FaultSetup  LLMFault = "setup"  // the owner has to mend the configuration or the account
	FaultDrill  LLMFault = "drill"  // it fails on purpose
)

// Fault of a failure. An unknown code is the server's.
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

// Passes reports a failure after which the same question may be answered when it
// is asked again.
func (c LLMCode) Passes() bool {
	switch c {
	case LLMRateLimited, LLMTimeout, LLMUnavailable, LLMMalformed, LLMBreakerOpen:
		return true
	}
	return false
}

// Advice is what the owner can do, in one sentence without private words.
func (c LLMCode) Advice() string {
	switch c {
	case LLMRefused:
		return "kehai doctor says what the server does not accept: the key, the account or the model's name"
	case LLMRateLimited:
		return "wait, or raise the limit of the account at the server"
	case LLMTimeout:
		return "use a smaller model or a faster machine, or raise llm.first_token or llm.json_timeout"
	case LLMMalformed:
		return "use another model, or raise llm.max_tokens for one that thinks first"
	case LLMBreakerOpen:
		return "nothing: the model is asked again by itself after llm.breaker.open_for"
	case LLMNoModel:
		return "set llm.tier, llm.model and, where its server wants one, llm.key_env or llm.key_file"
	case LLMSimulated:
		return "unset KEHAI_SIMULATE_LLM_ERROR and start again"
	}
	return "look whether the server runs: kehai doctor asks it"
}
