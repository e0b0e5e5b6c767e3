package llm

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"unicode/utf8"
)

const (
	// maxStream is how much of a stream is read, in bytes: an answer with the framing of
	// each token, and the thoughts before it.
	maxStream = 16 << 20
	// maxPiece is the longest text in one event for langchaingo's clients, which read
	// lines of 64 KiB.
	maxPiece = 8 << 10
)

// stream is the body of a response that langchaingo's client reads while the
// server writes. It reads the server's events, keeps what the client would lose,
// and passes on the text in the client's plainest form. A stream that broke off
// ends with an error here.
type stream struct {
	wire   wire
	body   io.Closer
	events *eventReader
	x      *exchange
	broken func(error) *Error // says how a connection failed
	unread func(body []byte, failure *Error) *Error

	reading sync.Mutex // held while it reads
	begun   bool
	some    bool   // an event was read
	answer  answer // without its text
	size    int    // of the text
	out     []byte // for the client
	failed  error  // ends the stream: io.EOF, or an [Error]
}

// newStream makes the body of a response with status 200. If the server answers as a
// whole although it was asked to stream, that is a stream of one event.
func newStream(w wire, resp *http.Response, x *exchange, broken func(error) *Error,
	unread func(body []byte, failure *Error) *Error) *stream {
	body := io.LimitReader(resp.Body, maxStream+1)
	return &stream{wire: w, body: resp.Body, x: x, broken: broken, unread: unread,
		events: newEventReader(body, w.lines())}
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for len(s.out) == 0 {
		if s.failed != nil {
			return 0, s.failed
		}
		s.step()
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	return n, nil
}

// Close ends the connection. It returns once nobody reads any more.
func (s *stream) Close() error {
	err := s.body.Close()
	s.reading.Lock()
	defer s.reading.Unlock()
	s.failed = io.ErrClosedPipe
	return err
}

// step reads one event.
func (s *stream) step() {
	s.out = s.out[:0]
	if !s.begun {
		s.begun = true
		if s.unstreamed() {
			return
		}
		if w, ok := s.wire.(interface{ begin() []byte }); ok {
			s.out = append(s.out, w.begin()...)
		}
	}
	data, err := s.events.next()
	switch {
	case errors.Is(err, io.EOF):
		s.finish(nil)
		return
	case errors.Is(err, errLongLine):
		s.fail(tooLong(maxLine))
		return
	case err != nil:
		s.finish(s.broken(err))
		return
	}
	p, failure := s.wire.event(data)
	if failure != nil && s.half(data) {
		s.finish(nil)
		return
	}
	if failure != nil {
		s.fail(s.unread(data, failure))
		return
	}
	s.some = true
	if p.token && s.x.token != nil {
		s.x.token()
	}
	s.take(p)
	if p.end {
		s.finish(nil)
	}
}

// half tells a connection that ended inside an event from an unreadable event.
func (s *stream) half(data []byte) bool {
	if json.Valid(data) || len(data) > 0 && data[0] != '{' && data[0] != '[' || s.size == 0 {
		return false
	}
	_, err := s.events.next()
	return err != nil && !errors.Is(err, errLongLine)
}

// take passes a part on.
func (s *stream) take(p part) {
	if s.size += len(p.text); s.size > maxResponse {
		s.fail(tooLong(maxResponse))
		return
	}
	for text := p.text; text != ""; {
		n := min(len(text), maxPiece)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		s.out = append(s.out, s.wire.encodeText(text[:n])...)
		text = text[n:]
	}
	p.text = ""
	s.answer.take(p)
}

// finish ends the stream as the server did: it is complete if the model said why it
// stopped. lost is how the connection failed, nil if it did not.
func (s *stream) finish(lost *Error) {
	switch {
	case s.failed != nil:
	case s.answer.stop != "":
		s.x.stop = s.answer.stop
		s.out = append(s.out, s.wire.encodeEnd(s.answer)...)
		s.failed = io.EOF
	case lost != nil:
		s.fail(lost)
	case s.size > 0:
		s.fail(brokenOff("the answer broke off before its end"))
	case s.some:
		s.fail(s.unread([]byte("{}"), otherForm(s.wire.form())))
	default:
		s.fail(s.unread(nil, nothing()))
	}
}

func (s *stream) fail(e *Error) {
	if s.failed == nil {
		s.x.err, s.failed = e, e
	}
}

// unstreamed handles an answer that is not a stream. It reports whether there was one, or
// anything else that cannot begin a stream.
func (s *stream) unstreamed() bool {
	if s.wire.lines() {
		return false
	}
	first, err := s.events.r.Peek(1)
	for err == nil && (first[0] == ' ' || first[0] == '\n' || first[0] == '\r') {
		s.events.r.Discard(1)
		first, err = s.events.r.Peek(1)
	}
	if err != nil || first[0] != '{' && first[0] != '[' && first[0] != '<' {
		return false
	}
	body, err := io.ReadAll(io.LimitReader(s.events.r, maxResponse+1))
	switch {
	case err != nil:
		s.fail(s.broken(err))
		return true
	case len(body) > maxResponse:
		s.fail(tooLong(maxResponse))
		return true
	}
	a, failure := s.wire.whole(body)
	if failure != nil {
		s.fail(s.unread(body, failure))
		return true
	}
	if w, ok := s.wire.(interface{ begin() []byte }); ok {
		s.out = append(s.out, w.begin()...)
	}
	if s.x.token != nil {
		s.x.token()
	}
	if a.stop == "" {
		a.stop = stopEnd
	}
	s.take(part{text: string(a.text), stop: a.stop, prompt: a.prompt, written: a.written})
	s.finish(nil)
	return true
}
