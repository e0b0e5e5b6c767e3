package control

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/kehai-run/kehai/messages"
)

// ErrNoHeld marks an id that no held messages have, or no longer have.
var ErrNoHeld = errors.New("control: nothing is held under this id")

// Held are messages of an unknown conversation: several have the title, or it was
// misread.
type Held struct {
	ID     string                    `json:"id"` // "line@mac/3"
	Window messages.WindowID         `json:"window"`
	App    string                    `json:"app"`
	Title  string                    `json:"title"`           // as it was read
	Why    string                    `json:"why"`             // a reason of package events
	Of     []messages.ConversationID `json:"of,omitempty"`    // whose they may be
	Shown  []messages.ConversationID `json:"shown,omitempty"` // those that have shown all of it since
	Count  int                       `json:"bubbles"`
	Newest []messages.Text           `json:"newest,omitempty"` // what its last bubbles say, oldest first
	SeenAt Stamp                     `json:"seen_at"`
}

// Split says which messages go to a new conversation.
type Split struct {
	Conversation messages.ConversationID `json:"conversation"`
	Messages     []messages.MessageID    `json:"messages"`
	Onwards      bool                    `json:"onwards,omitempty"` // and all that came after each
	Name         string                  `json:"name,omitempty"`    // of the new one; "" for the title
}

// NameBackend answers who is who.
type NameBackend interface {
	// Conversations lists the known conversations, by application and name.
	Conversations(ctx context.Context) ([]Conversation, error)
	// Which returns the id of the conversation that a person means by its id, its name,
	// or its name behind its application, as "line:Hana". Anything else is returned
	// unchanged, because hosts have ids of their own. The error wraps ErrNotClear if
	// several have that name.
	Which(ctx context.Context, name string) (messages.ConversationID, error)
	// Rename gives a conversation a name; "" removes it. The error wraps
	// ErrNoConversation if it is unknown, and ErrCalled if nothing can be called by the name.
	Rename(ctx context.Context, c messages.ConversationID, name string) error
	// Merge makes two conversations one: what is taken for c, and what is stored of it,
	// goes into another one. The errors wrap ErrNoConversation, ErrNotClear and ErrOneAlready.
	Merge(ctx context.Context, c, into messages.ConversationID) error
	// Split makes one conversation two: messages, and what our side said after them, go
	// to a new one, whose id it returns. The errors wrap ErrNoConversation, ErrNotClear,
	// ErrCalled and ErrNoMessage.
	Split(ctx context.Context, s Split) (messages.ConversationID, error)
	// Held lists the messages that are held, oldest first.
	Held(ctx context.Context) ([]Held, error)
	// SettleHeld says to which conversation they belong; "" means a new one. The errors
	// wrap ErrNoHeld and ErrNoConversation.
	SettleHeld(ctx context.Context, id string, c messages.ConversationID) error
}

// nameRoutes are those about who a conversation is.
func nameRoutes(mux *http.ServeMux, b NameBackend) {
	mux.HandleFunc("GET /v1/conversations", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.Conversations(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("GET /v1/which", func(w http.ResponseWriter, r *http.Request) {
		id, err := b.Which(r.Context(), r.URL.Query().Get("name"))
		answer(w, id, err)
	})
	mux.HandleFunc("POST /v1/split", func(w http.ResponseWriter, r *http.Request) {
		v, ok := form(w, r)
		if !ok {
			return
		}
		s := Split{Conversation: messages.ConversationID(v.Get("conversation")), Onwards: v.Get("onwards") != "",
			Name: v.Get("name")}
		for _, id := range v["message"] {
			s.Messages = append(s.Messages, messages.MessageID(id))
		}
		id, err := b.Split(r.Context(), s)
		answer(w, id, err)
	})
	mux.HandleFunc("GET /v1/held", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.Held(r.Context())
		answer(w, list, err)
	})
	post := func(path string, do func(ctx context.Context, c messages.ConversationID, v url.Values) error) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if v, ok := form(w, r); ok {
				answer(w, struct{}{}, do(r.Context(), messages.ConversationID(v.Get("conversation")), v))
			}
		})
	}
	post("/v1/rename", func(ctx context.Context, c messages.ConversationID, v url.Values) error {
		return b.Rename(ctx, c, v.Get("name"))
	})
	post("/v1/merge", func(ctx context.Context, c messages.ConversationID, v url.Values) error {
		return b.Merge(ctx, c, messages.ConversationID(v.Get("into")))
	})
	post("/v1/settle", func(ctx context.Context, c messages.ConversationID, v url.Values) error {
		return b.SettleHeld(ctx, v.Get("held"), c)
	})
}

// Conversations implements [Backend].
func (c *Client) Conversations(ctx context.Context) (list []Conversation, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/conversations", &list)
	return list, err
}

// Which implements [Backend].
func (c *Client) Which(ctx context.Context, name string) (id messages.ConversationID, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/which?"+url.Values{"name": {name}}.Encode(), &id)
	return id, err
}

// Rename implements [Backend].
func (c *Client) Rename(ctx context.Context, id messages.ConversationID, name string) error {
	return c.post(ctx, "/v1/rename", url.Values{"conversation": {string(id)}, "name": {name}})
}

// Merge implements [Backend].
func (c *Client) Merge(ctx context.Context, id, into messages.ConversationID) error {
	return c.post(ctx, "/v1/merge", url.Values{"conversation": {string(id)}, "into": {string(into)}})
}

// Split implements [Backend].
func (c *Client) Split(ctx context.Context, s Split) (id messages.ConversationID, err error) {
	v := url.Values{"conversation": {string(s.Conversation)}, "name": {s.Name}}
	for _, m := range s.Messages {
		v.Add("message", string(m))
	}
	if s.Onwards {
		v.Set("onwards", "1")
	}
	err = c.ask(ctx, http.MethodPost, "/v1/split", v, &id)
	return id, err
}

// Held implements [Backend].
func (c *Client) Held(ctx context.Context) (list []Held, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/held", &list)
	return list, err
}

// SettleHeld implements [Backend].
func (c *Client) SettleHeld(ctx context.Context, held string, id messages.ConversationID) error {
	return c.post(ctx, "/v1/settle", url.Values{"held": {held}, "conversation": {string(id)}})
}
