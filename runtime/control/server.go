package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// maxConnections is how many programs of this user are answered at the same time.
const maxConnections = 256

// Serve answers on the socket of a data directory until ctx ends. It replaces a socket
// left behind by a killed process; one that answers is an error. The caller holds the
// store's lock, so that can only happen for a moment.
func Serve(ctx context.Context, data string, b Backend) error {
	path, err := SocketPath(data)
	if err != nil {
		return err
	}
	if conn, err := net.Dial("unix", path); err == nil {
		conn.Close()
		return fmt.Errorf("control: %s is served by another process: stop it, or choose another data directory", path)
	}
	ln, err := private.Listen(path)
	if err != nil {
		return fmt.Errorf("control: %w", err)
	}
	ln = private.Limit(ln, maxConnections)
	srv := &http.Server{Handler: handler(b), ReadHeaderTimeout: 5 * time.Second}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if srv.Shutdown(wait) != nil {
			srv.Close()
		}
	}()
	err = srv.Serve(ln)
	if ctx.Err() == nil {
		return fmt.Errorf("control: serve: %w", err)
	}
	<-stopped
	return nil
}

func handler(b Backend) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/timeline", func(w http.ResponseWriter, r *http.Request) {
		list(w, r, b.Timeline)
	})
	mux.HandleFunc("GET /v1/verdicts", func(w http.ResponseWriter, r *http.Request) {
		list(w, r, b.Verdicts)
	})
	mux.HandleFunc("GET /v1/trace/{id}", func(w http.ResponseWriter, r *http.Request) {
		p, err := b.Trace(r.Context(), messages.MessageID(r.PathValue("id")))
		answer(w, p, err)
	})
	mux.HandleFunc("GET /v1/why", func(w http.ResponseWriter, r *http.Request) {
		v := r.URL.Query()
		limit, err := strconv.Atoi(v.Get("limit"))
		if err != nil {
			fail(w, http.StatusBadRequest, fmt.Errorf("control: limit=%q: want a number", v.Get("limit")))
			return
		}
		why, err := b.Why(r.Context(), WhyQuery{
			ID: v.Get("id"), Text: v.Get("text"),
			Conversation: messages.ConversationID(v.Get("conversation")), Limit: limit,
		})
		answer(w, why, err)
	})
	mux.HandleFunc("POST /v1/pause", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.Pause(r.Context(), r.URL.Query().Get("window")))
	})
	mux.HandleFunc("POST /v1/resume", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.Resume(r.Context(), r.URL.Query().Get("window")))
	})
	mux.HandleFunc("DELETE /v1/conversation", func(w http.ResponseWriter, r *http.Request) {
		sum, err := b.Forget(r.Context(), messages.ConversationID(r.URL.Query().Get("conversation")))
		answer(w, sum, err)
	})
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, r *http.Request) {
		s, err := b.Status(r.Context())
		answer(w, s, err)
	})
	deadLetterRoutes(mux, b)
	subscriptionRoutes(mux, b)
	nameRoutes(mux, b)
	focusRoutes(mux, b)
	replyRoutes(mux, b)
	memoryRoutes(mux, b)
	talkRoutes(mux, b)
	pageRoutes(mux, b)
	backupRoutes(mux, b)
	clusterRoutes(mux, b)
	recordRoutes(mux, b)
	shutRoutes(mux, b)
	return mux
}

// deadLetterRoutes are those about what an actor could not handle.
func deadLetterRoutes(mux *http.ServeMux, b Backend) {
	mux.HandleFunc("GET /v1/deadletters", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.DeadLetters(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("POST /v1/deadletters/{id}/retry", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.RetryDeadLetter(r.Context(), r.PathValue("id")))
	})
	mux.HandleFunc("DELETE /v1/deadletters/{id}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.DiscardDeadLetter(r.Context(), r.PathValue("id")))
	})
}

// subscriptionRoutes are the routes about readers of the event log.
func subscriptionRoutes(mux *http.ServeMux, b Backend) {
	mux.HandleFunc("GET /v1/subscriptions", func(w http.ResponseWriter, r *http.Request) {
		list, err := b.Subscriptions(r.Context())
		answer(w, list, err)
	})
	mux.HandleFunc("DELETE /v1/subscription", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.DropSubscription(r.Context(), r.URL.Query().Get("name")))
	})
	mux.HandleFunc("POST /v1/subscription/park", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.ParkEvent(r.Context(), r.URL.Query().Get("name")))
	})
}

