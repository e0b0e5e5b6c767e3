package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/messages"
)

// Rows reads the stored events.
type Rows interface {
	// Event is one of them; false if there is none.
	Event(c messages.ConversationID, id messages.MessageID) (memory.Event, bool, error)
	// Events yields those of a conversation, or of all if it is "", until yield fails.
	Events(
		ctx context.Context, c messages.ConversationID, yield func(messages.ConversationID, memory.Event) error,
	) error
}

// ErrNoRows is returned before [Library.Open] and after [Library.Close].
var ErrNoRows = errors.New("recall: the memory is not open yet")

// Library is an index of all events with access to their texts. It is derived: what it
// knows comes from the rows, and from what is heard of their changes. Its methods may
// be called concurrently.
type Library struct {
	zone  *time.Location
	index atomic.Pointer[lexical.Index]
	rows  atomic.Pointer[Rows]

	mu    sync.Mutex                           // of those who write
	whole bool                                 // all rows are in the index
	known map[messages.ConversationID]*reading // those that are, or are being read
	gone  map[string]bool                      // what went while rows are read
	reads sync.WaitGroup

	closed context.Context // ends with Close
	end    context.CancelFunc
}

// NewLibrary makes a library without events; times that a question names are counted in
// the zone.
func NewLibrary(zone *time.Location) *Library {
	l := &Library{zone: zone, known: map[messages.ConversationID]*reading{}, gone: map[string]bool{}}
	l.closed, l.end = context.WithCancel(context.Background())
	l.index.Store(lexical.New())
	return l
}

// Open says where the rows are.
func (l *Library) Open(r Rows) { l.rows.Store(&r) }

// Len is how many events the index has, and whether these are all.
func (l *Library) Len() (n int, all bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.index.Load().Len(), l.whole
}

// docID names an event in the index.
func docID(c messages.ConversationID, id messages.MessageID) string {
	return string(c) + "\x00" + string(id)
}

func document(c messages.ConversationID, e messages.Event) lexical.Document {
	d := lexical.Document{ID: docID(c, e.ID), Conversation: string(c), Speaker: string(e.Speaker), At: e.At,
		Text: string(e.Text)}
	if e.Own {
		d.Speaker = ""
	}
	return d
}

// Hear takes what recall publishes.
func (l *Library) Hear(m messages.Message) {
	switch m := m.(type) {
	case messages.EventsKept:
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, e := range m.Events {
			delete(l.gone, docID(m.Conversation, e.ID))
			_, _ = l.index.Load().Add(document(m.Conversation, e)) // full at four billion events
		}
	case messages.EventsGone:
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, id := range m.IDs {
			l.gone[docID(m.Conversation, id)] = !l.whole
			l.index.Load().Remove(docID(m.Conversation, id))
		}
	}
}

// Forget takes a conversation out, and rebuilds the index without it. It is called when
// its rows are gone.
func (l *Library) Forget(c messages.ConversationID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.index.Load().RemoveConversation(string(c))
	l.index.Store(l.index.Load().Compact())
	delete(l.known, c)
}

// Load reads all rows, and returns how many events the index has then. It may take a
// while; questions are answered meanwhile.
func (l *Library) Load(ctx context.Context) (int, error) {
	if err := l.read(ctx, ""); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole = true
	clear(l.gone)
	clear(l.known)
	return l.index.Load().Len(), nil
}

// read puts rows into the index that are not there. An event that was heard of since is
// newer than its row was.
func (l *Library) read(ctx context.Context, c messages.ConversationID) error {
	rows := l.rows.Load()
	if rows == nil {
		return ErrNoRows
	}
	return (*rows).Events(ctx, c, func(c messages.ConversationID, e memory.Event) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		id := docID(c, e.ID)
		if _, known := l.index.Load().Find(id); known || l.gone[id] {
			return ctx.Err()
		}
		if _, err := l.index.Load().Add(document(c, e.Event)); err != nil {
			return fmt.Errorf("recall: %w", err)
		}
		return ctx.Err()
	})
}

// reading is that the rows of a conversation are read, once.
type reading struct {
	done chan struct{} // closed at the end
	err  error         // set before
}

// have waits until the events of conversations are in the index. Whoever may see more
// than these sees of the others what has been read by now. The rows are read on when
// ctx ends: the next question finds them.
func (l *Library) have(ctx context.Context, list []messages.ConversationID) error {
	for _, c := range list {
		r, err := l.begin(c)
		if err != nil || r == nil {
			return err
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// begin has the rows of a conversation read, unless they are; nil says that all are.
func (l *Library) begin(c messages.ConversationID) (*reading, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed.Err() != nil:
		return nil, ErrNoRows
	case l.whole:
		return nil, nil
	case l.known[c] != nil:
		return l.known[c], nil
	}
	r := &reading{done: make(chan struct{})}
	l.known[c] = r
	l.reads.Go(func() {
		r.err = l.read(l.closed, c)
		l.mu.Lock()
		defer l.mu.Unlock()
		if r.err != nil && l.known[c] == r {
			delete(l.known, c)
		}
		close(r.done)
	})
	return r, nil
}

// Close ends what is being read, and waits for that. Nothing can be searched after it;
// whoever calls it may close the store then.
func (l *Library) Close() {
	l.mu.Lock()
	l.end()
	l.mu.Unlock()
	l.reads.Wait()
}

// event reads a stored event.
func (l *Library) event(id string) (messages.ConversationID, memory.Event, bool) {
	rows := l.rows.Load()
	c, name, ok := strings.Cut(id, "\x00")
	if rows == nil || !ok {
		return "", memory.Event{}, false
	}
	e, ok, err := (*rows).Event(messages.ConversationID(c), messages.MessageID(name))
	return messages.ConversationID(c), e, ok && err == nil
}
