package conversation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/interview"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
)

// Interview is what a conversation knows about itself as an interview.
type Interview struct {
	Project messages.ProjectID     `json:"project"`
	Plan    messages.InterviewPlan `json:"plan"`
	// Window is one that shows it, "" on a channel. Once an interview in a window is over,
	// the conversation goes on as it was before.
	Window messages.WindowID `json:"window,omitempty"`
	// Since is the place of the last message before it began: it knows nothing of what was
	// said until there.
	Since messages.Occurrence `json:"since,omitempty"`
	State interview.State     `json:"state"`
	// Turn is the turn whose messages led from Before to State. If more messages come
	// before it is answered, the step is taken again.
	Turn   int64            `json:"turn,omitempty"`
	Before interview.State  `json:"before,omitzero"`
	Result interview.Result `json:"result,omitzero"`
}

// Interviews has the row [DeskKey] in a conversation that is an interview.
var Interviews = actors.NewTable[Interview]("interview")

// ProjectOf returns a plan in the form the state machine reads.
func ProjectOf(p messages.InterviewPlan) interview.Project {
	project := interview.Project{Tone: interview.Tone(p.Tone), Goal: string(p.Goal), Limits: interview.Limits{
		MaxTurns: p.MaxTurns, MaxDeep: p.MaxDeep, MaxConversations: p.MaxConversations}}
	for _, t := range p.MustAsk {
		project.MustAsk = append(project.MustAsk, string(t))
	}
	for _, t := range p.MustNotAsk {
		project.MustNotAsk = append(project.MustNotAsk, string(t))
	}
	return project
}

// Progress returns how far the interview has come.
func (v Interview) Progress() messages.InterviewProgress {
	p := messages.InterviewProgress{
		State: string(v.State.Phase), Turns: v.State.Turns, MaxTurns: v.Plan.MaxTurns, Deep: v.State.Deep,
		MaxDeep: v.Plan.MaxDeep, Asked: v.State.Asked, FallbackMode: v.State.FallbackMode,
		FinishedAt: v.State.FinishedAt, Reason: string(v.State.Reason),
	}
	if p.State == "" {
		p.State = string(interview.Intro)
	}
	for _, item := range v.State.Items {
		p.Items = append(p.Items, messages.Text(item.Text))
	}
	return p
}

// interviewPerHour is the least number of replies an hour that an interview may have.
const interviewPerHour = 300

// leads returns the interview that this conversation is led as. One in a window counts no
// more once it is over and has said so.
func (a *actor) leads(turn *actors.Turn) (v Interview, ok bool) {
	v, ok = Interviews.Get(turn, onlyRow)
	if !ok || v.Window == "" || v.State.Phase != interview.Done {
		return v, ok
	}
	desk, _ := Desks.Get(turn, onlyRow)
	return v, desk.Open != nil && desk.Open.ID == v.Turn
}

// set returns this conversation's settings for what comes from a window or a channel. On a
// channel an interview is always answered: its participant agreed to it. In a window it is
// answered as other messages are, but no more than its plan are sent in a row.
func (a *actor) set(turn *actors.Turn, w messages.WindowID) Settings {
	s := a.o.Settings(a.id, w)
	v, led := a.leads(turn)
	switch {
	case !led:
	case v.Window == "":
		s.Mode, s.Policy, s.Listed, s.Typist, s.Tone = reply.Interview, reply.PolicyAuto, true, true, v.Plan.Tone
		s.Quiet, s.Limits.PerHour = reply.Quiet{}, max(s.Limits.PerHour, interviewPerHour) // its project limits it
	default:
		if s.Tone = v.Plan.Tone; s.Mode != reply.Observe {
			s.Mode = reply.Interview
		}
		s.Limits.InARow = max(s.Limits.InARow, v.Plan.MaxTurns+2) // its opening and its end
	}
	return s
}

