package recall_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/vector"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

// model knows what a few words mean: those of one row mean the same.
type model struct {
	name  string
	masks bool

	mu    sync.Mutex
	gone  map[string]bool // models that cannot be asked
	asked []string
}

var meanings = [][]string{{"猫", "ミケ", "pet"}, {"家", "京都", "home"}, {"仕事", "会社", "job"}}

func (m *model) Model() string { return m.name }

func (m *model) Masks() bool { return m.masks }

func (m *model) Embed(_ context.Context, name string, texts []string) (list [][]float32, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, texts...)
	if m.gone[name] {
		return nil, errors.New("no such model")
	}
	for _, text := range texts {
		v := make([]float32, 32+len(name)) // each model has a length of its own
		v[0] = 0.1
		for row, words := range meanings {
			for _, w := range words {
				if strings.Contains(text, w) {
					v[1+row] = 1
				}
			}
		}
		list = append(list, v)
	}
	return list, nil
}

func (m *model) lose(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone = map[string]bool{name: true}
}

func embedding(model string) recall.Options {
	o := recall.DefaultOptions()
	o.Embed, o.Routes = model, memory.DefaultRules().Routes.List(true)
	return o
}

// vectorOf is a stored vector of a text.
func vectorOf(t *testing.T, m *model, id, text string) messages.EventVector {
	t.Helper()
	list, err := m.Embed(t.Context(), m.name, []string{text})
	if err != nil {
		t.Fatal(err)
	}
	v, err := vector.Of(list[0])
	if err != nil {
		t.Fatal(err)
	}
	return messages.EventVector{ID: messages.MessageID(id), Print: memory.PrintOf(messages.Text(text)),
		Vector: v.Bytes()}
}

// embedded is the answer to the open call: all up to a number of changes has vectors.
func embedded(h *actortest.Harness, m *model, list ...messages.EventVector) messages.EventsEmbedded {
	at := talkOf(h)
	return messages.EventsEmbedded{Conversation: "c-1", Model: m.name, Vectors: list,
		Reached: messages.Reached{Changes: at.Changes, Print: at.Print}}
}

func talkOf(h *actortest.Harness) memory.Talk {
	return actortest.Rows(h, recall.Talks)[recall.TalkRow]
}

func wantVectors(t *testing.T, h *actortest.Harness, ids ...string) {
	t.Helper()
	var got []string
	for _, v := range actortest.Rows(h, recall.Vectors) {
		got = append(got, string(v.ID)+" "+v.Model)
	}
	slices.Sort(got)
	if !slices.Equal(got, ids) {
		t.Fatalf("vectors of %v, want %v", got, ids)
	}
}

// Each event gets a vector, once, also if the actor dies at any commit. An event whose text
// has changed when the answer comes does not get it, and an event that is taken back has
// none.
func TestKeepsVectors(t *testing.T) {
	m := &model{name: "old"}
	h := spawn(t, embedding("old"))
	h.CrashBeforeCommit()
	h.Send(remember(event("m1", "猫がいる", 0), event("m2", "家に帰る", 1)))
	ask := actortest.Ask(messages.WorkerEmbedder, messages.EmbedEvents{Conversation: "c-1", Model: "old", Most: 32})
	h.WantCalls(ask)
	h.Crash() // the call is durable
	h.WantCalls(ask)
	first := embedded(h, m, vectorOf(t, m, "m1", "猫がいる"), vectorOf(t, m, "m2", "家に帰る"))
	h.Send(remember(event("m2", "会社に行く", 1)))
	h.WantCalls()
	h.Published()
	h.CrashBeforeCommit()
	h.Answer(first)
	wantVectors(t, h)
	h.WantCalls(ask)
	h.Answer(first)
	wantVectors(t, h, "m1 old")
	h.WantPublished(messages.VectorsKept{Conversation: "c-1", Kept: 1, Model: "old", Vectors: first.Vectors[:1]})
	h.WantCalls(actortest.Ask(messages.WorkerEmbedder,
		messages.EmbedEvents{Conversation: "c-1", Model: "old", After: first.Reached, Most: 32}))
	h.Answer(embedded(h, m, vectorOf(t, m, "m2", "会社に行く")))
	wantVectors(t, h, "m1 old", "m2 old")
	h.WantCalls()
	h.CrashBeforeCommit()
	h.Send(messages.TakeBack{Conversation: "c-1", ID: "m1"})
	wantVectors(t, h, "m2 old")
	h.Answer(embedded(h, m, vectorOf(t, m, "m1", "猫がいる"))) // it was read before
	wantVectors(t, h, "m2 old")
}

