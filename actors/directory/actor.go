package directory

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Kind is the actor's kind; the key is the application.
const Kind = messages.ActorDirectory

// Options of a directory.
type Options struct {
	Rules Rules
	Only  Only // conversations that are read; nothing is kept of others
	// Adopt returns the stored ids of an application that an older version made of names,
	// as "line:Hana". They stay valid. Nil: none.
	Adopt func(app string) []messages.ConversationID
	// Seed returns a random part for the ids of an application, asked for once, so that
	// two stores never share ids. Nil: empty.
	Seed func() string
}

// New makes the constructor of directories.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Adopt == nil {
		o.Adopt = func(string) []messages.ConversationID { return nil }
	}
	if o.Seed == nil {
		o.Seed = func() string { return "" }
	}
	return func(self messages.Address) actors.Actor { return &actor{o: o, app: self.Key()} }
}

// Conversations holds what is known of each conversation, by id.
var Conversations = actors.NewTable[Known]("known")

// seeds has one row.
var seeds = actors.NewTable[string]("seed")

type actor struct {
	o     Options
	app   string
	known map[messages.ConversationID]Known // of the table; nil until it is needed
	names index                             // of known
	// unread are conversations of the table whose keys are out of reach, since read.
	unread map[messages.ConversationID]bool
	read   time.Time
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	a.load(turn)
	if len(a.unread) > 0 && a.waits(msg) { // durable: it comes again
		turn.After("unread/"+turn.NewID(), readAgain, msg)
		return nil
	}
	switch m := msg.(type) {
	case messages.Started:
	case messages.Identify:
		a.identify(turn, m)
	case messages.Introduce:
		a.introduce(turn, m)
	case messages.Rename:
		a.rename(turn, m)
	case messages.Merge:
		a.merge(turn, m)
	case messages.Split:
		a.split(turn, m)
	case messages.LedgerMoved:
		a.moved(turn, m)
	case messages.SettleHeld:
		a.settleHeld(turn, m)
	case messages.SettleNew:
		a.settleNew(turn, m)
	default:
		return fmt.Errorf("directory: unexpected %s", msg.MessageType())
	}
	return nil
}

// load reads the table, and adopts what an older version left.
func (a *actor) load(turn *actors.Turn) {
	if a.known != nil && (len(a.unread) == 0 || turn.Now().Sub(a.read) < readAgain) {
		return
	}
	a.known, a.names, a.unread, a.read = map[messages.ConversationID]Known{}, index{}, nil, turn.Now()
	rows, away := Conversations.InReach(turn)
	for id, k := range rows {
		a.keep(messages.ConversationID(id), k)
	}
	for id := range away {
		if a.unread == nil {
			a.unread = map[messages.ConversationID]bool{}
		}
		a.unread[messages.ConversationID(id)] = true
	}
	for _, id := range a.o.Adopt(a.app) {
		if a.taken(id) || len(id) <= len(a.app)+1 {
			continue
		}
		a.put(turn, id, Known{App: a.app, Title: messages.Text(id[len(a.app)+1:])})
	}
}

func (a *actor) put(turn *actors.Turn, id messages.ConversationID, k Known) {
	Conversations.Put(turn, string(id), k)
	a.keep(id, k)
}

func (a *actor) keep(id messages.ConversationID, k Known) {
	a.names.change(id, a.known[id], k)
	a.known[id] = k
}

// identify answers whose conversation a frame shows.
func (a *actor) identify(turn *actors.Turn, m messages.Identify) {
	answer := messages.Identified{Window: m.Window, Frame: m.Frame, At: m.At}
	m.Title = a.o.Rules.Spelled(a.app, m.Title, m.Names)
	m, answer.Asked = current(m, a.known)
	d := a.certain(m, a.o.Rules.Decide(m, a.known).settled(m, a.known, moving(a.known)))
	title, group := a.o.Rules.titled(m, a.known)
	switch {
	case d.Why != "":
		answer.Why, answer.Of = d.Why, d.Of
		answer.Unlisted = !a.o.Only.Allows(a.app, string(title))
	case d.Compare != nil:
		answer.Compare = d.Compare
	case d.Search:
		answer.Search = true
	case d.New && !a.o.Only.Allows(a.app, string(title)):
		answer.Unlisted, answer.Name = true, title
	case d.New && m.Empty:
	case d.New:
		answer.Conversation, answer.Name = a.issue(turn, title, group, m.Title), title
	default:
		k := a.known[d.Conversation]
		if answer.Name = k.Title; !a.lists(k) {
			answer.Unlisted = true
			break
		}
		if d.Learn && !m.Empty && !alsoCalled(a.known, d.Conversation, title, group) {
			k = a.learn(turn, d.Conversation, m.Title)
		}
		answer.Conversation, answer.Name, answer.Moves = d.Conversation, k.Title, k.Moves
		answer.Merged = Merged(a.known, d.Conversation)
	}
	turn.Send(messages.To(messages.ActorFusion, string(m.Window)), answer)
}

