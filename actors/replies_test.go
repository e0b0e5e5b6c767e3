package actors_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/project"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// The conversations of the simulation: one in which replies go out by themselves, one
// in which each waits for a person, a group, and two without a window: a chat, and an
// interview of theProject.
const (
	listed, drafted, group messages.ConversationID = "c-listed", "c-drafted", "c-group"
	chat, led              messages.ConversationID = "c-chat", "c-led"
	theOwner               messages.Address        = "owner/mac-a"
	theProject             messages.ProjectID      = "p-1"
)

// outbox stands for outbound: it takes replies, and confirms, refuses or loses them from
// sight some time later, each once.
type outbox struct{ w *talkWorld }

// outRow is a reply that was handed out.
type outRow struct {
	Ask     messages.SendReply   `json:"ask"`
	Outcome messages.SendOutcome `json:"outcome,omitempty"` // "" while it is under way
}

var outRows = actors.NewTable[outRow]("replies")

func outKey(turn int64, epoch int) string { return fmt.Sprintf("%08d.%04d", turn, epoch) }

// Receive implements [actors.Actor].
func (o outbox) Receive(t *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.SendReply:
		if _, twice := outRows.Get(t, outKey(m.Turn, m.Epoch)); twice {
			o.w.twice = append(o.w.twice, outKey(m.Turn, m.Epoch))
		}
		outRows.Put(t, outKey(m.Turn, m.Epoch), outRow{Ask: m})
		t.After("due", time.Duration(1+o.w.rng.IntN(20))*time.Second, messages.DecideDue{})
	case messages.StopSending:
		if row, ok := outRows.Get(t, outKey(m.Turn, m.Epoch)); ok && row.Outcome == "" {
			o.end(t, row, messages.SendNot)
		}
	case messages.DecideDue:
		for _, row := range outRows.All(t) {
			if row.Outcome == "" {
				outcomes := []messages.SendOutcome{messages.SendConfirmed, messages.SendConfirmed, messages.SendNot,
					messages.SendUnknown}
				o.end(t, row, outcomes[o.w.rng.IntN(len(outcomes))])
			}
		}
	}
	return nil
}

// end says what became of a reply. The window shows one that was sent.
func (o outbox) end(t *actors.Turn, row outRow, outcome messages.SendOutcome) {
	row.Outcome = outcome
	outRows.Put(t, outKey(row.Ask.Turn, row.Ask.Epoch), row)
	done := messages.SendDone{Conversation: row.Ask.Conversation, Turn: row.Ask.Turn, Epoch: row.Ask.Epoch,
		Outcome: outcome, At: t.Now()}
	to := messages.To(messages.ActorConversation, string(row.Ask.Conversation))
	if outcome == messages.SendConfirmed {
		o.w.place++
		done.Occurrence = o.w.place
		t.Send(to, messages.OwnMessage{Conversation: row.Ask.Conversation, Occurrence: o.w.place,
			Kind: messages.KindText, Text: row.Ask.Text, Trace: "ours", SeenAt: t.Now()})
	}
	t.Send(to, done)
}

// talkWorld is what the conversations meet.
type talkWorld struct {
	*world
	place    messages.Occurrence
	said     map[messages.ConversationID][]messages.MessageID
	answered int // questions that a model has answered
	twice    []string
}

// ask is the model: it fails, writes nonsense, judges and writes.
func (w *talkWorld) ask(_ context.Context, m messages.Message) (messages.Message, error) {
	ask := m.(messages.AskLLM)
	if w.rng.Float64() < w.faults.call {
		codes := messages.LLMCodes()
		return nil, actors.Refuse(string(codes[w.rng.IntN(len(codes))]), errors.New("failed"))
	}
	w.answered++
	text := messages.Text(fmt.Sprintf("reply %d", w.answered))
	if ask.Purpose == "analyse" {
		said := w.said[led]
		text = messages.Text(fmt.Sprintf(`{"themes": [{"theme": "T", "evidence": [%q, "edit %d"]}]}`,
			said[w.rng.IntN(len(said))], w.rng.IntN(200)))
	}
	if ask.Purpose == "judge" {
		text = messages.Text(fmt.Sprintf(`{"should_respond": %v, "confidence": %.2f}`, w.rng.IntN(4) > 0,
			w.rng.Float64()))
	}
	if w.rng.IntN(8) == 0 {
		text = []messages.Text{"", "<html>", `{"should_respond": "maybe"}`}[w.rng.IntN(3)]
	}
	return messages.LLMAnswer{Key: ask.Key, Text: text, Model: "scripted"}, nil
}

