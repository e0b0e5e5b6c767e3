package runtime

import (
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/messages"
)

// nameOf is what the owner calls a conversation in the configuration.
func (p *parts) nameOf(c messages.ConversationID) string { return p.called(c) }

func (p *parts) conversation() newActor {
	return conversation.New(conversation.Options{
		Settings: func(c messages.ConversationID, w messages.WindowID) conversation.Settings {
			seen := p.windows[w]
			s := p.cfg.ReplySettings(p.nameOf(c), seen.Drawn())
			s.Typist = seen.Typed()
			return s
		},
		Owner: messages.To(owner.Kind, p.cfg.Node), Prompts: p.prompts, Write: p.longest(llm.Answer, true),
		PerHour: p.cfg.LLM.PerHour,
		Zone:    time.Local, Attends: p.cfg.Focus.Enabled,
		Mask: p.masks, Key: p.vaultKey, Name: p.nameOf,
	})
}

func (p *parts) judge() newActor {
	rules, _ := p.cfg.JudgeRules() // Validate has read them
	return judge.New(judge.Options{
		Rules: rules, Prompts: p.prompts, Deadline: p.longest(llm.Judge, false), Zone: time.Local,
		PerHour: p.cfg.LLM.PerHour,
		Persona: func(c messages.ConversationID) string { return p.cfg.ReplySettings(p.nameOf(c), false).Persona },
	})
}

func (p *parts) owner() newActor {
	o := owner.Options{Attends: p.cfg.Focus.Enabled}
	for _, w := range p.windowKeys() {
		o.Windows = append(o.Windows, messages.WindowID(w))
	}
	return owner.New(o)
}

// longest is how long who asks waits for a model: a little longer than that has, so
// that it can say why it did not answer.
func (p *parts) longest(purpose llm.Purpose, streamed bool) time.Duration {
	return p.cfg.LLM.Longest(purpose, streamed) + 500*time.Millisecond
}

// vaultKey is the key of the placeholders of a conversation.
func (p *parts) vaultKey(conversation string) []byte {
	mac := hmac.New(sha256.New, p.hashKey)
	mac.Write([]byte("vault\x00" + conversation))
	return mac.Sum(nil)
}
