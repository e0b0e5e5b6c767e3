package recall

import (
	"context"
	"errors"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/messages"
)

// Recall does what the actor does, without it: nothing of it is stored. Routes that are
// late when their time is over are left out; they end when the context does.
func (l *Library) Recall(ctx context.Context, q Query, k int) (memory.Run, []memory.Candidate) {
	type result struct {
		memory.Found
		memory.Report
	}
	routes := memory.Routes()
	results := make([]chan result, len(routes))
	for i, r := range routes {
		done := make(chan result, 1)
		results[i] = done
		go func() {
			within, cancel := context.WithTimeout(ctx, r.Time)
			defer cancel()
			began := time.Now()
			report := memory.Report{Route: r.Route, Failed: string(messages.FailurePanic)}
			var hits []messages.MemoryHit
			defer func() {
				_ = recover() // the report says so
				done <- result{memory.Found{Route: r.Route, Hits: hits}, report}
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
	for i, r := range routes {
		late := time.NewTimer(r.Time + time.Second/10)
		select {
		case got := <-results[i]:
			found, reports = append(found, got.Found), append(reports, got.Report)
		case <-late.C:
			reports = append(reports, memory.Report{Route: r.Route, Failed: string(messages.FailureTimeout)})
		}
		late.Stop()
	}
	run, picked := Conclude(found, reports, nil, k)
	run.At = q.At
	return run, picked
}

// Words returns the events that have the words of a text, the best first.
func (l *Library) Words(ctx context.Context, q Query, k int) ([]messages.MemoryHit, error) {
	s, err := l.searchFor(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.hits(s.best(k)), ctx.Err()
}

// Have waits until what a scope sees is in the index: all of it, where it sees more
// than some conversations.
func (l *Library) Have(ctx context.Context, s Scope) error {
	if s.Conversations != nil && !s.Owner {
		return l.have(ctx, s.Conversations)
	}
	if _, all := l.Len(); all {
		return nil
	}
	_, err := l.Load(ctx)
	return err
}

// Speakers are those who have spoken on the other side of a conversation.
func (l *Library) Speakers(c messages.ConversationID) (list []string) {
	for _, name := range l.index.Load().Speakers(lexical.Scope{Conversations: []string{string(c)}}) {
		if name != "" {
			list = append(list, name)
		}
	}
	return list
}

// Compare compares the index with the rows. missing and differing are IDs behind their
// conversations, at most limit of each.
func (l *Library) Compare(ctx context.Context, limit int) (events int, missing, differing []string, extra int,
	err error) {
	rows := l.rows.Load()
	if rows == nil {
		return 0, nil, nil, 0, ErrNoRows
	}
	fresh := lexical.New()
	x := l.index.Load()
	err = (*rows).Events(ctx, "", func(c messages.ConversationID, e memory.Event) error {
		events++
		d := document(c, e.Event)
		if _, err := fresh.Add(d); err != nil {
			return err
		}
		at, ok := x.Find(d.ID)
		name := string(c) + " " + string(e.ID)
		switch has := x.Entry(at); {
		case !ok && len(missing) < limit:
			missing = append(missing, name)
		case !ok:
		case (has.Speaker != d.Speaker || has.At.UnixMilli() != d.At.UnixMilli() || !sameTerms(x, fresh, d)) &&
			len(differing) < limit:
			differing = append(differing, name)
		}
		return nil
	})
	return events, missing, differing, max(0, x.Len()-fresh.Len()), err
}

// sameTerms reports whether a document is found in one index by what it is found by in the
// other.
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
