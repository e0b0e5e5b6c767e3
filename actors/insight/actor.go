package insight

import (
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Kind is the actor's kind; the key is the project.
const Kind = messages.ActorInsight

// Analysis is what is known about one interview.
type Analysis struct {
	At       time.Time          `json:"at"` // when it was over
	Stage    Stage              `json:"stage"`
	Keywords []messages.Keyword `json:"keywords,omitempty"`
	Themes   []Theme            `json:"themes,omitempty"`
	Model    string             `json:"model,omitempty"`
	Prompt   string             `json:"prompt,omitempty"` // version of the texts that the model was asked with
	Run      int                `json:"run,omitempty"`    // how often it was analysed anew

	// Until it is done: what was said, how often was asked in the present stage, and how
	// often the answer was unreadable.
	Goal  messages.Text   `json:"goal,omitempty"`
	Lines []messages.Text `json:"lines,omitempty"`
	Asks  int             `json:"asks,omitempty"`
	Again int             `json:"again,omitempty"`
}

// Stage is how far an analysis has come.
type Stage string

// Stages.
const (
	Words  Stage = "words" // keywords are looked for
	Themes Stage = "themes"
	Done   Stage = "done"
)

// Analyses holds an [Analysis] by conversation. Readers of the store decode rows with it.
var Analyses = actors.NewTable[Analysis]("analyses")

// SubjectOf returns the conversation that a row is about; About reports whether a row is
// about a given one.
func SubjectOf(row string, _ []byte) messages.ConversationID {
	_, key := actors.SplitRow(row)
	return messages.ConversationID(key)
}

// About reports whether a row is about a conversation.
func About(c messages.ConversationID, row string, _ []byte) bool { return SubjectOf(row, nil) == c }

// Options of an insight.
type Options struct {
	Prompts  *prompt.Catalogue // nil is the built-in texts
	Deadline time.Duration     // of a question to a model; 0 is a minute
}

// New returns a constructor of insights.
func New(o Options) func(messages.Address) actors.Actor {
	if o.Prompts == nil {
		o.Prompts = prompt.Default()
	}
	if o.Deadline <= 0 {
		o.Deadline = time.Minute
	}
	return func(self messages.Address) actors.Actor { return &actor{o, messages.ProjectID(self.Key())} }
}

type actor struct {
	o  Options
	id messages.ProjectID
}

// Receive implements [actors.Actor].
func (a *actor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case messages.Started:
	case messages.Analyse:
		a.begin(turn, m)
	case messages.KeywordsFound:
		a.keywords(turn, m)
	case messages.LLMAnswer:
		a.answered(turn, m)
	case messages.CallFailed:
		a.failed(turn, m)
	case messages.AnalyseDue:
		a.due(turn, m.Conversation)
	case messages.TrimDue:
		a.trim(turn, m)
	default:
		return fmt.Errorf("insight: unexpected %s", msg.MessageType())
	}
	return nil
}

// trimAgain is how long analyses wait that are to be deleted and cannot be read.
const trimAgain = 10 * time.Minute

// trim deletes what is older than a time. What is out of reach goes once its key is back: its age is not known, and
// the others do not wait for it. After a crash the next TrimDue finds it.
func (a *actor) trim(turn *actors.Turn, m messages.TrimDue) {
	for c, v := range Analyses.AllInReach(turn) {
		if v.At.Before(m.Before) {
			Analyses.Delete(turn, c)
			turn.Cancel(timer(messages.ConversationID(c)))
		}
	}
	if len(Analyses.Away(turn)) > 0 {
		turn.After("trim", trimAgain, m)
	}
}

// Bounds of an analysis.
const (
	findTime   = 30 * time.Second // for keywords
	mostAsks   = 8                // a model that fails is asked so often, over some hours
	mostAgain  = 2                // an unreadable answer is asked for once more
	firstPause = time.Minute      // doubles
	slack      = 10 * time.Second // beyond a deadline
)

func timer(c messages.ConversationID) string { return "due:" + string(c) }

// begin takes an interview over. One that was analysed before is analysed anew; until that
// is done, what was found counts as far as it is still said.
func (a *actor) begin(turn *actors.Turn, m messages.Analyse) {
	v := Analysis{At: m.At, Stage: Words, Goal: m.Goal, Lines: bounded(m.Lines)}
	if before, known := Analyses.Get(turn, string(m.Conversation)); known {
		v.Run = before.Run + 1
		v.Themes, v.Keywords = still(before, v.Lines)
		v.Model, v.Prompt = before.Model, before.Prompt
	}
	if len(v.Lines) == 0 {
		a.done(turn, m.Conversation, v)
		return
	}
	a.ask(turn, m.Conversation, v)
}

// ask asks for what the analysis lacks, and asks again if no answer comes.
func (a *actor) ask(turn *actors.Turn, c messages.ConversationID, v Analysis) {
	v.Asks++
	deadline := findTime
	key := keyOf(c, v)
	if v.Stage == Words {
		turn.Call(messages.WorkerWords, messages.FindKeywords{Conversation: c, Lines: v.Lines},
			actors.CallOptions{Deadline: deadline, Tag: key})
	} else {
		p, err := a.question(v)
		if err != nil {
			turn.Fail(err)
			return
		}
		deadline, v.Prompt = a.o.Deadline, p.Version
		turn.Call(messages.WorkerLLM, p.Ask(key), actors.CallOptions{Deadline: deadline, Tag: key})
	}
	Analyses.Put(turn, string(c), v)
	turn.After(timer(c), deadline+slack, messages.AnalyseDue{Conversation: c})
}

