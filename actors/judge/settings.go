package judge

import (
	"time"

	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Options of a judge.
type Options struct {
	Rules    Rules
	Persona  func(messages.ConversationID) string // the assistant's name; nil means none
	Prompts  *prompt.Catalogue                    // nil means the built-in texts
	Deadline time.Duration                        // of one question
	PerHour  int                                  // questions an hour to the model
	Zone     *time.Location                       // of the times that the model sees; nil means UTC
}

func (o Options) withDefaults() Options {
	if o.Persona == nil {
		o.Persona = func(messages.ConversationID) string { return "" }
	}
	if o.Prompts == nil {
		o.Prompts = prompt.Default()
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return o
}

// question is what the model is asked about messages.
func (o Options) question(m messages.JudgeReply, now time.Time) (prompt.Prompt, error) {
	in := prompt.Input{Task: prompt.Judge, Persona: o.Persona(m.Conversation), Now: now.In(o.Zone)}
	var l text.Language
	for _, s := range Newest(m.Lines, o.Rules) {
		if !s.Own {
			l = text.LanguageOf(string(s.Text), l)
		}
		in.Lines = append(in.Lines, prompt.Line{Own: s.Own, Name: s.Name, At: s.At.In(o.Zone), Text: s.Text})
	}
	in.Language = text.LanguageOf("", l)
	return o.Prompts.Compose(in)
}
