package recall

import (
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

const (
	// embedJob marks the calls that fetch vectors, and their timer.
	embedJob = "embed"
	// embedAtOnce is how many events get vectors together, embedTime how long that may take.
	embedAtOnce = 32
	embedTime   = 2 * time.Minute
)

// embed has vectors made of the events that have none, some at a time.
func (a *actor) embed(turn *actors.Turn) {
	if a.o.Embed == "" {
		return
	}
	was, _ := Embeddings.Get(turn, EmbeddingRow)
	now := was.Of(a.o.Embed)
	if was.Asking {
		now.Wanted = true
	} else if a.embeddedAll(turn, now) {
		return
	} else {
		a.askVectors(turn, &now)
	}
	if now != was {
		Embeddings.Put(turn, EmbeddingRow, now)
	}
}

// embeddedAll reports whether all events have been read for the model.
func (a *actor) embeddedAll(turn *actors.Turn, is memory.Embedding) bool {
	talk, _ := Talks.Get(turn, TalkRow)
	return !is.Reached.Anew && is.Reached.Changes == talk.Changes && is.Reached.Print == talk.Print
}

func (a *actor) askVectors(turn *actors.Turn, now *memory.Embedding) {
	now.Asking, now.Wanted = true, false
	turn.Cancel(embedJob)
	turn.Call(messages.WorkerEmbedder, messages.EmbedEvents{Conversation: a.id, Model: a.o.Embed,
		After: now.Reached, Most: embedAtOnce}, actors.CallOptions{Deadline: embedTime, Tag: embedJob})
}

// embedded stores vectors. An event whose text has changed since, or that is gone, gets none.
func (a *actor) embedded(turn *actors.Turn, m messages.EventsEmbedded) {
	was, _ := Embeddings.Get(turn, EmbeddingRow)
	if !was.Asking { // the call's second answer
		return
	}
	now := was.Of(a.o.Embed)
	now.Asking, now.Failed, now.Tries = false, "", 0
	if m.Model == now.Model {
		now.Reached = m.Reached
		a.keepVectors(turn, m, &now)
	}
	if now.Wanted = false; a.o.Embed != "" && !a.embeddedAll(turn, now) {
		a.askVectors(turn, &now)
	}
	Embeddings.Put(turn, EmbeddingRow, now)
}

func (a *actor) keepVectors(turn *actors.Turn, m messages.EventsEmbedded, now *memory.Embedding) {
	kept := messages.VectorsKept{Conversation: a.id, Model: m.Model}
	for _, v := range m.Vectors {
		key := memory.Key(v.ID)
		if e, ok := Events.Get(turn, key); !ok || memory.PrintOf(e.Text) != v.Print {
			continue
		}
		if now.Length != 0 && now.Length != len(v.Vector) { // the model behind the name is another one
			*now = memory.Embedding{Model: now.Model, Kept: now.Kept}
		}
		now.Length = len(v.Vector)
		Vectors.Put(turn, key, memory.Vector{EventVector: v, Model: m.Model})
		kept.Vectors = append(kept.Vectors, v)
	}
	if len(kept.Vectors) > 0 {
		now.Kept++
		kept.Kept = now.Kept
		turn.Publish(kept)
	}
}

// unembedded tries again later: a model that is not there costs nothing but its route.
func (a *actor) unembedded(turn *actors.Turn, m messages.CallFailed) {
	now, _ := Embeddings.Get(turn, EmbeddingRow)
	now.Asking, now.Wanted, now.Failed, now.Tries = false, false, m.Reason(), now.Tries+1
	Embeddings.Put(turn, EmbeddingRow, now)
	turn.After(embedJob, now.Pause(), messages.Embed{})
}