// list answers with one value a line.
func list[V any](w http.ResponseWriter, r *http.Request, each func(context.Context, Query, func(V) error) error) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	began := false
	enc := json.NewEncoder(w)
	err = each(r.Context(), q, func(v V) error {
		began = true
		return enc.Encode(v)
	})
	switch {
	case err != nil && !began:
		fail(w, http.StatusInternalServerError, err)
	case err != nil:
		panic(http.ErrAbortHandler) // the client must see that the list is cut
	}
}

// maxForm bounds what is posted, in bytes.
const maxForm = 1 << 20

// form is what was posted; without one it answers that.
func form(w http.ResponseWriter, r *http.Request) (v url.Values, ok bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.ParseForm() != nil { // its error may quote the text
		fail(w, http.StatusBadRequest, errors.New("control: want a form of at most 1 MiB"))
		return nil, false
	}
	return r.PostForm, true
}

// failure is the body of an answer that is not 200.
type failure struct {
	Error string `json:"error"`
	Code  string `json:"code,omitempty"`
}

// codes carry the errors that a client may ask for over the socket.
var codes = map[error]string{
	engine.ErrNoDeadLetter:   "no_dead_letter",
	engine.ErrNoSubscription: "no_subscription",
	ErrNoMessage:             "no_message",
	ErrNoWindow:              "no_window",
	ErrNoDesk:                "no_desk",
	ErrNoBaseline:            "no_baseline",
	ErrNoDraft:               "no_draft",
	ErrDraftText:             "draft_text",
	ErrDraftLeaves:           "draft_leaves",
	ErrUnwritten:             "unwritten",
	ErrNoReminder:            "no_reminder",
	ErrSayText:               "say_text",
	ErrKeyUsed:               "key_used",
	ErrNotChannel:            "not_channel",
	ErrSendingPaused:         "sending_paused",
	ErrOver:                  "over",
	ErrProject:               "project",
	ErrBegin:                 "begin",
	ErrCalled:                "called",
	ErrNoConversation:        "no_conversation",
	ErrNoHeld:                "no_held",
	ErrNotClear:              "not_clear",
	ErrOneAlready:            "one_already",
	ErrNoRun:                 "no_run",
	ErrNoEvent:               "no_event",
	ErrImport:                "import",
	ErrNotRecalled:           "not_recalled",
	ErrNoKey:                 "no_key",
	ErrNoPage:                "no_page",
	ErrNoRole:                "no_role",
	ErrNoCluster:             "no_cluster",
	ErrIdle:                  "idle",
	ErrRecording:             "recording",
	ErrNotRecording:          "not_recording",
}

// remoteError is an error that came over the socket, and the sentinel that it is.
type remoteError struct {
	text string
	is   error
}

func (e remoteError) Error() string { return e.text }
func (e remoteError) Unwrap() error { return e.is }

func answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// An error here is the client going away.
	_ = json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, status int, err error) {
	f := failure{Error: err.Error()}
	for sentinel, code := range codes {
		if errors.Is(err, sentinel) {
			status, f.Code = http.StatusNotFound, code
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(f)
}

func (q Query) values() url.Values {
	v := url.Values{}
	if q.Conversation != "" {
		v.Set("conversation", string(q.Conversation))
	}
	if !q.Since.IsZero() {
		v.Set("since", q.Since.UTC().Format(time.RFC3339Nano))
	}
	if q.After > 0 {
		v.Set("after", strconv.FormatUint(q.After, 10))
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return v
}

func parseQuery(v url.Values) (q Query, err error) {
	q.Conversation = messages.ConversationID(v.Get("conversation"))
	if s := v.Get("since"); s != "" {
		if q.Since, err = time.Parse(time.RFC3339Nano, s); err != nil {
			return q, fmt.Errorf("control: since=%q: want a time in RFC 3339", s)
		}
	}
	if s := v.Get("after"); s != "" {
		if q.After, err = strconv.ParseUint(s, 10, 64); err != nil {
			return q, fmt.Errorf("control: after=%q: want a number", s)
		}
	}
	if s := v.Get("limit"); s != "" {
		if q.Limit, err = strconv.Atoi(s); err != nil || q.Limit < 0 {
			return q, fmt.Errorf("control: limit=%q: want a number", s)
		}
	}
	return q, nil
}
