package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Verb is what a person asks for on the page.
type Verb string

// Verbs.
const (
	PauseWindow     Verb = "pause_window" // of all windows if none is named
	ResumeWindow    Verb = "resume_window"
	PauseAttention  Verb = "pause_attention"
	ResumeAttention Verb = "resume_attention"
	MuteNotices     Verb = "mute_notices" // For a time, or until UnmuteNotices
	UnmuteNotices   Verb = "unmute_notices"
)

// Act is one command from the page.
type Act struct {
	Verb   Verb
	Window messages.WindowID
	For    time.Duration // 0: until it is undone
}

// Bounds of a request.
const (
	maxAct     = 4 << 10 // bytes
	maxMute    = 24 * time.Hour
	actTimeout = 10 * time.Second
)

// act does what a person asks for. In addition to the checks of every request it requires
// an origin.
func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "http://"+r.Host {
		http.Error(w, "A command must come from the page.", http.StatusForbidden)
		return
	}
	if s.opts.Act == nil {
		http.Error(w, "This Kehai takes no commands from the page.", http.StatusNotFound)
		return
	}
	var ask struct {
		Verb    Verb              `json:"verb"`
		Window  messages.WindowID `json:"window"`
		Minutes int64             `json:"minutes"`
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAct))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&ask); err != nil || ask.Minutes < 0 || ask.Minutes > int64(maxMute/time.Minute) ||
		!ask.Verb.known() {
		http.Error(w, "Nobody can do this.", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), actTimeout)
	defer cancel()
	err := s.opts.Act(ctx, Act{Verb: ask.Verb, Window: ask.Window, For: time.Duration(ask.Minutes) * time.Minute})
	s.hub.touch()
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (v Verb) known() bool {
	switch v {
	case PauseWindow, ResumeWindow, PauseAttention, ResumeAttention, MuteNotices, UnmuteNotices:
		return true
	}
	return false
}
