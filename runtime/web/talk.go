package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// Talker is what the chat page and the interface below /v1 show and do.
type Talker interface {
	control.Backend
	control.ReplyBackend
	control.TalkBackend
}

// Bounds of the interface.
const (
	maxBody   = 256 << 10 // bytes of a request
	maxKey    = 200       // characters of an idempotency key
	maxTalks  = 2000      // open streams of conversations
	talkLimit = 10 * time.Second
)

// route is one operation of the interface. openapi.json describes each.
type route struct {
	method, path string
	guests       bool // may use it
	serve        func(*Server, http.ResponseWriter, *http.Request)
}

// api lists the operations that require the token.
var api = append([]route{
	{"GET", "/v1/conversations", true, (*Server).conversations},
	{"POST", "/v1/conversations", false, (*Server).begin},
	{"POST", "/v1/projects", false, (*Server).define},
	{"GET", "/v1/conversations/{id}/messages", true, (*Server).talk},
	{"POST", "/v1/conversations/{id}/messages", true, (*Server).say},
	{"POST", "/v1/conversations/{id}/drafts", false, (*Server).draft},
	{"GET", "/v1/why", false, (*Server).why},
	{"GET", "/v1/insights", false, (*Server).insights},
}, memoryAPI...)

// talkRoutes adds the interface, if there is one.
func (s *Server) talkRoutes(closed *http.ServeMux) {
	if s.opts.Talk == nil {
		return
	}
	for _, a := range api {
		closed.HandleFunc(a.method+" "+a.path, func(w http.ResponseWriter, r *http.Request) { a.serve(s, w, r) })
	}
}

// failures are the answers to errors that a client can fix.
var failures = []struct {
	err    error
	status int
	code   string
}{
	{control.ErrNoConversation, http.StatusNotFound, "no_conversation"},
	{control.ErrNoDraft, http.StatusNotFound, "no_draft"},
	{control.ErrNoMessage, http.StatusNotFound, "no_message"},
	{control.ErrNoEvent, http.StatusNotFound, "no_event"},
	{control.ErrNoRun, http.StatusNotFound, "no_run"},
	{control.ErrNotRecalled, http.StatusConflict, "not_recalled"},
	{control.ErrSayText, http.StatusUnprocessableEntity, "text"},
	{control.ErrDraftText, http.StatusUnprocessableEntity, "text"},
	{control.ErrProject, http.StatusUnprocessableEntity, "project"},
	{control.ErrOver, http.StatusConflict, "over"},
	{control.ErrBegin, http.StatusUnprocessableEntity, "begin"},
	{control.ErrKeyUsed, http.StatusConflict, "key_used"},
	{control.ErrNotChannel, http.StatusConflict, "not_channel"},
	{control.ErrNotClear, http.StatusConflict, "not_clear"},
	{control.ErrDraftLeaves, http.StatusConflict, "draft_leaves"},
	{control.ErrUnwritten, http.StatusConflict, "unwritten"},
	{control.ErrSendingPaused, http.StatusConflict, "sending_paused"},
	{control.ErrNotRunning, http.StatusServiceUnavailable, "not_running"},
	{errGuest, http.StatusForbidden, "guest"},
	{errStreams, http.StatusServiceUnavailable, "too_many_streams"},
	{errBody, http.StatusBadRequest, "request"},
	{errQuery, http.StatusBadRequest, "request"},
}

// Errors of a request.
var (
	errBody = errors.New("web: want a JSON object in UTF-8 with the fields that openapi.json names, " +
		"of at most 256 KiB")
	errQuery   = errors.New("web: want what openapi.json names")
	errGuest   = errors.New("web: this key opens one conversation only")
	errStreams = errors.New("web: too many open streams: close some")
)

// problem is the body of an error answer.
type problem struct {
	Error string `json:"error"`
	Code  string `json:"code"`
}

// respond answers with a value, or with an error.
func (s *Server) respond(w http.ResponseWriter, status int, v any, err error) {
	if err != nil {
		status = http.StatusInternalServerError
		p := problem{err.Error(), "internal"}
		for _, f := range failures {
			if errors.Is(err, f.err) {
				status, p.Code = f.status, f.code
			}
		}
		if status == http.StatusInternalServerError {
			s.opts.Log.Warn().Str("code", p.Code).Msg("page_talk_failed")
		}
		v = p
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error here means that the client went away
}

// body reads what was posted.
func body(w http.ResponseWriter, r *http.Request, into any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if err != nil || !utf8.Valid(raw) || !bytes.HasPrefix(raw, []byte("{")) { // null would be no field
		return errBody
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if dec.Decode(into) != nil { // its error may quote the text
		return errBody
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errBody
	}
	return nil
}

func (s *Server) conversations(w http.ResponseWriter, r *http.Request) {
	list, err := s.opts.Talk.Conversations(r.Context())
	v := visitorOf(r)
	s.respond(w, http.StatusOK, map[string]any{"conversations": listed(v, list), "guest": v.Role == control.RoleGuest},
		err)
}

func (s *Server) insights(w http.ResponseWriter, r *http.Request) {
	list, err := s.opts.Talk.Insights(r.Context())
	s.respond(w, http.StatusOK, map[string]any{"projects": list}, err)
}

func (s *Server) define(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Name string `json:"name"`
		File string `json:"file"`
	}
	var out struct {
		Project messages.ProjectID `json:"project"`
	}
	err := body(w, r, &ask)
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), talkLimit)
		defer cancel()
		out.Project, err = s.opts.Talk.Define(ctx, ask.Name, []byte(ask.File))
	}
	s.respond(w, http.StatusCreated, out, err)
}

