package llm_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kehai-run/kehai/actors/llm"
)

// exchange is one recorded answer of a server, and what should come of it. The
// files in testdata/wire say where each server documents its form.
type exchange struct {
	name     string
	provider llm.Provider
	stream   bool
	status   int
	header   http.Header
	body     []byte

	text           string
	prompt, answer int
	cut            bool
	code           llm.Code
	says           string
}

func exchanges(t *testing.T) (list []exchange) {
	t.Helper()
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) != 6 {
		t.Fatalf("testdata/wire has %d files, %v, want one for each server", len(files), err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(archive.Comment, []byte("https://")) {
			t.Errorf("%s does not say where its server documents this", file)
		}
		for i := 0; i < len(archive.Files); i += 2 {
			e := exchange{name: filepath.Base(file) + ": " + archive.Files[i].Name, status: http.StatusOK,
				header: http.Header{}, body: archive.Files[i+1].Data}
			if archive.Files[i+1].Name != archive.Files[i].Name+"/body" {
				t.Fatalf("%s has no body", e.name)
			}
			for line := range strings.Lines(string(archive.Files[i].Data)) {
				e.set(t, strings.TrimSuffix(line, "\n"))
			}
			list = append(list, e)
		}
	}
	return list
}

func (e *exchange) set(t *testing.T, line string) {
	t.Helper()
	key, value, _ := strings.Cut(line, ": ")
	number := func(into *int) {
		var err error
		if *into, err = strconv.Atoi(value); err != nil {
			t.Fatalf("%s: %s: %v", e.name, line, err)
		}
	}
	switch key {
	case "provider":
		e.provider = llm.Provider(value)
	case "stream":
		e.stream = true
	case "status":
		number(&e.status)
	case "header":
		name, header, _ := strings.Cut(value, ": ")
		e.header.Set(name, header)
	case "text":
		e.text = value
	case "prompt":
		number(&e.prompt)
	case "answer":
		number(&e.answer)
	case "cut":
		e.cut = true
	case "code":
		e.code = llm.Code(value)
	case "says":
		e.says = value
	default:
		t.Fatalf("%s: unknown line %q", e.name, line)
	}
}

// player is a server that answers with a recorded body, in pieces of a size, and
// ends with an error if it is cut.
type player struct {
	e      exchange
	body   []byte
	piece  int
	broken error // after the body; nil is its end
	closed bool
	asked  int
}

func (p *player) RoundTrip(*http.Request) (*http.Response, error) {
	p.asked++
	return &http.Response{StatusCode: p.e.status, Header: p.e.header, Body: &playing{p, p.body}}, nil
}

type playing struct {
	p    *player
	rest []byte
}

func (r *playing) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.p.broken != nil {
			return 0, r.p.broken
		}
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), r.p.piece)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *playing) Close() error { r.p.closed = true; return nil }

// play asks the recorded server.
func (p *player) play(t *testing.T) (llm.Reply, []llm.Chunk, error) {
	t.Helper()
	c, err := llm.New(llm.Options{Settings: local(p.e.provider), Key: llm.NewSecret(hidden), Transport: p})
	if err != nil {
		t.Fatal(err)
	}
	if !p.e.stream {
		reply, err := c.Generate(t.Context(), llm.Question{Prompt: private})
		return reply, nil, err
	}
	var chunks []llm.Chunk
	reply, err := c.Stream(t.Context(), llm.Question{Prompt: private}, func(c llm.Chunk) { chunks = append(chunks, c) })
	return reply, chunks, err
}

func (p *player) check(t *testing.T, how string) {
	t.Helper()
	e := p.e
	reply, chunks, err := p.play(t)
	var failure *llm.Error
	switch {
	case e.code != "":
		if !errors.As(err, &failure) || failure.Code != e.code || !strings.Contains(err.Error(), e.says) {
			t.Errorf("%s, %s: %v, want %s with %q", e.name, how, err, e.code, e.says)
		} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), private) {
			t.Errorf("%s, %s: the error has private words: %v", e.name, how, err)
		}
	case err != nil:
		t.Errorf("%s, %s: %v, want %q", e.name, how, err, e.text)
	case reply.Text != e.text || reply.PromptTokens != e.prompt || reply.AnswerTokens != e.answer || reply.Cut != e.cut:
		t.Errorf("%s, %s: %+v, want %q with %d and %d tokens", e.name, how, reply, e.text, e.prompt, e.answer)
	case e.stream && (len(chunks) == 0 || chunks[len(chunks)-1].Text != e.text):
		t.Errorf("%s, %s: told %+v, want the whole text last", e.name, how, chunks)
	}
	if !p.closed || p.asked != 1 {
		t.Errorf("%s, %s: asked %d times, body closed %v, want once and closed", e.name, how, p.asked, p.closed)
	}
}

