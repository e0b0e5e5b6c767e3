package llm

import (
	"strconv"
	"strings"
	"time"
)

// Code says in which way a model failed.
type Code string

// Codes of failures. Each has a sentinel for errors.Is.
const (
	Refused     Code = "refused"      // the key, the model's name or the content is not accepted
	RateLimited Code = "rate_limited" // too many questions; see Error.RetryAfter
	Timeout     Code = "timeout"      // no answer within the client's own time
	Unavailable Code = "unavailable"  // no connection, or a fault of the server
	Malformed   Code = "malformed"    // an answer that cannot be read, or none
	BreakerOpen Code = "breaker_open" // not asked, because the calls before failed
)

var codes = []Code{Refused, RateLimited, Timeout, Unavailable, Malformed, BreakerOpen}

// Sentinels: errors.Is(err, ErrX) holds for every [Error] of that code.
var (
	ErrRefused     = &Error{Code: Refused, Text: "refused"}
	ErrRateLimited = &Error{Code: RateLimited, Text: "rate limited"}
	ErrTimeout     = &Error{Code: Timeout, Text: "timeout"}
	ErrUnavailable = &Error{Code: Unavailable, Text: "unavailable"}
	ErrMalformed   = &Error{Code: Malformed, Text: "malformed answer"}
	ErrBreakerOpen = &Error{Code: BreakerOpen, Text: "breaker open"}
)

// Error is why a model gave no answer. A [Model] that returns another error
// counts as unavailable, and its words are not passed on.
type Error struct {
	Code Code
	Text string // for people: what happened and what to do; never private, never a key
	// RetryAfter is how long not to ask again, 0 if that is not known.
	RetryAfter time.Duration
	// Content tells a refusal of this question from one of all questions.
	Content bool

	status int // of HTTP, 0 if there was none
}

// Error implements error.
func (e *Error) Error() string {
	if e.RetryAfter > 0 {
		return "llm: " + e.Text + " (again in " + shown(e.RetryAfter) + ")"
	}
	return "llm: " + e.Text
}

// Is makes an error that of its code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// shown is a duration in whole seconds, at least one.
func shown(d time.Duration) string { return max(time.Second, d.Round(time.Second)).String() }

// ofStatus is the failure that a status of HTTP means, nil for success. retry is
// the header Retry-After.
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
		return &Error{Code: Refused, Text: "the server refuses the key with status " + number +
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

// maxRetryAfter is the longest time that a server may ask for.
const maxRetryAfter = time.Hour

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

// outcome is what a failure means for the breaker; nil is a success. A model
// that refuses a content is well.
func outcome(e *Error) Outcome {
	if e == nil || e.Code == Refused && e.Content {
		return Succeeded
	}
	return Failed
}
