package control

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// MemoryBackend answers questions about what was ever said. Every [Backend] of this
// repository is one.
type MemoryBackend interface {
	// Recall finds what helps to answer a question.
	Recall(ctx context.Context, q RecallQuery) (Recollection, error)
	// Run is an earlier recall, with the texts that its conversation sees now. It fails
	// with ErrNoRun if it is not kept.
	Run(ctx context.Context, id string) (Recollection, error)
	// Remembered is an event with what stands around it, or ErrNoEvent.
	Remembered(ctx context.Context, c messages.ConversationID, id messages.MessageID) (Remembered, error)
	// Import makes the memory store events of one conversation; it returns how many of
	// them are new or have changed. They are stored when it returns, and found shortly
	// after; Settled waits for that.
	Import(ctx context.Context, c messages.ConversationID, list []messages.Event) (int, error)
	Settled(ctx context.Context) error
	// Unrelated keeps an event that a run has recalled out of questions like that run's; with
	// undo, it is recalled again.
	Unrelated(ctx context.Context, run string, id messages.MessageID, undo bool) error
	// Learned is what was made of what was said in a conversation; "" is all of them.
	Learned(ctx context.Context, c messages.ConversationID) (Learned, error)
	MemoryStats(ctx context.Context) (MemoryStats, error)
	// VerifyMemory reads all events and compares the index with them.
	VerifyMemory(ctx context.Context) (MemoryCheck, error)
	// Reindex makes the index anew from all events, while the old one serves, and returns
	// how many it has.
	Reindex(ctx context.Context) (int, error)
}

// Errors of a [MemoryBackend] that a person can mend.
var (
	ErrNoRun   = errors.New("control: no such retrieval run: the newest 200 of a conversation are kept")
	ErrNoEvent = errors.New("control: no such event: kehai memory search finds them by their words")
	// ErrNotRecalled: a run is kept, but cannot be corrected like that.
	ErrNotRecalled = errors.New("control: this run did not recall that message, or is of an older version")
	// ErrImport marks what cannot be imported.
	ErrImport = errors.New("control: no event")
)

// DefaultRecalled is how many events are enough for most questions.
const DefaultRecalled = 12

// RecallQuery is a question to the memory.
type RecallQuery struct {
	Text         string
	Conversation messages.ConversationID // that sees what its scope allows; "" sees all
	At           time.Time               // as of when; zero: now, but messages dated later are found too
	K            int                     // events at most, 1 or more, such as [DefaultRecalled]
	Words        bool                    // by words alone
}

// Recollection is the result of a recall.
type Recollection struct {
	Run        string        `json:"run,omitempty"` // if it is kept
	At         Stamp         `json:"at"`
	Mode       string        `json:"mode"` // associative, or about_time: the question names a time
	Routes     []RecallRoute `json:"routes"`
	Candidates int           `json:"candidates"`
	Found      []Recalled    `json:"found"`             // the best first
	Loading    bool          `json:"loading,omitempty"` // some events cannot be found yet

	Selection  *Selection   `json:"selection,omitempty"` // nil: no model was asked to choose
	Background []Background `json:"told,omitempty"`      // what a reply's model was told besides, whatever was asked
}

// Background is something that is known whatever is asked: what somebody likes, how he has been, or,
// without a speaker, what was talked about before.
type Background struct {
	Own     bool   `json:"own,omitempty"`
	Speaker string `json:"speaker,omitempty"`
	Text    string `json:"text"`
}

// String is a line for people.
func (t Background) String() string {
	switch {
	case t.Own:
		return "you: " + t.Text
	case t.Speaker != "":
		return t.Speaker + ": " + t.Text
	}
	return t.Text
}

// Selection is what a model made of the candidates.
type Selection struct {
	Model   string `json:"model,omitempty"`
	Offered int    `json:"offered"`          // candidates that it chose from
	Failed  string `json:"failed,omitempty"` // why the order without it counts
}

