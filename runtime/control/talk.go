package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Errors of a [TalkBackend] that a person can fix.
var (
	ErrSayText = errors.New("control: a message must have a text that is seen, of at most 20,000 characters")
	ErrKeyUsed = errors.New("control: this idempotency key came before, with another text or for a message " +
		"that is gone: take a new key for a new message")
	ErrNotChannel = errors.New("control: this conversation stands in a window: write there, " +
		"or begin one on the channel web or host")
	ErrSendingPaused = errors.New("control: sending is paused: kehai resume sending, then approve")
	ErrOver          = errors.New("control: this interview is over: nobody answers any more")
	ErrNoInterview   = errors.New("control: this conversation is no interview")
	ErrProject       = errors.New("control: this project cannot be used")
	ErrBegin         = errors.New("control: this conversation cannot begin")
)

// MaxSaid is the longest message that a channel takes, in characters.
const MaxSaid = 20_000

// TalkBackend is what a conversation looks like from a channel: the chat page, the HTTP
// interface, and the program that runs Kehai. Every [Backend] of a running Kehai is one.
type TalkBackend interface {
	// Define stores a project of interviews, given by its name and file; the same name is
	// the same project. The error wraps ErrProject and names the line.
	Define(ctx context.Context, name string, file []byte) (messages.ProjectID, error)
	// Begin returns the conversation of a name on a channel; a new one gets its ID now.
	// With a project it becomes an interview, unless it is one already. The errors wrap
	// ErrBegin, ErrProject, ErrNotClear and ErrNoConversation.
	Begin(ctx context.Context, b Begin) (messages.ConversationID, error)
	// Say stores a message. With the key of an earlier message it stores nothing and
	// returns that message's answer. The errors wrap ErrNoConversation, ErrNotChannel,
	// ErrSayText and ErrKeyUsed.
	Say(ctx context.Context, c messages.ConversationID, s Say) (Accepted, error)
	// Talk returns what was said, and what waits. The error wraps ErrNoConversation.
	Talk(ctx context.Context, c messages.ConversationID, q TalkQuery) (Talk, error)
	// News waits until something happens in a conversation after a place in the event
	// log, or until there is a newer token than seen, and returns it; a nil seen asks for
	// no tokens. When wait is over it returns what there is, perhaps nothing. For a place
	// behind the end of the log it returns [News.Anew] at once.
	News(ctx context.Context, c messages.ConversationID, after uint64, seen *Token, wait time.Duration) (News, error)
	// Stop ends an interview, as if its participant had asked for that. One that is over
	// stays so. The errors wrap ErrNoConversation and ErrNoInterview.
	Stop(ctx context.Context, c messages.ConversationID) error
	// Insights returns what the interviews of each project have in common.
	Insights(ctx context.Context) ([]Insights, error)
}

// Insights are the cards of one project.
type Insights struct {
	Project  messages.ProjectID `json:"project"`
	Name     string             `json:"name"`
	Goal     string             `json:"goal"`
	Finished int                `json:"finished"` // interviews that are over
	Analysed int                `json:"analysed"` // of them, as far as it goes
	Closed   bool               `json:"closed,omitempty"`
	// Cards are sorted, the surest first.
	Cards []messages.InsightCard `json:"cards"`
}

// Begin asks for a conversation.
type Begin struct {
	Channel messages.Channel `json:"channel,omitempty"` // web by default
	Name    string           `json:"name,omitempty"`    // "" makes one up
	// Project makes the conversation an interview of that project.
	Project messages.ProjectID `json:"project,omitempty"`
	// Conversation is one that is known, by its id or name, in place of Channel and Name. In a
	// window Kehai opens the interview: its messages go out as other replies there.
	Conversation messages.ConversationID `json:"conversation,omitempty"`
}

// Say is a message to be stored.
type Say struct {
	Text string `json:"text"`
	Key  string `json:"key,omitempty"` // "" is a new one each time
}

// Accepted says that a message is stored.
type Accepted struct {
	Conversation messages.ConversationID `json:"conversation"`
	Message      messages.MessageID      `json:"message"`
	After        uint64                  `json:"after"`              // a place in the event log before it
	Again        bool                    `json:"again,omitempty"`    // it was stored before
	Answered     bool                    `json:"answered,omitempty"` // a reply follows, or there was one
	Waits        string                  `json:"waits,omitempty"`    // why nobody reads it for now; "" if somebody does
}

// Role says who wrote a message.
type Role string

// Roles.
const (
	RoleUser      Role = "user"      // the other side
	RoleAssistant Role = "assistant" // our side, whoever wrote it
)

// Said is a message of either side.
type Said struct {
	ID      string              `json:"id"` // its name for why
	Role    Role                `json:"role"`
	Sender  string              `json:"sender,omitempty"`
	Content string              `json:"content"` // as it reads now
	At      Stamp               `json:"at"`
	Place   messages.Occurrence `json:"place"` // in the transcript
	Edited  bool                `json:"edited,omitempty"`
	Unsent  bool                `json:"unsent,omitempty"`
	Meta    SaidMeta            `json:"meta"`
}

