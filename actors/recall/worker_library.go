package recall

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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
	// Event returns one of them; false if it does not exist.
	Event(c messages.ConversationID, id messages.MessageID) (memory.Event, bool, error)
	// Events yields those of a conversation, or of all if it is "", until yield fails.
	Events(
		ctx context.Context, c messages.ConversationID, yield func(messages.ConversationID, memory.Event) error,
	) error
	// Talks yields how far each conversation has come, until yield fails.
	Talks(ctx context.Context, yield func(messages.ConversationID, memory.Talk) error) error
	// Talk returns how far a conversation has come, and Change its nth change; false if
	// there is none.
	Talk(c messages.ConversationID) (memory.Talk, bool, error)
	Change(c messages.ConversationID, n uint64) (memory.Change, bool, error)
	// Rests returns the keys of the topics that rest on an event, and Topic one of them; it
	// has no states if there is none.
	Rests(c messages.ConversationID, id messages.MessageID) ([]string, error)
	Topic(c messages.ConversationID, key string) (memory.Topic, error)
	// Named returns whom and what an event names.
	Named(c messages.ConversationID, id messages.MessageID) ([]memory.Entity, error)
	// About returns what is known of a conversation, whatever is asked.
	About(c messages.ConversationID, now time.Time) ([]messages.Known, error)
	// Vectors yields the stored vectors of a conversation, or of all if it is "", until yield
	// fails. Embedding returns how far it is with them.
	Vectors(ctx context.Context, c messages.ConversationID,
		yield func(messages.ConversationID, memory.Vector) error) error
	Embedding(c messages.ConversationID) (memory.Embedding, error)
	// Unrelated returns what a conversation keeps apart.
	Unrelated(c messages.ConversationID) (memory.Unrelated, error)
}

// ErrNoRows is returned before [Library.Open] and after [Library.Close].
var ErrNoRows = errors.New("recall: the memory is not open yet")

// Library is an index of all events with access to their texts. It is derived from the
// rows and from the changes it hears of. Its methods may be called concurrently.
type Library struct {
	zone  *time.Location
	index atomic.Pointer[lexical.Index]
	rows  atomic.Pointer[Rows]

	mu    sync.Mutex                           // for writers
	whole bool                                 // all rows are in the index
	known map[messages.ConversationID]*reading // read, or being read
	gone  map[string]bool                      // removed while rows are being read
	late  int                                  // readings of what was stored and not heard of yet
	marks map[messages.ConversationID]mark     // how far the index has come
	next  *Library                             // being built from the rows; hears the same changes
	reads sync.WaitGroup

	rules memory.Rules
	meant *meanings // nil: nothing is found by meaning

	sharing sync.Mutex
	shares  []*shared // of the newest recalls; guarded by sharing

	saving  sync.Mutex // for writing or destroying the saved copy
	saved   Saved      // nil: nothing is saved
	restart sync.Once  // loads the saved copy once
	unsaved atomic.Int64

	closed context.Context // ends with Close
	end    context.CancelFunc
}

// Set gives it other rules than the defaults, and returns it. Call it before anything is
// searched.
func (l *Library) Set(r memory.Rules) *Library {
	l.rules = r
	return l
}

// NewLibrary makes an empty library. Times that a question names are in the zone.
func NewLibrary(zone *time.Location) *Library {
	l := &Library{zone: zone, rules: memory.DefaultRules(), known: map[messages.ConversationID]*reading{},
		gone: map[string]bool{}, marks: map[messages.ConversationID]mark{}}
	l.closed, l.end = context.WithCancel(context.Background())
	l.index.Store(lexical.New())
	return l
}

// Open gives the library its rows.
func (l *Library) Open(r Rows) { l.rows.Store(&r) }

// Len returns how many events the index has, and whether those are all.
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

