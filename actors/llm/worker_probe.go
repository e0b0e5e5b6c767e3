package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Check asks the model for a purpose something small. The error is nil if it answers,
// even if it thinks longer than it may write here. Nothing is retried.
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

// Found is the result of checking the server of the models.
type Found struct {
	At     string // address of the server
	Models []FoundModel
}

// FoundModel is the result of asking one model.
type FoundModel struct {
	Model    string
	Purposes []Purpose // that ask it
	Known    bool      // the server lists it, or lists none; otherwise it was not asked
	Err      error     // why it does not answer, nil if it does
	Took     time.Duration
}

// listTime is how long a server may take to list its models.
const listTime = 3 * time.Second

// Look checks that the server answers and has the models, and asks each of them something
// small within a time limit. Errors never show the key.
func (c *Client) Look(ctx context.Context, within time.Duration) (Found, error) {
	found := Found{At: cmp.Or(c.o.BaseURL, DefaultBaseURL(c.o.Provider))}
	for _, m := range c.models() {
		listing, cancel := context.WithTimeout(ctx, listTime)
		var err error
		m.Known, err = c.Probe(listing, m.Model)
		cancel()
		if err != nil {
			return found, err
		}
		if m.Known {
			m.Took, m.Err = c.try(ctx, m.Purposes, within)
		}
		found.Models = append(found.Models, m)
	}
	return found, nil
}

// models are the models that may be asked, each once, with their purposes.
func (c *Client) models() (list []FoundModel) {
	for _, p := range Purposes() {
		name := cmp.Or(c.o.Models.For(p), c.o.Model)
		i := slices.IndexFunc(list, func(m FoundModel) bool { return m.Model == name })
		if i < 0 {
			i, list = len(list), append(list, FoundModel{Model: name})
		}
		list[i].Purposes = append(list[i].Purposes, p)
	}
	return list
}

// try asks a model for the one of its purposes that may take longest.
func (c *Client) try(ctx context.Context, purposes []Purpose, within time.Duration) (time.Duration, error) {
	longest := slices.MaxFunc(purposes, func(a, b Purpose) int { return cmp.Compare(c.o.For(a), c.o.For(b)) })
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	start := time.Now()
	err := c.Check(ctx, longest)
	return time.Since(start), err
}

// Probe checks that the server answers, without asking a model. known is false if the
// server lists its models and this one is not among them; some servers accept any name.
// The error is an [Error]. A host's model is not probed.
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
		return true, nil // it answers, but lists nothing
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

// listed reports whether a model is in a list, or there is no list.
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