// RecallRoute is the result of one route.
type RecallRoute struct {
	Route  string  `json:"route"`
	Hits   int     `json:"hits"`
	TookMS float64 `json:"took_ms"`
	Failed string  `json:"failed,omitempty"` // why it was left out
}

// Recalled is an event that was recalled, and why.
type Recalled struct {
	ID           messages.MessageID      `json:"id"`
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"` // the conversation's name, as "line:Hana"
	At           Stamp                   `json:"at"`
	Own          bool                    `json:"own,omitempty"`
	Speaker      string                  `json:"speaker,omitempty"`
	Text         string                  `json:"text"` // "" if it is no longer kept
	Score        float64                 `json:"score"`
	Routes       []RecallHit             `json:"routes"`
	State        string                  `json:"state,omitempty"`  // what it says that still holds: "home: Kyoto"
	Former       bool                    `json:"former,omitempty"` // it is outdated
}

// Who names the speaker, for people.
func (r Recalled) Who() string {
	if r.Own {
		return "you"
	}
	return r.Speaker
}

// RecallHit records that a route found an event. Scores of two routes are not comparable.
type RecallHit struct {
	Route string  `json:"route"`
	Score float64 `json:"score"`
}

// Remembered is an event with its links.
type Remembered struct {
	ID           messages.MessageID      `json:"id"`
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"`
	Source       string                  `json:"source,omitempty"`
	Own          bool                    `json:"own,omitempty"`
	Speaker      string                  `json:"speaker,omitempty"`
	Text         string                  `json:"text"`
	At           Stamp                   `json:"at"`
	KeptAt       Stamp                   `json:"kept_at"`
	ReplyTo      messages.MessageID      `json:"reply_to,omitempty"`
	Thread       messages.MessageID      `json:"thread,omitempty"`
	Answers      *Recalled               `json:"answers,omitempty"` // the event of ReplyTo
	Links        []Link                  `json:"links,omitempty"`
	Names        []Named                 `json:"names,omitempty"`   // whom and what it names
	Learned      []Known                 `json:"learned,omitempty"` // what rests on it
	Changes      []Changed               `json:"changes,omitempty"` // of that, the oldest first
	Apart        []Apart                 `json:"apart,omitempty"`   // questions it has nothing to do with
}

// Labels of a [Link].
const (
	LinkAnsweredBy   = "answered_by"
	LinkContinuation = "continuation" // of the talk
	LinkSameTopic    = "same_topic"
)

// Link leads from an event to another one.
type Link struct {
	Label string   `json:"label"`
	Event Recalled `json:"event"`
}

// Apart is a question that an event has nothing to do with.
type Apart struct {
	Run string `json:"run"` // that was asked it
	At  Stamp  `json:"at"`  // when that was said
}

// Learned is what was made of what was said.
type Learned struct {
	States []Known `json:"states"` // in the order in which they began
	Names  []Named `json:"names"`
	Moods  []Mood  `json:"moods"`

	Closed int    `json:"closed,omitempty"` // rows that no key opens for now, whatever they tell
	Why    string `json:"why,omitempty"`    // of one of them: the key, its directory, and what mends it
}

// Known is something about somebody, from one moment to another.
type Known struct {
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"`
	Kind         string                  `json:"kind"` // fact, relation, task, preference or summary
	Own          bool                    `json:"own,omitempty"`
	Speaker      string                  `json:"speaker,omitempty"` // whom it is about
	Topic        string                  `json:"topic"`
	Text         string                  `json:"text"`
	Status       string                  `json:"status,omitempty"` // of a preference: candidate or confirmed
	Dislike      bool                    `json:"dislike,omitempty"`
	From         Stamp                   `json:"from"`
	Until        *Stamp                  `json:"until,omitempty"` // nil while it holds
	End          string                  `json:"end,omitempty"`   // superseded, ended, done, revoked or duplicate
	Confirmed    Stamp                   `json:"confirmed"`       // when it was said last
	Evidence     []messages.MessageID    `json:"evidence"`
}

