package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// wire is how a provider's server writes answers. Its output is read here and rewritten
// in the plainest form for langchaingo's client, which takes a stream that broke off for
// a whole one, waits for ever after some errors, and panics at others in its own
// goroutines.
type wire interface {
	// form is its name, for people.
	form() string
	// lines reports that each line is an event (NDJSON), else events are server-sent.
	lines() bool
	// event reads one event of a stream.
	event(data []byte) (part, *Error)
	// whole reads an answer that is not streamed.
	whole(body []byte) (answer, *Error)
	// encodeText, encodeEnd and encodeWhole write for the client: a part of a stream,
	// the end of one, and an answer that is not streamed.
	encodeText(text string) []byte
	encodeEnd(a answer) []byte
	encodeWhole(a answer) []byte
}

// part is what one event of a stream says.
type part struct {
	text    string
	token   bool // the model writes: the answer, or a thought, which is not kept
	stop    stop
	prompt  int // tokens, 0 if this event does not say
	written int
	end     bool // nothing follows
}

// answer is what a server answered.
type answer struct {
	text            []byte
	stop            stop
	prompt, written int // tokens
}

// take adds an event of a stream.
func (a *answer) take(p part) {
	a.text = append(a.text, p.text...)
	if p.stop != "" && a.stop != stopRefused {
		a.stop = p.stop
	}
	a.prompt, a.written = max(a.prompt, p.prompt), max(a.written, p.written)
}

// stop is why a model stopped, "" if it has not.
type stop string

const (
	stopEnd     stop = "stop"
	stopLength  stop = "length"         // the answer reached the requested number of tokens
	stopRefused stop = "content_filter" // the model refuses to answer
)

// stopOf understands the words of all providers.
func stopOf(word string) stop {
	switch word {
	case "":
		return ""
	case "length", "max_tokens", "model_context_window_exceeded":
		return stopLength
	case "content_filter", "refusal":
		return stopRefused
	}
	return stopEnd
}

func wireOf(p Provider) wire {
	switch p {
	case Anthropic:
		return anthropicWire{}
	case Ollama:
		return ollamaWire{}
	}
	return openAIWire{}
}

// maxLine is the longest line of a stream, in bytes.
const maxLine = 1 << 20

var errLongLine = errors.New("llm: a line of a stream is too long")

// eventReader splits a stream into events, however the network split it.
type eventReader struct {
	r     *bufio.Reader
	lines bool
	data  []byte // of the event that is being read
}

func newEventReader(r io.Reader, lines bool) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(r, 16<<10), lines: lines}
}

// next returns the data of the next event, which is valid until the one after it.
// At the end of the stream the error is io.EOF; half an event is not one.
//
// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
func (e *eventReader) next() ([]byte, error) {
	e.data = e.data[:0]
	for some := false; ; {
		line, err := e.line()
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if e.lines && len(bytes.TrimSpace(line)) > 0 {
			return line, nil // the last line may lack its end
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && !e.lines {
			if some {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, bytes.TrimPrefix(data, []byte(" "))...)
			some = true
			if len(e.data) > maxLine {
				return nil, errLongLine
			}
		}
		switch {
		case some && (err != nil || len(line) == 0): // the last event may lack its end too
			return e.data, nil
		case err != nil:
			return nil, err
		}
	}
}

// line reads up to \n, \r\n or the end. A single \r does not end a line: none of these
// servers sends one.
func (e *eventReader) line() ([]byte, error) {
	var long []byte
	for {
		line, err := e.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if long = append(long, line...); len(long) > maxLine {
				return nil, errLongLine
			}
			continue
		}
		if long != nil {
			line = append(long, line...)
		}
		if err == nil {
			line = line[:len(line)-1]
		}
		return bytes.TrimSuffix(line, []byte("\r")), err
	}
}

// fault is what a server says about its failure: a text, or an object.
type fault struct {
	kinds []string // type and code, in small letters
	text  string   // never shown: servers quote questions and keys
}

// readFault reads the error of a body or of an event; ok is false if there is none.
func readFault(raw json.RawMessage) (f fault, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return fault{}, false
	}
	var object struct {
		Type    any    `json:"type"`
		Code    any    `json:"code"`
		Message string `json:"message"`
		Details struct {
			Code any `json:"error_code"`
		} `json:"details"`
	}
	if json.Unmarshal(raw, &f.text) == nil {
		f.text = strings.ToLower(f.text)
		return f, true
	}
	if json.Unmarshal(raw, &object) == nil {
		for _, k := range [...]any{object.Type, object.Code, object.Details.Code} {
			if s, ok := k.(string); ok && s != "" {
				f.kinds = append(f.kinds, strings.ToLower(s))
			}
		}
		f.text = strings.ToLower(object.Message)
	}
	return f, true
}

// faultOfBody reads the body of a response with a status of failure.
func faultOfBody(body []byte) fault {
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return fault{}
	}
	if f, ok := readFault(outer.Error); ok {
		return f
	}
	f, _ := readFault(body) // vLLM once put type and code outside
	return f
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only texts and numbers are encoded here
	}
	return raw
}

// object is a JSON object.
type object map[string]any
