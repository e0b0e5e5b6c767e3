package llm

import "encoding/json"

// anthropicWire is the form of Anthropic's messages. Thoughts are in blocks of
// their own (thinking, redacted_thinking); of blocks and events that are not
// known here nothing is kept, as its versioning asks for. Tokens that came from
// the cache count as asked.
//
// Sources: https://platform.claude.com/docs/en/build-with-claude/streaming,
// https://platform.claude.com/docs/en/api/errors.
type anthropicWire struct{}

func (anthropicWire) form() string { return "Anthropic's messages" }

func (anthropicWire) lines() bool { return false }

type anthropicUsage struct {
	Input   int `json:"input_tokens"`
	Created int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

func (u *anthropicUsage) counts() (prompt, written int) {
	if u == nil {
		return 0, 0
	}
	return max(0, u.Input) + max(0, u.Created) + max(0, u.Cached), max(0, u.Output)
}

type anthropicBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type anthropicMessage struct {
	Type       string            `json:"type"`
	Content    []*anthropicBlock `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      *anthropicUsage   `json:"usage"`
	Error      json.RawMessage   `json:"error"`
}

type anthropicEvent struct {
	Type    string            `json:"type"`
	Message *anthropicMessage `json:"message"`
	Block   *anthropicBlock   `json:"content_block"`
	Delta   *struct {
		anthropicBlock
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage *anthropicUsage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (w anthropicWire) event(data []byte) (p part, failure *Error) {
	var e anthropicEvent
	if err := json.Unmarshal(data, &e); err != nil {
		if json.Valid(data) {
			return p, otherForm(w.form())
		}
		return p, notJSON()
	}
	if f, ok := readFault(e.Error); ok {
		return p, f.inStream()
	}
	p.prompt, p.written = e.Usage.counts()
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			p.prompt, p.written = e.Message.Usage.counts()
		}
	case "content_block_start":
		if e.Block != nil && e.Block.Type == "text" {
			p.text = e.Block.Text
		}
	case "content_block_delta":
		if p.token = e.Delta != nil; p.token && e.Delta.Type == "text_delta" {
			p.text = e.Delta.Text
		}
	case "message_delta":
		if e.Delta != nil {
			p.stop = stopOf(e.Delta.StopReason)
		}
	case "message_stop":
		p.end = true
	}
	return p, nil
}

func (w anthropicWire) whole(body []byte) (a answer, failure *Error) {
	var m anthropicMessage
	if err := json.Unmarshal(body, &m); err != nil {
		if json.Valid(body) {
			return a, otherForm(w.form())
		}
		return a, notJSON()
	}
	if f, ok := readFault(m.Error); ok {
		return a, f.inStream()
	}
	if len(m.Content) == 0 && m.StopReason == "" {
		return a, otherForm(w.form())
	}
	for _, b := range m.Content {
		if b != nil && b.Type == "text" {
			a.text = append(a.text, b.Text...)
		}
	}
	a.stop = stopOf(m.StopReason)
	a.prompt, a.written = m.Usage.counts()
	return a, nil
}

func (anthropicWire) encodeText(text string) []byte {
	return sse(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})
}

// begin opens the one block of the plain form.
func (anthropicWire) begin() []byte {
	start := sse(object{"type": "message_start", "message": object{"role": "assistant",
		"usage": object{"input_tokens": 0}}})
	return append(start, sse(object{"type": "content_block_start", "index": 0,
		"content_block": object{"type": "text", "text": ""}})...)
}

func (anthropicWire) encodeEnd(a answer) []byte {
	end := sse(object{"type": "message_delta", "delta": object{"stop_reason": a.stop},
		"usage": object{"input_tokens": a.prompt, "output_tokens": a.written}})
	return append(end, sse(object{"type": "message_stop"})...)
}

func (anthropicWire) encodeWhole(a answer) []byte {
	return encode(object{"type": "message", "role": "assistant", "stop_reason": a.stop,
		"content": []object{{"type": "text", "text": string(a.text)}},
		"usage":   object{"input_tokens": a.prompt, "output_tokens": a.written}})
}