// Who names the person that it is about, for people.
func (k Known) Who() string {
	if k.Own {
		return "you"
	}
	return k.Speaker
}

// Named is somebody or something that messages name.
type Named struct {
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"`
	Kind         string                  `json:"kind"` // person, org or place
	Name         string                  `json:"name"`
	Events       []messages.MessageID    `json:"events"` // the newest that name it
}

// Mood is how somebody has been of late, in a word.
type Mood struct {
	Conversation messages.ConversationID `json:"conversation"`
	Called       string                  `json:"called,omitempty"`
	Own          bool                    `json:"own,omitempty"`
	Speaker      string                  `json:"speaker,omitempty"`
	Mood         string                  `json:"mood"`
}

// Changed is a change of what is known.
type Changed struct {
	At     Stamp  `json:"at"`
	Reason string `json:"reason"` // said, unsaid or tidied up
	Before *Known `json:"before,omitempty"`
	After  *Known `json:"after,omitempty"`
}

// MemoryStats are figures of the memory.
type MemoryStats struct {
	Events        int  `json:"events"` // that are stored
	Conversations int  `json:"conversations"`
	Indexed       int  `json:"indexed"`
	Loaded        bool `json:"loaded"` // all of them can be found
	Runs          int  `json:"runs"`   // that are stored

	Model       string `json:"model,omitempty"`        // that says what is meant
	Vectors     int    `json:"vectors,omitempty"`      // of that model
	OldVectors  int    `json:"old_vectors,omitempty"`  // of others, which serve until theirs are made anew
	NotEmbedded string `json:"not_embedded,omitempty"` // why the model answered nothing last
}

// MemoryCheck is the result of comparing the index with the stored events.
type MemoryCheck struct {
	Events  int      `json:"events"`            // that were compared
	Missing []string `json:"missing,omitempty"` // stored and not found: their IDs, at most 100
	Extra   int      `json:"extra,omitempty"`   // found and not stored
	Differs []string `json:"differs,omitempty"` // found as they were before, likewise
}

// OK reports whether all is well.
func (c MemoryCheck) OK() bool { return len(c.Missing) == 0 && c.Extra == 0 && len(c.Differs) == 0 }

// importLine is a line of a file of events.
type importLine struct {
	ID           string    `json:"id"`
	Conversation string    `json:"conversation"`
	At           time.Time `json:"at"`
	Own          bool      `json:"own"`
	Speaker      string    `json:"speaker"`
	Text         string    `json:"text"`
}

// Bounds of a file of events, in bytes: a text of this length, however it is escaped,
// fits into one transaction.
const (
	maxImportText = 1 << 20
	maxImportLine = 7 * maxImportText
)

// ReadImport yields the events of a file that has one JSON object a line, until yield
// fails. An error wraps ErrImport and names the line, but quotes nothing of it.
func ReadImport(r io.Reader, yield func(messages.ConversationID, messages.Event) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxImportLine)
	n := 0
	for lines.Scan() {
		n++
		raw := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(raw) == 0 {
			continue
		}
		c, e, wrong := parseImport(raw)
		if wrong != "" {
			return fmt.Errorf("%w: line %d: %s", ErrImport, n, wrong)
		}
		if err := yield(c, e); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%w: line %d: it has more than %d MiB", ErrImport, n+1, maxImportLine>>20)
	}
	return lines.Err()
}

