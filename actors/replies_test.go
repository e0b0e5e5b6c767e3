package actors_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/keyboard"
	"github.com/kehai-run/kehai/actors/outbound"
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

var inWindows = []messages.ConversationID{listed, drafted, group}

// talkWorld is what the conversations meet.
type talkWorld struct {
	*world
	panes    *panes
	said     map[messages.ConversationID][]messages.MessageID
	answered int // questions that a model has answered
}

var (
	places = strings.Fields("駅前で 明日の朝に 会議のあとで 電車から 週末には 図書館の前で 夕方までに 家に着いたら 次の打ち合わせで お昼ごろ")
	acts   = strings.Fields("会いましょう 写真を送ります 連絡してください お待ちしています 電話をします 資料を見ておきます 決めることにします 荷物を受け取ります ゆっくり話せます 返事をください")
)

// ask is the model: it fails, writes nonsense, judges and writes.
func (w *talkWorld) ask(_ context.Context, m messages.Message) (messages.Message, error) {
	ask := m.(messages.AskLLM)
	if w.rng.Float64() < w.faults.call {
		codes := messages.LLMCodes()
		return nil, actors.Refuse(string(codes[w.rng.IntN(len(codes))]), errors.New("failed"))
	}
	w.answered++
	text := messages.Text(fmt.Sprint(places[w.answered%10], acts[(w.answered/10+7*w.answered)%10], w.answered))
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
	messages int // of others
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
	w.panes = &panes{w: w, list: map[messages.WindowID]*pane{}, shots: map[*image.RGBA]glimpse{},
		texts: map[messages.Sending]string{}}
	var windows []messages.WindowID
	for _, c := range inWindows {
		windows = append(windows, messages.WindowID(c))
		w.panes.list[messages.WindowID(c)] = &pane{entered: map[messages.Sending]int{}}
	}
	none := func(messages.Address) actors.Actor {
		return actors.Func(func(*actors.Turn, messages.Message) error { return nil })
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
				kind(outbound.Kind, outbound.New(outbound.Options{Rules: outbound.DefaultRules(), Desk: "mac-a",
					Windows: windows, Read: 45 * time.Second})),
				kind(keyboard.Kind, keyboard.New),
				kind(ingress.Kind, ingress.New(ingress.DefaultRules())),
				kind(messages.ActorFusion, func(messages.Address) actors.Actor { return onlooker{w.panes} }),
				kind(messages.ActorPoller, none), kind(messages.ActorStall, none), // told, and not asked
			},
			Workers: []engine.WorkerKind{
				{Name: messages.WorkerLLM, Size: 2, New: func() (actors.Worker, error) {
					return actors.WorkerFunc(w.ask), nil
				}},
				{Name: messages.WorkerWords, Size: 1, New: func() (actors.Worker, error) {
					return actors.WorkerFunc(w.find), nil
				}},
				{Name: messages.WorkerCapture, Size: 1, New: func() (actors.Worker, error) {
					return actors.WorkerFunc(w.panes.capture), nil
				}},
				{Name: messages.WorkerOCR, Size: 1, New: func() (actors.Worker, error) {
					return actors.WorkerFunc(w.panes.read), nil
				}},
				{Name: messages.WorkerHands, Size: 1, New: func() (actors.Worker, error) {
					return actors.WorkerFunc(w.panes.touch), nil
				}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.panes.now = p.sim.Now
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
		p.messages++
		id := messages.MessageID(fmt.Sprintf("m%d", p.messages))
		p.said[c] = append(p.said[c], id)
		if w := p.panes.list[messages.WindowID(c)]; w != nil {
			w.bubbles = append(w.bubbles, line{side: messages.SideIncoming, text: messages.Text(id), id: id})
			p.look(t, c)
			return
		}
		p.give(t, to, messages.Say{Conversation: c, Channel: messages.ChannelWeb, ID: id, Text: messages.Text(id),
			At: p.sim.Now()})
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
		if w := p.panes.list[messages.WindowID(c)]; w != nil { // nobody else writes elsewhere
			w.bubbles, w.touched = append(w.bubbles, line{side: messages.SideOwn, text: "by hand"}), p.sim.Now()
			p.look(t, c)
		}
	case 15:
		if w := p.panes.list[messages.WindowID(c)]; w != nil {
			p.panes.person(w)
		}
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
				Do: verbs[p.rng.IntN(len(verbs))], Text: messages.Text(fmt.Sprint("edited ", p.given))}
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

// look has a window read.
func (p *talks) look(t testing.TB, c messages.ConversationID) {
	p.give(t, messages.To(messages.ActorFusion, string(c)), messages.PollDue{})
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
	for _, c := range inWindows {
		p.panes.list[messages.WindowID(c)].leave()
		p.look(t, c)
	}
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
	if len(p.panes.wrong) > 0 {
		return fmt.Errorf("the hands did what they must not: %q", p.panes.wrong)
	}
	outcomes := map[messages.Sending]messages.SendOutcome{} // the last of each
	sent := map[messages.ConversationID][]messages.ReplyChanged{}
	considered := map[messages.MessageID]bool{}
	err := p.sim.Engine().ReadLog(0, func(ev engine.Published) bool {
		if c, ok := ev.Message.(messages.ReplyChanged); ok {
			if c.State == reply.Sent {
				sent[c.Conversation] = append(sent[c.Conversation], c)
			}
			for _, id := range c.Answers {
				considered[id] = true
			}
		}
		if d, ok := ev.Message.(messages.SendDone); ok {
			outcomes[messages.Sending{Conversation: d.Conversation, Turn: d.Turn, Epoch: d.Epoch}] = d.Outcome
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, c := range []messages.ConversationID{listed, drafted, group, chat, led} {
		p.sent += len(sent[c])
		if err := p.verifyOne(t, c, sent[c], outcomes); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		if err := p.verifyConsidered(t, c, considered); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

// verifyConsidered sees that no message was passed over: what became of it was told, it waits, or a person has
// written behind it. Behind an interview's end nothing is answered.
func (p *talks) verifyConsidered(t testing.TB, c messages.ConversationID, told map[messages.MessageID]bool) error {
	byPerson := messages.Occurrence(0)
	for _, own := range rowsOf(t, p, conversation.Kind, string(c), conversation.OwnMessages) {
		if own.Turn == 0 {
			byPerson = max(byPerson, own.Occurrence)
		}
	}
	desk := p.desk(t, c)
	for _, m := range rowsOf(t, p, conversation.Kind, string(c), conversation.Messages) {
		part := m.Parts[0]
		waits := slices.Contains(desk.Waiting, m.ID) || desk.Open != nil && slices.Contains(desk.Open.Messages, m.ID)
		if c != led && !told[m.ID] && !waits && !part.Unsent && part.Occurrence > byPerson {
			return fmt.Errorf("message %s at %d was passed over: %+v", m.ID, part.Occurrence, desk)
		}
	}
	return nil
}

// verifyOne checks one conversation: what was confirmed was published, each message is
// answered at most once, answers keep the order, nothing goes out unapproved, and nothing
// is forgotten half-way.
func (p *talks) verifyOne(t testing.TB, c messages.ConversationID, sent []messages.ReplyChanged,
	outcomes map[messages.Sending]messages.SendOutcome) error {
	confirmed := 0
	if w := p.panes.list[messages.WindowID(c)]; w != nil {
		n, err := p.verifyWindow(c, w, outcomes)
		if confirmed = n; err != nil {
			return err
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

// verifyWindow compares what stands in a window with what was said to have become of each reply. It returns
// how many are known to stand there.
func (p *talks) verifyWindow(c messages.ConversationID, w *pane, outcomes map[messages.Sending]messages.SendOutcome) (
	n int, err error,
) {
	there, turns, told := map[messages.Sending]bool{}, map[int64]bool{}, map[int64]bool{}
	for _, l := range w.bubbles {
		if l.of == (messages.Sending{}) {
			continue
		}
		approved := p.approved[fmt.Sprint(c, l.of.Turn, l.of.Epoch-1)]
		if turns[l.of.Turn] && !approved { // a person may have one in doubt sent again
			return 0, fmt.Errorf("turn %d was sent again, by itself", l.of.Turn)
		}
		there[l.of], turns[l.of.Turn] = true, true
		if got := outcomes[l.of]; got == messages.SendConfirmed {
			told[l.of.Turn] = true // once, however often a person had it sent
		} else if got != messages.SendUnknown { // it may be seen too late to be told from a person's
			return 0, fmt.Errorf("turn %d.%d stands in the window, and is called %q", l.of.Turn, l.of.Epoch, got)
		}
		if c == drafted && !approved {
			return 0, fmt.Errorf("turn %d.%d was sent without an approval", l.of.Turn, l.of.Epoch)
		}
	}
	for of, outcome := range outcomes {
		switch {
		case of.Conversation != c:
		case outcome == messages.SendConfirmed && !there[of]:
			return 0, fmt.Errorf("turn %d.%d is called sent, and stands nowhere", of.Turn, of.Epoch)
		case outcome != messages.SendUnknown && w.field != "" && w.field == p.panes.texts[of]:
			return 0, fmt.Errorf("turn %d.%d is called %q, and stands in the field", of.Turn, of.Epoch, outcome)
		}
	}
	return len(told), nil
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
