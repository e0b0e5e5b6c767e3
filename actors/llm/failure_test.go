package llm

import (
	"errors"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestOfStatus(t *testing.T) {
	for _, c := range []struct {
		status int
		retry  string
		want   *Error // nil for success
		pause  time.Duration
	}{
		{200, "7", nil, 0},
		{204, "", ErrMalformed, 0},
		{302, "", ErrUnavailable, 0},
		{400, "", ErrRefused, 0},
		{401, "", ErrRefused, 0},
		{403, "", ErrRefused, 0},
		{404, "", ErrRefused, 0},
		{408, "", ErrUnavailable, 0},
		{422, "", ErrRefused, 0},
		{429, "", ErrRateLimited, 0},
		{429, "7", ErrRateLimited, 7 * time.Second},
		{500, "", ErrUnavailable, 0},
		{503, "20", ErrUnavailable, 20 * time.Second},
		{529, "", ErrUnavailable, 0},
	} {
		got := ofStatus(c.status, c.retry, noon)
		if c.want == nil {
			if got != nil {
				t.Errorf("ofStatus(%d) = %v, want none", c.status, got)
			}
			continue
		}
		if !errors.Is(got, c.want) || got.RetryAfter != c.pause || got.status != c.status {
			t.Errorf("ofStatus(%d, %q) = %s after %s, want %s after %s", c.status, c.retry, got.Code, got.RetryAfter,
				c.want.Code, c.pause)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, " 5 ": 5 * time.Second, "-5": 0, "1.5": 0, "soon": 0,
		"86400": time.Hour, "4294967295": time.Hour, "99999999999999999999": 0,
		"Thu, 01 Jan 2026 12:00:30 GMT":     30 * time.Second,
		"Thu, 01 Jan 2026 11:59:00 GMT":     0,
		"Fri, 02 Jan 2026 12:00:00 GMT":     time.Hour,
		"Thursday, 01-Jan-26 12:00:10 GMT":  10 * time.Second,
		"Thu Jan  1 12:00:10 2026":          10 * time.Second,
		"Thu, 01 Jan 2026 12:00:30 +0900":   0,
		"Thu, 99 Jan 2026 12:00:30 GMT":     0,
		"Thu, 01 Jan 9999 12:00:30 GMT":     time.Hour,
		"\x00\xff":                          0,
		"Thu, 01 Jan 2026 12:00:30 GMT\r\n": 30 * time.Second,
	} {
		if got := retryAfter(header, noon); got != want {
			t.Errorf("retryAfter(%q) = %s, want %s", header, got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	e := &Error{Code: RateLimited, Text: "wait", RetryAfter: 1500 * time.Millisecond}
	if got, want := e.Error(), "llm: wait (again in 2s)"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if errors.Is(e, ErrTimeout) || errors.Is(e, errors.New("x")) || !errors.Is(e, ErrRateLimited) {
		t.Error("errors.Is() does not go by the code")
	}
}
