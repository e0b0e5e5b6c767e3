package growth

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the conversation.
const Kind = messages.ActorGrowth

// Tables of what has grown from a conversation; a reader of the store decodes rows with
// them.
var (
	Topics    = actors.NewTable[memory.Topic]("topics")
	Entities  = actors.NewTable[memory.Entity]("entities")
	Moments   = actors.NewTable[memory.Moment]("moments")
	Revisions = actors.NewTable[memory.Revision]("revisions")
	Jobs      = actors.NewTable[Job]("jobs")
	Lanes     = actors.NewTable[Lane]("lane")
	Events    = actors.NewTable[Grown]("grown")
	Portraits = actors.NewTable[memory.Portrait]("portrait")
)

// Each is the only row of its table.
const (
	LaneRow     = "lane"
	PortraitRow = "portrait"
)

// Lane is how far growth has come.
type Lane struct {
	Reached messages.Reached `json:"reached,omitzero"`
	Reading bool             `json:"reading,omitempty"` // a worker reads
	Wanted  bool             `json:"wanted,omitempty"`  // there is more since
	Events  int64            `json:"events,omitempty"`  // that were grown
	Changes uint64           `json:"changes,omitempty"` // revisions that there were

	Parts  uint64 `json:"parts,omitempty"` // jobs that were made, and the last one that ran
	Ran    uint64 `json:"ran,omitempty"`
	Anew   uint64 `json:"anew,omitempty"`   // the first part since all was read anew the last time
	Afresh bool   `json:"afresh,omitempty"` // all is to be read anew

	Jobs   uint64       `json:"jobs,omitempty"`   // questions to a model that there were
	Asking string       `json:"asking,omitempty"` // the key of the one under way
	Due    bool         `json:"due,omitempty"`    // the next is due, or its answer
	Quota  prompt.Quota `json:"quota,omitzero"`

	Rows string `json:"rows,omitempty"` // memory.RowOf "": the key under which all rows stand
}

// Grown is what rests on an event.
type Grown struct {
	Topics   []string `json:"topics,omitempty"`
	Talk     string   `json:"talk,omitempty"` // the topic of its stretch of talk, if its summary may name it
	Entities []string `json:"entities,omitempty"`
	Moment   bool     `json:"moment,omitempty"`
	Print    string   `json:"print"` // of the event's words

	ID   messages.MessageID `json:"id,omitempty"`
	Part uint64             `json:"part,omitempty"` // in which it was read
}

// readAtOnce is how many events are read together, growAtOnce how many make a job, and
// readPause passes before more are read.
const (
	readAtOnce = 128
	growAtOnce = 16
	readPause  = 100 * time.Millisecond
	readTimer  = "read"
	goneTimer  = "gone"
	goneAtOnce = 64 // events that are gone
)

// keptRevisions is how many revisions of a conversation are kept, keptNaming how many
// events an entity knows.
const (
	keptRevisions = 1000
	keptNaming    = 50
)

// New returns a constructor of growth.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Prompts == nil {
		o.Prompts = prompt.Default()
	}
	if o.Deadline <= 0 {
		o.Deadline = time.Minute
	}
	return func(self messages.Address) actors.Actor {
		return &actor{o: o, id: messages.ConversationID(self.Key())}
	}
}

type actor struct {
	o    Options
	id   messages.ConversationID
	open map[string]memory.Topic // tasks that are not done, by key; nil until they are read

	key    []byte            // of rows, nil where nothing is sealed
	former map[string]string // rows that are not yet moved, by name
	under  string            // the key for which former was read
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	if _, begins := msg.(messages.Started); !begins {
		a.settle(turn)
	}
	switch m := msg.(type) {
	case messages.Started:
	case messages.Grow:
		a.read(turn)
	case messages.EventsRead:
		a.take(turn, m)
	case messages.GrowEvents:
		a.grow(turn, m)
	case messages.CallFailed:
		a.failed(turn, m)
	case messages.GrowthFailed:
		return a.dead(turn, m)
	case messages.GrowthNext:
		a.next(turn, m.Job)
	case messages.GrowthDue:
		switch {
		case m.Model:
			a.due(turn)
		case m.Gone:
			a.sweep(turn)
		default:
			a.ask(turn)
		}
	case messages.LLMAnswer:
		a.answered(turn, m)
	default:
		return fmt.Errorf("growth: unexpected %s", msg.MessageType())
	}
	return nil
}

