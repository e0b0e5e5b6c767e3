package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Remembered reads the events that recall keeps in a store.
type Remembered struct{ *engine.Engine }

// readRow reads a row of a conversation; false if there is none.
func readRow[V any](r Remembered, kind string, c messages.ConversationID, table actors.Table[V],
	key string) (v V, ok bool, err error) {
	raw, ok, err := r.ReadRow(messages.To(kind, string(c)), table.Row(key))
	if err == nil && ok {
		v, err = table.Decode(raw)
	}
	return v, ok && err == nil, err
}

// Event implements [recall.Rows].
func (r Remembered) Event(c messages.ConversationID, id messages.MessageID) (memory.Event, bool, error) {
	return readRow(r, recall.Kind, c, recall.Events, memory.Key(id))
}

// Talks implements [recall.Rows].
func (r Remembered) Talks(ctx context.Context, yield func(messages.ConversationID, memory.Talk) error) error {
	var failed error
	err := engine.SkimTable(r.Engine, recall.Kind, recall.Talks, func(a messages.Address, _ string, t memory.Talk) {
		if failed == nil {
			failed = errors.Join(yield(messages.ConversationID(a.Key()), t), ctx.Err())
		}
	})
	return errors.Join(err, failed, ctx.Err())
}

// Talk implements [recall.Rows].
func (r Remembered) Talk(c messages.ConversationID) (t memory.Talk, ok bool, err error) {
	return readRow(r, recall.Kind, c, recall.Talks, recall.TalkRow)
}

// Change implements [recall.Rows].
func (r Remembered) Change(c messages.ConversationID, n uint64) (change memory.Change, ok bool, err error) {
	return readRow(r, recall.Kind, c, recall.Changes, actors.RowKey(n))
}

// Rests implements [recall.Rows].
func (r Remembered) Rests(c messages.ConversationID, id messages.MessageID) ([]string, error) {
	rests, _, err := readRow(r, growth.Kind, c, growth.Events, memory.Key(id))
	return rests.Topics, err
}

// RowKey is the secret that hides the names of what has grown from a conversation, nil where
// nothing is sealed.
func (b Backend) RowKey(c messages.ConversationID) ([]byte, error) {
	if b.Live != nil && b.Live.Played {
		return nil, nil
	}
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	key, _, err := e.DeriveKey(c, growth.RowUse)
	return key, err
}

// grown reads what growth stores under a name: growth may not have moved it yet.
func grown[V any](r Remembered, c messages.ConversationID, table actors.Table[V], name string) (
	v V, ok bool, err error) {
	key, _, err := r.DeriveKey(c, growth.RowUse)
	if err != nil {
		return v, false, err
	}
	if v, ok, err = readRow(r, growth.Kind, c, table, memory.RowOf(key, name)); ok || err != nil || key == nil {
		return v, ok, err
	}
	return readRow(r, growth.Kind, c, table, name)
}

// Topic implements [recall.Rows].
func (r Remembered) Topic(c messages.ConversationID, key string) (memory.Topic, error) {
	t, _, err := grown(r, c, growth.Topics, key)
	return t, err
}

// Named implements [recall.Rows].
func (r Remembered) Named(c messages.ConversationID, id messages.MessageID) (list []memory.Entity, err error) {
	rests, _, err := readRow(r, growth.Kind, c, growth.Events, memory.Key(id))
	for _, key := range rests.Entities {
		n, ok, failed := grown(r, c, growth.Entities, key)
		if err = errors.Join(err, failed); ok {
			list = append(list, n)
		}
	}
	return list, err
}

// How many of the confirmed preferences and of the earlier talks a reply is given.
const (
	mostLikes = 8
	mostTalks = 2
)

// About implements [recall.Rows]: what people like or dislike, how others have been of late,
// and what the stretches of talk before the present one were about.
func (r Remembered) About(c messages.ConversationID, now time.Time) ([]messages.Known, error) {
	talk, _, err := r.Talk(c)
	if err != nil {
		return nil, err
	}
	return r.about(c, now, mostLikes, mostTalks, messages.Text(talk.Thread))
}

// about is About for so many of the newest preferences and talks, but for one talk.
func (r Remembered) about(c messages.ConversationID, now time.Time, likes, talks int, except messages.Text) (
	list []messages.Known, err error) {
	portrait, ok, err := readRow(r, growth.Kind, c, growth.Portraits, growth.PortraitRow)
	if err != nil || !ok {
		return nil, err
	}
	topic := func(key string) memory.Topic {
		t, failed := r.Topic(c, key)
		err = errors.Join(err, failed)
		return t
	}
	for _, key := range portrait.Likes[max(0, len(portrait.Likes)-likes):] {
		t := topic(key)
		if _, told, ok := t.Known(); ok {
			list = append(list, messages.Known{Own: t.Subject == "", Speaker: t.Subject, Text: told})
		}
	}
	var moments []memory.Moment
	for _, key := range portrait.Felt {
		m, ok, failed := readRow(r, growth.Kind, c, growth.Moments, key)
		if err = errors.Join(err, failed); ok {
			moments = append(moments, m)
		}
	}
	for _, m := range growth.Moods(moments, now) {
		if m.Subject != "" {
			list = append(list, messages.Known{Speaker: m.Subject, Text: messages.Text("of late: " + m.Word)})
		}
	}
	before := slices.DeleteFunc(slices.Clone(portrait.Talks), func(key string) bool {
		return key == memory.Topic{Kind: memory.Summary, Name: except}.Key()
	})
	for _, key := range before[max(0, len(before)-talks):] {
		if s, ok := topic(key).Now(); ok {
			list = append(list, messages.Known{Text: "earlier: " + s.Body})
		}
	}
	return list, err
}