// SaidMeta is what masking found in a message of the other side.
type SaidMeta struct {
	PIIProcessed  bool     `json:"pii_processed"`
	PIIDetected   bool     `json:"pii_detected"`
	DetectedItems []string `json:"detected_items,omitempty"` // kinds
	ContentHash   string   `json:"original_content_hash,omitempty"`
}

// TalkQuery selects messages. The zero value is the newest 100.
type TalkQuery struct {
	After  messages.Occurrence // only after this place
	Before messages.Occurrence // only before it; 0 is all
	Text   string              // only with this in them, whatever the case
	Limit  int                 // the newest so many, at most 500; 0 is 100
}

// Talk is a conversation at one moment.
type Talk struct {
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"`
	Channel      messages.Channel        `json:"channel,omitempty"` // "" is a window
	Messages     []Said                  `json:"messages"`          // in the order of the transcript
	More         bool                    `json:"more,omitempty"`    // there are older ones
	Drafts       []Draft                 `json:"drafts"`
	State        messages.ReplyState     `json:"state"` // of the turn in progress
	// Reply is that turn's, "" without one. While it is being judged or written it is not
	// among Drafts, and messages.DraftReject stops it.
	Reply DraftID `json:"reply,omitempty"`
	// Interview is nil for a conversation that is not an interview.
	Interview *messages.InterviewProgress `json:"interview,omitempty"`
	// LastEventID is a place in the event log. News after it continues from what is shown
	// here, and may repeat some of it. It grows, until an older backup is restored.
	LastEventID uint64 `json:"last_event_id"`
}

// News is what has happened in a conversation.
type News struct {
	Events []TalkEvent `json:"events"`
	Last   uint64      `json:"last"` // ask for news after this
	Token  *Token      `json:"token,omitempty"`
	// Anew says that the place that was asked for is behind the end of the log, as after an
	// older backup was restored: what was read before may be gone. Last is the end as it is
	// now. Read what was said with Talk, and go on after Last.
	Anew bool `json:"anew,omitempty"`
}

// Names of a [TalkEvent].
const (
	NewsMessage = "message" // [Said]
	NewsState   = "state"   // [TalkState]
	NewsPII     = "pii"     // [TalkPrivate]
	NewsDone    = "done"    // [TalkState], of a turn that is over
)

// TalkEvent is one thing that happened. One of the bodies is set.
type TalkEvent struct {
	Seq     uint64       `json:"seq"`
	Event   string       `json:"event"`
	Message *Said        `json:"message,omitempty"`
	State   *TalkState   `json:"state,omitempty"`
	PII     *TalkPrivate `json:"pii,omitempty"`
}

// Body returns the content of the event.
func (e TalkEvent) Body() any {
	switch {
	case e.Message != nil:
		return e.Message
	case e.PII != nil:
		return e.PII
	}
	return e.State
}

// TalkState is the state of a reply.
type TalkState struct {
	Reply   DraftID              `json:"reply,omitempty"`
	State   messages.ReplyState  `json:"state"`
	Answers []messages.MessageID `json:"answers,omitempty"`
	Rule    messages.ReplyRule   `json:"rule,omitempty"`
	Why     string               `json:"why,omitempty"` // in words, where it waits at the end of a stream
	At      Stamp                `json:"at"`
	// Interview alone is set if the event is about an interview's progress.
	Interview *messages.InterviewProgress `json:"interview,omitempty"`
	// Changed is a message that was edited or taken back: read it again.
	Changed messages.MessageID `json:"changed,omitempty"`
}

// TalkPrivate says that labels replaced private data in a message.
type TalkPrivate struct {
	Message messages.MessageID `json:"message"`
	Items   []string           `json:"detected_items"`
}

// Token shows how much of a reply has been written. Each one replaces those before it.
type Token struct {
	Turn    int64  `json:"turn"`
	Epoch   int    `json:"epoch"`
	Attempt int    `json:"attempt"`
	Content string `json:"content"`
	Done    bool   `json:"done,omitempty"`
}

