package recall_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
)

var morning = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func spawn(t *testing.T, o recall.Options, more ...actortest.Option) *actortest.Harness {
	t.Helper()
	more = append(more, actortest.Address("recall/c-1"), actortest.Start(morning))
	return actortest.Spawn(t, recall.New(o), more...)
}

// keeping returns options that keep few runs.
func keeping(n int) recall.Options {
	o := recall.DefaultOptions()
	o.Keep = n
	return o
}

func event(id, text string, minute int) messages.Event {
	return messages.Event{ID: messages.MessageID(id), Speaker: "Hana", Text: messages.Text(text),
		At: morning.Add(time.Duration(minute) * time.Minute)}
}

// wantChange expects an event, and after it how far the memory has come.
func wantChange(t *testing.T, h *actortest.Harness, want messages.Message, changes uint64) {
	t.Helper()
	got := h.Published()
	if len(got) != 2 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Fatalf("published %v, want %v and where the memory is", got, want)
	}
	if at, ok := got[1].(messages.MemoryAt); !ok || at.Changes != changes || at.Print == 0 {
		t.Errorf("published %+v, want change %d", got[1], changes)
	}
}

func own(id, text string, minute int) messages.Event {
	e := event(id, text, minute)
	e.Own, e.Speaker = true, ""
	return e
}

// TestLinksToWhomItAnswers: an answer is linked to the message it was written for, though another one
// spoke since, and so it is where that is known later.
func TestLinksToWhomItAnswers(t *testing.T) {
	h := spawn(t, recall.DefaultOptions())
	other := event("b1", "来週は？", 1)
	other.Speaker = "Ken"
	answer := own("own:1", "駅です", 2)
	answer.Answered = "a1"
	h.Send(remember(event("a1", "どこ？", 0), other, answer, event("a2", "ありがとう", 3), own("own:2", "はい", 4)))
	h.Crash()
	late := own("own:2", "はい", 4)
	late.Answered = "b1"
	h.Send(remember(late))
	h.Crash()
	h.Send(remember(own("own:2", "はい！", 4)))
	rows := actortest.Rows(h, recall.Events)
	for id, want := range map[messages.MessageID]messages.MessageID{"own:1": "a1", "a2": "own:1", "own:2": "b1"} {
		if got := rows[memory.Key(id)].ReplyTo; got != want {
			t.Errorf("%s answers %q, want %q", id, got, want)
		}
	}
}

func remember(list ...messages.Event) messages.Remember {
	return messages.Remember{Conversation: "c-1", Events: list}
}

// An event is stored once, with what it answers. An edit changes it in place, and what
// was taken back is gone.
func TestKeepsEvents(t *testing.T) {
	h := spawn(t, recall.DefaultOptions())
	h.Send(remember(event("m1", "駅に着いた", 0)))
	wantChange(t, h, messages.EventsKept(remember(event("m1", "駅に着いた", 0))), 1)
	h.CrashBeforeCommit()
	h.Send(remember(own("own:1", "どこ？", 1), event("m2", "改札の前", 2), event("m1", "駅に着いた", 0)))
	h.Published()
	h.Send(remember(own("own:1", "どこ？", 1))) // again
	h.WantPublished()
	h.Send(remember(event("m2", "本屋の前", 9)))
	wantChange(t, h, messages.EventsKept(remember(event("m2", "本屋の前", 2))), 3)
	h.Crash()
	h.Send(messages.TakeBack{Conversation: "c-1", ID: "m1"})
	wantChange(t, h, messages.EventsGone{Conversation: "c-1", IDs: []messages.MessageID{"m1"}}, 4)
	h.Send(messages.TakeBack{Conversation: "c-1", ID: "m1"})
	h.WantPublished()
	actortest.WantRows(h, recall.Events, map[string]memory.Event{
		memory.Key("own:1"): {Event: own("own:1", "どこ？", 1), KeptAt: morning, ReplyTo: "m1", Thread: "m1"},
		memory.Key("m2"):    {Event: event("m2", "本屋の前", 2), KeptAt: morning, ReplyTo: "own:1", Thread: "m1"},
	})
}

