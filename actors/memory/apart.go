package memory

import (
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/messages"
)

// Cue is what a question is about: a hash of each word that tells something, in order.
type Cue []lexical.Key

// maxCue is how many words of a question make its cue.
const maxCue = 40

// CueOf returns the cue of a question.
func CueOf(question string) (c Cue) {
	for _, t := range lexical.Terms(question[:min(len(question), maxAsked)]) {
		if !t.Common && (t.Kind == lexical.Word || t.Kind == lexical.Pair) && !slices.Contains(c, t.Key) &&
			len(c) < maxCue {
			c = append(c, t.Key)
		}
	}
	slices.Sort(c)
	return c
}

// alike is the least share of the words of two cues that must be in both, so that they count
// as the same question.
const alike = 0.5

// Like reports whether two questions are about the same, by their words.
func (c Cue) Like(o Cue) bool {
	both := 0
	for _, k := range c {
		if slices.Contains(o, k) {
			both++
		}
	}
	return both > 0 && 2*float64(both) >= alike*float64(len(c)+len(o))
}

// Apart says that an event has nothing to do with a question: with questions like it, it is
// not recalled any more.
type Apart struct {
	Conversation messages.ConversationID `json:"conversation"` // of the event
	ID           messages.MessageID      `json:"id"`
	Cue          Cue                     `json:"cue"`
	Run          string                  `json:"run"` // that has recalled it wrongly
	At           time.Time               `json:"at"`
}

// Unrelated is all that is kept apart in a conversation.
type Unrelated struct {
	List []Apart `json:"list"`
}

// maxApart is how many events a conversation keeps apart; the oldest are related again.
const maxApart = 500

// With returns it with one more event apart.
func (u Unrelated) With(a Apart) Unrelated {
	u = u.Without(func(o Apart) bool { return o.Run == a.Run && o.ID == a.ID && o.Conversation == a.Conversation })
	u.List = append(u.List, a)
	u.List = u.List[max(0, len(u.List)-maxApart):]
	return u
}

// Without returns it without the ones for which drop is true.
func (u Unrelated) Without(drop func(Apart) bool) Unrelated {
	u.List = slices.DeleteFunc(slices.Clone(u.List), drop)
	return u
}

// To returns what is kept apart from a question.
func (u Unrelated) To(question string) (list []Apart) {
	if len(u.List) == 0 {
		return nil
	}
	cue := CueOf(question)
	for _, a := range u.List {
		if a.Cue.Like(cue) {
			list = append(list, a)
		}
	}
	return list
}
