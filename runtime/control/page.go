package control

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/kehai-run/kehai/messages"
)

// Errors of a [PageBackend].
var (
	ErrNoKey  = errors.New("control: no such key of the page: kehai page --list shows them")
	ErrNoRole = errors.New("control: no program has such a key of the page")
	ErrNoPage = errors.New("control: this run has no page: start it without --no-web and with web.enabled: true")
)

// PageRole says what a key of the page opens.
type PageRole string

// Roles.
const (
	RoleOwner PageRole = "owner" // everything
	RoleGuest PageRole = "guest" // one conversation of the channel web, masked
	RoleMeter PageRole = "meter" // /metrics, and the reasons at /healthz
)

// PageKey is a key of the page. Kehai keeps a hash of it only.
type PageKey struct {
	ID           string                  `json:"id"`
	Role         PageRole                `json:"role"`
	Conversation messages.ConversationID `json:"conversation,omitempty"` // of a guest
	Made         Stamp                   `json:"made"`
	Ends         Stamp                   `json:"ends"`
	Used         bool                    `json:"used,omitempty"`
	Start        bool                    `json:"start,omitempty"` // made by a start of an older version
}

// NewPageKey is a key at the only moment at which it can be read.
type NewPageKey struct {
	PageKey
	Key string `json:"key"`
}

// PageBackend hands out the keys of the page and takes them back.
type PageBackend interface {
	PageKeys(ctx context.Context) ([]PageKey, error)
	// MakePageKey makes a key for a program. The errors wrap ErrNoPage and ErrNoRole.
	MakePageKey(context.Context, PageRole) (NewPageKey, error)
	// PageLink is an address that opens the page once, within ten minutes: for a guest of a
	// conversation, or for the owner if that is "". The errors wrap ErrNoPage,
	// ErrNoConversation and ErrNotChannel.
	PageLink(ctx context.Context, guestOf messages.ConversationID) (string, error)
	// RevokePageKey makes a key void, or every key if id is "all". The error wraps ErrNoKey.
	RevokePageKey(ctx context.Context, id string) error
}

// pageRoutes adds what a [PageBackend] answers.
func pageRoutes(mux *http.ServeMux, b Backend) {
	p, ok := b.(PageBackend)
	if !ok {
		return
	}
	mux.HandleFunc("GET /v1/page/keys", func(w http.ResponseWriter, r *http.Request) {
		list, err := p.PageKeys(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("POST /v1/page/keys", func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			key, err := p.MakePageKey(r.Context(), PageRole(v.Get("role")))
			answer(w, key, err)
		}
	})
	mux.HandleFunc("POST /v1/page/link", func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			link, err := p.PageLink(r.Context(), messages.ConversationID(v.Get("conversation")))
			answer(w, link, err)
		}
	})
	mux.HandleFunc("POST /v1/page/revoke", func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			answer(w, struct{}{}, p.RevokePageKey(r.Context(), v.Get("id")))
		}
	})
}

// PageKeys implements [PageBackend].
func (c *Client) PageKeys(ctx context.Context) (list []PageKey, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/page/keys", &list)
	return list, err
}

// MakePageKey implements [PageBackend].
func (c *Client) MakePageKey(ctx context.Context, role PageRole) (k NewPageKey, err error) {
	err = c.ask(ctx, http.MethodPost, "/v1/page/keys", url.Values{"role": {string(role)}}, &k)
	return k, err
}

// PageLink implements [PageBackend].
func (c *Client) PageLink(ctx context.Context, guestOf messages.ConversationID) (link string, err error) {
	err = c.ask(ctx, http.MethodPost, "/v1/page/link", url.Values{"conversation": {string(guestOf)}}, &link)
	return link, err
}

// RevokePageKey implements [PageBackend].
func (c *Client) RevokePageKey(ctx context.Context, id string) error {
	return c.ask(ctx, http.MethodPost, "/v1/page/revoke", url.Values{"id": {id}}, &struct{}{})
}