// A model that fails is asked again later and later, and at once when it helps.
func TestAsksForVectorsAgain(t *testing.T) {
	m := &model{name: "old"}
	h := spawn(t, embedding("old"))
	h.Send(remember(event("m1", "猫がいる", 0)))
	ask := actortest.Ask(messages.WorkerEmbedder, messages.EmbedEvents{Conversation: "c-1", Model: "old", Most: 32})
	h.WantCalls(ask)
	for _, pause := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		h.FailCall(messages.FailureError, string(messages.LLMUnavailable), "nobody listens")
		h.WantCalls()
		h.Crash()
		h.Advance(pause)
		h.WantCalls(ask)
	}
	h.FailCall(messages.FailureTimeout, "", "")
	if is := actortest.Rows(h, recall.Embeddings)[recall.EmbeddingRow]; is.Failed != "timeout" || is.Tries != 4 {
		t.Errorf("embedding = %+v, want four that failed, the last for its time", is)
	}
	h.Send(messages.Embed{})
	h.WantCalls(ask)
	h.Answer(embedded(h, m, vectorOf(t, m, "m1", "猫がいる")))
	wantVectors(t, h, "m1 old")
	h.Send(messages.Embed{}) // nothing is left
	h.WantCalls()
}

// With another model all events get vectors anew, in place of the old ones; an answer of the
// old one is not kept any more.
func TestChangesTheModel(t *testing.T) {
	older, newer := &model{name: "old"}, &model{name: "newer"}
	name := "old"
	h := actortest.Spawn(t, func(a messages.Address) actors.Actor { return recall.New(embedding(name))(a) },
		actortest.Address("recall/c-1"), actortest.Start(morning))
	h.Send(remember(event("m1", "猫がいる", 0)))
	h.Answer(embedded(h, older, vectorOf(t, older, "m1", "猫がいる")))
	h.Send(remember(event("m2", "家に帰る", 1)))
	wantVectors(t, h, "m1 old")
	name = "newer"
	h.Crash()
	h.Answer(embedded(h, older, vectorOf(t, older, "m2", "家に帰る")))
	wantVectors(t, h, "m1 old")
	h.CrashBeforeCommit()
	h.Send(messages.Embed{})
	h.Answer(embedded(h, newer, vectorOf(t, newer, "m1", "猫がいる"), vectorOf(t, newer, "m2", "家に帰る")))
	wantVectors(t, h, "m1 newer", "m2 newer")
	if is := actortest.Rows(h, recall.Embeddings)[recall.EmbeddingRow]; is.Asking || is.Model != "newer" {
		t.Errorf("embedding = %+v, want it done with the newer model", is)
	}
	name = ""
	h.Crash()
	h.Send(messages.TakeBack{Conversation: "c-1", ID: "m1"})
	h.Send(remember(event("m3", "何もない", 2)))
	wantVectors(t, h, "m2 newer")
}

// meaningful with their vectors of a model.
func meaningful(t *testing.T, m *model, of string, list ...messages.Event) (*recall.Library, *shelf) {
	t.Helper()
	s := newShelf()
	s.put("c-1", list...)
	for _, e := range list {
		v := vectorOf(t, &model{name: of}, string(e.ID), string(e.Text))
		s.vectors = append(s.vectors, memory.Vector{EventVector: v, Model: of})
	}
	l := recall.NewLibrary(time.UTC)
	l.Embed(m)
	l.Open(s)
	t.Cleanup(l.Close)
	return l, s
}

func asking(text string) recall.Query {
	return recall.Query{Conversation: "c-1", Scope: recall.Scope{Conversations: []messages.ConversationID{"c-1"}},
		Text: text, At: morning.Add(time.Hour)}
}

func idsOf(list []messages.MemoryHit) (ids []string) {
	for _, h := range list {
		ids = append(ids, string(h.ID))
	}
	return ids
}

func wantMeant(t *testing.T, l *recall.Library, q recall.Query, want ...string) {
	t.Helper()
	hits, err := l.Search(t.Context(), memory.Vectors, q)
	if got := idsOf(hits); err != nil || len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("Search(vectors, %q) = %v, %v, want %v first", q.Text, got, err, want)
	}
}