// read has what is new read.
func (a *actor) read(turn *actors.Turn) {
	lane, _ := Lanes.Get(turn, LaneRow)
	if lane.Reading {
		if !lane.Wanted {
			lane.Wanted = true
			Lanes.Put(turn, LaneRow, lane)
		}
		return
	}
	a.ask(turn)
}

// ask calls the worker that reads.
func (a *actor) ask(turn *actors.Turn) {
	lane, _ := Lanes.Get(turn, LaneRow)
	lane.Reading, lane.Wanted = true, false
	if lane.Afresh && !lane.Reached.Anew {
		lane.Reached.Anew, lane.Afresh = true, false
	}
	Lanes.Put(turn, LaneRow, lane)
	turn.Call(messages.WorkerReader, messages.ReadEvents{Conversation: a.id, After: lane.Reached, Most: readAtOnce},
		actors.CallOptions{Deadline: actors.DefaultDeadline, Retries: retries, Tag: readJob})
}

// take makes jobs of what was read. The rest is read after these jobs. If it is much, as
// after an import, it is read a little later: replies come first.
func (a *actor) take(turn *actors.Turn, m messages.EventsRead) {
	lane, _ := Lanes.Get(turn, LaneRow)
	if !lane.Reading { // the call's second answer
		return
	}
	if from := lane.Reached; m.Anew && (!from.Anew || from.After.IsZero() && from.ID == "") {
		lane.Anew = lane.Parts + 1
	}
	lane.Reading, lane.Reached = m.More || lane.Wanted, m.Reached
	for part := range slices.Chunk(m.Events, growAtOnce) {
		lane.Parts++
		turn.Send(messages.To(Kind, string(a.id)),
			messages.GrowEvents{Conversation: a.id, Events: part, Part: lane.Parts})
	}
	Lanes.Put(turn, LaneRow, lane)
	if m.Anew {
		a.there(turn, m, lane.Anew)
	}
	if m.More {
		turn.After(readTimer, readPause, messages.GrowthDue{})
	} else if lane.Reading {
		a.ask(turn)
	}
}

// there notes which events still exist while all of them are read again. After the last
// one it removes what rests on events that are gone.
func (a *actor) there(turn *actors.Turn, m messages.EventsRead, part uint64) {
	for _, e := range m.Events {
		key := memory.Key(e.ID)
		if old, known := Events.Get(turn, key); known && !e.Gone {
			old.ID, old.Part = e.ID, part
			Events.Put(turn, key, old)
		}
	}
	if !m.Reached.Anew {
		turn.After(goneTimer, 0, messages.GrowthDue{Gone: true})
	}
}

// sweep removes what rests on events that were in no part when all were read anew, some
// at a time.
func (a *actor) sweep(turn *actors.Turn) {
	lane, _ := Lanes.Get(turn, LaneRow)
	n := 0
	for key, old := range Events.All(turn) {
		if old.Part >= lane.Anew {
			continue
		}
		if n++; n > goneAtOnce {
			turn.After(goneTimer, readPause, messages.GrowthDue{Gone: true})
			return
		}
		a.forget(turn, key, old)
	}
}

// forget removes an event that is not remembered any more.
func (a *actor) forget(turn *actors.Turn, key string, old Grown) {
	is := func(e messages.MessageID) bool { return e == old.ID || old.ID == "" && memory.Key(e) == key }
	a.drop(turn, key, old, is)
	a.unask(turn, is)
	Events.Delete(turn, key)
}

