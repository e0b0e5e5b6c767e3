package control

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// TestErrorsQuoteNothing that a person wrote, nor whom it is to.
func TestErrorsQuoteNothing(t *testing.T) {
	gone := errors.New("the line is cut")
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, gone }
	c := &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial}}}
	_, errWhich := c.Which(t.Context(), "Hana Secret")
	_, errWhy := c.Why(t.Context(), WhyQuery{Text: "my secret answer"})
	for what, err := range map[string]error{
		"DraftDo": c.DraftDo(t.Context(), "c-1/1.1", messages.DraftEdit, "my secret answer"),
		"Rename":  c.Rename(t.Context(), "c-1", "Hana Secret"), "Which": errWhich, "Why": errWhy,
	} {
		if !errors.Is(err, gone) || strings.Contains(strings.ToLower(err.Error()), "secret") {
			t.Errorf("%s fails with %v, want why, without the text", what, err)
		}
	}
}

// drafting takes what a person wants of drafts and names.
type drafting struct {
	Backend
	ReplyBackend
	got string
}

func (d *drafting) DraftDo(_ context.Context, id DraftID, do messages.DraftVerb, text string) error {
	d.got = string(id) + " " + string(do) + " " + text
	return nil
}

func (d *drafting) Rename(_ context.Context, id messages.ConversationID, name string) error {
	d.got = string(id) + " " + name
	return nil
}

// TestTextsArePosted as they are, and not in an address.
func TestTextsArePosted(t *testing.T) {
	b := &drafting{}
	_, c := serve(t, b)
	const text = "十時に & 駅で?\n+1"
	if err := c.DraftDo(t.Context(), "c-1/1.1", messages.DraftEdit, text); err != nil || b.got != "c-1/1.1 edit "+text {
		t.Errorf("the backend was told %q, %v, want the text", b.got, err)
	}
	if err := c.Rename(t.Context(), "c-1", text); err != nil || b.got != "c-1 "+text {
		t.Errorf("the backend was told %q, %v, want the name", b.got, err)
	}
	long := strings.Repeat("x", maxForm)
	if err := c.Rename(t.Context(), "c-1", long); err == nil || len(err.Error()) > 200 {
		t.Errorf("Rename(1 MiB) = %v, want a short error", err)
	}
}

// canned is a Kehai that answers everything alike.
type canned struct {
	status int
	body   []byte
}

func (a canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Body: io.NopCloser(bytes.NewReader(a.body))}, nil
}

// Whatever answers on the socket: values or an error, and an error where it refuses.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{`{"error":"no such message","code":"no_message"}`, `{"version":"1"}`, `[{"id":"a"}]`,
		`{"seq":1,"message":{}}{"seq":2`, `[`, ``, `null`, `{"at":"2026-13-99"}`} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, body string, ok bool) {
		a := canned{http.StatusOK, []byte(body)}
		if !ok {
			a.status = http.StatusConflict
		}
		c := &Client{http: &http.Client{Transport: a}}
		ctx := t.Context()
		_, status := c.Status(ctx)
		_, letters := c.DeadLetters(ctx)
		_, path := c.Trace(ctx, "m-1")
		_, why := c.Why(ctx, WhyQuery{Text: "x"})
		for what, err := range map[string]error{"Status": status, "DeadLetters": letters, "Trace": path, "Why": why,
			"Timeline": c.Timeline(ctx, Query{}, func(Entry) error { return nil }),
			"Verdicts": c.Verdicts(ctx, Query{}, func(events.Verdict) error { return nil })} {
			if err == nil && !ok {
				t.Errorf("%s() of a refusal = nil, want an error", what)
			}
		}
	})
}
