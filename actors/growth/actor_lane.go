package growth

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Job is work that may fail in the world outside.
type Job struct {
	Stage    Stage  `json:"stage"`
	Attempts int    `json:"attempts,omitempty"`
	Reason   string `json:"reason,omitempty"` // of the last failure

	// For a question to a model: its subject, and how many notes stand before it.
	Events []messages.Event `json:"events,omitempty"`
	Notes  int              `json:"notes,omitempty"`
}

// Stage is how far a job has come. One that is done has no row.
type Stage string

// Stages.
const (
	Waiting Stage = "waiting"
	Failing Stage = "failing" // its dead letter is being made
	Dead    Stage = "dead"    // it waits for that to be sent again
)

// readJob is the job of reading what is new; questions have numbers.
const readJob = "read"

// retries is how often a job is tried again before it becomes a dead letter.
const retries = 2

// errJob fails a message until it is a dead letter.
var errJob = errors.New("growth: a job failed; retry this dead letter to begin it anew")

// failed gives up a job.
func (a *actor) failed(turn *actors.Turn, m messages.CallFailed) {
	if m.Tag != readJob {
		a.unanswered(turn, m)
		return
	}
	lane, _ := Lanes.Get(turn, LaneRow)
	lane.Reading = false
	Lanes.Put(turn, LaneRow, lane)
	a.bury(turn, readJob, Job{Reason: m.Reason()})
}

// bury makes a dead letter of a job, and lets the lane go on behind it.
func (a *actor) bury(turn *actors.Turn, key string, j Job) {
	j.Stage = Failing
	Jobs.Put(turn, key, j)
	turn.Send(messages.To(Kind, string(a.id)), messages.GrowthFailed{Conversation: a.id, Job: key, Reason: j.Reason})
	turn.Send(messages.To(Kind, string(a.id)), messages.GrowthNext{Conversation: a.id, Job: key})
}

// dead fails until the kernel makes a dead letter of the message. When the dead letter is
// sent again, the job starts over.
func (a *actor) dead(turn *actors.Turn, m messages.GrowthFailed) error {
	j, ok := Jobs.Get(turn, m.Job)
	switch {
	case !ok:
	case j.Stage == Failing:
		return fmt.Errorf("%w: %s", errJob, m.Reason)
	case m.Job == readJob:
		Jobs.Delete(turn, m.Job)
		a.read(turn)
	case j.Stage == Dead:
		j.Stage, j.Attempts, j.Reason = Waiting, 0, ""
		Jobs.Put(turn, m.Job, j)
		a.wait(turn, a.o.Rules.Pause)
	}
	return nil
}

// next goes on behind a job that became a dead letter.
func (a *actor) next(turn *actors.Turn, key string) {
	if j, ok := Jobs.Get(turn, key); ok && j.Stage == Failing {
		j.Stage = Dead
		Jobs.Put(turn, key, j)
	}
}

// When a conversation is tidied up, in events, and how much of it at once.
const (
	firstTidy = 10
	tidyEvery = 200
	mostTidy  = 200
)

// tidy ends each task that duplicates an older one in all but urgency, for as long as the
// older one is said.
func (a *actor) tidy(turn *actors.Turn) {
	type held struct {
		key   string
		topic memory.Topic
		state memory.State
	}
	var all []held
	for key, t := range topics(turn) {
		if s, ok := t.Now(); ok && t.Kind == memory.Task {
			all = append(all, held{key, t, s})
		}
	}
	slices.SortStableFunc(all, func(x, y held) int {
		return cmp.Or(x.state.From.Compare(y.state.From), cmp.Compare(x.key, y.key))
	})
	first, n := map[string]messages.MessageID{}, 0
	for _, h := range all {
		says := string(h.topic.Subject) + "\x00" + text.Compact(must.ReplaceAllString(string(h.state.Body), ""))
		event, known := first[says]
		if !known {
			first[says] = h.state.Evidence[0]
			continue
		}
		if n++; n > mostTidy {
			return
		}
		a.put(turn, h.key, h.topic, h.topic.With(memory.Claim{Event: event, At: h.state.Confirmed.Add(1), // behind it
			Op: memory.Repeats}), tidied)
		rests, _ := Events.Get(turn, memory.Key(event))
		rests.Topics = append(slices.Clone(rests.Topics), h.key)
		Events.Put(turn, memory.Key(event), rests)
	}
}