// grow has the rules learn from events. A job that comes too late counts for what is
// there now instead.
func (a *actor) grow(turn *actors.Turn, m messages.GrowEvents) {
	lane, _ := Lanes.Get(turn, LaneRow)
	if m.Part <= lane.Ran || m.Part < lane.Anew {
		lane.Afresh = true
		Lanes.Put(turn, LaneRow, lane)
		a.read(turn)
		return
	}
	lane.Ran = m.Part
	Lanes.Put(turn, LaneRow, lane)
	n := lane.Events
	for _, e := range m.Events {
		key := memory.Key(e.ID)
		old, known := Events.Get(turn, key)
		now := Grown{Print: memory.PrintOf(e.Text), ID: e.ID, Part: m.Part}
		if known && !e.Gone && old.Print == now.Print {
			continue
		}
		if old.ID = e.ID; known {
			a.forget(turn, key, old)
		}
		if e.Gone {
			continue
		}
		Events.Put(turn, key, a.learn(turn, e, now))
		a.queue(turn, e.Event)
		if n++; n == firstTidy || n%tidyEvery == 0 {
			a.tidy(turn)
		}
	}
	if lane, _ = Lanes.Get(turn, LaneRow); lane.Events != n {
		lane.Events = n
		Lanes.Put(turn, LaneRow, lane)
	}
}

// learn stores what the rules learn from an event.
func (a *actor) learn(turn *actors.Turn, grown messages.GrownEvent, now Grown) Grown {
	e := grown.Event
	learned := Learn(e, func() []memory.Topic { return a.openAt(turn, e) })
	for _, l := range learned {
		now.Topics = append(now.Topics, a.claim(turn, l, said))
	}
	for _, n := range Names(e, learned) {
		key := entityKey(n)
		if was, ok := Entities.Get(turn, a.row(key)); ok {
			n.Events = append(was.Events, n.Events...)
			n.Events = n.Events[max(0, len(n.Events)-keptNaming):]
		}
		Entities.Put(turn, a.row(key), n)
		now.Entities = append(now.Entities, key)
	}
	if m, ok := Feel(e); ok {
		Moments.Put(turn, memory.Key(e.ID), m)
		a.portray(turn, func(p *memory.Portrait) {
			p.Felt = memory.Latest(p.Felt, memory.Key(e.ID), true, memory.MostFelt)
		})
		now.Moment = true
	}
	if l, ok := Tells(grown, len(learned) > 0); ok {
		now.Talk = a.claim(turn, l, said)
	}
	return now
}

// entityKey names an entity within its conversation, as memory.Topic.Key names a topic.
func entityKey(n memory.Entity) string {
	return memory.Key(messages.MessageID(n.Type + "\x00" + string(n.Name)))
}

// claim adds a claim to its topic, and returns the topic's key.
func (a *actor) claim(turn *actors.Turn, l Learned, reason string) string {
	t := memory.Topic{Kind: l.Kind, Subject: l.Subject, Name: l.Name}
	key := t.Key()
	if was, ok := a.topic(turn, key); ok {
		t = was
	}
	a.put(turn, key, t, t.With(l.Claim), reason)
	return key
}

// drop removes what rests on the event with a key, and the revisions that quote it.
func (a *actor) drop(turn *actors.Turn, event string, rests Grown, is func(messages.MessageID) bool) {
	quotes := func(s *memory.State) bool { return s != nil && slices.ContainsFunc(s.Evidence, is) }
	if len(rests.Topics) > 0 {
		for key, r := range Revisions.All(turn) {
			if quotes(r.Before) || quotes(r.After) {
				Revisions.Delete(turn, key)
			}
		}
	}
	for _, key := range append(slices.Clone(rests.Topics), rests.Talk) {
		if t, ok := a.topic(turn, key); ok {
			a.put(turn, key, t, t.Without(func(c memory.Claim) bool {
				return is(c.Event) || c.Model && t.Kind == memory.Summary // it may tell of other messages too
			}), unsaid)
		}
	}
	for _, key := range rests.Entities {
		n, ok := Entities.Get(turn, a.row(key))
		n.Events = slices.DeleteFunc(slices.Clone(n.Events), is)
		switch {
		case !ok:
		case len(n.Events) == 0:
			Entities.Delete(turn, a.row(key))
			delete(a.former, key)
		default:
			Entities.Put(turn, a.row(key), n)
		}
	}
	if rests.Moment {
		Moments.Delete(turn, event)
		a.portray(turn, func(p *memory.Portrait) { p.Felt = memory.Latest(p.Felt, event, false, memory.MostFelt) })
	}
}