// Unrelated implements [recall.Rows].
func (r Remembered) Unrelated(c messages.ConversationID) (u memory.Unrelated, err error) {
	u, _, err = readRow(r, recall.Kind, c, recall.Aparts, recall.ApartRow)
	return u, err
}

// Vectors implements [recall.Rows].
func (r Remembered) Vectors(ctx context.Context, c messages.ConversationID,
	yield func(messages.ConversationID, memory.Vector) error) error {
	return readTable(ctx, r, c, recall.Vectors, yield)
}

// Embedding implements [recall.Rows].
func (r Remembered) Embedding(c messages.ConversationID) (is memory.Embedding, err error) {
	is, _, err = readRow(r, recall.Kind, c, recall.Embeddings, recall.EmbeddingRow)
	return is, err
}

// Events implements [recall.Rows].
func (r Remembered) Events(ctx context.Context, c messages.ConversationID,
	yield func(messages.ConversationID, memory.Event) error) error {
	return readTable(ctx, r, c, recall.Events, yield)
}

// readTable yields the rows of a table of a conversation, or of all if it is "".
func readTable[V any](ctx context.Context, r Remembered, c messages.ConversationID, table actors.Table[V],
	yield func(messages.ConversationID, V) error) error {
	var failed, bad error
	each := func(row engine.Row) bool {
		if row.Table != table.Name() {
			return true
		}
		v, err := table.Decode(row.Value)
		if err != nil { // one bad row does not spoil the others
			bad = err
			return true
		}
		failed = yield(messages.ConversationID(row.Actor.Key()), v)
		return failed == nil && ctx.Err() == nil
	}
	var err error
	if c == "" {
		err = r.ReadRows(recall.Kind, each)
	} else {
		err = r.ReadRowsOf(messages.To(recall.Kind, string(c)), each)
	}
	return errors.Join(err, failed, bad, ctx.Err())
}

// LoadMemory loads the stored events into the index; a question asked meanwhile has its
// conversations read first.
func (b Backend) LoadMemory(ctx context.Context, log zerolog.Logger) {
	began := time.Now()
	n, err := b.Memory.Load(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Warn().Err(err).Msg("memory_incomplete")
		b.Live.Trouble("memory", "some of what was said cannot be remembered: the log says why; kehai doctor")
	case n > 0:
		log.Info().Int("events", n).Dur("took", time.Since(began)).Msg("memory_loaded")
	}
	if err := b.moveRows(ctx); err != nil && ctx.Err() == nil {
		log.Warn().Err(err).Msg("rows_not_moved")
	}
	if !b.Config.Memory.On() {
		return
	}
	if err := b.embedRest(ctx); err != nil && ctx.Err() == nil {
		log.Warn().Err(err).Msg("memory_not_embedded")
	}
}

// moveRows wakes what has grown from the conversations whose rows stand under another key.
func (b Backend) moveRows(ctx context.Context) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	var list []messages.ConversationID
	err = engine.SkimTable(e, growth.Kind, growth.Lanes, func(a messages.Address, _ string, l growth.Lane) {
		c := messages.ConversationID(a.Key())
		if key, err := b.RowKey(c); err == nil && l.Rows != memory.RowOf(key, "") {
			list = append(list, c)
		}
	})
	if len(list) > 0 { // the former keys of the rows leave the files too
		err = errors.Join(err, b.Disk().PurgeLater())
	}
	for _, c := range list {
		if err == nil && ctx.Err() == nil {
			err = e.Inject(ctx, messages.To(growth.Kind, string(c)), messages.Grow{Conversation: c}, "")
		}
	}
	return err
}

// embedRest tells the conversations whose events have no vectors of the present model.
func (b Backend) embedRest(ctx context.Context) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return Remembered{e}.Talks(ctx, func(c messages.ConversationID, t memory.Talk) error {
		is, err := Remembered{e}.Embedding(c)
		if err == nil && (is.Model != b.Memory.Model() || is.Reached.Changes != t.Changes || is.Reached.Anew) {
			err = e.Inject(ctx, messages.To(recall.Kind, string(c)), messages.Embed{}, "")
		}
		return err
	})
}

