package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// chatLine is one line of an answer of Ollama's /api/chat. Ollama streams unless
// the request says "stream": false, which langchaingo leaves out: a line for
// each token, and a last one that is done and has the counts. A whole answer is
// a stream of one line. What the model thinks has a field of its own, which is
// not read.
//
// Source: https://docs.ollama.com/api/chat, https://docs.ollama.com/api/errors.
type chatLine struct {
	Message      *chatMessage    `json:"message"`
	Done         bool            `json:"done"`
	DoneReason   string          `json:"done_reason,omitempty"`
	PromptTokens int             `json:"prompt_eval_count"`
	AnswerTokens int             `json:"eval_count"`
	Error        json.RawMessage `json:"error,omitempty"` // instead of all others, with status 200 if lines came before
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// joinChat makes one line of the lines of an answer. limited reports that the
// model stopped because the answer has as many tokens as were asked for.
func joinChat(body []byte) (joined []byte, limited bool, failure *Error) {
	lines := json.NewDecoder(bytes.NewReader(body))
	var text strings.Builder
	for said := false; ; {
		var line chatLine
		var form *json.UnmarshalTypeError
		switch err := lines.Decode(&line); {
		case said && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
			return nil, false, brokenOff("the answer broke off before its end")
		case errors.Is(err, io.EOF), errors.As(err, &form):
			return nil, false, otherForm("Ollama's chat")
		case err != nil:
			return nil, false, notJSON()
		case len(line.Error) > 0 && string(line.Error) != "null":
			return nil, false, brokenOff("the model failed while it answered")
		}
		if line.Message != nil {
			said = true
			text.WriteString(line.Message.Content)
		}
		if !line.Done {
			continue
		}
		line.Message = &chatMessage{Role: "assistant", Content: text.String()}
		joined, err := json.Marshal(line)
		switch {
		case err != nil: // a chatLine always can be encoded
			return nil, false, notJSON()
		case len(joined) > maxResponse:
			return nil, false, tooLong(maxResponse)
		}
		return joined, line.DoneReason == "length", nil
	}
}

func brokenOff(what string) *Error {
	return &Error{Code: Unavailable, Text: what + ": see the log of Ollama's server"}
}

func notJSON() *Error {
	return &Error{Code: Malformed, Text: "the server's answer is no JSON: check llm.base_url and llm.provider"}
}

func otherForm(form string) *Error {
	return &Error{
		Code: Malformed,
		Text: "the server's answer has another form than " + form + ": check llm.provider and llm.base_url",
	}
}

func tooLong(limit int) *Error {
	return &Error{
		Code: Malformed,
		Text: fmt.Sprintf("the server answered with more than %d KiB: check llm.base_url", limit>>10),
	}
}
