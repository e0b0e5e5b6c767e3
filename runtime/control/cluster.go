package control

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// ErrNoCluster says that a Kehai is alone.
var ErrNoCluster = errors.New("control: this Kehai runs alone: `kehai cluster init` on one machine, then start it " +
	"again")

// Cluster is the cluster as one member sees it.
type Cluster struct {
	Cluster  string          `json:"cluster"`
	Node     string          `json:"node"`             // who tells
	Running  bool            `json:"running"`          // false: what was known when it last ran
	Leader   string          `json:"leader,omitempty"` // "": none is known
	Ready    bool            `json:"ready"`            // a majority decides: messages are taken and sent
	Expires  Stamp           `json:"certificate_expires"`
	Members  []ClusterMember `json:"members"` // by name
	Problems []string        `json:"problems,omitempty"`
}

// ClusterMember is one machine.
type ClusterMember struct {
	Node    string `json:"node"`
	Address string `json:"address"`
	Role    string `json:"role"`
	// Up says that the cluster counts on it: if it is no more, what it owns moves. Where no
	// majority decides, and for a witness, that it answered lately.
	Up      bool   `json:"up"`
	Owns    int    `json:"owns"`              // actors
	Lag     uint64 `json:"lag"`               // changes that it has not carried out yet
	Contact *Stamp `json:"contact,omitempty"` // when it last answered; nil for itself, or never
	// Zone says in words how near its models are: what began there lives where all of them hold. "": anywhere.
	Zone string `json:"zone,omitempty"`
}

// Invitation is a code that lets one machine in.
type Invitation struct {
	Code    string `json:"code"`
	Expires Stamp  `json:"expires"`
}

// ClusterBackend is what a member of a cluster tells and does. All fail with
// [ErrNoCluster] on a Kehai that is alone.
type ClusterBackend interface {
	Cluster(ctx context.Context) (Cluster, error)
	// Invite makes a code.
	Invite(ctx context.Context) (Invitation, error)
	// Settle waits until this machine holds everything that the cluster accepted before.
	Settle(ctx context.Context) error
	// Stranded counts the actors that would wait without a machine: they may live on no other that is up.
	Stranded(ctx context.Context, node string) (int, error)
	// Expel takes a machine out of the cluster for good: its certificate opens nothing more.
	Expel(ctx context.Context, node string) error
}

func clusterRoutes(mux *http.ServeMux, b Backend) {
	c, ok := b.(ClusterBackend)
	if !ok {
		return
	}
	mux.HandleFunc("GET /v1/cluster", func(w http.ResponseWriter, r *http.Request) {
		s, err := c.Cluster(r.Context())
		answer(w, s, err)
	})
	mux.HandleFunc("POST /v1/cluster/invite", func(w http.ResponseWriter, r *http.Request) {
		i, err := c.Invite(r.Context())
		answer(w, i, err)
	})
	mux.HandleFunc("POST /v1/cluster/settle", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, c.Settle(r.Context()))
	})
	mux.HandleFunc("GET /v1/cluster/stranded", func(w http.ResponseWriter, r *http.Request) {
		n, err := c.Stranded(r.Context(), r.URL.Query().Get("node"))
		answer(w, n, err)
	})
	mux.HandleFunc("POST /v1/cluster/expel", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, c.Expel(r.Context(), r.URL.Query().Get("node")))
	})
}

// Cluster implements [ClusterBackend].
func (c *Client) Cluster(ctx context.Context) (s Cluster, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/cluster", &s)
	return s, err
}

// Invite implements [ClusterBackend].
func (c *Client) Invite(ctx context.Context) (i Invitation, err error) {
	err = c.get(ctx, http.MethodPost, "/v1/cluster/invite", &i)
	return i, err
}

// Settle implements [ClusterBackend].
func (c *Client) Settle(ctx context.Context) error {
	return c.get(ctx, http.MethodPost, "/v1/cluster/settle", nil)
}

// Stranded implements [ClusterBackend].
func (c *Client) Stranded(ctx context.Context, node string) (n int, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/cluster/stranded?"+url.Values{"node": {node}}.Encode(), &n)
	return n, err
}

// Expel implements [ClusterBackend].
func (c *Client) Expel(ctx context.Context, node string) error {
	return c.get(ctx, http.MethodPost, "/v1/cluster/expel?"+url.Values{"node": {node}}.Encode(), nil)
}
