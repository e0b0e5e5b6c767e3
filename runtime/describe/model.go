package describe

import "github.com/kehai-run/kehai/messages"

// ModelAdvice is what the owner can do where a language model fails, in one sentence without
// private words.
func ModelAdvice(c messages.LLMCode) string {
	switch c {
	case messages.LLMRefused:
		return "kehai doctor says what the server does not accept: the key, the account or the model's name"
	case messages.LLMRateLimited:
		return "wait, or raise the limit of the account at the server"
	case messages.LLMTimeout:
		return "use a smaller model or a faster machine, or raise llm.first_token or llm.json_timeout"
	case messages.LLMMalformed:
		return "kehai doctor asks it; a model that answers but not as asked: use another, or raise llm.max_tokens " +
			"for one that thinks first"
	case messages.LLMBreakerOpen:
		return "nothing: the model is asked again by itself after llm.breaker.open_for"
	case messages.LLMNoModel:
		return "set llm.tier, llm.model and, where its server wants one, llm.key_env or llm.key_file"
	case messages.LLMSimulated:
		return "unset KEHAI_SIMULATE_LLM_ERROR and start again"
	}
	return "look whether the server runs: kehai doctor asks it"
}