// beginInterview makes this conversation an interview, once. In a window Kehai opens it; on
// a channel its participant does.
func (a *actor) beginInterview(turn *actors.Turn, m messages.InterviewBegins) {
	if _, known := Interviews.Get(turn, onlyRow); known {
		return
	}
	v := Interview{Project: m.Project, Plan: m.Plan}
	head, _ := Heads.Get(turn, "head")
	if d, ok := Messages.Get(turn, RowKey(head.Count)); ok && d.Window != "" && d.Window.Channel() == "" {
		v.Window = d.Window
		for _, l := range a.lines(turn, 1) {
			v.Since = l.place
		}
		if desk, _ := Desks.Get(turn, onlyRow); desk.Open != nil && desk.Open.State != reply.Sending {
			a.step(turn, reply.Event{Kind: reply.OnPerson})
			a.tellJudge(turn, messages.FateForget)
		}
	}
	Interviews.Put(turn, onlyRow, v)
	a.tellInterview(turn, v)
	if v.Window != "" && a.set(turn, v.Window).Answers() {
		a.step(turn, reply.Event{Kind: reply.OnReminder, Message: reply.Opening})
	}
}

func (a *actor) tellInterview(turn *actors.Turn, v Interview) {
	turn.Publish(messages.InterviewChanged{Project: v.Project, Conversation: a.id, InterviewProgress: v.Progress(),
		At: turn.Now()})
}

// private replaces private data in a text of an interview with labels in its language, before
// anything is stored, and returns the text and which kinds it had.
func private(t messages.Text, names []string) (messages.Text, []string) {
	masked := pii.MaskKnowing(string(t), names, pii.LabelsFor(string(t)))
	return messages.Text(masked.Text), withKinds(nil, masked.Spans)
}

// known returns the names that an interview masks wherever they stand: the name of whoever
// writes in a window. On a channel the host made the names up.
func known(v Interview, sender messages.Text) []string {
	if v.Window == "" {
		return nil
	}
	return []string{string(sender)}
}

// withKinds adds the kinds of spans to a list, each once.
func withKinds(kinds []string, spans []pii.Span) []string {
	for _, s := range spans {
		if !slices.Contains(kinds, string(s.Kind)) {
			kinds = append(slices.Clip(kinds), string(s.Kind))
		}
	}
	return kinds
}

// hidden is a message of an interview as it is stored and told: masked. Other messages stay
// as they are.
func (a *actor) hidden(turn *actors.Turn, m messages.InboundMessage) messages.InboundMessage {
	v, led := a.leads(turn)
	if !led {
		return m
	}
	if v.Window == "" && m.Window != "" && m.Window.Channel() == "" { // the first that its window shows
		v.Window = m.Window
		Interviews.Put(turn, onlyRow, v)
	}
	m.ContentHash, m.PIIProcessed = ContentHash(a.key(), m.Text), true
	var said, left []string
	for _, p := range m.Parts {
		said = append(said, string(p.Text))
	}
	masked := pii.MaskLines(said, known(v, m.Sender), pii.LabelsFor(string(m.Text)))
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		m.Parts[i].Text = messages.Text(masked[i].Text)
		m.Masked = withKinds(m.Masked, masked[i].Spans)
		if masked[i].Text != "" {
			left = append(left, masked[i].Text)
		}
	}
	m.Text = messages.Text(strings.Join(left, "\n"))
	return m
}

// lead takes the interview's step for what a turn answers, and reports whether there is
// something to say.
func (a *actor) lead(turn *actors.Turn, v Interview, t *reply.Turn) bool {
	switch {
	case v.Turn == t.ID && v.State.Phase == interview.Done: // a finished interview stays finished
		return true
	case v.State.Phase == interview.Done:
		return false
	case v.Turn != t.ID:
		v.Before, v.Turn = v.State, t.ID
	}
	from, e := v.Before, answers(turn, t)
	if from.Phase == interview.Fallback { // the model may answer by now: it is asked, where the rules allow that
		m := a.machine(v)
		left, _ := m.Step(from, interview.Event{Kind: interview.Recovered}, turn.Now())
		if _, r := m.Step(left, e, turn.Now()); r.Reply == interview.ModelReply {
			from = left
		}
	}
	a.move(turn, v, from, e)
	return true
}

// answers is what a turn answers, as an event.
func answers(turn *actors.Turn, t *reply.Turn) interview.Event {
	e := interview.Event{Kind: interview.Said}
	for _, id := range t.Messages {
		if d, ok := message(turn, id); ok && d.PIIProcessed { // others were said before it began
			e.Texts = append(e.Texts, utterances(d)...)
		}
	}
	if len(e.Texts) == 0 {
		e.Texts = []string{interview.Start}
	}
	return e
}

