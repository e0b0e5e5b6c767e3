package admin

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Talks wakes callers that wait for news of a conversation, and knows what is being
// written there. Its methods may be called concurrently.
type Talks struct {
	mu    sync.Mutex
	last  uint64 // newest place in the event log, 0 until it is known
	talks map[messages.ConversationID]*talk
}

// talk is what is known about a conversation while somebody waits, or a reply is being
// written, and for a while after that.
type talk struct {
	waiting int
	changed chan struct{}  // closed at the next change
	token   *control.Token // the newest; one without text that is done says that those before it are void

	// The newest events of the conversation: all of them behind since. A thousand readers
	// that each read the event log would read a thousand times what all of them wrote.
	since  uint64
	events []engine.Published
}

// Bounds of what is kept of conversations that nobody waits for, and of events of each.
const (
	mostIdle   = 1024
	mostEvents = 16
)

// NewTalks returns a Talks without listeners.
func NewTalks() *Talks { return &Talks{talks: map[messages.ConversationID]*talk{}} }

// Listen is a listener of the engine.
func (t *Talks) Listen(ev engine.Published) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = max(t.last, ev.Seq)
	switch m := ev.Message.(type) {
	case messages.ReplyWriting:
		t.wake(m.Conversation, &control.Token{Turn: m.Turn, Epoch: m.Epoch, Attempt: m.Attempt, Content: string(m.Text),
			Done: m.Done})
	case messages.ReplyChanged:
		t.hear(m.Conversation, ev)
	case messages.MessageDelivered:
		t.hear(m.Conversation, ev)
	case messages.MessageChanged:
		t.hear(m.Conversation, ev)
	case messages.InterviewChanged:
		t.hear(m.Conversation, ev)
	}
}

// hear keeps an event of a conversation, and wakes waiting callers. The events of one
// conversation come in order. The caller holds the lock.
func (t *Talks) hear(c messages.ConversationID, ev engine.Published) {
	one := t.talks[c]
	if one == nil {
		return
	}
	if one.events = append(one.events, ev); len(one.events) > mostEvents {
		one.since, one.events = one.events[0].Seq, slices.Delete(one.events, 0, 1)
	}
	t.wake(c, remains(one.token, ev.Message))
}

// remains is what is left of a token after an event. The message takes the place of its
// reply; a reply in any other state but sending has lost what was shown of it.
func remains(token *control.Token, m messages.Message) *control.Token {
	c, ok := m.(messages.ReplyChanged)
	switch {
	case !ok || token == nil || c.Turn != token.Turn || c.State == messages.ReplySending:
		return token
	case c.State == messages.ReplySent:
		return nil
	}
	return void(token)
}

// void returns the token that clears what was shown of a reply.
func void(token *control.Token) *control.Token {
	if token == nil {
		return nil
	}
	return &control.Token{Turn: token.Turn, Epoch: token.Epoch, Attempt: token.Attempt, Done: true}
}

// eventsAfter returns the events of a conversation behind a place; false if that is too long ago.
func (t *Talks) eventsAfter(c messages.ConversationID, after uint64) ([]engine.Published, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.talks[c]
	if one == nil || after < one.since {
		return nil, false
	}
	i := slices.IndexFunc(one.events, func(p engine.Published) bool { return p.Seq > after })
	if i < 0 {
		return nil, true
	}
	return slices.Clone(one.events[i:]), true
}

// forget drops what was heard of a conversation.
func (t *Talks) forget(c messages.ConversationID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.talks[c]; one != nil {
		one.since, one.events, one.token = t.last, nil, void(one.token)
	}
}

// of returns what is known about a conversation, from now on. The caller holds the lock.
func (t *Talks) of(c messages.ConversationID) *talk {
	if t.talks[c] == nil {
		t.talks[c] = &talk{changed: make(chan struct{}), since: t.last}
	}
	return t.talks[c]
}

// wake records a token, nil for none, and wakes waiting callers. The caller holds the lock.
func (t *Talks) wake(c messages.ConversationID, token *control.Token) {
	one := t.of(c)
	one.token = token
	close(one.changed)
	one.changed = make(chan struct{})
	t.tidy(c, one)
}

// tidy drops a conversation that nobody is waiting for any more, if there are many. The
// caller holds the lock.
func (t *Talks) tidy(c messages.ConversationID, one *talk) {
	writes := one.token != nil && !one.token.Done
	if one.waiting == 0 && !writes && len(t.talks) > mostIdle {
		delete(t.talks, c)
	}
}

// join registers a caller that waits for a conversation; leave ends that.
func (t *Talks) join(c messages.ConversationID) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.of(c)
	one.waiting++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		one.waiting--
		t.tidy(c, one)
	}
}

// look returns what is being written, and a channel that is closed at the next change.
func (t *Talks) look(c messages.ConversationID) (*control.Token, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.talks[c].token, t.talks[c].changed
}

