package runtime_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

// client talks to the interface of a Kehai as its description says; an answer that the
// description does not have fails the test.
type client struct {
	t     *testing.T
	base  string
	token string
	doc   map[string]any
}

func newClient(t *testing.T, rt *runtime.Runtime) *client {
	t.Helper()
	v := visit(t, rt)
	k := &client{t: t, base: v.base, token: v.token}
	resp, err := http.Get(k.base + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&k.doc); err != nil {
		t.Fatal(err)
	}
	return k
}

// ask makes a request; header is "Name: value".
func (k *client) ask(method, path, body string, header ...string) *http.Response {
	k.t.Helper()
	r, err := http.NewRequestWithContext(k.t.Context(), method, k.base+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+k.token)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// json makes a request and checks the answer against the description of the operation.
func (k *client) json(status int, op, method, path, body string, header ...string) (v map[string]any) {
	k.t.Helper()
	resp := k.ask(method, path, body, header...)
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	if resp.StatusCode != status {
		k.t.Fatalf("%s %s = %d %s, want %d", method, path, resp.StatusCode, raw, status)
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		k.t.Fatalf("%s %s = %.200s: %v", method, path, raw, err)
	}
	described, _ := dig(k.doc, "paths", op, strings.ToLower(method), "responses", strconv.Itoa(status), "content",
		"application/json", "schema").(map[string]any)
	if described == nil {
		k.t.Fatalf("%s %s: %d is not described", method, op, status)
	}
	if wrong := k.check(described, v, "answer"); wrong != "" {
		k.t.Errorf("%s %s = %s: %s", method, path, raw, wrong)
	}
	return v
}

func dig(v any, path ...string) any {
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	return v
}

// check says where a value is not what a schema describes.
func (k *client) check(schema map[string]any, v any, at string) string {
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = dig(k.doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(map[string]any)
	}
	if list, ok := schema["enum"].([]any); ok && !slices.Contains(list, v) {
		return fmt.Sprintf("%s is %v, want one of %v", at, v, list)
	}
	right := false
	switch schema["type"] {
	case "string":
		_, right = v.(string)
	case "boolean":
		_, right = v.(bool)
	case "integer":
		f, ok := v.(float64)
		right = ok && f == float64(int64(f))
	case "array":
		list, ok := v.([]any)
		items, _ := schema["items"].(map[string]any)
		for i, one := range list {
			if wrong := k.check(items, one, fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
		right = ok
	case "object":
		m, ok := v.(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, has := m[name.(string)]; !has {
				return fmt.Sprintf("%s has no %s", at, name)
			}
		}
		for name, one := range m {
			described, _ := dig(schema, "properties", name).(map[string]any)
			switch {
			case described != nil:
				if wrong := k.check(described, one, at+"."+name); wrong != "" {
					return wrong
				}
			case schema["additionalProperties"] == false:
				return fmt.Sprintf("%s.%s is not described", at, name)
			}
		}
		right = ok
	}
	if !right {
		return fmt.Sprintf("%s is %v, want %v", at, v, schema["type"])
	}
	return ""
}

// bodies are the schemas of events.
var bodies = map[string]string{"message": "Message", "state": "State", "token": "Token", "pii": "Private",
	"done": "State", "error": "Problem"}

// happened reads a stream up to the first done: "message user: …", "done sent".
func (k *client) happened(resp *http.Response) (list []string, lastID string) {
	k.t.Helper()
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "text/event-stream" {
		raw, _ := io.ReadAll(resp.Body)
		k.t.Fatalf("a stream = %d %s %s, want 200 text/event-stream", resp.StatusCode, got, raw)
	}
	name := ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "event":
			name = value
		case "id":
			lastID = value
		case "data":
			var v map[string]any
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				k.t.Fatal(err)
			}
			if schema := bodies[name]; schema != "" {
				if wrong := k.check(map[string]any{"$ref": "#/components/schemas/" + schema}, v, name); wrong != "" {
					k.t.Errorf("event %s: %s", value, wrong)
				}
			}
			switch name {
			case "message":
				list = append(list, fmt.Sprintf("%v: %v", v["role"], v["content"]))
			case "done":
				if v["state"] == "draft" && v["why"] == nil {
					k.t.Errorf("done %v, want what the reply waits for", v)
				}
				return append(list, fmt.Sprintf("done %v", v["state"])), lastID
			}
		}
	}
	k.t.Fatalf("the stream ended after %q", list)
	return nil, ""
}

