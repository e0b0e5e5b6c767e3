package web

import (
	"fmt"
	"net/http"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// pageRecalled is how many events a search of the page finds.
const pageRecalled = 20

// memoryAPI are the operations of the memory page.
var memoryAPI = []route{
	{"POST", "/v1/memory/search", false, (*Server).recall},
	{"GET", "/v1/memory/event", false, (*Server).remembered},
	{"GET", "/v1/memory/run", false, (*Server).recalled},
	{"POST", "/v1/memory/unrelated", false, (*Server).unrelated},
}

// memory is what remembers, or an error.
func (s *Server) memory() (control.MemoryBackend, error) {
	if m, ok := s.opts.Talk.(control.MemoryBackend); ok {
		return m, nil
	}
	return nil, control.ErrNoEvent
}

func (s *Server) recall(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Text         string                  `json:"text"`
		Conversation messages.ConversationID `json:"conversation"`
	}
	var found control.Recollection
	m, err := s.memory()
	if err == nil {
		err = body(w, r, &ask)
	}
	if err == nil {
		found, err = m.Recall(r.Context(), control.RecallQuery{Text: ask.Text, Conversation: ask.Conversation,
			K: pageRecalled})
	}
	s.respond(w, http.StatusOK, found, err)
}

func (s *Server) remembered(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	var e control.Remembered
	m, err := s.memory()
	switch {
	case err != nil:
	case v.Get("id") == "":
		err = fmt.Errorf("%w: id: want the id of a message", errQuery)
	default:
		of := messages.ConversationID(v.Get("conversation"))
		e, err = m.Remembered(r.Context(), of, messages.MessageID(v.Get("id")))
	}
	s.respond(w, http.StatusOK, e, err)
}

func (s *Server) recalled(w http.ResponseWriter, r *http.Request) {
	var run control.Recollection
	m, err := s.memory()
	if err == nil {
		run, err = m.Run(r.Context(), r.URL.Query().Get("id"))
	}
	s.respond(w, http.StatusOK, run, err)
}

func (s *Server) unrelated(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Run  string             `json:"run"`
		ID   messages.MessageID `json:"id"`
		Undo bool               `json:"undo"`
	}
	m, err := s.memory()
	if err == nil {
		err = body(w, r, &ask)
	}
	if err == nil {
		err = m.Unrelated(r.Context(), ask.Run, ask.ID, ask.Undo)
	}
	s.respond(w, http.StatusOK, struct{}{}, err)
}
