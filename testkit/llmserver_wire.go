package testkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Formats of LLMRequest.
const (
	LLMOpenAI    = "openai"
	LLMAnthropic = "anthropic"
	LLMOllama    = "ollama"
)

func llmFormat(path string) string {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return LLMOpenAI
	case strings.HasSuffix(path, "/messages"):
		return LLMAnthropic
	case strings.HasSuffix(path, "/api/chat"):
		return LLMOllama
	}
	return embedFormat(path)
}

// chatBody has the fields that the three formats share, and those of each.
type chatBody struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	System         string          `json:"system"`
	MaxTokens      int             `json:"max_tokens"`
	MaxCompletion  int             `json:"max_completion_tokens"`
	Temperature    float64         `json:"temperature"`
	Stream         *bool           `json:"stream"`
	Format         json.RawMessage `json:"format"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
	StreamOptions struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Options struct {
		NumPredict  int     `json:"num_predict"`
		Temperature float64 `json:"temperature"`
	} `json:"options"`
}

// readLLMRequest reads a request. One that is not JSON is recorded too.
func readLLMRequest(r *http.Request, body []byte) LLMRequest {
	out := LLMRequest{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body,
		Format: llmFormat(r.URL.Path)}
	if embedFormat(r.URL.Path) != "" {
		var e embedBody
		_ = json.Unmarshal(body, &e) // what is none is answered so
		out.Input = append([]string{}, e.texts()...)
	}
	var b chatBody
	if json.Unmarshal(body, &b) != nil {
		return out
	}
	out.Model, out.System, out.Usage = b.Model, b.System, b.StreamOptions.Usage
	out.Stream = out.Format == LLMOllama && out.Input == nil // which streams unless it is told not to
	if b.Stream != nil {
		out.Stream = *b.Stream
	}
	out.MaxTokens = max(b.MaxTokens, b.MaxCompletion, b.Options.NumPredict)
	out.Temperature = max(b.Temperature, b.Options.Temperature)
	out.JSON = strings.HasPrefix(b.ResponseFormat.Type, "json") || len(b.Format) > 0 && string(b.Format) != `""` &&
		string(b.Format) != "null"
	for _, m := range b.Messages {
		into := &out.Prompt
		if m.Role == "system" {
			into = &out.System
		}
		if *into != "" {
			*into += "\n"
		}
		*into += contentText(m.Content)
	}
	return out
}

// contentText reads a content that is a text, or a list of parts.
func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // a content that is neither has no text
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// serveLLMModels answers the lists of models, which tell that a server is there.
func serveLLMModels(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
	case strings.HasSuffix(r.URL.Path, "/api/tags"):
		io.WriteString(w, `{"models":[{"name":"test-model:latest","model":"test-model:latest"}]}`)
	default:
		http.NotFound(w, r)
	}
}

// object is a JSON object.
type object map[string]any

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // objects of strings and numbers always can be
	}
	return raw
}

func failLLM(w http.ResponseWriter, out io.Writer, r LLMRequest, reply LLMReply) {
	w.Header().Set("Content-Type", cmp.Or(reply.Type, "application/json"))
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	if reply.Location != "" {
		w.Header().Set("Location", reply.Location)
	}
	w.WriteHeader(reply.Status)
	if reply.Body != "" {
		io.WriteString(out, reply.Body)
		return
	}
	out.Write(encode(failure(r, reply, reply.Text)))
}

// failure is an error in the words of a format.
func failure(r LLMRequest, reply LLMReply, text string) object {
	kind := reply.ErrorType
	if kind == "" {
		kind = errorTypes[r.Format][reply.Status]
	}
	switch r.Format {
	case LLMOllama:
		return object{"error": text}
	case LLMAnthropic:
		if kind == "" {
			kind = "api_error"
		}
		return object{"type": "error", "error": object{"type": kind, "message": text}, "request_id": "req_1"}
	}
	if kind == "" {
		kind = "server_error"
	}
	return object{"error": object{"message": text, "type": kind, "param": nil, "code": nil}}
}

// errorTypes are the types that providers document for a status. Those that say no more
// than the status are left out.
var errorTypes = map[string]map[int]string{
	LLMAnthropic: {
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
	},
	LLMOpenAI: {400: "invalid_request_error", 401: "invalid_request_error", 404: "invalid_request_error",
		429: "requests"},
}

func finish(reply LLMReply) string {
	if reply.Finish == "" {
		return "stop"
	}
	return reply.Finish
}

// anthropicFinish is a reason to stop in the words of Anthropic.
func anthropicFinish(reply LLMReply) string {
	switch f := finish(reply); f {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "content_filter":
		return "refusal"
	default:
		return f
	}
}

func wholeLLM(r LLMRequest, reply LLMReply, thoughtField string) []byte {
	switch r.Format {
	case LLMAnthropic:
		return encode(object{
			"id": "msg_1", "type": "message", "role": "assistant", "model": r.Model,
			"stop_reason": anthropicFinish(reply),
			"content":     blocks(reply),
			"usage":       object{"input_tokens": reply.PromptTokens, "output_tokens": reply.AnswerTokens},
		})
	case LLMOllama:
		whole := ollamaChunk(r, reply, reply.Text, true)
		if reply.Thinking != "" {
			whole["message"].(object)["thinking"] = reply.Thinking
		}
		return encode(whole)
	}
	message := object{"role": "assistant", "content": reply.Text}
	if reply.Thinking != "" {
		message[thoughtField] = reply.Thinking
	}
	return encode(object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": r.Model,
		"choices": []object{{"index": 0, "finish_reason": finish(reply), "message": message}},
		"usage": object{
			"prompt_tokens": reply.PromptTokens, "completion_tokens": reply.AnswerTokens,
			"total_tokens": reply.PromptTokens +
				reply.AnswerTokens,
		},
	})
}

// blocks are the blocks of an answer of Anthropic.
func blocks(reply LLMReply) (list []object) {
	if reply.Thinking != "" {
		list = append(list, object{"type": "thinking", "thinking": reply.Thinking, "signature": "EqQB"})
	}
	return append(list, object{"type": "text", "text": reply.Text})
}

func ollamaChunk(r LLMRequest, reply LLMReply, text string, done bool) object {
	o := object{"model": r.Model, "created_at": "2026-01-01T00:00:00Z",
		"message": object{"role": "assistant", "content": text}, "done": done}
	if done {
		o["done_reason"], o["prompt_eval_count"], o["eval_count"] = finish(reply),
			reply.PromptTokens, reply.AnswerTokens
	}
	return o
}

// streamLLM sends a text in chunks, each but the first after a step if the reply
// is held.
func streamLLM(w http.ResponseWriter, out io.Writer, r LLMRequest, reply LLMReply, thoughtField string,
	hold func() bool,
) {
	kind := "text/event-stream"
	if r.Format == LLMOllama {
		kind = "application/x-ndjson"
	}
	w.Header().Set("Content-Type", kind)
	chunks := reply.Chunks
	if chunks == nil {
		chunks = []string{reply.Text}
	}
	send := func(event string, o object) {
		switch r.Format {
		case LLMOllama:
			fmt.Fprintf(out, "%s\n", encode(o))
		case LLMAnthropic:
			fmt.Fprintf(out, "event: %s\ndata: %s\n\n", event, encode(o))
		default:
			fmt.Fprintf(out, "data: %s\n\n", encode(o))
		}
		http.NewResponseController(w).Flush() // fails once the client has gone, which the next hold notices
	}
	begin, chunk, end := streamParts(r, reply, thoughtField)
	if reply.Fail != "" {
		end = []object{failure(r, reply, reply.Fail)}
	}
	for _, o := range begin {
		event, _ := o["type"].(string)
		send(event, o)
	}
	for i, text := range chunks {
		if i > 0 && !hold() {
			return
		}
		send("content_block_delta", chunk(text))
	}
	for _, o := range end {
		event, _ := o["type"].(string)
		send(event, o)
	}
	if r.Format == LLMOpenAI && reply.Fail == "" {
		io.WriteString(out, "data: [DONE]\n\n")
	}
}

// streamParts are what comes before the text, a part of the text, and what comes
// after it.
func streamParts(r LLMRequest, reply LLMReply, thoughtField string) (
	begin []object, chunk func(string) object, end []object,
) {
	switch r.Format {
	case LLMOllama:
		if reply.Thinking != "" {
			thought := ollamaChunk(r, reply, "", false)
			thought["message"].(object)["thinking"] = reply.Thinking
			begin = []object{thought}
		}
		return begin, func(text string) object { return ollamaChunk(r, reply, text, false) },
			[]object{ollamaChunk(r, reply, "", true)}
	case LLMAnthropic:
		return anthropicParts(r, reply)
	}
	return openAIParts(r, reply, thoughtField)
}

func anthropicParts(r LLMRequest, reply LLMReply) (begin []object, chunk func(string) object, end []object) {
	begin = []object{{"type": "message_start", "message": object{"id": "msg_1", "type": "message",
		"role": "assistant", "content": []object{}, "model": r.Model, "stop_reason": nil,
		"usage": object{"input_tokens": reply.PromptTokens, "output_tokens": 1}}}}
	index := 0
	open := func(block object) object {
		return object{"type": "content_block_start", "index": index, "content_block": block}
	}
	delta := func(d object) object { return object{"type": "content_block_delta", "index": index, "delta": d} }
	closed := func() object { return object{"type": "content_block_stop", "index": index} }
	if reply.Thinking != "" {
		begin = append(begin, open(object{"type": "thinking", "thinking": "", "signature": ""}),
			delta(object{"type": "thinking_delta", "thinking": reply.Thinking}),
			delta(object{"type": "signature_delta", "signature": "EqQB"}), closed())
		index++
	}
	begin = append(begin, open(object{"type": "text", "text": ""}), object{"type": "ping"})
	return begin, func(text string) object { return delta(object{"type": "text_delta", "text": text}) }, []object{
		closed(),
		{"type": "message_delta", "delta": object{"stop_reason": anthropicFinish(reply), "stop_sequence": nil},
			"usage": object{"output_tokens": reply.AnswerTokens}},
		{"type": "message_stop"},
	}
}

func openAIParts(r LLMRequest, reply LLMReply, thoughtField string) (
	begin []object, chunk func(string) object, end []object,
) {
	piece := func(delta object, reason any) object {
		o := object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": r.Model,
			"choices": []object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}}}
		if r.Usage {
			o["usage"] = nil
		}
		return o
	}
	begin = []object{piece(object{"role": "assistant", "content": ""}, nil)}
	if reply.Thinking != "" {
		begin = append(begin, piece(object{thoughtField: reply.Thinking}, nil))
	}
	end = []object{piece(object{}, finish(reply))}
	if r.Usage {
		usage := piece(object{}, nil)
		usage["choices"], usage["usage"] = []object{}, object{
			"prompt_tokens": reply.PromptTokens, "completion_tokens": reply.AnswerTokens,
			"total_tokens": reply.PromptTokens + reply.AnswerTokens,
		}
		end = append(end, usage)
	}
	return begin, func(text string) object { return piece(object{"content": text}, nil) }, end
}
