package admin

import (
	"context"
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
// written.
type talk struct {
	waiting int
	changed chan struct{} // closed at the next change
	token   *control.Token
}

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
		t.wake(m.Conversation, nil)
	case messages.MessageDelivered:
		t.wake(m.Conversation, nil)
	case messages.MessageChanged:
		t.wake(m.Conversation, nil)
	case messages.InterviewChanged:
		t.wake(m.Conversation, nil)
	}
}

// wake records a token, nil for its end, and wakes waiting callers. The caller holds the
// lock.
func (t *Talks) wake(c messages.ConversationID, token *control.Token) {
	one := t.talks[c]
	if one == nil && token == nil {
		return
	}
	if one == nil {
		one = &talk{changed: make(chan struct{})}
		t.talks[c] = one
	}
	one.token = token
	close(one.changed)
	one.changed = make(chan struct{})
	t.tidy(c, one)
}

// tidy drops a conversation that nobody is waiting for any more. The caller holds the
// lock.
func (t *Talks) tidy(c messages.ConversationID, one *talk) {
	if one.waiting == 0 && one.token == nil {
		delete(t.talks, c)
	}
}

// join registers a caller that waits for a conversation; leave ends that.
func (t *Talks) join(c messages.ConversationID) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.talks[c]
	if one == nil {
		one = &talk{changed: make(chan struct{})}
		t.talks[c] = one
	}
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
	for {
		_, changed := b.Talks.look(c)
		if err := readNews(e, c, &news); err != nil {
			return news, err
		}
		token, _ := b.Talks.look(c) // read it last, so that nobody hears of a reply that was already sent
		if len(news.Events) > 0 || token != nil && seen != nil && *seen != *token {
			news.Token = token
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

// readNews adds what the event log says about a conversation after the last place.
func readNews(e *engine.Engine, c messages.ConversationID, n *control.News) error {
	err := e.ReadLog(n.Last, func(p engine.Published) bool {
		n.Last = p.Seq
		n.Events = append(n.Events, newsOf(c, p)...)
		return len(n.Events) < mostNews
	})
	return err
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