// talkRoutes adds what a [TalkBackend] answers.
func talkRoutes(mux *http.ServeMux, b Backend) {
	t, ok := b.(TalkBackend)
	if !ok {
		return
	}
	mux.HandleFunc("POST /v1/talk/define", func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			id, err := t.Define(r.Context(), v.Get("name"), []byte(v.Get("file")))
			answer(w, id, err)
		}
	})
	mux.HandleFunc("POST /v1/talk/begin", func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			id, err := t.Begin(r.Context(), Begin{Channel: messages.Channel(v.Get("channel")), Name: v.Get("name"),
				Project:      messages.ProjectID(v.Get("project")),
				Conversation: messages.ConversationID(v.Get("conversation"))})
			answer(w, id, err)
		}
	})
	mux.HandleFunc("POST /v1/talk/say", func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			a, err := t.Say(r.Context(), messages.ConversationID(v.Get("conversation")),
				Say{Text: v.Get("text"), Key: v.Get("key")})
			answer(w, a, err)
		}
	})
	mux.HandleFunc("POST /v1/talk/stop", func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			answer(w, struct{}{}, t.Stop(r.Context(), messages.ConversationID(v.Get("conversation"))))
		}
	})
	mux.HandleFunc("GET /v1/insights", func(w http.ResponseWriter, r *http.Request) {
		list, err := t.Insights(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("GET /v1/talk", func(w http.ResponseWriter, r *http.Request) {
		v := r.URL.Query()
		q, err := ParseTalkQuery(v)
		if err != nil {
			fail(w, http.StatusBadRequest, err)
			return
		}
		talk, err := t.Talk(r.Context(), messages.ConversationID(v.Get("conversation")), q)
		answer(w, talk, err)
	})
	mux.HandleFunc("GET /v1/talk/news", func(w http.ResponseWriter, r *http.Request) {
		v := r.URL.Query()
		after, err := strconv.ParseUint(v.Get("after"), 10, 64)
		if err != nil {
			fail(w, http.StatusBadRequest, errors.New("control: after: want a number"))
			return
		}
		news, err := t.News(r.Context(), messages.ConversationID(v.Get("conversation")), after, nil, newsWait)
		answer(w, news, err)
	})
}

// newsWait is how long the socket waits for news.
const newsWait = 20 * time.Second

// ParseTalkQuery reads after, before, q and limit.
func ParseTalkQuery(v url.Values) (q TalkQuery, err error) {
	number := func(key string, most int64) (n int64) {
		s := v.Get(key)
		if s == "" || err != nil {
			return 0
		}
		if n, err = strconv.ParseInt(s, 10, 64); err != nil || n < 0 || n > most {
			err = fmt.Errorf("control: %s: want a whole number from 0 to %d", key, most)
		}
		return n
	}
	q.After, q.Before = messages.Occurrence(number("after", 1<<62)), messages.Occurrence(number("before", 1<<62))
	q.Limit, q.Text = int(number("limit", 500)), v.Get("q")
	return q, err
}

func (q TalkQuery) values() url.Values {
	return url.Values{"after": {strconv.FormatInt(int64(q.After), 10)},
		"before": {strconv.FormatInt(int64(q.Before), 10)}, "limit": {strconv.Itoa(q.Limit)}, "q": {q.Text}}
}

// Define implements [TalkBackend].
func (c *Client) Define(ctx context.Context, name string, file []byte) (id messages.ProjectID, err error) {
	err = c.ask(ctx, http.MethodPost, "/v1/talk/define", url.Values{"name": {name}, "file": {string(file)}}, &id)
	return id, err
}

// Begin implements [TalkBackend].
func (c *Client) Begin(ctx context.Context, b Begin) (id messages.ConversationID, err error) {
	err = c.ask(ctx, http.MethodPost, "/v1/talk/begin",
		url.Values{"channel": {string(b.Channel)}, "name": {b.Name}, "project": {string(b.Project)},
			"conversation": {string(b.Conversation)}}, &id)
	return id, err
}

// Say implements [TalkBackend].
func (c *Client) Say(ctx context.Context, id messages.ConversationID, s Say) (a Accepted, err error) {
	err = c.ask(ctx, http.MethodPost, "/v1/talk/say",
		url.Values{"conversation": {string(id)}, "text": {s.Text}, "key": {s.Key}}, &a)
	return a, err
}

// Talk implements [TalkBackend].
func (c *Client) Talk(ctx context.Context, id messages.ConversationID, q TalkQuery) (t Talk, err error) {
	v := q.values()
	v.Set("conversation", string(id))
	err = c.get(ctx, http.MethodGet, "/v1/talk?"+v.Encode(), &t)
	return t, err
}

// News implements [TalkBackend]. It returns no tokens.
func (c *Client) News(ctx context.Context, id messages.ConversationID, after uint64, _ *Token, wait time.Duration) (
	n News, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait+newsWait)
	defer cancel()
	v := url.Values{"conversation": {string(id)}, "after": {strconv.FormatUint(after, 10)}}
	err = c.get(ctx, http.MethodGet, "/v1/talk/news?"+v.Encode(), &n)
	return n, err
}

// Stop implements [TalkBackend].
func (c *Client) Stop(ctx context.Context, id messages.ConversationID) error {
	return c.ask(ctx, http.MethodPost, "/v1/talk/stop", url.Values{"conversation": {string(id)}}, &struct{}{})
}

// Insights implements [TalkBackend].
func (c *Client) Insights(ctx context.Context) (list []Insights, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/insights", &list)
	return list, err
}
