package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/privacy"
)

// Canaries are what these people say of themselves, and words that only say where a text
// stands. They occur nowhere else.
var (
	canaries = []string{"8642-1357", "zarkov", "Zephyrine", "佐久間", "千尋", "梶ヶ谷"}
	marker   = "quokka5309"
)

const canaryChat = `{"at_ms":0,"who":"me","text":"hello","conversation":"Zephyrine"}
{"at_ms":500,"who":"friend","text":"Call 090-8642-1357?"}
{"at_ms":600,"who":"friend","text":"or zarkov@example.net"}
{"at_ms":650,"who":"friend","text":"佐久間千尋さんにも伝えて、梶ヶ谷さんには言わないで"}
{"at_ms":700,"who":"friend","text":"about the quokka5309"}
`

const observedChat = `{"at_ms":0,"who":"me","text":"hello","conversation":"梶ヶ谷"}
{"at_ms":500,"who":"friend","text":"佐久間さんの番号は090-8642-1357です"}
{"at_ms":600,"who":"friend","text":"about the quokka5309"}
`

// aloof is a model somewhere else, which uses what it was shown.
type aloof struct {
	mu    sync.Mutex
	asked strings.Builder
}

var shownPhone = regexp.MustCompile(`\[[^\[\]]*·[0-9a-f-]+\]`)

func (m *aloof) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked.WriteString(q.System + "\n" + q.Prompt + "\n")
	said := "And how is that?"
	switch q.Purpose {
	case "judge":
		said = `{"should_respond": true, "confidence": 0.9, "reason": "asked"}`
	case "reply":
		for _, p := range shownPhone.FindAllString(q.Prompt, -1) {
			if strings.Contains(p, "phone") || strings.Contains(p, "電話") {
				said = "I will call " + p
			}
		}
	default:
		said = `{"learned": [], "themes": []}`
	}
	return runtime.LLMReply{Text: said, Model: "aloof"}, nil
}

func (m *aloof) lacks(t *testing.T, words ...string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range words {
		if strings.Contains(m.asked.String(), w) {
			t.Errorf("a model elsewhere was shown %q", w)
		}
	}
}

// TestCanaries: a friend in a window is answered with what stays on this machine, another one is
// observed, and a guest is interviewed. Nothing that they said stands in a file, unless in those of the
// drawn window, which is the application that is watched, or in the log, which does not
// even have its masks; and no model elsewhere is shown who they are.
func TestCanaries(t *testing.T) {
	script, data := filepath.Join(t.TempDir(), "chat.jsonl"), t.TempDir()
	observed := filepath.Join(t.TempDir(), "observed.jsonl")
	if err := errors.Join(os.WriteFile(script, []byte(canaryChat), 0o600),
		os.WriteFile(observed, []byte(observedChat), 0o600)); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("", []byte(`replies: {conversations: [{name: "talk:梶ヶ谷", mode: observe}]}`))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Data, cfg.OCR.Engine, cfg.Dedup.FirstSight = data, config.OCRDrawn, "all"
	cfg.Windows[0].Poll, cfg.Windows[0].Script = 50*time.Millisecond, script
	beside := cfg.Windows[0]
	beside.Name, beside.App, beside.Script = "talk", "talk", observed
	cfg.Windows = append(cfg.Windows, beside)
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	m, log, answered, analysed := &aloof{}, &logBook{}, make(chan string, 9), make(chan bool, 9)
	seen := make(chan bool, 9)
	rt, err := runtime.New(cfg, runtime.WithLLM(m), runtime.WithLogger(zerolog.New(log)),
		runtime.WithEventLog(zerolog.New(log)), runtime.WithListener(func(ev runtime.Event) {
			switch m := ev.Message.(type) {
			case messages.ReplyChanged:
				if m.State == messages.ReplySent && m.Window.Channel() == "" {
					answered <- string(m.Text)
				}
			case messages.InterviewAnalysed:
				analysed <- true
			case messages.MessageDelivered:
				if strings.HasPrefix(string(m.Window), "talk@") && strings.Contains(string(m.Text), marker) {
					seen <- true
				}
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	stop := start(t, rt)
	if got := <-answered; got != "I will call 090-8642-1357" {
		t.Errorf("answered %q, want the number that was masked for the model", got)
	}
	interviewed(t, rt)
	<-analysed
	<-seen
	lacksExported(t, rt.Backend())
	unseen := func(when string) {
		t.Helper()
		for _, w := range append(canaries, marker) {
			for _, dir := range below(t, data) {
				if filepath.Base(dir) != "windows" && holds(t, dir, w) {
					t.Errorf("%s: %q stands in a file of %s", when, w, filepath.Base(dir))
				}
			}
		}
	}
	unseen("running")
	if err := stop(); err != nil {
		t.Error(err)
	}
	unseen("stopped")
	noKeyTells(t, data, append(canaries, marker, "mornings")...) // the project too
	if !holds(t, filepath.Join(data, "windows"), marker) || !strings.Contains(m.asked.String(), marker) {
		t.Error("neither the drawn window nor the model has what nobody masks: this test shows nothing")
	}
	log.lacks(t, append(canaries, marker, "phone]", "phone·", "[電話番号")...)
	m.lacks(t, canaries...)
}

// lacksExported exports all conversations as they are masked for others: what the people say of
// themselves is not there, and what nobody masks is, of each.
func lacksExported(t *testing.T, b control.Backend) {
	t.Helper()
	var out strings.Builder
	by, marked := &privacy.Masker{}, map[messages.ConversationID]bool{}
	learn := func(e control.Entry) error { e.RewriteNames(by.Name); return nil }
	write := func(e control.Entry) error {
		e.RewriteNames(by.Name)
		e.RewriteTexts(by.Text)
		line, err := json.Marshal(e)
		out.Write(line)
		if strings.Contains(string(line), marker) {
			marked[e.Conversation] = true
		}
		return err
	}
	for _, each := range []func(control.Entry) error{learn, write} {
		if err := b.Timeline(t.Context(), control.Query{}, each); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range canaries {
		if strings.Contains(out.String(), w) {
			t.Errorf("an export has %q:\n%s", w, out.String())
		}
	}
	if len(marked) != 3 {
		t.Errorf("an export has what nobody masks of %d conversations, want of all three", len(marked))
	}
}

// below lists what a directory holds.
func below(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, filepath.Join(dir, e.Name()))
	}
	return list
}

// interviewed leads an interview to its end. It keeps only what is masked.
func interviewed(t *testing.T, rt *runtime.Runtime) {
	t.Helper()
	b := rt.Talk()
	p, err := b.Define(t.Context(), "mornings", []byte(mornings))
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Begin(t.Context(), control.Begin{Project: p, Name: "Zephyrine"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"the quokka5309 wakes me, call 090-8642-1357", "write to zarkov@example.net"} {
		a, err := b.Say(t.Context(), c, control.Say{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		until(t, b, c, a.After)
	}
	talk, err := b.Talk(t.Context(), c, control.TalkQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if said := talk.Messages[0].Content; said != "the quokka5309 wakes me, call [phone]" {
		t.Errorf("the interview keeps %q, want it masked", said)
	}
}
