package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

var (
	_ control.MemoryBackend = Backend{}
	_ control.MemoryBackend = (*control.Client)(nil)
)

// Recall implements [control.MemoryBackend].
func (b Backend) Recall(ctx context.Context, q control.RecallQuery) (control.Recollection, error) {
	if _, err := b.Engine(); err != nil {
		return control.Recollection{}, err
	}
	c, err := b.Which(ctx, string(q.Conversation))
	if err != nil {
		return control.Recollection{}, err
	}
	if q.K < 1 {
		return control.Recollection{}, fmt.Errorf("recall %d events: want 1 or more, "+
			"such as control.DefaultRecalled", q.K)
	}
	later := q.At.IsZero()
	if later {
		q.At = time.Now()
	}
	ask := recall.Query{Conversation: c, Text: q.Text, At: q.At, Later: later}
	if c != "" {
		if err := b.Memory.Have(ctx, recall.Scope{Conversations: []messages.ConversationID{c}}); err != nil {
			return control.Recollection{}, err
		}
		ask.Scope = b.Scope(c, false)
	}
	_, all := b.Memory.Len() // now: it may become whole while this is looked for
	// A running Kehai reads the rest by itself, but is not told what the others of its cluster store.
	if b.Live == nil || ask.Scope.Conversations != nil || all && b.Live.Cluster != nil {
		if err := b.Memory.Have(ctx, ask.Scope); err != nil {
			return control.Recollection{}, err
		}
	}
	var r control.Recollection
	if q.Words {
		hits, err := b.Memory.Words(ctx, ask, q.K)
		if err != nil {
			return control.Recollection{}, err
		}
		r = recollection(memory.Run{At: q.At})
		for _, h := range hits {
			r.Found = append(r.Found, b.recalled(h.Memory, memory.Chosen{Score: h.Score}))
		}
	} else {
		run, picked, panicked := b.Memory.Recall(ctx, ask, q.K)
		if panicked != nil { // the run says which routes failed, too
			b.Log.Error().Str("stack", b.Names.Stack(panicked.Error())).Msg("recall_panicked")
		}
		r = recollection(run)
		for i, p := range picked {
			r.Found = append(r.Found, b.recalled(p.Memory, run.Chosen[i]))
		}
	}
	r.Loading = b.Live != nil && !all
	return r, ctx.Err()
}

func recollection(run memory.Run) control.Recollection {
	r := control.Recollection{Run: run.ID, At: control.Stamp{Time: run.At}, Mode: string(run.Mode),
		Routes: []control.RecallRoute{}, Candidates: run.Candidates, Found: []control.Recalled{}}
	for _, route := range run.Routes {
		r.Routes = append(r.Routes, control.RecallRoute{Route: string(route.Route), Hits: route.Hits,
			TookMS: float64(route.Took.Microseconds()) / 1000, Failed: route.Failed})
	}
	if s := run.Selection; s != nil {
		r.Selection = &control.Selection{Model: s.Model, Offered: s.Offered, Failed: s.Failed}
	}
	return r
}

func (b Backend) recalled(m messages.Memory, why memory.Chosen) control.Recalled {
	r := control.Recalled{ID: m.ID, Conversation: m.Conversation, Called: b.Label(m.Conversation),
		At: control.Stamp{Time: m.At}, Own: m.Own, Speaker: string(m.Speaker), Text: string(m.Text), Score: why.Score,
		Routes: []control.RecallHit{}, State: string(m.State), Former: m.Former}
	for _, h := range why.Routes {
		r.Routes = append(r.Routes, control.RecallHit{Route: string(h.Route), Score: h.Score})
	}
	return r
}

// Run implements [control.MemoryBackend]. Events that the conversation no longer sees,
// such as those of somebody no longer linked, have no text.
func (b Backend) Run(_ context.Context, id string) (control.Recollection, error) {
	e, err := b.Engine()
	if err != nil {
		return control.Recollection{}, err
	}
	c, row, ok := recall.SplitRunID(id)
	if !ok {
		return control.Recollection{}, control.ErrNoRun
	}
	raw, ok, err := e.ReadRow(messages.To(recall.Kind, string(c)), recall.Runs.Row(row))
	if err != nil || !ok {
		return control.Recollection{}, errors.Join(err, unless(ok, control.ErrNoRun))
	}
	run, err := recall.Runs.Decode(raw)
	if err != nil {
		return control.Recollection{}, err
	}
	r := recollection(run)
	seen := b.Scope(c, false)
	for _, chosen := range run.Chosen {
		m := messages.Memory{Conversation: chosen.Conversation, Event: messages.Event{ID: chosen.ID}}
		kept, ok, err := Remembered{e}.Event(chosen.Conversation, chosen.ID)
		if err != nil {
			return control.Recollection{}, err
		}
		if ok && (seen.Conversations == nil || slices.Contains(seen.Conversations, chosen.Conversation) ||
			seen.Owner && kept.Own) {
			m.Event = kept.Event
		}
		r.Found = append(r.Found, b.recalled(m, chosen))
	}
	if r.Background, err = (Remembered{e}).background(run, seen, c); err != nil {
		return control.Recollection{}, err
	}
	return r, nil
}

