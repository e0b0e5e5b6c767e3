package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// mindful remembers one message.
type mindful struct {
	Talker
	control.MemoryBackend
	apart []string
}

func (*mindful) Recall(_ context.Context, q control.RecallQuery) (control.Recollection, error) {
	found := control.Recalled{ID: "m1", Conversation: "c-1", Text: q.Text + "の返事", State: "home: 京都",
		Routes: []control.RecallHit{{Route: "state", Score: 0.5}}}
	return control.Recollection{Candidates: q.K, Found: []control.Recalled{found}}, nil
}

func (*mindful) Run(_ context.Context, id string) (control.Recollection, error) {
	if id != "c-1/run.1" {
		return control.Recollection{}, control.ErrNoRun
	}
	return control.Recollection{Run: id, Found: []control.Recalled{{ID: "m1", Conversation: "c-1", Text: "京都",
		Routes: []control.RecallHit{{Route: "lexical"}}}}}, nil
}

func (*mindful) Remembered(_ context.Context, c messages.ConversationID, id messages.MessageID) (control.Remembered,
	error) {
	if id != "m1" {
		return control.Remembered{}, control.ErrNoEvent
	}
	return control.Remembered{ID: id, Conversation: c, Text: "京都"}, nil
}

func (m *mindful) Unrelated(_ context.Context, run string, id messages.MessageID, undo bool) error {
	if id != "m1" {
		return control.ErrNotRecalled
	}
	m.apart = append(m.apart, fmt.Sprint(run, " ", undo))
	return nil
}

// TestMemoryPage: what the page asks for arrives as it was asked, and each refusal has a code.
func TestMemoryPage(t *testing.T) {
	m := &mindful{}
	s := &Server{opts: Options{Talk: m}}
	mux := http.NewServeMux()
	s.talkRoutes(mux)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/v1/memory/search", `{"text":"どこ"}`, 200, `"text":"どこの返事"`},
		{"POST", "/v1/memory/search", `{"text":"どこ","k":9}`, 400, "request"},
		{"POST", "/v1/memory/search", `[]`, 400, "request"},
		{"GET", "/v1/memory/event?id=m1&conversation=c-1", "", 200, `"text":"京都"`},
		{"GET", "/v1/memory/event?id=m2", "", 404, "no_event"},
		{"GET", "/v1/memory/event", "", 400, "request"},
		{"GET", "/v1/memory/run?id=c-1/run.1", "", 200, `"run":"c-1/run.1"`},
		{"GET", "/v1/memory/run?id=x", "", 404, "no_run"},
		{"POST", "/v1/memory/unrelated", `{"run":"c-1/run.1","id":"m1"}`, 200, `{}`},
		{"POST", "/v1/memory/unrelated", `{"run":"c-1/run.1","id":"m1","undo":true}`, 200, `{}`},
		{"POST", "/v1/memory/unrelated", `{"run":"c-1/run.1","id":"m2"}`, 409, "not_recalled"},
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s %s = %d %s, want %d %s", c.method, c.path, c.body, w.Code, w.Body, c.status, c.want)
		}
	}
	if got := strings.Join(m.apart, ", "); got != "c-1/run.1 false, c-1/run.1 true" {
		t.Errorf("kept apart: %q", got)
	}
	bare := &Server{opts: Options{Talk: oneTalk{}}}
	w := httptest.NewRecorder()
	bare.recall(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(`{"text":"x"}`)))
	if w.Code != http.StatusNotFound {
		t.Errorf("without a memory a search = %d, want 404", w.Code)
	}
}
