package messages

// WorkerLLM is the kind of the workers that ask a language model. Without one,
// a call fails at once with [FailureUnknown].
const WorkerLLM = "llm"

// AskLLM asks a language model for one answer. It is fleeting: whoever asks
// must be able to go on without an answer.
type AskLLM struct {
	Purpose     string  `json:"purpose"`     // who asks and for what, for example "focus"; never private
	System      string  `json:"system"`      // the standing instruction; never private
	Prompt      Text    `json:"prompt"`      // what this question is about
	MaxTokens   int     `json:"max_tokens"`  // of the answer; 0 is the worker's default
	Temperature float64 `json:"temperature"` // 0 to 2; 0 asks for the likeliest answer
	JSON        bool    `json:"json"`        // the answer must be one JSON object
	Key         string  `json:"key"`         // the same for the same question, so that answers can be told apart; never private
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