// TestKeepsApart: what has nothing to do with a run's question is noted with what that is
// about, until that is undone, or the event is taken back.
func TestKeepsApart(t *testing.T) {
	h := spawn(t, recall.DefaultOptions())
	h.Send(remember(event("m1", "犬の名前はポチ", 0), event("m2", "犬が好き", 1)))
	h.SendFrom("conversation/c-1", messages.Recall{Conversation: "c-1", Key: "k", Text: "犬の名前は？"})
	answer(h, func(string) []messages.MemoryHit {
		return []messages.MemoryHit{hit("c-1", "m1", "犬の名前はポチ", 4)}
	})
	apart := func(id messages.MessageID, undo bool) {
		h.CrashBeforeCommit()
		h.Send(messages.KeepApart{Conversation: "c-1", Run: "c-1/run.1", Of: "c-1", ID: id, Undo: undo})
	}
	apart("m1", false)
	apart("m1", false) // twice is once
	apart("m2", false)
	u, _ := actortest.Stored(h, recall.Aparts, recall.ApartRow)
	if got := u.To("うちの犬の名前"); len(u.List) != 2 || len(got) != 2 || got[0].ID != "m1" {
		t.Errorf("kept apart: %+v, to a question like it %+v, want both events", u.List, got)
	}
	if got := u.To("犬と散歩に行った公園はどこ？"); len(got) > 0 {
		t.Errorf("to another question %+v is kept apart", got)
	}
	apart("m2", true)
	h.Send(messages.TakeBack{Conversation: "c-1", ID: "m1"})
	if u, ok := actortest.Stored(h, recall.Aparts, recall.ApartRow); ok {
		t.Errorf("%+v is still kept apart", u)
	}
	h.Send(messages.KeepApart{Conversation: "c-1", Run: "c-1/run.7", Of: "c-1", ID: "m1"}) // no such run
	actortest.WantRows(h, recall.Aparts, map[string]memory.Unrelated{})
	h.Published()
	h.Sent()
	h.Calls()
}

func TestTrims(t *testing.T) {
	h := spawn(t, recall.DefaultOptions())
	h.Send(remember(event("old", "a", 0)))
	h.Advance(time.Hour)
	h.Send(remember(event("new", "b", 60)))
	h.Published()
	h.Send(messages.TrimDue{Before: morning.Add(time.Minute)})
	wantChange(t, h, messages.EventsGone{Conversation: "c-1", IDs: []messages.MessageID{"old"}}, 3)
}

var likesTea = []messages.Known{{Speaker: "Hana", Text: "likes: tea"}}

// answer lets every open call find one event each.
func answer(h *actortest.Harness, hits func(route string) []messages.MemoryHit) {
	for _, call := range h.Calls() {
		ask := call.Request.(messages.SearchMemory)
		found := messages.MemoryFound{Route: ask.Route, Key: ask.Key, Hits: hits(ask.Route)}
		if ask.Route == string(memory.States) {
			found.About = likesTea
		}
		h.AnswerCall(call.ID, found)
	}
}

func hit(c, id, text string, score float64) messages.MemoryHit {
	return messages.MemoryHit{Memory: messages.Memory{Conversation: messages.ConversationID(c),
		Event: event(id, text, 0)}, Score: score}
}

// What routes find is merged, stored without texts, and answered.
func TestRecalls(t *testing.T) {
	h := spawn(t, recall.DefaultOptions())
	ask := messages.Recall{Conversation: "c-1", Key: "reply:1:1", Text: "犬の名前は？",
		Except: []messages.MessageID{"m9"}, Context: []messages.MessageID{"m2"}}
	h.SendFrom("conversation/c-1", ask)
	calls := h.Calls()
	if len(calls) != len(memory.Routes()) {
		t.Fatalf("%d calls, want one for each of %d routes", len(calls), len(memory.Routes()))
	}
	for i, r := range memory.Routes() {
		want := actortest.Ask(messages.WorkerMemory, messages.SearchMemory{Route: string(r.Route), Key: ask.Key,
			Conversation: "c-1", Text: ask.Text, At: morning, Except: ask.Except},
			actors.CallOptions{Deadline: r.Time, Tag: ask.Key})
		calls[i].ID = want.ID
		if fmt.Sprint(calls[i]) != fmt.Sprint(want) {
			t.Errorf("call %d = %v, want %v", i, calls[i], want)
		}
	}
	h.SendFrom("conversation/c-1", ask) // again: the first ones are given up
	answer(h, func(route string) []messages.MemoryHit {
		switch memory.Route(route) {
		case memory.Lexical:
			return []messages.MemoryHit{hit("c-1", "m1", "犬の名前はポチ", 4), hit("c-1", "m2", "犬が好き", 2)}
		case memory.Recent:
			return []messages.MemoryHit{hit("c-1", "m2", "犬が好き", 1)}
		}
		return nil
	})
	sent := h.Sent()
	if len(sent) != 1 {
		t.Fatalf("%d messages were sent, want one answer", len(sent))
	}
	got := sent[0].Message.(messages.Recalled)
	if sent[0].To != "conversation/c-1" || got.Key != ask.Key || got.Run != "c-1/run.1" || len(got.Found) != 1 ||
		got.Found[0].ID != "m1" || got.Found[0].Text != "犬の名前はポチ" || !slices.Equal(got.About, likesTea) {
		t.Errorf("answered %+v to %s, want m1 alone: the other is before whoever asks", got, sent[0].To)
	}
	run, ok := actortest.Stored(h, recall.Runs, "0000000000000001")
	if !ok || run.Candidates != 2 || len(run.Routes) != len(memory.Routes()) || len(run.Chosen) != 1 ||
		!slices.Equal(run.Background, []string{memory.BackgroundPrint(likesTea[0])}) {
		t.Errorf("stored run %+v, %v, want 2 candidates and 1 chosen of all routes, and what was told", run, ok)
	}
	h.Crash()
	h.SendFrom("conversation/c-1", ask)
	answer(h, func(string) []messages.MemoryHit { return nil })
	if sent := h.Sent(); len(sent) != 1 || sent[0].Message.(messages.Recalled).Run != "c-1/run.2" {
		t.Errorf("after a crash %v, want the second run", sent)
	}
}