// Scope is what a conversation sees of the memory. It is a group if whoever asks takes it for
// one, and also if its title counts members or several people are remembered to have
// spoken there: the last few messages of a group may be of one of them. What keeps to models of one kind is not
// recalled where others may be asked, see [engine.Kind.Zoned].
func (b Backend) Scope(c messages.ConversationID, group bool) recall.Scope {
	cfg, known := b.Config, b.Book.Known(b.Engine)
	set := cfg.Replies.Of(b.Label(c), false).Group
	group = group || b.Memory != nil && len(b.Memory.Speakers(c)) > 1
	if b.Live != nil && b.Live.Cluster != nil {
		cfg = strictest(cfg, b.Live.Cluster.Sharing())
	}
	s := scopeOf(cfg, known, c, isGroup(set, known, c, group))
	s.Apart = func(other messages.ConversationID) bool {
		e, err := b.Engine()
		if err != nil { // it has not begun, or has ended; alone nothing is apart
			return other != c && b.Live != nil && b.Live.Cluster != nil
		}
		told, err := e.Tells(string(other), string(c))
		return err != nil || !told
	}
	return s
}

// isGroup reports whether several people are on the other side: as the settings say, and
// if they say nothing, as was seen there or as its title says.
func isGroup(set conversation.Group, known map[messages.ConversationID]directory.Known, c messages.ConversationID,
	seen bool) bool {
	if set == conversation.GroupYes || set == conversation.GroupNo {
		return set == conversation.GroupYes
	}
	return seen || known[directory.Resolve(known, c)].Group
}

// strictest is a configuration that shares no more than those of the other machines of a cluster: what was said
// moves to each of them.
func strictest(cfg config.Config, others []cluster.Sharing) config.Config {
	mine := SharingOf(cfg)
	for _, o := range others {
		cfg.Memory.Sharing = cfg.Memory.Sharing.Within(recall.Share(o.Share), o.Owner)
		if o.People != mine.People {
			cfg.People = nil
		}
	}
	return cfg
}

// SharingOf is what a configuration says about who may be reminded of what.
func SharingOf(cfg config.Config) cluster.Sharing {
	var people []string
	for _, p := range cfg.People {
		theirs := slices.Sorted(slices.Values(p.Conversations))
		people = append(people, strings.Join(slices.Compact(theirs), "\x00"))
	}
	slices.Sort(people)
	sum := sha256.Sum256([]byte(strings.Join(people, "\x00\x00")))
	return cluster.Sharing{Share: string(cfg.Memory.Share), Owner: cfg.Memory.ShareOwner,
		People: hex.EncodeToString(sum[:8])}
}

func scopeOf(cfg config.Config, known map[messages.ConversationID]directory.Known, c messages.ConversationID,
	group bool) recall.Scope {
	m := cfg.Memory
	s := recall.ScopeOf(c, group, m.Share, m.ShareOwner == "all", linked(cfg.People, known, c))
	if s.Conversations == nil {
		return s
	}
	// What was merged into a conversation was said in it.
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if into := directory.Resolve(known, id); into != id && slices.Contains(s.Conversations, into) &&
			!slices.Contains(s.Conversations, id) {
			s.Conversations = append(s.Conversations, id)
		}
	}
	return s
}

// linked are the other conversations of the same person. A name that several
// conversations have had links none of them.
func linked(people []config.Person, known map[messages.ConversationID]directory.Known,
	c messages.ConversationID) (list []messages.ConversationID) {
	for _, person := range people {
		var theirs []messages.ConversationID
		for _, name := range person.Conversations {
			if id, ok := directory.Bound(known, name); ok {
				theirs = append(theirs, id)
			} else if len(directory.Called(known, "", name)) == 0 {
				theirs = append(theirs, messages.ConversationID(name)) // a host's own
			}
		}
		if slices.Contains(theirs, c) {
			list = append(list, slices.DeleteFunc(theirs, func(o messages.ConversationID) bool { return o == c })...)
		}
	}
	return list
}

// OpenKeys returns what seals the store: the host's sealer, or, for Kehai's own store, the
// keys of the data directory. The index of the memory is then saved there, sealed too.
// Debugging files are always sealed.
func (b Backend) OpenKeys(host engine.Sealer, ours bool) (engine.Sealer, error) {
	if host != nil || !ours && !b.Config.Debug.Text {
		b.Debug.Keep(host)
		return host, nil
	}
	keys, err := datadir.OpenKeys(b.Config)
	if err != nil {
		return nil, err
	}
	b.Debug.Keep(keys)
	if !ours {
		return nil, nil
	}
	b.Memory.Keep(datadir.SavedIndex(b.Config.Data, keys))
	return keys, nil
}

const (
	// saveEvery is how often it is looked whether the index is to be saved, saveAfter how
	// many changes it is worth.
	saveEvery = time.Minute
	saveAfter = 2000
)

// keepIndex has the index of the memory saved now and then, and when ctx ends.
func (b Backend) keepIndex(ctx context.Context, log zerolog.Logger) {
	save := func(from int) {
		n := b.Memory.Unsaved()
		if n == 0 || n < from {
			return
		}
		began := time.Now()
		if err := b.Memory.Save(); err != nil { // derived data: the next start takes longer
			log.Warn().Err(err).Msg("memory_index_not_saved")
			return
		}
		log.Debug().Dur("took", time.Since(began)).Msg("memory_index_saved")
	}
	for {
		select {
		case <-ctx.Done():
			save(1)
			return
		case <-time.After(saveEvery):
			save(saveAfter)
		}
	}
}
