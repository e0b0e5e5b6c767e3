package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/memory/vector"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/messages"
)

// Embedder says what texts mean.
type Embedder interface {
	// Model names the model that is asked now.
	Model() string
	// Masks reports whether texts must be masked first.
	Masks() bool
	// Embed returns a vector of each text, nil for one that has none. The model may be one
	// that was asked before; if it cannot be asked any more, that is an error.
	Embed(ctx context.Context, model string, texts []string) ([][]float32, error)
}

// meanings are the vectors of a library.
type meanings struct {
	Embedder
	index *vector.Index

	mu      sync.Mutex
	kept    map[messages.ConversationID]uint64 // how often vectors were stored that are here
	touched map[string]bool                    // heard of before the rows are read: the rows may be older
	reading *reading                           // of the rows; nil until somebody asks
}

// errNoVectors is returned where no model says what texts mean.
var errNoVectors = errors.New("recall: no model says what texts mean: set memory.embedder")

// Embed lets a library find by meaning too. Call it before anything is read.
func (l *Library) Embed(e Embedder) {
	l.meant = &meanings{Embedder: e, index: vector.New(), touched: map[string]bool{},
		kept: map[messages.ConversationID]uint64{}}
}

// Model names the model that says what is meant now; "" is none, as without a library.
func (l *Library) Model() string {
	if l == nil || l.meant == nil {
		return ""
	}
	return l.meant.Model()
}

// routes are those by which the library finds.
func (l *Library) routes() []memory.Timed {
	return l.rules.Routes.List(l.meant != nil)
}

// hear takes what the recall actors publish.
func (v *meanings) hear(m messages.Message) {
	v.mu.Lock()
	defer v.mu.Unlock()
	gone := func(c messages.ConversationID, id messages.MessageID) {
		v.index.Remove(docID(c, id))
		if v.touched != nil {
			v.touched[docID(c, id)] = true
		}
	}
	switch m := m.(type) {
	case messages.EventsKept:
		for _, e := range m.Events {
			gone(m.Conversation, e.ID) // until it has a vector of this wording
		}
	case messages.EventsGone:
		for _, id := range m.IDs {
			gone(m.Conversation, id)
		}
	case messages.VectorsKept:
		for _, e := range m.Vectors {
			gone(m.Conversation, e.ID)
			v.put(m.Conversation, memory.Vector{EventVector: e, Model: m.Model})
		}
		if v.kept[m.Conversation]+1 == m.Kept {
			v.kept[m.Conversation] = m.Kept
		}
	}
}

// put adds a row. One that is damaged is left out, and found by words only.
func (v *meanings) put(c messages.ConversationID, row memory.Vector) {
	if is, err := vector.Parse(row.Vector); err == nil {
		v.index.Put(docID(c, row.ID), string(c), row.Model, is)
	}
}

// forget removes a conversation.
func (v *meanings) forget(c messages.ConversationID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.index.RemoveConversation(string(c))
	delete(v.kept, c)
	if v.touched != nil {
		v.touched[string(c)] = true
	}
}

// beginVectors starts reading the vectors of all rows, unless that has begun.
func (l *Library) beginVectors() (*reading, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meant.mu.Lock()
	defer l.meant.mu.Unlock()
	if l.closed.Err() != nil {
		return nil, ErrNoRows
	}
	if l.meant.reading == nil {
		r := &reading{done: make(chan struct{})}
		l.meant.reading = r
		l.reads.Go(func() { l.readVectors(r) })
	}
	return l.meant.reading, nil
}