// began says which conversation was started.
type began struct {
	Conversation messages.ConversationID `json:"conversation"`
}

func (s *Server) begin(w http.ResponseWriter, r *http.Request) {
	var ask control.Begin
	var out began
	err := body(w, r, &ask)
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), talkLimit)
		defer cancel()
		out.Conversation, err = s.opts.Talk.Begin(ctx, ask)
	}
	s.respond(w, http.StatusCreated, out, err)
}

// talk answers what was said, once or as a stream of Server-Sent Events.
func (s *Server) talk(w http.ResponseWriter, r *http.Request) {
	c := messages.ConversationID(r.PathValue("id"))
	q, err := control.ParseTalkQuery(r.URL.Query())
	if err == nil && q.Text != "" && visitorOf(r).Role == control.RoleGuest {
		err = errors.New("q: only an owner searches, because what is found is found in words that guests see masked")
	}
	if err != nil {
		s.respond(w, 0, nil, fmt.Errorf("%w: %w", errQuery, err))
		return
	}
	if err := s.own(r, c); err != nil {
		s.respond(w, 0, nil, err)
		return
	}
	t, err := s.opts.Talk.Talk(r.Context(), c, q)
	if err != nil || !streams(r) {
		s.respond(w, http.StatusOK, s.talkFor(visitorOf(r), t), err)
		return
	}
	f := following{answered: true}
	after := t.LastEventID
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		if after, err = strconv.ParseUint(id, 10, 64); err != nil {
			s.respond(w, 0, nil, fmt.Errorf("%w: Last-Event-ID: want a number", errQuery))
			return
		}
		f.resumes = true
	}
	if after > t.LastEventID { // of a log that is gone: an older one was restored
		after, f.anew = t.LastEventID, true
	}
	s.follow(w, r, t.Conversation, after, f)
}

// streams reports whether a request asks for Server-Sent Events.
func streams(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// say stores a message and follows what happens to it.
func (s *Server) say(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Text string `json:"text"`
	}
	err := body(w, r, &ask)
	key := r.Header.Get("Idempotency-Key")
	unseen := func(r rune) bool { return r <= ' ' || r > '~' }
	if err == nil && (len(key) > maxKey || strings.ContainsFunc(key, unseen)) {
		err = fmt.Errorf("%w: Idempotency-Key: want at most %d visible ASCII characters", errQuery, maxKey)
	}
	var a control.Accepted
	c := messages.ConversationID(r.PathValue("id"))
	if err == nil {
		err = s.own(r, c)
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), talkLimit)
		defer cancel()
		a, err = s.opts.Talk.Say(ctx, c, control.Say{Text: ask.Text, Key: key})
	}
	if err != nil || !streams(r) {
		s.respond(w, http.StatusAccepted, a, err)
		return
	}
	s.follow(w, r, a.Conversation, a.After, following{answering: a.Message, answered: a.Answered,
		waits: a.Waits})
}

func (s *Server) draft(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		ID   control.DraftID    `json:"id"`
		Do   messages.DraftVerb `json:"do"`
		Text string             `json:"text"`
	}
	err := body(w, r, &ask)
	if err == nil && !slices.Contains([]messages.DraftVerb{messages.DraftApprove, messages.DraftEdit,
		messages.DraftReject, messages.DraftHold}, ask.Do) {
		err = fmt.Errorf("%w: do: want approve, edit, reject or hold", errBody)
	}
	if err == nil {
		err = s.draftOf(r, ask.ID)
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), talkLimit)
		defer cancel()
		err = s.opts.Talk.DraftDo(ctx, ask.ID, ask.Do, ask.Text)
	}
	s.respond(w, http.StatusAccepted, struct{}{}, err)
}

// draftOf refuses a draft that is none of the request's conversation, which is given by its id or
// by a clear name.
func (s *Server) draftOf(r *http.Request, id control.DraftID) error {
	c, _, _, ok := id.Split()
	asked := messages.ConversationID(r.PathValue("id"))
	switch {
	case !ok:
		return control.ErrNoDraft
	case c == asked:
		return nil
	}
	t, err := s.opts.Talk.Talk(r.Context(), asked, control.TalkQuery{Limit: 1})
	if err == nil && t.Conversation != c {
		err = control.ErrNoDraft
	}
	return err
}

func (s *Server) why(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	if id == "" {
		s.respond(w, 0, nil, fmt.Errorf("%w: id: want the id of a message or a reply", errQuery))
		return
	}
	why, err := s.opts.Talk.Why(r.Context(), control.WhyQuery{ID: id})
	s.respond(w, http.StatusOK, why, err)
}
