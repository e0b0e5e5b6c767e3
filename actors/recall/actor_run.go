package recall

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

// question is a recall in progress.
type question struct {
	messages.Recall
	from    messages.Address
	calls   map[string]memory.Route // that are open
	found   []memory.Found
	about   []messages.Known
	reports map[memory.Route]memory.Report
	at      time.Time

	selecting *selecting // nil: no model is asked
}

// ask lets all routes search. Asking again with the same key starts over.
func (a *actor) ask(turn *actors.Turn, m messages.Recall) {
	if old := a.asked[m.Key]; old != nil {
		for call := range old.calls {
			turn.CancelCall(call)
		}
		if old.selecting != nil {
			turn.CancelCall(old.selecting.call)
		}
	}
	q := &question{Recall: m, from: turn.Cause().From, calls: map[string]memory.Route{},
		reports: map[memory.Route]memory.Report{}, at: turn.Now()}
	for _, r := range a.o.Routes {
		call := turn.Call(messages.WorkerMemory, messages.SearchMemory{
			Route: string(r.Route), Key: m.Key, Conversation: a.id, Text: m.Text, Group: m.Group, At: turn.Now(),
			Except: m.Except,
		}, actors.CallOptions{Deadline: r.Time, Tag: m.Key})
		q.calls[call] = r.Route
	}
	a.asked[m.Key] = q
	longest := Longest
	if a.o.Embed != "" {
		longest = LongestSelected
	}
	turn.After("recall "+m.Key, longest, messages.RecallDue{Key: m.Key})
}

// found takes what a route found.
func (a *actor) found(turn *actors.Turn, m messages.MemoryFound) {
	route, q := a.open(turn, m.Key)
	if q == nil {
		return
	}
	q.found = append(q.found, memory.Found{Route: route, Hits: m.Hits})
	q.about = append(q.about, m.About...)
	q.reports[route] = memory.Report{Route: route, Hits: len(m.Hits), Took: m.Took}
	a.settle(turn, q)
}

// failed leaves a route out.
func (a *actor) failed(turn *actors.Turn, m messages.CallFailed) {
	if m.Request == (messages.EmbedEvents{}).MessageType().Name {
		a.unembedded(turn, m)
		return
	}
	if q := a.asked[m.Tag]; q != nil && q.selecting != nil && q.selecting.call == turn.Cause().Call {
		a.unchosen(turn, q, m.Reason())
		return
	}
	route, q := a.open(turn, m.Tag)
	if q == nil {
		return
	}
	q.reports[route] = memory.Report{Route: route, Failed: m.Reason()}
	a.settle(turn, q)
}

// open returns the question and the route of a call that was just answered, and closes
// the call.
func (a *actor) open(turn *actors.Turn, key string) (memory.Route, *question) {
	q := a.asked[key]
	if q == nil {
		return "", nil
	}
	route, ok := q.calls[turn.Cause().Call]
	if !ok {
		return "", nil
	}
	delete(q.calls, turn.Cause().Call)
	return route, q
}

func (a *actor) settle(turn *actors.Turn, q *question) {
	if len(q.calls) == 0 {
		a.merge(turn, q)
	}
}

// due ends what takes too long.
func (a *actor) due(turn *actors.Turn, key string) {
	switch q := a.asked[key]; {
	case q == nil:
	case q.selecting != nil:
		turn.CancelCall(q.selecting.call)
		a.unchosen(turn, q, string(messages.FailureTimeout))
	default:
		a.merge(turn, q)
	}
}

// merge makes one list of the results, and answers with the best of it.
func (a *actor) merge(turn *actors.Turn, q *question) {
	for call, route := range q.calls {
		turn.CancelCall(call)
		delete(q.calls, call)
		q.reports[route] = memory.Report{Route: route, Failed: string(messages.FailureTimeout)}
	}
	run, list := merged(a.o.Pack, q.found, a.reports(q))
	if !a.choose(turn, q, run, list) {
		a.conclude(turn, q, run, memory.Pick(list, q.Context, a.o.Pack.Pick))
	}
}

// conclude stores the run and answers.
func (a *actor) conclude(turn *actors.Turn, q *question, run memory.Run, picked []memory.Candidate) {
	delete(a.asked, q.Key)
	turn.Cancel("recall " + q.Key)
	run = run.Choose(picked)
	run.Cue = memory.CueOf(string(q.Text))
	for _, k := range q.about {
		run.Background = append(run.Background, memory.BackgroundPrint(k))
	}
	n, _ := counts.Get(turn, runsRow)
	n++
	counts.Put(turn, runsRow, n)
	run.ID, run.At = RunID(a.id, n), turn.Now()
	Runs.Put(turn, actors.RowKey(uint64(n)), run)
	if n > int64(a.o.Keep) {
		Runs.Delete(turn, actors.RowKey(uint64(n)-uint64(a.o.Keep)))
	}
	turn.Send(q.from, messages.Recalled{Key: q.Key, Run: run.ID, Found: memory.Memories(picked), About: q.about})
}

// reports returns how each route ended, in order of the routes.
func (a *actor) reports(q *question) (list []memory.Report) {
	for _, r := range a.o.Routes {
		list = append(list, q.reports[r.Route])
	}
	return list
}

// merged makes a run of what the routes found, and one list of it, the best first.
func merged(p memory.Pack, found []memory.Found, reports []memory.Report) (memory.Run, []memory.Candidate) {
	order := map[memory.Route]int{}
	for i, r := range reports {
		order[r.Route] = i
	}
	slices.SortStableFunc(found, func(x, y memory.Found) int { return order[x.Route] - order[y.Route] })
	mode := memory.Associative
	for _, f := range found {
		if f.Route == memory.InTime && len(f.Hits) > 0 {
			mode = memory.AboutTime
		}
	}
	list := p.Merge(found, mode)
	return memory.Run{Mode: mode, Routes: reports, Candidates: len(list)}, list
}

// RunID names the nth run of a conversation.
func RunID(c messages.ConversationID, n int64) string { return fmt.Sprintf("%s/run.%d", c, n) }

// SplitRunID returns the conversation and the row that a RunID names.
func SplitRunID(id string) (c messages.ConversationID, row string, ok bool) {
	at := strings.LastIndex(id, "/run.")
	if at < 1 {
		return "", "", false
	}
	var n int64
	if _, err := fmt.Sscanf(id[at+len("/run."):], "%d", &n); err != nil || n < 1 {
		return "", "", false
	}
	return messages.ConversationID(id[:at]), actors.RowKey(uint64(n)), true
}