// A route that fails, panics or is late is left out, and named.
func TestRoutesThatFail(t *testing.T) {
	o := recall.DefaultOptions()
	o.Routes = []memory.Timed{
		{Route: memory.Recent, Time: time.Second}, {Route: memory.Lexical, Time: time.Second},
		{Route: memory.Chain, Time: time.Second}, {Route: memory.InTime, Time: time.Second},
	}
	h := spawn(t, o)
	h.SendFrom("conversation/c-1", messages.Recall{Conversation: "c-1", Key: "k", Text: "犬"})
	calls := h.Calls()
	h.AnswerCall(calls[1].ID, messages.MemoryFound{Route: "lexical", Key: "k",
		Hits: []messages.MemoryHit{hit("c-1", "m1", "犬", 1)}})
	h.FailCall(messages.FailurePanic, "", "boom") // the first that is open
	h.FailCall(messages.FailureError, "broken", "x")
	h.WantSent()
	h.Advance(recall.Longest)
	sent := h.Sent()
	if len(sent) != 1 || len(sent[0].Message.(messages.Recalled).Found) != 1 {
		t.Fatalf("sent %v, want one answer with one event", sent)
	}
	run, _ := actortest.Stored(h, recall.Runs, "0000000000000001")
	var failed []string
	for _, r := range run.Routes {
		failed = append(failed, fmt.Sprintf("%s %d %s", r.Route, r.Hits, r.Failed))
	}
	want := []string{"recent 0 panic", "lexical 1 ", "chain 0 broken", "time 0 timeout"}
	if !slices.Equal(failed, want) {
		t.Errorf("routes %q, want %q", failed, want)
	}
}

// Old changes make room.
func TestKeepsSomeChanges(t *testing.T) {
	h := spawn(t, recall.DefaultOptions())
	for n := range memory.KeptChanges + 2 {
		h.Send(remember(event("m1", fmt.Sprint("text ", n), 0)))
	}
	for n, want := range map[uint64]bool{1: false, 2: false, 3: true, memory.KeptChanges + 2: true} {
		change, ok := actortest.Stored(h, recall.Changes, actors.RowKey(n))
		if ok != want || ok && (change.At.Changes != n || !slices.Equal(change.IDs, []messages.MessageID{"m1"})) {
			t.Errorf("change %d is %+v, %v, want it kept: %v", n, change, ok, want)
		}
	}
}

// Old runs make room.
func TestKeepsSomeRuns(t *testing.T) {
	h := spawn(t, keeping(2))
	for n := range 4 {
		h.SendFrom("conversation/c-1", messages.Recall{Conversation: "c-1", Key: fmt.Sprint("k", n), Text: "犬"})
		answer(h, func(string) []messages.MemoryHit { return nil })
	}
	h.Sent()
	for n, want := range map[uint64]bool{1: false, 2: false, 3: true, 4: true} {
		if _, ok := actortest.Stored(h, recall.Runs, actors.RowKey(n)); ok != want {
			t.Errorf("run %d is stored: %v, want %v", n, ok, want)
		}
	}
	for _, id := range []string{"", "c-1", "/run.1", "c-1/run.0", "c-1/run.x"} {
		if c, row, ok := recall.SplitRunID(id); ok {
			t.Errorf("SplitRunID(%q) = %s, %s, want none", id, c, row)
		}
	}
	if c, row, ok := recall.SplitRunID(recall.RunID("c-1", 7)); !ok || c != "c-1" || row != actors.RowKey(7) {
		t.Errorf("SplitRunID = %s, %s, %v, want c-1 and row 7", c, row, ok)
	}
}

