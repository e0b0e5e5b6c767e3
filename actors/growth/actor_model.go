package growth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

// Bounds of the questions to a model.
const (
	askAtOnce  = 16          // events
	mostJobs   = 64          // that wait; beyond them the oldest is left to the rules
	mostAsks   = 8           // of one question, lost ones included
	firstPause = time.Minute // before a failed question is asked again; doubles
	slack      = 10 * time.Second
	modelTimer = "model"
)

// queue has the model asked about an event, together with others.
func (a *actor) queue(turn *actors.Turn, e messages.Event) {
	if !a.o.Asks || a.o.Rules.PerHour == 0 || len(e.Text) > longestRead ||
		strings.TrimSpace(string(e.Text)) == "" {
		return
	}
	lane, _ := Lanes.Get(turn, LaneRow)
	j, ok := Jobs.Get(turn, actors.RowKey(lane.Jobs))
	if !ok || j.Stage != Waiting || len(j.Events) >= askAtOnce ||
		strings.HasPrefix(lane.Asking, actors.RowKey(lane.Jobs)+".") {
		lane.Jobs++
		j = Job{Stage: Waiting}
		if lane.Jobs > mostJobs {
			Jobs.Delete(turn, actors.RowKey(lane.Jobs-mostJobs))
		}
	}
	j.Events = append(slices.Clone(j.Events), e)
	Jobs.Put(turn, actors.RowKey(lane.Jobs), j)
	Lanes.Put(turn, LaneRow, lane)
	a.wait(turn, a.o.Rules.Pause)
}

// wait has the next question asked, unless one is due or under way.
func (a *actor) wait(turn *actors.Turn, d time.Duration) {
	lane, _ := Lanes.Get(turn, LaneRow)
	if lane.Due {
		return
	}
	lane.Due = true
	Lanes.Put(turn, LaneRow, lane)
	turn.After(modelTimer, d, messages.GrowthDue{Model: true})
}

// settled ends the question under way.
func (a *actor) settled(turn *actors.Turn) {
	lane, _ := Lanes.Get(turn, LaneRow)
	lane.Asking, lane.Due = "", false
	Lanes.Put(turn, LaneRow, lane)
	turn.Cancel(modelTimer)
}

func askKey(n uint64, j Job) string { return fmt.Sprintf("%s.%d", actors.RowKey(n), j.Attempts) }

// due asks the oldest question that waits. One still under way was lost in a crash.
func (a *actor) due(turn *actors.Turn) {
	a.settled(turn)
	lane, _ := Lanes.Get(turn, LaneRow)
	n, j, ok := waiting(turn, lane)
	switch {
	case !ok || !a.o.Asks:
		return
	case j.Attempts >= mostAsks:
		a.bury(turn, actors.RowKey(n), j)
		a.goOn(turn)
		return
	}
	quota, ok := lane.Quota.Take(a.o.Rules.PerHour, turn.Now())
	if !ok {
		a.wait(turn, max(time.Second, quota.Since.Add(time.Hour).Sub(turn.Now())))
		return
	}
	p, err := a.o.question(j.Events, a.held(turn, false))
	if err != nil {
		turn.Fail(err)
		return
	}
	j.Attempts++
	j.Notes = min(len(a.held(turn, false)), maxNotes)
	Jobs.Put(turn, actors.RowKey(n), j)
	lane.Quota, lane.Asking, lane.Due = quota, askKey(n, j), true
	Lanes.Put(turn, LaneRow, lane)
	turn.Call(messages.WorkerLearner, p.Ask(lane.Asking),
		actors.CallOptions{Deadline: a.o.Deadline, Tag: lane.Asking})
	turn.After(modelTimer, a.o.Deadline+slack, messages.GrowthDue{Model: true})
}

// waiting is the oldest job that waits.
func waiting(turn *actors.Turn, lane Lane) (uint64, Job, bool) {
	for n := lane.Jobs - min(lane.Jobs, mostJobs) + 1; n <= lane.Jobs; n++ {
		if j, ok := Jobs.Get(turn, actors.RowKey(n)); ok && j.Stage == Waiting {
			return n, j, true
		}
	}
	return 0, Job{}, false
}

// held are the topics with a state that holds, in the order of time; tasks alone if so
// wanted.
func (a *actor) held(turn *actors.Turn, tasks bool) (list []memory.Topic) {
	for _, t := range topics(turn) {
		if _, holds := t.Now(); holds && t.Kind != memory.Summary && (!tasks || t.Kind == memory.Task) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(x, y memory.Topic) int {
		sx, _ := x.Now()
		sy, _ := y.Now()
		return sx.From.Compare(sy.From)
	})
	return list
}

// asking is the job under way, if key is its question's.
func (a *actor) asking(turn *actors.Turn, key string) (string, Job, bool) {
	lane, _ := Lanes.Get(turn, LaneRow)
	row, _, _ := strings.Cut(key, ".")
	j, ok := Jobs.Get(turn, row)
	return row, j, ok && key != "" && lane.Asking == key
}