const (
	opTalks  = "/v1/conversations"
	opTalk   = "/v1/conversations/{id}/messages"
	opDrafts = "/v1/conversations/{id}/drafts"
	sse      = "Accept: text/event-stream"
)

// TestTheInterface plays a guest over HTTP, over a restart.
func TestTheInterface(t *testing.T) {
	data := t.TempDir()
	want, lastID, token := "[user: When? assistant: At nine, at the station. done sent]", "", ""
	for run := range 2 {
		rt, stop := talking(t, data)
		k := newClient(t, rt)
		raw, err := os.ReadFile(filepath.Join(data, "page.sessions"))
		if err != nil || strings.Contains(string(raw), k.token) || run > 0 && k.token == token {
			t.Fatalf("page.sessions = %q, %v, want no key, and another one after a restart", raw, err)
		}
		if run > 0 { // the page that was open goes on
			k.token = token
		}
		token = k.token
		c := k.json(201, opTalks, "POST", opTalks, `{"channel":"web","name":"guest"}`)["conversation"].(string)
		path := opTalks + "/" + c + "/messages"
		if run > 0 { // the stream of the first run goes on where it broke off
			got, _ := k.happened(k.ask("GET", path, "", sse, "Last-Event-ID: "+lastID))
			if fmt.Sprint(got) != "[assistant: At nine, at the station. done sent]" {
				t.Errorf("resumed behind the message: %q, want what follows it", got)
			}
		}
		for range 2 {
			resp := k.ask("POST", path, `{"text":"When?"}`, sse, "Idempotency-Key: order-17")
			if got, _ := k.happened(resp); fmt.Sprint(got) != want {
				t.Errorf("run %d: said with a key = %q, want %s", run, got, want)
			}
		}
		talk := k.json(200, opTalk, "GET", path+"?limit=10", "")
		list := talk["messages"].([]any)
		if len(list) != 2 || talk["state"] != "none" {
			t.Errorf("run %d: read %v, want two messages", run, talk)
		}
		lastID = strconv.FormatUint(placeOf(t, rt, "When?"), 10)
		k.json(202, opTalk, "POST", path, `{"text":"When?"}`, "Idempotency-Key: order-17")
		if n := len(k.json(200, opTalk, "GET", path+"?q=station", "")["messages"].([]any)); n != 1 {
			t.Errorf("searched: %d messages, want 1", n)
		}
		for _, m := range list {
			id := url.QueryEscape(m.(map[string]any)["id"].(string))
			if len(k.json(200, "/v1/why", "GET", "/v1/why?id="+id, "")["paths"].([]any)) != 1 {
				t.Errorf("why %s: want its way", id)
			}
		}
		k.json(200, opTalks, "GET", opTalks, "")
		k.refuses(c)
		stop()
	}
}

// TestAGuestOfTheInterface has a key for one conversation of the channel web, until it is
// revoked; none is for one that stands elsewhere.
func TestAGuestOfTheInterface(t *testing.T) {
	rt, stop := talking(t, t.TempDir())
	defer stop()
	b := rt.Backend().(control.PageBackend)
	k := newClient(t, rt)
	owner := k.token
	c := k.json(201, opTalks, "POST", opTalks, `{"channel":"web","name":"guest"}`)["conversation"].(string)
	k.json(201, opTalks, "POST", opTalks, `{"channel":"host","name":"host"}`)
	if _, err := b.PageLink(t.Context(), "host:host"); !errors.Is(err, control.ErrNotChannel) {
		t.Errorf("an address for a guest of the host's = %v, want ErrNotChannel", err)
	}
	if _, err := b.MakePageKey(t.Context(), control.RoleGuest); !errors.Is(err, control.ErrNoRole) {
		t.Errorf("a program's key as a guest = %v, want ErrNoRole", err)
	}
	enter := func() string {
		t.Helper()
		link, err := b.PageLink(t.Context(), "web:guest")
		if err != nil || !strings.HasPrefix(link, k.base+"/chat#c=") {
			t.Fatalf("PageLink() = %q, %v", link, err)
		}
		return opened(t, link).token
	}
	k.token = enter()
	keys, err := b.PageKeys(t.Context())
	guest := slices.IndexFunc(keys, func(k control.PageKey) bool { return string(k.Conversation) == c })
	if err != nil || guest < 0 || keys[guest].Role != control.RoleGuest {
		t.Fatalf("PageKeys() = %+v, %v, want the guest's", keys, err)
	}
	path := opTalks + "/" + c + "/messages"
	got, _ := k.happened(k.ask("POST", path, `{"text":"call 090-1234-5678"}`, sse))
	if want := "[user: call [phone] assistant: At nine, at the station. done sent]"; fmt.Sprint(got) != want {
		t.Errorf("a guest sees %q, want %s", got, want)
	}
	if n := len(k.json(200, opTalks, "GET", opTalks, "")["conversations"].([]any)); n != 1 {
		t.Errorf("a guest sees %d conversations, want one", n)
	}
	said := k.json(200, opTalk, "GET", path, "")["messages"].([]any)[0].(map[string]any)
	if said["meta"].(map[string]any)["pii_detected"] != true {
		t.Errorf("a guest sees %v, want it called masked", said)
	}
	if err := b.RevokePageKey(t.Context(), keys[guest].ID); err != nil {
		t.Error(err)
	}
	if resp := k.ask("GET", path, ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a key that was revoked: %d, want 401", resp.StatusCode)
	}
	again := enter()
	if k.token = owner; len(k.json(200, opTalks, "GET", opTalks, "")["conversations"].([]any)) != 2 {
		t.Error("the owner does not see both conversations")
	}
	if _, err := rt.Forget(t.Context(), "web:guest"); err != nil {
		t.Error(err)
	}
	k.token = again
	if resp := k.ask("GET", opTalks, ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after its conversation was forgotten a guest's key: %d, want 401", resp.StatusCode)
	}
}

