package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/memory/rank"
	"github.com/kehai-run/kehai/actors/text/when"
	"github.com/kehai-run/kehai/messages"
)

// Query is a question to a library.
type Query struct {
	Conversation messages.ConversationID
	Scope        Scope
	Text         string
	At           time.Time // nothing later is seen
	Later        bool      // unless this is set
	Except       []messages.MessageID
}

// Bounds of the routes.
const (
	recentEvents  = 30
	lexicalHits   = 60
	chainSteps    = 8
	bestThreads   = 3
	perThread     = 10
	bestLinks     = 8
	inTimeEvents  = 20
	lifeEvents    = 60 // read for a stage of a life
	talkGap       = 3 * time.Hour
	nearbyReplies = 4
)

// Search returns what one route finds, best first.
func (l *Library) Search(ctx context.Context, route memory.Route, q Query) ([]messages.MemoryHit, error) {
	s, err := l.searchFor(ctx, q)
	if err != nil {
		return nil, err
	}
	var hits []messages.MemoryHit
	switch route {
	case memory.Recent:
		hits = s.recent()
	case memory.Lexical:
		hits = s.lexical(ctx)
	case memory.Chain:
		hits = s.chain()
	case memory.Threads:
		hits = s.threads()
	case memory.Links:
		hits = s.links()
	case memory.InTime:
		hits = s.inTime(ctx)
	case memory.States:
		hits = s.states(ctx)
	case memory.Vectors:
		hits, err = s.meaning(ctx)
	default:
		return nil, fmt.Errorf("recall: no route %q", route)
	}
	return hits, cmp.Or(err, ctx.Err())
}

// searchFor starts a search, with the scope translated to the index.
func (l *Library) searchFor(ctx context.Context, q Query) (*search, error) {
	if err := l.have(ctx, q.Scope.Conversations); err != nil {
		return nil, err
	}
	s := &search{l: l, x: l.index.Load(), q: q}
	s.scope = lexical.Scope{Except: s.except()}
	if !q.Later {
		s.scope.Before = q.At.Add(time.Millisecond)
	}
	if q.Scope.Conversations != nil {
		s.scope.Conversations = []string{}
		for _, c := range q.Scope.Conversations {
			s.scope.Conversations = append(s.scope.Conversations, string(c))
		}
	}
	s.shared = l.share(s)
	return s, nil
}

// search is one search of one route.
type search struct {
	l     *Library
	x     *lexical.Index
	q     Query
	scope lexical.Scope
	*shared
}

// except are the events that no route may find: the events to answer, and events that have
// nothing to do with the question.
func (s *search) except() (ids []string) {
	for _, id := range s.q.Except {
		ids = append(ids, docID(s.q.Conversation, id))
	}
	if rows := s.l.rows.Load(); rows != nil && s.q.Conversation != "" {
		unrelated, err := (*rows).Unrelated(s.q.Conversation)
		if err != nil {
			return ids // as if nothing were kept apart
		}
		for _, a := range unrelated.To(s.q.Text) {
			ids = append(ids, docID(a.Conversation, a.ID))
		}
	}
	return ids
}

// hit makes a hit of a document; false if its row is gone or empty, or not to be seen.
func (s *search) hit(d lexical.Doc, score float64) (messages.MemoryHit, bool) {
	c, e, ok := s.event(s.x.Entry(d).ID)
	found := messages.Memory{Conversation: c, Event: e.Event}
	return messages.MemoryHit{Memory: found, Score: score}, ok && e.Text != "" && !s.q.Scope.apart(c)
}

// hits makes hits of documents, each worth a little less than the one before.
func (s *search) hits(docs []lexical.Doc) (list []messages.MemoryHit) {
	for i, d := range docs {
		if h, ok := s.hit(d, 1-float64(i)/float64(len(docs)+1)); ok && s.x.Sees(s.scope, d) {
			list = append(list, h)
		}
	}
	return list
}