// lists reports whether a known conversation may be read, by any of its names.
func (a *actor) lists(k Known) bool {
	return a.o.Only.Allows(a.app, string(k.Title)) || k.Named != "" && a.o.Only.Allows(a.app, string(k.Named))
}

// issue gives a conversation its id.
func (a *actor) issue(turn *actors.Turn, title messages.Text, group bool, line messages.Line) messages.ConversationID {
	id := a.newID(turn)
	a.issueAs(turn, id, title, group, line)
	return id
}

// issueAs takes an id over that is still free.
func (a *actor) issueAs(turn *actors.Turn, id messages.ConversationID, title messages.Text, group bool,
	line messages.Line) {
	k := Known{App: a.app, Title: title, Group: group, Settled: true}
	k.Learn(a.o.Rules, line)
	a.put(turn, id, k)
	turn.Publish(events.ConversationNamed{Conversation: id, App: a.app, Name: k.Name(), New: true, At: turn.Now()})
}

// newID makes a free id from the message that first showed the conversation and the
// store's seed.
func (a *actor) newID(turn *actors.Turn) messages.ConversationID {
	seed, ok := seeds.Get(turn, "seed")
	if !ok {
		seed = a.o.Seed()
		seeds.Put(turn, "seed", seed)
	}
	for {
		id := ID(seed + "\x00" + turn.NewID())
		if !a.taken(id) {
			return id
		}
	}
}

// idDigits is the length of an id behind its prefix: 60 bits.
const idDigits = 12

// ID is the id made of a seed; it reveals nothing of the seed. A person who adds a
// conversation by hand proposes one, so that the name is sealed under its key from the
// first byte.
func ID(seed string) messages.ConversationID {
	sum := sha256.Sum256([]byte(seed))
	digits := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))
	return messages.ConversationID("c-" + digits[:idDigits])
}

// learn counts a reading of a title.
func (a *actor) learn(turn *actors.Turn, id messages.ConversationID, line messages.Line) Known {
	before := a.known[id]
	k := before
	if k.Learn(a.o.Rules, line) {
		a.put(turn, id, k)
	}
	a.tell(turn, id, before, k)
	return k
}

// tell reports a new name, which also applies to the conversations merged into this one.
func (a *actor) tell(turn *actors.Turn, id messages.ConversationID, before, k Known) {
	if before.Name() != k.Name() {
		a.named(turn, id, k)
	}
}

// named reports the name of a conversation and of those merged into it.
func (a *actor) named(turn *actors.Turn, id messages.ConversationID, k Known) {
	for _, c := range append(Merged(a.known, id), id) {
		turn.Publish(events.ConversationNamed{Conversation: c, App: a.app, Name: k.Name(), At: turn.Now()})
	}
}

// introduce gives a certain name an id, unless it has one, and publishes which conversations are called so. A
// new name gets none while it may be that of a conversation that cannot be read; whoever waits asks again.
func (a *actor) introduce(turn *actors.Turn, m messages.Introduce) {
	line := messages.Line{Text: m.Name}
	title, group := a.o.Rules.Read(line)
	if title == "" {
		return
	}
	found := Called(a.names.near(a.known, title), a.app, string(title))
	if len(found) == 0 && len(a.unread) > 0 {
		return
	}
	if len(found) == 0 {
		found = append(found, a.issue(turn, title, group, line))
	}
	turn.Publish(events.ConversationCalled{App: a.app, Name: m.Name, Conversations: found, At: turn.Now()})
}

// rename applies a name given by a person.
func (a *actor) rename(turn *actors.Turn, m messages.Rename) {
	before, ok := a.known[m.Conversation]
	if !ok {
		turn.Drop(events.StageDirectory, events.RuleNobody, events.Detail{Conversation: m.Conversation})
		return
	}
	k := before
	k.Named, _ = a.o.Rules.Read(messages.Line{Text: m.Name})
	a.put(turn, m.Conversation, k)
	a.tell(turn, m.Conversation, before, k)
}

// settleAgain is when a decision is tried again that waits for a ledger.
const settleAgain = time.Second