// background returns what a run gave of what is known whatever is asked, as far as it still is, and seen.
func (r Remembered) background(run memory.Run, seen recall.Scope, c messages.ConversationID) (list []control.Background,
	err error) {
	of := seen.Conversations
	if of == nil {
		of = []messages.ConversationID{c}
	}
	left := slices.Clone(run.Background)
	for _, c := range of {
		if len(left) == 0 {
			break
		}
		known, err := r.about(c, run.At, memory.MostLikes, memory.MostTalks, "")
		if err != nil {
			return nil, err
		}
		for _, k := range known {
			if at := slices.Index(left, memory.BackgroundPrint(k)); at >= 0 {
				left = slices.Delete(left, at, at+1)
				list = append(list, control.Background{Own: k.Own, Speaker: string(k.Speaker), Text: string(k.Text)})
			}
		}
	}
	return list, nil
}

func unless(ok bool, err error) error {
	if !ok {
		return err
	}
	return nil
}

// Remembered implements [control.MemoryBackend].
func (b Backend) Remembered(ctx context.Context, c messages.ConversationID, id messages.MessageID) (
	control.Remembered, error) {
	e, err := b.Engine()
	if err != nil {
		return control.Remembered{}, err
	}
	if c, err = b.Which(ctx, string(c)); err != nil {
		return control.Remembered{}, err
	}
	if c == "" {
		if c, err = (Remembered{e}).whose(id); err != nil {
			return control.Remembered{}, err
		}
	}
	kept, ok, err := Remembered{e}.Event(c, id)
	if err != nil || !ok {
		return control.Remembered{}, errors.Join(err, unless(ok, control.ErrNoEvent))
	}
	m := control.Remembered{ID: id, Conversation: c, Called: b.Label(c), Source: kept.Source, Own: kept.Own,
		Speaker: string(kept.Speaker), Text: string(kept.Text), At: control.Stamp{Time: kept.At},
		KeptAt: control.Stamp{Time: kept.KeptAt}, ReplyTo: kept.ReplyTo, Thread: kept.Thread}
	if kept.ReplyTo != "" {
		before, ok, err := Remembered{e}.Event(c, kept.ReplyTo)
		if err != nil {
			return control.Remembered{}, err
		}
		if ok {
			to := b.recalled(messages.Memory{Conversation: c, Event: before.Event}, memory.Chosen{})
			m.Answers = &to
		}
	}
	if err := b.links(ctx, kept, &m); err != nil {
		return control.Remembered{}, err
	}
	apart, err := Remembered{e}.Unrelated(c)
	for _, a := range apart.List {
		if a.Conversation == c && a.ID == id {
			m.Apart = append(m.Apart, control.Apart{Run: a.Run, At: control.Stamp{Time: a.At}})
		}
	}
	return m, errors.Join(err, b.learnedFrom(e, &m))
}

// links adds what answers an event, and what goes on behind it.
func (b Backend) links(ctx context.Context, kept memory.Event, m *control.Remembered) error {
	if b.Memory == nil {
		return nil
	}
	behind, err := b.Memory.Behind(ctx, m.Conversation, m.ID)
	for i, next := range behind {
		var label string
		switch {
		case next.ReplyTo == m.ID:
			label = control.LinkAnsweredBy
		case i == 0 && next.Thread == kept.Thread && kept.Thread != "":
			label = control.LinkContinuation
		default:
			continue
		}
		m.Links = append(m.Links, b.link(label, m.Conversation, next.Event))
	}
	return err
}

func (b Backend) link(label string, c messages.ConversationID, to messages.Event) control.Link {
	return control.Link{Label: label, Event: b.recalled(messages.Memory{Conversation: c, Event: to}, memory.Chosen{})}
}

// Unrelated implements [control.MemoryBackend].
func (b Backend) Unrelated(ctx context.Context, id string, event messages.MessageID, undo bool) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	c, row, ok := recall.SplitRunID(id)
	if !ok {
		return control.ErrNoRun
	}
	to := messages.To(recall.Kind, string(c))
	raw, ok, err := e.ReadRow(to, recall.Runs.Row(row))
	if err != nil || !ok {
		return errors.Join(err, unless(ok, control.ErrNoRun))
	}
	run, err := recall.Runs.Decode(raw)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(run.Chosen, func(chosen memory.Chosen) bool { return chosen.ID == event })
	if at < 0 || len(run.Cue) == 0 {
		return control.ErrNotRecalled
	}
	stored, err := e.Post("", to, messages.KeepApart{Conversation: c, Run: id, Of: run.Chosen[at].Conversation,
		ID: event, Undo: undo}, "")
	if err != nil {
		return err
	}
	select {
	case err = <-stored:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err == nil {
		err = b.Settled(ctx)
	}
	return err
}

