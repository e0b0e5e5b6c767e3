package messages

// AskLLM asks a language model for one answer. It is fleeting: whoever asks
// must be able to go on without an answer. What comes back is [LLMAnswer], or
// [CallFailed] with one of these codes:
//
//	refused       the key, the model's name or this content is not accepted
//	rate_limited  the server wants to be left alone for a while
//	timeout       no answer in the time that llm.timeout gives
//	unavailable   no connection, or a fault of the server
//	malformed     an answer that cannot be read, is empty, or was cut
//	breaker_open  not asked, because the questions before failed
//
// and without a code if there is no worker, it panicked, or the call's own
// deadline was missed. A failure with a code is not tried again by the call's
// retries: whoever asks knows when it is worth it.
type AskLLM struct {
	Purpose     string  `json:"purpose"`     // who asks and for what, for example "focus"; never private
	System      string  `json:"system"`      // the standing instruction; never private
	Prompt      Text    `json:"prompt"`      // what this question is about
	MaxTokens   int     `json:"max_tokens"`  // of the answer; 0 is llm.max_tokens, which is also the most
	Temperature float64 `json:"temperature"` // 0 to 2; 0 is llm.temperature, as a rule the likeliest answer
	JSON        bool    `json:"json"`        // the answer must be one JSON object
	// the same for the same question, so that answers can be told apart; never private
	Key string `json:"key"`
}

// MessageType implements [Message].
func (AskLLM) MessageType() Type { return Type{"ask_llm", 1} }

// LLMAnswer is the worker's answer to [AskLLM].
type LLMAnswer struct {
	Key          string `json:"key"`  // of the question
	Text         Text   `json:"text"` // as the model wrote it; to be checked by who asked
	Model        string `json:"model"`
	PromptTokens int    `json:"prompt_tokens"` // 0 if the model does not tell
	AnswerTokens int    `json:"answer_tokens"` // 0 if the model does not tell
}

// MessageType implements [Message].
func (LLMAnswer) MessageType() Type { return Type{"llm_answer", 1} }
