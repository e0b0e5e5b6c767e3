package web

import (
	"encoding/json"
	"net/http"

	"github.com/kehai-run/kehai/runtime/control"
)

// reasons lists the errors that are joined in one.
func reasons(err error) []string {
	if err == nil {
		return []string{}
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	list := []string{}
	for _, e := range joined.Unwrap() {
		list = append(list, reasons(e)...)
	}
	return list
}

// healthz answers 200 or 503, and why to whoever has a key: what is wrong names windows and
// machines.
func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	list := reasons(s.opts.Health())
	answer := struct {
		Healthy bool     `json:"healthy"`
		Reasons []string `json:"reasons,omitempty"`
	}{Healthy: len(list) == 0}
	if v, ok := s.admit(r); ok && (v.Role == control.RoleOwner || v.Role == control.RoleMeter) {
		answer.Reasons = list
	}
	w.Header().Set("Content-Type", "application/json")
	if !answer.Healthy {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(answer)
}

// meters are what a meter may have besides.
func (s *Server) meters() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.opts.Metrics)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "This key reads /metrics and /healthz, and nothing else.", http.StatusForbidden)
	})
	return mux
}
