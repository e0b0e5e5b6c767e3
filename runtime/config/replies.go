package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/text"
)

// Replies says how conversations are answered.
type Replies struct {
	// How Kehai takes part: assistant (answers) or observe (reads, never answers).
	// Default assistant.
	Mode reply.Mode `yaml:"mode" oneof:"assistant|observe"`

	// What may become of a reply at most: off (none is written), draft (it waits for a
	// person: kehai drafts) or auto (it goes out by itself where auto allows it).
	// Default draft.
	Policy reply.Policy `yaml:"policy" oneof:"off|draft|auto"`

	// The only conversations in which replies may go out by themselves, such as
	// ["line:Hana"], and only with policy auto. Default [].
	Auto []string `yaml:"auto"`

	// Whether replies go out by themselves in windows that Kehai draws itself, whatever
	// policy says: nobody else reads them. Default true.
	Drawn bool `yaml:"drawn"`

	// The assistant's name. Default Kehai.
	Persona string `yaml:"persona"`

	// How the assistant speaks: polite_soft, casual or formal. Default polite_soft.
	Tone string `yaml:"tone" oneof:"polite_soft|casual|formal"`

	// Messages of a conversation that are read for a reply, 1 to 200. Default 20.
	Context int `yaml:"context" min:"1" max:"200"`

	reply.Limits `yaml:",inline"`

	// Hours in which nothing goes out by itself and nobody is notified, such as
	// 22:00-07:00. Empty: none. Default empty.
	Quiet string `yaml:"quiet" form:"quiet?"`

	reply.ByAttention `yaml:",inline"`

	// Settings of single conversations, at most 500; what an entry leaves out is as for
	// all others. Default [].
	Conversations []Conversation `yaml:"conversations"`
}

// Conversation is what is particular about one conversation.
type Conversation struct {
	// Its name, such as line:Hana. It must be given. Default empty.
	Name string `yaml:"name"`

	// How Kehai takes part in it: inherit, assistant or observe. Default inherit.
	Mode reply.Mode `yaml:"mode" oneof:"inherit|assistant|observe"`

	// What may become of a reply at most: inherit, off, draft or auto, which also puts
	// the conversation on the list of replies.auto. Default inherit.
	Policy reply.Policy `yaml:"policy" oneof:"inherit|off|draft|auto"`

	// Whether several are on the other side: auto (if two or more have written), yes or
	// no. Groups are answered less often. Default auto.
	Group conversation.Group `yaml:"group" oneof:"auto|yes|no"`

	// The assistant's name in it. Empty: as everywhere. Default empty.
	Persona string `yaml:"persona"`

	// How the assistant speaks in it: inherit, polite_soft, casual or formal. Default
	// inherit.
	Tone string `yaml:"tone" oneof:"inherit|polite_soft|casual|formal"`

	// Hours in which nothing goes out by itself, such as 22:00-07:00. Empty: as
	// everywhere. Default empty.
	Quiet string `yaml:"quiet" form:"quiet?"`

	// Replies an hour that may go out by themselves, -1 to 1000; -1 is as everywhere.
	// Default -1.
	PerHour int `yaml:"per_hour" min:"-1" max:"1000"`

	// Replies that may go out by themselves in a row, -1 to 1000; -1 is as everywhere.
	// Default -1.
	InARow int `yaml:"in_a_row" min:"-1" max:"1000"`

	// What becomes of a reply while the person is focused: inherit, hold, draft, notify
	// or send. Default inherit.
	Focused reply.Action `yaml:"when_focused" oneof:"inherit|hold|draft|notify|send"`

	// What becomes of a reply while the person is away: inherit, hold, draft, notify or
	// send. Default inherit.
	Away reply.Action `yaml:"when_away" oneof:"inherit|hold|draft|notify|send"`

	// What becomes of a reply while the person is drowsy: inherit, hold, draft, notify
	// or send. Default inherit.
	Drowsy reply.Action `yaml:"when_drowsy" oneof:"inherit|hold|draft|notify|send"`
}

// inherit stands for the setting of all conversations.
const inherit = "inherit"