// Reasons of revisions.
const (
	said = "said"
	// A model has read it.
	modelSaid = "said, as a model reads it"
	unsaid    = "unsaid" // the event was taken back, or reads otherwise now
	tidied    = "tidied up"
)

// put stores a topic, and how its states have changed.
func (a *actor) put(turn *actors.Turn, key string, was, now memory.Topic, reason string) {
	if len(now.Claims) == 0 || now.Kind == memory.Task && len(now.States) == 0 {
		Topics.Delete(turn, a.row(key))
		delete(a.former, key)
	} else {
		Topics.Put(turn, a.row(key), now)
	}
	if a.open != nil && now.Kind == memory.Task {
		delete(a.open, key)
		if _, holds := now.Now(); holds {
			a.open[key] = now
		}
	}
	_, _, known := now.Known()
	switch now.Kind {
	case memory.Summary:
		a.portray(turn, func(p *memory.Portrait) {
			p.Talks = memory.Latest(p.Talks, key, len(now.States) > 0, memory.MostTalks)
		})
		return
	case memory.Preference:
		a.portray(turn, func(p *memory.Portrait) { p.Likes = memory.Latest(p.Likes, key, known, memory.MostLikes) })
	}
	for i := range max(len(was.States), len(now.States)) {
		r := memory.Revision{At: turn.Now(), Topic: key, Kind: now.Kind, Subject: now.Subject, Name: now.Name,
			Reason: reason}
		if i < len(was.States) && reason != unsaid {
			r.Before, r.Evidence = &was.States[i], was.States[i].Evidence
		}
		if i < len(now.States) {
			r.After, r.Evidence = &now.States[i], now.States[i].Evidence
		}
		if i < len(was.States) && i < len(now.States) && was.States[i].Same(now.States[i]) ||
			r.Before == nil && r.After == nil {
			continue
		}
		a.revise(turn, r)
	}
}

// portray changes what leads to what is known. A conversation that grew before there was
// such a row begins with what it has.
func (a *actor) portray(turn *actors.Turn, change func(*memory.Portrait)) {
	was, ok := Portraits.Get(turn, PortraitRow)
	if !ok {
		for key, t := range topics(turn) {
			if _, _, known := t.Known(); known && t.Kind == memory.Preference {
				was.Likes = memory.Latest(was.Likes, key, true, memory.MostLikes)
			}
		}
	}
	now := was
	if change(&now); !ok || !slices.Equal(was.Likes, now.Likes) || !slices.Equal(was.Talks, now.Talks) ||
		!slices.Equal(was.Felt, now.Felt) {
		Portraits.Put(turn, PortraitRow, now)
	}
}

func (a *actor) revise(turn *actors.Turn, r memory.Revision) {
	lane, _ := Lanes.Get(turn, LaneRow)
	lane.Changes++
	Lanes.Put(turn, LaneRow, lane)
	Revisions.Put(turn, actors.RowKey(lane.Changes), r)
	if lane.Changes > keptRevisions {
		Revisions.Delete(turn, actors.RowKey(lane.Changes-keptRevisions))
	}
}

// mostOpen is how many tasks a message may settle, the newest; mostSentences how many of
// its sentences are read. Each sentence is compared with each task.
const (
	mostOpen      = 100
	mostSentences = 40
)

// openAt returns the tasks that are open when an event is said, in the order of time.
func (a *actor) openAt(turn *actors.Turn, e messages.Event) (list []memory.Topic) {
	if a.open == nil {
		a.open = map[string]memory.Topic{}
		for key, t := range topics(turn) {
			if _, holds := t.Now(); holds && t.Kind == memory.Task {
				a.open[key] = t
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.open)) {
		if s, _ := a.open[key].Now(); !s.From.After(e.At) {
			list = append(list, a.open[key])
		}
	}
	slices.SortStableFunc(list, func(x, y memory.Topic) int {
		sx, _ := x.Now()
		sy, _ := y.Now()
		return sx.From.Compare(sy.From)
	})
	return list[max(0, len(list)-mostOpen):]
}
