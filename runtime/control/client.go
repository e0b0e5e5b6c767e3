package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// ErrNotRunning says that nothing answers on the socket of a data directory.
var ErrNotRunning = errors.New("control: no Kehai runs on this data directory")

// Client asks a running Kehai. It is safe for concurrent use.
type Client struct{ http *http.Client }

// Dial returns a client for the Kehai that runs on a data directory, or
// ErrNotRunning.
func Dial(ctx context.Context, data string) (*Client, error) {
	path, err := SocketPath(data)
	if err != nil {
		return nil, err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return private.Dial(ctx, path)
	}
	conn, err := dial(ctx, "", "")
	switch {
	case errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNotRunning
	case err != nil:
		return nil, fmt.Errorf("control: reach the running Kehai at %s: %w", path, err)
	}
	conn.Close()
	return &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial}}}, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Timeline implements [Backend].
func (c *Client) Timeline(ctx context.Context, q Query, yield func(Entry) error) error {
	return stream(ctx, c, "/v1/timeline?"+q.values().Encode(), yield)
}

// Verdicts implements [Backend].
func (c *Client) Verdicts(ctx context.Context, q Query, yield func(events.Verdict) error) error {
	return stream(ctx, c, "/v1/verdicts?"+q.values().Encode(), yield)
}

// stream reads a list with one value on each line.
func stream[V any](ctx context.Context, c *Client, path string, yield func(V) error) error {
	body, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer body.Close()
	for dec := json.NewDecoder(body); ; {
		var v V
		switch err := dec.Decode(&v); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("control: the answer was cut off: %w", err)
		}
		if err := yield(v); err != nil {
			return err
		}
	}
}

// DeadLetters implements [Backend].
func (c *Client) DeadLetters(ctx context.Context) (list []engine.DeadLetter, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/deadletters", &list)
	return list, err
}

// RetryDeadLetter implements [Backend].
func (c *Client) RetryDeadLetter(ctx context.Context, id string) error {
	return c.get(ctx, http.MethodPost, "/v1/deadletters/"+url.PathEscape(id)+"/retry", nil)
}

// DiscardDeadLetter implements [Backend].
func (c *Client) DiscardDeadLetter(ctx context.Context, id string) error {
	return c.get(ctx, http.MethodDelete, "/v1/deadletters/"+url.PathEscape(id), nil)
}

// Subscriptions implements [Backend].
func (c *Client) Subscriptions(ctx context.Context) (list []engine.Subscription, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/subscriptions", &list)
	return list, err
}

// DropSubscription implements [Backend].
func (c *Client) DropSubscription(ctx context.Context, name string) error {
	return c.get(ctx, http.MethodDelete, "/v1/subscription?"+url.Values{"name": {name}}.Encode(), nil)
}

// ParkEvent implements [Backend].
func (c *Client) ParkEvent(ctx context.Context, subscription string) error {
	return c.get(ctx, http.MethodPost, "/v1/subscription/park?"+url.Values{"name": {subscription}}.Encode(), nil)
}

// Trace implements [Backend].
func (c *Client) Trace(ctx context.Context, id messages.MessageID) (p Path, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/trace/"+url.PathEscape(string(id)), &p)
	return p, err
}

// Why implements [Backend].
func (c *Client) Why(ctx context.Context, q WhyQuery) (w Why, err error) {
	v := url.Values{"id": {q.ID}, "text": {q.Text}, "conversation": {string(q.Conversation)},
		"limit": {strconv.Itoa(q.Limit)}}
	err = c.get(ctx, http.MethodGet, "/v1/why?"+v.Encode(), &w)
	return w, err
}

// Pause implements [Backend].
func (c *Client) Pause(ctx context.Context, window string) error {
	return c.get(ctx, http.MethodPost, "/v1/pause?"+url.Values{"window": {window}}.Encode(), nil)
}

// Resume implements [Backend].
func (c *Client) Resume(ctx context.Context, window string) error {
	return c.get(ctx, http.MethodPost, "/v1/resume?"+url.Values{"window": {window}}.Encode(), nil)
}

// Forget implements [Backend].
func (c *Client) Forget(ctx context.Context, conversation messages.ConversationID) (sum engine.Forgotten, err error) {
	v := url.Values{"conversation": {string(conversation)}}
	err = c.get(ctx, http.MethodDelete, "/v1/conversation?"+v.Encode(), &sum)
	return sum, err
}

// Status implements [Backend].
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/status", &s)
	return s, err
}

func (c *Client) get(ctx context.Context, method, path string, into any) error {
	return c.ask(ctx, method, path, nil, into)
}

// post sends a form: texts and names of people stand in the body, which no error quotes.
func (c *Client) post(ctx context.Context, path string, form url.Values) error {
	return c.ask(ctx, http.MethodPost, path, form, nil)
}

func (c *Client) ask(ctx context.Context, method, path string, form url.Values, into any) error {
	body, err := c.do(ctx, method, path, form)
	if err != nil {
		return err
	}
	defer body.Close()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(body).Decode(into); err != nil {
		place, _, _ := strings.Cut(path, "?")
		return fmt.Errorf("control: answer to %s: %w", place, err)
	}
	return nil
}

func (c *Client) do(ctx context.Context, method, path string, form url.Values) (io.ReadCloser, error) {
	if form == nil {
		return c.send(ctx, method, path, "", nil)
	}
	return c.send(ctx, method, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func (c *Client) send(ctx context.Context, method, path, kind string, sent io.Reader) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://kehai"+path, sent)
	if err != nil {
		return nil, fmt.Errorf("control: %w", withoutURL(err))
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("control: the running Kehai does not answer: %w", withoutURL(err))
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var f failure
	if json.Unmarshal(bytes.TrimSpace(raw), &f) != nil || f.Error == "" {
		if f.Error = resp.Status; resp.StatusCode == http.StatusNotFound {
			return nil, errNoRoute
		}
	}
	for sentinel, code := range codes {
		if f.Code == code {
			return nil, remoteError{f.Error, sentinel}
		}
	}
	return nil, errors.New(f.Error)
}

// withoutURL is an error of net/http without the address, whose query may hold private
// words.
func withoutURL(err error) error {
	if quoting := new(url.Error); errors.As(err, &quoting) {
		return quoting.Err
	}
	return err
}