// DefaultConversation is a conversation about which nothing is particular.
func DefaultConversation() Conversation {
	return Conversation{Mode: inherit, Policy: inherit, Group: conversation.GroupAuto, Tone: inherit, PerHour: -1,
		InARow: -1, Focused: inherit, Away: inherit, Drowsy: inherit}
}

// apply puts what is particular over the settings of all.
func (c Conversation) apply(s *conversation.Settings) {
	over(&s.Mode, c.Mode, inherit)
	over(&s.Policy, c.Policy, inherit)
	over(&s.Persona, c.Persona, "")
	over(&s.Tone, c.Tone, inherit)
	over(&s.Limits.PerHour, c.PerHour, -1)
	over(&s.Limits.InARow, c.InARow, -1)
	over(&s.When.Focused, c.Focused, inherit)
	over(&s.When.Away, c.Away, inherit)
	over(&s.When.Drowsy, c.Drowsy, inherit)
	s.Group = c.Group
	s.Listed = s.Listed || c.Policy == reply.PolicyAuto
	if c.Quiet != "" {
		s.Quiet, _ = reply.ParseQuiet(c.Quiet) // Validate has read it
	}
}

// over sets a value unless the new one stands for the old.
func over[V comparable](to *V, v, keep V) {
	if v != keep {
		*to = v
	}
}

// Judging says when it is judged whether to answer.
type Judging struct {
	judge.Rules `yaml:",inline"`

	// How long a judgement holds by its confidence, the first that it reaches counts:
	// CONFIDENCE:TIME with 0 to 1 and 0s to 24h. Default ["0.9:12h", "0.7:1h"].
	Thresholds []string `yaml:"thresholds" form:"threshold"`
}

// maxConversations is how many may have settings of their own.
const maxConversations = 500

func defaultReplies() Replies {
	return Replies{
		Mode: reply.Assistant, Policy: reply.PolicyDraft, Drawn: true, Persona: "Kehai", Tone: "polite_soft",
		Context: conversation.DefaultContext, Limits: reply.DefaultLimits(), ByAttention: reply.DefaultAttention(),
	}
}

func defaultJudging() Judging {
	j := Judging{Rules: judge.DefaultRules()}
	for _, t := range j.Rules.Thresholds {
		j.Thresholds = append(j.Thresholds, fmt.Sprintf("%v:%s", t.MinConfidence, durationText(t.Skip)))
	}
	return j
}

// JudgeRules are the rules of judging; those of profile seed have no guards.
func (c *Config) JudgeRules() (judge.Rules, error) {
	r := c.Judge.Rules
	r.Plain, r.Thresholds = c.Profile == ProfileSeed, nil
	for _, s := range c.Judge.Thresholds {
		t, err := parseThreshold(s)
		if err != nil {
			return judge.Rules{}, err
		}
		r.Thresholds = append(r.Thresholds, t)
	}
	return r.Check()
}

func parseThreshold(s string) (t judge.Threshold, err error) {
	confidence, skip, ok := strings.Cut(s, ":")
	if t.MinConfidence, err = strconv.ParseFloat(strings.TrimSpace(confidence), 64); err == nil && ok {
		t.Skip, err = time.ParseDuration(strings.TrimSpace(skip))
	}
	if err != nil || !ok {
		return judge.Threshold{}, fmt.Errorf("%s: want CONFIDENCE:TIME such as 0.9:12h", quote(s))
	}
	return t, nil
}

// checkReplies checks what the tags cannot say.
func (c *Config) checkReplies(p *problems) {
	if _, err := c.JudgeRules(); err != nil {
		p.add(c, "judge.thresholds", strings.TrimPrefix(err.Error(), judge.ErrRules.Error()+": "))
	}
	seen := map[string]int{}
	for i, one := range c.Replies.Conversations {
		key := fmt.Sprintf("replies.conversations.%d.name", i)
		first, twice := seen[one.Name]
		switch {
		case strings.TrimSpace(one.Name) == "":
			p.add(c, key, "want the name of a conversation, such as line:Hana")
		case twice:
			p.add(c, key, fmt.Sprintf("%s: replies.conversations.%d has that name: make one entry of both",
				quote(one.Name), first))
		default:
			c.checkName(p, key, one.Name)
		}
		seen[one.Name] = i
	}
	if n := len(c.Replies.Conversations); n > maxConversations {
		p.add(c, "replies.conversations", fmt.Sprintf("%d conversations: want at most %d", n, maxConversations))
	}
	for _, name := range c.Replies.Auto {
		c.checkName(p, "replies.auto", name)
	}
	c.checkAuto(p)
}