// settleHeld applies a person's decision about the readings that a window holds. It waits
// while a ledger is on its way.
func (a *actor) settleHeld(turn *actors.Turn, m messages.SettleHeld) {
	id := m.Conversation
	if id == "" { // of an older version
		a.settleNew(turn, messages.SettleNew{Window: m.Window, Held: m.Held, Title: m.Title,
			Conversation: a.newID(turn)})
		return
	}
	id = Resolve(a.known, id)
	k, ok := a.known[id]
	if !ok {
		turn.Drop(events.StageDirectory, events.RuleNobody, events.Detail{Conversation: id})
		return
	}
	if slices.Contains(moving(a.known), id) {
		m.Conversation = id
		turn.After(fmt.Sprintf("settle/%s/%d", m.Window, m.Held), settleAgain, m)
		return
	}
	turn.Send(messages.To(messages.ActorFusion, string(m.Window)),
		messages.HeldSettled{Held: m.Held, Conversation: id, Name: k.Title, Moves: k.Moves})
}

// unreadTitle is what a conversation is called whose title could not be read, until it is or a
// person names it.
const unreadTitle = "?"

// settleNew gives a new conversation the proposed id.
func (a *actor) settleNew(turn *actors.Turn, m messages.SettleNew) {
	line := messages.Line{Text: m.Title}
	title, group := a.o.Rules.Read(line)
	if title == "" {
		title = unreadTitle
	}
	if _, known := a.known[m.Conversation]; !known {
		a.issueAs(turn, m.Conversation, title, group, line)
	}
	a.settleHeld(turn, messages.SettleHeld{Window: m.Window, Held: m.Held, Conversation: m.Conversation})
}

// merge makes one conversation of two, for good: from now on, whatever is taken for the
// first counts as the second, and its stored data follows. A repeated merge changes
// nothing, and a conversation is never merged into itself.
func (a *actor) merge(turn *actors.Turn, m messages.Merge) {
	from, into := Resolve(a.known, m.Conversation), Resolve(a.known, m.Into)
	loser, ok := a.known[from]
	winner, also := a.known[into]
	if !ok || !also || from == into {
		turn.Drop(events.StageDirectory, events.RuleNobody, events.Detail{Conversation: m.Conversation})
		return
	}
	loser.Into, loser.Moving = into, true
	a.put(turn, from, loser)
	if winner.Named == "" {
		winner.Named = loser.Named
	}
	winner.Moves = max(winner.Moves, loser.Moves) + 1
	a.put(turn, into, winner)
	a.named(turn, into, winner) // even if no name changes: others keep who is who, and must read it again
	turn.Send(messages.To(messages.ActorDedup, string(from)),
		messages.JoinLedger{Conversation: from, Into: into, App: a.app})
}

// moved notes that a ledger has arrived. From now on windows are answered again.
func (a *actor) moved(turn *actors.Turn, m messages.LedgerMoved) {
	k, ok := a.known[m.Conversation]
	if !ok || !k.awaits(m.Split) {
		return
	}
	a.put(turn, m.Conversation, k.moved(m.Split))
	sides := []messages.ConversationID{Resolve(a.known, m.Conversation)}
	if m.Split {
		sides = append(sides, Resolve(a.known, k.From))
	}
	for _, id := range slices.Compact(sides) {
		if k, ok := a.known[id]; ok {
			k.Moves++
			a.put(turn, id, k)
		}
	}
}

// split gives somebody new an id, and has their messages moved from a conversation to the
// new one. Until its own title is read, the new one has the title of the old one.
func (a *actor) split(turn *actors.Turn, m messages.Split) {
	from := Resolve(a.known, m.From)
	k, ok := a.known[from]
	if _, taken := a.known[m.Conversation]; !ok || taken || m.Conversation == "" {
		turn.Drop(events.StageDirectory, events.RuleNobody, events.Detail{Conversation: m.From})
		return
	}
	k.Moves++
	a.put(turn, from, k)
	other := Known{App: a.app, Title: k.Title, Group: k.Group, Settled: k.Settled, From: from, Coming: true,
		Moves: 1}
	other.Named, _ = a.o.Rules.Read(messages.Line{Text: m.Name})
	a.put(turn, m.Conversation, other)
	turn.Publish(events.ConversationNamed{
		Conversation: m.Conversation, App: a.app, Name: other.Name(), New: true, At: turn.Now(),
	})
	turn.Send(messages.To(messages.ActorDedup, string(from)), messages.SplitLedger{
		Conversation: from, Into: m.Conversation, Occurrences: m.Occurrences, App: a.app, Moves: k.Moves,
	})
}