// placeOf is the place in the event log of a message that was delivered.
func placeOf(t *testing.T, rt *runtime.Runtime, text string) (seq uint64) {
	t.Helper()
	err := rt.Backend().Timeline(t.Context(), control.Query{}, func(e control.Entry) error {
		if e.Message != nil && e.Message.Text == text {
			seq = e.Seq
		}
		return nil
	})
	if err != nil || seq == 0 {
		t.Fatalf("the place of %q = %d, %v", text, seq, err)
	}
	return seq
}

// refuses asks for what is refused, in words.
func (k *client) refuses(c string) {
	k.t.Helper()
	path := opTalks + "/" + c + "/messages"
	k.json(409, opTalk, "POST", path, `{"text":"Where?"}`, "Idempotency-Key: order-17")
	k.json(404, opTalk, "POST", opTalks+"/c-nobody/messages", `{"text":"Where?"}`)
	k.json(404, opTalk, "GET", opTalks+"/c-nobody/messages", "")
	k.json(422, opTalk, "POST", path, `{"text":""}`)
	k.json(422, opTalk, "POST", path, `{"text":"`+strings.Repeat("花", 20_001)+`"}`)
	for _, bad := range []string{"", "[]", "null", "{\"text\":\"a\xffb\"}",
		`{"text":1}`, `{"texts":""}`, `{"text":"a"} {}`,
		`{"text":"` + strings.Repeat("a", 300<<10) + `"}`} {
		k.json(400, opTalk, "POST", path, bad)
	}
	k.json(400, opTalk, "POST", path, `{"text":"a"}`, "Idempotency-Key: two words")
	for _, limit := range []string{"-1", "501", "many"} {
		told := k.json(400, opTalk, "GET", path+"?limit="+limit, "")["error"].(string)
		if !strings.Contains(told, "limit: want a whole number from 0 to 500") {
			k.t.Errorf("limit=%s: told %q, want what it may be", limit, told)
		}
	}
	k.json(400, "/v1/why", "GET", "/v1/why", "")
	k.json(422, opTalks, "POST", opTalks, `{"name":"a\u0000b"}`)
	k.json(400, opTalks, "POST", opTalks, "null")
	k.json(400, opTalk, "GET", path, "", sse, "Last-Event-ID: yesterday")
	k.json(422, opTalks, "POST", opTalks, `{"channel":"fax"}`)
	k.json(404, opDrafts, "POST", opTalks+"/"+c+"/drafts", `{"id":"`+c+`/1.1","do":"approve"}`)
	k.json(400, opDrafts, "POST", opTalks+"/"+c+"/drafts", `{"id":"`+c+`/1.1","do":"eat"}`)
	if resp := k.ask("GET", path, "", "Authorization: Bearer wrong"); resp.StatusCode != http.StatusUnauthorized {
		k.t.Errorf("without the token: %d, want 401", resp.StatusCode)
	}
}
