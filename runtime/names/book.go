package names

import (
	"sync"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Book knows the names of conversations, for anything that shows messages. Its methods
// may be called concurrently.
type Book struct {
	mu      sync.Mutex
	labels  map[messages.ConversationID]string
	changed chan struct{} // closed at the next change

	read   map[messages.ConversationID]directory.Known // when changed was readAt
	readAt chan struct{}
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{labels: map[messages.ConversationID]string{}, changed: make(chan struct{})}
}

// Listen is a listener of the engine.
func (b *Book) Listen(ev engine.Published) {
	m, ok := ev.Message.(events.ConversationNamed)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.labels[m.Conversation] = m.App + ":" + string(m.Name)
	close(b.changed)
	b.changed = make(chan struct{})
}

// Changed is closed when somebody gets another name.
func (b *Book) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// Label returns what people call a conversation, such as "line:Hana"; "" if it is not
// known.
func (b *Book) Label(e *engine.Engine, id messages.ConversationID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if label, ok := b.labels[id]; ok {
		return label
	}
	known, err := Known(e)
	if err != nil { // readers of the store get this error
		return ""
	}
	for c := range known {
		if _, ok := b.labels[c]; !ok {
			k := known[directory.Resolve(known, c)]
			b.labels[c] = k.App + ":" + string(k.Name())
		}
	}
	if _, ok := b.labels[id]; !ok {
		b.labels[id] = "" // a host's own
	}
	return b.labels[id]
}

// Known returns what the directories know, as of the last change of a name.
func (b *Book) Known(engine func() (*engine.Engine, error)) map[messages.ConversationID]directory.Known {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read != nil && b.readAt == b.changed {
		return b.read
	}
	e, err := engine()
	if err != nil {
		return nil
	}
	read, err := Known(e)
	if err != nil { // readers of the store get this error
		return nil
	}
	b.read, b.readAt = read, b.changed
	return read
}
