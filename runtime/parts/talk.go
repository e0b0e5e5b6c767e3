package parts

import (
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/insight"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/actors/stall"
	"github.com/kehai-run/kehai/messages"
)

// nameOf returns what the owner calls a conversation in the configuration.
func (p *Parts) nameOf(c messages.ConversationID) string { return p.Called(c) }

// bareName is that name without the application, "line" and "web" being words. What a host calls a
// conversation may have none.
func (p *Parts) bareName(c messages.ConversationID) string {
	name := p.nameOf(c)
	if _, bare, ok := strings.Cut(name, ":"); ok {
		return bare
	}
	return name
}

// overdue is how long a machine of a cluster may take to say what became of a reply. One that is alone always
// says so.
func (p *Parts) overdue() time.Duration {
	if p.Alone() {
		return 0
	}
	return p.Config.Rules.Send.Timeout + time.Hour
}

// Conversation keeps what was said, and answers.
func (p *Parts) Conversation() NewActor {
	o := conversation.DefaultOptions()
	o.Settings = p.replySettings
	o.Owner, o.Prompts, o.Zone = messages.To(owner.Kind, p.Config.Node), p.Prompts, time.Local
	o.Write, o.PerHour = p.longest(llm.Answer, true), p.Config.LLM.PerHour
	o.Mask, o.Key, o.Name = p.Masks, p.VaultKey, p.bareName
	o.Overdue, o.Disk, o.Interviews = p.overdue, p.Disk, p.Config.Interviews
	o.Attends, o.Memory = p.Config.Focus.Enabled, true
	if _, none := p.Model.(llm.None); !none {
		o.Check = p.longest(llm.Mask, false)
	}
	return conversation.New(o)
}

// replySettings says how a conversation that a window shows is answered.
func (p *Parts) replySettings(c messages.ConversationID, w messages.WindowID) conversation.Settings {
	seen := p.Windows[w]
	name := p.nameOf(c)
	if w.Channel() != "" {
		return p.Config.Replies.OnChannel(name)
	}
	s := p.Config.Replies.Of(name, seen.Drawn())
	if ours := seen.Drawn() && p.Config.Replies.Drawn; s.Listed && !ours {
		s.Listed = name == string(c) || p.Bound(c, name) // not anybody who uses that name
	}
	s.Typist = seen.Typed()
	return s
}

// Recall remembers what was said, and finds it again.
func (p *Parts) Recall() NewActor {
	o := recall.DefaultOptions()
	if p.Config.Memory.Select && p.Config.LLM.Tier != llm.TierNone {
		o.Select = &recall.Selector{Prompts: p.Prompts, Persona: p.personaOf,
			PerHour: p.Config.LLM.PerHour, Mask: p.Masks}
	}
	o.Embed = p.Memory.Model()
	o.Routes, o.Pack = p.Config.Memory.Routes.List(o.Embed != ""), p.Config.Memory.Pack
	return recall.New(o)
}

// Searchers is how many searches run in parallel: one for each route of a question.
const Searchers = 8

// Searcher makes workers that search everything ever said.
func (p *Parts) Searcher() NewWorker { return recall.NewWorker(p.Memory, p.Scope) }

// Growth learns from what was said.
func (p *Parts) Growth() NewActor {
	_, none := p.Model.(llm.None)
	return growth.New(growth.Options{Rules: p.Config.Growth, Asks: !none,
		Mask: p.Masks, Prompts: p.Prompts, Deadline: p.longest(llm.Learn, false), RowKey: p.RowKey})
}

// Reading makes workers that read what is new in the memory. One at a time is enough:
// growth is in no hurry.
func (p *Parts) Reading() NewWorker { return recall.NewReader(p.Memory) }

// Embedding makes workers that say what is remembered means.
func (p *Parts) Embedding() NewWorker { return recall.NewEmbedder(p.Memory) }

// Judge judges whether to answer.
func (p *Parts) Judge() NewActor {
	rules, _ := p.Config.JudgeRules() // Validate has read them
	return judge.New(judge.Options{
		Rules: rules, Prompts: p.Prompts, Deadline: p.longest(llm.Judge, false), Zone: time.Local,
		PerHour: p.Config.LLM.PerHour,
		Persona: p.personaOf,
	})
}

func (p *Parts) personaOf(c messages.ConversationID) string {
	return p.Config.Replies.Of(p.nameOf(c), false).Persona
}

// Insight finds out what the interviews of a project have in common.
func (p *Parts) Insight() NewActor {
	return insight.New(insight.Options{Prompts: p.Prompts, Deadline: p.longest(llm.Analyse, false)})
}

// Owner tracks what the owner does and allows.
func (p *Parts) Owner() NewActor {
	o := owner.Options{Attends: p.Config.Focus.Enabled}
	for _, w := range p.WindowKeys() {
		o.Windows = append(o.Windows, messages.WindowID(w))
	}
	return owner.New(o)
}

// Stall checks that finished work is reported.
func (p *Parts) Stall() NewActor { return stall.New(p.Config.Rules.Stall) }

// longest returns how long a caller waits for a model: a little longer than the model's
// own limit, so that it can say why it did not answer.
func (p *Parts) longest(purpose llm.Purpose, streamed bool) time.Duration {
	return p.Config.LLM.Longest(purpose, streamed) + 500*time.Millisecond
}