// keyOf tells apart the answers to different questions.
func keyOf(c messages.ConversationID, v Analysis) string {
	return fmt.Sprintf("%s:%d.%d:%s", v.Stage, v.Run, v.Asks, c)
}

// asking finds the analysis that waits for the answer to a key.
func asking(turn *actors.Turn, key string) (messages.ConversationID, Analysis, bool) {
	part := strings.SplitN(key, ":", 3)
	if len(part) < 3 {
		return "", Analysis{}, false
	}
	c := messages.ConversationID(part[2])
	v, ok := Analyses.Get(turn, part[2])
	return c, v, ok && keyOf(c, v) == key // else it was forgotten, or asked again since
}

// question is what a model is asked.
func (a *actor) question(v Analysis) (prompt.Prompt, error) {
	in := prompt.Input{Task: prompt.Analyse, Interview: prompt.InterviewInput{Goal: string(v.Goal)}}
	for _, l := range v.Lines {
		in.Language = text.LanguageOf(string(l), in.Language)
		in.Lines = append(in.Lines, prompt.Line{Text: l})
	}
	in.Language = text.LanguageOf("", in.Language)
	return a.o.Prompts.Compose(in)
}

// keywords takes the keywords: the first cards. A model is asked next.
func (a *actor) keywords(turn *actors.Turn, m messages.KeywordsFound) {
	c, v, ok := asking(turn, turn.Cause().Tag)
	if !ok {
		return
	}
	v.Keywords, v.Stage, v.Asks = m.Keywords, Themes, 0
	a.tell(turn, c, v)
	a.ask(turn, c, v)
}

// answered takes the themes that the model names.
func (a *actor) answered(turn *actors.Turn, m messages.LLMAnswer) {
	c, v, ok := asking(turn, m.Key)
	if !ok {
		return
	}
	p, err := a.question(v)
	if err != nil {
		turn.Fail(err)
		return
	}
	found, readable := ParseThemes(string(m.Text), v.Lines)
	if !readable || p.Echoes(string(m.Text)) {
		a.unreadable(turn, c, v)
		return
	}
	v.Themes, v.Model = found, m.Model
	a.done(turn, c, v)
}

// unreadable asks once more, then goes on without themes.
func (a *actor) unreadable(turn *actors.Turn, c messages.ConversationID, v Analysis) {
	if v.Again++; v.Again < mostAgain {
		a.ask(turn, c, v)
		return
	}
	a.done(turn, c, v)
}

// failed handles a worker that did not answer. Where there is no model, keywords remain.
func (a *actor) failed(turn *actors.Turn, m messages.CallFailed) {
	c, v, ok := asking(turn, m.Tag)
	switch code := messages.LLMCode(m.Code); {
	case !ok:
	case code == messages.LLMNoModel, m.Kind == messages.FailureUnknown, v.Asks >= mostAsks:
		a.skip(turn, c, v)
	case code == messages.LLMMalformed:
		a.unreadable(turn, c, v)
	default:
		turn.After(timer(c), firstPause<<(v.Asks-1), messages.AnalyseDue{Conversation: c})
	}
}

// due asks again for what was not answered.
func (a *actor) due(turn *actors.Turn, c messages.ConversationID) {
	switch v, ok := Analyses.Get(turn, string(c)); {
	case !ok || v.Stage == Done:
	case v.Asks >= mostAsks:
		a.skip(turn, c, v)
	default:
		a.ask(turn, c, v)
	}
}

// skip goes on without what nobody answers.
func (a *actor) skip(turn *actors.Turn, c messages.ConversationID, v Analysis) {
	if v.Stage == Words {
		v.Stage, v.Asks = Themes, 0
		a.ask(turn, c, v)
		return
	}
	a.done(turn, c, v)
}

// done keeps what was found, and nothing else of what was said.
func (a *actor) done(turn *actors.Turn, c messages.ConversationID, v Analysis) {
	v.Stage, v.Goal, v.Lines, v.Asks, v.Again = Done, "", nil, 0, 0
	Analyses.Put(turn, string(c), v)
	turn.Cancel(timer(c))
	a.tell(turn, c, v)
}

func (a *actor) tell(turn *actors.Turn, c messages.ConversationID, v Analysis) {
	turn.Publish(messages.InterviewAnalysed{Project: a.id, Conversation: c, Keywords: len(v.Keywords),
		Themes: len(v.Themes), Final: v.Stage == Done, At: turn.Now()})
}

// Bounds of what is read of one interview, in characters.
const (
	longestLine = 4_000
	longestSaid = 60_000
)

// bounded returns what was said, cut to what is read.
func bounded(lines []messages.Text) (out []messages.Text) {
	left := longestSaid
	for _, l := range lines {
		l = text.First(l, min(longestLine, left))
		if left -= len([]rune(string(l))); l != "" {
			out = append(out, l)
		}
	}
	return out
}
