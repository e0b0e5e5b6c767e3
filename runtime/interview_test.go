package runtime_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

const mornings = `goal: why mornings are hard
limits:
  max_turns: 2
  max_deep: 1
  max_conversations: 1
`

// defined defines it.
var defined = fmt.Sprintf(`{"name":"mornings.yaml","file":%q}`, mornings)

// TestAnInterview over HTTP, with a restart between any two answers; without a model it
// asks its three questions.
func TestAnInterview(t *testing.T) {
	for _, x := range []struct {
		name  string
		model []runtime.Option
		said  []string
		end   string
	}{
		{"model", nil, []string{"[interview start]", "the alarm", "the cold"}, "max_turns"},
		{"none", []runtime.Option{runtime.WithLLM(nil)}, []string{"[interview start]", "the alarm", "[skip]", "quiet"},
			"fallback"},
	} {
		t.Run(x.name, func(t *testing.T) {
			data := t.TempDir()
			said := map[any]bool{}
			path := ""
			for i, text := range x.said {
				rt, stop := talking(t, data, x.model...)
				k := newClient(t, rt)
				if path == "" {
					path = k.beginInterview()
				}
				got, _ := k.happened(k.ask("POST", path, fmt.Sprintf("{%q: %q}", "text", text), sse))
				if len(got) != 3 || got[2] != "done sent" || said[got[1]] && x.name == "none" {
					t.Errorf("%q: %q, want it, another answer and the end of the turn", text, got)
				}
				said[got[1]] = true
				v := k.json(200, opTalk, "GET", path, "")["interview"].(map[string]any)
				over := i == len(x.said)-1
				if (v["state"] == messages.InterviewDone) != over || over && v["reason"] != x.end {
					t.Errorf("after %q: %v, want the end by %s with the last answer", text, v, x.end)
				}
				if i == len(x.said)-1 {
					k.isOver(path)
				}
				stop()
			}
		})
	}
}

// beginInterview begins one, and returns where its messages are.
func (k *client) beginInterview() string {
	k.t.Helper()
	for _, bad := range []string{"goal: x\nlimits:\n  max_turns: 0\n", "tone: loud\ngoal: x\n", "goals: x\n", "{", ""} {
		v := k.json(422, "/v1/projects", "POST", "/v1/projects", fmt.Sprintf(`{"name":"mornings.yaml","file":%q}`, bad))
		if !strings.Contains(v["error"].(string), "mornings.yaml") {
			k.t.Errorf("%q: %v, want the file and the line", bad, v)
		}
	}
	p := k.json(201, "/v1/projects", "POST", "/v1/projects", defined)
	begin := fmt.Sprintf(`{"name":"guest","project":%q}`, p["project"])
	c := k.json(201, opTalks, "POST", opTalks, begin)["conversation"]
	if again := k.json(201, opTalks, "POST", opTalks, begin)["conversation"]; again != c {
		k.t.Errorf("begun again: %v, want %v", again, c)
	}
	return fmt.Sprintf("%s/%s/messages", opTalks, c)
}

// isOver expects that nobody answers any more, and that the project is closed once it
// knows.
func (k *client) isOver(path string) {
	k.t.Helper()
	k.json(409, opTalk, "POST", path, `{"text":"one more thing"}`)
	p := k.json(201, "/v1/projects", "POST", "/v1/projects", defined)
	for range 1000 {
		resp := k.ask("POST", opTalks, fmt.Sprintf(`{"name":"late","project":%q}`, p["project"]))
		if resp.StatusCode == http.StatusUnprocessableEntity {
			return
		}
	}
	k.t.Error("another interview begins, want the project closed")
}

// TestAProjectClosesForHosts too, and tells it once.
func TestAProjectClosesForHosts(t *testing.T) {
	closed := make(chan messages.ProjectClosed, 10)
	rt, stop := talking(t, t.TempDir(), runtime.InMemory(), runtime.WithListener(func(ev runtime.Event) {
		if m, ok := ev.Message.(messages.ProjectClosed); ok {
			closed <- m
		}
	}))
	defer stop()
	b := rt.Talk()
	p, err := b.Define(t.Context(), "mornings", []byte(mornings))
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Begin(t.Context(), control.Begin{Channel: messages.ChannelHost, Project: p})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "b"} {
		a, err := b.Say(t.Context(), c, control.Say{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		until(t, b, c, a.After)
	}
	if m := <-closed; m.Project != p || m.Finished != 1 {
		t.Errorf("closed %+v, want %s with one interview", m, p)
	}
	if _, err := b.Begin(t.Context(), control.Begin{Project: p}); !errors.Is(err, control.ErrProject) {
		t.Errorf("Begin() of a closed project = %v, want %v", err, control.ErrProject)
	}
}
