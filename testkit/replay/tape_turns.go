package replay

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/recording"
)

// timetable has turns begin when they began in a recording. What is decided depends on that where a machine
// had more to do than to keep Kehai's times: a pause of a burst was over before the next message came or after,
// a look at the window came before what ended it or after.
type timetable struct {
	t      *tape
	actors []messages.Address // in the order of their first turns
	turns  map[messages.Address][]turnThen
	is     map[messages.Address]messages.Address // of those with other names now
}

// turnThen is a turn of the recording that the replay has not come to.
type turnThen struct {
	at      time.Duration
	handled string // type of the message
}

func (t *timetable) add(e recording.Entry) {
	self := messages.Address(e.Name)
	if t.turns[self] == nil {
		t.actors = append(t.actors, self)
	}
	t.turns[self] = append(t.turns[self], turnThen{e.At, e.Key})
}

// was is what an actor was called in the recording.
func (t *timetable) was(self messages.Address) messages.Address {
	if t.turns[self] != nil || t.t.as == nil {
		return self
	}
	if was, ok := t.is[self]; ok {
		return was
	}
	if window, ok := t.t.as[self.Key()]; ok {
		return messages.To(self.Kind(), window)
	}
	i := slices.IndexFunc(t.actors, func(was messages.Address) bool { return was.Kind() == self.Kind() })
	if i < 0 {
		return self
	}
	t.is[self] = t.actors[i] // conversations come up in the same order
	t.actors = slices.Delete(t.actors, i, i+1)
	return t.is[self]
}

// next is the place of the first turn that is left of an actor, is not long past and handled one of these types;
// -1 for none.
func (t *timetable) next(was messages.Address, types func(string) bool) int {
	list := t.turns[was]
	now := t.t.now()
	past := 0
	for past < len(list) && list[past].at < now-soon {
		past++
	}
	list = list[past:]
	if past > 0 {
		t.turns[was] = list
	}
	for i, turn := range list {
		if turn.at > now+soon {
			break
		}
		if types(turn.handled) {
			return i
		}
	}
	return -1
}

// Next implements [engine.Timetable].
func (t *timetable) Next(now time.Time, self messages.Address, waiting []messages.Type) (at time.Time,
	handles messages.Type) {
	was := t.was(self)
	i := t.next(was, func(s string) bool {
		return slices.ContainsFunc(waiting, func(w messages.Type) bool { return w.String() == s })
	})
	if i < 0 {
		return now, handles
	}
	turn := t.turns[was][i]
	for _, w := range waiting {
		if w.String() == turn.handled {
			handles = w
		}
	}
	return t.t.rec.Began.Add(turn.at), handles
}

// Began implements [engine.Timetable].
func (t *timetable) Began(self messages.Address, handles messages.Type) {
	was := t.was(self)
	if i := t.next(was, func(s string) bool { return s == handles.String() }); i >= 0 {
		t.turns[was] = slices.Delete(t.turns[was], i, i+1)
	}
}
