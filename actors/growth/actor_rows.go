package growth

import (
	"iter"
	"maps"
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

// RowUse is the use for which the key of rows is derived from that of their conversation.
const RowUse = "growth rows"

// moveAtOnce is how many rows one turn moves.
const (
	moveAtOnce = 64
	moveTimer  = "move"
)

// settle has topics and entities stand where the conversation's present key puts them. Those
// of an older version, of a store that was not sealed and of a former key are moved, some in
// each turn; until then former tells where they are.
func (a *actor) settle(turn *actors.Turn) {
	if a.o.RowKey != nil {
		var err error
		if a.key, err = a.o.RowKey(a.id); err != nil {
			turn.Fail(err)
			return
		}
	}
	under := memory.RowOf(a.key, "")
	lane, _ := Lanes.Get(turn, LaneRow)
	if lane.Rows == under {
		a.former = nil
		return
	}
	if a.former == nil || a.under != under {
		a.former, a.under = map[string]string{}, under
		gather(turn, a, Topics, memory.Topic.Key, func(t, o memory.Topic) memory.Topic { return t.With(o.Claims...) })
		gather(turn, a, Entities, entityKey, func(n, o memory.Entity) memory.Entity {
			n.Events = append(slices.Clone(n.Events), slices.DeleteFunc(slices.Clone(o.Events),
				func(e messages.MessageID) bool { return slices.Contains(n.Events, e) })...)
			return n
		})
	}
	if left := move(turn, a, Entities, move(turn, a, Topics, moveAtOnce)); left == 0 {
		turn.After(moveTimer, readPause, messages.Grow{Conversation: a.id})
		return
	}
	lane.Rows = under
	Lanes.Put(turn, LaneRow, lane)
}

// gather notes the rows of a table that stand elsewhere. Where there are two of a name, as
// after an older version has written again, they become one.
func gather[V any](turn *actors.Turn, a *actor, table actors.Table[V], name func(V) string, both func(V, V) V) {
	found := map[string]string{}
	for at, v := range table.All(turn) {
		n := name(v)
		was, twice := found[n]
		if twice {
			o, _ := table.Get(turn, was)
			table.Delete(turn, was)
			table.Put(turn, at, both(o, v))
		}
		found[n] = at
		delete(a.former, n)
		if at != memory.RowOf(a.key, n) {
			a.former[n] = at
		}
	}
}

// move moves up to so many rows of a table, and returns how many more it may.
func move[V any](turn *actors.Turn, a *actor, table actors.Table[V], left int) int {
	for _, name := range slices.Sorted(maps.Keys(a.former)) {
		at := a.former[name]
		v, ok := table.Get(turn, at)
		if !ok {
			continue
		}
		if left == 0 {
			break
		}
		table.Delete(turn, at)
		table.Put(turn, memory.RowOf(a.key, name), v)
		delete(a.former, name)
		left--
	}
	return left
}

// row is where the topic or entity of a name is stored.
func (a *actor) row(name string) string {
	if at, ok := a.former[name]; ok {
		return at
	}
	return memory.RowOf(a.key, name)
}

func (a *actor) topic(turn *actors.Turn, name string) (memory.Topic, bool) {
	return Topics.Get(turn, a.row(name))
}

// topics yields all topics by their names.
func topics(turn *actors.Turn) iter.Seq2[string, memory.Topic] {
	return func(yield func(string, memory.Topic) bool) {
		for _, t := range Topics.All(turn) {
			if !yield(t.Key(), t) {
				return
			}
		}
	}
}
