package llm

import (
	"bytes"
	"encoding/json"
	"strings"
)

// openAIWire is the form of OpenAI's chat completions, which llama.cpp, LM Studio
// and vLLM speak too. A stream ends with [DONE]; servers that leave that out have
// said why the model stopped. Thoughts are in fields of their own:
// reasoning_content (llama.cpp, LM Studio, older vLLM), reasoning (vLLM).
//
// Sources: https://platform.openai.com/docs/api-reference/chat-streaming,
// https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md,
// https://lmstudio.ai/docs/developer/openai-compat,
// https://docs.vllm.ai/en/latest/features/reasoning_outputs.html.
type openAIWire struct{}

func (openAIWire) form() string { return "OpenAI's chat completions" }

func (openAIWire) lines() bool { return false }

// openAIMessage is a message, or the part of one.
type openAIMessage struct {
	Content   json.RawMessage `json:"content"` // a text, null, or a list of parts
	Refusal   *string         `json:"refusal"`
	Reasoning *string         `json:"reasoning"`
	Thought   *string         `json:"reasoning_content"`
}

type openAIAnswer struct {
	Choices []*struct {
		Delta   *openAIMessage `json:"delta"`
		Message *openAIMessage `json:"message"`
		Reason  string         `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt  int `json:"prompt_tokens"`
		Written int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (openAIWire) event(data []byte) (part, *Error) {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		return part{end: true}, nil
	}
	a, failure := openAIWire{}.decode(data)
	if failure != nil {
		return part{}, failure
	}
	var p part
	if a.Usage != nil {
		p.prompt, p.written = max(0, a.Usage.Prompt), max(0, a.Usage.Written)
	}
	if len(a.Choices) == 0 || a.Choices[0] == nil {
		return p, nil
	}
	m := a.Choices[0].Delta
	if m == nil {
		m = a.Choices[0].Message
	}
	p.stop = stopOf(a.Choices[0].Reason)
	if m != nil {
		p.text = contentOf(m.Content)
		p.token = p.text != "" || m.Reasoning != nil || m.Thought != nil
		if m.Refusal != nil && *m.Refusal != "" {
			p.stop, p.token = stopRefused, true
		}
	}
	return p, nil
}

func (w openAIWire) whole(body []byte) (answer, *Error) {
	a, failure := w.decode(body)
	switch {
	case failure != nil:
		return answer{}, failure
	case len(a.Choices) == 0 || a.Choices[0] == nil || a.Choices[0].Message == nil:
		return answer{}, otherForm(w.form())
	}
	p, failure := w.event(body)
	out := answer{}
	out.take(p)
	return out, failure
}

func (w openAIWire) decode(data []byte) (a openAIAnswer, failure *Error) {
	if err := json.Unmarshal(data, &a); err != nil {
		if json.Valid(data) {
			return a, otherForm(w.form())
		}
		return a, notJSON()
	}
	if f, ok := readFault(a.Error); ok {
		return a, f.inStream()
	}
	return a, nil
}

// contentOf is the text of a content: the texts of its parts, without thoughts.
func contentOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func (openAIWire) encodeText(text string) []byte {
	return sse(object{"choices": []object{{"index": 0, "delta": object{"content": text}}}})
}

func (openAIWire) encodeEnd(a answer) []byte {
	end := sse(object{"choices": []object{{"index": 0, "delta": object{}, "finish_reason": a.stop}},
		"usage": openAIUsage(a)})
	return append(end, "data: [DONE]\n\n"...)
}

func (openAIWire) encodeWhole(a answer) []byte {
	return encode(object{"usage": openAIUsage(a), "choices": []object{{"index": 0, "finish_reason": a.stop,
		"message": object{"role": "assistant", "content": string(a.text)}}}})
}

func openAIUsage(a answer) object {
	return object{"prompt_tokens": a.prompt, "completion_tokens": a.written, "total_tokens": a.prompt + a.written}
}

// sse is a server-sent event.
func sse(v any) []byte {
	return append(append([]byte("data: "), encode(v)...), "\n\n"...)
}
