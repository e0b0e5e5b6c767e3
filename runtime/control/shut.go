package control

import (
	"context"
	"errors"
	"net/http"
)

// Shut says what every list leaves out, because no key opens it for now.
type Shut struct {
	Conversations int    `json:"conversations"`
	Why           string `json:"why,omitempty"` // of one of them: the key, its directory, and what mends it
}

// ShutBackend tells what cannot be read. Every [Backend] of this module is one.
type ShutBackend interface {
	Shut(ctx context.Context) (Shut, error)
}

// errNoRoute marks a question that the other end, an older Kehai, does not know.
var errNoRoute = errors.New("control: the running Kehai is older: start it again")

func shutRoutes(mux *http.ServeMux, b Backend) {
	shut, ok := b.(ShutBackend)
	if !ok {
		return
	}
	mux.HandleFunc("GET /v1/shut", func(w http.ResponseWriter, r *http.Request) {
		s, err := shut.Shut(r.Context())
		answer(w, s, err)
	})
}

// Shut implements [ShutBackend]. An older Kehai does not tell: nothing then.
func (c *Client) Shut(ctx context.Context) (s Shut, err error) {
	if err = c.get(ctx, http.MethodGet, "/v1/shut", &s); errors.Is(err, errNoRoute) {
		return Shut{}, nil
	}
	return s, err
}