// answered takes what a model has learned.
func (a *actor) answered(turn *actors.Turn, m messages.LLMAnswer) {
	row, j, ok := a.asking(turn, m.Key)
	if !ok {
		return
	}
	p, err := a.o.question(j.Events, a.held(turn, false))
	if err != nil {
		turn.Fail(err)
		return
	}
	a.settled(turn)
	learned, readable := a.o.Parse(string(m.Text), j.Events, j.Notes+1, a.held(turn, true))
	if !readable || p.Echoes(string(m.Text)) {
		a.unreadable(turn, row, j)
		return
	}
	for _, e := range j.Events {
		a.relearn(turn, e, learned)
	}
	Jobs.Delete(turn, row)
	a.goOn(turn)
}

// relearn replaces what a model has learned from an event that still reads so.
func (a *actor) relearn(turn *actors.Turn, e messages.Event, learned []Learned) {
	key := memory.Key(e.ID)
	rests, ok := Events.Get(turn, key)
	if !ok || rests.Print != memory.PrintOf(e.Text) {
		return
	}
	rests.Topics = slices.Clone(rests.Topics)
	for _, l := range learned {
		if l.Claim.Event != e.ID || l.Kind == memory.Task && l.Claim.Op == memory.Holds && a.tasked(turn, e.ID, rests) {
			continue
		}
		if l.Kind == memory.Summary {
			a.sum(turn, l, rests.Talk)
			continue
		}
		t := memory.Topic{Kind: l.Kind, Subject: l.Subject, Name: l.Name}
		topic := t.Key()
		if was, ok := a.topic(turn, topic); ok {
			t = was
		}
		// A claim that the rules found in the same words is not made twice.
		now := t.Without(func(c memory.Claim) bool { return c.Event == e.ID && c.Op == l.Claim.Op })
		a.put(turn, topic, t, now.With(l.Claim), modelSaid)
		if !slices.Contains(rests.Topics, topic) {
			rests.Topics = append(rests.Topics, topic)
		}
	}
	Events.Put(turn, key, rests)
}

// sum gives a stretch of talk a sentence of a model about it, if its summary may name the event.
func (a *actor) sum(turn *actors.Turn, l Learned, talk string) {
	if t, ok := a.topic(turn, talk); ok {
		now := t.Without(func(c memory.Claim) bool { return c.Model && c.Event == l.Claim.Event })
		a.put(turn, talk, t, now.With(l.Claim), modelSaid)
	}
}

// tasked reports whether the rules have found a task in an event. A model would only
// word it otherwise.
func (a *actor) tasked(turn *actors.Turn, id messages.MessageID, rests Grown) bool {
	return slices.ContainsFunc(rests.Topics, func(key string) bool {
		t, ok := a.topic(turn, key)
		return ok && t.Kind == memory.Task && slices.ContainsFunc(t.Claims, func(c memory.Claim) bool {
			return c.Event == id && c.Op == memory.Holds && !c.Model
		})
	})
}

// unanswered handles a model that did not answer.
func (a *actor) unanswered(turn *actors.Turn, m messages.CallFailed) {
	row, j, ok := a.asking(turn, m.Tag)
	if !ok {
		return
	}
	a.settled(turn)
	switch code := messages.LLMCode(m.Code); {
	case code == messages.LLMNoModel || m.Kind == messages.FailureUnknown:
		Jobs.Delete(turn, row)
		a.goOn(turn)
	case code == messages.LLMMalformed:
		a.unreadable(turn, row, j)
	default:
		a.again(turn, row, j, m.Reason())
	}
}

// unreadable asks again, and in the end leaves the events to the rules: a message that
// makes a model talk nonsense is nobody's work.
func (a *actor) unreadable(turn *actors.Turn, row string, j Job) {
	if j.Attempts > retries {
		Jobs.Delete(turn, row)
		a.goOn(turn)
		return
	}
	a.again(turn, row, j, "the answer is not readable")
}

// again asks again after a while, or gives up.
func (a *actor) again(turn *actors.Turn, row string, j Job, why string) {
	j.Reason = why
	if j.Attempts > retries {
		a.bury(turn, row, j)
		a.goOn(turn)
		return
	}
	Jobs.Put(turn, row, j)
	a.wait(turn, firstPause<<(j.Attempts-1))
}

// goOn asks the next question at once if many wait.
func (a *actor) goOn(turn *actors.Turn) {
	lane, _ := Lanes.Get(turn, LaneRow)
	_, j, ok := waiting(turn, lane)
	switch {
	case !ok:
	case len(j.Events) >= askAtOnce:
		a.wait(turn, readPause)
	default:
		a.wait(turn, a.o.Rules.Pause)
	}
}

// unask removes an event from the questions that wait.
func (a *actor) unask(turn *actors.Turn, is func(messages.MessageID) bool) {
	lane, _ := Lanes.Get(turn, LaneRow)
	for key, j := range Jobs.All(turn) {
		left := slices.DeleteFunc(slices.Clone(j.Events), func(e messages.Event) bool { return is(e.ID) })
		if len(left) == len(j.Events) {
			continue
		}
		if strings.HasPrefix(lane.Asking, key+".") { // its answer would have other numbers
			a.settled(turn)
			a.wait(turn, a.o.Rules.Pause)
		}
		switch {
		case len(left) == 0:
			Jobs.Delete(turn, key)
		default:
			j.Events = left
			Jobs.Put(turn, key, j)
		}
	}
}
