//go:build browser

package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// talker is a Kehai as the chat page sees it: one conversation, c-1.
type talker struct {
	Talker // nil: what the page does not ask for panics

	mu      sync.Mutex
	said    []control.Said
	events  []control.TalkEvent
	token   *control.Token
	queue   []control.Token // that one client is still to be given, each by itself
	stopped []control.DraftID
	drafts  []control.Draft
	led     *messages.InterviewProgress
	found   []control.Insights
	keys    map[string]messages.MessageID
	broken  bool // it cannot be written to
	changed chan struct{}
}

func newTalker() *talker {
	return &talker{keys: map[string]messages.MessageID{}, changed: make(chan struct{})}
}

// set changes it, and wakes who waits for news.
func (k *talker) set(change func(*talker)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(k)
	close(k.changed)
	k.changed = make(chan struct{})
}

func (k *talker) event(e control.TalkEvent) {
	e.Seq = uint64(len(k.events) + 1)
	k.events = append(k.events, e)
}

// says stores a message of either side and tells of it.
func (k *talker) says(role control.Role, text string, items ...string) {
	k.set(func(k *talker) {
		n := len(k.said) + 1
		m := control.Said{ID: fmt.Sprintf("m%d", n), Role: role, Sender: "花子 \u202eevil", Content: text,
			At: control.Stamp{Time: t0.Add(time.Duration(n) * time.Hour)}, Place: messages.Occurrence(n),
			Meta: control.SaidMeta{PIIProcessed: true, PIIDetected: len(items) > 0, DetectedItems: items}}
		k.said = append(k.said, m)
		k.event(control.TalkEvent{Event: control.NewsMessage, Message: &m})
		if role == control.RoleAssistant {
			k.token = nil
			k.event(control.TalkEvent{Event: control.NewsDone,
				State: &control.TalkState{State: messages.ReplySent, At: m.At}})
		}
		if len(items) > 0 {
			k.event(control.TalkEvent{Event: control.NewsPII,
				PII: &control.TalkPrivate{Message: messages.MessageID(m.ID), Items: items}})
		}
	})
}

func (k *talker) Conversations(context.Context) ([]control.Conversation, error) {
	return []control.Conversation{{ID: "c-1", App: "web", Name: "花子", Messages: 1}}, nil
}

func (k *talker) Insights(context.Context) ([]control.Insights, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.found, nil
}

func (k *talker) Talk(_ context.Context, c messages.ConversationID, q control.TalkQuery) (control.Talk, error) {
	if c != "c-1" {
		return control.Talk{}, control.ErrNoConversation
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t := control.Talk{Conversation: c, Called: "web:花子", Channel: messages.ChannelWeb, Messages: []control.Said{},
		Drafts: append([]control.Draft{}, k.drafts...), State: messages.ReplyNone, Interview: k.led,
		LastEventID: uint64(len(k.events))}
	for _, m := range k.said {
		if strings.Contains(m.Content, q.Text) {
			t.Messages = append(t.Messages, m)
		}
	}
	return t, nil
}

func (k *talker) News(ctx context.Context, _ messages.ConversationID, after uint64, seen *control.Token,
	wait time.Duration) (control.News, error) {
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		k.mu.Lock()
		if len(k.queue) > 0 {
			k.token, k.queue = &k.queue[0], k.queue[1:]
		}
		n := control.News{Last: uint64(len(k.events)), Token: k.token, Events: []control.TalkEvent{}}
		n.Events = append(n.Events, k.events[min(int(after), len(k.events)):]...)
		changed := k.changed
		k.mu.Unlock()
		if len(n.Events) > 0 || n.Token != nil && *n.Token != *seen {
			return n, nil
		}
		select {
		case <-changed:
		case <-over.C:
			return n, nil
		case <-ctx.Done():
			return n, nil
		}
	}
}

func (k *talker) Say(_ context.Context, c messages.ConversationID, s control.Say) (control.Accepted, error) {
	k.mu.Lock()
	id, again := k.keys[s.Key]
	broken, after := k.broken, uint64(len(k.events))
	if !again {
		id = messages.MessageID(fmt.Sprintf("m%d", len(k.said)+1))
	}
	if !broken {
		k.keys[s.Key] = id
	}
	k.mu.Unlock()
	if broken {
		return control.Accepted{}, control.ErrNotRunning
	}
	if !again {
		k.says(control.RoleUser, s.Text)
	}
	return control.Accepted{Conversation: c, Message: id, After: after, Again: again, Answered: true}, nil
}

func (k *talker) DraftDo(_ context.Context, id control.DraftID, do messages.DraftVerb, text string) error {
	found, written := false, false
	k.set(func(k *talker) {
		t := k.token
		if t != nil && !t.Done && do == messages.DraftReject && id == control.NewDraftID("c-1", t.Turn, t.Epoch) {
			k.token = &control.Token{Turn: t.Turn, Epoch: t.Epoch, Done: true}
			k.stopped, written = append(k.stopped, id), true
			s := control.TalkState{Reply: id, State: messages.ReplyRejected}
			k.event(control.TalkEvent{Event: control.NewsState, State: &s})
			k.event(control.TalkEvent{Event: control.NewsDone, State: &s})
			return
		}
		at := slices.IndexFunc(k.drafts, func(d control.Draft) bool { return d.ID == id })
		if found = at >= 0; found {
			k.drafts = slices.Delete(k.drafts, at, at+1)
		}
	})
	switch {
	case written:
		return nil
	case !found:
		return control.ErrNoDraft
	}
	k.says(control.RoleAssistant, string(do)+" "+text)
	return nil
}

func (k *talker) Why(_ context.Context, q control.WhyQuery) (control.Why, error) {
	return control.Why{Paths: []control.Path{{Why: "it was delivered as " + q.ID,
		Steps: []control.Step{{At: control.Stamp{Time: t0}, Stage: "conversation", What: "said on the web"}}}}}, nil
}
