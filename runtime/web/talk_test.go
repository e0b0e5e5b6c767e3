package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestTheInterfaceIsDescribed: openapi.json has each operation, and no other.
func TestTheInterfaceIsDescribed(t *testing.T) {
	raw, err := files.ReadFile("page/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			ID        string         `json:"operationId"`
			Responses map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for path, ops := range doc.Paths {
		for method, op := range ops {
			got = append(got, strings.ToUpper(method)+" "+path)
			if op.ID == "" || op.Responses["401"] == nil {
				t.Errorf("%s %s: want an operationId and an answer without token", method, path)
			}
		}
	}
	for _, r := range api {
		want = append(want, r.method+" "+r.path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("openapi.json describes %q, want %q", got, want)
	}
}

// oneTalk knows one conversation.
type oneTalk struct{ Talker }

func (oneTalk) Talk(context.Context, messages.ConversationID, control.TalkQuery) (control.Talk, error) {
	return control.Talk{}, nil
}

// TestTooManyTalks says so by a code of its own, because closing one helps.
func TestTooManyTalks(t *testing.T) {
	s := &Server{opts: Options{Talk: oneTalk{}}}
	s.talks.Store(maxTalks)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/conversations/c-1/messages", nil)
	r.Header.Set("Accept", "text/event-stream")
	w := httptest.NewRecorder()
	s.talk(w, r)
	var told problem
	err := json.Unmarshal(w.Body.Bytes(), &told)
	if err != nil || w.Code != http.StatusServiceUnavailable || told.Code != "too_many_streams" {
		t.Errorf("one stream too many = %d %s, %v, want 503 too_many_streams", w.Code, w.Body, err)
	}
	if n := s.talks.Load(); n != maxTalks {
		t.Errorf("%d streams count as open, want %d", n, maxTalks)
	}
}
