package llm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Code says how a model failed, whose fault that is and what to do. It is
// messages.LLMCode, so that the actors that ask know it too.
type Code = messages.LLMCode

// Codes of failures. Each has a sentinel for errors.Is.
const (
	Refused     = messages.LLMRefused
	RateLimited = messages.LLMRateLimited // see Error.RetryAfter
	Timeout     = messages.LLMTimeout
	Unavailable = messages.LLMUnavailable
	Malformed   = messages.LLMMalformed
	BreakerOpen = messages.LLMBreakerOpen
	NoModel     = messages.LLMNoModel
	Simulated   = messages.LLMSimulated
)

// Sentinels: errors.Is(err, ErrX) holds for every [Error] of that code.
var (
	ErrRefused     = &Error{Code: Refused, Text: "refused"}
	ErrRateLimited = &Error{Code: RateLimited, Text: "rate limited"}
	ErrTimeout     = &Error{Code: Timeout, Text: "timeout"}
	ErrUnavailable = &Error{Code: Unavailable, Text: "unavailable"}
	ErrMalformed   = &Error{Code: Malformed, Text: "malformed answer"}
	ErrBreakerOpen = &Error{Code: BreakerOpen, Text: "breaker open"}
	ErrNoModel     = &Error{Code: NoModel, Text: "no model"}
	ErrSimulated   = &Error{Code: Simulated, Text: "simulated"}
)

// Error is why a model gave no answer. A [Model] that returns another error
// counts as unavailable, and its words are not passed on.
type Error struct {
	Code Code
	Text string // for people: what happened and what to do; never private, never a key
	// RetryAfter is how long not to ask again, 0 if unknown.
	RetryAfter time.Duration
	// Content tells a refusal of this question from a refusal of all questions.
	Content bool

	status int  // of HTTP, 0 if there was none
	queued bool // not asked: the questions before it took all the time
	cut    bool // the answer had more tokens than allowed, and would have again
	noJSON bool // the server cannot restrict answers to JSON
}

// Retryable reports whether the question may be asked again soon: the failure may pass,
// and the server asks for no longer pause than maxRetryPause.
func (e *Error) Retryable() bool {
	switch e.Code {
	case RateLimited:
		return e.RetryAfter > 0 && e.RetryAfter <= maxRetryPause
	case Timeout, Unavailable, Malformed:
		return e.RetryAfter <= maxRetryPause && !e.cut && !e.queued
	}
	return false
}

// Fault says where the cause lies. A question that the model refuses is not a fault of
// the setup.
func (e *Error) Fault() messages.LLMFault {
	if e.Content {
		return messages.FaultModel
	}
	return e.Code.Fault()
}

// Error implements error.
func (e *Error) Error() string {
	if e.RetryAfter > 0 {
		return "llm: " + e.Text + " (again in " + shown(e.RetryAfter) + ")"
	}
	return "llm: " + e.Text
}

// Is reports whether the error has the code of a sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// shown is a duration in whole seconds, at least one.
func shown(d time.Duration) string { return max(time.Second, d.Round(time.Second)).String() }

// ofStatus is the failure behind an HTTP status, nil for success. retry is the header
// Retry-After.
func ofStatus(status int, retry string, now time.Time) *Error {
	if status == 200 {
		return nil
	}
	e := meaning(status, retry, now)
	e.status = status
	return e
}

func meaning(status int, retry string, now time.Time) *Error {
	number := strconv.Itoa(status)
	switch {
	case status == 401 || status == 403:
		return &Error{Code: Refused, Text: "the server refuses the key (status " + number + ")" +
			": set llm.key_env or llm.key_file to a valid one"}
	case status == 404:
		return &Error{
			Code: Refused, Text: "the server knows no such model or path (status 404): " +
				"check llm.model and llm.base_url",
		}
	case status == 429:
		return &Error{Code: RateLimited, Text: "the server takes no more questions for now (status 429)",
			RetryAfter: retryAfter(retry, now)}
	case status == 408 || status >= 500:
		return &Error{Code: Unavailable, Text: "the server failed with status " + number,
			RetryAfter: retryAfter(retry, now)}
	case status >= 400:
		return &Error{Code: Refused, Text: "the server refuses the question with status " + number +
			": check llm.model and llm.max_tokens"}
	case status >= 300:
		return &Error{Code: Unavailable, Text: "the server redirects to another address, which is not followed: " +
			"set llm.base_url to the address where it is"}
	}
	return &Error{Code: Malformed, Text: "the server answered with status " + number + ": check llm.base_url"}
}

// ofResponse is ofStatus refined by what the body says.
func ofResponse(status int, retry string, f fault, now time.Time) *Error {
	e := ofStatus(status, retry, now)
	if e == nil {
		return nil
	}
	better := f.meaning(" (status " + strconv.Itoa(status) + ")")
	switch {
	case better == nil, better.Content && (status == 401 || status == 403): // OpenAI calls these invalid too
		return e
	case better.Code == e.Code || better.Code == Refused:
		better.status, better.RetryAfter = status, e.RetryAfter
		return better
	}
	return e
}