// An event of like meaning is found without a word of the question, now and after a restart.
// An event that is gone, has changed or is elsewhere is not.
func TestFindsByMeaning(t *testing.T) {
	m := &model{name: "old"}
	l, s := meaningful(t, m, "old", event("m1", "ミケは元気だよ", 0), event("m2", "京都に引っ越した", 1),
		event("m3", "会社を休んだ", 2))
	wantMeant(t, l, asking("what pet is there?"), "m1")
	wantMeant(t, l, asking("home?"), "m2")
	run, picked, _ := l.Recall(t.Context(), asking("what is the job?"), 1)
	if len(picked) != 1 || picked[0].ID != "m3" || len(run.Routes) != 8 {
		t.Errorf("Recall() = %v by %v, want m3 by eight routes", picked, run.Routes)
	}
	foreign := asking("pet?")
	foreign.Conversation, foreign.Scope = "c-2", recall.Scope{Conversations: []messages.ConversationID{"c-2"}}
	if hits, err := l.Search(t.Context(), memory.Vectors, foreign); err != nil || len(hits) > 0 {
		t.Errorf("Search(another conversation) = %v, %v, want nothing", hits, err)
	}
	excepted := asking("pet?")
	excepted.Except = []messages.MessageID{"m1"}
	if hits, _ := l.Search(t.Context(), memory.Vectors, excepted); slices.Contains(idsOf(hits), "m1") {
		t.Errorf("Search() finds what is to be answered")
	}
	l.Hear(s.put("c-1", event("m1", "何でもない", 0)))
	hits, _ := l.Search(t.Context(), memory.Vectors, asking("pet?"))
	if slices.Contains(idsOf(hits), "m1") {
		t.Errorf("Search() finds a wording that is gone")
	}
	l.Hear(messages.VectorsKept{Conversation: "c-1", Model: "old",
		Vectors: []messages.EventVector{vectorOf(t, m, "m1", "何でもない")}})
	l.Forget("c-1")
	if hits, _ := l.Search(t.Context(), memory.Vectors, asking("home?")); len(hits) > 0 {
		t.Errorf("Search() = %v after everything was forgotten", idsOf(hits))
	}
}

// fragile is a model that panics with what it was asked.
type fragile struct{ *model }

func (f fragile) Embed(_ context.Context, _ string, texts []string) ([][]float32, error) {
	panic(texts[0])
}

// A route that panics is left out and told, without what it was asked.
func TestRouteThatPanics(t *testing.T) {
	m := &model{name: "old"}
	l, _ := meaningful(t, m, "old", event("m1", "ミケは元気だよ", 0))
	l.Embed(fragile{m})
	run, picked, err := l.Recall(t.Context(), asking("ミケは？"), 3)
	if len(picked) != 1 || picked[0].ID != "m1" {
		t.Errorf("Recall() = %v, want m1 by its words", picked)
	}
	if err == nil || !strings.Contains(err.Error(), "route vectors panicked with a string\n") ||
		!strings.Contains(err.Error(), "fragile.Embed") || strings.Contains(err.Error(), "ミケ") {
		t.Errorf("Recall() = %v, want the route, its stack, and no word of the question", err)
	}
	for _, r := range run.Routes {
		if (r.Failed == string(messages.FailurePanic)) != (r.Route == memory.Vectors) {
			t.Errorf("route %s failed: %q, want a panic in that of the vectors alone", r.Route, r.Failed)
		}
	}
}

// Vectors that were stored on another machine, which nobody tells of here, are found too.
func TestFindsVectorsOfAnotherMachine(t *testing.T) {
	m := &model{name: "old"}
	l, s := meaningful(t, m, "old", event("m1", "ミケは元気だよ", 0))
	if _, err := l.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantMeant(t, l, asking("pet?"), "m1")
	s.put("c-1", event("m2", "京都に引っ越した", 1))
	s.mu.Lock()
	s.kept++
	s.vectors = append(s.vectors, memory.Vector{EventVector: vectorOf(t, m, "m2", "京都に引っ越した"), Model: "old"})
	s.mu.Unlock()
	wantMeant(t, l, asking("home?"), "m2")
	wantMeant(t, l, asking("pet?"), "m1")
}

