package recall

import (
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

// NewWorker returns a constructor of workers that search a library. Without a scope
// function each conversation sees only itself.
func NewWorker(l *Library, scope func(c messages.ConversationID, group bool) Scope) func() (actors.Worker, error) {
	if scope == nil {
		scope = func(c messages.ConversationID, group bool) Scope {
			return ScopeOf(c, group, ShareConversation, false, nil)
		}
	}
	return func() (actors.Worker, error) {
		return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
			m, ok := request.(messages.SearchMemory)
			if !ok {
				return nil, fmt.Errorf("recall: unexpected %s", request.MessageType())
			}
			began := time.Now()
			if err := l.have(ctx, []messages.ConversationID{m.Conversation}); err != nil {
				return nil, err // who has spoken there decides what it sees
			}
			q := Query{Conversation: m.Conversation, Scope: scope(m.Conversation, m.Group), Text: string(m.Text),
				At: m.At, Except: m.Except}
			hits, err := l.Search(ctx, memory.Route(m.Route), q)
			found := messages.MemoryFound{Route: m.Route, Key: m.Key, Hits: hits}
			if err == nil && found.Route == string(memory.States) {
				found.About = l.about(q)
			}
			found.Took = time.Since(began)
			return found, err
		}), nil
	}
}