func parseImport(raw []byte) (c messages.ConversationID, e messages.Event, wrong string) {
	var l importLine
	in := json.NewDecoder(bytes.NewReader(raw))
	in.DisallowUnknownFields() // a field that is spelt wrong would be lost without a word
	err := in.Decode(&l)
	if err == nil && in.InputOffset() != int64(len(raw)) {
		err = errors.New("more than one object")
	}
	if err != nil {
		if strings.HasPrefix(err.Error(), "json: unknown field") {
			return "", e, "it has a field that is none of id, conversation, at, speaker, text and own"
		}
		if bad := new(time.ParseError); errors.As(err, &bad) {
			return "", e, "at: want a time such as 2026-11-22T10:00:00+09:00"
		}
		if bad := new(json.UnmarshalTypeError); errors.As(err, &bad) && bad.Field != "" {
			return "", e, bad.Field + ": it is of another type"
		}
		return "", e, "it is no JSON object, or is cut off"
	}
	switch {
	case l.ID == "":
		return "", e, "id: want one that no other event of the conversation has"
	case l.Conversation == "":
		return "", e, "conversation: want its name or id"
	case messages.To(messages.ActorRecall, l.Conversation).Validate() != nil:
		return "", e, "conversation: no conversation can have this name"
	case len(l.Text)+len(l.Speaker)+len(l.ID) > maxImportText:
		return "", e, fmt.Sprintf("it has more than %d MiB of text", maxImportText>>20)
	case l.At.IsZero():
		return "", e, "at: want when it was said"
	}
	return messages.ConversationID(l.Conversation), messages.Event{ID: messages.MessageID(l.ID),
		Source: messages.Imported, Own: l.Own, Speaker: messages.Text(l.Speaker),
		Text: messages.Text(l.Text), At: l.At}, ""
}

func (q RecallQuery) values() url.Values {
	v := url.Values{"text": {q.Text}, "conversation": {string(q.Conversation)}, "k": {strconv.Itoa(q.K)},
		"words": {strconv.FormatBool(q.Words)}}
	if !q.At.IsZero() {
		v.Set("at", q.At.Format(time.RFC3339Nano))
	}
	return v
}

func parseRecall(v url.Values) (q RecallQuery, err error) {
	q.Text, q.Conversation = v.Get("text"), messages.ConversationID(v.Get("conversation"))
	if q.K, err = strconv.Atoi(v.Get("k")); err != nil {
		return q, errors.New("control: k: want a number")
	}
	if q.Words, err = strconv.ParseBool(v.Get("words")); err != nil {
		return q, errors.New("control: words: want true or false")
	}
	if at := v.Get("at"); at != "" {
		if q.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return q, errors.New("control: at: want a time in RFC 3339")
		}
	}
	return q, nil
}

// maxImport bounds what is imported at once, in bytes.
const maxImport = 64 << 20

// memoryRoutes adds what a [MemoryBackend] answers.
func memoryRoutes(mux *http.ServeMux, b Backend) {
	m, ok := b.(MemoryBackend)
	if !ok {
		return
	}
	mux.HandleFunc("POST /v1/memory/recall", func(w http.ResponseWriter, r *http.Request) {
		v, ok := form(w, r)
		if !ok {
			return
		}
		q, err := parseRecall(v)
		if err != nil {
			fail(w, http.StatusBadRequest, err)
			return
		}
		found, err := m.Recall(r.Context(), q)
		answer(w, found, err)
	})
	mux.HandleFunc("GET /v1/memory/run", func(w http.ResponseWriter, r *http.Request) {
		run, err := m.Run(r.Context(), r.URL.Query().Get("id"))
		answer(w, run, err)
	})
	mux.HandleFunc("GET /v1/memory/event", func(w http.ResponseWriter, r *http.Request) {
		v := r.URL.Query()
		e, err := m.Remembered(r.Context(), messages.ConversationID(v.Get("conversation")),
			messages.MessageID(v.Get("id")))
		answer(w, e, err)
	})
	mux.HandleFunc("POST /v1/memory/import", func(w http.ResponseWriter, r *http.Request) {
		var in messages.Remember
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxImport)).Decode(&in); err != nil {
			fail(w, http.StatusBadRequest, errors.New("control: want events of one conversation"))
			return
		}
		n, err := m.Import(r.Context(), in.Conversation, in.Events)
		answer(w, n, err)
	})
	mux.HandleFunc("POST /v1/memory/unrelated", unrelated(m))
	mux.HandleFunc("POST /v1/memory/settled", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, m.Settled(r.Context()))
	})
	mux.HandleFunc("GET /v1/memory/stats", func(w http.ResponseWriter, r *http.Request) {
		s, err := m.MemoryStats(r.Context())
		answer(w, s, err)
	})
	mux.HandleFunc("GET /v1/memory/learned", func(w http.ResponseWriter, r *http.Request) {
		known, err := m.Learned(r.Context(), messages.ConversationID(r.URL.Query().Get("conversation")))
		answer(w, known, err)
	})
	mux.HandleFunc("POST /v1/memory/verify", func(w http.ResponseWriter, r *http.Request) {
		c, err := m.VerifyMemory(r.Context())
		answer(w, c, err)
	})
	mux.HandleFunc("POST /v1/memory/reindex", func(w http.ResponseWriter, r *http.Request) {
		n, err := m.Reindex(r.Context())
		answer(w, n, err)
	})
}