// A model that fails costs its route alone, which the run names.
func TestRecallsWithoutAModel(t *testing.T) {
	m := &model{name: "old"}
	l, _ := meaningful(t, m, "old", event("m1", "ミケは元気だよ", 0))
	m.lose("old")
	run, picked, _ := l.Recall(t.Context(), asking("ミケは？"), 3)
	if len(picked) != 1 || picked[0].ID != "m1" {
		t.Errorf("Recall() = %v, want m1 by its words", picked)
	}
	for _, r := range run.Routes {
		if (r.Failed != "") != (r.Route == memory.Vectors) {
			t.Errorf("route %s failed: %q, want that of the vectors alone", r.Route, r.Failed)
		}
	}
}

// After a change of the model the old vectors serve until the new ones are there.
func TestServesWhileAModelIsChanged(t *testing.T) {
	m := &model{name: "newer"}
	l, _ := meaningful(t, m, "old", event("m1", "ミケは元気だよ", 0), event("m2", "京都に引っ越した", 1))
	wantMeant(t, l, asking("pet?"), "m1")
	answer := func(after messages.Reached) messages.EventsEmbedded {
		w, err := recall.NewEmbedder(l)()
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Do(t.Context(), messages.EmbedEvents{Conversation: "c-1", Model: "newer", After: after, Most: 1})
		if err != nil {
			t.Fatal(err)
		}
		return got.(messages.EventsEmbedded)
	}
	one := answer(messages.Reached{})
	if len(one.Vectors) != 1 || !one.More {
		t.Fatalf("vectors of %d events, more: %v, want one of two", len(one.Vectors), one.More)
	}
	l.Hear(messages.VectorsKept{Conversation: "c-1", Model: "newer", Vectors: one.Vectors})
	for _, text := range []string{"pet?", "home?"} { // each model has one of both
		hits, err := l.Search(t.Context(), memory.Vectors, asking(text))
		if err != nil || len(hits) != 2 {
			t.Errorf("Search(vectors, %q) = %v, %v, want both", text, idsOf(hits), err)
		}
	}
	two := answer(one.Reached)
	if len(two.Vectors) != 1 || two.Vectors[0].ID == one.Vectors[0].ID || two.More {
		t.Fatalf("then %d vectors, more: %v, want the other one", len(two.Vectors), two.More)
	}
	l.Hear(messages.VectorsKept{Conversation: "c-1", Model: "newer", Vectors: two.Vectors})
	m.lose("old")
	wantMeant(t, l, asking("home?"), "m2")
}

// A model elsewhere sees masked texts, and no model sees more than it can read.
func TestMasksWhatIsEmbedded(t *testing.T) {
	m := &model{name: "old", masks: true}
	long := "090-1234-5678 に電話して。" + strings.Repeat("猫", 5000)
	l, _ := meaningful(t, m, "old", event("m1", long, 0))
	if _, err := l.Search(t.Context(), memory.Vectors, asking("090-1234-5678?")); err != nil {
		t.Fatal(err)
	}
	w, _ := recall.NewEmbedder(l)()
	if _, err := w.Do(t.Context(), messages.EmbedEvents{Conversation: "c-1", Model: "old", Most: 9}); err != nil {
		t.Fatal(err)
	}
	if len(m.asked) != 2 {
		t.Fatalf("asked %d texts, want two", len(m.asked))
	}
	for _, text := range m.asked {
		if strings.Contains(text, "1234") || len([]rune(text)) > 2000 {
			t.Errorf("asked %.40q of %d characters, want it masked and at most 2000", text, len([]rune(text)))
		}
	}
}

// More recent events are found than old ones, unless there are few.
func TestFindsOldAndNew(t *testing.T) {
	m := &model{name: "old"}
	var list []messages.Event
	for i := range 100 {
		e := event(fmt.Sprint("new", i), fmt.Sprint("猫 ", i), i/2)
		list = append(list, e)
		e.ID, e.At = messages.MessageID(fmt.Sprint("old", i)), e.At.AddDate(-1, 0, 0)
		list = append(list, e)
	}
	l, _ := meaningful(t, m, "old", list...)
	q := asking("pet")
	hits, err := l.Search(t.Context(), memory.Vectors, q)
	old := 0
	for _, id := range idsOf(hits) {
		if strings.HasPrefix(id, "old") {
			old++
		}
	}
	if err != nil || len(hits) != 60 || old != 3 {
		t.Errorf("Search() = %d hits, %d of them old, %v, want 60 and 3", len(hits), old, err)
	}
	q.At = q.At.AddDate(0, -6, 0)
	if hits, _ = l.Search(t.Context(), memory.Vectors, q); len(hits) != 60 {
		t.Errorf("Search(when all was old) = %d hits, want 60", len(hits))
	}
}