// recent returns the newest events of the conversation itself, newest first.
func (s *search) recent() []messages.MemoryHit { return s.hits(s.newest(recentEvents)) }

func (s *search) newest(n int) []lexical.Doc {
	docs := s.x.Newest(string(s.q.Conversation), s.scope.Before, n)
	return slices.DeleteFunc(docs, func(d lexical.Doc) bool { return !s.x.Sees(s.scope, d) })
}

func (s *search) text(ctx context.Context, d lexical.Doc) string {
	if ctx.Err() != nil {
		return ""
	}
	_, e, _ := s.event(s.x.Entry(d).ID)
	return string(e.Text)
}

// lexical returns what package rank finds by words, neighbours, sessions, speakers and
// dates, including the owner's own words from elsewhere if those are shared.
func (s *search) lexical(ctx context.Context) []messages.MemoryHit {
	list := s.ranked(ctx, s.asking(), func(lexical.Entry) bool { return true })
	if s.q.Scope.Owner && s.scope.Conversations != nil {
		elsewhere := s.asking()
		elsewhere.Scope.Conversations, elsewhere.Read = nil, nil
		list = append(list, s.ranked(ctx, elsewhere, func(e lexical.Entry) bool {
			return e.Speaker == "" && !slices.Contains(s.scope.Conversations, e.Conversation)
		})...)
		slices.SortStableFunc(list, func(a, b messages.MemoryHit) int { return cmp.Compare(b.Score, a.Score) })
	}
	return list
}

func (s *search) ranked(ctx context.Context, asking rank.Query,
	seen func(lexical.Entry) bool) (list []messages.MemoryHit) {
	results := rank.Recall(s.x, asking, rank.Defaults(),
		func(d lexical.Doc) string { return s.text(ctx, d) })
	docs := make([]lexical.Doc, len(results))
	for i, r := range results {
		docs[i] = r.Doc
	}
	covered := s.words().Covered(s.x, docs)
	for _, r := range results {
		if !seen(s.x.Entry(r.Doc)) {
			continue
		}
		if h, ok := s.hit(r.Doc, r.Score); ok {
			h.Rare, h.Covers = r.Protected, covered[r.Doc]
			list = append(list, h)
		}
	}
	return list
}

// best returns the best documents by words alone.
func (s *search) best(k int) (docs []lexical.Doc) {
	hits := s.asking().Read.Best
	if k > len(hits) && len(hits) == rank.BestKept {
		hits = rank.Best(s.x, s.asking(), k)
	}
	for _, h := range hits[:min(k, len(hits))] {
		docs = append(docs, h.Doc)
	}
	return docs
}

// chain follows replies back from the newest events: what each one answers.
func (s *search) chain() []messages.MemoryHit {
	newest := s.newest(1)
	if len(newest) == 0 {
		return nil
	}
	var docs []lexical.Doc
	for d := newest[0]; len(docs) < chainSteps && !slices.Contains(docs, d); {
		docs = append(docs, d)
		c, e, ok := s.event(s.x.Entry(d).ID)
		if !ok || e.ReplyTo == "" {
			break
		}
		if d, ok = s.x.Find(docID(c, e.ReplyTo)); !ok {
			break
		}
	}
	return s.hits(docs)
}

// threads returns the stretches of talk around the best hits.
func (s *search) threads() []messages.MemoryHit {
	var docs []lexical.Doc
	threads := 0
	for _, d := range s.best(4 * bestThreads) {
		if threads == bestThreads {
			break
		}
		if slices.Contains(docs, d) {
			continue
		}
		threads++
		docs = append(docs, s.stretch(d)...)
	}
	return s.hits(docs)
}

// stretch returns a document and its neighbours up to the next pause, at most perThread.
func (s *search) stretch(d lexical.Doc) []lexical.Doc {
	before, after := s.x.Around(d, perThread/2)
	docs := []lexical.Doc{d}
	at := s.x.Entry(d).At
	for _, b := range slices.Backward(before) {
		if at.Sub(s.x.Entry(b).At) > talkGap {
			break
		}
		docs, at = append(docs, b), s.x.Entry(b).At
	}
	at = s.x.Entry(d).At
	for _, a := range after {
		if s.x.Entry(a).At.Sub(at) > talkGap {
			break
		}
		docs, at = append(docs, a), s.x.Entry(a).At
	}
	return docs
}

