package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/messages"
)

// Bounds of the state route: events whose topics are read, and topics.
const (
	bestEvents = 24
	maxTopics  = 60
)

// The score of a state, where the best event by words has 1: if the question asks for its
// topic, and if an event with the question's words is about it.
const (
	askedFor = 0.5
	touched  = 0.3
)

// topicAt is a topic of a conversation.
type topicAt struct {
	memory.Topic
	of    messages.ConversationID
	asked bool
}

// states returns the events that say how things are now: the things that the question asks
// for or that its best hits are about. It marks outdated events.
func (s *search) states(ctx context.Context) (list []messages.MemoryHit) {
	topics := s.topics(ctx)
	newest := map[string]topicAt{} // of the same thing in several conversations
	for _, t := range topics {
		now, _, ok := t.Known()
		was, _, _ := newest[t.Key()].Known()
		if ok && now.From.After(was.From) {
			newest[t.Key()] = t
		}
	}
	var over []messages.MemoryHit
	for _, t := range topics {
		now, told, ok := t.Known()
		former := t.Former()
		if ok && newest[t.Key()].of != t.of {
			former = append(former, now.Evidence...)
		} else if ok {
			list = s.tells(list, t, now, told)
		}
		for _, id := range former {
			found := messages.Memory{Conversation: t.of, Event: messages.Event{ID: id}, Former: true}
			over = append(over, messages.MemoryHit{Memory: found})
		}
	}
	slices.SortStableFunc(list, func(a, b messages.MemoryHit) int { return cmp.Compare(b.Score, a.Score) })
	if memory.Earlier(s.q.Text) {
		return list
	}
	for _, h := range over {
		if !slices.ContainsFunc(list, func(o messages.MemoryHit) bool {
			return o.ID == h.ID && o.Conversation == h.Conversation
		}) {
			list = append(list, h)
		}
	}
	return list
}

// maxKnown is how many facts are told unasked.
const maxKnown = 16

// about returns what is known of a conversation, and of others that it sees, whatever is
// asked.
func (l *Library) about(q Query) (list []messages.Known) {
	rows := l.rows.Load()
	if rows == nil {
		return nil
	}
	of := q.Scope.Conversations
	if of == nil {
		of = []messages.ConversationID{q.Conversation}
	}
	for _, c := range of {
		known, err := (*rows).About(c, q.At)
		if err != nil || q.Scope.apart(c) {
			continue // what cannot be read is left out
		}
		for _, k := range known {
			if len(list) < maxKnown && !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// concerns reports whether a question is about a topic: it asks for it, or has words of it.
func (s *search) concerns(t memory.Topic, asked map[lexical.Key]float64) bool {
	words := string(t.Name)
	for _, state := range t.States {
		words += " " + string(state.Body)
	}
	return slices.ContainsFunc(lexical.Terms(words), func(term lexical.Term) bool { return asked[term.Key] > 0 })
}

// tells adds the event that told a state first, or last if that is gone.
func (s *search) tells(list []messages.MemoryHit, t topicAt, now memory.State, told messages.Text,
) []messages.MemoryHit {
	for _, id := range now.Evidence {
		d, ok := s.x.Find(docID(t.of, id))
		if !ok || !s.x.Sees(s.scope, d) {
			continue
		}
		if h, ok := s.hit(d, touched); ok {
			if h.State = told; t.asked {
				h.Score, h.Covers = askedFor, 1
			}
			return append(list, h)
		}
	}
	return list
}

// topics returns what the question asks for in each conversation of the scope, and what its
// best hits are about.
func (s *search) topics(ctx context.Context) (list []topicAt) {
	open := s.l.rows.Load()
	if open == nil {
		return nil
	}
	rows, words := *open, s.words()
	seen := map[messages.ConversationID]map[string]bool{}
	add := func(c messages.ConversationID, key string, asked bool) {
		if seen[c] == nil {
			seen[c] = map[string]bool{}
		}
		if seen[c][key] || len(list) == maxTopics || ctx.Err() != nil || s.q.Scope.apart(c) {
			return
		}
		seen[c][key] = true
		if t, err := rows.Topic(c, key); err == nil && len(t.States) > 0 && (asked || s.concerns(t, words)) {
			list = append(list, topicAt{t, c, asked})
		}
	}
	for _, c := range s.q.Scope.Conversations {
		own := lexical.Scope{Conversations: []string{string(c)}}
		speakers := slices.DeleteFunc(s.x.Speakers(own), func(name string) bool { return name == "" })
		for _, t := range memory.Asked(s.q.Text, speakers) {
			add(c, t.Key(), true)
		}
	}
	for _, d := range s.best(bestEvents) {
		c, e, ok := s.event(s.x.Entry(d).ID)
		if !ok {
			continue
		}
		keys, err := rows.Rests(c, e.ID)
		if err != nil {
			continue // what cannot be read is left out
		}
		for _, key := range keys {
			add(c, key, false)
		}
	}
	return list
}