// whose is the conversation of an event, if only one has this ID.
func (r Remembered) whose(id messages.MessageID) (c messages.ConversationID, err error) {
	found := 0
	err = r.ReadRows(recall.Kind, func(row engine.Row) bool {
		if row.Table == recall.Events.Name() && row.Key == memory.Key(id) {
			found++
			c = messages.ConversationID(row.Actor.Key())
		}
		return true
	})
	switch {
	case err != nil:
		return "", err
	case found > 1:
		return "", fmt.Errorf("%w: %d conversations have an event of this ID: say which", control.ErrNotClear, found)
	case found == 0:
		return "", control.ErrNoEvent
	}
	return c, nil
}

// importBatch and importBytes are how many events and bytes one turn stores at most.
const (
	importBatch = 100
	importBytes = 256 << 10
)

// Import implements [control.MemoryBackend].
func (b Backend) Import(ctx context.Context, c messages.ConversationID, list []messages.Event) (int, error) {
	e, err := b.Engine()
	if err != nil {
		return 0, err
	}
	if c, err = b.receiver(ctx, e, c); err != nil {
		return 0, err
	}
	var fresh []messages.Event
	for _, m := range list {
		kept, ok, err := Remembered{e}.Event(c, m.ID)
		if err != nil {
			return 0, err
		}
		if again := kept.Again(m).Event; !ok || !again.At.Equal(kept.At) || again != kept.Event {
			fresh = append(fresh, m)
		}
	}
	to := messages.To(recall.Kind, string(c))
	var done []<-chan error
	for rest := fresh; len(rest) > 0; {
		n, size := 0, 0
		for n < len(rest) && n < importBatch && (n == 0 || size < importBytes) {
			size += len(rest[n].Text) + len(rest[n].Speaker) + len(rest[n].ID)
			n++
		}
		stored, err := e.Post("", to, messages.Remember{Conversation: c, Events: rest[:n]}, "")
		if err != nil {
			return 0, err
		}
		done, rest = append(done, stored), rest[n:]
	}
	for _, stored := range done {
		select {
		case err := <-stored:
			if err != nil {
				return 0, err
			}
		case <-ctx.Done():
			return 0, fmt.Errorf("admin: import: %w (it may still be stored)", ctx.Err())
		}
	}
	return len(fresh), nil
}

// settleEvery is how often Settled looks whether everything is stored.
const settleEvery = 20 * time.Millisecond

// Settled implements [control.MemoryBackend].
func (b Backend) Settled(ctx context.Context) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	for {
		waits := false
		err := e.ReadMail(func(env engine.Envelope) bool {
			waits = env.To.Kind() == recall.Kind
			return !waits && ctx.Err() == nil
		})
		if err != nil || !waits && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settleEvery):
		}
	}
}

// MemoryStats implements [control.MemoryBackend].
func (b Backend) MemoryStats(context.Context) (s control.MemoryStats, err error) {
	e, err := b.Engine()
	if err != nil {
		return s, err
	}
	s.Model = cmp.Or(b.Memory.Model(), b.Config.Memory.Name()) // at rest nobody asks it
	var last messages.Address
	err = e.ReadRows(recall.Kind, func(row engine.Row) bool {
		switch row.Table {
		case recall.Events.Name():
			s.Events++
			if row.Actor != last {
				s.Conversations++
				last = row.Actor
			}
		case recall.Runs.Name():
			s.Runs++
		case recall.Vectors.Name():
			if v, err := recall.Vectors.Decode(row.Value); err == nil && v.Model == s.Model {
				s.Vectors++
			} else {
				s.OldVectors++
			}
		case recall.Embeddings.Name():
			if is, err := recall.Embeddings.Decode(row.Value); err == nil && is.Failed != "" && s.Model != "" {
				s.NotEmbedded = is.Failed
			}
		}
		return true
	})
	s.Indexed, s.Loaded = b.Memory.Len()
	return s, err
}

// Reindex implements [control.MemoryBackend].
func (b Backend) Reindex(ctx context.Context) (int, error) {
	if _, err := b.Engine(); err != nil {
		return 0, err
	}
	n, err := b.Memory.Rebuild(ctx)
	if err == nil && b.Memory.Unsaved() > 0 {
		err = b.Memory.Save()
	}
	return n, err
}

// VerifyMemory implements [control.MemoryBackend].
func (b Backend) VerifyMemory(ctx context.Context) (control.MemoryCheck, error) {
	if _, err := b.Engine(); err != nil {
		return control.MemoryCheck{}, err
	}
	if err := b.Memory.Have(ctx, recall.Scope{}); err != nil {
		return control.MemoryCheck{}, err
	}
	const named, longest = 100, 2 * time.Second
	for wait := 50 * time.Millisecond; ; wait *= 4 {
		n, gone, differing, extra, err := b.Memory.Compare(ctx, named)
		sum := control.MemoryCheck{Events: n, Missing: gone, Extra: extra, Differs: differing}
		if err != nil || sum.OK() || b.Live == nil || wait > longest {
			return sum, err
		}
		select { // a running Kehai has the index hear of a change right behind its commit
		case <-ctx.Done():
			return sum, ctx.Err()
		case <-time.After(wait):
		}
	}
}