// find is the worker that looks for keywords: it quotes what was said last.
func (w *talkWorld) find(_ context.Context, m messages.Message) (messages.Message, error) {
	ask := m.(messages.FindKeywords)
	if w.rng.Float64() < w.faults.call {
		return nil, errors.New("failed")
	}
	last := ask.Lines[len(ask.Lines)-1]
	return messages.KeywordsFound{Conversation: ask.Conversation,
		Keywords: []messages.Keyword{{Text: last, Score: 1, Count: 1, Quote: last}}}, nil
}

// talks is a simulation of conversations, judges and the owner.
type talks struct {
	*talkWorld
	sim      *engine.Sim
	given    int
	sent     int
	approved map[string]bool // by conversation, turn and epoch
}

func newTalks(t testing.TB, seed uint64) *talks {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	w := &talkWorld{world: &world{rng: rng}, said: map[messages.ConversationID][]messages.MessageID{}}
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		t.Fatal(err)
	}
	kind := func(name string, make func(messages.Address) actors.Actor) engine.Kind {
		return engine.Kind{Name: name, New: failing(rng, &w.faults, make)}
	}
	settings := func(c messages.ConversationID, _ messages.WindowID) conversation.Settings {
		s := conversation.Settings{Mode: reply.Assistant, Policy: reply.PolicyAuto, Listed: c != drafted,
			When:   reply.ByAttention{Focused: reply.Send, Away: reply.Notify, Drowsy: reply.Hold},
			Limits: reply.Limits{PerHour: 1000, InARow: 1000}, Persona: "Kehai", Tone: "casual", Typist: true}
		if c == group {
			s.Group = conversation.GroupYes
		}
		return s
	}
	talking := conversation.DefaultOptions()
	talking.Settings, talking.Owner, talking.Attends = settings, theOwner, true
	p := &talks{talkWorld: w, approved: map[string]bool{}}
	p.sim, err = engine.NewSim(engine.SimOptions{
		Seed: seed, Latency: time.Duration(rng.IntN(4)) * time.Second, Activate: []messages.Address{theOwner},
		Doze: 0.05,
		Engine: engine.Options{
			Store: crashing{mem.New(), w.world}, Codec: codec,
			Kinds: []engine.Kind{
				kind(conversation.Kind, conversation.New(talking)),
				kind(judge.Kind, judge.New(judge.Options{Rules: judge.DefaultRules()})),
				kind(project.Kind, project.New),
				kind(insight.Kind, insight.New(insight.Options{})),
				kind(owner.Kind, owner.New(owner.Options{Attends: true})),
				kind(messages.ActorOutbound, func(messages.Address) actors.Actor { return outbox{w} }),
			},
			Workers: []engine.WorkerKind{
				{Name: messages.WorkerLLM, Size: 2, New: func() (actors.Worker, error) {
					return actors.WorkerFunc(w.ask), nil
				}},
				{Name: messages.WorkerWords, Size: 1, New: func() (actors.Worker, error) {
					return actors.WorkerFunc(w.find), nil
				}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *talks) crash(t testing.TB) {
	t.Helper()
	saved := p.faults
	p.faults = faults{}
	if err := p.sim.Crash(); err != nil {
		t.Fatal(err)
	}
	p.faults = saved
}

// give hands a message in as a host does: again and again until it is stored.
func (p *talks) give(t testing.TB, to messages.Address, m messages.Message) {
	t.Helper()
	p.given++
	for {
		var stored <-chan error
		dead := dying(func() {
			var err error
			if stored, err = p.sim.Inject(to, m, fmt.Sprint(p.given)); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				p.sim.Commit()
			}
		})
		if dead {
			p.crash(t)
			continue
		}
		select {
		case err := <-stored:
			if err == nil {
				return
			}
		default:
		}
	}
}

// happen has somebody write, change their mind, or decide.
func (p *talks) happen(t testing.TB) {
	c := []messages.ConversationID{listed, drafted, group, chat, led}[p.rng.IntN(5)]
	to := messages.To(conversation.Kind, string(c))
	switch p.rng.IntN(24) {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		p.place++
		id := messages.MessageID(fmt.Sprintf("m%d", p.place))
		p.said[c] = append(p.said[c], id)
		if c == chat || c == led {
			p.give(t, to, messages.Say{Conversation: c, Channel: messages.ChannelWeb, ID: id, Text: messages.Text(id),
				At: p.sim.Now()})
			return
		}
		p.give(t, to, messages.InboundMessage{ID: id, Conversation: c, Sender: "Hana", Kind: messages.KindText,
			Text: messages.Text(id), SeenAt: p.sim.Now(), Window: messages.WindowID(c),
			Parts: []messages.Part{{Kind: messages.KindText, Text: messages.Text(id), Occurrence: p.place}}})
	case 8:
		if n := len(p.said[c]); n > 0 {
			place := p.placeOf(t, c, p.said[c][p.rng.IntN(n)])
			change := []messages.ChangeKind{messages.ChangeEdited, messages.ChangeUnsent}[p.rng.IntN(2)]
			r := messages.Revised{Conversation: c, Occurrence: place, Change: change}
			if change == messages.ChangeEdited {
				r.Text = messages.Text(fmt.Sprintf("edit %d", p.given))
			}
			p.give(t, to, r)
		}
	case 9:
		if c == chat || c == led {
			return // nobody else writes there
		}
		p.place++
		p.give(t, to, messages.OwnMessage{Conversation: c, Occurrence: p.place, Kind: messages.KindText,
			Text: "by hand", SeenAt: p.sim.Now()})
	case 10:
		p.give(t, theOwner, messages.PauseSending{})
	case 11, 12:
		p.give(t, theOwner, messages.ResumeSending{})
	case 13, 14:
		states := []messages.Attention{messages.Focused, messages.Focused, messages.Away, messages.Drowsy}
		p.give(t, theOwner, messages.FocusChanged{To: messages.FocusState{State: states[p.rng.IntN(len(states))]}})
	default:
		if turn := p.desk(t, c).Open; turn != nil {
			verbs := []messages.DraftVerb{messages.DraftApprove, messages.DraftApprove, messages.DraftEdit,
				messages.DraftReject, messages.DraftHold}
			cmd := messages.DraftCommand{Conversation: c, Turn: turn.ID, Epoch: turn.Epoch,
				Do: verbs[p.rng.IntN(len(verbs))], Text: "edited"}
			if p.rng.IntN(4) == 0 {
				cmd.Epoch-- // of a text that the person has seen before
			}
			if cmd.Do == messages.DraftApprove {
				p.approved[fmt.Sprint(c, cmd.Turn, cmd.Epoch)] = true
			}
			p.give(t, to, cmd)
		}
	}
}

// placeOf is where a message stands in its transcript, 0 if it has not arrived.
func (p *talks) placeOf(t testing.TB, c messages.ConversationID, id messages.MessageID) messages.Occurrence {
	for _, m := range rowsOf(t, p, conversation.Kind, string(c), conversation.Messages) {
		if m.ID == id {
			return m.Parts[0].Occurrence
		}
	}
	return 0
}

// rowsOf are the rows of a table of an actor.
func rowsOf[V any](t testing.TB, p *talks, kind, key string, table actors.Table[V]) (list []V) {
	t.Helper()
	err := p.sim.Engine().ReadRows(kind, func(row engine.Row) bool {
		if row.Table == table.Name() && (key == "" || row.Actor.Key() == key) {
			v, err := table.Decode(row.Value)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, v)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (p *talks) desk(t testing.TB, c messages.ConversationID) (d reply.Desk) {
	for _, d = range rowsOf(t, p, conversation.Kind, string(c), conversation.Desks) {
	}
	return d
}

// playTalks runs one seeded schedule. It returns how many replies were confirmed, and the
// fault it found.
func playTalks(t testing.TB, seed uint64, steps int) (sent int, err error) {
	t.Helper()
	p := newTalks(t, seed)
	rng := p.rng
	p.faults = faults{turn: rng.Float64() * 0.1, call: rng.Float64() * 0.3, crash: rng.Float64() * 0.03,
		commit: rng.Float64() * 0.03}
	p.give(t, messages.To(conversation.Kind, string(led)), messages.InterviewBegins{Conversation: led,
		Project: theProject,
		Plan:    messages.InterviewPlan{Tone: "casual", Goal: "g", MaxTurns: 1 + rng.IntN(6), MaxDeep: 1}})
	for range steps {
		p.happen(t)
		dead := dying(func() {
			if rng.IntN(2) == 0 {
				p.sim.Advance(time.Duration(rng.IntN(400)) * time.Second)
			}
			for range rng.IntN(20) {
				p.sim.Step()
			}
		})
		if dead || rng.Float64() < 0.1 {
			p.crash(t)
		}
	}
	p.faults = faults{}
	p.give(t, theOwner, messages.ResumeSending{})
	p.give(t, messages.To(conversation.Kind, string(led)), messages.StopInterview{Conversation: led})
	p.sim.Advance(48 * time.Hour)
	if err = p.verify(t); err == nil {
		err = p.verifyInterview(t)
	}
	return p.sent, err
}

// verify looks at what was sent, and at what became of each message.
func (p *talks) verify(t testing.TB) error {
	if dead, err := p.sim.Engine().DeadLetters(); err != nil || len(dead) > 0 {
		return fmt.Errorf("DeadLetters() = %v, %v, want none", dead, err)
	}
	if len(p.twice) > 0 {
		return fmt.Errorf("%v were handed out twice", p.twice)
	}
	sent := map[messages.ConversationID][]messages.ReplyChanged{}
	err := p.sim.Engine().ReadLog(0, func(ev engine.Published) bool {
		if c, ok := ev.Message.(messages.ReplyChanged); ok && c.State == reply.Sent {
			sent[c.Conversation] = append(sent[c.Conversation], c)
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, c := range []messages.ConversationID{listed, drafted, group, chat, led} {
		p.sent += len(sent[c])
		if err := p.verifyOne(t, c, sent[c]); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

// verifyOne checks one conversation: what was confirmed was published, each message is
// answered at most once, answers keep the order, nothing goes out unapproved, and nothing
// is forgotten half-way.
func (p *talks) verifyOne(t testing.TB, c messages.ConversationID, sent []messages.ReplyChanged) error {
	confirmed := 0
	for _, row := range rowsOf(t, p, messages.ActorOutbound, string(c), outRows) {
		if row.Outcome == messages.SendConfirmed {
			confirmed++
		}
		if c == drafted && !p.approved[fmt.Sprint(c, row.Ask.Turn, row.Ask.Epoch-1)] {
			return fmt.Errorf("turn %d.%d was handed out without an approval", row.Ask.Turn, row.Ask.Epoch)
		}
	}
	for _, own := range rowsOf(t, p, conversation.Kind, string(c), conversation.OwnMessages) {
		if own.Turn > 0 && (c == chat || c == led) {
			confirmed++ // handed out
		}
	}
	if confirmed != len(sent) {
		return fmt.Errorf("%d replies were confirmed, and %d published", confirmed, len(sent))
	}
	answered, last := map[messages.MessageID]bool{}, -1
	for _, s := range sent {
		for _, id := range s.Answers {
			at := slices.Index(p.said[c], id)
			if answered[id] || at < last {
				return fmt.Errorf("message %s was answered twice or out of order", id)
			}
			answered[id], last = true, at
		}
	}
	desk := p.desk(t, c)
	if open := desk.Open; open != nil {
		switch open.State {
		case reply.Judging, reply.Writing, reply.Sending:
			return fmt.Errorf("turn %d is still %s after two days", open.ID, open.State)
		}
	}
	return nil
}

// verifyInterview checks that the interview has ended, that it was analysed to the end, and
// that nothing is quoted but what is still said.
func (p *talks) verifyInterview(t testing.TB) error {
	for _, v := range rowsOf(t, p, conversation.Kind, string(led), conversation.Interviews) {
		if v.State.Phase != interview.Done || v.State.FinishedAt.IsZero() {
			return fmt.Errorf("the interview is in %s, want it over", v.State.Phase)
		}
	}
	var answers []messages.Text
	for _, m := range rowsOf(t, p, conversation.Kind, string(led), conversation.Messages) {
		switch part := m.Parts[0]; {
		case part.Unsent:
		case part.Edited != "":
			answers = append(answers, part.Edited)
		default:
			answers = append(answers, part.Text)
		}
	}
	found := rowsOf(t, p, insight.Kind, string(theProject), insight.Analyses)
	if len(found) != 1 || found[0].Stage != insight.Done {
		return fmt.Errorf("analysed is %+v, want one interview to the end", found)
	}
	for _, th := range found[0].Themes {
		for _, q := range th.Quotes {
			if where, _ := insight.Verbatim(string(q), answers); where == "" {
				return fmt.Errorf("%q is quoted, and said is %q", string(q), fmt.Sprint(answers))
			}
		}
	}
	for _, k := range found[0].Keywords {
		if !slices.Contains(answers, k.Quote) {
			return fmt.Errorf("%q is quoted, and nobody says it any more", string(k.Quote))
		}
	}
	return nil
}

// TestReplies plays conversations in windows and without, an interview with its analysis,
// their judges, the owner and drafts with a model that
// fails and writes nonsense, a sender that cannot always confirm, failing turns and
// commits, and crashes between any two steps: each message is answered at most once,
// nothing goes out without approval where that is wanted, and answers keep the order.
// KEHAI_SEED=n plays one schedule; KEHAI_SCHEDULES=n sets how many.
func TestReplies(t *testing.T) {
	schedules := uint64(30)
	if testing.Short() {
		schedules = 10
	}
	first, last := uint64(1), number(t, "KEHAI_SCHEDULES", schedules)
	if seed := number(t, "KEHAI_SEED", 0); seed > 0 {
		first, last = seed, seed
	}
	sent := 0
	for seed := first; seed <= last; seed++ {
		n, err := playTalks(t, seed, 80)
		if sent += n; err != nil {
			t.Fatalf("seed %d: %v\nreplay: KEHAI_SEED=%d go test -v -run TestReplies ./actors", seed, err, seed)
		}
	}
	t.Logf("%d replies were sent", sent)
	if played := int(last - first + 1); sent < 2*played {
		t.Errorf("%d schedules sent %d replies, want two or more each: this test shows nothing", played, sent)
	}
}