// Hear takes what the recall actors publish.
func (l *Library) Hear(m messages.Message) {
	switch m.(type) {
	case messages.EventsKept, messages.EventsGone, messages.VectorsKept, messages.MemoryAt:
		if l.meant != nil {
			l.meant.hear(m)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.hear(m); l.next != nil {
			l.next.Hear(m)
		}
	}
}

// hear takes a message while l.mu is held.
func (l *Library) hear(m messages.Message) {
	switch m := m.(type) {
	case messages.EventsKept:
		for _, e := range m.Events {
			delete(l.gone, docID(m.Conversation, e.ID))
			_, _ = l.index.Load().Add(document(m.Conversation, e)) // full at four billion events
		}
		l.unsaved.Add(int64(len(m.Events)))
	case messages.MemoryAt:
		at, known := l.marks[m.Conversation]
		at.read = at.read || l.whole && !known // a new conversation
		l.marks[m.Conversation] = at.extended(memory.At{Changes: m.Changes, Print: m.Print})
	case messages.EventsGone:
		l.unsaved.Add(int64(len(m.IDs)))
		for _, id := range m.IDs {
			l.gone[docID(m.Conversation, id)] = !l.whole || l.late > 0
			l.index.Load().Remove(docID(m.Conversation, id))
		}
	}
}

// Forget removes a conversation and rebuilds the index without it. Call it once the rows
// are gone.
func (l *Library) Forget(c messages.ConversationID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.index.Load().RemoveConversation(string(c))
	l.index.Store(l.index.Load().Compact())
	l.unshare()
	if l.meant != nil {
		l.meant.forget(c)
	}
	delete(l.known, c)
	delete(l.marks, c)
	if l.next != nil {
		l.next.Forget(c)
	}
}

// errRebuilding is returned by a second Rebuild.
var errRebuilding = errors.New("recall: the index is being made anew already: wait until that is done")

// Rebuild builds a new index from all rows, ignoring the saved copy. The old one serves
// meanwhile. It returns how many events the new one has.
func (l *Library) Rebuild(ctx context.Context) (int, error) {
	rows := l.rows.Load()
	if rows == nil {
		return 0, ErrNoRows
	}
	l.restore() // not while the new index replaces this one
	fresh := NewLibrary(l.zone)
	fresh.Open(*rows)
	defer fresh.Close()
	l.mu.Lock()
	if l.next != nil {
		l.mu.Unlock()
		return 0, errRebuilding
	}
	l.next = fresh
	l.mu.Unlock()
	n, err := fresh.Load(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = nil
	if err != nil {
		return 0, err
	}
	l.index.Store(fresh.index.Load())
	l.unshare()
	l.marks, l.whole = fresh.marks, true
	clear(l.gone)
	clear(l.known)
	l.unsaved.Store(saveAgain)
	return n, nil
}

// Load brings the index up to date with all rows and returns how many events it then has.
// It may take a while; questions are answered meanwhile.
func (l *Library) Load(ctx context.Context) (int, error) {
	rows := l.rows.Load()
	if rows == nil {
		return 0, ErrNoRows
	}
	l.restore()
	talks := map[messages.ConversationID]memory.Talk{}
	err := (*rows).Talks(ctx, func(c messages.ConversationID, t memory.Talk) error {
		talks[c] = t
		return nil
	})
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err := errors.Join(err, l.catchUp(ctx, *rows, talks)); err != nil {
		return 0, err
	}
	if l.meant != nil { // meanwhile there are words
		if _, err := l.beginVectors(); err != nil {
			return 0, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole = true
	clear(l.gone)
	clear(l.known)
	return l.index.Load().Len(), nil
}

// catchUp reads what the index does not know yet. An empty index reads all rows in one
// go.
func (l *Library) catchUp(ctx context.Context, rows Rows, talks map[messages.ConversationID]memory.Talk) error {
	l.mu.Lock()
	begun := false
	var ended []messages.ConversationID
	for c, m := range l.marks {
		begun = begun || m.read
		if _, ok := talks[c]; !ok {
			ended = append(ended, c)
		}
	}
	l.mu.Unlock()
	if !begun {
		if err := rows.Events(ctx, "", func(c messages.ConversationID, e memory.Event) error {
			return errors.Join(l.enter(rows, c, e), ctx.Err())
		}); err != nil {
			return err
		}
		for c, t := range talks {
			l.reached(c, t.At)
		}
		return nil
	}
	var failed error
	for _, c := range slices.Concat(ended, slices.Collect(maps.Keys(talks))) {
		failed = errors.Join(failed, l.read(ctx, c))
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// read brings the index up to date with the rows of a conversation.
func (l *Library) read(ctx context.Context, c messages.ConversationID) error {
	rows := l.rows.Load()
	if rows == nil {
		return ErrNoRows
	}
	l.restore()
	talk, _, err := (*rows).Talk(c)
	if err != nil {
		return err
	}
	l.mu.Lock()
	m := l.marks[c]
	l.mu.Unlock()
	known := m.read
	if known && m.At == talk.At {
		return nil
	}
	followed := false
	if known {
		if followed, err = l.follow(ctx, *rows, c, m.At, talk.At); err != nil {
			return err
		}
	}
	if !followed {
		if err := l.readAll(ctx, *rows, c, known); err != nil {
			return err
		}
	}
	l.reached(c, talk.At)
	return nil
}

// follow applies the changes between two places; false if they are no longer kept.
func (l *Library) follow(ctx context.Context, rows Rows, c messages.ConversationID, from, to memory.At) (bool, error) {
	if from.Changes > to.Changes || to.Changes-from.Changes > memory.KeptChanges {
		return false, nil
	}
	if change, ok, err := rows.Change(c, from.Changes); err != nil || !ok || change.At != from {
		return false, err // another history, such as that of a backup
	}
	for n := from.Changes + 1; n <= to.Changes; n++ {
		change, ok, err := rows.Change(c, n)
		if err != nil || !ok {
			return false, err
		}
		for _, id := range change.IDs {
			if err := errors.Join(l.renew(rows, c, id), ctx.Err()); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// readAll reads all rows of a conversation; known means that the index may have some that
// no longer exist.
func (l *Library) readAll(ctx context.Context, rows Rows, c messages.ConversationID, known bool) error {
	kept := map[string]bool{}
	err := rows.Events(ctx, c, func(c messages.ConversationID, e memory.Event) error {
		kept[docID(c, e.ID)] = true
		return errors.Join(l.enter(rows, c, e), ctx.Err())
	})
	if err != nil || !known {
		return err
	}
	for _, id := range l.index.Load().IDs(string(c)) {
		if _, name, ok := strings.Cut(id, "\x00"); ok && !kept[id] {
			if err := errors.Join(l.renew(rows, c, messages.MessageID(name)), ctx.Err()); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter puts a row into the index as it was read. If the index already has a different
// version, the row is read again, because either may be the newer one.
func (l *Library) enter(rows Rows, c messages.ConversationID, e memory.Event) error {
	d := document(c, e.Event)
	l.mu.Lock()
	x := l.index.Load()
	_, known := x.Find(d.ID)
	if !known && !l.gone[d.ID] {
		_, err := x.Add(d)
		l.mu.Unlock()
		l.unsaved.Add(1)
		return wrapped(err)
	}
	l.mu.Unlock()
	if !known || x.Has(d) {
		return nil
	}
	return l.renew(rows, c, e.ID)
}

// renew updates an event in the index from its current row. Changes heard later are
// newer.
func (l *Library) renew(rows Rows, c messages.ConversationID, id messages.MessageID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsaved.Add(1)
	e, ok, err := rows.Event(c, id)
	switch {
	case err != nil:
		return err
	case !ok:
		l.index.Load().Remove(docID(c, id))
		return nil
	}
	_, err = l.index.Load().Add(document(c, e.Event))
	return wrapped(err)
}

func wrapped(err error) error {
	if err != nil {
		return fmt.Errorf("recall: %w", err)
	}
	return nil
}

// reading is the one reading of a conversation's rows.
type reading struct {
	done chan struct{} // closed at the end
	err  error         // set before
}

// have waits until the events of conversations are in the index, including stored ones that
// were not announced yet. Other conversations in scope are seen as far as they have been
// read. Reading continues after ctx ends, for the next question.
func (l *Library) have(ctx context.Context, list []messages.ConversationID) error {
	for _, c := range list {
		r, err := l.begin(c)
		if err != nil {
			return err
		}
		if r == nil {
			if err := l.overtake(ctx, c); err != nil {
				return err
			}
			continue
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

// overtake reads the events of a conversation that are stored but not announced yet. They are
// few: a commit is visible in the store just before it is announced.
func (l *Library) overtake(ctx context.Context, c messages.ConversationID) error {
	rows := l.rows.Load()
	if rows == nil {
		return ErrNoRows
	}
	talk, ok, err := (*rows).Talk(c)
	if err != nil {
		return err
	}
	l.mu.Lock()
	if m := l.marks[c]; !ok || m.read && m.At == talk.At {
		l.mu.Unlock()
		return nil
	}
	l.late++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.late--; l.late == 0 && l.whole {
			clear(l.gone)
		}
	}()
	return l.read(ctx, c)
}

// overtakeAll is overtake for all conversations.
func (l *Library) overtakeAll(ctx context.Context) error {
	rows := l.rows.Load()
	if rows == nil {
		return ErrNoRows
	}
	var all []messages.ConversationID
	err := (*rows).Talks(ctx, func(c messages.ConversationID, _ memory.Talk) error {
		all = append(all, c)
		return nil
	})
	for _, c := range all {
		err = errors.Join(err, l.overtake(ctx, c), ctx.Err())
	}
	return err
}

// begin starts reading the rows of a conversation, unless that has begun; nil means that
// all rows are read.
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

// Close stops all reading and waits for it to end. After that nothing can be searched,
// and the caller may close the store.
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
