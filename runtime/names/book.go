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
	Running <-chan struct{} // closed once the actors run; nil: they do

	mu      sync.Mutex
	labels  map[messages.ConversationID]string
	changed chan struct{} // closed at the next change
	waiting map[introduced][]chan []messages.ConversationID
	meant   map[string]map[string]messages.ConversationID // by name, of each of its plain forms

	read   map[messages.ConversationID]directory.Known // when changed was readAt; not if a key was out of reach
	readAt chan struct{}
}

// introduced is a name that a directory was told of.
type introduced struct {
	app  string
	name messages.Text
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{labels: map[messages.ConversationID]string{}, changed: make(chan struct{}),
		waiting: map[introduced][]chan []messages.ConversationID{},
		meant:   map[string]map[string]messages.ConversationID{}}
}

// Listen is a listener of the engine.
func (b *Book) Listen(ev engine.Published) {
	switch m := ev.Message.(type) {
	case events.ConversationCalled:
		b.mu.Lock()
		defer b.mu.Unlock()
		key := introduced{m.App, m.Name}
		for _, called := range b.waiting[key] {
			called <- m.Conversations // each is told once
		}
		delete(b.waiting, key)
	case events.ConversationNamed:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.labels[m.Conversation] = m.App + ":" + string(m.Name)
		for _, name := range []string{string(m.Name), b.labels[m.Conversation]} { // may mean either now
			delete(b.meant, directory.Plain(name))
		}
		close(b.changed)
		b.changed = make(chan struct{})
	}
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
	known, err := ofID(e, id)
	if err != nil { // readers of the store get this error
		return ""
	}
	label := "" // a host's own
	if k, ok := known[directory.Resolve(known, id)]; ok {
		label = k.App + ":" + string(k.Name())
	}
	b.labels[id] = label
	return label
}

// Mean notes which conversation a name means, so that [Book.Meant] need not read what all are called.
func (b *Book) Mean(name string, id messages.ConversationID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	plain := directory.Plain(name)
	if b.meant[plain] == nil {
		b.meant[plain] = map[string]messages.ConversationID{}
	}
	b.meant[plain][name] = id
}

// Meant returns the conversation that a name was noted to mean, if it still does; else "".
func (b *Book) Meant(e *engine.Engine, name string) (messages.ConversationID, error) {
	b.mu.Lock()
	id := b.meant[directory.Plain(name)][name]
	b.mu.Unlock()
	known, err := ofID(e, id)
	if found := directory.Called(known, "", name); err != nil || len(found) != 1 || found[0] != id {
		return "", err
	}
	return id, nil
}

// Known returns what the directories know, as of the last change of a name. A conversation whose key is out of
// reach is [directory.Unread].
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
	read, away, err := InReach(e)
	if err != nil { // readers of the store get this error
		return nil
	}
	for id := range away {
		read[id] = directory.Unread
	}
	if len(away) == 0 {
		b.read, b.readAt = read, b.changed
	}
	return read
}