// kinds of failures in the words of the providers.
var (
	kindsAccount = []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active",
		"credit_balance_exhausted", "enforced_spend_limit_reached"}
	kindsKey     = []string{"authentication_error", "invalid_api_key", "permission_error"}
	kindsModel   = []string{"model_not_found", "not_found_error", "notfounderror"}
	kindsLong    = []string{"context_length_exceeded", "exceed_context_size_error", "request_too_large"}
	kindsLimited = []string{"rate_limit_error", "rate_limit_exceeded"}
	kindsWrong   = []string{"invalid_request_error", "badrequesterror", "bad_request_error"}
)

// meaning is what a server's words about a failure mean, nil if they are unknown. where
// says when they came.
func (f fault) meaning(where string) *Error {
	is := func(kinds []string) bool {
		return slices.ContainsFunc(f.kinds, func(k string) bool { return slices.Contains(kinds, k) })
	}
	says := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(f.text, p) })
	}
	switch {
	case is(kindsAccount):
		return &Error{Code: Refused, Text: "the account at the server has no credit left or has reached its limit" +
			where + ": look at the account there"}
	case is(kindsKey):
		return &Error{Code: Refused, Text: "the server refuses the key" + where +
			": set llm.key_env or llm.key_file to a valid one"}
	case is(kindsLong), says("context length", "context size", "context window", "prompt is too long"):
		return &Error{Code: Refused, Content: true, Text: "the question is longer than the model takes" + where +
			": use a model with a larger context"}
	case says("response_format"):
		return &Error{Code: Refused, Content: true, noJSON: true, Text: "the server does not know JSON answers" + where}
	case is(kindsModel), says("model") && says("not found", "does not exist"):
		return &Error{Code: Refused, Text: "the server has no such model" + where +
			": check llm.model and llm.models, or load it there"}
	case is(kindsLimited):
		return &Error{Code: RateLimited, Text: "the server takes no more questions for now" + where}
	case says("loading model"):
		return &Error{Code: Unavailable, Text: "the server is still loading its model" + where}
	case is(kindsWrong):
		return &Error{Code: Refused, Content: true, Text: "the server refuses the question" + where +
			": check llm.model and llm.max_tokens"}
	}
	return nil
}

// inStream is the failure reported by an event of a stream, or by an answer with status
// 200.
func (f fault) inStream() *Error {
	if e := f.meaning(""); e != nil {
		return e
	}
	return brokenOff("the model failed while it answered")
}

const (
	// maxRetryAfter is the longest pause that a server may ask for.
	maxRetryAfter = time.Hour
	// maxRetryPause is the longest pause that somebody who waits for an answer accepts.
	maxRetryPause = 5 * time.Second
)

// retryAfter reads the header: seconds, or a date. Nonsense is 0.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if n, err := strconv.ParseUint(header, 10, 32); err == nil {
		return min(time.Duration(n)*time.Second, maxRetryAfter)
	}
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if at, err := time.Parse(layout, header); err == nil {
			return min(max(0, at.Sub(now)), maxRetryAfter)
		}
	}
	return 0
}

// outcome is the meaning of a failure for the breaker; nil is a success. A server that
// refuses one question, or does not have one model, is well. A question that was not
// asked says nothing.
func outcome(e *Error) Outcome {
	switch {
	case e == nil:
		return Succeeded
	case e.queued:
		return Abandoned
	case e.Code == Refused && (e.Content || slices.Contains([]int{400, 404, 413, 422}, e.status)):
		return Succeeded
	}
	return Failed
}

func brokenOff(what string) *Error {
	return &Error{Code: Unavailable, Text: what + ": see the log of the server"}
}

func notJSON() *Error {
	return &Error{Code: Malformed, Text: "the server's answer is no JSON: check llm.base_url and llm.provider"}
}

// pageOf is a web page in place of an answer: of a proxy or a portal on the way, or of a server that is no
// language model. failed is what its status means, nil for success.
func pageOf(at string, status int, failed *Error) *Error {
	e := &Error{Code: Malformed}
	if failed != nil {
		*e = *failed
	}
	e.Text = at + " answered with a web page (HTML, status " + strconv.Itoa(status) +
		") and not as a language model: check llm.base_url, and sign in where a proxy or a portal on the way " +
		"asks for it"
	return e
}

// nothing is an answer with success and without a body.
func nothing() *Error {
	return &Error{Code: Malformed, Text: "the server's answer is empty (status 200): check llm.base_url, and see " +
		"the log of the server"}
}

// isPage reports whether a body is HTML, by what its header says or by how it begins.
func isPage(contentType string, body []byte) bool {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	switch strings.TrimSpace(kind) {
	case "text/html", "application/xhtml+xml":
		return true
	}
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	begin := strings.ToLower(string(body[:min(len(body), len("<!doctype html"))]))
	return strings.HasPrefix(begin, "<!doctype html") || strings.HasPrefix(begin, "<html") ||
		strings.HasPrefix(begin, "<head") || strings.HasPrefix(begin, "<body")
}

// of says which server an answer came from that cannot be read.
func (e *Error) of(at string) *Error {
	if e == nil || e.Code != Malformed {
		return e
	}
	named := *e
	named.Text = strings.Replace(e.Text, "the server's answer", "the answer of "+at, 1)
	return &named
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