// links returns what the best hits answer, what answers them, and what names the same.
func (s *search) links() []messages.MemoryHit {
	var docs []lexical.Doc
	add := func(d lexical.Doc) {
		if !slices.Contains(docs, d) {
			docs = append(docs, d)
		}
	}
	for _, d := range s.best(bestLinks) {
		c, e, ok := s.event(s.x.Entry(d).ID)
		if !ok {
			continue
		}
		if to, found := s.x.Find(docID(c, e.ReplyTo)); found && e.ReplyTo != "" {
			add(to)
		}
		_, after := s.x.Around(d, nearbyReplies)
		for _, a := range after {
			if _, reply, ok := s.event(s.x.Entry(a).ID); ok && reply.ReplyTo == e.ID {
				add(a)
			}
		}
	}
	for _, d := range s.alsoNamed() {
		add(d)
	}
	return s.hits(docs)
}

// alsoNamed returns other events that name whom or what the best hits name, the newest of
// each first.
func (s *search) alsoNamed() (docs []lexical.Doc) {
	rows := s.l.rows.Load()
	if rows == nil {
		return nil
	}
	pack := s.l.rules.Pack
	var seen []messages.Text
	for _, d := range s.best(pack.Seeds) {
		c, e, _ := s.event(s.x.Entry(d).ID)
		entities, err := (*rows).Named(c, e.ID)
		if err != nil {
			continue // what cannot be read is left out
		}
		for _, n := range entities {
			if len(seen) == pack.Names || slices.Contains(seen, n.Name) {
				continue
			}
			seen = append(seen, n.Name)
			for _, id := range slices.Backward(n.Events) {
				if d, ok := s.x.Find(docID(c, id)); ok && id != e.ID && len(docs) < pack.Added && s.x.Sees(s.scope, d) {
					docs = append(docs, d)
				}
			}
		}
	}
	return docs
}

// inTime returns what was said in the times that the question names, and about the stages
// of life it names.
func (s *search) inTime(ctx context.Context) []messages.MemoryHit {
	plan := s.asking().Read.Question
	places := s.q.Scope.Conversations
	if places == nil {
		places = []messages.ConversationID{s.q.Conversation}
	}
	var docs []lexical.Doc
	for _, span := range plan.Spans {
		for _, c := range places {
			docs = append(docs, s.x.Timeline(string(c), span.From, span.To, inTimeEvents)...)
		}
	}
	slices.SortFunc(docs, func(a, b lexical.Doc) int {
		return cmp.Or(s.x.Entry(a).At.Compare(s.x.Entry(b).At), cmp.Compare(a, b))
	})
	docs = slices.Compact(docs)
	for _, d := range s.ofLife(ctx, plan.Life) {
		if !slices.Contains(docs, d) {
			docs = append(docs, d)
		}
	}
	return s.hits(docs)
}

// ofLife returns events about a stage of a life, best first.
func (s *search) ofLife(ctx context.Context, l when.Life) (docs []lexical.Doc) {
	var terms []lexical.Weighted
	for _, t := range lexical.Terms(strings.Join(l.Words(), " ")) {
		if t.Kind == lexical.Word || t.Kind == lexical.Pair {
			terms = append(terms, lexical.Weighted{Key: t.Key, Weight: 1})
		}
	}
	if len(terms) == 0 {
		return nil
	}
	for _, h := range s.x.Search(lexical.Query{Terms: terms, Scope: s.scope, K: lifeEvents}) {
		if len(docs) < inTimeEvents && when.Lives(s.text(ctx, h.Doc)).Meets(l) {
			docs = append(docs, h.Doc)
		}
	}
	return docs
}