// checkName refuses a name that no conversation can have: without its application it
// would match none.
func (c *Config) checkName(p *problems, key, name string) {
	app, title, both := strings.Cut(name, ":")
	if both && app != "" && strings.TrimSpace(title) != "" {
		return
	}
	app = "line"
	if len(c.Windows) > 0 {
		app = cmp.Or(c.Windows[0].App, app)
	}
	p.add(c, key, fmt.Sprintf("%s is no conversation: want its application and its name: did you mean %s?",
		quote(name), quote(app+":"+strings.Trim(name, ": "))))
}

// Unseen is a name in the settings of replies that no conversation has.
type Unseen struct {
	Name string
	Near string // that of a conversation, "" for none
}

// NamesConversations reports whether the settings of replies name any.
func (c *Config) NamesConversations() bool {
	return len(c.Replies.Auto)+len(c.Replies.Conversations) > 0
}

// Unseen lists the names in the settings of replies that are none of the known ones.
func (c *Config) Unseen(known []string) (list []Unseen) {
	names := slices.Clone(c.Replies.Auto)
	for _, one := range c.Replies.Conversations {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if !slices.Contains(known, name) {
			list = append(list, Unseen{name, text.Nearest(name, known)})
		}
	}
	return list
}

// checkAuto refuses settings of which one says that replies go out by themselves, and
// another that none can. Mode observe may stand beside anything: it is how all answering
// is turned off for a while.
func (c *Config) checkAuto(p *problems) {
	r := c.Replies
	listed := len(r.Auto) > 0 || slices.ContainsFunc(r.Conversations,
		func(one Conversation) bool { return one.Policy == reply.PolicyAuto })
	drawn := r.Drawn && slices.ContainsFunc(c.Windows, func(w Window) bool { return w.Driver == "drawn" })
	auto := r.Policy == reply.PolicyAuto
	switch {
	case auto && !listed && !drawn:
		p.add(c, "replies.auto", "want the conversations in which replies may go out by themselves, "+
			"or set replies.policy: draft")
	case len(r.Auto) > 0 && !auto:
		p.add(c, "replies.auto", fmt.Sprintf("names conversations, and replies.policy is %s, so that nothing goes out "+
			"by itself: set replies.policy: auto, or take them out", r.Policy))
	case auto && r.PerHour == 0:
		p.add(c, "replies.per_hour", "0: replies.policy is auto: want 1 at least, or set replies.policy: draft")
	case auto && r.InARow == 0:
		p.add(c, "replies.in_a_row", "0: replies.policy is auto: want 1 at least, or set replies.policy: draft")
	}
}

// ReplySettings are those of a conversation that is called name; drawn says that its
// window is one that Kehai draws.
func (c *Config) ReplySettings(name string, drawn bool) conversation.Settings {
	r := c.Replies
	quiet, _ := reply.ParseQuiet(r.Quiet) // Validate has read it
	s := conversation.Settings{
		Mode: r.Mode, Policy: r.Policy, Listed: slices.Contains(r.Auto, name), When: r.ByAttention, Limits: r.Limits,
		Quiet: quiet, Persona: r.Persona, Tone: r.Tone, Context: r.Context, Drawn: drawn,
	}
	if drawn && r.Drawn && s.Policy != reply.PolicyOff {
		s.Policy, s.Listed = reply.PolicyAuto, true
	}
	for _, c := range r.Conversations {
		if c.Name == name {
			c.apply(&s)
		}
	}
	return s
}