// What the servers document is read as they mean it: however the network cuts it,
// also inside a character, and with either end of a line.
func TestDocumentedExchanges(t *testing.T) {
	list := exchanges(t)
	if len(list) < 50 {
		t.Errorf("%d exchanges, want at least 50", len(list))
	}
	for _, e := range list {
		pieces := []int{1 << 20, 1, 2, 3, 7, 64}
		if testing.Short() {
			pieces = []int{1 << 20, 7}
		}
		for _, piece := range pieces {
			(&player{e: e, body: e.body, piece: piece}).check(t, "in pieces of "+strconv.Itoa(piece))
		}
		(&player{e: e, body: bytes.ReplaceAll(e.body, []byte("\n"), []byte("\r\n")), piece: 5}).check(t, "with CRLF")
		(&player{e: e, body: bytes.TrimRight(e.body, "\n"), piece: 5}).check(t, "without the last line break")
	}
}

// A connection that is cut, at any byte, is a failure or the whole answer, never
// the beginning of one that passes for it.
func TestCutConnections(t *testing.T) {
	for _, e := range exchanges(t) {
		if e.code != "" || e.status != http.StatusOK {
			continue
		}
		late := strings.Contains(e.name, "thoughts begun in the question")
		every := 1
		if testing.Short() {
			every = 13
		}
		for step, broken := range map[int]error{every: io.ErrUnexpectedEOF, 5 * every: nil} {
			failed := 0
			for at := 0; at < len(e.body); at += step {
				p := &player{e: e, body: e.body[:at], piece: 1 << 20, broken: broken}
				reply, chunks, err := p.play(t)
				switch {
				case errors.Is(err, llm.ErrUnavailable), errors.Is(err, llm.ErrMalformed):
					failed++
				case err != nil || reply.Text != e.text:
					t.Fatalf("%s, cut after %d bytes with %v: %q, %v, want a failure or %q", e.name, at, broken,
						reply.Text, err, e.text)
				}
				for _, c := range chunks {
					if !strings.HasPrefix(e.text, c.Text) && !late {
						t.Fatalf("%s, cut after %d bytes: told %q, which is no beginning of %q", e.name, at, c.Text,
							e.text)
					}
				}
				if err != nil && len(chunks) > 0 && !errors.Is(err, llm.ErrUnavailable) {
					t.Fatalf("%s, cut after %d bytes: told %+v and then %v, want that it broke off", e.name, at, chunks,
						err)
				}
				if !p.closed {
					t.Fatalf("%s, cut after %d bytes: the body was not closed", e.name, at)
				}
			}
			if failed < len(e.body)/step/4 {
				t.Errorf("%s: %d of %d cuts failed, want all before the model stopped", e.name, failed, len(e.body))
			}
		}
	}
}

// A server that does not know JSON answers, as LM Studio, is asked without from
// then on.
func TestAServerWithoutJSONMode(t *testing.T) {
	s := &lmStudio{}
	c, err := llm.New(llm.Options{Settings: local(llm.OpenAI), Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		reply, err := c.Generate(t.Context(), llm.Question{Prompt: private, JSON: true})
		if err != nil || reply.Text != "{}" {
			t.Errorf("Generate(JSON) = %+v, %v, want the answer", reply, err)
		}
	}
	if s.refused != 1 || s.answered != 2 {
		t.Errorf("%d refusals and %d answers, want 1 and 2", s.refused, s.answered)
	}
}

type lmStudio struct{ refused, answered int }

func (s *lmStudio) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := func(status int, body string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
	if bytes.Contains(body, []byte("json_object")) {
		s.refused++
		return answer(400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`)
	}
	s.answered++
	return answer(200, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`)
}
