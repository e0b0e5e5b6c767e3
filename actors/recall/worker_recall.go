package recall

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/messages"
)

// byHand is how many times as long as before a reply a route gets if somebody asks: a
// person, or a host, would rather wait than miss something.
const byHand = 10

// Recall does what the actor does, but stores nothing. Routes that exceed their time are
// left out; they end when the context does. So are routes that panic: the error names
// them, with their stacks but without their input, and the hits of the others are returned
// with it.
func (l *Library) Recall(ctx context.Context, q Query, k int) (memory.Run, []memory.Candidate, error) {
	type result struct {
		memory.Found
		memory.Report
		panicked error
	}
	routes := l.routes()
	results := make([]chan result, len(routes))
	for i, r := range routes {
		done := make(chan result, 1)
		results[i] = done
		go func() {
			within, cancel := context.WithTimeout(ctx, byHand*r.Time)
			defer cancel()
			began := time.Now()
			report := memory.Report{Route: r.Route, Failed: string(messages.FailurePanic)}
			var hits []messages.MemoryHit
			defer func() {
				var panicked error
				if p := recover(); p != nil { // its value may be private
					panicked = fmt.Errorf("recall: route %s panicked with a %T\n%s", r.Route, p, debug.Stack())
				}
				done <- result{memory.Found{Route: r.Route, Hits: hits}, report, panicked}
			}()
			found, err := l.Search(within, r.Route, q)
			report.Took = time.Since(began)
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				report.Failed = string(messages.FailureTimeout)
			case err != nil:
				report.Failed = string(messages.FailureError)
			default:
				hits, report.Hits, report.Failed = found, len(found), ""
			}
		}()
	}
	var found []memory.Found
	var reports []memory.Report
	var panicked error
	for i, r := range routes {
		late := time.NewTimer(byHand*r.Time + time.Second/10)
		select {
		case got := <-results[i]:
			found, reports = append(found, got.Found), append(reports, got.Report)
			panicked = errors.Join(panicked, got.panicked)
		case <-late.C:
			reports = append(reports, memory.Report{Route: r.Route, Failed: string(messages.FailureTimeout)})
		}
		late.Stop()
	}
	run, list := merged(l.rules.Pack, found, reports)
	picked := memory.Pick(list, nil, k)
	run.At = q.At
	return run.Choose(picked), picked, panicked
}

// Words returns the events that contain the words of a text, best first.
func (l *Library) Words(ctx context.Context, q Query, k int) ([]messages.MemoryHit, error) {
	s, err := l.searchFor(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.hits(s.best(k)), ctx.Err()
}

// Have waits until what a scope sees is in the index: everything, if the scope is not
// limited to certain conversations, also what another node of a cluster has stored.
func (l *Library) Have(ctx context.Context, s Scope) error {
	if s.Conversations != nil && !s.Owner {
		return l.have(ctx, s.Conversations)
	}
	if _, all := l.Len(); all {
		return l.overtakeAll(ctx)
	}
	_, err := l.Load(ctx)
	return err
}

// Behind returns the events that were said right behind one, in the order of time.
func (l *Library) Behind(ctx context.Context, c messages.ConversationID, id messages.MessageID) (list []memory.Event,
	err error) {
	if err := l.have(ctx, []messages.ConversationID{c}); err != nil {
		return nil, err
	}
	x := l.index.Load()
	d, ok := x.Find(docID(c, id))
	if !ok {
		return nil, nil
	}
	_, after := x.Around(d, nearbyReplies)
	for _, a := range after {
		if _, e, ok := l.event(x.Entry(a).ID); ok {
			list = append(list, e)
		}
	}
	return list, nil
}

// Speakers returns who has spoken on the other side of a conversation.
func (l *Library) Speakers(c messages.ConversationID) (list []string) {
	for _, name := range l.index.Load().Speakers(lexical.Scope{Conversations: []string{string(c)}}) {
		if name != "" {
			list = append(list, name)
		}
	}
	return list
}

// Compare compares the index with the rows. missing and differing are IDs prefixed by
// their conversations, at most limit of each. A row that changes meanwhile counts in
// its final state.
func (l *Library) Compare(ctx context.Context, limit int) (events int, missing, differing []string, extra int,
	err error) {
	rows := l.rows.Load()
	if rows == nil {
		return 0, nil, nil, 0, ErrNoRows
	}
	fresh := lexical.New()
	err = (*rows).Events(ctx, "", func(c messages.ConversationID, e memory.Event) error {
		d := document(c, e.Event)
		if _, err := fresh.Add(d); err != nil {
			return err
		}
		is, err := l.standing(*rows, fresh, d)
		if is != gone {
			events++
		}
		switch name := string(c) + " " + string(e.ID); {
		case is == unfound && len(missing) < limit:
			missing = append(missing, name)
		case is == different && len(differing) < limit:
			differing = append(differing, name)
		}
		return err
	})
	if err != nil {
		return events, missing, differing, 0, err
	}
	x := l.index.Load()
	for _, c := range x.Conversations() {
		for _, id := range x.IDs(c) {
			if _, known := fresh.Find(id); known {
				continue
			}
			_, _, ok := l.event(id)
			if _, still := l.index.Load().Find(id); still && !ok {
				extra++
			} else if ok {
				events++ // it came meanwhile
			}
		}
	}
	return events, missing, differing, extra, nil
}

// standing says how a row and the index compare.
type standing uint8

const (
	same standing = iota
	different
	unfound
	gone // the row no longer exists
)

// standing compares a row with the index. If they differ, it reads the row again and
// compares once more, while no change can be heard.
func (l *Library) standing(rows Rows, fresh *lexical.Index, d lexical.Document) (standing, error) {
	if standingIn(l.index.Load(), fresh, d) == same {
		return same, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c, id, _ := strings.Cut(d.ID, "\x00")
	now, ok, err := rows.Event(messages.ConversationID(c), messages.MessageID(id))
	if err != nil || !ok {
		return gone, err
	}
	d = document(messages.ConversationID(c), now.Event)
	if _, err := fresh.Add(d); err != nil {
		return different, err
	}
	return standingIn(l.index.Load(), fresh, d), nil
}

func standingIn(x, fresh *lexical.Index, d lexical.Document) standing {
	at, ok := x.Find(d.ID)
	has := x.Entry(at)
	switch {
	case !ok:
		return unfound
	case has.Speaker != d.Speaker || has.At.UnixMilli() != d.At.UnixMilli() || !sameTerms(x, fresh, d):
		return different
	}
	return same
}

// sameTerms reports whether the same terms find a document in both indexes.
func sameTerms(x, fresh *lexical.Index, d lexical.Document) bool {
	at, _ := x.Find(d.ID)
	other, _ := fresh.Find(d.ID)
	if x.Entry(at).Length != fresh.Entry(other).Length {
		return false
	}
	terms := lexical.Terms(d.Text)
	keys := make([]lexical.Weighted, 0, len(terms))
	for _, t := range terms {
		keys = append(keys, lexical.Weighted{Key: t.Key, Weight: 1})
	}
	m := x.Among([]lexical.Doc{at}, keys)
	for i := range keys {
		if len(m.Docs) == 0 || m.Counts[i][0] == 0 {
			return false
		}
	}
	return true
}
