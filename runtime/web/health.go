package web

import (
	"encoding/json"
	"net/http"
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

// healthz answers 200, or 503 with the reasons.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	answer := struct {
		Healthy bool     `json:"healthy"`
		Reasons []string `json:"reasons"`
	}{Reasons: reasons(s.opts.Health())}
	answer.Healthy = len(answer.Reasons) == 0
	w.Header().Set("Content-Type", "application/json")
	if !answer.Healthy {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(answer)
}
