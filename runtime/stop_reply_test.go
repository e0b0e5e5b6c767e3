package runtime_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/testkit"
)

// halfSaid runs a Kehai whose model has shown the beginning of a reply to a guest, and goes on with server.Release.
func halfSaid(t *testing.T, rest testkit.LLMReply, opts ...runtime.Option) (
	rt *runtime.Runtime, server *testkit.LLMServer, c messages.ConversationID, after uint64) {
	t.Helper()
	server = testkit.StartLLM(t)
	server.When(func(r testkit.LLMRequest) bool { return !r.Stream }, testkit.LLMReply{Text: "{}"})
	rest.Hold = true
	server.Reply(rest)
	cfg := runtime.Default()
	cfg.LLM.Tier, cfg.LLM.Provider, cfg.LLM.Model, cfg.LLM.BaseURL = config.LLMLocal, "openai", "m", server.URL()+"/v1"
	rt, stop := talkingWith(t, cfg, append([]runtime.Option{runtime.InMemory(), runtime.WithLLM(nil)}, opts...)...)
	t.Cleanup(stop)
	c, err := rt.Talk().Begin(t.Context(), control.Begin{Name: "guest"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := rt.Talk().Say(t.Context(), c, control.Say{Text: "When?"})
	if err != nil {
		t.Fatal(err)
	}
	server.Release(1)
	shows(t, rt.Talk(), c, a.After, "At nine")
	return rt, server, c, a.After
}

// event reads the next event of a stream that is no ping.
func event(t *testing.T, lines *bufio.Scanner) (name, id string, body map[string]any) {
	t.Helper()
	for lines.Scan() {
		switch key, value, _ := strings.Cut(lines.Text(), ": "); key {
		case "event":
			name = value
		case "id":
			id = value
		case "data":
			body = nil
			if err := json.Unmarshal([]byte(value), &body); err != nil {
				t.Fatal(err)
			}
		case "":
			if name != "ping" {
				return name, id, body
			}
			id = ""
		}
	}
	t.Fatal("the stream is over")
	return "", "", nil
}

// stream follows a conversation over HTTP.
func (k *client) stream(c messages.ConversationID, header ...string) *bufio.Scanner {
	k.t.Helper()
	resp := k.ask("GET", opTalks+"/"+string(c)+"/messages", "", append(header, sse)...)
	if resp.StatusCode != http.StatusOK {
		k.t.Fatalf("a stream = %d, want 200", resp.StatusCode)
	}
	return bufio.NewScanner(resp.Body)
}

// wantVoid reads on until the stream says that what was shown is void, before any done.
func wantVoid(t *testing.T, lines *bufio.Scanner) {
	t.Helper()
	for {
		name, _, body := event(t, lines)
		switch {
		case name == "done":
			t.Fatal("the turn is done, and nothing said that what was shown is void")
		case name == "token" && body["done"] == true && body["content"] == "":
			return
		}
	}
}

// TestADiscardedReplyIsVoid: a reply that breaks off becomes a draft with a fixed text, and who has seen its
// beginning hears that it is void: over an open stream, over one that resumes, and whoever comes later.
func TestADiscardedReplyIsVoid(t *testing.T) {
	rt, server, c, after := halfSaid(t, testkit.LLMReply{Chunks: []string{"At nine, ", ""}, Fail: "overloaded"})
	k := newClient(t, rt)
	open := k.stream(c)
	for name := ""; name != "token"; {
		name, _, _ = event(t, open)
	}
	server.Reply(testkit.LLMReply{Status: http.StatusBadRequest}, testkit.LLMReply{Status: http.StatusBadRequest},
		testkit.LLMReply{Status: http.StatusBadRequest}, testkit.LLMReply{Status: http.StatusBadRequest})
	server.Release(3)
	wantVoid(t, open)
	for {
		news, err := rt.Talk().News(t.Context(), c, after, nil, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if after = news.Last; len(news.Events) == 0 {
			t.Fatal("nothing becomes of the reply, want a draft")
		}
		if e := news.Events[len(news.Events)-1]; e.State != nil && e.State.State == messages.ReplyDrafted {
			break
		}
	}
	seen := &control.Token{}
	news, err := rt.Talk().News(t.Context(), c, after, seen, time.Minute)
	if err != nil || news.Token == nil || !news.Token.Done || news.Token.Content != "" {
		t.Errorf("who comes later hears %+v, %v, want that what was shown is void", news.Token, err)
	}
	wantVoid(t, k.stream(c))
	wantVoid(t, k.stream(c, "Last-Event-ID: 1"))
}

// TestAResumedStreamBeginsWithNothing: after a restart nobody knows what the stream before it has shown.
func TestAResumedStreamBeginsWithNothing(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory())
	defer stop()
	c, err := rt.Talk().Begin(t.Context(), control.Begin{Name: "guest"})
	if err != nil {
		t.Fatal(err)
	}
	wantVoid(t, newClient(t, rt).stream(c, "Last-Event-ID: 1"))
}

// TestNewsBehindTheEnd, as after an older backup was restored, say so at once and go on at the end.
func TestNewsBehindTheEnd(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory())
	defer stop()
	c, err := rt.Talk().Begin(t.Context(), control.Begin{Name: "guest"})
	if err != nil {
		t.Fatal(err)
	}
	said, err := rt.Talk().Say(t.Context(), c, control.Say{Text: "When?"})
	if err != nil {
		t.Fatal(err)
	}
	news, err := rt.Talk().News(t.Context(), c, 99999999, nil, time.Second)
	if err != nil || !news.Anew || len(news.Events) > 0 || news.Last < said.After || news.Last == 99999999 {
		t.Fatalf("News() = %+v, %v, want that it begins anew at the end", news, err)
	}
	if _, err := rt.Talk().Say(t.Context(), c, control.Say{Text: "Where?"}); err != nil {
		t.Fatal(err)
	}
	for after := news.Last; ; after = news.Last {
		news, err = rt.Talk().News(t.Context(), c, after, nil, time.Minute)
		if err != nil || news.Anew || len(news.Events) == 0 {
			t.Fatalf("News() after the end = %+v, %v, want what was said then", news, err)
		}
		if slices.ContainsFunc(news.Events, func(e control.TalkEvent) bool {
			return e.Message != nil && e.Message.Content == "Where?"
		}) {
			return
		}
	}
}

// TestAStreamBehindTheEnd, as after an older backup was restored, says so and goes on at the end.
func TestAStreamBehindTheEnd(t *testing.T) {
	rt, stop := talking(t, t.TempDir(), runtime.InMemory())
	defer stop()
	c, err := rt.Talk().Begin(t.Context(), control.Begin{Name: "guest"})
	if err != nil {
		t.Fatal(err)
	}
	k := newClient(t, rt)
	lines := k.stream(c, "Last-Event-ID: 99999999")
	if name, id, _ := event(t, lines); name != "anew" || id == "" || id == "99999999" {
		t.Fatalf("the stream begins with %s, id %q, want anew and a place in the log", name, id)
	}
	if _, err := rt.Talk().Say(t.Context(), c, control.Say{Text: "When?"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for len(got) < 3 {
		switch name, _, body := event(t, lines); name {
		case "message":
			got = append(got, body["content"].(string))
		case "done":
			got = append(got, "done "+body["state"].(string))
		}
	}
	if want := "When?|At nine, at the station.|done sent"; strings.Join(got, "|") != want {
		t.Errorf("the stream goes on with %q, want %s", got, want)
	}
}

// TestStopAReply that is being written, by the id that the list shows: the model is given up, what was shown is
// void, the turn is over, and the next message is answered.
func TestStopAReply(t *testing.T) {
	rt, server, c, after := halfSaid(t, testkit.LLMReply{Chunks: []string{"At nine, ", "at the station."}})
	list, err := rt.Drafts(t.Context())
	if err != nil || len(list) != 1 || list[0].State != messages.ReplyBeingWritten || !list[0].Unwritten() {
		t.Fatalf("Drafts() = %+v, %v, want the reply that is being written", list, err)
	}
	id := list[0].ID
	talk, err := rt.Talk().Talk(t.Context(), c, control.TalkQuery{})
	if err != nil || talk.Reply != id || talk.State != messages.ReplyBeingWritten || len(talk.Drafts) != 0 {
		t.Errorf("Talk() = %s %s, %d drafts, %v, want %s writing and no draft", talk.Reply, talk.State,
			len(talk.Drafts), err, id)
	}
	for name, err := range map[string]error{"approve": rt.ApproveDraft(t.Context(), id),
		"edit": rt.EditDraft(t.Context(), id, "At ten."), "hold": rt.HoldDraft(t.Context(), id)} {
		if !errors.Is(err, control.ErrUnwritten) {
			t.Errorf("%s %s = %v, want %v", name, id, err, control.ErrUnwritten)
		}
	}
	k := newClient(t, rt)
	open := k.stream(c)
	k.json(409, opDrafts, "POST", opTalks+"/"+string(c)+"/drafts",
		`{"id":"`+string(id)+`","do":"approve"}`)
	for path, code := range map[string]int{"web:nobody": 404, "c-nobody": 404, talk.Called: 409} {
		k.json(code, opDrafts, "POST", opTalks+"/"+path+"/drafts", `{"id":"`+string(id)+`","do":"hold"}`)
	}
	k.json(202, opDrafts, "POST", opTalks+"/"+talk.Called+"/drafts", `{"id":"`+string(id)+`","do":"reject"}`)
	wantVoid(t, open)
	texts, n := until(t, rt.Talk(), c, after)
	if len(texts) != 1 || n != 1 {
		t.Errorf("news = %q and %d over, want the question, and that its turn is over", texts, n)
	}
	if list, err := rt.Drafts(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("Drafts() = %+v, %v, want none", list, err)
	}
	if err := rt.RejectDraft(t.Context(), id); !errors.Is(err, control.ErrNoDraft) {
		t.Errorf("RejectDraft() again = %v, want %v", err, control.ErrNoDraft)
	}
	server.Reply(testkit.LLMReply{Text: "At ten."})
	a, err := rt.Talk().Say(t.Context(), c, control.Say{Text: "And now?"})
	if err != nil {
		t.Fatal(err)
	}
	if texts, _ := until(t, rt.Talk(), c, a.After); len(texts) != 2 || texts[1] != "assistant: At ten." {
		t.Errorf("after it was stopped: news = %q, want the next answer", texts)
	}
}
