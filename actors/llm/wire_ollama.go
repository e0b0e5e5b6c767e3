package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// ollamaWire is the form of Ollama's /api/chat. Ollama streams unless the request
// says "stream": false, which langchaingo leaves out: a line for each token, and
// a last one that is done and has the counts. A whole answer is a stream of one
// line. What the model thinks has a field of its own. A failure in the middle is
// a line with an error, with status 200.
//
// Sources: https://docs.ollama.com/api/chat, https://docs.ollama.com/api/streaming,
// https://docs.ollama.com/api/errors.
type ollamaWire struct{}

func (ollamaWire) form() string { return "Ollama's chat" }

func (ollamaWire) lines() bool { return true }

type ollamaLine struct {
	Message *struct {
		Content  string `json:"content"`
		Thinking string `json:"thinking"`
	} `json:"message"`
	Done       bool            `json:"done"`
	DoneReason string          `json:"done_reason"`
	Prompt     int             `json:"prompt_eval_count"`
	Written    int             `json:"eval_count"`
	Error      json.RawMessage `json:"error"` // instead of all others
}

func (w ollamaWire) event(data []byte) (p part, failure *Error) {
	var line ollamaLine
	if err := json.Unmarshal(data, &line); err != nil {
		if json.Valid(data) {
			return p, otherForm(w.form())
		}
		return p, notJSON()
	}
	if f, ok := readFault(line.Error); ok {
		return p, f.inStream()
	}
	if line.Message == nil && !line.Done {
		return p, otherForm(w.form())
	}
	if line.Message != nil {
		p.text, p.token = line.Message.Content, line.Message.Content != "" || line.Message.Thinking != ""
	}
	if p.end = line.Done; p.end {
		p.stop, p.prompt, p.written = stopEnd, max(0, line.Prompt), max(0, line.Written)
		if line.DoneReason != "" {
			p.stop = stopOf(line.DoneReason)
		}
	}
	return p, nil
}

// whole joins the lines of an answer.
func (w ollamaWire) whole(body []byte) (a answer, failure *Error) {
	events := newEventReader(bytes.NewReader(body), true)
	for some := false; ; some = true {
		data, err := events.next()
		switch {
		case errors.Is(err, io.EOF) && some:
			return a, brokenOff("the answer broke off before its end")
		case errors.Is(err, io.EOF):
			return a, otherForm(w.form())
		case err != nil:
			return a, tooLong(maxLine)
		}
		p, failure := w.event(data)
		switch {
		case failure != nil && some && !json.Valid(data) && data[0] == '{': // half a line, and nothing behind it
			if _, err := events.next(); errors.Is(err, io.EOF) {
				return a, brokenOff("the answer broke off before its end")
			}
			return a, failure
		case failure != nil:
			return a, failure
		}
		a.take(p)
		switch {
		case len(a.text) > maxResponse:
			return a, tooLong(maxResponse)
		case p.end:
			return a, nil
		}
	}
}

func (ollamaWire) encodeText(text string) []byte {
	return append(encode(object{"message": object{"role": "assistant", "content": text}, "done": false}), '\n')
}

func (ollamaWire) encodeEnd(a answer) []byte {
	a.text = nil
	return append(ollamaWire{}.encodeWhole(a), '\n')
}

func (ollamaWire) encodeWhole(a answer) []byte {
	return encode(object{"message": object{"role": "assistant", "content": string(a.text)}, "done": true,
		"done_reason": a.stop, "prompt_eval_count": a.prompt, "eval_count": a.written})
}