func (a *actor) machine(v Interview) interview.Machine {
	return interview.Machine{Project: ProjectOf(v.Plan), Resume: a.o.Interviews.Resume}
}

// withoutModel takes the step of an interview whose model did not answer. If that was to show
// whether one answers again, it is the step of fallback.
func (a *actor) withoutModel(turn *actors.Turn, v Interview, t *reply.Turn) Interview {
	if v.Before.Phase == interview.Fallback {
		return a.move(turn, v, v.Before, answers(turn, t))
	}
	return a.move(turn, v, v.State, interview.Event{Kind: interview.Failed})
}

// move takes a step from a state and publishes the result.
func (a *actor) move(turn *actors.Turn, v Interview, from interview.State, e interview.Event) Interview {
	v.State, v.Result = a.machine(v).Step(from, e, turn.Now())
	Interviews.Put(turn, onlyRow, v)
	a.tellInterview(turn, v)
	if v.Result.Finish != nil {
		turn.Send(messages.To(messages.ActorProject, string(v.Project)), messages.InterviewFinished{Project: v.Project,
			Conversation: a.id, Reason: string(v.Result.Finish.Reason), At: v.Result.Finish.At})
		a.analyse(turn)
	}
	return v
}

// analyse asks for the analysis of a finished interview: at its end, and whenever what was
// said in it has changed.
func (a *actor) analyse(turn *actors.Turn) {
	if v, ok := Interviews.Get(turn, onlyRow); ok && v.State.Phase == interview.Done {
		turn.Send(messages.To(messages.ActorInsight, string(v.Project)), messages.Analyse{Project: v.Project,
			Conversation: a.id, Goal: v.Plan.Goal, At: v.State.FinishedAt, Lines: answersOf(turn)})
	}
}

// reviseItems keeps in an interview's list only what is still said: an answer was another
// text, or is gone if now is "".
func (a *actor) reviseItems(turn *actors.Turn, was, now messages.Text) {
	v, ok := Interviews.Get(turn, onlyRow)
	if !ok {
		return
	}
	var left []string
	for _, l := range answersOf(turn) {
		left = append(left, string(l))
	}
	before := v.State.Items
	v.State = v.State.Revised(string(was), string(now), left)
	v.Before = v.Before.Revised(string(was), string(now), left)
	Interviews.Put(turn, onlyRow, v)
	if !slices.Equal(before, v.State.Items) {
		a.tellInterview(turn, v)
	}
}

// handInterview is the interview as another conversation takes it over. The step of a turn
// that is still to be answered is taken there.
func handInterview(turn *actors.Turn, open *reply.Turn) *Interview {
	v, ok := Interviews.Get(turn, onlyRow)
	if !ok {
		return nil
	}
	if open != nil && v.Turn == open.ID && v.State.Phase != interview.Done {
		v.State = v.Before
	}
	return &Interview{Project: v.Project, Plan: v.Plan, Window: v.Window, Since: v.Since, State: v.State}
}

// joinInterview takes an interview over from a conversation that was merged into this one.
// If both belong to one project they become one: a finished one wins, and it has what both
// named. Otherwise each keeps what it found, and this conversation's interview goes on.
func (a *actor) joinInterview(turn *actors.Turn, from messages.ConversationID, o *Interview) {
	if o == nil {
		return
	}
	v, also := Interviews.Get(turn, onlyRow)
	switch {
	case !also:
		v = *o
	case v.Project != o.Project:
		return
	case v.State.Phase != interview.Done && o.State.Phase == interview.Done:
		o.State = o.State.Joined(v.State)
		v = *o
	default:
		v.State, v.Before = v.State.Joined(o.State), v.Before.Joined(o.State)
	}
	Interviews.Put(turn, onlyRow, v)
	a.tellInterview(turn, v)
	if o.State.Phase == interview.Done { // its answers count here
		turn.Send(messages.To(messages.ActorInsight, string(v.Project)), messages.Analyse{Project: v.Project,
			Conversation: from, Goal: v.Plan.Goal, At: o.State.FinishedAt})
	}
}

