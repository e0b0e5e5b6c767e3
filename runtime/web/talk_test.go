package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
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

// TestTheDescriptionHasEveryField that the handlers write, and no other; and the page has
// what it says of the page.
func TestTheDescriptionHasEveryField(t *testing.T) {
	raw, err := files.ReadFile("page/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
		Paths  map[string]map[string]struct{ Responses map[string]any } `json:"paths"`
		Events map[string]string                                        `json:"x-page-events"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]any{
		"Problem": problem{}, "Conversation": control.Conversation{}, "Began": began{}, "Message": control.Said{},
		"State": control.TalkState{}, "Token": control.Token{}, "Private": control.TalkPrivate{},
		"Talk": control.Talk{}, "Accepted": control.Accepted{}, "Interview": messages.InterviewProgress{},
		"Insights": control.Insights{}, "InsightCard": messages.InsightCard{},
		"InsightQuote": messages.InsightQuote{}, "InsightPoint": messages.InsightPoint{},
		"Recollection": control.Recollection{}, "RecallRoute": control.RecallRoute{}, "Selection": control.Selection{},
		"RecallHit": control.RecallHit{}, "Recalled": control.Recalled{}, "Remembered": control.Remembered{},
		"Known": control.Known{}, "Changed": control.Changed{}, "Apart": control.Apart{},
		"Link": control.Link{}, "Named": control.Named{},
	} {
		got := slices.Sorted(maps.Keys(doc.Components.Schemas[name].Properties))
		if want := fieldsOf(reflect.TypeOf(of)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has the fields %q, want %q", name, got, want)
		}
	}
	for _, r := range api {
		if forbids := doc.Paths[r.path][strings.ToLower(r.method)].Responses["403"] != nil; forbids == r.guests {
			t.Errorf("%s %s: refuses guests is %t in the description", r.method, r.path, forbids)
		}
	}
	script, err := files.ReadFile("page/chat.js")
	if err != nil || len(doc.Events) == 0 {
		t.Fatal(err, "or nothing is said of the page")
	}
	for name := range doc.Events {
		if !bytes.Contains(script, []byte(name)) {
			t.Errorf("the page has no %s", name)
		}
	}
}

// fieldsOf are the names of a type's fields in JSON.
func fieldsOf(of reflect.Type) (list []string) {
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		list = append(list, name)
	}
	slices.Sort(list)
	return list
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

// waitingTalk stores what nobody reads for now.
type waitingTalk struct{ Talker }

func (waitingTalk) Say(_ context.Context, c messages.ConversationID, _ control.Say) (control.Accepted, error) {
	return control.Accepted{Conversation: c, Message: "m1", Waits: "nobody reads it"}, nil
}

// TestSayToWhoWaits: a stream of what is said to a conversation that waits ends at once, and says why.
func TestSayToWhoWaits(t *testing.T) {
	s := &Server{opts: Options{Talk: waitingTalk{}}}
	there := httptest.NewServer(http.HandlerFunc(s.say))
	defer there.Close()
	said := strings.NewReader(`{"text":"hello?"}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, there.URL, said)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	resp, err := there.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	told, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(told, []byte("event: done")) ||
		!bytes.Contains(told, []byte(`"why":"nobody reads it"`)) {
		t.Errorf("the stream says %q, want that it is over, and why", told)
	}
}
