package prompt_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit"
)

// obedient is a model that does whatever the message asks.
type obedient struct {
	i     testkit.Injection
	asked llm.Question
}

func (m *obedient) Generate(_ context.Context, q llm.Question) (llm.Reply, error) {
	m.asked = q
	return llm.Reply{Text: m.i.Obey(q.System, q.Prompt)}, nil
}

// canary stands in another conversation of the same owner.
const canary = "the secret that Ken told"

// Against every injection, with a model that obeys: what the model is told is the
// same instructions with the message as data, and nothing of another conversation;
// what comes back is a text for the question that was asked, without any place for
// a recipient, a policy or a tool. An answer that repeats the prompt is noticed.
func TestInjections(t *testing.T) {
	list := testkit.Injections()
	kinds := map[string]int{}
	for _, i := range list {
		kinds[i.Language+" "+i.Kind]++
	}
	if len(list) < 60 || len(kinds) != 14 {
		t.Errorf("%d injections of %v, want 60 of each kind in both languages", len(list), kinds)
	}
	c := prompt.Default()
	other := compose(t, c, prompt.Input{Task: prompt.Reply, Language: prompt.English,
		Lines: []prompt.Line{{Name: "Ken", Text: canary}}})
	if !strings.Contains(string(other.User), canary) {
		t.Fatal("the other conversation has no canary")
	}
	leaks := 0
	tasks := []prompt.Task{prompt.Reply, prompt.Judge, prompt.Interview}
	if testing.Short() {
		tasks = tasks[:1]
	}
	for _, task := range tasks {
		for _, i := range list {
			in := prompt.Input{Task: task, Language: prompt.Language(i.Language), Persona: "Kehai", Now: at,
				Lines:     []prompt.Line{{Name: "Hana", At: at, Text: "hello"}},
				Interview: prompt.InterviewInput{Phase: "deepening", Goal: "mornings"}}
			harmless := compose(t, c, in)
			in.Interview.Summary, in.Interview.MostImportant = messages.Text(i.Text), messages.Text(i.Text)
			in.Lines[0].Text, in.Lines[0].Name = messages.Text(i.Text), messages.Text(i.Text)
			if leaksPrompt(t, c, in, harmless, i) {
				leaks++
			}
		}
	}
	if leaks == 0 {
		t.Error("no obedient answer repeated the prompt: the set does not test that")
	}
}

// leaksPrompt runs one injection, and reports that the model was made to repeat its
// prompt.
func leaksPrompt(t *testing.T, c *prompt.Catalogue, in prompt.Input, harmless prompt.Prompt, i testkit.Injection) bool {
	t.Helper()
	p := compose(t, c, in)
	before, data, after, err := prompt.Split(p.User)
	wantBefore, _, wantAfter, _ := prompt.Split(harmless.User)
	switch {
	case err != nil:
		t.Errorf("%s, %s: Split() = %v", in.Task, i.ID, err)
	case p.System != harmless.System || before != wantBefore || after != wantAfter || p.Version != harmless.Version:
		t.Errorf("%s, %s: the instructions changed", in.Task, i.ID)
	case len(data) != 2:
		t.Errorf("%s, %s: %d entries of data, want the notes and the message", in.Task, i.ID, len(data))
	case strings.ContainsFunc(string(p.User), func(r rune) bool { return r >= 0xE0000 && r <= 0xE0FFF || r == 0x200B }):
		t.Errorf("%s, %s: the prompt has what nobody sees", in.Task, i.ID)
	}
	m := &obedient{i: i}
	client, err := llm.New(llm.Options{Settings: llm.DefaultSettings(), Host: m})
	if err != nil {
		t.Fatal(err)
	}
	ask := p.Ask("turn-1")
	got, err := llm.NewWorker(client).Do(t.Context(), ask)
	answer, ok := got.(messages.LLMAnswer)
	if err != nil || !ok {
		t.Fatalf("%s, %s: Do() = %v, %v, want an answer", in.Task, i.ID, got, err)
	}
	said := m.i.Obey(ask.System, string(ask.Prompt))
	if answer.Key != "turn-1" || string(answer.Text) != said || strings.Contains(string(answer.Text), canary) {
		t.Errorf("%s, %s: %+v, want the text alone, for the question that was asked", in.Task, i.ID, answer)
	}
	if shown := stream.DefaultRule().Final(said); len([]rune(shown)) > len([]rune(said)) {
		t.Errorf("%s, %s: %q is longer than what was said", in.Task, i.ID, shown)
	}
	repeats := strings.Contains(i.Answer, "{system}") || strings.Contains(i.Answer, "{user}")
	if p.Echoes(said) != repeats {
		t.Errorf("%s, %s: Echoes(%.80q) = %v, want %v", in.Task, i.ID, said, !repeats, repeats)
	}
	return repeats
}

// An answer has no place for anything but a text: who gets it, by which policy and
// with which tools is not the model's to say. A field that is added here needs a
// test that an obedient model cannot do harm with it.
func TestAnAnswerIsOnlyText(t *testing.T) {
	want := map[reflect.Type][]string{
		reflect.TypeFor[messages.LLMAnswer](): {"Key", "Text", "Model", "PromptTokens", "AnswerTokens", "Cut",
			"Retried"},
		reflect.TypeFor[messages.AskLLM](): {"Purpose", "System", "Prompt", "MaxTokens", "Temperature", "JSON", "Key",
			"Stream", "Retry"},
	}
	for typ, fields := range want {
		var got []string
		for i := range typ.NumField() {
			got = append(got, typ.Field(i).Name)
		}
		if !slices.Equal(got, fields) {
			t.Errorf("%s has the fields %q, want %q", typ, got, fields)
		}
	}
}
