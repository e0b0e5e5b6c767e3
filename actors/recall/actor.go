package recall

import (
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorRecall

// Tables of a conversation's memory; a reader of the store decodes rows with them.
var (
	Events = actors.NewTable[memory.Event]("events")
	Runs   = actors.NewTable[memory.Run]("runs")
	Talks  = actors.NewTable[memory.Talk]("talk")
	// Changes holds the newest changes of the events, by number.
	Changes = actors.NewTable[memory.Change]("changes")
	counts  = actors.NewTable[int64]("count")
	// Vectors holds what events mean to a model, by the keys of the events; Embeddings has
	// one row, how far that is.
	Vectors    = actors.NewTable[memory.Vector]("vectors")
	Embeddings = actors.NewTable[memory.Embedding]("embedding")
	// Aparts holds what has nothing to do with certain questions.
	Aparts = actors.NewTable[memory.Unrelated]("apart")
)

// Each is the only row of its table.
const (
	TalkRow  = "talk"
	ApartRow = "apart"
	runsRow  = "runs"
	// EmbeddingRow is the only row of [Embeddings].
	EmbeddingRow = "embedding"
)

// Options of a recall. Start with [DefaultOptions].
type Options struct {
	Routes []memory.Timed
	Pack   memory.Pack
	Keep   int // runs to keep

	Select *Selector // nil: no model chooses
	Embed  string    // the model that says what events mean; "": none
}

// DefaultOptions search by all routes.
func DefaultOptions() Options {
	return Options{Routes: memory.Routes(), Pack: memory.DefaultRules().Pack, Keep: 200}
}

// Longest is the most time a recall takes without any model.
const Longest = time.Second

// New returns a constructor of recalls.
func New(o Options) func(messages.Address) actors.Actor {
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, id: messages.ConversationID(self.Key()), asked: map[string]*question{}}
	}
}

type actor struct {
	o     Options
	id    messages.ConversationID
	asked map[string]*question // by key
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.Remember:
		a.keep(turn, m.Events)
	case messages.TakeBack:
		a.takeBack(turn, m.ID)
	case messages.KeepApart:
		a.keepApart(turn, m)
	case messages.TrimDue:
		a.trim(turn, m.Before)
	case messages.Recall:
		a.ask(turn, m)
	case messages.MemoryFound:
		a.found(turn, m)
	case messages.LLMAnswer:
		a.chosen(turn, m)
	case messages.CallFailed:
		a.failed(turn, m)
	case messages.RecallDue:
		a.due(turn, m.Key)
	case messages.Embed:
		a.embed(turn)
	case messages.EventsEmbedded:
		a.embedded(turn, m)
	default:
		return fmt.Errorf("recall: unexpected %s", msg.MessageType())
	}
	return nil
}

// keep stores events. An unchanged event changes nothing.
func (a *actor) keep(turn *actors.Turn, list []messages.Event) {
	talk, _ := Talks.Get(turn, TalkRow)
	var kept []messages.Event
	for _, m := range list {
		if m.ID == "" {
			continue
		}
		e, known := Events.Get(turn, memory.Key(m.ID))
		was := e.Event
		if known {
			e = e.Again(m)
		} else {
			answered, _ := Events.Get(turn, memory.Key(m.Answered))
			e, talk = talk.Next(m, answered.Speaker, turn.Now())
		}
		if known && e.Event == was {
			continue
		}
		Events.Put(turn, memory.Key(m.ID), e)
		if known && e.Text != was.Text {
			Vectors.Delete(turn, memory.Key(m.ID))
		}
		kept = append(kept, e.Event)
	}
	if len(kept) == 0 {
		return
	}
	turn.Publish(messages.EventsKept{Conversation: a.id, Events: kept})
	a.changed(turn, talk, kept)
}

// changed stores a change of events and how far the conversation has come with it.
func (a *actor) changed(turn *actors.Turn, talk memory.Talk, list []messages.Event) {
	talk, change := talk.Changed(list, turn.Now())
	Talks.Put(turn, TalkRow, talk)
	Changes.Put(turn, actors.RowKey(talk.Changes), change)
	if talk.Changes > memory.KeptChanges {
		Changes.Delete(turn, actors.RowKey(talk.Changes-memory.KeptChanges))
	}
	turn.Publish(messages.MemoryAt{Conversation: a.id, Changes: talk.Changes, Print: talk.Print})
	turn.Send(messages.To(messages.ActorGrowth, string(a.id)), messages.Grow{Conversation: a.id})
	a.embed(turn)
}

func (a *actor) takeBack(turn *actors.Turn, id messages.MessageID) {
	if _, known := Events.Get(turn, memory.Key(id)); known {
		a.drop(turn, []messages.MessageID{id})
	}
}

func (a *actor) drop(turn *actors.Turn, ids []messages.MessageID) {
	talk, _ := Talks.Get(turn, TalkRow)
	var gone []messages.Event
	for _, id := range ids {
		Events.Delete(turn, memory.Key(id))
		Vectors.Delete(turn, memory.Key(id))
		gone = append(gone, messages.Event{ID: id})
	}
	a.reunite(turn, func(p memory.Apart) bool { return p.Conversation == a.id && slices.Contains(ids, p.ID) })
	talk.Events -= int64(len(ids))
	turn.Publish(messages.EventsGone{Conversation: a.id, IDs: ids})
	a.changed(turn, talk, gone)
}

// trim removes the events stored before a time, and the runs from before it.
func (a *actor) trim(turn *actors.Turn, before time.Time) {
	var old []messages.MessageID
	for _, e := range Events.All(turn) {
		if e.KeptAt.Before(before) {
			old = append(old, e.ID)
		}
	}
	if len(old) > 0 {
		a.drop(turn, old)
	}
	for key, r := range Runs.All(turn) {
		if r.At.Before(before) {
			Runs.Delete(turn, key)
		}
	}
}

// keepApart notes that an event has nothing to do with a run's question, or has after all.
func (a *actor) keepApart(turn *actors.Turn, m messages.KeepApart) {
	if m.Undo {
		a.reunite(turn, func(p memory.Apart) bool { return p.Run == m.Run && p.Conversation == m.Of && p.ID == m.ID })
		return
	}
	_, row, _ := SplitRunID(m.Run)
	run, ok := Runs.Get(turn, row)
	if !ok || len(run.Cue) == 0 {
		return
	}
	apart, _ := Aparts.Get(turn, ApartRow)
	Aparts.Put(turn, ApartRow, apart.With(memory.Apart{Conversation: m.Of, ID: m.ID, Cue: run.Cue, Run: m.Run,
		At: turn.Now()}))
}

// reunite lets events be recalled again.
func (a *actor) reunite(turn *actors.Turn, which func(memory.Apart) bool) {
	apart, ok := Aparts.Get(turn, ApartRow)
	if left := apart.Without(which); ok && len(left.List) == 0 {
		Aparts.Delete(turn, ApartRow)
	} else if ok && len(left.List) < len(apart.List) {
		Aparts.Put(turn, ApartRow, left)
	}
}