func unrelated(m MemoryBackend) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if v, ok := form(w, r); ok {
			undo := v.Get("undo") == "true"
			answer(w, struct{}{}, m.Unrelated(r.Context(), v.Get("run"), messages.MessageID(v.Get("id")), undo))
		}
	}
}

// Recall implements [MemoryBackend].
func (c *Client) Recall(ctx context.Context, q RecallQuery) (found Recollection, err error) {
	err = c.ask(ctx, http.MethodPost, "/v1/memory/recall", q.values(), &found)
	return found, err
}

// Run implements [MemoryBackend].
func (c *Client) Run(ctx context.Context, id string) (run Recollection, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/memory/run?"+url.Values{"id": {id}}.Encode(), &run)
	return run, err
}

// Remembered implements [MemoryBackend].
func (c *Client) Remembered(ctx context.Context, of messages.ConversationID, id messages.MessageID) (e Remembered,
	err error) {
	v := url.Values{"conversation": {string(of)}, "id": {string(id)}}
	err = c.get(ctx, http.MethodGet, "/v1/memory/event?"+v.Encode(), &e)
	return e, err
}

// Import implements [MemoryBackend].
func (c *Client) Import(ctx context.Context, of messages.ConversationID, list []messages.Event) (n int, err error) {
	body, err := json.Marshal(messages.Remember{Conversation: of, Events: list})
	if err != nil {
		return 0, fmt.Errorf("control: %w", err)
	}
	got, err := c.send(ctx, http.MethodPost, "/v1/memory/import", "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer got.Close()
	err = json.NewDecoder(got).Decode(&n)
	return n, err
}

// Unrelated implements [MemoryBackend].
func (c *Client) Unrelated(ctx context.Context, run string, id messages.MessageID, undo bool) error {
	v := url.Values{"run": {run}, "id": {string(id)}, "undo": {strconv.FormatBool(undo)}}
	return c.ask(ctx, http.MethodPost, "/v1/memory/unrelated", v, nil)
}

// Settled implements [MemoryBackend].
func (c *Client) Settled(ctx context.Context) error {
	return c.get(ctx, http.MethodPost, "/v1/memory/settled", nil)
}

// MemoryStats implements [MemoryBackend].
func (c *Client) MemoryStats(ctx context.Context) (s MemoryStats, err error) {
	err = c.get(ctx, http.MethodGet, "/v1/memory/stats", &s)
	return s, err
}

// Learned implements [MemoryBackend].
func (c *Client) Learned(ctx context.Context, of messages.ConversationID) (known Learned, err error) {
	v := url.Values{"conversation": {string(of)}}
	err = c.get(ctx, http.MethodGet, "/v1/memory/learned?"+v.Encode(), &known)
	return known, err
}

// VerifyMemory implements [MemoryBackend].
func (c *Client) VerifyMemory(ctx context.Context) (sum MemoryCheck, err error) {
	err = c.get(ctx, http.MethodPost, "/v1/memory/verify", &sum)
	return sum, err
}

// Reindex implements [MemoryBackend].
func (c *Client) Reindex(ctx context.Context) (n int, err error) {
	err = c.get(ctx, http.MethodPost, "/v1/memory/reindex", &n)
	return n, err
}
