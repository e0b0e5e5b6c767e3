package admin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/engine"
)

// place is where a message stands: in a transcript, as which occurrence.
type place struct {
	conversation messages.ConversationID
	occurrence   messages.Occurrence
}

// dead is a dead letter with its message, nil if that cannot be read.
type dead struct {
	engine.DeadLetter
	message messages.Message
}

// evidence is everything that the store can tell about messages.
type evidence struct {
	left      func(messages.ConversationID) messages.ConversationID // the one that it went into
	verdicts  []events.Verdict
	delivered []control.Entry // messages
	of        map[place]int   // index in delivered
	replies   []*replied      // oldest first
	ours      map[place]*replied
	judged    []messages.JudgementMade
	entries   map[place]ledger.Entry
	buffered  map[messages.ConversationID]burst.Buffer
	sent      map[messages.ConversationID][]ingress.Sent
	mail      []engine.Envelope
	dead      []dead
	recalled  func(run string) (control.Recollection, error)
}

func newEvidence() *evidence {
	return &evidence{
		of: map[place]int{}, ours: map[place]*replied{}, entries: map[place]ledger.Entry{},
		buffered: map[messages.ConversationID]burst.Buffer{}, sent: map[messages.ConversationID][]ingress.Sent{},
	}
}

// gather reads the evidence of one conversation, or of all if it is "".
func gather(e *engine.Engine, c messages.ConversationID) (*evidence, error) {
	ev := newEvidence()
	known, err := Known(e)
	if err != nil {
		return nil, err
	}
	ev.left = func(of messages.ConversationID) messages.ConversationID { return directory.Resolve(known, of) }
	mine := func(of messages.ConversationID) bool { return c == "" || ev.left(of) == c }
	steps := []func() error{
		func() error {
			return e.ReadLog(0, func(p engine.Published) bool {
				ev.take(p, mine)
				return true
			})
		},
		func() error {
			return e.ReadVerdicts(func(v events.Verdict) bool {
				if mine(conversationOf(v)) {
					ev.verdicts = append(ev.verdicts, v)
				}
				return true
			})
		},
		func() error {
			return e.ReadMail(func(env engine.Envelope) bool {
				if of, _ := mentionsIn(env.Message); mine(of) && of != "" {
					ev.mail = append(ev.mail, env)
				}
				return true
			})
		},
		func() error { return ev.addDead(e, mine) },
		func() error { return eachRow(e, dedup.Kind, dedup.Tail, mine, ev.addEntry) },
		func() error {
			return eachRow(e, burst.Kind, burst.Buffers, mine,
				func(c messages.ConversationID, b burst.Buffer) { ev.buffered[c] = b })
		},
		func() error {
			return eachRow(e, ingress.Kind, ingress.Sends, mine, func(c messages.ConversationID, s ingress.Sent) {
				ev.sent[c] = append(ev.sent[c], s)
			})
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return ev, nil
}

// take takes an event over that a person may ask about.
func (ev *evidence) take(p engine.Published, mine func(messages.ConversationID) bool) {
	if of, ok := p.Message.(messages.About); !ok || !mine(of.Subject()) {
		return
	}
	entry, ok := control.EntryOf(p)
	if !ok || entry.Message == nil {
		ev.takeReply(p, entry)
		return
	}
	for _, part := range entry.Message.Parts {
		ev.of[place{entry.Conversation, part.Occurrence}] = len(ev.delivered)
	}
	ev.delivered = append(ev.delivered, entry)
}

func (ev *evidence) addDead(e *engine.Engine, mine func(messages.ConversationID) bool) error {
	list, err := e.DeadLetters()
	for _, d := range list {
		m, merr := e.DecodeDeadLetter(d)
		if of, _ := mentionsIn(m); merr == nil && mine(of) {
			ev.dead = append(ev.dead, dead{d, m})
		} else if merr != nil && mine(messages.ConversationID(d.Actor.Key())) {
			ev.dead = append(ev.dead, dead{d, nil})
		}
	}
	return err
}

func (ev *evidence) addEntry(c messages.ConversationID, e ledger.Entry) {
	ev.entries[place{c, e.Occurrence}] = e
}

// eachRow decodes the rows of one table of a kind; one that cannot be read tells
// nothing.
func eachRow[V any](e *engine.Engine, kind string, t actors.Table[V], mine func(messages.ConversationID) bool,
	yield func(messages.ConversationID, V)) error {
	return e.ReadRows(kind, func(r engine.Row) bool {
		c := messages.ConversationID(r.Actor.Key())
		if r.Table != t.Name() || !mine(c) {
			return true
		}
		if v, err := t.Decode(r.Value); err == nil {
			yield(c, v)
		}
		return true
	})
}

// mention is something that was read, wherever it is now.
type mention struct {
	place
	text string
	at   time.Time
}

// mentionsIn tells what a message of the pipeline holds, and whose it is.
func mentionsIn(m messages.Message) (c messages.ConversationID, list []mention) {
	switch m := m.(type) {
	case messages.Detection:
		for _, b := range m.Bubbles {
			list = append(list, mention{place{m.Conversation, 0}, string(b.Text), m.SeenAt})
		}
		if m.Text != "" {
			list = append(list, mention{place{m.Conversation, 0}, string(m.Text), m.SeenAt})
		}
		return m.Conversation, list
	case messages.Heard:
		return m.Conversation, []mention{{place{m.Conversation, m.Occurrence}, string(m.Text), m.SeenAt}}
	case messages.InboundMessage:
		for _, p := range m.Parts {
			list = append(list, mention{place{m.Conversation, p.Occurrence}, string(p.Text), p.SeenAt})
		}
		return m.Conversation, list
	case messages.MessageDelivered: // of a subscription that parked it
		return mentionsIn(m.InboundMessage)
	}
	return "", nil
}

// everything lists all that the evidence holds, most of it several times.
func (ev *evidence) everything() (list []mention) {
	for _, d := range ev.delivered {
		for _, p := range d.Message.Parts {
			list = append(list, mention{place{d.Conversation, p.Occurrence}, p.Text, p.SeenAt.Time})
		}
	}
	for at, e := range ev.entries {
		list = append(list, mention{at, string(e.Text), e.SeenAt})
	}
	for c, b := range ev.buffered {
		for _, p := range b.Parts {
			list = append(list, mention{place{c, p.Occurrence}, string(p.Text), p.SeenAt})
		}
	}
	for _, env := range ev.mail {
		_, in := mentionsIn(env.Message)
		list = append(list, in...)
	}
	for _, d := range ev.dead {
		_, in := mentionsIn(d.message)
		list = append(list, in...)
	}
	return list
}

// Trace implements [control.Backend].
func (b Backend) Trace(ctx context.Context, id messages.MessageID) (control.Path, error) {
	e, err := b.Engine()
	if err != nil {
		return control.Path{}, err
	}
	ev, err := gather(e, "")
	if err != nil {
		return control.Path{}, err
	}
	for i := range ev.delivered {
		if ev.delivered[i].Message.ID == id {
			p := ev.pathOf(&ev.delivered[i])
			b.call(&p)
			return p, ctx.Err()
		}
	}
	return control.Path{}, fmt.Errorf("%w: %s was not delivered, or is kept no longer: "+
		"kehai messages --json lists ids, kehai why finds what was not delivered", control.ErrNoMessage, id)
}

// call adds what people call the conversation of a path.
func (b Backend) call(p *control.Path) {
	if p.Called = b.Label(p.Conversation); p.Entry != nil {
		p.Entry.Called = p.Called
	}
}

// Why implements [control.Backend].
func (b Backend) Why(ctx context.Context, q control.WhyQuery) (control.Why, error) {
	why := control.Why{Paths: []control.Path{}, Notes: b.notes()}
	e, err := b.Engine()
	if err != nil {
		return why, err
	}
	if q.Conversation, err = b.Which(ctx, string(q.Conversation)); err != nil {
		return why, err
	}
	ev, err := gather(e, q.Conversation)
	if err != nil {
		return why, err
	}
	ev.recalled = func(run string) (control.Recollection, error) { return b.Run(ctx, run) }
	if q.ID != "" {
		if why.Paths = ev.byID(q.ID); len(why.Paths) == 0 {
			return why, fmt.Errorf("%w: %s: want the id of a message or a reply, as kehai messages "+
				"--json lists it, or of a dead letter; kehai why --text finds others", control.ErrNoMessage, q.ID)
		}
	} else {
		why.Paths = append(why.Paths, ev.byText(q, b.visible())...)
	}
	for i := range why.Paths {
		b.call(&why.Paths[i])
	}
	if b.Live == nil {
		why.Notes = append(why.Notes, "Kehai does not run: nothing is read.")
	} else {
		why.Recent = b.Live.Seen.Drops()
		why.Notes = append(append(why.Notes, b.Live.Seen.Notes(time.Now())...), b.Live.Problems()...)
	}
	why.Notes = append(why.Notes, b.lastRead(ev))
	return why, ctx.Err()
}

// lastRead tells what was read last, by whatever run.
func (b Backend) lastRead(ev *evidence) string {
	var newest mention
	for _, m := range ev.everything() {
		if m.at.After(newest.at) {
			newest = m
		}
	}
	if newest.at.IsZero() {
		return "Nothing was ever read, as far as is still known."
	}
	return fmt.Sprintf("Last read, %s, in %s: 「%s」", control.Stamp{Time: newest.at},
		cmp.Or(b.Label(newest.conversation), string(newest.conversation)), newest.text)
}

// visible lists what stands on the screen at the moment.
func (b Backend) visible() (list []mention) {
	if b.Live == nil {
		return nil
	}
	shown := b.Live.Seen.Shown()
	if len(shown) == 0 {
		return nil
	}
	e, err := b.Engine()
	if err != nil {
		return nil
	}
	known, err := Known(e)
	if err != nil {
		return nil
	}
	for _, t := range shown {
		c := messages.ConversationID(t.App + ":" + t.Title) // of nobody's yet
		if found := directory.Called(known, t.App, t.Title); len(found) > 0 {
			c = found[0]
		}
		list = append(list, mention{place{c, 0}, t.Text, t.At})
	}
	return list
}

// byID finds a message, a part of the mail or a dead letter.
func (ev *evidence) byID(id string) (list []control.Path) {
	for i := range ev.delivered {
		if string(ev.delivered[i].Message.ID) == id {
			return []control.Path{ev.pathOf(&ev.delivered[i])}
		}
	}
	for _, r := range ev.replies {
		if r.named(id) {
			list = append(list, ev.replyPath(r))
		}
	}
	for _, env := range ev.mail {
		if m, ok := env.Message.(messages.InboundMessage); ok && string(m.ID) == id || env.ID == id {
			list = append(list, ev.pathsOf(env.Message)...)
		}
	}
	for _, d := range ev.dead {
		if m, ok := d.message.(messages.InboundMessage); d.ID == id || ok && string(m.ID) == id {
			if d.message == nil {
				list = append(list, control.Path{Outcome: events.OutcomeDeadLetter, Why: deadWhy(d),
					Steps: []control.Step{deadStep(d)}})
			}
			list = append(list, ev.pathsOf(d.message)...)
		}
	}
	return list
}

// pathsOf are those of all that a message holds.
func (ev *evidence) pathsOf(m messages.Message) (list []control.Path) {
	_, in := mentionsIn(m)
	for _, s := range in {
		list = append(list, ev.path(s))
	}
	return list
}

// likely is how alike a text must be to be taken for what is asked for.
const likely = 0.5

// found is something that reads like what was asked for.
type found struct {
	mention
	likeness float64
	visible  bool
	reply    *replied // that it is; nil for none
}

// search keeps the best of what was found for a text.
type search struct {
	*evidence
	q     control.WhyQuery
	best  map[string]found
	texts map[string]bool // that were found, by conversation
}

// take takes a mention that reads like the text, once for each thing that it is of.
func (s *search) take(m mention, visible bool, r *replied) {
	l := likeness(s.q.Text, m.text)
	if l < likely || s.q.Conversation != "" && s.left(m.conversation) != s.q.Conversation {
		return
	}
	key := fmt.Sprint(m.conversation, "\x00", m.occurrence)
	if at, ok := s.of[m.place]; ok {
		key = string(s.delivered[at].Message.ID)
	}
	loose := string(m.conversation) + "\x00" + m.text
	if r == nil {
		r = s.ours[m.place]
	}
	switch {
	case r != nil:
		key = fmt.Sprint(r.conversation, "\x00", r.turn, "\x00", r.key)
	case m.occurrence == 0 && s.texts[loose]:
		return
	case m.occurrence == 0:
		key = loose
	}
	s.texts[loose] = true
	if old, ok := s.best[key]; !ok || l > old.likeness {
		s.best[key] = found{m, l, visible, r}
	}
}

// byText finds what reads like a text, the likest and newest first.
func (ev *evidence) byText(q control.WhyQuery, visible []mention) []control.Path {
	s := search{ev, q, map[string]found{}, map[string]bool{}}
	for _, r := range ev.replies {
		s.take(mention{place{r.conversation, 0}, r.text(), r.at()}, false, r)
	}
	all := ev.everything()
	// What has a place tells more than what has none.
	slices.SortStableFunc(all, func(a, b mention) int { return cmp.Compare(b.occurrence, a.occurrence) })
	for _, m := range all {
		s.take(m, false, nil)
	}
	for _, m := range visible {
		s.take(m, true, nil)
	}
	list := slices.SortedFunc(maps.Values(s.best), func(a, b found) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), b.at.Compare(a.at), cmp.Compare(b.occurrence, a.occurrence),
			strings.Compare(a.text, b.text))
	})
	limit := q.Limit
	if limit <= 0 {
		limit = 5
	}
	var paths []control.Path
	for _, f := range list[:min(len(list), limit)] {
		p := ev.pathOfFound(f)
		p.Likeness = f.likeness
		paths = append(paths, p)
	}
	return paths
}

func (ev *evidence) pathOfFound(f found) control.Path {
	if f.reply != nil {
		return ev.replyPath(f.reply)
	}
	if p := ev.path(f.mention); !f.visible || len(p.Steps) > 0 {
		return p
	}
	return visiblePath(f.mention)
}

// notes tell what keeps messages from being read, as far as the store knows.
func (b Backend) notes() (notes []string) {
	for _, p := range b.Pauses.List() {
		what := "All windows are"
		if p.Window != "" {
			what = fmt.Sprintf("Window %s is", p.Window)
		}
		notes = append(notes, fmt.Sprintf("%s paused since %s: kehai resume goes on.", what, p.Since))
	}
	if n := len(b.Config.Read.Only); n > 0 {
		notes = append(notes, fmt.Sprintf("Only %d conversations are read (read.only in the configuration).", n))
	}
	if keep := b.Config.Retention.Verdicts; keep > 0 {
		notes = append(notes, fmt.Sprintf("Decisions are kept for %s (retention.verdicts).", describe.Span(keep)))
	}
	return notes
}