// The rows in existing stores. They must not change: a new form of row needs a new
// version of its table, and an upcast.
func TestStoredForms(t *testing.T) {
	at := morning
	actortest.WantForm(t, recall.Events, memory.Event{Event: messages.Event{ID: "m1", Source: "line@mac", Own: true,
		Speaker: "Hana", Text: "はい", At: at}, KeptAt: at.Add(time.Second), ReplyTo: "m0", Thread: "m00"},
		`1 {"id":"m1","source":"line@mac","own":true,"speaker":"Hana","text":"はい","at":"2026-03-02T09:00:00Z",`+
			`"kept_at":"2026-03-02T09:00:01Z","reply_to":"m0","thread":"m00"}`)
	actortest.WantForm(t, recall.Runs, memory.Run{ID: "c-1/run.1", At: at, Mode: memory.AboutTime,
		Routes: []memory.Report{{Route: memory.Lexical, Hits: 1, Took: time.Millisecond},
			{Route: memory.InTime, Failed: "panic"}},
		Candidates: 3, Chosen: []memory.Chosen{{Conversation: "c-2", ID: "m1", Score: 1.5,
			Routes: []memory.Hit{{Route: memory.Lexical, Score: 2}}, Context: true}}, Background: []string{"p"}},
		`1 {"id":"c-1/run.1","at":"2026-03-02T09:00:00Z","mode":"about_time","routes":[`+
			`{"route":"lexical","hits":1,"took":1000000},{"route":"time","hits":0,"failed":"panic"}],"candidates":3,`+
			`"chosen":[{"conversation":"c-2","id":"m1","score":1.5,"routes":[{"route":"lexical","score":2}],`+
			`"context":true}],"told":["p"]}`)
	actortest.WantForm(t, recall.Talks, memory.Talk{At: memory.At{Changes: 1, Print: 2}, Events: 3, Last: at,
		Thread: "a", Own: "b", Other: "c"}, `1 {"changes":1,"print":2,"events":3,"last":"2026-03-02T09:00:00Z",`+
		`"thread":"a","own":"b","other":"c"}`)
	actortest.WantForm(t, recall.Talks, memory.Talk{At: memory.At{Changes: 1, Print: 2}, Events: 3, Last: at,
		Other: "c", Pairs: []memory.Pair{{Speaker: "Hana", Own: "b"}, {}}}, `1 {"changes":1,"print":2,"events":3,`+
		`"last":"2026-03-02T09:00:00Z","other":"c","pairs":[{"speaker":"Hana","own":"b"},{}]}`)
	actortest.WantForm(t, recall.Changes, memory.Change{IDs: []messages.MessageID{"m1"}, At: memory.At{Changes: 1,
		Print: 2}}, `1 {"ids":["m1"],"at":{"changes":1,"print":2}}`)
	actortest.WantForm(t, recall.Aparts, memory.Unrelated{List: []memory.Apart{{Conversation: "c-1", ID: "m1",
		Cue: memory.Cue{7}, Run: "c-1/run.1", At: at}}}, `1 {"list":[{"conversation":"c-1","id":"m1","cue":[7],`+
		`"run":"c-1/run.1","at":"2026-03-02T09:00:00Z"}]}`)
	actortest.WantForm(t, recall.Vectors, memory.Vector{EventVector: messages.EventVector{ID: "m1",
		Vector: []byte{1, 2}}, Model: "m"}, `1 {"id":"m1","print":"","vector":"AQI=","model":"m"}`)
	actortest.WantForm(t, recall.Embeddings, memory.Embedding{Model: "m", Length: 1, Reached: messages.Reached{
		Changes: 2, Print: 3}, Kept: 4, Asking: true, Wanted: true, Failed: "f", Tries: 5}, `1 {"model":"m",`+
		`"length":1,"reached":{"changes":2,"print":3},"kept":4,"asking":true,"wanted":true,"failed":"f","tries":5}`)
}
