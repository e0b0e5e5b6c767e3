package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// Check asks the model for a purpose something small. It answers, though perhaps
// not at once: the error is nil also for one that thinks longer than it may write
// here. Nothing is retried.
func (c *Client) Check(ctx context.Context, p Purpose) error {
	_, err := c.Generate(ctx, Question{Purpose: p, MaxTokens: checkTokens,
		System: "This is a check that you can be reached.", Prompt: "Answer with the one word ok."})
	var e *Error
	if errors.As(err, &e) && e.cut {
		return nil
	}
	return err
}

// checkTokens is the longest answer of [Client.Check].
const checkTokens = 64

// Probe looks whether the server answers, without asking a model. known is false
// if the server lists its models and this one is not among them; some servers take
// any name. The error is an [Error]. A host's model is not probed.
func (c *Client) Probe(ctx context.Context, model string) (known bool, err error) {
	if c.transport == nil {
		return true, nil
	}
	path := "/models"
	if c.o.Provider == Ollama {
		path = "/api/tags"
	}
	x := &exchange{}
	ctx = withExchange(ctx, x)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimSuffix(c.transport.base.String(), "/")+path, nil)
	if err != nil {
		return false, &Error{Code: Unavailable, Text: "llm.base_url is no address"}
	}
	if c.o.Provider == Anthropic {
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}
	resp, err := c.transport.client().Do(r)
	switch {
	case x.err != nil && x.err.status == http.StatusNotFound:
		return true, nil // it answers, and lists nothing
	case x.err != nil:
		return false, x.err
	case err != nil:
		return false, failureOf(errors.Join(err, ctx.Err()))
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body) // in memory already
	if err != nil {
		return false, failureOf(err)
	}
	return c.listed(raw, model), nil
}

// listed reports a model among those of a list, or that there is no list.
func (c *Client) listed(raw []byte, model string) bool {
	type entry struct{ ID, Name string }
	var list struct{ Data, Models []entry }
	if json.Unmarshal(raw, &list) != nil {
		return true
	}
	entries := append(list.Data, list.Models...)
	for _, e := range entries {
		for _, name := range [...]string{e.ID, e.Name} {
			if name == model || strings.TrimSuffix(name, ":latest") == model {
				return true
			}
		}
	}
	return len(entries) == 0 && c.o.Provider != Ollama
}