// end returns the newest place in the event log. The listener may not have heard of it
// yet.
func (t *Talks) end(e *engine.Engine) (uint64, error) {
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	err := e.ReadLog(last, func(p engine.Published) bool { last = p.Seq; return true })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = max(t.last, last)
	return t.last, err
}

// within returns a place in the event log, or its end if the place is behind that.
func (t *Talks) within(e *engine.Engine, place uint64) (uint64, error) {
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	if place <= last {
		return place, nil
	}
	end, err := t.end(e)
	return min(place, end), err
}

// News implements [control.TalkBackend].
func (b Backend) News(ctx context.Context, c messages.ConversationID, after uint64, seen *control.Token,
	wait time.Duration) (control.News, error) {
	e, err := b.talking()
	if err != nil {
		return control.News{}, err
	}
	defer b.Talks.join(c)()
	over := time.NewTimer(wait)
	defer over.Stop()
	news := control.News{Events: []control.TalkEvent{}, Last: after}
	if news.Last, err = b.Talks.within(e, after); err != nil || news.Last < after {
		news.Anew = err == nil
		return news, err
	}
	for {
		_, changed := b.Talks.look(c)
		if err := b.readNews(e, c, &news); err != nil {
			return news, err
		}
		token, _ := b.Talks.look(c) // read it last, so that nobody hears of a reply that was already sent
		if token != nil && seen != nil && *seen != *token {
			news.Token = token
		}
		if len(news.Events) > 0 || news.Token != nil {
			return news, nil
		}
		select {
		case <-changed:
		case <-over.C:
			return news, nil
		case <-ctx.Done():
			return news, nil
		}
	}
}

// readNews adds what happened in a conversation after the last place, by what was heard or
// by the event log.
func (b Backend) readNews(e *engine.Engine, c messages.ConversationID, n *control.News) error {
	if list, ok := b.Talks.eventsAfter(c, n.Last); ok {
		for _, p := range list {
			n.Last = p.Seq
			n.Events = append(n.Events, newsOf(c, p)...)
		}
		return nil
	}
	var away error
	err := e.ReadLog(n.Last, func(p engine.Published) bool {
		if errors.Is(p.Err, engine.ErrKeyAway) {
			ours, err := e.EventIsOf(c, p.Seq)
			if away = err; ours {
				away = p.Err
			}
			if n.Last = p.Seq; away != nil {
				n.Last--
			}
			return away == nil
		}
		n.Last = p.Seq
		n.Events = append(n.Events, newsOf(c, p)...)
		return len(n.Events) < mostNews
	})
	if len(n.Events) > 0 {
		away = nil // the next call says so
	}
	return cmp.Or(err, away)
}

// mostNews bounds how much is reported at once; more follows.
const mostNews = 500

// newsOf returns what an event of the log says about a conversation.
func newsOf(c messages.ConversationID, p engine.Published) (list []control.TalkEvent) {
	switch m := p.Message.(type) {
	case messages.MessageDelivered:
		if m.Conversation != c {
			break
		}
		said := saidOf(m)
		list = append(list, control.TalkEvent{Event: control.NewsMessage, Message: &said})
		if len(m.Masked) > 0 {
			list = append(list, control.TalkEvent{Event: control.NewsPII,
				PII: &control.TalkPrivate{Message: m.ID, Items: m.Masked}})
		}
	case messages.MessageChanged:
		if m.Conversation == c {
			list = append(list, control.TalkEvent{Event: control.NewsState,
				State: &control.TalkState{Changed: m.Message, At: control.Stamp{Time: m.ChangedAt}}})
		}
	case messages.InterviewChanged:
		if m.Conversation == c {
			list = append(list, control.TalkEvent{Event: control.NewsState,
				State: &control.TalkState{Interview: &m.InterviewProgress, At: control.Stamp{Time: m.At}}})
		}
	case messages.ReplyChanged:
		if m.Conversation == c {
			list = replyNews(m)
		}
	}
	for i := range list {
		list[i].Seq = p.Seq
	}
	return list
}

// replyNews returns what a change of a reply says.
func replyNews(m messages.ReplyChanged) (list []control.TalkEvent) {
	state := control.TalkState{Reply: control.NewDraftID(m.Conversation, m.Turn, m.Epoch), State: m.State,
		Answers: slices.Clone(m.Answers), Rule: m.Rule, At: control.Stamp{Time: m.At}}
	if m.State == messages.ReplySent {
		said := ownSaid(m.Conversation, m.Turn, m.Occurrence, m.Text, m.At)
		list = append(list, control.TalkEvent{Event: control.NewsMessage, Message: &said})
	}
	list = append(list, control.TalkEvent{Event: control.NewsState, State: &state})
	if m.State.Ends() {
		list = append(list, control.TalkEvent{Event: control.NewsDone, State: &state})
	}
	return list
}