// answersOf returns what the participant said as answers, masked, each message once. Words
// that only lead through the interview are left out, even beside an answer.
func answersOf(turn *actors.Turn) (list []messages.Text) {
	for _, d := range Messages.All(turn) {
		said := slices.DeleteFunc(utterances(d), func(s string) bool { return !interview.Answers(s) })
		if d.PIIProcessed && len(said) > 0 {
			list = append(list, messages.Text(strings.Join(said, "\n")))
		}
	}
	return list
}

// stopInterview ends an interview for the host. The reply that the participant waits for
// becomes the closing text.
func (a *actor) stopInterview(turn *actors.Turn) {
	v, ok := Interviews.Get(turn, onlyRow)
	if !ok || v.State.Phase == interview.Done {
		a.late(turn)
		return
	}
	desk, _ := Desks.Get(turn, onlyRow)
	if desk.Open != nil {
		v.Turn, v.Before = desk.Open.ID, v.State
	}
	a.move(turn, v, v.State, interview.Event{Kind: interview.Stop})
	if t := desk.Open; t != nil && len(t.Messages) > 0 { // its reply is written anew
		a.step(turn, reply.Event{Kind: reply.OnChanged, Message: t.Messages[0]})
	}
}

// fixed writes the fixed text of an interview's turn; false if a model should write it.
func (a *actor) fixed(turn *actors.Turn, t *reply.Turn, why string) bool {
	v, ok := a.leads(turn)
	if ok && why != "" && v.Result.Reply == interview.ModelReply {
		v = a.withoutModel(turn, v, t)
	}
	if !ok || v.Result.Reply == interview.ModelReply {
		return false
	}
	s, _ := a.settings(turn, t)
	fixed := v.Result.Text(v.State, a.language(turn, a.said(turn, s.Context)))
	a.wrote(turn, t, messages.Text(fixed), func(b *messages.ReplyBasis) { b.Fallback = why })
	return true
}

// language is the one to write in. An interview begins with that of its goal, and what only
// leads through it says nothing about that.
func (a *actor) language(turn *actors.Turn, said []messages.Said) (l text.Language) {
	v, led := a.leads(turn)
	if !led {
		return languageOf(said, "")
	}
	for _, t := range append([]messages.Text{v.Plan.Goal}, v.Plan.MustAsk...) {
		l = text.LanguageOf(string(t), l)
	}
	answers := slices.DeleteFunc(slices.Clone(said), func(s messages.Said) bool {
		return interview.Commands(string(s.Text))
	})
	return languageOf(answers, l)
}

// mostAsked is the longest reply together with an added question, in characters; a longer
// one becomes the question alone.
const mostAsked = 360

// asks adds the question that an interview's reply must ask, if the reply lacks it; false
// if the reply says something that it must not.
func (a *actor) asks(turn *actors.Turn, written messages.Text) (messages.Text, bool) {
	v, ok := a.leads(turn)
	if !ok {
		return written, true
	}
	p := ProjectOf(v.Plan)
	if p.Breaks(string(written)) != "" {
		return "", false
	}
	if ask := v.Result.Ask; ask != "" && !interview.Names(string(written), ask) {
		if utf8.RuneCountInString(string(written)+ask) > mostAsked {
			return messages.Text(stream.DefaultRule().Final(ask)), true
		}
		written += messages.Text("\n" + ask)
	}
	return written, true
}

// instruct turns the prompt of a reply into that of an interview.
func (a *actor) instruct(turn *actors.Turn, in *prompt.Input) {
	v, ok := a.leads(turn)
	if !ok {
		return
	}
	p := ProjectOf(v.Plan)
	in.Task = prompt.Interview
	in.Interview = prompt.InterviewInput{
		Phase: string(v.State.Phase), Goal: p.Goal, MustAsk: p.MustAsk, MustNotAsk: p.MustNotAsk,
		MaxDeep: p.Limits.MaxDeep, Ask: v.Result.Ask,
		Summary: messages.Text(v.State.Summary()), MostImportant: messages.Text(v.State.MostImportant()),
	}
}