// ready waits until the vectors of all rows are there. Reading continues after ctx ends.
func (l *Library) ready(ctx context.Context) error {
	r, err := l.beginVectors()
	if err != nil {
		return err
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readVectors reads the rows. Vectors that were announced meanwhile are newer.
func (l *Library) readVectors(r *reading) {
	v, rows := l.meant, l.rows.Load()
	r.err = ErrNoRows
	if rows != nil {
		r.err = v.readAll(l.closed, *rows)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.touched = nil; r.err != nil {
		v.reading, v.touched = nil, map[string]bool{}
	}
	close(r.done)
}

func (v *meanings) readAll(ctx context.Context, rows Rows) error {
	err := rows.Talks(ctx, func(c messages.ConversationID, _ memory.Talk) error {
		is, err := rows.Embedding(c) // before its vectors, so that these are no older
		v.mu.Lock()
		defer v.mu.Unlock()
		v.kept[c] = max(v.kept[c], is.Kept)
		return err
	})
	if err != nil {
		return err
	}
	return rows.Vectors(ctx, "", func(c messages.ConversationID, row memory.Vector) error {
		v.mu.Lock()
		defer v.mu.Unlock()
		if !v.touched[docID(c, row.ID)] && !v.touched[string(c)] {
			v.put(c, row)
		}
		return nil
	})
}

// overtake reads the vectors of a conversation again if some were stored without being
// announced, as while the conversation was on another machine. Announcements wait until then.
func (v *meanings) overtake(ctx context.Context, rows Rows, c messages.ConversationID) error {
	is, err := rows.Embedding(c)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil || is.Kept <= v.kept[c] {
		return err
	}
	v.index.RemoveConversation(string(c))
	err = rows.Vectors(ctx, c, func(c messages.ConversationID, row memory.Vector) error {
		v.put(c, row)
		return nil
	})
	if err == nil {
		v.kept[c] = is.Kept
	}
	return err
}

// mostRead is how many characters of a text a model reads.
const mostRead = 2000

// embed asks a model for the vectors of texts.
func (v *meanings) embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	asked := slices.Clone(texts)
	for i, t := range asked {
		if v.Masks() {
			t = pii.Mask(t, pii.LabelsFor(t)).Text
		}
		if r := []rune(t); len(r) > mostRead {
			t = string(r[:mostRead])
		}
		asked[i] = t
	}
	list, err := v.Embed(ctx, model, asked)
	if err == nil && len(list) != len(texts) {
		err = fmt.Errorf("recall: %d vectors of %d texts", len(list), len(texts))
	}
	return list, err
}

// NewEmbedder returns a constructor of workers that make vectors of what is new in a
// conversation's memory.
func NewEmbedder(l *Library) func() (actors.Worker, error) {
	return func() (actors.Worker, error) { return embedder{l}, nil }
}

type embedder struct{ l *Library }

// Do answers messages.EmbedEvents.
func (e embedder) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	m, ok := request.(messages.EmbedEvents)
	if !ok {
		return nil, fmt.Errorf("recall: unexpected %s", request.MessageType())
	}
	return e.l.vectorsOf(ctx, m)
}

func (l *Library) vectorsOf(ctx context.Context, m messages.EmbedEvents) (out messages.EventsEmbedded, err error) {
	if l.meant == nil {
		return out, errNoVectors
	}
	read, err := l.Read(ctx, messages.ReadEvents{Conversation: m.Conversation, After: m.After, Most: m.Most})
	if err != nil {
		return out, err
	}
	out = messages.EventsEmbedded{Conversation: m.Conversation, Model: m.Model, Reached: read.Reached,
		More: read.More}
	var texts []string
	for _, e := range read.Events {
		if !e.Gone && e.Text != "" {
			texts = append(texts, string(e.Text))
			out.Vectors = append(out.Vectors, messages.EventVector{ID: e.ID, Print: memory.PrintOf(e.Text)})
		}
	}
	if len(texts) == 0 {
		return out, nil
	}
	list, err := l.meant.embed(ctx, m.Model, texts)
	if err != nil {
		return messages.EventsEmbedded{}, err
	}
	named := out.Vectors
	out.Vectors = nil
	for i, values := range list {
		if is, err := vector.Of(values); err == nil {
			named[i].Vector = is.Bytes()
			out.Vectors = append(out.Vectors, named[i])
		}
	}
	return out, nil
}

// Bounds of the route: events, the share of them that may be older than near if there are
// enough newer ones, and what is near.
const (
	vectorHits = 60
	olderShare = 0.05
	nearTime   = 90 * 24 * time.Hour
)

// meaning returns what means the like. While a new model reads what is remembered, the
// vectors of the old one are searched beside: each model is asked about its own.
func (s *search) meaning(ctx context.Context) (list []messages.MemoryHit, err error) {
	v := s.l.meant
	if v == nil {
		return nil, errNoVectors
	}
	if err := s.l.ready(ctx); err != nil {
		return nil, err
	}
	for _, c := range s.q.Scope.Conversations {
		if err := v.overtake(ctx, *s.l.rows.Load(), c); err != nil {
			return nil, err
		}
	}
	within := s.scope.Conversations
	if s.q.Scope.Owner {
		within = nil
	}
	var failed error
	for _, model := range v.index.Models(within) {
		values, err := v.embed(ctx, model, []string{s.q.Text})
		if err != nil {
			failed = err
			continue
		}
		is, err := vector.Of(values[0])
		if err != nil {
			continue // the question has no direction
		}
		hits := s.nearest(ctx, vector.Query{Model: model, Vector: is, Conversations: within, K: vectorHits})
		if len(list) == 0 {
			list = hits
		} else { // the figures of two models say nothing about each other
			list = turns(list, hits)
		}
	}
	if len(list) == 0 {
		return nil, failed
	}
	return list[:min(len(list), vectorHits)], nil
}

// turns takes hits of two models by turns, each pair with the same score.
func turns(a, b []messages.MemoryHit) (list []messages.MemoryHit) {
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			list = append(list, a[i])
		}
		if i < len(b) {
			h := b[i]
			if len(a) > 0 {
				h.Score = a[min(i, len(a)-1)].Score
			}
			list = append(list, h)
		}
	}
	return list
}

// nearest searches the newer events and the older ones, and keeps the best of both.
func (s *search) nearest(ctx context.Context, q vector.Query) (list []messages.MemoryHit) {
	except := map[string]bool{}
	for _, id := range s.scope.Except {
		except[id] = true
	}
	since := s.q.At.Add(-nearTime)
	seen := func(older bool) func(string) bool {
		return func(id string) bool {
			d, ok := s.x.Find(id)
			e := s.x.Entry(d)
			return ok && ctx.Err() == nil && !except[id] && (s.q.Later || e.At.Before(s.scope.Before)) &&
				e.At.Before(since) == older && s.allowed(e)
		}
	}
	q.Sees = seen(false)
	newer := s.l.meant.index.Search(q)
	q.Sees = seen(true)
	older := s.l.meant.index.Search(q)
	kept := max(int(olderShare*vectorHits), vectorHits-len(newer))
	older = older[:min(len(older), kept)]
	newer = newer[:min(len(newer), vectorHits-len(older))]
	for _, h := range slices.Concat(newer, older) {
		if d, ok := s.x.Find(h.ID); ok {
			if hit, ok := s.hit(d, h.Cosine); ok {
				list = append(list, hit)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b messages.MemoryHit) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// allowed reports whether a scope sees an entry at all.
func (s *search) allowed(e lexical.Entry) bool {
	c := s.q.Scope.Conversations
	if s.q.Scope.apart(messages.ConversationID(e.Conversation)) {
		return false
	}
	return c == nil || slices.Contains(c, messages.ConversationID(e.Conversation)) ||
		s.q.Scope.Owner && e.Speaker == ""
}
